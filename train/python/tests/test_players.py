"""Players, networks, matches."""

import os
import pathlib
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import gipf


@pytest.mark.parametrize("name", ["random", "greedy", "alpha-beta:2", "pretrained:sims=16", "level:3"])
@pytest.mark.parametrize("variant", ["basic", "standard", "tournament"])
def test_players_choose_legal_actions(name, variant):
    player, state = gipf.Player(name, variant=variant, seed=1), gipf.State(variant)
    for _ in range(12):
        analysis = player.analyse(state)
        assert analysis.action in state.legal_actions() and analysis.policy[analysis.action] > 0
        assert abs(analysis.policy.sum() - 1) < 1e-5 and not analysis.policy[state.action_mask() == 0].any()
        assert analysis.value is None or -1 <= analysis.value <= 1
        state.apply(analysis.action)
    assert player.variant == variant


def test_a_search_spends_what_it_is_given():
    player, state = gipf.Player("pretrained"), gipf.State()
    analysis = player.analyse(state, simulations=200)
    assert analysis.nodes == 200 == analysis.visits.sum() and analysis.line[0] == analysis.action
    assert player.policy(state, simulations=20).shape == (65,) and -1 <= player.value(state, simulations=20) <= 1
    assert player.choose(state, time=0.01) in state.legal_actions()


def test_the_same_question_has_the_same_answer_however_often_it_is_asked():
    state = gipf.State()

    def even(observations):
        return np.zeros((len(observations), 65), np.float32), np.zeros(len(observations), np.float32)

    def found(player, state):
        analysis = player.analyse(state)
        return analysis.nodes, analysis.visits.sum(), analysis.policy.tobytes(), analysis.value

    for player in (gipf.Player("pretrained:sims=50"), gipf.Player.from_evaluator(even, 50)):
        assert len({found(player, state) for _ in range(4)}) == 1 and found(player, state)[:2] == (50, 50)
    player = gipf.Player("pretrained:sims=50")
    line = player.analyse(state).line
    assert found(player, state.child(line[0]).child(line[1]))[1] > 50, "in a game what it found before is of use"


def test_the_same_seed_plays_the_same():
    def game(seed: int) -> list[int]:
        player, state = gipf.Player("level:1", seed=seed), gipf.State()
        while not state.is_over and len(state.history) < 30:
            state.apply(player.choose(state))
        return state.history

    assert game(1) == game(1) and game(1) != game(2)


def test_a_network_sees_who_is_ahead():
    network = gipf.Network()
    winning = gipf.State(gpn="standard g2G/5/6/6S/6/5/3G w 12 2 - 0 0")
    losing = gipf.State(gpn="standard g2G/5/6/6S/6/5/3G b 12 2 - 0 0")
    logits, wdl = network.evaluate(np.stack([winning.observation(), losing.observation()]))
    assert logits.shape == (2, 65) and np.allclose(wdl.sum(1), 1, atol=1e-5)
    assert wdl[0, 0] > 0.8 and wdl[1, 2] > 0.8
    with pytest.raises(gipf.ArrayError, match="expected"):
        network.evaluate(np.zeros((1, 8, 7, 7), np.float32))


def test_an_array_that_changes_while_it_is_evaluated_is_no_bug_of_the_package():
    network, state, stop = gipf.Network(), gipf.State(), threading.Event()
    good = np.repeat(state.observation()[None], 2000, 0)
    shown = good.copy()

    def change():
        while not stop.is_set():
            shown[:] = 1
            shown[:] = good

    thread = threading.Thread(target=change)
    thread.start()
    end = time.monotonic() + 2
    while time.monotonic() < end:
        try:
            network.evaluate(shown)
        except gipf.ArrayError:
            pass
    stop.set()
    thread.join()


def test_matches_measure_strength():
    seen = []
    report = gipf.play_match("alpha-beta:1", "random", 20, progress=lambda done, total: seen.append((done, total)))
    assert report.games == 20 and report.score > 0.9 and report.wins + report.draws + report.losses == 20
    assert report.score_interval[0] < report.score <= report.score_interval[1]
    assert len(seen) == 10 and seen[-1] == (10, 10)
    assert report.to_dict()["games"] == 20 and "score" in str(report)


def test_the_network_of_the_package_plays_the_rules_of_the_other_side(tmp_path):
    network = tmp_path / "basic.safetensors"
    network.write_bytes(gipf.Network("pretrained", variant="basic").to_checkpoint())
    for other in (gipf.Player("greedy", variant="basic"), network):
        for sides in ((other, "pretrained:sims=1"), ("pretrained:sims=1", other)):
            assert gipf.play_match(*sides, 2).games == 2


def test_functions_take_part_in_matches():
    def first(state: gipf.State) -> int:
        assert state.history, "an opening was played"
        return state.legal_actions()[0]

    report = gipf.play_match(first, "greedy", 10)
    assert report.to_dict()["agents"][0]["name"] == "first" and report.games == 10
    balanced = gipf.play_match(gipf.Player("greedy"), "random", 4, book=True)
    assert balanced.to_dict()["book"] == "standard"


def test_what_a_function_raises_ends_the_match():
    def broken(state):
        raise ZeroDivisionError("mine")

    with pytest.raises(ZeroDivisionError, match="mine"):
        gipf.play_match(broken, "random", 1000)
    with pytest.raises(gipf.IllegalAction):
        gipf.play_match(lambda state: 63, "random", 1000)


def test_functions_are_called_where_the_match_was():
    threads = set()

    def first(state: gipf.State) -> int:
        threads.add(threading.get_ident())
        # The caller can use the whole package meanwhile.
        gipf.VecEnv("basic", 200).step([0] * 200)
        gipf.play_match("random", lambda s: s.legal_actions()[0], 2, variant="basic", limit=6)
        return state.legal_actions()[0]

    gipf.play_match(first, first, 4, limit=6)
    assert threads == {threading.get_ident()}


def test_the_first_of_two_limits_ends_a_search():
    player, state = gipf.Player("pretrained:sims=7"), gipf.State()
    assert player.analyse(state, simulations=5, time=20).nodes == 5
    began = time.perf_counter()
    assert 7 < player.analyse(state, simulations=2**63, time=0.1).nodes < 2**21
    assert time.perf_counter() - began < 5
    # They replace the limits in the name.
    assert player.analyse(state, time=0.1).nodes > 7
    assert gipf.Player("alpha-beta:1").analyse(state, simulations=5000).nodes >= 5000


@pytest.fixture
def tournament(tmp_path):
    """The shipped tournament network, as a file whose name could be that of another player."""
    path = tmp_path / "random,sims=3"
    path.write_bytes(gipf.Network(variant="tournament").__reduce__()[1][2])
    return path


def test_a_player_without_a_limit_is_refused_where_nothing_else_limits_it():
    player, state = gipf.Player("alpha-beta:eval=distilled"), gipf.State()
    for endless in (player.choose, player.analyse, player.value, lambda state: player.analyse([state])):
        with pytest.raises(gipf.AgentError, match="would think without end: expected a limit such as depth=4"):
            endless(state)
    assert player.choose(state, simulations=1000) in state.legal_actions()
    assert player.choose(state, time=0.01) in state.legal_actions()


@pytest.mark.skipif(sys.platform != "linux", reason="limits of memory are those of Linux")
def test_a_cache_larger_than_the_memory_is_refused():
    code = """
import resource, gipf
resource.setrlimit(resource.RLIMIT_AS, (6 << 30, 6 << 30))
try:
    gipf.Player("pretrained:sims=1,cache=8000")
except gipf.AgentError as error:
    print(error)
"""
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "8000 MB" in told.stdout, told


def test_a_checkpoint_knows_its_rule_set(tournament, monkeypatch):
    monkeypatch.chdir(tournament.parent)
    named = tournament.with_name("net").write_bytes(tournament.read_bytes()) and "mcts:net,sims=30"
    paths = [tournament, pathlib.Path(tournament.name), named, "./net"]
    for path in paths:
        assert gipf.Player(path).variant == "tournament"
        report = gipf.play_match("random", path, 2, limit=6)
        assert report.to_dict()["variant"] == "tournament"
    assert gipf.Network(tournament).variant == "tournament"
    assert gipf.play_match(gipf.Player(tournament), "random", 2, limit=6).to_dict()["variant"] == "tournament"
    with pytest.raises(gipf.CheckpointError, match="is a network for tournament: expected basic"):
        gipf.Player(tournament, variant="basic")
    with pytest.raises(gipf.AgentError, match="plays tournament: expected a player of basic"):
        gipf.play_match("random", gipf.Player(tournament), 2, variant="basic")
    with pytest.raises(gipf.CheckpointError, match="cannot read"):
        gipf.Player(pathlib.Path("nowhere"))


def test_threads_play_beside_each_other():
    player, results = gipf.Player("pretrained:sims=32"), []

    def work(seed: int) -> None:
        state = gipf.State()
        state.apply(state.legal_actions()[seed])
        results.append(player.choose(state) in state.legal_actions())

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(6)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert results == [True] * 6


@pytest.mark.parametrize(
    ("error", "words", "work"),
    [
        (gipf.AgentError, "unknown agent `zero`", lambda: gipf.Player("zero")),
        (gipf.AgentError, "no network for push-off", lambda: gipf.Player("pretrained", variant="push-off")),
        (
            gipf.AgentError,
            "a position of basic: expected standard",
            lambda: gipf.Player("greedy").choose(gipf.State("basic")),
        ),
        (gipf.AgentError, "simulations 0", lambda: gipf.Player().choose(gipf.State(), simulations=0)),
        (gipf.CheckpointError, "cannot read", lambda: gipf.Player("mcts:nowhere.safetensors")),
        (gipf.CheckpointError, "cannot read", lambda: gipf.Network("nowhere.safetensors")),
        (gipf.CheckpointError, "", lambda: gipf.Network(__file__)),
        (gipf.MatchError, "games 0: expected an even", lambda: gipf.play_match("random", "random", 0)),
        (gipf.MatchError, "games 3: expected an even", lambda: gipf.play_match("random", "random", games=3)),
        (gipf.MatchError, "expected the name or the path of an agent", lambda: gipf.play_match("random", 3)),
        (gipf.MatchError, "book", lambda: gipf.play_match("random", "random", 10_000, book=True)),
        (gipf.MatchError, "nowhere.txt", lambda: gipf.Ladder(["random"], book="nowhere.txt", store="nowhere.jsonl")),
        (gipf.MatchError, __file__, lambda: gipf.Ladder(["random"], book=__file__, store="nowhere.jsonl")),
    ],
)
def test_bad_input_gets_one_line(error, words, work):
    with pytest.raises(error) as raised:
        work()
    assert words in str(raised.value) and "\n" not in str(raised.value)


def test_the_game_that_is_over_has_no_choice():
    state = gipf.State(limit=1)
    state.apply(state.legal_actions()[0])
    with pytest.raises(gipf.IllegalAction, match="the game is over"):
        gipf.Player("greedy").choose(state)


def test_a_state_may_go_on_while_a_player_thinks_of_it():
    player, state = gipf.Player("pretrained"), gipf.State()
    for work in (lambda: player.analyse(state, time=0.5), lambda: player.analyse([state], time=0.5)):
        thread = threading.Thread(target=work)
        thread.start()
        time.sleep(0.1)
        state.apply(state.legal_actions()[0])
        assert thread.is_alive()
        thread.join()
    assert len(state.history) == 2


def test_a_function_that_chooses_no_action_is_named():
    def undecided(state):
        return None

    with pytest.raises(TypeError, match="undecided returned None: expected an action"):
        gipf.play_match(undecided, "random", 2)


def test_the_name_of_a_function_is_one_line():
    def chooses(state):
        return state.legal_actions()[0]

    chooses.__name__ = "one\ntwo"
    assert "\n" not in repr(gipf.play_match(chooses, "random", 2))


@pytest.mark.skipif(sys.platform != "linux", reason="others have no such names of files")
def test_a_file_whose_name_is_no_unicode_is_read(tmp_path):
    path = os.fsencode(tmp_path) + b"/\xff.safetensors"
    with open(path, "wb") as file:
        file.write(gipf.Network.initial(variant="basic").to_checkpoint())
    for name in (os.fsdecode(path), pathlib.Path(os.fsdecode(path))):
        assert gipf.Player(name).variant == gipf.Network(name).variant == "basic"
    with pytest.raises(gipf.AgentError):
        gipf.Player("nowhere\udcff")
