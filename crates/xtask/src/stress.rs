//! What `cargo xtask stress` runs: programs that say themselves how they must
//! end, in processes of their own, again and again.

pub(crate) mod exits;
pub(crate) mod memory;
pub(crate) mod programs;
mod progress;
mod runner;
mod stacks;
pub(crate) mod tests;
mod verdict;
