"""Ten thousand wrong calls: no mistake of an evaluator crashes the process, is accepted, or damages a dataset."""

import numpy as np
import pytest

import gipf
import gipf.data

ACTIONS = 63
DTYPES = ["f4", "f2", ">f4", "f8", "i8", "u1", "?", "c8", "U3", "O", "M8[s]", [("a", "f4")]]


class Mine(Exception):
    """Raised by an evaluator."""


class Raising:
    """An object that raises an exception however it is read."""

    def __getattr__(self, name):
        raise Mine(name)

    def __repr__(self):
        raise Mine("repr")

    def __array__(self, *args, **kwargs):
        raise Mine("array")


class Lying:
    """An object that lies about itself."""

    def __init__(self, device, capsule):
        self.device, self.capsule = device, capsule

    def __dlpack__(self, **options):
        return self.capsule

    def __dlpack_device__(self):
        return self.device


def shape(rng, right):
    """Returns a shape, sometimes the right one."""
    choice = rng.integers(6)
    if choice < 3:
        return right
    if choice == 3:
        return tuple(int(side) for side in rng.integers(0, 70, rng.integers(0, 4)))
    if choice == 4:
        return (*right, 1)
    return tuple(max(0, side + int(rng.integers(-1, 2))) for side in right)


def array(rng, right):
    """Returns an array, usually a wrong one."""
    made = np.zeros(shape(rng, right), DTYPES[rng.integers(len(DTYPES)) if rng.random() < 0.5 else 0])
    if made.dtype.kind == "f" and made.size:
        with np.errstate(over="ignore"):  # 1e38 is infinite in float16
            made.flat[rng.integers(made.size)] = rng.choice([np.nan, np.inf, -np.inf, 2, -2, 1e38, 0])
    choice = rng.integers(6)
    if choice == 0 and made.ndim:
        made = np.concatenate([made, made], axis=-1)[..., ::2]
    elif choice == 1:
        made = np.asfortranarray(made)
    elif choice == 2:
        made.flags.writeable = False
    elif choice == 3:
        made = np.broadcast_to(made[..., :1], made.shape) if made.ndim and made.shape[-1] else made
    return made


def thing(rng, right):
    """Returns anything."""
    choice = rng.integers(14)
    others = [
        None,
        3,
        float("nan"),
        "logits",
        [],
        [[0.0] * ACTIONS] * right[0],
        Raising(),
        Lying((1, 0), None),
        Lying((2, 0), 3),
        Lying("cpu", None),
        Lying((2**70, 0), Raising()),
        np.float32(0),
    ]
    return others[choice] if choice < len(others) and rng.random() < 0.5 else array(rng, right)


def answer(rng, leaves):
    """Returns what a broken evaluator returns."""
    choice = rng.integers(12)
    if choice == 0:
        raise Mine
    if choice == 1:
        return thing(rng, (leaves, ACTIONS))
    if choice == 2:
        return (thing(rng, (leaves, ACTIONS)),) * int(rng.integers(0, 4))
    values = (leaves,) if rng.random() < 0.5 else (leaves, 3)
    return thing(rng, (leaves, ACTIONS)), thing(rng, values)


def sound(leaves):
    return np.zeros((leaves, ACTIONS), np.float32), np.zeros(leaves, np.float32)


def is_sound(given, leaves):
    """Returns whether an answer would be accepted as it is, so that it is not a mistake."""
    if not (isinstance(given, tuple) and len(given) == 2 and all(isinstance(part, np.ndarray) for part in given)):
        return False
    (logits, values), kinds = given, (np.dtype("f4"), np.dtype("f2"))
    if logits.dtype not in kinds or values.dtype not in kinds or logits.shape != (leaves, ACTIONS):
        return False
    return values.shape in ((leaves,), (leaves, 3))


RAISED = (gipf.GipfError, Mine, TypeError, OverflowError, BufferError, AttributeError, ValueError)


def test_searches_take_nothing_that_is_wrong():
    rng, refused = np.random.default_rng(1), 0
    searches, expected = (gipf.Searches("basic", 6, simulations=400) for _ in range(2))
    while waiting := searches.gather():
        assert expected.gather() == waiting
        for _ in range(13):
            try:
                given = answer(rng, waiting)
                if is_sound(given, waiting):
                    continue
                searches.apply(*given)
            except RAISED as error:
                assert not isinstance(error, gipf.InternalError) and "panick" not in str(error)
                refused += 1
            else:
                raise AssertionError(f"{given} was taken")
        searches.apply(*sound(waiting))
        expected.apply(*sound(waiting))
    assert refused > 4000
    found, other = searches.results(), expected.results()
    assert all((found[name] == other[name]).all() for name in found)


@pytest.mark.parametrize("call", range(400))
def test_no_argument_crashes(call):
    rng = np.random.default_rng(call)
    wrong = [None, -1, 0, 2**63, 2**70, 1.5, float("nan"), "", "basic", b"x", [], Raising(), gipf.State("basic"), "\0"]

    def pick():
        return wrong[rng.integers(len(wrong))]

    searches = gipf.Searches("basic", 2, simulations=2)
    keywords = ["variant", "parallel", "full_simulations", "full_share", "random_plies", "limit", "seed", "name"]
    calls = [
        lambda: gipf.Searches(pick(), 1),
        lambda: gipf.Searches("basic", pick(), simulations=1) if rng.random() < 0.9 else gipf.Searches(root=pick()),
        lambda: searches.start(pick(), pick()),
        lambda: searches.start([gipf.State("basic")], [pick()]),
        lambda: searches.gather(pick()),
        lambda: searches.leaves(pick()),
        lambda: searches.apply(pick(), pick(), pick()),
        lambda: searches.analysis(pick()),
        lambda: searches.results(),
        lambda: next(gipf.self_play(pick(), pick())),
        lambda: gipf.self_play(lambda seen: sound(len(seen)), 1, **{keywords[rng.integers(8)]: pick()}),
        lambda: gipf.data.batches(pick(), pick(), seed=pick()),
        lambda: gipf.Player.from_evaluator(pick(), pick(), variant=pick()),
    ]
    for work in calls:
        try:
            work()
        except RAISED as error:
            assert not isinstance(error, gipf.InternalError), error
        except StopIteration:
            pass


def test_iterators_go_on_with_the_same_games():
    rng, raised = np.random.default_rng(2), 0
    settings = {"variant": "basic", "full_simulations": 6, "cheap_simulations": 3, "parallel": 8, "seed": 4}

    def broken(observations):
        if rng.random() < 0.2:
            return sound(len(observations))
        given = answer(rng, len(observations))
        return None if is_sound(given, len(observations)) else given

    games, found = gipf.self_play(broken, 8, **settings), {}
    while len(found) < 8:
        try:
            game = next(games)
            found[game.number] = game.actions.tolist()
        except RAISED as error:
            assert not isinstance(error, gipf.InternalError)
            raised += 1
    plain = gipf.self_play(lambda seen: sound(len(seen)), 8, **settings)
    assert found == {game.number: game.actions.tolist() for game in plain} and raised > 600


def test_no_mistake_damages_a_dataset(tmp_path):
    rng, raised = np.random.default_rng(3), 0
    settings = {
        "variant": "basic",
        "full_simulations": 4,
        "cheap_simulations": 2,
        "parallel": 30,
        "name": "mine",
        "limit": 20,
    }

    def broken(observations):
        return sound(len(observations)) if rng.random() < 0.95 else answer(rng, 0)

    while raised < 150:
        try:
            gipf.self_play(broken, 120, out=tmp_path / "broken", **settings)
            break
        except RAISED as error:
            assert not isinstance(error, gipf.InternalError)
            raised += 1
    gipf.self_play(lambda seen: sound(len(seen)), 120, out=tmp_path / "whole", **settings)
    for name in ("games-00000.parquet", "_manifest.json"):
        assert (tmp_path / "broken" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()
    assert raised > 2 and sum(len(batch["values"]) for batch in gipf.data.batches(tmp_path / "broken")) > 300
