//! The settings of a batch method, as typed: a flag for each parameter of the library's table, and `--set name=value`.

use clap::error::ErrorKind;
use clap::{Arg, ArgAction, ArgMatches, Args, Command, Error, FromArgMatches};
use groat::batch::Methods;
use groat::settings::{Parameter, Range, Settings};

/// The seed has a flag that all commands share.
const SEED: &str = "seed";

/// Spellings of former versions.
const FORMER: &[(&str, &str)] = &[("patience", "stop")];

/// What was given of the parameters that some method takes.
#[derive(Clone, Debug)]
pub struct SettingArgs(Settings);

impl SettingArgs {
    /// The settings with the seed of the command.
    pub fn with_seed(self, seed: u64) -> Settings {
        self.0.with(SEED, seed)
    }
}

/// A parameter as it is typed.
pub fn flag_name(parameter: &str) -> String {
    format!("--{}", parameter.replace('_', "-"))
}

/// Parameters that have a flag.
fn parameters(methods: &Methods) -> impl Iterator<Item = &'static Parameter> {
    methods.parameters().into_iter().filter(|parameter| parameter.name != SEED)
}

fn flag(methods: &Methods, parameter: &'static Parameter) -> Arg {
    let mut flag = Arg::new(parameter.name)
        .long(parameter.name.replace('_', "-"))
        .help(help(methods, parameter))
        .help_heading("Settings of the method")
        .value_name("VALUE")
        .allow_negative_numbers(true);
    if let Range::Flag | Range::Or(_, Range::Flag) = parameter.range {
        flag = flag.num_args(0..=1).require_equals(true).default_missing_value("true");
    }
    match FORMER.iter().find(|(name, _)| *name == parameter.name) {
        Some((_, former)) => flag.alias(*former),
        None => flag,
    }
}

/// The parameter's sentence, its range, and the default of each method that takes it.
fn help(methods: &Methods, Parameter { name, meaning, range, .. }: &Parameter) -> String {
    let defaults: Vec<String> = methods
        .rows()
        .iter()
        .filter_map(|row| Some(format!("{} {}", row.name, row.parameter(name)?.setting.default)))
        .collect();
    let mut letters = meaning.chars();
    let first = letters.next().map(char::to_uppercase).into_iter().flatten();
    let sentence: String = first.chain(letters).collect();
    format!("{sentence}: {} [default: {}]", range.text(), defaults.join(", "))
}

impl Args for SettingArgs {
    fn augment_args(command: Command) -> Command {
        let methods = Methods::standard();
        let set = Arg::new("set")
            .long("set")
            .value_name("NAME=VALUE")
            .help("A setting by its name; may be repeated")
            .help_heading("Settings of the method")
            .action(ArgAction::Append);
        command.args(parameters(&methods).map(|parameter| flag(&methods, parameter))).arg(set)
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for SettingArgs {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        let mut settings = Settings::new();
        for Parameter { name, .. } in parameters(&Methods::standard()) {
            if let Some(value) = matches.get_one::<String>(name) {
                settings.set(name, value);
            }
        }
        for pair in matches.get_many::<String>("set").into_iter().flatten() {
            let mut one = Settings::new();
            one.set_pair(pair)
                .map_err(|error| Error::raw(ErrorKind::ValueValidation, format!("{error}\n")))?;
            for (name, value) in one.iter() {
                if name == SEED {
                    return Err(Error::raw(ErrorKind::UnknownArgument, "the seed is given as --seed\n"));
                }
                if settings.get(name).is_some() {
                    let said = format!("{name} is given twice\n");
                    return Err(Error::raw(ErrorKind::ArgumentConflict, said));
                }
                settings.set(name, value);
            }
        }
        Ok(Self(settings))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn given(line: &str) -> Result<Settings, Error> {
        let command = SettingArgs::augment_args(Command::new("fit"));
        let matches = command.try_get_matches_from(line.split(' '))?;
        SettingArgs::from_arg_matches(&matches).map(|args| args.0)
    }

    #[test]
    fn flags_and_pairs_become_settings() {
        let settings =
            given("fit --max-terms 7 --shift --ridge -1 --bias=false --set solver=dense --stop 2").unwrap();
        let expected = "max_terms=7,shift=true,ridge=-1,bias=false,solver=dense,patience=2";
        assert_eq!(settings, expected.parse().unwrap());
    }

    #[test]
    fn nothing_is_given_twice() {
        for line in [
            "fit --ridge 1 --ridge 2",
            "fit --ridge 1 --set ridge=2",
            "fit --set ridge=1 --set ridge=2",
            "fit --patience 1 --stop 2",
            "fit --set seed=1",
            "fit --set ridge",
        ] {
            assert!(given(line).is_err(), "{line}");
        }
    }

    #[test]
    fn help_says_range_and_default_of_each_method() {
        let mut help = SettingArgs::augment_args(Command::new("fit").term_width(500));
        let text = help.render_long_help().to_string();
        assert!(
            text.contains("a whole number, 1 or above [default: sparse 20000, ols 2000, krr 2500"),
            "{text}"
        );
        assert!(
            text.contains("The largest number of vectors; auto leaves it to the data: a whole number, 1 or above, or auto [default: sparse auto, ols 500]"),
            "{text}"
        );
    }
}
