"""GIPF against a built-in opponent, as a Gymnasium environment: one agent, one seat.

```python
import gymnasium
import gipf.gymnasium  # registers Gipf-v0

env = gymnasium.make("Gipf-v0", opponent="greedy")
observation, info = env.reset(seed=0)
observation, reward, terminated, truncated, info = env.step(env.action_space.sample(info["action_mask"]))
```

The observation is `(planes, 7, 7)` float32 from the agent's view; the mask stands in `info["action_mask"]` and is what
`action_masks()` returns, which sb3-contrib's MaskablePPO asks for.
"""

from __future__ import annotations

from typing import Any, Literal

import gymnasium
import numpy as np
from gymnasium import spaces

import gipf
from gipf._shared import opened, rendered

__all__ = ["GipfEnv"]


class GipfEnv(gymnasium.Env):
    """One seat of the game.

    `opponent` is the name of an agent (see `gipf.Player`) or a function from a `gipf.State` to an action; `seat` is 0
    (White), 1 (Black) or "random", drawn anew for each game. The opponent's turns are played within `step`.

    An illegal action loses the game, with `info["illegal"]`, since agents that know nothing of masks play it as well;
    with `illegal="raise"` it raises `gipf.IllegalAction`.
    """

    metadata = {"render_modes": ["human", "ansi", "rgb_array"], "render_fps": 2}

    def __init__(
        self,
        variant: str = "standard",
        *,
        opponent: Any = "random",
        seat: int | Literal["random"] = "random",
        limit: int | None = 400,
        opening_plies: int = 0,
        illegal: Literal["lose", "raise"] = "lose",
        render_mode: str | None = None,
        screen_size: int = 460,
    ) -> None:
        if seat not in (0, 1, "random"):
            raise gipf.GipfError(f"seat {seat!r}: expected 0, 1 or 'random'")
        if illegal not in ("lose", "raise"):
            raise gipf.GipfError(f"illegal {illegal!r}: expected 'lose' or 'raise'")
        self.render_mode = render_mode
        self._loses_if_illegal = illegal == "lose"
        self._start = gipf.State(variant, limit=limit)
        self._opponent = gipf.Player(opponent, variant=variant) if isinstance(opponent, str) else opponent
        self._seat_wanted = seat
        self._opening_plies = opening_plies
        self._screen_size = screen_size
        self.seat = 0
        self.position = self._start.copy()
        self.observation_space = spaces.Box(-1.0, 1.0, tuple(self._start.observation_shape), np.float32)
        self.action_space = spaces.Discrete(self._start.num_actions)

    def reset(self, *, seed: int | None = None, options: dict | None = None) -> tuple[np.ndarray, dict[str, Any]]:
        super().reset(seed=seed)
        self.seat = int(self.np_random.integers(2)) if self._seat_wanted == "random" else self._seat_wanted
        if isinstance(self._opponent, gipf.Player):
            self._opponent.new_game(int(self.np_random.integers(2**63)))
        self.position = opened(self._start, self._opening_plies, self.np_random)
        self._let_opponent_play()
        return self._look()

    def step(self, action: int) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        try:
            self.position.apply(int(action))
        except gipf.IllegalAction:
            if not self._loses_if_illegal or self.position.is_over:
                raise
            observation, info = self._look()
            return observation, -1.0, True, False, info | {"illegal": True}
        self._let_opponent_play()
        observation, info = self._look()
        truncated = self.position.is_truncated
        terminated = self.position.is_over and not truncated
        return observation, float(self.position.returns()[self.seat]), terminated, truncated, info

    def action_masks(self) -> np.ndarray:
        """Returns the legal actions as truth values, for sb3-contrib."""
        return self.position.action_mask().astype(bool)

    def render(self) -> str | np.ndarray | None:
        return rendered(self.position, self.render_mode, self._screen_size)

    def _let_opponent_play(self) -> None:
        while not self.position.is_over and self.position.to_move != self.seat:
            opponent = self._opponent
            choose = opponent.choose if isinstance(opponent, gipf.Player) else opponent
            self.position.apply(int(choose(self.position)))

    def _look(self) -> tuple[np.ndarray, dict[str, Any]]:
        info = {"action_mask": self.position.action_mask(), "seat": self.seat}
        if self.position.is_over:
            info["reason"] = self.position.reason
        if self.render_mode == "human":
            self.render()
        return self.position.observation(), info


gymnasium.register(id="Gipf-v0", entry_point="gipf.gymnasium:GipfEnv")
