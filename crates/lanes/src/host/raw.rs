//! The steps that need the raw state.

use std::ptr;
use std::sync::Arc;

use lane::raw::pack::{self, Names, Refusal, SLOTS};
use lane::raw::protect::{catch, reserve};
use lane::raw::{Context, context, sentinel, unpack};
use lane::{Deep, Message};
use linda::Cancel;
use mlua::ffi::{self, lua_State};
use mlua::{LightUserData, Lua};

use crate::call::{error, raise_fault};
use crate::module::ensure_context;
use crate::object::{self, Object};
use crate::shared;

/// The context of the running function's state, made if need be. [-0, +0, e]
///
/// # Safety
/// Nothing with a destructor is held.
unsafe fn of<'a>(state: *mut lua_State) -> &'a Context {
    // SAFETY: the caller's promise.
    unsafe {
        ensure_context(state);
        match context::of_state(state) {
            Some(context) => {
                context.sweep();
                context
            }
            None => error(state, c"lanes is closed: the state is ending"),
        }
    }
}

/// `lanes.null`.
pub(super) fn null() -> LightUserData {
    LightUserData(sentinel::null())
}

/// Whether the module is configured in the universe of this state.
pub(super) fn is_configured(lua: &Lua) -> mlua::Result<bool> {
    let mut configured = false;
    // SAFETY: the closure holds nothing; it leaves nothing on the stack.
    unsafe {
        lua.exec_raw::<()>((), |state| {
            configured = of(state).universe().is_configured();
            ffi::lua_settop(state, 0);
        })?;
    }
    Ok(configured)
}

/// What ends the calls of a host when the universe of this state closes.
pub(super) fn closing(lua: &Lua) -> mlua::Result<Arc<Cancel>> {
    let mut closing = None;
    // SAFETY: the closure holds nothing where something raises; it leaves
    // nothing on the stack.
    unsafe {
        lua.exec_raw::<()>((), |state| {
            let context = of(state);
            closing = Some(Arc::clone(&shared::of(context).closing));
            ffi::lua_settop(state, 0);
        })?;
    }
    closing.ok_or_else(lost)
}

/// The linda that this value is.
pub(super) fn linda(lua: &Lua, value: &mlua::Value) -> Option<Arc<Object>> {
    if !matches!(value, mlua::Value::UserData(_)) {
        return None;
    }
    let mut found = None;
    // SAFETY: looking at a proxy does not raise.
    let looked = unsafe {
        lua.exec_raw::<()>(value, |state| {
            found = object::proxy_at(state, 1).map(|proxy| Arc::clone(&proxy.object));
            ffi::lua_settop(state, 0);
        })
    };
    looked.ok().and(found)
}

/// The proxy of a linda in this state.
pub(super) fn push(lua: &Lua, object: &Arc<dyn Deep>) -> mlua::Result<mlua::Value> {
    // SAFETY: the object is the caller's and stays; a C function has twenty
    // free stack slots.
    unsafe {
        lua.exec_raw((), |state| {
            let context = of(state);
            // The proxy's methods are of the generation that is in force now.
            let _ = context.choose(context.generation());
            object::push(state, ptr::from_ref(object));
        })
    }
}

/// Packs a value as `send` does.
pub(super) fn pack(lua: &Lua, value: mlua::Value) -> mlua::Result<Message> {
    let mut packed = None;
    // SAFETY: nothing is held where something raises, and packing does not. The
    // result goes to a variable outside of the protected call.
    unsafe {
        lua.exec_raw::<()>(value, |state| {
            let context = of(state);
            reserve(state, SLOTS);
            packed = Some(catch(|| {
                pack::values(state, context, 1, 1, Names::Value)
                    .map_err(|Refusal(text)| text)
                    .map(|mut messages| messages.pop())
            }));
            ffi::lua_settop(state, 0);
        })?;
    }
    match packed {
        Some(Ok(Ok(Some(message)))) => Ok(message),
        Some(Ok(Err(text)) | Err(text)) => Err(mlua::Error::runtime(text)),
        _ => Err(lost()),
    }
}

/// Rebuilds the value of a message.
pub(super) fn unpack(lua: &Lua, message: Message) -> mlua::Result<mlua::Value> {
    let mut message = Some(message);
    // SAFETY: nothing is held where something raises: `deliver` parks the
    // message before that.
    unsafe {
        lua.exec_raw((), |state| {
            let context = of(state);
            reserve(state, SLOTS);
            let message = message.take().unwrap_or_default();
            if let Err(fault) = unpack::deliver(state, context, message) {
                raise_fault(state, fault);
            }
        })
    }
}

fn lost() -> mlua::Error {
    mlua::Error::runtime("lanes got no result, please report it")
}
