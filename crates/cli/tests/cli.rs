//! The interpreter behaves on its command line as the stock one does.

use std::io::Write;
use std::process::{Command, Stdio};

/// Status, standard output, standard error.
fn lanes(args: &[&str], stdin: &str, env: &[(&str, &str)]) -> (Option<i32>, String, String) {
    let mut cmd = Command::new(env!("CARGO_BIN_EXE_lanes"));
    for name in ["LUA_INIT", "LUA_PATH", "LUA_CPATH"] {
        cmd.env_remove(name).env_remove(format!("{name}_5_4"));
    }
    cmd.args(args).envs(env.iter().copied());
    let mut child = cmd
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // A script that does not read its input may be gone already.
    let _ = child.stdin.take().unwrap().write_all(stdin.as_bytes());
    let output = child.wait_with_output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (
        output.status.code(),
        text(output.stdout),
        text(output.stderr),
    )
}

fn prints(args: &[&str], stdin: &str, want: &str) {
    let got = lanes(args, stdin, &[]);
    assert_eq!(got, (Some(0), want.to_owned(), String::new()), "{args:?}");
}

fn fails(args: &[&str], want: &str) {
    let (status, _, err) = lanes(args, "", &[]);
    assert_eq!(status, Some(1), "{args:?}");
    assert!(err.starts_with(want), "{args:?}: {err}");
}

#[test]
fn chunks_and_arguments() {
    prints(&["-e", "print(1)", "-e", "print(2)"], "", "1\n2\n");
    prints(&["-", "a", "b"], "print(arg[0], #arg, ...)", "-\t2\ta\tb\n");
    prints(&[], "print 'bare'", "bare\n");
    prints(
        &["-e", "x = 7", "-"],
        "print(x, arg[-1], arg[-2])",
        "7\tx = 7\t-e\n",
    );
    let version = concat!("rlanes ", env!("CARGO_PKG_VERSION"));
    for option in ["-v", "--version"] {
        let lua = "Lua 5.4"; // the default flavour
        prints(
            &[option],
            "",
            &format!("{version}  {lua}  interface of Lanes 4.x\n"),
        );
        let older = lanes(&[option], "", &[("LANES_API", "3")]).1;
        assert!(older.ends_with("interface of Lanes 3.x\n"), "{older}");
    }
    assert!(lanes(&["-h"], "", &[]).1.starts_with("usage: lanes "));
    assert_eq!(lanes(&["--help"], "", &[]).0, Some(0));
}

#[test]
fn errors() {
    fails(
        &["-e", "error 'boom'"],
        "lanes: (command line):1: boom\nstack traceback:\n",
    );
    fails(
        &["-e", "error({})"],
        "lanes: (error object is a table value)\n",
    );
    let tostring = "error(setmetatable({}, { __tostring = function() return 'mine' end }))";
    fails(&["-e", tostring], "lanes: mine\n");
    fails(&["no such file.lua"], "lanes: cannot open no such file.lua");
    fails(
        &["-l", "no_such_module"],
        "lanes: module 'no_such_module' not found",
    );
    fails(
        &["-e", "x x"],
        "lanes: (command line):1: syntax error near 'x'",
    );
    fails(&["-x"], "lanes: unrecognized option '-x'\nusage: ");
}

#[test]
fn exit_status_and_closing() {
    assert_eq!(lanes(&["-e", "os.exit(7)"], "", &[]).0, Some(7));
    assert_eq!(lanes(&["-e", "os.exit(false, true)"], "", &[]).0, Some(1));
    let closing = "x = setmetatable({}, { __gc = function() print 'closed' end })";
    prints(&["-e", closing], "", "closed\n");
    let (status, out, _) = lanes(&["-e", closing, "-e", "error 'boom'"], "", &[]);
    assert_eq!((status, out.as_str()), (Some(1), "closed\n"));
}

#[test]
fn environment() {
    let init = [("LUA_INIT", "print 'init'")];
    assert_eq!(lanes(&["-e", "print(1)"], "", &init).1, "init\n1\n");
    assert_eq!(lanes(&["-E", "-e", "print(1)"], "", &init).1, "1\n");
    let both = [
        ("LUA_PATH", "plain"),
        ("LUA_PATH_5_4", "versioned"),
        ("LUA_CPATH", "c"),
    ];
    let show = ["-e", "print(package.path, package.cpath)"];
    assert_eq!(lanes(&show, "", &both).1, "versioned\tc\n");
    let default = lanes(&show, "", &[]).1;
    let doubled = lanes(&show, "", &[("LUA_PATH", "a;;b"), ("LUA_CPATH", ";;")]).1;
    let (path, cpath) = default.split_once('\t').unwrap();
    assert_eq!(doubled, format!("a;{path};b\t{cpath}"));
}

#[test]
fn prompt() {
    let (status, out, err) = lanes(
        &["-i"],
        "1 + 1\nfor i = 1, 1 do\nprint 'loop'\nend\n=nil, 3\nerror 'boom'\n_PROMPT = '? '\n",
        &[],
    );
    assert_eq!(status, Some(0));
    let (_, out) = out.split_once('\n').unwrap();
    let out: String = out
        .split(['>', ' ', '\n'])
        .filter(|w| !w.is_empty())
        .collect::<Vec<_>>()
        .join(" ");
    for part in ["2", "loop", "nil\t3", "?"] {
        assert!(out.contains(part), "{out}");
    }
    assert!(err.starts_with("stdin:1: boom\n"), "{err}");
}

#[test]
fn module_is_inside() {
    prints(
        &["-e", "print(type(require 'lanes'.gen))"],
        "",
        "function\n",
    );
    for name in ["lanes", "lanes.v3", "lanes.v4"] {
        let check = format!("print(type(require '{name}'.configure))");
        prints(&["-l", name, "-e", &check], "", "function\n");
    }
    prints(
        &["-l", "lanes.v2", "-e", "print(type(lanes.linda))"],
        "",
        "function\n",
    );
}

/// A lane that still runs when the script ends does not hold up the exit.
#[test]
fn lanes_end_with_the_script() {
    let script = "local lanes = require 'lanes' local l = lanes.linda()
        lanes.gen('*', function() l:receive('never') end)()
        print(lanes.gen('*', function(a) return a + 1 end)(41):join())";
    prints(&["-e", script], "", "true\t42\n");
    prints(&["-e", script, "-e", "os.exit(0, true)"], "", "true\t42\n");
}

/// What a C module binds to when it is loaded.
#[cfg(target_os = "linux")]
#[test]
fn c_interface_is_exported() {
    let exe = std::fs::read(env!("CARGO_BIN_EXE_lanes")).unwrap();
    let has = |name: &[u8]| exe.windows(name.len()).any(|window| window == name);
    // Not called from Rust, so only there if the whole interface is.
    assert!(has(b"\0luaL_testudata\0") && has(b"\0lua_upvaluejoin\0"));
}

/// What the system's own interpreter finds and loads, this one does too.
#[test]
fn system_c_modules_load() {
    let script = ["-e", "print(require 'socket'._VERSION)"];
    match Command::new("lua5.4").args(script).output() {
        Ok(stock) if stock.status.success() => {
            prints(&script, "", &String::from_utf8(stock.stdout).unwrap());
        }
        _ => println!("not tested: lua5.4 with luasocket is not installed"),
    }
}

#[cfg(target_os = "linux")]
#[test]
fn an_interrupt_ends_the_script_and_its_lanes() {
    let script = r#"
        local lanes = require "lanes"
        lanes.finally(function(ended) print("all ended", ended) end)
        kept = lanes.gen("*", function() lanes.linda():receive "never" end)()
        local stat = io.open "/proc/self/stat"
        kill = io.popen("exec kill -INT " .. stat:read "n")
        while true do end
    "#;
    let (status, out, err) = lanes(&["-e", script], "", &[]);
    assert_eq!(status, Some(1), "{err}");
    assert_eq!(out, "all ended\ttrue\n");
    // With the position if Lua code ran just then, without if a C function did.
    assert!(
        err.starts_with("lanes: ") && err.contains("interrupted!\nstack"),
        "{err}"
    );
}

/// The table has a line for this interpreter and for those with a module, and
/// says which have none.
#[cfg(unix)]
#[test]
fn bench() {
    use std::os::unix::fs::PermissionsExt;
    let dir = std::env::temp_dir().join(format!("lanes-bench-{}", std::process::id()));
    std::fs::create_dir_all(&dir).unwrap();
    // Interpreters that only say what they are asked for.
    for (name, answers) in [
        (
            "lua5.1",
            "-e) printf 'lanes 9.9';; *) /bin/cat > /dev/null; echo one_way_us=1.5 msgs_per_s=200;;",
        ),
        ("lua5.2", "-e) printf none;;"),
        (
            "lua5.3",
            "-e) printf 'lanes 3.0';; *) echo 'too old' >&2; exit 1;;",
        ),
    ] {
        let file = dir.join(name);
        std::fs::write(&file, format!("#!/bin/sh\ncase $1 in {answers} esac\n")).unwrap();
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o755)).unwrap();
    }
    let path = [
        ("PATH", dir.to_str().unwrap()),
        ("LUA_INIT", "error 'init'"),
    ];
    let args = "bench --size 16 --round-trips 20 --messages 50 --runs 2";
    let args: Vec<&str> = args.split(' ').collect();
    let (status, out, err) = lanes(&args, "", &path);
    std::fs::remove_dir_all(&dir).unwrap();
    let lines: Vec<Vec<&str>> = out
        .lines()
        .map(|l| l.split_whitespace().collect())
        .collect();
    assert_eq!(
        lines[0].join(" "),
        "messages of 16 bytes, median of 2",
        "{out}{err}"
    );
    let rlanes = ["lanes", "(Lua", "5.4)", "rlanes", env!("CARGO_PKG_VERSION")];
    assert_eq!(lines[2][..5], rlanes);
    for figure in &lines[2][5..] {
        assert!(
            figure.parse::<f64>().is_ok_and(|figure| figure > 0.0),
            "{out}"
        );
    }
    assert_eq!(lines[3], ["lua5.1", "lanes", "9.9", "1.500", "200"]);
    assert_eq!(lines[4], ["lua5.3", "lanes", "3.0", "failed", "failed"]);
    assert_eq!(
        lines[5].join(" "),
        "not measured: lua5.2 has no module 'lanes'"
    );
    assert_eq!(status, Some(1));
    assert_eq!(err, "lanes: bench: lua5.3: too old\n".repeat(2));
}

#[test]
fn bench_options() {
    fails(&["bench", "--size"], "lanes: bench: ");
    fails(&["bench", "--what"], "lanes: bench: ");
    fails(&["bench", "--runs", "0"], "lanes: bench: ");
    assert!(
        lanes(&["bench", "--help"], "", &[])
            .1
            .starts_with("usage: lanes bench")
    );
    // Scripts of that name can still be run.
    fails(&["--", "bench"], "lanes: cannot open bench");
    fails(&["-e", "", "bench"], "lanes: cannot open bench");
}
