//! Handing open files and sockets to other lanes: `lanes.share(object)`.
//!
//! What travels is a *share*: a deep object that owns a duplicate of the file
//! descriptor. `share:open()` turns it into a file or socket of the receiving
//! state's own, once; so both sides close their own, in any order. A share that
//! nobody opens closes its descriptor when it goes. The objects themselves are made by `lua/share.lua` with the libraries that the
//! state has; here are only the steps that Lua cannot do.

use std::any::Any;
use std::ffi::{CStr, c_int, c_void};
use std::sync::Arc;

use lane::Deep;
use lane::raw::protect::discard;
use lane::raw::{Kind, Parked, deep, flavour};
use mlua::ffi::{self, lua_State};

use crate::call::{Function, Raise, argument_error, context, error, push_text, raise, work};

/// A descriptor on its way between lanes.
struct Share {
    descriptor: sys::Descriptor,
    /// `file`, or the class that luasocket gives the object.
    class: Vec<u8>,
    /// The mode of a file, as `io.open` has it.
    mode: Vec<u8>,
}

impl Deep for Share {
    fn kind(&self) -> &'static Kind {
        &KIND
    }

    fn as_any(self: Arc<Self>) -> Arc<dyn Any + Send + Sync> {
        self
    }
}

/// Nothing once it was finalized: a finalizer of the program may see it later.
type Payload = Option<Arc<Share>>;

static KIND: Kind = Kind {
    name: "share",
    size: size_of::<Payload>(),
    init,
    object,
    metatable,
};

unsafe fn init(payload: *mut c_void, object: Arc<dyn Deep>) {
    let Ok(object) = object.as_any().downcast::<Share>() else {
        unreachable!("the kind of shares is used for them only")
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

/// Pushes the metatable of shares: `open` is a function of `lua/share.lua`.
/// [-0, +1, e]
unsafe fn metatable(state: *mut lua_State, _: *const Arc<dyn Deep>) {
    // SAFETY: nothing is held.
    unsafe {
        ffi::luaL_checkstack(state, 10, std::ptr::null());
        ffi::lua_createtable(state, 0, 4);
        ffi::lua_pushcfunction(state, collect);
        ffi::lua_setfield(state, -2, c"__gc".as_ptr());
        push_text(state, "Share");
        ffi::lua_setfield(state, -2, c"__metatable".as_ptr());
        push_text(state, "Share");
        ffi::lua_setfield(state, -2, c"__name".as_ptr());
        ffi::lua_createtable(state, 0, 1);
        push_library(state);
        ffi::lua_getfield(state, -1, c"open".as_ptr());
        ffi::lua_setfield(state, -3, c"open".as_ptr());
        ffi::lua_settop(state, -2);
        ffi::lua_setfield(state, -2, c"__index".as_ptr());
    }
}

/// In the registry: the functions of `lua/share.lua`.
static LIBRARY: u8 = 0;
const SOURCE: &str = include_str!("../../../lua/share.lua");

/// Pushes the table of functions of `lua/share.lua`. [-0, +1, e]
unsafe fn push_library(state: *mut lua_State) {
    // SAFETY: nothing is held.
    unsafe {
        let key = (&raw const LIBRARY).cast();
        ffi::lua_rawgetp(state, ffi::LUA_REGISTRYINDEX, key);
        if ffi::lua_type(state, -1) == ffi::LUA_TTABLE {
            return;
        }
        ffi::lua_settop(state, -2);
        crate::chunks::load(state, SOURCE);
        ffi::lua_createtable(state, 0, 8);
        let steps: [(&CStr, Function); 7] = [
            (c"descriptor", descriptor),
            (c"class", class),
            (c"set_class", set_class),
            (c"pack", pack),
            (c"describe", describe),
            (c"take", take),
            (c"replace", replace),
        ];
        crate::call::set_functions(state, &steps);
        ffi::lua_call(state, 1, 1);
        ffi::lua_pushvalue(state, -1);
        ffi::lua_rawsetp(state, ffi::LUA_REGISTRYINDEX, key);
    }
}

/// `lanes.share(object)` -> a share
pub unsafe extern "C-unwind" fn share(state: *mut lua_State) -> c_int {
    // SAFETY: Lua calls this.
    unsafe {
        ffi::lua_settop(state, 1);
        push_library(state);
        ffi::lua_getfield(state, 2, c"share".as_ptr());
        ffi::lua_pushvalue(state, 1);
        ffi::lua_call(state, 1, 2);
        if ffi::lua_type(state, -2) == ffi::LUA_TNIL {
            let text = ffi::lua_tostring(state, -1);
            if !text.is_null() {
                ffi::luaL_argerror(state, 1, text);
            }
        }
        ffi::lua_settop(state, -2);
        1
    }
}

/// The stream behind the file at `index`, or null. Every flavour begins the
/// userdata of a file with the pointer to it. [-0, +0, m]
unsafe fn stream(state: *mut lua_State, index: c_int) -> *mut libc::FILE {
    // SAFETY: the metatable is that of the io library.
    unsafe {
        if ffi::lua_type(state, index) != ffi::LUA_TUSERDATA
            || ffi::lua_getmetatable(state, index) == 0
        {
            return std::ptr::null_mut();
        }
        ffi::lua_pushstring(state, c"FILE*".as_ptr());
        ffi::lua_rawget(state, ffi::LUA_REGISTRYINDEX);
        let file = ffi::lua_rawequal(state, -1, -2) != 0;
        ffi::lua_settop(state, -3);
        if file {
            *ffi::lua_touserdata(state, index).cast::<*mut libc::FILE>()
        } else {
            std::ptr::null_mut()
        }
    }
}

/// `descriptor(file)` -> number, mode; the file is one, and open.
unsafe extern "C-unwind" fn descriptor(state: *mut lua_State) -> c_int {
    // SAFETY: our own Lua code calls this.
    unsafe {
        let stream = stream(state, 1);
        if stream.is_null() {
            argument_error(state, 1, c"an open file expected");
        }
        match sys::of_stream(stream) {
            Some((number, mode)) => {
                ffi::lua_pushinteger(state, ffi::lua_Integer::from(number));
                push_text(state, mode);
                2
            }
            None => error(state, c"the file has no descriptor that can be shared"),
        }
    }
}

/// `class(object)` -> the name under which the registry has its metatable
unsafe extern "C-unwind" fn class(state: *mut lua_State) -> c_int {
    // SAFETY: our own Lua code calls this; `lua_next` goes through the
    // registry, which is not changed.
    unsafe {
        ffi::lua_settop(state, 1);
        if ffi::lua_type(state, 1) != ffi::LUA_TUSERDATA || ffi::lua_getmetatable(state, 1) == 0 {
            return 0;
        }
        ffi::lua_pushnil(state);
        while ffi::lua_next(state, ffi::LUA_REGISTRYINDEX) != 0 {
            if ffi::lua_type(state, 3) == ffi::LUA_TSTRING && ffi::lua_rawequal(state, 2, 4) != 0 {
                ffi::lua_settop(state, 3);
                return 1;
            }
            ffi::lua_settop(state, 3);
        }
        0
    }
}

/// `set_class(object, name)`: what luasocket does with a socket when it
/// connects or listens.
unsafe extern "C-unwind" fn set_class(state: *mut lua_State) -> c_int {
    // SAFETY: our own Lua code calls this with a fresh socket object.
    unsafe {
        ffi::lua_settop(state, 2);
        ffi::lua_rawget(state, ffi::LUA_REGISTRYINDEX);
        if ffi::lua_type(state, 2) != ffi::LUA_TTABLE {
            error(
                state,
                c"this version of luasocket has no such class of sockets",
            );
        }
        ffi::lua_setmetatable(state, 1);
        1
    }
}

/// `pack(descriptor, class, mode)` -> a share, with a duplicate
unsafe extern "C-unwind" fn pack(state: *mut lua_State) -> c_int {
    // SAFETY: our own Lua code calls this. The object is parked while Lua may
    // raise.
    unsafe {
        let context = context(state);
        let number = ffi::luaL_checkinteger(state, 1) as c_int;
        let text = |index| match ffi::lua_type(state, index) {
            ffi::LUA_TSTRING => lane::raw::pack::bytes_at(state, index),
            _ => b"",
        };
        let (class, mode) = (text(2), text(3));
        let made = work(|| {
            let descriptor = sys::Descriptor::duplicate(number).map_err(Raise::Text)?;
            let share = Share {
                descriptor,
                class: class.to_vec(),
                mode: mode.to_vec(),
            };
            Ok(Box::new(Arc::new(share) as Arc<dyn Deep>))
        });
        match made {
            Ok(object) => {
                let pointer: *const Arc<dyn Deep> = &raw const *object;
                let place = context.park(Parked::Any(object));
                deep::push(state, pointer);
                context.unpark(place);
                1
            }
            Err(why) => raise(state, context, why),
        }
    }
}

/// The share at index 1. [-0, +0, e]
unsafe fn this<'a>(state: *mut lua_State) -> &'a Share {
    // SAFETY: a proxy of our kind has our payload, and lives while it is on the
    // stack.
    unsafe {
        let ours =
            deep::object_at(state, 1).is_some_and(|object| std::ptr::eq(object.kind(), &KIND));
        if !ours {
            argument_error(state, 1, c"a share expected");
        }
        match &*ffi::lua_touserdata(state, 1).cast::<Payload>() {
            Some(share) => share,
            None => argument_error(state, 1, c"a share expected"),
        }
    }
}

/// `describe(share)` -> class, mode
unsafe extern "C-unwind" fn describe(state: *mut lua_State) -> c_int {
    // SAFETY: our own Lua code calls this.
    unsafe {
        let share = this(state);
        flavour::push_bytes(state, &share.class);
        flavour::push_bytes(state, &share.mode);
        2
    }
}

/// `take(share)` -> the number of its descriptor, now for the caller to close
unsafe extern "C-unwind" fn take(state: *mut lua_State) -> c_int {
    // SAFETY: our own Lua code calls this.
    unsafe {
        let context = context(state);
        let share = this(state);
        match work(|| share.descriptor.take().map_err(Raise::Text)) {
            Ok(number) => {
                ffi::lua_pushinteger(state, ffi::lua_Integer::from(number));
                1
            }
            Err(why) => raise(state, context, why),
        }
    }
}

/// `replace(file, number)`: from now on the file means this descriptor, whose
/// number is closed.
unsafe extern "C-unwind" fn replace(state: *mut lua_State) -> c_int {
    // SAFETY: our own Lua code calls this with a file that it has just opened.
    unsafe {
        let context = context(state);
        let number = ffi::luaL_checkinteger(state, 2) as c_int;
        let stream = stream(state, 1);
        if stream.is_null() {
            argument_error(state, 1, c"an open file expected");
        }
        match work(|| sys::replace(stream, number).map_err(Raise::Text)) {
            Ok(()) => 0,
            Err(why) => raise(state, context, why),
        }
    }
}

#[cfg(unix)]
mod sys {
    use std::ffi::c_int;
    use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, IntoRawFd, OwnedFd};

    use parking_lot::Mutex;

    /// A descriptor of our own, until it is taken.
    pub(super) struct Descriptor(Mutex<Option<OwnedFd>>);

    fn failed(what: &str) -> String {
        format!("{what}: {}", std::io::Error::last_os_error())
    }

    impl Descriptor {
        pub(super) fn duplicate(number: c_int) -> Result<Descriptor, String> {
            if number < 0 {
                return Err("a closed socket or file cannot be shared".to_owned());
            }
            // SAFETY: the number is only duplicated, which fails if it is not
            // open.
            let borrowed = unsafe { BorrowedFd::borrow_raw(number) };
            match borrowed.try_clone_to_owned() {
                Ok(own) => Ok(Descriptor(Mutex::new(Some(own)))),
                Err(error) => Err(format!("the descriptor cannot be duplicated: {error}")),
            }
        }

        /// The descriptor, now for the caller to close.
        pub(super) fn take(&self) -> Result<c_int, String> {
            let own = self.0.lock().take();
            own.map(IntoRawFd::into_raw_fd).ok_or_else(|| {
                "this share was opened already: call lanes.share for each lane".to_owned()
            })
        }
    }

    /// The descriptor of a stream, with what was written to it so far, and the
    /// mode in which to open it again.
    pub(super) fn of_stream(stream: *mut libc::FILE) -> Option<(c_int, &'static str)> {
        // SAFETY: the stream is open: a closed file has none.
        unsafe {
            // Writes what is buffered; on an input that can seek it gives back
            // what was read ahead.
            libc::fflush(stream);
            let number = libc::fileno(stream);
            let flags = libc::fcntl(number, libc::F_GETFL);
            if number < 0 || flags < 0 {
                return None;
            }
            let append = flags & libc::O_APPEND != 0;
            Some((
                number,
                match flags & libc::O_ACCMODE {
                    libc::O_RDONLY => "r",
                    libc::O_WRONLY if append => "a",
                    libc::O_WRONLY => "w",
                    _ if append => "a+",
                    _ => "r+",
                },
            ))
        }
    }

    pub(super) fn replace(stream: *mut libc::FILE, number: c_int) -> Result<(), String> {
        // SAFETY: the number is a duplicate that was made for this.
        let own = unsafe { OwnedFd::from_raw_fd(number) };
        // SAFETY: the stream is open, and nothing is buffered in it yet.
        unsafe {
            if libc::dup2(own.as_raw_fd(), libc::fileno(stream)) < 0 {
                return Err(failed("the descriptor cannot be duplicated"));
            }
            // Children must not inherit it, as they do not the original.
            libc::fcntl(libc::fileno(stream), libc::F_SETFD, libc::FD_CLOEXEC);
        }
        Ok(())
    }
}

#[cfg(not(unix))]
mod sys {
    use std::ffi::c_int;

    const NOT_HERE: &str = "lanes.share is not implemented on this system";

    pub(super) struct Descriptor(());

    impl Descriptor {
        pub(super) fn duplicate(_: c_int) -> Result<Descriptor, String> {
            Err(NOT_HERE.to_owned())
        }

        pub(super) fn take(&self) -> Result<c_int, String> {
            Err(NOT_HERE.to_owned())
        }
    }

    pub(super) fn of_stream(_: *mut libc::FILE) -> Option<(c_int, &'static str)> {
        None
    }

    pub(super) fn replace(_: *mut libc::FILE, _: c_int) -> Result<(), String> {
        Err(NOT_HERE.to_owned())
    }
}
