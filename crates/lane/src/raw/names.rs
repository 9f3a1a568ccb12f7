//! Lookup names: the paths by which C functions, library tables and the
//! standard files are found again in another state, such as `string/upper`.
//!
//! The registry holds one table with both directions. It is filled when the
//! state first needs it: for a master state that is when it is configured.

use std::ffi::{CStr, c_int, c_void};

use mlua::ffi::{self, lua_State};

use super::context::Context;
use super::pack::bytes_at;
use super::protect::undisturbed;
use super::{deep, flavour};

static NAMES: u8 = 0;
/// How deep tables are searched for names.
const DEPTH: u32 = 4;

/// Our own module: its Lua functions have names too, for every state has them.
const OURS: &[u8] = b"lanes";

fn key() -> *const c_void {
    (&raw const NAMES).cast()
}

/// Collects the names now if that was not done yet. Answers false for want of
/// memory. [-0, +0, -]
///
/// # Safety
/// Four free stack slots; `context` belongs to `state`.
pub unsafe fn collect(state: *mut lua_State, context: &Context) -> bool {
    if !context.named() {
        // SAFETY: the caller's promise.
        context.set_named(unsafe { scan(state, true) });
    }
    context.named()
}

/// Collects names; those of tables on request. [-0, +0, -]
unsafe fn scan(state: *mut lua_State, mut tables: bool) -> bool {
    // SAFETY: four free stack slots.
    unsafe {
        let top = ffi::lua_gettop(state);
        let done = undisturbed(state, 0, 0, build, (&raw mut tables).cast()) == ffi::LUA_OK;
        ffi::lua_settop(state, top);
        done
    }
}

/// The lookup name of the value at `index`. [-0, +0, -]
///
/// # Safety
/// A value at `index`, which is absolute; four free stack slots.
pub unsafe fn of_value(state: *mut lua_State, context: &Context, index: c_int) -> Option<Vec<u8>> {
    // SAFETY: the caller's promise; raw reads do not raise.
    unsafe {
        if !collect(state, context) {
            return None;
        }
        ffi::lua_rawgetp(state, ffi::LUA_REGISTRYINDEX, key());
        ffi::lua_pushvalue(state, index);
        ffi::lua_rawget(state, -2);
        let name =
            (ffi::lua_type(state, -1) == ffi::LUA_TSTRING).then(|| bytes_at(state, -1).to_vec());
        ffi::lua_settop(state, -3);
        name
    }
}

/// The lookup name of the C function at `index`. If it has none, names are
/// collected once more: its module may have been loaded since. [-0, +0, -]
///
/// # Safety
/// As for [`of_value`].
pub unsafe fn of_function(
    state: *mut lua_State,
    context: &Context,
    index: c_int,
) -> Option<Vec<u8>> {
    // SAFETY: the caller's promise.
    unsafe {
        of_value(state, context, index).or_else(|| {
            scan(state, false);
            of_value(state, context, index)
        })
    }
}

/// Collects the names of what was loaded since. [-0, +0, -]
///
/// # Safety
/// Four free stack slots; `context` belongs to `state`.
pub unsafe fn collect_again(state: *mut lua_State, context: &Context) {
    // SAFETY: the caller's promise.
    unsafe {
        collect(state, context);
        scan(state, false);
    }
}

/// Whether this is the name of a standard library: what it holds is not worth
/// sending along.
pub fn is_library(name: &[u8]) -> bool {
    flavour::LIBRARIES
        .iter()
        .any(|library| library.name.to_bytes() == name)
}

/// Pushes the value with this lookup name, or nil. [-0, +1, m]
///
/// # Safety
/// Eight free stack slots; raises, so the caller holds no destructor.
pub unsafe fn push_value(state: *mut lua_State, name: &[u8]) {
    // SAFETY: the caller's promise.
    unsafe {
        let top = ffi::lua_gettop(state);
        // Names that were collected come first: they mean the value of then,
        // even if the program has replaced it in its library since.
        ffi::lua_rawgetp(state, ffi::LUA_REGISTRYINDEX, key());
        if ffi::lua_type(state, -1) == ffi::LUA_TTABLE {
            flavour::push_bytes(state, name);
            ffi::lua_rawget(state, -2);
            if ffi::lua_type(state, -1) != ffi::LUA_TNIL {
                ffi::lua_replace(state, top + 1);
                ffi::lua_settop(state, top + 1);
                return;
            }
        }
        ffi::lua_settop(state, top);
        push_loaded(state);
        if walk(state, name) {
            return;
        }
        ffi::lua_settop(state, top);
        ffi::lua_pushglobaltable(state);
        if walk(state, name) {
            return;
        }
        ffi::lua_settop(state, top);
        ffi::lua_pushnil(state);
    }
}

/// Follows a path from the table on top and leaves what it finds in its place.
/// [-1, +1, m]
unsafe fn walk(state: *mut lua_State, path: &[u8]) -> bool {
    // SAFETY: two free stack slots.
    unsafe {
        for step in path.split(|byte| *byte == b'/') {
            if ffi::lua_type(state, -1) != ffi::LUA_TTABLE {
                return false;
            }
            flavour::push_bytes(state, step);
            ffi::lua_rawget(state, -2);
            ffi::lua_remove(state, -2);
        }
        ffi::lua_type(state, -1) != ffi::LUA_TNIL
    }
}

/// Pushes the table of loaded modules, which exists without the package
/// library too; an empty one if the program took it away. [-0, +1, m]
unsafe fn push_loaded(state: *mut lua_State) {
    // SAFETY: one free stack slot.
    unsafe {
        ffi::lua_pushstring(state, c"_LOADED".as_ptr());
        ffi::lua_rawget(state, ffi::LUA_REGISTRYINDEX);
        if ffi::lua_type(state, -1) != ffi::LUA_TTABLE {
            ffi::lua_settop(state, -2);
            ffi::lua_createtable(state, 0, 0);
        }
    }
}

/// `() -> ()` [m]: collects the names of the loaded libraries and of what the
/// global table holds.
unsafe fn build(state: *mut lua_State, data: *mut c_void) -> c_int {
    // SAFETY: a fresh frame; `collect_table` reserves what it needs; `data` is
    // the flag that `scan` passes.
    unsafe {
        let tables = *data.cast::<bool>();
        ffi::luaL_checkstack(state, 20, std::ptr::null());
        ffi::lua_rawgetp(state, ffi::LUA_REGISTRYINDEX, key()); // 1: names
        if ffi::lua_type(state, 1) != ffi::LUA_TTABLE {
            ffi::lua_settop(state, 0);
            ffi::lua_createtable(state, 0, 256);
        }
        ffi::lua_createtable(state, 0, 32); // 2: tables that were visited
        push_loaded(state); // 3
        // Going through `package.loaded` as a table among others would give
        // every library a second, longer name.
        visited(state, 3);
        ffi::lua_pushglobaltable(state); // 4
        visited(state, 4);
        collect_table(state, 4, b"", 0, Named::Functions);
        for library in flavour::LIBRARIES {
            ffi::lua_pushstring(state, library.name.as_ptr());
            ffi::lua_rawget(state, 3);
            if ffi::lua_type(state, -1) == ffi::LUA_TTABLE {
                let table = ffi::lua_gettop(state);
                consider(state, table, library.name);
            }
            ffi::lua_settop(state, 4);
        }
        let named = if tables {
            Named::Everything
        } else {
            Named::FunctionsAndUserdata
        };
        collect_table(state, 3, b"", DEPTH, named);
        collect_table(state, 4, b"", DEPTH, Named::Functions);
        ffi::lua_pushvalue(state, 1);
        ffi::lua_rawsetp(state, ffi::LUA_REGISTRYINDEX, key());
        0
    }
}

/// Adds what a module holds to the names: on top of the stack lie its name and
/// the module, a table, function or userdata. [-2, +0, m]
///
/// # Safety
/// Four free stack slots; `context` belongs to `state`; nothing with a
/// destructor is held.
pub unsafe fn register(state: *mut lua_State, context: &Context) {
    // SAFETY: the caller's promise.
    unsafe {
        collect(state, context);
        if undisturbed(state, 2, 0, add_module, std::ptr::null_mut()) != ffi::LUA_OK {
            ffi::lua_error(state);
        }
    }
}

/// Gives a function the name of another that means the same: on top of the
/// stack lie the name and the function. [-2, +0, m]
///
/// # Safety
/// As for [`register`].
pub unsafe fn alias(state: *mut lua_State, context: &Context) {
    // SAFETY: the caller's promise.
    unsafe {
        collect(state, context);
        ffi::lua_rawgetp(state, ffi::LUA_REGISTRYINDEX, key());
        ffi::lua_insert(state, -3);
        // (names, name, function) -> (names)
        if ffi::lua_type(state, -3) == ffi::LUA_TTABLE {
            ffi::lua_insert(state, -2);
            ffi::lua_rawset(state, -3);
        } else {
            ffi::lua_settop(state, -3);
        }
        ffi::lua_settop(state, -2);
    }
}

/// `(name, module) -> ()` [m]
unsafe fn add_module(state: *mut lua_State, _: *mut c_void) -> c_int {
    // SAFETY: the two arguments are there; the frame is made as in `build`.
    unsafe {
        ffi::luaL_checkstack(state, 20, std::ptr::null());
        ffi::lua_rawgetp(state, ffi::LUA_REGISTRYINDEX, key());
        if ffi::lua_type(state, -1) != ffi::LUA_TTABLE {
            return 0;
        }
        ffi::lua_createtable(state, 0, 4);
        ffi::lua_insert(state, 1);
        ffi::lua_insert(state, 1);
        let (name, module) = (3, 4);
        match ffi::lua_type(state, module) {
            ffi::LUA_TTABLE => {
                visited(state, module);
                let name = bytes_at(state, name);
                collect_table(state, module, name, DEPTH, Named::FunctionsAndUserdata);
            }
            ffi::LUA_TFUNCTION if ffi::lua_iscfunction(state, module) == 0 => {}
            _ => consider(
                state,
                module,
                CStr::from_ptr(ffi::lua_tostring(state, name)),
            ),
        }
        0
    }
}

/// Marks the table at `index` as visited; answers whether it was before.
unsafe fn visited(state: *mut lua_State, index: c_int) -> bool {
    // SAFETY: index 2 is the table of visited ones; three free stack slots.
    unsafe {
        ffi::lua_pushvalue(state, index);
        ffi::lua_rawget(state, 2);
        let before = ffi::lua_toboolean(state, -1) != 0;
        ffi::lua_settop(state, -2);
        if !before {
            ffi::lua_pushvalue(state, index);
            ffi::lua_pushboolean(state, 1);
            ffi::lua_rawset(state, 2);
        }
        before
    }
}

/// What gets a name. Functions always do. A name keeps its value alive, so
/// objects in global variables get none; and a table of a module that is loaded
/// later keeps travelling by its contents.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Named {
    Functions,
    FunctionsAndUserdata,
    Everything,
}

/// Names what the table at `index` holds, and what its tables hold down to
/// `depth` levels.
unsafe fn collect_table(
    state: *mut lua_State,
    index: c_int,
    prefix: &[u8],
    depth: u32,
    named: Named,
) {
    // SAFETY: the frame of `build`; the table is only read, so `lua_next` does
    // not raise.
    unsafe {
        ffi::luaL_checkstack(state, 12, std::ptr::null());
        let top = ffi::lua_gettop(state);
        ffi::lua_pushnil(state);
        while ffi::lua_next(state, index) != 0 {
            let (key, value) = (top + 1, top + 2);
            if ffi::lua_type(state, key) == ffi::LUA_TSTRING {
                let kind = ffi::lua_type(state, value);
                let nameable = named != Named::Functions
                    && kind == ffi::LUA_TUSERDATA
                    && !deep::is_proxy(state, value)
                    && !deep::is_handle(state, value)
                    || kind == ffi::LUA_TFUNCTION
                        && (ffi::lua_iscfunction(state, value) != 0 || prefix == OURS);
                let deeper = kind == ffi::LUA_TTABLE && depth > 0;
                if nameable || deeper && !visited(state, value) {
                    flavour::push_bytes(state, prefix);
                    flavour::push_bytes(state, if prefix.is_empty() { b"" } else { b"/" });
                    ffi::lua_pushvalue(state, key);
                    ffi::lua_concat(state, 3);
                    let name = ffi::lua_gettop(state);
                    if nameable || named == Named::Everything {
                        let name = CStr::from_ptr(ffi::lua_tostring(state, name));
                        consider(state, value, name);
                    }
                    if !nameable {
                        // The name stays on the stack as long as it is used.
                        let name = bytes_at(state, name);
                        collect_table(state, value, name, depth - 1, named);
                    }
                }
            }
            ffi::lua_settop(state, key);
        }
        ffi::lua_settop(state, top);
    }
}

/// Gives the value at `index` this name unless it has a better one: the
/// shorter, then the lexically smaller. [-0, +0, m]
unsafe fn consider(state: *mut lua_State, index: c_int, name: &CStr) {
    // SAFETY: index 1 is the table of names; four free stack slots.
    unsafe {
        let top = ffi::lua_gettop(state);
        let name = name.to_bytes();
        ffi::lua_pushvalue(state, index);
        ffi::lua_rawget(state, 1);
        if ffi::lua_type(state, -1) == ffi::LUA_TSTRING {
            let known = bytes_at(state, -1);
            if (known.len(), known) <= (name.len(), name) {
                ffi::lua_settop(state, top);
                return;
            }
        }
        ffi::lua_settop(state, top);
        // A name means the value for which it was collected first. Another one
        // with the same path (a slash in a key) gets none.
        flavour::push_bytes(state, name);
        ffi::lua_rawget(state, 1);
        let taken =
            ffi::lua_type(state, -1) != ffi::LUA_TNIL && ffi::lua_rawequal(state, -1, index) == 0;
        ffi::lua_settop(state, top);
        if taken {
            return;
        }
        ffi::lua_pushvalue(state, index);
        flavour::push_bytes(state, name);
        ffi::lua_rawset(state, 1);
        flavour::push_bytes(state, name);
        ffi::lua_pushvalue(state, index);
        ffi::lua_rawset(state, 1);
        ffi::lua_settop(state, top);
    }
}
