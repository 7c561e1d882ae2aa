//! The few elements of SVG that plots are made of.

use std::fmt::Write as _;

/// An SVG under way. Places are in pixels, y downwards.
#[derive(Debug, Default)]
pub(crate) struct Svg(String);

/// Where a text is held.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Anchor {
    Start,
    Middle,
    End,
}

impl Svg {
    /// The finished picture, on white.
    pub(crate) fn finish(self, width: f64, height: f64) -> String {
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" width=\"{width:.0}\" \
             height=\"{height:.0}\" font-family=\"Helvetica, Arial, 'DejaVu Sans', sans-serif\" font-size=\"13\">\n\
             <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n{}</svg>\n",
            self.0
        )
    }

    pub(crate) fn text(&mut self, x: f64, y: f64, anchor: Anchor, text: &str) {
        self.styled(x, y, anchor, text, "");
    }

    /// Text with further attributes.
    pub(crate) fn styled(&mut self, x: f64, y: f64, anchor: Anchor, text: &str, style: &str) {
        let anchor = match anchor {
            Anchor::Start => "start",
            Anchor::Middle => "middle",
            Anchor::End => "end",
        };
        let text = text.replace('&', "&amp;").replace('<', "&lt;");
        let _ = writeln!(
            self.0,
            "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\" {style}>{text}</text>"
        );
    }

    pub(crate) fn line(&mut self, from: (f64, f64), to: (f64, f64), style: &str) {
        let ((a, b), (c, d)) = (from, to);
        let _ = writeln!(self.0, "<line x1=\"{a:.1}\" y1=\"{b:.1}\" x2=\"{c:.1}\" y2=\"{d:.1}\" {style}/>");
    }

    pub(crate) fn rect(&mut self, corner: (f64, f64), size: (f64, f64), style: &str) {
        let ((x, y), (w, h)) = (corner, size);
        let _ =
            writeln!(self.0, "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{w:.1}\" height=\"{h:.1}\" {style}/>");
    }

    pub(crate) fn circle(&mut self, (x, y): (f64, f64), radius: f64, style: &str) {
        let _ = writeln!(self.0, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{radius:.1}\" {style}/>");
    }

    /// A curve through points, open (`polyline`) or closed (`polygon`).
    pub(crate) fn curve(&mut self, closed: bool, points: impl Iterator<Item = (f64, f64)>, style: &str) {
        let element = if closed { "polygon" } else { "polyline" };
        let _ = write!(self.0, "<{element} points=\"");
        for (x, y) in points {
            let _ = write!(self.0, "{x:.1},{y:.1} ");
        }
        let _ = writeln!(self.0, "\" {style}/>");
    }

    /// What follows until [`Svg::unclip`] is seen only inside a box.
    pub(crate) fn clip(&mut self, id: usize, corner: (f64, f64), size: (f64, f64)) {
        let _ = write!(self.0, "<clipPath id=\"panel{id}\">");
        self.rect(corner, size, "");
        let _ = writeln!(self.0, "</clipPath><g clip-path=\"url(#panel{id})\">");
    }

    pub(crate) fn unclip(&mut self) {
        self.0.push_str("</g>\n");
    }
}
