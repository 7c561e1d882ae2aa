//! The few elements of SVG that the plots need.

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
pub(super) struct Style<'a> {
    pub(super) anchor: Anchor,
    pub(super) size: u32,
    pub(super) fill: &'a str,
    /// Degrees, clockwise, around the point.
    pub(super) turn: i32,
}

impl Style<'static> {
    pub(super) const fn new(anchor: Anchor, size: u32) -> Self {
        Self { anchor, size, fill: "#222222", turn: 0 }
    }

    pub(super) const fn turned(self, turn: i32) -> Self {
        Self { turn, ..self }
    }
}

/// A picture under way.
pub(super) struct Svg {
    text: String,
    clips: usize,
}

/// Two decimals are finer than a screen shows, and keep the file short.
fn short(number: f64) -> f64 {
    // Adding zero turns −0 into 0.
    (number * 100.0).round() / 100.0 + 0.0
}

fn escaped(text: &str) -> String {
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

impl Svg {
    pub(super) fn new(width: f64, height: f64) -> Self {
        let (width, height) = (short(width), short(height));
        let mut svg = Self { text: String::new(), clips: 0 };
        svg.put(&format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
             viewBox=\"0 0 {width} {height}\" font-family=\"Helvetica, Arial, sans-serif\">"
        ));
        svg.rect([0.0, 0.0, width, height], "#ffffff");
        svg
    }

    fn put(&mut self, element: &str) {
        self.text += element;
        self.text.push('\n');
    }

    pub(super) fn finish(mut self) -> String {
        self.put("</svg>");
        self.text
    }

    /// A filled rectangle: left, top, width, height.
    pub(super) fn rect(&mut self, area: [f64; 4], fill: &str) {
        let [x, y, width, height] = area.map(short);
        self.put(&format!(
            "<rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" fill=\"{fill}\"/>"
        ));
    }

    /// A line through points; `dashes` as in SVG, empty for none.
    pub(super) fn line(&mut self, points: &[(f64, f64)], color: &str, width: f64, dashes: &str) {
        let mut path = String::new();
        for (at, (x, y)) in points.iter().enumerate() {
            let word = if at == 0 { "M" } else { " L" };
            let _ = write!(path, "{word}{} {}", short(*x), short(*y));
        }
        let dashes =
            if dashes.is_empty() { String::new() } else { format!(" stroke-dasharray=\"{dashes}\"") };
        self.put(&format!(
            "<path d=\"{path}\" fill=\"none\" stroke=\"{color}\" stroke-width=\"{width}\"{dashes}/>"
        ));
    }

    pub(super) fn dot(&mut self, (x, y): (f64, f64), radius: f64, color: &str) {
        let (x, y) = (short(x), short(y));
        self.put(&format!(
            "<circle cx=\"{x}\" cy=\"{y}\" r=\"{radius}\" fill=\"{color}\" stroke=\"#ffffff\"/>"
        ));
    }

    pub(super) fn text(&mut self, (x, y): (f64, f64), text: &str, style: Style<'_>) {
        let (x, y) = (short(x), short(y));
        let anchor = match style.anchor {
            Anchor::Start => "start",
            Anchor::Middle => "middle",
            Anchor::End => "end",
        };
        let turn = match style.turn {
            0 => String::new(),
            turn => format!(" transform=\"rotate({turn} {x} {y})\""),
        };
        self.put(&format!(
            "<text x=\"{x}\" y=\"{y}\" font-size=\"{}\" fill=\"{}\" text-anchor=\"{anchor}\"{turn}>{}</text>",
            style.size,
            style.fill,
            escaped(text)
        ));
    }

    /// What is drawn by `draw` is cut off at the edges of the area.
    pub(super) fn clipped(&mut self, area: [f64; 4], draw: impl FnOnce(&mut Self)) {
        let [x, y, width, height] = area.map(short);
        let id = self.clips;
        self.clips += 1;
        self.put(&format!(
            "<clipPath id=\"c{id}\"><rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\"/></clipPath>"
        ));
        self.put(&format!("<g clip-path=\"url(#c{id})\">"));
        draw(self);
        self.put("</g>");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_cannot_leave_its_element() {
        let mut svg = Svg::new(10.0, 10.0);
        svg.text((1.0, -0.001), "</text><script>\u{7}\"&", Style::new(Anchor::End, 9).turned(-45));
        let text = svg.finish();
        assert!(text.contains("&lt;/text&gt;&lt;script&gt; &quot;&amp;</text>"), "{text}");
        assert!(text.contains("y=\"0\"") && text.contains("rotate(-45 1 0)"), "{text}");
    }
}
