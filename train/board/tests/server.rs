//! The server as strangers meet it.

#![allow(clippy::unwrap_used, reason = "a test")]
#![cfg(feature = "server")]

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use gipf_board::{Desk, Item, Server, Shelf, Shown, StoredGame};
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
        Self::of(Desk::default())
    }

    fn of(desk: Desk) -> Self {
        let server = Server::bind("127.0.0.1:0".parse().unwrap(), desk).unwrap();
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

    /// Asks questions on a connection of their own, and returns what comes.
    fn talk(&self, questions: &[&str]) -> String {
        let own = self.address.to_string();
        let frames: Vec<_> = questions.iter().flat_map(|text| frame(text)).collect();
        let found = self.ask(&format!("{}socket", self.path), &upgrade(&own, &format!("http://{own}")), &frames);
        String::from_utf8_lossy(&found).into_owned()
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
    let without_slash =
        String::from_utf8_lossy(&server.ask(server.path.trim_end_matches('/'), &host, b"")).into_owned();
    assert!(without_slash.starts_with("HTTP/1.1 307") && without_slash.contains(&server.path), "{without_slash}");
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

/// Returns the headers with which a page of this origin begins a conversation with a server.
fn upgrade<'a>(own: &'a str, origin: &'a str) -> [(&'static str, &'a str); 6] {
    [
        ("Host", own),
        ("Origin", origin),
        ("Connection", "Upgrade"),
        ("Upgrade", "websocket"),
        ("Sec-WebSocket-Version", "13"),
        ("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ=="),
    ]
}

#[test]
fn questions_are_answered_and_what_is_none_ends_that_conversation_only() {
    let server = Running::new();
    let talk = |text: &str| server.talk(&[text]);
    let answer = talk(r#"{"id": 4, "ask": {"look": {"game": {"variant": "basic"}}}}"#);
    assert!(answer.contains("101 ") && answer.contains(r#""id":4"#) && answer.ends_with("open"), "{answer}");
    let answer = talk(r#"{"id": 5, "ask": {"look": {"game": {"start": "nowhere"}}}}"#);
    assert!(answer.contains(r#""error":"#) && answer.ends_with("open"), "{answer}");
    for wrong in ["", "{", r#"{"id": 1, "ask": {"open": "/etc/passwd"}}"#, r#"{"id": -1}"#, "[[[[[["] {
        let answer = talk(wrong);
        assert!(answer.ends_with("closed"), "{wrong}: {answer}");
    }
    let own = server.address.to_string();
    assert_eq!(server.status(&server.path, &[("Host", &own)]), "200");
    // Without its origin a page is none of this server.
    let socket = format!("{}socket", server.path);
    assert_eq!(server.status(&socket, &upgrade(&own, "http://evil.example")), "403");
}

/// A shelf on which all is read until it is stopped, which it then says.
struct Endless(Arc<AtomicBool>);

impl Shelf for Endless {
    fn list(&self) -> Vec<Item> {
        Vec::new()
    }

    fn open(&self, _name: &str, stop: &Stop) -> Result<Shown, String> {
        while !stop.requested() {
            std::thread::sleep(Duration::from_millis(5));
        }
        self.0.store(true, Ordering::SeqCst);
        Err("stopped".to_owned())
    }

    fn game(&self, name: &str, _number: u32, stop: &Stop) -> Result<StoredGame, String> {
        self.open(name, stop).map(|_| unreachable!("it is never read to its end"))
    }

    fn checkpoint(&self, _run: &str, _iteration: u32) -> Result<PathBuf, String> {
        Err("no network".to_owned())
    }
}

#[test]
fn what_is_read_lets_other_questions_pass_and_ends_with_the_next_one_or_the_page() {
    let ended = Arc::new(AtomicBool::new(false));
    let server = Running::of(Desk::default().with_shelf(Arc::new(Endless(Arc::clone(&ended)))));
    let open = r#"{"id": 1, "ask": {"open": {"name": "x"}}}"#;
    let look = r#"{"id": 2, "ask": {"look": {"game": {}}}}"#;
    let stored = r#"{"id": 3, "ask": {"stored": {"name": "x", "number": 1}}}"#;
    let answers = server.talk(&[open, look]);
    assert!(answers.contains(r#""id":2"#) && !answers.contains(r#""id":1"#), "{answers}");
    // That page is gone.
    let has_ended = |_| {
        std::thread::sleep(Duration::from_millis(20));
        ended.load(Ordering::SeqCst)
    };
    assert!((0..500).any(has_ended));
    let answers = server.talk(&[open, stored, look]);
    assert!(answers.contains(r#""error":"stopped""#) && !answers.contains(r#""id":3"#), "{answers}");
    assert!(answers.contains(r#""id":1"#) && answers.contains(r#""id":2"#), "{answers}");
}

#[test]
fn who_connects_and_asks_nothing_makes_room_for_others() {
    let server = Running::new();
    let silent: Vec<_> = (0..300).map(|_| TcpStream::connect(server.address).unwrap()).collect();
    let mut stream = TcpStream::connect(server.address).unwrap();
    stream.set_read_timeout(Some(Duration::from_mins(1))).unwrap();
    write!(stream, "GET {} HTTP/1.1\r\nHost: {}\r\n\r\n", server.path, server.address).unwrap();
    let mut found = [0; 12];
    stream.read_exact(&mut found).unwrap();
    assert_eq!(found, *b"HTTP/1.1 200");
    drop(silent);
}

#[test]
fn who_asks_without_end_and_reads_nothing_makes_room_for_others() {
    let server = Running::new();
    let host = format!("Host: {}\r\n\r\n", server.address);
    let asks = format!("GET /x HTTP/1.1\r\n{host}").repeat(2000);
    let ask = |_| {
        let mut stream = TcpStream::connect(server.address).unwrap();
        stream.set_nonblocking(true).unwrap();
        // As far as it is taken.
        while stream.write(asks.as_bytes()).is_ok_and(|length| length > 0) {}
        stream
    };
    let deaf: Vec<_> = (0..300).map(ask).collect();
    let mut stream = TcpStream::connect(server.address).unwrap();
    stream.set_read_timeout(Some(Duration::from_mins(2))).unwrap();
    write!(stream, "GET {} HTTP/1.1\r\n{host}", server.path).unwrap();
    let mut found = Vec::new();
    // One question, one answer: the server closes.
    stream.read_to_end(&mut found).unwrap();
    assert!(found.starts_with(b"HTTP/1.1 200"));
    drop(deaf);
}

#[test]
fn the_program_moves_while_other_pages_think_for_as_long_as_they_like() {
    let server = Running::new();
    let own = server.address.to_string();
    let thinking = |_| {
        let mut stream = TcpStream::connect(server.address).unwrap();
        write!(stream, "GET {}socket HTTP/1.1\r\n", server.path).unwrap();
        for (name, value) in upgrade(&own, &format!("http://{own}")) {
            write!(stream, "{name}: {value}\r\n").unwrap();
        }
        stream.write_all(b"\r\n").unwrap();
        stream.write_all(&frame(r#"{"id": 1, "ask": {"analyse": {"game": {}, "player": "pretrained"}}}"#)).unwrap();
        // It thinks as soon as it has told something.
        let mut found = Vec::new();
        while !String::from_utf8_lossy(&found).contains("thoughts") {
            let mut part = [0; 4096];
            let length = stream.read(&mut part).unwrap();
            found.extend(&part[..length]);
        }
        stream
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    // All that may think at once, as far as so many pages are answered.
    let pages: Vec<_> = (0..threads.min(31)).map(thinking).collect();
    let answers = server.talk(&[r#"{"id": 2, "ask": {"move": {"game": {}, "player": "level:1", "seed": 1}}}"#]);
    assert!(answers.contains(r#""actions":"#) && !answers.contains("waiting"), "{answers}");
    if pages.len() == threads {
        let answers = server.talk(&[r#"{"id": 3, "ask": {"analyse": {"game": {}, "player": "pretrained"}}}"#]);
        assert!(answers.contains(r#""waiting":{}"#) && !answers.contains("thoughts"), "{answers}");
    }
    drop(pages);
}

#[test]
fn the_address_of_a_server_that_listens_everywhere_can_be_opened_here() {
    for (address, begins) in [("0.0.0.0:0", "http://127.0.0.1:"), ("127.0.0.1:0", "http://127.0.0.1:")] {
        let url = Server::bind(address.parse().unwrap(), Desk::default()).unwrap().url();
        assert!(url.starts_with(begins), "{url}");
    }
}
