//! The server as strangers meet it.

#![allow(clippy::unwrap_used, reason = "a test")]
#![cfg(feature = "server")]

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use gipf_board::{Desk, Server};
use gipf_play::Stop;

/// A server that runs until it is dropped.
struct Running {
    address: SocketAddr,
    path: String,
    stop: Stop,
    thread: Option<std::thread::JoinHandle<()>>,
}

impl Running {
    fn new() -> Self {
        let server = Server::bind("127.0.0.1:0".parse().unwrap(), Desk::default()).unwrap();
        let url = server.url();
        let (authority, path) = url.strip_prefix("http://").unwrap().split_once('/').unwrap();
        let (address, path) = (authority.parse().unwrap(), format!("/{path}"));
        let stop = Stop::default();
        let asked = stop.clone();
        let thread = std::thread::spawn(move || server.run(&asked).unwrap());
        Self { address, path, stop, thread: Some(thread) }
    }

    /// Sends a request and returns what comes until the server closes, or is silent for a while.
    fn ask(&self, path: &str, headers: &[(&str, &str)], then: &[u8]) -> Vec<u8> {
        let mut stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_millis(700))).unwrap();
        write!(stream, "GET {path} HTTP/1.1\r\n").unwrap();
        for (name, value) in headers {
            write!(stream, "{name}: {value}\r\n").unwrap();
        }
        stream.write_all(b"\r\n").unwrap();
        let mut found = vec![0; 200_000];
        let read = stream.read(&mut found).unwrap_or(0);
        found.truncate(read);
        if !then.is_empty() {
            stream.write_all(then).unwrap();
            let mut rest = Vec::new();
            let closed = stream.read_to_end(&mut rest).is_ok();
            found.extend(rest);
            found.extend(if closed { "closed" } else { "open" }.bytes());
        }
        found
    }

    fn status(&self, path: &str, headers: &[(&str, &str)]) -> String {
        let answer = String::from_utf8_lossy(&self.ask(path, headers, b"")).into_owned();
        answer.split_whitespace().nth(1).unwrap_or("none").to_owned()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.stop.request();
        self.thread.take().unwrap().join().unwrap();
    }
}

#[test]
fn the_page_is_found_by_those_who_know_its_address_and_by_nobody_else() {
    let server = Running::new();
    let own = server.address.to_string();
    let host = [("Host", own.as_str())];
    assert_eq!(server.status(&server.path, &host), "200");
    assert_eq!(server.status(&format!("{}main.js", server.path), &host), "200");
    for path in ["/", "/main.js", "/0123/", &format!("{}../Cargo.toml", server.path), &format!("{}%2e%2e", server.path)]
    {
        assert_eq!(server.status(path, &host), "404", "{path}");
    }
    assert_eq!(server.status(&server.path, &[("Host", "evil.example")]), "403");
    assert_eq!(server.status(&server.path, &[host[0], ("Origin", "http://evil.example")]), "403");
    let page = String::from_utf8_lossy(&server.ask(&server.path, &host, b"")).to_lowercase();
    for header in
        ["content-security-policy: default-src 'none'", "x-frame-options: deny", "referrer-policy: no-referrer"]
    {
        assert!(page.contains(header), "{header}");
    }
    assert!(!page.contains("onclick") && !page.contains("style="));
}

/// Returns a message to the server in a frame of a WebSocket.
fn frame(text: &str) -> Vec<u8> {
    assert!(text.len() < 126, "longer ones have another head");
    let mut bytes = vec![0x81, 0x80 + text.len() as u8];
    // The mask of zeros leaves the text as it is.
    bytes.extend([0; 4]);
    bytes.extend(text.bytes());
    bytes
}

#[test]
fn questions_are_answered_and_what_is_none_ends_that_conversation_only() {
    let server = Running::new();
    let own = server.address.to_string();
    let origin = format!("http://{own}");
    let headers = [
        ("Host", own.as_str()),
        ("Origin", &origin),
        ("Connection", "Upgrade"),
        ("Upgrade", "websocket"),
        ("Sec-WebSocket-Version", "13"),
        ("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ=="),
    ];
    let socket = format!("{}socket", server.path);
    let talk = |text: &str| String::from_utf8_lossy(&server.ask(&socket, &headers, &frame(text))).into_owned();
    let answer = talk(r#"{"id": 4, "ask": {"look": {"game": {"variant": "basic"}}}}"#);
    assert!(answer.contains("101 ") && answer.contains(r#""id":4"#) && answer.ends_with("open"), "{answer}");
    let answer = talk(r#"{"id": 5, "ask": {"look": {"game": {"start": "nowhere"}}}}"#);
    assert!(answer.contains(r#""error":"#) && answer.ends_with("open"), "{answer}");
    for wrong in ["", "{", r#"{"id": 1, "ask": {"open": "/etc/passwd"}}"#, r#"{"id": -1}"#, "[[[[[["] {
        let answer = talk(wrong);
        assert!(answer.ends_with("closed"), "{wrong}: {answer}");
    }
    assert_eq!(server.status(&server.path, &headers[..1]), "200");
    // Without its origin a page is none of this server.
    let foreign = [headers[0], ("Origin", "http://evil.example"), headers[2], headers[3], headers[4], headers[5]];
    assert_eq!(server.status(&socket, &foreign), "403");
}
