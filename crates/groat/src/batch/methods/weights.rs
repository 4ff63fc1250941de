//! How much each class counts, as text.

use crate::batch::forward::ClassWeights;
use crate::error::{Error, Result};

/// Whether a text says how much each class counts.
pub(super) fn reads_class_weights(text: &str) -> bool {
    matches!(text, "equal" | "balanced") || factors(text).is_some()
}

/// The weights for the classes with these labels; without labels the factors go to the classes in the order given.
pub(in crate::batch) fn class_weights(text: &str, labels: &[String]) -> Result<ClassWeights> {
    match text {
        "equal" => return Ok(ClassWeights::Equal),
        "balanced" => return Ok(ClassWeights::Balanced),
        _ => {}
    }
    let named = factors(text).unwrap_or_default();
    if labels.is_empty() {
        return Ok(ClassWeights::PerClass(named.into_iter().map(|(_, factor)| factor).collect()));
    }
    if let Some((label, _)) = named.iter().find(|(label, _)| !labels.contains(label)) {
        let reason = format!("it names the class {label:?}; the classes are {}", labels.join(", "));
        return Err(Error::parse("class_weights", text, reason));
    }
    let factor = |class: &String| named.iter().find(|(label, _)| label == class).map_or(1.0, |(_, f)| *f);
    Ok(ClassWeights::PerClass(labels.iter().map(factor).collect()))
}

/// `label=factor,...`; a label may hold the sign of equality itself.
fn factors(text: &str) -> Option<Vec<(String, f64)>> {
    let pair = |part: &str| {
        let (label, factor) = part.rsplit_once('=')?;
        let factor = factor.trim().parse::<f64>().ok().filter(|f| *f > 0.0 && f.is_finite())?;
        Some((label.trim().to_owned(), factor))
    };
    text.split(',').map(pair).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn class_weights_are_read() {
        let labels = ["a=b", "c", "d"].map(str::to_owned);
        assert_eq!(class_weights("balanced", &labels).unwrap(), ClassWeights::Balanced);
        let named = class_weights("a=b=2, c=.5", &labels).unwrap();
        assert_eq!(named, ClassWeights::PerClass(vec![2.0, 0.5, 1.0]));
        assert_eq!(class_weights("c=3,d=1", &[]).unwrap(), ClassWeights::PerClass(vec![3.0, 1.0]));
        for bad in ["", "a", "a=0", "a=x", "a=1,b"] {
            assert!(!reads_class_weights(bad), "{bad}");
        }
        assert!(class_weights("x=2", &labels).unwrap_err().to_string().contains("\"x\""));
    }
}
