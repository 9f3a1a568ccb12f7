//! What the operating system lets us say of a thread: priority, processors,
//! name.
//!
//! Where it has no such thing, or refuses, the request has no effect. That is
//! what programs expect: priorities are wishes.

use std::ops::RangeInclusive;

/// How urgent a thread is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Priority {
    /// On our own scale, [`PORTABLE`]: 0 is the usual.
    Portable(i32),
    /// On the scale of the system, [`NATIVE`].
    Native(i32),
}

/// The portable scale, the same on every system.
pub const PORTABLE: RangeInclusive<i32> = -3..=3;

/// The system's own scale. On Linux: real-time priorities.
pub const NATIVE: RangeInclusive<i32> = 1..=99;

/// What a thread hands on to those that it starts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Traits {
    stack_size: usize,
    inherited: sys::Inherited,
}

impl Traits {
    /// Those of the calling thread, with the size of the stack that it gives.
    pub(crate) fn of_this_thread(stack_size: usize) -> Traits {
        Traits {
            stack_size,
            inherited: sys::inherited(),
        }
    }
}

/// What the system's own tools call the calling thread; empty if unknown.
pub(crate) fn name() -> Vec<u8> {
    sys::get_name()
}

/// Gives the calling thread a priority.
pub fn set_priority(priority: Priority) {
    match priority {
        Priority::Portable(level) => sys::nice(-5 * level),
        Priority::Native(level) => sys::real_time(level),
    }
}

/// Binds the calling thread to the processors whose bits are set. Answers
/// whether the system took it.
pub fn set_affinity(mask: u64) -> bool {
    sys::affinity(mask)
}

/// Names the calling thread for the system's own tools. Some cut the name.
pub fn set_name(name: &[u8]) {
    sys::name(name);
}

#[cfg(target_os = "linux")]
mod sys {
    /// What the kernel keeps of a name, without the final zero.
    const NAME: usize = 15;

    /// Priority, policy, processors, blocked signals.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct Inherited {
        nice: i32,
        policy: i32,
        urgency: i32,
        processors: Vec<u8>,
        blocked: Vec<u8>,
    }

    /// # Safety
    /// All bytes of the value are initialised.
    unsafe fn bytes_of<T>(value: &T) -> Vec<u8> {
        // SAFETY: the caller's promise.
        unsafe { std::slice::from_raw_parts(std::ptr::from_ref(value).cast(), size_of::<T>()) }
            .to_vec()
    }

    pub fn inherited() -> Inherited {
        // SAFETY: the structures are ours, as large as said, and zero where the
        // system writes nothing.
        unsafe {
            let thread = libc::syscall(libc::SYS_gettid) as libc::id_t;
            let mut how: libc::sched_param = std::mem::zeroed();
            let mut set: libc::cpu_set_t = std::mem::zeroed();
            let mut blocked: libc::sigset_t = std::mem::zeroed();
            let policy = libc::sched_getscheduler(0);
            libc::sched_getparam(0, &raw mut how);
            libc::sched_getaffinity(0, size_of::<libc::cpu_set_t>(), &raw mut set);
            libc::pthread_sigmask(libc::SIG_BLOCK, std::ptr::null(), &raw mut blocked);
            Inherited {
                nice: libc::getpriority(libc::PRIO_PROCESS, thread),
                policy,
                urgency: how.sched_priority,
                processors: bytes_of(&set),
                blocked: bytes_of(&blocked),
            }
        }
    }

    pub fn get_name() -> Vec<u8> {
        let mut name = [0_u8; NAME + 1];
        // SAFETY: the buffer has the size that the call is told.
        unsafe {
            libc::pthread_getname_np(libc::pthread_self(), name.as_mut_ptr().cast(), name.len());
        }
        name.into_iter().take_while(|byte| *byte != 0).collect()
    }

    pub fn nice(value: i32) {
        // On Linux each thread has a nice value of its own.
        // SAFETY: numbers only.
        unsafe {
            let thread = libc::syscall(libc::SYS_gettid) as libc::id_t;
            libc::setpriority(libc::PRIO_PROCESS, thread, value);
        }
    }

    pub fn real_time(level: i32) {
        // SAFETY: the structure is ours.
        unsafe {
            let mut how: libc::sched_param = std::mem::zeroed();
            how.sched_priority = level;
            libc::pthread_setschedparam(libc::pthread_self(), libc::SCHED_RR, &raw const how);
        }
    }

    pub fn affinity(mask: u64) -> bool {
        // SAFETY: the set is ours, and larger than any bit of the mask.
        unsafe {
            let mut set: libc::cpu_set_t = std::mem::zeroed();
            for processor in 0..64 {
                if mask >> processor & 1 == 1 {
                    libc::CPU_SET(processor, &mut set);
                }
            }
            libc::sched_setaffinity(0, size_of::<libc::cpu_set_t>(), &raw const set) == 0
        }
    }

    pub fn name(name: &[u8]) {
        let mut short = [0; NAME + 1];
        for (to, from) in short[..NAME]
            .iter_mut()
            .zip(name.iter().take_while(|byte| **byte != 0))
        {
            *to = *from;
        }
        // SAFETY: the text ends with a zero.
        unsafe {
            libc::pthread_setname_np(libc::pthread_self(), short.as_ptr().cast());
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod sys {
    /// Nothing here can be changed, so all threads are alike.
    pub type Inherited = ();

    pub fn inherited() -> Inherited {}

    pub fn get_name() -> Vec<u8> {
        Vec::new()
    }

    pub fn nice(_: i32) {}

    pub fn real_time(_: i32) {}

    pub fn affinity(_: u64) -> bool {
        true
    }

    pub fn name(_: &[u8]) {}
}
