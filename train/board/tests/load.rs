//! The server under load: what strangers send, and how many they are, costs no memory for good. The whole of it is asked for
//! by `cargo test --release -p gipf-board --test load -- --ignored --nocapture`.

#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a test, which tells figures")]
#![cfg(all(feature = "server", target_os = "linux"))]

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use gipf_board::{Desk, Server};
use gipf_play::Stop;

/// What is sent: texts of the page's language, from which random ones are made.
const ASKS: [&str; 6] = [
    r#"{"id":1,"ask":{"hello":{}}}"#,
    r#"{"id":2,"ask":{"look":{"game":{"variant":"standard","actions":[0,5,9]}}}}"#,
    r#"{"id":3,"ask":{"move":{"game":{},"player":"level:1","seed":7}}}"#,
    r#"{"id":4,"ask":{"read":{"text":"1. a1-b2"}}}"#,
    r#"{"id":5,"ask":{"open":{"name":"runs/quick"}}}"#,
    r#"{"id":0}"#,
];

struct Random(u64);

impl Random {
    fn below(&mut self, most: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) as usize % most
    }

    /// Returns a text of the language with some bytes changed, or any bytes.
    fn message(&mut self) -> Vec<u8> {
        let mut bytes = ASKS[self.below(ASKS.len())].as_bytes().to_vec();
        for _ in 0..self.below(4) {
            let place = self.below(bytes.len());
            match self.below(3) {
                0 => bytes[place] = self.below(128) as u8,
                1 => bytes.insert(place, self.below(256) as u8),
                _ => bytes.truncate(place.max(1)),
            }
        }
        bytes
    }
}

/// Returns a connection on which the conversation has begun; none if there are too many.
fn connected(address: SocketAddr, path: &str) -> Option<TcpStream> {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    let head = format!(
        "GET {path}socket HTTP/1.1\r\nHost: {address}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\
         Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
    );
    stream.write_all(head.as_bytes()).unwrap();
    let mut found = [0; 512];
    let read = stream.read(&mut found).unwrap();
    found[..read].starts_with(b"HTTP/1.1 101").then_some(stream)
}

fn frame(kind: u8, data: &[u8]) -> Vec<u8> {
    let mut bytes = vec![0x80 | kind];
    match data.len() {
        length @ 0..126 => bytes.push(0x80 | length as u8),
        length => bytes.extend([0xfe, (length >> 8) as u8, length as u8]),
    }
    bytes.extend([0; 4]);
    bytes.extend(data);
    bytes
}

/// Returns the megabytes of memory that this process has.
fn megabytes() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse::<usize>().unwrap() / 1024
}

/// Sends random messages; one that is not understood ends its conversation, and the next begins another.
fn flood(address: SocketAddr, path: &str, messages: usize, random: &mut Random) {
    let mut stream = None;
    for _ in 0..messages {
        let open = match stream.take() {
            Some(open) => Some(open),
            None => connected(address, path),
        };
        let Some(mut open) = open else { continue };
        let kind = if random.below(50) == 0 { random.below(16) as u8 } else { 1 };
        if open.write_all(&frame(kind, &random.message())).is_ok() {
            // What is answered is read now and then only: a page may be slow.
            if random.below(4) == 0 {
                open.set_read_timeout(Some(Duration::from_millis(1))).unwrap();
                let mut found = [0; 4096];
                if matches!(open.read(&mut found), Ok(0)) {
                    continue;
                }
            }
            stream = Some(open);
        }
    }
}

#[test]
#[cfg_attr(debug_assertions, ignore = "players think, which takes long with debug assertions")]
fn random_messages_and_many_connections_leave_the_memory_as_it_was() {
    load(2000, 50);
}

#[test]
#[ignore = "takes minutes"]
fn a_hundred_thousand_messages_and_a_thousand_connections_do_so_too() {
    load(100_000, 1000);
}

fn load(messages: usize, connections: usize) {
    let server = Server::bind("127.0.0.1:0".parse().unwrap(), Desk::default()).unwrap();
    let url = server.url();
    let (authority, path) = url.strip_prefix("http://").unwrap().split_once('/').unwrap();
    let (address, path): (SocketAddr, _) = (authority.parse().unwrap(), format!("/{path}"));
    let stop = Stop::default();
    let asked = stop.clone();
    let serving = std::thread::spawn(move || server.run(&asked).unwrap());

    let random = &mut Random(1);
    flood(address, &path, 1000, random);
    let before = megabytes();
    flood(address, &path, messages, random);
    let mut streams: Vec<_> = (0..connections).map(|_| connected(address, &path)).collect();
    let talking = streams.iter().flatten().count();
    assert!(talking <= 32, "{talking} pages at once");
    streams.extend((0..connections).map(|_| TcpStream::connect(address).ok()));
    drop(streams);
    std::thread::sleep(Duration::from_secs(1));
    let after = megabytes();
    println!("{before} MB before, {after} MB after; {talking} pages at once");
    assert!(after < before + 40, "{before} MB before, {after} MB after");
    // Whoever comes then is answered.
    let mut stream = connected(address, &path).unwrap();
    stream.write_all(&frame(1, ASKS[0].as_bytes())).unwrap();
    let mut found = [0; 4096];
    assert!(stream.read(&mut found).unwrap() > 0);
    stop.request();
    serving.join().unwrap();
}
