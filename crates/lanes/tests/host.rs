//! The crate as a library: what a Rust program that embeds Lua can do.

use std::future::Future;
use std::pin::pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Waker};
use std::thread;
use std::time::Duration;

use lanes::{Config, Deadline, Failure, Fallback, Generation, Key, Linda, SendError, Value};
use mlua::{Lua, LuaOptions, StdLib, Table};
use tokio::runtime::{Builder, Runtime};
use tokio::time::timeout;

#[path = "../examples/host.rs"]
#[allow(dead_code, reason = "`main` is not called here")]
mod example;

const LONG: Duration = Duration::from_secs(60);
const SHORT: Duration = Duration::from_millis(5);

fn lua() -> Lua {
    let lua = Lua::new();
    lanes::preload(&lua).expect("the package library is there");
    lua
}

fn runtime() -> Runtime {
    let mut builder = Builder::new_current_thread();
    builder.enable_time().build().expect("a runtime")
}

/// Runs a future, which must end.
fn run<R>(future: impl Future<Output = R>) -> R {
    runtime()
        .block_on(async { timeout(LONG, future).await })
        .expect("ends in time")
}

fn text(error: &mlua::Error) -> String {
    error.to_string()
}

#[test]
fn the_example_runs() {
    let mut out = Vec::new();
    example::run(&mut out).expect("the example ends well");
    let want = "9 words, first in order: brown\n\
                8 words, first in order: box\n\
                7 words, first in order: black\n\
                6 words, first in order: daft\n\
                timeout: true\n\
                closed: true\n";
    assert_eq!(String::from_utf8_lossy(&out), want);
}

#[test]
fn open_is_what_require_gives() {
    let lua = Lua::new();
    let module = lanes::open(&lua).unwrap();
    let required: Table = lua.load("return require 'lanes'").eval().unwrap();
    assert_eq!(module, required);
    assert_eq!(module, lanes::open(&lua).unwrap());
}

#[test]
fn open_without_the_package_library() {
    let libraries = StdLib::STRING | StdLib::TABLE;
    let lua = Lua::new_with(libraries, LuaOptions::default()).unwrap();
    assert!(lanes::preload(&lua).is_err());
    lua.globals()
        .set("lanes", lanes::open(&lua).unwrap())
        .unwrap();
    let sum: i64 = lua
        .load("return lanes.gen(function(a, b) return a + b end)(40, 2)[1]")
        .eval()
        .unwrap();
    assert_eq!(sum, 42);
}

#[test]
fn open_says_which_library_is_missing() {
    let lua = Lua::new_with(StdLib::TABLE, LuaOptions::default()).unwrap();
    let error = lanes::open(&lua).unwrap_err();
    assert!(
        text(&error).contains("'string' library not available"),
        "{error}"
    );
}

#[test]
fn settings_arrive() {
    let lua = Lua::new();
    let called = "called = true";
    let on_create = lua.load(called).into_function().unwrap();
    let module = Config::new()
        .generation(Generation::V4)
        .shutdown_timeout(Duration::from_secs(3))
        .strip_functions(false)
        .track_lanes(true)
        .verbose_errors(true)
        .with_timers(false)
        .convert_fallback(Fallback::Null)
        .convert_max_attempts(3)
        .linda_wake_period(Duration::from_millis(100))
        .on_state_create(on_create)
        .open(&lua)
        .unwrap();
    lua.globals().set("lanes", module).unwrap();
    let (tracked, called, error): (i64, bool, String) = lua
        .load(
            r#"
            local l = lanes.linda()
            local h = lanes.gen("*", { name = "mine" }, function() return called end)()
            local called = h[1]
            -- Verbose errors name the place twice.
            local _, err = pcall(l.send, l, "k", coroutine.create(print))
            return #lanes.threads(), called, err
            "#,
        )
        .eval()
        .unwrap();
    assert_eq!((tracked, called), (1, true));
    assert!(error.contains("arg#"), "{error}");
    // Fallback: what has no metatable becomes nil.
    let linda = Linda::new();
    linda
        .send("k", lua.load("return {}").eval::<Value>().unwrap())
        .unwrap();
    assert_eq!(linda.receive("k"), Ok(Value::Nil));
}

#[test]
fn settings_are_checked() {
    let wrong = [
        (
            Config::new().shutdown_timeout(Duration::from_secs(3601)),
            "shutdown_timeout",
        ),
        (
            Config::new().convert_max_attempts(0),
            "convert_max_attempts",
        ),
        (
            Config::new().linda_wake_period(Duration::ZERO),
            "linda_wake_period",
        ),
        (
            Config::new()
                .generation(Generation::V3)
                .strip_functions(true),
            "strip_functions",
        ),
        (
            Config::new().generation(Generation::V2).track_lanes(true),
            "no settings",
        ),
    ];
    for (config, part) in wrong {
        let error = config.open(&Lua::new()).unwrap_err();
        assert!(text(&error).contains(part), "{error}");
    }
}

#[test]
fn generations() {
    for (generation, script) in [
        (Generation::V2, "local v, k = l:receive('k') return v"),
        (Generation::V3, "local k, v = l:receive('k') return v"),
        (Generation::V4, "local k, v = l:receive('k') return v"),
    ] {
        let lua = Lua::new();
        Config::new().generation(generation).open(&lua).unwrap();
        let linda = Linda::new();
        linda.send("k", 7).unwrap();
        lua.globals().set("l", &linda).unwrap();
        assert_eq!(lua.load(script).eval::<i64>().unwrap(), 7);
    }
    let lua = Lua::new();
    lanes::open(&lua).unwrap();
    Config::new().open(&lua).unwrap();
    let again = Config::new().open(&lua).unwrap_err();
    assert!(text(&again).contains("configured already"), "{again}");
    let other = Config::new().generation(Generation::V3).open(&lua);
    assert!(other.is_err());
}

#[test]
fn lindas_keep_their_identity() {
    let lua = lua();
    let mine = Linda::named("mine");
    lua.globals().set("mine", &mine).unwrap();
    let back: Linda = lua.load("return mine").eval().unwrap();
    assert_eq!(back, mine);
    let same: bool = lua
        .load("local a = ... return a == mine and tostring(a):find('mine') ~= nil")
        .call(&mine)
        .unwrap();
    assert!(same);
    assert_ne!(mine, Linda::named("mine"));

    for value in ["return 1", "return io.stdout", "return {}", "return nil"] {
        let value: mlua::Value = lua.load(value).eval().unwrap();
        assert!(Linda::from_value(&lua, &value).is_none());
    }
    let error = lua.load("return io.stdout").eval::<Linda>().unwrap_err();
    assert!(text(&error).contains("not a linda"), "{error}");
}

/// Every kind of value, there and back.
#[test]
fn values() {
    let lua = lua();
    let linda = Linda::new();
    lua.globals().set("l", &linda).unwrap();
    let values = [
        Value::Nil,
        true.into(),
        (-3).into(),
        0.25.into(),
        "text".into(),
        vec![0_u8, 255].into(),
        "long".repeat(1000).into(),
        Linda::named("inner").into(),
    ];
    for value in &values {
        linda.send("to", value.clone()).unwrap();
        // As the lane sees it, and as a conversion gives it.
        lua.load("local _, v = l:receive('to') assert(l:send('from', v))")
            .exec()
            .unwrap();
        let came = linda.receive("from").unwrap();
        match (value, &came) {
            (Value::Integer(_), came) => assert_eq!(value.as_i64(), came.as_i64()),
            _ => assert_eq!(value, &came),
        }
        let echoed: Value = lua.load("return ...").call(value.clone()).unwrap();
        assert_eq!(echoed.as_f64(), value.as_f64());
        assert_eq!(echoed.as_bytes(), value.as_bytes());
    }
    let cyclic: Value = lua
        .load("local t = { list = { 1, 2 } } t.self = t t.f = function() return t.list[2] end return t")
        .eval()
        .unwrap();
    assert!(matches!(cyclic, Value::Other(_)));
    linda.send("to", cyclic.clone()).unwrap();
    let ok: bool = lua
        .load("local _, t = l:receive('to') return t.self == t and t.f() == 2")
        .eval()
        .unwrap();
    assert!(ok);
    // A copy can be rebuilt any number of times, anywhere.
    for _ in 0..2 {
        let other = Lua::new();
        other.globals().set("t", cyclic.clone()).unwrap();
        assert!(other.load("return t.self == t").eval::<bool>().unwrap());
    }
}

#[test]
fn what_cannot_travel_or_be_rebuilt() {
    let lua = lua();
    let error = lua
        .load("return { a = { coroutine.create(print) } }")
        .eval::<Value>()
        .unwrap_err();
    assert!(text(&error).contains("value: .a[1]: "), "{error}");
    // Nothing is left over by the error.
    assert!(lua.load("return { 1 }").eval::<Value>().is_ok());

    let function: Value = lua.load("return io.write").eval().unwrap();
    let poor = Lua::new_with(StdLib::STRING | StdLib::TABLE, LuaOptions::default()).unwrap();
    let error = poor.convert::<mlua::Value>(function).unwrap_err();
    assert!(text(&error).contains("io/write"), "{error}");
    assert!(lanes::open(&poor).is_ok());
}

/// Metatables of two universes are not mistaken for each other.
#[test]
fn a_linda_in_two_universes() {
    let linda = Linda::new();
    let states = [lua(), lua()];
    for (n, lua) in states.iter().enumerate() {
        lua.globals().set("l", &linda).unwrap();
        lua.globals().set("n", n).unwrap();
        lua.load("mt = { who = n } l:send('mine', setmetatable({}, mt))")
            .exec()
            .unwrap();
    }
    for lua in &states {
        let (first, second): (i64, i64) = lua
            .load(
                "local _, a = l:receive('mine') local _, b = l:receive('mine')
                l:send('mine', a, b)
                return getmetatable(a).who, getmetatable(b).who",
            )
            .eval()
            .unwrap();
        assert_eq!((first, second), (0, 1));
    }
}

#[test]
fn ways_to_send_and_receive() {
    let linda = Linda::new();
    linda.set_limit("k", Some(1)).unwrap();
    assert_eq!(linda.try_receive("k"), Err(Failure::Timeout));
    assert_eq!(linda.receive_timeout("k", SHORT), Err(Failure::Timeout));
    linda.try_send("k", 1).unwrap();
    let full = SendError {
        why: Failure::Timeout,
        value: Value::from(2),
    };
    assert_eq!(linda.try_send("k", 2), Err(full.clone()));
    assert_eq!(linda.send_timeout("k", 2, SHORT), Err(full));
    let batch = vec![Value::from(1), "x".into()];
    let refused = linda.send_batch("k", batch.clone(), Deadline::now());
    assert_eq!(refused.unwrap_err().value, batch);
    let none = linda.send_batch("k", vec![], Deadline::now());
    assert_eq!(none.unwrap_err().why, Failure::Empty);
    assert_eq!(linda.count("k"), 1);
    linda.set_limit("k", None).unwrap();
    linda.send_batch("k", batch, Deadline::now()).unwrap();
    let got = linda.receive_batch("k", 2, 2, Deadline::now()).unwrap();
    assert_eq!(got, [Value::from(1), 1.into()]);
    assert_eq!(linda.receive("k").unwrap().as_str(), Some("x"));

    let keys = [true.into(), 7.into(), Key::from(&linda)];
    linda.send(&linda, "by identity").unwrap();
    linda.send(7, "by number").unwrap();
    let (which, value) = linda.receive_any(&keys, Deadline::never()).unwrap();
    assert_eq!((which, value.as_str()), (1, Some("by number")));
    let (which, _) = run(linda.receive_any_async(&keys)).unwrap();
    assert_eq!(which, 2);

    linda.set("v", [1.into(), 2.into()]).unwrap();
    assert_eq!(
        (linda.get("v").unwrap(), linda.count("v")),
        (Some(1.into()), 2)
    );
    linda.set("v", []).unwrap();
    assert_eq!((linda.get("v").unwrap(), linda.count("v")), (None, 0));
}

#[test]
fn restricted_slots() {
    let lua = lua();
    let linda = Linda::new();
    lua.globals().set("l", &linda).unwrap();
    lua.load("l:restrict('variable', 'set/get') l:restrict('queue', 'send/receive')")
        .exec()
        .unwrap();
    assert_eq!(linda.try_receive("variable"), Err(Failure::Restricted));
    assert_eq!(
        linda.try_send("variable", 1).unwrap_err().why,
        Failure::Restricted
    );
    assert_eq!(linda.get("queue"), Err(Failure::Restricted));
    assert_eq!(linda.set("queue", []), Err(Failure::Restricted));
}

/// A lane sends while a thread of the host waits, and the reverse.
#[test]
fn lanes_and_threads() {
    let lua = lua();
    let linda = Linda::new();
    let squares = thread::spawn({
        let linda = linda.clone();
        move || {
            (0..100)
                .map(|_| linda.receive("square").unwrap().as_i64().unwrap())
                .sum::<i64>()
        }
    });
    lua.load(
        r#"
        local l = ...
        local lanes = require "lanes"
        lanes.gen("*", function()
            for _ = 1, 100 do
                local _, n = l:receive("n")
                l:send("square", n * n)
            end
        end)()
        "#,
    )
    .call::<()>(&linda)
    .unwrap();
    for n in 1..=100 {
        linda.send("n", n).unwrap();
    }
    assert_eq!(squares.join().unwrap(), 338_350);
}

#[test]
fn futures_go_to_other_threads_and_outlive_the_state() {
    fn check(_: impl Send + 'static) {}
    let linda = Linda::new();
    check({
        let linda = linda.clone();
        async move {
            linda.send_async("k", "v").await.unwrap();
            linda.receive_async("k").await.unwrap();
            linda.receive_any_async(&["k".into()]).await.unwrap();
        }
    });
}

/// Many tasks ask one lane, each with a linda of its own for the answer.
#[test]
fn many_tasks() {
    let lua = lua();
    let jobs: Linda = lua
        .load(
            r#"
            local lanes = require "lanes"
            local jobs = lanes.linda()
            jobs:limit("job", 3)
            lanes.gen("*", function()
                while true do
                    local _, job = jobs:receive("job")
                    if job == "stop" then return end
                    local _, n = jobs:receive(job)
                    job:send("answer", n * 2)
                end
            end)()
            return jobs
            "#,
        )
        .eval()
        .unwrap();
    let runtime = Builder::new_multi_thread()
        .worker_threads(2)
        .enable_time()
        .build()
        .unwrap();
    let tasks: Vec<_> = (0..200)
        .map(|n| {
            let jobs = jobs.clone();
            runtime.spawn(async move {
                let answer = Linda::new();
                jobs.send_async(&answer, n).await.unwrap();
                jobs.send_async("job", &answer).await.unwrap();
                let got = answer.receive_async("answer").await.unwrap();
                assert_eq!(got.as_i64(), Some(i64::from(n) * 2));
            })
        })
        .collect();
    runtime.block_on(async {
        for task in tasks {
            timeout(LONG, task).await.unwrap().unwrap();
        }
    });
    jobs.send("job", "stop").unwrap();
}

#[test]
fn a_dropped_future_takes_nothing() {
    let linda = Linda::new();
    let mut first = Box::pin(linda.receive_async("k"));
    let mut second = pin!(linda.receive_async("k"));
    let mut context = Context::from_waker(Waker::noop());
    assert!(first.as_mut().poll(&mut context).is_pending());
    assert!(second.as_mut().poll(&mut context).is_pending());
    linda.send("k", 1).unwrap();
    drop(first);
    assert_eq!(linda.count("k"), 1);
    assert_eq!(second.poll(&mut context), Poll::Ready(Ok(1.into())));
}

/// A task that always finds a value does not keep the others of its thread
/// from running.
#[test]
fn busy_tasks_give_way() {
    static STOP: AtomicBool = AtomicBool::new(false);
    run(async {
        let busy = tokio::spawn(async {
            let linda = Linda::new();
            while !STOP.load(Ordering::Relaxed) {
                linda.send_async("k", 1).await.unwrap();
                linda.receive_async("k").await.unwrap();
            }
        });
        tokio::task::yield_now().await;
        STOP.store(true, Ordering::Relaxed);
        busy.await.unwrap();
    });
}

#[test]
fn cancelled_from_either_side() {
    let lua = lua();
    let linda = Linda::new();
    lua.globals().set("l", &linda).unwrap();
    let waits = thread::spawn({
        let linda = linda.clone();
        move || linda.receive("never sent")
    });
    run(async {
        let mut task = pin!(linda.receive_async("never sent"));
        assert!(timeout(SHORT, task.as_mut()).await.is_err());
        lua.load("l:cancel()").exec().unwrap();
        assert_eq!(task.await, Err(Failure::Cancelled));
    });
    assert_eq!(waits.join().unwrap(), Err(Failure::Cancelled));
    assert!(linda.is_cancelled());
    assert_eq!(linda.send("k", 1).unwrap_err().why, Failure::Cancelled);
    assert_eq!(linda.set("k", []), Err(Failure::Cancelled));

    linda.uncancel();
    linda.send("k", 1).unwrap();
    linda.cancel();
    let status: String = lua.load("return l.status").eval().unwrap();
    assert_eq!(status, "cancelled");
    linda.uncancel();
    assert_eq!(linda.receive("k"), Ok(1.into()));
}

/// Whoever waits for lanes of a state ends with it: threads, tasks, receivers
/// and senders; and gets what is left before.
#[test]
fn closing_ends_what_waits() {
    let lua = lua();
    let linda: Linda = lua
        .load(
            r#"
            local lanes = require "lanes"
            l = lanes.linda()
            l:limit("full", 0)
            lanes.finally(function() l:send("last", "words") end)
            return l
            "#,
        )
        .eval()
        .unwrap();
    let unbound = Linda::new();
    let receiver = thread::spawn({
        let linda = linda.clone();
        move || (linda.receive("last"), linda.receive("last"))
    });
    let sender = thread::spawn({
        let linda = linda.clone();
        move || linda.send("full", 1)
    });
    run(async {
        let mut receiving = pin!(linda.receive_async("never sent"));
        let mut sending = pin!(linda.send_async("full", 2));
        assert!(timeout(SHORT, receiving.as_mut()).await.is_err());
        assert!(timeout(SHORT, sending.as_mut()).await.is_err());
        drop(lua);
        assert_eq!(receiving.await, Err(Failure::Closed));
        assert_eq!(sending.await.unwrap_err().why, Failure::Closed);
    });
    let words = Ok(Value::from("words"));
    assert_eq!(receiver.join().unwrap(), (words, Err(Failure::Closed)));
    assert_eq!(sender.join().unwrap().unwrap_err().why, Failure::Closed);
    // What need not wait goes on.
    linda.send("k", 1).unwrap();
    assert_eq!(linda.receive("k"), Ok(1.into()));
    assert_eq!(
        linda.receive_batch("k", 1, 2, Deadline::never()),
        Err(Failure::Closed)
    );
    assert_eq!(unbound.receive_timeout("k", SHORT), Err(Failure::Timeout));
}

/// A last function that fails, and a lane that does not end, keep nobody
/// waiting.
#[test]
fn closing_in_spite_of_errors() {
    for script in [
        "require('lanes').finally(function() error 'boom' end)",
        "local lanes = require('lanes').configure { shutdown_timeout = 0.05 }
        lanes.gen('*', function() while true do pcall(error) end end)()",
    ] {
        let lua = lua();
        lua.load(script).exec().unwrap();
        let linda = Linda::new().closing_with(&lua).unwrap();
        drop(lua);
        assert_eq!(linda.receive("k"), Err(Failure::Closed));
    }
}

/// A linda that came through another one ends with the same state.
#[test]
fn lindas_in_values_close_too() {
    let lua = lua();
    let outer: Linda = lua
        .load("local lanes = require 'lanes' local l = lanes.linda() l:send('inner', lanes.linda { name = 'in' }) return l")
        .eval()
        .unwrap();
    let Ok(Value::Linda(inner)) = outer.receive("inner") else {
        panic!("not a linda");
    };
    assert_eq!(inner.name(), b"in");
    drop(lua);
    assert_eq!(inner.receive("k"), Err(Failure::Closed));
}
