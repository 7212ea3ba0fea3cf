//! Numbers of things, in words.

/// Returns a number with its noun: `1 game`, `2 games`.
pub(super) fn counted(count: u64, noun: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {noun}{plural}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_thing_is_not_many() {
        assert_eq!([0, 1, 2].map(|count| counted(count, "core")), ["0 cores", "1 core", "2 cores"]);
    }
}
