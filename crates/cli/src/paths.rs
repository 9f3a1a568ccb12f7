//! `package.path` and `package.cpath`, as the system's own interpreters have them.
//!
//! The vendored Lua knows `/usr/local` only. Debian and its relatives put Lua
//! and C modules below `/usr`, the latter in a directory named after the
//! processor.

use std::ffi::CString;

/// Values to put into `package`; None keeps what Lua made of it.
#[derive(Debug, Default)]
pub(crate) struct Paths {
    pub(crate) path: Option<CString>,
    pub(crate) cpath: Option<CString>,
}

/// The directory name of this Lua version.
const VERSION: &str = if cfg!(feature = "lua52") {
    "5.2"
} else if cfg!(feature = "lua53") {
    "5.3"
} else if cfg!(feature = "lua54") {
    "5.4"
} else if cfg!(feature = "lua55") {
    "5.5"
} else {
    "5.1"
};

/// 5.2 and later read the variables with their version appended first.
pub(crate) const VERSIONED_ENV: Option<&str> = if cfg!(feature = "lua52") {
    Some("_5_2")
} else if cfg!(feature = "lua53") {
    Some("_5_3")
} else if cfg!(feature = "lua54") {
    Some("_5_4")
} else if cfg!(feature = "lua55") {
    Some("_5_5")
} else {
    None
};

/// Where the current directory stands: first up to 5.1, last from 5.2 on.
const HERE_FIRST: bool = VERSIONED_ENV.is_none();

impl Paths {
    pub(crate) fn find(no_environment: bool) -> Paths {
        if !cfg!(all(unix, not(target_os = "macos"))) {
            return Paths::default();
        }
        let from_env = |name| if no_environment { None } else { variable(name) };
        Paths {
            path: CString::new(combine(from_env("LUA_PATH"), &default_path())).ok(),
            cpath: CString::new(combine(from_env("LUA_CPATH"), &default_cpath())).ok(),
        }
    }
}

/// An environment variable, its versioned name first.
pub(crate) fn variable(name: &str) -> Option<Vec<u8>> {
    let versioned = VERSIONED_ENV.and_then(|suffix| std::env::var_os(format!("{name}{suffix}")));
    versioned
        .or_else(|| std::env::var_os(name))
        .map(std::ffi::OsString::into_encoded_bytes)
}

/// A double semicolon in the variable stands for the default.
fn combine(variable: Option<Vec<u8>>, default: &str) -> Vec<u8> {
    let Some(value) = variable else {
        return default.into();
    };
    let Some(at) = value.windows(2).position(|pair| pair == b";;") else {
        return value;
    };
    let (before, after) = (&value[..at], &value[at + 2..]);
    [before, default.as_bytes(), after]
        .iter()
        .filter(|part| !part.is_empty())
        .copied()
        .collect::<Vec<_>>()
        .join(&b';')
}

fn default_path() -> String {
    let dirs = [
        "/usr/local/share/lua/",
        "/usr/local/lib/lua/",
        "/usr/share/lua/",
    ];
    let mut items = Vec::new();
    for dir in dirs {
        items.push(format!("{dir}{VERSION}/?.lua"));
        items.push(format!("{dir}{VERSION}/?/init.lua"));
    }
    let mut here = vec!["./?.lua".to_owned()];
    if !HERE_FIRST {
        here.push("./?/init.lua".to_owned());
    }
    assemble(here, items)
}

fn default_cpath() -> String {
    let mut items = vec![format!("/usr/local/lib/lua/{VERSION}/?.so")];
    if let Some(multiarch) = multiarch() {
        items.push(format!("/usr/lib/{multiarch}/lua/{VERSION}/?.so"));
    }
    items.push(format!("/usr/lib/lua/{VERSION}/?.so"));
    items.push(format!("/usr/local/lib/lua/{VERSION}/loadall.so"));
    assemble(vec!["./?.so".to_owned()], items)
}

fn assemble(here: Vec<String>, items: Vec<String>) -> String {
    let (first, second) = if HERE_FIRST {
        (here, items)
    } else {
        (items, here)
    };
    [first, second].concat().join(";")
}

/// Debian's name for this kind of machine.
fn multiarch() -> Option<&'static str> {
    Some(
        match (std::env::consts::ARCH, cfg!(target_endian = "little")) {
            _ if !cfg!(all(target_os = "linux", target_env = "gnu")) => return None,
            ("x86_64", _) => "x86_64-linux-gnu",
            ("aarch64", true) => "aarch64-linux-gnu",
            ("x86", _) => "i386-linux-gnu",
            ("arm", true) => "arm-linux-gnueabihf",
            ("riscv64", _) => "riscv64-linux-gnu",
            ("powerpc64", true) => "powerpc64le-linux-gnu",
            ("s390x", _) => "s390x-linux-gnu",
            ("loongarch64", _) => "loongarch64-linux-gnu",
            _ => return None,
        },
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn double_semicolon() {
        let combined = |value: &str| String::from_utf8(combine(Some(value.into()), "D;E")).unwrap();
        assert_eq!(combined("a"), "a");
        assert_eq!(combined("a;;"), "a;D;E");
        assert_eq!(combined(";;b"), "D;E;b");
        assert_eq!(combined("a;;b"), "a;D;E;b");
        assert_eq!(combined(";;"), "D;E");
        assert_eq!(combined(""), "");
        assert_eq!(combine(None, "D"), b"D");
    }
}
