//! The Lua flavours, and what each is called by whom.

use anyhow::{Result, bail};

/// One of the interpreters' languages that the module is built for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Flavour {
    Lua51,
    Lua52,
    Lua53,
    Lua54,
    Lua55,
    LuaJit,
}

use Flavour::{Lua51, Lua52, Lua53, Lua54, Lua55, LuaJit};

impl Flavour {
    pub(crate) const ALL: [Flavour; 6] = [Lua51, Lua52, Lua53, Lua54, LuaJit, Lua55];

    /// The name on the command line and under `target/flavours`.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Lua51 => "5.1",
            Lua52 => "5.2",
            Lua53 => "5.3",
            Lua54 => "5.4",
            Lua55 => "5.5",
            LuaJit => "jit",
        }
    }

    /// The cargo feature that selects it.
    pub(crate) fn feature(self) -> &'static str {
        match self {
            Lua51 => "lua51",
            Lua52 => "lua52",
            Lua53 => "lua53",
            Lua54 => "lua54",
            Lua55 => "lua55",
            LuaJit => "luajit",
        }
    }

    /// Language version; LuaJIT counts as 5.1.
    pub(crate) fn version(self) -> (u32, u32) {
        match self {
            Lua51 | LuaJit => (5, 1),
            Lua52 => (5, 2),
            Lua53 => (5, 3),
            Lua54 => (5, 4),
            Lua55 => (5, 5),
        }
    }

    pub(crate) fn is_jit(self) -> bool {
        self == LuaJit
    }

    /// No distribution has a 5.5 yet: the stand-alone runner takes its place.
    pub(crate) fn has_stock_interpreter(self) -> bool {
        self != Lua55
    }

    /// Names under which systems install the stock interpreter.
    pub(crate) fn programs(self) -> &'static [&'static str] {
        match self {
            Lua51 => &["lua5.1", "lua51", "lua-5.1", "lua"],
            Lua52 => &["lua5.2", "lua52", "lua-5.2", "lua"],
            Lua53 => &["lua5.3", "lua53", "lua-5.3", "lua"],
            Lua54 => &["lua5.4", "lua54", "lua-5.4", "lua"],
            Lua55 => &[],
            LuaJit => &["luajit", "luajit-2.1"],
        }
    }

    /// Debian's package of the stock interpreter.
    pub(crate) fn debian_package(self) -> Option<&'static str> {
        match self {
            Lua51 => Some("lua5.1"),
            Lua52 => Some("lua5.2"),
            Lua53 => Some("lua5.3"),
            Lua54 => Some("lua5.4"),
            LuaJit => Some("luajit"),
            Lua55 => None,
        }
    }

    /// Debian's package of its headers.
    pub(crate) fn debian_headers(self) -> Option<&'static str> {
        match self {
            Lua51 => Some("liblua5.1-0-dev"),
            Lua52 => Some("liblua5.2-dev"),
            Lua53 => Some("liblua5.3-dev"),
            Lua54 => Some("liblua5.4-dev"),
            LuaJit => Some("libluajit-5.1-dev"),
            Lua55 => None,
        }
    }

    /// The library in that package, as the linker calls it.
    pub(crate) fn debian_library(self) -> Option<&'static str> {
        match self {
            Lua51 => Some("lua5.1"),
            Lua52 => Some("lua5.2"),
            Lua53 => Some("lua5.3"),
            Lua54 => Some("lua5.4"),
            LuaJit => Some("luajit-5.1"),
            Lua55 => None,
        }
    }
}

impl std::fmt::Display for Flavour {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

/// Adds the flavour named on the command line, or all of them.
pub(crate) fn add(list: &mut Vec<Flavour>, name: &str) -> Result<()> {
    if name == "all" {
        *list = Flavour::ALL.to_vec();
        return Ok(());
    }
    let bare = name.strip_prefix("lua").unwrap_or(name);
    let Some(found) = Flavour::ALL
        .into_iter()
        .find(|f| f.name() == bare || f.feature() == name)
    else {
        bail!("unknown flavour `{name}`: one of 5.1, 5.2, 5.3, 5.4, 5.5, jit, all");
    };
    if !list.contains(&found) {
        list.push(found);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names() {
        let mut list = Vec::new();
        for name in ["5.1", "lua5.4", "lua54", "jit", "luajit"] {
            add(&mut list, name).unwrap();
        }
        assert_eq!(list, [Lua51, Lua54, LuaJit]);
        add(&mut list, "all").unwrap();
        assert_eq!(list, Flavour::ALL);
        assert!(add(&mut list, "5.6").is_err());
    }
}
