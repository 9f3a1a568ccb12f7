//! The unpacker against bytes that are not messages: truncated and mutated
//! ones. Whatever comes, it answers with values or with a fault.
//!
//! A short loop by default; `RLANES_FUZZ_SECS=600 cargo test -p lanes --test
//! fuzz` goes on for that long. The seed is printed, and `RLANES_FUZZ_SEED`
//! repeats one.
#![allow(unsafe_code, reason = "drives the raw unpacker")]

use std::ffi::{c_int, c_void};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use lane::raw::{context, pack, protect, unpack};
use mlua::ffi::{self, lua_State};

/// xorshift: small, and the same everywhere.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, n: usize) -> usize {
        (self.next() % n.max(1) as u64) as usize
    }
}

/// `() -> ()`: unpacks the bytes; faults are fine.
unsafe fn try_unpack(state: *mut lua_State, data: *mut c_void) -> c_int {
    // SAFETY: `data` points to the bytes, which the caller keeps.
    unsafe {
        let bytes: *const [u8] = (*data.cast::<Vec<u8>>()).as_slice();
        let context = context::of_state(state).expect("the state has required lanes");
        let _ = unpack::untrusted(state, context, bytes);
        0
    }
}

fn seeds(lua: &mlua::Lua) -> Vec<Vec<u8>> {
    let sources = [
        "return 1, 2.5, 'text', true, nil, ('long'):rep(100)",
        "local t = { 1, 2, { x = 'y', [3.5] = false } } t.self = t; t[t] = t return t, t",
        "local mt = { __index = {} } return setmetatable({ 1 }, mt), setmetatable({ 2 }, mt)",
        "return { print, string.upper, string, io.stdout, _G, require 'lanes' }",
        "local d = {} for i = 1, 200 do d = { d, i } end return d",
    ];
    let mut messages = Vec::new();
    for source in sources {
        let values: mlua::MultiValue = lua.load(source).eval().expect("a valid chunk");
        let count = values.len() as c_int;
        // SAFETY: the values are on top; packing does not raise.
        let result = unsafe {
            lua.exec_raw::<()>(values, |state| {
                ffi::lua_checkstack(state, pack::SLOTS);
                let context = context::of_state(state).expect("the state has required lanes");
                let message = pack::together(state, context, 1, count, pack::Names::Argument(1));
                messages.push(message.expect("values that can travel").bytes().to_vec());
                ffi::lua_settop(state, 0);
            })
        };
        result.expect("nothing raises");
    }
    messages
}

fn mutate(random: &mut Random, seeds: &[Vec<u8>]) -> Vec<u8> {
    let mut bytes = seeds[random.below(seeds.len())].clone();
    match random.below(4) {
        0 => bytes.truncate(random.below(bytes.len())),
        1 => {
            let other = &seeds[random.below(seeds.len())];
            let at = random.below(bytes.len());
            bytes.truncate(at);
            bytes.extend_from_slice(&other[random.below(other.len())..]);
        }
        _ => {}
    }
    for _ in 0..random.below(6) {
        let at = random.below(bytes.len());
        if let Some(byte) = bytes.get_mut(at) {
            *byte = match random.below(3) {
                0 => random.below(24) as u8,
                1 => *byte ^ (1 << random.below(8)),
                _ => random.next() as u8,
            };
        }
    }
    bytes
}

#[test]
fn anything_is_answered() {
    let env = |name| {
        std::env::var(name)
            .ok()
            .and_then(|text| text.parse::<u64>().ok())
    };
    let now = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(1, |since| since.as_nanos() as u64);
    let seed = env("RLANES_FUZZ_SEED").unwrap_or(now) | 1;
    println!("seed {seed}");
    let mut random = Random(seed);
    let end = Instant::now() + Duration::from_secs(env("RLANES_FUZZ_SECS").unwrap_or(3));

    let lua = mlua::Lua::new();
    lanes::preload(&lua).expect("the package library is there");
    lua.load("require('lanes').configure()")
        .exec()
        .expect("lanes configures");
    let seeds = seeds(&lua);
    let mut rounds = 0_u64;
    while Instant::now() < end {
        for _ in 0..500 {
            let mut bytes = mutate(&mut random, &seeds);
            // SAFETY: unpacking may raise, so it runs protected; the bytes are
            // kept here.
            let result = unsafe {
                lua.exec_raw::<()>((), |state| {
                    protect::protected(state, 0, 0, try_unpack, (&raw mut bytes).cast());
                    ffi::lua_settop(state, 0);
                })
            };
            result.expect("nothing raises");
            rounds += 1;
        }
    }
    lua.gc_collect().expect("the collector finds a sound heap");
    println!("{rounds} messages");
}
