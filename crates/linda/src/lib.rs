//! Keyed, bounded, thread-safe queues.
