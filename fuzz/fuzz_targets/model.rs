#![no_main]

use groat::Expansion;

// Whatever loads must also save, and load again as the same model.
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    if let Ok(model) = Expansion::from_bytes(bytes) {
        let image = model.to_bytes().expect("a loaded model can be saved");
        assert_eq!(Expansion::from_bytes(&image).expect("a saved model can be loaded"), model);
    }
});
