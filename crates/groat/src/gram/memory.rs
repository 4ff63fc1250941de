//! How much memory a kernel matrix may take, and in which form it therefore stands.
//!
//! There is one default: half of the machine's memory, or of what its control group allows the process, whichever
//! is less. It is the whole memory that counts, not what happens to be free, so that the same work takes the same
//! form whenever it is done on a machine. Where the system does not say how much there is, the default is 4 GiB.

use crate::error::{Error, Result, size};
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// The default where the system does not say how much memory there is.
const UNKNOWN: u64 = 4 << 30;

/// Matrices up to this many bytes stand in double precision: they fit a cache, and single precision would gain
/// nothing.
const SMALL: u64 = 16 << 20;

/// Bytes that the latest rows take where no limit is given, and the rows there is then room for at least. A row that was
/// pushed out costs no more to evaluate again than memory costs that is touched for the first time.
const CACHE: u64 = 512 << 20;
const CACHED_ROWS: u64 = 512;

/// Bytes that work may take: a number, or by default half of the machine's memory.
///
/// ```
/// use groat::gram::Memory;
/// assert_eq!(Memory::from(1000).limit(), 1000);
/// assert!(Memory::default().limit() > 100 << 20);
/// assert_eq!(Memory::from(None), Memory::default());
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Memory(Option<u64>);

impl From<u64> for Memory {
    fn from(bytes: u64) -> Self {
        Memory(Some(bytes))
    }
}

impl From<Option<u64>> for Memory {
    fn from(bytes: Option<u64>) -> Self {
        Memory(bytes)
    }
}

impl fmt::Display for Memory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(bytes) => f.write_str(&size(bytes)),
            None => write!(f, "{} (half of the memory)", size(self.limit())),
        }
    }
}

impl Memory {
    /// The limit in bytes.
    pub fn limit(self) -> u64 {
        static HALF: OnceLock<u64> = OnceLock::new();
        self.0.unwrap_or_else(|| *HALF.get_or_init(|| machine().map_or(UNKNOWN, |bytes| bytes / 2)))
    }

    /// What each of several users has at the same time, where a limit is given.
    pub(crate) fn shared(self, users: u64) -> Self {
        Memory(self.0.map(|bytes| bytes / users.max(1)))
    }

    /// Bytes for rows of so many columns of which the latest are kept: all that is allowed where a limit is given, and
    /// otherwise no more than pays.
    fn cache(self, columns: usize) -> u64 {
        match self.0 {
            Some(bytes) => bytes,
            None => CACHE.max((4 * CACHED_ROWS).saturating_mul(columns as u64)).min(self.limit()),
        }
    }

    /// Whether so many bytes are allowed.
    pub fn holds(self, bytes: u64) -> bool {
        bytes <= self.limit()
    }

    /// An error with advice unless `needed` bytes are allowed.
    pub fn check(self, what: &'static str, needed: u64, advice: &'static str) -> Result<()> {
        let limit = self.limit();
        if needed <= limit { Ok(()) } else { Err(Error::Memory { what, needed, limit, advice }) }
    }
}

/// The memory of the machine, or of the control group where that is less.
fn machine() -> Option<u64> {
    let info = std::fs::read_to_string("/proc/meminfo").ok()?;
    let total = total_of(&info)?;
    Some(control_groups().into_iter().filter_map(limit_of).fold(total, u64::min))
}

/// Bytes behind `MemTotal:` in the text of `/proc/meminfo`.
fn total_of(info: &str) -> Option<u64> {
    let line = info.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    line.split_whitespace().next()?.parse::<u64>().ok().map(|kilobytes| kilobytes.saturating_mul(1024))
}

/// Files that may hold a limit: those of the process's group and all groups around it, and that of the first version
/// of control groups.
fn control_groups() -> Vec<PathBuf> {
    let root = Path::new("/sys/fs/cgroup");
    let mut files = vec![root.join("memory/memory.limit_in_bytes")];
    let own = std::fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    for path in own.lines().filter_map(|line| line.strip_prefix("0::/")) {
        files.extend(Path::new(path).ancestors().map(|group| root.join(group).join("memory.max")));
    }
    files
}

/// The number in a file; `None` where there is no limit or no such file.
fn limit_of(file: PathBuf) -> Option<u64> {
    std::fs::read_to_string(file).ok()?.trim().parse().ok()
}

/// What will be done with a kernel matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Need {
    /// It is factorised in place: all of it, in double precision.
    Factor,
    /// It is multiplied with vectors over and over, in full precision.
    Products,
    /// It is multiplied with vectors over and over, and seven digits are enough.
    RoughProducts,
    /// Single rows are asked for.
    Rows,
    /// Single rows are asked for, some of them again and again.
    CachedRows,
}

/// How a kernel matrix stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Form {
    /// Whole, eight bytes an entry.
    Double,
    /// Whole, four bytes an entry; sums are in double precision.
    Single,
    /// Its nonzeros alone.
    Sparse,
    /// The rows that were asked for last.
    Cached,
    /// Nowhere: blocks are evaluated when they are needed.
    Blocked,
}

impl fmt::Display for Form {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Form::Double => "stored in double precision",
            Form::Single => "stored in single precision",
            Form::Sparse => "its nonzeros stored",
            Form::Cached => "its latest rows kept",
            Form::Blocked => "evaluated anew for every use",
        })
    }
}

/// The form that a matrix will have, and what that takes.
///
/// ```
/// use groat::gram::{Form, Memory, Need, Plan};
/// let plan = Plan::choose(Need::Products, 20_000, 20_000, 0, Memory::from(4 << 30))?;
/// assert_eq!(plan.form, Form::Double);
/// assert_eq!(plan.to_string(), "stored in double precision, 3052 MiB of 4096 MiB allowed");
/// assert!(Plan::choose(Need::Factor, 20_000, 20_000, 0, Memory::from(1 << 30)).is_err());
/// # Ok::<(), groat::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plan {
    /// The form.
    pub form: Form,
    /// Bytes that the matrix will take.
    pub bytes: u64,
    /// Bytes that it may take.
    pub limit: u64,
}

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, {} of {} allowed", self.form, size(self.bytes), size(self.limit))
    }
}

impl Plan {
    /// The best form that the memory allows for a matrix of the given size, or an error that says what it would take.
    /// `points` are the bytes of the points that belong to the columns: to be compared with, they are packed in at
    /// most twice as many.
    pub fn choose(need: Need, rows: usize, columns: usize, points: u64, memory: Memory) -> Result<Plan> {
        let limit = memory.limit();
        let entries = (rows as u64).saturating_mul(columns as u64);
        let double = Plan { form: Form::Double, bytes: entries.saturating_mul(8), limit };
        let single = Plan { form: Form::Single, bytes: entries.saturating_mul(4), limit };
        let blocked = Plan { form: Form::Blocked, bytes: points.saturating_mul(2), limit };
        let cached = Plan { form: Form::Cached, bytes: double.bytes.min(memory.cache(columns)), limit };
        let (choice, advice): (&[Plan], _) = match need {
            Need::Factor => (
                &[double],
                "take a method that keeps few vectors, a kernel with compact support, fewer rows, or raise the limit",
            ),
            Need::Products => (&[double, blocked], "take fewer rows, or raise the limit"),
            Need::RoughProducts if double.bytes <= SMALL => {
                (&[double, single, blocked], "take fewer rows, or raise the limit")
            }
            Need::RoughProducts => (&[single, blocked], "take fewer rows, or raise the limit"),
            Need::CachedRows if double.bytes <= SMALL => {
                (&[double, cached], "take fewer rows, or raise the limit")
            }
            Need::CachedRows => (&[cached], "take fewer rows, or raise the limit"),
            Need::Rows => (&[blocked], "take fewer rows, or raise the limit"),
        };
        let fits = choice.iter().find(|plan| plan.bytes <= limit);
        let least = choice.iter().map(|plan| plan.bytes).min().unwrap_or(0);
        let refused = Error::Memory { what: "the kernel matrix", needed: least, limit, advice };
        fits.copied().ok_or(refused)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_is_half_of_the_memory_and_one_number() {
        let info = "MemTotal:       16303428 kB\nMemFree:         1234 kB\n";
        assert_eq!(total_of(info), Some(16_303_428 * 1024));
        assert_eq!(total_of("MemFree: 3 kB"), None);
        assert_eq!(Memory::default().limit(), Memory::default().limit());
        if let Some(bytes) = machine() {
            assert_eq!(Memory::default().limit(), bytes / 2);
        }
    }

    #[test]
    fn kept_rows_take_all_that_is_allowed_or_what_pays() {
        let bytes = |n: usize, memory: Memory| Plan::choose(Need::CachedRows, n, n, 0, memory).unwrap().bytes;
        assert_eq!(bytes(20_000, (1 << 30).into()), 1 << 30);
        assert_eq!(bytes(20_000, u64::MAX.into()), 8 * 20_000 * 20_000);
        assert_eq!(bytes(20_000, Memory::default()), CACHE.min(Memory::default().limit()));
        assert_eq!(Memory::from(400).shared(4), Memory::from(100));
        assert_eq!(Memory::default().shared(4), Memory::default());
    }

    #[test]
    fn what_fits_is_chosen_in_order() {
        let form = |need, rows, limit: u64| {
            Plan::choose(need, rows, rows, 16 * rows as u64, limit.into()).map(|p| p.form)
        };
        assert_eq!(form(Need::Products, 1000, 8_000_000).unwrap(), Form::Double);
        assert_eq!(form(Need::Products, 1000, 7_999_999).unwrap(), Form::Blocked);
        assert_eq!(form(Need::RoughProducts, 1000, 8_000_000).unwrap(), Form::Double);
        assert_eq!(form(Need::RoughProducts, 1000, 4_000_000).unwrap(), Form::Single);
        assert_eq!(form(Need::RoughProducts, 3000, u64::MAX).unwrap(), Form::Single);
        assert_eq!(form(Need::RoughProducts, 3000, 1 << 20).unwrap(), Form::Blocked);
        assert_eq!(form(Need::Rows, 1000, u64::MAX).unwrap(), Form::Blocked);
        assert_eq!(form(Need::CachedRows, 1000, u64::MAX).unwrap(), Form::Double);
        assert_eq!(form(Need::CachedRows, 10_000, 1 << 20).unwrap(), Form::Cached);
        let refused = form(Need::Factor, 1000, 1000).unwrap_err();
        assert!(matches!(refused, Error::Memory { needed: 8_000_000, limit: 1000, .. }), "{refused}");
        assert!(form(Need::Rows, 1 << 50, 1 << 40).is_err());
    }
}
