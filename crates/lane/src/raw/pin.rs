//! Code of other libraries that we keep a pointer to.

use std::ffi::c_void;

/// Keeps the library that has this address mapped for the life of the process:
/// we may come back to it after all states that have loaded it are closed.
///
/// # Safety
/// An address in a library that is loaded now.
pub unsafe fn pin(address: *const c_void) {
    #[cfg(target_os = "linux")]
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
    // Elsewhere a module must see to it itself: unverified.
    #[cfg(not(target_os = "linux"))]
    let _ = address;
}
