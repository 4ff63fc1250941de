//! The table of one kind of part.

/// A part: what help, error texts and documentation say of it.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Part {
    /// Name, as it is chosen by.
    pub name: &'static str,
    /// What it does, in one line.
    pub meaning: &'static str,
    /// Parameters it takes, with their defaults.
    pub parameters: &'static [(&'static str, &'static str)],
}

/// Makes a kind of part from its rows: `Variant(Type) = name, parameters with defaults, constructor, meaning;`.
///
/// The enum is the closed list that can be saved, and dereferences to what all parts of the kind can do. `PARTS` and
/// `NAMES` describe it, and `new` builds the part that the settings name; a name without a row is an error.
macro_rules! part_table {
    (
        $(#[$attribute:meta])*
        $kind:literal: $name:ident of $ability:ident {
            $($variant:ident($type:ty) = $part:literal, $parameters:expr, $build:expr, $meaning:literal;)+
        }
    ) => {
        $(#[$attribute])*
        #[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
        #[serde(rename_all = "kebab-case")]
        pub(crate) enum $name {
            $(#[doc = $meaning] $variant($type),)+
        }

        /// The rows of the table.
        pub(crate) const PARTS: &[$crate::online::parts::Part] = &[
            $($crate::online::parts::Part { name: $part, meaning: $meaning, parameters: &$parameters },)+
        ];

        /// The names in the table.
        pub(crate) const NAMES: &[&str] = &[$($part),+];

        impl $name {
            /// The part that the settings name.
            pub fn new(values: &$crate::online::presets::Values) -> $crate::error::Result<Self> {
                match values.text($kind)? {
                    $($part => {
                        let build: fn(&$crate::online::presets::Values) -> $crate::error::Result<$type> = $build;
                        build(values).map($name::$variant)
                    })+
                    other => Err($crate::online::parts::unknown($kind, other, PARTS)),
                }
            }
        }

        impl std::ops::Deref for $name {
            type Target = dyn $ability;

            fn deref(&self) -> &(dyn $ability + 'static) {
                match self { $($name::$variant(part) => part,)+ }
            }
        }

        impl std::ops::DerefMut for $name {
            fn deref_mut(&mut self) -> &mut (dyn $ability + 'static) {
                match self { $($name::$variant(part) => part,)+ }
            }
        }
    };
}
pub(crate) use part_table;

#[cfg(test)]
mod tests {
    use crate::online::presets::Values;

    /// What the parts of a made-up kind can do.
    pub(crate) trait Greet {
        fn greet(&self) -> String;
    }

    #[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
    pub(crate) struct Times {
        count: usize,
    }

    impl Greet for Times {
        fn greet(&self) -> String {
            "hello ".repeat(self.count)
        }
    }

    part_table! {
        /// A made-up kind.
        "greeting": Greeting of Greet {
            Once(Times) = "once", [], |_| Ok(Times { count: 1 }), "one hello";
            Several(Times) = "several", [("tau", "2")], |values| Ok(Times { count: values.count("tau")? }), "tau hellos";
        }
    }

    /// A part is one type and one row: name, parameters, constructor, meaning and place in a file all follow.
    #[test]
    fn a_row_is_all_that_a_new_part_needs() {
        let greet = |name: &str| Greeting::new(&Values::of(&[("greeting", name), ("tau", "3")]));
        assert_eq!(greet("once").unwrap().greet(), "hello ");
        assert_eq!(greet("several").unwrap().greet(), "hello hello hello ");
        assert_eq!(NAMES, ["once", "several"]);
        assert_eq!((PARTS[1].meaning, PARTS[1].parameters), ("tau hellos", &[("tau", "2")][..]));
        let message = greet("twice").unwrap_err().to_string();
        assert!(message.contains("known are once, several"), "{message}");
        let saved = serde_json::to_string(&greet("several").unwrap()).unwrap();
        assert_eq!(saved, r#"{"several":{"count":3}}"#);
        assert_eq!(serde_json::from_str::<Greeting>(&saved).unwrap().greet().len(), 18);
    }
}
