"""Whatever arguments the package gets, it answers with its own exceptions, in one line."""

import inspect
import itertools
import pathlib
import random

import numpy as np
import pytest

import gipf
import gipf.gymnasium
import gipf.pettingzoo


class Odd:
    """An object without a representation."""

    def __repr__(self):
        raise ZeroDivisionError


def read_only(array: np.ndarray) -> np.ndarray:
    array.flags.writeable = False
    return array


PLANES = np.stack([gipf.State().observation()] * 2)
NUMBERS = [0, 1, -1, 3, 64, 65, 2**16, 2**31, -(2**31), 2**63, -(2**63), 2**64 - 1, 2**64, 10**30, -(10**5000), True]
REALS = [0.0, -0.0, 0.5, -1.5, 1e-300, 1e19, 1e300, float("nan"), float("inf"), -float("inf"), np.float32(2)]
TEXTS = ["", "basic", "standard+zertz", "?", "\0", "\ud800", "x" * 5000, "e2\ne3", "alpha-beta:2", "rgb_array", "é"]
ARRAYS = [
    np.zeros(0),
    np.zeros((0, 11, 7, 7), np.float32),
    np.zeros((2, 11, 7, 7)),
    np.zeros((2, 11, 7, 8), np.float32),
    np.zeros((2, 11, 49), np.float32),
    PLANES.astype(">f4"),
    np.asfortranarray(PLANES),
    PLANES[::-1],
    np.broadcast_to(PLANES[:1], (10**12, 11, 7, 7)),
    read_only(PLANES.copy()),
    np.full((2, 11, 7, 7), np.nan, np.float32),
    np.full((2, 11, 7, 7), 1, np.float32),
    np.frombuffer(bytes(4 * PLANES.size + 1), np.uint8)[1:].view(np.float32).reshape(PLANES.shape),
    np.array([0, 0]),
    np.array([0, 2**64 - 1], np.uint64),
    np.array([0, 2**70], object),
    np.array(["0", "1"]),
    np.array(3),
]
OTHERS = [None, [], [[0], [1, 2]], (), {}, {"rewards": np.zeros(2)}, {3: 4}, b"", object(), Odd(), lambda *_: 3, dict]
PATHS = [*map(pathlib.Path, ("nowhere", ".", "\ud800", "a\0b", __file__))]
NASTY = [*NUMBERS, *REALS, *TEXTS, *ARRAYS, *OTHERS, *PATHS]

ALLOWED = (gipf.GipfError, TypeError)


def refuses_well(work) -> bool:
    """Calls a function, and returns whether it was refused; only the package's own exceptions are allowed."""
    try:
        work()
    except ALLOWED as error:
        assert not isinstance(error, gipf.InternalError), error
        assert isinstance(error, TypeError) or "\n" not in str(error)
        return True
    except ZeroDivisionError:
        return True  # of `Odd`
    return False


def slow(name: str, value) -> bool:
    """Returns whether an argument is valid, but makes the call slow."""
    most = {"games": 64, "simulations": 64, "time": 0.5}.get(name)
    return most is not None and isinstance(value, int | float | np.floating) and value > most


CONSTRUCTORS = {
    "State": gipf.State,
    "VecEnv": gipf.VecEnv,
    "Player": gipf.Player,
    "Network": gipf.Network,
    "play_match": lambda **options: gipf.play_match("random", "random", **{"games": 2, "limit": 5} | options),
    "play_match of": lambda a, b: gipf.play_match(a, b, 2, limit=5),
    "action_space": gipf.action_space,
    "observation_shape": gipf.observation_shape,
    "plane_weights": gipf.plane_weights,
    "gymnasium": gipf.gymnasium.GipfEnv,
    "pettingzoo": gipf.pettingzoo.raw_env,
}
PARAMETERS = {
    "play_match": ["games", "variant", "opening", "book", "limit", "seed", "progress"],
    "pettingzoo": ["variant", "render_mode", "limit", "opening_plies", "gpn", "screen_size"],
}


@pytest.mark.parametrize("name", CONSTRUCTORS)
def test_no_argument_of_a_constructor_is_trusted(name):
    make, refused = CONSTRUCTORS[name], 0
    parameters = PARAMETERS.get(name) or list(inspect.signature(make).parameters)
    usual = {"a": "random", "b": "random"} if name.endswith("of") else {}
    for parameter, value in itertools.product(parameters, NASTY):
        if not slow(parameter, value):
            refused += refuses_well(lambda p=parameter, v=value: make(**usual | {p: v}))
    assert refused > 30


def methods(thing):
    for name in dir(type(thing)):
        method = getattr(thing, name)
        if callable(method) and (not name.startswith("__") or name in ("__eq__", "__deepcopy__")):
            yield name, method


def test_no_argument_of_a_method_is_trusted():
    rng = random.Random(2)
    state, envs, player, network = gipf.State(), gipf.VecEnv("standard", 2), gipf.Player("level:2"), gipf.Network()
    analysis, report = player.analyse(state), gipf.play_match("random", "random", 2, limit=5)
    for thing in (state, envs, player, network, analysis, report):
        for (name, method), value in itertools.product(methods(thing), NASTY):
            refuses_well(lambda m=method, v=value: m(v))
            refuses_well(lambda m=method, v=value: m(v, rng.choice(NASTY)))
            if name in ("analyse", "choose", "policy", "value"):
                for option in ("simulations", "time"):
                    if not slow(option, value):
                        refuses_well(lambda m=method, o=option, v=value: m(gipf.State(), **{o: v}))
            if name == "reset":
                refuses_well(lambda m=method, v=value: m(seed=v))
                refuses_well(lambda m=method, v=value: m(opening_plies=v))
            if name == "render":
                refuses_well(lambda m=method, v=value: m("rgb_array", size=v))
    assert state.legal_actions() or state.is_over
    envs.reset(opening_plies=0)
    envs.step(envs.action_masks.argmax(1))


@pytest.mark.parametrize("value", NASTY, ids=lambda value: type(value).__name__)
def test_no_array_of_a_caller_is_trusted(value):
    names = ["observations", "action_masks", "to_move", "rewards", "terminated", "truncated", "final_observations"]
    for name in names:
        assert refuses_well(lambda n=name: gipf.VecEnv("standard", 3, out={n: value}))


def test_truth_values_of_a_caller_may_be_any_bytes():
    out = {name: np.full(2, 7, np.uint8).view(bool) for name in ("terminated", "truncated")}
    gipf.VecEnv("standard", 2, out=out)
    assert out["terminated"].view(np.uint8).tolist() == out["truncated"].view(np.uint8).tolist() == [0, 0]


def test_one_array_does_not_serve_twice():
    array = np.zeros(2, np.float32)
    rewards = {"rewards": array, "final_observations": np.zeros((2, 11, 7, 7), np.float32)}
    gipf.VecEnv("standard", 2, out=rewards)
    twice = np.zeros((2, 11, 7, 7), np.float32)
    with pytest.raises(gipf.ArrayError, match="in use"):
        gipf.VecEnv("standard", 2, out={"observations": twice, "final_observations": twice})


@pytest.mark.parametrize(
    ("words", "work"),
    [
        ("n 1000000000: expected 1 to 1000000", lambda: gipf.VecEnv("basic", 10**9)),
        ("n -1: expected 1", lambda: gipf.VecEnv("basic", -1)),
        ("n 0: expected 1", lambda: gipf.VecEnv("basic", 0)),
        ("GB of memory", lambda: gipf.VecEnv("basic", 1_000_000, limit=2**16 - 1)),
        ("seed of more than 64 bits: expected 0 to", lambda: gipf.Player("random", seed=2**64)),
        ("seed -1: expected 0 to", lambda: gipf.VecEnv(seed=-1)),
        ("limit 65536: expected 0 to 65535", lambda: gipf.State(limit=2**16)),
        ("potentials -3: expected 0", lambda: gipf.State("standard+zertz", potentials=-3)),
        ("opening_plies -1: expected 0", lambda: gipf.VecEnv(opening_plies=-1)),
        ("action index 9223372036854775808: expected a number below 65", lambda: gipf.State().apply(2**63)),
        ("environment -1: expected one below 1", lambda: gipf.VecEnv().state(-1)),
        ("simulations -1", lambda: gipf.Player().choose(gipf.State(), simulations=-1)),
        ("time NaN: expected seconds, 0 to 86400", lambda: gipf.Player().choose(gipf.State(), time=float("nan"))),
        ("time 10000000000000000000: expected seconds", lambda: gipf.Player().choose(gipf.State(), time=1e19)),
        ("games 3: expected an even number, 2 to", lambda: gipf.play_match("random", "random", 3)),
        ("limit 0: expected 1", lambda: gipf.play_match("random", "random", 2, limit=0)),
    ],
)
def test_numbers_out_of_range_get_one_line(words, work):
    with pytest.raises(gipf.GipfError) as raised:
        work()
    assert words in str(raised.value) and "\n" not in str(raised.value)


def with_cell(value: float, plane: int = 0, cell: tuple[int, int] = (3, 3)) -> np.ndarray:
    planes = PLANES.copy()
    planes[1, plane][cell] = value
    return planes


@pytest.mark.parametrize(
    ("words", "planes"),
    [
        ("observations are [1, 8, 7, 7] of float32: expected (n, 11, 7, 7) of float32", np.zeros((1, 8, 7, 7), "f4")),
        ("observations are [2, 11, 7, 7] of float64: expected", PLANES.astype(float)),
        ("observations are [11, 7, 7] of float32: expected (n, 11", PLANES[0]),
        ("not in one piece: expected", np.asfortranarray(PLANES)),
        ("an object of <class 'list'>: expected", PLANES.tolist()),
        ("row 1: a value of NaN, expected -1 to 1", with_cell(float("nan"), 9)),
        ("row 1: a value of 3, expected -1 to 1", with_cell(3, 5)),
        ("row 1: a value of 0.5 in a plane of pieces, expected 0 or 1", with_cell(0.5)),
        ("row 1: 1 pieces in cell [0, 6], expected at most 0", with_cell(1, cell=(0, 6))),
        ("row 0: 4 pieces in cell", np.ones((2, 11, 7, 7), np.float32)),
        ("row 300: ", np.concatenate([np.repeat(PLANES[:1], 300, 0), with_cell(2)[1:]])),
    ],
)
def test_a_network_says_what_is_no_observation(words, planes):
    with pytest.raises(gipf.ArrayError) as raised:
        gipf.Network().evaluate(planes)
    assert words in str(raised.value) and "\n" not in str(raised.value)


@pytest.mark.parametrize("variant", gipf.VARIANTS)
def test_every_observation_of_a_game_is_one(variant):
    envs, rng = gipf.VecEnv(variant, 64, limit=60), np.random.default_rng(3)
    seen = []
    for _ in range(150):
        envs.step((envs.action_masks * rng.random(envs.action_masks.shape)).argmax(1))
        seen += [envs.observations.copy(), envs.final_observations.copy()]
    seen = np.concatenate(seen)
    assert np.abs(seen).max() <= 1
    if variant in ("basic", "standard", "tournament"):
        gipf.Network(variant=variant).evaluate(seen)


class Boastful(list):
    """A list that claims to be longer than any memory."""

    def __len__(self):
        return 2**62


def test_nobody_is_believed_how_many_there_are(tmp_path):
    state, searches = gipf.State("basic"), gipf.Searches("basic", 1)
    searches.start(Boastful([state]), Boastful([0]))
    start, history, text = state.child(3).__reduce__()[1]
    assert gipf.State._restore(start, Boastful(history), text) == state.child(3)
    with pytest.raises(gipf.IllegalAction):
        gipf.State._restore(start, range(10**12))
    [fields] = gipf.Player("greedy").analyse(gipf.State()).__reduce__()[1]
    boastful = tuple(Boastful(field) if isinstance(field, list) else field for field in fields)
    assert repr(gipf.Analysis._restore(boastful)) == repr(gipf.Analysis._restore(fields))
    ladder = gipf.Ladder(Boastful(["random", "greedy"]), add=Boastful(), store=tmp_path / "ladder.jsonl")
    ladder.next_round()
    with pytest.raises(gipf.TrainingError):
        ladder.keep(Boastful())
    settings = Boastful(["run.games=4"])
    assert gipf.Training.create(tmp_path / "one", preset="smoke", settings=settings).games == 4
    opened = gipf.Training.open(tmp_path / "two", preset="smoke", settings=settings, from_data=Boastful())
    assert opened.games == 4


@pytest.mark.parametrize("trees", [range(10**12), itertools.count(), itertools.repeat(0)])
def test_more_trees_than_memory_are_refused(trees):
    with pytest.raises(gipf.GipfError, match=r"tree|more than"):
        gipf.Searches("basic", 1).start([gipf.State("basic")], trees)


def test_a_text_is_no_sequence_of_texts(tmp_path):
    for create in (gipf.Training.create, gipf.Training.open):
        with pytest.raises(TypeError, match="expected a sequence"):
            create(tmp_path / "run", settings="run.games=3")
    with pytest.raises(TypeError, match="expected a sequence"):
        gipf.Ladder("random", store=tmp_path / "ladder.jsonl")
    with pytest.raises(gipf.TrainingError, match=r"^run\.g"):
        gipf.Training.create(tmp_path / "run", settings=["run.g\udcff=3"])
    assert not any(tmp_path.iterdir())


@pytest.mark.parametrize("number", [-1, 2**64, 10**30])
def test_shards_of_no_number_are_refused(number, tmp_path):
    training = gipf.Training.create(tmp_path / "run", preset="smoke")
    ladder = gipf.Ladder(["random", "greedy"], store=tmp_path / "ladder.jsonl")
    ladder.next_round()
    for work in (
        lambda: training.checkpoint(number),
        lambda: training.probe(number),
        lambda: training.ingest(number, 0, b""),
        lambda: training.ingest(1, number, b""),
        lambda: training.reask(1, number),
        lambda: training.fail(number, 0),
        lambda: training.is_complete(number),
        lambda: ladder.spec(number, 1),
        lambda: ladder.spec(0, number),
        lambda: ladder.check(number, 1, b""),
        lambda: ladder.keep([(number, b"")]),
    ):
        with pytest.raises(gipf.GipfError, match=r"(iteration|first|pairs) .*: expected 0 to"):
            work()


def test_settings_out_of_range_are_named_without_the_options_of_the_program(tmp_path):
    with pytest.raises(gipf.TrainingError, match=r"^run\.games=-3: "):
        gipf.Training.create(tmp_path / "run", settings=["run.games=-3"])
