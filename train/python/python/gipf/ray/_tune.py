"""Trainings as trials of Ray Tune."""

import json
import shutil
from pathlib import Path
from typing import Any

from gipf import Training, play_shard


def trainable(config: dict[str, Any]) -> None:
    """Trains with settings that Ray Tune has drawn, reports each iteration, and resumes: a function trainable.

    * `config`: settings as for `gipf train`, such as {"learning.learning_rate": tune.loguniform(1e-3, 2e-2)}; "preset"
      names the preset and "threads" the number of threads, which is that of `tune.with_resources` if it is not given.

    It reports "iteration", "games", "seconds", and of the last opponent that the settings name "score" and, if the
    opponent has one, "elo". Each report has the run as its checkpoint, so that a trial goes on where it was,
    with the settings that its run began with: a scheduler that changes those of a trial under way changes nothing here.
    """
    from ray import tune

    settings = dict(config)
    preset, threads = settings.pop("preset", "quick"), settings.pop("threads", None)
    context = tune.get_context()
    run = Path(context.get_trial_dir()) / "run"
    cores = int((context.get_trial_resources().required_resources or {}).get("CPU", 1))
    checkpoint = tune.get_checkpoint()
    if checkpoint:
        # A trial that takes over another one's checkpoint goes on from there, not from its own run.
        with checkpoint.as_directory() as folder:
            shutil.rmtree(run, ignore_errors=True)
            shutil.copytree(folder, run)
    if Training.exists(run):
        training = Training.resume(run)
    else:
        training = Training.create(run, preset=preset, settings=[f"{name}={value}" for name, value in settings.items()])
    while training.begin():
        for iteration, first, _, spec in training.next_shards(1000):
            played = play_shard(training.checkpoint(iteration), spec, threads=threads or max(cores, 1))
            training.ingest(iteration, first, played)
        training.learn()
        training.measure()
        tune.report(reported(training.save()), checkpoint=tune.Checkpoint.from_directory(run))


def reported(line: str) -> dict[str, Any]:
    """Returns the numbers of an iteration that trials are compared by."""
    metrics = json.loads(line)
    found = {
        "iteration": metrics["iteration"],
        "games": metrics["self_play"]["games"],
        "seconds": sum(metrics["seconds"].values()),
    }
    for rating in metrics["ratings"][-1:]:
        found |= {name: rating[name] for name in ("score", "elo") if rating[name] is not None}
    return found
