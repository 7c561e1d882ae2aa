//! What a reader must know of the machine that timings come from, and no more: no names, no paths.

use serde::{Deserialize, Serialize};

/// Facts of a machine.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Machine {
    /// Processors that a program can use.
    pub cores: usize,
    /// The model of the processor.
    pub processor: String,
    /// Operating system and architecture.
    pub system: String,
}

impl Machine {
    /// This machine.
    pub(crate) fn this() -> Self {
        let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        let model = info.lines().find_map(|line| line.strip_prefix("model name")?.split_once(':'));
        Self {
            cores: std::thread::available_parallelism().map_or(1, usize::from),
            processor: model.map_or_else(|| "unknown".into(), |(_, name)| name.trim().to_string()),
            system: format!("{} {}", std::env::consts::OS, std::env::consts::ARCH),
        }
    }
}
