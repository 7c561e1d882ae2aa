//! What a server is told, with its defaults.

use std::time::Duration;

/// When a snapshot is written: whichever comes first, and only if something was learned.
#[derive(Debug, Clone)]
pub struct SnapshotPolicy {
    /// After so many examples.
    pub examples: u64,
    /// After so much time.
    pub every: Duration,
    /// After so many bytes of the journal.
    pub bytes: u64,
    /// So many are kept, the newest.
    pub keep: usize,
}

impl Default for SnapshotPolicy {
    fn default() -> Self {
        Self { examples: 100_000, every: Duration::from_secs(300), bytes: 256 << 20, keep: 3 }
    }
}

/// What may be learned.
#[derive(Debug, Clone)]
pub struct LearnPolicy {
    /// Whether labels may come that a model does not know yet.
    pub new_labels: bool,
    /// Labels that a model may have.
    pub max_labels: usize,
    /// Examples that may wait for their turn, and their bytes.
    pub queue_examples: usize,
    /// Bytes of the examples that may wait.
    pub queue_bytes: usize,
    /// When snapshots are written.
    pub snapshots: SnapshotPolicy,
}

impl Default for LearnPolicy {
    fn default() -> Self {
        let snapshots = SnapshotPolicy::default();
        Self {
            new_labels: false,
            max_labels: 10_000,
            queue_examples: 1 << 16,
            queue_bytes: 64 << 20,
            snapshots,
        }
    }
}
