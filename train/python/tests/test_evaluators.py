"""Players that search with a Python evaluator."""

import copy
import gc
import pickle
import sys
import threading
import time
import weakref
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import gipf


def nothing(observations):
    return np.zeros((len(observations), 65), np.float32), np.zeros(len(observations), np.float32)


def game(player, turns=20):
    """Returns what a player finds at each decision of a game against itself."""
    state, found = gipf.State(player.variant), []
    while not state.is_over and len(state.history) < turns:
        analysis = player.analyse(state)
        found.append((analysis.action, analysis.value, analysis.visits.tolist(), analysis.line))
        state.apply(analysis.action)
    return found


@pytest.mark.parametrize("variant", ["basic", "standard", "tournament"])
def test_a_network_of_the_package_plays_what_the_player_plays(variant):
    own = gipf.Player.from_evaluator(gipf.Network(variant=variant).evaluate, 20, variant=variant)
    assert own.name == "evaluate" and own.variant == variant
    assert game(own) == game(gipf.Player("pretrained:sims=20", variant=variant))


def test_matches_are_those_of_the_network():
    own = gipf.Player.from_evaluator(gipf.Network().evaluate, 8, name="mine")
    report = gipf.play_match(own, "greedy", 4, limit=20).to_dict()
    other = gipf.play_match("pretrained:sims=8", "greedy", 4, limit=20).to_dict()
    assert report["agents"][0]["name"] == "mine"
    assert [report[key] for key in ("wins", "draws", "losses")] == [other[key] for key in ("wins", "draws", "losses")]


@pytest.mark.parametrize("variant", gipf.VARIANTS)
def test_a_network_of_any_rule_set_plays_what_its_checkpoint_plays(variant, tmp_path):
    network = gipf.Network.initial(variant=variant, seed=3)
    path = tmp_path / "initial.safetensors"
    path.write_bytes(network.to_checkpoint())
    own = gipf.Player.from_evaluator(network.evaluate, 20, variant=variant)
    assert game(own, 12) == game(gipf.Player(f"mcts:{path},sims=20"), 12)


def test_many_searches_ask_at_once_and_find_what_they_find_alone():
    network, batches, pause = gipf.Network(), [], 0.0

    def evaluate(observations):
        batches.append(len(observations))
        time.sleep(pause)
        return network.evaluate(observations)

    own = gipf.Player.from_evaluator(evaluate, 16)
    states = [gipf.State()]
    for action in (5, 17, 3, 8, 20):
        states.append(states[-1].child(states[-1].legal_actions()[action]))
    alone = [gipf.Player.from_evaluator(evaluate, 16).analyse(state) for state in states]
    assert max(batches) == 1
    # Long enough for all searches to wait, even on a busy machine.
    pause = 0.02
    together = own.analyse(states)
    assert max(batches) > 1
    pause = 0.0
    for one, other in zip(alone, together, strict=True):
        assert one.visits.tolist() == other.visits.tolist() and one.value == other.value and one.line == other.line
    batches.clear()
    report = gipf.play_match(own, "greedy", 16, limit=30)
    assert max(batches) > 4
    batches.clear()
    assert str(gipf.play_match(own, "alpha-beta:time=1ms", 2, limit=8)) != str(report) and max(batches) <= 4


def test_copies_and_pickles_begin_anew():
    own = gipf.Player.from_evaluator(nothing, 12, root="gumbel")
    expected = game(own, 6)
    for again in (copy.copy(own), copy.deepcopy(own), pickle.loads(pickle.dumps(own))):
        assert again.name == "nothing" and game(again, 6) == expected


def test_what_an_evaluator_raises_is_raised_and_the_player_goes_on():
    calls = []

    def failing(observations):
        calls.append(len(observations))
        if len(calls) == 5:
            raise ZeroDivisionError("mine")
        return nothing(observations)

    own = gipf.Player.from_evaluator(failing, 20)
    with pytest.raises(ZeroDivisionError, match="mine"):
        own.analyse(gipf.State())
    assert len(calls) == 5
    assert game(own, 3) == game(gipf.Player.from_evaluator(nothing, 20), 3)
    calls.clear()
    with pytest.raises(ZeroDivisionError, match="mine"):
        gipf.play_match(own, "random", 1000)


def test_what_nobody_evaluated_is_found_by_no_other_thread():
    network, calls = gipf.Network(), []
    is_asked, fails = threading.Event(), threading.Event()

    def failing(observations):
        calls.append(len(observations))
        if len(calls) == 10:
            is_asked.set()
            # By then the other thread waits for its turn.
            time.sleep(0.2)
            fails.set()
            raise ZeroDivisionError("mine")
        return network.evaluate(observations)

    own = gipf.Player.from_evaluator(failing, 20)

    def after():
        is_asked.wait(60)
        return game(own, 1)

    def hold():
        """Lets the search of the other thread begin before the thread that has failed goes on."""
        fails.wait(60)
        until = time.monotonic() + 0.3
        while time.monotonic() < until:
            pass

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1.0)
    try:
        with ThreadPoolExecutor(2) as threads:
            found, _ = threads.submit(after), threads.submit(hold)
            with pytest.raises(ZeroDivisionError, match="mine"):
                own.analyse(gipf.State())
            assert found.result() == game(gipf.Player.from_evaluator(network.evaluate, 20), 1)
    finally:
        sys.setswitchinterval(interval)


@pytest.mark.parametrize(
    ("evaluate", "words"),
    [
        (lambda observations: None, "<lambda> returned None: expected logits and values"),
        (lambda observations: nothing(observations)[0], "expected logits and values"),
        (
            lambda observations: (np.zeros((1, 63), np.float32), nothing(observations)[1]),
            "logits are [1, 63] of float32",
        ),
        (lambda observations: (nothing(observations)[0] * np.nan, nothing(observations)[1]), "logits, row 0: NaN"),
    ],
)
def test_answers_that_are_none_are_refused(evaluate, words):
    own = gipf.Player.from_evaluator(evaluate)
    for work in (lambda: own.choose(gipf.State()), lambda: gipf.play_match("random", own, 2)):
        with pytest.raises(gipf.EvaluatorError) as raised:
            work()
        assert words in str(raised.value) and "\n" not in str(raised.value)


def test_an_evaluator_cannot_ask_its_own_player():
    def asking(observations):
        questions[0]()
        return nothing(observations)

    own, other = gipf.Player.from_evaluator(asking, 4), gipf.Player.from_evaluator(nothing, 4)
    questions = [lambda: own.choose(gipf.State()), own.new_game, lambda: other.choose(gipf.State())]
    for _ in range(2):
        with pytest.raises(gipf.GipfError, match="asking is thinking: expected another caller than its evaluator"):
            own.choose(gipf.State())
        del questions[0]
    assert own.choose(gipf.State()) == other.choose(gipf.State())
    start = gipf.State("basic")
    own = gipf.Player.from_evaluator(asking, 4, variant="basic")
    for ask in (lambda: own.analyse([start]), lambda: gipf.play_match(own, "random", 2)):
        for inner in (ask, lambda: own.choose(start)):
            questions[:] = [inner]
            with pytest.raises(gipf.GipfError, match="asking is thinking"):
                ask()


def test_an_evaluator_with_a_player_of_its_own_is_freed():
    class Agent:
        def __init__(self):
            self.player = gipf.Player.from_evaluator(self.evaluate, 2)
            self.games = gipf.self_play(self.evaluate, 2, progress=self.progress)

        def evaluate(self, observations):
            return nothing(observations)

        def progress(self, ended, of):
            pass

    agent = Agent()
    agent.player.choose(gipf.State())
    next(agent.games)
    is_there = weakref.ref(agent)
    del agent
    gc.collect()
    assert is_there() is None


def test_misuse_gets_one_line():
    with pytest.raises(gipf.GipfError, match="evaluator 3: expected a function"):
        gipf.Player.from_evaluator(3)
    with pytest.raises(gipf.GipfError, match="simulations 0: expected 1 to"):
        gipf.Player.from_evaluator(nothing, 0)
    with pytest.raises(gipf.GipfError, match="root `best`"):
        gipf.Player.from_evaluator(nothing, root="best")
    with pytest.raises(gipf.AgentError, match="which nothing plays"):
        gipf.Player.from_evaluator(nothing).choose(gipf.State("basic"))


def test_it_is_an_opponent_in_gymnasium():
    pytest.importorskip("gymnasium")
    from gipf.gymnasium import GipfEnv

    env = GipfEnv(opponent=gipf.Player.from_evaluator(nothing, 4))
    _, info = env.reset(seed=1)
    for _ in range(5):
        _, _, terminated, truncated, info = env.step(int(np.flatnonzero(info["action_mask"])[0]))
        if terminated or truncated:
            break
    copy.deepcopy(env)
