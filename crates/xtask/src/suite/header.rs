//! The comments at a test's top that say how it is run.
//!
//! ```text
//! -- One line: what is tested
//! -- needs: lua>=5.4 | luajit, linux    comma = and, bar = or; lua OP X.Y, luajit,
//! --                                    nojit, linux, socket, faults, tool:NAME
//! -- args: a b         arguments; one line per run (none: one run without)
//! -- load: lanes.v2    the interpreter's -l option; may be repeated
//! -- env: NAME=VALUE   may be repeated; {built} is where the modules lie
//! -- rc: N             expected status (0)
//! -- stderr: REGEX     must be found in standard error (which must else be empty)
//! -- timeout: S        seconds one run may take (30)
//! -- loop: N           repeat each run N times (1)
//! -- cpus: N           run on the first N processors
//! -- valgrind: yes     also part of `cargo xtask valgrind`; `leaks`: and leaks nothing
//! -- host: yes         run by the program of `tests/host`, where it is built
//! ```
//!
//! Any other comment line that starts with a lower-case word and a colon is an
//! error, so that a misspelt key does not go unnoticed.

use std::time::Duration;

use anyhow::{Context, Result, bail};
use regex::bytes::Regex;

use super::needs::Needs;

#[derive(Clone, Debug)]
pub(crate) struct Header {
    pub(crate) title: String,
    pub(crate) needs: Needs,
    pub(crate) args: Vec<Vec<String>>,
    pub(crate) load: Vec<String>,
    pub(crate) env: Vec<(String, String)>,
    pub(crate) rc: i32,
    pub(crate) stderr: Option<Regex>,
    pub(crate) timeout: Duration,
    pub(crate) loops: u32,
    pub(crate) cpus: Option<usize>,
    pub(crate) valgrind: Valgrind,
    pub(crate) host: bool,
}

/// What valgrind looks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Valgrind {
    /// The test is not for valgrind.
    No,
    /// Invalid uses of memory.
    Use,
    /// Also memory that nothing points to at the end.
    Leaks,
}

impl Default for Header {
    fn default() -> Header {
        Header {
            title: String::new(),
            needs: Needs::default(),
            args: Vec::new(),
            load: Vec::new(),
            env: Vec::new(),
            rc: 0,
            stderr: None,
            timeout: Duration::from_secs(30),
            loops: 1,
            cpus: None,
            valgrind: Valgrind::No,
            host: false,
        }
    }
}

impl Header {
    pub(crate) fn parse(source: &str) -> Result<Header> {
        let mut header = Header::default();
        let comments = source
            .lines()
            .skip_while(|l| l.starts_with("#!"))
            .map_while(|l| l.strip_prefix("--"));
        for (index, line) in comments.enumerate() {
            let line = line.trim();
            match line.split_once(':') {
                Some((key, value)) if is_key(key) => {
                    header
                        .set(key, value.trim())
                        .with_context(|| format!("header line `-- {line}`"))?;
                }
                _ if index == 0 => header.title = line.to_owned(),
                _ => {}
            }
        }
        if header.args.is_empty() {
            header.args.push(Vec::new());
        }
        Ok(header)
    }

    /// Sets one `key: value`.
    pub(crate) fn set(&mut self, key: &str, value: &str) -> Result<()> {
        match key {
            "needs" => self.needs = Needs::parse(value)?,
            "args" => self
                .args
                .push(value.split_whitespace().map(str::to_owned).collect()),
            "load" => self.load.push(value.to_owned()),
            "env" => {
                let (name, value) = value.split_once('=').context("not NAME=VALUE")?;
                self.env.push((name.to_owned(), value.to_owned()));
            }
            "rc" => self.rc = value.parse()?,
            "stderr" => self.stderr = Some(Regex::new(value)?),
            "timeout" => self.timeout = Duration::try_from_secs_f64(value.parse()?)?,
            "loop" => self.loops = value.parse()?,
            "cpus" => self.cpus = Some(value.parse()?),
            "valgrind" => {
                self.valgrind = match value {
                    "yes" => Valgrind::Use,
                    "leaks" => Valgrind::Leaks,
                    _ => bail!("not yes or leaks"),
                }
            }
            "host" if value == "yes" => self.host = true,
            "host" => bail!("not yes"),
            _ => bail!("unknown key `{key}`"),
        }
        Ok(())
    }
}

fn is_key(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_said() {
        let h = Header::parse("local x = 1\n-- rc: 7\n").unwrap();
        assert_eq!((h.title.as_str(), h.rc, h.loops, h.cpus), ("", 0, 1, None));
        assert_eq!(h.timeout, Duration::from_secs(30));
        assert_eq!(h.args, [Vec::<String>::new()]);
        assert!(h.stderr.is_none() && !h.host);
        assert_eq!(h.valgrind, Valgrind::No);
    }

    #[test]
    fn everything_said() {
        let h = Header::parse(
            "-- receive: takes nothing on timeout\n-- args: a  b\n-- args:\n-- Prose: not a key.\n-- rc: 3\n\
             -- loop: 5\n-- timeout: 0.5\n-- stderr: ^lua.*: boom\n-- cpus: 1\n-- env: A=b=c\n-- env: D=\n\
             -- load: lanes.v2\n-- valgrind: yes\n-- needs: linux\nlocal x\n-- rc: 9\n",
        );
        // The title has the form of a key: the author is told.
        assert!(format!("{:#}", h.unwrap_err()).contains("unknown key `receive`"));

        let h = Header::parse(
            "#!/usr/bin/lua\n-- Receive: takes nothing on timeout\n-- args: a  b\n-- args:\n-- Prose: not a key.\n\
             -- rc: 3\n-- loop: 5\n-- timeout: 0.5\n-- stderr: ^lua.*: boom\n-- cpus: 1\n-- env: A=b=c\n-- env: D=\n\
             -- load: lanes.v2\n-- valgrind: yes\n-- needs: linux\nlocal x\n-- rc: 9\n",
        )
        .unwrap();
        assert_eq!(h.title, "Receive: takes nothing on timeout");
        assert_eq!(h.args, [vec!["a".to_owned(), "b".to_owned()], vec![]]);
        assert_eq!((h.rc, h.loops, h.cpus), (3, 5, Some(1)));
        assert_eq!(h.valgrind, Valgrind::Use);
        assert_eq!(h.timeout, Duration::from_millis(500));
        assert_eq!(
            h.env,
            [
                ("A".to_owned(), "b=c".to_owned()),
                ("D".to_owned(), String::new())
            ]
        );
        assert_eq!(h.load, ["lanes.v2"]);
        assert!(h.stderr.unwrap().is_match(b"lua5.4: boom"));
        assert_eq!(h.needs, Needs::parse("linux").unwrap());
    }

    #[test]
    fn mistakes_are_told() {
        for bad in [
            "-- rc: x",
            "-- loops: 3",
            "-- timeout: -1",
            "-- stderr: (",
            "-- needs: moon",
            "-- env: A",
            "-- valgrind: no",
            "-- host: no",
        ] {
            assert!(Header::parse(bad).is_err(), "{bad}");
        }
    }
}
