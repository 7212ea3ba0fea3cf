//! What the games and samples of one iteration show.

use gipf_env::{Learnable, Position};
use gipf_play::search::{Evaluation, Evaluator};

use super::finding::{Fault, Finding};
use crate::training::samples::{Decision, PlayedGame, Sample, SearchKind};

/// Positions whose laws are checked, under all symmetries: two milliseconds for GIPF.
const POSITIONS: usize = 24;
/// Samples whose targets are compared with the legal actions.
const SAMPLES: usize = 256;
/// Decisions that are evaluated once more.
const ANSWERS: usize = 48;
/// The largest difference between an evaluation and a repetition of it. They are equal bit for bit unless the network
/// sees earlier positions, which a decision does not keep.
const SAME_VALUE: f32 = 1e-3;

/// Looks at the games of an iteration, the samples made of them, and a new evaluator of the network that played.
pub fn of_games<P: Learnable>(
    games: &[PlayedGame<P>],
    samples: &[Sample<P>],
    player: &mut impl Evaluator<P>,
) -> Vec<Finding> {
    let all: Vec<_> = games.iter().flat_map(|game| &game.decisions).collect();
    let positions: Vec<_> = spread(&all, POSITIONS).map(|decision| &decision.position).collect();
    let found = [mask(&positions), symmetry(&positions), targets(samples), answers(games, player)];
    found.into_iter().flatten().collect()
}

/// Returns at most `count` of the items, evenly spaced.
fn spread<T>(items: &[T], count: usize) -> impl Iterator<Item = &T> {
    items.iter().step_by(items.len().div_ceil(count).max(1))
}

fn mask<P: Position>(positions: &[&P]) -> Option<Finding> {
    let wrong = positions.iter().filter(|position| mask_of(**position) != legal_in(**position)).count();
    (wrong > 0).then(|| {
        Finding::new(Fault::Mask, format!("they differ in {wrong} of {} positions", positions.len()), "no difference")
    })
}

fn mask_of<P: Position>(position: &P) -> Vec<bool> {
    let mut mask = vec![false; position.num_actions()];
    position.action_mask(&mut mask);
    mask
}

fn legal_in<P: Position>(position: &P) -> Vec<bool> {
    marked(position.num_actions(), position.legal_actions().map(|action| position.action_index(action).get()))
}

/// Returns which of the first `count` numbers are listed; larger numbers are ignored.
fn marked(count: usize, numbers: impl Iterator<Item = usize>) -> Vec<bool> {
    let mut marks = vec![false; count];
    numbers.filter(|&number| number < count).for_each(|number| marks[number] = true);
    marks
}

/// Legal actions are mapped without exception. The positions after them are not: a game may order the decisions of a
/// turn by its board, as GIPF does for the pieces of a row, which with potentials affects up to a third of the
/// positions. A symmetry that is wrong there is wrong in nearly all positions.
fn symmetry<P: Learnable>(positions: &[&P]) -> Option<Finding> {
    let of_actions = |position: &P, symmetry, _| misses_actions(position, symmetry);
    missed(positions, of_actions, 0, "each legal action to become one of the image").or_else(|| {
        let allowed = 3 * positions.len() / 4;
        missed(positions, misses_next, allowed, "an action and its image to lead to a position and its image")
    })
}

/// Reports the symmetry that fails in the most positions, if there are more of them than allowed.
fn missed<P: Learnable>(
    positions: &[&P],
    misses: impl Fn(&P, usize, usize) -> bool,
    allowed: usize,
    expected: &str,
) -> Option<Finding> {
    let wrong = |symmetry: usize| {
        let images = positions.iter().enumerate();
        images.filter(|(number, position)| misses(position, symmetry, number + symmetry)).count()
    };
    let (wrong, symmetry) = (0..positions.first()?.symmetries()).map(|symmetry| (wrong(symmetry), symmetry)).max()?;
    (wrong > allowed).then(|| {
        let found = format!("symmetry {symmetry} is wrong in {wrong} of {} positions", positions.len());
        Finding::new(Fault::Symmetry, found, expected)
    })
}

/// Returns whether a symmetry maps the legal actions to others than those of the image.
fn misses_actions<P: Learnable>(position: &P, symmetry: usize) -> bool {
    let mapped = position.legal_actions().map(|action| position.transformed_action(symmetry, action));
    let mapped = mapped.map(|action| position.action_index(action).get());
    marked(position.num_actions(), mapped) != legal_in(&position.transformed(symmetry))
}

/// Returns whether a symmetry maps the position after a legal action, selected by `choice`, to another one than the
/// position after the image of the action. The image must be legal.
fn misses_next<P: Learnable>(position: &P, symmetry: usize, choice: usize) -> bool {
    let legal: Vec<_> = position.legal_actions().collect();
    let Some(&action) = legal.get(choice % legal.len().max(1)) else { return false };
    let (mut next, mut image_next) = (position.clone(), position.transformed(symmetry));
    next.play_unchecked(action);
    image_next.play_unchecked(position.transformed_action(symmetry, action));
    let image_of_next = next.transformed(symmetry);
    view(&image_of_next) != view(&image_next) || image_of_next.outcome() != image_next.outcome()
}

/// Returns the network's input, and the legal actions.
fn view<P: Position>(position: &P) -> (Vec<f32>, Vec<bool>) {
    let mut planes = vec![0.0; position.observation_layout().size()];
    position.observe(&mut planes);
    (planes, legal_in(position))
}

fn targets<P: Position>(samples: &[Sample<P>]) -> Option<Finding> {
    let (mut tried, mut wrong) = (0, 0);
    for sample in spread(samples, SAMPLES) {
        tried += 1;
        wrong += usize::from(!is_target(sample));
    }
    (wrong > 0).then(|| {
        let found = format!("{wrong} of {tried} targets do not list the legal actions");
        Finding::new(Fault::Targets, found, "probabilities of all legal actions, of sum 1")
    })
}

/// Self-play lists every legal action; an agent without such a search lists the one that it chose.
fn is_target<P: Position>(sample: &Sample<P>) -> bool {
    let (legal, policy) = (legal_in(&sample.position), &sample.policy);
    let listed = marked(legal.len(), policy.iter().map(|(action, _)| action.get()));
    let fits = match policy.as_slice() {
        [(action, _)] => legal.get(action.get()) == Some(&true),
        _ => listed == legal,
    };
    // A sum of rounded numbers.
    fits && (policy.iter().map(|(_, probability)| probability).sum::<f32>() - 1.0).abs() < 1e-3
}

/// Compares the network's values recorded in games with new ones. It takes the earliest decisions, since these occur
/// in many games, and are therefore the ones that a cache holds.
fn answers<P: Position>(games: &[PlayedGame<P>], player: &mut impl Evaluator<P>) -> Option<Finding> {
    let searched = |game: &'_ PlayedGame<P>| -> Vec<_> {
        game.decisions
            .iter()
            .enumerate()
            .filter(|(_, decision)| decision.effort != SearchKind::None)
            .map(|(n, _)| n)
            .collect()
    };
    let mut early: Vec<(usize, &Decision<P>)> =
        games.iter().flat_map(|game| searched(game).into_iter().map(|n| (n, &game.decisions[n]))).collect();
    early.sort_by_key(|(number, _)| *number);
    early.truncate(ANSWERS);
    let positions: Vec<P> = early.iter().map(|(_, decision)| decision.position.clone()).collect();
    let mut evaluations = vec![Evaluation::default(); positions.len()];
    player.evaluate(&positions, &mut evaluations);
    let recorded = early.iter().map(|(_, decision)| decision.network_value);
    let differences = recorded.zip(&evaluations).filter_map(|(value, new)| Some((value? - new.value).abs()));
    let differences: Vec<f32> = differences.collect();
    let wrong = differences.iter().filter(|&&difference| difference > SAME_VALUE).count();
    // A few may depend on earlier positions.
    (8 * wrong > differences.len()).then(|| {
        let most = differences.iter().fold(0.0, |most: f32, &difference| most.max(difference));
        let found = format!("{wrong} of {} values differ, by up to {most:.3}", differences.len());
        Finding::new(Fault::Answers, found, "the values that the network gives when asked again")
    })
}
