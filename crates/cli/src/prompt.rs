//! The prompt: reads a line, or several until they make a statement, runs them
//! and prints the results.

use std::ffi::{CStr, c_int};
use std::io::{BufRead, IsTerminal, Write};

use mlua::ffi;
use rustyline::DefaultEditor;
use rustyline::error::ReadlineError;

use crate::interpreter::{Session, call, report_after};

/// Runs until the end of the input. `[-0, +0, e]`
///
/// # Safety
/// `state` is valid and runs inside a protected call.
pub(crate) unsafe fn run(state: *mut ffi::lua_State, session: &mut Session) {
    // SAFETY: as the caller says; the stack is emptied in every round.
    unsafe {
        ffi::lua_settop(state, 0);
        // Both ends a terminal: lines can be edited, and are remembered.
        if std::io::stdin().is_terminal() && std::io::stdout().is_terminal() {
            session.editor = DefaultEditor::new().ok();
        }
        while let Some(mut status) = read_chunk(state, session) {
            if status == ffi::LUA_OK {
                status = call(state, 0, ffi::LUA_MULTRET);
            }
            // Whose messages they are is plain here.
            if report_after(b"", state, status) {
                print_results(state);
            }
            ffi::lua_settop(state, 0);
        }
    }
    let _ = writeln!(std::io::stdout());
}

/// Reads and compiles a statement or an expression; None at the end of the
/// input. `[-0, +1, e]`: the function, or the error message
///
/// # Safety
/// As for [`run`]; the stack is empty.
unsafe fn read_chunk(state: *mut ffi::lua_State, session: &mut Session) -> Option<c_int> {
    // SAFETY: as the caller says.
    unsafe {
        loop {
            session.input.clear();
            match read_line(state, session, c"_PROMPT", c"> ") {
                Read::Line => {}
                Read::Interrupted => continue,
                Read::End => return None,
            }
            // As in 5.1 and 5.2, a leading `=` asks for a value.
            if session.input.starts_with('=') {
                session.input.replace_range(..1, "return ");
            }
            session.input.insert_str(0, "return ");
            if load(state, &session.input) == ffi::LUA_OK {
                return Some(ffi::LUA_OK);
            }
            ffi::lua_pop(state, 1);
            session.input.replace_range(.."return ".len(), "");
            loop {
                let status = load(state, &session.input);
                if status != ffi::LUA_ERRSYNTAX || !is_incomplete(state) {
                    return Some(status);
                }
                ffi::lua_pop(state, 1);
                match read_line(state, session, c"_PROMPT2", c">> ") {
                    Read::Line => {}
                    // What was typed so far is dropped.
                    Read::Interrupted => break,
                    Read::End => return Some(load(state, &session.input)),
                }
            }
        }
    }
}

/// How reading a line ended.
enum Read {
    /// It was appended to the input.
    Line,
    /// By Ctrl-C, while the line was edited.
    Interrupted,
    /// There is no more.
    End,
}

/// Shows a prompt, the global `name` if it is set, and appends a line to the
/// input. `[-0, +0, e]`
///
/// # Safety
/// As for [`run`].
unsafe fn read_line(
    state: *mut ffi::lua_State,
    session: &mut Session,
    name: &CStr,
    default: &CStr,
) -> Read {
    // SAFETY: as the caller says. The text stays on the stack while it is used,
    // and no Rust value with a destructor is alive where Lua may raise.
    unsafe {
        ffi::lua_getglobal(state, name.as_ptr());
        let own = ffi::lua_tostring(state, -1);
        let text = if own.is_null() {
            default
        } else {
            CStr::from_ptr(own)
        };
        let read = match &mut session.editor {
            Some(editor) => edit(editor, text, &mut session.input),
            None => plain(text, &mut session.input),
        };
        ffi::lua_pop(state, 1);
        read
    }
}

/// A line that is edited on the terminal.
fn edit(editor: &mut DefaultEditor, prompt: &CStr, input: &mut String) -> Read {
    match editor.readline(&*prompt.to_string_lossy()) {
        Ok(line) => {
            // A line that is not remembered is no reason to stop.
            let _ = editor.add_history_entry(line.as_str());
            input.push_str(&line);
            input.push('\n');
            Read::Line
        }
        Err(ReadlineError::Interrupted) => Read::Interrupted,
        Err(_) => Read::End,
    }
}

/// A line of a file or a pipe.
fn plain(prompt: &CStr, input: &mut String) -> Read {
    let mut out = std::io::stdout().lock();
    // A prompt that cannot be shown is no reason to stop.
    let _ = out.write_all(prompt.to_bytes()).and_then(|()| out.flush());
    drop(out);
    match std::io::stdin().lock().read_line(input) {
        Ok(length) if length > 0 => Read::Line,
        _ => Read::End,
    }
}

/// Compiles text. `[-0, +1, -]`
///
/// # Safety
/// As for [`run`].
unsafe fn load(state: *mut ffi::lua_State, text: &str) -> c_int {
    // SAFETY: as the caller says; pointer and length belong together.
    unsafe { ffi::luaL_loadbuffer(state, text.as_ptr().cast(), text.len(), c"=stdin".as_ptr()) }
}

/// Whether the syntax error on top of the stack is that the text ends too early.
///
/// # Safety
/// As for [`run`]; a message is on top of the stack.
unsafe fn is_incomplete(state: *mut ffi::lua_State) -> bool {
    // SAFETY: as the caller says; the text is on the stack while it is looked at.
    let message = unsafe {
        let mut length = 0;
        let text = ffi::lua_tolstring(state, -1, &raw mut length);
        if text.is_null() {
            return false;
        }
        std::slice::from_raw_parts(text.cast::<u8>(), length)
    };
    // 5.1 and LuaJIT put the word in quotes.
    message.ends_with(b"<eof>") || message.ends_with(b"'<eof>'")
}

/// Prints all values on the stack with the global `print`. `[-n, +0, e]`
///
/// # Safety
/// As for [`run`].
unsafe fn print_results(state: *mut ffi::lua_State) {
    // SAFETY: as the caller says; the stack is grown for the function.
    unsafe {
        let count = ffi::lua_gettop(state);
        if count == 0 {
            return;
        }
        ffi::luaL_checkstack(state, 3, c"too many results to print".as_ptr());
        ffi::lua_getglobal(state, c"print".as_ptr());
        ffi::lua_insert(state, 1);
        if ffi::lua_pcall(state, count, 0, 0) != ffi::LUA_OK {
            let why = ffi::lua_tostring(state, -1);
            let why = if why.is_null() {
                c"(null)"
            } else {
                std::ffi::CStr::from_ptr(why)
            };
            let _ = writeln!(
                std::io::stderr(),
                "error calling 'print' ({})",
                why.to_string_lossy()
            );
        }
    }
}
