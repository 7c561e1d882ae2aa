//! From feature ids to rows, in pages made when first needed: one far id costs a page, not a table.

/// Marks an id without a row.
pub(super) const NONE: u32 = u32::MAX;

/// Ids a page.
const PAGE: usize = 256;

/// A sparse map from ids to rows.
#[derive(Debug, Clone, Default)]
pub(super) struct Places {
    /// Which page holds the ids from i·PAGE on.
    pages: Vec<u32>,
    data: Vec<u32>,
}

impl Places {
    /// The row of an id.
    #[inline]
    pub(super) fn find(&self, id: usize) -> Option<usize> {
        let page = *self.pages.get(id / PAGE)?;
        if page == NONE {
            return None;
        }
        let row = self.data[page as usize * PAGE + id % PAGE];
        (row != NONE).then_some(row as usize)
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
