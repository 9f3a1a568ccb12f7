//! Starting lanes.
//!
//! Everything that can go wrong does so on the caller's thread, before there
//! is a thread: the values are packed, the state is made and filled, and then
//! handed over whole.

use std::ffi::{CStr, c_int, c_void};
use std::sync::Arc;

use mlua::ffi::{self, lua_State};

use super::context::{self, Context};
use super::pack::{self, Names, Refusal, bytes_at};
use super::protect::{protected, undisturbed};
use super::run::Ready;
use super::state::{Libraries, error_text, make};
use super::trace::Level;
use super::unpack;
use crate::lane::Lane;
use crate::message::Message;
use crate::thread::{self, Priority};
use crate::universe::Universe;
use crate::workers;

/// What a lane runs.
#[derive(Clone, Copy)]
pub enum Body {
    /// The function at this index.
    Function(c_int),
    /// The source text at this index.
    Source(c_int),
}

/// How to start a lane. Indices are absolute, in the caller's stack.
pub struct Launch<'a> {
    /// The libraries of its state.
    pub libraries: &'a Libraries,
    /// Its name, if it has one.
    pub name: Option<Vec<u8>>,
    /// What it runs.
    pub body: Body,
    /// The arguments of the body.
    pub first: c_int,
    /// How many they are.
    pub count: c_int,
    /// A table to be copied into its globals.
    pub globals: Option<c_int>,
    /// A list of modules to be required before the body runs.
    pub required: Option<c_int>,
    /// A table with `path`, `cpath` and `preload` for its package library.
    pub package: Option<c_int>,
    /// How much of the stack an error keeps.
    pub level: Level,
    /// How urgent its thread is; as urgent as the caller's if not said.
    pub priority: Option<Priority>,
    /// Whether the body runs in a coroutine, which may yield to the handle.
    pub coroutine: bool,
}

struct Fill {
    context: *const Context,
    paths: [Option<Vec<u8>>; 2],
    preload: Vec<(Vec<u8>, Loader)>,
    globals: Option<Message>,
    required: Vec<Vec<u8>>,
    body: FillBody,
    arguments: Message,
}

/// An entry of `package.preload`.
enum Loader {
    Lua(Message),
    Native(ffi::lua_CFunction),
}

enum FillBody {
    Function(Message),
    Source(Vec<u8>),
}

/// Starts a lane. Fails with a text before anything of it exists. [-0, +0, -]
///
/// # Safety
/// `context` belongs to `state`; [`pack::SLOTS`] free stack slots.
pub unsafe fn launch(
    state: *mut lua_State,
    context: &Context,
    how: Launch<'_>,
) -> Result<Arc<Lane>, String> {
    // SAFETY: the caller's promise; the new state is ours alone until the
    // thread takes it.
    unsafe {
        let universe = context.universe();
        let refused = |Refusal(text)| text;
        let body = match how.body {
            Body::Function(index) => FillBody::Function(
                pack::together(state, context, index, 1, Names::Body).map_err(refused)?,
            ),
            Body::Source(index) => FillBody::Source(bytes_at(state, index).to_vec()),
        };
        let arguments = pack::together(state, context, how.first, how.count, Names::Argument(1))
            .map_err(refused)?;
        let globals = match how.globals {
            Some(index) => {
                Some(pack::together(state, context, index, 1, Names::Globals).map_err(refused)?)
            }
            None => None,
        };
        let required = match how.required {
            Some(index) => strings(state, index)?,
            None => Vec::new(),
        };
        let paths = match how.package {
            Some(index) => [
                field(state, index, c"path")?,
                field(state, index, c"cpath")?,
            ],
            None => [None, None],
        };
        let preload = match how.package {
            Some(index) => preload(state, context, index),
            None => Vec::new(),
        };
        let traced = how.level != Level::Minimal;
        let lane = Lane::new(universe.next_identity(), how.name).in_coroutine(how.coroutine);
        let lane = Arc::new(lane);
        let made = make(
            universe,
            &lane,
            context.generation(),
            how.libraries,
            how.level,
        )?;
        let new = made.get();
        let its_context = context::of_state(new).ok_or("the new state has no context")?;
        let mut job = Fill {
            context: its_context,
            paths,
            preload,
            globals,
            required,
            body,
            arguments,
        };
        if protected(new, 0, ffi::LUA_MULTRET, fill, (&raw mut job).cast()) != ffi::LUA_OK {
            return Err(error_text(new));
        }
        let arguments = ffi::lua_gettop(new) - 2;
        if !universe.enter(&lane) {
            return Err("no lane can be started any more: the program is ending".to_owned());
        }
        let entered = Entered {
            universe,
            lane: &lane,
        };
        #[cfg(feature = "faults")]
        super::faults::point("while launching");
        let thread_name = lane.is_named().then(|| lane.name().replace('\0', "?"));
        let ready = Ready {
            state: made,
            lane: Arc::clone(&lane),
            universe: Arc::clone(universe),
            arguments,
            traced,
        };
        let priority = how.priority;
        let run = move || {
            if let Some(priority) = priority {
                thread::set_priority(priority);
            }
            ready.run();
        };
        universe.track(&lane);
        match workers::run(
            thread_name.as_deref(),
            stack_size(),
            universe.spin(),
            Box::new(run),
        ) {
            Ok(()) => {
                std::mem::forget(entered);
                Ok(lane)
            }
            // The closure, and with it the state, is gone already.
            Err(error) => Err(format!("the system refuses another thread: {error}")),
        }
    }
}

/// A registered lane whose thread was not started. If it never is, the lane
/// leaves the register, for the universe would wait for it.
struct Entered<'a> {
    universe: &'a Universe,
    lane: &'a Arc<Lane>,
}

impl Drop for Entered<'_> {
    fn drop(&mut self) {
        self.lane.disown();
        self.universe.leave(self.lane);
    }
}

/// `() -> (body, arguments…)` [e]: fills the new state.
unsafe fn fill(state: *mut lua_State, data: *mut c_void) -> c_int {
    // SAFETY: `data` is the job that `launch` keeps alive; nothing here owns a
    // value with a destructor.
    unsafe {
        let job = &*data.cast::<Fill>();
        let context = &*job.context;
        for (name, text) in [c"path", c"cpath"].into_iter().zip(&job.paths) {
            if let Some(text) = text {
                ffi::lua_getglobal(state, c"package".as_ptr());
                if ffi::lua_type(state, -1) == ffi::LUA_TTABLE {
                    super::flavour::push_bytes(state, text);
                    ffi::lua_setfield(state, -2, name.as_ptr());
                }
                ffi::lua_settop(state, 0);
            }
        }
        preload_all(state, context, &job.preload);
        for module in &job.required {
            ffi::lua_getglobal(state, c"require".as_ptr());
            if ffi::lua_type(state, -1) != ffi::LUA_TFUNCTION {
                return ffi::luaL_error(
                    state,
                    c"cannot pre-require modules without loading 'package' library first".as_ptr(),
                );
            }
            super::flavour::push_bytes(state, module);
            ffi::lua_pushvalue(state, -1);
            ffi::lua_insert(state, -3);
            ffi::lua_call(state, 1, 1);
            if matches!(
                ffi::lua_type(state, -1),
                ffi::LUA_TTABLE | ffi::LUA_TFUNCTION | ffi::LUA_TUSERDATA
            ) {
                super::names::register(state, context);
            }
            ffi::lua_settop(state, 0);
        }
        if let Some(globals) = &job.globals {
            unpack(state, context, globals);
            ffi::lua_pushglobaltable(state);
            ffi::lua_pushnil(state);
            while ffi::lua_next(state, 1) != 0 {
                ffi::lua_pushvalue(state, -2);
                ffi::lua_insert(state, -2);
                ffi::lua_rawset(state, 2);
            }
            ffi::lua_settop(state, 0);
        }
        match &job.body {
            FillBody::Function(message) => unpack(state, context, message),
            FillBody::Source(text) => {
                ffi::luaL_checkstack(state, 4, std::ptr::null());
                super::flavour::push_bytes(state, text);
                let name = ffi::lua_tostring(state, 1);
                let status = ffi::luaL_loadbufferx(
                    state,
                    text.as_ptr().cast(),
                    text.len(),
                    name,
                    std::ptr::null(),
                );
                if status != ffi::LUA_OK {
                    let why = ffi::lua_tostring(state, -1);
                    ffi::lua_pushfstring(
                        state,
                        c"error when parsing lane function code: %s".as_ptr(),
                        why,
                    );
                    ffi::lua_error(state);
                }
                ffi::lua_remove(state, 1);
            }
        }
        unpack(state, context, &job.arguments);
        // The thread will need a few slots of its own.
        ffi::luaL_checkstack(state, 8, std::ptr::null());
        ffi::lua_gettop(state)
    }
}

/// Puts the entries into `package.preload` that are not there yet. [-0, +0, e]
unsafe fn preload_all(state: *mut lua_State, context: &Context, entries: &[(Vec<u8>, Loader)]) {
    // SAFETY: called by `fill`, with an empty stack.
    unsafe {
        if entries.is_empty() {
            return;
        }
        ffi::lua_getglobal(state, c"package".as_ptr());
        if ffi::lua_type(state, -1) == ffi::LUA_TTABLE {
            ffi::lua_getfield(state, -1, c"preload".as_ptr());
        }
        if ffi::lua_type(state, -1) == ffi::LUA_TTABLE {
            let table = ffi::lua_gettop(state);
            for (name, loader) in entries {
                super::flavour::push_bytes(state, name);
                ffi::lua_pushvalue(state, -1);
                ffi::lua_rawget(state, table);
                if ffi::lua_type(state, -1) == ffi::LUA_TNIL {
                    ffi::lua_settop(state, table + 1);
                    match loader {
                        Loader::Native(function) => ffi::lua_pushcfunction(state, *function),
                        Loader::Lua(message) => unpack(state, context, message),
                    }
                    ffi::lua_rawset(state, table);
                }
                ffi::lua_settop(state, table);
            }
        }
        ffi::lua_settop(state, 0);
    }
}

/// Pushes the values of a message or raises. [-0, +n, e]
unsafe fn unpack(state: *mut lua_State, context: &Context, message: &Message) {
    // SAFETY: the message is kept alive by `launch`, outside the protected
    // call.
    unsafe {
        if let Err(fault) = unpack::message(state, context, message, true) {
            unpack::push_fault(state, fault);
            ffi::lua_error(state);
        }
    }
}

/// The strings of the list at `index`. [-0, +0, -]
unsafe fn strings(state: *mut lua_State, index: c_int) -> Result<Vec<Vec<u8>>, String> {
    // SAFETY: a table at `index`; one free stack slot.
    unsafe {
        let top = ffi::lua_gettop(state);
        let mut entries = 0;
        ffi::lua_pushnil(state);
        // Nothing runs in between that could change the table.
        while ffi::lua_next(state, index) != 0 {
            ffi::lua_settop(state, top + 1);
            entries += 1;
        }
        if entries != ffi::lua_rawlen(state, index) {
            return Err("required module list should be a list of strings".to_owned());
        }
        (1..=entries)
            .map(|n| {
                super::flavour::raw_geti(state, index, n as u32);
                let text = (ffi::lua_type(state, -1) == ffi::LUA_TSTRING)
                    .then(|| bytes_at(state, -1).to_vec());
                ffi::lua_settop(state, -2);
                text.ok_or_else(|| "required module list should be a list of strings".to_owned())
            })
            .collect()
    }
}

/// A string field of the table at `index`. [-0, +0, -]
unsafe fn field(
    state: *mut lua_State,
    index: c_int,
    name: &'static CStr,
) -> Result<Option<Vec<u8>>, String> {
    // SAFETY: a table at `index`. The key is a name that the program's own
    // package table has, so it is looked for rather than pushed: that would
    // take memory and could raise.
    unsafe {
        let top = ffi::lua_gettop(state);
        let mut found = Ok(None);
        ffi::lua_pushnil(state);
        while ffi::lua_next(state, index) != 0 {
            if ffi::lua_type(state, -2) == ffi::LUA_TSTRING
                && bytes_at(state, -2) == name.to_bytes()
            {
                found = match ffi::lua_type(state, -1) {
                    ffi::LUA_TSTRING => Ok(Some(bytes_at(state, -1).to_vec())),
                    _ => Err(format!(
                        "failed to copy package.{}: it is not a string",
                        name.to_string_lossy()
                    )),
                };
                break;
            }
            ffi::lua_settop(state, -2);
        }
        ffi::lua_settop(state, top);
        found
    }
}

/// The entries of the `preload` table in the package table at `index` that can
/// travel: Lua functions, and C functions without upvalues. [-0, +0, -]
unsafe fn preload(
    state: *mut lua_State,
    context: &Context,
    index: c_int,
) -> Vec<(Vec<u8>, Loader)> {
    // SAFETY: a table at `index`; `pack::SLOTS` free stack slots. Packing may
    // run code of the program that changes the table, so its entries are
    // listed first.
    unsafe {
        let mut entries = Vec::new();
        let top = ffi::lua_gettop(state);
        ffi::lua_pushvalue(state, index);
        if undisturbed(state, 1, 1, list_preload, std::ptr::null_mut()) == ffi::LUA_OK {
            let (name, value) = (top + 2, top + 3);
            for n in (1..=ffi::lua_rawlen(state, top + 1) as u32).step_by(2) {
                super::flavour::raw_geti(state, top + 1, n);
                super::flavour::raw_geti(state, top + 1, n + 1);
                let loader = match ffi::lua_tocfunction(state, value) {
                    Some(function) if ffi::lua_getupvalue(state, value, 1).is_null() => {
                        // The lane may load the module after the state that
                        // has it now was closed.
                        super::pin(function as *const c_void);
                        Some(Loader::Native(function))
                    }
                    Some(_) => None,
                    None => pack::together(state, context, value, 1, Names::Body)
                        .ok()
                        .map(Loader::Lua),
                };
                if let Some(loader) = loader {
                    entries.push((bytes_at(state, name).to_vec(), loader));
                }
                ffi::lua_settop(state, top + 1);
            }
        }
        ffi::lua_settop(state, top);
        entries
    }
}

/// `(package) -> { name, loader, name, loader, … }` [e]: the functions in its
/// `preload` table.
unsafe fn list_preload(state: *mut lua_State, _: *mut c_void) -> c_int {
    // SAFETY: called with a table; nothing is held.
    unsafe {
        ffi::lua_createtable(state, 8, 0); // 2
        super::flavour::push_bytes(state, b"preload");
        ffi::lua_rawget(state, 1); // 3
        if ffi::lua_type(state, 3) == ffi::LUA_TTABLE {
            let mut n = 0;
            ffi::lua_pushnil(state);
            while ffi::lua_next(state, 3) != 0 {
                if ffi::lua_type(state, 4) == ffi::LUA_TSTRING
                    && ffi::lua_type(state, 5) == ffi::LUA_TFUNCTION
                {
                    ffi::lua_pushvalue(state, 4);
                    super::flavour::raw_seti(state, 2, n + 1);
                    super::flavour::raw_seti(state, 2, n + 2);
                    n += 2;
                }
                ffi::lua_settop(state, 4);
            }
        }
        ffi::lua_settop(state, 2);
        1
    }
}

/// As large as the main thread's, so that deep recursion works the same in a
/// lane. Memory is taken as it is used.
fn stack_size() -> usize {
    /// What most systems give the main thread.
    const USUAL: usize = 8 << 20;
    #[cfg(unix)]
    {
        let mut limit = libc::rlimit {
            rlim_cur: 0,
            rlim_max: 0,
        };
        // SAFETY: the structure is ours.
        let known = unsafe { libc::getrlimit(libc::RLIMIT_STACK, &raw mut limit) } == 0;
        // Unlimited or enormous stacks cannot be given to each thread.
        if known && (1 << 20..=64 << 20).contains(&limit.rlim_cur) {
            return limit.rlim_cur as usize;
        }
    }
    USUAL
}
