//! Model files of LIBSVM, in and out.
//!
//! A file says its kernel and its decision values completely, so that both programs give the same answers. What LIBSVM
//! has no words for (other kernels, standardised features, several targets) is refused on the way out.
//!
//! Of two classes LIBSVM gives positive values to the one it names first, groat to its second: they change places.

use super::{Calibration, Decision, Model, Record, Task};
use crate::batch::methods::{NU_SVC, NU_SVR, ONE_CLASS, SVC, SVR};
use crate::data::{entries_of, svmlight_indices, svmlight_labels};
use crate::error::{Error, Result};
use crate::expansion::Expansion;
use crate::kernels::{Kernel, Width};
use crate::matrix::{Csr, Matrix};
use std::collections::HashMap;
use std::fmt::Write;

/// Names of the machines: theirs and ours.
const TYPES: [(&str, &str); 5] =
    [("c_svc", SVC), ("nu_svc", NU_SVC), ("one_class", ONE_CLASS), ("epsilon_svr", SVR), ("nu_svr", NU_SVR)];

/// What such a file begins with.
pub(super) const BEGINNING: &[u8] = b"svm_type ";

impl Model {
    /// The model as a LIBSVM model file. An error says what such a file cannot hold.
    ///
    /// ```
    /// use groat::{Expansion, Kernel, Matrix, Model, Rows};
    /// let vectors = Matrix::from_vec(vec![1.0, 0.0, 0.0, 2.0], 2, 2)?;
    /// let f = Expansion::new(Kernel::gaussian(1.0), vectors, Matrix::column(vec![0.5, -1.0]))?.with_bias(vec![3.0])?;
    /// let text = Model::new(f.clone()).to_libsvm()?;
    /// assert!(text.contains("gamma 0.5\n") && text.contains("\n-1 2:2\n"));
    /// let again = Model::from_libsvm(&text)?;
    /// let x = [0.3, 0.4];
    /// assert_eq!(again.predict_one(&x)?, Model::new(f).predict_one(&x)?);
    /// # Ok::<(), groat::Error>(())
    /// ```
    pub fn to_libsvm(&self) -> Result<String> {
        let refuse = |value: &str, expected: &'static str| Err(Error::parameter("model", value, expected));
        if self.standardisation.is_some() {
            return refuse(
                "one that standardises",
                "one of raw features for a LIBSVM file (--no-standardise)",
            );
        }
        let function = self.require_expansion("one of vectors for a LIBSVM file")?;
        let classes = match &self.task {
            Task::Classification { classes, decision } => {
                if *decision == Decision::OneVsRest && classes.len() > 2 {
                    return refuse(
                        "one output per class",
                        "one output per pair of classes for a LIBSVM file",
                    );
                }
                classes.len()
            }
            Task::Regression { .. } if function.outputs() == 1 => 2,
            Task::OneClass => 2,
            _ => return refuse(self.task.name(), "classes, one class or one target for a LIBSVM file"),
        };
        let mut text = String::new();
        let ours = self.record.method.as_str();
        let kind = TYPES
            .iter()
            .find(|(_, name)| *name == ours)
            .map_or(if self.classes().is_empty() { "epsilon_svr" } else { "c_svc" }, |(theirs, _)| theirs);
        // Writing to a string cannot fail.
        let _ = writeln!(text, "svm_type {kind}\n{}nr_class {classes}", kernel_lines(function.kernel())?);
        let bias = function.bias().map_or_else(|| vec![0.0; function.outputs()], <[f64]>::to_vec);
        let _ = writeln!(text, "total_sv {}\nrho {}", function.size(), joined(bias.iter().map(|b| -b)));
        if !self.classes().is_empty() {
            self.write_classes(function, &mut text)?;
        } else {
            let _ = writeln!(text, "SV");
            let indices = self.libsvm_indices();
            let line = |v| vector_line(&mut text, function, &indices, v, function.weights().row(v));
            (0..function.size()).for_each(line);
        }
        Ok(text)
    }

    /// Labels, probabilities and vectors, which LIBSVM wants class by class.
    fn write_classes(&self, function: &Expansion, text: &mut String) -> Result<()> {
        let count = self.classes().len();
        let two = count == 2 && function.outputs() == 1 && self.task.decision() == Some(Decision::OneVsRest);
        let mut labels = svmlight_labels(self.classes());
        if two {
            labels.reverse();
        }
        let _ = writeln!(text, "label {}", joined(labels.iter().copied()));
        if let Some(calibration) = &self.calibration {
            let (slopes, offsets) = calibration.parts();
            let _ = writeln!(text, "probA {}", joined(slopes.iter().map(|v| -v)));
            let _ = writeln!(text, "probB {}", joined(offsets.iter().map(|v| -v)));
        }
        let mut of_class: Vec<Vec<(usize, Vec<f64>)>> = vec![Vec::new(); count];
        for v in 0..function.size() {
            let weights = function.weights().row(v);
            let class = class_of_vector(weights, count);
            of_class[class].push((v, against(weights, class, count)));
        }
        let _ = writeln!(text, "nr_sv {}\nSV", joined(of_class.iter().map(|own| own.len() as f64)));
        let indices = self.libsvm_indices();
        for (v, coefficients) in of_class.iter().flatten() {
            vector_line(text, function, &indices, *v, coefficients);
        }
        Ok(())
    }

    /// The index by which LIBSVM knows each feature.
    fn libsvm_indices(&self) -> Vec<usize> {
        svmlight_indices(self.feature_names(), self.features())
    }

    /// Reads a LIBSVM model file. The features are as many as the vectors use.
    pub fn from_libsvm(text: &str) -> Result<Self> {
        let (head, vectors) = text.split_once("\nSV").ok_or_else(|| bad("no line SV before the vectors"))?;
        let entries: HashMap<&str, &str> =
            head.lines().filter_map(|line| line.trim().split_once(' ')).map(|(k, v)| (k, v.trim())).collect();
        let file = File { entries };
        let kind = file.text("svm_type")?;
        let Some((_, method)) = TYPES.iter().find(|(theirs, _)| *theirs == kind) else {
            return Err(bad(&format!("svm_type {kind} is not known")));
        };
        let classifies = kind.ends_with("svc");
        let count = if classifies { file.count("nr_class")? } else { 2 };
        if !(2..=10_000).contains(&count) {
            return Err(bad("nr_class must be 2 or more"));
        }
        let (rows, coefficients) = read_vectors(vectors, count - 1)?;
        let rho = file.numbers("rho")?;
        let outputs = count * (count - 1) / 2;
        if rho.len() != outputs {
            return Err(bad(&format!("rho has {} numbers, expected {outputs}", rho.len())));
        }
        let weights = match count {
            2 => coefficients,
            _ => pair_weights(&coefficients, &file.counts("nr_sv")?, count)?,
        };
        let function =
            Expansion::new(file.kernel()?, rows, weights)?.with_bias(rho.iter().map(|rho| -rho).collect())?;
        let mut record = Record::new(method, 0);
        record.settings.insert("source".to_owned(), "LIBSVM".to_owned());
        let model = Model::new(function).with_record(record);
        match (kind, classifies) {
            ("one_class", _) => model.with_task(Task::OneClass),
            (_, true) => file.classes(model, count),
            _ => Ok(model),
        }
    }
}

fn bad(reason: &str) -> Error {
    Error::Source { source_name: "LIBSVM model".to_owned(), reason: reason.to_owned() }
}

/// Numbers with spaces between, each short and exact.
fn joined(numbers: impl Iterator<Item = f64>) -> String {
    // A negated zero would be a strange sight.
    numbers.map(|v| (v + 0.0).to_string()).collect::<Vec<_>>().join(" ")
}

fn kernel_lines(kernel: &Kernel) -> Result<String> {
    Ok(match kernel {
        Kernel::Linear => "kernel_type linear\n".to_owned(),
        Kernel::Gaussian { width: Width::Shared(width) } => {
            format!("kernel_type rbf\ngamma {}\n", 0.5 / (width * width))
        }
        Kernel::Polynomial { degree, scale, offset } => {
            format!("kernel_type polynomial\ndegree {degree}\ngamma {scale}\ncoef0 {offset}\n")
        }
        Kernel::Sigmoid { scale, offset } => {
            format!("kernel_type sigmoid\ngamma {scale}\ncoef0 {offset}\n")
        }
        other => {
            let expected = "linear, gaussian with one width, polynomial or sigmoid for a LIBSVM file";
            return Err(Error::parameter("kernel", other, expected));
        }
    })
}

fn vector_line(text: &mut String, function: &Expansion, indices: &[usize], v: usize, coefficients: &[f64]) {
    let _ = write!(text, "{}", joined(coefficients.iter().copied()));
    let mut entries = Vec::new();
    entries_of(function.vectors().point(v), indices, &mut entries);
    for (index, value) in entries {
        let _ = write!(text, " {index}:{value}");
    }
    text.push('\n');
}

/// The class that a vector belongs to: it stands in all pairs that it has weights for.
fn class_of_vector(weights: &[f64], count: usize) -> usize {
    if count == 2 {
        return usize::from(weights[0] < 0.0);
    }
    let used: Vec<((usize, usize), f64)> =
        super::task::pairs(count).zip(weights.iter().copied()).filter(|(_, w)| *w != 0.0).collect();
    let fits =
        |class: &usize| used.iter().all(|((a, b), w)| (a == class && *w > 0.0) || (b == class && *w < 0.0));
    (0..count).find(fits).unwrap_or(0)
}

/// The coefficients of a vector of a class against each of the others, as LIBSVM stores them.
fn against(weights: &[f64], class: usize, count: usize) -> Vec<f64> {
    if count == 2 {
        return weights.to_vec();
    }
    let weight = |a: usize, b: usize| {
        super::task::pairs(count).zip(weights).find(|(pair, _)| *pair == (a, b)).map_or(0.0, |(_, w)| *w)
    };
    (0..count)
        .filter(|other| *other != class)
        .map(|other| weight(class.min(other), class.max(other)))
        .collect()
}

/// The weights of all pairs, one row per vector.
fn pair_weights(coefficients: &Matrix, of_class: &[usize], count: usize) -> Result<Matrix> {
    if of_class.len() != count || of_class.iter().sum::<usize>() != coefficients.rows() {
        return Err(bad("nr_sv does not go together with the vectors"));
    }
    let classes: Vec<usize> = of_class.iter().enumerate().flat_map(|(c, n)| vec![c; *n]).collect();
    let mut weights = Matrix::zeros(coefficients.rows(), count * (count - 1) / 2);
    for (v, class) in classes.into_iter().enumerate() {
        for (k, (a, b)) in super::task::pairs(count).enumerate() {
            if a == class {
                weights[(v, k)] = coefficients[(v, b - 1)];
            } else if b == class {
                weights[(v, k)] = coefficients[(v, a)];
            }
        }
    }
    Ok(weights)
}

/// The lines behind `SV`: coefficients, then `index:value`.
fn read_vectors(text: &str, coefficients: usize) -> Result<(Csr, Matrix)> {
    let (mut starts, mut columns, mut values) = (vec![0], Vec::new(), Vec::new());
    let (mut weights, mut features) = (Vec::new(), 1);
    for (number, line) in text.lines().map(str::trim).filter(|line| !line.is_empty()).enumerate() {
        let wrong = || bad(&format!("vector {} cannot be read", number + 1));
        let mut words = line.split_whitespace();
        for _ in 0..coefficients {
            weights.push(words.next().and_then(|word| word.parse::<f64>().ok()).ok_or_else(wrong)?);
        }
        for word in words {
            let (index, value) = word.split_once(':').ok_or_else(wrong)?;
            let index = index.parse::<u32>().ok().and_then(|index| index.checked_sub(1)).ok_or_else(wrong)?;
            columns.push(index);
            values.push(value.parse::<f64>().map_err(|_| wrong())?);
            features = features.max(index as usize + 1);
        }
        starts.push(columns.len());
    }
    let rows = starts.len() - 1;
    Ok((Csr::new(features, starts, columns, values)?, Matrix::from_vec(weights, rows, coefficients)?))
}

/// What stands before the vectors.
struct File<'t> {
    entries: HashMap<&'t str, &'t str>,
}

impl File<'_> {
    fn text(&self, name: &str) -> Result<&str> {
        self.entries.get(name).copied().ok_or_else(|| bad(&format!("no line {name}")))
    }

    fn numbers(&self, name: &str) -> Result<Vec<f64>> {
        let number = |word: &str| word.parse::<f64>().ok().filter(|v| v.is_finite());
        let read: Option<Vec<f64>> = self.text(name)?.split_whitespace().map(number).collect();
        read.ok_or_else(|| bad(&format!("{name} should be numbers")))
    }

    fn number(&self, name: &str, default: f64) -> Result<f64> {
        if !self.entries.contains_key(name) {
            return Ok(default);
        }
        self.numbers(name)?.first().copied().ok_or_else(|| bad(&format!("{name} should be a number")))
    }

    fn counts(&self, name: &str) -> Result<Vec<usize>> {
        let read: Option<Vec<usize>> = self.text(name)?.split_whitespace().map(|w| w.parse().ok()).collect();
        read.ok_or_else(|| bad(&format!("{name} should be whole numbers")))
    }

    fn count(&self, name: &str) -> Result<usize> {
        self.counts(name)?.first().copied().ok_or_else(|| bad(&format!("{name} should be a whole number")))
    }

    fn kernel(&self) -> Result<Kernel> {
        let (gamma, offset) = (self.number("gamma", 1.0)?, self.number("coef0", 0.0)?);
        Ok(match self.text("kernel_type")? {
            "linear" => Kernel::Linear,
            "rbf" => Kernel::gaussian((0.5 / gamma).sqrt()),
            "polynomial" => {
                Kernel::Polynomial { degree: self.number("degree", 3.0)? as u32, scale: gamma, offset }
            }
            "sigmoid" => Kernel::Sigmoid { scale: gamma, offset },
            other => return Err(bad(&format!("kernel_type {other} cannot be evaluated here"))),
        })
    }

    /// The model with its classes and their probabilities.
    fn classes(&self, model: Model, count: usize) -> Result<Model> {
        let mut classes: Vec<String> = self.text("label")?.split_whitespace().map(str::to_owned).collect();
        if classes.len() != count {
            return Err(bad(&format!("label has {} entries, expected {count}", classes.len())));
        }
        let decision = if count == 2 { Decision::OneVsRest } else { Decision::OneVsOne };
        if count == 2 {
            classes.reverse();
        }
        let model = model.with_task(Task::Classification { classes, decision })?;
        if !self.entries.contains_key("probA") {
            return Ok(model);
        }
        let negated = |name| self.numbers(name).map(|v| v.iter().map(|v| -v).collect::<Vec<f64>>());
        model.with_calibration(Some(Calibration::new(negated("probA")?, negated("probB")?)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::batch::{Method, Problem, Quiet, SupportVectorMachine, SvmForm};
    use crate::matrix::Rows;

    /// Two features on a lattice, and a class that depends on both.
    fn example(classes: usize) -> (Matrix, Vec<usize>) {
        let x: Vec<f64> = (0..90).flat_map(|i| [f64::from(i % 10), f64::from(i / 10)]).collect();
        let codes = x.chunks(2).map(|x| ((x[0] + 0.7 * x[1]) / 6.0) as usize % classes).collect();
        (Matrix::from_vec(x, 90, 2).unwrap(), codes)
    }

    #[test]
    fn a_file_there_and_back_gives_the_same_answers() {
        for classes in [2, 3] {
            let (x, codes) = example(classes);
            let problem = Problem::classification(x.view(), &codes, classes).unwrap();
            let machine = SupportVectorMachine::fixed(SvmForm::Classes, Kernel::gaussian(2.0)).cost(10.0);
            let machine = SupportVectorMachine { probabilities: true, ..machine };
            let model = machine.fit(&problem, &Quiet).unwrap().model;
            let again = Model::from_libsvm(&model.to_libsvm().unwrap()).unwrap();
            let (a, b) = (model.values(x.view()).unwrap(), again.values(x.view()).unwrap());
            assert!(a.data().iter().zip(b.data()).all(|(a, b)| (a - b).abs() < 1e-12));
            assert_eq!(model.classify(x.view()).unwrap(), again.classify(x.view()).unwrap());
            assert_eq!(model.classes(), again.classes());
            let (a, b) = (model.probabilities(x.view()).unwrap(), again.probabilities(x.view()).unwrap());
            assert!(a.data().iter().zip(b.data()).all(|(a, b)| (a - b).abs() < 1e-12));
        }
    }

    /// Written by LIBSVM 3.3 through scikit-learn's copy of its format.
    #[test]
    fn what_libsvm_writes_is_read() {
        let text = "svm_type c_svc\nkernel_type rbf\ngamma 0.5\nnr_class 2\ntotal_sv 2\nrho 0.25\nlabel 1 -1\n\
                    nr_sv 1 1\nSV\n1 1:1 3:2 \n-1 2:-1 \n";
        let model = Model::from_libsvm(text).unwrap();
        assert_eq!(model.classes(), ["-1", "1"]);
        assert_eq!(model.features(), 3);
        let value = model.values(Rows::one(&[1.0, 0.0, 2.0])).unwrap()[(0, 0)];
        assert!((value - (1.0 - (-3f64).exp() - 0.25)).abs() < 1e-12, "{value}");
        assert_eq!(model.predict_one(&[1.0, 0.0, 2.0]).unwrap(), [1.0]);
    }

    #[test]
    fn nonsense_is_an_error() {
        let good = "svm_type c_svc\nkernel_type rbf\ngamma 0.5\nnr_class 3\ntotal_sv 1\nrho 0 0 0\nlabel 1 2 3\n\
                    nr_sv 1 0 0\nSV\n1 1 1:1\n";
        assert!(Model::from_libsvm(good).is_ok());
        for (from, to) in [
            ("c_svc", "d_svc"),
            ("rbf", "precomputed"),
            ("nr_class 3", "nr_class 1"),
            ("nr_class 3", "nr_class 9999999999"),
            ("rho 0 0 0", "rho 0 0"),
            ("rho 0 0 0", "rho 0 0 nan"),
            ("label 1 2 3", "label 1 2"),
            ("nr_sv 1 0 0", "nr_sv 1 1 0"),
            ("1 1 1:1", "1 1 0:1"),
            ("1 1 1:1", "1 1 1:x"),
            ("1 1 1:1", "1"),
            ("\nSV", "\nVS"),
            ("gamma 0.5", "gamma 0"),
        ] {
            assert!(Model::from_libsvm(&good.replace(from, to)).is_err(), "{to}");
        }
    }
}
