//! Which games are held out: not learned from, but kept to measure with.

/// Returns whether a game is held out, given the share to hold out: it depends only on its number and on the key of
/// its file, [`DatasetReader::key`](super::DatasetReader::key), and a larger share holds out all games that a smaller
/// share does.
pub fn is_held_out(file: &str, game: u64, share: f64) -> bool {
    let hash = blake3::hash(format!("{file} {game}").as_bytes());
    let number = u32::from_le_bytes(*hash.as_bytes().first_chunk().expect("a hash has 32 bytes"));
    f64::from(number) < share * (f64::from(u32::MAX) + 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_of_the_games_is_held_out_and_a_larger_share_holds_out_more() {
        let held_out =
            |share| (0..4000).filter(|&game| is_held_out("games-00000.parquet", game, share)).collect::<Vec<_>>();
        let (tenth, half) = (held_out(0.1), held_out(0.5));
        // Four standard deviations are 76 and 127.
        assert!(tenth.len().abs_diff(400) < 76 && half.len().abs_diff(2000) < 127, "{} {}", tenth.len(), half.len());
        assert!(tenth.iter().all(|game| half.contains(game)));
        assert_eq!((held_out(0.0).len(), held_out(1.0).len()), (0, 4000));
        assert!((0..4000).any(|game| is_held_out("games-00001.parquet", game, 0.5) != half.contains(&game)));
    }
}
