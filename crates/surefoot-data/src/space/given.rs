//! Integers as the file gives them.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::mem;
use std::sync::Arc;

use super::crowd::Crowd;
use super::directory::Run;
use super::region::{MOST_SPARSITY, Region};
use super::remap::Remap;
use super::{Directory, FeatureName, SPACE_LIMIT, Space, UNKNOWN, check_count};
use crate::key::BIAS_KEY;
use crate::state::{State, StateProblem, Tensor};

const IDS: &str = "space.ids";
const REGION: &str = "space.region";
const MET: &str = "space.met";

/// Integer features, each with an index by first appearance, or its own one where integers are dense.
///
/// Indices: first the ids that were there when the region got its place, then the region, then ids that came later.
#[derive(Debug, Default)]
pub struct AsGiven {
    /// Those outside the region, by first appearance.
    ids: Vec<u64>,
    /// From them to their indices.
    remap: Remap,
    region: Region,
    /// Asked by [`AsGiven::crowd`].
    crowd: Crowd,
    /// Whether ids of the region were met that the crowd was not told of.
    behind: bool,
    /// The start and the length of the region that there will be.
    planned: Option<(u32, u64)>,
    /// How indices are to be in the end, where they were given out early.
    due: Option<Due>,
}

/// Indices that planned moves alone would have given: those of a region, and of the ids outside it by first appearance.
#[derive(Debug)]
struct Due {
    start: u32,
    length: u64,
    ids: Vec<u64>,
}

impl Due {
    /// Takes note of an id that was not met before.
    fn meet(&mut self, id: u64) {
        if id >= self.length {
            self.ids.push(id);
        }
    }
}

impl AsGiven {
    pub(super) fn import(state: &mut State<'_>) -> Result<Self, StateProblem> {
        let mut space = AsGiven::default();
        let ids = state.take_u64(IDS)?;
        check_count(IDS, ids.len())?;
        if state.has(REGION) {
            space.region = import_region(state, ids.len())?;
            space.region.ids().for_each(|id| space.crowd.add(id));
            space.begin_remap(0);
        }
        for id in ids {
            if space.region.holds(id) || space.remap.find(id).is_some() {
                return Err(StateProblem::damaged(IDS, format!("feature {id} occurs twice")));
            }
            space.insert(id);
        }
        Ok(space)
    }

    fn insert(&mut self, id: u64) -> u32 {
        let index = self.outside(self.ids.len());
        self.ids.push(id);
        self.remap.insert(id, index);
        self.meet(id);
        index
    }

    /// Takes note of an id that was not met before.
    fn meet(&mut self, id: u64) {
        self.crowd.add(id);
        self.due.iter_mut().for_each(|due| due.meet(id));
    }

    /// How many ids were met, by their size.
    fn crowd(&mut self) -> &Crowd {
        if mem::take(&mut self.behind) {
            self.crowd.recount(&mut self.region);
        }
        &self.crowd
    }

    /// The index of one of the ids outside the region.
    fn outside(&self, at: usize) -> u32 {
        if at < self.region.start() as usize { at as u32 } else { at as u32 + self.region.length() as u32 }
    }

    /// Where an index is: among the ids outside the region, or in it, under its id.
    fn place(&self, index: u32) -> Result<usize, u64> {
        let (start, length) = (self.region.start(), self.region.length() as u32);
        match index {
            index if index < start => Ok(index as usize),
            index if index - start < length => Err(u64::from(index - start)),
            index => Ok((index - length) as usize),
        }
    }

    /// Gives features new indices: those of a region, and of all ids outside it, in this order. Returns the new index of every
    /// old one.
    fn arrange(&mut self, start: u32, length: u64, outside: Vec<u64>) -> Vec<u32> {
        let (mut places, layout) = (vec![UNKNOWN; self.bound()], self.layout() + 1);
        let places_of_ids: Vec<u32> = (0..self.ids.len()).map(|at| self.outside(at)).collect();
        let region = mem::replace(&mut self.region, Region::new(start, length));
        let ids = mem::replace(&mut self.ids, outside);
        self.begin_remap(layout);
        for at in 0..self.ids.len() {
            self.remap.insert(self.ids[at], self.outside(at));
        }
        let met = region.ids().map(|id| (id, region.index(id))).chain(ids.into_iter().zip(places_of_ids));
        for (id, place) in met {
            places[place as usize] = if self.region.holds(id) {
                self.region.meet(id);
                self.region.index(id)
            } else {
                self.remap.find(id).unwrap_or(UNKNOWN)
            };
        }
        places
    }

    /// Starts the map of the ids outside the region anew.
    fn begin_remap(&mut self, layout: u32) {
        self.remap.start_behind(Run { length: self.region.length(), start: self.region.start(), layout });
    }
}

fn import_region(state: &mut State<'_>, outside: usize) -> Result<Region, StateProblem> {
    let (sizes, words) = (state.take_u64(REGION)?, state.take_u64(MET)?);
    let fits = |start: u64, length: u64| {
        Region::can_have(length) && start <= outside as u64 && outside as u64 + length <= SPACE_LIMIT as u64
    };
    let region = match sizes[..] {
        [start, length] if fits(start, length) => Region::with(start as u32, length, &words),
        _ => return Err(StateProblem::damaged(REGION, format!("{sizes:?} is no region"))),
    };
    let misfit = || format!("{} words of features met for {} ids", words.len(), sizes[1]);
    region.ok_or_else(|| StateProblem::damaged(MET, misfit()))
}

impl Space for AsGiven {
    #[inline]
    fn index(&mut self, id: u64, _name: &[u8]) -> u32 {
        if self.region.holds(id) {
            if self.region.meet(id) {
                self.meet(id);
            }
            return self.region.index(id);
        }
        match self.remap.find(id) {
            Some(index) => index,
            None => self.insert(id),
        }
    }

    #[inline]
    fn lookup(&self, id: u64) -> Option<u32> {
        match self.region.holds(id) {
            true => self.region.has(id).then(|| self.region.index(id)),
            false => self.remap.find(id),
        }
    }

    fn directory(&self) -> Option<Arc<Directory>> {
        Some(self.remap.directory())
    }

    fn lookup_all(&self, ids: &[u64], indices: &mut Vec<u32>) {
        let start = indices.len();
        self.remap.find_all(ids, indices);
        if self.region.length() > 0 {
            for (index, &id) in indices[start..].iter_mut().zip(ids) {
                if self.region.holds(id) && !self.region.has(id) {
                    *index = UNKNOWN;
                }
            }
        }
    }

    fn locate_all(&self, ids: &[u64], indices: &mut Vec<u32>) {
        self.remap.find_all(ids, indices);
    }

    fn meet_all(&mut self, indices: &[u32]) {
        if self.region.length() == 0 {
            return;
        }
        if !self.may_move() {
            // Until an id outside the region comes, nobody asks how many of its ids were met; its bits will tell.
            self.behind = true;
            return self.region.note_all(indices);
        }
        let Self { region, crowd, due, .. } = self;
        region.meet_all(indices, |id| {
            crowd.add(id);
            due.iter_mut().for_each(|due| due.meet(id));
        });
    }

    fn meet_new(&mut self, indices: &[u32]) {
        if self.region.length() == 0 || self.may_move() {
            return self.meet_all(indices);
        }
        self.behind = true;
        self.region.note_new(indices);
    }

    fn layout(&self) -> u32 {
        self.remap.run().layout
    }

    fn may_move(&self) -> bool {
        // Where all ids that were met have their places, nothing is left to plan.
        self.planned.is_some() || self.due.is_some() || self.crowd.reach() > self.region.length()
    }

    fn plan_move(&mut self, sparsity: u64) -> bool {
        let bound = self.crowd().dense_below(sparsity.min(MOST_SPARSITY), u64::MAX);
        let now = self.due.as_ref().map_or(self.region.length(), |due| due.length);
        if bound > self.planned.map_or(now, |(_, length)| length) {
            self.planned = Some((self.crowd.beyond(bound) as u32, bound));
        }
        self.planned.is_some()
    }

    fn make_move(&mut self) -> Option<Vec<u32>> {
        let (start, length) = self.planned.take()?;
        let mut ids = match self.due.take() {
            Some(due) => due.ids,
            None => self.ids.clone(),
        };
        ids.retain(|&id| id >= length);
        if length < self.region.length() {
            self.due = Some(Due { start, length, ids });
            return None;
        }
        let there = (start, length) == (self.region.start(), self.region.length());
        (!there).then(|| self.arrange(start, length, ids))
    }

    fn move_early(&mut self, sparsity: u64, most: u64) -> Option<Vec<u32>> {
        let length = self.crowd().dense_at_last(sparsity, most);
        if length <= self.region.length() {
            return None;
        }
        let (start, ids) = (self.crowd.beyond(length) as u32, self.ids.clone());
        let outside = ids.iter().copied().filter(|&id| id >= length).collect();
        let now = || Due { start: self.region.start(), length: self.region.length(), ids };
        self.due = Some(self.due.take().unwrap_or_else(now));
        Some(self.arrange(start, length, outside))
    }

    fn settle(&mut self) -> Option<Vec<u32>> {
        self.region.catch_up();
        let Due { start, length, ids } = self.due.take()?;
        Some(self.arrange(start, length, ids))
    }

    fn name(&self, index: u32) -> FeatureName<'_> {
        match self.key(index) {
            BIAS_KEY => FeatureName::Bias,
            id => FeatureName::Id(id),
        }
    }

    fn key(&self, index: u32) -> u64 {
        self.place(index).map_or_else(|id| id, |at| self.ids[at])
    }

    fn len(&self) -> usize {
        self.ids.len() + self.region.count()
    }

    fn bound(&self) -> usize {
        let start = self.region.start() as usize;
        if self.ids.len() > start {
            self.ids.len() + self.region.length() as usize
        } else {
            start + self.region.end() as usize
        }
    }

    fn holds(&self, index: u32) -> bool {
        self.place(index).map_or_else(|id| self.region.has(id), |at| at < self.ids.len())
    }

    fn compare(&self, one: u32, other: u32) -> Ordering {
        // The bias has the largest id of all and so comes last.
        self.key(one).cmp(&self.key(other))
    }

    fn export<'a>(&'a self, state: &mut State<'a>) {
        state.put(IDS, Tensor::U64(Cow::Borrowed(&self.ids)));
        if self.region.length() > 0 {
            let sizes = vec![u64::from(self.region.start()), self.region.length()];
            state.put(REGION, Tensor::U64(Cow::Owned(sizes)));
            state.put(MET, Tensor::U64(self.region.words()));
        }
    }
}
