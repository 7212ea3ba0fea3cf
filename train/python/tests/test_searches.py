"""Tree searches whose leaves Python evaluates."""

import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import gipf


def search(searches, evaluate, slots=1):
    """Searches to the end: with two slots, each is walked while the other one waits."""
    waiting = [searches.gather(slot) for slot in range(slots)]
    while any(waiting):
        for slot in range(slots):
            if waiting[slot]:
                searches.apply(*evaluate(*searches.leaves(slot)), slot)
                waiting[slot] = searches.gather(slot)


def uniform(observations, masks):
    return np.zeros(masks.shape, np.float32), np.zeros(len(masks), np.float32)


def middles(variant, n):
    """Positions of random games."""
    rng, states = np.random.default_rng(1), []
    while len(states) < n:
        state = gipf.State(variant)
        for _ in range(rng.integers(30)):
            if not state.is_over:
                state.apply(rng.choice(state.legal_actions()))
        if not state.is_over:
            states.append(state)
    return states


@pytest.mark.parametrize("variant", gipf.VARIANTS)
@pytest.mark.parametrize("slots", [1, 2])
def test_a_network_of_the_package_finds_what_the_player_finds(variant, slots, tmp_path):
    path, states = "pretrained", middles(variant, 24)
    if variant not in ("basic", "standard", "tournament"):
        path = tmp_path / "initial.safetensors"
        path.write_bytes(gipf.Network.initial(variant=variant, seed=1).to_checkpoint())
    network = gipf.Network(path, variant=variant)
    searches = gipf.Searches(variant, len(states), simulations=50, slots=slots)
    searches.start(states)
    search(searches, lambda observations, masks: network.evaluate(np.ascontiguousarray(observations)), slots)
    found = searches.results()
    for tree, state in enumerate(states):
        expected = gipf.Player(path, variant=variant).analyse(state, simulations=50)
        assert found["actions"][tree] == expected.action and found["values"][tree] == expected.value
        assert (found["visits"][tree] == expected.visits).all() and (found["policies"][tree] == expected.policy).all()
        assert searches.analysis(tree).line == expected.line and searches.analysis(tree).nodes == expected.nodes


@pytest.mark.parametrize("variant", gipf.VARIANTS)
@pytest.mark.parametrize("root", ["puct", "gumbel"])
def test_leaves_are_positions_of_the_rule_set(variant, root):
    searches = gipf.Searches(variant, 40, simulations=8, root=root, noise=True, seed=3)
    assert searches.gather() == 40
    observations, masks = searches.leaves()
    start = gipf.State(variant)
    assert observations.dtype == np.float32 and masks.dtype == bool
    assert all((row == start.observation()).all() for row in observations)
    assert (masks == start.action_mask().astype(bool)).all()
    search(searches, uniform)
    found = searches.results()
    assert (found["visits"].sum(1) == 8).all() and np.allclose(found["policies"].sum(1), 1, atol=1e-5)
    assert searches.ended() == list(range(40)) and len({tuple(row) for row in found["visits"]}) > 1
    # Tree 5 continues from its action; the others rest.
    searches.start([start.child(int(found["actions"][5]))], trees=[5])
    assert searches.gather() == 1


def test_numbers_of_16_bits_and_other_layouts_will_do():
    def found(change):
        searches = gipf.Searches("basic", 20, simulations=30)
        network = gipf.Network(variant="basic")

        def evaluate(observations, masks):
            logits, wdl = network.evaluate(np.ascontiguousarray(observations))
            return change(logits.astype(np.float16).astype(np.float32)), wdl

        search(searches, evaluate)
        return searches.results()["visits"].tolist()

    plain = found(lambda logits: logits)
    assert found(lambda logits: logits.astype(np.float16)) == plain
    assert found(np.asfortranarray) == plain
    assert found(lambda logits: np.repeat(logits, 2, axis=1)[:, ::2]) == plain
    assert found(Elsewhere) == plain


class Elsewhere:
    """An array from another library."""

    def __init__(self, array, device=1):
        self.array, self.device = array, device

    def __dlpack__(self, **options):
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.device, 0


ZERO = np.zeros((3, 63), np.float32)


@pytest.mark.parametrize(
    ("logits", "values", "words"),
    [
        (ZERO[:2], [0, 0, 0], "logits are [2, 63] of float32: expected [3, 63]"),
        (np.zeros((3, 65), np.float32), [0, 0, 0], "logits are [3, 65] of float32: expected [3, 63]"),
        (ZERO.astype(np.float64), [0, 0, 0], "logits are [3, 63] of float64: expected [3, 63] of float32 or float16"),
        (ZERO.astype(int), [0, 0, 0], "of int64: expected"),
        (ZERO * np.nan, [0, 0, 0], "logits, row 0: NaN for the legal action"),
        (ZERO, [0, 2, 0], "values, row 1: 2, expected -1 to 1"),
        (ZERO, [0, 0, np.nan], "values, row 2: NaN, expected -1 to 1"),
        (ZERO, [0, 0], "values are [2] of float32: expected [3] or [3, 3]"),
        (ZERO, [[0.5, 0.5, 0.5]] * 3, "values, row 0: win, draw and loss [0.5, 0.5, 0.5], expected probabilities"),
        (Elsewhere(ZERO, 2), [0, 0, 0], "in the memory of a device (DLPack type 2): expected an array in CPU memory"),
        (ZERO.tolist(), [0, 0, 0], "expected an array of NumPy, or one with __dlpack__"),
        (None, [0, 0, 0], "logits are None: expected"),
    ],
)
def test_what_is_no_evaluation_is_refused_and_nothing_has_changed(logits, values, words):
    searches = gipf.Searches("basic", 3, simulations=5)
    searches.gather()
    with pytest.raises(gipf.EvaluatorError) as raised:
        searches.apply(logits, np.array(values, np.float32))
    assert words in str(raised.value) and "\n" not in str(raised.value)
    search(searches, uniform)
    whole = gipf.Searches("basic", 3, simulations=5)
    search(whole, uniform)
    assert (searches.results()["visits"] == whole.results()["visits"]).all()


@pytest.mark.parametrize(
    ("error", "words", "work"),
    [
        (gipf.PositionError, "unknown variant `chess`", lambda: gipf.Searches("chess")),
        (gipf.GipfError, "n 0: expected 1", lambda: gipf.Searches(n=0)),
        (gipf.GipfError, "slots 2: expected 1 to 1", lambda: gipf.Searches(slots=2)),
        (gipf.GipfError, "root `uct`: expected puct or gumbel", lambda: gipf.Searches(root="uct")),
        (gipf.GipfError, "simulations -1", lambda: gipf.Searches(simulations=-1)),
        (gipf.GipfError, "slot 1: expected 0 to 0", lambda: gipf.Searches().gather(1)),
        (gipf.GipfError, "tree 3: expected 0 to 0", lambda: gipf.Searches().analysis(3)),
        (gipf.GipfError, "tree 0 has no result", lambda: gipf.Searches().results()),
        (gipf.GipfError, "2 states for 1 trees", lambda: gipf.Searches().start([gipf.State()] * 2)),
        (gipf.PositionError, "of basic: expected standard", lambda: gipf.Searches().start([gipf.State("basic")])),
        (gipf.EvaluatorError, "no leaves wait", lambda: gipf.Searches("basic").apply(ZERO[:0], ZERO[:0, 0])),
    ],
)
def test_misuse_gets_one_line(error, words, work):
    with pytest.raises(error) as raised:
        work()
    assert words in str(raised.value) and "\n" not in str(raised.value)


def test_games_that_are_over_are_not_searched():
    state = gipf.State(limit=1)
    state.apply(state.legal_actions()[0])
    with pytest.raises(gipf.IllegalAction, match="tree 0: the game is over"):
        gipf.Searches().start([state])


def test_kept_arrays_and_late_answers_harm_nothing():
    searches = gipf.Searches("basic", 50, simulations=20)
    kept = []
    while searches.gather():
        observations, masks = searches.leaves()
        kept.append(observations)
        answer = uniform(observations, masks)
        searches.apply(*answer)
        with pytest.raises(gipf.EvaluatorError, match="no leaves wait"):
            searches.apply(*answer)
    del searches
    assert all(np.isfinite(rows).all() for rows in kept)


def test_two_threads_that_use_the_same_searches_are_told():
    searches = gipf.Searches("basic", 3, simulations=5)
    searches.gather()

    class Asking(Elsewhere):
        def __dlpack_device__(self):
            with ThreadPoolExecutor(1) as threads:
                threads.submit(searches.gather).result()

    with pytest.raises(gipf.GipfError, match="these searches are in use: expected one caller at a time"):
        searches.apply(Asking(ZERO), ZERO[:, 0])
    search(searches, uniform)
    assert searches.ended() == [0, 1, 2]


def test_threads_have_searches_of_their_own():
    results = []

    def work():
        searches = gipf.Searches("basic", 40, simulations=30)
        search(searches, uniform)
        results.append(searches.results()["visits"].tolist())

    threads = [threading.Thread(target=work) for _ in range(4)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert len(results) == 4 and all(result == results[0] for result in results)


def test_a_tree_takes_one_state_at_a_time():
    searches, state = gipf.Searches("basic", 2), gipf.State("basic")
    with pytest.raises(gipf.GipfError, match="tree 0 twice"):
        searches.start([state, state.child(0)], [0, 0])
    searches.start([state, state.child(0)], [1, 0])
    assert searches.gather() == 2


def test_what_is_asked_of_a_search_is_asked_of_those_after_it():
    searches, found = gipf.Searches("basic", 1, simulations=4), []
    for state, given in zip(middles("basic", 3), ({}, {"simulations": 9}, {}), strict=True):
        searches.start([state], **given)
        search(searches, uniform)
        found.append(searches.analysis(0).nodes)
    assert found == [4, 9, 9]


def test_states_may_go_on_while_they_are_searched():
    searches, state = gipf.Searches("basic", 1), gipf.State("basic")

    def states():
        yield state
        state.apply(state.legal_actions()[0])

    searches.start(states())
    assert searches.gather() == 1 and len(state.history) == 1
