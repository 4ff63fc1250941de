//! Vectorised arithmetic with run-time CPU choice.
//!
//! Hot loops are written once, as plain loops over fixed-size lanes that the compiler vectorises, and are
//! compiled three times by [`multiversion!`]: for the baseline CPU, for AVX2 + FMA, and for AVX-512. The
//! only `unsafe` in the crate is the call of a version whose CPU features have just been detected.
//!
//! [`Arithmetic`] chooses between a fused multiply-add and a separate one: `mul_add` on a CPU without the
//! instruction is a slow library call.

mod exp;
mod lane;
mod slices;

pub use lane::Lane;
pub(crate) use slices::{axpy, dot};

use std::sync::OnceLock;

/// How `a * b + c` is computed.
pub trait Arithmetic: Copy {
    /// True when a fused instruction may be used.
    const FUSED: bool;
}

/// One instruction, one rounding.
#[derive(Clone, Copy)]
pub struct Fused;

/// Two instructions, two roundings.
#[derive(Clone, Copy)]
pub struct Separate;

impl Arithmetic for Fused {
    const FUSED: bool = true;
}

impl Arithmetic for Separate {
    const FUSED: bool = false;
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
                    $body::<$crate::simd::Fused $($(, $t)+)?>($($arg),*)
                }
                #[target_feature(enable = "avx2,fma,avx512f,avx512bw,avx512dq,avx512vl")]
                fn avx512 $(<$($t: $bound),+>)? ($($arg: $ty),*) $(-> $ret)? {
                    $body::<$crate::simd::Fused $($(, $t)+)?>($($arg),*)
                }
                match $crate::simd::level() {
                    // SAFETY: `level` returns these only after detecting the features they enable.
                    $crate::simd::Level::Avx512 => return unsafe { avx512 $(::<$($t),+>)? ($($arg),*) },
                    // SAFETY: as above.
                    $crate::simd::Level::Avx2 => return unsafe { avx2 $(::<$($t),+>)? ($($arg),*) },
                    $crate::simd::Level::Baseline => {}
                }
            }
            $body::<$crate::simd::BaselineArithmetic $($(, $t)+)?>($($arg),*)
        }
    };
}
pub(crate) use multiversion;

/// Arithmetic of the baseline version: every AArch64 CPU has a fused multiply-add, plain x86-64 has not.
#[cfg(target_arch = "aarch64")]
pub(crate) type BaselineArithmetic = Fused;
/// Arithmetic of the baseline version.
#[cfg(not(target_arch = "aarch64"))]
pub(crate) type BaselineArithmetic = Separate;
