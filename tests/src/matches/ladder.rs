//! The ladder: its intervals are right as often as they claim, it finds neighbours, and its file is trusted only as far
//! as it makes sense.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use gipf_env::Variant;
use gipf_env::math::wide;
use gipf_play::Stop;
use gipf_play::arena::ladder::{
    Anchor, Climb, Contents, Flaw, Goal, Head, Listener, Member, PairedEncounter, PlayerId, RatingFit, Results, Round,
    Series, Store, StoreError, Table, Tick, climb, next_round, shipped,
};
use gipf_play::arena::{Book, Pentanomial, score_of_elo};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Plays pairs between players of known strength. The opening favours one colour by up to this many Elo, so the games of
/// a pair are correlated; and some games are drawn.
fn simulated(elo: f64, pairs: u64, bias: f64, rng: &mut ChaCha8Rng) -> Pentanomial {
    let mut results = Pentanomial::default();
    for _ in 0..pairs {
        let bias = rng.random_range(-bias..=bias);
        let points: usize = [bias, -bias].map(|bias| half_points(score_of_elo(elo + bias), rng)).iter().sum();
        results.0[points] += 1;
    }
    results
}

/// Returns the half points of a game with this expected score; a share of such games that fits the score is drawn.
fn half_points(score: f64, rng: &mut ChaCha8Rng) -> usize {
    let drawn = 0.4 * score.min(1.0 - score);
    match rng.random_range(0.0..1.0) {
        x if x < drawn => 1,
        x if x < drawn + score - 0.5 * drawn => 2,
        _ => 0,
    }
}

/// Returns the rating difference for which the model expects the score of such pairs.
fn rating_difference(elo: f64) -> f64 {
    let steps = (-300..300).map(|bias| score_of_elo(elo + f64::from(bias) + 0.5));
    let score = steps.sum::<f64>() / 600.0;
    400.0 * wide::log10(score / (1.0 - score))
}

#[test]
fn intervals_hold_the_truth_as_often_as_they_say() {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let step = rating_difference(120.0);
    let (mut held, mut next_held, mut all) = (0, 0, 0);
    for _ in 0..400 {
        let encounters: Vec<_> = (0..5)
            .map(|a| PairedEncounter { players: [a, a + 1], pairs: simulated(-120.0, 60, 300.0, &mut rng) })
            .collect();
        let fit = RatingFit::new(6, &encounters, (0, 0.0)).unwrap();
        for player in 1..6 {
            held += usize::from((fit.elo(player) - step * player as f64).abs() <= fit.margin(player));
            let gap = fit.elo(player) - fit.elo(player - 1);
            next_held += usize::from((gap - step).abs() <= fit.margin_between(player, player - 1));
            all += 1;
        }
        assert!(fit.dispersion() < 1.0, "draws and openings make pairs vary less than games: {}", fit.dispersion());
    }
    // 95 % of 2000 are expected; only the 400 chains are independent, which leaves a standard deviation of 1.1 %.
    for held in [held, next_held] {
        let share = f64::from(held as u32) / f64::from(all);
        println!("{:.1} % of {all} intervals hold the truth", 100.0 * share);
        assert!((0.92..0.98).contains(&share), "{share} of the intervals hold the truth");
    }
}

fn id(number: usize) -> PlayerId {
    PlayerId { name: format!("player {number}"), fingerprint: 1000 + number as u64 }
}

fn series(players: [PlayerId; 2], openings: Vec<usize>, pairs: Pentanomial) -> Series {
    Series {
        players,
        openings,
        pairs,
        draws: 0,
        white_wins: 0,
        turns: [20, 20],
        nodes: [1, 1],
        seconds: [0.5, 0.25],
        program: "test".to_owned(),
        left: 0,
    }
}

/// Plays all rounds that are due, with random results, and returns their number.
fn play_on(goal: &Goal, results: &mut Results, truth: &[f64], rng: &mut ChaCha8Rng) -> usize {
    for rounds in 0..10_000 {
        let Some(Round { players, pairs }) = next_round(goal, results) else { return rounds };
        let new = (0..goal.openings).filter(|&opening| !results.has_opening(players, opening)).take(pairs);
        let openings: Vec<_> = new.collect();
        assert_eq!(openings.len(), pairs, "a round has openings left");
        let score = simulated(truth[players[0]] - truth[players[1]], pairs as u64, 0.0, rng);
        results.add(&series(players.map(id), openings, score));
    }
    panic!("the ladder does not end");
}

#[test]
fn a_new_player_finds_its_place_among_its_neighbours() {
    let mut rng = ChaCha8Rng::seed_from_u64(2);
    let mut found = 0;
    for number in 0..40 {
        let mut truth: Vec<f64> = (0..8).map(|level| 250.0 * f64::from(level)).collect();
        truth.push(rng.random_range(100.0..1650.0));
        let mut results = Results::default();
        let numbers: Vec<_> = (0..8).map(|player| results.number_of(&id(player))).collect();
        let goal = Goal::new(&Anchor::default(), 0, 256);
        let first = Goal { movers: numbers.clone(), present: numbers, margin: 60.0, ..goal };
        play_on(&first, &mut results, &truth, &mut rng);
        let before: Vec<_> = (0..8).map(|player| results.totals_of(player).games).collect();

        let new = results.number_of(&id(8));
        let second = Goal { movers: vec![new], present: (0..9).collect(), margin: 50.0, ..first };
        play_on(&second, &mut results, &truth, &mut rng);
        let games = results.totals_of(new).games;
        assert!((50..=1200).contains(&games), "run {number}: {games} games");
        let others: u64 = (0..8).map(|player| results.totals_of(player).games - before[player]).sum();
        assert_eq!(others, games, "only games of the new player");
        let near = (0..8).filter(|&player| (truth[player] - truth[8]).abs() < 400.0);
        let with_near: u64 = near.map(|player| 2 * results.pairs_between([new, player]).pairs()).sum();
        assert!(2 * with_near > games, "run {number}: {with_near} of {games} games against those near");
        let rated = results.rated((0, 0.0));
        let place = rated.place(new).unwrap();
        let expected: f64 = truth[8];
        found += u32::from((rated.fit.elo(place) - expected).abs() < rated.fit.margin(place));
    }
    assert!(found >= 34, "{found} of 40 were found where they are");
}

#[test]
fn rounds_end_where_openings_or_games_do() {
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    let truth = [0.0, 50.0, 2000.0];
    for (openings, games, most) in [(10, 1000, 10), (256, 30, 15), (256, 600, 256)] {
        let mut results = Results::default();
        let numbers: Vec<_> = (0..3).map(|player| results.number_of(&id(player))).collect();
        let goal = Goal::new(&Anchor::default(), 0, openings);
        let goal = Goal { movers: numbers.clone(), present: numbers, margin: 1.0, games, ..goal };
        play_on(&goal, &mut results, &truth, &mut rng);
        for players in [[0, 1], [1, 2], [0, 2]] {
            assert!(results.pairs_between(players).pairs() <= most, "{} pairs", results.pairs_between(players).pairs());
            assert_eq!(results.pairs_between(players).mirrored(), results.pairs_between([players[1], players[0]]));
        }
        assert_eq!(results.pairs_between([1, 2]).pairs(), most, "neighbours play all they may");
        assert_eq!(next_round(&goal, &results), None);
    }
}

struct Quiet;

impl Listener for Quiet {
    fn begin(&mut self, _: &Round, _: &Results) -> Tick {
        Box::new(|| ())
    }

    fn kept(&mut self, _: &Series, _: &Results) {}
}

/// Stops after this many pairs.
struct Stopper(std::sync::Arc<std::sync::atomic::AtomicUsize>, Stop);

impl Listener for Stopper {
    fn begin(&mut self, _: &Round, _: &Results) -> Tick {
        let (left, stop) = (std::sync::Arc::clone(&self.0), self.1.clone());
        Box::new(move || {
            if left.fetch_sub(1, std::sync::atomic::Ordering::SeqCst) == 1 {
                stop.request();
            }
        })
    }

    fn kept(&mut self, _: &Series, _: &Results) {}
}

fn members() -> Vec<Member> {
    let names = ["random", "greedy", "alpha-beta:1", "alpha-beta:2"];
    names.iter().map(|name| Member::new(&name.parse().unwrap(), Variant::BASIC).unwrap()).collect()
}

/// Continues the ladder of a file, and returns the text of the file.
fn played(path: &Path, games: u64, listener: &mut dyn Listener, stop: &Stop) -> String {
    let (book, members) = (Book::of(Variant::BASIC), members());
    let mut store = Store::open(path, &Head::new(&book, 5)).unwrap();
    let work = Climb {
        members: &members,
        movers: &[0, 1, 2, 3],
        anchor: &Anchor::default(),
        anchor_place: 2,
        margin: 40.0,
        games,
        book: &book,
        program: "test",
    };
    let results = climb(&mut store, &work, listener, stop).unwrap();
    assert_eq!(results.games(), Results::of(store.series()).games(), "what is returned is what is kept");
    std::fs::read_to_string(path).unwrap()
}

/// Returns the file without the times, which differ from run to run.
fn untimed(text: &str) -> String {
    let lines = text.lines().map(|line| {
        let mut line: serde_json::Value = serde_json::from_str(line).unwrap();
        for name in ["seconds", "check"] {
            line.as_object_mut().unwrap().remove(name);
        }
        line.to_string() + "\n"
    });
    lines.collect()
}

/// Returns the file without its last line, which marks the end.
fn without_end(text: &str) -> &str {
    &text[..=text.trim_end().rfind('\n').unwrap()]
}

#[test]
fn a_ladder_is_the_same_every_time_and_a_finished_one_stays_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let (one, other) = (folder.path().join("one.jsonl"), folder.path().join("deep/other.jsonl"));
    let text = played(&one, 40, &mut Quiet, &Stop::default());
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    let again = pool.install(|| played(&other, 40, &mut Quiet, &Stop::default()));
    assert_eq!(untimed(&text), untimed(&again));
    assert_eq!(played(&one, 40, &mut Quiet, &Stop::default()), text, "nothing is left to be played");
    let longer = played(&one, 60, &mut Quiet, &Stop::default());
    assert!(longer.starts_with(without_end(&text)) && longer.len() > text.len(), "old lines stay");
}

/// Returns the series of a file without their times, with the parts of a stopped round joined into one.
fn whole_rounds(path: &Path) -> Vec<Series> {
    let mut rounds: Vec<Series> = Vec::new();
    for series in Store::read(path).unwrap().series {
        let series = Series { seconds: [0.0; 2], ..series };
        match rounds.last_mut().filter(|before| before.left > 0) {
            Some(before) => {
                assert_eq!(before.players, series.players, "what was stopped goes on first");
                before.openings.extend(series.openings);
                for (sum, pairs) in before.pairs.0.iter_mut().zip(series.pairs.0) {
                    *sum += pairs;
                }
                before.draws += series.draws;
                before.white_wins += series.white_wins;
                before.left = series.left;
                for player in 0..2 {
                    before.turns[player] += series.turns[player];
                    before.nodes[player] += series.nodes[player];
                }
            }
            None => rounds.push(series),
        }
    }
    for round in &mut rounds {
        round.openings.sort_unstable();
    }
    rounds
}

/// Wherever it is stopped, the games are the same as without a stop; reading the file checks that no opening comes twice.
#[test]
fn a_ladder_that_is_stopped_plays_the_same_games() {
    let folder = tempfile::tempdir().unwrap();
    let undisturbed = folder.path().join("undisturbed.jsonl");
    played(&undisturbed, 40, &mut Quiet, &Stop::default());
    for pairs in [1, 6, 21, 22, 30] {
        let path = folder.path().join(format!("{pairs}.jsonl"));
        let (stop, left) = (Stop::default(), std::sync::Arc::new(pairs.into()));
        let stopped = played(&path, 40, &mut Stopper(left, stop.clone()), &stop);
        let kept: u64 = Store::read(&path).unwrap().series.iter().map(|series| series.pairs.pairs()).sum();
        assert!((pairs as u64..pairs as u64 + 9).contains(&kept), "{kept} pairs");
        let text = played(&path, 40, &mut Quiet, &Stop::default());
        assert!(text.starts_with(without_end(&stopped)), "what was kept stays");
        assert_eq!(whole_rounds(&path), whole_rounds(&undisturbed), "after {pairs} pairs");
    }
    let results = Results::of(&Store::read(&undisturbed).unwrap().series);
    let reached = (0..4).filter(|&player| results.totals_of(player).games >= 40).count();
    assert!(reached >= 3, "each has games against a neighbour");
    let table = Table::new(&Head::new(&Book::of(Variant::BASIC), 5), &results, &Anchor::default(), None).unwrap();
    let names: Vec<_> = table.players.iter().map(|row| row.player.as_str()).collect();
    assert_eq!(names, ["alpha-beta:2", "alpha-beta:1", "greedy", "random"], "{table}");
}

#[test]
fn a_file_is_read_as_it_was_written() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ladder.jsonl");
    let head = Head::new(&Book::of(Variant::STANDARD), 0);
    let written = vec![
        series([id(0), id(1)], vec![3, 250], Pentanomial([0, 0, 1, 0, 1])),
        series([id(1), id(2)], vec![3], Pentanomial([1, 0, 0, 0, 0])),
        series([id(1), id(0)], vec![7], Pentanomial([0, 1, 0, 0, 0])),
    ];
    let mut store = Store::open(&path, &head).unwrap();
    for series in &written {
        store.add(series.clone()).unwrap();
    }
    assert!(Store::open(&path, &head).unwrap_err().to_string().contains("another program is using"));
    drop(store);
    let contents = Contents { head: head.clone(), series: written.clone(), flaws: Vec::new() };
    assert_eq!(Store::read(&path).unwrap(), contents);
    assert_eq!(Store::open(&path, &head).unwrap().series(), written);
    let results = Results::of(&written);
    assert_eq!(results.pairs_between([0, 1]), Pentanomial([0, 0, 1, 1, 1]), "seen from one side");
}

/// A file may be replaced by programs that know no lock, such as `git pull` or rsync.
#[test]
fn a_file_that_another_program_has_changed_is_not_written_over() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ladder.jsonl");
    let head = Head::new(&Book::of(Variant::STANDARD), 0);
    let played = |opening| series([id(0), id(1)], vec![opening], Pentanomial([0, 0, 1, 0, 0]));
    let mut store = Store::open(&path, &head).unwrap();
    std::fs::write(&path, "where none was").unwrap();
    assert!(matches!(store.add(played(1)), Err(StoreError::Changed(_))));
    std::fs::remove_file(&path).unwrap();
    (1..3).for_each(|opening| store.add(played(opening)).unwrap());
    let own = std::fs::read_to_string(&path).unwrap();
    let mut elsewhere = Store::open(&folder.path().join("elsewhere.jsonl"), &head).unwrap();
    (1..6).for_each(|opening| elsewhere.add(played(opening)).unwrap());
    let theirs = std::fs::read_to_string(folder.path().join("elsewhere.jsonl")).unwrap();
    for changed in [Some(theirs), Some(format!("{own}\n")), Some("another text".to_owned()), None] {
        match &changed {
            Some(text) => std::fs::write(&path, text).unwrap(),
            None => std::fs::remove_file(&path).unwrap(),
        }
        let refused = store.add(played(9)).unwrap_err();
        assert!(matches!(&refused, StoreError::Changed(found) if *found == path), "{refused}");
        let told = refused.to_string();
        assert!(told.contains("the games of this round are not kept") && !told.contains('\n'), "{told}");
        assert_eq!(std::fs::read_to_string(&path).ok(), changed);
    }
    // What is there again may be written over, and what was refused is not there twice.
    std::fs::write(&path, own).unwrap();
    store.add(played(9)).unwrap();
    assert_eq!(Store::read(&path).unwrap().series, [1, 2, 9].map(played));
    assert_eq!(store.series(), [1, 2, 9].map(played));
}

#[cfg(unix)]
#[test]
fn a_ladder_whose_folder_was_moved_is_not_written_at_its_old_place() {
    let around = tempfile::tempdir().unwrap();
    let [here, there] = ["here", "there"].map(|name| around.path().join(name));
    let head = Head::new(&Book::of(Variant::STANDARD), 0);
    let played = series([id(0), id(1)], vec![3], Pentanomial([0, 0, 1, 0, 0]));
    let mut store = Store::open(&here.join("ladder.jsonl"), &head).unwrap();
    std::fs::rename(&here, &there).unwrap();
    std::fs::create_dir(&here).unwrap();
    let told = store.add(played.clone()).unwrap_err();
    assert!(matches!(told, StoreError::Lock(_)) && told.to_string().contains("are not kept"), "{told}");
    assert_eq!(std::fs::read_dir(&here).unwrap().count(), 0);
    std::fs::remove_dir(&here).unwrap();
    std::fs::rename(&there, &here).unwrap();
    store.add(played).unwrap();
}

#[test]
fn a_file_of_other_games_says_what_it_was_played_with() {
    let folder = tempfile::tempdir().unwrap();
    let (own, given) = (folder.path().join("own.jsonl"), folder.path().join("given.jsonl"));
    let head = Head::new(&Book::of(Variant::STANDARD), 0);
    let with_book = |name: &str, checksum: &str| {
        let mut booked = head.clone();
        (booked.book, booked.blake3) = (name.to_owned(), checksum.to_owned());
        booked
    };
    let (book, mut seeded) = (with_book("b.txt", "00"), head.clone());
    seeded.seed = 1;
    for (path, head) in [(&own, &head), (&given, &book)] {
        let played = series([id(0), id(1)], vec![3], Pentanomial([0, 0, 1, 0, 0]));
        Store::open(path, head).unwrap().add(played).unwrap();
    }
    let basic = Head::new(&Book::of(Variant::BASIC), 0);
    for (path, asked, told) in [
        (&own, seeded, "was played with the seed 0: expected the seed 0"),
        (&own, basic, "is a ladder of standard: expected the rule set standard"),
        (&own, book, "from the book standard that comes with the program: expected that book, or another file"),
        (&given, with_book("c.txt", "01"), "from the book b.txt: expected the book b.txt, or another file"),
        (&given, with_book("b.txt", "01"), "from the book b.txt as it was then: expected the book b.txt, unchanged"),
        (&given, head.clone(), "was played from the book b.txt: expected the book b.txt, or another file"),
    ] {
        let error = Store::open(path, &asked).unwrap_err().to_string();
        assert!(error.contains(told), "{error} lacks {told}");
    }
}

/// Returns the first line of a store in the form that older versions of the program wrote.
pub fn unchecked(head: &Head) -> String {
    serde_json::to_string(head).unwrap().replace("\"version\":2", "\"version\":1")
}

/// Returns the text of a store with two series.
fn two_series(path: &Path) -> String {
    let mut store = Store::open(path, &Head::new(&Book::of(Variant::STANDARD), 0)).unwrap();
    store.add(series([id(0), id(1)], vec![3, 250], Pentanomial([0, 0, 1, 0, 1]))).unwrap();
    store.add(series([id(1), id(2)], vec![3], Pentanomial([1, 0, 0, 0, 0]))).unwrap();
    std::fs::read_to_string(path).unwrap()
}

#[test]
fn a_line_that_was_changed_or_lost_is_refused_by_its_number() {
    let folder = tempfile::tempdir().unwrap();
    let text = two_series(&folder.path().join("ladder.jsonl"));
    let lines: Vec<_> = text.split_inclusive('\n').collect();
    let [head, one, two, end] = lines[..] else { panic!("{text}") };
    let refusal = |text: String| Store::parse(Path::new("l"), &text).unwrap_err().to_string();
    let changed = text.replace("\"openings\":[3,250]", "\"openings\":[3,251]");
    assert!(refusal(changed).starts_with("l, line 2: the checksum differs"));
    for (lost, line) in [([head, two, end, ""], 2), ([head, two, one, end], 2), ([head, one, end, ""], 3)] {
        assert!(refusal(lost.concat()).starts_with(&format!("l, line {line}: the checksum differs")));
    }
    assert!(refusal([head, one, two, end, two].concat()).starts_with("l, line 5: a line after the one that ends"));
    let bare = format!("{}}}\n", &one[..one.find(",\"check\"").unwrap()]);
    assert!(refusal([head, &bare].concat()).starts_with("l, line 2: no checksum: expected one"));
}

#[test]
fn a_torn_last_line_is_left_out_and_told() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ladder.jsonl");
    let text = two_series(&path);
    let parsed = |text: &str| Store::parse(&path, text).unwrap();
    let cut = without_end(&text);
    assert_eq!((parsed(cut).series.len(), parsed(cut).flaws), (2, vec![Flaw::Cut]));
    let torn = &cut[..cut.len() - 9];
    assert_eq!((parsed(torn).series.len(), parsed(torn).flaws), (1, vec![Flaw::Torn(3)]));
    assert_eq!(parsed(text.trim_end()).flaws, [], "nothing but a line break is lost");
    std::fs::write(&path, torn).unwrap();
    let shown = crate::cli::gipf(&["ladder", "--show", "--anchor", "player 0=0", "--store", path.to_str().unwrap()]);
    assert!(shown.err.starts_with("warning: ") && shown.err.ends_with("line 3, the last one, is torn, and left out\n"));
}

/// Its results stay as they are, and it gets its checksums when it is opened to be continued.
#[test]
fn a_store_of_an_older_program_is_given_checksums() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ladder.jsonl");
    let head = Head::new(&Book::of(Variant::STANDARD), 0);
    let written = series([id(0), id(1)], vec![3, 4], Pentanomial([0, 0, 1, 0, 1]));
    std::fs::write(&path, format!("{}\n{}\n", unchecked(&head), serde_json::to_string(&written).unwrap())).unwrap();
    assert_eq!(Store::read(&path).unwrap().flaws, [Flaw::Unchecked]);
    drop(Store::open(&path, &head).unwrap());
    assert_eq!(Store::read(&path).unwrap(), Contents { head, series: vec![written], flaws: Vec::new() });
}

#[test]
fn the_ladders_that_come_along_are_whole_and_of_the_books_that_do() {
    for variant in Variant::OFFICIAL {
        let found = Store::parse(Path::new("own"), shipped(variant).unwrap()).unwrap();
        assert_eq!((found.head, found.flaws), (Head::new(&Book::of(variant), 0), Vec::new()));
        assert!(found.series.len() > 50);
        let results = Results::of(&found.series);
        let (names, players) = (results.names(), results.players());
        assert_eq!(names.iter().collect::<BTreeSet<_>>().len(), names.len(), "each is built once");
        assert!(names.len() < players.len() && players.iter().all(|player| names.contains(&player.name.as_str())));
    }
}

#[test]
fn a_file_that_makes_no_sense_is_refused_by_line() {
    let head = unchecked(&Head::new(&Book::of(Variant::STANDARD), 0));
    let good = serde_json::to_string(&series([id(0), id(1)], vec![3, 4], Pentanomial([0, 0, 1, 0, 1]))).unwrap();
    let edits = BTreeMap::from([
        ("[3,4]", ("[3,3]", "opening 3 of these players again, after line 2")),
        ("[0,0,1,0,1]", ("[0,0,1,0,9]", "2 openings: expected one for each pair")),
        (r#""00000000000003e9""#, (r#""00000000000003e8""#, "player 0 against itself")),
        (r#""00000000000003e8""#, (r#""3e8""#, "fingerprint `3e8`: expected 16 hexadecimal digits")),
        (r#""player 0""#, (r#""pl\u001b[2Jay""#, "expected 1 to 500 printable characters")),
        (r#""openings":[3,4]"#, (r#""openings":[3,256]"#, "opening 256: expected a number below 256")),
        (r#""draws":0"#, (r#""draws":5"#, "more results than the 4 games")),
        (r#""seconds":[0.5"#, (r#""seconds":[-1.0"#, "-1 seconds: expected a time")),
        (r#""nodes":[1"#, (r#""nodes":[9999999999999999999"#, "expected what games can take")),
        (r#""turns""#, (r#""trns""#, "unknown field `trns`")),
    ]);
    let refusal = |text: String| Store::parse(Path::new("l.jsonl"), &text).unwrap_err().to_string();
    assert!(Store::parse(Path::new("l"), &format!("{head}\n{good}\n")).is_ok());
    for (what, (instead, told)) in edits {
        assert!(good.contains(what), "{good} has {what}");
        let error = refusal(format!("{head}\n{}\n", good.replacen(what, instead, 1)));
        assert!(error.starts_with("l.jsonl, line 2: ") && error.contains(told), "{what}: {error}");
        assert!(error.lines().count() == 1 && error.len() < 400, "{error}");
    }
    assert!(
        refusal(format!("{head}\n{good}\n{good}\n")).starts_with("l.jsonl, line 3: opening 3 of these players again")
    );
    assert!(refusal(format!("{head}\n{}\n", &good[..good.len() - 1])).contains("line 2: EOF while parsing"));
    assert!(refusal(String::new()).contains("line 1: nothing: expected the head of a ladder"));
    assert!(refusal(good).starts_with("l.jsonl, line 1: "));
    assert!(refusal(head.replace("gipf-ladder", "chess")).contains("not a ladder of version 1"));
}
