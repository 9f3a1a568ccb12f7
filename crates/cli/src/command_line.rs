//! The command line, read as the stock interpreter reads it.

use std::ffi::{CString, OsString};

/// What was asked for. Strings are C strings: they are handed to Lua by code
/// that may be left by a Lua error and so must not own memory.
#[derive(Debug, Default)]
pub(crate) struct CommandLine {
    /// Every argument, the program's name first.
    pub(crate) all: Vec<CString>,
    /// `-e`, `-l` and `-W`, in order.
    pub(crate) actions: Vec<Action>,
    /// Index in `all` of the script's name.
    pub(crate) script: Option<usize>,
    pub(crate) interactive: bool,
    pub(crate) version: bool,
    pub(crate) no_environment: bool,
}

#[derive(Debug, PartialEq)]
pub(crate) enum Action {
    /// Chunk to run.
    Execute(CString),
    /// Global to set (5.2 and later), module to require.
    Require(CString, CString),
    /// Warnings on (5.4 and later).
    Warn,
}

/// Why nothing is run.
#[derive(Debug, PartialEq)]
pub(crate) enum Exit {
    Help,
    Bad(String),
}

impl CommandLine {
    pub(crate) fn parse(args: Vec<OsString>) -> Result<CommandLine, Exit> {
        let all: Vec<CString> = args.into_iter().map(c_string).collect::<Result<_, _>>()?;
        let mut line = CommandLine::default();
        let mut index = 1;
        while let Some(arg) = all.get(index) {
            let bytes = arg.as_bytes();
            let mut value = |name: &str| {
                let attached = &bytes[2..];
                if !attached.is_empty() {
                    return owned(attached);
                }
                index += 1;
                match all.get(index) {
                    Some(next) if !next.as_bytes().starts_with(b"-") || name == "-e" => {
                        owned(next.as_bytes())
                    }
                    _ => Err(Exit::Bad(format!("'{name}' needs argument"))),
                }
            };
            match bytes {
                b"--" => {
                    index += 1;
                    break;
                }
                b"-i" => {
                    line.interactive = true;
                    line.version = true;
                }
                b"-v" | b"--version" => line.version = true,
                b"-E" => line.no_environment = true,
                b"-W" => line.actions.push(Action::Warn),
                b"-h" | b"--help" => return Err(Exit::Help),
                _ if bytes.starts_with(b"-e") => {
                    let chunk = value("-e")?;
                    line.actions.push(Action::Execute(chunk));
                }
                _ if bytes.starts_with(b"-l") => {
                    let name = value("-l")?;
                    line.actions.push(require(name.as_bytes())?);
                }
                // A lone `-` is the script that is read from standard input.
                _ if bytes.starts_with(b"-") && bytes != b"-" => {
                    return Err(Exit::Bad(format!(
                        "unrecognized option '{}'",
                        arg.to_string_lossy()
                    )));
                }
                _ => break,
            }
            index += 1;
        }
        line.script = (index < all.len()).then_some(index);
        line.all = all;
        Ok(line)
    }
}

/// `mod` or `g=mod`; a suffix after a hyphen is no part of the global's name.
fn require(text: &[u8]) -> Result<Action, Exit> {
    let (global, module) = match text.iter().position(|b| *b == b'=') {
        Some(at) => (&text[..at], &text[at + 1..]),
        None => (text.split(|b| *b == b'-').next().unwrap_or(text), text),
    };
    Ok(Action::Require(owned(global)?, owned(module)?))
}

fn owned(bytes: &[u8]) -> Result<CString, Exit> {
    CString::new(bytes).map_err(|_| Exit::Bad("an argument contains a zero byte".to_owned()))
}

#[cfg(unix)]
fn c_string(arg: OsString) -> Result<CString, Exit> {
    use std::os::unix::ffi::OsStringExt;
    owned(&arg.into_vec())
}

#[cfg(not(unix))]
fn c_string(arg: OsString) -> Result<CString, Exit> {
    owned(arg.to_string_lossy().as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(args: &str) -> Result<CommandLine, Exit> {
        CommandLine::parse(
            std::iter::once("lanes")
                .chain(args.split_whitespace())
                .map(OsString::from)
                .collect(),
        )
    }

    fn c(text: &str) -> CString {
        CString::new(text).unwrap()
    }

    #[test]
    fn options_then_script() {
        let line =
            parse("-e x=1 -lone -l two.three -l g=four-v2 -l five-v2 -W script.lua -v a").unwrap();
        assert_eq!(
            line.actions,
            [
                Action::Execute(c("x=1")),
                Action::Require(c("one"), c("one")),
                Action::Require(c("two.three"), c("two.three")),
                Action::Require(c("g"), c("four-v2")),
                Action::Require(c("five"), c("five-v2")),
                Action::Warn,
            ]
        );
        assert_eq!(
            line.script.map(|i| line.all[i].clone()),
            Some(c("script.lua"))
        );
        assert!(!line.version && !line.interactive);
    }

    #[test]
    fn ends_of_options() {
        assert_eq!(parse("").unwrap().script, None);
        assert_eq!(parse("-v").unwrap().script, None);
        assert_eq!(parse("- a").unwrap().script, Some(1));
        assert_eq!(parse("-i -- -x.lua").unwrap().script, Some(3));
        assert_eq!(parse("--").unwrap().script, None);
        assert_eq!(parse("-e -x").unwrap().actions, [Action::Execute(c("-x"))]);
    }

    #[test]
    fn mistakes() {
        let message = |args| match parse(args) {
            Err(Exit::Bad(message)) => message,
            other => panic!("{other:?}"),
        };
        assert_eq!(message("-x"), "unrecognized option '-x'");
        assert_eq!(message("-e"), "'-e' needs argument");
        assert_eq!(message("-l -v"), "'-l' needs argument");
    }
}
