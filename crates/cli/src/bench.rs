//! `lanes bench`: the benchmark pair, here and on the interpreters of the
//! machine that have a module `lanes`, whoever made it.

use std::collections::HashSet;
use std::ffi::OsString;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use lexopt::ValueExt;

use crate::interpreter::LUA;

const USAGE: &str = "\
usage: lanes bench [options]
  --size N         bytes of a message (512)
  --round-trips N  for the latency (20000)
  --messages N     for the throughput (200000)
  --runs N         of each; the table has the medians (3)

Measures one-way latency (a message goes to another lane and comes back) and
one-way throughput (a queue of 100), in this interpreter and in those of the
machine that can require a module named 'lanes'.
";

const LAT: &str = include_str!("../../../benches/lua/lat.lua");
const THR: &str = include_str!("../../../benches/lua/thr.lua");

/// Tells what a foreign interpreter would measure.
const PROBE: &str = r#"
local found, lanes = pcall(require, "lanes")
if not found then io.write "none" os.exit(0) end
if type(lanes) == "table" and lanes.configure then lanes = lanes.configure() or lanes end
local about = type(lanes) == "table" and lanes.ABOUT or {}
local ours = tostring(about.author):find("rlanes", 1, true)
io.write(ours and "rlanes " or "lanes ", tostring(about.version))
"#;

const INTERPRETERS: [&str; 7] = [
    "lua5.1", "lua5.2", "lua5.3", "lua5.4", "lua5.5", "lua", "luajit",
];

/// What was asked for.
#[derive(Debug, PartialEq)]
struct Options {
    size: u32,
    round_trips: u32,
    messages: u32,
    runs: u32,
}

/// One line of the table.
struct Contestant {
    name: String,
    module: String,
    program: PathBuf,
    /// What stands before the script's name.
    options: &'static [&'static str],
}

/// Runs the subcommand; `args` are those after its name.
pub(crate) fn main(args: impl Iterator<Item = OsString>) -> ExitCode {
    let options = match options(args) {
        Ok(Some(options)) => options,
        Ok(None) => {
            print!("{USAGE}");
            return ExitCode::SUCCESS;
        }
        Err(error) => {
            eprint!("lanes: bench: {error}\n{USAGE}");
            return ExitCode::FAILURE;
        }
    };
    match bench(&options) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("lanes: bench: {error}");
            ExitCode::FAILURE
        }
    }
}

/// None when help was asked for.
fn options(args: impl Iterator<Item = OsString>) -> Result<Option<Options>, lexopt::Error> {
    let mut options = Options {
        size: 512,
        round_trips: 20_000,
        messages: 200_000,
        runs: 3,
    };
    let mut parser = lexopt::Parser::from_args(args);
    while let Some(arg) = parser.next()? {
        let (field, least) = match arg {
            lexopt::Arg::Long("size") => (&mut options.size, 0),
            lexopt::Arg::Long("round-trips") => (&mut options.round_trips, 1),
            // The clock runs from the first to the last.
            lexopt::Arg::Long("messages") => (&mut options.messages, 2),
            lexopt::Arg::Long("runs") => (&mut options.runs, 1),
            lexopt::Arg::Long("help") | lexopt::Arg::Short('h') => return Ok(None),
            other => return Err(other.unexpected()),
        };
        *field = parser.value()?.parse()?;
        if *field < least {
            return Err(format!("{field} is too small, at least {least}").into());
        }
    }
    Ok(Some(options))
}

/// Measures and prints; false when a contestant failed.
fn bench(options: &Options) -> std::io::Result<bool> {
    let (contestants, left_out) = contestants()?;
    let bar = ProgressBar::new(contestants.len() as u64 * 2 * u64::from(options.runs));
    if let Ok(style) = ProgressStyle::with_template("{bar:30} {pos}/{len} {wide_msg}") {
        bar.set_style(style);
    }
    bar.enable_steady_tick(Duration::from_millis(100));
    let mut rows = Vec::new();
    for contestant in &contestants {
        bar.set_message(format!("{}: latency", contestant.name));
        let (lat, thr) = (options.round_trips, options.messages);
        let lat = median(contestant, LAT, options, lat, "one_way_us", &bar);
        bar.set_message(format!("{}: throughput", contestant.name));
        let thr = median(contestant, THR, options, thr, "msgs_per_s", &bar);
        rows.push((contestant, lat, thr));
    }
    bar.finish_and_clear();

    let mut out = std::io::stdout().lock();
    let Options { size, runs, .. } = options;
    writeln!(out, "messages of {size} bytes, median of {runs}")?;
    writeln!(
        out,
        "{:<20} {:<14} {:>16} {:>22}",
        "interpreter", "module", "one way [us]", "one way [messages/s]"
    )?;
    let mut ok = true;
    let mut errors = Vec::new();
    for (contestant, lat, thr) in rows {
        let mut cell = |result: Result<f64, String>, digits| match result {
            Ok(figure) => format!("{figure:.digits$}"),
            Err(error) => {
                ok = false;
                errors.push(format!("{}: {error}", contestant.name));
                "failed".to_owned()
            }
        };
        let (lat, thr) = (cell(lat, 3), cell(thr, 0));
        writeln!(
            out,
            "{:<20} {:<14} {lat:>16} {thr:>22}",
            contestant.name, contestant.module
        )?;
    }
    for name in left_out {
        writeln!(out, "not measured: {name} has no module 'lanes'")?;
    }
    for error in errors {
        eprintln!("lanes: bench: {error}");
    }
    Ok(ok)
}

/// This interpreter and those that have a module, and the names of those that
/// have none.
fn contestants() -> std::io::Result<(Vec<Contestant>, Vec<String>)> {
    let this = std::env::current_exe()?;
    let mut found = vec![Contestant {
        name: format!("lanes ({LUA})"),
        module: format!("rlanes {}", env!("CARGO_PKG_VERSION")),
        program: this.clone(),
        options: &["-E"],
    }];
    let mut left_out = Vec::new();
    let mut seen = HashSet::from([this.canonicalize().unwrap_or(this)]);
    for name in INTERPRETERS {
        let Some(program) = in_path(name) else {
            continue;
        };
        // `lua` is often one of the others.
        if !seen.insert(program.canonicalize().unwrap_or_else(|_| program.clone())) {
            continue;
        }
        match probe(&program) {
            Some(module) => found.push(Contestant {
                name: name.to_owned(),
                module,
                program,
                options: &[],
            }),
            None => left_out.push(name.to_owned()),
        }
    }
    Ok((found, left_out))
}

fn in_path(name: &str) -> Option<PathBuf> {
    let name = format!("{name}{}", std::env::consts::EXE_SUFFIX);
    std::env::split_paths(&std::env::var_os("PATH")?)
        .map(|dir| dir.join(&name))
        .find(|file| file.is_file())
}

/// The module that this interpreter has.
fn probe(program: &Path) -> Option<String> {
    let mut cmd = command(program);
    cmd.args(["-e", PROBE]).stdin(Stdio::null());
    let (ok, out, _) = run(&mut cmd, "", Duration::from_secs(20)).ok()?;
    (ok && out != "none" && !out.is_empty()).then_some(out)
}

fn command(program: &Path) -> Command {
    let mut cmd = Command::new(program);
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("LUA_INIT") {
            cmd.env_remove(name);
        }
    }
    // The scripts are written for today's interface.
    cmd.env_remove("LANES_API");
    cmd
}

/// The median of a script's figure over all runs.
fn median(
    contestant: &Contestant,
    script: &str,
    options: &Options,
    count: u32,
    field: &str,
    bar: &ProgressBar,
) -> Result<f64, String> {
    let mut figures = Vec::new();
    for _ in 0..options.runs {
        let mut cmd = command(&contestant.program);
        cmd.args(contestant.options).arg("-");
        cmd.args([options.size.to_string(), count.to_string()]);
        // Far above any honest result: only a hang is ended.
        let limit = Duration::from_secs(60) + Duration::from_micros(200) * count;
        let ended = run(&mut cmd, script, limit);
        bar.inc(1);
        let (ok, out, err) = ended.map_err(|error| error.to_string())?;
        let figure = out
            .split_whitespace()
            .filter_map(|word| word.split_once('='))
            .find(|(key, _)| *key == field)
            .and_then(|(_, figure)| figure.parse::<f64>().ok());
        match figure.filter(|_| ok) {
            Some(figure) => figures.push(figure),
            None if err.is_empty() => return Err(format!("no result: {out}")),
            None => return Err(err.lines().next().unwrap_or_default().to_owned()),
        }
    }
    figures.sort_by(f64::total_cmp);
    Ok(figures[figures.len() / 2])
}

/// Runs a program with this input. Answers whether it ended well, and what it
/// wrote.
fn run(cmd: &mut Command, input: &str, limit: Duration) -> std::io::Result<(bool, String, String)> {
    if !input.is_empty() {
        cmd.stdin(Stdio::piped());
    }
    let mut child = cmd.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    if let Some(mut stdin) = child.stdin.take() {
        // Who does not read it says why itself.
        let _ = stdin.write_all(input.as_bytes());
    }
    let ok = wait(&mut child, limit)?;
    // A few lines at most, which the pipes have held.
    let (mut out, mut err) = (Vec::new(), Vec::new());
    if let (Some(stdout), Some(stderr)) = (&mut child.stdout, &mut child.stderr) {
        stdout.read_to_end(&mut out)?;
        stderr.read_to_end(&mut err)?;
    }
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).trim().to_owned();
    Ok((ok, text(out), text(err)))
}

/// Waits for a child, not for ever; its pipes are not read meanwhile.
fn wait(child: &mut Child, limit: Duration) -> std::io::Result<bool> {
    let start = Instant::now();
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(status.success());
        }
        if start.elapsed() > limit {
            child.kill()?;
            child.wait()?;
            return Err(std::io::Error::other("did not end in time"));
        }
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(args: &str) -> Result<Option<Options>, String> {
        options(args.split_whitespace().map(OsString::from)).map_err(|error| error.to_string())
    }

    #[test]
    fn command_line() {
        let given = parse("--size 1 --runs=2 --messages 3 --round-trips 4");
        let want = Options {
            size: 1,
            round_trips: 4,
            messages: 3,
            runs: 2,
        };
        assert_eq!(given, Ok(Some(want)));
        assert_eq!(parse("-h"), Ok(None));
        assert!(parse("--runs 0").is_err_and(|error| error.contains("too small")));
        assert!(parse("--messages 1").is_err());
        assert!(parse("--size x").is_err());
        assert!(parse("--what").is_err_and(|error| error.contains("--what")));
    }
}
