//! Programs as opponents, and the records of matches.

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use gipf_env::{Outcome, Player, Setup, Variant};
use gipf_play::Stop;
use gipf_play::arena::MatchReport;
use gipf_play::players::TurnBudget;
use gipf_play::ugi::{Client, ClientError, CommandLine, UgiGame};
use gipf_train::cli::{self, Console, Exit};

use crate::{GIPF, gipf, refused, write};

fn command(text: &str) -> CommandLine {
    text.parse().unwrap()
}

/// Returns the report of a match, played on one thread so that one process of each program is enough.
fn report(args: &[&str]) -> MatchReport {
    let answer = gipf(&[&["eval"], args, &["--json", "--threads", "1"]].concat());
    assert_eq!(answer.exit, Exit::Success, "{}", answer.err);
    serde_json::from_str(answer.out.trim()).unwrap()
}

/// Writes a program that keeps to the protocol except when it has to play, when it does `play`, and notes each of its
/// processes in a file `pids`. Returns the command.
fn script(folder: &Path, name: &str, play: &str) -> String {
    let pids = folder.join("pids");
    let text = format!(
        "echo $$ >> '{}'\nwhile read -r line; do case \"$line\" in\nugi) echo id name fake; echo ugiok;;\n\
         isready) echo readyok;;\ngo*) {play};;\nquit) exit 0;;\nesac; done\n",
        pids.display()
    );
    format!("sh '{}'", write(folder, name, &text))
}

/// Returns how many processes were started; checks that none of them is left.
fn ended_processes(folder: &Path) -> usize {
    let pids = fs::read_to_string(folder.join("pids")).unwrap();
    for pid in pids.lines() {
        let alive = Command::new("sh").args(["-c", &format!("kill -0 {pid}")]).output().unwrap().status.success();
        assert!(!alive, "process {pid} is left");
    }
    pids.lines().count()
}

#[test]
fn the_program_introduces_itself_and_plays() {
    let mut client = Client::start(&command(&format!("'{GIPF}' engine --agent alpha-beta:1"))).unwrap();
    assert_eq!(client.name(), Some(concat!("gipf ", env!("CARGO_PKG_VERSION"))));
    client.set("Seed", "3").unwrap();
    client.new_game().unwrap();
    let mut course = UgiGame::new(&Setup::start(Variant::TOURNAMENT)).unwrap();
    for _ in 0..8 {
        let turn = TurnBudget { move_time: Some(Duration::from_millis(200)), ..TurnBudget::default() };
        let (text, report) = client.play(&course.command(), &turn, &Duration::from_secs(5).into()).unwrap();
        assert!(report.nodes > 0 && report.score.is_some(), "{report:?}");
        course.play_turn(&text).unwrap();
    }
    assert_eq!((course.turns().len(), course.position().placements()), (8, 8));
}

#[test]
fn the_engine_plays_itself_in_every_rule_set_without_a_fault() {
    let opponent = format!("{GIPF} engine --agent alpha-beta:1");
    for variant in Variant::ALL.into_iter().filter(|&variant| UgiGame::is_told(variant)) {
        let name = variant.to_string();
        let report = report(&["greedy", "--against-command", &opponent, "--games", "4", "--variant", &name]);
        assert_eq!((report.games, report.agents[1].name.as_str()), (4, opponent.as_str()));
        assert!(report.agents[1].forfeits.is_empty(), "{variant}: {report}");
        assert!(report.agents[1].nodes_per_turn > 1.0, "{report}");
    }
}

#[test]
fn the_engine_keeps_to_its_clock() {
    // By default it would think for a minute about every turn.
    let opponent = format!("{GIPF} engine --agent alpha-beta:time=60s");
    let clock = ["--clock", "1s+20ms", "--games", "2", "--placement-limit", "20"];
    let report = report(&[&["random", "--against-command", &opponent][..], &clock].concat());
    assert_eq!(report.games, 2);
    for agent in &report.agents {
        assert!(agent.rulings.is_empty() && agent.forfeits.is_empty(), "{report}");
    }
    assert!(report.agents[1].ms_per_turn > 10.0, "it uses its time: {report}");
}

/// With a clock whose full time is sent at the first turn.
#[test]
fn programs_are_told_both_clocks() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("told");
    let play = format!("echo \"$line\" >> '{}'; echo bestmove none", file.display());
    let opponent = script(folder.path(), "fake.sh", &play);
    let args = ["random", "--against-command", &opponent, "--games", "2", "--clock", "3600s+5s"];
    let report = report(&args);
    assert_eq!(report.agents[1].forfeits["illegal-move"], 2, "a fault is one by the clock as well: {report}");
    let told = fs::read_to_string(file).unwrap();
    let lines: Vec<_> = told.lines().map(|line| line.split(' ').collect::<Vec<_>>()).collect();
    for (number, words) in lines.iter().enumerate() {
        let ["go", "p1time", white, "p2time", black, "p1inc", "5000", "p2inc", "5000"] = words[..] else {
            panic!("{words:?}")
        };
        let (white, black): (u64, u64) = (white.parse().unwrap(), black.parse().unwrap());
        // It is Black in the first game, in which White has already played a turn and received the increment.
        let whites = if number == 0 { 3_604_000..=3_605_000 } else { 3_600_000..=3_600_000 };
        assert!(whites.contains(&white) && black == 3_600_000, "{words:?}");
    }
    assert_eq!(lines.len(), 2);
}

#[test]
fn who_stops_a_match_need_not_wait_for_a_program_with_time_left() {
    let folder = tempfile::tempdir().unwrap();
    let opponent = script(folder.path(), "fake.sh", "exec sleep 60");
    let (mut out, mut err, stop, began) = (Vec::new(), Vec::new(), Stop::default(), Instant::now());
    let args = ["gipf", "eval", "random", "--against-command", &opponent, "--clock", "3600s", "--json"];
    let wish = stop.clone();
    let wisher = thread::spawn(move || {
        thread::sleep(Duration::from_millis(300));
        wish.request();
    });
    let input = &mut &b""[..];
    let mut console = Console::new(input, &mut out, &mut err).stopped_by(stop);
    assert_eq!(cli::run(args, &mut console), Exit::Interrupted);
    wisher.join().unwrap();
    assert!(began.elapsed() < Duration::from_secs(20), "{:?}", began.elapsed());
    let report: MatchReport = serde_json::from_slice(&out).unwrap();
    assert_eq!((report.games, report.agents[1].forfeits.len()), (0, 0), "{report}");
    ended_processes(folder.path());
}

/// Returns shell commands that keep an engine running until the file `go` exists, unless it is killed: the file `busy`
/// shows that it has begun, and `left` that it was not killed.
fn busy(folder: &Path) -> String {
    let [busy, go, left] = ["busy", "go", "left"].map(|name| folder.join(name).display().to_string());
    format!("touch '{busy}'; while [ ! -e '{go}' ]; do sleep 0.05; done; touch '{left}'; exit")
}

/// Starts a match against this program, and returns its process once the opponent is busy.
fn match_against(opponent: &str, folder: &Path, begin: &mut Command) -> Child {
    let args = ["eval", "random", "--against-command", opponent, "--clock", "3600s", "--threads", "1"];
    let child = begin.args(args).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let began = Instant::now();
    while !folder.join("busy").exists() {
        assert!(began.elapsed() < Duration::from_secs(20), "the opponent was not started");
        thread::sleep(Duration::from_millis(20));
    }
    child
}

fn send(signal: &str, child: &Child) {
    assert!(shell(&format!("kill -{signal} {}", child.id())));
}

/// Runs a shell command, and returns whether it succeeded.
fn shell(text: &str) -> bool {
    Command::new("sh").args(["-c", text]).status().unwrap().success()
}

#[test]
fn engines_end_with_the_program_whatever_signal_ends_it() {
    let is_deaf = shell("kill -HUP $$; exit 0");
    for (signal, is_silent, code) in
        [("INT", true, Some(130)), ("TERM", true, Some(130)), ("HUP", true, None), ("HUP", false, None)]
    {
        // The tests may have been started with `nohup`.
        if signal == "HUP" && is_deaf {
            continue;
        }
        let folder = tempfile::tempdir().unwrap();
        let busy = busy(folder.path());
        let opponent = if is_silent {
            format!("sh '{}'", write(folder.path(), "silent.sh", &busy))
        } else {
            script(folder.path(), "fake.sh", &busy)
        };
        let mut program = match_against(&opponent, folder.path(), &mut Command::new(GIPF));
        send(signal, &program);
        assert_eq!(program.wait().unwrap().code(), code, "{signal}");
        write(folder.path(), "go", "");
        thread::sleep(Duration::from_millis(500));
        assert!(!folder.path().join("left").exists(), "{signal}: the engine is left");
    }
}

#[test]
fn a_hangup_that_is_ignored_ends_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let opponent = format!("sh '{}'", write(folder.path(), "silent.sh", &busy(folder.path())));
    let mut begin = Command::new("sh");
    begin.args(["-c", "trap '' HUP; exec \"$@\"", "sh", GIPF]);
    let mut program = match_against(&opponent, folder.path(), &mut begin);
    send("HUP", &program);
    thread::sleep(Duration::from_millis(200));
    send("TERM", &program);
    assert_eq!(program.wait().unwrap().code(), Some(130));
}

#[test]
fn every_fault_loses_its_game_and_the_match_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let silence = "no answer to `go` within 1.050 s";
    for (play, word, told) in [
        ("exit 3", "crash", "the program ended (exit status: 3)"),
        ("echo bestmove e5-e6", "illegal-move", "illegal move: `e5-e6`"),
        ("echo bestmove", "illegal-move", "illegal move: ``"),
        ("echo bestmove $(printf '\\377\\001')", "illegal-move", "illegal move: `\u{fffd}`"),
        ("echo thinking; exec sleep 60", "silence", silence),
        ("while :; do echo info depth 1; done", "silence", silence),
    ] {
        let opponent = script(folder.path(), "fake.sh", play);
        let args = ["random", "--against-command", &opponent, "--games", "4", "--move-time", "50ms"];
        let report = report(&args);
        let [random, program] = &report.agents;
        assert_eq!((report.wins, report.losses, report.endings[word]), (4, 0, 4), "{play}: {report}");
        assert_eq!((program.forfeits.len(), program.forfeits[word]), (1, 4), "{play}");
        assert!(random.forfeits.is_empty() && program.first_fault.as_ref().unwrap().contains(told), "{report}");
        assert!(report.to_string().contains(&format!("  forfeits     {word} 4 by sh ")), "{report}");
    }
    // A process that commits a fault is replaced: each game has its own.
    assert_eq!(ended_processes(folder.path()), 6 * 4);
}

#[cfg_attr(debug_assertions, ignore = "the judges are networks, which are built")]
#[test]
fn a_rating_tells_what_a_program_forfeited() {
    let folder = tempfile::tempdir().unwrap();
    let program = script(folder.path(), "fake.sh", "echo bestmove zz9");
    let args = ["rate", "--command", &program, "--games", "4"];
    let told = gipf(&args).out;
    assert!(told.contains("\nIt forfeited games: illegal-move 4, the first by illegal move: `zz9`: "), "{told}");
    let report: serde_json::Value = serde_json::from_str(&gipf(&[&args[..], &["--json"]].concat()).out).unwrap();
    assert_eq!((&report["forfeits"]["illegal-move"], &report["timed"]), (&4.into(), &true.into()), "{report}");
    ended_processes(folder.path());
}

#[test]
fn a_program_that_crashed_once_is_started_again_and_plays_on() {
    let folder = tempfile::tempdir().unwrap();
    let mark = folder.path().join("mark");
    let play = format!("if [ -e '{0}' ]; then :; else touch '{0}'; exit 1; fi", mark.display());
    script(folder.path(), "once.sh", &play);
    let text = format!(
        "echo $$ >> '{}'\nif [ -e '{}' ]; then exec '{GIPF}' engine --agent random; fi\n. '{}'\n",
        folder.path().join("pids").display(),
        mark.display(),
        folder.path().join("once.sh").display()
    );
    let opponent = format!("sh '{}'", write(folder.path(), "both.sh", &text));
    let report = report(&["random", "--against-command", &opponent, "--games", "6"]);
    assert_eq!(report.agents[1].forfeits["crash"], 1, "{report}");
    assert_eq!(report.endings.values().sum::<u64>(), 6, "{report}");
    ended_processes(folder.path());
}

#[test]
fn one_process_plays_all_games_of_a_thread_and_ends_with_the_match() {
    let folder = tempfile::tempdir().unwrap();
    let pids = folder.path().join("pids");
    let text = format!("echo $$ >> '{}'\nexec '{GIPF}' engine --agent random\n", pids.display());
    let opponent = format!("sh '{}'", write(folder.path(), "engine.sh", &text));
    report(&["random", "--against-command", &opponent, "--games", "20"]);
    assert_eq!(ended_processes(folder.path()), 1);
}

#[test]
fn a_program_that_is_no_engine_is_an_error_and_not_a_match() {
    refused(
        &["eval", "random", "--against-command", "no-such-program-anywhere x"],
        Exit::Failure,
        &["cannot be started"],
    );
    refused(
        &["eval", "random", "--against-command", "true"],
        Exit::Failure,
        &["`true`: the program ended (exit status: 0)"],
    );
    refused(&["eval", "random", "--against-command", ""], Exit::WrongUse, &["--against-command", "empty command"]);
    refused(&["eval", "random", "--against-command", "a 'b"], Exit::WrongUse, &["not closed"]);
    refused(&["eval", "random", "--move-time", "0s"], Exit::WrongUse, &["--move-time", "at least 1ms"]);
    let push_off = ["eval", "random", "--variant", "push-off", "--against", "random"];
    refused(&[&push_off[..], &["--records", "games.pgn"]].concat(), Exit::WrongUse, &["--records", "no notation"]);
    refused(&[&push_off[..], &["--against-command", "x"]].concat(), Exit::WrongUse, &["no notation"]);
    assert!(matches!(Client::start(&command("true")), Err(ClientError::Ended(_))));
}

/// A game of a record, read back.
struct Read {
    tags: Vec<(String, String)>,
    turns: Vec<String>,
}

impl Read {
    fn tag(&self, name: &str) -> &str {
        &self.tags.iter().find(|(found, _)| found == name).unwrap_or_else(|| panic!("no tag {name}")).1
    }
}

fn games(text: &str) -> Vec<Read> {
    let mut games: Vec<Read> = Vec::new();
    for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('%')) {
        if let Some(tag) = line.strip_prefix('[').and_then(|line| line.strip_suffix("\"]")) {
            let (name, value) = tag.split_once(" \"").unwrap();
            if name == "Event" {
                games.push(Read { tags: Vec::new(), turns: Vec::new() });
            }
            let tag = (name.to_owned(), value.replace("\\\"", "\"").replace("\\\\", "\\"));
            games.last_mut().unwrap().tags.push(tag);
        } else {
            let words = line.split(' ').map(|word| word.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.'));
            let turns = words.filter(|word| !word.is_empty() && !word.starts_with(['-', '/']));
            games.last_mut().unwrap().turns.extend(turns.map(str::to_owned));
        }
    }
    games
}

/// Replays a record and returns how the game ended.
fn replayed(game: &Read) -> Option<Outcome> {
    let limit = game.tag("PlacementLimit").parse().unwrap();
    let setup: Setup = game.tag("Start").parse().unwrap();
    let mut course = UgiGame::new(&setup.with_placement_limit(Some(limit))).unwrap();
    for turn in &game.turns {
        // A last turn may consist only of a removal without a choice.
        course.play_turn(turn).unwrap_or_else(|error| panic!("{turn}: {error}"));
    }
    course.position().outcome()
}

#[test]
fn records_hold_every_game_in_order_and_can_be_replayed() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("games.pgn");
    for variant in Variant::ALL.into_iter().filter(|&variant| UgiGame::is_told(variant)) {
        let name = variant.to_string();
        let args = ["random", "--against", "greedy", "--games", "16", "--placement-limit", "90", "--opening", "6"];
        let report =
            report(&[&args[..], &["--variant", &name, "--force", "--records", file.to_str().unwrap()]].concat());
        let games = games(&fs::read_to_string(&file).unwrap());
        let mut results = [0, 0, 0];
        for (number, game) in games.iter().enumerate() {
            let names = if number % 2 == 0 { ["random", "greedy"] } else { ["greedy", "random"] };
            assert_eq!((game.tag("Round"), game.tag("Variant")), ((number + 1).to_string().as_str(), name.as_str()));
            assert_eq!([game.tag("White"), game.tag("Black")], names);
            let tags: Vec<_> = game.tags.iter().map(|(name, _)| name.as_str()).take(7).collect();
            assert_eq!(tags, ["Event", "Site", "Date", "Round", "White", "Black", "Result"]);
            let outcome = replayed(game).unwrap();
            let (result, winner) = match outcome.winner {
                Some(Player::White) => ("1-0", Some(0)),
                Some(Player::Black) => ("0-1", Some(1)),
                None => ("1/2-1/2", None),
            };
            assert_eq!((game.tag("Result"), game.tag("Termination")), (result, outcome.reason.word()));
            results[winner.map_or(1, |winner| if names[winner] == "random" { 0 } else { 2 })] += 1;
        }
        assert_eq!(results, [report.wins, report.draws, report.losses], "{variant}");
    }
}

#[test]
fn records_do_not_depend_on_the_number_of_threads_and_name_faults() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("games.pgn");
    let [one, three] = ["1", "3"].map(|threads| {
        let args = ["eval", "alpha-beta:1", "--against", "greedy", "--games", "20", "--threads", threads, "--force"];
        let answer = gipf(&[&args[..], &["--records", file.to_str().unwrap()]].concat());
        assert_eq!(answer.exit, Exit::Success, "{}", answer.err);
        fs::read_to_string(&file).unwrap()
    });
    assert!(one == three && games(&one).len() == 20, "records of one and of three threads:\n{one}\n{three}");
    let opponent = script(folder.path(), "fake.sh", "echo 'bestmove \"e5\"'");
    let args =
        ["random", "--against-command", &opponent, "--games", "2", "--force", "--records", file.to_str().unwrap()];
    report(&args);
    for game in games(&fs::read_to_string(&file).unwrap()) {
        assert!(game.tag("Termination").starts_with("forfeit: illegal move: `\"e5\"`"), "{}", game.tag("Termination"));
        assert!((4..=5).contains(&game.turns.len()) && replayed(&game).is_none());
    }
}
