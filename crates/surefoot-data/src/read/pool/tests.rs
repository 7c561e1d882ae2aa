use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::time::Instant;

use super::*;

/// The numbers up to an end, where an error or a panic may wait.
struct Numbers {
    next: u64,
    end: u64,
    at_end: fn() -> Result<bool>,
}

impl Fetch for Numbers {
    type Raw = u64;

    fn fetch(&mut self, raw: &mut u64) -> Result<bool> {
        if self.next == self.end {
            return (self.at_end)();
        }
        *raw = self.next;
        self.next += 1;
        Ok(true)
    }
}

const FAILS: fn() -> Result<bool> = || Err(Error::Reading("it ends badly".into()));

fn numbers(end: u64) -> Numbers {
    Numbers { next: 0, end, at_end: || Ok(false) }
}

fn threads(count: usize) -> Threads {
    Threads { count, reader_only: false }
}

fn squares() -> Process<u64, u64> {
    Box::new(|raw, square| {
        // Later ones are faster, so that they would overtake.
        thread::sleep(Duration::from_micros(200 - 20 * (*raw % 10)));
        *square = *raw * *raw;
        Ok(())
    })
}

/// Takes everything up to the end or an error.
fn drain<F: Fetch>(pool: &mut OrderedPool<F, u64>) -> (Vec<u64>, Option<String>) {
    let mut given = Vec::new();
    loop {
        match pool.next(0, &mut || false) {
            Ok(Some(number)) => given.push(number),
            Ok(None) => return (given, None),
            Err(error) => return (given, Some(error.to_string())),
        }
    }
}

#[test]
fn results_come_in_order_from_any_number_of_threads() {
    for count in [0, 1, 2, 3, 5] {
        for reader_only in [false, true] {
            let threads = Threads { count, reader_only };
            let mut pool = OrderedPool::start(numbers(100), squares(), threads).unwrap();
            let expected = (0..100).map(|n| n * n).collect();
            assert_eq!(drain(&mut pool), (expected, None), "{threads:?}");
            assert_eq!(drain(&mut pool), (Vec::new(), None));
        }
    }
}

#[test]
fn what_comes_before_an_error_is_given_and_nothing_after_it() {
    for count in [1, 2, 3, 5] {
        let failing = Numbers { at_end: FAILS, ..numbers(20) };
        let mut pool = OrderedPool::start(failing, squares(), threads(count)).unwrap();
        let (given, error) = drain(&mut pool);
        assert_eq!((given.len(), error.as_deref()), (20, Some("it ends badly")));
        assert_eq!(drain(&mut pool), (Vec::new(), None));
        let process: Process<u64, u64> =
            Box::new(|raw, _| if *raw == 7 { FAILS().map(drop) } else { Ok(()) });
        let mut pool = OrderedPool::start(numbers(100), process, threads(count)).unwrap();
        assert_eq!(drain(&mut pool), (vec![0; 7], Some("it ends badly".into())));
        assert_eq!(drain(&mut pool), (Vec::new(), None));
    }
}

/// The message of the panic that `run` ends in.
fn panic_of(run: impl FnOnce()) -> String {
    let panic = catch_unwind(AssertUnwindSafe(run)).expect_err("it should have panicked");
    panic.downcast_ref::<&str>().map_or_else(String::new, ToString::to_string)
}

#[test]
fn a_panic_of_a_thread_is_resumed_on_the_consumer_in_its_turn() {
    for count in [1, 2, 3, 5] {
        let mut given = 0;
        let process: Process<u64, u64> = Box::new(|raw, _| if *raw == 9 { panic!("nine") } else { Ok(()) });
        let mut pool = OrderedPool::start(numbers(100), process, threads(count)).unwrap();
        let message = panic_of(|| {
            while let Ok(Some(_)) = pool.next(0, &mut || false) {
                given += 1
            }
        });
        assert_eq!((given, &*message), (9, "nine"));
        assert_eq!(drain(&mut pool), (Vec::new(), None));
        let panicking = Numbers { at_end: || panic!("the end"), ..numbers(5) };
        let mut pool = OrderedPool::start(panicking, squares(), threads(count)).unwrap();
        assert_eq!(panic_of(|| drop(drain(&mut pool))), "the end");
    }
}

#[test]
fn the_window_bounds_what_is_fetched_ahead() {
    static FETCHED: AtomicUsize = AtomicUsize::new(0);
    struct Counted;
    impl Fetch for Counted {
        type Raw = u64;
        fn fetch(&mut self, _: &mut u64) -> Result<bool> {
            FETCHED.fetch_add(1, Ordering::SeqCst);
            Ok(true)
        }
    }
    let mut pool = OrderedPool::start(Counted, Box::new(|_, _: &mut u64| Ok(())), threads(3)).unwrap();
    for given in 1..50 {
        pool.next(0, &mut || false).unwrap();
        thread::sleep(Duration::from_millis(1));
        assert!(FETCHED.load(Ordering::SeqCst) <= given + 5);
    }
}

/// A pipe: gives what is sent through a channel.
struct Pipe(Receiver<u64>);

impl Fetch for Pipe {
    type Raw = u64;

    fn fetch(&mut self, raw: &mut u64) -> Result<bool> {
        Ok(self.0.recv().map(|number| *raw = number).is_ok())
    }

    fn is_live(&self) -> bool {
        true
    }
}

#[test]
fn a_silent_pipe_can_be_given_up_and_asked_again() {
    let (send, receive) = channel();
    let as_it_is: Process<u64, u64> = Box::new(|raw, out| {
        *out = *raw;
        Ok(())
    });
    let piped = Threads { count: 1, reader_only: true };
    let mut pool = OrderedPool::start(Pipe(receive), as_it_is, piped).unwrap();
    assert!(pool.waits());
    let mut asked = 0;
    let stop = &mut || {
        asked += 1;
        asked == 3
    };
    assert!(pool.next(0, stop).unwrap().is_none());
    assert_eq!(asked, 3);
    send.send(7).unwrap();
    assert_eq!(pool.next(0, &mut || false).unwrap(), Some(7));
    assert!(pool.waits());
    drop(send);
    assert_eq!(pool.next(0, &mut || false).unwrap(), None);
    assert!(!pool.waits());
    assert!(pool.jobs().is_none(), "one thread was asked for");
}

/// Waits for something that happens on another thread.
fn soon(happened: impl Fn() -> bool) -> bool {
    let start = Instant::now();
    while !happened() {
        if start.elapsed() > Duration::from_secs(20) {
            return false;
        }
        thread::sleep(Duration::from_millis(1));
    }
    true
}

#[test]
fn workers_run_jobs_while_the_window_is_full_and_after_the_end() {
    for (end, wanted) in [(1000, 1), (3, 3)] {
        let mut pool = OrderedPool::start(numbers(end), squares(), threads(2)).unwrap();
        let jobs = pool.jobs().unwrap();
        for _ in 0..wanted {
            pool.next(0, &mut || false).unwrap();
        }
        // The worker has filled the window, or met the end, and waits.
        thread::sleep(Duration::from_millis(20));
        let (done, heard) = channel();
        for number in 0..5 {
            let done = done.clone();
            jobs.submit(Box::new(move || done.send((number, thread::current().id())).unwrap()));
        }
        drop(done);
        let ran: Vec<_> = (0..5).map(|_| heard.recv_timeout(Duration::from_secs(20)).unwrap()).collect();
        assert_eq!(ran.iter().map(|(number, _)| *number).collect::<Vec<_>>(), [0, 1, 2, 3, 4]);
        assert!(ran.iter().all(|(_, thread)| *thread != thread::current().id()));
        let rest = (wanted..end).map(|n| n * n).collect();
        assert_eq!(drain(&mut pool), (rest, None), "jobs change no order");
    }
}

#[test]
fn jobs_run_between_items_and_results_stay_in_order() {
    for count in [2, 3, 5] {
        let mut pool = OrderedPool::start(numbers(200), squares(), threads(count)).unwrap();
        let (jobs, ran) = (pool.jobs().unwrap(), Arc::new(AtomicUsize::new(0)));
        let mut given = Vec::new();
        while let Some(square) = pool.next(0, &mut || false).unwrap() {
            given.push(square);
            let ran = ran.clone();
            jobs.submit(Box::new(move || _ = ran.fetch_add(1, Ordering::SeqCst)));
        }
        assert_eq!(given, (0..200).map(|n| n * n).collect::<Vec<_>>());
        while jobs.run_queued() {}
        assert!(soon(|| ran.load(Ordering::SeqCst) == 200));
    }
}

#[test]
fn a_queued_job_can_be_taken_back_even_after_the_pool() {
    let (release, blocked) = channel::<()>();
    let mut pool = OrderedPool::start(numbers(10), squares(), threads(2)).unwrap();
    let jobs = pool.jobs().unwrap();
    assert!(!jobs.run_queued(), "nothing is queued");
    let started = Arc::new(AtomicBool::new(false));
    let begun = started.clone();
    jobs.submit(Box::new(move || {
        begun.store(true, Ordering::SeqCst);
        _ = blocked.recv();
    }));
    assert!(soon(|| started.load(Ordering::SeqCst)));
    // The only worker is busy.
    let here = Arc::new(Mutex::new(Vec::new()));
    for _ in 0..2 {
        let here = here.clone();
        jobs.submit(Box::new(move || here.lock().unwrap().push(thread::current().id())));
    }
    assert!(jobs.run_queued());
    assert_eq!(*here.lock().unwrap(), [thread::current().id()]);
    pool.stop();
    drop(pool);
    drop(release);
    assert!(jobs.clone().run_queued());
    assert!(!jobs.run_queued());
    assert_eq!(*here.lock().unwrap(), [thread::current().id(); 2]);
}

#[test]
fn a_job_that_is_left_is_dropped_with_the_pool() {
    let (value, pool) = (Arc::new(()), OrderedPool::start(numbers(10), squares(), threads(2)).unwrap());
    let (release, blocked) = channel::<()>();
    let jobs = pool.jobs().unwrap();
    jobs.submit(Box::new(move || _ = blocked.recv()));
    let held = value.clone();
    jobs.submit(Box::new(move || drop(held)));
    drop((jobs, pool, release));
    assert!(soon(|| Arc::strong_count(&value) == 1));
}

#[test]
fn the_consumer_runs_jobs_while_it_waits() {
    let (send, receive) = channel();
    let mut pool = OrderedPool::start(Pipe(receive), squares(), threads(2)).unwrap();
    assert!(soon(|| pool.shared.lock().fetch.is_none()), "the only worker sits in a read from the pipe");
    let jobs = pool.jobs().unwrap();
    jobs.submit(Box::new(move || send.send(3).unwrap()));
    assert_eq!(pool.next(0, &mut || false).unwrap(), Some(9));
}

#[test]
fn a_panic_of_a_job_is_resumed_on_the_consumer() {
    let pool = || OrderedPool::start(numbers(1000), squares(), threads(2)).unwrap();
    let mut first = pool();
    first.jobs().unwrap().submit(Box::new(|| panic!("a job")));
    assert_eq!(panic_of(|| drop(drain(&mut first))), "a job");
    let second = pool();
    let jobs = second.jobs().unwrap();
    jobs.submit(Box::new(|| panic!("another job")));
    // Here or on the worker, and then it is found the next time.
    let message = panic_of(|| assert!(soon(|| jobs.run_queued()), "no panic came"));
    assert_eq!(message, "another job");
}
