"""The test suites of PettingZoo, Gymnasium and OpenSpiel; warnings are failures, except those that nobody can avoid."""

import copy
import inspect
import pickle
import subprocess
import sys
import warnings

import numpy as np
import pytest

import gipf

pettingzoo_test = pytest.importorskip("pettingzoo.test")
gymnasium = pytest.importorskip("gymnasium")
pyspiel = pytest.importorskip("pyspiel")

import gipf.gymnasium  # noqa: E402
from gipf import pettingzoo as gipf_v0  # noqa: E402

# PettingZoo's own classic games get these too: their observations are dicts.
UNAVOIDABLE = (
    "Observation is not a NumPy array",
    "Observation space for each agent probably should be gymnasium.spaces",
)


def unexpected(caught):
    return [str(warning.message) for warning in caught if not str(warning.message).startswith(UNAVOIDABLE)]


@pytest.mark.parametrize("variant", gipf.VARIANTS)
def test_pettingzoo_api(variant):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        pettingzoo_test.api_test(gipf_v0.env(variant=variant), num_cycles=1000)
    assert unexpected(caught) == []


def test_pettingzoo_seeds():
    pettingzoo_test.seed_test(gipf_v0.env, num_cycles=300)
    pettingzoo_test.seed_test(lambda **options: gipf_v0.env(opening_plies=6, **options), num_cycles=300)


def test_pettingzoo_render(capsys):
    pettingzoo_test.render_test(gipf_v0.env)
    assert "e9" in capsys.readouterr().out


def test_who_is_not_to_move_has_no_action_in_pettingzoo_after_an_illegal_one():
    env = gipf_v0.env()
    env.reset()
    env.step(0)
    env.step(63)
    assert env.terminations == {"player_0": True, "player_1": True}
    assert not any(env.observe(agent)["action_mask"].any() for agent in env.possible_agents)


def test_nothing_is_no_action_in_pettingzoo():
    env = gipf_v0.raw_env()
    env.reset()
    with pytest.raises(TypeError, match="not over"):
        env.step(None)
    env.step(0)


def test_the_limit_truncates_in_pettingzoo():
    env = gipf_v0.env(limit=4)
    env.reset(seed=1)
    turns = 0
    for agent in env.agent_iter():
        observation, reward, termination, truncation, info = env.last()
        turns += not (termination or truncation)
        assert not termination and (not truncation or (reward == 0 and info["reason"] == "limit"))
        env.step(None if truncation else env.action_space(agent).sample(observation["action_mask"]))
    assert turns == 4


def test_a_winner_is_rewarded_in_pettingzoo():
    env = gipf_v0.env(variant="basic")
    env.reset(seed=3)
    totals = dict.fromkeys(env.possible_agents, 0.0)
    for agent in env.agent_iter():
        observation, reward, termination, truncation, _ = env.last()
        totals[agent] += reward
        over = termination or truncation
        env.step(None if over else env.action_space(agent).sample(observation["action_mask"]))
    assert sorted(totals.values()) == [-1.0, 1.0]
    assert totals == dict(zip(env.possible_agents, env.unwrapped.position.returns(), strict=True))


def test_pettingzoo_refuses_what_it_should():
    state = gipf.State("basic")
    while not state.is_over:
        state.apply(state.legal_actions()[-1])
    with pytest.raises(gipf.PositionError, match="the game is over before it starts"):
        gipf_v0.env(gpn=state.gpn())
    with pytest.raises(gipf.PositionError, match="variant standard: expected basic, as gpn says"):
        gipf_v0.env(variant="standard", gpn=gipf.State("basic").gpn())
    assert gipf_v0.env(gpn=gipf.State("basic").gpn()).unwrapped.position.variant == "basic"
    env = gipf_v0.raw_env()
    env.reset(seed=0)
    with pytest.raises(TypeError):
        env.step(1.9)
    env.step(np.int64(1))
    assert env.position.history == [1]


@pytest.mark.parametrize("render_mode", [None, "ansi", "rgb_array", "human"])
def test_gymnasium_checks(render_mode, capsys):
    from gymnasium.utils.env_checker import check_env

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        check_env(gymnasium.make("Gipf-v0", opponent="greedy", render_mode=render_mode).unwrapped)
    assert [str(warning.message) for warning in caught] == []


@pytest.mark.parametrize("variant", gipf.VARIANTS)
def test_a_versioned_id_names_the_rule_set_and_all_that_counts(variant):
    env = gymnasium.make(f"gipf/{variant.replace('+', '-')}-v1")
    made = env.unwrapped
    env.reset(seed=1)
    assert made.position.variant == variant
    assert list(env.observation_space.shape) == gipf.observation_shape(variant)
    assert env.action_space.n == gipf.action_space(variant)
    named = env.spec.kwargs
    fixed = {"opponent": "random", "seat": "random", "limit": 400, "opening_plies": 0, "illegal": "lose"}
    assert named == {"variant": variant} | fixed
    assert set(inspect.signature(type(made)).parameters) - set(named) == {"render_mode", "screen_size"}
    assert gymnasium.make(env.spec.id, opponent="greedy").spec.kwargs == named | {"opponent": "greedy"}


@pytest.mark.parametrize("seat", [0, 1, "random"])
def test_gymnasium_games_end_with_a_result(seat):
    env = gymnasium.make("Gipf-v0", opponent="random", seat=seat, variant="basic")
    results = []
    for seed in range(8):
        _, info = env.reset(seed=seed)
        assert seat in ("random", info["seat"])
        over = False
        while not over:
            action = env.action_space.sample(info["action_mask"])
            _, reward, terminated, truncated, info = env.step(action)
            assert (info["action_mask"] == env.unwrapped.action_masks()).all()
            over = terminated or truncated
        results.append(reward)
    assert set(results) <= {-1.0, 0.0, 1.0} and any(results)


@pytest.mark.parametrize("opponent", ["random", "greedy"])
def test_gymnasium_games_begin_with_a_decision_however_long_their_openings(opponent):
    env = gymnasium.make("Gipf-v0", opponent=opponent, variant="basic", opening_plies=40)
    lengths = set()
    for seed in range(60):
        _, info = env.reset(seed=seed)
        assert info["action_mask"].any() and not env.unwrapped.position.is_over, seed
        lengths.add(len(env.unwrapped.position.history))
    assert max(lengths) > 20, "most openings are long"
    # No game is possible whose first move by the opponent would end it; with two moves the agent has a decision.
    env = gymnasium.make("Gipf-v0", opponent=opponent, variant="basic", seat=1, limit=2, opening_plies=40)
    assert env.reset(seed=1)[1]["action_mask"].any()


def played_on(env, moves: int) -> list:
    """Returns what a Gymnasium environment shows in further steps, and in the games that begin meanwhile."""
    seen = []
    for move in range(moves):
        legal = np.flatnonzero(env.unwrapped.action_masks())
        observation, reward, terminated, truncated, info = env.step(int(legal[move % len(legal)]))
        seen += [observation.tolist(), reward, terminated, truncated, info["seat"]]
        if terminated or truncated:
            seen.append(env.reset()[0].tolist())
    return seen


@pytest.mark.parametrize("opponent", ["random", "greedy", "alpha-beta:1", "level:1", "pretrained:sims=8"])
def test_a_pickled_gymnasium_environment_goes_on(opponent):
    env = gymnasium.make("Gipf-v0", opponent=opponent, variant="basic", opening_plies=3, limit=40)
    env.reset(seed=4)
    played_on(env, 7)
    copies = [pickle.loads(pickle.dumps(env)), copy.deepcopy(env), copy.copy(env.unwrapped)]
    expected = played_on(env, 60)
    assert [played_on(again, 60) for again in copies] == [expected] * 3


def test_a_pickled_pettingzoo_environment_goes_on():
    def played(env, turns: int) -> list:
        seen = []
        for _ in range(turns):
            observation, reward, termination, truncation, info = env.last()
            seen += [env.agent_selection, observation["observation"].tolist(), reward, termination, truncation, info]
            over = termination or truncation
            env.step(None if over else int(np.flatnonzero(observation["action_mask"])[-1]))
            if not env.agents:
                env.reset()
        return seen

    env = gipf_v0.env(variant="basic", opening_plies=4, limit=25)
    env.reset(seed=2)
    played(env, 11)
    copies = [pickle.loads(pickle.dumps(env)), copy.deepcopy(env), copy.copy(env)]
    assert copy.copy(env.unwrapped).position is not env.unwrapped.position
    expected = played(env, 70)
    assert [played(again, 70) for again in copies] == [expected] * 3


def test_a_pickled_open_spiel_game_goes_on():
    import gipf.open_spiel  # noqa: F401

    state = pyspiel.load_game("python_gipf(variant=tournament,limit=12)").new_initial_state()
    for _ in range(7):
        state.apply_action(state.legal_actions()[-1])
    for again in (pickle.loads(pickle.dumps(state)), copy.deepcopy(state), copy.copy(state)):
        assert again.position == state.position and again.history() == state.history()
        assert again.get_game().limit == 12
        while not again.is_terminal():
            again.apply_action(again.legal_actions()[0])
        assert again.position.placements == 12 and not state.is_terminal()


def test_the_game_against_a_checkpoint_is_its_own(tmp_path):
    path = tmp_path / "net"
    path.write_bytes(gipf.Network(variant="tournament").__reduce__()[1][2])
    env = gymnasium.make("Gipf-v0", opponent=path)
    env.reset(seed=0)
    assert env.unwrapped.position.variant == "tournament"
    env = gymnasium.make("Gipf-v0", opponent=gipf.Player("greedy", variant="basic"))
    assert env.action_space.n == 63
    with pytest.raises(gipf.GipfError, match="greedy of basic: expected one of standard"):
        gymnasium.make("Gipf-v0", opponent=gipf.Player("greedy", variant="basic"), variant="standard")


@pytest.mark.parametrize("variant", gipf.VARIANTS)
def test_the_last_observation_is_from_the_view_of_the_agent(variant):
    env, is_last_to_move = gipf.gymnasium.GipfEnv(variant, limit=9), set()
    for seed in range(8):
        _, info = env.reset(seed=seed)
        over = False
        while not over:
            observation, _, terminated, truncated, info = env.step(np.flatnonzero(info["action_mask"])[0])
            over = terminated or truncated
        assert (observation == env.position.observation(player=info["seat"])).all()
        is_last_to_move.add(env.position.to_move == info["seat"])
    assert is_last_to_move == {False, True}


def test_what_an_opponent_raises_leaves_the_game_as_it_was():
    asked = []

    def failing(state):
        asked.append(state.to_move)
        if len(asked) in (3, 6):
            raise ZeroDivisionError("mine")
        return state.legal_actions()[0]

    env = gipf.gymnasium.GipfEnv("basic", opponent=failing, seat=1)
    env.reset(seed=0)
    env.step(5)
    for work in (lambda: env.step(3), env.reset):
        before = env.position.history
        with pytest.raises(ZeroDivisionError, match="mine"):
            work()
        assert env.position.history == before and env.position.to_move == env.seat == 1
        env.step(env.position.legal_actions()[0])
        env.step(env.position.legal_actions()[0])
    assert set(asked) == {0}


def test_environments_with_the_same_player_do_not_disturb_each_other():
    player = gipf.Player("random", variant="basic")
    envs = [gipf.gymnasium.GipfEnv(opponent=player) for _ in range(2)]
    alone = gipf.gymnasium.GipfEnv(opponent=player)
    expected = [alone.reset(seed=3)[0].tolist(), played_on(alone, 30)]
    found = [envs[0].reset(seed=3)[0].tolist(), []]
    for move in range(30):
        envs[1].reset(seed=move)
        legal = np.flatnonzero(envs[0].action_masks())
        observation, reward, terminated, truncated, info = envs[0].step(legal[move % len(legal)])
        found[1] += [observation.tolist(), reward, terminated, truncated, info["seat"]]
        if terminated or truncated:
            found[1].append(envs[0].reset()[0].tolist())
    assert found == expected


def test_gymnasium_refuses_what_it_should():
    env = gymnasium.make("Gipf-v0", illegal="raise")
    env.reset(seed=0)
    with pytest.raises(gipf.IllegalAction):
        env.step(63)
    env = gymnasium.make("Gipf-v0", disable_env_checker=True)
    env.reset(seed=0)
    _, reward, terminated, _, info = env.step(63)
    assert (reward, terminated, info["reason"], info["illegal"]) == (-1.0, True, "illegal", True)
    assert not info["action_mask"].any()
    assert not env.unwrapped.action_masks().any()
    for again in (env, copy.deepcopy(env)):
        with pytest.raises(gipf.IllegalAction, match="lost the game: expected a reset"):
            again.step(0)
    env.reset()
    for action in (1.9, float("nan"), "0", None):
        with pytest.raises(TypeError):
            env.step(action)
    assert not env.step(np.int64(0))[2]
    for seat in (2, True, 0.0, np.True_):
        with pytest.raises(gipf.GipfError, match="seat"):
            gymnasium.make("Gipf-v0", seat=seat)
    assert gymnasium.make("Gipf-v0", seat=np.int64(0)).reset()[1]["seat"] == 0
    for limit, seat in ((1, 1), (1, "random"), (0, 0)):
        with pytest.raises(gipf.GipfError, match=f"limit {limit}: expected at least"):
            gymnasium.make("Gipf-v0", limit=limit, seat=seat)
    assert gymnasium.make("Gipf-v0", limit=1, seat=0).reset()[1]["seat"] == 0


@pytest.mark.parametrize("variant", gipf.VARIANTS)
def test_open_spiel_simulates(variant):
    import gipf.open_spiel  # noqa: F401

    game = pyspiel.load_game(f"python_gipf(variant={variant},limit=60)")
    pyspiel.random_sim_test(game, num_sims=5, serialize=True, verbose=False)
    state = game.new_initial_state()
    while not state.is_terminal():
        state.apply_action(state.legal_actions()[-1])
    assert state.returns() == list(state.position.returns())


def test_open_spiel_integration_suite():
    suite = "'open_spiel.integration_tests.api_test', run_name='__main__', alter_sys=True"
    program = f"import gipf.open_spiel, runpy; runpy.run_module({suite})"
    command = [sys.executable, "-c", program, "--test_only_games=python_gipf$"]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr[-3000:]
    assert "python_gipf" in result.stderr and "OK" in result.stderr, result.stderr[-3000:]
