"""Ratings on the scale of the ladder that is shipped with the package."""

import pickle

import numpy as np
import pytest

import gipf


def first(state):
    """Plays the first legal action."""
    return int(np.flatnonzero(state.action_mask())[0])


def test_a_player_of_the_ladder_is_rated_near_its_place():
    told = []
    report = gipf.rate("alpha-beta:2", margin=100, games=80, progress=lambda done, of: told.append((done, of)))
    assert abs(report.elo - 1960) < 2 * report.margin + 100
    assert report.games <= 80 and (report.margin <= 100 or report.games == 80)
    assert told == sorted(told) and told[-1] == (report.games // 2, 40)
    found = report.to_dict()
    assert found["variant"] == "standard" and found["all"]["elo"] == pytest.approx(report.elo)
    assert sum(met["games"] for met in found["judges"]) == report.games
    assert "alpha-beta:2" not in {met["judge"] for met in found["judges"]}
    assert f"{report.elo:.0f} ± {report.margin:.0f} Elo" in str(report)


def test_a_player_is_not_its_own_judge_and_its_report_can_be_sent():
    report = gipf.rate(gipf.Player("alpha-beta:2"), margin=300, games=40)
    assert "alpha-beta:2" not in {met["judge"] for met in report.to_dict()["judges"]}
    again = pickle.loads(pickle.dumps(report))
    assert str(again) == str(report) and again.to_dict() == report.to_dict()


def test_functions_and_evaluators_are_rated_too():
    report = gipf.rate(first, variant="basic", margin=300, games=40)
    assert report.elo < 700 and report.to_dict()["player"] == "first"

    actions = gipf.action_space("basic")

    def nothing(observations):
        return np.zeros((len(observations), actions), np.float32), np.zeros(len(observations), np.float32)

    player = gipf.Player.from_evaluator(nothing, 8, variant="basic")
    asked = gipf.rate(player, margin=300, games=40)
    assert asked.to_dict()["variant"] == "basic" and 0 < asked.games <= 40 and abs(asked.elo) < 1000


def test_what_a_player_raises_is_raised():
    def broken(state):
        raise RuntimeError("no idea")

    with pytest.raises(RuntimeError, match="no idea"):
        gipf.rate(broken, variant="basic")


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ({"variant": "basic+zertz"}, "expected basic, standard or tournament"),
        ({"variant": "chess"}, "chess"),
        ({"margin": 0}, "margin 0: expected 1 to 10000"),
        ({"games": 7}, "games 7: expected an even number"),
        ({"seed": -1}, "seed"),
    ],
)
def test_wrong_arguments_are_refused(arguments, told):
    with pytest.raises(gipf.GipfError, match=told):
        gipf.rate("greedy", **arguments)
