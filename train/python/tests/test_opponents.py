"""Opponents in the environment of Gymnasium."""

import pytest

import gipf
import gipf.gymnasium


def test_an_opponent_that_looks_ahead_changes_nothing():
    def looks_ahead(state):
        action = state.legal_actions()[0]
        state.apply(action)
        return action

    env = gipf.gymnasium.GipfEnv("basic", opponent=looks_ahead, seat=0)
    _, info = env.reset(seed=0)
    for decisions in (2, 4, 6):
        _, _, terminated, truncated, info = env.step(int(info["action_mask"].argmax()))
        assert len(env.position.history) == decisions and env.position.to_move == 0
        assert not terminated and not truncated


def test_an_opponent_that_chooses_no_action_is_named():
    def undecided(state):
        return None

    env = gipf.gymnasium.GipfEnv("basic", opponent=undecided, seat=1)
    with pytest.raises(TypeError, match="undecided returned None: expected an action"):
        env.reset(seed=0)


def test_what_looks_like_a_time_in_a_path_is_none(tmp_path):
    (tmp_path / "time=1").mkdir()
    path = tmp_path / "time=1" / "net.safetensors"
    path.write_bytes(gipf.Network.initial(variant="basic").to_checkpoint())
    assert not gipf.Player(path)._is_timed and gipf.Player(f"mcts:{path},time=50ms")._is_timed
