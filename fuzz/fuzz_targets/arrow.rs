#![no_main]

use groat::data::Format;

libfuzzer_sys::fuzz_target!(
    init: groat_fuzz::allow_caught_panics(),
    |bytes: &[u8]| groat_fuzz::read(bytes, Format::Arrow)
);
