//! Model files: exact round trips, and an error for everything else.

#![allow(clippy::unwrap_used, reason = "a test may fail")]

use groat::data::Standardisation;
use groat::error::ModelError;
use groat::model::{Calibration, Components, Decision, Record, Task};
use groat::{Csr, Error, Expansion, Kernel, Matrix, Model, Rows};
use proptest::prelude::*;

fn sample() -> Model {
    let vectors =
        Matrix::from_vec(vec![0.1, -0.0, f64::MIN_POSITIVE / 8.0, 1e300, 1.0 / 3.0, -7.0], 3, 2).unwrap();
    let weights =
        Matrix::from_vec(vec![1.0, -2.5, 1e-308, 0.1 + 0.2, 3.0, 4.0, 5.0, 6.0, 7.0], 3, 3).unwrap();
    let function = Expansion::new(Kernel::gaussian(vec![0.7, 1.0 / 3.0]), vectors, weights).unwrap();
    Model::new(function.with_bias(vec![0.25, -1e-17, 9.0]).unwrap())
        .with_task(Task::classification(vec!["a".into(), "b \"quoted\" ü".into(), "".into()]))
        .unwrap()
        .with_features(vec!["length, mm".into(), "x\n2".into()])
        .unwrap()
        .with_standardisation(Some(Standardisation::new(vec![0.1, 1e9], vec![3.3, 1e-9]).unwrap()))
        .unwrap()
        .with_record(Record::new(groat::batch::methods::KERNEL_RIDGE, 1000).with("ridge", 0.1))
}

#[test]
fn a_model_comes_back_bit_for_bit() {
    let model = sample();
    let copy = Model::from_bytes(&model.to_bytes().unwrap()).unwrap();
    assert_eq!(copy, model);
    let vectors = |m: &Model| m.expansion().unwrap().vectors().to_matrix();
    let bits = |m: &Model| vectors(m).data().iter().map(|v| v.to_bits()).collect::<Vec<_>>();
    assert_eq!(bits(&copy), bits(&model), "also the sign of zero and subnormals");
    let x = Rows::new(&[0.3, 0.4, 1.0, -1.0], 2).unwrap();
    assert_eq!(copy.values(x).unwrap(), model.values(x).unwrap());
    assert_eq!(copy.to_bytes().unwrap().len(), model.to_bytes().unwrap().len());
}

#[test]
fn saving_replaces_a_file_whole_or_not_at_all() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model.safetensors");
    sample().save(&path).unwrap();
    let before = std::fs::read(&path).unwrap();
    assert_eq!(Model::load(&path).unwrap(), sample());
    // A folder of that name cannot be replaced; nothing is left behind.
    let taken = folder.path().join("taken");
    std::fs::create_dir(&taken).unwrap();
    assert!(matches!(sample().save(&taken), Err(Error::Io { .. })));
    assert!(matches!(sample().save(folder.path().join("no/such/folder")), Err(Error::Io { .. })));
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 2);
    assert_eq!(std::fs::read(&path).unwrap(), before);
    assert!(matches!(Model::load(folder.path().join("absent")), Err(Error::Io { .. })));
    assert!(Model::load(&taken).is_err());
}

/// A file image with its header replaced, and without the checksum, as earlier releases wrote it.
fn with_header(bytes: &[u8], edit: impl Fn(&str) -> String) -> Vec<u8> {
    let length = u64::from_le_bytes(bytes[..8].try_into().unwrap()) as usize;
    let header = std::str::from_utf8(&bytes[8..8 + length]).unwrap();
    let unsealed = match header.find("\"checksum\":\"") {
        Some(at) => format!("{}{}", &header[..at], &header[at + "\"checksum\":\"00000000\",".len()..]),
        None => header.to_owned(),
    };
    let header = edit(&unsealed);
    let mut out = (header.len() as u64).to_le_bytes().to_vec();
    out.extend_from_slice(header.as_bytes());
    out.extend_from_slice(&bytes[8 + length..]);
    out
}

#[test]
fn damage_has_a_name() {
    let bytes = sample().to_bytes().unwrap();
    let error = |bytes: &[u8]| match Model::from_bytes(bytes) {
        Err(error) => error,
        Ok(_) => panic!("a damaged file was read"),
    };
    let container = |e: Error| matches!(e, Error::Model(ModelError::Container(_)));
    assert!(container(error(&[])), "empty");
    assert!(container(error(&bytes[..bytes.len() - 1])), "truncated at the end");
    assert!(container(error(&bytes[..40])), "truncated in the header");
    assert!(container(error(&[&bytes[..], &[0]].concat())), "something behind the end");
    assert!(container(error(&u64::MAX.to_le_bytes())), "a header that claims 16 exabytes");
    let version = error(&with_header(&bytes, |h| h.replace("\"version\":\"2\"", "\"version\":\"3\"")));
    assert!(matches!(&version, Error::Model(ModelError::Version { found, .. }) if found == "3"), "{version}");
    let foreign = error(&with_header(&bytes, |h| h.replace("\"format\":\"groat\"", "\"format\":\"other\"")));
    assert!(matches!(foreign, Error::Model(ModelError::Version { .. })));
    let kind = error(&with_header(&bytes, |h| h.replace("\"kind\":\"expansion\"", "\"kind\":\"something\"")));
    assert!(matches!(kind, Error::Model(ModelError::Metadata { name: "kind", .. })));
    let kernel = error(&with_header(&bytes, |h| h.replace("gaussian:width=0.7", "gaussian:width=-1")));
    assert!(matches!(kernel, Error::Model(ModelError::Metadata { name: "kernel", .. })), "{kernel}");
    let missing = error(&with_header(&bytes, |h| h.replace("\"weights\"", "\"weighty\"")));
    assert!(matches!(missing, Error::Model(ModelError::MissingTensor("weights"))));
    // A damaged name must not pass for one that is not there.
    for (from, to) in [("\"bias\"", "\"bjas\""), ("\"standardisation\"", "\"standarbisation\"")] {
        let unknown = error(&with_header(&bytes, |h| h.replace(from, to)));
        assert!(matches!(unknown, Error::Model(ModelError::Unknown(_))), "{unknown}");
    }
    // Claims a terabyte of vectors: refused because the bytes are not there.
    assert!(container(error(&with_header(&bytes, |h| h.replace("[3,2]", "[99999999999,2]")))));
    // Two tensors of agreeing size but the wrong shape.
    let content = |e: Error| matches!(e, Error::Model(ModelError::Content(_)));
    assert!(content(error(&with_header(&bytes, |h| h.replace("[3,2]", "[2,3]")))));
    let mut nan = bytes.clone();
    let end = nan.len();
    nan[end - 8..].copy_from_slice(&f64::NAN.to_le_bytes());
    assert!(matches!(error(&nan), Error::Model(ModelError::Checksum)));
    let nan = error(&with_header(&nan, str::to_owned));
    assert!(nan.to_string().contains("NaN") && !nan.to_string().contains("fill"), "{nan}");
    assert!(content(nan));
    // Of a whole file every bit counts.
    for at in (0..8 * bytes.len()).step_by(5) {
        let mut flipped = bytes.clone();
        flipped[at / 8] ^= 1 << (at % 8);
        assert!(Model::from_bytes(&flipped).is_err(), "bit {at}");
    }
}

/// Models of the other kinds, and with what the envelope may hold besides.
fn others() -> Vec<Model> {
    let sparse = Csr::new(4, vec![0, 1, 1, 3], vec![2, 0, 3], vec![1.5, -2.0, 0.25]).unwrap();
    let weights = Matrix::column(vec![1.0, 2.0, -3.0]);
    let function = Expansion::new(Kernel::gaussian(1.5), sparse.clone(), weights).unwrap();
    let two = Model::new(function.clone()).with_task(Task::numbered_classes(2)).unwrap();
    let pairs = Matrix::from_vec((0..9).map(f64::from).collect(), 3, 3).unwrap();
    let votes = Expansion::new(Kernel::Linear, sparse, pairs.clone()).unwrap();
    let classes = ["a", "b", "c"].map(str::to_owned).to_vec();
    let components = Expansion::new(Kernel::gaussian(0.5), Matrix::zeros(3, 2), pairs).unwrap();
    vec![
        two.with_calibration(Some(Calibration::new(vec![-1.5], vec![0.1]).unwrap())).unwrap(),
        Model::new(votes).with_task(Task::Classification { classes, decision: Decision::OneVsOne }).unwrap(),
        Model::new(function).with_task(Task::OneClass).unwrap(),
        Model::new(Components::new(components, vec![3.0, 2.0, 1.0], 7.5).unwrap()),
    ]
}

#[test]
fn every_kind_of_model_comes_back() {
    for model in others() {
        let bytes = model.to_bytes().unwrap();
        let copy = Model::from_bytes(&bytes).unwrap();
        assert_eq!(copy, model);
        assert_eq!(copy.to_bytes().unwrap(), bytes);
        let row = vec![0.5; model.features()];
        assert_eq!(copy.predict(Rows::one(&row)).unwrap(), model.predict(Rows::one(&row)).unwrap());
    }
}

#[test]
fn files_of_the_first_release_are_read() {
    // The same header but for the version and the decision rule, which the first release did not have.
    let old = with_header(&sample().to_bytes().unwrap(), |h| {
        h.replace("\"version\":\"2\"", "\"version\":\"1\"").replace(r#",\"decision\":\"one-vs-rest\""#, "")
    });
    assert!(!String::from_utf8_lossy(&old).contains("decision"));
    assert_eq!(Model::from_bytes(&old).unwrap(), sample());
    let components = with_header(&old, |h| h.replace(r#"\"method\":\"krr\""#, r#"\"method\":\"kpca\""#));
    let refused = Model::from_bytes(&components).unwrap_err().to_string();
    assert!(refused.contains("run `groat pca` again"), "{refused}");
}

#[test]
fn single_precision_arrays_are_read() {
    let bytes = Model::new(
        Expansion::new(Kernel::gaussian(1.0), Matrix::column(vec![0.5]), Matrix::column(vec![2.0])).unwrap(),
    )
    .to_bytes()
    .unwrap();
    let mut single = with_header(&bytes, |h| {
        let places = [([0, 8], [0, 4]), ([8, 16], [4, 8])];
        places.iter().fold(h.replace("F64", "F32"), |h, (wide, narrow)| {
            h.replace(&format!("{wide:?}").replace(' ', ""), &format!("{narrow:?}"))
        })
    });
    single.truncate(single.len() - 16);
    single.extend([0.5f32, 2.0].iter().flat_map(|v| v.to_le_bytes()));
    assert_eq!(Model::from_bytes(&single).unwrap(), Model::from_bytes(&bytes).unwrap());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]
    #[test]
    fn changed_bytes_never_panic(changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..8), cut in any::<prop::sample::Index>(), truncate: bool, which in 0usize..5) {
        let mut models = others();
        models.push(sample());
        let mut bytes = models[which].to_bytes().unwrap();
        for (at, value) in changes {
            let at = at.index(bytes.len());
            bytes[at] = value;
        }
        if truncate {
            let cut = cut.index(bytes.len());
            bytes.truncate(cut);
        }
        // Either an error, or a model that can be used and written again.
        if let Ok(model) = Model::from_bytes(&bytes) {
            // A sparse row, because a model of sparse vectors may well claim four thousand million features.
            let row = Csr::new(model.features(), vec![0, 0], vec![], vec![]).unwrap();
            let _ = model.values(row.view());
            prop_assert_eq!(Model::from_bytes(&model.to_bytes().unwrap()).unwrap(), model);
        }
    }

    #[test]
    fn random_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let _ = Model::from_bytes(&bytes);
    }

    #[test]
    fn merging_keeps_the_function(picks in prop::collection::vec((0usize..4, -2i32..3), 1..20)) {
        let points = [[0.0, 1.0], [0.5, -0.5], [-0.0, 1.0], [2.0, 2.0]];
        let vectors: Vec<f64> = picks.iter().flat_map(|(p, _)| points[*p]).collect();
        let weights: Vec<f64> = picks.iter().map(|(_, w)| f64::from(*w)).collect();
        let n = picks.len();
        let mut model = Expansion::new(
            Kernel::gaussian(1.0), Matrix::from_vec(vectors, n, 2).unwrap(), Matrix::column(weights),
        ).unwrap();
        let x = Rows::new(&[0.1, 0.2, 1.0, 1.0], 2).unwrap();
        let before = model.values(x).unwrap();
        let gone = model.merge_duplicates();
        prop_assert_eq!(gone + model.size(), n);
        prop_assert!(model.size() <= 3, "-0 and 0 are one");
        for (a, b) in before.data().iter().zip(model.values(x).unwrap().data()) {
            prop_assert!((a - b).abs() < 1e-12);
        }
        prop_assert_eq!(model.merge_duplicates(), 0);
    }
}
