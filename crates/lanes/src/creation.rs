//! Making lindas.

use std::ffi::c_int;
use std::sync::Arc;
use std::time::Duration;

use lane::Deep;
use lane::raw::pack::{self, Names, SLOTS};
use lane::raw::protect::reserve;
use mlua::ffi::{self, lua_State};

use crate::call::{Raise, context, push_text, raise, work};
use crate::closing;
use crate::object::{self, Object};

/// `linda(name, wake_period, close_handler)` -> a new linda
pub unsafe extern "C-unwind" fn linda(state: *mut lua_State) -> c_int {
    // SAFETY: our own Lua code calls this. The object is parked while Lua may
    // raise.
    unsafe {
        let context = context(state);
        let wake_period = ffi::luaL_optnumber(state, 2, 0.0);
        if ffi::lua_type(state, 1) == ffi::LUA_TBOOLEAN {
            push_caller(state, 2);
            ffi::lua_replace(state, 1);
        }
        let name: &[u8] = match ffi::lua_type(state, 1) {
            ffi::LUA_TSTRING => lane::raw::pack::bytes_at(state, 1),
            _ => b"",
        };
        ffi::lua_settop(state, 3);
        let closes = ffi::lua_type(state, 3) > ffi::LUA_TNIL;
        if closes {
            reserve(state, SLOTS + 8);
        }
        let made = work(|| {
            let close_handler = if closes {
                let handler = pack::together(state, context, 3, 1, Names::Argument(1));
                Some(handler.map_err(|refusal| Raise::Text(refusal.0))?)
            } else {
                None
            };
            let wake_period = Duration::try_from_secs_f64(wake_period)
                .ok()
                .filter(|period| !period.is_zero());
            Ok(Box::new(Arc::new(Object {
                core: linda::Linda::new(),
                name: name.to_vec(),
                wake_period,
                close_handler,
            }) as Arc<dyn Deep>))
        });
        match made {
            Ok(object) => {
                let pointer: *const Arc<dyn Deep> = &raw const *object;
                let place = context.park(lane::raw::Parked::Any(object));
                object::push(state, pointer);
                context.unpark(place);
                if closes {
                    ffi::lua_pushvalue(state, 3);
                    closing::keep(state);
                }
                1
            }
            Err(why) => raise(state, context, why),
        }
    }
}

/// Pushes `source:line` of the function at this level of the stack. [-0, +1, m]
pub unsafe fn push_caller(state: *mut lua_State, level: c_int) {
    // SAFETY: the structure is ours; a few free stack slots.
    unsafe {
        let mut info: ffi::lua_Debug = std::mem::zeroed();
        if ffi::lua_getstack(state, level, &raw mut info) != 0 {
            ffi::lua_getinfo(state, c"Sl".as_ptr(), &raw mut info);
            if info.currentline > 0 {
                let source = (&raw const info.short_src).cast::<std::ffi::c_char>();
                ffi::lua_pushfstring(state, c"%s:%d".as_ptr(), source, info.currentline);
                return;
            }
        }
        push_text(state, "<unresolved>");
    }
}
