//! `cargo xtask`: build, test and measure over every Lua flavour.
//!
//! One file per command in [`commands`]; what `test` runs stands in [`suite`].

mod bench;
mod build;
mod commands;
mod flavour;
mod interpreter;
mod licences;
mod native;
mod process;
mod project;
mod stress;
mod suite;
mod tally;

use std::process::ExitCode;

use commands::sanitize::Sanitizer;

const USAGE: &str = "\
usage: cargo xtask COMMAND [options]

  setup      install what the tests need (Debian, as root), or say what to install
  build      build lanes.so for Lua flavours            --flavour X|all  --runner  --debug
  install    build lanes.so for an interpreter and put   --lua PROGRAM  --lib DIR  --share DIR
             it into a directory
  dist       make archives, one for each flavour         --flavour X|all
  test       run the Lua tests on every flavour         --flavour X  --only PATTERN  --jobs N  -v
  test --all install, lint, Rust tests, models, and the Lua tests on every flavour
  package    check the archives, and `luarocks make`    --flavour X|all
  pair       build and run the benchmark pair           --flavour X  --size N  --count N
  bench      measure every workload beside its rivals   --only ROW  --flavour X  --runs N  --quick  --list
                                                        --rival NAME  --with-module NAME=DIRECTORY  --no-write
  stress     run random programs and watch their memory --flavour X  --minutes N  --seed N  --repeat N  --cores 1|2  --jobs N
  stress --exits N  run every way out of a program N times  --flavour X  --only NAME  --cores 1|2  --jobs N
  stress --tests N  run the Lua tests N times over       --flavour X  --only PATTERN  --jobs N
  valgrind   run the tests marked for it under valgrind --flavour X  --only PATTERN  --jobs N
                                                        --tool memcheck|helgrind|drd
  loom       run the concurrency models of the core
  tsan, asan run the core's tests and the marked ones with a sanitizer  --flavour X  --only PATTERN  --jobs N
  miri       run the core's tests in Miri, if it is installed

A flavour is 5.1, 5.2, 5.3, 5.4, 5.5, jit or all; --flavour may be repeated.
";

fn main() -> ExitCode {
    match run() {
        Ok(code) => code,
        Err(error) => {
            eprintln!("xtask: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> anyhow::Result<ExitCode> {
    process::kill_children_when_interrupted()?;
    let mut parser = lexopt::Parser::from_env();
    let command = match parser.next()? {
        Some(lexopt::Arg::Value(name)) => name.to_string_lossy().into_owned(),
        Some(lexopt::Arg::Long("help") | lexopt::Arg::Short('h')) => {
            print!("{USAGE}");
            return Ok(ExitCode::SUCCESS);
        }
        Some(other) => return Err(other.unexpected().into()),
        None => {
            eprint!("{USAGE}");
            return Ok(ExitCode::from(2));
        }
    };
    match command.as_str() {
        "help" => {
            print!("{USAGE}");
            Ok(ExitCode::SUCCESS)
        }
        "setup" => commands::setup::main(parser),
        "build" => commands::build::main(parser),
        "install" => commands::install::main(parser),
        "dist" => commands::dist::main(parser),
        "test" => commands::test::main(parser),
        "package" => commands::package::main(parser),
        "pair" => commands::pair::main(parser),
        "bench" => bench::main(parser),
        "stress" => commands::stress::main(parser),
        "valgrind" => commands::valgrind::main(parser),
        "loom" => commands::loom::main(parser),
        "tsan" => commands::sanitize::main(Sanitizer::Thread, parser),
        "asan" => commands::sanitize::main(Sanitizer::Address, parser),
        "miri" => commands::sanitize::miri(parser),
        other => anyhow::bail!("unknown command `{other}`; `cargo xtask help` lists them"),
    }
}
