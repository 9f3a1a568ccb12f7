//! What `cargo xtask test` runs on each interpreter.
//!
//! Every test is one script in one process with one time limit. It passes when
//! it ends with the expected status and output and an empty standard error.

pub(crate) mod classic;
pub(crate) mod corpus;
pub(crate) mod docs;
pub(crate) mod header;
pub(crate) mod links;
pub(crate) mod map;
pub(crate) mod needs;
pub(crate) mod package;
pub(crate) mod rust;
pub(crate) mod script;
