//! One face for all channels.

use std::sync::mpsc;

/// A way from some threads to another.
pub(crate) trait Channel {
    type Sender: Sender;
    type Receiver: Receiver;

    /// Both ends; without a limit if there is none.
    fn open(limit: Option<usize>) -> (Self::Sender, Self::Receiver);
}

pub(crate) trait Sender: Send + 'static {
    /// Sends a copy.
    fn send(&self, bytes: &[u8]);

    /// Another end of the same channel, for another thread.
    fn again(&self) -> Self;
}

pub(crate) trait Receiver: Send + 'static {
    /// Waits for a message and copies it.
    fn receive(&self, into: &mut Vec<u8>);
}

/// A receiver of which several threads may have one.
pub(crate) trait Shared: Receiver {
    fn again(&self) -> Self;
}

/// The copy that a Lua string would be.
fn copy(message: &[u8], into: &mut Vec<u8>) {
    into.clear();
    into.extend_from_slice(message);
}

const CLOSED: &str = "the other end is gone";

/// Implements the traits for a crate whose ends can be cloned.
macro_rules! channel {
    ($name:ident, $sender:ty, $receiver:ty, $bounded:path, $unbounded:path) => {
        pub(crate) struct $name;

        impl Channel for $name {
            type Sender = $sender;
            type Receiver = $receiver;

            fn open(limit: Option<usize>) -> (Self::Sender, Self::Receiver) {
                limit.map_or_else($unbounded, $bounded)
            }
        }

        impl Sender for $sender {
            fn send(&self, bytes: &[u8]) {
                <$sender>::send(self, bytes.to_vec()).expect(CLOSED);
            }

            fn again(&self) -> Self {
                self.clone()
            }
        }

        impl Receiver for $receiver {
            fn receive(&self, into: &mut Vec<u8>) {
                copy(&self.recv().expect(CLOSED), into);
            }
        }

        impl Shared for $receiver {
            fn again(&self) -> Self {
                self.clone()
            }
        }
    };
}

channel!(
    Crossbeam,
    crossbeam_channel::Sender<Vec<u8>>,
    crossbeam_channel::Receiver<Vec<u8>>,
    crossbeam_channel::bounded,
    crossbeam_channel::unbounded
);
channel!(
    Kanal,
    kanal::Sender<Vec<u8>>,
    kanal::Receiver<Vec<u8>>,
    kanal::bounded,
    kanal::unbounded
);
channel!(
    Flume,
    flume::Sender<Vec<u8>>,
    flume::Receiver<Vec<u8>>,
    flume::bounded,
    flume::unbounded
);

pub(crate) struct Std;

/// The standard library has two kinds of senders.
#[derive(Clone)]
pub(crate) enum StdSender {
    Bounded(mpsc::SyncSender<Vec<u8>>),
    Unbounded(mpsc::Sender<Vec<u8>>),
}

impl Channel for Std {
    type Sender = StdSender;
    type Receiver = mpsc::Receiver<Vec<u8>>;

    fn open(limit: Option<usize>) -> (Self::Sender, Self::Receiver) {
        if let Some(limit) = limit {
            let (sender, receiver) = mpsc::sync_channel(limit);
            (StdSender::Bounded(sender), receiver)
        } else {
            let (sender, receiver) = mpsc::channel();
            (StdSender::Unbounded(sender), receiver)
        }
    }
}

impl Sender for StdSender {
    fn send(&self, bytes: &[u8]) {
        let message = bytes.to_vec();
        match self {
            StdSender::Bounded(sender) => sender.send(message),
            StdSender::Unbounded(sender) => sender.send(message),
        }
        .expect(CLOSED);
    }

    fn again(&self) -> Self {
        self.clone()
    }
}

impl Receiver for mpsc::Receiver<Vec<u8>> {
    fn receive(&self, into: &mut Vec<u8>) {
        copy(&self.recv().expect(CLOSED), into);
    }
}
