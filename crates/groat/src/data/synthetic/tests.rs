//! The families against their definitions, and against series that other programs made.

use super::*;

fn mean_and_deviation(values: &[f64]) -> (f64, f64) {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    (mean, (values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / n).sqrt())
}

#[test]
fn every_generator_gives_finite_reproducible_tables() {
    for generator in generators() {
        let table = |seed| generator.generate(50, seed, &[]).unwrap();
        assert_eq!(table(3), table(3), "{}", generator.name);
        assert_eq!(table(3).rows(), 50);
        for name in table(3).names() {
            table(3).numbers(name).unwrap();
        }
        assert_eq!(find(generator.name).unwrap().name, generator.name);
        assert_eq!(generator.generate(1, 0, &[]).unwrap().rows(), 1);
        for setting in generator.settings {
            assert!(setting.range.0 <= setting.default && setting.default <= setting.range.1);
            generator.generate(3, 0, &[(setting.name, setting.range.0)]).unwrap();
        }
    }
    assert!(generators().is_sorted_by_key(|generator| generator.name));
}

#[test]
fn wrong_calls_are_errors() {
    assert!(find("nothing").unwrap_err().to_string().contains("mackey-glass"));
    let sinc = find("sinc").unwrap();
    assert!(sinc.generate(0, 0, &[]).is_err());
    assert!(sinc.generate(5, 0, &[("depth", 1.0)]).unwrap_err().to_string().contains("sinc knows reach"));
    assert!(sinc.generate(5, 0, &[("noise", -1.0)]).is_err());
    assert!(sinc.generate(5, 0, &[("noise", f64::NAN)]).is_err());
}

#[test]
fn realisations_differ() {
    let first = |seed, number| normal(&mut realisation(seed, number));
    let mut seen: Vec<u64> = (0..10).flat_map(|s| (0..10).map(move |r| first(s, r).to_bits())).collect();
    seen.sort_unstable();
    seen.dedup();
    assert_eq!(seen.len(), 100);
}

#[test]
fn sinc_is_even_and_one_at_zero() {
    assert_eq!([sinc(0.0), sinc(0.5)], [1.0, 2.0 / std::f64::consts::PI]);
    let (x, y) = Sinc { equispaced: true, ..Sinc::default() }.samples(601, &mut realisation(0, 0));
    assert_eq!((x[0], x[300], x[600]), (-3.0, 0.0, 3.0));
    assert!(y.iter().zip(y.iter().rev()).all(|(a, b)| (a - b).abs() < 1e-15));
}

#[test]
fn euler_mackey_glass_has_the_known_moments() {
    // Delay 30, step 0.1, a sample every 6, 1000 time units dropped: mean 0.896, deviation 0.280.
    let family = MackeyGlass { step: 0.1, dropped: 167, integrator: Integrator::Euler, ..Default::default() };
    let (mean, deviation) = mean_and_deviation(&family.series(20_000));
    assert!((mean - 0.896).abs() < 0.01 && (deviation - 0.280).abs() < 0.01, "{mean} {deviation}");
}

#[test]
fn the_equaliser_keeps_its_equations() {
    let family = Equaliser { noise: 0.0, ..Default::default() };
    let (x, y) = family.samples(200, &mut realisation(1, 0));
    // With two bits at hand there are four noiseless values.
    assert!(
        x.iter().flatten().all(|r| [-0.525, -0.725, 0.275, -3.525].iter().any(|v| (r - v).abs() < 1e-12))
    );
    assert!(y.iter().all(|bit| bit.abs() == 1.0));
    assert_eq!(x[0][0], x[1][1]);
}

#[test]
fn the_second_pothin_series_stays_bounded_and_settles() {
    let (_, y) = PothinSecond::default().samples(5000, &mut realisation(5, 0));
    let (mean, _) = mean_and_deviation(&y[100..]);
    assert!(y.iter().all(|v| v.abs() < 1e3) && (mean - 0.12).abs() < 0.05, "{mean}");
}

#[test]
fn densities_integrate_to_one_and_match_the_draws() {
    let step = 1e-3;
    let grid = |i: usize| -40.0 + step * i as f64;
    let integral = |f: &dyn Fn(f64) -> f64| (0..80_000).map(|i| step * f(grid(i))).sum::<f64>();
    assert!((integral(&|x| GaussianLaplacian.density(x)) - 1.0).abs() < 1e-6);
    let mean = integral(&|x| x * GaussianLaplacian.density(x));
    let draws = GaussianLaplacian.samples(100_000, &mut realisation(2, 0));
    let (drawn, deviation) = mean_and_deviation(&draws);
    assert!((drawn - mean).abs() < 5.0 * deviation / 100_000_f64.sqrt());
    // Importance sampling: the mean of 1 / density over draws inside a box is the volume of the box.
    let inside = |x: &&[f64; 6]| x.iter().all(|v| v.abs() < 1.0);
    let draws = GaussianMixture.samples(200_000, &mut realisation(3, 0));
    let volume =
        draws.iter().filter(inside).map(|x| 1.0 / GaussianMixture.density(x)).sum::<f64>() / 200_000.0;
    assert!((volume / 64.0 - 1.0).abs() < 0.1, "{volume}");
}

#[test]
fn the_arm_is_straight_at_zero_and_keeps_its_length() {
    let arm = RobotArm::default();
    assert_eq!(arm.tip(&[0.0; 8]), [1.0, 0.0, 0.0]);
    for angles in arm.samples(100, &mut realisation(4, 0)).0 {
        assert!(arm.tip(&angles).iter().map(|v| v * v).sum::<f64>() <= 1.0 + 1e-12);
    }
    let mut turned = [0.0; 8];
    turned[0] = std::f64::consts::FRAC_PI_2;
    assert!((arm.tip(&turned)[1] - 1.0).abs() < 1e-15);
}

#[test]
fn green_and_red_keep_their_centres() {
    let classes = GreenRed::draw(&mut realisation(9, 0));
    let (x, y) = classes.samples(4000, &mut realisation(1, 0));
    let wrong =
        x.iter().zip(&y).filter(|(x, y)| (classes.red_probability(&[x[0], x[1]]) > 0.5) != (**y > 0.0));
    let rate = wrong.count() as f64 / 4000.0;
    assert!(rate > 0.05 && rate < 0.4, "Bayes error {rate}");
    assert!(GreenRed::new(Vec::new(), vec![[0.0; 2]]).is_err());
}

/// Series that other programs made, where they are at hand.
#[cfg(feature = "files")]
mod against_others {
    use super::*;
    use crate::data::{Embedding, InputOptions, Inputs, ReadOptions, read_table};
    use crate::matrix::Matrix;

    fn lagged(series: Vec<f64>, lags: usize) -> (Matrix, Vec<f64>) {
        let table = numeric_table([("y", series.clone())]).unwrap();
        let embedding = Some(Embedding::new(lags));
        let options = InputOptions { targets: vec!["y".into()], embedding, ..Default::default() };
        let x = Inputs::fit(&table, &options).unwrap().matrix(&table).unwrap();
        (x, series[lags..].to_vec())
    }

    /// The largest difference in the first 500 rows to a file with columns x1, ..., y. Both series are
    /// chaotic: further on, a power function that rounds differently would part them.
    fn compare(name: &str, series: impl Fn(usize) -> Vec<f64>, lags: usize) -> Option<f64> {
        let path = crate::testing::shared(&format!("reference/kafbox/{name}.csv"))?;
        let expected = read_table(path, &ReadOptions::default()).unwrap();
        let (x, y) = lagged(series(expected.rows() + lags), lags);
        let columns = (1..=lags).map(|j| (format!("x{j}"), x.column_to_vec(j - 1)));
        let columns = columns.chain([("y".to_owned(), y)]);
        let differences = columns.flat_map(|(name, ours)| {
            let theirs = expected.numbers(&name).unwrap();
            ours.into_iter().zip(theirs).take(500).map(|(a, b)| (a - b).abs()).collect::<Vec<_>>()
        });
        Some(differences.fold(0.0, f64::max))
    }

    #[test]
    fn mackey_glass_by_runge_kutta() {
        let Some(worst) = compare("mg30", |n| MackeyGlass::default().series(n), 7) else { return };
        assert!(worst < 1e-9, "{worst:e}");
    }

    #[test]
    fn the_first_pothin_series() {
        let Some(worst) = compare("pothin_richard", |n| PothinFirst::default().series(n), 2) else { return };
        assert!(worst < 1e-9, "{worst:e}");
    }
}
