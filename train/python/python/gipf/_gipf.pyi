"""The compiled part of the package."""

from collections.abc import Callable, Mapping, Sequence
from os import PathLike
from typing import Any, Literal, Self, final, overload

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "VARIANTS",
    "AgentError",
    "Analysis",
    "ArrayError",
    "CheckpointError",
    "GipfError",
    "IllegalAction",
    "InternalError",
    "MatchError",
    "MatchReport",
    "Network",
    "Player",
    "PositionError",
    "State",
    "VecEnv",
    "__version__",
    "action_space",
    "observation_shape",
    "play_match",
]

__version__: str
VARIANTS: tuple[str, ...]
"""The rule sets: basic, standard, tournament, each also with +zertz, and push-off."""

class GipfError(ValueError):
    """Anything that the package refuses, in one line that names what was given and what was expected."""

class IllegalAction(GipfError):
    """An action that cannot be played in this position; nothing has changed."""

class PositionError(GipfError):
    """A text or setting that is no position of its rule set."""

class AgentError(GipfError):
    """No agent of this name, or not for this rule set."""

class CheckpointError(AgentError):
    """A file that is no sound checkpoint, or one for another game."""

class MatchError(GipfError):
    """A match that cannot be played."""

class ArrayError(GipfError):
    """An array of the wrong shape, type or layout; nothing was written."""

class InternalError(GipfError):
    """A mistake in the package itself: please report it."""

def action_space(variant: str) -> int:
    """Returns the number of actions of a rule set: 63 (basic), 65 (standard), 107 (tournament), up to 373."""

def observation_shape(variant: str) -> list[int]:
    """Returns the shape of an observation: [planes, 7, 7]."""

@final
class State:
    """A position, with the game that led to it.

    `limit` is the number of placements after which a game is cut off, None for never; `gpn` a position text to start
    from, which names its own rule set; `potentials` the ZÈRTZ-potentials of each player, 3 to 6, where there are any.

    States are equal if nothing that may happen from them on differs. They are copied in a fraction of a microsecond, so
    undoing an action is keeping a copy.
    """

    def __new__(
        cls,
        variant: str = "standard",
        *,
        gpn: str | None = None,
        limit: int | None = 400,
        potentials: int | None = None,
    ) -> Self: ...
    def __copy__(self) -> Self: ...
    def __deepcopy__(self, _memo: Any) -> Self: ...
    def __reduce__(self) -> tuple[Any, ...]: ...
    def __eq__(self, value: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def copy(self) -> Self:
        """Returns a copy, on which nothing that is done to this state has an effect."""

    @property
    def variant(self) -> str:
        """The rule set."""

    @property
    def num_actions(self) -> int:
        """The number of actions of the rule set."""

    @property
    def observation_shape(self) -> list[int]:
        """The shape of an observation: [planes, 7, 7]."""

    @property
    def to_move(self) -> int:
        """Who decides: 0 (White) or 1 (Black). After a capture it may be the one who has just decided."""

    @property
    def phase(self) -> Literal["pre", "push", "post"]:
        """What is decided: a removal before the placement, the placement, a removal after it."""

    @property
    def placements(self) -> int:
        """The placements made so far."""

    @property
    def limit(self) -> int | None:
        """The placements after which the game is cut off."""

    @property
    def reserves(self) -> tuple[int, int]:
        """The pieces in reserve of White and Black."""

    @property
    def history(self) -> list[int]:
        """The actions played since the state was made."""

    @property
    def is_over(self) -> bool:
        """Whether the game is over, by its rules or by the limit."""

    @property
    def is_truncated(self) -> bool:
        """Whether the limit has cut the game off: it has no result."""

    @property
    def winner(self) -> int | None:
        """Who has won: 0, 1, or None."""

    @property
    def reason(self) -> str | None:
        """Why the game ended: no-gipf, no-move, repetition or limit."""

    def returns(self) -> tuple[float, float]:
        """Returns the result for White and for Black: 1, 0 or -1."""

    def gpn(self) -> str:
        """Returns the position text; the limit and the earlier positions are no part of it."""

    def legal_actions(self) -> list[int]:
        """Returns the legal actions, ascending; none if the game is over."""

    def action_mask(self) -> NDArray[np.int8]:
        """Returns a new array `(actions,)`, 1 = legal."""

    def observation(self) -> NDArray[np.float32]:
        """Returns a new array `(planes, 7, 7)`, from the view of the player to move."""

    def apply(self, action: int) -> None:
        """Plays an action. Raises `IllegalAction` if it cannot be played."""

    def child(self, action: int) -> Self:
        """Returns the state after an action. Raises `IllegalAction` if it cannot be played."""

    def action_to_string(self, action: int) -> str:
        """Returns a legal action in notation, such as `e1-e4`, `Gb2` or `e2`; different actions have different texts
        in a position."""

    def string_to_action(self, text: str) -> int:
        """Returns the legal action of a text. Raises `IllegalAction` if there is none, and says what would do."""

    @overload
    def render(self, mode: Literal["ansi", "text", "svg"] = "ansi", *, size: int = 460) -> str: ...
    @overload
    def render(self, mode: Literal["rgb_array"], *, size: int = 460) -> NDArray[np.uint8]: ...

@final
class VecEnv:
    """n games that are stepped together and show themselves in numpy arrays, which are written in place.

    A game that ends is started over in the same step: `observations`, `action_masks` and `to_move` then show the next
    game, while `rewards`, `terminated`, `truncated` and `final_observations` belong to the step that ended the old one.

    `out` brings arrays along, by name; what is missing is made. Steps run without the interpreter lock, over all cores
    (`RAYON_NUM_THREADS` limits them), and results do not depend on the number of cores.

    Pickled and copied environments go on as if nothing had happened, in arrays of their own.
    """

    def __new__(
        cls,
        variant: str = "standard",
        n: int = 1,
        *,
        seed: int = 0,
        opening_plies: int = 0,
        gpn: str | None = None,
        limit: int | None = 400,
        potentials: int | None = None,
        out: Mapping[str, NDArray[Any]] | None = None,
    ) -> Self: ...
    def __copy__(self) -> Self: ...
    def __deepcopy__(self, _memo: Any) -> Self: ...
    def __reduce__(self) -> tuple[Any, ...]: ...
    def __len__(self) -> int: ...
    @property
    def observations(self) -> NDArray[np.float32]:
        """`(n, planes, 7, 7)`, from the view of the player to move."""

    @property
    def action_masks(self) -> NDArray[np.int8]:
        """`(n, actions)`, 1 = legal."""

    @property
    def to_move(self) -> NDArray[np.int8]:
        """`(n,)`, who decides next: 0 or 1."""

    @property
    def rewards(self) -> NDArray[np.float32]:
        """`(n,)`, 1, 0 or -1 for the player who acted."""

    @property
    def terminated(self) -> NDArray[np.bool_]:
        """`(n,)`, whether the rules ended the game in this step."""

    @property
    def truncated(self) -> NDArray[np.bool_]:
        """`(n,)`, whether the limit cut the game off in this step."""

    @property
    def final_observations(self) -> NDArray[np.float32]:
        """`(n, planes, 7, 7)`, the last observation of the last game that ended."""

    def reset(self, *, seed: int | None = None, opening_plies: int | None = None) -> None:
        """Starts the next game in every environment; with a seed, the first one of that seed."""

    def step(self, actions: NDArray[np.integer[Any]] | Sequence[int]) -> None:
        """Plays one action in each environment. Raises `IllegalAction`, and then none has been stepped."""

    def state(self, index: int) -> State:
        """Returns a copy of the position of an environment, without the game before."""

    def ending(self, index: int) -> tuple[int | None, str] | None:
        """Returns the winner and the reason, if the environment's game ended in the last step."""

@final
class Network:
    """A policy-value network without a search: `pretrained`, or the path of a checkpoint, which knows its rule set.

    A pickled network brings its weights along: it needs no file where it is restored.
    """

    def __new__(cls, path: str | PathLike[str] = "pretrained", *, variant: str | None = None) -> Self: ...
    def __copy__(self) -> Self: ...
    def __deepcopy__(self, _memo: Any) -> Self: ...
    def __reduce__(self) -> tuple[Any, ...]: ...
    @property
    def variant(self) -> str:
        """The rule set that it is for."""

    def evaluate(self, observations: NDArray[np.float32]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Returns for observations `(n, planes, 7, 7)` the logits of the policy `(n, actions)`, legal or not, and the
        chances of win, draw and loss for the player to move `(n, 3)`."""

@final
class Analysis:
    """What a player thinks of a position."""

    action: int
    """The choice."""
    value: float | None
    """The result expected for the player to move, -1 to 1, if the player has an opinion."""
    nodes: int
    """The simulations of a tree search, or the positions that alpha-beta looked at."""
    line: list[int]
    """The actions expected to follow, the choice first."""
    proven: int | None
    """The result for the player to move, if the search has proven it: 1, 0 or -1."""

    def __copy__(self) -> Self: ...
    def __deepcopy__(self, _memo: Any) -> Self: ...
    def __reduce__(self) -> tuple[Any, ...]: ...
    @property
    def policy(self) -> NDArray[np.float32]:
        """`(actions,)`, adds up to 1; of a player without a tree search all of it is on the choice."""

    @property
    def visits(self) -> NDArray[np.uint32]:
        """`(actions,)`, the simulations through each action of a tree search."""

@final
class Player:
    """Anyone who plays, by name.

    `random`, `greedy`, `alpha-beta:1` to `alpha-beta:8` (the baseline AI), `alpha-beta:time=50ms`, `pretrained` (the
    network that comes along, 64 simulations), `pretrained:sims=400`, `pretrained:time=50ms`, `level:1` to `level:10`
    (strengths for people), or the path of a checkpoint, `mcts:PATH,sims=64` or a `pathlib.Path`. Without a variant, a
    checkpoint plays the rule set that it was trained for, and everybody else the standard game.

    `simulations` and `time` (seconds, up to a day) limit a single decision instead of what the name says; of both,
    whichever is reached first.

    A pickled or copied player brings its network along, and begins its game anew, as after `new_game` with the seed
    that was given last: what it has searched and drawn since is forgotten.
    """

    def __new__(
        cls, name: str | PathLike[str] = "pretrained", *, variant: str | None = None, seed: int = 0
    ) -> Self: ...
    def __copy__(self) -> Self: ...
    def __deepcopy__(self, _memo: Any) -> Self: ...
    def __reduce__(self) -> tuple[Any, ...]: ...
    @property
    def name(self) -> str:
        """What it is called in reports."""

    @property
    def variant(self) -> str:
        """The rule set that it plays."""

    def new_game(self, seed: int = 0) -> None:
        """Forgets the game before, and takes the seed of the next one."""

    def analyse(self, state: State, *, simulations: int | None = None, time: float | None = None) -> Analysis:
        """Thinks about a position and returns all that it found."""

    def choose(self, state: State, *, simulations: int | None = None, time: float | None = None) -> int:
        """Returns the action that it would play."""

    def policy(self, state: State, *, simulations: int | None = None, time: float | None = None) -> NDArray[np.float32]:
        """Returns the policy of `analyse`."""

    def value(self, state: State, *, simulations: int | None = None, time: float | None = None) -> float | None:
        """Returns the value of `analyse`."""

@final
class MatchReport:
    """What a match says; scores are those of the first player. Its text is the table of `gipf eval`."""

    def __copy__(self) -> Self: ...
    def __deepcopy__(self, _memo: Any) -> Self: ...
    def __reduce__(self) -> tuple[Any, ...]: ...
    @property
    def games(self) -> int: ...
    @property
    def wins(self) -> int: ...
    @property
    def draws(self) -> int: ...
    @property
    def losses(self) -> int: ...
    @property
    def score(self) -> float:
        """The share of the points, 0 to 1."""

    @property
    def score_interval(self) -> tuple[float, float]:
        """Its interval of 95 % (Wilson)."""

    @property
    def elo(self) -> float | None:
        """The difference in Elo; None if all games were won or lost."""

    @property
    def elo_interval(self) -> tuple[float | None, float | None]:
        """Its interval of 95 %, from the spread of the pairs."""

    def to_dict(self) -> dict[str, Any]:
        """Returns everything, as `gipf eval --json` prints it."""

def play_match(
    a: str | PathLike[str] | Player | Callable[[State], int],
    b: str | PathLike[str] | Player | Callable[[State], int],
    games: int = 200,
    *,
    variant: str | None = None,
    opening: int = 4,
    book: bool = False,
    limit: int = 400,
    seed: int = 0,
    progress: Callable[[int, int], None] | None = None,
) -> MatchReport:
    """Plays pairs of games, each pair from its own opening with colours exchanged, over all cores.

    A function is called with the `State` and returns an action; it is called where `play_match` was, for one game at a
    time, and what it raises ends the match and is raised here. Without a variant, that of the first player or
    checkpoint is played, else the standard game. The openings are `opening` random turns, or those of the book of
    balanced ones. `progress` is called with the pairs played and to be played.
    """
