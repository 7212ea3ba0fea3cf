"""Games of the search against itself with a Python evaluator, and the datasets made from them."""

import json
import threading

import numpy as np
import pytest

import gipf
import gipf.data
from gipf._gipf import _native_games

SMALL = {"full_simulations": 8, "cheap_simulations": 3, "full_share": 0.5, "parallel": 20, "seed": 5}


def uniform(variant):
    actions = gipf.action_space(variant)

    def nothing(observations):
        return np.zeros((len(observations), actions), np.float32), np.zeros(len(observations), np.float32)

    return nothing


def ended(games):
    """Returns what happened in games, in the order of their numbers."""
    games = sorted(games, key=lambda game: game.number)
    return [(game.number, game.actions.tolist(), game.winner, game.reason) for game in games]


@pytest.mark.parametrize("variant", gipf.VARIANTS)
def test_games_replay_and_their_samples_are_positions_of_them(variant):
    games = list(gipf.self_play(uniform(variant), 12, variant=variant, **SMALL))
    assert sorted(game.number for game in games) == list(range(12))
    for game in games:
        assert game.variant == variant and len(game) == len(game.actions) == len(game.values)
        samples, state, row = game.samples(), game.start, 0
        for action, value in zip(game.actions, game.values, strict=True):
            shown = row < len(samples["values"]) and (samples["observations"][row] == state.observation()).all()
            if shown and not np.isnan(value):
                assert (samples["masks"][row] == state.action_mask().astype(bool)).all()
                assert samples["policies"][row].sum() == pytest.approx(1, abs=1e-4)
                assert not samples["policies"][row][~samples["masks"][row]].any()
                result = 0 if game.winner is None else (1 if game.winner == state.to_move else -1)
                assert samples["values"][row] == pytest.approx(result)
                row += 1
            state.apply(int(action))
        assert row == len(samples["values"]) and state.is_over and state.winner == game.winner
        assert state.reason == game.reason and state.is_truncated == game.is_truncated


def test_games_do_not_depend_on_their_neighbours_and_differ_by_seed():
    def play(**changed):
        return ended(gipf.self_play(uniform("basic"), 30, variant="basic", **(SMALL | changed)))

    assert play() == play(parallel=1) == play(parallel=100) != play(seed=6)


@pytest.mark.parametrize("variant", ["basic", "standard", "tournament"])
def test_all_symmetries_show_the_same_games(variant):
    game = next(gipf.self_play(uniform(variant), 1, variant=variant, **(SMALL | {"full_share": 1})))
    plain, seen = game.samples(), set()
    for symmetry in range(12):
        image = game.samples(symmetry)
        for name in ("values", "wdl", "weights"):
            assert (image[name] == plain[name]).all()
        for name in ("masks", "policies"):
            assert (np.sort(image[name]) == np.sort(plain[name])).all()
        seen.add(image["observations"].tobytes())
    assert len(seen) == 12
    mixed = game.samples(value_mix=1.0)["values"]
    searched = game.values[~np.isnan(game.values)]
    assert set(mixed.round(4)) <= set(searched.round(4))


def test_a_dataset_holds_the_same_games(tmp_path):
    told = []
    report = gipf.self_play(
        uniform("basic"), 40, variant="basic", out=tmp_path / "games", progress=lambda *n: told.append(n), **SMALL
    )
    games = list(gipf.self_play(uniform("basic"), 40, variant="basic", **SMALL))
    assert report["games"] == 40 and report["rows"] == sum(map(len, games)) and told[-1] == (40, 40)
    assert [path.name for path in report["files"]] == ["games-00000.parquet"]
    manifest = json.loads((tmp_path / "games/_manifest.json").read_text())
    assert manifest["complete"] and manifest["games"] == 40
    parquet = pytest.importorskip("pyarrow.parquet")
    file = parquet.read_table(tmp_path / "games/games-00000.parquet")
    assert json.loads(file.schema.metadata[b"gipf.settings"])["evaluator"] == "nothing"
    rows = file.to_pylist()
    assert [row["game_id"] for row in rows] == sorted(row["game_id"] for row in rows)
    for game in games:
        mine = [row for row in rows if row["game_id"] == game.number]
        assert [row["action"] for row in mine] == game.actions.tolist()


@pytest.mark.parametrize("variant", gipf.VARIANTS)
def test_with_a_network_of_the_package_games_are_those_of_the_trainer(variant):
    ships = variant in ("basic", "standard", "tournament")
    network = gipf.Network(variant=variant) if ships else gipf.Network.initial(variant=variant, seed=1)
    games = gipf.self_play(
        network.evaluate, 6, variant=variant, full_simulations=12, cheap_simulations=4, parallel=40, seed=9
    )
    games = sorted(games, key=lambda game: game.number)
    for game, expected in zip(games, _native_games(network, 6, 12, 4, 9), strict=True):
        assert (game.number, game.winner, game.reason) == (expected.number, expected.winner, expected.reason)
        assert (game.actions == expected.actions).all()
        assert game.values.tobytes() == expected.values.tobytes()
        for mine, other in zip(game.samples().values(), expected.samples().values(), strict=True):
            assert mine.tobytes() == other.tobytes()


class Broken(Exception):
    """Raised by an evaluator."""


@pytest.mark.parametrize("after", [1, 40, 200])
def test_what_an_evaluator_raises_leaves_a_dataset_that_the_same_call_resumes(tmp_path, after):
    calls = []

    def nothing(observations):
        calls.append(len(observations))
        if len(calls) == after:
            raise Broken
        return uniform("basic")(observations)

    for out in ("whole", "broken"):
        if out == "broken":
            calls.clear()
            with pytest.raises(Broken):
                gipf.self_play(nothing, 60, variant="basic", out=tmp_path / out, **SMALL)
            manifest = json.loads((tmp_path / out / "_manifest.json").read_text())
            assert not manifest["complete"]
            with pytest.raises(gipf.DatasetError, match=r"not complete|no files"):
                gipf.data.batches(tmp_path / out)
            with pytest.raises(gipf.DatasetError, match="other settings"):
                gipf.self_play(nothing, 60, variant="basic", out=tmp_path / out, name="new", **SMALL)
            calls.extend([0] * after)
            assert gipf.self_play(nothing, 60, variant="basic", out=tmp_path / out, **SMALL)["games"] == 60
        else:
            calls.extend([0] * after)
            gipf.self_play(nothing, 60, variant="basic", out=tmp_path / out, **SMALL)
    files = [sorted(path.relative_to(folder) for path in folder.rglob("*")) for folder in tmp_path.iterdir()]
    assert files[0] == files[1]
    for name in ("games-00000.parquet", "_manifest.json"):
        assert (tmp_path / "whole" / name).read_bytes() == (tmp_path / "broken" / name).read_bytes()
    with pytest.raises(gipf.DatasetError, match="exists: expected a directory without a dataset"):
        gipf.self_play(nothing, 60, variant="basic", out=tmp_path / "whole", **SMALL)


def test_an_iterator_goes_on_after_an_exception():
    calls = []

    def failing(observations):
        calls.append(1)
        if len(calls) % 7 == 3:
            raise Broken
        if len(calls) % 7 == 5:
            return uniform("standard")(observations)  # for another rule set
        return uniform("basic")(observations)

    games, raised, found = gipf.self_play(failing, 20, variant="basic", **SMALL), 0, []
    while True:
        try:
            found.append(next(games))
        except StopIteration:
            break
        except (Broken, gipf.EvaluatorError):
            raised += 1
    assert raised > 10 and ended(found) == ended(gipf.self_play(uniform("basic"), 20, variant="basic", **SMALL))
    assert next(games, None) is None


def test_arrays_that_an_evaluator_keeps_are_not_written_again():
    kept = []

    def keeping(observations):
        kept.append((observations, observations.copy()))
        return uniform("basic")(observations)

    list(gipf.self_play(keeping, 8, variant="basic", **SMALL))
    assert len(kept) > 50 and all((array == copy).all() for array, copy in kept)


def test_the_evaluator_cannot_ask_for_games_itself():
    def asking(observations):
        next(games)

    games = gipf.self_play(asking, 3)
    with pytest.raises(gipf.GipfError, match="are being played: expected one caller"):
        next(games)


def test_threads_have_games_of_their_own():
    found = []

    def play():
        found.append(ended(gipf.self_play(uniform("basic"), 20, variant="basic", **SMALL)))

    threads = [threading.Thread(target=play) for _ in range(4)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert len(found) == 4 and all(games == found[0] for games in found)


@pytest.mark.parametrize(
    ("error", "words", "change"),
    [
        (gipf.GipfError, "evaluator 3: expected a function", {"evaluate": 3}),
        (gipf.GipfError, "games 0: expected 1 to", {"games": 0}),
        (gipf.GipfError, "parallel 0: expected 1 to", {"parallel": 0}),
        (gipf.GipfError, "full_simulations 0: expected 1 to", {"full_simulations": 0}),
        (gipf.GipfError, "full_share 1.5: expected 0 to 1", {"full_share": 1.5}),
        (gipf.GipfError, "full_share NaN: expected 0 to 1", {"full_share": float("nan")}),
        (gipf.GipfError, "random_plies 65536", {"random_plies": 65536}),
        (gipf.GipfError, "limit 0: expected 1 to", {"limit": 0}),
        (gipf.GipfError, "seed -1", {"seed": -1}),
        (gipf.PositionError, "`chess`", {"variant": "chess"}),
        (gipf.PositionError, "potentials", {"variant": "basic+zertz", "potentials": 9}),
    ],
)
def test_misuse_gets_one_line(error, words, change):
    arguments = {"evaluate": uniform("basic"), "games": 3} | change
    with pytest.raises(error) as raised:
        gipf.self_play(arguments.pop("evaluate"), arguments.pop("games"), **arguments)
    assert words in str(raised.value) and "\n" not in str(raised.value)


def test_the_values_of_a_game_without_a_result_are_those_of_the_search():
    def hopeful(observations):
        return np.zeros((len(observations), 63), np.float32), np.full(len(observations), 0.5, np.float32)

    [game] = gipf.self_play(hopeful, 1, variant="basic", full_simulations=2, full_share=1.0, limit=12)
    assert game.is_truncated
    own, mixed, result = (game.samples(value_mix=mix) for mix in (1.0, 0.25, 0.0))
    for name in ("values", "wdl"):
        assert (own[name] == mixed[name]).all() and (own[name] == result[name]).all()
    assert (mixed["weights"] == 0.25 * own["weights"]).all() and own["weights"].any() and not result["weights"].any()


def test_samples_out_of_range_are_refused():
    game = next(gipf.self_play(uniform("basic"), 1, variant="basic", **SMALL))
    with pytest.raises(gipf.GipfError, match="symmetry 12: expected 0 to 11"):
        game.samples(12)
    with pytest.raises(gipf.GipfError, match="value_mix 2: expected 0 to 1"):
        game.samples(value_mix=2)
