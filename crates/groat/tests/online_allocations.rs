//! No allocation per sample once the dictionary has its final size.

#![allow(clippy::unwrap_used, reason = "a test may stop")]

use groat::online::presets::PRESETS;
use groat::online::{Learner, Settings};
use groat::{Kernel, Rows};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

struct Counting;

thread_local! {
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

// SAFETY: every call is passed on to the system allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.with(|count| count.set(count.get() + 1));
        // SAFETY: the caller keeps the contract of `GlobalAlloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        ALLOCATIONS.with(|count| count.set(count.get() + 1));
        // SAFETY: as above.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[test]
fn no_allocation_per_sample_after_warm_up() {
    for preset in PRESETS {
        let mut settings = Settings::new();
        for item in preset.parameters() {
            match item.parameter.name {
                "budget" => settings.set("budget", 20),
                "tau" => settings.set("tau", 20),
                "max_age" if preset.parts().contains(&"maximum-age") => settings.set("max_age", 30),
                _ => {}
            }
        }
        let mut learner =
            Learner::new(preset.name, preset.takes_kernel().then_some(&Kernel::gaussian(0.8)), 2, &settings)
                .unwrap();
        // A path that repeats, so that dictionaries without a budget stop growing as well.
        let sample = |i: usize| {
            let t = (i % 400) as f64;
            let x = [(0.7 * t).sin(), (0.31 * t).cos()];
            (x, if x[0] * x[1] > 0.0 { 1.0 } else { -1.0 })
        };
        for i in 0..1200 {
            let (x, y) = sample(i);
            learner.learn_one(&x, y).unwrap();
            learner.predict_one(&x).unwrap();
        }
        let before = ALLOCATIONS.with(Cell::get);
        for i in 0..1200 {
            let (x, y) = sample(i);
            learner.learn_one(&x, y).unwrap();
            learner.predict_one(&x).unwrap();
        }
        let allocations = ALLOCATIONS.with(Cell::get) - before;
        assert_eq!(
            allocations,
            0,
            "{}: {allocations} allocations in 1200 samples at {} vectors",
            preset.name,
            learner.size()
        );
        let (x, y): (Vec<[f64; 2]>, Vec<f64>) = (0..1200).map(sample).unzip();
        let x = Rows::new(x.as_flattened(), 2).unwrap();
        learner.learn_many(x, &y).unwrap();
        let before = ALLOCATIONS.with(Cell::get);
        learner.learn_many(x, &y).unwrap();
        let allocations = ALLOCATIONS.with(Cell::get) - before;
        assert_eq!(allocations, 1, "{}: more than the list of what the steps did", preset.name);
    }
}
