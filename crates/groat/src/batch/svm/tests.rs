use super::*;
use crate::batch::Quiet;
use crate::matrix::Matrix;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

/// Points in a box, a noisy class and a noisy number for each.
pub(super) fn cloud(n: usize, d: usize, seed: u64) -> (Matrix, Vec<usize>, Vec<f64>) {
    let mut rng = Pcg64::seed_from_u64(seed);
    let x = Matrix::from_vec((0..n * d).map(|_| rng.random::<f64>() * 3.0).collect(), n, d).unwrap();
    let y: Vec<f64> =
        x.view().iter().map(|r| (2.0 * r[0]).sin() + 0.3 * (rng.random::<f64>() - 0.5)).collect();
    let codes = y.iter().map(|y| usize::from(*y + 0.4 * (rng.random::<f64>() - 0.5) > 0.2)).collect();
    (x, codes, y)
}

#[test]
fn blocks_and_one_block_give_the_same_solution() {
    let (x, codes, _) = cloud(1500, 2, 3);
    let problem = Problem::classification(x.view(), &codes, 2).unwrap();
    let machine = SupportVectorMachine::fixed(SvmForm::Classes, Kernel::gaussian(0.5)).tolerance(1e-6);
    let objective = |memory: u64| {
        let machine = SupportVectorMachine { memory: memory.into(), ..machine.clone() };
        let fitted = machine.fit(&problem, &Quiet).unwrap();
        let record = &fitted.model.record().settings;
        (record["objective"].parse::<f64>().unwrap(), record["violation"].parse::<f64>().unwrap())
    };
    // All rows, 64 rows, and eight rows of the kernel matrix.
    let (whole, violation) = objective(1 << 30);
    assert!(violation <= 1e-6);
    for memory in [64 * 1500 * 4, 8 * 1500 * 4] {
        let (objective, _) = objective(memory);
        assert!((objective - whole).abs() < 1e-6 * whole.abs(), "{objective} against {whole}");
    }
}
