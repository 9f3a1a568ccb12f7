//! The methods of lindas, each once per generation.

mod access;
mod face;
#[cfg(not(feature = "luajit"))]
mod hot;
mod listing;
mod transfer;

use std::ffi::{CStr, c_int};
use std::sync::Arc;

use lane::Message;
use lane::raw::pack::{self, Names, Refusal, SLOTS};
use lane::raw::protect::reserve;
use lane::raw::{Context, Generation, flavour, sentinel};
use linda::Party;
use mlua::ffi::{self, lua_State};

use self::access::{get, limit, restrict, set};
use self::face::{
    atomic_add, cancel, close, collect_garbage, concat, deep, index, new_index, to_string, wake,
};
use self::listing::{count, dump};
pub(crate) use self::transfer::BATCHED;
use self::transfer::{receive, receive_batched, send};
use crate::call::{Function, Raise, argument_error, context, push_function, push_text};
use crate::object::{Proxy, collect, proxy_at};

const RESTRICTED: &str = "Key is restricted";

/// The generation that a method was built for.
const fn generation<const G: u8>() -> Generation {
    match G {
        2 => Generation::V2,
        3 => Generation::V3,
        _ => Generation::V4,
    }
}

/// The linda at index 1. [-0, +0, e]
#[inline]
unsafe fn this<'a, const G: u8>(state: *mut lua_State) -> &'a Proxy {
    // SAFETY: the value stays at index 1 as long as the method runs.
    unsafe {
        match proxy_at(state, 1) {
            Some(proxy) => proxy,
            None if G == 2 => argument_error(state, 1, c"expected a linda object!"),
            None => argument_error(state, 1, c"expecting a linda object"),
        }
    }
}

/// The context of the state and the linda at index 1. From the second call on
/// a linda knows the context, which takes Lua one call less. [-0, +0, e]
///
/// # Safety
/// As for [`context`].
#[inline]
unsafe fn both<'a, const G: u8>(state: *mut lua_State) -> (&'a Context, &'a Proxy) {
    // SAFETY: the caller's promise. A proxy and the context that it remembers
    // belong to one state; the memory of the userdata in which the context is
    // looked up is there until that state's memory goes.
    unsafe {
        if let Some(proxy) = proxy_at(state, 1)
            && let Some(context) = proxy.context().get().as_ref()
            && let Some(context) = context.as_ref()
        {
            context.sweep();
            return (context, proxy);
        }
        let context = context(state);
        let proxy = this::<G>(state);
        let userdata = ffi::lua_touserdata(state, ffi::lua_upvalueindex(1));
        proxy.context().set(userdata.cast());
        (context, proxy)
    }
}

/// The party that calls, for operations on this linda.
#[inline]
pub(crate) fn party<'a>(context: &'a Context, proxy: &Proxy) -> Party<'a> {
    Party {
        recheck: proxy.object.wake_period,
        ..context.party()
    }
}

/// Counts a call of a method. Who makes many of them gets faster ones: all
/// lindas of the state in LuaJIT, this linda elsewhere. [-0, +0, -]
///
/// # Safety
/// The method's second upvalue is the metatable, and the linda is at index 1;
/// nothing with a destructor is held.
#[allow(unused_variables, reason = "each flavour counts for itself")]
#[inline]
unsafe fn tick<const G: u8>(state: *mut lua_State, context: &Context, proxy: &Proxy) {
    // SAFETY: the caller's promise.
    unsafe {
        #[cfg(feature = "luajit")]
        if context.count_call() {
            crate::fast::install(state);
        }
        #[cfg(not(feature = "luajit"))]
        if G == 4 && proxy.count_call() {
            hot::install(state);
        }
    }
}

/// Makes room for packing the values from `first` on, if one of them needs it.
/// [-0, +0, e]
#[inline]
unsafe fn room(state: *mut lua_State, first: c_int, last: c_int) {
    // SAFETY: nothing is held.
    unsafe {
        let scalars = (first..=last).all(|index| pack::is_scalar(ffi::lua_type(state, index)));
        if !scalars {
            reserve(state, SLOTS);
        }
    }
}

/// How many values can be pushed at most. [-0, +0, -]
unsafe fn room_for_values(state: *mut lua_State) -> ffi::lua_Integer {
    // SAFETY: a valid state.
    let used = unsafe { ffi::lua_gettop(state) };
    ffi::lua_Integer::from(flavour::STACK_LIMIT - used - 2 * SLOTS)
}

/// Packs the values of `send` and `set`, each for itself.
unsafe fn packed(
    state: *mut lua_State,
    context: &Context,
    first: c_int,
    last: c_int,
) -> Result<Vec<Message>, Raise> {
    let names = Names::Linda(first as u32 - 1);
    // SAFETY: `room` was called.
    unsafe { pack::values(state, context, first, last - first + 1, names) }
        .map_err(|Refusal(text)| Raise::Text(text))
}

/// Pushes a fresh metatable for the generation of the state. [-0, +1, e]
pub unsafe fn push_metatable(state: *mut lua_State, _: *const Arc<dyn lane::Deep>) {
    // SAFETY: the caller has reserved stack slots.
    unsafe {
        match lane::raw::context::of_state(state).map(Context::generation) {
            Some(Generation::V2) => metatable::<2>(state),
            Some(Generation::V3) => metatable::<3>(state),
            _ => metatable::<4>(state),
        }
    }
}

unsafe fn metatable<const G: u8>(state: *mut lua_State) {
    let methods: &[(&CStr, Function, bool)] = &[
        (c"send", send::<G>, true),
        (c"receive", receive::<G>, true),
        (c"receive_batched", receive_batched::<G>, G == 4),
        (c"set", set::<G>, true),
        (c"get", get::<G>, true),
        (c"limit", limit::<G>, true),
        (c"restrict", restrict::<G>, G == 4),
        (c"count", count::<G>, true),
        (c"dump", dump::<G>, true),
        (c"cancel", cancel::<G>, G != 2),
        (c"wake", wake::<G>, G == 4),
        (c"deep", deep::<G>, true),
        (c"atomic_add", atomic_add::<G>, true),
        (c"collectgarbage", collect_garbage::<G>, G == 4),
    ];
    let metamethods: &[(&CStr, Function)] = &[
        (c"__tostring", to_string::<G>),
        (c"__concat", concat::<G>),
        (c"__newindex", new_index::<G>),
        (c"__close", close::<G>),
    ];
    // SAFETY: `luaL_checkstack` makes room; nothing is held.
    unsafe {
        ffi::luaL_checkstack(state, 8, std::ptr::null());
        ffi::lua_createtable(state, 0, 8);
        let table = ffi::lua_gettop(state);
        for (name, function) in metamethods {
            ffi::lua_pushvalue(state, table);
            push_function(state, *function, 1);
            ffi::lua_setfield(state, table, name.as_ptr());
        }
        ffi::lua_pushcfunction(state, collect);
        ffi::lua_setfield(state, table, c"__gc".as_ptr());
        if G == 2 {
            ffi::lua_pushboolean(state, 0);
        } else {
            push_text(state, "Linda");
        }
        ffi::lua_setfield(state, table, c"__metatable".as_ptr());
        // Methods are found in a plain table, without a call where the
        // generation allows it.
        ffi::lua_createtable(state, 0, 16);
        for (name, function, wanted) in methods {
            if *wanted {
                ffi::lua_pushvalue(state, table);
                push_function(state, *function, 1);
                ffi::lua_setfield(state, table + 1, name.as_ptr());
            }
        }
        if G != 2 {
            ffi::lua_pushlightuserdata(state, sentinel::null());
            ffi::lua_setfield(state, table + 1, c"null".as_ptr());
        }
        if G != 4 {
            push_text(state, BATCHED);
            ffi::lua_setfield(state, table + 1, c"batched".as_ptr());
        }
        if G == 4 {
            ffi::lua_pushvalue(state, table);
            ffi::lua_insert(state, -2);
            push_function(state, index, 2);
        }
        ffi::lua_setfield(state, table, c"__index".as_ptr());
        ffi::lua_settop(state, table);
    }
}
