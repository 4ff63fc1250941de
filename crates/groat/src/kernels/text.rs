//! Kernels as text: `name:key=value,key=value`. A list of widths is separated by slashes.

use super::compact::DEFAULT_POWER;
use super::{Kernel, Width};
use crate::error::{Error, Result};
use std::fmt;
use std::str::FromStr;

const NAMES: &str =
    "gaussian, laplacian, matern32, matern52, inverse-multiquadric, wendland, polynomial, linear, sigmoid";

impl fmt::Display for Width {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Width::Shared(width) => write!(f, "{width}"),
            Width::PerFeature(widths) => {
                for (i, width) in widths.iter().enumerate() {
                    write!(f, "{}{width}", if i == 0 { "" } else { "/" })?;
                }
                // A list of one keeps its slash, so that it reads back as a list.
                if widths.len() == 1 { write!(f, "/") } else { Ok(()) }
            }
        }
    }
}

impl Kernel {
    /// The name by which the kernel is known everywhere.
    pub fn name(&self) -> &'static str {
        match self {
            Kernel::Gaussian { .. } => "gaussian",
            Kernel::Laplacian { .. } => "laplacian",
            Kernel::Matern32 { .. } => "matern32",
            Kernel::Matern52 { .. } => "matern52",
            Kernel::InverseMultiquadric { .. } => "inverse-multiquadric",
            Kernel::Wendland { .. } => "wendland",
            Kernel::Compact { base, .. } => base.name(),
            Kernel::Polynomial { .. } => "polynomial",
            Kernel::Linear => "linear",
            Kernel::Sigmoid { .. } => "sigmoid",
        }
    }
}

impl fmt::Display for Kernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Kernel::Compact { base, support, power } = self {
            return write!(f, "{base},support={support},power={power}");
        }
        write!(f, "{}", self.name())?;
        match self {
            Kernel::Wendland { width, dimension, smoothness } => {
                write!(f, ":width={width},dimension={dimension},smoothness={smoothness}")
            }
            Kernel::Polynomial { degree, scale, offset } => {
                write!(f, ":degree={degree},scale={scale},offset={offset}")
            }
            Kernel::Sigmoid { scale, offset } => write!(f, ":scale={scale},offset={offset}"),
            _ => match self.width() {
                Some(width) => write!(f, ":width={width}"),
                None => Ok(()),
            },
        }
    }
}

impl FromStr for Width {
    type Err = Error;
    fn from_str(text: &str) -> Result<Self> {
        let number = |part: &str| -> Result<f64> {
            part.trim()
                .parse()
                .map_err(|_| Error::parse("width", text, "expected a number, or numbers separated by '/'"))
        };
        if text.contains('/') {
            text.trim_end_matches('/')
                .split('/')
                .map(number)
                .collect::<Result<Vec<_>>>()
                .map(Width::PerFeature)
        } else {
            number(text).map(Width::Shared)
        }
    }
}

/// The `key=value` pairs of a kernel's text, taken out one by one so that leftovers can be named.
struct Settings<'a> {
    text: &'a str,
    pairs: Vec<(&'a str, &'a str)>,
}

impl<'a> Settings<'a> {
    fn new(text: &'a str, list: &'a str) -> Result<Self> {
        let mut pairs: Vec<(&str, &str)> = Vec::new();
        for part in list.split(',').filter(|p| !p.trim().is_empty()) {
            let Some((key, value)) = part.split_once('=') else {
                return Err(Error::parse("kernel", text, format!("{part:?} is not of the form key=value")));
            };
            let (key, value) = (key.trim(), value.trim());
            if pairs.iter().any(|(k, _)| *k == key) {
                return Err(Error::parse("kernel", text, format!("{key} is given twice")));
            }
            pairs.push((key, value));
        }
        Ok(Self { text, pairs })
    }

    fn take(&mut self, key: &str) -> Option<&'a str> {
        let at = self.pairs.iter().position(|(k, _)| *k == key)?;
        Some(self.pairs.remove(at).1)
    }

    fn whole(&mut self, key: &str, default: u32) -> Result<u32> {
        match self.take(key) {
            None => Ok(default),
            Some(value) => value.parse().map_err(|_| {
                Error::parse("kernel", self.text, format!("{key}={value}: expected a whole number"))
            }),
        }
    }

    /// The kernel with compact support if `support=` was given.
    fn support(&mut self, kernel: Kernel) -> Result<Kernel> {
        if self.pairs.iter().any(|(k, _)| *k == "support") {
            let support = self.number("support", f64::NAN)?;
            Ok(Kernel::compact(kernel, support, self.number("power", DEFAULT_POWER)?))
        } else {
            Ok(kernel)
        }
    }

    fn number(&mut self, key: &str, default: f64) -> Result<f64> {
        match self.take(key) {
            None => Ok(default),
            Some(value) => value
                .parse()
                .map_err(|_| Error::parse("kernel", self.text, format!("{key}={value}: expected a number"))),
        }
    }

    /// The width, given as `width=` or, where the kernel knows how to translate it, as `gamma=`.
    fn width(&mut self, from_gamma: Option<fn(f64) -> f64>) -> Result<Width> {
        match (self.take("width"), from_gamma) {
            (Some(_), Some(_)) if self.pairs.iter().any(|(k, _)| *k == "gamma") => {
                Err(Error::parse("kernel", self.text, "width and gamma say the same: give one of them"))
            }
            (Some(value), _) => value.parse(),
            (None, Some(translate)) if self.pairs.iter().any(|(k, _)| *k == "gamma") => {
                let gamma = self.number("gamma", 1.0)?;
                if gamma > 0.0 && gamma.is_finite() {
                    Ok(Width::Shared(translate(gamma)))
                } else {
                    Err(Error::parameter("gamma", gamma, "a finite number above 0"))
                }
            }
            (None, _) => Ok(Width::Shared(1.0)),
        }
    }

    fn finish(self, kernel: Kernel) -> Result<Kernel> {
        if let Some((key, _)) = self.pairs.first() {
            return Err(Error::parse(
                "kernel",
                self.text,
                format!("{} has no parameter {key:?}", kernel.name()),
            ));
        }
        kernel.check()?;
        Ok(kernel)
    }
}

impl FromStr for Kernel {
    type Err = Error;
    fn from_str(text: &str) -> Result<Self> {
        let (name, list) = text.trim().split_once(':').unwrap_or((text.trim(), ""));
        let mut set = Settings::new(text, list)?;
        let kernel = match name.to_ascii_lowercase().replace('_', "-").as_str() {
            "gaussian" | "rbf" => Kernel::Gaussian { width: set.width(Some(|gamma| (0.5 / gamma).sqrt()))? },
            "laplacian" => Kernel::Laplacian { width: set.width(Some(|gamma| 1.0 / gamma))? },
            "matern32" => Kernel::Matern32 { width: set.width(None)? },
            "matern52" => Kernel::Matern52 { width: set.width(None)? },
            "inverse-multiquadric" => Kernel::InverseMultiquadric { width: set.width(None)? },
            "wendland" => Kernel::Wendland {
                width: set.width(None)?,
                dimension: set.whole("dimension", 3)?,
                smoothness: set.whole("smoothness", 1)?,
            },
            "polynomial" => Kernel::Polynomial {
                degree: set.whole("degree", 3)?,
                scale: set.number("scale", 1.0)?,
                offset: set.number("offset", 1.0)?,
            },
            "linear" => Kernel::Linear,
            "sigmoid" => {
                Kernel::Sigmoid { scale: set.number("scale", 1.0)?, offset: set.number("offset", 0.0)? }
            }
            _ => return Err(Error::parse("kernel", text, format!("known kernels: {NAMES}"))),
        };
        let kernel = set.support(kernel)?;
        set.finish(kernel)
    }
}

impl TryFrom<String> for Kernel {
    type Error = Error;
    fn try_from(text: String) -> Result<Self> {
        text.parse()
    }
}

impl From<Kernel> for String {
    fn from(kernel: Kernel) -> String {
        kernel.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_said_twice_is_named() {
        let message = |text: &str| text.parse::<Kernel>().unwrap_err().to_string();
        assert!(message("gaussian:width=1,width=2").contains("width is given twice"));
        assert!(message("gaussian:gamma=1,width=2").contains("give one of them"));
        assert!(message("linear:width=1").contains("no parameter \"width\""));
    }

    #[test]
    fn text_round_trips() {
        let kernels = [
            Kernel::gaussian(0.1 + 0.2),
            Kernel::gaussian(vec![1e-3, 2.5, 1.0 / 3.0]),
            Kernel::gaussian(vec![2.0]),
            Kernel::Laplacian { width: 3.0.into() },
            Kernel::Matern32 { width: 1e-300.into() },
            Kernel::Matern52 { width: 1e300.into() },
            Kernel::InverseMultiquadric { width: 2.0.into() },
            Kernel::Polynomial { degree: 4, scale: 0.5, offset: -1.0 },
            Kernel::Linear,
            Kernel::compact(Kernel::gaussian(0.3), 1.1, 4),
            Kernel::compact(Kernel::gaussian(0.3), 1.1, 2.5),
            Kernel::compact(Kernel::gaussian(vec![0.3, 2.0]), 1.1, 4),
            Kernel::Wendland { width: 2.0.into(), dimension: 5, smoothness: 2 },
            Kernel::Sigmoid { scale: 0.1, offset: 0.3 },
        ];
        for kernel in kernels {
            assert_eq!(kernel.to_string().parse::<Kernel>().unwrap(), kernel);
            let json = serde_json::to_string(&kernel).unwrap();
            assert_eq!(serde_json::from_str::<Kernel>(&json).unwrap(), kernel);
        }
    }

    #[test]
    fn gamma_is_another_spelling_of_the_width() {
        let kernel: Kernel = "gaussian:gamma=3.73".parse().unwrap();
        assert!((kernel.eval(&[0.0], &[1.0]) - (-3.73f64).exp()).abs() < 1e-15);
        let kernel: Kernel = "laplacian:gamma=2".parse().unwrap();
        assert!((kernel.eval(&[0.0], &[1.0]) - (-2f64).exp()).abs() < 1e-15);
    }

    #[test]
    fn bad_text_is_explained() {
        for (text, say) in [
            ("gausian", "known kernels"),
            ("gaussian:width=0", "above 0"),
            ("gaussian:width=-1", "above 0"),
            ("gaussian:width=NaN", "above 0"),
            ("gaussian:width=a", "number"),
            ("gaussian:width=1/0", "above 0"),
            ("gaussian:widht=1", "no parameter"),
            ("gaussian:width", "key=value"),
            ("gaussian:gamma=0", "above 0"),
            ("matern32:gamma=1", "no parameter"),
            ("polynomial:degree=0", "1 to 64"),
            ("polynomial:degree=2.5", "whole number"),
            ("polynomial:scale=inf", "finite"),
            ("gaussian:support=0", "above 0"),
            ("gaussian:power=3", "no parameter"),
            ("gaussian:support=1,power=0", "above 0, at most 64"),
            ("linear:support=1", "radial"),
            ("wendland:smoothness=4", "0, 1, 2 or 3"),
            ("", "known kernels"),
        ] {
            let error = text.parse::<Kernel>().unwrap_err().to_string();
            assert!(error.contains(say), "{text}: {error}");
        }
    }
}
