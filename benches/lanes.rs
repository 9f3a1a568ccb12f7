//! Transfer by shape, and the start of lanes, within one process and without
//! the noise of another lane.
//!
//! ```sh
//! cargo bench -p cli
//! cargo bench -p cli --no-default-features --features luajit
//! ```
//!
//! `set` packs a value and puts it into a slot; `get` takes a message's copy
//! and unpacks it. So the two halves of a transfer are measured apart.

use std::time::{Duration, Instant};

use criterion::{Criterion, criterion_group, criterion_main};
use mlua::{Function, Lua};

/// Each gives a value.
const SHAPES: &[(&str, &str)] = &[
    ("a number", "return 42"),
    ("a short string", "return ('x'):rep(30)"),
    ("a string of 512 bytes", "return ('x'):rep(512)"),
    (
        "a record",
        "return { id = 1, name = 'abc', vals = { 1, 2, 3, 4, 5 } }",
    ),
    (
        "100 records",
        "local t = {} for i = 1, 100 do t[i] = { id = i, name = 'abc', vals = { 1, 2, 3, 4, 5 } } end return t",
    ),
    (
        "a list of 100 numbers",
        "local t = {} for i = 1, 100 do t[i] = i end return t",
    ),
    (
        "100 names",
        "local t = {} for i = 1, 100 do t['name' .. i] = i end return t",
    ),
    (
        "100 tables, nested",
        "local t = {} for i = 1, 99 do t = { inner = t } end return t",
    ),
    (
        "a function",
        "local a, b = 1, { 2 } return function() return a + b[1] end",
    ),
    ("a C function", "return string.upper"),
    ("a linda", "return require('lanes').linda()"),
];

fn state() -> Lua {
    let lua = Lua::new();
    lanes::preload(&lua).expect("the module");
    lua
}

/// A Lua function that does something so many times, from a chunk that is
/// called with `value` and gives that function.
fn repeated(lua: &Lua, value: &str, source: &str) -> Function {
    let value: mlua::Value = lua.load(value).eval().expect("a value");
    let make: Function = lua.load(source).into_function().expect("a chunk");
    make.call(value).expect("a function")
}

fn time(function: &Function, count: u64) -> Duration {
    let start = Instant::now();
    let done: u64 = function.call(count).expect("no error");
    let elapsed = start.elapsed();
    assert_eq!(done, count);
    elapsed
}

fn transfer(c: &mut Criterion) {
    const PACK: &str = "
        local value = ...
        local linda = require('lanes').linda()
        return function(count)
            for _ = 1, count do linda:set('key', value) end
            assert(linda:count('key') == 1)
            return count
        end";
    const UNPACK: &str = "
        local value = ...
        local linda = require('lanes').linda()
        linda:set('key', value)
        return function(count)
            local copy
            for _ = 1, count do copy = select(2, linda:get('key')) end
            assert(type(copy) == type(value))
            return count
        end";
    for (group, source) in [("pack", PACK), ("unpack", UNPACK)] {
        let mut group = c.benchmark_group(group);
        for (name, value) in SHAPES {
            let lua = state();
            let function = repeated(&lua, value, source);
            group.bench_function(*name, |b| b.iter_custom(|count| time(&function, count)));
        }
        group.finish();
    }
}

fn start(c: &mut Criterion) {
    const CREATE: &str = "
        local libraries = ...
        local lanes = require 'lanes'
        local function body(i) return i end
        local generator = libraries and lanes.gen(libraries, body) or lanes.gen(body)
        return function(count)
            for i = 1, count do
                if generator(i)[1] ~= i then error('wrong result') end
            end
            return count
        end";
    const LINDA: &str = "
        local lanes = require 'lanes'
        return function(count)
            for _ = 1, count do lanes.linda() end
            return count
        end";
    let mut group = c.benchmark_group("make");
    for (name, value, source) in [
        ("a linda", "return nil", LINDA),
        (
            "a lane without libraries, and join it",
            "return nil",
            CREATE,
        ),
        (
            "a lane with all libraries, and join it",
            "return '*'",
            CREATE,
        ),
    ] {
        let lua = state();
        let function = repeated(&lua, value, source);
        group.bench_function(name, |b| b.iter_custom(|count| time(&function, count)));
    }
    group.finish();
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_secs(2))
        .sample_size(20)
        .without_plots();
    targets = transfer, start
}
criterion_main!(benches);
