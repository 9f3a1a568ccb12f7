//! Where the threads of a process that hangs are.

use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use crate::{process, project};

/// What the system says of each thread, and their stacks if gdb is there.
pub(crate) fn of(pid: u32) -> String {
    let mut text = String::new();
    let tasks = std::fs::read_dir(format!("/proc/{pid}/task"));
    for task in tasks.into_iter().flatten().flatten() {
        let read = |name: &str| std::fs::read_to_string(Path::join(&task.path(), name));
        let line = |name: &str| read(name).unwrap_or_default().trim().to_owned();
        let _ = writeln!(
            text,
            "thread {} ({}) in {}, {}",
            task.file_name().to_string_lossy(),
            line("comm"),
            line("wchan"),
            read("status")
                .unwrap_or_default()
                .lines()
                .find(|line| line.starts_with("State:"))
                .unwrap_or_default()
        );
    }
    if project::which("gdb").is_some() {
        let mut gdb = Command::new("gdb");
        gdb.args(["-p", &pid.to_string(), "-batch", "-ex"])
            .arg("thread apply all backtrace 30");
        if let Ok(outcome) = process::run(&mut gdb, Duration::from_secs(60), None) {
            text.push_str(&String::from_utf8_lossy(&outcome.stdout));
        }
    }
    text
}
