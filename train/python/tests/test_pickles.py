"""Pickled or copied objects continue as if nothing had happened, and damaged ones are refused."""

import copy
import pickle
import random

import numpy as np
import pytest

import gipf

COPIES = {
    "pickle": lambda thing: pickle.loads(pickle.dumps(thing)),
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
}
each_copy = pytest.mark.parametrize("copied", COPIES.values(), ids=COPIES)


def shown(envs: gipf.VecEnv) -> list:
    arrays = [envs.observations, envs.action_masks, envs.to_move, envs.rewards, envs.terminated, envs.truncated]
    endings = [envs.ending(i) for i in range(len(envs))]
    return [array.tolist() for array in [*arrays, envs.final_observations]] + [endings]


def step_at_random(envs: gipf.VecEnv, rng: np.random.Generator) -> np.ndarray:
    actions = (envs.action_masks * rng.random(envs.action_masks.shape)).argmax(1)
    envs.step(actions)
    return actions


@each_copy
@pytest.mark.parametrize("variant", ["basic", "tournament+zertz", "push-off"])
def test_environments_go_on(copied, variant):
    envs, rng, ended = gipf.VecEnv(variant, 6, seed=5, opening_plies=4, limit=20), np.random.default_rng(1), 0
    for _ in range(8):
        for _ in range(9):
            step_at_random(envs, rng)
        # Also when games have just ended, and begun with an opening.
        again = copied(envs)
        assert shown(again) == shown(envs) and len(again) == 6
        before = shown(again)
        for _ in range(25):
            again.step(step_at_random(envs, rng))
            assert shown(again) == shown(envs)
            ended += int((envs.terminated | envs.truncated).sum())
        assert before != shown(again)
        again.reset()
        assert shown(again) != shown(envs), "the copy has arrays of its own"
        envs.reset()
        assert shown(again) == shown(envs)
    assert ended > 20


@each_copy
@pytest.mark.parametrize("name", ["random", "greedy", "alpha-beta:2", "level:1", "pretrained:sims=8,temperature=1"])
def test_players_begin_their_game_anew(copied, name):
    def game(player: gipf.Player) -> list[int]:
        state = gipf.State("basic", limit=12)
        while not state.is_over:
            state.apply(player.choose(state))
        return state.history

    player = gipf.Player(name, variant="basic", seed=2**64 - 1)
    first = game(player)
    again = copied(player)
    assert (again.name, again.variant) == (player.name, "basic")
    assert game(again) == first
    player.new_game(7)
    assert game(copied(player)) == game(player)


@pytest.fixture
def checkpoint(tmp_path):
    """The shipped tournament network, as a file."""
    path = tmp_path / "net.safetensors"
    path.write_bytes(gipf.Network(variant="tournament").__reduce__()[1][2])
    return path


@each_copy
def test_networks_and_players_need_no_file_again(copied, checkpoint):
    state = gipf.State("tournament")
    network, player = gipf.Network(checkpoint), gipf.Player(f"mcts:{checkpoint},sims=30")
    pickled = [pickle.dumps(network), pickle.dumps(player)]
    expected = network.evaluate(state.observation()[None])
    checkpoint.unlink()
    for again in (copied(network), pickle.loads(pickled[0])):
        assert again.variant == "tournament"
        for found, wanted in zip(again.evaluate(state.observation()[None]), expected, strict=True):
            np.testing.assert_array_equal(found, wanted)
    again = pickle.loads(pickled[1])
    analysis = player.analyse(state)
    assert (copied(again).analyse(state).policy == analysis.policy).all()
    report = gipf.play_match(again, copied(player), 2, limit=10)
    assert report.to_dict()["variant"] == "tournament"


@each_copy
def test_what_was_found_is_kept_to_the_last_bit(copied):
    for name in ("pretrained:sims=40", "alpha-beta:2", "random"):
        analysis = gipf.Player(name).analyse(gipf.State())
        again = copied(analysis)
        for field in ("action", "value", "nodes", "line", "proven"):
            assert getattr(again, field) == getattr(analysis, field)
        assert (again.policy == analysis.policy).all() and (again.visits == analysis.visits).all()
        assert again.policy.dtype == np.float32 and again.visits.dtype == np.uint32 and repr(again) == repr(analysis)
    # Times have as many digits as possible, and differ from match to match.
    for seed in range(20):
        report = gipf.play_match("greedy", "random", 2, seed=seed)
        assert copied(report).to_dict() == report.to_dict() and str(copied(report)) == str(report)


def damaged(value, rng: random.Random):
    """Returns the same value with one change."""
    if isinstance(value, bytes):
        place = rng.randrange(len(value))
        return rng.choice([value[:place], value[:place] + bytes([rng.randrange(256)]) + value[place + 1 :]])
    if isinstance(value, str):
        place, more = rng.randrange(len(value) + 1), rng.choice(["", "9", "-", "[", "null", "white", "\ud800", "65535"])
        return value[:place] + more + value[place + rng.randrange(3) :]
    if isinstance(value, tuple | list) and value:
        place = rng.randrange(len(value))
        return type(value)([*value[:place], damaged(value[place], rng), *value[place + 1 :]])
    if isinstance(value, dict):
        name = rng.choice([*value])
        return value | {name: damaged(value[name], rng)}
    return rng.choice([None, -1, 2**64, 2**70, 1.5, float("nan"), "text", b"", [], np.zeros(3), np.zeros(2, ">f4")])


def use(thing) -> None:
    """Uses a restored object as people do."""
    if isinstance(thing, gipf.State):
        thing.observation(), thing.action_mask(), str(thing), thing.render("svg"), hash(thing), thing.gpn()
        for _ in range(20):
            if thing.is_over:
                break
            thing.apply(thing.legal_actions()[0])
    elif isinstance(thing, gipf.VecEnv):
        for _ in range(20):
            thing.step(thing.action_masks.argmax(1))
        thing.reset()
    elif isinstance(thing, gipf.Player):
        thing.choose(gipf.State(thing.variant), simulations=2)
    elif isinstance(thing, gipf.Network):
        thing.evaluate(gipf.State(thing.variant).observation()[None])
    else:
        repr(thing), str(thing)


def things():
    state = gipf.State("standard+zertz", limit=30)
    envs = gipf.VecEnv("tournament+zertz", 2, opening_plies=9, limit=30)
    for _ in range(15):
        state.apply(state.legal_actions()[-1])
        envs.step(envs.action_masks.argmax(1))
    player = gipf.Player("pretrained:sims=3")
    network, analysis = gipf.Network(variant="basic"), player.analyse(gipf.State())
    return [state, envs, player, gipf.Player("random"), network, analysis, gipf.play_match("random", "random", 2)]


@pytest.mark.parametrize("thing", things(), ids=lambda thing: type(thing).__name__)
def test_damaged_pickles_are_refused_in_one_line(thing):
    rng, refused = random.Random(4), 0
    restore, state = thing.__reduce__()
    for _ in range(600):
        try:
            use(restore(*damaged(state, rng)))
        except (gipf.GipfError, TypeError) as error:
            assert not isinstance(error, gipf.InternalError), error
            assert "\n" not in str(error)
            refused += 1
    assert refused > 100


@pytest.mark.parametrize(
    "folder", ["lr=1,sims=9", "x,time=1s", "x,threads=2", "x,precision=f32,seed=1", "x,cache=many", "x,leaves=0"]
)
@each_copy
def test_what_looks_like_a_setting_in_a_path_is_none(copied, folder, tmp_path):
    path = tmp_path / folder / "net.safetensors"
    path.parent.mkdir()
    path.write_bytes(gipf.Network.initial(variant="basic").to_checkpoint())
    for place in (path, path.parent / "other,sims=3"):
        place.write_bytes(path.read_bytes())
        player, state = gipf.Player(place, seed=3), gipf.State("basic")
        again = copied(player)
        assert repr(again) == repr(player) and again.analyse(state).nodes == 64
        assert repr(copied(gipf.Network(place))) == repr(gipf.Network(place))
    plain = tmp_path / "net.safetensors"
    plain.write_bytes(path.read_bytes())
    named = gipf.Player(f"mcts:{plain},sims=5,temperature=0.5")
    assert copied(named).name == named.name and copied(named).analyse(state).nodes == 5


def test_a_player_that_was_pickled_with_its_path_in_its_name_is_restored(tmp_path):
    network = gipf.Network.initial(variant="basic").to_checkpoint()
    player = gipf.Player._restore("mcts:gone/net.safetensors,sims=7", "basic", 0, network)
    assert player.name == "mcts:gone/net.safetensors,sims=7"
    assert gipf.Network._restore("mcts:gone/net.safetensors,sims=7", "basic", network).variant == "basic"
