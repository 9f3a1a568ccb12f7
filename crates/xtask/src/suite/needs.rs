//! `needs:`: what an interpreter or machine must have for a script to run.

use anyhow::{Result, bail};

use crate::build;
use crate::flavour::Flavour;
use crate::interpreter::Interpreter;
use crate::native;
use crate::project;

/// A conjunction of clauses, each a disjunction of terms.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Needs(Vec<Vec<Term>>);

#[derive(Clone, Debug, PartialEq)]
enum Term {
    Lua(Op, (u32, u32)),
    LuaJit,
    NoJit,
    Linux,
    Socket,
    Faults,
    Tool(String),
    Module(String),
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Op {
    Ge,
    Le,
    Eq,
    Gt,
    Lt,
}

/// What the terms are held against. LuaJIT counts as Lua 5.1.
#[derive(Clone, Debug)]
pub(crate) struct Facts {
    pub(crate) flavour: Flavour,
    pub(crate) version: (u32, u32),
    pub(crate) jit: bool,
    pub(crate) socket: bool,
}

impl Facts {
    pub(crate) fn of(interpreter: &Interpreter) -> Facts {
        Facts {
            flavour: interpreter.flavour,
            version: interpreter.flavour.version(),
            jit: interpreter.flavour.is_jit(),
            socket: interpreter.can_require("socket"),
        }
    }
}

impl Needs {
    /// Comma means and, bar means or: `lua>=5.4 | luajit, linux`.
    pub(crate) fn parse(text: &str) -> Result<Needs> {
        text.split(',')
            .map(str::trim)
            .filter(|clause| !clause.is_empty())
            .map(|clause| clause.split('|').map(|t| term(t.trim())).collect())
            .collect::<Result<_>>()
            .map(Needs)
    }

    /// Whether the module with panics on demand is asked for.
    pub(crate) fn faults(&self) -> bool {
        self.0.iter().flatten().any(|term| *term == Term::Faults)
    }

    /// The first clause that does not hold.
    pub(crate) fn unmet(&self, facts: &Facts) -> Option<String> {
        let clause = self
            .0
            .iter()
            .find(|clause| !clause.iter().any(|term| term.holds(facts)))?;
        Some(
            clause
                .iter()
                .map(Term::to_string)
                .collect::<Vec<_>>()
                .join(" | "),
        )
    }
}

fn term(text: &str) -> Result<Term> {
    Ok(match text {
        "luajit" => Term::LuaJit,
        "nojit" => Term::NoJit,
        "linux" => Term::Linux,
        "socket" => Term::Socket,
        "faults" => Term::Faults,
        _ => {
            if let Some((kind @ ("tool" | "module"), name)) = text.split_once(':') {
                let name = name.trim().to_owned();
                match kind {
                    _ if name.is_empty() => bail!("unknown need `{text}`: a name is missing"),
                    "tool" => Term::Tool(name),
                    _ => Term::Module(name),
                }
            } else if let Some(rest) = text.strip_prefix("lua") {
                comparison(text, rest.trim_start())?
            } else {
                bail!("unknown need `{text}`")
            }
        }
    })
}

fn comparison(text: &str, rest: &str) -> Result<Term> {
    const OPS: [(&str, Op); 5] = [
        (">=", Op::Ge),
        ("<=", Op::Le),
        ("==", Op::Eq),
        (">", Op::Gt),
        ("<", Op::Lt),
    ];
    for (sign, op) in OPS {
        if let Some(version) = rest.strip_prefix(sign)
            && let Some((major, minor)) = version.trim().split_once('.')
            && let (Ok(major), Ok(minor)) = (major.parse(), minor.parse())
        {
            return Ok(Term::Lua(op, (major, minor)));
        }
    }
    bail!("unknown need `{text}`")
}

impl Term {
    fn holds(&self, facts: &Facts) -> bool {
        match self {
            Term::Lua(op, version) => op.holds(facts.version, *version),
            Term::LuaJit => facts.jit,
            Term::NoJit => !facts.jit,
            Term::Linux => cfg!(target_os = "linux"),
            Term::Socket => facts.socket,
            Term::Faults => build::faults_path(facts.flavour).is_file(),
            Term::Tool(name) => project::which(name).is_some(),
            Term::Module(name) => native::path(facts.flavour, name).is_file(),
        }
    }
}

impl Op {
    fn holds(self, have: (u32, u32), want: (u32, u32)) -> bool {
        match self {
            Op::Ge => have >= want,
            Op::Le => have <= want,
            Op::Eq => have == want,
            Op::Gt => have > want,
            Op::Lt => have < want,
        }
    }
}

impl std::fmt::Display for Term {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Term::Lua(op, (major, minor)) => {
                let sign = match op {
                    Op::Ge => ">=",
                    Op::Le => "<=",
                    Op::Eq => "==",
                    Op::Gt => ">",
                    Op::Lt => "<",
                };
                write!(f, "lua{sign}{major}.{minor}")
            }
            Term::LuaJit => f.write_str("luajit"),
            Term::NoJit => f.write_str("nojit"),
            Term::Linux => f.write_str("linux"),
            Term::Socket => f.write_str("socket (luasocket)"),
            Term::Faults => f.write_str("faults (a module with panics on demand)"),
            Term::Tool(name) => write!(f, "tool:{name}"),
            Term::Module(name) => write!(
                f,
                "module:{name} (tests/native, built where the headers are)"
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unmet(needs: &str, version: (u32, u32), jit: bool) -> Option<String> {
        Needs::parse(needs).unwrap().unmet(&Facts {
            flavour: Flavour::Lua54,
            version,
            jit,
            socket: false,
        })
    }

    #[test]
    fn and_or() {
        let needs = "lua >= 5.4 | luajit, lua<5.5";
        assert_eq!(unmet(needs, (5, 4), false), None);
        assert_eq!(unmet(needs, (5, 1), true), None);
        assert_eq!(
            unmet(needs, (5, 1), false).as_deref(),
            Some("lua>=5.4 | luajit")
        );
        assert_eq!(unmet(needs, (5, 5), false).as_deref(), Some("lua<5.5"));
        assert_eq!(unmet("", (5, 1), false), None);
    }

    #[test]
    fn other_terms() {
        assert_eq!(
            unmet("socket", (5, 1), false).as_deref(),
            Some("socket (luasocket)")
        );
        assert_eq!(unmet("nojit", (5, 1), true).as_deref(), Some("nojit"));
        assert!(Needs::parse("faults, linux").unwrap().faults());
        assert!(!Needs::parse("linux").unwrap().faults());
        assert!(unmet("tool:no-such-tool-here", (5, 1), true).is_some());
        assert!(unmet("module:no_such_module", (5, 1), true).is_some());
        for bad in [
            "lau>=5.1", "lua", "lua>=5", "lua=5.1", "tool:", "module:", "lua5.4",
        ] {
            assert!(Needs::parse(bad).is_err(), "{bad}");
        }
    }
}
