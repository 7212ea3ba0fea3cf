"""GIPF as an OpenSpiel game: importing this module registers `python_gipf`.

```python
import gipf.open_spiel
import pyspiel

game = pyspiel.load_game("python_gipf(variant=tournament)")
state = game.new_initial_state()
```

Actions have the numbers of the game's card and are written in notation, such as `e1-e4`. The observation tensor is
`(planes, 7, 7)`, from the view of the player to move.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyspiel
from open_spiel.python.observation import IIGObserverForPublicInfoGame

import gipf

__all__ = ["GipfGame", "GipfObserver", "GipfState"]

_GAME_TYPE = pyspiel.GameType(
    short_name="python_gipf",
    long_name="Python GIPF",
    dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
    chance_mode=pyspiel.GameType.ChanceMode.DETERMINISTIC,
    information=pyspiel.GameType.Information.PERFECT_INFORMATION,
    utility=pyspiel.GameType.Utility.ZERO_SUM,
    reward_model=pyspiel.GameType.RewardModel.TERMINAL,
    max_num_players=2,
    min_num_players=2,
    provides_information_state_string=True,
    provides_information_state_tensor=False,
    provides_observation_string=True,
    provides_observation_tensor=True,
    parameter_specification={"variant": "standard", "limit": 400},
)

# A turn has one placement, and at most this many further decisions for its captures (every row, and each special
# piece).
_MOST_DECISIONS_A_TURN = 12


class GipfGame(pyspiel.Game):
    """The game; `variant` is a rule set and `limit` the number of placements after which a game is cut off.

    Raises `gipf.PositionError` if there is no such rule set.
    """

    def __init__(self, params: dict[str, Any] | None = None) -> None:
        params = params or {}
        self.variant = str(params.get("variant", "standard"))
        self.limit = int(params.get("limit", 400))
        start = gipf.State(self.variant, limit=self.limit)
        self.observation_shape = tuple(start.observation_shape)
        info = pyspiel.GameInfo(
            num_distinct_actions=start.num_actions,
            max_chance_outcomes=0,
            num_players=2,
            min_utility=-1.0,
            max_utility=1.0,
            utility_sum=0.0,
            max_game_length=max(self.limit, 1) * _MOST_DECISIONS_A_TURN,
        )
        super().__init__(_GAME_TYPE, info, params)

    def new_initial_state(self, from_history: Any = None) -> GipfState:
        """Returns the start of a game; `from_history` is not used."""
        return GipfState(self)

    def make_py_observer(self, iig_obs_type: Any = None, params: dict[str, Any] | None = None) -> Any:
        """Returns the observer for OpenSpiel's algorithms in Python."""
        if iig_obs_type is None or (iig_obs_type.public_info and not iig_obs_type.perfect_recall):
            return GipfObserver(self, params)
        return IIGObserverForPublicInfoGame(iig_obs_type, params)


class GipfState(pyspiel.State):
    """A position; `position` is the `gipf.State` behind it."""

    def __init__(self, game: GipfGame) -> None:
        super().__init__(game)
        self.position = gipf.State(game.variant, limit=game.limit)

    def current_player(self) -> int:
        """Returns the player who decides, 0 (White) or 1 (Black), or the terminal player if the game is over."""
        return pyspiel.PlayerId.TERMINAL if self.position.is_over else self.position.to_move

    def _legal_actions(self, player: int) -> list[int]:
        return self.position.legal_actions() if player == self.position.to_move else []

    def _apply_action(self, action: int) -> None:
        self.position.apply(action)

    def _action_to_string(self, player: int, action: int) -> str:
        return self.position.action_to_string(action)

    def is_terminal(self) -> bool:
        """Returns whether the game is over, by its rules or by the limit."""
        return self.position.is_over

    def returns(self) -> list[float]:
        """Returns the results of White and Black: 1, -1 or 0; also 0 if the limit ended the game."""
        return list(self.position.returns())

    def __str__(self) -> str:
        return self.position.render("text")


class GipfObserver:
    """What a player sees, which is everything: `tensor` is flat, `dict["observation"]` is the same as `(planes, 7, 7)`.

    Raises `gipf.GipfError` if it is given parameters.
    """

    def __init__(self, game: GipfGame, params: dict[str, Any] | None) -> None:
        if params:
            raise gipf.GipfError(f"observer parameters {params}: expected none")
        self.tensor = np.zeros(game.observation_shape, np.float32).reshape(-1)
        self.dict = {"observation": self.tensor.reshape(game.observation_shape)}

    def set_from(self, state: GipfState, player: int) -> None:
        """Writes the observation of the player to move, whichever `player` is asked for."""
        self.dict["observation"][:] = state.position.observation()

    def string_from(self, state: GipfState, player: int) -> str:
        """Returns a drawing of the board."""
        return str(state)


pyspiel.register_game(_GAME_TYPE, GipfGame)
