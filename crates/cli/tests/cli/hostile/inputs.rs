//! Files: good ones, extreme ones, and damaged ones.

use std::path::Path;

use groat::data::{Column, Table, write_table};
use rand::{Rng, RngExt};

use super::super::common::noise;
use super::laws::groat;

/// Files that all cases start from.
pub struct Stock {
    /// The good files of each kind, by name.
    data: Vec<(&'static str, Vec<u8>)>,
    models: Vec<Vec<u8>>,
    states: Vec<Vec<u8>>,
    /// Names in the folder that stay.
    pub kept: Vec<String>,
}

/// A file for one case.
pub struct Drawn {
    /// What was done to it, in a word or two.
    pub kind: String,
    pub name: String,
    pub bytes: Vec<u8>,
}

/// Numbers at the ends of what there is, and what looks like numbers.
pub const EXTREMES: [&str; 22] = [
    "0",
    "-0.0",
    "1e308",
    "-1e308",
    "1e309",
    "1e-320",
    "1e155",
    "1e-163",
    "4.9e-324",
    "nan",
    "inf",
    "-inf",
    "",
    "NA",
    "1e",
    "0x10",
    "1,5",
    "9007199254740993",
    "18446744073709551616",
    "\u{661}",
    "--1",
    "1_000",
];

/// Texts that are awkward in names and fields.
pub const TEXTS: [&str; 14] =
    ["a", "", " ", "é", "\u{1f980}", "\"", "\"\"", "x\"y", "a;b", "\u{feff}", "\0", "=1+1", "..", "y\u{301}"];

fn pick<T: Copy>(rng: &mut impl Rng, of: &[T]) -> T {
    of[rng.random_range(0..of.len())]
}

/// Rows `a, b, t, y`: two features, a category, and a target.
fn rows(count: usize) -> Vec<(f64, f64, &'static str, f64)> {
    (0..count)
        .map(|i| {
            let (a, b) = (4.0 * noise(i) - 2.0, noise(7 * i + 3));
            (a, b, ["red", "blue"][i % 2], (3.0 * a).sin() + b)
        })
        .collect()
}

impl Stock {
    /// Makes the good files.
    pub fn new(folder: &Path) -> Self {
        let rows = rows(24);
        let csv: String = std::iter::once("a,b,t,y\n".to_owned())
            .chain(rows.iter().map(|(a, b, t, y)| format!("{a},{b},{t},{y}\n")))
            .collect();
        let json: String = rows
            .iter()
            .map(|(a, b, t, y)| format!("{{\"a\":{a},\"b\":{b},\"t\":\"{t}\",\"y\":{y}}}\n"))
            .collect();
        let sparse: String = rows
            .iter()
            .enumerate()
            .map(|(i, (a, b, _, y))| format!("{y} 1:{a} {}:{b} # {i}\n", 2 + i % 4))
            .collect();
        let column =
            |of: fn(&(f64, f64, &'static str, f64)) -> f64| Column::Numeric(rows.iter().map(of).collect());
        let columns =
            vec![column(|r| r.0), column(|r| r.1), Column::text(rows.iter().map(|r| r.2)), column(|r| r.3)];
        let table = Table::new(["a", "b", "t", "y"], columns).unwrap();
        write_table(folder.join("good.parquet"), &table).unwrap();
        let parquet = std::fs::read(folder.join("good.parquet")).unwrap();
        let mut npy =
            b"\x93NUMPY\x01\x00\x46\x00{'descr': '<f8', 'fortran_order': False, 'shape': (24, 3), }".to_vec();
        npy.resize(80, b' ');
        npy.extend(rows.iter().flat_map(|r| [r.0, r.1, r.3]).flat_map(f64::to_le_bytes));
        let data = vec![
            ("csv", csv.into_bytes()),
            ("ndjson", json.into_bytes()),
            ("svm", sparse.into_bytes()),
            ("parquet", parquet),
            ("npy", npy),
        ];
        for (ending, bytes) in &data {
            std::fs::write(folder.join(format!("good.{ending}")), bytes).unwrap();
        }
        std::fs::write(folder.join("old"), "old").unwrap();
        for line in [
            "fit good.csv -t y -o m1 --quiet",
            "fit good.csv -t t --method svc -o m2 --quiet",
            "fit good.csv --task density --drop t,y -o m3 --quiet",
            "fit good.svm -o m4 --method krr --quiet",
            "pca good.csv --drop t -o m5 --quiet",
            "stream good.csv -t y --features a,b -a krls-ald --save s1 -o o1 --quiet",
            "stream good.csv -t y --features a,b --save s2 -o o2 --quiet",
            "stream good.npy -t x3 --embed 2 -a klms-coherence --save s3 -o o3 --quiet",
        ] {
            let (code, message) = groat(folder, &line.split(' ').map(str::to_owned).collect::<Vec<_>>());
            assert_eq!(code, Some(0), "{line}: {message}");
        }
        let read = |name: &str| std::fs::read(folder.join(name)).unwrap();
        let mut stock = Self {
            data,
            models: ["m1", "m2", "m3", "m4", "m5"].map(read).to_vec(),
            states: ["s1", "s2", "s3"].map(read).to_vec(),
            kept: Vec::new(),
        };
        ["o1", "o2", "o3"].iter().for_each(|name| std::fs::remove_file(folder.join(name)).unwrap());
        stock.kept = std::fs::read_dir(folder)
            .unwrap()
            .map(|e| e.unwrap().file_name().into_string().unwrap())
            .collect();
        stock
    }

    /// A data file, good, extreme or damaged.
    pub fn data(&self, rng: &mut impl Rng) -> Drawn {
        match rng.random_range(0..8) {
            0 => {
                let (ending, bytes) = &self.data[rng.random_range(0..self.data.len())];
                Drawn { kind: "good data".into(), name: format!("d.{ending}"), bytes: bytes.clone() }
            }
            1..=3 => {
                let (ending, bytes) = &self.data[rng.random_range(0..self.data.len())];
                let bytes = damaged(bytes.clone(), rng);
                Drawn { kind: format!("damaged {ending}"), name: format!("d.{ending}"), bytes }
            }
            4..=5 => Drawn { kind: "extreme numbers".into(), name: "d.csv".into(), bytes: extreme(rng) },
            6 => odd(rng),
            _ => {
                let (ending, bytes) = &self.data[rng.random_range(0..self.data.len())];
                let ending =
                    pick(rng, &["csv", "ndjson", "svm", "parquet", "npy", "arrow", "gz", "txt", ending]);
                Drawn { kind: "under a wrong name".into(), name: format!("d.{ending}"), bytes: bytes.clone() }
            }
        }
    }

    /// A model, good, damaged, or something else.
    pub fn model(&self, rng: &mut impl Rng) -> Drawn {
        self.saved(rng, &self.models, "model")
    }

    /// A state of a stream, good, damaged, or something else.
    pub fn state(&self, rng: &mut impl Rng) -> Drawn {
        self.saved(rng, &self.states, "state")
    }

    fn saved(&self, rng: &mut impl Rng, of: &[Vec<u8>], what: &str) -> Drawn {
        let bytes = of[rng.random_range(0..of.len())].clone();
        let (kind, bytes) = match rng.random_range(0..10) {
            0..=4 => (format!("good {what}"), bytes),
            5..=8 => (format!("damaged {what}"), damaged(bytes, rng)),
            _ => (format!("no {what}"), self.data[rng.random_range(0..self.data.len())].1.clone()),
        };
        Drawn { kind, name: what.to_owned(), bytes }
    }
}

/// Changes here and there.
fn damaged(mut bytes: Vec<u8>, rng: &mut impl Rng) -> Vec<u8> {
    for _ in 0..rng.random_range(1..5) {
        if bytes.is_empty() {
            break;
        }
        let at = rng.random_range(0..bytes.len());
        let end = bytes.len().min(at + rng.random_range(1..40));
        match rng.random_range(0..6) {
            0 => bytes[at] ^= 1 << rng.random_range(0..8),
            1 => bytes[at] = pick(rng, b"\0\x01\x7f\x80\xff\"',;:\n\r\t {}[]#-0e9"),
            2 => drop(bytes.drain(at..end)),
            3 => bytes.truncate(at),
            4 => {
                let part = bytes[at..end].to_vec();
                bytes.splice(at..at, part);
            }
            _ => drop(bytes.splice(at..at, pick(rng, &EXTREMES).bytes())),
        }
    }
    bytes
}

/// A table of extreme numbers and awkward names.
fn extreme(rng: &mut impl Rng) -> Vec<u8> {
    let columns = pick(rng, &[1, 2, 3, 3, 4, 30]);
    let lines = pick(rng, &[0, 1, 2, 5, 20, 40]);
    let wild = pick(rng, &[0.02, 0.2, 0.9]);
    let name = |k: usize| if k + 1 == columns { "y".to_owned() } else { format!("c{k}") };
    let mut names: Vec<String> = (0..columns).map(name).collect();
    if rng.random_bool(0.2) {
        names[0] = pick(rng, &TEXTS).to_owned();
    }
    let mut text = names.join(",") + "\n";
    let unit = pick(rng, &[1.0, 1.0, 1e150, 1e-150, 1e300, 1e-300]);
    for i in 0..lines {
        let field = |k: usize| match rng.random_bool(wild) {
            true => pick(rng, &EXTREMES).to_owned(),
            false => format!("{:e}", unit * (noise(31 * i + k) - 0.5)),
        };
        text += &((0..columns).map(field).collect::<Vec<_>>().join(",") + "\n");
    }
    text.into_bytes()
}

/// What is hardly a table at all.
fn odd(rng: &mut impl Rng) -> Drawn {
    let repeated = |part: &str, times: usize| part.repeat(times).into_bytes();
    let all: [(&str, &str, Vec<u8>); 16] = [
        ("empty", "d.csv", Vec::new()),
        ("blank lines", "d.csv", repeated("\n", 100)),
        ("only a header", "d.csv", b"a,b,y\n".to_vec()),
        ("one long line", "d.csv", repeated("x", 300_000)),
        ("many columns", "d.csv", repeated("1,", 20_000)),
        ("an open quote", "d.csv", [&b"a,y\n\"1,2\n"[..], &repeated("3,4\n", 50)].concat()),
        ("deep nesting", "d.ndjson", repeated("[", 5_000)),
        ("UTF-16", "d.csv", b"\xff\xfea\0,\0y\0\n\0".to_vec()),
        ("a zip", "d.xlsx", b"PK\x03\x04\x14\0\0\0xl/worksheets".to_vec()),
        ("a bzip2", "d.csv.bz2", b"BZh91AY&SY\x01\x02\x03".to_vec()),
        ("a JSON array", "d.json", b"[{\"a\": 1, \"y\": 2}]".to_vec()),
        ("carriage returns", "d.csv", repeated("1,2\r", 30)),
        ("twin names", "d.csv", b"a,a,y\n1,2,3\n".to_vec()),
        ("half a gzip", "d.csv.gz", b"\x1f\x8b\x08\0\0\0\0\0\0\x03K\xd4I".to_vec()),
        ("noughts", "d.csv", vec![0; 5_000]),
        ("random bytes", "d.csv", (0..500).map(|_| rng.random()).collect()),
    ];
    let (kind, name, bytes) = &all[rng.random_range(0..all.len())];
    Drawn { kind: (*kind).to_owned(), name: (*name).to_owned(), bytes: bytes.clone() }
}
