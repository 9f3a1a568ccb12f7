//! The C interface for modules with shared objects: the other side of
//! `include/lanes.h`, which documents it.

use std::any::Any;
use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::sync::Arc;

use lane::Deep;
use lane::raw::{Kind, Parked, deep, protect::discard};
use mlua::ffi::{self, lua_State};

use crate::call::error;
use crate::module::push_loaded;

/// `LANES_ABI`
const ABI: c_uint = 1;

/// `lanes_type`
#[repr(C)]
pub struct Type {
    abi: c_uint,
    name: *const c_char,
    module: *const c_char,
    user_values: c_uint,
    destroy: Option<unsafe extern "C" fn(*mut c_void)>,
    metatable: Option<unsafe extern "C-unwind" fn(*mut lua_State)>,
}

/// `lanes_api`
#[repr(C)]
struct Api {
    abi: c_uint,
    push: unsafe extern "C-unwind" fn(*mut lua_State, *const Type, *mut c_void),
    get: unsafe extern "C-unwind" fn(*mut lua_State, c_int, *const Type) -> *mut c_void,
    references: unsafe extern "C-unwind" fn(*mut lua_State, c_int, *const Type) -> usize,
}

static API: Api = Api {
    abi: ABI,
    push,
    get,
    references,
};

/// An object of a C module.
struct Foreign {
    kind: &'static Type,
    object: *mut c_void,
}

// SAFETY: the header asks for types that stay and objects that are fit for use
// by several threads.
unsafe impl Send for Foreign {}
// SAFETY: as above.
unsafe impl Sync for Foreign {}

impl Drop for Foreign {
    fn drop(&mut self) {
        if let Some(destroy) = self.kind.destroy {
            // SAFETY: the last reference is gone, and the code of the module is
            // kept mapped by `lane::raw::pin`.
            unsafe { destroy(self.object) };
        }
    }
}

impl Deep for Foreign {
    fn kind(&self) -> &'static Kind {
        &KIND
    }

    fn class(&self) -> *const c_void {
        std::ptr::from_ref(self.kind).cast()
    }

    fn user_values(&self) -> u8 {
        u8::try_from(self.kind.user_values).unwrap_or(u8::MAX)
    }

    fn as_any(self: Arc<Self>) -> Arc<dyn Any + Send + Sync> {
        self
    }
}

/// Nothing once it was finalized: a finalizer of the program may see it later.
type Payload = Option<Arc<Foreign>>;

static KIND: Kind = Kind {
    name: "an object of a C module",
    size: size_of::<Payload>(),
    init,
    object,
    metatable,
};

unsafe fn init(payload: *mut c_void, object: Arc<dyn Deep>) {
    let Ok(object) = object.as_any().downcast::<Foreign>() else {
        unreachable!("the kind of foreign objects is used for them only")
    };
    // SAFETY: the payload has the size that the kind says.
    unsafe { payload.cast::<Payload>().write(Some(object)) };
}

unsafe fn object(payload: *mut c_void) -> Option<Arc<dyn Deep>> {
    // SAFETY: `init` made the payload.
    unsafe {
        (*payload.cast::<Payload>())
            .clone()
            .map(|object| object as Arc<dyn Deep>)
    }
}

unsafe extern "C-unwind" fn collect(state: *mut lua_State) -> c_int {
    // SAFETY: Lua calls this once, with a proxy.
    unsafe {
        let payload = ffi::lua_touserdata(state, 1).cast::<Payload>();
        if !payload.is_null() {
            discard((*payload).take());
        }
        0
    }
}

/// Loads the module that the type belongs to, then asks the type. [-0, +1, e]
unsafe fn metatable(state: *mut lua_State, object: *const Arc<dyn Deep>) {
    // SAFETY: the class of a foreign object is its type.
    unsafe {
        let kind = &*(*object).class().cast::<Type>();
        ffi::luaL_checkstack(state, 10, std::ptr::null());
        let top = ffi::lua_gettop(state);
        if !kind.module.is_null() {
            push_loaded(state, CStr::from_ptr(kind.module));
            if ffi::lua_type(state, -1) <= ffi::LUA_TNIL {
                ffi::lua_getglobal(state, c"require".as_ptr());
                if ffi::lua_type(state, -1) != ffi::LUA_TFUNCTION {
                    ffi::luaL_error(
                        state,
                        c"lanes receiving deep userdata should register the 'package' library: %s needs module '%s'"
                            .as_ptr(),
                        kind.name,
                        kind.module,
                    );
                }
                ffi::lua_pushstring(state, kind.module);
                ffi::lua_call(state, 1, 0);
            }
            ffi::lua_settop(state, top);
        }
        match kind.metatable {
            Some(make) => make(state),
            None => ffi::lua_createtable(state, 0, 2),
        }
        if ffi::lua_gettop(state) != top + 1 || ffi::lua_type(state, -1) != ffi::LUA_TTABLE {
            ffi::luaL_error(
                state,
                c"the type '%s' must push a metatable and nothing else".as_ptr(),
                kind.name,
            );
        }
        ffi::lua_pushcfunction(state, collect);
        ffi::lua_setfield(state, -2, c"__gc".as_ptr());
        ffi::lua_pushstring(state, kind.name);
        ffi::lua_setfield(state, -2, c"__metatable".as_ptr());
    }
}

unsafe extern "C-unwind" fn push(state: *mut lua_State, kind: *const Type, object: *mut c_void) {
    // SAFETY: a C module calls this in its state. The object is parked while
    // Lua may raise.
    unsafe {
        let kind: &'static Type = &*kind;
        if kind.abi > ABI {
            error(
                state,
                c"this C module was built for a newer version of lanes",
            );
        }
        // An object may outlive all states that have loaded its module.
        lane::raw::pin(std::ptr::from_ref(kind).cast());
        let Some(context) = lane::raw::context::of_state(state) else {
            error(state, c"lanes is closed: the state is ending");
        };
        let object: Box<Arc<dyn Deep>> = Box::new(Arc::new(Foreign { kind, object }));
        let pointer: *const Arc<dyn Deep> = &raw const *object;
        let place = context.park(Parked::Any(object));
        ffi::luaL_checkstack(state, 12, std::ptr::null());
        deep::push(state, pointer);
        context.unpark(place);
    }
}

/// The object at `index`, if it is of this type.
unsafe fn foreign(state: *mut lua_State, index: c_int, kind: *const Type) -> Payload {
    // SAFETY: called in a state; two free stack slots.
    unsafe {
        let object = deep::object_at(state, index)?
            .as_any()
            .downcast::<Foreign>()
            .ok()?;
        std::ptr::eq(object.kind, kind).then_some(object)
    }
}

unsafe extern "C-unwind" fn get(
    state: *mut lua_State,
    index: c_int,
    kind: *const Type,
) -> *mut c_void {
    // SAFETY: a C module calls this in its state; the proxy keeps the object.
    unsafe { foreign(state, index, kind).map_or(std::ptr::null_mut(), |object| object.object) }
}

unsafe extern "C-unwind" fn references(
    state: *mut lua_State,
    index: c_int,
    kind: *const Type,
) -> usize {
    // SAFETY: a C module calls this in its state. The one that is asked with
    // does not count.
    unsafe { foreign(state, index, kind).map_or(0, |object| Arc::strong_count(&object) - 1) }
}

/// Lets C modules find the functions in this state. [-0, +0, m]
///
/// # Safety
/// Two free stack slots.
pub unsafe fn publish(state: *mut lua_State) {
    // SAFETY: the caller's promise.
    unsafe {
        ffi::lua_pushlightuserdata(state, (&raw const API).cast_mut().cast());
        ffi::lua_setfield(state, ffi::LUA_REGISTRYINDEX, c"lanes.api".as_ptr());
    }
}
