use super::*;

fn cloud(n: usize, d: usize, seed: u64) -> Vec<f64> {
    let mut rng = Pcg64::seed_from_u64(seed);
    (0..n * d).map(|_| rng.random::<f64>()).collect()
}

/// `A` and `S` from the matrices themselves.
fn direct(kernel: &Kernel, base: &Kernel, x: Rows<'_>) -> (f64, f64) {
    let (kc, k) = (kernel.gram(x).unwrap(), base.gram(x).unwrap());
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let alignment = dot(k.data(), kc.data()) / (dot(k.data(), k.data()) * dot(kc.data(), kc.data())).sqrt();
    let zeros = kc.data().iter().filter(|v| **v == 0.0).count();
    (alignment, zeros as f64 / kc.data().len() as f64)
}

#[test]
fn prefix_sums_equal_the_matrices() {
    let data = cloud(60, 2, 1);
    let x = Rows::new(&data, 2).unwrap();
    for power in [1, 3, 6] {
        let base = Kernel::gaussian(0.3);
        let tuning = SupportTuning::for_kernel(&Kernel::compact(base.clone(), 1.0, power), x, 0).unwrap();
        let mut before = 0.0;
        for support in [0.01, 0.1, 0.33, 0.9, 1.5, 20.0] {
            let (alignment, sparsity) = direct(&tuning.kernel_with(support), &base, x);
            let point = tuning.at(support);
            assert!((point.alignment - alignment).abs() < 1e-11, "{power} {support}");
            assert!((point.sparsity - sparsity).abs() < 1e-12);
            assert!(point.alignment >= before, "alignment grows with the support");
            before = point.alignment;
        }
    }
}

#[test]
fn rules_hold_what_they_promise() {
    let data = cloud(200, 3, 2);
    let x = Rows::new(&data, 3).unwrap();
    let tuning = SupportTuning::for_kernel(&Kernel::gaussian(0.4), x, 0).unwrap();
    for mu in [0.5, 0.9, 0.99] {
        let choice = tuning.choose(SupportRule::Alignment(mu)).unwrap();
        assert!(choice.alignment >= mu && tuning.at(0.999 * choice.support).alignment < mu);
        assert_eq!(choice.error, None);
    }
    for tau in [0.5, 0.9, 0.98] {
        let choice = tuning.choose(SupportRule::Sparsity(tau)).unwrap();
        assert!(choice.sparsity >= tau && tuning.at(1.001 * choice.support).sparsity < tau);
    }
    let best = tuning.choose(SupportRule::Combined(0.5)).unwrap();
    let score = |p: CurvePoint| p.alignment + 0.5 * p.sparsity;
    let top = score(tuning.at(best.support));
    assert!(tuning.curve(500).into_iter().filter(|p| p.sparsity > 0.0).all(|p| score(p) <= top + 1e-12));
    let auto = tuning.choose(SupportRule::Auto(u64::MAX)).unwrap();
    assert_eq!(auto, tuning.choose(SupportRule::Alignment(0.95)).unwrap());
    assert!(tuning.choose(SupportRule::Auto(50_000)).unwrap().support < auto.support);
    assert_eq!(tuning.choose(SupportRule::Given(0.3)).unwrap().support, 0.3);
    let whole = tuning.choose(SupportRule::Memory(1 << 30)).unwrap();
    assert!(whole.sparsity == 0.0 && whole.alignment > auto.alignment, "{whole:?}");
    let bytes = 100_000;
    let choice = tuning.choose(SupportRule::Memory(bytes)).unwrap();
    let gram = SparseGram::assemble(&tuning.kernel_with(choice.support), x, bytes).unwrap();
    assert!(gram.memory() <= bytes && gram.memory() > bytes - 100);
}

#[test]
fn samples_come_near_the_whole_and_know_their_error() {
    let data = cloud(4000, 2, 3);
    let x = Rows::new(&data, 2).unwrap();
    let tuning = SupportTuning::for_kernel(&Kernel::gaussian(0.2), x, 5).unwrap();
    assert!(!tuning.is_exact());
    for tau in [0.9, 0.99, 0.9995] {
        let choice = tuning.choose(SupportRule::Sparsity(tau)).unwrap();
        let gram = SparseGram::assemble(&tuning.kernel_with(choice.support), x, u64::MAX).unwrap();
        let reached = (1.0 - gram.sparsity()) / (1.0 - tau);
        assert!((reached - 1.0).abs() < 0.03, "{tau}: {reached}");
        assert!(choice.error.unwrap() < 0.02 * choice.support, "{choice}");
    }
    let choice = tuning.choose(SupportRule::Alignment(0.9)).unwrap();
    let (alignment, _) = direct(&tuning.kernel_with(choice.support), &Kernel::gaussian(0.2), x);
    assert!((alignment - 0.9).abs() < 3e-3, "{alignment}");
}

#[test]
fn odd_data_and_rules_are_answered() {
    let same = [1.0; 10];
    assert!(SupportTuning::for_kernel(&Kernel::gaussian(1.0), Rows::new(&same, 1).unwrap(), 0).is_err());
    assert!(SupportTuning::for_kernel(&Kernel::Linear, Rows::new(&same, 1).unwrap(), 0).is_err());
    let lattice: Vec<f64> = (0..20).map(|i| f64::from(i % 3)).collect();
    let x = Rows::new(&lattice, 1).unwrap();
    let tuning = SupportTuning::for_kernel(&Kernel::gaussian(1.0), x, 0).unwrap();
    assert!(tuning.choose(SupportRule::Combined(0.5)).unwrap().support > 0.0);
    for rule in ["sparsity=0", "sparsity=1", "alignment=1", "combined=-1", "memory=x", "best", "best=1"] {
        assert!(rule.parse::<SupportRule>().is_err(), "{rule}");
    }
    assert!(tuning.choose(SupportRule::Sparsity(0.99)).is_err());
    let half = Kernel::compact(Kernel::gaussian(1.0), 1.0, 1.5);
    assert!(SupportTuning::for_kernel(&half, x, 0).is_err());
    assert_eq!("alignment=0.95".parse::<SupportRule>().unwrap(), SupportRule::Alignment(0.95));
}
