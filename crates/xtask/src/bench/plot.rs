//! Pictures of the figures: `docs/plots/*.svg`, one panel for each flavour.

use anyhow::{Result, anyhow};
use plotters::coord::Shift;
use plotters::prelude::*;

use super::results::{Line, Results};
use crate::flavour::Flavour;
use crate::project;

const DIRECTORY: &str = "docs/plots";
const PANEL: (u32, u32) = (480, 380);

type Panel<'a> = DrawingArea<SVGBackend<'a>, Shift>;

/// Draws what there are figures for.
pub(crate) fn all(results: &Results) -> Result<()> {
    std::fs::create_dir_all(project::root().join(DIRECTORY))?;
    draw("latency", results, |panel, title, lines| {
        let rows = [
            ("two", "latency/512/two"),
            ("one", "latency/512/one"),
            ("free", "latency/512/free"),
        ];
        bars(
            panel,
            &format!("{title}: µs one way, 512 bytes"),
            &rows,
            lines,
        )
    })?;
    draw("throughput", results, |panel, title, lines| {
        let title = format!("{title}: messages/s by bytes, limit 1,000");
        sizes(panel, &title, lines)
    })
}

/// One file; a panel for each flavour that has figures.
fn draw(
    name: &str,
    results: &Results,
    mut panel: impl FnMut(&Panel, &str, &[&Line]) -> Result<()>,
) -> Result<()> {
    let has = |flavour: &Flavour| {
        let mut lines = results.lines.iter();
        lines.any(|line| line.flavour() == flavour.name() && line.row.starts_with(name))
    };
    let flavours: Vec<_> = Flavour::ALL.into_iter().filter(has).collect();
    if flavours.is_empty() {
        return Ok(());
    }
    let path = project::root().join(DIRECTORY).join(format!("{name}.svg"));
    let width = PANEL.0 * u32::try_from(flavours.len())?;
    let root = SVGBackend::new(&path, (width, PANEL.1)).into_drawing_area();
    root.fill(&WHITE).map_err(|e| anyhow!("{e}"))?;
    let panels = root.split_evenly((1, flavours.len()));
    for (flavour, area) in flavours.into_iter().zip(panels) {
        let lines: Vec<_> = results
            .lines
            .iter()
            .filter(|line| line.flavour.is_none() || line.flavour() == flavour.name())
            .collect();
        let title = if flavour.is_jit() {
            "LuaJIT".to_owned()
        } else {
            format!("Lua {flavour}")
        };
        panel(&area, &title, &lines)?;
    }
    root.present().map_err(|e| anyhow!("{e}"))
}

/// The colour of a contestant, the same in all pictures.
fn colour(name: &str) -> RGBColor {
    match name {
        "rlanes" => RGBColor(200, 40, 40),
        "zmq-c" => RGBColor(40, 90, 180),
        "zmq-ffi" => RGBColor(90, 160, 230),
        "zmq-rust" => RGBColor(20, 40, 100),
        "cqueues" => RGBColor(120, 80, 160),
        "luv" => RGBColor(180, 140, 210),
        "crossbeam" => RGBColor(40, 130, 70),
        "kanal" => RGBColor(110, 180, 90),
        "flume" => RGBColor(170, 170, 60),
        "std" => RGBColor(130, 130, 130),
        _ => RGBColor(230, 140, 30),
    }
}

fn names<'a>(lines: &[&'a Line], rows: &[&str]) -> Vec<&'a str> {
    let mut names: Vec<&str> = Vec::new();
    for line in lines
        .iter()
        .filter(|line| rows.contains(&line.row.as_str()))
    {
        if !names.contains(&line.name.as_str()) {
            names.push(&line.name);
        }
    }
    names
}

/// Smallest and largest of the figures, rounded out to powers of ten.
fn decades(lines: &[&Line], rows: &[&str]) -> Option<(f64, f64)> {
    let values = lines
        .iter()
        .filter(|line| rows.contains(&line.row.as_str()) && line.median > 0.0)
        .map(|line| line.median);
    let (low, high) = values.fold((f64::MAX, 0.0_f64), |(low, high), value| {
        (low.min(value), high.max(value))
    });
    (high > 0.0).then(|| {
        let low = 10_f64.powf(low.log10().floor());
        (low, 10_f64.powf(high.log10().ceil()).max(low * 10.0))
    })
}

/// A bar for each contestant of each row, on a logarithmic scale.
fn bars(panel: &Panel, title: &str, rows: &[(&str, &str)], lines: &[&Line]) -> Result<()> {
    let ids: Vec<_> = rows.iter().map(|(_, id)| *id).collect();
    let names = names(lines, &ids);
    let Some((low, high)) = decades(lines, &ids) else {
        return Ok(());
    };
    let failed = |e: &dyn std::fmt::Display| anyhow!("{e}");
    // The last place is for the legend.
    let groups = rows.len() as f64 + 1.0;
    let mut chart = ChartBuilder::on(panel)
        .caption(title, ("sans-serif", 15))
        .margin(8)
        .x_label_area_size(24)
        .y_label_area_size(50)
        .build_cartesian_2d(0.0..groups, (low..high).log_scale())
        .map_err(|e| failed(&e))?;
    chart
        .configure_mesh()
        .disable_x_mesh()
        .x_labels(rows.len() * 2 + 3)
        .x_label_formatter(&|x: &f64| {
            let (whole, part) = (x.floor(), x.fract());
            let row = rows
                .get(whole as usize)
                .filter(|_| (part - 0.5).abs() < 0.01);
            row.map_or(String::new(), |(label, _)| (*label).to_owned())
        })
        .draw()
        .map_err(|e| failed(&e))?;
    let width = 0.9 / names.len() as f64;
    for (index, name) in names.iter().enumerate() {
        let style = colour(name).filled();
        let drawn = rows.iter().enumerate().filter_map(|(group, (_, id))| {
            let line = lines.iter().find(|l| l.name == *name && l.row == *id)?;
            let left = group as f64 + 0.05 + index as f64 * width;
            let corners = [(left, low), (left + width * 0.9, line.median)];
            Some(Rectangle::new(corners, style))
        });
        chart
            .draw_series(drawn)
            .map_err(|e| failed(&e))?
            .label(*name)
            .legend(move |(x, y)| Rectangle::new([(x, y - 5), (x + 10, y + 5)], style));
    }
    legend(&mut chart)
}

/// Messages per second over their size, both logarithmic; 0 bytes are drawn at 1.
fn sizes(panel: &Panel, title: &str, lines: &[&Line]) -> Result<()> {
    const SIZES: [u32; 5] = [0, 30, 512, 4_096, 65_536];
    let row = |size: u32| format!("throughput/{size}/1000");
    let ids = SIZES.map(row);
    let ids = ids.each_ref().map(String::as_str);
    let Some((low, high)) = decades(lines, &ids) else {
        return Ok(());
    };
    let failed = |e: &dyn std::fmt::Display| anyhow!("{e}");
    let mut chart = ChartBuilder::on(panel)
        .caption(title, ("sans-serif", 15))
        .margin(8)
        .x_label_area_size(24)
        .y_label_area_size(60)
        .build_cartesian_2d((1_f64..100_000.0).log_scale(), (low..high).log_scale())
        .map_err(|e| failed(&e))?;
    chart
        .configure_mesh()
        .y_label_formatter(&|y: &f64| match *y {
            y if y >= 1e6 => format!("{} M", y / 1e6),
            y if y >= 1e3 => format!("{} k", y / 1e3),
            y => format!("{y}"),
        })
        .draw()
        .map_err(|e| failed(&e))?;
    for name in names(lines, &ids) {
        let points = SIZES.iter().filter_map(|&size| {
            let id = row(size);
            let line = lines.iter().find(|l| l.name == name && l.row == id)?;
            Some((f64::from(size.max(1)), line.median))
        });
        let points: Vec<_> = points.collect();
        let style = colour(name).stroke_width(2);
        chart
            .draw_series(LineSeries::new(points, style).point_size(3))
            .map_err(|e| failed(&e))?
            .label(name)
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 12, y)], style));
    }
    legend(&mut chart)
}

fn legend<'a, X, Y>(chart: &mut ChartContext<'a, SVGBackend<'a>, Cartesian2d<X, Y>>) -> Result<()>
where
    X: plotters::coord::ranged1d::Ranged,
    Y: plotters::coord::ranged1d::Ranged,
{
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::UpperRight)
        .background_style(WHITE.mix(0.8))
        .border_style(BLACK.mix(0.3))
        .label_font(("sans-serif", 11))
        .draw()
        .map_err(|e| anyhow!("{e}"))
}
