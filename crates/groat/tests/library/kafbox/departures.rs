//! Where the toolbox departs from its paper: slow versions of what it computes instead, which reproduce the
//! recorded numbers. So the named difference is the whole difference.

use super::{Run, numbers, runs};
use groat::Kernel;

fn number(run: &Run, name: &str) -> f64 {
    run.parameter(name).unwrap().parse().unwrap()
}

/// Vectors, weights, and whatever else a vector has.
#[derive(Default)]
struct Terms {
    x: Vec<Vec<f64>>,
    alpha: Vec<f64>,
    significance: Vec<f64>,
    influence: Vec<f64>,
}

impl Terms {
    fn row(&self, kernel: &Kernel, x: &[f64]) -> Vec<f64> {
        self.x.iter().map(|v| kernel.eval(v, x)).collect()
    }

    fn output(&self, kernel: &Kernel, x: &[f64]) -> f64 {
        self.row(kernel, x).iter().zip(&self.alpha).map(|(k, a)| k * a).sum()
    }

    fn push(&mut self, x: &[f64], weight: f64) {
        self.x.push(x.to_vec());
        self.alpha.push(weight);
        self.significance.push(0.0);
        self.influence.push(0.0);
    }

    fn remove(&mut self, i: usize) {
        self.x.remove(i);
        self.alpha.remove(i);
        self.significance.remove(i);
        self.influence.remove(i);
    }
}

/// Runs a slow version over the recorded streams and compares.
fn reproduce(class: &str, version: impl Fn(&Run) -> Box<dyn FnMut(&[f64], f64) -> (f64, usize)>) {
    let Some(dir) = groat::testing::shared("reference/kafbox") else { return };
    for run in runs(&dir).iter().filter(|run| run.class == class) {
        let expected = numbers(&dir.join(format!("{}__{}.csv", run.stream, run.tag)));
        let mut slow = version(run);
        for (sample, expected) in numbers(&dir.join(format!("{}.csv", run.stream))).iter().zip(expected) {
            let (x, y) = (&sample[1..sample.len() - 1], sample[sample.len() - 1]);
            let (output, size) = slow(x, y);
            let what = format!("{} {}, step {}", run.stream, run.tag, expected[0]);
            assert!((output - expected[1]).abs() <= run.tolerance, "{what}: {output} and {}", expected[1]);
            assert_eq!(size, expected[2] as usize, "{what}");
        }
    }
}

/// `|alpha + eps|` for `|alpha| + eps` in the adaptive threshold.
#[test]
fn adaptive_thresholds_of_the_toolbox() {
    reproduce("klms_csal1", |run| {
        let [eta, mu0, lambda, eps] = ["eta", "mu0", "lambda", "eps_alpha"].map(|name| number(run, name));
        let kernel = run.kernel();
        let mut terms = Terms::default();
        Box::new(move |x, y| {
            let output = terms.output(&kernel, x);
            let mut weights: Vec<f64> = terms.alpha.iter().map(|a| 1.0 / (a + eps).abs()).collect();
            if terms.x.is_empty() {
                terms.push(x, y);
                weights.push(1.0 / (y + eps).abs());
            } else if terms.row(&kernel, x).iter().all(|k| *k <= mu0) {
                terms.push(x, 0.0);
                weights.push(1.0);
            }
            let error = y - terms.output(&kernel, x);
            for (i, k) in terms.row(&kernel, x).iter().enumerate() {
                let moved = terms.alpha[i] + eta * error * k;
                terms.alpha[i] = moved.signum() * (moved.abs() - lambda * weights[i]).max(0.0);
            }
            while let Some(i) = terms.alpha.iter().position(|a| *a == 0.0) {
                terms.remove(i);
            }
            (output, terms.x.len())
        })
    });
}

/// `psi f_p + psi f` for `psi f_p - psi f` in the gradient of the gate.
#[test]
fn mixture_gate_of_the_toolbox() {
    reproduce("mxklms", |run| {
        let (eta, rate) = (number(run, "eta"), number(run, "mu"));
        let widths = run.parameter("kernelpars").unwrap();
        let kernels: Vec<Kernel> =
            widths.split(' ').map(|width| Kernel::gaussian(width.parse::<f64>().unwrap())).collect();
        let mut layers: Vec<Terms> = kernels.iter().map(|_| Terms::default()).collect();
        let mut gate = vec![1.0 / kernels.len() as f64; kernels.len()];
        let softmax = |v: &[f64]| -> Vec<f64> {
            let sum: f64 = v.iter().map(|v| v.exp()).sum();
            v.iter().map(|v| v.exp() / sum).collect()
        };
        Box::new(move |x, y| {
            let outputs: Vec<f64> =
                layers.iter().zip(&kernels).map(|(layer, k)| layer.output(k, x)).collect();
            let shares = softmax(&gate);
            let output: f64 = shares.iter().zip(&outputs).map(|(psi, f)| psi * f).sum();
            for (p, v) in gate.iter_mut().enumerate() {
                *v += 2.0 * rate * (y - output) * shares[p] * (outputs[p] + output);
            }
            for (layer, psi) in layers.iter_mut().zip(softmax(&gate)) {
                layer.push(x, eta * psi * (y - output));
            }
            (output, layers[0].x.len())
        })
    });
}

/// Significance: a vector that enters adds its own weight to all, where each should add its own; it starts
/// without the density around it; only merges and removals carry the constant of the integral, which is
/// that of two features; and a merge counts the weight's change twice.
#[test]
fn significance_of_the_toolbox() {
    reproduce("qklms_fb", |run| {
        let [eta, epsu, beta, budget] = ["eta", "epsu", "beta", "M"].map(|name| number(run, name));
        let constant = std::f64::consts::PI * number(run, "kernelpar").powi(2) / 2.0;
        let kernel = run.kernel();
        let mut terms = Terms::default();
        Box::new(move |x, y| {
            let output = terms.output(&kernel, x);
            let error = y - output;
            let square = |v: &[f64]| -> f64 { v.iter().zip(x).map(|(a, b)| (a - b) * (a - b)).sum() };
            let near = (0..terms.x.len())
                .min_by(|i, j| square(&terms.x[*i]).total_cmp(&square(&terms.x[*j])))
                .filter(|i| square(&terms.x[*i]) <= epsu * epsu);
            if let Some(j) = near {
                let k = terms.row(&kernel, &terms.x[j]);
                terms.alpha[j] += eta * error;
                for i in 0..k.len() {
                    let twice = if i == j { eta * error } else { 0.0 };
                    let (alpha, kept) = (terms.alpha[i] + twice, (1.0 + twice / terms.alpha[i]).abs());
                    terms.significance[i] =
                        kept * beta * terms.significance[i] + constant * alpha.abs() * k[i];
                    terms.influence[i] *= beta;
                }
                terms.influence[j] += 1.0;
                return (output, k.len());
            }
            if terms.x.len() as f64 >= budget {
                let least = (0..terms.x.len())
                    .min_by(|i, j| terms.significance[*i].total_cmp(&terms.significance[*j]))
                    .unwrap();
                let k = terms.row(&kernel, &terms.x[least]);
                for i in 0..k.len() {
                    terms.significance[i] -= terms.influence[least] * constant * terms.alpha[i].abs() * k[i];
                }
                terms.remove(least);
            }
            let weight = eta * (y - terms.output(&kernel, x));
            terms.push(x, weight);
            for (i, k) in terms.row(&kernel, x).iter().enumerate() {
                terms.significance[i] = beta * terms.significance[i] + weight.abs() * k;
                terms.influence[i] *= beta;
            }
            *terms.influence.last_mut().unwrap() = 1.0;
            (output, terms.x.len())
        })
    });
}
