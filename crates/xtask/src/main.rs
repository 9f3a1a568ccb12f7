//! Build, test and bench over every Lua flavour.
fn main() {}
