//! The core by itself: slots, hand-over and throughput, with crossbeam-channel
//! as the floor. Every workload checks what it received.
//!
//! ```sh
//! cargo bench -p linda                     # the scheduler decides
//! taskset -c 0 cargo bench -p linda        # everybody on one processor
//! ```

use std::hint::black_box;
use std::slice::from_ref;
use std::sync::LazyLock;
use std::thread;
use std::time::{Duration, Instant};

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use linda::{Cancel, Deadline, Linda, Party, SlotRef, Spin};

type Message = Vec<u8>;

const SIZE: usize = 512;
const LIMIT: usize = 100;

/// A way from one thread to another.
trait Channel: Sync {
    fn send(&self, message: Message);
    fn receive(&self) -> Message;
}

/// One for all, as in a program.
static SPIN: LazyLock<Spin> = LazyLock::new(Spin::new);

struct Slot {
    linda: Linda<u32, Message>,
    slot: SlotRef<u32, Message>,
    cancel: Cancel,
}

impl Slot {
    fn new(limit: Option<usize>) -> Self {
        let linda = Linda::new();
        let slot = linda.slot(&1);
        linda.set_limit(&slot, limit).unwrap();
        let cancel = Cancel::new();
        Self {
            linda,
            slot,
            cancel,
        }
    }

    fn party(&self) -> Party<'_> {
        Party::new(&self.cancel, &SPIN)
    }
}

impl Channel for Slot {
    fn send(&self, message: Message) {
        let message = &mut Some(message);
        self.linda
            .send(&self.party(), &self.slot, message, Deadline::never())
            .unwrap();
    }

    fn receive(&self) -> Message {
        let slots = from_ref(&self.slot);
        self.linda
            .receive(&self.party(), slots, Deadline::never())
            .unwrap()
            .1
    }
}

struct Crossbeam(
    crossbeam_channel::Sender<Message>,
    crossbeam_channel::Receiver<Message>,
);

impl Crossbeam {
    fn new(limit: Option<usize>) -> Self {
        let (sender, receiver) = match limit {
            Some(limit) => crossbeam_channel::bounded(limit),
            None => crossbeam_channel::unbounded(),
        };
        Self(sender, receiver)
    }
}

impl Channel for Crossbeam {
    fn send(&self, message: Message) {
        self.0.send(message).unwrap();
    }

    fn receive(&self) -> Message {
        self.1.recv().unwrap()
    }
}

/// A message that says which one it is.
fn message(number: u64, size: usize) -> Message {
    let mut message = vec![0; size];
    message[..8].copy_from_slice(&number.to_le_bytes());
    message
}

fn check(message: &Message, number: u64) {
    assert_eq!(message[..8], number.to_le_bytes());
}

/// The time of `trips` one-way trips: half of them go there, half come back.
fn ping_pong<C: Channel>(make: impl Fn() -> C, trips: u64) -> Duration {
    let (there, back) = (make(), make());
    let rounds = trips.div_ceil(2);
    thread::scope(|scope| {
        scope.spawn(|| {
            for number in 0..rounds {
                let ping = there.receive();
                check(&ping, number);
                back.send(message(number, SIZE));
            }
        });
        let start = Instant::now();
        for number in 0..rounds {
            there.send(message(number, SIZE));
            check(&back.receive(), number);
        }
        start.elapsed()
    })
}

/// The time that `count` messages take from one producer to one consumer.
fn stream<C: Channel>(channel: &C, size: usize, count: u64) -> Duration {
    thread::scope(|scope| {
        let start = Instant::now();
        scope.spawn(|| {
            for number in 0..count {
                channel.send(message(number, size));
            }
        });
        for number in 0..count {
            check(&channel.receive(), number);
        }
        start.elapsed()
    })
}

fn one_thread(c: &mut Criterion) {
    let mut group = c.benchmark_group("one thread");
    let channel = Slot::new(None);
    let (linda, party) = (&channel.linda, channel.party());
    group.bench_function("find a slot", |b| b.iter(|| linda.slot(black_box(&1))));
    group.bench_function("poll an empty slot", |b| {
        let slots = from_ref(&channel.slot);
        b.iter(|| assert!(linda.receive(&party, slots, Deadline::now()).is_err()));
    });
    group.bench_function("send and receive, fresh key each time", |b| {
        let mut key = 1;
        let mut message = Some(message(1, 30));
        b.iter(|| {
            key += 1;
            linda
                .send(&party, &linda.slot(&key), &mut message, Deadline::now())
                .unwrap();
            let slots = [linda.slot(&key)];
            message = Some(linda.receive(&party, &slots, Deadline::now()).unwrap().1);
        });
    });
    group.bench_function("receive from the last of 4 slots", |b| {
        let linda = Linda::<u32, Message>::new();
        let slots = [1, 2, 3, 4].map(|key| linda.slot(&key));
        let mut message = Some(message(1, 30));
        b.iter(|| {
            linda
                .send(&party, &slots[3], &mut message, Deadline::now())
                .unwrap();
            let (index, received) = linda.receive(&party, &slots, Deadline::now()).unwrap();
            assert_eq!(index, 3);
            message = Some(received);
        });
    });
    group.bench_function("set and get", |b| {
        let linda = Linda::<u32, u64>::new();
        let slot = linda.slot(&1);
        let mut number = 0;
        b.iter(|| {
            number += 1;
            linda.set(&slot, vec![number]).unwrap();
            assert_eq!(linda.get(&slot, 1).unwrap(), [number]);
        });
    });
    group.bench_function("send and receive a batch of 10", |b| {
        let mut batch: Vec<_> = (0..10).map(|number| message(number, 30)).collect();
        b.iter(|| {
            linda
                .send(&party, &channel.slot, &mut batch, Deadline::now())
                .unwrap();
            batch = linda
                .receive_batched(&party, &channel.slot, 10, 10, Deadline::now())
                .unwrap();
            assert_eq!(batch.len(), 10);
        });
    });
    send_and_receive(&mut group, "send and receive, linda", &channel);
    send_and_receive(
        &mut group,
        "send and receive, crossbeam",
        &Crossbeam::new(None),
    );
    group.finish();
}

type Group<'a> = criterion::BenchmarkGroup<'a, criterion::measurement::WallTime>;

fn send_and_receive(group: &mut Group<'_>, name: &str, channel: &impl Channel) {
    group.bench_function(name, |b| {
        let mut message = Some(message(1, 30));
        b.iter(|| {
            channel.send(message.take().unwrap());
            message = Some(channel.receive());
        });
    });
}

fn latency(c: &mut Criterion) {
    let mut group = c.benchmark_group("one way, ping-pong of 512 bytes");
    group.bench_function("linda", |b| {
        b.iter_custom(|trips| ping_pong(|| Slot::new(None), trips));
    });
    group.bench_function("crossbeam", |b| {
        b.iter_custom(|trips| ping_pong(|| Crossbeam::new(Some(LIMIT)), trips));
    });
    group.finish();
}

/// From the send to a receiver that sleeps until its answer is here.
fn wake(c: &mut Criterion) {
    let mut group = c.benchmark_group("wake a sleeper");
    group.sample_size(10);
    group.bench_function("linda", |b| {
        b.iter_custom(|count| wake_up(|| Slot::new(None), count));
    });
    group.bench_function("crossbeam", |b| {
        b.iter_custom(|count| wake_up(|| Crossbeam::new(None), count));
    });
    group.finish();
}

fn wake_up<C: Channel>(make: impl Fn() -> C, count: u64) -> Duration {
    /// Longer than anybody looks around before it sleeps.
    const NAP: Duration = Duration::from_millis(1);
    let (there, back) = (make(), make());
    thread::scope(|scope| {
        scope.spawn(|| {
            for number in 0..count {
                check(&there.receive(), number);
                back.send(message(number, 8));
            }
        });
        let mut sum = Duration::ZERO;
        for number in 0..count {
            thread::sleep(NAP);
            let start = Instant::now();
            there.send(message(number, 8));
            check(&back.receive(), number);
            sum += start.elapsed();
        }
        sum
    })
}

/// Two threads on two keys of one linda, and on one key.
fn two_threads(c: &mut Criterion) {
    let mut group = c.benchmark_group("two threads, each sends and receives");
    for (name, keys) in [("on its own key", [1, 2]), ("on the same key", [1, 1])] {
        group.bench_function(name, |b| {
            b.iter_custom(|count| {
                let linda = Linda::<u32, Message>::new();
                let start = Instant::now();
                thread::scope(|scope| {
                    for key in keys {
                        let linda = &linda;
                        scope.spawn(move || send_to_oneself(linda, key, count));
                    }
                });
                let elapsed = start.elapsed();
                assert!(keys.iter().all(|key| linda.count(key).unwrap_or(0) == 0));
                elapsed
            });
        });
    }
    group.finish();
}

fn send_to_oneself(linda: &Linda<u32, Message>, key: u32, count: u64) {
    let cancel = Cancel::new();
    let party = Party::new(&cancel, &SPIN);
    let slot = linda.slot(&key);
    let mut message = Some(message(0, 30));
    for _ in 0..count {
        linda
            .send(&party, &slot, &mut message, Deadline::never())
            .unwrap();
        let slots = from_ref(&slot);
        message = Some(linda.receive(&party, slots, Deadline::never()).unwrap().1);
    }
}

/// Batches from one thread to another; the time is that of one message.
fn batches(c: &mut Criterion) {
    const BATCH: u64 = 10;
    let mut group = c.benchmark_group("one producer, one consumer, batches of 10, 30 bytes");
    group.throughput(Throughput::Elements(1));
    group.bench_function("linda, limit 100", |b| {
        b.iter_custom(|count| {
            let channel = Slot::new(Some(LIMIT));
            let rounds = count.div_ceil(BATCH);
            thread::scope(|scope| {
                let start = Instant::now();
                scope.spawn(|| {
                    for round in 0..rounds {
                        let mut batch: Vec<_> = (0..BATCH)
                            .map(|number| message(round * BATCH + number, 30))
                            .collect();
                        channel
                            .linda
                            .send(
                                &channel.party(),
                                &channel.slot,
                                &mut batch,
                                Deadline::never(),
                            )
                            .unwrap();
                    }
                });
                let mut number = 0;
                while number < rounds * BATCH {
                    let batch = channel.linda.receive_batched(
                        &channel.party(),
                        &channel.slot,
                        1,
                        LIMIT,
                        Deadline::never(),
                    );
                    for message in batch.unwrap() {
                        check(&message, number);
                        number += 1;
                    }
                }
                start.elapsed()
            })
        });
    });
    group.finish();
}

fn throughput(c: &mut Criterion) {
    for size in [30, SIZE] {
        let mut group = c.benchmark_group(format!("one producer, one consumer, {size} bytes"));
        group.throughput(Throughput::Elements(1));
        for limit in [Some(LIMIT), None] {
            let name = limit.map_or("no limit".to_owned(), |limit| format!("limit {limit}"));
            group.bench_function(format!("linda, {name}"), |b| {
                b.iter_custom(|count| stream(&Slot::new(limit), size, count));
            });
            group.bench_function(format!("crossbeam, {name}"), |b| {
                b.iter_custom(|count| stream(&Crossbeam::new(limit), size, count));
            });
        }
        group.finish();
    }
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_secs(2))
        .sample_size(20)
        .without_plots();
    targets = one_thread, two_threads, latency, wake, throughput, batches
}
criterion_main!(benches);
