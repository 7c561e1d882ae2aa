//! The few shapes that the plots are made of, and how they are written as SVG.

use std::fmt::Write;

/// Where a text stands relative to its point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

/// How a text looks.
#[derive(Debug, Clone, Copy)]
pub(super) struct Style {
    pub(super) anchor: Anchor,
    pub(super) size: u32,
    pub(super) fill: &'static str,
    pub(super) bold: bool,
    /// Degrees, clockwise, around the point.
    pub(super) turn: i32,
}

/// The colour of texts and axes.
pub(super) const INK: &str = "#222222";
/// The colour of what stands in the second row.
pub(super) const FAINT: &str = "#666666";
/// The colour of lines behind the data.
pub(super) const GRID: &str = "#dddddd";
/// The colour of the sheet.
pub(super) const PAPER: &str = "#ffffff";

impl Style {
    pub(super) const fn new(anchor: Anchor, size: u32) -> Self {
        Self { anchor, size, fill: INK, bold: false, turn: 0 }
    }

    pub(super) const fn turned(self, turn: i32) -> Self {
        Self { turn, ..self }
    }

    pub(super) const fn bold(self) -> Self {
        Self { bold: true, ..self }
    }

    pub(super) const fn filled(self, fill: &'static str) -> Self {
        Self { fill, ..self }
    }
}

/// One thing on the sheet.
#[derive(Debug, Clone)]
pub(super) enum SheetShape {
    /// Left, top, width, height.
    Rect {
        area: [f64; 4],
        fill: &'static str,
        opacity: f64,
    },
    Line {
        points: Vec<(f64, f64)>,
        color: &'static str,
        width: f64,
        dashes: &'static str,
    },
    Dot {
        at: (f64, f64),
        radius: f64,
        color: &'static str,
    },
    Text {
        at: (f64, f64),
        text: String,
        style: Style,
    },
    /// What is cut off at the edges of the area.
    Clipped {
        area: [f64; 4],
        shapes: Vec<SheetShape>,
    },
}

/// A picture under way.
#[derive(Debug, Default)]
pub(super) struct Svg {
    pub(super) shapes: Vec<SheetShape>,
}

impl Svg {
    /// A filled rectangle: left, top, width, height.
    pub(super) fn rect(&mut self, area: [f64; 4], fill: &'static str, opacity: f64) {
        self.shapes.push(SheetShape::Rect { area, fill, opacity });
    }

    /// A line through points; `dashes` as in SVG, empty for none.
    pub(super) fn line(
        &mut self,
        points: &[(f64, f64)],
        color: &'static str,
        width: f64,
        dashes: &'static str,
    ) {
        self.shapes.push(SheetShape::Line { points: points.to_vec(), color, width, dashes });
    }

    pub(super) fn dot(&mut self, at: (f64, f64), radius: f64, color: &'static str) {
        self.shapes.push(SheetShape::Dot { at, radius, color });
    }

    pub(super) fn text(&mut self, at: (f64, f64), text: &str, style: Style) {
        if !text.is_empty() {
            self.shapes.push(SheetShape::Text { at, text: text.into(), style });
        }
    }

    /// What is drawn by `draw` is cut off at the edges of the area.
    pub(super) fn clipped(&mut self, area: [f64; 4], draw: impl FnOnce(&mut Self)) {
        let mut inner = Self::default();
        draw(&mut inner);
        self.shapes.push(SheetShape::Clipped { area, shapes: inner.shapes });
    }

    /// A file of its own, on white.
    pub(super) fn to_file(&self, width: f64, height: f64) -> String {
        let (w, h) = (short(width), short(height));
        let mut out = Writer { text: String::new(), clips: 0, inline: None };
        out.put(&format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{w}\" height=\"{h}\" viewBox=\"0 0 {w} {h}\" \
             font-family=\"Helvetica, Arial, sans-serif\">"
        ));
        out.shape(&SheetShape::Rect { area: [0.0, 0.0, width, height], fill: PAPER, opacity: 1.0 });
        out.finish(&self.shapes)
    }

    /// A part of a page, on its ground and in its ink. `name` is an id that nothing else on the page has.
    pub(super) fn to_inline(&self, width: f64, height: f64, name: &str, title: &str) -> String {
        let (w, h) = (short(width), short(height));
        let mut out = Writer { text: String::new(), clips: 0, inline: Some(name) };
        out.put(&format!(
            "<svg viewBox=\"0 0 {w} {h}\" style=\"max-width:{w}px\" role=\"img\" aria-label=\"{}\">",
            escaped(title)
        ));
        out.finish(&self.shapes)
    }
}

/// Two decimals are finer than a screen shows, and keep the file short.
fn short(number: f64) -> f64 {
    // Adding zero turns −0 into 0.
    (number * 100.0).round() / 100.0 + 0.0
}

/// A text as it may stand in SVG and HTML, between elements and in quotes.
pub(crate) fn escaped(text: &str) -> String {
    let mut out = String::new();
    for letter in text.chars() {
        match letter {
            '<' => out += "&lt;",
            '>' => out += "&gt;",
            '&' => out += "&amp;",
            '"' => out += "&quot;",
            // XML knows no other control characters, not even escaped.
            letter if letter.is_control() => out.push(' '),
            letter => out.push(letter),
        }
    }
    out
}

struct Writer<'n> {
    text: String,
    clips: usize,
    /// The name of a picture that is part of a page.
    inline: Option<&'n str>,
}

impl Writer<'_> {
    fn put(&mut self, element: &str) {
        self.text += element;
        self.text.push('\n');
    }

    fn finish(mut self, shapes: &[SheetShape]) -> String {
        shapes.iter().for_each(|shape| self.shape(shape));
        self.put("</svg>");
        self.text
    }

    /// A colour as an attribute: on a page, ink and lines follow the page, which may be dark.
    fn paint(&self, attribute: &str, color: &str) -> String {
        let (color, opacity) = match (self.inline, color) {
            (Some(_), INK) => ("currentColor", ""),
            (Some(_), FAINT) => ("currentColor", "0.7"),
            (Some(_), GRID) => ("currentColor", "0.18"),
            (Some(_), PAPER) => ("var(--paper)", ""),
            _ => (color, ""),
        };
        let opacity =
            if opacity.is_empty() { String::new() } else { format!(" {attribute}-opacity=\"{opacity}\"") };
        format!("{attribute}=\"{color}\"{opacity}")
    }

    fn shape(&mut self, shape: &SheetShape) {
        let element = match shape {
            SheetShape::Rect { area, fill, opacity } => {
                let [x, y, width, height] = area.map(short);
                // What is faint on a page anyway gets no fainter.
                let faint = *opacity < 1.0 && !(self.inline.is_some() && *fill == GRID);
                let opacity =
                    if faint { format!(" fill-opacity=\"{}\"", short(*opacity)) } else { String::new() };
                let fill = self.paint("fill", fill);
                format!("<rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" {fill}{opacity}/>")
            }
            SheetShape::Line { points, color, width, dashes } => {
                let dashes =
                    if dashes.is_empty() { String::new() } else { format!(" stroke-dasharray=\"{dashes}\"") };
                let (path, stroke) = (path(points), self.paint("stroke", color));
                format!("<path d=\"{path}\" fill=\"none\" {stroke} stroke-width=\"{width}\"{dashes}/>")
            }
            SheetShape::Dot { at, radius, color } => {
                let (x, y) = (short(at.0), short(at.1));
                let (fill, stroke) = (self.paint("fill", color), self.paint("stroke", PAPER));
                format!("<circle cx=\"{x}\" cy=\"{y}\" r=\"{radius}\" {fill} {stroke}/>")
            }
            SheetShape::Text { at, text, style } => self.text_element(*at, text, style),
            SheetShape::Clipped { area, shapes } => return self.group(*area, shapes),
        };
        self.put(&element);
    }

    fn text_element(&self, at: (f64, f64), text: &str, style: &Style) -> String {
        let (x, y) = (short(at.0), short(at.1));
        let anchor = match style.anchor {
            Anchor::Start => "start",
            Anchor::Middle => "middle",
            Anchor::End => "end",
        };
        let turn = match style.turn {
            0 => String::new(),
            turn => format!(" transform=\"rotate({turn} {x} {y})\""),
        };
        let (fill, text) = (self.paint("fill", style.fill), escaped(text));
        let bold = if style.bold { " font-weight=\"bold\"" } else { "" };
        let size = style.size;
        format!(
            "<text x=\"{x}\" y=\"{y}\" font-size=\"{size}\"{bold} {fill} text-anchor=\"{anchor}\"{turn}>{text}</text>"
        )
    }

    fn group(&mut self, area: [f64; 4], shapes: &[SheetShape]) {
        let [x, y, width, height] = area.map(short);
        let id = format!("{}c{}", self.inline.unwrap_or_default(), self.clips);
        self.clips += 1;
        self.put(&format!(
            "<clipPath id=\"{id}\"><rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\"/></clipPath>"
        ));
        self.put(&format!("<g clip-path=\"url(#{id})\">"));
        shapes.iter().for_each(|shape| self.shape(shape));
        self.put("</g>");
    }
}

fn path(points: &[(f64, f64)]) -> String {
    let mut path = String::new();
    for (at, (x, y)) in points.iter().enumerate() {
        let word = if at == 0 { "M" } else { " L" };
        let _ = write!(path, "{word}{} {}", short(*x), short(*y));
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_cannot_leave_its_element() {
        let mut svg = Svg::default();
        svg.text((1.0, -0.001), "</text><script>\u{7}\"&", Style::new(Anchor::End, 9).turned(-45));
        let text = svg.to_file(10.0, 10.0);
        assert!(text.contains("&lt;/text&gt;&lt;script&gt; &quot;&amp;</text>"), "{text}");
        assert!(text.contains("y=\"0\"") && text.contains("rotate(-45 1 0)"), "{text}");
    }
}
