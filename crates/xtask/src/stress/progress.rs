//! A line that says how far it is, rewritten in place on a terminal and now and
//! then elsewhere.

use std::io::{IsTerminal, Write};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

pub(crate) struct Progress {
    said: Mutex<Instant>,
    every: Duration,
    terminal: bool,
}

impl Progress {
    pub(crate) fn new() -> Progress {
        let terminal = std::io::stdout().is_terminal();
        Progress {
            said: Mutex::new(Instant::now()),
            every: if terminal {
                Duration::from_millis(200)
            } else {
                Duration::from_secs(30)
            },
            terminal,
        }
    }

    /// Says it, if the last time was long enough ago.
    pub(crate) fn say(&self, text: impl FnOnce() -> String) {
        let mut said = self.said.lock().unwrap_or_else(PoisonError::into_inner);
        if said.elapsed() >= self.every {
            *said = Instant::now();
            let text = text();
            if self.terminal {
                print!("\r\x1b[K{text}");
                std::io::stdout().flush().ok();
            } else {
                println!("{text}");
            }
        }
    }

    /// Makes room for other lines.
    pub(crate) fn clear(&self) {
        if self.terminal {
            print!("\r\x1b[K");
        }
    }
}
