//! One file per command.

pub(crate) mod build;
pub(crate) mod dist;
pub(crate) mod install;
pub(crate) mod loom;
pub(crate) mod package;
pub(crate) mod pair;
pub(crate) mod sanitize;
pub(crate) mod setup;
pub(crate) mod stress;
pub(crate) mod test;
pub(crate) mod valgrind;
