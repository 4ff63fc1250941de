#![no_main]

use groat::data::Format;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| groat_fuzz::read(bytes, Format::Csv));
