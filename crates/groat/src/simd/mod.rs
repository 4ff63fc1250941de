//! Vectorised arithmetic with run-time CPU choice.
//!
//! Hot loops are written once and compiled three times by [`multiversion!`]: for the baseline CPU, for AVX2 +
//! FMA, and for AVX-512. Most are plain loops over slices, which the compiler vectorises; accumulators that
//! live across a loop are held in [`Eight`]. `unsafe` stands only there (the intrinsics) and in the call of a
//! version whose CPU features have just been detected.

mod aligned;
mod eight;
mod exp;
mod lane;
mod number;
mod slices;
mod trig;

pub(crate) use aligned::Aligned;
pub use eight::{Eight, Widen};
pub(crate) use exp::exp;
pub use lane::Lane;
pub use number::Number;
pub(crate) use slices::{add_rows, axpy, dot, dot_wide, largest_magnitude, make_room};
pub(crate) use trig::{cosines, cosines_and_sines};

use std::sync::OnceLock;

/// One way to compute: how `a * b + c` is rounded, and which registers hold eight numbers.
pub trait Arithmetic: Copy {
    /// True when a fused instruction may be used.
    const FUSED: bool;
    /// Eight doubles.
    type F64: Eight<f64>;
    /// Eight floats.
    type F32: Eight<f32> + Widen<Self::F64>;
}

/// What every CPU of the target can do: arrays, and a multiply-add in two instructions where one would be a
/// slow library call.
#[derive(Clone, Copy)]
pub struct Baseline;

impl Arithmetic for Baseline {
    const FUSED: bool = cfg!(target_arch = "aarch64");
    type F64 = [f64; 8];
    type F32 = [f32; 8];
}

/// AVX2 and FMA.
#[cfg(target_arch = "x86_64")]
#[derive(Clone, Copy)]
pub struct Avx2;

#[cfg(target_arch = "x86_64")]
impl Arithmetic for Avx2 {
    const FUSED: bool = true;
    type F64 = eight::F64x8Pair;
    type F32 = eight::F32x8;
}

/// AVX-512.
#[cfg(target_arch = "x86_64")]
#[derive(Clone, Copy)]
pub struct Avx512;

#[cfg(target_arch = "x86_64")]
impl Arithmetic for Avx512 {
    const FUSED: bool = true;
    type F64 = eight::F64x8;
    type F32 = eight::F32x8;
}

/// What the CPU at hand can do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Level {
    /// Whatever the target guarantees.
    Baseline,
    /// AVX2 and FMA.
    Avx2,
    /// AVX-512 F, BW, DQ and VL.
    Avx512,
}

/// The level in use: detected once, and lowered by `GROAT_SIMD=baseline|avx2` for tests and bug reports.
pub(crate) fn level() -> Level {
    static LEVEL: OnceLock<Level> = OnceLock::new();
    *LEVEL.get_or_init(|| {
        let cap = match std::env::var("GROAT_SIMD").as_deref() {
            Ok("baseline") => Level::Baseline,
            Ok("avx2") => Level::Avx2,
            _ => Level::Avx512,
        };
        detected().min(cap)
    })
}

#[cfg(target_arch = "x86_64")]
fn detected() -> Level {
    let avx2 = is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma");
    let avx512 = is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx512dq")
        && is_x86_feature_detected!("avx512vl");
    match (avx2, avx512) {
        (true, true) => Level::Avx512,
        (true, false) => Level::Avx2,
        _ => Level::Baseline,
    }
}

#[cfg(not(target_arch = "x86_64"))]
fn detected() -> Level {
    Level::Baseline
}

/// Defines a function in three versions and a safe front that calls the best one.
///
/// The body names a generic `#[inline(always)]` function whose first type parameter is the
/// [`Arithmetic`]; being inlined, it is compiled with the features of the version that calls it.
macro_rules! multiversion {
    ($(#[$meta:meta])* $vis:vis fn $name:ident $(<$($t:ident : $bound:path),+>)?
        ($($arg:ident : $ty:ty),* $(,)?) $(-> $ret:ty)? = $body:ident) => {
        $(#[$meta])*
        #[inline]
        $vis fn $name $(<$($t: $bound),+>)? ($($arg: $ty),*) $(-> $ret)? {
            #[cfg(target_arch = "x86_64")]
            {
                #[target_feature(enable = "avx2,fma")]
                fn avx2 $(<$($t: $bound),+>)? ($($arg: $ty),*) $(-> $ret)? {
                    $body::<$crate::simd::Avx2 $($(, $t)+)?>($($arg),*)
                }
                #[target_feature(enable = "avx2,fma,avx512f,avx512bw,avx512dq,avx512vl")]
                fn avx512 $(<$($t: $bound),+>)? ($($arg: $ty),*) $(-> $ret)? {
                    $body::<$crate::simd::Avx512 $($(, $t)+)?>($($arg),*)
                }
                match $crate::simd::level() {
                    // SAFETY: `level` returns these only after detecting the features they enable.
                    $crate::simd::Level::Avx512 => return unsafe { avx512 $(::<$($t),+>)? ($($arg),*) },
                    // SAFETY: as above.
                    $crate::simd::Level::Avx2 => return unsafe { avx2 $(::<$($t),+>)? ($($arg),*) },
                    $crate::simd::Level::Baseline => {}
                }
            }
            $body::<$crate::simd::Baseline $($(, $t)+)?>($($arg),*)
        }
    };
}
pub(crate) use multiversion;
