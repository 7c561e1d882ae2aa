//! Every signal of a stream, each watched by detectors.

use super::{
    Change, DETECTORS, Detector, DetectorSpec, Observation, SIGNALS, SignalSpec, damaged, signal::MOST_SERIES,
};
use crate::Result;
use crate::state::{State, Tensor, check_finite};

/// A label that comes late was absent from so many blocks at most, as far as its detectors are told.
const MOST_ABSENT: u64 = 256;

/// How things are now is the mean of so many examples at least, if there were as many, and of twice as many at most.
const RECENT: u64 = 500;

/// A change of a signal.
#[derive(Debug, Clone, Copy)]
pub struct Alarm {
    /// What changed.
    pub signal: &'static SignalSpec,
    /// Which of the signal's series: of the label mix, which label.
    pub series: usize,
    /// The detector that noticed it.
    pub detector: &'static DetectorSpec,
    /// The example near which it was, counted from 1.
    pub example: u64,
    /// The example at which it was noticed.
    pub noticed: u64,
    /// The mean before, as far back as there was one mean.
    pub before: f64,
    /// The mean from the change to its notice.
    pub after: f64,
}

impl Alarm {
    /// Whether the series is that of all classes that have none of their own.
    #[must_use]
    pub fn is_of_the_rest(&self) -> bool {
        self.series + 1 == MOST_SERIES
    }
}

/// Watches a stream.
///
/// ```
/// use surefoot_core::drift::{Observation, Watch, find};
///
/// let mut watch = Watch::new(&[find("adwin")?]);
/// let mut alarms = Vec::new();
/// for n in 0..6000 {
///     // One mistake in ten examples, and later one in three.
///     let mistake = n % if n < 4000 { 10 } else { 3 } == 0;
///     let seen = Observation { mistake, probability: 0.9, class: n % 2, unknown: 0.0 };
///     alarms.extend_from_slice(watch.update(&seen));
/// }
/// assert_eq!(alarms.len(), 1);
/// assert_eq!(alarms[0].signal.name, "error");
/// assert!((3900..4100).contains(&alarms[0].example) && alarms[0].noticed < 4500);
/// # Ok::<(), surefoot_core::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Watch {
    detectors: Vec<&'static DetectorSpec>,
    signals: Vec<WatchedSignal>,
    seen: u64,
    /// Whether a signal of the learner has risen since [`Watch::take_risen`].
    risen: bool,
    /// The alarms of the newest example.
    alarms: Vec<Alarm>,
}

impl Watch {
    /// Watches every signal with each of these detectors.
    #[must_use]
    pub fn new(detectors: &[&'static DetectorSpec]) -> Self {
        let signals = SIGNALS.iter().map(WatchedSignal::new).collect();
        Self { detectors: detectors.to_vec(), signals, seen: 0, risen: false, alarms: Vec::new() }
    }

    /// The detectors that watch.
    #[must_use]
    pub fn detectors(&self) -> &[&'static DetectorSpec] {
        &self.detectors
    }

    /// Examples seen.
    #[must_use]
    pub fn seen(&self) -> u64 {
        self.seen
    }

    /// Takes in the next example; the changes that are noticed with it.
    pub fn update(&mut self, observation: &Observation) -> &[Alarm] {
        self.alarms.clear();
        if self.detectors.is_empty() {
            return &[];
        }
        self.seen += 1;
        for own in &mut self.signals {
            if let Some(alarm) = own.update(observation, self.seen, &self.detectors) {
                self.risen |= own.spec.of_learner && alarm.after > alarm.before;
                // What lies before the last notice was told with it.
                if alarm.example > std::mem::replace(&mut own.noticed, self.seen) {
                    self.alarms.push(alarm);
                }
            }
        }
        &self.alarms
    }

    /// The mean of a series over the last examples, since the last change that was noticed.
    #[must_use]
    pub fn now(&self, alarm: &Alarm) -> f64 {
        let own = self.signals.iter().find(|own| own.spec.name == alarm.signal.name);
        let series = own.and_then(|own| own.series.get(alarm.series));
        series.and_then(|series| series.recent.mean()).unwrap_or(alarm.after)
    }

    /// Whether error or log loss has risen since this was last asked. If so, both are watched from here on as if the stream
    /// began: what is done about it changes the learner.
    pub fn take_risen(&mut self) -> bool {
        if std::mem::take(&mut self.risen) {
            let own = self.signals.iter_mut().filter(|own| own.spec.of_learner);
            own.for_each(|own| own.begin_anew(&self.detectors));
            return true;
        }
        false
    }

    /// What the detectors have seen, as named tensors.
    #[must_use]
    pub fn save(&self) -> State<'static> {
        let mut state = State::default();
        state.put_counts("seen", &[self.seen, u64::from(self.risen)]);
        for own in &self.signals {
            let sums: Vec<f64> = own.series.iter().map(|series| series.sum).collect();
            state.put(format!("{}.sums", own.spec.name), Tensor::F64(sums.into()));
            for (place, detector) in self.detectors.iter().enumerate() {
                let mut numbers = Vec::new();
                for series in &own.series {
                    let saved = series.detectors[place].save();
                    numbers.push(saved.len() as f64);
                    numbers.extend(saved);
                }
                state.put(format!("{}.{}", own.spec.name, detector.name), Tensor::F64(numbers.into()));
            }
        }
        state
    }

    /// Takes over what [`Watch::save`] gave; `self` has the same detectors.
    pub fn restore(&mut self, mut state: State<'_>) -> Result<()> {
        let [seen, risen] = state.take_counts("seen")?;
        (self.seen, self.risen) = (seen, risen > 0);
        for own in &mut self.signals {
            let name = format!("{}.sums", own.spec.name);
            let sums = state.take_f64(&name)?;
            check_finite(&name, &sums)?;
            if sums.len() > MOST_SERIES {
                return Err(damaged(&name));
            }
            own.series = sums
                .iter()
                .map(|&sum| WatchedSeries { sum, ..WatchedSeries::new(&self.detectors) })
                .collect();
            for (place, detector) in self.detectors.iter().enumerate() {
                let numbers = state.take_f64(&format!("{}.{}", own.spec.name, detector.name))?;
                let mut rest = &numbers[..];
                for series in &mut own.series {
                    let split = rest.split_first();
                    let split = split.and_then(|(&length, rest)| rest.split_at_checked(length as usize));
                    let (saved, left) = split.ok_or_else(|| damaged(detector.name))?;
                    series.detectors[place].restore(saved)?;
                    rest = left;
                }
                if !rest.is_empty() {
                    return Err(damaged(detector.name));
                }
            }
        }
        state.finish()
    }
}

/// Every detector of these names, none of them twice.
pub fn detectors<'a>(names: impl IntoIterator<Item = &'a str>) -> Result<Vec<&'static DetectorSpec>> {
    let wanted = names.into_iter().map(super::find).collect::<Result<Vec<_>>>()?;
    Ok(DETECTORS.iter().copied().filter(|own| wanted.iter().any(|spec| spec.name == own.name)).collect())
}

/// A signal and what watches it.
#[derive(Debug, Clone)]
struct WatchedSignal {
    spec: &'static SignalSpec,
    series: Vec<WatchedSeries>,
    /// The example of the last alarm.
    noticed: u64,
}

impl WatchedSignal {
    fn new(spec: &'static SignalSpec) -> Self {
        Self { spec, series: Vec::new(), noticed: 0 }
    }

    fn begin_anew(&mut self, detectors: &[&'static DetectorSpec]) {
        self.series.iter_mut().for_each(|series| *series = WatchedSeries::new(detectors));
    }

    /// The clearest change that a series shows with this example, if it ends a block.
    fn update(
        &mut self,
        observation: &Observation,
        seen: u64,
        detectors: &[&'static DetectorSpec],
    ) -> Option<Alarm> {
        let (place, number) = (self.spec.number)(observation);
        while place >= self.series.len() {
            self.series.push(WatchedSeries::absent(detectors, (seen - 1) / self.spec.block));
        }
        self.series[place].sum += number;
        if !seen.is_multiple_of(self.spec.block) {
            return None;
        }
        let mut clearest: Option<Alarm> = None;
        for (number, series) in self.series.iter_mut().enumerate() {
            for (place, change) in series.end_block(self.spec.block) {
                let rise = change.after - change.before;
                if self.spec.rises && rise <= 0.0 {
                    continue;
                }
                let alarm = Alarm {
                    signal: self.spec,
                    series: number,
                    detector: detectors[place],
                    example: seen - (change.since * self.spec.block).min(seen - 1),
                    noticed: seen,
                    before: change.before,
                    after: change.after,
                };
                // Of several labels, the one that has become more frequent.
                if clearest.is_none_or(|other| rise > other.after - other.before) {
                    clearest = Some(alarm);
                }
            }
        }
        if clearest.is_some() {
            self.series.iter_mut().for_each(|series| series.recent = RecentMean::default());
        }
        clearest
    }
}

/// Numbers one after the other.
#[derive(Debug, Clone)]
struct WatchedSeries {
    /// Of the block under way.
    sum: f64,
    detectors: Vec<Box<dyn Detector>>,
    recent: RecentMean,
}

impl WatchedSeries {
    fn new(detectors: &[&DetectorSpec]) -> Self {
        let detectors = detectors.iter().map(|spec| (spec.build)()).collect();
        Self { sum: 0.0, detectors, recent: RecentMean::default() }
    }

    /// A series that was 0 in so many blocks before.
    fn absent(detectors: &[&DetectorSpec], blocks: u64) -> Self {
        let mut series = Self::new(detectors);
        for _ in 0..blocks.min(MOST_ABSENT) {
            series.detectors.iter_mut().for_each(|detector| _ = detector.update(0.0));
        }
        series
    }

    /// Gives the mean of a block to every detector; which of them find a change.
    fn end_block(&mut self, block: u64) -> impl Iterator<Item = (usize, Change)> + '_ {
        let mean = std::mem::take(&mut self.sum) / block as f64;
        self.recent.push(mean, block);
        let detectors = self.detectors.iter_mut().enumerate();
        detectors.filter_map(move |(place, detector)| Some((place, detector.update(mean)?)))
    }
}

/// The mean of the newest examples: those of the part under way and of the one before it.
#[derive(Debug, Clone, Copy, Default)]
struct RecentMean {
    before: (u64, f64),
    now: (u64, f64),
}

impl RecentMean {
    fn push(&mut self, mean: f64, examples: u64) {
        if self.now.0 >= RECENT {
            (self.before, self.now) = (self.now, (0, 0.0));
        }
        self.now = (self.now.0 + examples, self.now.1 + mean * examples as f64);
    }

    fn mean(self) -> Option<f64> {
        let examples = self.before.0 + self.now.0;
        (examples > 0).then(|| (self.before.1 + self.now.1) / examples as f64)
    }
}
