"""Trainings on Ray: the run of `gipf train`, bit for bit, with its games played on any number of machines.

* `train`: begins a run or goes on with one; `python -m gipf.ray train` does the same.
* `self_play`: a dataset of `gipf self-play`, played likewise; with an evaluator of your own on GPUs too.
* `ladder`: the ladder of `gipf ladder`, played likewise.
* `trainable`: trainings as trials of Ray Tune.
* `Workers`: what plays, for transports of your own; `RayWorkers` is the one on Ray.
* `drive`: the loop itself, for workers of any kind.

A game depends on the seed, its number and the network alone, so who plays it does not matter. Workers come and go as
nodes do; what they return is checked game by game before it counts.
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
