#![no_main]

use groat::Model;

// Whatever loads must also save, and load again as the same model.
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    if let Ok(model) = Model::from_bytes(bytes) {
        let image = model.to_bytes().expect("a loaded model can be saved");
        assert_eq!(Model::from_bytes(&image).expect("a saved model can be loaded"), model);
    }
});
