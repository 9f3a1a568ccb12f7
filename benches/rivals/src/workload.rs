//! What is done with a channel.

use std::hint::black_box;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use rustix::thread::{CpuSet, sched_setaffinity};

use crate::channel::{Channel, Receiver, Sender, Shared};

/// A workload and its settings, named as in the Lua scripts.
pub(crate) struct Workload {
    pub(crate) size: usize,
    pub(crate) count: usize,
    pub(crate) limit: Option<usize>,
    /// Producers or consumers, where there are several.
    pub(crate) others: usize,
    /// Whether the two sides are pinned to two processors.
    pub(crate) apart: bool,
}

impl Default for Workload {
    fn default() -> Self {
        Workload {
            size: 512,
            count: 10_000,
            limit: Some(100),
            others: 4,
            apart: false,
        }
    }
}

/// The line that is printed.
pub(crate) struct Outcome {
    value: f64,
    seconds: f64,
    count: usize,
}

impl std::fmt::Display for Outcome {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Outcome {
            value,
            seconds,
            count,
        } = self;
        write!(f, "value={value} seconds={seconds} count={count}")
    }
}

fn rate(elapsed: Duration, count: usize) -> Outcome {
    let seconds = elapsed.as_secs_f64().max(1e-9);
    Outcome {
        value: count as f64 / seconds,
        seconds,
        count,
    }
}

impl Workload {
    pub(crate) fn run<C: Channel>(&self, mode: &str) -> Result<Outcome> {
        Ok(match mode {
            "latency" => self.latency::<C>(),
            "throughput" => self.fan_in::<C>(1),
            "fanin" => self.fan_in::<C>(self.others),
            other => bail!("unknown workload: {other}"),
        })
    }

    /// To and fro; microseconds for one way.
    fn latency<C: Channel>(&self) -> Outcome {
        let (to_echo, at_echo) = C::open(self.limit);
        let (to_here, here) = C::open(self.limit);
        let (count, apart) = (self.count, self.apart);
        let ball = vec![b'x'; self.size];
        let echo = thread::spawn(move || {
            pin(apart, 1);
            let mut message = Vec::new();
            to_here.send(b"ready");
            for _ in 0..count {
                at_echo.receive(&mut message);
                to_here.send(&message);
            }
        });
        pin(apart, 0);
        let mut message = Vec::new();
        here.receive(&mut message);
        assert_eq!(message, b"ready");
        let start = Instant::now();
        for _ in 0..count {
            to_echo.send(&ball);
            here.receive(&mut message);
            assert_eq!(message, ball, "wrong answer");
        }
        let seconds = start.elapsed().as_secs_f64();
        echo.join().expect("the echo");
        Outcome {
            value: seconds / count as f64 / 2.0 * 1e6,
            seconds,
            count,
        }
    }

    /// Some threads send, this one receives; from the first message to the last.
    fn fan_in<C: Channel>(&self, producers: usize) -> Outcome {
        let (sender, receiver) = C::open(self.limit);
        let each = self.count.div_ceil(producers).max(2);
        let (size, apart) = (self.size, self.apart);
        let producers: Vec<_> = (0..producers)
            .map(|_| {
                let sender = sender.again();
                thread::spawn(move || {
                    pin(apart, 1);
                    let message = vec![b'x'; size];
                    for _ in 0..each {
                        sender.send(black_box(&message));
                    }
                })
            })
            .collect();
        pin(apart, 0);
        let count = each * producers.len();
        let mut message = Vec::new();
        receiver.receive(&mut message);
        let mut bytes = message.len();
        let start = Instant::now();
        for _ in 1..count {
            receiver.receive(&mut message);
            bytes += black_box(&message).len();
        }
        let elapsed = start.elapsed();
        for producer in producers {
            producer.join().expect("a producer");
        }
        assert_eq!(bytes, size * count, "wrong messages");
        rate(elapsed, count - 1)
    }

    /// This thread sends, some receive; until the last message is received.
    pub(crate) fn fan_out<C: Channel>(&self) -> Outcome
    where
        C::Receiver: Shared,
    {
        let (sender, receiver) = C::open(self.limit);
        let consumers: Vec<_> = (0..self.others)
            .map(|_| {
                let receiver = receiver.again();
                thread::spawn(move || {
                    let (mut message, mut bytes) = (Vec::new(), 0);
                    loop {
                        receiver.receive(&mut message);
                        if message == b"end" {
                            return bytes;
                        }
                        bytes += black_box(&message).len();
                    }
                })
            })
            .collect();
        let message = vec![b'x'; self.size];
        let start = Instant::now();
        for _ in 0..self.count {
            sender.send(black_box(&message));
        }
        for _ in &consumers {
            sender.send(b"end");
        }
        let bytes: usize = consumers
            .into_iter()
            .map(|consumer| consumer.join().expect("a consumer"))
            .sum();
        let elapsed = start.elapsed();
        assert_eq!(bytes, self.size * self.count, "wrong messages");
        rate(elapsed, self.count)
    }
}

/// The calling thread stays on one processor, if the sides are to be apart.
fn pin(apart: bool, processor: usize) {
    if apart {
        let mut set = CpuSet::new();
        set.set(processor);
        sched_setaffinity(None, &set).expect("cannot pin");
    }
}
