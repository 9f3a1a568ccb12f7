//! Runs a program under a time limit in a process group of its own.
//!
//! A hang ends with the whole group killed, so no grandchild is left behind.
//! Output goes to temporary files: a pipe that nobody reads, or that a
//! grandchild keeps open, can not hold us up.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

/// Process groups that are running, for the interrupt handler.
static LIVE: Mutex<BTreeSet<u32>> = Mutex::new(BTreeSet::new());

/// How a run ended, with what it printed.
pub(crate) struct Outcome {
    pub(crate) ended: Ended,
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: Vec<u8>,
    pub(crate) took: Duration,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ended {
    Exit(i32),
    Signal(i32),
    Hang,
}

/// Runs `cmd` with an empty standard input, on the first `cpus` processors if given.
pub(crate) fn run(cmd: &mut Command, limit: Duration, cpus: Option<usize>) -> Result<Outcome> {
    watch(cmd, limit, cpus, |_| {})
}

/// [`run`]; a process that hangs is shown to `hung` before it is killed.
pub(crate) fn watch(
    cmd: &mut Command,
    limit: Duration,
    cpus: Option<usize>,
    hung: impl FnOnce(u32),
) -> Result<Outcome> {
    let mut out = tempfile::tempfile().context("cannot make a temporary file")?;
    let mut err = tempfile::tempfile().context("cannot make a temporary file")?;
    cmd.stdin(Stdio::null())
        .stdout(out.try_clone()?)
        .stderr(err.try_clone()?);
    prepare(cmd, cpus);
    let begun = Instant::now();
    let mut child = cmd
        .spawn()
        .with_context(|| format!("cannot start {}", cmd.get_program().to_string_lossy()))?;
    live(|set| set.insert(child.id()));
    let status = wait(&mut child, begun + limit);
    let took = begun.elapsed();
    if matches!(status, Ok(None)) {
        hung(child.id());
    }
    kill_group(child.id());
    live(|set| set.remove(&child.id()));
    let ended = match status? {
        Some(status) => ended(status),
        None => {
            child.kill().ok();
            child.wait()?;
            Ended::Hang
        }
    };
    Ok(Outcome {
        ended,
        stdout: contents(&mut out)?,
        stderr: contents(&mut err)?,
        took,
    })
}

/// None when the time is up. Time in which this program did not run either does
/// not count: all was stopped then, or the machine slept.
fn wait(child: &mut Child, mut deadline: Instant) -> Result<Option<ExitStatus>> {
    /// No pause takes so long, however busy the machine is.
    const STOPPED: Duration = Duration::from_secs(2);
    let mut pause = Duration::from_micros(200);
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        let before = Instant::now();
        if before >= deadline {
            return Ok(None);
        }
        std::thread::sleep(pause);
        let slept = before.elapsed();
        if slept > STOPPED {
            deadline += slept;
        }
        pause = (pause * 2).min(Duration::from_millis(10));
    }
}

fn contents(file: &mut File) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.seek(SeekFrom::Start(0))?;
    file.read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn live<T>(f: impl FnOnce(&mut BTreeSet<u32>) -> T) -> T {
    f(&mut LIVE.lock().unwrap_or_else(PoisonError::into_inner))
}

/// An interrupt at the terminal does not reach groups of their own by itself.
#[cfg(unix)]
pub(crate) fn kill_children_when_interrupted() -> Result<()> {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    let mut signals = signal_hook::iterator::Signals::new([SIGHUP, SIGINT, SIGTERM])?;
    std::thread::spawn(move || {
        if let Some(signal) = signals.forever().next() {
            live(|set| set.iter().copied().for_each(kill_group));
            std::process::exit(128 + signal);
        }
    });
    Ok(())
}

#[cfg(not(unix))]
pub(crate) fn kill_children_when_interrupted() -> Result<()> {
    Ok(())
}

#[cfg(unix)]
fn ended(status: ExitStatus) -> Ended {
    use std::os::unix::process::ExitStatusExt;
    match (status.code(), status.signal()) {
        (Some(code), _) => Ended::Exit(code),
        (None, signal) => Ended::Signal(signal.unwrap_or(0)),
    }
}

#[cfg(not(unix))]
fn ended(status: ExitStatus) -> Ended {
    Ended::Exit(status.code().unwrap_or(-1))
}

#[cfg(unix)]
fn kill_group(pid: u32) {
    if let Ok(pid) = libc::pid_t::try_from(pid) {
        // SAFETY: only sends a signal, to a group that we made (`process_group`).
        unsafe { libc::killpg(pid, libc::SIGKILL) };
    }
}

#[cfg(not(unix))]
fn kill_group(_pid: u32) {}

#[cfg(unix)]
fn prepare(cmd: &mut Command, cpus: Option<usize>) {
    use std::os::unix::process::CommandExt;
    cmd.process_group(0);
    // SAFETY: between fork and exec only system calls are made, on values that
    // were copied into the closure; nothing allocates or locks.
    unsafe {
        cmd.pre_exec(move || {
            let none = libc::rlimit {
                rlim_cur: 0,
                rlim_max: 0,
            };
            // A crash is reported by its signal; nobody reads the core file.
            libc::setrlimit(libc::RLIMIT_CORE, &raw const none);
            match cpus {
                Some(count) => keep_first_cpus(count),
                None => Ok(()),
            }
        });
    }
}

#[cfg(not(unix))]
fn prepare(_cmd: &mut Command, _cpus: Option<usize>) {}

#[cfg(target_os = "linux")]
fn keep_first_cpus(count: usize) -> std::io::Result<()> {
    // SAFETY: the sets are plain bit arrays that live on this stack, their true
    // size is passed, and every index is below CPU_SETSIZE.
    unsafe {
        let size = size_of::<libc::cpu_set_t>();
        let mut allowed: libc::cpu_set_t = std::mem::zeroed();
        if libc::sched_getaffinity(0, size, &raw mut allowed) != 0 {
            return Err(std::io::Error::last_os_error());
        }
        let mut wanted: libc::cpu_set_t = std::mem::zeroed();
        let mut left = count;
        for cpu in 0..libc::CPU_SETSIZE.unsigned_abs() as usize {
            if left > 0 && libc::CPU_ISSET(cpu, &allowed) {
                libc::CPU_SET(cpu, &mut wanted);
                left -= 1;
            }
        }
        if libc::sched_setaffinity(0, size, &raw const wanted) != 0 {
            return Err(std::io::Error::last_os_error());
        }
    }
    Ok(())
}

#[cfg(all(unix, not(target_os = "linux")))]
fn keep_first_cpus(_count: usize) -> std::io::Result<()> {
    Ok(())
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn sh(script: &str, ms: u64) -> Outcome {
        run(
            Command::new("sh").args(["-c", script]),
            Duration::from_millis(ms),
            Some(1),
        )
        .unwrap()
    }

    #[test]
    fn status_signal_hang() {
        let done = sh("echo out; echo err >&2; exit 3", 10_000);
        assert_eq!(
            (done.ended, &done.stdout[..], &done.stderr[..]),
            (Ended::Exit(3), &b"out\n"[..], &b"err\n"[..])
        );
        assert_eq!(sh("kill -9 $$", 10_000).ended, Ended::Signal(9));
        let hung = sh("sleep 60 & sleep 60", 50);
        assert_eq!(hung.ended, Ended::Hang);
        assert!(hung.took < Duration::from_secs(30));
    }
}
