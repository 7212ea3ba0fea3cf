//! Work in which a bug of the program must not end the dialogue.

use std::cell::RefCell;
use std::panic::{self, AssertUnwindSafe, catch_unwind};
use std::sync::Once;

/// The work hit a bug of the program: its place and its message.
#[derive(Debug, thiserror::Error)]
#[error("a mistake in this program, please report it: {0}")]
pub(super) struct Mistake(String);

thread_local! {
    /// The message of a panic on this thread while its work is guarded.
    static HEARD: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Does the work. A panic in it becomes an error and prints nothing: the other side of the dialogue expects only answers.
pub(super) fn guarded<T>(work: impl FnOnce() -> T) -> Result<T, Mistake> {
    listen();
    let before = HEARD.replace(Some(String::new()));
    // The state that the work has changed is dropped with it, or is just the game as received.
    let done = catch_unwind(AssertUnwindSafe(work));
    let heard = HEARD.replace(before);
    done.map_err(|_| Mistake(heard.unwrap_or_default()))
}

/// Keeps the messages of panics of guarded work; all others are reported as before.
fn listen() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let usual = panic::take_hook();
        panic::set_hook(Box::new(move |panic| {
            let keep = |heard: &RefCell<Option<String>>| match heard.borrow_mut().as_mut() {
                Some(text) => {
                    *text = panic.to_string();
                    true
                }
                None => false,
            };
            if !HEARD.try_with(keep).unwrap_or(false) {
                usual(panic);
            }
        }));
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_an_error_that_says_where_and_what() {
        assert_eq!(guarded(|| 7).unwrap(), 7);
        let mistake = guarded(|| guarded(|| panic!("the inner {}", 1)).unwrap_err()).unwrap().to_string();
        assert!(mistake.contains("guarded.rs:") && mistake.contains("the inner 1"), "{mistake}");
        let outer = guarded(|| [guarded(|| 1).unwrap(), 2].iter().find(|&&n| n == 3).copied().expect("no three"));
        assert!(outer.unwrap_err().to_string().contains("no three"));
        assert!(HEARD.with_borrow(Option::is_none), "nobody listens any more");
    }
}
