//! From feature ids to rows, in pages made when first needed: one far id costs a page, not a table.

/// Marks an id without a row.
pub(super) const NONE: u32 = u32::MAX;

/// Ids a page.
const PAGE: usize = 256;

/// A sparse map from ids to rows.
#[derive(Debug, Clone, Default)]
pub(super) struct PlaceMap {
    /// Which page holds the ids from i·PAGE on.
    pages: Vec<u32>,
    data: Vec<u32>,
}

impl PlaceMap {
    /// The row of an id, or [`NONE`].
    #[inline]
    pub(super) fn find(&self, id: usize) -> u32 {
        match self.pages.get(id / PAGE) {
            Some(&page) if page != NONE => self.data[page as usize * PAGE + id % PAGE],
            _ => NONE,
        }
    }

    /// Gives an id a row.
    pub(super) fn set(&mut self, id: usize, row: usize) {
        if self.pages.len() <= id / PAGE {
            self.pages.resize(id / PAGE + 1, NONE);
        }
        let page = &mut self.pages[id / PAGE];
        if *page == NONE {
            *page = (self.data.len() / PAGE) as u32;
            self.data.resize(self.data.len() + PAGE, NONE);
        }
        self.data[*page as usize * PAGE + id % PAGE] = row as u32;
    }
}
