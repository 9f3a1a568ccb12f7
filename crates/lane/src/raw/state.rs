//! Making the states of lanes.

use std::ffi::c_int;
use std::sync::Arc;

use mlua::ffi::{self, lua_State};

use super::context::{self, Context, Generation};
use super::flavour::{self, KNOWN_LIBRARIES, LIBRARIES, Library};
use super::{coroutine, trace};
use crate::lane::Lane;
use crate::universe::Universe;

/// Which standard libraries a lane's state opens.
pub enum Libraries {
    /// None at all.
    None,
    /// Base and these.
    Named(Vec<&'static Library>),
    /// All that the interpreter has.
    All,
}

/// What is wrong with a specification of libraries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LibrariesError {
    /// No library has this name.
    Unknown(String),
    /// A library is named twice.
    Twice(String),
    /// This flavour lacks the library.
    Unsupported(String),
    /// `*` and a name.
    NotAlone,
}

impl Libraries {
    /// Reads a specification: names with anything between them, or `*`. In
    /// the newer generations a name may end with `?`: then the library may be
    /// missing.
    pub fn parse(text: &str, generation: Generation) -> Result<Libraries, LibrariesError> {
        let strict = generation == Generation::V4;
        let is_name = |c: char| match generation {
            Generation::V2 => c.is_ascii_alphabetic(),
            Generation::V3 => c.is_ascii_alphanumeric() || c == '.' || c == '_',
            Generation::V4 => c.is_ascii_alphanumeric() || "._-?".contains(c),
        };
        let names: Vec<&str> = text
            .split(|c| !is_name(c))
            .filter(|name| !name.is_empty())
            .collect();
        if text.contains('*') {
            let alone = text.trim() == "*";
            return if alone || !strict {
                Ok(Libraries::All)
            } else {
                Err(LibrariesError::NotAlone)
            };
        }
        let mut libraries: Vec<&'static Library> = Vec::new();
        let mut seen = Vec::new();
        for name in names {
            let (name, optional) = match name.strip_suffix('?') {
                Some(name) => (name, true),
                None => (name, false),
            };
            if seen.contains(&name) && generation != Generation::V2 {
                return Err(LibrariesError::Twice(name.to_owned()));
            }
            seen.push(name);
            // Base comes along, and so does our own module.
            if matches!(name, "base" | "lanes.core" | "lanes_core") {
                continue;
            }
            match LIBRARIES
                .iter()
                .find(|library| library.name.to_bytes() == name.as_bytes())
            {
                Some(library) if library.open.is_some() => libraries.push(library),
                Some(_) if !strict || optional => {}
                None if KNOWN_LIBRARIES.contains(&name) && (!strict || optional) => {}
                _ if KNOWN_LIBRARIES.contains(&name) => {
                    return Err(LibrariesError::Unsupported(name.to_owned()));
                }
                _ => return Err(LibrariesError::Unknown(name.to_owned())),
            }
        }
        Ok(Libraries::Named(libraries))
    }
}

/// A state that nobody else has: closed when dropped, and free to go to
/// another thread as a whole.
pub struct Owned(*mut lua_State);

// SAFETY: a Lua state is bound to no thread. The owner is the only one to hold
// a pointer to the state or into it: what the making of the state needed has
// been copied or is `Send` itself.
unsafe impl Send for Owned {}

impl Owned {
    /// Owns a state that was just made.
    pub(super) fn new(state: *mut lua_State) -> Owned {
        Owned(state)
    }

    /// The state, for calls on the thread that owns it now.
    pub fn get(&self) -> *mut lua_State {
        self.0
    }
}

impl Drop for Owned {
    fn drop(&mut self) {
        // SAFETY: the owner is the last user. Closing runs finalizers of the
        // program in protected mode.
        unsafe { ffi::lua_close(self.0) };
    }
}

struct Setup<'a> {
    context: *mut Context,
    libraries: &'a Libraries,
    open_lane: unsafe fn(*mut lua_State),
    level: trace::Level,
    installed: bool,
}

/// Makes the state of a lane: context, libraries, lane globals; on its stack
/// lies the message handler and nothing else.
pub fn make(
    universe: &Arc<Universe>,
    lane: &Arc<Lane>,
    generation: Generation,
    libraries: &Libraries,
    level: trace::Level,
) -> Result<Owned, String> {
    // SAFETY: the state is fresh and ours; whatever raises runs protected.
    unsafe {
        let state = ffi::luaL_newstate();
        if state.is_null() {
            return Err("not enough memory for a Lua state".to_owned());
        }
        let owned = Owned(state);
        let context = Box::new(Context::new(
            Arc::clone(universe),
            Some(Arc::clone(lane)),
            generation,
        ));
        let mut setup = Setup {
            context: Box::into_raw(context),
            libraries,
            open_lane: universe.hooks().open_lane,
            level,
            installed: false,
        };
        if flavour::bootstrap(state, fill, (&raw mut setup).cast()) != ffi::LUA_OK {
            let text = error_text(state);
            if !setup.installed {
                drop(Box::from_raw(setup.context));
            }
            return Err(text);
        }
        // Taken from the registry: pushing a C function may raise in 5.1.
        ffi::lua_rawgetp(state, ffi::LUA_REGISTRYINDEX, (&raw const HANDLER).cast());
        Ok(owned)
    }
}

static HANDLER: u8 = 0;

/// `(setup) -> ()` [e]
unsafe extern "C-unwind" fn fill(state: *mut lua_State) -> c_int {
    // SAFETY: index 1 is the setup that `make` keeps alive; nothing here owns
    // a value with a destructor.
    unsafe {
        let setup = &mut *ffi::lua_touserdata(state, 1).cast::<Setup<'_>>();
        flavour::collector(state, false);
        context::install(state, || {
            setup.installed = true;
            setup.context
        });
        trace::set_level(state, setup.level);
        ffi::lua_pushcfunction(state, trace::handler);
        ffi::lua_rawsetp(state, ffi::LUA_REGISTRYINDEX, (&raw const HANDLER).cast());
        match setup.libraries {
            Libraries::None => {}
            Libraries::All => ffi::luaL_openlibs(state),
            Libraries::Named(libraries) => {
                open(state, c"_G".as_ptr(), ffi::luaopen_base);
                #[cfg(feature = "luajit")]
                open(state, c"jit".as_ptr(), ffi::luaopen_jit);
                for library in libraries {
                    if let Some(opener) = library.open {
                        open(state, library.name.as_ptr(), opener);
                    }
                }
            }
        }
        coroutine::install(state);
        (setup.open_lane)(state);
        flavour::collector(state, true);
        0
    }
}

unsafe fn open(state: *mut lua_State, name: *const std::ffi::c_char, opener: ffi::lua_CFunction) {
    // SAFETY: a static name; a few free stack slots.
    unsafe {
        let top = ffi::lua_gettop(state);
        ffi::luaL_requiref(state, name, opener, 1);
        ffi::lua_settop(state, top);
    }
}

/// The error value on top as text. [-0, +0, -]
///
/// # Safety
/// A value on top.
pub unsafe fn error_text(state: *mut lua_State) -> String {
    // SAFETY: reading a string neither converts nor raises.
    unsafe {
        match ffi::lua_type(state, -1) {
            ffi::LUA_TSTRING => {
                String::from_utf8_lossy(super::pack::bytes_at(state, -1)).into_owned()
            }
            _ if super::sentinel::is_cancel_error(state, -1) => "cancelled".to_owned(),
            kind => format!("an error value of type {kind}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Generation, Libraries, LibrariesError};

    fn names(text: &str, generation: Generation) -> Result<Vec<String>, LibrariesError> {
        Libraries::parse(text, generation).map(|libraries| match libraries {
            Libraries::None => vec!["none".to_owned()],
            Libraries::All => vec!["*".to_owned()],
            Libraries::Named(all) => all
                .iter()
                .map(|one| one.name.to_string_lossy().into_owned())
                .collect(),
        })
    }

    #[test]
    fn any_separator_will_do() {
        let wanted = Ok(vec!["io".to_owned(), "os".to_owned()]);
        assert_eq!(names("/io;os[base{", Generation::V4), wanted);
        assert_eq!(names("io, os", Generation::V2), wanted);
        assert_eq!(names("", Generation::V3), Ok(vec![]));
        assert_eq!(names(" * ", Generation::V4), Ok(vec!["*".to_owned()]));
    }

    #[test]
    fn mistakes_are_named() {
        let bad = |text: &str| names(text, Generation::V4).unwrap_err();
        assert_eq!(bad("nope"), LibrariesError::Unknown("nope".to_owned()));
        assert_eq!(bad("nope?"), LibrariesError::Unknown("nope".to_owned()));
        assert_eq!(bad("io,io"), LibrariesError::Twice("io".to_owned()));
        assert_eq!(bad("Base"), LibrariesError::Unknown("Base".to_owned()));
        for text in ["*,io", "io*", "**", "base,*"] {
            assert_eq!(bad(text), LibrariesError::NotAlone, "{text}");
        }
    }
}
