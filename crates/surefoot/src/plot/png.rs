//! Pictures as PNG, drawn from the SVG with letters of their own, so that they look the same on machines without fonts.

use std::sync::Arc;

use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::fontdb::Database;
use resvg::usvg::{Options, Tree};

use crate::{Error, Result};

/// Dots a unit of the SVG: sharp on screens of today and in print.
const SCALE: f32 = 2.0;

/// The picture as the bytes of a PNG file. The same picture gives the same bytes.
pub(super) fn to_png(svg: &str) -> Result<Vec<u8>> {
    let failed = |why: String| Error::Other(format!("the plot cannot be drawn as PNG: {why}"));
    let mut fonts = Database::new();
    fonts.load_font_data(dejavu::sans::regular().to_vec());
    fonts.load_font_data(dejavu::sans::bold().to_vec());
    fonts.set_sans_serif_family("DejaVu Sans");
    let options = Options { fontdb: Arc::new(fonts), ..Options::default() };
    let tree = Tree::from_str(svg, &options).map_err(|error| failed(error.to_string()))?;
    let size = tree.size();
    let (width, height) = ((SCALE * size.width()).ceil() as u32, (SCALE * size.height()).ceil() as u32);
    let mut picture =
        Pixmap::new(width, height).ok_or_else(|| failed(format!("{width} × {height} is too large")))?;
    resvg::render(&tree, Transform::from_scale(SCALE, SCALE), &mut picture.as_mut());
    picture.encode_png().map_err(|error| failed(error.to_string()))
}
