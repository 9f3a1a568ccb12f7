//! A host: Rust serves requests in asynchronous tasks, Lua does the work in
//! lanes on other threads.
//!
//! ```sh
//! cargo run -p lanes -p cli --example host
//! ```

use std::io::Write;
use std::time::Duration;

use lanes::{Failure, Linda};
use mlua::Lua;
use tokio::runtime::Builder;
use tokio::time::timeout;

/// Each lane takes a text and a linda to answer to, until it gets "stop".
const WORKERS: &str = r#"
    local jobs, count = ...
    local lanes = require "lanes"

    local function work()
        while true do
            local _, job = jobs:receive("job")
            if job == "stop" then return end
            local words = {}
            for word in job.text:gmatch("%a+") do
                words[#words + 1] = word:lower()
            end
            job.answer:send("words", #words)
            table.sort(words)
            job.answer:send("first", words[1])
        end
    end

    for i = 1, count do lanes.gen("*", { name = "worker " .. i }, work)() end
"#;

const WORKERS_COUNT: usize = 2;

const TEXTS: [&str; 4] = [
    "the quick brown fox jumps over the lazy dog",
    "pack my box with five dozen liquor jugs",
    "sphinx of black quartz, judge my vow",
    "how quickly daft jumping zebras vex",
];

/// A text goes to whichever worker is free; its answer comes back here.
async fn ask(lua: &Lua, jobs: &Linda, text: &str) -> mlua::Result<(i64, String)> {
    let answer = Linda::new().closing_with(lua)?;
    let job = lua.create_table()?;
    job.set("text", text)?;
    job.set("answer", &answer)?;
    // A table is copied where its state is; the copy may wait anywhere.
    let job: lanes::Value = lua.convert(job)?;
    // The queue is short: this waits while the workers are behind.
    jobs.send_async("job", job).await?;
    let words = answer.receive_async("words").await?;
    let first = answer.receive_async("first").await?;
    let first = first.as_str().unwrap_or_default().to_owned();
    Ok((words.as_i64().unwrap_or_default(), first))
}

/// Runs the host and writes what it has to say to `out`.
///
/// # Errors
///
/// What Lua or the executor cannot do.
pub fn run(out: &mut impl Write) -> Result<(), Box<dyn std::error::Error>> {
    let lua = Lua::new();
    lanes::Config::new()
        .shutdown_timeout(Duration::from_secs(5))
        .open(&lua)?;
    let jobs = Linda::named("jobs").closing_with(&lua)?;
    jobs.set_limit("job", Some(1))?;
    lua.load(WORKERS).call::<()>((&jobs, WORKERS_COUNT))?;

    let runtime = Builder::new_current_thread().enable_time().build()?;
    runtime.block_on(async {
        for text in TEXTS {
            // A limit of time is the executor's: whoever gives up takes nothing.
            let (words, first) = timeout(Duration::from_secs(60), ask(&lua, &jobs, text)).await??;
            writeln!(out, "{words} words, first in order: {first}")?;
        }
        let nobody = timeout(
            Duration::from_millis(10),
            jobs.receive_async("nobody sends"),
        )
        .await;
        writeln!(out, "timeout: {}", nobody.is_err())?;
        for _ in 0..WORKERS_COUNT {
            jobs.send_async("job", "stop").await?;
        }
        Ok::<(), Box<dyn std::error::Error>>(())
    })?;

    // The state closes: lanes end first, then whoever waits for them in Rust.
    drop(lua);
    let closed = jobs.receive("nobody sends");
    writeln!(out, "closed: {}", closed == Err(Failure::Closed))?;
    Ok(())
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    run(&mut std::io::stdout())
}
