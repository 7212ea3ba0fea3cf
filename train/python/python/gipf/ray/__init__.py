"""Trainings on Ray: the run of `gipf train`, bit for bit, with its games played on any number of machines.

* `train`: begins a run or continues one; `python -m gipf.ray train` does the same.
* `self_play`: a dataset of `gipf self-play`, played in the same way; with your own evaluator on GPUs too.
* `ladder`: the ladder of `gipf ladder`, played in the same way.
* `trainable`: trainings as trials of Ray Tune.
* `Workers`: the interface of workers, for transports of your own; `RayWorkers` is the one on Ray.
* `drive`: the loop itself, for workers of any kind.

A game depends only on the seed, its number and the network, so it does not matter who plays it. Workers come and go
with their nodes; their results are checked game by game before they count.
"""

from gipf.ray._driver import Failed, Played, Shard, Stalled, Workers, drive
from gipf.ray._ladder import ladder
from gipf.ray._ray import RayWorkers
from gipf.ray._runs import self_play, train
from gipf.ray._tune import trainable

__all__ = [
    "Failed",
    "Played",
    "RayWorkers",
    "Shard",
    "Stalled",
    "Workers",
    "drive",
    "ladder",
    "self_play",
    "train",
    "trainable",
]
