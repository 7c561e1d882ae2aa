//! Short sleeps of the threads that read, so that each finds a processor of its own.
//!
//! A thread that has just begun, or that another one has just woken, is often put on the processor of whoever did so, and stays
//! there for tens of milliseconds while another processor has nothing to do. A thread that wakes by itself is put where
//! there is room. On two processors that is worth some hundredths of a run of 0.2 s (benches/README.md).

use std::sync::mpsc::{SyncSender, TrySendError};
use std::thread;
use std::time::Duration;

/// Before a thread begins.
const FIRST: Duration = Duration::from_micros(20);

/// Between two looks at whether there is room.
const BETWEEN: Duration = Duration::from_micros(100);

/// So many looks, and whoever waits is better woken than looking again.
const LOOKS: usize = 200;

/// Starts a thread that looks for a processor of its own before it does its work.
pub(crate) fn spawn<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> thread::JoinHandle<T> {
    thread::spawn(|| {
        thread::sleep(FIRST);
        work()
    })
}

/// Sends to somebody who takes one thing after the other and has no time to wake whoever waits for room. False if nobody listens.
pub(crate) fn send<T>(to: &SyncSender<T>, mut thing: T) -> bool {
    for _ in 0..LOOKS {
        thing = match to.try_send(thing) {
            Ok(()) => return true,
            Err(TrySendError::Disconnected(_)) => return false,
            Err(TrySendError::Full(thing)) => thing,
        };
        thread::sleep(BETWEEN);
    }
    to.send(thing).is_ok()
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::sync_channel;

    use super::*;

    #[test]
    fn everything_arrives_in_its_order_however_long_it_waits() {
        let (give, take) = sync_channel(1);
        let sending = spawn(move || (0..50).all(|thing| send(&give, thing)));
        // Longer than it looks for room by itself.
        thread::sleep(BETWEEN * 3 * LOOKS as u32);
        assert_eq!(take.iter().collect::<Vec<_>>(), (0..50).collect::<Vec<_>>());
        assert!(sending.join().unwrap());
    }

    #[test]
    fn nobody_sends_where_nobody_listens() {
        let (give, take) = sync_channel(1);
        assert!(send(&give, 1));
        let sending = spawn(move || send(&give, 2));
        drop(take);
        assert!(!sending.join().unwrap());
    }
}
