//! Measuring: the contestants of a row in turn, again and again.

use std::time::Duration;

use anyhow::{Context, Result, bail};
use indicatif::{ProgressBar, ProgressStyle};

use super::contestant::{self, Contestant, Field};
use super::options::Options;
use super::report;
use super::results::{Line, Results, spread};
use super::rows::{Count, Place, Row};
use crate::interpreter::Interpreter;
use crate::process::{self, Ended};

/// Far above any honest run, so that a hang ends.
const LIMIT: Duration = Duration::from_secs(60);

/// What one run of a script has said.
pub(crate) struct Sample {
    pub(crate) value: f64,
    pub(crate) seconds: f64,
}

/// Measures all rows; gives how many runs have failed.
pub(crate) fn all(
    rows: &[Row],
    field: &Field,
    options: &Options,
    results: &mut Results,
) -> Result<usize> {
    let total: usize = rows.iter().map(|row| field.of(row).len()).sum();
    let bar = ProgressBar::new((total * options.runs) as u64).with_style(
        ProgressStyle::with_template("{bar:30} {pos}/{len}  {elapsed}/{duration}  {msg}")?,
    );
    let mut failures = 0;
    for row in rows {
        if row.place == Place::Two && results.machine.processors < 2 {
            bar.suspend(|| println!("{}: needs two processors", row.id));
            continue;
        }
        let lines = one(row, field, options, results, &bar, &mut failures);
        bar.suspend(|| report::row(row, &lines));
        results.lines.extend(lines);
    }
    bar.finish_and_clear();
    Ok(failures)
}

/// A contestant while its row is measured.
struct Lap<'a> {
    contestant: Contestant<'a>,
    count: u64,
    runs: Vec<f64>,
}

fn one(
    row: &Row,
    field: &Field,
    options: &Options,
    results: &Results,
    bar: &ProgressBar,
    failures: &mut usize,
) -> Vec<Line> {
    let cpus = (row.place == Place::One).then_some(1);
    let mut laps = Vec::new();
    let mut failed = |contestant: &Contestant, error: anyhow::Error| {
        *failures += 1;
        bar.suspend(|| println!("{} {}: {error:#}", row.id, contestant.label()));
    };
    for contestant in field.of(row) {
        bar.set_message(format!("{} {} (how much work)", row.id, contestant.label()));
        match calibrate(row, &contestant, options, cpus) {
            Ok(count) => laps.push(Lap {
                contestant,
                count,
                runs: Vec::new(),
            }),
            Err(error) => {
                bar.inc(options.runs as u64);
                failed(&contestant, error);
            }
        }
    }
    // In turn, so that what disturbs the machine disturbs all of them.
    for _ in 0..options.runs {
        for lap in &mut laps {
            bar.set_message(format!("{} {}", row.id, lap.contestant.label()));
            match once(&lap.contestant, lap.count, cpus) {
                Ok(sample) => lap.runs.push(sample.value),
                Err(error) => failed(&lap.contestant, error),
            }
            bar.inc(1);
        }
    }
    laps.retain(|lap| !lap.runs.is_empty());
    laps.into_iter()
        .map(|lap| line(row, lap, results))
        .collect()
}

fn line(row: &Row, lap: Lap<'_>, results: &Results) -> Line {
    let (min, median, max) = spread(&lap.runs);
    Line {
        row: row.id.clone(),
        unit: row.unit.name().to_owned(),
        place: row.place.name().to_owned(),
        flavour: lap
            .contestant
            .flavour
            .map(|flavour| flavour.name().to_owned()),
        interpreter: lap.contestant.interpreter,
        name: lap.contestant.name,
        count: lap.count,
        min,
        median,
        max,
        runs: lap.runs,
        machine: results.machine.clone(),
    }
}

/// Finds how much work takes the time wanted. These runs also warm up what can
/// be warmed up, and count for nothing else.
fn calibrate(
    row: &Row,
    contestant: &Contestant,
    options: &Options,
    cpus: Option<usize>,
) -> Result<u64> {
    let (first, most) = match row.count {
        // On a busy machine a thousand ping-pongs can take long.
        Count::Timed { first, most } if options.quick => ((first / 10).max(1), most),
        Count::Timed { first, most } => (first, most),
        Count::Fixed { usual, quick } => return Ok(if options.quick { quick } else { usual }),
    };
    let wanted = options.run_time().as_secs_f64();
    let mut count = first.min(most);
    for _ in 0..4 {
        let seconds = once(contestant, count, cpus)?.seconds.max(1e-6);
        let factor = wanted / seconds;
        // A short run says little about a much longer one.
        let next = (count as f64 * factor.min(20.0)) as u64;
        count = next.clamp(first.min(most), most);
        if factor < 4.0 || count == most {
            break;
        }
    }
    Ok(count)
}

/// As little as a script can do.
pub(crate) fn smoke(row: &Row, contestant: &Contestant) -> Result<()> {
    let count = match row.count {
        Count::Timed { first, .. } => first.min(20),
        Count::Fixed { quick, .. } => quick.min(5),
    };
    once(contestant, count, None).map(drop)
}

/// The script that tells the two places of the processors apart, on rlanes.
pub(crate) fn modes(interpreter: &Interpreter) -> Result<()> {
    let mut cmd = contestant::lua(interpreter);
    cmd.args(["benches/lua/modes.lua", "bursts=2", "count=100"]);
    let outcome = process::run(&mut cmd, LIMIT, None)?;
    let stdout = String::from_utf8_lossy(&outcome.stdout);
    if outcome.ended != Ended::Exit(0) || !stdout.starts_with("near=") {
        let stderr = String::from_utf8_lossy(&outcome.stderr);
        bail!("{:?}\n{stdout}{stderr}", outcome.ended);
    }
    Ok(())
}

/// One run.
pub(crate) fn once(contestant: &Contestant, count: u64, cpus: Option<usize>) -> Result<Sample> {
    let outcome = process::run(&mut contestant.command(count), LIMIT, cpus)?;
    let stdout = String::from_utf8_lossy(&outcome.stdout);
    let stderr = String::from_utf8_lossy(&outcome.stderr);
    if outcome.ended != Ended::Exit(0) || !stderr.is_empty() {
        bail!("{:?}\n{stdout}{stderr}", outcome.ended);
    }
    let line = stdout.lines().last().unwrap_or_default();
    let number = |wanted: &str| -> Result<f64> {
        let words = line
            .split_whitespace()
            .filter_map(|word| word.split_once('='));
        let text = words.into_iter().find(|(name, _)| *name == wanted);
        let text = text.with_context(|| format!("no `{wanted}=`: {line}"))?.1;
        text.parse()
            .with_context(|| format!("`{text}` is no number"))
    };
    Ok(Sample {
        value: number("value")?,
        seconds: number("seconds")?,
    })
}
