//! `lanes`: a stand-alone Lua interpreter with the module inside.
//!
//! It takes the options of the stock interpreter and behaves like it; the names
//! that `lanes.so` would answer to are in `package.preload`.

mod bench;
mod command_line;
mod interpreter;
mod interrupt;
mod paths;
mod prompt;

use std::process::ExitCode;

const USAGE: &str = "\
usage: lanes [options] [script [args]]
       lanes bench [options]    measure lanes on this machine
  -e stat   execute string 'stat'
  -i        enter interactive mode after executing 'script'
  -l mod    require library 'mod' into global 'mod'
  -l g=mod  require library 'mod' into global 'g'
  -v        show version information (also --version)
  -E        ignore environment variables
  -W        turn warnings on
  --        stop handling options
  -         stop handling options and execute stdin
";

fn main() -> ExitCode {
    let mut args = std::env::args_os();
    // A script of that name is run by `lanes ./bench` or `lanes -- bench`.
    if args.nth(1).is_some_and(|arg| arg == "bench") {
        return bench::main(args);
    }
    end_when_nobody_reads();
    let args = std::env::args_os().collect();
    match command_line::CommandLine::parse(args) {
        Ok(line) => interpreter::run(line),
        Err(command_line::Exit::Help) => {
            print!("{USAGE}");
            ExitCode::SUCCESS
        }
        Err(command_line::Exit::Bad(message)) => {
            eprint!("lanes: {message}\n{USAGE}");
            ExitCode::FAILURE
        }
    }
}

/// Rust ignores SIGPIPE; Lua scripts do not look at what `print` cannot write
/// and would run on for ever, and so would the programs that they start.
fn end_when_nobody_reads() {
    #[cfg(unix)]
    // SAFETY: sets the default action, before any other thread exists.
    unsafe {
        libc::signal(libc::SIGPIPE, libc::SIG_DFL);
    }
}
