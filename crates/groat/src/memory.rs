//! Large zeroed buffers.

/// Below this many bytes ordinary pages do as well.
const LARGE: usize = 8 << 20;

/// `len` zeros. A large buffer asks the system for huge pages: the first write to each page of an n x n matrix
/// otherwise costs more than computing what is written.
pub(crate) fn zeroed<T: Default + Clone>(len: usize) -> Vec<T> {
    let data = vec![T::default(); len];
    if size_of_val(data.as_slice()) >= LARGE {
        prefer_huge_pages(&data);
    }
    data
}

#[cfg(all(target_os = "linux", not(miri)))]
fn prefer_huge_pages<T>(data: &[T]) {
    const PAGE: usize = 4096;
    let start = (data.as_ptr() as usize).next_multiple_of(PAGE);
    let end = data.as_ptr() as usize + size_of_val(data);
    // SAFETY: the range lies within one live allocation, and this advice changes neither the content nor the
    // validity of its pages. Failure means ordinary pages, so the answer is not looked at.
    unsafe {
        libc::madvise(start as *mut libc::c_void, end - start, libc::MADV_HUGEPAGE);
    }
}

#[cfg(not(all(target_os = "linux", not(miri))))]
fn prefer_huge_pages<T>(_: &[T]) {}
