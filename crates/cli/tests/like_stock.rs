//! The same command lines, here and in the stock interpreter: status, output
//! and error output are the same, but for the program's name.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const STOCK: &str = "lua5.4";

/// Files for scripts, in a directory of its own.
struct Dir(PathBuf);

impl Dir {
    fn new() -> Dir {
        let dir = std::env::temp_dir().join(format!("lanes-like-stock-{}", std::process::id()));
        std::fs::create_dir_all(&dir).unwrap();
        for (name, text) in [
            (
                "args.lua",
                "for i = -9, 9 do if arg[i] then print(i, arg[i]) end end print(...)",
            ),
            (
                "fails.lua",
                "local function f() error('boom', 1) end\nlocal function g() f() end\ng()\n",
            ),
            ("broken.lua", "print 'not seen'\nx = = 1\n"),
            (
                "shebang.lua",
                "#!/usr/bin/env lua\nprint(debug.getinfo(1, 'l').currentline)\n",
            ),
            ("-odd.lua", "print('odd', arg[0])"),
            ("mod.lua", "print('loaded', ...) return { x = 1 }"),
            ("false.lua", "return false"),
            ("init.lua", "print 'init file'"),
        ] {
            std::fs::write(dir.join(name), text).unwrap();
        }
        Dir(dir)
    }
}

impl Drop for Dir {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Status, standard output, standard error, with the program's name as `PROG`.
fn run(
    program: &str,
    name: &str,
    dir: &Path,
    args: &[&str],
    stdin: &str,
    env: &[(&str, &str)],
) -> Option<(Option<i32>, String, String)> {
    let mut cmd = Command::new(program);
    for name in ["LUA_INIT", "LUA_PATH", "LUA_CPATH"] {
        cmd.env_remove(name).env_remove(format!("{name}_5_4"));
    }
    cmd.args(args).envs(env.iter().copied()).current_dir(dir);
    cmd.stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = cmd.spawn().ok()?;
    let _ = child.stdin.take().unwrap().write_all(stdin.as_bytes());
    let output = child.wait_with_output().unwrap();
    let text = |bytes: &[u8]| {
        let text = String::from_utf8_lossy(bytes).replace(program, "PROG");
        let start = format!("{name}: ");
        // The name stands at the start of lines only.
        let lines = text.lines().map(|line| match line.strip_prefix(&start) {
            Some(rest) => format!("PROG: {rest}\n"),
            None => format!("{line}\n"),
        });
        lines.collect::<String>()
    };
    Some((
        output.status.code(),
        text(&output.stdout),
        text(&output.stderr),
    ))
}

/// Arguments, standard input, environment.
type Case<'a> = (&'a [&'a str], &'a str, &'a [(&'a str, &'a str)]);

/// Everything, or what stands before the usage text, which is our own.
fn before_usage(text: &str) -> &str {
    text.split("usage: ").next().unwrap_or(text)
}

#[test]
fn like_the_stock_interpreter() {
    let dir = Dir::new();
    if run(STOCK, STOCK, &dir.0, &["-v"], "", &[]).is_none() {
        println!("not tested: {STOCK} is not installed");
        return;
    }
    let none: &[(&str, &str)] = &[];
    let tostring = "error(setmetatable({}, { __tostring = function() return 'mine' end }))";
    let cases: &[Case] = &[
        // Where the script comes from.
        (&["args.lua", "a", "", "-e", "b c"], "", none),
        (&["-e", "x = 1", "args.lua", "a"], "", none),
        (
            &["-"],
            "print(arg[0], #arg, ...) io.write(io.read('a') or 'nothing')",
            none,
        ),
        (&["-", "a", "-b"], "print(arg[0], #arg, ...)", none),
        (&[], "print('bare', arg[0] ~= nil, ...)", none),
        (&["--", "-odd.lua", "a"], "", none),
        (&["-e", "print(1)", "--"], "print 'not read'", none),
        (&["shebang.lua"], "", none),
        (&["no such file.lua"], "", none),
        (&["--", "-"], "", none),
        // -e
        (&["-e", "print(1)", "-eprint(2)"], "", none),
        (&["-e", ""], "", none),
        (&["-e", "x ="], "", none),
        (&["-e", "error('boom')"], "", none),
        (&["-e", "error('boom')", "args.lua"], "", none),
        (&["-e", "print(#arg, arg[1], arg[0], arg[-1])"], "", none),
        (&["-e"], "", none),
        // -l
        (&["-lmod", "-e", "print(mod.x)"], "", none),
        (
            &["-l", "mod", "-l", "m=mod", "-e", "print(mod == m)"],
            "",
            none,
        ),
        (&["-l", "mod-v2", "-e", "print(mod and mod.x)"], "", none),
        (&["-l", "false", "-e", "print(_G['false'])"], "", none),
        (&["-l", "no_such"], "", none),
        (&["-l", "broken"], "", none),
        (&["-l"], "", none),
        // -W, -E and the environment
        (&["-W", "-e", "warn 'seen'"], "", none),
        (
            &["-e", "warn 'unseen' warn '@on' warn('se', 'en')"],
            "",
            none,
        ),
        (&["-e", "print 'e'"], "", &[("LUA_INIT", "print 'init'")]),
        (
            &["-E", "-e", "print 'e'"],
            "",
            &[("LUA_INIT", "print 'init'")],
        ),
        (&["-e", "print 'e'"], "", &[("LUA_INIT", "@init.lua")]),
        (&["-e", "print 'e'"], "", &[("LUA_INIT", "@no_such.lua")]),
        (&["-e", "print 'e'"], "", &[("LUA_INIT", "x =")]),
        (&["-e", "print 'e'"], "", &[("LUA_INIT", "error 'in init'")]),
        (
            &["-e", "print 'e'"],
            "",
            &[
                ("LUA_INIT", "print 'init'"),
                ("LUA_INIT_5_4", "print 'of 5.4'"),
            ],
        ),
        (&["-e", "print(package.path)"], "", &[("LUA_PATH", "a;;b")]),
        (
            &["-e", "print(package.path)"],
            "",
            &[("LUA_PATH", "a"), ("LUA_PATH_5_4", ";;c")],
        ),
        (&["-e", "print(package.path, package.cpath)"], "", none),
        (
            &["-E", "-e", "print(package.path)"],
            "",
            &[("LUA_PATH", "a")],
        ),
        // Errors and the end
        (&["fails.lua"], "", none),
        (&["broken.lua"], "", none),
        (&["-e", "error()"], "", none),
        (&["-e", "error(nil)"], "", none),
        (&["-e", "error({})"], "", none),
        (&["-e", "error(12)"], "", none),
        (&["-e", "error(true)"], "", none),
        (&["-e", tostring], "", none),
        (&["-e", "error('no position', 0)"], "", none),
        (&["-e", "error('a\\0b')"], "", none),
        (
            &["-e", "coroutine.wrap(function() error 'inside' end)()"],
            "",
            none,
        ),
        (
            &[
                "-e",
                "local t <close> = setmetatable({}, { __close = function() print 'closed' end }) error 'x'",
            ],
            "",
            none,
        ),
        (
            &[
                "-e",
                "setmetatable({}, { __gc = function() error 'late' end })",
            ],
            "",
            none,
        ),
        (
            &[
                "-W",
                "-e",
                "setmetatable({}, { __gc = function() error 'late' end })",
            ],
            "",
            none,
        ),
        (&["-e", "os.exit(3)"], "", none),
        (&["-e", "os.exit(true)", "fails.lua"], "", none),
        (&["-e", "os.exit(false, true)"], "", none),
        (
            &[
                "-e",
                "io.stderr:write 'to stderr\\n' io.stdout:write 'to stdout\\n'",
            ],
            "",
            none,
        ),
        // Options that are none
        (&["-x"], "", none),
        (&["-vx"], "", none),
        (&["-ix"], "", none),
        (&["-Ex"], "", none),
        (&["-Wx"], "", none),
        (&["--what"], "", none),
    ];
    let lanes = env!("CARGO_BIN_EXE_lanes");
    let mut different = Vec::new();
    for (args, stdin, env) in cases {
        let stock = run(STOCK, STOCK, &dir.0, args, stdin, env).unwrap();
        let ours = run(lanes, "lanes", &dir.0, args, stdin, env).unwrap();
        let same = stock.0 == ours.0
            && stock.1 == ours.1
            && before_usage(&stock.2) == before_usage(&ours.2);
        if !same {
            different.push(format!(
                "{args:?} {env:?}\n  stock {stock:?}\n  ours  {ours:?}"
            ));
        }
    }
    assert!(different.is_empty(), "{}", different.join("\n"));
}

/// A stock interpreter built with readline repeats what it reads, also from a
/// pipe.
fn without_echo(out: &str, session: &str) -> String {
    let (mut left, mut clean) = (out, String::new());
    for line in session.lines() {
        if let Some((before, after)) = left.split_once(&format!("> {line}\n")) {
            clean.push_str(before);
            clean.push_str("> ");
            left = after;
        }
    }
    clean + left
}

/// The prompt, with the version line left out.
#[test]
fn prompt_like_the_stock_interpreter() {
    let dir = std::env::temp_dir();
    let sessions = [
        "1 + 1\n",
        "=1, nil\n",
        "x = 1 print(x)\nx\n",
        "for i = 1, 2 do\nprint(i)\nend\n",
        "error 'boom'\nprint 'goes on'\n",
        "error {}\n",
        "local a = 1\na\n",
        "nil\n",
        "print\"\"\n",
        // Not `_PROMPT2`: where stock interpreters show it depends on readline
        // and on the terminal.
        "_PROMPT = 'p> '\n1\n",
        "setmetatable({}, { __tostring = function() error 'shown' end })\n",
        "os.exit(5)\n",
        "return ...\n",
        "x = = 1\n",
        "",
    ];
    for args in [&["-i"][..], &["-i", "-e", "print 'first'"]] {
        for session in sessions {
            let Some(stock) = run(STOCK, STOCK, &dir, args, session, &[]) else {
                println!("not tested: {STOCK} is not installed");
                return;
            };
            let ours = run(
                env!("CARGO_BIN_EXE_lanes"),
                "lanes",
                &dir,
                args,
                session,
                &[],
            );
            let (status, out, err) = ours.unwrap();
            // Without the version; a prompt at the end has lost its newline with
            // the echo.
            let rest = |text: &str| {
                let rest = text.split_once('\n').map(|(_, rest)| rest);
                rest.map(|rest| rest.trim_end_matches('\n').to_owned())
            };
            assert_eq!(status, stock.0, "{args:?} {session:?}");
            let stock_out = without_echo(&stock.1, session);
            assert_eq!(rest(&out), rest(&stock_out), "{args:?} {session:?}");
            assert_eq!(err, stock.2, "{args:?} {session:?}");
        }
    }
}
