//! Writes one small file of every kind into `corpus/`, for the fuzzer to start from.

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::{ArrayRef, Float64Array, RecordBatch, StringArray};
use arrow_ipc::writer::{FileWriter, StreamWriter};
use groat::data::{Column, Table, write_table};
use groat::online::{Learner, Session, Settings, presets};
use groat::{Expansion, Kernel, Matrix, Model};

fn folder(target: &str) -> Result<PathBuf, std::io::Error> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus").join(target);
    fs::create_dir_all(&path)?;
    Ok(path)
}

/// A table as an Arrow file and as an Arrow stream.
fn write_arrow(folder: &Path) -> Result<(), Box<dyn Error>> {
    let numbers: ArrayRef = Arc::new(Float64Array::from(vec![Some(1.0), None, Some(3.0)]));
    let texts: ArrayRef = Arc::new(StringArray::from(vec!["a", "b", "a"]));
    let batch = RecordBatch::try_from_iter([("x", numbers), ("t", texts)])?;
    let mut file = FileWriter::try_new(fs::File::create(folder.join("file"))?, &batch.schema())?;
    file.write(&batch)?;
    file.finish()?;
    let mut stream = StreamWriter::try_new(fs::File::create(folder.join("stream"))?, &batch.schema())?;
    stream.write(&batch)?;
    Ok(stream.finish()?)
}

fn main() -> Result<(), Box<dyn Error>> {
    let numbers = |shift: f64| Column::Numeric((0..12).map(|i| f64::from(i) * 0.25 + shift).collect());
    let text = Column::Text(["a", "b"].into_iter().cycle().take(12).map(Some).collect());
    let names = ["x", "y", "t"].map(str::to_owned).to_vec();
    let table = Table::new(names, vec![numbers(0.0), numbers(1.0), text])?;
    for (target, name) in [("csv", "t.csv"), ("parquet", "t.parquet")] {
        write_table(folder(target)?.join(name), &table)?;
    }
    write_arrow(&folder("arrow")?)?;
    fs::write(folder("ndjson")?.join("t"), "{\"a\": 1, \"b\": \"u\"}\n{\"b\": null}\n")?;
    fs::write(folder("svmlight")?.join("t"), "+1 1:0.5 3:2 # note\n-1 qid:3 2:1e-3\n")?;
    let mut npy =
        b"\x93NUMPY\x01\x00\x46\x00{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }".to_vec();
    npy.resize(80, b' ');
    npy.extend((0..6).flat_map(|i| f64::from(i).to_le_bytes()));
    fs::write(folder("npy")?.join("t"), npy)?;

    let vectors = Matrix::from_vec(vec![0.0, 1.0, 0.5, -1.0], 2, 2)?;
    let kernel = Kernel::gaussian(0.7);
    let model = Expansion::new(kernel.clone(), vectors, Matrix::column(vec![1.0, -2.0]))?;
    let model = Model::new(model.with_bias(vec![0.5])?);
    fs::write(folder("model")?.join("t"), model.to_bytes()?)?;

    for preset in presets::PRESETS {
        let mut learner =
            Learner::new(preset.name, preset.takes_kernel().then_some(&kernel), 2, &Settings::new())?;
        for i in 0..6 {
            let x = f64::from(i);
            learner.learn_one(&[x.sin(), x.cos()], 1.0)?;
        }
        fs::write(folder("learner")?.join(preset.name), learner.save()?)?;
        let session = Session::new(learner)?.to_bytes()?;
        fs::write(folder("learner")?.join(format!("session-{}", preset.name)), session)?;
    }
    Ok(())
}
