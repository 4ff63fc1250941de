//! Scratch space for work through `&self`.

use std::cell::RefCell;

thread_local! {
    static SCRATCH: RefCell<Vec<Vec<f64>>> = const { RefCell::new(Vec::new()) };
}

/// Runs `work` with `len` numbers of scratch space that are kept from call to call, so that predicting
/// through `&self` allocates nothing. A method that asks others may call it again inside `work`.
pub(crate) fn with_scratch<R>(len: usize, work: impl FnOnce(&mut [f64]) -> R) -> R {
    let mut buffer = SCRATCH.with_borrow_mut(|free| free.pop().unwrap_or_default());
    if buffer.len() < len {
        buffer.resize(len, 0.0);
    }
    let result = work(&mut buffer[..len]);
    SCRATCH.with_borrow_mut(|free| free.push(buffer));
    result
}
