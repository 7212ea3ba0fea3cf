"""The compiled part of the package."""

from collections.abc import Callable, Sequence
from os import PathLike
from pathlib import Path
from typing import Any, Literal, Self, final, overload

import numpy as np
from numpy.typing import NDArray
from typing_extensions import disjoint_base

__all__ = [
    "VARIANTS",
    "AgentError",
    "Analysis",
    "ArrayError",
    "CheckpointError",
    "DatasetError",
    "EvaluatorError",
    "GipfError",
    "IllegalAction",
    "InternalError",
    "Ladder",
    "MatchError",
    "MatchReport",
    "Network",
    "PlayedGame",
    "Player",
    "PositionError",
    "RatingReport",
    "Searches",
    "SelfPlay",
    "SelfPlayRun",
    "Shards",
    "State",
    "Training",
    "TrainingError",
    "VecEnv",
    "_Batches",
    "__version__",
    "_analyse_record",
    "_native_games",
    "_native_seconds",
    "action_space",
    "observation_shape",
    "plane_weights",
    "play_match",
    "play_pairs",
    "play_shard",
    "play_shard_with",
    "rate",
    "self_play",
]

__version__: str
VARIANTS: tuple[str, ...]
"""The rule sets: basic, standard, tournament, each also with +zertz, and push-off."""

class GipfError(ValueError):
    """Anything that the package refuses, in one line that names what was given and what was expected."""

class IllegalAction(GipfError):
    """An action that cannot be played in this position; nothing has changed."""

class PositionError(GipfError):
    """A rule set that does not exist, or a text or setting that is no position of its rule set."""

class AgentError(GipfError):
    """No agent has this name, or it does not play this rule set."""

class CheckpointError(AgentError):
    """A file that is missing, is not a sound checkpoint, or is one for another game."""

class MatchError(GipfError):
    """A match that cannot be played."""

class ArrayError(GipfError):
    """An array of the wrong shape, type or layout; nothing was written."""

class EvaluatorError(GipfError):
    """An answer of an evaluator that cannot be used: a wrong shape, type or number; nothing was taken."""

class DatasetError(GipfError):
    """A dataset that is missing, incomplete, damaged or of other settings, or that cannot be written."""

class TrainingError(GipfError):
    """A run, a setting or a shard that cannot be used: missing, in use, damaged, or out of range."""

class InternalError(GipfError):
    """A mistake in the package itself: please report it."""

def action_space(variant: str) -> int:
    """Returns the number of actions of a rule set: 63 (basic), 65 (standard), 107 (tournament), up to 373.

    Raises `PositionError` if there is no such rule set.
    """

def observation_shape(variant: str) -> list[int]:
    """Returns the shape of an observation of a rule set: [planes, 7, 7].

    Raises `PositionError` if there is no such rule set.
    """

def plane_weights(variant: str) -> NDArray[np.float32]:
    """Returns the weights of a rule set's binary planes in its planes of cells: (planes of cells, binary planes),
    float32.

    `VecEnv` has binary planes in the forms "u8" and "bits": for each plane of pieces that plane itself; for the lines
    handled (in push-off for the player's rows to be evaluated, then for the opponent's) those going N, NE and SE; for
    the pieces to be asked about those in question and the others. The scalars are the planes after those of cells.

    Raises `PositionError` if there is no such rule set.
    """

@final
class State:
    """A position, with the game that led to it.

    * `variant`: the rule set, one of `VARIANTS`; by default that of `gpn`, else standard.
    * `gpn`: a position text to start from, which names its rule set.
    * `limit`: the number of placements after which a game is cut off, 0 to 65535, where 0 is the same as 1; None for
      never, except in push-off, which then has 400.
    * `potentials`: the ZÈRTZ-potentials of each player, 3 to 6, in rule sets that have them.

    Raises `PositionError` if there is no such rule set or the text is not a position of it, `GipfError` if a number is
    out of range.

    Two states are equal if they have the same future: nothing that may happen from then on differs. A copy takes a
    fraction of a microsecond, so to undo an action, keep a copy.
    """

    def __new__(
        cls,
        variant: str | None = None,
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
        """Returns a copy; changes to either state do not affect the other."""

    @property
    def variant(self) -> str:
        """The rule set."""

    @property
    def num_actions(self) -> int:
        """The number of actions of the rule set, legal or not."""

    @property
    def observation_shape(self) -> list[int]:
        """The shape of an observation: [planes, 7, 7]."""

    @property
    def to_move(self) -> int:
        """The player who decides: 0 (White) or 1 (Black). After a capture it may be the player who has just decided."""

    @property
    def phase(self) -> Literal["pre", "push", "post"]:
        """The kind of decision: a removal before the placement ("pre"), the placement ("push"), or a removal after it
        ("post").
        """

    @property
    def placements(self) -> int:
        """The number of placements made so far, by both players."""

    @property
    def limit(self) -> int | None:
        """The number of placements after which the game is cut off; None for never, which push-off does not have."""

    @property
    def reserves(self) -> tuple[int, int]:
        """The number of pieces in the reserves of White and Black; a GIPF-piece takes two of them."""

    @property
    def history(self) -> list[int]:
        """The actions played since the state was made, the first one first."""

    @property
    def is_over(self) -> bool:
        """Whether the game is over, by its rules or by the limit."""

    @property
    def is_truncated(self) -> bool:
        """Whether the limit cut the game off without a result."""

    @property
    def winner(self) -> int | None:
        """The winner: 0 or 1; None if nobody has won, and while the game goes on."""

    @property
    def reason(self) -> str | None:
        """Why the game ended: "no-gipf", "no-move", "repetition" or "limit"; None while it goes on."""

    def returns(self) -> tuple[float, float]:
        """Returns the results of White and Black: 1 for a win, -1 for a loss, else 0, also while the game goes on."""

    def gpn(self) -> str:
        """Returns the position text, which is that of the beginning of the turn: the decisions of an unfinished turn
        are not part of it, nor are the limit, the placements made and the earlier positions. Of a state that was made
        in the middle of a turn, as by `VecEnv.state`, the text of that turn shows the pieces as they stood there. If
        the game is over, it is the text of what is left on the board.
        """

    def legal_actions(self) -> list[int]:
        """Returns the legal actions in ascending order; none if the game is over."""

    def action_mask(self) -> NDArray[np.int8]:
        """Returns a new array `(actions,)` of int8: 1 where an action is legal, else 0."""

    def observation(self, *, player: int | None = None) -> NDArray[np.float32]:
        """Returns a new array `(planes, 7, 7)` of float32, from the view of the player to move. The values lie
        between -1 and 1.

        * `player`: the player whose view it is instead, 0 or 1, as if that player were to move: for games that are
          over.

        Raises `GipfError` if there is no such player.
        """

    def apply(self, action: int) -> None:
        """Plays an action.

        Raises `IllegalAction` if it cannot be played; the state is then unchanged.
        """

    def child(self, action: int) -> Self:
        """Returns the state after an action; this state is unchanged.

        Raises `IllegalAction` if the action cannot be played.
        """

    def action_to_string(self, action: int) -> str:
        """Returns a legal action in notation, such as `e1-e4`, `Gb2` or `e2`. Different actions of a position have
        different texts.

        Raises `IllegalAction` if the action cannot be played.
        """

    def string_to_action(self, text: str) -> int:
        """Returns the legal action that a text stands for.

        Raises `IllegalAction` if there is none, with a hint about what is expected.
        """

    @overload
    def render(self, mode: Literal["ansi", "text", "svg"] = "ansi", *, size: int = 460) -> str:
        """Returns a picture of the board, with the last placement marked.

        * `mode`: "ansi" (text for terminals, with colours), "text" (without colours), "svg", or `"rgb_array"`, a new
          array `(size, size, 3)` of uint8.
        * `size`: the side of an `"rgb_array"`, 16 to 4096 pixels.

        Raises `GipfError` for other modes and sizes.
        """
    @overload
    def render(self, mode: Literal["rgb_array"], *, size: int = 460) -> NDArray[np.uint8]: ...

@final
class VecEnv:
    """n games that are stepped together, with their state in numpy arrays that are written in place.

    A game that ends starts over in the same step: `observations`, `action_masks` and `to_move` then show the next game,
    while `rewards`, `terminated`, `truncated` and `final_observations` belong to the step that ended the old one. The
    first games have begun when the object is created: `reset` without a seed begins the second ones.

    * `variant`, `gpn`, `limit`, `potentials`: as for `State`.
    * `n`: the number of games, up to 1 000 000.
    * `seed`: decides the random openings; an unsigned 64-bit integer.
    * `opening_plies`: the number of random decisions that begin each game, 0 to 65535.
    * `observations`: the form of observations and masks, "f32", "u8" or "bits".
    * `out`: arrays to write to, by the names of the properties; missing ones are created.

    In form "u8" the planes are zeros and ones, and numbers that fill a plane are in `scalars` instead; in form "bits"
    eight zeros and ones are a byte, the first in its lowest bit: this takes a 24th of the memory, if you unpack it on a
    GPU. `plane_weights` says what the binary planes mean. Bits become floats with `numpy`::

        actions = gipf.action_space(variant)
        planes = np.unpackbits(envs.observations[..., None], axis=-1, count=7, bitorder="little")
        masks = np.unpackbits(envs.action_masks, axis=-1, count=actions, bitorder="little")
        cells = np.einsum("pb,nbij->npij", gipf.plane_weights(variant), planes)
        scalars = np.broadcast_to(envs.scalars[:, :, None, None], (*envs.scalars.shape, 7, 7))
        observations = np.concatenate([cells, scalars], axis=1)  # those of form "f32"

    On a device, with `torch`::

        shifts = torch.arange(8, dtype=torch.uint8, device=device)
        packed = torch.from_numpy(envs.observations).to(device)
        planes = (packed[..., None] >> shifts[:7]) & 1
        packed = torch.from_numpy(envs.action_masks).to(device)
        masks = ((packed[..., None] >> shifts) & 1).flatten(1)[:, :actions]

    Steps run without the interpreter lock, on all cores (`RAYON_NUM_THREADS` limits them). Results do not depend on the
    number of cores. Pickled and copied environments continue as the original would, in arrays of their own. While one
    thread uses them, a call from another thread raises `GipfError`.

    Raises `PositionError` as `State` does, `ArrayError` if an array of `out` does not fit, `GipfError` if a number is
    out of range or there is not enough memory.
    """

    def __new__(
        cls,
        variant: str | None = None,
        n: int = 1,
        *,
        seed: int = 0,
        opening_plies: int = 0,
        gpn: str | None = None,
        limit: int | None = 400,
        potentials: int | None = None,
        observations: str = "f32",
        out: dict[str, NDArray[Any]] | None = None,
    ) -> Self: ...
    def __copy__(self) -> Self: ...
    def __deepcopy__(self, _memo: Any) -> Self: ...
    def __reduce__(self) -> tuple[Any, ...]: ...
    def __len__(self) -> int: ...
    @property
    def observations(self) -> NDArray[Any]:
        """`(n, planes, 7, 7)` float32: the observations, each from the view of the player to move. In form "u8" `(n,
        binary planes, 7, 7)` uint8, in form "bits" `(n, binary planes, 7)` uint8, a byte for each row.
        """

    @property
    def scalars(self) -> NDArray[np.float32] | None:
        """`(n, scalars)` float32: the numbers that each fill a plane in form "f32", the last planes there; None in that
        form.
        """

    @property
    def action_masks(self) -> NDArray[Any]:
        """`(n, actions)` int8: 1 where an action is legal, else 0. In form "u8" uint8, in form "bits" `(n, actions / 8,
        rounded up)` uint8.
        """

    @property
    def to_move(self) -> NDArray[np.int8]:
        """`(n,)` int8: the player who decides next, 0 (White) or 1 (Black)."""

    @property
    def rewards(self) -> NDArray[np.float32]:
        """`(n,)` float32: 1, 0 or -1 for the player who acted last; nonzero only if a game was won or lost."""

    @property
    def terminated(self) -> NDArray[np.bool_]:
        """`(n,)` bool: whether the rules ended the game in the last step."""

    @property
    def truncated(self) -> NDArray[np.bool_]:
        """`(n,)` bool: whether the limit cut the game off in the last step."""

    @property
    def final_observations(self) -> NDArray[Any]:
        """Like `observations`: for each environment, the last observation of the last game that ended. If the limit cut
        it off, it has the view of the player who acted last, in push-off that of the player whose turn it was.
        """

    @property
    def final_scalars(self) -> NDArray[np.float32] | None:
        """Like `scalars`, for the same positions; None in form "f32"."""

    def reset(self, *, seed: int | None = None, opening_plies: int | None = None) -> None:
        """Starts the next game in every environment; with a seed, the first game of that seed.

        `opening_plies` sets the number of random decisions that begin a game, from now on. Raises `GipfError` if a
        number is out of range.
        """

    def step(self, actions: NDArray[np.integer[Any]] | Sequence[int]) -> None:
        """Plays one action in each environment; `actions` is `(n,)`, integers of any type.

        Raises `IllegalAction` if an action cannot be played, and names its environment, `ArrayError` if the shape or
        type does not fit. Then no environment was stepped.
        """

    def state(self, index: int) -> State:
        """Returns a copy of the position of an environment, without its history.

        Raises `ArrayError` if there is no environment of this number.
        """

    def ending(self, index: int) -> tuple[int | None, str] | None:
        """Returns the winner and the reason (see `State`) if the game of an environment ended in the last step,
        otherwise None.

        Raises `ArrayError` if there is no environment of this number.
        """

@final
class Network:
    """A policy-value network without a search.

    * `path`: "pretrained", or the path of a checkpoint or a run. A checkpoint knows its rule set.
      "mcts:PATH,precision=f32" and "pretrained:precision=f32" evaluate entirely in 32-bit floats, as the network was
      trained, not partly in bytes.
    * `variant`: the rule set of "pretrained" (standard by default); for a checkpoint, the expected rule set.

    Raises `CheckpointError` if there is no sound checkpoint for this rule set at the path, `AgentError` if no network
    for the rule set is shipped with the package, `PositionError` if there is no such rule set.

    A pickled network includes its weights: it needs no file where it is restored.
    """

    def __new__(cls, path: str | PathLike[str] = "pretrained", *, variant: str | None = None) -> Self: ...
    def __copy__(self) -> Self: ...
    def __deepcopy__(self, _memo: Any) -> Self: ...
    def __reduce__(self) -> tuple[Any, ...]: ...
    @staticmethod
    def initial(kind: str = "line", *, variant: str = "standard", seed: int = 0, **sizes: Any) -> Network:
        """Returns a network with initial weights, before any learning.

        * `kind`: "line", "hex" or "mlp".
        * `variant`: the rule set.
        * `seed`: of its weights; the same seed gives the same weights.
        * `sizes`: the sizes of this kind of network, as in the settings `network` of a training, such as `features=16,
          mixing=[16], push_paths=True` (line), `blocks=4, channels=32` (hex) or `hidden=[256, 256]` (mlp); sizes that
          are left out have their defaults.

        Raises `PositionError` if there is no such rule set, `GipfError` if there is no such network.
        """

    def to_onnx(self) -> bytes:
        """Returns the network as an ONNX model, as `gipf export --to onnx` writes it: its input is `observation`, its
        outputs are `logits`, `value` and `wdl`, in 32-bit floats. docs/export.md describes them.
        """

    def to_checkpoint(self) -> bytes:
        """Returns the network as the content of a checkpoint, which `gipf`, `Player` and `Network` read from a file."""

    @property
    def variant(self) -> str:
        """The rule set that it is for."""

    def evaluate(self, observations: NDArray[np.float32]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Evaluates observations `(n, planes, 7, 7)`, float32, as `State.observation` and `VecEnv` give them.

        Returns two new arrays of float32: the logits of the policy `(n, actions)`, for legal and illegal actions (mask
        them before a softmax), and the probabilities of win, draw and loss for the player to move `(n, 3)`. A row does
        not depend on the others.

        Raises `ArrayError` if the shape, type or values are not those of observations.
        """

@final
class Analysis:
    """What a player found in a position."""

    action: int
    """The action chosen."""
    value: float | None
    """The expected result for the player to move, -1 to 1; None for players that do not estimate it. If only one action
    is legal, a tree search does not look further and gives 0.
    """
    nodes: int
    """The simulations of a tree search, or the positions that alpha-beta visited."""
    line: list[int]
    """The actions expected to follow, the chosen one first; empty for players that do not look ahead."""
    proven: int | None
    """The result for the player to move if the search has proven it: 1, 0 or -1, else None."""

    def __copy__(self) -> Self: ...
    def __deepcopy__(self, _memo: Any) -> Self: ...
    def __reduce__(self) -> tuple[Any, ...]: ...
    @property
    def policy(self) -> NDArray[np.float32]:
        """`(actions,)` float32, sums to 1: the policy that the search found. Without a tree search, the chosen action
        has all of it.
        """

    @property
    def visits(self) -> NDArray[np.uint32]:
        """`(actions,)` uint32: the visits of each action in a tree search, those kept from earlier searches of the same
        tree included, so that they may sum to more than `nodes`; 0 without a tree search.
        """

    @property
    def alternatives(self) -> list[tuple[int, float | None, int | None, list[int]]]:
        """The best actions by the player's search, the best first, at most `multipv` of them: for each (action, value,
        proven, line) as above.
        """

@final
class Player:
    """Any player, by name.

    * `name`: "random", "greedy", "baseline:1" to "baseline:8" (the baseline AI at eight strengths), "alpha-beta:1" to
      "alpha-beta:8" (the same by depth), "alpha-beta:time=50ms", "pretrained" (the network shipped with the package, 64
      simulations), "pretrained:sims=400", "pretrained:time=50ms", "level:1" to "level:10" (strengths for people),
      "mcts:PATH,sims=64", or the path of a checkpoint or a run, as text or `pathlib.Path`.
    * `variant`: the rule set. By default a checkpoint plays the rule set that it was trained for, everything else
      standard.
    * `seed`: of its random numbers; an unsigned 64-bit integer.

    Raises `AgentError` if there is no such player, `CheckpointError` if its file is not sound or is for another
    rule set.

    A player remembers its search from one decision of a game to the next. Asked again about the same position, a tree
    search begins anew: what it finds does not depend on how often it was asked; others go on. A pickled or copied
    player includes its network and begins its game as after `new_game` with the last seed. Ctrl-C ends a search at
    once.
    """

    def __new__(
        cls, name: str | PathLike[str] = "pretrained", *, variant: str | None = None, seed: int = 0
    ) -> Self: ...
    def __copy__(self) -> Self: ...
    def __deepcopy__(self, _memo: Any) -> Self: ...
    def __reduce__(self) -> tuple[Any, ...]: ...
    @property
    def name(self) -> str:
        """The name of the player in reports."""

    @property
    def variant(self) -> str:
        """The rule set that it plays."""

    @property
    def _is_timed(self) -> bool:
        """Whether its thinking is limited by its own clock."""

    @staticmethod
    def from_evaluator(
        evaluate: Callable[[NDArray[np.float32]], tuple[Any, Any]],
        simulations: int = 64,
        *,
        variant: str = "standard",
        root: Literal["puct", "gumbel"] = "puct",
        name: str | None = None,
    ) -> Player:
        """Returns a player that searches with your evaluator: a network of `PyTorch`, JAX or `NumPy`, or any other.

        * `evaluate`: a function from observations `(k, planes, 7, 7)`, float32, to logits `(k, actions)` and values
          `(k,)` or `(k, 3)`, as `Searches.apply` takes them: for the player to move.
        * `simulations`: per decision, 1 to 1 000 000.
        * `variant`: the rule set that it plays.
        * `root`: "puct" or "gumbel", as for `Searches`.
        * `name`: of the player in reports; by default the name of the function.

        It can play wherever a player is expected, such as in `play_match`. The function is called in the calling
        thread: for one position at a time while a single position is analysed, and for those of up to 32 searches in
        matches, ratings and `analyse` of a list. An exception in it is raised there, and ends the search or the match.
        It cannot call its own player, which is thinking: that raises `GipfError`.

        Raises `PositionError` if there is no such rule set, `GipfError` if a number is out of range; and while it
        thinks, `EvaluatorError` if an answer is not as expected.
        """

    def new_game(self, seed: int = 0) -> None:
        """Forgets the last game and takes the seed of the next one."""

    @overload
    def analyse(
        self,
        state: State,
        *,
        simulations: int | None = None,
        time: float | None = None,
        threads: int | None = None,
        multipv: int = 1,
    ) -> Analysis:
        """Thinks about a position and returns everything it found; for a list of positions, a list of results.

        `simulations` (for alpha-beta: positions) and `time` (seconds, up to a day) limit each decision instead of the
        limits in the name; with both, whichever is reached first. The other methods take the same limits and raise the
        same errors.

        A list is analysed in parallel on all cores, or on as many threads as `threads` says, each position as if its
        game had just begun: without a time limit the results depend neither on the threads nor on the rest of the list.
        A Python evaluator is called for the leaves of 32 searches at once.

        `multipv` is the number of actions in `Analysis.alternatives`, 1 to 400. A tree search knows them anyway;
        alpha-beta spends half of its limits on the best, and shares the rest among the others.

        Raises `AgentError` if a state is of another rule set or nothing limits the thinking, `IllegalAction` if its
        game is over, `GipfError` if a number is out of range.
        """

    @overload
    def analyse(
        self,
        state: list[State] | tuple[State, ...],
        *,
        simulations: int | None = None,
        time: float | None = None,
        threads: int | None = None,
        multipv: int = 1,
    ) -> list[Analysis]: ...
    def choose(self, state: State, *, simulations: int | None = None, time: float | None = None) -> int:
        """Returns the action that it would play, limited as in `analyse`."""

    def policy(self, state: State, *, simulations: int | None = None, time: float | None = None) -> NDArray[np.float32]:
        """Returns the policy that it finds, limited as in `analyse`: see `Analysis.policy`."""

    def value(self, state: State, *, simulations: int | None = None, time: float | None = None) -> float | None:
        """Returns the value that it finds, limited as in `analyse`: see `Analysis.value`."""

@final
class Searches:
    """n tree searches in parallel, whose leaves you evaluate: with a network of `PyTorch`, JAX or `NumPy`, or with
    anything else.

    * `variant`: the rule set.
    * `n`: the number of trees, up to 100 000, each for its own game.
    * `simulations`: per search, 0 to 1 000 000.
    * `root`: "puct", with the settings of players, which plays best; or "gumbel", with those of self-play after its
      first games: sequential halving, whose policies are the better targets when simulations are few, and PUCT below.
    * `noise`: whether the root is explored at random, as self-play needs it.
    * `slots`: 1, or 2 for two batches in flight: each slot has half of the trees, the first half or the second, so that
      one batch can be evaluated while the other trees are walked.
    * `limit`: the number of placements after which a game is cut off, 1 to 65535; it applies to the games at the start.
    * `seed`: of the noise; an unsigned 64-bit integer.

    All trees begin at the start of the game. `gather` and `apply` take turns until `gather` returns 0:

    ```python
    searches = gipf.Searches("standard", 256, simulations=64)
    while searches.gather():
        observations, masks = searches.leaves()
        logits, values = model(observations)
        searches.apply(logits, values)
    found = searches.results()
    ```

    Trees are walked without the interpreter lock, on all cores (`RAYON_NUM_THREADS` limits them). What a tree finds
    depends only on its position, its number, the seed and the evaluations. While one thread uses the searches, a call
    from another thread raises `GipfError`.

    Raises `PositionError` if there is no such rule set, `GipfError` if a number is out of range.
    """

    def __new__(
        cls,
        variant: str = "standard",
        n: int = 1,
        *,
        simulations: int = 64,
        root: Literal["puct", "gumbel"] = "puct",
        noise: bool = False,
        slots: Literal[1, 2] = 1,
        limit: int = 400,
        seed: int = 0,
    ) -> Self: ...
    def __len__(self) -> int: ...
    @property
    def variant(self) -> str:
        """The rule set."""

    def start(
        self,
        states: Sequence[State],
        trees: Sequence[int] | None = None,
        *,
        simulations: int | None = None,
        noise: bool | None = None,
    ) -> None:
        """Begins new searches: `states[i]` in tree i, or in tree `trees[i]` while the other trees go on.

        A tree keeps what it has found if the state is the one that it searched last, or follows from it: new visits are
        then added to the old ones. `simulations` and `noise` replace those of earlier searches. Leaves of the same
        slots that are waiting for their evaluations are withdrawn.

        Raises `GipfError` if there are not as many states as trees, if there is no such tree, or if a tree is named
        twice, `PositionError` if a state is of another rule set, `IllegalAction` if its game is over; then no search
        has begun.
        """

    def gather(self, slot: int = 0) -> int:
        """Walks the trees of a slot to their next leaves and returns how many leaves there are, k; 0 when all its
        searches have ended. `leaves` shows them. Called again before `apply`, it finds the same leaves.

        Raises `GipfError` if there is no such slot, `ArrayError` if the arrays are borrowed elsewhere.
        """

    def leaves(self, slot: int = 0) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
        """Returns the waiting leaves of a slot: the observations `(k, planes, 7, 7)` of float32, each from the view of
        the player to move, and the legal masks `(k, actions)` of bool.

        Both are views of arrays that the next `gather` of the slot overwrites.

        Raises `GipfError` if there is no such slot.
        """

    def apply(self, logits: Any, values: Any, slot: int = 0) -> None:
        """Takes the evaluations of the waiting leaves of a slot, row by row.

        * `logits`: `(k, actions)`, unnormalised log-priors. Those of illegal actions are ignored.
        * `values`: `(k,)`, the expected results from -1 to 1, or `(k, 3)`, the probabilities of win, draw and loss;
          both from the view of the player to move, whoever moved before.

        Both are float32 or float16, and arrays of `NumPy` or of anything with `__dlpack__`, in CPU memory. They are
        read before the call returns; logits in one piece are not copied.

        Raises `EvaluatorError` if a shape, a type or a number is not as expected, or no leaves are waiting; then
        nothing was taken, and the leaves still wait. Raises `GipfError` if there is no such slot.
        """

    def ended(self) -> list[int]:
        """Returns the trees whose searches have ended, ascending."""

    def results(self) -> dict[str, NDArray[Any]]:
        """Returns what all trees have found so far, in new arrays by name: "actions" `(n,)` int64, the ones to play;
        "policies" `(n, actions)` float32, the targets to learn; "values" `(n,)` float32, for the player to move;
        "visits" `(n, actions)` uint32, including reused ones.

        Raises `GipfError` if a tree has no evaluation of its root yet.
        """

    def analysis(self, tree: int) -> Analysis:
        """Returns everything that a tree has found so far.

        Raises `GipfError` if there is no such tree, or it has no evaluation of its root yet.
        """

    def forget(self) -> None:
        """Drops all trees, as is necessary for new weights; `start` begins the next searches."""

@final
class PlayedGame:
    """A finished game of `self_play`."""

    def __len__(self) -> int: ...
    @property
    def number(self) -> int:
        """The number of the game, from 0."""

    @property
    def variant(self) -> str:
        """The rule set."""

    @property
    def start(self) -> State:
        """A copy of the state in which the game began."""

    @property
    def actions(self) -> NDArray[np.int64]:
        """`(n,)` int64: all actions, including those without a search. They lead from the start to the end."""

    @property
    def values(self) -> NDArray[np.float32]:
        """`(n,)` float32: for each action, the value that the search found before it, for the player to move; NaN
        without a search.
        """

    @property
    def winner(self) -> int | None:
        """The winner: 0 or 1; None if nobody won."""

    @property
    def reason(self) -> Literal["no-gipf", "no-move", "repetition", "limit"]:
        """Why the game ended: "no-gipf", "no-move", "repetition" or "limit"."""

    @property
    def is_truncated(self) -> bool:
        """Whether the limit cut the game off without a result."""

    def samples(self, symmetry: int = 0, *, value_mix: float = 0.0) -> dict[str, NDArray[Any]]:
        """Returns what is learned from the game: its k fully searched positions, in new arrays with the names used by
        `gipf.data.batches`.

        * `symmetry`: the symmetry of the board, 0 to 11, under which all positions are shown; 0 leaves them as they
          are.
        * `value_mix`: the share of the search's value in "values" and "wdl", 0 to 1; the rest is the result of the
          game. If the game was cut off, they are the search's value alone, and "weights" are multiplied by the share.

        Raises `GipfError` if a number is out of range.
        """

@final
class SelfPlay:
    """Games of the search against itself, each as it ends: see `self_play`."""

    def __iter__(self) -> Self: ...
    def __next__(self) -> PlayedGame: ...

@final
class _Batches:
    def __new__(
        cls,
        folder: str | PathLike[str],
        batch: int,
        *,
        symmetries: bool,
        shuffle: bool,
        seed: int,
        value_mix: float,
        window: int,
        part: tuple[int, int],
    ) -> Self: ...
    def __iter__(self) -> Self: ...
    def __next__(self) -> dict[str, NDArray[Any]]: ...

@final
class MatchReport:
    """The result of a match, from the first player's view. Its text is the table of `gipf eval`."""

    def __copy__(self) -> Self: ...
    def __deepcopy__(self, _memo: Any) -> Self: ...
    def __reduce__(self) -> tuple[Any, ...]: ...
    @property
    def games(self) -> int:
        """The number of games played."""
    @property
    def wins(self) -> int:
        """The number of games that the first player won."""
    @property
    def draws(self) -> int:
        """The number of games without a winner, including those cut off by the limit."""
    @property
    def losses(self) -> int:
        """The number of games that the first player lost."""
    @property
    def score(self) -> float:
        """The share of the points, 0 to 1, with a draw counting half. NaN if no game was played."""

    @property
    def score_interval(self) -> tuple[float, float]:
        """The 95 % interval of the score (Wilson)."""

    @property
    def elo(self) -> float | None:
        """The difference in Elo that corresponds to the score; None if all games were won or all were lost."""

    @property
    def elo_interval(self) -> tuple[float | None, float | None]:
        """The 95 % interval of the difference, from the spread of the pairs; None for an infinite end."""

    def to_dict(self) -> dict[str, Any]:
        """Returns everything, as `gipf eval --json` prints it."""

@final
class RatingReport:
    """A player's rating. Its text is the table of `gipf rate`."""

    def __copy__(self) -> Self: ...
    def __deepcopy__(self, _memo: Any) -> Self: ...
    def __reduce__(self) -> tuple[Any, ...]: ...
    @property
    def elo(self) -> float:
        """The rating, in Elo. If all games were won, or all lost, only the bound `elo - margin` or `elo + margin` is
        known.
        """

    @property
    def margin(self) -> float:
        """Half of the 95 % interval, in Elo; the ratings of the judges are taken as exact."""

    @property
    def games(self) -> int:
        """The number of games."""

    def to_dict(self) -> dict[str, Any]:
        """Returns everything, as `gipf rate --json` prints it."""

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
    """Plays pairs of games over all cores, each pair from its own opening with colours exchanged.

    * `a`, `b`: players, names or paths of players, or functions from a `State` to an action.
    * `games`: an even number, 2 to 1 000 000.
    * `variant`: the rule set; by default that of the first player or checkpoint, else standard.
    * `opening`: the number of random turns of the openings, 0 to 65535; not used with `book`.
    * `book`: whether the openings come from the book of balanced openings of the rule set.
    * `limit`: the number of placements after which a game is cut off and counts as a draw, 1 to 65535.
    * `seed`: of the openings and the players.
    * `progress`: called with the number of pairs played and the number of all pairs.

    A function is called in the thread that called `play_match`, for one game at a time. An evaluator is called there
    too, for the leaves of up to 32 games at once, unless its opponent thinks for a time or on several threads and needs
    its own core. An exception in one of them ends the match and is raised here, and so does Ctrl-C.

    Raises `MatchError` if the match cannot be played, for example with an odd number of games, or with more games than
    the book has openings for; `AgentError` and `CheckpointError` as `Player` does; `IllegalAction` if a function
    returns an action that is not legal; `GipfError` if a number is out of range.
    """

def rate(
    player: str | PathLike[str] | Player | Callable[[State], int],
    *,
    variant: str | None = None,
    margin: float = 50.0,
    games: int = 1000,
    seed: int = 0,
    progress: Callable[[int, int], None] | None = None,
) -> RatingReport:
    """Rates a player on the scale of the ladder that is shipped with the package: `alpha-beta:1` has 1000 Elo there.

    It plays against players of that ladder, most often those close to it, in pairs of games with colours exchanged from
    the openings of the book, until its rating is known well enough, as `gipf rate` does.

    * `player`: a player, the name or path of one, or a function from a `State` to an action.
    * `variant`: "basic", "standard" or "tournament", for which there are ladders; by default that of the player or
      checkpoint, else standard.
    * `margin`: play until the rating is known to within this, 1 to 10 000 Elo: half of the 95 % interval.
    * `games`: the most games, an even number, 2 to 100 000.
    * `seed`: of all randomness in the games.
    * `progress`: called with the number of pairs played and the number of all pairs that may be played.

    A function is called in the thread that called `rate`, for one game at a time, an evaluator for the leaves of up to
    32 games at once. An exception in one of them ends the games and is raised here, and so does Ctrl-C. The players of
    the ladder take seconds to build; those of the last rule set are kept.

    Raises `MatchError` if there is no ladder for the rule set or the number of games is odd; otherwise as `play_match`
    does.
    """

@overload
def self_play(
    evaluate: Callable[[NDArray[np.float32]], tuple[Any, Any]],
    games: int,
    *,
    variant: str = "standard",
    parallel: int = 256,
    full_simulations: int = 64,
    cheap_simulations: int = 16,
    full_share: float = 0.25,
    random_plies: int = 6,
    noisy_turns: int = 12,
    limit: int = 400,
    potentials: int | None = None,
    seed: int = 0,
    name: str | None = None,
    out: None = None,
    progress: Callable[[int, int], object] | None = None,
) -> SelfPlay:
    """Lets the search play against itself with your evaluator, many games at once.

    * `evaluate`: a function from observations `(k, planes, 7, 7)`, float32, to logits `(k, actions)` and values `(k,)`
      or `(k, 3)`, as `Searches.apply` takes them: for the player to move. It is called in the calling thread.
    * `games`: the number of games.
    * `variant`, `limit`, `potentials`: the rule set and its settings, as for `State`; the limit is 1 to 65535.
    * `parallel`: the number of games at once, 1 to 100 000; the leaf of each is a row of the batch.
    * `full_simulations`, `cheap_simulations`: of a turn's searches, 1 to 1 000 000. A share `full_share` of the turns
      is searched fully: these are learned from, the others only move the game on.
    * `random_plies`: the most random decisions that a game begins with; each game has a random number of them.
    * `noisy_turns`: the number of turns at the beginning in which cheap searches are explored at random too.
    * `seed`: of the games, an unsigned 64-bit integer. A game depends on the seed, its number and the evaluator's
      answers for its leaves.
    * `name`: of the evaluator in the dataset; by default the name of the function.
    * `out`: the directory of a dataset, as `gipf self-play` writes it.
    * `progress`: called with the number of games that have ended and the number of all games, whenever some have ended.

    Without `out` the games come one by one, each as it ends: an iterator of `PlayedGame`. With `out` all of them are
    played before the call returns a dict of "games", "rows" and "files". If the evaluator raises an exception or Ctrl-C
    is pressed, the games that have ended are kept as a partial dataset, and the same call resumes it: if you have
    changed the network, give it another name, and the call is refused.

    Raises `EvaluatorError` if an answer is not as expected; then nothing was taken, and an iterator asks about the same
    leaves again. Raises `PositionError` if there is no such rule set, `GipfError` if a number is out of range,
    `DatasetError` if the directory holds another dataset or cannot be written to.
    """

@overload
def self_play(
    evaluate: Callable[[NDArray[np.float32]], tuple[Any, Any]],
    games: int,
    *,
    variant: str = "standard",
    parallel: int = 256,
    full_simulations: int = 64,
    cheap_simulations: int = 16,
    full_share: float = 0.25,
    random_plies: int = 6,
    noisy_turns: int = 12,
    limit: int = 400,
    potentials: int | None = None,
    seed: int = 0,
    name: str | None = None,
    out: str | PathLike[str],
    progress: Callable[[int, int], object] | None = None,
) -> dict[str, Any]: ...

@disjoint_base
class Shards:
    """Games in pieces that others play: the common part of `Training` and `SelfPlayRun`.

    Hand out `next_shards`, and give the results of `play_shard` to `ingest`, in any order. A shard counts once, even if
    results come late, twice or damaged. All methods may be called from several threads.
    """

    def set_shard_games(self, games: int) -> None:
        """Sets the most games of a shard, for the iterations that `begin` releases from now on."""

    def next_shards(self, most: int) -> list[tuple[int, int, int, bytes]]:
        """Hands out at most this many shards: a list of (iteration, first game, number of games, specification)."""

    def checkpoint(self, iteration: int) -> bytes:
        """Returns the content of the checkpoint that plays an iteration, which has begun and has not been learned."""

    def probe(self, iteration: int) -> bytes:
        """Returns the specification of the first game of an iteration: a worker plays it to show how it computes."""

    def ingest(self, iteration: int, first: int, result: bytes, *, core_seconds: float = 0.0) -> bool:
        """Takes in the result of a shard after checking it: its checksum, that it belongs to the specification, and
        every decision by the rules. Returns whether it counts: False if it was there before.

        * `core_seconds`: the CPU seconds that the player has spent, for the metrics.

        Raises `TrainingError` if the result is wrong: this counts as a failure of the shard, as by `fail`.
        """

    def reask(self, iteration: int, first: int) -> None:
        """Lets a shard be handed out again, since its player may be gone or slow. A result that comes late still
        counts.
        """

    def fail(self, iteration: int, first: int) -> bool:
        """Counts a failure of a shard, and lets it be handed out again; returns whether it is given up instead, after
        three failures.
        """

    def quarantined(self) -> list[tuple[int, int, int, bytes]]:
        """Returns the shards that were given up, as `next_shards` does."""

    def is_complete(self, iteration: int) -> bool:
        """Returns whether no shard of an iteration is waiting or handed out."""

    def counts(self) -> dict[str, int]:
        """Returns how many shards are "waiting", "out", "done" and "quarantined" now, and how many were "reasked" and
        came "repeated" in total.
        """

@final
class Training(Shards):
    """A training run whose games are played by others: the loop of `gipf train` in parts.

    `Training.create` begins a run and `Training.resume` continues one; the directory is that of `gipf train`, which can
    continue it too. While `begin` returns True, hand out `next_shards`, give the results of `play_shard` to `ingest`,
    in any order, until `is_complete`; then `learn`, `measure` and `save`. The weights, samples and metrics are those of
    `gipf train`, bit for bit, except for the times.

    `next_shards`, `ingest`, `reask`, `fail`, `checkpoint` and `counts` may be called from other threads while it
    learns: with the setting `run.lag` there are games to play meanwhile.
    """

    @staticmethod
    def create(
        run: str | PathLike[str],
        *,
        preset: str = "quick",
        settings: Sequence[str] = (),
        variant: str | None = None,
    ) -> Training:
        """Begins a run in a new directory.

        * `run`: the directory, which is created.
        * `preset`, `settings`: as for `gipf train`: the name of a preset, and changes such as "run.games=200".
        * `variant`: the rule set; by default that of the settings.

        Raises `TrainingError` if the directory is not free or a setting is out of range.
        """

    @staticmethod
    def open(
        run: str | PathLike[str],
        *,
        preset: str | None = None,
        config: str | PathLike[str] | None = None,
        settings: Sequence[str] = (),
        variant: str | None = None,
        from_: str | PathLike[str] | None = None,
        from_data: Sequence[str | PathLike[str]] = (),
        partial: bool = False,
        iterations: int | None = None,
        allow_push_off: bool = False,
    ) -> Training:
        """Begins a run, or continues the one in the directory, as `gipf train --run` does with the same options.

        The call that began a run may be repeated; another call that changes its settings is refused. It does not matter
        which of the two began the run: the program continues a run of this call, and the other way round.

        * `run`: the directory.
        * `preset`: the settings to begin with: quick, the default, hour, overnight or smoke.
        * `config`: a file of settings instead.
        * `settings`: changes, such as "run.games=200".
        * `variant`: the rule set; by default that of the settings, of the network or of the datasets.
        * `from_`: the run from whose state the new one begins; or a checkpoint, or "pretrained".
        * `from_data`: directories of datasets to which the network is first fitted.
        * `partial`: whether incomplete datasets are read too, with `from_data`.
        * `iterations`: the total number; an existing run is set to this length.
        * `allow_push_off`: begin a run of push-off although it cannot be learned.

        Raises `TrainingError` if the directory or a setting cannot be used, `CheckpointError` or `DatasetError` if the
        network or dataset that it begins from cannot be used.
        """

    @staticmethod
    def resume(run: str | PathLike[str]) -> Training:
        """Continues the run in a directory, after its last complete iteration.

        Raises `TrainingError` if there is no run, it is in use, or one of its files is damaged.
        """

    @staticmethod
    def exists(run: str | PathLike[str]) -> bool:
        """Returns whether a directory holds a run."""

    @property
    def path(self) -> Path:
        """The directory of the run."""

    @property
    def config(self) -> str:
        """The settings, as the text of config.toml."""

    @property
    def length(self) -> int:
        """The total number of iterations."""

    @property
    def games(self) -> int:
        """The number of games in an iteration."""

    @property
    def iterations(self) -> int:
        """The number of complete iterations."""

    @property
    def opponents(self) -> list[str]:
        """The names of the opponents that measure it, as the metrics have them, in the order of the settings."""

    def beaten(self) -> list[str]:
        """Returns the names of the opponents that play only at the end of the run, since they have lost their last 80
        games.

        Raises `TrainingError` if the metrics cannot be read.
        """

    @property
    def remarks(self) -> list[str]:
        """Remarks about what was found when the run was opened, for example that its settings were changed."""

    def begin(self) -> bool:
        """Begins the next iteration, unless it has begun; returns False when the run is complete."""

    def learn(self) -> None:
        """Lets the network learn from the games of the iteration, which must be complete, on all cores.

        Raises `TrainingError` if games are missing, or the network no longer computes finite numbers.
        """

    def measure(self) -> None:
        """Measures the network that has learned, in the games that the settings name, on all cores.

        Raises `TrainingError` if it has not learned.
        """

    def save(self) -> str:
        """Saves everything that the iteration made, and returns its metrics as JSON: the line of metrics.jsonl.

        Raises `TrainingError` if it has not been measured, or a file cannot be written.
        """

    def close(self) -> None:
        """Ends the work on the run, as soon as no other call is at work: its directory is then free for other programs,
        and for other objects of this one.

        An iteration that was not saved is played again by the object that continues the run.
        """

@final
class SelfPlayRun(Shards):
    """A dataset of self-play whose games are played by others: `gipf self-play` in parts.

    The games are played in portions, which are called iterations here, so that the code that drives a `Training` can
    drive this too: while `begin` returns True, the shards of the next portion are handed out and taken in, until
    `is_complete`; then `save` writes them. The files are the same as those of `gipf self-play` with the same settings,
    byte for byte; the same call resumes an unfinished dataset.

    * `checkpoint`: the network: a file, a run, or "pretrained"; None if an evaluator plays.
    * `games`: the number of games.
    * `out`: the directory of the dataset.
    * `variant`: the rule set; by default that of the network.
    * `simulations`, `cheap_simulations`, `full_share`: of a turn's searches; a share `full_share` of the turns is
      searched fully.
    * `random_plies`: the most random decisions that a game begins with, 0 to 100.
    * `limit`, `potentials`: placements after which a game is cut off, and ZÈRTZ-potentials.
    * `seed`: of the games.

    What is not given is as in `gipf self-play`, and not as in `gipf.self_play`, which searches a quarter of the turns
    fully and has the seed 0.

    * `portion`: the number of games that are written together, up to 1 000 000; twice as many are played at once. There
      are at most 1 000 000 portions. The last file of the dataset is written anew with each, until it is full, which
      takes up to a second.
    * `evaluator`: the name of your evaluator, if it plays instead of a checkpoint, by `play_shard_with`. Its results
      are checked by the rules; whether the same games come out again depends on the evaluator. If you change it, give
      it another name.

    Raises `CheckpointError` if the network is not sound, `DatasetError` if the directory holds another dataset,
    `GipfError` if a number is out of range.
    """

    def __new__(
        cls,
        checkpoint: str | PathLike[str] | None,
        games: int,
        out: str | PathLike[str],
        *,
        variant: str | None = None,
        simulations: int = 64,
        cheap_simulations: int = 16,
        full_share: float = 1.0,
        random_plies: int = 6,
        limit: int = 400,
        potentials: int | None = None,
        seed: int = 1,
        portion: int = 1000,
        evaluator: str | None = None,
    ) -> SelfPlayRun: ...
    @property
    def path(self) -> Path:
        """The directory of the dataset."""

    @property
    def games(self) -> int:
        """The total number of games."""

    @property
    def length(self) -> int:
        """The number of portions, once the first has begun."""

    @property
    def iterations(self) -> int:
        """The number of portions that have been written."""

    def begin(self) -> bool:
        """Lets the next portions be played; returns False when all games are written.

        Raises `TrainingError` if the dataset was kept as a partial one.
        """

    def save(self) -> str:
        """Writes the games of the first open portion, and returns how many games are written so far, as JSON. Even if
        this process is killed, the same call resumes the dataset after them.

        Raises `TrainingError` if games are missing or the dataset was kept as a partial one, `DatasetError` if a file
        cannot be written.
        """

    def keep(self) -> None:
        """Ends the work on the dataset, whose directory is then free: what was written stays, as a partial dataset that
        the same call resumes.
        """

    def report(self) -> dict[str, Any] | None:
        """Returns the content of the dataset once it is complete: "games", "rows" and "files"."""

def play_shard(checkpoint: bytes, spec: bytes, *, threads: int | None = None) -> bytes:
    """Plays the games of a shard: a pure function of bytes, on any machine.

    * `checkpoint`: the content of a checkpoint, as `Training.checkpoint` returns it.
    * `spec`: a specification, as `Training.next_shards` returns it; it names the checkpoint by its checksum.
    * `threads`: the number of threads that play; by default one for each core.

    Returns the games, which `Training.ingest` takes: the same bytes wherever they are played, on any number of threads,
    except for the hits of `self_play.cache` (off by default), which are counted beside the games.

    Raises `TrainingError` if the bytes are damaged or do not belong together.
    """

def play_shard_with(
    evaluate: Callable[[NDArray[np.float32]], tuple[Any, Any]], spec: bytes, *, parallel: int = 256
) -> bytes:
    """Plays the games of a shard with your evaluator, many of them at once.

    * `evaluate`: as for `self_play`.
    * `spec`: a specification, as `SelfPlayRun.next_shards` returns it for an evaluator.
    * `parallel`: the number of games at once, 1 to 100 000; the leaf of each is a row of the batch.

    Returns the games, which `SelfPlayRun.ingest` takes. They depend only on the evaluator's answers: if its answers for
    a position do not change, the bytes are the same wherever the games are played.

    Raises `TrainingError` if the specification is damaged, `EvaluatorError` if an answer is not as expected, and any
    exception of the evaluator.
    """

@final
class Ladder:
    """A ladder whose games are played by others: `gipf ladder` in parts.

    While `next_round` returns a round, hand out specifications of its pairs, let `play_pairs` play them anywhere,
    `check` the results, and `keep` all of them. Which round is due depends on the results alone, so the file is the
    same as that of `gipf ladder` with the same arguments, except for the seconds that players thought and the version
    of the program.

    * `players`: who may play, as for `gipf ladder`; without any, all players of the file that can play here, and for a
      new file random, greedy and the levels of alpha-beta.
    * `add`: players that join: in a file with results, only their games are played.
    * `store`: the file; by default ladder/VARIANT.jsonl, which begins with the results that are shipped with the
      package.
    * `variant`: the rule set; by default that of the players' networks.
    * `margin`: play until the distance of a player to its neighbours is known to within this, 1 to 10 000 Elo.
    * `games`: the most games between two players, 2 to 1 000 000.
    * `anchor`: the player whose rating is given, and the rating.
    * `book`: a file of openings; by default those that are shipped with the package.
    * `seed`: of all randomness in the games of a new file, by default 0; an existing file has its own.

    Raises `AgentError` if a player cannot be built, or thinks for a time or on several threads, since its games would
    depend on the machine. Raises `MatchError` if the file or the book cannot be used, `GipfError` if a number is out of
    range.
    """

    def __new__(
        cls,
        players: Sequence[str] = (),
        *,
        add: Sequence[str] = (),
        store: str | PathLike[str] | None = None,
        variant: str | None = None,
        margin: float = 40.0,
        games: int = 400,
        anchor: str = "alpha-beta:1=1000",
        book: str | PathLike[str] | None = None,
        seed: int | None = None,
    ) -> Self: ...
    @property
    def path(self) -> Path:
        """The file with the results."""

    @property
    def notes(self) -> list[str]:
        """Notes about the file: its flaws, and its players that cannot play here."""

    def next_round(self) -> tuple[str, str, int] | None:
        """Begins the round that is due, unless one has begun. Returns the names of its two players and its number of
        pairs of games, or None when everything asked for is known.
        """

    def players(self) -> bytes:
        """Returns the two players of the round, with their networks, as bytes."""

    def spec(self, first: int, pairs: int) -> bytes:
        """Returns the specification of some pairs of the round: this many, starting from pair `first`, counted from 0.

        Raises `GipfError` if the round has no such pairs.
        """

    def check(self, first: int, pairs: int, result: bytes) -> None:
        """Checks the result of some pairs of the round: its checksum, that it belongs to them, and every game by the
        rules.

        Raises `TrainingError` if the result is wrong.
        """

    def keep(self, results: Sequence[tuple[int, bytes]]) -> str:
        """Keeps the round, given the results of all its pairs in their order, and returns a line about it.

        * `results`: tuples of the number of the first pair and the bytes.

        Raises `TrainingError` if pairs are missing or wrong, `MatchError` if the file cannot be written.
        """

    def table(self) -> str:
        """Returns the table as JSON, as `gipf ladder --json` does; it has no players while there are no games."""

    def close(self) -> None:
        """Ends the work on the file, as soon as no other call is at work: it is then free for other programs, and for
        other objects of this one. A round that was not kept is played again by the object that continues the ladder.
        """

def play_pairs(players: bytes, spec: bytes, *, threads: int | None = None) -> bytes:
    """Plays pairs of games of a ladder: a function of bytes, on any machine.

    * `players`: two players, as `Ladder.players` returns them.
    * `spec`: a specification, as `Ladder.spec` returns it.
    * `threads`: the number of threads that play; by default one for each core.

    Returns the games, which `Ladder.keep` takes: the same ones wherever they are played, apart from the times.

    Raises `TrainingError` if the bytes are damaged, `AgentError` if a player plays differently here than where it was
    asked for.
    """

def _analyse_record(
    text: str,
    agent: str | PathLike[str] | None,
    variant: str | None,
    limits: tuple[int | None, float | None],
    threads: int | None,
    candidates: int,
) -> tuple[str, str | None]: ...
def _native_games(
    network: Network, games: int, full_simulations: int, cheap_simulations: int, seed: int
) -> list[PlayedGame]: ...
def _native_seconds(driver: str, variant: str, parallel: int, simulations: int, leaves: int) -> float: ...
