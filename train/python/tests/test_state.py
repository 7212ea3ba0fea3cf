"""The rules as Python sees them."""

import copy
import pickle
import random

import numpy as np
import pytest

import gipf

# The counts of `tests/data/perft.txt`: all games of this many decisions.
PERFT = {"basic": [30, 924], "standard": [30, 924], "tournament": [18, 348, 14304], "push-off": [12, 180, 3096]}


def played(variant: str, decisions: int, seed: int = 0) -> gipf.State:
    """Returns a state after `decisions` random decisions, or fewer if the game ends."""
    rng, state = random.Random(seed), gipf.State(variant)
    for _ in range(decisions):
        if state.is_over:
            break
        state.apply(rng.choice(state.legal_actions()))
    return state


@pytest.mark.parametrize("variant", gipf.VARIANTS)
def test_random_games_obey_the_interface(variant):
    rng, state = random.Random(1), gipf.State(variant, limit=200)
    assert state.num_actions == gipf.action_space(variant)
    while not state.is_over:
        legal = state.legal_actions()
        assert legal == sorted(set(legal)) and legal
        mask = state.action_mask()
        assert mask.dtype == np.int8 and np.flatnonzero(mask).tolist() == legal
        observation = state.observation()
        assert observation.dtype == np.float32 and list(observation.shape) == state.observation_shape
        texts = [state.action_to_string(action) for action in legal]
        assert len(set(texts)) == len(texts)
        assert [state.string_to_action(text) for text in texts] == legal
        state.apply(rng.choice(legal))
    assert state.legal_actions() == [] and not state.action_mask().any()
    assert sum(state.returns()) == 0 and (state.winner is None) == (state.returns() == (0, 0))
    assert state.is_truncated == (state.reason == "limit")


@pytest.mark.parametrize("variant", PERFT)
def test_the_rules_are_those_of_the_program(variant):
    states = [gipf.State(variant)]
    for expected in PERFT[variant]:
        states = [state.child(action) for state in states for action in state.legal_actions()]
        assert len(states) == expected


def test_copies_are_independent_and_equal():
    state = played("tournament", 30)
    for same in (state.copy(), copy.copy(state), copy.deepcopy(state), pickle.loads(pickle.dumps(state))):
        assert same == state and hash(same) == hash(state) and same.history == state.history
        before = state.gpn()
        same.apply(same.legal_actions()[0])
        assert state.gpn() == before and same != state
    assert state != "a text" and len({state, state.copy()}) == 1


def test_states_in_the_middle_of_a_turn_are_pickled_whole():
    envs, rng, phases = gipf.VecEnv("standard", 64), random.Random(0), set()
    for _ in range(60):
        for i in range(len(envs)):
            state = envs.state(i)
            phases.add(state.phase)
            assert pickle.loads(pickle.dumps(state)) == state
        envs.step([rng.choice(envs.state(i).legal_actions()) for i in range(len(envs))])
    assert phases == {"pre", "push", "post"}


# For each plane, the plane in which the other player sees the same.
OTHERS = {
    "basic": [1, 0, 2, 4, 3, 5, 6, 7],
    "standard": [1, 0, 3, 2, 4, 5, 7, 6, 8, 9, 10],
    "tournament": [1, 0, 3, 2, 4, 5, 7, 6, 8, 9, 10, 12, 11],
    "push-off": [1, 0, 3, 2, 4, 5, 7, 6, 8, 9, 10],
}


@pytest.mark.parametrize("variant", OTHERS)
def test_a_position_is_shown_from_the_view_of_either_player(variant):
    for seed in range(30):
        state = played(variant, 3 * seed, seed)
        own = state.observation()
        assert (state.observation(player=state.to_move) == own).all()
        other = own[OTHERS[variant]]
        if variant == "push-off":
            # The signs of the rows to be evaluated and of whose turn it is change.
            other[[4, 10]] *= -1
        assert (state.observation(player=1 - state.to_move) == other).all()
    with pytest.raises(gipf.GipfError, match="player 2: expected 0 to 1"):
        state.observation(player=2)


def test_a_position_text_restores_a_turn():
    state = played("standard", 12)
    again = gipf.State(gpn=state.gpn())
    assert again.legal_actions() == state.legal_actions() and again.to_move == state.to_move
    assert again.variant == "standard" and again.reserves == state.reserves
    assert gipf.State("standard", gpn=state.gpn()) == again
    for begin in (gipf.State, gipf.VecEnv):
        with pytest.raises(gipf.PositionError, match="variant basic: expected standard, as gpn says"):
            begin("basic", gpn=state.gpn())


def test_the_limit_cuts_off():
    state = gipf.State(limit=3)
    for _ in range(3):
        state.apply(state.legal_actions()[0])
    assert state.is_truncated and state.winner is None and state.limit == 3
    assert gipf.State(limit=None).limit is None
    assert gipf.State(limit=0) == gipf.State(limit=1) != gipf.State(limit=2)


def test_drawings():
    state = gipf.State()
    assert "e9" in state.render("text") and "\x1b[" in state.render() and "\x1b[" not in str(state)
    assert state.render("svg").startswith("<svg") and state.render("svg") == state._repr_svg_()
    image = state.render("rgb_array", size=128)
    assert image.shape == (128, 128, 3) and image.dtype == np.uint8
    state.apply(state.string_to_action("e1-e3"))
    assert (state.render("rgb_array", size=128) != image).any()


@pytest.mark.parametrize(
    ("error", "words", "work"),
    [
        (gipf.IllegalAction, "action index 65: expected a number below 65", lambda: gipf.State().apply(65)),
        (gipf.IllegalAction, "White must bring in a piece", lambda: gipf.State().apply(63)),
        (gipf.IllegalAction, "is not a point of the board", lambda: gipf.State().string_to_action("z9")),
        (gipf.IllegalAction, "the game is over", lambda: played("basic", 10_000).apply(0)),
        (gipf.PositionError, "unknown variant `chess`", lambda: gipf.State("chess")),
        (gipf.PositionError, "position text, column 1", lambda: gipf.State(gpn="?")),
        (gipf.PositionError, "potentials", lambda: gipf.State("standard+zertz", potentials=9)),
        (gipf.GipfError, "size 3: expected 16 to 4096", lambda: gipf.State().render("rgb_array", size=3)),
        (gipf.GipfError, "mode `html`", lambda: gipf.State().render("html")),
        (gipf.IllegalAction, "action index -1: expected a number below 65", lambda: gipf.State().apply(-1)),
        (TypeError, "", lambda: gipf.State().apply("e2")),
    ],
)
def test_bad_input_gets_one_line(error, words, work):
    with pytest.raises(error) as raised:
        work()
    assert words in str(raised.value) and "\n" not in str(raised.value)


def test_a_refused_action_changes_nothing():
    state = gipf.State()
    before = (state.gpn(), state.history)
    with pytest.raises(gipf.IllegalAction):
        state.apply(63)
    assert (state.gpn(), state.history) == before
    assert isinstance(gipf.IllegalAction("x"), gipf.GipfError) and issubclass(gipf.GipfError, ValueError)


def test_a_number_that_looks_at_the_state_is_read_before_it_changes():
    state = gipf.State()

    class First:
        def __index__(self):
            return state.legal_actions()[0]

    class Played:
        def __index__(self):
            state.apply(state.legal_actions()[0])
            return state.legal_actions()[0]

    state.apply(First())
    assert len(state.history) == 1
    state.child(Played())
    state.action_to_string(Played())
    assert len(state.history) == 3


def test_a_position_text_has_no_part_of_an_unfinished_turn():
    rng, unfinished = random.Random(3), 0
    while unfinished < 20:
        state = gipf.State()
        while not state.is_over:
            before = state.gpn()
            state.apply(rng.choice(state.legal_actions()))
            if state.phase == "post" and not state.is_over:
                assert state.gpn() == before and pickle.loads(pickle.dumps(state)).gpn() == before
                again = gipf.State(gpn=before)
                assert again.phase != "post" and again.placements == 0 and again.limit == 400
                unfinished += 1
    # A row that White removes before the placement, with a question about its GIPF-piece.
    text = "standard g2G/5/6/GSSS3/6/5/g2G w 9 12 - 0 0"
    state = gipf.State(gpn=text)
    assert state.phase == "pre" and state.gpn() == pickle.loads(pickle.dumps(state)).gpn() == text
