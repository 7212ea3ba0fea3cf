"""GIPF as a PettingZoo environment, made like its classic games.

```python
from gipf import pettingzoo as gipf_v0

env = gipf_v0.env(render_mode="ansi")
env.reset(seed=7)
for agent in env.agent_iter():
    observation, reward, termination, truncation, info = env.last()
    over = termination or truncation
    env.step(None if over else env.action_space(agent).sample(observation["action_mask"]))
```

Observations are dicts of `observation`, `(planes, 7, 7)` float32, and `action_mask`, int8, which is all 0 for the agent
who is not to move. The planes are from the view of the agent who is to move, even if the other one is asked about: to
learn from the last observation of a truncated game, take its value for that agent. A turn can have several decisions of
one agent, who is then selected again.
"""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
from gymnasium import spaces
from pettingzoo import AECEnv
from pettingzoo.utils import wrappers

import gipf
from gipf._shared import MOST_PLIES, SIDES, one_of, opened, rendered, whole

__all__ = ["env", "raw_env"]


def env(**options: Any) -> AECEnv:
    """Returns `raw_env(**options)` in the usual wrappers: an illegal action loses the game."""
    return _Outermost(
        wrappers.AssertOutOfBoundsWrapper(wrappers.TerminateIllegalWrapper(raw_env(**options), illegal_reward=-1))
    )


class _Outermost(wrappers.OrderEnforcingWrapper):
    """The usual wrapper, except that its copies have their own game."""

    def __copy__(self) -> AECEnv:
        return copy.deepcopy(self)

    def __str__(self) -> str:
        return str(self.env)


class raw_env(AECEnv):
    """The game itself; `player_0` is White.

    * `variant`, `gpn`, `limit`: the rule set, a position to start from, and the number of placements after which a game
      is truncated, as for `gipf.State`.
    * `opening_plies`: the number of random decisions that begin each game, 0 to 65535; the seed of the reset decides
      them, and not as the seed of a `gipf.VecEnv` does.
    * `render_mode`: None, "human" (prints to the terminal), "ansi" (text) or "rgb_array".
    * `screen_size`: the side of an "rgb_array", 16 to 4096 pixels.

    Raises `gipf.GipfError` and its subclasses for settings that do not fit, such as `gipf.PositionError` for a game
    that is over.

    Pickled and copied environments continue as the original would.
    """

    metadata: dict[str, Any] = {
        "name": "gipf_v0",
        "render_modes": ["human", "ansi", "rgb_array"],
        "is_parallelizable": False,
        "render_fps": 2,
    }

    def __init__(
        self,
        variant: str | None = None,
        *,
        render_mode: str | None = None,
        limit: int | None = 400,
        opening_plies: int = 0,
        gpn: str | None = None,
        screen_size: int = 460,
    ) -> None:
        super().__init__()
        self.render_mode = one_of("render_mode", render_mode, None, *self.metadata["render_modes"])
        self.screen_size = whole("screen_size", screen_size, *SIDES)
        self._start = gipf.State(variant, gpn=gpn, limit=limit)
        if self._start.is_over:
            text = f"gpn: the game is over before it starts ({self._start.reason}): expected something to decide"
            raise gipf.PositionError(text)
        self._opening_plies = whole("opening_plies", opening_plies, 0, MOST_PLIES)
        self._random = np.random.default_rng()
        self.possible_agents = ["player_0", "player_1"]
        self.agents = self.possible_agents[:]
        shape = tuple(self._start.observation_shape)
        space = spaces.Dict(
            {
                "observation": spaces.Box(-1.0, 1.0, shape, np.float32),
                "action_mask": spaces.Box(0, 1, (self._start.num_actions,), np.int8),
            }
        )
        self.observation_spaces = {agent: space for agent in self.possible_agents}
        self.action_spaces = {agent: spaces.Discrete(self._start.num_actions) for agent in self.possible_agents}
        self._no_action = np.zeros(self._start.num_actions, np.int8)
        self.state_ = self._start.copy()

    def observation_space(self, agent: str) -> spaces.Space:
        """Returns the space of observations: `observation`, `(planes, 7, 7)` float32, and `action_mask`, int8."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space:
        """Returns the space of actions: numbers below the rule set's number of actions."""
        return self.action_spaces[agent]

    @property
    def position(self) -> gipf.State:
        """The `gipf.State` behind the observation."""
        return self.state_

    def reset(self, seed: int | None = None, options: dict | None = None) -> None:
        """Begins a game; `seed` restarts the random numbers of the openings, `options` are not used."""
        if seed is not None:
            self._random = np.random.default_rng(seed)
        self.state_ = opened(self._start, self._opening_plies, self._random)
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self.agent_selection = self.agents[self.state_.to_move]
        if self.render_mode == "human":
            self.render()

    def observe(self, agent: str) -> dict[str, np.ndarray]:
        """Returns `observation` and `action_mask`; the mask is all 0 for an agent who is not to move."""
        # After an illegal action, the wrapper that makes it lose selects the other agent, without the rules being told.
        is_over = self.state_.is_over or self.terminations.get(agent, False) or self.truncations.get(agent, False)
        is_asked = agent == self.possible_agents[self.state_.to_move] and not is_over
        mask = self.state_.action_mask() if is_asked else self._no_action.copy()
        # The rules show a position to the player who decides; the other player sees the same when asked.
        return {"observation": self.state_.observation(), "action_mask": mask}

    def step(self, action: int | None) -> None:
        """Plays an action of the selected agent; None when its game is over.

        When a game ends, `rewards` are 1, -1 or 0 and `infos` have the `reason` (`gipf.State`). Raises
        `gipf.IllegalAction` if the action cannot be played; with the wrappers of `env` the agent loses instead.
        """
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        if action is None:
            raise TypeError("None: expected an action, since the game is not over")
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        self.state_.apply(action)
        if self.state_.is_over:
            self.rewards = dict(zip(self.possible_agents, self.state_.returns(), strict=True))
            over = self.truncations if self.state_.is_truncated else self.terminations
            over.update(dict.fromkeys(self.agents, True))
            for info in self.infos.values():
                info["reason"] = self.state_.reason
        self._accumulate_rewards()
        self.agent_selection = self.possible_agents[self.state_.to_move]
        if self.render_mode == "human":
            self.render()

    def render(self) -> str | np.ndarray | None:
        """Returns the board as text ("ansi") or as an array `(size, size, 3)` of uint8, or prints it ("human")."""
        return rendered(self.state_, self.render_mode, self.screen_size)

    def __copy__(self) -> raw_env:
        return copy.deepcopy(self)

    def close(self) -> None:
        """There is nothing to close: `human` prints to the terminal."""
