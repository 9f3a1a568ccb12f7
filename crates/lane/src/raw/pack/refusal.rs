//! Why a value cannot travel, with the path to it.

use mlua::ffi;

use super::packer::{Packer, Place, ROOT};
use super::{Names, Refusal};
use crate::raw::context::Generation;
use crate::raw::describe::{self, Step};

impl Packer<'_> {
    /// A refusal that names the path to the value.
    pub fn refuse(&self, place: Place, why: &str) -> Refusal {
        // SAFETY: the objects on the way are kept in `objects`; the slots are
        // reserved; describing only reads.
        let (root, steps) = unsafe { self.path(place) };
        let start = match self.names {
            Names::Argument(from) | Names::Linda(from) => format!("argument {}", root + from),
            Names::Value => "value".to_owned(),
            Names::Result => format!("result {}", root + 1),
            Names::Body => "lane body".to_owned(),
            Names::Globals => "globals".to_owned(),
            Names::Error => "error value".to_owned(),
        };
        // The reference writes it with a capital where results are asked for.
        let modern = self.context.generation() == Generation::V4;
        let tried = if modern && matches!(self.names, Names::Result) {
            "Tried"
        } else {
            "tried"
        };
        let mut text = format!(
            "{}: {why} ({tried} to copy unsupported types)",
            describe::plain(&start, &steps)
        );
        if self.context.verbose() {
            let mark = if self.context.generation() == Generation::V4 {
                "arg#"
            } else {
                "arg_"
            };
            let start = match self.names {
                // The key counts as the first argument, a timeout does not.
                Names::Linda(_) => format!("{mark}{}", root + 2),
                Names::Argument(_) => format!("{mark}{}", root + 1),
                _ => start,
            };
            text.push_str(&format!(" at '{}'", describe::verbose(&start, &steps)));
        }
        Refusal(text)
    }

    /// Which value of the transfer it was, and the steps from there.
    unsafe fn path(&self, place: Place) -> (u32, Vec<Step>) {
        // SAFETY: see `refuse`.
        unsafe {
            let state = self.state;
            let top = ffi::lua_gettop(state);
            let mut steps = Vec::new();
            match place {
                Place::Root(n) => return (n, steps),
                Place::Itself => {}
                Place::UserValue => steps.push(Step::UserValue),
                Place::Entry(key) => steps.push(describe::entry(state, key)),
                Place::Key => steps.push(Step::Key),
                Place::Metatable => steps.push(Step::Metatable),
                Place::Upvalue(n) => {
                    self.objects.push(self.current);
                    steps.push(describe::upvalue(state, top + 1, n));
                }
            }
            let mut child = self.current;
            while self.origins[child as usize].owner != ROOT {
                ffi::lua_settop(state, top);
                let owner = self.origins[child as usize].owner;
                self.objects.push(owner);
                self.objects.push(child);
                steps.push(describe::step(state, top + 1, top + 2));
                child = owner;
            }
            ffi::lua_settop(state, top);
            steps.reverse();
            (self.origins[child as usize].root, steps)
        }
    }
}
