"""Calls of `gipf.ray` before and after the loop: what is wrong with them, what is already done, and what they leave."""

import json
import sys
from types import SimpleNamespace

import pytest
from test_ray import SETTINGS, Threads

import gipf
from gipf import Ladder, Training
from gipf.ray import __main__ as program
from gipf.ray import _driver as driver
from gipf.ray import _ladder as ladders
from gipf.ray import _runs as runs

ORDER = {"preset": "smoke", "settings": SETTINGS}


@pytest.fixture
def begun(tmp_path):
    """The calls that begin something, with all their files in one folder."""

    def train(**options):
        return runs.train(tmp_path / "run", **ORDER, **options)

    def self_play(**options):
        return runs.self_play("pretrained", 4, tmp_path / "games", **options)

    def ladder(**options):
        return ladders.ladder(["random", "greedy"], store=tmp_path / "ladder.jsonl", **options)

    return [train, self_play, ladder]


def on_threads(training, games, *, log, cluster, shard_games, **how):
    """Replaces `on_ray`."""
    driver.drive(training, Threads(), **how)


@pytest.fixture
def threads(monkeypatch):
    """Lets `train` play on threads instead of Ray."""
    monkeypatch.setattr(runs, "check_reachable", lambda address, options: None)
    monkeypatch.setattr(runs, "on_ray", on_threads)


def test_nothing_is_begun_without_ray(begun, tmp_path, monkeypatch):
    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    monkeypatch.setitem(sys.modules, "ray", None)
    for call in begun:
        with pytest.raises(gipf.GipfError, match=r"^Ray is missing: expected the package with it, gipf\[ray\]"):
            call()
    assert not any(tmp_path.iterdir())


class RayError(Exception):
    """The root of Ray's own exceptions, such as that for a missing token."""


@pytest.mark.parametrize("fault", [ConnectionError, ValueError, RuntimeError, RayError])
@pytest.mark.parametrize("named", [True, False])
def test_nothing_is_begun_without_a_cluster(begun, tmp_path, monkeypatch, fault, named):
    def init(**options):
        assert options["address"] == ("here" if named else None)
        raise fault("Could not find it.\nPlease name another.")

    exceptions = SimpleNamespace(RayError=RayError)
    ray = SimpleNamespace(is_initialized=lambda: False, init=init, exceptions=exceptions)
    monkeypatch.setitem(sys.modules, "ray", ray)
    monkeypatch.setenv("RAY_ADDRESS", "here")
    for call in begun:
        with pytest.raises(gipf.GipfError) as refused:
            call(address="here" if named else None)
        told = f"address 'here': expected a Ray cluster that answers ({fault.__name__}: Could not find it. Please name"
        assert str(refused.value).startswith(told)
    assert not any(tmp_path.iterdir())


def test_a_connection_to_another_cluster_is_refused(begun, tmp_path, monkeypatch):
    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    context = SimpleNamespace(gcs_address="10.0.0.1:6379")
    ray = SimpleNamespace(is_initialized=lambda: True, get_runtime_context=lambda: context)
    monkeypatch.setitem(sys.modules, "ray", ray)
    for call in begun:
        for given in ({"address": "10.0.0.2:6379"}, {"ray_init": {"num_cpus": 2}}):
            with pytest.raises(gipf.GipfError, match=r"^(address|ray_init) .*: Ray is connected to 10.0.0.1:6379"):
                call(**given)
    assert not any(tmp_path.iterdir())


@pytest.mark.parametrize("place", ["nonsense://x/y", "gs://bucket/run", "FILE"])
def test_nothing_is_begun_without_a_place_for_copies(tmp_path, threads, monkeypatch, capsys, place):
    pytest.importorskip("fsspec")
    monkeypatch.setitem(sys.modules, "gcsfs", None)
    (tmp_path / "file").touch()
    url = place.replace("FILE", (tmp_path / "file" / "copy").as_uri())
    arguments = ["gipf.ray", "train", "--run", str(tmp_path / "run"), "--preset", "smoke", "--copy-to", url]
    monkeypatch.setattr(sys, "argv", arguments)
    assert program.main() == 2
    told = capsys.readouterr().err
    assert told.startswith(f"error: copy_to '{url}': expected a place that fsspec can write to (")
    assert told.count("\n") == 1 and not (tmp_path / "run").exists()


def test_a_complete_run_says_that_it_is_done_without_ray(tmp_path, threads, monkeypatch, capsys):
    run = tmp_path / "run"
    runs.train(run, **ORDER)
    monkeypatch.setattr(runs, "on_ray", None)
    monkeypatch.setattr(runs, "check_reachable", None)
    for more, told in ([], f"done: {run}\n"), (["--json"], ""):
        monkeypatch.setattr(sys, "argv", ["gipf.ray", "train", "--run", str(run), *more])
        assert program.main() == 0 and capsys.readouterr().out == told


def test_what_was_closed_is_free(tmp_path):
    training = Training.create(tmp_path / "run", **ORDER)
    with pytest.raises(gipf.TrainingError, match="another program or another object of this one is using this run"):
        Training.resume(tmp_path / "run")
    training.close()
    training.close()
    with pytest.raises(gipf.GipfError, match="the training was closed: resume it from its directory"):
        training.begin()
    assert training.length == 2 and Training.resume(tmp_path / "run").iterations == 0

    def opened():
        return Ladder(["random", "greedy"], store=tmp_path / "ladder.jsonl", variant="basic")

    ladder = opened()
    with pytest.raises(gipf.MatchError, match="another program or another object of this one is using this ladder"):
        opened()
    ladder.close()
    with pytest.raises(gipf.GipfError, match="the ladder was closed: open it again"):
        ladder.table()
    assert opened().next_round()


def test_ctrl_c_leaves_a_run_and_a_ladder_free_though_its_traceback_is_kept(tmp_path, threads, monkeypatch):
    def interrupted(*_, **how):
        raise KeyboardInterrupt

    monkeypatch.setattr(runs, "on_ray", interrupted)
    with pytest.raises(KeyboardInterrupt) as kept:
        runs.train(tmp_path / "run", **ORDER)
    assert kept.tb and Training.resume(tmp_path / "run").length == 2

    store = tmp_path / "ladder.jsonl"
    monkeypatch.setattr(ladders, "check_reachable", lambda address, options: None)
    monkeypatch.setattr(ladders, "connected", interrupted)
    with pytest.raises(KeyboardInterrupt) as kept:
        ladders.ladder(["random", "greedy"], store=store, variant="basic")
    assert kept.tb and Ladder(["random", "greedy"], store=store, variant="basic").next_round()


def trial(folder, monkeypatch, **settings):
    """Runs a trial of a Ray Tune that is not there, and returns its reports."""
    from gipf.ray import trainable

    reports = []
    context = SimpleNamespace(
        get_trial_dir=lambda: str(folder), get_trial_resources=lambda: SimpleNamespace(required_resources={"CPU": 1})
    )
    tune = SimpleNamespace(
        get_context=lambda: context,
        get_checkpoint=lambda: None,
        report=lambda found, checkpoint: reports.append(found),
        Checkpoint=SimpleNamespace(from_directory=lambda run: run),
    )
    monkeypatch.setitem(sys.modules, "ray", SimpleNamespace(tune=tune))
    trainable({"preset": "smoke", **settings})
    return reports


def test_a_trial_reports_the_score_that_was_measured_however_its_opponent_is_spelled(tmp_path, monkeypatch):
    settings = {"run.iterations": 2, "run.games": 4, "evaluation.games": 4, "evaluation.final_games": 0}
    reports = trial(tmp_path, monkeypatch, **settings, **{"evaluation.opponents": ["random", "level:01"]})
    metrics = [json.loads(line) for line in (tmp_path / "run" / "metrics.jsonl").read_text().splitlines()]
    assert [rating["opponent"] for rating in metrics[0]["ratings"]] == ["random", "level:1"]
    assert reports[0]["score"] == metrics[0]["ratings"][1]["score"] < 1
    assert "score" not in reports[1], "the last iteration has no games, and nobody was beaten"
    training = Training.resume(tmp_path / "run")
    assert training.opponents == ["random", "level:1"] and training.beaten() == []
