"""Trainings as trials of Ray Tune."""

import json
import shutil
import tomllib
from pathlib import Path
from typing import Any

from gipf import Training, play_shard


def trainable(config: dict[str, Any]) -> None:
    """Trains with settings that Ray Tune has drawn, reports each iteration, and resumes: a function trainable.

    * `config`: settings as for `gipf train`, such as {"learning.learning_rate": tune.loguniform(1e-3, 2e-2)}; "preset"
      names the preset and "threads" the number of threads, by default that of `tune.with_resources`.

    It reports "iteration", "games", "seconds", and for the last opponent in the settings "score", which is 1 once that
    opponent has lost so often that it no longer plays, and, if the score determines it, "elo". Each report has the run
    as its checkpoint, so that a trial continues where it was, with the settings with which its run began: a scheduler
    that changes the settings of a running trial has no effect.
    """
    from ray import tune

    settings = dict(config)
    preset, threads = settings.pop("preset", "quick"), settings.pop("threads", None)
    context = tune.get_context()
    run = Path(context.get_trial_dir()) / "run"
    cores = int((context.get_trial_resources().required_resources or {}).get("CPU", 1))
    checkpoint = tune.get_checkpoint()
    if checkpoint:
        # A trial that takes over another one's checkpoint continues from there, not from its own run.
        with checkpoint.as_directory() as folder:
            shutil.rmtree(run, ignore_errors=True)
            shutil.copytree(folder, run)
    if Training.exists(run):
        training = Training.resume(run)
    else:
        training = Training.create(
            run, preset=preset, settings=[f"{name}={toml(value)}" for name, value in settings.items()]
        )
    evaluation = tomllib.loads(training.config)["evaluation"]
    while training.begin():
        for iteration, first, _, spec in training.next_shards(1000):
            played = play_shard(training.checkpoint(iteration), spec, threads=threads or max(cores, 1))
            training.ingest(iteration, first, played)
        training.learn()
        training.measure()
        tune.report(reported(training.save(), evaluation), checkpoint=tune.Checkpoint.from_directory(run))


def toml(value: Any) -> Any:
    """Returns a setting in the form that `gipf train --set` reads."""
    return json.dumps(value) if isinstance(value, bool | list | tuple) else value


def reported(line: str, evaluation: dict[str, Any]) -> dict[str, Any]:
    """Returns the numbers of an iteration by which trials are compared, given the settings of evaluation."""
    metrics = json.loads(line)
    found = {
        "iteration": metrics["iteration"],
        "games": metrics["self_play"]["games"],
        "seconds": sum(metrics["seconds"].values()),
    }
    last = evaluation["opponents"][-1:]
    rating = next((rating for rating in metrics["ratings"] if [rating["opponent"]] == last), None)
    if rating:
        found["score"] = rating["score"]
        if rating["elo"] is not None:
            # The estimate, which comes before the ends of its interval.
            found["elo"] = rating["elo"][0]
    elif last and evaluation["games"]:
        found["score"] = 1.0
    return found
