//! `lanes.so`: exports the `luaopen_` functions, nothing else.

include!("exports.rs");
