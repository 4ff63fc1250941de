//! The random splits and samples of the experiment as files, so that other programs can be run on the same.

use super::super::trial::Trial;
use super::densities::{TEST, draw1, draw6};
use super::sets::Set;
use crate::session::write_file;
use rand_pcg::Pcg64;
use std::path::Path;

/// Writes one `.npy` file per set and per sample: splits have a column per realisation (0 training, 1 test),
/// samples a row per realisation.
pub fn write(trial: &Trial<'_>, folder: &Path) -> anyhow::Result<()> {
    std::fs::create_dir_all(folder)?;
    for name in ["boston_housing", "ida_breast_cancer", "ida_diabetes"] {
        let Ok(set) = Set::load(trial, name)? else { continue };
        let splits = trial.realise(name, |_, generator| Ok(set.fresh_split(generator)))?;
        let mut marks = vec![0.0; set.y.len() * splits.len()];
        for (r, split) in splits.iter().enumerate() {
            split.test.iter().for_each(|row| marks[row * splits.len() + r] = 1.0);
        }
        save(&folder.join(format!("{name}.npy")), set.y.len(), &marks)?;
    }
    let one = |n: usize, generator: &mut Pcg64| Ok(draw1(n, generator));
    let six = |n: usize, generator: &mut Pcg64| Ok(draw6(n, generator)?.into_data());
    samples(trial, folder, "density1", 100, one)?;
    samples(trial, folder, "density6", 600, six)
}

/// Training and test points of every realisation, drawn as the experiment draws them.
fn samples(
    trial: &Trial<'_>,
    folder: &Path,
    name: &str,
    size: usize,
    draw: impl Fn(usize, &mut Pcg64) -> anyhow::Result<Vec<f64>> + Sync,
) -> anyhow::Result<()> {
    let drawn = trial.realise(name, |_, generator| Ok([draw(size, generator)?, draw(TEST, generator)?]))?;
    for (part, kind) in ["train", "test"].into_iter().enumerate() {
        let flat: Vec<f64> = drawn.iter().flat_map(|d| d[part].iter().copied()).collect();
        save(&folder.join(format!("{name}_{kind}.npy")), drawn.len(), &flat)?;
    }
    Ok(())
}

/// A matrix in row-major order as a `.npy` file (format version 1).
fn save(path: &Path, rows: usize, data: &[f64]) -> anyhow::Result<()> {
    let shape = format!("({rows}, {})", data.len() / rows.max(1));
    let mut header = format!("{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}, }}");
    // The numbers start at a multiple of 64 bytes, after ten bytes, the header and its line end.
    header.extend(std::iter::repeat_n(' ', 63 - (header.len() + 10) % 64));
    header.push('\n');
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((header.len() as u16).to_le_bytes());
    bytes.extend(header.as_bytes());
    data.iter().for_each(|v| bytes.extend(v.to_le_bytes()));
    write_file(path, &bytes)
}
