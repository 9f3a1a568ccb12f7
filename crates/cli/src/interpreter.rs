//! Runs what the command line asks for, in the order of the stock interpreter:
//! libraries, `LUA_INIT`, `-e` and `-l`, the script, the prompt.
//!
//! Raw calls, not mlua's safe layer: an interpreter must show errors, tracebacks
//! and exit statuses just as its users know them. All that may raise runs inside
//! one protected call ([`main_chunk`]); a Lua error leaves these functions by a
//! jump, so none of them owns anything. What owns memory is the [`Session`],
//! which lives outside of the protected call.

use std::ffi::{CStr, CString, c_char, c_int};
use std::io::{IsTerminal, Write};
use std::process::ExitCode;
use std::ptr;

use mlua::ffi;

use crate::command_line::{Action, CommandLine};
use crate::paths::{self, Paths};
use crate::{interrupt, prompt};

/// Everything that the functions below need and do not own.
pub(crate) struct Session {
    line: CommandLine,
    paths: Paths,
    /// `LUA_INIT`: the variable's name as chunk name, and its value.
    init: Option<(CString, CString)>,
    /// The prompt's line buffer.
    pub(crate) input: String,
    /// The prompt's line editor, on a terminal.
    pub(crate) editor: Option<rustyline::DefaultEditor>,
    /// Set when everything ended well.
    ok: bool,
}

/// What `package.preload` answers to, as `lanes.so` does.
const MODULES: &[(&CStr, ffi::lua_CFunction)] = &[
    (c"lanes", lanes::entry::open),
    (c"lanes.v2", lanes::entry::open_v2),
    (c"lanes.v3", lanes::entry::open_v3),
    (c"lanes.v4", lanes::entry::open_v4),
];

/// Runs a session in a fresh state and closes it: `__gc` of what is left runs,
/// and lanes are brought to an end, before the process exits.
pub(crate) fn run(line: CommandLine) -> ExitCode {
    let mut session = Session {
        paths: Paths::find(line.no_environment),
        init: if line.no_environment {
            None
        } else {
            init_variable()
        },
        line,
        input: String::new(),
        editor: None,
        ok: false,
    };
    // SAFETY: the state is made here, used by this thread only and closed once.
    // The session outlives the protected call that gets its address. Pushing a
    // function and a pointer onto a fresh stack needs no more room than it has.
    unsafe {
        let state = ffi::luaL_newstate();
        if state.is_null() {
            eprintln!("lanes: cannot create state: not enough memory");
            return ExitCode::FAILURE;
        }
        ffi::lua_pushcfunction(state, main_chunk);
        ffi::lua_pushlightuserdata(state, (&raw mut session).cast());
        let status = ffi::lua_pcall(state, 1, 0, 0);
        report(state, status);
        ffi::lua_close(state);
    }
    if session.ok {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

fn init_variable() -> Option<(CString, CString)> {
    let versioned = paths::VERSIONED_ENV
        .map(|suffix| format!("LUA_INIT{suffix}"))
        .filter(|name| std::env::var_os(name).is_some());
    let name = versioned.unwrap_or_else(|| "LUA_INIT".to_owned());
    let value = CString::new(paths::variable("LUA_INIT")?).ok()?;
    Some((CString::new(format!("={name}")).ok()?, value))
}

/// The body of the protected call; its argument is the session. `[-0, +0, e]`
unsafe extern "C-unwind" fn main_chunk(state: *mut ffi::lua_State) -> c_int {
    // SAFETY: `run` passes the address of its session and does not touch it
    // before this call returns.
    let session = unsafe { &mut *ffi::lua_touserdata(state, 1).cast::<Session>() };
    // SAFETY: `state` is the running state, and each function is called as its
    // own description says; nothing with a destructor lives in this frame.
    unsafe {
        if session.line.version {
            print_version();
        }
        open_libraries(state, session);
        set_arg_table(state, &session.line);
        session.ok = run_init(state, session)
            && session.line.actions.iter().all(|action| act(state, action))
            && run_script(state, &session.line);
        if !session.ok {
            return 0;
        }
        if session.line.interactive {
            prompt::run(state, session);
        } else if session.line.script.is_none()
            && !session.line.version
            && !has_chunk(&session.line)
        {
            if std::io::stdin().is_terminal() {
                print_version();
                prompt::run(state, session);
            } else {
                session.ok = run_file(state, ptr::null(), &[]);
            }
        }
    }
    0
}

fn has_chunk(line: &CommandLine) -> bool {
    line.actions
        .iter()
        .any(|action| matches!(action, Action::Execute(_)))
}

/// What is inside: the module, the flavour of Lua, the interface that a plain
/// `require "lanes"` gives.
fn print_version() {
    let lua = LUA;
    // A closed standard output is no reason to stop.
    let _ = writeln!(
        std::io::stdout(),
        "rlanes {}  {lua}  interface of Lanes {}.x",
        env!("CARGO_PKG_VERSION"),
        lanes::entry::default_generation() as u8
    );
}

/// The flavour of Lua.
pub(crate) const LUA: &str = if cfg!(feature = "luajit") {
    "LuaJIT 2.1"
} else if cfg!(feature = "lua51") {
    "Lua 5.1"
} else if cfg!(feature = "lua52") {
    "Lua 5.2"
} else if cfg!(feature = "lua53") {
    "Lua 5.3"
} else if cfg!(feature = "lua54") {
    "Lua 5.4"
} else {
    "Lua 5.5"
};

/// The standard libraries, the search paths, and our modules. `[-0, +0, e]`
///
/// # Safety
/// `state` is valid and runs inside a protected call.
unsafe fn open_libraries(state: *mut ffi::lua_State, session: &Session) {
    // SAFETY: as the caller says; the stack is balanced and three deep.
    unsafe {
        if session.line.no_environment {
            // What the libraries look at from 5.2 on.
            ffi::lua_pushboolean(state, 1);
            ffi::lua_setfield(state, ffi::LUA_REGISTRYINDEX, c"LUA_NOENV".as_ptr());
        }
        ffi::lua_gc(state, ffi::LUA_GCSTOP, 0);
        ffi::luaL_openlibs(state);
        ffi::lua_gc(state, ffi::LUA_GCRESTART, 0);
        generational(state);
        ffi::lua_getglobal(state, c"package".as_ptr());
        for (field, value) in [
            (c"path", &session.paths.path),
            (c"cpath", &session.paths.cpath),
        ] {
            if let Some(value) = value {
                ffi::lua_pushstring(state, value.as_ptr());
                ffi::lua_setfield(state, -2, field.as_ptr());
            }
        }
        ffi::lua_getfield(state, -1, c"preload".as_ptr());
        for (name, open) in MODULES {
            ffi::lua_pushcfunction(state, *open);
            ffi::lua_setfield(state, -2, name.as_ptr());
        }
        ffi::lua_pop(state, 2);
    }
}

/// The stock interpreters of 5.4 and 5.5 collect garbage generationally.
///
/// # Safety
/// `state` is valid.
unsafe fn generational(state: *mut ffi::lua_State) {
    // SAFETY: as the caller says.
    #[cfg(feature = "lua54")]
    unsafe {
        ffi::lua_gc(state, ffi::LUA_GCGEN, 0 as c_int, 0 as c_int);
    }
    // SAFETY: as the caller says.
    #[cfg(feature = "lua55")]
    unsafe {
        ffi::lua_gc(state, ffi::LUA_GCGEN);
    }
    #[cfg(not(any(feature = "lua54", feature = "lua55")))]
    let _ = state;
}

/// Global `arg`: the script at 0, its arguments above, the rest below. `[-0, +0, e]`
///
/// # Safety
/// `state` is valid and runs inside a protected call.
unsafe fn set_arg_table(state: *mut ffi::lua_State, line: &CommandLine) {
    let script = line.script.unwrap_or(0);
    // SAFETY: as the caller says; the stack is balanced and two deep.
    unsafe {
        ffi::lua_createtable(state, 0, 0);
        for (index, arg) in line.all.iter().enumerate() {
            ffi::lua_pushstring(state, arg.as_ptr());
            ffi::lua_rawseti(
                state,
                -2,
                (index as ffi::lua_Integer - script as ffi::lua_Integer) as _,
            );
        }
        ffi::lua_setglobal(state, c"arg".as_ptr());
    }
}

/// `LUA_INIT`: a chunk, or `@` and a file's name. `[-0, +0, e]`
///
/// # Safety
/// `state` is valid and runs inside a protected call.
unsafe fn run_init(state: *mut ffi::lua_State, session: &Session) -> bool {
    let Some((name, value)) = &session.init else {
        return true;
    };
    // SAFETY: as the caller says; the pointers outlive the calls. A C string
    // that begins with `@` has a byte after it, if only the closing zero.
    unsafe {
        match value.as_bytes().first() {
            Some(b'@') => run_file(state, value.as_ptr().add(1), &[]),
            _ => run_string(state, value, name),
        }
    }
}

/// Runs one `-e`, `-l` or `-W`; false when it failed. `[-0, +0, e]`
///
/// # Safety
/// `state` is valid and runs inside a protected call.
unsafe fn act(state: *mut ffi::lua_State, action: &Action) -> bool {
    // SAFETY: as the caller says; the pointers outlive the calls.
    unsafe {
        match action {
            Action::Execute(chunk) => run_string(state, chunk, c"=(command line)"),
            Action::Require(global, module) => {
                ffi::lua_getglobal(state, c"require".as_ptr());
                ffi::lua_pushstring(state, module.as_ptr());
                let status = call(state, 1, 1);
                if status == ffi::LUA_OK && paths::VERSIONED_ENV.is_some() {
                    ffi::lua_setglobal(state, global.as_ptr());
                    return true;
                }
                if status == ffi::LUA_OK {
                    ffi::lua_pop(state, 1);
                }
                report(state, status)
            }
            Action::Warn => {
                #[cfg(any(feature = "lua54", feature = "lua55"))]
                ffi::lua_warning(state, c"@on".as_ptr(), 0);
                true
            }
        }
    }
}

/// Runs the script, if there is one, with its arguments. `[-0, +0, e]`
///
/// # Safety
/// `state` is valid and runs inside a protected call.
unsafe fn run_script(state: *mut ffi::lua_State, line: &CommandLine) -> bool {
    let Some(index) = line.script else {
        return true;
    };
    let name = &line.all[index];
    // `lanes -- -` names a file, `lanes -` means standard input.
    let stdin = name.as_bytes() == b"-" && line.all[index - 1].as_bytes() != b"--";
    let name = if stdin { ptr::null() } else { name.as_ptr() };
    // SAFETY: as the caller says; the name outlives the call.
    unsafe { run_file(state, name, &line.all[index + 1..]) }
}

/// Loads a file, or standard input for a null name, and runs it with these
/// arguments. `[-0, +0, e]`
///
/// # Safety
/// `state` is valid and runs inside a protected call; `name` is null or a C string.
unsafe fn run_file(state: *mut ffi::lua_State, name: *const c_char, args: &[CString]) -> bool {
    // SAFETY: as the caller says; the stack is grown for the arguments.
    unsafe {
        let mut status = ffi::luaL_loadfile(state, name);
        if status == ffi::LUA_OK {
            let count = c_int::try_from(args.len()).unwrap_or(c_int::MAX);
            ffi::luaL_checkstack(
                state,
                count.saturating_add(3),
                c"too many arguments to script".as_ptr(),
            );
            for arg in args {
                ffi::lua_pushstring(state, arg.as_ptr());
            }
            status = call(state, count, 0);
        }
        report(state, status)
    }
}

/// Runs a chunk given as text. `[-0, +0, e]`
///
/// # Safety
/// `state` is valid and runs inside a protected call.
unsafe fn run_string(state: *mut ffi::lua_State, chunk: &CStr, name: &CStr) -> bool {
    // SAFETY: as the caller says; length and pointer belong together.
    unsafe {
        let mut status =
            ffi::luaL_loadbuffer(state, chunk.as_ptr(), chunk.count_bytes(), name.as_ptr());
        if status == ffi::LUA_OK {
            status = call(state, 0, 0);
        }
        report(state, status)
    }
}

/// Calls the function below `args` arguments, with a traceback for errors;
/// Ctrl-C stops it.
/// `[-(args+1), +results or 1, -]`
///
/// # Safety
/// `state` is valid, the function and its arguments are on the stack, and there
/// is room for one more value.
pub(crate) unsafe fn call(state: *mut ffi::lua_State, args: c_int, results: c_int) -> c_int {
    // SAFETY: as the caller says; the handler is put below the function and
    // taken away again.
    unsafe {
        let base = ffi::lua_gettop(state) - args;
        ffi::lua_pushcfunction(state, message_handler);
        ffi::lua_insert(state, base);
        let status = interrupt::during(state, || ffi::lua_pcall(state, args, results, base));
        ffi::lua_remove(state, base);
        status
    }
}

/// Turns an error value into text with a traceback. `[-1, +1, e]`
unsafe extern "C-unwind" fn message_handler(state: *mut ffi::lua_State) -> c_int {
    // SAFETY: Lua calls this with the error value at index 1 and the minimum
    // stack; at most three values are pushed.
    unsafe {
        let mut message = ffi::lua_tostring(state, 1);
        if message.is_null() {
            if ffi::luaL_callmeta(state, 1, c"__tostring".as_ptr()) != 0
                && ffi::lua_type(state, -1) == ffi::LUA_TSTRING
            {
                // As it stands, without a traceback: so does the stock interpreter.
                return 1;
            }
            let kind = ffi::luaL_typename(state, 1);
            ffi::lua_pushfstring(state, c"(error object is a %s value)".as_ptr(), kind);
            message = ffi::lua_tostring(state, -1);
        }
        ffi::luaL_traceback(state, state, message, 1);
    }
    1
}

/// Prints the error on top of the stack, if `status` says that there is one.
/// True when there is none. `[-(0|1), +0, -]`
///
/// # Safety
/// `state` is valid; with a status other than OK an error value is on the stack.
unsafe fn report(state: *mut ffi::lua_State, status: c_int) -> bool {
    // SAFETY: as the caller says.
    unsafe { report_after(b"lanes: ", state, status) }
}

/// [`report`] with something else in front of the message than the program's
/// name. `[-(0|1), +0, -]`
///
/// # Safety
/// As for [`report`].
pub(crate) unsafe fn report_after(start: &[u8], state: *mut ffi::lua_State, status: c_int) -> bool {
    if status == ffi::LUA_OK {
        return true;
    }
    // SAFETY: as the caller says. Only strings are looked at (converting a
    // number could raise), and the text stays on the stack while it is printed.
    unsafe {
        let mut length = 0;
        let text: &[u8] = if ffi::lua_type(state, -1) == ffi::LUA_TSTRING {
            let text = ffi::lua_tolstring(state, -1, &raw mut length);
            std::slice::from_raw_parts(text.cast(), length)
        } else {
            b"(error object is not a string)"
        };
        let _ = std::io::stdout().flush();
        let mut err = std::io::stderr().lock();
        // Nobody is left to be told when standard error cannot be written.
        let _ = err
            .write_all(start)
            .and_then(|()| err.write_all(text))
            .and_then(|()| err.write_all(b"\n"));
        ffi::lua_pop(state, 1);
    }
    false
}
