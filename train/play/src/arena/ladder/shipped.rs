//! The ladders that come with the program.

use gipf_env::Variant;

/// Returns the text of the store of a rule set that comes with the program, if there is one.
pub fn shipped(variant: Variant) -> Option<&'static str> {
    Some(match variant.to_string().as_str() {
        "basic" => include_str!("../../../ladder/basic.jsonl"),
        "standard" => include_str!("../../../ladder/standard.jsonl"),
        "tournament" => include_str!("../../../ladder/tournament.jsonl"),
        _ => return None,
    })
}
