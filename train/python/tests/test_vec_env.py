"""Many games at once."""

import multiprocessing

import numpy as np
import pytest

import gipf


def random_actions(envs: gipf.VecEnv, rng: np.random.Generator) -> np.ndarray:
    masks = envs.action_masks
    return (masks * rng.random(masks.shape, dtype=np.float32)).argmax(1)


@pytest.mark.parametrize("variant", ["basic", "standard", "tournament", "standard+zertz", "push-off"])
def test_environments_agree_with_states(variant):
    n, rng = 16, np.random.default_rng(0)
    envs = gipf.VecEnv(variant, n, limit=40)
    states = [gipf.State(variant, limit=40) for _ in range(n)]
    endings = 0
    for _ in range(120):
        actions = random_actions(envs, rng)
        actors = envs.to_move.copy()
        envs.step(actions)
        for i, action in enumerate(actions):
            states[i].apply(int(action))
            assert bool(envs.terminated[i] or envs.truncated[i]) == states[i].is_over
            assert envs.rewards[i] == states[i].returns()[actors[i]]
            if states[i].is_over:
                endings += 1
                assert envs.ending(i) == (states[i].winner, states[i].reason)
                assert (envs.final_observations[i] == states[i].observation()).all()
                states[i] = gipf.State(variant, limit=40)
            else:
                assert envs.ending(i) is None
            assert (envs.observations[i] == states[i].observation()).all()
            assert (envs.action_masks[i] == states[i].action_mask()).all()
            assert envs.to_move[i] == states[i].to_move
            assert envs.state(i).gpn() == states[i].gpn()
    assert endings > n


def test_arrays_of_the_caller_are_written_in_place():
    out = {
        "observations": np.full((3, 11, 7, 7), np.nan, np.float32),
        "action_masks": np.full((3, 65), 7, np.int8),
        "rewards": np.full(3, np.nan, np.float32),
    }
    envs = gipf.VecEnv("standard", 3, out=out)
    assert envs.observations is out["observations"] and envs.action_masks is out["action_masks"]
    assert out["action_masks"].sum(1).tolist() == [30, 30, 30] and np.isfinite(out["observations"]).all()
    before = out["observations"].copy()
    envs.step([0, 1, 2])
    assert (out["observations"] != before).any() and (out["rewards"] == 0).all() and len(envs) == 3


def test_seeds_decide_the_openings():
    def observed(seed: int) -> np.ndarray:
        return gipf.VecEnv("standard", 8, seed=seed, opening_plies=6).observations.copy()

    assert (observed(1) == observed(1)).all() and (observed(1) != observed(2)).any()
    envs = gipf.VecEnv("standard", 8, seed=1, opening_plies=6)
    first = envs.observations.copy()
    envs.reset()
    assert (envs.observations != first).any(), "the next games"
    envs.reset(seed=1)
    assert (envs.observations == first).all(), "the first games again"


def read_only(array: np.ndarray) -> np.ndarray:
    array.flags.writeable = False
    return array


@pytest.mark.parametrize(
    ("words", "out"),
    [
        ("array `rewards` is [3] of float32: expected [2]", {"rewards": np.zeros(3, np.float32)}),
        ("array `rewards` is [2] of float64", {"rewards": np.zeros(2)}),
        ("array `action_masks`", {"action_masks": np.zeros((2, 65), bool)}),
        ("in C order", {"observations": np.zeros((2, 11, 7, 14), np.float32)[..., ::2]}),
        ("that can be written", {"rewards": read_only(np.zeros(2, np.float32))}),
        ("is not a NumPy array", {"rewards": [0.0, 0.0]}),
        ("array `reward`: expected one of observations", {"reward": np.zeros(2, np.float32)}),
    ],
)
def test_arrays_that_do_not_fit_are_refused(words, out):
    with pytest.raises(gipf.ArrayError) as raised:
        gipf.VecEnv("standard", 2, out=out)
    assert words in str(raised.value)


@pytest.mark.parametrize(
    ("error", "words", "actions"),
    [
        (gipf.ArrayError, "3 actions: expected one for each of 2", [0, 0, 0]),
        (gipf.ArrayError, "[2] of float64: expected one integer", [0.0, 1.5]),
        (gipf.ArrayError, "[2, 1] of int64", [[0], [0]]),
        (gipf.IllegalAction, "environment 1: action index -1", [0, -1]),
        (gipf.IllegalAction, "environment 1: action index 65", [0, 65]),
        (gipf.IllegalAction, "environment 1: illegal action", [0, 63]),
    ],
)
def test_refused_actions_step_no_environment(error, words, actions):
    envs = gipf.VecEnv("standard", 2)
    before = envs.observations.copy()
    with pytest.raises(error) as raised:
        envs.step(np.array(actions))
    assert words in str(raised.value) and (envs.observations == before).all()
    envs.step([0, 0])


def steps_of_all_threads() -> int:
    envs = gipf.VecEnv("standard", 500)
    envs.step(envs.action_masks.argmax(1))
    return len(envs)


def test_a_forked_process_has_threads_of_its_own():
    assert steps_of_all_threads() == 500
    with multiprocessing.get_context("fork").Pool(1) as pool:
        assert pool.apply_async(steps_of_all_threads).get(timeout=60) == 500


def test_there_is_no_environment_beyond_the_last():
    with pytest.raises(gipf.ArrayError):
        gipf.VecEnv("standard", 2).state(2)
