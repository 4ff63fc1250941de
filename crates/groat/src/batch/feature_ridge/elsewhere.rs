//! Sums over rows that stand elsewhere: questions as bytes, answers as numbers that are added.
//!
//! ```text
//! here                                there, wherever there are rows
//! Elsewhere ── map, pass (bytes) ──►  RowSums::sum(pass, x, y)
//!           ◄── numbers, added up ──
//! ```
//!
//! The map is sent once in a fit and has `M^2 / 2` numbers, a pass some `M` for each output. The answers are as many numbers
//! as sums over all rows have: `M^2 / 2` for each part of the statistics, `M` for each output of a step of conjugate gradients.

use super::pass::{Data, Pass, statistics};
use super::source::{Division, InMemory};
use crate::batch::Quiet;
use crate::data::RemoteSums;
use crate::error::{Error, Result, check_len, check_positive};
use crate::features::{FeatureMap, FoldStatistics, Precision, Statistics};
use crate::matrix::{Points, Rows};
use crate::persist::{Container, Tensor};
use std::sync::OnceLock;

const KIND: &str = "pass";
const STATISTICS: &str = "statistics";
const MOMENTS: &str = "moments";
const COVARIANCE: &str = "covariance";
const LOSS: &str = "loss";
const CURVATURE: &str = "curvature";

/// The asking side.
pub(super) struct Elsewhere<'a> {
    sums: &'a dyn RemoteSums,
    /// The map of this fit as bytes, made once.
    map: OnceLock<Vec<u8>>,
}

/// What is asked for.
#[derive(Debug, PartialEq)]
struct Question {
    division: Division,
    wanted: Wanted,
}

#[derive(Debug, PartialEq)]
enum Wanted {
    Statistics { precision: Precision, discount: Option<f64> },
    Pass { pass: Pass, everything: bool },
}

impl<'a> Elsewhere<'a> {
    pub(super) fn new(sums: &'a dyn RemoteSums) -> Self {
        Self { sums, map: OnceLock::new() }
    }

    fn ask(&self, map: &FeatureMap, question: &Question, length: usize) -> Result<Vec<f64>> {
        let map = match self.map.get() {
            Some(map) => map,
            None => {
                let bytes = map.to_bytes()?;
                self.map.get_or_init(|| bytes)
            }
        };
        let answer = self.sums.sum(map, &question.to_bytes()?)?;
        check_len("numbers of a sum over rows", length, answer.len())?;
        Rows::one(&answer).check_finite("a sum over rows")?;
        Ok(answer)
    }

    pub(super) fn statistics(
        &self,
        map: &FeatureMap,
        division: &Division,
        outputs: usize,
        precision: Precision,
        discount: Option<f64>,
    ) -> Result<FoldStatistics> {
        let each = Statistics::line_length(map.size(), outputs);
        let question = Question { division: *division, wanted: Wanted::Statistics { precision, discount } };
        let line = self.ask(map, &question, each * division.parts())?;
        let parts = line.chunks_exact(each).map(|line| Statistics::from_line(line, map.size(), outputs));
        FoldStatistics::from_parts(parts.collect::<Result<_>>()?)
    }

    pub(super) fn pass(
        &self,
        map: &FeatureMap,
        division: &Division,
        pass: &Pass,
        everything: bool,
        length: usize,
    ) -> Result<Vec<f64>> {
        let wanted = Wanted::Pass { pass: pass.clone(), everything };
        self.ask(map, &Question { division: *division, wanted }, length)
    }
}

/// The answering side: sums over some of the rows, for whoever holds them.
///
/// A fit whose data are [remote](crate::data::Batches::remote) asks by bytes: `map` tells the features and is the same
/// throughout the fit, `pass` tells what is to be summed. The answers of all holders are added number by number. They depend
/// on which rows a holder has by the rounding of sums alone.
pub struct RowSums {
    map: FeatureMap,
}

impl RowSums {
    /// For a feature map as a fit sends it. Whatever the bytes are, the answer is a map or an error.
    pub fn from_bytes(map: &[u8]) -> Result<Self> {
        FeatureMap::from_bytes(map).map(|map| Self { map })
    }

    /// Number of features.
    pub fn size(&self) -> usize {
        self.map.size()
    }

    /// The sum over these rows, which are standardised as the sample of the fit is; `y` has one column per output, with
    /// classes as -1 and +1.
    pub fn sum(&self, pass: &[u8], x: Points<'_>, y: Rows<'_>) -> Result<Vec<f64>> {
        x.check_finite("the features")?;
        y.check_finite("the target")?;
        check_len("features per row", self.map.dimension(), x.cols())?;
        check_len("rows of the target", x.rows(), y.rows())?;
        let Question { division, wanted } = Question::from_bytes(pass)?;
        let (outputs, m) = (y.cols(), self.map.size());
        let y = y.to_matrix();
        let here = InMemory { x, y: &y, weights: None };
        let data = Data::new(&here, &self.map, division, &Quiet);
        match wanted {
            Wanted::Statistics { precision, discount } => {
                let folds = statistics(&data, outputs, precision, discount)?;
                Ok(folds.parts().iter().flat_map(Statistics::sums_in_line).collect())
            }
            Wanted::Pass { pass, everything } => {
                pass.check(m, outputs)?;
                data.sum(&pass, outputs, everything)
            }
        }
    }
}

impl Pass {
    /// An error unless its columns are those of so many features and outputs.
    fn check(&self, m: usize, q: usize) -> Result<()> {
        let (columns, constants) = match self {
            Pass::Moments => return Ok(()),
            Pass::Covariance { columns, levels } => (columns, levels),
            Pass::Loss { columns, constants } => (columns, constants),
            Pass::Curvature { columns, constants, shifts } => {
                check_len("shifts of a pass", q, shifts.len())?;
                check_len("columns of a pass", 2 * m * q, columns.len())?;
                return check_len("constants of a pass", q, constants.len());
            }
        };
        check_len("columns of a pass", m * q, columns.len())?;
        check_len("constants of a pass", q, constants.len())
    }
}

impl Question {
    fn to_bytes(&self) -> Result<Vec<u8>> {
        let mut file = Container::new(KIND);
        let (name, flag, vectors): (_, _, Vec<(&'static str, &[f64])>) = match &self.wanted {
            Wanted::Statistics { precision, discount } => {
                let discount = discount.iter().map(|ridge| ("discount", std::slice::from_ref(ridge)));
                (STATISTICS, *precision == Precision::Single, discount.collect())
            }
            Wanted::Pass { pass, everything } => {
                let (name, vectors) = match pass {
                    Pass::Moments => (MOMENTS, Vec::new()),
                    Pass::Covariance { columns, levels } => {
                        (COVARIANCE, vec![("columns", &columns[..]), ("constants", levels)])
                    }
                    Pass::Loss { columns, constants } => {
                        (LOSS, vec![("columns", &columns[..]), ("constants", constants)])
                    }
                    Pass::Curvature { columns, constants, shifts } => (
                        CURVATURE,
                        vec![("columns", &columns[..]), ("constants", constants), ("shifts", shifts)],
                    ),
                };
                (name, *everything, vectors)
            }
        };
        file.put_text("pass", name.to_owned());
        file.put_json("flag", &flag)?;
        file.put_json("division", &self.division)?;
        vectors.into_iter().for_each(|(name, v)| file.put(name, Tensor::vector(v)));
        file.to_bytes()
    }

    fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let mut file = Container::from_bytes(bytes)?;
        if file.kind() != KIND {
            return Err(Error::parse("a pass over rows", file.kind(), "the bytes hold something else"));
        }
        let name = file.text("pass")?;
        let (flag, division): (bool, Division) = (file.json("flag")?, file.json("division")?);
        division.check()?;
        let discount = file.take_optional("discount").map(|t| t.into_vector("discount")).transpose()?;
        let discount = discount.and_then(|ridge| ridge.first().copied());
        discount.map_or(Ok(()), |ridge| check_positive("ridge", ridge))?;
        let mut vector = |name| file.take(name)?.into_vector(name);
        let wanted = match name.as_str() {
            STATISTICS => {
                let precision = if flag { Precision::Single } else { Precision::Double };
                Wanted::Statistics { precision, discount }
            }
            name => Wanted::Pass {
                everything: flag,
                pass: match name {
                    MOMENTS => Pass::Moments,
                    COVARIANCE => {
                        Pass::Covariance { columns: vector("columns")?, levels: vector("constants")? }
                    }
                    LOSS => Pass::Loss { columns: vector("columns")?, constants: vector("constants")? },
                    CURVATURE => Pass::Curvature {
                        columns: vector("columns")?,
                        constants: vector("constants")?,
                        shifts: vector("shifts")?,
                    },
                    other => return Err(Error::parse("a pass over rows", other, "a pass of this release")),
                },
            },
        };
        file.nothing_left()?;
        Ok(Self { division, wanted })
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{cloud, fixed, values, worst};
    use super::*;
    use crate::batch::{FeatureLoss, FeatureRidge, FeatureSolver, Method, Problem};
    use crate::data::{Batches, Visit};
    use crate::matrix::Matrix;
    use std::sync::atomic::{AtomicUsize, Ordering};

    /// Rows in parts, each of which only makes sums.
    struct Parts<'a> {
        x: &'a Matrix,
        y: &'a Matrix,
        bounds: Vec<usize>,
        asked: AtomicUsize,
    }

    impl RemoteSums for Parts<'_> {
        fn sum(&self, map: &[u8], pass: &[u8]) -> Result<Vec<f64>> {
            self.asked.fetch_add(1, Ordering::Relaxed);
            let mut total = Vec::new();
            for part in self.bounds.windows(2) {
                let (x, y) = (self.x.view().slice(part[0], part[1]), self.y.view().slice(part[0], part[1]));
                let sum = RowSums::from_bytes(map)?.sum(pass, x.into(), y)?;
                total.resize(sum.len(), 0.0);
                total.iter_mut().zip(&sum).for_each(|(total, v)| *total += v);
            }
            Ok(total)
        }
    }

    impl Batches for Parts<'_> {
        fn read(&self, _: &mut Visit<'_>) -> Result<()> {
            panic!("the rows are not here")
        }

        fn rows(&self) -> Option<usize> {
            Some(self.x.rows())
        }

        fn remote(&self) -> Option<&dyn RemoteSums> {
            Some(self)
        }
    }

    fn bounds(n: usize, count: usize) -> Vec<usize> {
        (0..=count).map(|k| if k == count { n } else { (k * k * n) / (count * count) }).collect()
    }

    #[test]
    fn a_fit_to_rows_elsewhere_is_the_fit_to_rows_here() {
        let (x, y) = cloud(2500, 3);
        let targets = Matrix::column(y.clone());
        let codes: Vec<usize> = y.iter().map(|y| usize::from(*y > 0.2)).collect();
        let signs = Matrix::column(codes.iter().map(|code| 2.0 * *code as f64 - 1.0).collect());
        let new = cloud(200, 3).0;
        let methods = [
            FeatureRidge { tolerance: 1e-12, ..fixed(60, 1e-2) },
            FeatureRidge { tolerance: 1e-12, solver: FeatureSolver::Iterative, ..fixed(60, 1e-2) },
            // Everything is chosen, and the error estimated.
            FeatureRidge { tolerance: 1e-12, rank: 50, ..FeatureRidge::default() },
        ];
        for method in &methods {
            let here = values(method, &x, &y);
            for count in [1, 4, 9] {
                let parts =
                    Parts { x: &x, y: &targets, bounds: bounds(2500, count), asked: AtomicUsize::new(0) };
                let problem = Problem::regression(&x, &y).unwrap();
                let model = method.fit_batches(&parts, &problem, &Quiet).unwrap().model;
                let off = worst(&here, model.values(new.view()).unwrap().data());
                assert!(off < 1e-9, "{count} parts: {off:e}");
                assert!(parts.asked.load(Ordering::Relaxed) > 1);
            }
        }
        let method = FeatureRidge { loss: FeatureLoss::Logistic, ..fixed(60, 0.5) };
        let problem = Problem::classification(&x, &codes, 2).unwrap();
        let here = method.fit(&problem, &Quiet).unwrap().model.values(new.view()).unwrap();
        let parts = Parts { x: &x, y: &signs, bounds: bounds(2500, 5), asked: AtomicUsize::new(0) };
        let there = method.fit_batches(&parts, &problem, &Quiet).unwrap().model.values(new.view()).unwrap();
        assert!(worst(here.data(), there.data()) < 1e-9);
    }

    #[test]
    fn questions_arrive_as_they_were_asked_and_damaged_ones_are_refused() {
        let division = Division::new(true, Some(1000), 7).judged(10);
        let passes = [
            Wanted::Statistics { precision: Precision::Single, discount: None },
            Wanted::Statistics { precision: Precision::Double, discount: Some(0.25) },
            Wanted::Pass { pass: Pass::Moments, everything: true },
            Wanted::Pass {
                pass: Pass::Curvature { columns: vec![1.5; 8], constants: vec![2.0], shifts: vec![0.1] },
                everything: false,
            },
        ];
        for wanted in passes {
            let question = Question { division, wanted };
            let bytes = question.to_bytes().unwrap();
            assert_eq!(Question::from_bytes(&bytes).unwrap(), question);
            for cut in (0..bytes.len()).step_by(7) {
                assert!(Question::from_bytes(&bytes[..cut]).is_err());
                let mut damaged = bytes.clone();
                damaged[cut] ^= 1;
                assert!(Question::from_bytes(&damaged).is_err() || damaged == bytes, "{cut}");
            }
        }
        // Columns for other features than the map has.
        let x = cloud(40, 2).0;
        let map = super::super::basis::landmark_map(&crate::Kernel::gaussian(1.0), (&x).into()).unwrap();
        let sums = RowSums::from_bytes(&map.to_bytes().unwrap()).unwrap();
        let pass = Pass::Covariance { columns: vec![1.0; 3], levels: vec![0.0] };
        let question = Question { division, wanted: Wanted::Pass { pass, everything: true } };
        let y = Matrix::zeros(40, 1);
        assert!(sums.sum(&question.to_bytes().unwrap(), (&x).into(), y.view()).is_err());
        assert!(RowSums::from_bytes(b"nonsense").is_err());
    }
}
