//! Code of other libraries that we keep a pointer to.

use std::ffi::c_void;

/// Keeps the library that has this address mapped for the life of the process:
/// we may come back to it after all states that have loaded it are closed.
///
/// # Safety
/// An address in a library that is loaded now.
pub unsafe fn pin(address: *const c_void) {
    // SAFETY: the caller's promise.
    unsafe { sys::pin(address) };
}

#[cfg(target_os = "linux")]
mod sys {
    use std::ffi::c_void;
    use std::sync::LazyLock;

    use parking_lot::Mutex;
    use rustc_hash::FxHashSet;

    /// The addresses for which it was done. Each start of a lane asks for the
    /// same few again, and the loader may look for the file each time.
    static PINNED: LazyLock<Mutex<FxHashSet<usize>>> = LazyLock::new(Mutex::default);

    pub unsafe fn pin(address: *const c_void) {
        // Held until it is done: who finds the address there relies on it.
        let mut pinned = PINNED.lock();
        if !pinned.insert(address.addr()) {
            return;
        }
        // SAFETY: the library is loaded: only the flag is added to it.
        unsafe {
            let mut info: libc::Dl_info = std::mem::zeroed();
            if libc::dladdr(address, &raw mut info) != 0 && !info.dli_fname.is_null() {
                libc::dlopen(
                    info.dli_fname,
                    libc::RTLD_LAZY | libc::RTLD_NOLOAD | libc::RTLD_NODELETE,
                );
            }
        }
    }
}

/// A module must see to it itself: unverified.
#[cfg(not(target_os = "linux"))]
mod sys {
    use std::ffi::c_void;

    pub unsafe fn pin(_: *const c_void) {}
}
