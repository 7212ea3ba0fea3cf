//! Questions and answers as texts, as they go back and forth between a page and the program that answers it.

use serde::Deserialize;
use serde_json::{Value, json};

use crate::ask::{Answer, Ask};

/// A question, and the number under which it is answered. Without a question, it ends the one that is under way.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Question {
    pub id: u32,
    pub ask: Option<Ask>,
}

/// Returns an answer, or a part of one while it is not done.
pub(crate) fn answered(id: u32, done: bool, answer: &Answer) -> String {
    let answer = serde_json::to_value(answer).unwrap_or(Value::Null);
    json!({ "id": id, "done": done, "answer": answer }).to_string()
}

/// Returns why there is no answer.
pub(crate) fn refused(id: u32, error: &str) -> String {
    json!({ "id": id, "done": true, "error": error }).to_string()
}
