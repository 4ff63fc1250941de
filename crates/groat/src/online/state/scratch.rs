//! Scratch space for work through `&self`.

use std::cell::RefCell;

thread_local! {
    static SCRATCH: RefCell<Vec<f64>> = const { RefCell::new(Vec::new()) };
}

/// Runs `work` with `len` numbers of scratch space that are kept from call to call, so that predicting
/// through `&self` allocates nothing. Calls must not nest.
pub(crate) fn with_scratch<R>(len: usize, work: impl FnOnce(&mut [f64]) -> R) -> R {
    SCRATCH.with_borrow_mut(|buffer| {
        if buffer.len() < len {
            buffer.resize(len, 0.0);
        }
        work(&mut buffer[..len])
    })
}
