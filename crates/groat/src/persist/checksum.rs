//! A checksum that stands inside the file it is about.
//!
//! The file has the entry `"checksum":"00000000"` in its JSON; the CRC-32 of the whole file with these zeros then takes their
//! place. Any flipped bit, and any burst of up to 32, is noticed.

/// How the entry begins. No text within JSON can hold it, since its quotes would be escaped there.
const MARK: &[u8] = b"\"checksum\":\"";
/// The entry stands within so many bytes from the start.
const BEGINNING: usize = 1 << 20;
/// What stands in it before the sum is known.
pub(crate) const BLANK: &str = "00000000";

/// Fills in the sum of a file whose entry is blank.
pub(crate) fn seal(bytes: &mut [u8]) {
    if let Some(at) = place(bytes) {
        let sum = sum(bytes, at);
        bytes[at..at + BLANK.len()].copy_from_slice(sum.as_bytes());
    }
}

/// False when the file is not as it was written. A file without the entry, of an earlier release, passes.
pub(crate) fn is_sound(bytes: &[u8]) -> bool {
    // A fuzzer could not guess the sum, and would see nothing of what lies behind it.
    cfg!(fuzzing) || place(bytes).is_none_or(|at| sum(bytes, at).as_bytes() == &bytes[at..at + BLANK.len()])
}

/// Where the digits stand.
fn place(bytes: &[u8]) -> Option<usize> {
    let at =
        bytes[..bytes.len().min(BEGINNING)].windows(MARK.len()).position(|found| found == MARK)? + MARK.len();
    (at + BLANK.len() <= bytes.len()).then_some(at)
}

fn sum(bytes: &[u8], at: usize) -> String {
    let parts = [&bytes[..at], BLANK.as_bytes(), &bytes[at + BLANK.len()..]];
    format!("{:08x}", !parts.into_iter().fold(!0, crc))
}

/// The polynomial of CRC-32 (ISO 3309), its bits reversed.
const POLYNOMIAL: u32 = 0xedb8_8320;

/// `TABLES[k][b]` is what byte `b` contributes when `k` further bytes follow: eight bytes are taken at a time.
static TABLES: [[u32; 256]; 8] = tables();

const fn tables() -> [[u32; 256]; 8] {
    let mut tables = [[0; 256]; 8];
    let mut byte = 0;
    while byte < 256 {
        let (mut value, mut bit) = (byte as u32, 0);
        while bit < 8 {
            value = if value & 1 == 1 { value >> 1 ^ POLYNOMIAL } else { value >> 1 };
            bit += 1;
        }
        tables[0][byte] = value;
        byte += 1;
    }
    let mut k = 1;
    while k < 8 {
        let mut byte = 0;
        while byte < 256 {
            let before = tables[k - 1][byte];
            tables[k][byte] = before >> 8 ^ tables[0][(before & 255) as usize];
            byte += 1;
        }
        k += 1;
    }
    tables
}

/// Takes bytes into a sum.
fn crc(sum: u32, bytes: &[u8]) -> u32 {
    let (eights, rest) = bytes.as_chunks::<8>();
    let sum = eights.iter().fold(sum, |sum, eight| {
        let mixed = u64::from_le_bytes(*eight) ^ u64::from(sum);
        let byte = |k: usize| (mixed >> (8 * k) & 255) as usize;
        (0..8).fold(0, |sum, k| sum ^ TABLES[7 - k][byte(k)])
    });
    rest.iter().fold(sum, |sum, byte| sum >> 8 ^ TABLES[0][((sum ^ u32::from(*byte)) & 255) as usize])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sum_is_that_of_the_standard() {
        // The check value of CRC-32, and that of Python's zlib.crc32.
        assert_eq!(!crc(!0, b"123456789"), 0xcbf4_3926);
        assert_eq!(!crc(!0, &[0x5a; 1000]), 0xc70e_926c);
    }

    #[test]
    fn every_flipped_bit_is_noticed() {
        let mut file =
            br#"{"format":"x","checksum":"00000000","name":"\"checksum\":\"","data":[1,2,3]}"#.to_vec();
        seal(&mut file);
        assert!(is_sound(&file));
        for bit in 0..8 * file.len() {
            let mut damaged = file.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            // A damaged mark is an entry that no reader knows.
            let mark = place(&file).map(|at| at - MARK.len()..at).unwrap();
            assert!(!is_sound(&damaged) || mark.contains(&(bit / 8)), "bit {bit}");
        }
        assert!(is_sound(b"{}") && is_sound(b""));
    }
}
