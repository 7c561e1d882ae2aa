//! The memory of the example to come, asked for a part at a time.
//!
//! A core waits for about a dozen lines of memory at once; whoever asks for seventy in a row stands still until the first
//! have come. So a round asks for some before each of its steps, and computes while they are on their way.

/// The features of the next example.
#[derive(Debug)]
pub(super) struct Ahead {
    ids: Vec<u32>,
    asked: usize,
    parts: usize,
}

impl Ahead {
    /// For a learner that asks so many times between two examples.
    pub(super) fn in_parts(parts: usize) -> Self {
        Self { ids: Vec::new(), asked: 0, parts }
    }

    /// These features come next.
    pub(super) fn foresee(&mut self, ids: &[u32]) {
        self.ids.clear();
        self.ids.extend_from_slice(ids);
        self.asked = 0;
    }

    /// The next part to ask for.
    pub(super) fn part(&mut self) -> &[u32] {
        let start = self.asked;
        self.asked = (start + self.ids.len().div_ceil(self.parts)).min(self.ids.len());
        &self.ids[start..self.asked]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parts_of_a_round_are_the_whole() {
        let mut ahead = Ahead::in_parts(4);
        assert!(ahead.part().is_empty());
        for length in [0, 1, 2, 3, 7, 75] {
            let ids: Vec<u32> = (0..length).collect();
            ahead.foresee(&ids);
            let parts: Vec<u32> = (0..4).flat_map(|_| ahead.part().to_vec()).collect();
            assert_eq!(parts, ids);
            assert!(ahead.part().is_empty(), "nothing is asked for twice");
        }
    }
}
