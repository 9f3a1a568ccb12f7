//! The one place where the flavours of Lua differ; other code asks the named
//! capabilities and calls the functions below.
//!
//! Raw helpers carry `[-pops, +pushes, raises]` as the Lua manual does:
//! `-` never raises, `m` only for want of memory, `e` for other reasons too.

use std::ffi::{CStr, c_char, c_int, c_void};

use mlua::ffi::{self, lua_State};

/// Integers are a subtype of numbers of their own (5.3 and later).
pub const INTEGERS: bool = cfg!(any(feature = "lua53", feature = "lua54", feature = "lua55"));
/// Closures that share a variable can be told apart from those that do not.
pub const JOINS_UPVALUES: bool = !cfg!(feature = "lua51");
/// `string.dump` can leave the debug information out.
pub const STRIPS: bool = INTEGERS;
/// Scripts have to-be-closed variables.
pub const CLOSES: bool = cfg!(any(feature = "lua54", feature = "lua55"));
/// LuaJIT.
pub const JIT: bool = cfg!(feature = "luajit");
/// Light C functions: pushing a C function without upvalues takes no memory.
const LIGHT_FUNCTIONS: bool = !cfg!(any(feature = "lua51", feature = "luajit"));

/// The flavour's name, as on the command line of `cargo xtask`.
pub const NAME: &str = if cfg!(feature = "lua51") {
    "5.1"
} else if cfg!(feature = "lua52") {
    "5.2"
} else if cfg!(feature = "lua53") {
    "5.3"
} else if cfg!(feature = "lua54") {
    "5.4"
} else if cfg!(feature = "lua55") {
    "5.5"
} else {
    "jit"
};

/// How many values a C function can hold on its stack, with some to spare.
pub const STACK_LIMIT: c_int = if LIGHT_FUNCTIONS { 900_000 } else { 7_900 };

/// A standard library: the name under which it is asked for, and its opener.
pub struct Library {
    /// As in `lanes.gen("name", …)` and in the global table.
    pub name: &'static CStr,
    /// The opener; `None` where another library brings it along.
    pub open: Option<ffi::lua_CFunction>,
}

const fn library(name: &'static CStr, open: ffi::lua_CFunction) -> Library {
    Library {
        name,
        open: Some(open),
    }
}

#[cfg(feature = "luajit")]
unsafe extern "C-unwind" {
    // Exported by LuaJIT, but not declared by mlua for the 5.1 family.
    fn lua_upvalueid(state: *mut lua_State, function: c_int, n: c_int) -> *mut c_void;
    fn lua_upvaluejoin(state: *mut lua_State, f1: c_int, n1: c_int, f2: c_int, n2: c_int);
}

/// The standard libraries of this flavour but for `base`, in an order in which
/// they can be opened.
pub static LIBRARIES: &[Library] = &[
    library(c"package", ffi::luaopen_package),
    #[cfg(any(
        feature = "lua52",
        feature = "lua53",
        feature = "lua54",
        feature = "lua55"
    ))]
    library(c"coroutine", ffi::luaopen_coroutine),
    #[cfg(any(feature = "lua51", feature = "luajit"))]
    Library {
        name: c"coroutine",
        open: None,
    },
    library(c"table", ffi::luaopen_table),
    library(c"io", ffi::luaopen_io),
    library(c"os", ffi::luaopen_os),
    library(c"string", ffi::luaopen_string),
    library(c"math", ffi::luaopen_math),
    #[cfg(any(feature = "lua53", feature = "lua54", feature = "lua55"))]
    library(c"utf8", ffi::luaopen_utf8),
    library(c"debug", ffi::luaopen_debug),
    #[cfg(feature = "lua52")]
    library(c"bit32", ffi::luaopen_bit32),
    #[cfg(feature = "luajit")]
    library(c"bit", ffi::luaopen_bit),
    #[cfg(feature = "luajit")]
    library(c"jit", ffi::luaopen_jit),
    #[cfg(feature = "luajit")]
    library(c"ffi", ffi::luaopen_ffi),
];

/// Names of libraries that some flavour has; a lane may ask for them with `?`.
pub const KNOWN_LIBRARIES: &[&str] = &[
    "base",
    "package",
    "coroutine",
    "table",
    "io",
    "os",
    "string",
    "math",
    "utf8",
    "debug",
    "bit32",
    "bit",
    "jit",
    "ffi",
];

/// Runs `body` in protected mode in a state that may not have our trampoline
/// yet. [-0, +(0|1), -]: leaves the error value when the status is not 0.
///
/// # Safety
/// `state` must be valid, with two free stack slots; `body` must hold no value
/// with a destructor where it raises.
pub unsafe fn bootstrap(
    state: *mut lua_State,
    body: ffi::lua_CFunction,
    data: *mut c_void,
) -> c_int {
    // SAFETY: the caller's promise; neither branch allocates outside the
    // protected call (5.2 and later push a light C function).
    unsafe {
        #[cfg(any(feature = "lua51", feature = "luajit"))]
        return ffi::lua_cpcall(state, body, data);
        #[cfg(not(any(feature = "lua51", feature = "luajit")))]
        {
            ffi::lua_pushcfunction(state, body);
            ffi::lua_pushlightuserdata(state, data);
            ffi::lua_pcall(state, 1, 0, 0)
        }
    }
}

/// Pushes a string. [-0, +1, m]
///
/// # Safety
/// `state` must be valid, with one free stack slot.
#[inline(always)]
pub unsafe fn push_bytes(state: *mut lua_State, bytes: &[u8]) {
    // SAFETY: pointer and length come from one slice.
    unsafe {
        // mlua's version for the 5.1 family reads the string back, a second
        // call that we do not need.
        #[cfg(any(feature = "lua51", feature = "luajit"))]
        ffi::lua_pushlstring_(state, bytes.as_ptr().cast(), bytes.len());
        #[cfg(not(any(feature = "lua51", feature = "luajit")))]
        ffi::lua_pushlstring(state, bytes.as_ptr().cast(), bytes.len());
    }
}

/// `t[n]`, raw. [-0, +1, -]
///
/// # Safety
/// A table at `index`; one free stack slot.
#[inline(always)]
pub unsafe fn raw_geti(state: *mut lua_State, index: c_int, n: u32) {
    // SAFETY: the caller's promise.
    unsafe {
        #[cfg(any(feature = "lua51", feature = "luajit"))]
        ffi::lua_rawgeti_(state, index, n as c_int);
        #[cfg(not(any(feature = "lua51", feature = "luajit")))]
        ffi::lua_rawgeti(state, index, ffi::lua_Integer::from(n));
    }
}

/// `t[n] = v`, raw. [-1, +0, m]
///
/// # Safety
/// A table at `index`; a value on top.
#[inline(always)]
pub unsafe fn raw_seti(state: *mut lua_State, index: c_int, n: u32) {
    // SAFETY: the caller's promise.
    unsafe {
        #[cfg(any(feature = "lua51", feature = "luajit"))]
        ffi::lua_rawseti_(state, index, n as c_int);
        #[cfg(not(any(feature = "lua51", feature = "luajit")))]
        ffi::lua_rawseti(state, index, ffi::lua_Integer::from(n));
    }
}

/// A new userdata with one user value. [-0, +1, m]
///
/// # Safety
/// `state` must be valid, with one free stack slot.
pub unsafe fn new_userdata(state: *mut lua_State, size: usize) -> *mut c_void {
    // SAFETY: the caller's promise.
    unsafe { ffi::lua_newuserdata(state, size) }
}

/// Gives the collector a turn: dumping and loading functions make garbage, but
/// do not. [-0, +0, m]
///
/// # Safety
/// `state` must be valid, with one free stack slot.
pub unsafe fn step(state: *mut lua_State) {
    // SAFETY: the caller's promise. Pushing a string looks at the collector.
    unsafe {
        push_bytes(state, b"");
        ffi::lua_settop(state, -2);
    }
}

/// The bytecode of the Lua function on top, given to `writer`. [-0, +0, m]
///
/// # Safety
/// A Lua function on top; `writer` must accept `data`.
pub unsafe fn dump(
    state: *mut lua_State,
    writer: ffi::lua_Writer,
    data: *mut c_void,
    strip: bool,
) -> c_int {
    // SAFETY: the caller's promise; the flavours that cannot strip ignore it.
    unsafe { ffi::lua_dump(state, writer, data, c_int::from(strip)) }
}

/// Loads a chunk, source or binary. [-0, +1, -]: the function, or a message
/// when the status is not 0.
///
/// # Safety
/// `state` must be valid, with one free stack slot; `reader` must accept `data`.
pub unsafe fn load(
    state: *mut lua_State,
    reader: ffi::lua_Reader,
    data: *mut c_void,
    name: *const c_char,
) -> c_int {
    // SAFETY: the caller's promise.
    unsafe {
        #[cfg(any(feature = "lua51", feature = "luajit"))]
        return ffi::lua_load(state, reader, data, name);
        #[cfg(not(any(feature = "lua51", feature = "luajit")))]
        ffi::lua_load(state, reader, data, name, std::ptr::null())
    }
}

/// The identity of the variable behind an upvalue, null where the flavour
/// cannot tell ([`JOINS_UPVALUES`]). [-0, +0, -]
///
/// # Safety
/// A Lua function at `function` with at least `n` upvalues.
pub unsafe fn upvalue_id(state: *mut lua_State, function: c_int, n: c_int) -> *const c_void {
    #[cfg(feature = "lua51")]
    {
        let _ = (state, function, n);
        std::ptr::null()
    }
    #[cfg(feature = "luajit")]
    // SAFETY: the caller's promise.
    unsafe {
        lua_upvalueid(state, function, n)
    }
    #[cfg(not(any(feature = "lua51", feature = "luajit")))]
    // SAFETY: the caller's promise.
    unsafe {
        ffi::lua_upvalueid(state, function, n)
    }
}

/// Makes upvalue `n1` of one function the variable behind `n2` of another.
/// Does nothing where the flavour cannot. [-0, +0, -]
///
/// # Safety
/// Lua functions at both indices with that many upvalues.
pub unsafe fn upvalue_join(state: *mut lua_State, f1: c_int, n1: c_int, f2: c_int, n2: c_int) {
    #[cfg(feature = "lua51")]
    {
        let _ = (state, f1, n1, f2, n2);
    }
    #[cfg(feature = "luajit")]
    // SAFETY: the caller's promise.
    unsafe {
        lua_upvaluejoin(state, f1, n1, f2, n2);
    }
    #[cfg(not(any(feature = "lua51", feature = "luajit")))]
    // SAFETY: the caller's promise.
    unsafe {
        ffi::lua_upvaluejoin(state, f1, n1, f2, n2);
    }
}

#[cfg(feature = "lua51")]
unsafe extern "C-unwind" {
    // Exported by 5.1, but not declared by mlua.
    fn lua_setlevel(from: *mut lua_State, to: *mut lua_State);
}

/// Has `to`, which is about to be resumed, count nested calls on from where
/// `from` is. Later versions do that by themselves. [-0, +0, -]
///
/// # Safety
/// Two coroutines of one state.
pub unsafe fn set_level(from: *mut lua_State, to: *mut lua_State) {
    #[cfg(feature = "lua51")]
    // SAFETY: the caller's promise.
    unsafe {
        lua_setlevel(from, to);
    }
    #[cfg(not(feature = "lua51"))]
    let _ = (from, to);
}

/// A number that is an integer by its type. Always false where numbers have
/// one type only. [-0, +0, -]
///
/// # Safety
/// A number at `index`.
#[inline(always)]
pub unsafe fn is_integer(state: *mut lua_State, index: c_int) -> bool {
    // SAFETY: the caller's promise.
    INTEGERS && unsafe { ffi::lua_isinteger(state, index) != 0 }
}

/// Stops or restarts the collector of a state of our own. [-0, +0, -]
///
/// # Safety
/// `state` must be valid.
pub unsafe fn collector(state: *mut lua_State, on: bool) {
    let what = if on {
        ffi::LUA_GCRESTART
    } else {
        ffi::LUA_GCSTOP
    };
    // SAFETY: the caller's promise; both commands take no argument of meaning.
    unsafe {
        ffi::lua_gc(state, what, 0);
    }
}

/// Keeps the value on top as the user value of the userdata at `index`.
/// [-1, +0, -]
///
/// # Safety
/// A full userdata at `index` and a table on top.
pub unsafe fn set_user_value(state: *mut lua_State, index: c_int) {
    // SAFETY: the caller's promise.
    unsafe {
        ffi::lua_setuservalue(state, index);
    }
}

/// Pushes the user value of the userdata at `index`: our table, or something
/// else when none was set. [-0, +1, -]
///
/// # Safety
/// A full userdata at `index`; one free stack slot.
pub unsafe fn get_user_value(state: *mut lua_State, index: c_int) {
    // SAFETY: the caller's promise.
    unsafe {
        ffi::lua_getuservalue(state, index);
    }
}

/// Closes a suspended coroutine of `state`: its to-be-closed variables run,
/// where there are such. [-0, +(0|1), -]: leaves the error value of one of them
/// on top of `state` when the status is not 0.
///
/// # Safety
/// `coroutine` is suspended; one free stack slot in both.
pub unsafe fn close_suspended(state: *mut lua_State, coroutine: *mut lua_State) -> c_int {
    #[cfg(any(feature = "lua54", feature = "lua55"))]
    // SAFETY: the caller's promise.
    unsafe {
        #[cfg(feature = "lua54")]
        let status = ffi::lua_resetthread(coroutine);
        #[cfg(feature = "lua55")]
        let status = ffi::lua_closethread(coroutine, state);
        if status != ffi::LUA_OK {
            ffi::lua_xmove(coroutine, state, 1);
        }
        status
    }
    #[cfg(not(any(feature = "lua54", feature = "lua55")))]
    {
        let _ = (state, coroutine);
        ffi::LUA_OK
    }
}

/// Closes a coroutine of `state` that ended with an error, whose error value
/// is on top of `state`: to-be-closed variables run, and an error in them
/// takes the place of the first. [-1, +1, -]
///
/// # Safety
/// `coroutine` has just failed; one free stack slot in it.
pub unsafe fn close_failed(state: *mut lua_State, coroutine: *mut lua_State) {
    #[cfg(any(feature = "lua54", feature = "lua55"))]
    // SAFETY: the caller's promise; closing puts the last error on top of the
    // coroutine's stack.
    unsafe {
        ffi::lua_xmove(state, coroutine, 1);
        // Debian's 5.4.4 has no other.
        #[cfg(feature = "lua54")]
        ffi::lua_resetthread(coroutine);
        #[cfg(feature = "lua55")]
        ffi::lua_closethread(coroutine, state);
        ffi::lua_xmove(coroutine, state, 1);
    }
    #[cfg(not(any(feature = "lua54", feature = "lua55")))]
    let _ = (state, coroutine);
}

/// A new userdata with so many user values, as far as the flavour has them.
/// [-0, +1, m]
///
/// # Safety
/// `state` must be valid, with one free stack slot.
pub unsafe fn new_userdata_with(
    state: *mut lua_State,
    size: usize,
    user_values: u8,
) -> *mut c_void {
    // SAFETY: the caller's promise.
    unsafe {
        #[cfg(any(feature = "lua54", feature = "lua55"))]
        return ffi::lua_newuserdatauv(state, size, c_int::from(user_values));
        #[cfg(not(any(feature = "lua54", feature = "lua55")))]
        {
            let _ = user_values;
            ffi::lua_newuserdata(state, size)
        }
    }
}

/// How many user values the userdata at `index` has. [-0, +0, -]
///
/// # Safety
/// A full userdata at `index`; one free stack slot.
pub unsafe fn user_values(state: *mut lua_State, index: c_int) -> c_int {
    // SAFETY: the caller's promise.
    unsafe {
        #[cfg(any(feature = "lua54", feature = "lua55"))]
        {
            let mut n = 0;
            while n < 255 && ffi::lua_getiuservalue(state, index, n + 1) != ffi::LUA_TNONE {
                ffi::lua_settop(state, -2);
                n += 1;
            }
            // The one that was not there left a nil.
            ffi::lua_settop(state, if n < 255 { -2 } else { -1 });
            n
        }
        #[cfg(any(feature = "lua51", feature = "luajit"))]
        {
            // Without a table of its own it has the one of whoever made it: the
            // global one, or for functions of a C module the package table.
            let top = ffi::lua_gettop(state);
            ffi::lua_getfenv(state, index);
            let mut own = ffi::lua_rawequal(state, -1, ffi::LUA_GLOBALSINDEX) == 0
                && ffi::lua_rawequal(state, -1, ffi::LUA_REGISTRYINDEX) == 0;
            ffi::lua_rawgetp(state, ffi::LUA_REGISTRYINDEX, (&raw const LOADED).cast());
            ffi::lua_rawget(state, ffi::LUA_REGISTRYINDEX);
            if ffi::lua_type(state, -1) == ffi::LUA_TTABLE {
                ffi::lua_rawgetp(state, ffi::LUA_REGISTRYINDEX, (&raw const PACKAGE).cast());
                ffi::lua_rawget(state, -2);
                own &= ffi::lua_rawequal(state, -1, top + 1) == 0;
            }
            ffi::lua_settop(state, top);
            c_int::from(own)
        }
        #[cfg(any(feature = "lua52", feature = "lua53"))]
        {
            ffi::lua_getuservalue(state, index);
            let some = ffi::lua_type(state, -1) != ffi::LUA_TNIL;
            ffi::lua_settop(state, -2);
            c_int::from(some)
        }
    }
}

/// Pushes user value `n` of the userdata at `index`. [-0, +1, -]
///
/// # Safety
/// As for [`user_values`], which answered at least `n`.
pub unsafe fn push_user_value(state: *mut lua_State, index: c_int, n: c_int) {
    // SAFETY: the caller's promise.
    unsafe {
        #[cfg(any(feature = "lua54", feature = "lua55"))]
        ffi::lua_getiuservalue(state, index, n);
        #[cfg(not(any(feature = "lua54", feature = "lua55")))]
        {
            let _ = n;
            ffi::lua_getuservalue(state, index);
        }
    }
}

/// Makes the value on top user value `n` of the userdata at `index`.
/// [-1, +0, -]
///
/// # Safety
/// As for [`push_user_value`], with a value on top.
pub unsafe fn put_user_value(state: *mut lua_State, index: c_int, n: c_int) {
    // SAFETY: the caller's promise; 5.1 and 5.2 take tables and nil only.
    unsafe {
        #[cfg(any(feature = "lua54", feature = "lua55"))]
        ffi::lua_setiuservalue(state, index, n);
        #[cfg(not(any(feature = "lua54", feature = "lua55")))]
        {
            let _ = n;
            let table = ffi::lua_type(state, -1) == ffi::LUA_TTABLE;
            if table || cfg!(feature = "lua53") {
                ffi::lua_setuservalue(state, index);
            } else {
                ffi::lua_settop(state, -2);
            }
        }
    }
}

#[cfg(any(feature = "lua51", feature = "luajit"))]
static LOADED: u8 = 0;
#[cfg(any(feature = "lua51", feature = "luajit"))]
static PACKAGE: u8 = 0;

/// Puts names that are needed later where reading them takes no memory.
/// [-0, +0, m]
///
/// # Safety
/// Two free stack slots.
pub unsafe fn install(state: *mut lua_State) {
    #[cfg(any(feature = "lua51", feature = "luajit"))]
    // SAFETY: the caller's promise.
    unsafe {
        ffi::lua_pushstring(state, c"_LOADED".as_ptr());
        ffi::lua_rawsetp(state, ffi::LUA_REGISTRYINDEX, (&raw const LOADED).cast());
        ffi::lua_pushstring(state, c"package".as_ptr());
        ffi::lua_rawsetp(state, ffi::LUA_REGISTRYINDEX, (&raw const PACKAGE).cast());
    }
    #[cfg(not(any(feature = "lua51", feature = "luajit")))]
    let _ = state;
}
