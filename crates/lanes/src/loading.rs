//! `require` as lanes see it: a module is loaded by one state at a time.
//!
//! C modules often initialise static data when they are loaded, and lanes of
//! one universe may load the same module at the same time. So each name has a
//! turn: who comes second waits until the first has loaded the module, in its
//! own state. Modules with different names do not wait for each other, and
//! nobody waits for a module that the own state has already.
//!
//! A loader may itself wait for a lane that requires the same module. So that
//! this ends, a wait for a turn gives up after [`PATIENCE`]: by then the other
//! is not initialising anything but waiting.

use std::collections::HashMap;
use std::ffi::c_int;
use std::time::Duration;

use lane::raw::pack::bytes_at;
use lane::raw::protect::discard;
use lane::raw::{Context, alias};
use linda::{Deadline, Level};
use mlua::ffi::{self, lua_State};
use parking_lot::{Condvar, Mutex};

use crate::call::{Raise, context, push_function, raise, work};
use crate::module::push_loaded;
use crate::shared;

const PATIENCE: Duration = Duration::from_secs(2);
/// How long a wait may last before it looks for a cancel request.
const GLANCE: Duration = Duration::from_millis(50);

/// Which modules are being loaded, and by which state.
#[derive(Default)]
pub struct Loading {
    modules: Mutex<HashMap<Vec<u8>, Turn>>,
    changed: Condvar,
}

struct Turn {
    /// The address of the context: the state.
    owner: usize,
    /// A state that has the turn may take it again.
    depth: u32,
}

impl Loading {
    /// Waits for the turn; nothing when patience has ended.
    fn enter<'a>(&'a self, name: &'a [u8], context: &Context) -> Result<Option<Taken<'a>>, Raise> {
        let taken = || Taken {
            loading: self,
            name,
        };
        let owner = std::ptr::from_ref(context).addr();
        let end = Deadline::after(PATIENCE);
        let mut modules = self.modules.lock();
        loop {
            match modules.get_mut(name) {
                None => {
                    modules.insert(name.to_vec(), Turn { owner, depth: 1 });
                    return Ok(Some(taken()));
                }
                Some(turn) if turn.owner == owner => {
                    turn.depth += 1;
                    return Ok(Some(taken()));
                }
                Some(_) => {}
            }
            if context.party().cancel.level() == Level::Hard {
                return Err(Raise::Cancelled);
            }
            if end.passed() {
                return Ok(None);
            }
            self.changed.wait_for(&mut modules, GLANCE);
        }
    }

    fn leave(&self, name: &[u8]) {
        let mut modules = self.modules.lock();
        if let Some(turn) = modules.get_mut(name) {
            turn.depth -= 1;
            if turn.depth == 0 {
                modules.remove(name);
                drop(modules);
                self.changed.notify_all();
            }
        }
    }
}

/// A turn, until it is dropped.
struct Taken<'a> {
    loading: &'a Loading,
    name: &'a [u8],
}

impl Drop for Taken<'_> {
    fn drop(&mut self) {
        self.loading.leave(self.name);
    }
}

/// Puts [`require`] in the place of the global function, if there is one.
/// [-0, +0, e]
///
/// # Safety
/// The state has its context; a few free stack slots; nothing is held.
pub unsafe fn wrap(state: *mut lua_State, context: &Context) {
    // SAFETY: the caller's promise.
    unsafe {
        let top = ffi::lua_gettop(state);
        ffi::lua_pushglobaltable(state);
        ffi::lua_pushstring(state, c"require".as_ptr());
        ffi::lua_pushvalue(state, -1);
        ffi::lua_rawget(state, top + 1);
        let wrapped = ffi::lua_tocfunction(state, -1)
            .is_some_and(|function| function as usize == require as *const () as usize);
        if ffi::lua_type(state, -1) == ffi::LUA_TFUNCTION && !wrapped {
            push_function(state, require, 1);
            if context.lane().is_none() {
                // The original has the name already; both go by it.
                ffi::lua_pushvalue(state, -2);
                ffi::lua_pushvalue(state, -2);
                alias(state, context);
            }
            ffi::lua_rawset(state, top + 1);
        }
        ffi::lua_settop(state, top);
    }
}

/// `require(name, …)`: the second upvalue is the original.
unsafe extern "C-unwind" fn require(state: *mut lua_State) -> c_int {
    // SAFETY: Lua calls this; nothing is held while Lua may raise, but for the
    // turn in a protected call.
    unsafe {
        let context = context(state);
        let count = ffi::lua_gettop(state);
        ffi::luaL_checkstack(state, count + 4, std::ptr::null());
        let named = ffi::lua_type(state, 1) == ffi::LUA_TSTRING;
        let original = ffi::lua_upvalueindex(2);
        let loaded = named && {
            push_loaded(state, std::ffi::CStr::from_ptr(ffi::lua_tostring(state, 1)));
            ffi::lua_toboolean(state, -1) != 0
        };
        ffi::lua_settop(state, count);
        if !named || loaded {
            ffi::lua_pushvalue(state, original);
            ffi::lua_insert(state, 1);
            ffi::lua_call(state, count, ffi::LUA_MULTRET);
            return ffi::lua_gettop(state);
        }
        // The name stays at index 1.
        let name = bytes_at(state, 1);
        let loading = &shared::of(context).loading;
        let turn = match work(|| loading.enter(name, context)) {
            Ok(turn) => turn,
            Err(why) => return raise(state, context, why),
        };
        ffi::lua_pushvalue(state, original);
        for index in 1..=count {
            ffi::lua_pushvalue(state, index);
        }
        let status = ffi::lua_pcall(state, count, ffi::LUA_MULTRET, 0);
        discard(turn);
        if status != ffi::LUA_OK {
            ffi::lua_error(state);
        }
        ffi::lua_gettop(state) - count
    }
}
