//! The figures on the terminal.

use super::results::{Line, Results, advantage};
use super::rows::{Row, Unit};
use super::targets;

/// One row, as soon as it is measured. The last column says how many times
/// better rlanes is than the rival of the line.
pub(crate) fn row(row: &Row, lines: &[Line]) {
    println!("\n{} [{}] {}", row.id, row.unit.name(), row.what);
    for line in lines {
        let ours = lines.iter().filter(|l| {
            l.name == "rlanes" && (line.flavour.is_none() || l.flavour == line.flavour)
        });
        // What needs no Lua has a ratio for each flavour.
        let ratios: Vec<_> = ours
            .filter(|_| line.name != "rlanes")
            .map(|ours| format!("×{:.2}", advantage(row.unit, ours.median, line.median)))
            .collect();
        let ratio = ratios.join(" ");
        println!(
            "  {:<4} {:<10} {:>10} {:>25} {ratio:>9}",
            line.flavour.as_deref().unwrap_or(""),
            line.name,
            number(row.unit, line.median),
            format!(
                "({}–{})",
                number(row.unit, line.min),
                number(row.unit, line.max)
            ),
        );
    }
}

/// The targets of the rows that were measured.
pub(crate) fn targets(results: &Results) {
    let verdicts = targets::verdicts(results);
    if verdicts.is_empty() {
        return;
    }
    println!("\ntargets; × says how many times better rlanes is");
    for verdict in &verdicts {
        println!(
            "  {:<4} {:<20} {:<5} {:<42} {}",
            verdict.word(),
            verdict.row,
            verdict.flavour,
            verdict.wanted,
            verdict.reached
        );
    }
    let count = |wanted| verdicts.iter().filter(|v| v.pass == wanted).count();
    println!(
        "  {} pass, {} miss, {} not measured",
        count(Some(true)),
        count(Some(false)),
        count(None)
    );
}

/// A figure with as many digits as mean something.
pub(crate) fn number(unit: Unit, value: f64) -> String {
    match unit {
        Unit::PerSecond if value >= 1e6 => format!("{:.2} M", value / 1e6),
        Unit::PerSecond if value >= 1e4 => format!("{:.0} k", value / 1e3),
        Unit::PerSecond => format!("{value:.0}"),
        _ if value >= 100.0 => format!("{value:.0}"),
        _ if value >= 10.0 => format!("{value:.1}"),
        _ => format!("{value:.2}"),
    }
}
