//! ZeroMQ within a process: a PULL socket, and PUSH sockets that connect to it.
//!
//! By declarations of our own: the crates build a ZeroMQ of their own, which
//! takes minutes and would not be the library that the Lua bindings use.

use std::ffi::{CString, c_char, c_int, c_void};
use std::sync::LazyLock;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use crate::channel::{Channel, Receiver, Sender};

const PULL: c_int = 7;
const PUSH: c_int = 8;
const SNDHWM: c_int = 23;
const RCVHWM: c_int = 24;

/// `zmq_msg_t`: 64 bytes, aligned as a pointer.
#[repr(C)]
struct Message([*mut c_void; 8]);

#[link(name = "zmq")]
unsafe extern "C" {
    fn zmq_ctx_new() -> *mut c_void;
    fn zmq_socket(context: *mut c_void, kind: c_int) -> *mut c_void;
    fn zmq_close(socket: *mut c_void) -> c_int;
    fn zmq_setsockopt(s: *mut c_void, option: c_int, value: *const c_void, size: usize) -> c_int;
    fn zmq_bind(socket: *mut c_void, address: *const c_char) -> c_int;
    fn zmq_connect(socket: *mut c_void, address: *const c_char) -> c_int;
    fn zmq_send(socket: *mut c_void, data: *const c_void, size: usize, flags: c_int) -> c_int;
    fn zmq_msg_init(message: *mut Message) -> c_int;
    fn zmq_msg_recv(message: *mut Message, socket: *mut c_void, flags: c_int) -> c_int;
    fn zmq_msg_size(message: *const Message) -> usize;
    fn zmq_msg_data(message: *mut Message) -> *mut c_void;
    fn zmq_msg_close(message: *mut Message) -> c_int;
}

pub(crate) struct Zmq;

/// One for the process, as its threads find each other by it.
struct Context(*mut c_void);

// SAFETY: ZeroMQ's contexts may be used by all threads at once.
unsafe impl Send for Context {}
// SAFETY: as above.
unsafe impl Sync for Context {}

static CONTEXT: LazyLock<Context> = LazyLock::new(|| {
    // SAFETY: has no preconditions. The context lives as long as the process.
    let context = unsafe { zmq_ctx_new() };
    assert!(!context.is_null(), "no context");
    Context(context)
});

/// An open socket, used by one thread at a time.
pub(crate) struct Socket(*mut c_void);

// SAFETY: a socket may move to another thread, by ZeroMQ's manual, with a full
// fence; starting a thread is one.
unsafe impl Send for Socket {}

impl Drop for Socket {
    fn drop(&mut self) {
        // SAFETY: it is open, and nobody has it after this.
        unsafe { zmq_close(self.0) };
    }
}

impl Socket {
    fn open(kind: c_int, mark: c_int) -> Socket {
        // SAFETY: the context is alive.
        let socket = unsafe { zmq_socket(CONTEXT.0, kind) };
        assert!(!socket.is_null(), "no socket");
        for option in [SNDHWM, RCVHWM] {
            let value = (&raw const mark).cast();
            // SAFETY: the socket is open; the option is an int, which is there.
            let result = unsafe { zmq_setsockopt(socket, option, value, size_of::<c_int>()) };
            assert_eq!(result, 0, "the option is refused");
        }
        Socket(socket)
    }
}

/// A sender, with what another one needs.
pub(crate) struct Push {
    socket: Socket,
    address: CString,
    mark: c_int,
}

fn push(address: CString, mark: c_int) -> Push {
    let socket = Socket::open(PUSH, mark);
    // SAFETY: the socket is open, the text ends with a zero.
    let result = unsafe { zmq_connect(socket.0, address.as_ptr()) };
    assert_eq!(result, 0, "connect");
    Push {
        socket,
        address,
        mark,
    }
}

impl Channel for Zmq {
    type Sender = Push;
    type Receiver = Socket;

    fn open(limit: Option<usize>) -> (Push, Socket) {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let address = format!("inproc://{}", NEXT.fetch_add(1, Relaxed));
        let address = CString::new(address).expect("no zero in it");
        let mark = limit.map_or(0, |limit| c_int::try_from(limit).expect("a small limit"));
        let receiver = Socket::open(PULL, mark);
        // SAFETY: the socket is open, the text ends with a zero.
        let result = unsafe { zmq_bind(receiver.0, address.as_ptr()) };
        assert_eq!(result, 0, "bind");
        (push(address, mark), receiver)
    }
}

impl Sender for Push {
    fn send(&self, bytes: &[u8]) {
        // SAFETY: the socket is open; the bytes are there, and are copied.
        let sent = unsafe { zmq_send(self.socket.0, bytes.as_ptr().cast(), bytes.len(), 0) };
        assert!(sent >= 0, "send");
    }

    fn again(&self) -> Self {
        push(self.address.clone(), self.mark)
    }
}

impl Receiver for Socket {
    fn receive(&self, into: &mut Vec<u8>) {
        let mut message = Message([std::ptr::null_mut(); 8]);
        into.clear();
        // SAFETY: the message is initialised, filled, read within its size, and
        // closed, in this order; `from_raw_parts` gets no null, for ZeroMQ's
        // data are never null.
        unsafe {
            zmq_msg_init(&raw mut message);
            assert!(zmq_msg_recv(&raw mut message, self.0, 0) >= 0, "receive");
            let size = zmq_msg_size(&raw const message);
            let data = zmq_msg_data(&raw mut message).cast::<u8>();
            into.extend_from_slice(std::slice::from_raw_parts(data, size));
            zmq_msg_close(&raw mut message);
        }
    }
}
