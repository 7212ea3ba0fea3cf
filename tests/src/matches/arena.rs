//! Matches: what they count, and what must not influence them.

use std::sync::Mutex;

use gipf_env::{GipfPosition, Position, Variant};
use gipf_play::Stop;
use gipf_play::arena::{
    GameText, Match, MatchConfig, MatchError, MatchReport, Monitor, Opening, OpeningSource, Pentanomial, Sprt,
    SprtDecision, play_match, play_opening,
};
use gipf_play::players::{Agent, AgentSpec, Choice, Contender, Fault, TurnLimits};
use gipf_train::cli::Exit;

use crate::cli::gipf_with_input;
use crate::matches::protocol::GIPFS_ONLY;

/// Plays the legal action at a fixed fraction of the list, so the same opening leads to the same game.
struct Fixed(f64);

impl<P: Position> Agent<P> for Fixed {
    fn begin(&mut self, _start: &P, _opening: &[P::Action], _seed: u64) {}

    fn choose(&mut self, position: &P, _limits: &TurnLimits) -> Result<Choice<P::Action>, Fault> {
        let actions: Vec<_> = position.legal_actions().collect();
        Ok(Choice::unsearched(actions[(self.0 * actions.len() as f64) as usize]))
    }
}

fn fixed(name: &str, part: f64) -> Contender<GipfPosition> {
    Contender { name: name.to_owned(), build: Box::new(move || Box::new(Fixed(part))) }
}

fn play(config: &MatchConfig, [a, b]: [Contender<GipfPosition>; 2]) -> Result<Match, MatchError> {
    let stop = Stop::default();
    play_match(config, [&a, &b], Monitor { progress: &|_| (), stop: &stop, keeper: None })
}

pub fn between(config: &MatchConfig, contenders: [Contender<GipfPosition>; 2]) -> MatchReport {
    play(config, contenders).unwrap().report
}

/// Plays a match between agents given by name.
pub fn named(config: &MatchConfig, a: &str, b: &str) -> MatchReport {
    between(config, [a, b].map(|text| text.parse::<AgentSpec>().unwrap().contender(config.variant).unwrap()))
}

/// Returns the report without the times, which differ from run to run.
fn untimed(mut report: MatchReport) -> MatchReport {
    for agent in &mut report.agents {
        agent.ms_per_turn = 0.0;
    }
    report
}

#[test]
fn results_do_not_depend_on_the_number_of_threads() {
    let open = MatchConfig { seed: 4, ..MatchConfig::new(Variant::STANDARD, 24) };
    let tested = MatchConfig { sprt: Some(Sprt::new(0.0, 100.0)), ..MatchConfig::new(Variant::TOURNAMENT, 200) };
    for config in [open, tested] {
        let [one, four] = [1, 4].map(|threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| untimed(named(&config, "alpha-beta:1", "greedy")))
        });
        assert_eq!(one, four);
        assert_ne!(one, untimed(named(&MatchConfig { seed: 5, ..config.clone() }, "alpha-beta:1", "greedy")));
    }
}

#[test]
fn exchanging_the_agents_mirrors_the_report() {
    for variant in Variant::OFFICIAL {
        let config = MatchConfig::new(variant, 40);
        let one = between(&config, [fixed("low", 0.1), fixed("high", 0.8)]);
        let other = between(&config, [fixed("high", 0.8), fixed("low", 0.1)]);
        assert_eq!((one.wins, one.draws, one.losses), (other.losses, other.draws, other.wins));
        let Pentanomial([zero, half, even, more, two]) = one.pairs;
        assert_eq!(other.pairs, Pentanomial([two, more, even, half, zero]));
        assert!((one.score + other.score - 1.0).abs() < 1e-12);
        assert_eq!((one.white_score, one.turns, &one.endings), (other.white_score, other.turns, &other.endings));
        assert_eq!((one.games, one.distinct_games), (80, 80));
        assert_eq!(one.endings.values().sum::<u64>(), 80);
    }
}

#[test]
fn an_agent_scores_half_against_itself() {
    let report = between(&MatchConfig::new(Variant::BASIC, 30), [fixed("one", 0.3), fixed("two", 0.3)]);
    assert_eq!(report.score, 0.5);
    assert_eq!(report.pairs, Pentanomial([0, 0, 30, 0, 0]));
    assert_eq!(report.distinct_games, 30, "both games of a pair are the same one");
    assert_eq!((report.elo, report.superiority), (Some(0.0), 0.5));
}

#[test]
fn a_clear_test_ends_the_match() {
    let config = MatchConfig { sprt: Some(Sprt::new(0.0, 50.0)), ..MatchConfig::new(Variant::STANDARD, 500) };
    for (a, b, verdict) in [("greedy", "random", SprtDecision::Accepted), ("random", "greedy", SprtDecision::Rejected)]
    {
        let report = named(&config, a, b);
        assert_eq!(report.sprt.unwrap().verdict, verdict, "{report}");
        assert!(report.games < 400 && report.games_wanted == 1000, "{report}");
        assert_eq!(report.games % 32, 0, "the test is looked at after every 16 pairs");
    }
}

#[test]
fn a_request_to_stop_ends_the_match_with_what_was_played() {
    let stop = Stop::default();
    let seen = Mutex::new(Vec::new());
    let progress = |progress: gipf_play::arena::Progress| {
        let mut seen = seen.lock().unwrap();
        seen.push(progress.pairs_done);
        if seen.len() == 5 {
            stop.request();
        }
    };
    let monitor = Monitor { progress: &progress, stop: &stop, keeper: None };
    let config = MatchConfig::new(Variant::STANDARD, 400);
    let agents = || [fixed("low", 0.1), fixed("high", 0.8)];
    let [low, high] = &agents();
    let report = play_match(&config, [low, high], monitor).unwrap().report;
    let mut seen = seen.lock().unwrap().clone();
    seen.sort_unstable();
    let played: Vec<u64> = (1..=report.pairs.pairs()).collect();
    assert_eq!(seen, played, "every pair is announced once");
    assert!((5..400).contains(&played.len()));
    assert_eq!((report.games, report.games_wanted), (2 * played.len() as u64, 800));
}

#[test]
fn a_match_of_nothing_or_without_openings_is_refused() {
    let play = |config: MatchConfig| play(&config, [fixed("low", 0.1), fixed("high", 0.8)]);
    let nothing = play(MatchConfig::new(Variant::STANDARD, 0)).unwrap_err();
    assert!(matches!(nothing, MatchError::NoGames));
    let potentials = play(MatchConfig { potentials: Some(4), ..MatchConfig::new(Variant::STANDARD, 1) }).unwrap_err();
    assert_eq!(potentials.to_string(), "4 potentials for standard: expected a variant with +zertz");
    let few =
        play(MatchConfig { openings: OpeningSource::Random { turns: 1 }, ..MatchConfig::new(Variant::STANDARD, 31) })
            .unwrap_err();
    assert!(few.to_string().starts_with("found only 30 distinct openings of 1 turns: expected 31"), "{few}");
    assert!(few.to_string().ends_with("ask for fewer games or longer openings"), "{few}");
    let over = play(MatchConfig { placement_limit: 4, ..MatchConfig::new(Variant::STANDARD, 1) }).unwrap_err();
    assert!(over.to_string().starts_with("found only 0 distinct openings of 4 turns: expected 1"), "{over}");
    assert!(over.to_string().ends_with("ask for shorter openings or a larger placement limit"), "{over}");
    let one =
        play(MatchConfig { openings: OpeningSource::Random { turns: 0 }, ..MatchConfig::new(Variant::STANDARD, 1) })
            .unwrap();
    assert_eq!(one.report.games, 2);
}

/// White keeps all four GIPF-pieces of a row, has no piece to bring in, and so loses by a turn that no notation can write.
#[test]
fn a_last_turn_without_a_trace_is_left_out_of_the_record() {
    let opening = Opening::none(&GipfPosition::from_gpn(GIPFS_ONLY).unwrap());
    let game = play_opening(&opening, [&mut Fixed(0.0), &mut Fixed(0.0)], [1, 2], &Stop::default()).unwrap();
    assert_eq!((game.actions.len(), game.turns), (4, 1));
    let (names, opening, game) = (["white", "black"], &opening, &game);
    let text = GameText { round: 1, of_round: None, date: None, names, control: None, opening, game }.to_string();
    assert!(text.contains("\n\n0-1\n"), "{text}");
    let checked = gipf_with_input(&["record", "check", "-"], &text);
    assert_eq!((checked.exit, checked.err.as_str()), (Exit::Success, ""), "{text}");
    assert!(checked.out.contains(": 0 turns, Black wins, "), "{}", checked.out);
}

#[test]
fn games_that_reach_the_limit_are_draws_and_say_so() {
    let report =
        named(&MatchConfig { placement_limit: 10, ..MatchConfig::new(Variant::STANDARD, 10) }, "greedy", "random");
    assert_eq!((report.draws, report.endings["limit"], report.score), (20, 20, 0.5));
    assert!((report.turns - 6.0).abs() < 1e-12, "four turns of opening are not counted: {report}");
}
