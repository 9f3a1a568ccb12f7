//! Rust's channels under the workloads of the Lua benchmarks: the floor under
//! them, for whatever sends strings between threads copies them at both ends.
//!
//! ```sh
//! cargo run --release -p rivals -- throughput channel=crossbeam size=512 limit=100 count=1000000
//! ```
//!
//! A message is a fresh `Vec<u8>` that is filled by the sender; the receiver
//! copies it and drops it. Prints one line, like the Lua scripts.

mod channel;
mod workload;
#[cfg(feature = "zmq")]
mod zeromq;

use anyhow::{Context, Result, bail};

use channel::{Crossbeam, Flume, Kanal, Std};
use workload::Workload;

fn main() -> Result<()> {
    let mut args = std::env::args().skip(1);
    let mode = args.next().context("which workload?")?;
    let mut channel = "crossbeam".to_owned();
    let mut workload = Workload::default();
    for word in args {
        let (name, value) = word.split_once('=').context("not name=value")?;
        match name {
            "channel" => channel = value.to_owned(),
            "size" => workload.size = value.parse()?,
            "count" => workload.count = value.parse()?,
            "limit" => {
                workload.limit = if value == "none" {
                    None
                } else {
                    Some(value.parse()?)
                }
            }
            "others" => workload.others = value.parse()?,
            "place" => workload.apart = value == "two",
            other => bail!("unknown option: {other}"),
        }
    }
    workload.count = workload.count.max(2);
    let outcome = match (channel.as_str(), mode.as_str()) {
        ("crossbeam", "fanout") => workload.fan_out::<Crossbeam>(),
        ("kanal", "fanout") => workload.fan_out::<Kanal>(),
        ("flume", "fanout") => workload.fan_out::<Flume>(),
        ("crossbeam", mode) => workload.run::<Crossbeam>(mode)?,
        ("kanal", mode) => workload.run::<Kanal>(mode)?,
        ("flume", mode) => workload.run::<Flume>(mode)?,
        ("std", mode) => workload.run::<Std>(mode)?,
        #[cfg(feature = "zmq")]
        ("zmq", mode) => workload.run::<zeromq::Zmq>(mode)?,
        (other, _) => bail!("unknown channel: {other}"),
    };
    println!("{outcome}");
    Ok(())
}
