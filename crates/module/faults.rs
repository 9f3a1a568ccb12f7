//! `lanes.so` for the tests: the module, and `require "lanes.faults"`.

include!("src/exports.rs");

export! { luaopen_lanes_faults => lanes::entry::open_faults }
