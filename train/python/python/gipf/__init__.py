"""GIPF, Kris Burm's board game, for reinforcement learning.

* `State`: one position with its rules; `VecEnv`: many games stepped at once into numpy arrays.
* `Player`: the baseline AI and the tree search with a network; `Network`: the network alone.
* `Searches`: many tree searches in parallel, whose leaves your own evaluator judges.
* `self_play`: games of the search against itself with your own evaluator, to learn from; `gipf.data`: datasets of such
  games as training arrays.
* `analyse_record`: what every turn of a game was worth, and its mistakes.
* `play_match`: which of two players is stronger; `rate`: the Elo of any player.
* `gipf.ray`: trainings and datasets whose games a cluster plays; it is built on `Training`, `SelfPlayRun`, `Ladder`,
  `play_shard`, `play_shard_with` and `play_pairs`.
* `gipf.pettingzoo`, `gipf.gymnasium`, `gipf.open_spiel`: the same game behind the interfaces of other libraries.
* `gipf.minari`: datasets of `gipf self-play` for Minari.

Players are 0 (White, who begins) and 1 (Black). Actions are numbers below `action_space(variant)`; observations are
`(planes, 7, 7)` float32 from the view of the player to move. Both are described in the game's card, env/README.md of
the repository.
"""

from gipf._gipf import (
    VARIANTS,
    AgentError,
    Analysis,
    ArrayError,
    CheckpointError,
    DatasetError,
    EvaluatorError,
    GipfError,
    IllegalAction,
    InternalError,
    Ladder,
    MatchError,
    MatchReport,
    Network,
    PlayedGame,
    Player,
    PositionError,
    RatingReport,
    Searches,
    SelfPlay,
    SelfPlayRun,
    Shards,
    State,
    Training,
    TrainingError,
    VecEnv,
    __version__,
    action_space,
    observation_shape,
    plane_weights,
    play_match,
    play_pairs,
    play_shard,
    play_shard_with,
    rate,
    self_play,
)
from gipf.record import AnalysedTurn, GameAnalysis, LookedAt, PlayerSummary, TurningPoint, analyse_record

__all__ = [
    "VARIANTS",
    "AgentError",
    "AnalysedTurn",
    "Analysis",
    "ArrayError",
    "CheckpointError",
    "DatasetError",
    "EvaluatorError",
    "GameAnalysis",
    "GipfError",
    "IllegalAction",
    "InternalError",
    "Ladder",
    "LookedAt",
    "MatchError",
    "MatchReport",
    "Network",
    "PlayedGame",
    "Player",
    "PlayerSummary",
    "PositionError",
    "RatingReport",
    "Searches",
    "SelfPlay",
    "SelfPlayRun",
    "Shards",
    "State",
    "Training",
    "TrainingError",
    "TurningPoint",
    "VecEnv",
    "__version__",
    "action_space",
    "analyse_record",
    "observation_shape",
    "plane_weights",
    "play_match",
    "play_pairs",
    "play_shard",
    "play_shard_with",
    "rate",
    "self_play",
]
