//! Proxies: the per-state userdata of deep objects.

use std::ffi::{c_int, c_void};
use std::sync::Arc;

use mlua::ffi::{self, lua_State};

use super::flavour;
use crate::deep::Deep;

/// How the proxies of a type of deep objects are made.
pub struct Kind {
    /// The type's name, for messages.
    pub name: &'static str,
    /// The size of a proxy's payload.
    pub size: usize,
    /// Makes the payload. Does not raise.
    pub init: unsafe fn(payload: *mut c_void, object: Arc<dyn Deep>),
    /// The object of a payload, unless it was finalized. Does not raise.
    pub object: unsafe fn(payload: *mut c_void) -> Option<Arc<dyn Deep>>,
    /// Pushes a fresh metatable for the class of this object, whose `__gc`
    /// drops a payload. [-0, +1, e]
    pub metatable: unsafe fn(state: *mut lua_State, object: *const Arc<dyn Deep>),
}

/// In a proxy's metatable: its [`Kind`], as a light userdata.
static KIND: u8 = 0;
/// In the metatable of lane handles.
static HANDLE: u8 = 0;
/// In the registry: object address to proxy, weak.
static PROXIES: u8 = 0;

fn key(of: &'static u8) -> *const c_void {
    std::ptr::from_ref(of).cast()
}

/// Makes the table of proxies. [-0, +0, m]
///
/// # Safety
/// `state` must be valid, with four free stack slots.
pub unsafe fn install(state: *mut lua_State) {
    // SAFETY: the caller's promise.
    unsafe {
        ffi::lua_createtable(state, 0, 0);
        ffi::lua_createtable(state, 0, 1);
        flavour::push_bytes(state, b"v");
        ffi::lua_setfield(state, -2, c"__mode".as_ptr());
        ffi::lua_setmetatable(state, -2);
        ffi::lua_rawsetp(state, ffi::LUA_REGISTRYINDEX, key(&PROXIES));
    }
}

/// Pushes the proxy of an object: the one that the state has, or a new one.
/// Answers whether it is new. [-0, +1, e]
///
/// # Safety
/// Eight free stack slots; `object` stays where it is, also when this raises.
pub unsafe fn push(state: *mut lua_State, object: *const Arc<dyn Deep>) -> bool {
    // SAFETY: the caller's promise. No value with a destructor is held: the
    // clone goes into the payload at once, and the metatable with `__gc` is
    // set without anything in between that raises.
    unsafe {
        let address = Arc::as_ptr(&*object).cast::<c_void>();
        ffi::lua_rawgetp(state, ffi::LUA_REGISTRYINDEX, key(&PROXIES));
        let proxies = ffi::lua_gettop(state);
        ffi::lua_rawgetp(state, proxies, address);
        if ffi::lua_type(state, -1) == ffi::LUA_TUSERDATA {
            ffi::lua_remove(state, proxies);
            return false;
        }
        ffi::lua_settop(state, proxies);
        let kind = (*object).kind();
        push_metatable(state, object);
        let payload = flavour::new_userdata_with(state, kind.size, (*object).user_values());
        (kind.init)(payload, Arc::clone(&*object));
        ffi::lua_pushvalue(state, proxies + 1);
        ffi::lua_setmetatable(state, -2);
        ffi::lua_pushvalue(state, -1);
        ffi::lua_rawsetp(state, proxies, address);
        ffi::lua_replace(state, proxies);
        ffi::lua_settop(state, proxies);
        super::context::renew_guard(state);
        true
    }
}

/// Pushes the metatable for the class of an object, made at first use.
/// [-0, +1, e]
///
/// # Safety
/// Six free stack slots; `object` stays where it is, also when this raises.
unsafe fn push_metatable(state: *mut lua_State, object: *const Arc<dyn Deep>) {
    // SAFETY: the caller's promise.
    unsafe {
        let class = (*object).class();
        ffi::lua_rawgetp(state, ffi::LUA_REGISTRYINDEX, class);
        if ffi::lua_type(state, -1) == ffi::LUA_TTABLE {
            return;
        }
        ffi::lua_settop(state, -2);
        let kind = (*object).kind();
        (kind.metatable)(state, object);
        ffi::lua_pushlightuserdata(state, std::ptr::from_ref(kind).cast_mut().cast());
        ffi::lua_rawsetp(state, -2, key(&KIND));
        ffi::lua_pushvalue(state, -1);
        ffi::lua_rawsetp(state, ffi::LUA_REGISTRYINDEX, class);
    }
}

/// The kind of the userdata at `index`, if it is a proxy. [-0, +0, -]
///
/// # Safety
/// Two free stack slots.
unsafe fn kind_at(state: *mut lua_State, index: c_int) -> Option<&'static Kind> {
    // SAFETY: the caller's promise; only `push_metatable` sets the field, to a
    // static.
    unsafe {
        if ffi::lua_type(state, index) != ffi::LUA_TUSERDATA
            || ffi::lua_getmetatable(state, index) == 0
        {
            return None;
        }
        ffi::lua_rawgetp(state, -1, key(&KIND));
        let kind = ffi::lua_touserdata(state, -1).cast::<Kind>();
        ffi::lua_settop(state, -3);
        kind.as_ref()
    }
}

/// The deep object at `index`, if it is a proxy. [-0, +0, -]
///
/// # Safety
/// Two free stack slots.
pub unsafe fn object_at(state: *mut lua_State, index: c_int) -> Option<Arc<dyn Deep>> {
    // SAFETY: a proxy's payload is what its kind made.
    unsafe {
        kind_at(state, index).and_then(|kind| (kind.object)(ffi::lua_touserdata(state, index)))
    }
}

/// Whether the userdata at `index` is a proxy. [-0, +0, -]
///
/// # Safety
/// Two free stack slots.
pub unsafe fn is_proxy(state: *mut lua_State, index: c_int) -> bool {
    // SAFETY: the caller's promise.
    unsafe { kind_at(state, index).is_some() }
}

/// Marks the table on top as the metatable of lane handles. [-0, +0, m]
///
/// # Safety
/// A table on top; two free stack slots.
pub unsafe fn mark_handles(state: *mut lua_State) {
    // SAFETY: the caller's promise.
    unsafe {
        ffi::lua_pushboolean(state, 1);
        ffi::lua_rawsetp(state, -2, key(&HANDLE));
    }
}

/// Whether the userdata at `index` is a lane handle. [-0, +0, -]
///
/// # Safety
/// A full userdata at `index`; two free stack slots.
pub unsafe fn is_handle(state: *mut lua_State, index: c_int) -> bool {
    // SAFETY: the caller's promise.
    unsafe {
        if ffi::lua_getmetatable(state, index) == 0 {
            return false;
        }
        ffi::lua_rawgetp(state, -1, key(&HANDLE));
        let is = ffi::lua_toboolean(state, -1) != 0;
        ffi::lua_settop(state, -3);
        is
    }
}
