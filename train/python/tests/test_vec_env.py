"""Many games at once."""

import pickle
import threading

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
            assert envs.state(i) == states[i]
    assert endings > n


def unpacked(envs: gipf.VecEnv, variant: str) -> tuple[np.ndarray, np.ndarray]:
    """Returns observations and masks as in form "f32", computed as the docstring says."""
    planes, masks = envs.observations, envs.action_masks
    if planes.ndim == 3:
        planes = np.unpackbits(planes[..., None], axis=-1, count=7, bitorder="little")
        masks = np.unpackbits(masks, axis=-1, count=gipf.action_space(variant), bitorder="little")
    cells = np.einsum("pb,nbij->npij", gipf.plane_weights(variant), planes)
    scalars = np.broadcast_to(envs.scalars[:, :, None, None], (*envs.scalars.shape, 7, 7))
    return np.concatenate([cells, scalars], axis=1), masks


@pytest.mark.parametrize("form", ["u8", "bits"])
@pytest.mark.parametrize("variant", gipf.VARIANTS)
def test_all_forms_say_the_same(variant, form):
    n, rng = 80, np.random.default_rng(3)
    floats = gipf.VecEnv(variant, n, limit=40, opening_plies=3)
    packed = gipf.VecEnv(variant, n, limit=40, opening_plies=3, observations=form)
    assert packed.observations.dtype == packed.action_masks.dtype == np.uint8 and floats.scalars is None
    endings = 0
    for step in range(100):
        actions = random_actions(floats, rng)
        floats.step(actions)
        packed.step(actions)
        observations, masks = unpacked(packed, variant)
        np.testing.assert_allclose(observations, floats.observations, atol=1e-6)
        assert (masks == floats.action_masks).all() and (packed.to_move == floats.to_move).all()
        assert (packed.rewards == floats.rewards).all() and (packed.truncated == floats.truncated).all()
        endings += int((packed.terminated | packed.truncated).sum())
        if step == 50:
            packed = pickle.loads(pickle.dumps(packed))
            assert (packed.observations.ndim == 3) == (form == "bits")
    assert endings > n
    scalars = np.broadcast_to(packed.final_scalars[:, :, None, None], (*packed.final_scalars.shape, 7, 7))
    assert (scalars == floats.final_observations[:, -scalars.shape[1] :]).all()


def test_packed_arrays_of_the_caller_are_written_in_place():
    out = {"observations": np.full((3, 9, 7), 255, np.uint8), "action_masks": np.full((3, 9), 255, np.uint8)}
    envs = gipf.VecEnv("standard", 3, observations="bits", out=out)
    assert envs.observations is out["observations"] and out["observations"].max() < 128
    assert np.unpackbits(out["action_masks"], axis=1).sum(1).tolist() == [30, 30, 30]
    for form, words in [("u8", "array `observations` is [3, 9, 7] of uint8: expected [3, 9, 7, 7]"), ("u16", "u16")]:
        with pytest.raises(gipf.ArrayError) as raised:
            gipf.VecEnv("standard", 3, observations=form, out=out)
        assert words in str(raised.value)


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


def test_nothing_is_written_if_one_array_does_not_fit():
    fitting = {"action_masks": np.ones((2, 65), np.int8), "terminated": np.ones(2, bool), "truncated": np.ones(2, bool)}
    for name in ("observations", "to_move", "truncated"):
        given = fitting | {name: np.zeros(3)}
        with pytest.raises(gipf.ArrayError, match=f"array `{name}`"):
            gipf.VecEnv("standard", 2, out=given)
        assert all(array.all() for array in given.values() if len(array) == 2)


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


def test_two_threads_that_use_the_same_environments_are_told():
    envs, told = gipf.VecEnv("basic", 20_000), []

    def work():
        while not told:
            try:
                envs.reset()
            except Exception as error:
                told.append(f"{type(error).__name__}: {error}")

    threads = [threading.Thread(target=work) for _ in range(2)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert told == ["GipfError: these environments are in use: expected one caller at a time"]
    envs.step(envs.action_masks.argmax(1))


def test_there_is_no_environment_beyond_the_last():
    with pytest.raises(gipf.ArrayError):
        gipf.VecEnv("standard", 2).state(2)


def test_large_unsigned_actions_are_told_as_they_are():
    envs = gipf.VecEnv("basic", 2)
    with pytest.raises(
        gipf.IllegalAction, match=f"environment 0: action index {2**64 - 1}: expected a number below 63"
    ):
        envs.step(np.array([2**64 - 1, 0], np.uint64))
    legal = envs.action_masks.argmax(1)
    for kind in (np.uint64, np.int64, np.uint8, ">u8"):
        again = gipf.VecEnv("basic", 2)
        again.step(legal.astype(kind))
        assert again.to_move.tolist() == [1, 1]


def test_what_shows_itself_as_the_name_of_an_array_is_none():
    class Name:
        def __str__(self):
            return "observations"

    with pytest.raises(gipf.ArrayError, match="expected one of"):
        gipf.VecEnv("basic", 2, out={Name(): 5})
