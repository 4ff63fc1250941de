use super::*;
use crate::batch::Quiet;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

fn clusters(n: usize, seed: u64) -> Matrix {
    let mut rng = Pcg64::seed_from_u64(seed);
    let centres = [[-0.5, -0.2], [0.0, 0.6], [0.5, 0.0]];
    let mut normal = || (0..12).map(|_| rng.random::<f64>()).sum::<f64>() - 6.0;
    let data = (0..n).flat_map(|i| centres[i % 3].map(|c| c + 0.1 * normal())).collect();
    Matrix::from_vec(data, n, 2).unwrap()
}

/// Components from the textbook: centred matrices for old and new points, written out.
fn textbook(
    kernel: &Kernel,
    x: Rows<'_>,
    new: Rows<'_>,
    centre: bool,
    components: usize,
) -> (Vec<f64>, Matrix) {
    let n = x.rows();
    let mut k = kernel.gram(x).unwrap().into_data();
    let mut cross = kernel.cross(new, x).unwrap();
    if centre {
        let means: Vec<f64> = k.chunks(n).map(|r| r.iter().sum::<f64>() / n as f64).collect();
        let total = means.iter().sum::<f64>() / n as f64;
        for i in 0..new.rows() {
            let own = cross.row(i).iter().sum::<f64>() / n as f64;
            cross.row_mut(i).iter_mut().zip(&means).for_each(|(v, m)| *v += total - m - own);
        }
        for (i, row) in k.chunks_mut(n).enumerate() {
            row.iter_mut().zip(&means).for_each(|(v, m)| *v += total - m - means[i]);
        }
    }
    let all = eigh(&k, n).unwrap();
    let mut out = Matrix::zeros(new.rows(), components);
    for j in 0..components {
        let (value, u) = (all.values[n - 1 - j], all.vector(n - 1 - j));
        for i in 0..new.rows() {
            let dot: f64 = cross.row(i).iter().zip(u).map(|(k, u)| k * u).sum();
            out[(i, j)] = sign(u) * dot / value.sqrt();
        }
    }
    (all.values.iter().rev().take(components).copied().collect(), out)
}

#[test]
fn all_ways_lead_to_the_textbook_components() {
    let new = clusters(40, 99);
    for (n, kernel) in [
        (90, "gaussian:width=0.35"),
        (90, "gaussian:width=0.35,support=0.7"),
        (620, "gaussian:width=0.35"),
        (620, "gaussian:width=0.35,support=0.25"),
    ] {
        let x = clusters(n, 5);
        let kernel: Kernel = kernel.parse().unwrap();
        for centre in [true, false] {
            let pca = KernelPca { kernel: kernel.clone(), components: 4, centre, ..Default::default() };
            let fitted = pca.fit(x.view(), &Quiet).unwrap();
            let (values, want) = textbook(&kernel, x.view(), new.view(), centre, 4);
            let got = fitted.transform(new.view()).unwrap();
            for (a, b) in fitted.eigenvalues().iter().zip(&values) {
                assert!((a - b).abs() < 1e-9 * values[0], "{kernel} {n} {centre}");
            }
            for (a, b) in got.data().iter().zip(want.data()) {
                assert!((a - b).abs() < 1e-8, "{kernel} {n} {centre}: {a} {b} {:?}", fitted.notes());
            }
            assert!(fitted.explained().iter().sum::<f64>() <= 1.0 + 1e-12);
        }
    }
}

#[test]
fn the_mean_of_centred_components_is_zero() {
    let x = clusters(150, 1);
    let pca = KernelPca { kernel: Kernel::gaussian(0.4), components: 3, ..Default::default() };
    let scores = pca.fit(x.view(), &Quiet).unwrap().transform(x.view()).unwrap();
    for j in 0..3 {
        assert!((0..150).map(|i| scores[(i, j)]).sum::<f64>().abs() < 1e-10);
    }
}

#[test]
fn pre_images_come_back_near_their_points() {
    let x = clusters(120, 3);
    for kernel in ["gaussian:width=0.35", "gaussian:width=0.35,support=0.9", "matern52:width=0.5"] {
        let kernel: Kernel = kernel.parse().unwrap();
        let pca = KernelPca { kernel, components: 12, ..Default::default() };
        let fitted = pca.fit(x.view(), &Quiet).unwrap();
        let new = clusters(30, 77);
        let back = fitted.pre_images(fitted.transform(new.view()).unwrap().view()).unwrap();
        let error = |a: &[f64], b: &[f64]| ((a[0] - b[0]).powi(2) + (a[1] - b[1]).powi(2)).sqrt();
        let mean = (0..30).map(|i| error(new.row(i), back.row(i))).sum::<f64>() / 30.0;
        // The clusters have a spread of 0.1 and a distance of about 0.8.
        assert!(mean < 0.06, "{}: {mean}", pca.kernel);
    }
}

#[test]
fn odd_input_is_answered() {
    let same = [1.0; 8];
    let pca = KernelPca::default();
    assert!(pca.fit(Rows::new(&same, 1).unwrap(), &Quiet).is_err());
    assert!(pca.fit(Rows::new(&same[..1], 1).unwrap(), &Quiet).is_err());
    let x = clusters(20, 1);
    assert!(KernelPca { components: 0, ..pca.clone() }.fit(x.view(), &Quiet).is_err());
    assert!(KernelPca { components: 21, ..pca.clone() }.fit(x.view(), &Quiet).is_err());
    // A linear kernel has as many components as features.
    let all =
        KernelPca { kernel: Kernel::Linear, components: 10, ..pca.clone() }.fit(x.view(), &Quiet).unwrap();
    assert_eq!(all.eigenvalues().len(), 2);
    assert!(all.pre_images(Rows::new(&[0.0, 0.0], 2).unwrap()).is_err());
    assert!(matches!(
        KernelPca { memory: 10.into(), ..pca }.fit(x.view(), &Quiet),
        Err(Error::Memory { .. })
    ));
}

#[test]
fn all_rows_as_landmarks_give_the_exact_components_and_few_come_near() {
    let number = |i: usize| (i as f64 * 12.9898).sin() * 2.0;
    let x = Matrix::from_vec((0..900).map(number).collect(), 300, 3).unwrap();
    for centre in [true, false] {
        let pca = KernelPca { kernel: Kernel::gaussian(1.0), components: 4, centre, ..Default::default() };
        let exact = pca.fit(x.view(), &Quiet).unwrap();
        let want = exact.transform(x.view()).unwrap();
        for (rank, tolerance) in [(300, 1e-6), (120, 0.02)] {
            let found = KernelPca { rank: Some(rank), ..pca.clone() }.fit(x.view(), &Quiet).unwrap();
            for (a, b) in exact.eigenvalues().iter().zip(found.eigenvalues()) {
                assert!((a - b).abs() < tolerance * a, "{rank}: {a} {b}");
                assert!(*b < a * (1.0 + 1e-9), "a projection holds no more than there is");
            }
            assert!((exact.explained()[0] - found.explained()[0]).abs() < tolerance);
            let scores = found.transform(x.view()).unwrap();
            let off = |i: usize| (want[(i, 0)].abs() - scores[(i, 0)].abs()).abs();
            assert!((0..300).all(|i| off(i) < 3.0 * tolerance.max(1e-6)), "{rank}");
        }
    }
}

#[test]
fn components_of_random_features_come_near_and_are_kept() {
    let x = clusters(400, 8);
    for centre in [true, false] {
        let pca = KernelPca { kernel: Kernel::gaussian(0.5), components: 3, centre, ..Default::default() };
        let exact = pca.fit(x.view(), &Quiet).unwrap();
        for paired in [true, false] {
            let basis = Basis::Random { orthogonal: true, paired };
            let random = KernelPca { rank: Some(4000), basis, ..pca.clone() };
            let found = random.fit(x.view(), &Quiet).unwrap();
            for (a, b) in exact.explained().iter().zip(found.explained()) {
                assert!((a - b).abs() < 0.03, "{centre} {paired}: {a} {b}");
            }
            // What they are by definition: the eigenvalues are the energies of the coordinates.
            let scores = found.transform(x.view()).unwrap();
            for (j, value) in found.eigenvalues().iter().enumerate() {
                let energy: f64 = (0..400).map(|i| scores[(i, j)].powi(2)).sum();
                assert!((energy / value - 1.0).abs() < 1e-8, "{energy} {value}");
            }
            assert!(found.pre_images(scores.view()).is_err());
            let model = found.clone().into_model();
            let again = Model::from_bytes(&model.to_bytes().unwrap()).unwrap();
            assert_eq!(again, model);
            assert_eq!(again.values(x.view()).unwrap(), scores);
            assert_eq!(PrincipalComponents::from_model(&again).unwrap().eigenvalues(), found.eigenvalues());
        }
    }
}

#[test]
fn rows_in_batches_give_the_components_of_rows_in_memory() {
    struct Pieces<'a>(Rows<'a>);
    impl crate::data::Batches for Pieces<'_> {
        fn read(&self, visit: &mut crate::data::Visit<'_>) -> Result<()> {
            for start in (0..self.0.rows()).step_by(70) {
                let end = (start + 70).min(self.0.rows());
                visit(self.0.slice(start, end).into(), Matrix::zeros(end - start, 0).view())?;
            }
            Ok(())
        }
    }
    let x = clusters(500, 4);
    for basis in [Basis::default(), Basis::Random { orthogonal: true, paired: true }] {
        let kernel = Kernel::gaussian(0.4);
        let pca = KernelPca { kernel, components: 3, rank: Some(60), basis, ..Default::default() };
        let held = pca.fit(x.view(), &Quiet).unwrap();
        let read = pca.fit_batches(&Pieces(x.view()), x.view().into(), &Quiet).unwrap();
        for (a, b) in held.eigenvalues().iter().zip(read.eigenvalues()) {
            assert!((a - b).abs() < 1e-10 * a);
        }
        let (a, b) = (held.transform(x.view()).unwrap(), read.transform(x.view()).unwrap());
        assert!(a.data().iter().zip(b.data()).all(|(a, b)| (a - b).abs() < 1e-8));
        let exact = KernelPca { rank: None, ..pca };
        assert!(exact.fit_batches(&Pieces(x.view()), x.view().into(), &Quiet).is_err());
    }
}
