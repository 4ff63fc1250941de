#![no_main]

use groat::online::{Learner, Session};

// Whatever loads must also predict, learn, tell about itself and save, without a panic; as a session too.
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let mut learner = match (Learner::load(bytes), Session::from_bytes(bytes)) {
        (Ok(learner), _) => learner,
        (Err(_), Ok(session)) => {
            session.to_bytes().expect("a loaded session can be saved");
            let _ = session.model();
            session.learner().clone()
        }
        (Err(_), Err(_)) => return,
    };
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
