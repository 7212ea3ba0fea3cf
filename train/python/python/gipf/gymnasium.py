"""GIPF against a built-in opponent, as a Gymnasium environment: one agent, one seat.

```python
import gymnasium
import gipf.gymnasium  # registers gipf/standard-v1 and those of the other rule sets, and Gipf-v0

env = gymnasium.make("gipf/standard-v1", opponent="greedy")
observation, info = env.reset(seed=0)
observation, reward, terminated, truncated, info = env.step(env.action_space.sample(info["action_mask"]))
```

The observation is `(planes, 7, 7)` float32 from the agent's view, also when the game is over; the mask is in
`info["action_mask"]` and is returned by `action_masks()`, which sb3-contrib's MaskablePPO calls.
"""

from __future__ import annotations

import copy
import functools
import os
import re
from operator import index
from typing import Any, Literal

import gymnasium
import numpy as np
from gymnasium import spaces

import gipf
from gipf._shared import MOST_PLIES, SIDES, described, one_of, opened, rendered, whole

__all__ = ["GipfEnv"]


class GipfEnv(gymnasium.Env):
    """One seat of the game; the opponent's turns are played within `step`.

    * `variant`: the rule set; by default that of the opponent, and standard against a function.
    * `opponent`: a `gipf.Player` (a copy of it plays), the name or path of one, or a function from a `gipf.State` to an
      action.
    * `seat`: 0 (White), 1 (Black) or "random", drawn anew for each game.
    * `limit`: the number of placements after which a game is truncated; None for never, except in push-off,
      which then has 400.
    * `opening_plies`: the number of random decisions that begin each game, 0 to 65535; fewer if the game would end. The
      seed of the reset decides them, and not as the seed of a `gipf.VecEnv` does.
    * `illegal`: what an illegal action does. "lose": it loses the game, with `info["illegal"]`, so that agents without
      masks can play; `reset` begins the next one. "raise": it raises `gipf.IllegalAction` and changes nothing.
    * `render_mode`: None, "human" (prints to the terminal), "ansi" (text) or "rgb_array".
    * `screen_size`: the side of an "rgb_array", 16 to 4096 pixels.

    The observation space is a box `(planes, 7, 7)` of float32, -1 to 1; the action space is discrete. `position` is the
    `gipf.State` behind it, `seat` the seat of this game.

    Raises `gipf.GipfError` and its subclasses for settings that do not fit, as `gipf.Player` and `gipf.State` do.

    Pickled and copied environments continue as the original would: the opponent replays its thinking about the game,
    unless it thinks by the clock. The result of `gymnasium.make` shares its game with `copy.copy`, not with
    `copy.deepcopy`.

    If an opponent raises an exception, or Ctrl-C is pressed, the game stays as it was before the call.
    """

    metadata = {"render_modes": ["human", "ansi", "rgb_array"], "render_fps": 2}

    def __init__(
        self,
        variant: str | None = None,
        *,
        opponent: Any = "random",
        seat: int | Literal["random"] = "random",
        limit: int | None = 400,
        opening_plies: int = 0,
        illegal: Literal["lose", "raise"] = "lose",
        render_mode: str | None = None,
        screen_size: int = 460,
    ) -> None:
        self._seat_wanted = one_of("seat", seat, 0, 1, "random")
        self._loses_if_illegal = one_of("illegal", illegal, "lose", "raise") == "lose"
        self.render_mode = one_of("render_mode", render_mode, None, *self.metadata["render_modes"])
        self._opponent = _opponent(opponent, variant)
        if variant is None:
            variant = self._opponent.variant if isinstance(self._opponent, gipf.Player) else "standard"
        self._start = gipf.State(variant, limit=limit)
        least = 1 if seat == 0 else 2
        if limit is not None and limit < least:
            raise gipf.GipfError(f"limit {limit}: expected at least {least}, so that the agent has a decision")
        self._opening_plies = whole("opening_plies", opening_plies, 0, MOST_PLIES)
        self._screen_size = whole("screen_size", screen_size, *SIDES)
        self._opponent_seed = self._opened = self.seat = 0
        self._is_lost = False
        self.position = self._start.copy()
        self.observation_space = spaces.Box(-1.0, 1.0, tuple(self._start.observation_shape), np.float32)
        self.action_space = spaces.Discrete(self._start.num_actions)

    def reset(self, *, seed: int | None = None, options: dict | None = None) -> tuple[np.ndarray, dict[str, Any]]:
        """Begins a game, up to the agent's first decision, and returns the observation `(planes, 7, 7)` and `info`.

        `info` has the legal actions as `action_mask`, `(actions,)` int8, and the agent's `seat`. `seed` restarts all
        random numbers; `options` are not used.
        """
        super().reset(seed=seed)
        seat = int(self.np_random.integers(2)) if self._seat_wanted == "random" else self._seat_wanted
        opponent_seed = int(self.np_random.integers(2**63)) if isinstance(self._opponent, gipf.Player) else 0
        plies = self._opening_plies
        opening, position = self._begun(plies, seat, opponent_seed)
        # An opponent may end a game that its opening left open: after a shorter opening the agent has a decision.
        while position.is_over and plies > 0:
            plies //= 2
            opening, position = self._begun(plies, seat, opponent_seed)
        self.seat, self._opponent_seed, self._opened, self.position = seat, opponent_seed, opening, position
        self._is_lost = False
        return self._look()

    def step(self, action: int) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        """Plays an action, then the opponent up to the agent's next decision.

        Returns observation, reward, terminated, truncated and `info`, which has the `reason` of an end: one of those of
        `gipf.State`, or "illegal" after an illegal action that has lost the game, which `info["illegal"]` says too.
        After an end no action is legal. The reward is 1 or -1 when the agent has won or lost, otherwise 0.

        Raises `gipf.IllegalAction` with `illegal="raise"`, and when the game is over or lost.
        """
        if self._is_lost:
            raise gipf.IllegalAction("an illegal action has lost the game: expected a reset before the next step")
        try:
            position = self.position.child(action)
        except gipf.IllegalAction:
            if not self._loses_if_illegal or self.position.is_over:
                raise
            self._is_lost = True
            observation, info = self._look()
            return observation, -1.0, True, False, info
        self._let_opponent_play(position, self.seat)
        self.position = position
        observation, info = self._look()
        truncated = position.is_truncated
        terminated = position.is_over and not truncated
        return observation, float(position.returns()[self.seat]), terminated, truncated, info

    def action_masks(self) -> np.ndarray:
        """Returns a new array `(actions,)` of bool, True where an action is legal, for sb3-contrib."""
        return self._mask().astype(bool)

    def render(self) -> str | np.ndarray | None:
        """Returns the board as text ("ansi") or as an array `(size, size, 3)` of uint8, or prints it ("human")."""
        return rendered(self.position, self.render_mode, self._screen_size)

    def __copy__(self) -> GipfEnv:
        return copy.deepcopy(self)

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        opponent = self._opponent
        if not isinstance(opponent, gipf.Player) or opponent._is_timed:
            return
        opponent.new_game(self._opponent_seed)
        replayed = self._start.copy()
        for number, action in enumerate(self.position.history):
            if number >= self._opened and replayed.to_move != self.seat:
                opponent.choose(replayed)
            replayed.apply(action)

    def _begun(self, plies: int, seat: int, opponent_seed: int) -> tuple[int, gipf.State]:
        """Begins a game after this many random decisions; returns their number, and the agent's first decision."""
        if isinstance(self._opponent, gipf.Player):
            self._opponent.new_game(opponent_seed)
        position = opened(self._start, plies, self.np_random)
        opening = len(position.history)
        self._let_opponent_play(position, seat)
        return opening, position

    def _let_opponent_play(self, position: gipf.State, seat: int) -> None:
        while not position.is_over and position.to_move != seat:
            opponent = self._opponent
            position.apply(
                opponent.choose(position) if isinstance(opponent, gipf.Player) else _chosen(opponent, position)
            )

    def _look(self) -> tuple[np.ndarray, dict[str, Any]]:
        info: dict[str, Any] = {"action_mask": self._mask(), "seat": self.seat}
        if self._is_lost:
            info |= {"reason": "illegal", "illegal": True}
        elif self.position.is_over:
            info["reason"] = self.position.reason
        if self.render_mode == "human":
            self.render()
        return self.position.observation(player=self.seat), info

    def _mask(self) -> np.ndarray:
        mask = self.position.action_mask()
        return np.zeros_like(mask) if self._is_lost else mask


def _chosen(function: Any, position: gipf.State) -> int:
    """Returns the action that a function chooses; it may play on in the copy that it gets."""
    chosen = function(position.copy())
    try:
        return index(chosen)
    except TypeError:
        name = getattr(function, "__name__", type(function).__name__)
        raise TypeError(f"{name} returned {described(chosen)}: expected an action, an integer") from None


# The players that need no files: they are the same whenever they are named.
_FILELESS = re.compile(r"(pretrained|level|alpha-beta|baseline|random|greedy)(?![^:])(?!.*eval=)")


@functools.lru_cache(maxsize=8)
def _fileless(name: str, variant: str | None) -> gipf.Player:
    return gipf.Player(name, variant=variant)


def _opponent(opponent: Any, variant: str | None) -> Any:
    if isinstance(opponent, str) and _FILELESS.match(opponent):
        # Many environments share the tables of one network, of some 90 MB.
        return copy.copy(_fileless(opponent, variant))
    if isinstance(opponent, str | os.PathLike):
        return gipf.Player(opponent, variant=variant)
    if isinstance(opponent, gipf.Player):
        if variant not in (None, opponent.variant):
            raise gipf.GipfError(f"opponent {opponent.name} of {opponent.variant}: expected one of {variant}")
        # A player remembers one game at a time, and others may use it too.
        return copy.copy(opponent)
    if not callable(opponent):
        raise gipf.GipfError(f"opponent {described(opponent)}: expected a gipf.Player, its name or path, or a function")
    return opponent


gymnasium.register(id="Gipf-v0", entry_point="gipf.gymnasium:GipfEnv")
# The meaning of these names never changes: everything that a version decides is named here, so that no default matters.
for _variant in gipf.VARIANTS:
    gymnasium.register(
        id=f"gipf/{_variant.replace('+', '-')}-v1",
        entry_point="gipf.gymnasium:GipfEnv",
        kwargs={
            "variant": _variant,
            "opponent": "random",
            "seat": "random",
            "limit": 400,
            "opening_plies": 0,
            "illegal": "lose",
        },
    )
