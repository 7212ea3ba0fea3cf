//! The desk inside a page: a program for a browser, which runs in a worker and needs no server.
//!
//! The page uses three functions and the memory. It writes where [`reserve`] says, and the next call reads that, so
//! nothing here trusts an address; a tool that generates such glue would add more than it saves.
//!
//! It cannot be interrupted: a worker receives no messages while it computes. To drop a question, the page ends the
//! worker.

#![expect(unsafe_code, reason = "what a page calls needs a name that no other function has")]

use std::cell::RefCell;

use gipf_play::Stop;
use serde_json::json;

use crate::desk::Desk;
use crate::message::{Question, answered, refused};

#[link(wasm_import_module = "gipf")]
unsafe extern "C" {
    /// Passes a text to the page, which copies it.
    safe fn told(text: *const u8, length: usize);
}

thread_local! {
    static DESK: Desk = Desk::default();
    static INPUT: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// Returns where the page may write this many bytes for the next call.
#[unsafe(no_mangle)]
pub extern "C" fn reserve(length: usize) -> *mut u8 {
    INPUT.with_borrow_mut(|input| {
        input.clear();
        input.resize(length, 0);
        input.as_mut_ptr()
    })
}

/// Answers the question that was written, and passes the answers to the page before it returns. If a file is missing,
/// it says which, and the question must be asked again after that file is given.
#[unsafe(no_mangle)]
pub extern "C" fn ask() {
    let text = INPUT.take();
    let Ok(Question { id, ask: Some(ask) }) = serde_json::from_slice(&text) else {
        return tell(&refused(0, "no question: expected a number and what is asked"));
    };
    DESK.with(|desk| {
        if let Some(file) = desk.needs(&ask) {
            return tell(&json!({ "id": id, "needs": file.name }).to_string());
        }
        let last = match desk.answer(&ask, &Stop::default(), &mut |part| tell(&answered(id, false, &part))) {
            Ok(answer) => answered(id, true, &answer),
            Err(error) => refused(id, &error.to_string()),
        };
        tell(&last);
    });
}

/// Takes the file that was written: this many bytes of its name, then its content.
#[unsafe(no_mangle)]
pub extern "C" fn give(name: usize) {
    let mut text = INPUT.take();
    let file = text.split_off(name.min(text.len()));
    gipf_models::give(&String::from_utf8_lossy(&text), file);
}

fn tell(text: &str) {
    told(text.as_ptr(), text.len());
}
