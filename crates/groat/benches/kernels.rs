//! Kernel matrices, weighted sums and single rows. `cargo bench -p groat --bench kernels`.
//!
//! Ratios to other programs are measured by the scripts in `comparisons/`.

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use groat::kernels::Centres;
use groat::{Kernel, Matrix};
use std::hint::black_box;

fn points(n: usize, d: usize) -> Matrix {
    let data = (0..n * d).map(|i| ((i * i + 7 * i) as f64 * 0.618).fract() * 2.0 - 1.0).collect();
    Matrix::from_vec(data, n, d).expect("sizes agree")
}

fn matrices(c: &mut Criterion) {
    let mut group = c.benchmark_group("gaussian");
    group.sample_size(10);
    for d in [8, 64] {
        let x = points(5000, d);
        group.throughput(Throughput::Elements(25_000_000));
        group.bench_function(BenchmarkId::new("gram 5000", d), |b| {
            b.iter(|| black_box(Kernel::gaussian(1.0).gram(x.view())));
        });
        group.bench_function(BenchmarkId::new("cross 5000 x 5000", d), |b| {
            b.iter(|| black_box(Kernel::gaussian(1.0).cross(x.view(), x.view())));
        });
        let (x, w) = (points(10_000, d), points(10_000, 1));
        group.throughput(Throughput::Elements(100_000_000));
        group.bench_function(BenchmarkId::new("weighted sum 10000 x 10000", d), |b| {
            b.iter(|| black_box(Kernel::gaussian(1.0).weighted_sum(x.view(), x.view(), w.view())));
        });
        group.bench_function(BenchmarkId::new("cross 10000 x 10000", d), |b| {
            b.iter(|| black_box(Kernel::gaussian(1.0).cross(x.view(), x.view())));
        });
    }
    group.finish();
}

fn rows(c: &mut Criterion) {
    let mut group = c.benchmark_group("one row");
    for m in [100, 500] {
        let centres = Centres::from_rows(points(m, 7).view());
        let x = points(1, 7);
        let mut out = vec![0.0; m];
        for kernel in ["gaussian:width=0.6", "matern52:width=0.6", "polynomial:degree=3"] {
            let evaluator = kernel.parse::<Kernel>().expect("a kernel").evaluator();
            group.bench_function(BenchmarkId::new(kernel, m), |b| {
                b.iter(|| evaluator.row(black_box(x.row(0)), &centres, &mut out));
            });
        }
    }
    group.finish();
}

criterion_group!(benches, matrices, rows);
criterion_main!(benches);
