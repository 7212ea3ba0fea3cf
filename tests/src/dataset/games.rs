//! Datasets: what was written can be read, and damaged or foreign files are refused.

use std::fs;
use std::path::Path;

use gipf_env::geometry::Spot;
use gipf_env::{ActionIndex, GipfPosition, Outcome, Player, Position, Reason, Setup, Variant};
use gipf_play::Stop;
use gipf_train::Existing;
use gipf_train::dataset::{
    Accepted, Census, DataFile, DatasetError, DatasetReader, DatasetWriter, Plan, Provenance, ROW_GROUP_ROWS,
    ReplayError, Row, files_of, parts, played_game, replay,
};
use gipf_train::training::{Decision, PlayedGame, SearchKind};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Plays a game at random, with invented searches; every third game has a placement limit.
fn random_game(variant: Variant, id: u64) -> PlayedGame<GipfPosition> {
    let mut rng = ChaCha8Rng::seed_from_u64(id);
    let limit = id.is_multiple_of(3).then_some(30);
    let start = GipfPosition::from_setup(&Setup::start(variant).with_placement_limit(limit)).unwrap();
    let (mut position, mut decisions) = (start.clone(), Vec::new());
    while position.outcome().is_none() {
        let legal: Vec<_> = position.action_set().indices().collect();
        let action = legal[rng.random_range(0..legal.len())];
        let effort = [SearchKind::Full, SearchKind::Cheap, SearchKind::None][rng.random_range(0..3)];
        let weight = 1.0 / legal.len() as f32;
        let policy = legal.iter().map(|&index| (index, weight)).filter(|_| effort != SearchKind::None).collect();
        let [root_value, network_value] = [0; 2].map(|_| Some(rng.random_range(-1.0..=1.0)));
        let without_history = position.without_history();
        decisions.push(Decision {
            position: without_history,
            action,
            policy,
            root_value,
            network_value,
            effort,
            surprise: 0.0,
        });
        position.play(position.action_at(action).unwrap()).unwrap();
    }
    PlayedGame { id, start, decisions, outcome: position.outcome().unwrap() }
}

pub fn random_games(variant: Variant, games: u64) -> Vec<PlayedGame<GipfPosition>> {
    (0..games).map(|id| random_game(variant, id)).collect()
}

pub fn provenance(variant: Variant) -> Provenance {
    let settings = serde_json::json!({"simulations": 64, "noise": [0.25, true], "method": "gumbel"});
    Provenance { checkpoint: Some("0a1b".to_owned()), settings, ..Provenance::of(variant, u64::MAX) }
}

pub fn create(folder: &Path, variant: Variant, part_rows: usize) -> Result<DatasetWriter, DatasetError> {
    let plan = Plan { part_rows, ..Plan::new("test", provenance(variant)) };
    DatasetWriter::create(folder, plan, Existing::Refused)
}

pub fn write(folder: &Path, games: &[PlayedGame<GipfPosition>], part_rows: usize) -> Vec<DataFile> {
    let mut writer = create(folder, games[0].start.variant(), part_rows).unwrap();
    for game in games {
        writer.write_game(game).unwrap();
    }
    let summary = writer.finish().unwrap();
    assert_eq!(summary.games, games.len() as u64);
    assert_eq!(summary.rows, games.iter().map(|game| game.decisions.len() as u64).sum::<u64>());
    let files = parts(folder).unwrap();
    assert!(summary.files.iter().eq(files.iter().map(DataFile::path)));
    files
}

pub fn read(files: &[DataFile]) -> Vec<Vec<Row>> {
    let readers = files.iter().map(|file| DatasetReader::open(file).unwrap());
    readers.flat_map(|reader| reader.games().map(Result::unwrap).collect::<Vec<_>>()).collect()
}

fn assert_row_is_of(row: &Row, game: &PlayedGame<GipfPosition>, ply: usize) {
    let decision = &game.decisions[ply];
    let position = &decision.position;
    assert_eq!((row.game_id, row.ply as usize, row.action), (game.id, ply, decision.action));
    assert_eq!(row.plies_left as usize, game.decisions.len() - ply - 1);
    assert_eq!(
        (row.turn as usize, &row.start, row.limit),
        (position.turn(), &game.start.to_gpn(), game.start.placement_limit())
    );
    assert_eq!((row.phase, row.question, row.to_move), (position.phase(), position.question(), position.to_move()));
    assert!(
        row.pending.iter().copied().eq(position.pending()) && row.handled.iter().copied().eq(position.handled_lines())
    );
    assert_eq!((row.occurrences, row.effort), (position.occurrences(), decision.effort));
    assert_eq!([row.reserve_white, row.reserve_black], Player::BOTH.map(|player| position.reserve(player)));
    assert_eq!([row.potentials_white, row.potentials_black], Player::BOTH.map(|player| position.potentials(player)));
    assert_eq!([row.gipf_right_white, row.gipf_right_black], Player::BOTH.map(|player| position.gipf_right(player)));
    assert_eq!(usize::from(row.legal_count), position.action_set().len());
    let occupied = Spot::all().filter(|&spot| row.board[spot.index()] > 0);
    assert!(occupied.eq(position.board().occupied()));
    assert_decision_is_near(row, decision);
    let result = game.outcome.reward(Player::White) as i8;
    assert_eq!((row.result, row.ending), (result, game.outcome.reason));
    assert_eq!(row.truncated, game.outcome.reason == Reason::Limit);
}

/// Checks that the policy and the values are the same, apart from the rounding that the columns state.
fn assert_decision_is_near(row: &Row, decision: &Decision<GipfPosition>) {
    let found = row.probabilities();
    assert!(found.is_empty() == decision.policy.is_empty() && found.iter().all(|(_, share)| *share > 0.0));
    for &(index, share) in &decision.policy {
        let found = found.iter().find(|found| found.0 == index).map_or(0.0, |found| found.1);
        assert!((found - share).abs() < 1.01 / 255.0, "{found} for {share}");
    }
    let searched = decision.effort != SearchKind::None;
    let network = row.network_value.map(|units| f32::from(units) / 127.0);
    for (found, value) in [(row.value(), decision.root_value), (network, decision.network_value)] {
        let expected = value.filter(|_| searched);
        assert!(found.is_some() == expected.is_some());
        assert!(found.zip(expected).is_none_or(|(found, value)| (found - value).abs() <= 0.5001 / 127.0));
    }
}

#[test]
fn what_is_written_is_read_and_replays_to_the_same_positions() {
    for variant in Variant::ALL {
        let folder = tempfile::tempdir().unwrap();
        let games = random_games(variant, 12);
        let files = write(&folder.path().join("new/folder"), &games, 300);
        assert!(files.len() > 1, "the games fill several files");
        for file in &files {
            assert_eq!(DatasetReader::open(file).unwrap().provenance(), &provenance(variant));
        }
        let read = read(&files);
        assert_eq!(read.len(), games.len(), "no game is split over files");
        for (rows, game) in read.iter().zip(&games) {
            assert_eq!(rows.len(), game.decisions.len());
            rows.iter().enumerate().for_each(|(ply, row)| assert_row_is_of(row, game, ply));
            let positions = replay(rows).unwrap();
            let same =
                |(position, decision): (&GipfPosition, &Decision<_>)| position.without_history() == decision.position;
            assert!(positions.iter().zip(&game.decisions).all(same));
            let played = played_game(rows).unwrap();
            assert_eq!((played.id, &played.start, played.outcome), (game.id, &game.start, game.outcome));
        }
        // Games that were read and written again are the same to the last bit.
        let again: Vec<_> = read.iter().map(|rows| played_game(rows).unwrap()).collect();
        let files = write(&folder.path().join("again"), &again, 300);
        assert_eq!(self::read(&files), read);
    }
}

#[test]
fn the_description_tells_every_column_and_the_provenance() {
    let folder = tempfile::tempdir().unwrap();
    let files = write(folder.path(), &random_games(Variant::STANDARD, 2), usize::MAX);
    let text = fs::read_to_string(folder.path().join("_README.md")).unwrap();
    let definition = format!("{:?}", DatasetReader::open(&files[0]).unwrap().rows().next().unwrap().unwrap());
    let columns = definition.split(", ").filter_map(|part| part.split_once(": ")).map(|(name, _)| name);
    let names: Vec<_> = columns.map(|name| name.trim_start_matches("Row { ")).collect();
    assert!(names.len() >= 20, "{names:?}");
    for name in names.into_iter().chain(["standard", "0a1b", "18446744073709551615", "\"simulations\": 64"]) {
        assert!(text.contains(name), "{name}");
    }
}

#[test]
fn a_writer_that_is_killed_leaves_only_whole_files() {
    let folder = tempfile::tempdir().unwrap();
    let games = random_games(Variant::STANDARD, 20);
    let mut writer = create(folder.path(), Variant::STANDARD, 400).unwrap();
    for game in &games {
        writer.write_game(game).unwrap();
    }
    drop(writer);
    assert!(matches!(parts(folder.path()), Err(DatasetError::Incomplete(_))));
    let files = files_of(&[folder.path().to_owned()], Accepted::Partial).unwrap();
    assert!(!files.is_empty());
    for (rows, game) in read(&files).iter().zip(&games) {
        assert_eq!(rows.len(), game.decisions.len());
    }
}

#[test]
fn a_dataset_is_not_overwritten_and_one_without_games_not_read() {
    let folder = tempfile::tempdir().unwrap();
    let (empty, folder) = (folder.path().join("empty"), folder.path().join("games"));
    let create = |folder: &Path| create(folder, Variant::BASIC, usize::MAX);
    assert_eq!(create(&empty).unwrap().finish().unwrap().files.len(), 0);
    assert!(matches!(parts(&empty), Err(DatasetError::NoGames(_))));
    let files = write(&folder, &random_games(Variant::BASIC, 1), usize::MAX);
    let before = fs::read(files[0].path()).unwrap();
    assert!(matches!(create(&folder), Err(DatasetError::Exists(path)) if path == files[0].path()));
    assert_eq!(fs::read(files[0].path()).unwrap(), before);
    assert!(matches!(create(files[0].path()), Err(DatasetError::Io { .. })), "a file is no directory");
}

fn open_error(folder: &Path, bytes: &[u8]) -> DatasetError {
    let path = folder.join("damaged.parquet");
    fs::write(&path, bytes).unwrap();
    match DatasetReader::open(&DataFile::alone(&path)) {
        Ok(reader) => reader.games().find_map(Result::err).expect("the damage shows"),
        Err(error) => error,
    }
}

#[test]
fn files_that_are_foreign_or_cut_short_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let files = write(folder.path(), &random_games(Variant::STANDARD, 3), usize::MAX);
    let whole = fs::read(files[0].path()).unwrap();
    for length in (0..whole.len()).step_by(whole.len() / 50) {
        let error = open_error(folder.path(), &whole[..length]);
        assert!(matches!(error, DatasetError::Parquet { .. }), "{length}: {error}");
        assert!(!error.to_string().contains('\n'), "{error}");
    }
    assert!(matches!(open_error(folder.path(), b"PAR1 is not enough"), DatasetError::Parquet { .. }));
    assert!(matches!(DatasetReader::open(&DataFile::alone(&folder.path().join("none"))), Err(DatasetError::Io { .. })));
    let replaced = |from: &str, to: &str| {
        let at = whole.windows(from.len()).position(|window| window == from.as_bytes()).expect("the text is there");
        let mut bytes = whole.clone();
        bytes[at..at + to.len()].copy_from_slice(to.as_bytes());
        open_error(folder.path(), &bytes)
    };
    assert!(matches!(replaced("gipf.schema", "gipf.scheme"), DatasetError::Foreign { .. }));
    assert!(matches!(replaced("root_value", "leaf_value"), DatasetError::Foreign { .. }));
    assert!(
        matches!(replaced("gipf.schema\x18\x012", "gipf.schema\x18\x011"), DatasetError::Version { found, .. } if found == "1")
    );
}

/// All rows of a game are in memory together, so a small file of many equal rows could fill the memory.
#[test]
fn a_file_with_more_rows_than_are_written_into_one_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let game = random_game(Variant::STANDARD, 1);
    let unsearched = |decision: &Decision<GipfPosition>| Decision::unsearched(&decision.position, decision.action);
    let game = PlayedGame { decisions: game.decisions.iter().map(unsearched).collect(), ..game };
    let most = 8 * ROW_GROUP_ROWS / game.decisions.len();
    let games: Vec<_> = (0..=most as u64).map(|id| PlayedGame { id, ..game.clone() }).collect();
    let [enough, too_many] = [&games[..most], &games].map(|games| {
        let files = write(&folder.path().join(games.len().to_string()), games, usize::MAX);
        DatasetReader::open(&files[0]).map(|reader| reader.num_rows())
    });
    assert_eq!(enough.unwrap(), (most * game.decisions.len()) as u64);
    let error = too_many.unwrap_err();
    assert!(matches!(error, DatasetError::Foreign { .. }) && error.to_string().contains("at most 524288"), "{error}");
}

#[test]
fn whatever_bit_is_flipped_reading_ends_in_rows_or_in_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let files = write(folder.path(), &[random_game(Variant::STANDARD, 1)], usize::MAX);
    let whole = fs::read(files[0].path()).unwrap();
    let path = folder.path().join("damaged.parquet");
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let mut refused = 0;
    for _ in 0..500 {
        let mut bytes = whole.clone();
        bytes[rng.random_range(0..whole.len())] ^= 1 << rng.random_range(0..8);
        fs::write(&path, &bytes).unwrap();
        let damaged =
            DatasetReader::open(&DataFile::alone(&path)).is_ok_and(|reader| reader.games().all(|game| game.is_ok()));
        refused += usize::from(!damaged);
    }
    assert!(refused > 100, "{refused}");
}

#[test]
fn rows_that_contradict_the_rules_are_found() {
    let folder = tempfile::tempdir().unwrap();
    let files = write(folder.path(), &[random_game(Variant::STANDARD, 1)], usize::MAX);
    let rows = read(&files).remove(0);
    let found = |change: fn(&mut Row)| {
        let mut rows = rows.clone();
        change(&mut rows[4]);
        match replay(&rows) {
            Err(ReplayError::Row { ply: 4 | 5 | 999, what, .. }) => what,
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(found(|row| row.board[0] ^= 1), "board");
    assert_eq!(found(|row| row.legal_count += 1), "legal_count");
    assert_eq!(found(|row| row.to_move = row.to_move.other()), "to_move");
    assert_eq!(found(|row| row.action = ActionIndex(42)), "action");
    assert_eq!(found(|row| row.ply = 999), "ply");
    assert_eq!(found(|row| row.plies_left += 1), "plies_left");
    assert_eq!(found(|row| row.result = 7), "result");
    assert_eq!(found(|row| row.reserve_black -= 1), "reserve_black");
    assert_eq!(found(|row| row.game_id += 1), "game_id");
    assert_eq!(found(|row| row.limit = Some(7)), "limit");
    assert!(matches!(replay(&[]), Err(ReplayError::Empty)));
    let broken = Row { start: "standard".to_owned(), ..rows[0].clone() };
    assert!(matches!(replay(&[broken]), Err(ReplayError::Start { .. })));
}

#[test]
fn a_game_that_was_given_up_has_a_result_all_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let mut game = random_game(Variant::STANDARD, 1);
    game.decisions.truncate(10);
    game.outcome = Outcome::win(Player::Black, Reason::Resignation);
    let rows = read(&write(folder.path(), &[game], usize::MAX)).remove(0);
    assert!(rows.iter().all(|row| row.result == -1));
    assert_eq!(replay(&rows).unwrap().len(), 10);
    let drawn: Vec<_> = rows.into_iter().map(|row| Row { result: 0, ..row }).collect();
    assert!(matches!(replay(&drawn), Err(ReplayError::Row { what: "result", .. })));
}

#[test]
fn a_game_that_contradicts_itself_is_left_out() {
    let folder = tempfile::tempdir().unwrap();
    let game = random_game(Variant::STANDARD, 1);
    let mut writer = create(folder.path(), Variant::STANDARD, usize::MAX).unwrap();
    let mut refuse = |change: fn(&mut PlayedGame<GipfPosition>)| {
        let mut wrong = game.clone();
        change(&mut wrong);
        let error = writer.write_game(&wrong).unwrap_err();
        assert!(matches!(error, DatasetError::Game { id: 1, .. }), "{error}");
    };
    refuse(|game| game.decisions[3].action = ActionIndex(42));
    refuse(|game| game.decisions[3].action = ActionIndex(9999));
    refuse(|game| drop(game.decisions.remove(3)));
    refuse(|game| drop(game.decisions.pop()));
    refuse(|game| game.outcome = Outcome::draw(Reason::Limit));
    refuse(|game| game.decisions[3].policy = vec![(ActionIndex(64), 1.0)]);
    refuse(|game| game.start = game.decisions[3].position.clone());
    refuse(|game| game.start = GipfPosition::start(Variant::BASIC));
    writer.write_game(&game).unwrap();
    assert_eq!(writer.finish().unwrap().games, 1);
}

#[test]
fn a_census_counts_every_game_unless_it_is_stopped() {
    let folder = tempfile::tempdir().unwrap();
    let files = write(folder.path(), &random_games(Variant::BASIC, 5), 100_000);
    let stop = Stop::default();
    assert_eq!(Census::of(&files, &|_| (), &stop).unwrap().games, 5);
    let counted = |_: u64| {
        stop.request();
    };
    assert!(matches!(Census::of(&files, &counted, &stop), Err(DatasetError::Stopped)));
}
