#![no_main]

use groat::online::Learner;

// Whatever loads must also predict, learn, tell about itself and save, without a panic.
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let Ok(mut learner) = Learner::load(bytes) else { return };
    // A learner of a million features is sound but slow.
    if learner.dimension() > 64 {
        return;
    }
    for step in 0..4 {
        let x: Vec<f64> = (0..learner.dimension()).map(|k| f64::from(step) * 0.3 + k as f64 * 0.1).collect();
        let _ = learner.predict_one(&x);
        let _ = learner.variance(&x);
        let _ = learner.learn_one(&x, 1.0);
    }
    let _ = learner.snapshot();
    drop(learner.diagnostics());
    learner.save().expect("a loaded learner can be saved");
});
