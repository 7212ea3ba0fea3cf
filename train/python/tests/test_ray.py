"""Trainings whose games are played by others: only the loop, without Ray; `scripts/check-ray` tests clusters."""

import json
import random
import shutil
import threading
import typing
from concurrent.futures import ThreadPoolExecutor, as_completed, wait
from concurrent.futures import TimeoutError as Late
from pathlib import Path

import numpy as np
import pyarrow.parquet
import pytest

import gipf
import gipf.data
from gipf import Ladder, SelfPlayRun, Training, play_pairs, play_shard, play_shard_with
from gipf.ray import _driver as driver
from gipf.ray import _ladder as ladders
from gipf.ray import _runs as runs
from gipf.ray._runs import log_beside

SETTINGS = ["run.iterations=2", "run.games=6", "evaluation.games=0", "evaluation.final_games=0"]


class Threads:
    """Workers that are threads of this process, and careless with their results."""

    def __init__(self, faults=0.0, broken=(), lost=False):
        self.pool, self.out = ThreadPoolExecutor(2), {}
        self.faults, self.broken, self.random = faults, broken, random.Random(1)
        self.damaged, self.lost = set(), lost

    def room(self):
        return 4 - len(self.out)

    def submit(self, shard, checkpoint):
        self.out[self.pool.submit(play_shard, checkpoint, shard.spec, threads=1)] = shard

    def collect(self, timeout):
        try:
            future = next(as_completed(self.out, timeout=timeout), None)
        except Late:
            return
        if future is None:
            return
        shard, result = self.out.pop(future), future.result()
        if shard.id in self.broken:
            yield driver.Failed(shard, "it raised", lost=self.lost)
        elif self.random.random() < self.faults and shard.id not in self.damaged:
            self.damaged.add(shard.id)
            yield driver.Played(shard, result[:50] + b"?" + result[51:])
        else:
            yield driver.Played(shard, result)
            if self.random.random() < self.faults:
                yield driver.Played(shard, result)

    def about(self):
        return "2 workers"


def outcome(run):
    files = [*run.glob("checkpoints/*"), *run.glob("state/samples-*")]
    return {file.name: file.read_bytes() for file in files}


def trained(run, workers, shard_games=2, settings=(), **options):
    training = Training.create(run, preset="smoke", settings=[*SETTINGS, *settings])
    training.set_shard_games(shard_games)
    lines = []
    driver.drive(training, workers, kept=lines.append, **options)
    return [json.loads(line) for line in lines]


@pytest.mark.parametrize("lag", [0, 1])
def test_who_plays_what_changes_nothing(tmp_path, lag):
    settings, events = [f"run.lag={lag}"], []
    whole = trained(tmp_path / "whole", Threads(), 1000, settings)
    parts = trained(tmp_path / "parts", Threads(faults=0.5), 1, settings, event=events.append)
    assert outcome(tmp_path / "whole") == outcome(tmp_path / "parts")
    assert [line["iteration"] for line in whole] == [line["iteration"] for line in parts] == [1, 2]
    assert any("refused" in event and "checksum" in event for event in events)
    assert any("already" in event for event in events)


def test_a_run_goes_on_where_it_was(tmp_path):
    trained(tmp_path / "whole", Threads())
    training = Training.create(tmp_path / "part", preset="smoke", settings=SETTINGS)
    with pytest.raises(KeyboardInterrupt):
        driver.drive(training, Threads(), kept=lambda line: (_ for _ in ()).throw(KeyboardInterrupt))
    assert training.iterations == 1
    del training
    again = Training.resume(tmp_path / "part")
    assert again.iterations == 1 and again.length == 2
    driver.drive(again, Threads())
    assert outcome(tmp_path / "whole") == outcome(tmp_path / "part")


def test_a_run_is_opened_as_the_program_opens_it(tmp_path):
    order = {"preset": "smoke", "settings": SETTINGS, "variant": "basic"}
    driver.drive(Training.open(tmp_path / "run", **order), Threads())
    assert Training.open(tmp_path / "run", **order).iterations == 2
    with pytest.raises(gipf.TrainingError, match="settings of its own"):
        Training.open(tmp_path / "run", **{**order, "settings": [*SETTINGS, "run.seed=9"]})
    assert Training.open(tmp_path / "run", iterations=3).length == 3
    assert Training.open(tmp_path / "run", **order).length == 3, "the first call does not take back what made it longer"
    (tmp_path / "own.toml").write_text(Training.open(tmp_path / "run").config)
    copied = Training.open(tmp_path / "copy", config=tmp_path / "own.toml")
    assert copied.length == 3 and "basic" in copied.config
    fork = Training.open(tmp_path / "fork", from_=tmp_path / "run", settings=["learning.learning_rate=0.001"])
    assert fork.iterations == 2 and fork.begin() and "learning_rate = 0.001" in fork.config
    tuned = Training.open(tmp_path / "tuned", preset="smoke", from_="pretrained", variant="tournament")
    assert "tournament" in tuned.config
    with pytest.raises(gipf.TrainingError, match="push-off cannot be learned"):
        Training.open(tmp_path / "off", preset="smoke", variant="push-off")
    with pytest.raises(gipf.TrainingError, match="one beginning"):
        Training.open(tmp_path / "two", preset="smoke", config=tmp_path / "own.toml")
    with pytest.raises(gipf.TrainingError, match="cannot read"):
        Training.open(tmp_path / "none", config=tmp_path / "missing.toml")
    with pytest.raises(gipf.TrainingError, match="partial: expected from_data"):
        Training.open(tmp_path / "part", preset="smoke", partial=True)
    assert not any((tmp_path / name).exists() for name in ("off", "two", "none", "part"))


def test_a_run_begins_with_datasets(tmp_path):
    played_dataset(tmp_path / "games", Threads(), 1000, 1000)
    order = {"preset": "smoke", "settings": [*SETTINGS, "run.iterations=1", "replay.reuse=1"]}
    fitted = Training.open(tmp_path / "run", from_data=[tmp_path / "games"], **order)
    drawn = Training.open(tmp_path / "drawn", **order)
    assert fitted.begin() and drawn.begin() and fitted.checkpoint(1) != drawn.checkpoint(1)
    with pytest.raises(gipf.DatasetError):
        Training.open(tmp_path / "none", from_data=[tmp_path / "nothing"], **order)
    assert not (tmp_path / "none").exists()


def test_a_shard_that_fails_thrice_is_given_up_with_its_specification(tmp_path):
    with pytest.raises(driver.Stalled, match="failed three times"):
        trained(tmp_path / "run", Threads(broken=[(1, 2)]))
    assert [path.name for path in (tmp_path / "run" / "quarantine").iterdir()] == ["000001-2.spec"]
    lines = trained(tmp_path / "on", Threads(broken=[(1, 2)]), go_on=True)
    assert [line["self_play"]["games"] for line in lines] == [4, 6]


def test_a_shard_whose_workers_vanish_again_and_again_is_given_up(tmp_path):
    events = []
    with pytest.raises(driver.Stalled, match="failed three times"):
        trained(tmp_path / "run", Threads(broken=[(1, 2)], lost=True), event=events.append)
    assert sum("it raised" in event for event in events) == driver.LOSSES + 3


def test_what_does_not_belong_together_is_refused(tmp_path):
    training = Training.create(tmp_path / "run", preset="smoke", settings=SETTINGS)
    assert training.begin() and training.begin()
    [(iteration, first, games, spec)] = training.next_shards(9)
    assert (iteration, first, games, training.next_shards(9)) == (1, 0, 6, [])
    checkpoint = training.checkpoint(1)
    with pytest.raises(gipf.TrainingError, match="checksum"):
        play_shard(checkpoint + b"x", spec)
    with pytest.raises(gipf.TrainingError, match="damaged"):
        play_shard(checkpoint, spec[:-1] + b"x")
    with pytest.raises(gipf.TrainingError, match="of another shard"):
        training.ingest(1, 0, play_shard(checkpoint, training.probe(1)))
    with pytest.raises(gipf.TrainingError, match="no shard that begins with game 5"):
        training.ingest(1, 5, b"")
    with pytest.raises(gipf.TrainingError, match="cannot be learned yet"):
        training.learn()
    with pytest.raises(gipf.TrainingError, match=r"run\.lag is 7"):
        Training.create(tmp_path / "other", settings=["run.lag=7"])


def rows(out):
    return {file.name: file.read_bytes() for file in out.rglob("*.parquet")}


def played_dataset(out, workers, portion, shard_games, **options):
    run = SelfPlayRun("pretrained", 12, out, simulations=8, portion=portion)
    run.set_shard_games(shard_games)
    lines = []
    driver.drive(run, workers, kept=lines.append, **options)
    return run, [json.loads(line) for line in lines]


def test_a_dataset_is_the_same_whoever_plays(tmp_path):
    whole, lines = played_dataset(tmp_path / "whole", Threads(), 1000, 1000)
    assert lines == [{"games": 12, "of": 12}] and whole.report()["games"] == 12
    parts, lines = played_dataset(tmp_path / "parts", Threads(faults=0.5), 5, 2)
    assert [line["games"] for line in lines] == [5, 10, 12] and parts.length == 3
    assert rows(tmp_path / "whole") == rows(tmp_path / "parts") != {}


def test_a_dataset_goes_on_where_it_was(tmp_path):
    played_dataset(tmp_path / "whole", Threads(), 1000, 1000)
    run = SelfPlayRun("pretrained", 12, tmp_path / "part", simulations=8, portion=5)
    with pytest.raises(KeyboardInterrupt):
        driver.drive(run, Threads(), kept=lambda line: (_ for _ in ()).throw(KeyboardInterrupt))
    run.keep()
    again, lines = played_dataset(tmp_path / "part", Threads(), 5, 1)
    assert [line["games"] for line in lines] == [10, 12] and again.length == 2
    assert rows(tmp_path / "whole") == rows(tmp_path / "part")
    with pytest.raises(gipf.DatasetError):
        SelfPlayRun("pretrained", 12, tmp_path / "part", simulations=16)
    with pytest.raises(gipf.GipfError, match="portion"):
        SelfPlayRun("pretrained", 12, tmp_path / "other", portion=0)


class Judges(Threads):
    """Threads that play with a Python evaluator."""

    def __init__(self, evaluate, **options):
        super().__init__(**options)
        self.evaluate = evaluate

    def submit(self, shard, checkpoint):
        assert checkpoint == b"by size"
        self.out[self.pool.submit(play_shard_with, self.evaluate, shard.spec, parallel=3)] = shard

    def collect(self, timeout):
        for future in wait(self.out, timeout, "FIRST_COMPLETED").done:
            if future.exception():
                yield driver.Failed(self.out[future], str(future.exception()))
                del self.out[future]
        yield from super().collect(0)


def by_size(observations):
    """Evaluates a position from its planes alone, so that the batch does not matter."""
    rows = observations.reshape(len(observations), -1)
    logits = np.repeat(rows.sum(1, keepdims=True), gipf.action_space("basic"), 1)
    logits[:, ::7] += 1
    return logits.astype(np.float32), np.tanh(rows[:, :49].sum(1) / 9).astype(np.float32)


def judged_dataset(out, workers, name="by size", shard_games=3):
    run = SelfPlayRun(None, 8, out, variant="basic", simulations=4, evaluator=name)
    run.set_shard_games(shard_games)
    try:
        driver.drive(run, workers)
    finally:
        run.keep()
    return run


def test_an_evaluator_of_ones_own_plays_shards_that_are_checked(tmp_path):
    run = judged_dataset(tmp_path / "judged", Judges(by_size, faults=0.5))
    assert run.report()["games"] == 8
    batches = list(gipf.data.batches(tmp_path / "judged", 64))
    assert sum(len(batch["values"]) for batch in batches) > 8
    judged_dataset(tmp_path / "again", Judges(by_size), shard_games=8)
    assert rows(tmp_path / "again") == rows(tmp_path / "judged") != {}
    whole = gipf.self_play(by_size, 8, variant="basic", full_simulations=4, full_share=1.0, seed=1)
    assert sum(len(game) for game in whole) == run.report()["rows"]
    with pytest.raises(gipf.DatasetError):
        SelfPlayRun(None, 8, tmp_path / "judged", variant="basic", simulations=4, evaluator="another")
    for checkpoint, evaluator in ((None, None), ("pretrained", "by size")):
        with pytest.raises(gipf.GipfError, match="either a checkpoint or"):
            SelfPlayRun(checkpoint, 8, tmp_path / "none", evaluator=evaluator)


def test_an_evaluator_that_raises_is_told_and_its_shard_given_up_after_three_times(tmp_path):
    events, calls = [], []

    def raising(observations):
        calls.append(len(observations))
        raise RuntimeError("no memory on the device")

    workers = Judges(raising)
    run = SelfPlayRun(None, 4, tmp_path / "out", variant="basic", simulations=4, evaluator="by size")
    with pytest.raises(driver.Stalled, match="failed three times"):
        driver.drive(run, workers, event=events.append)
    assert sum("no memory on the device" in event for event in events) == 3 and len(calls) == 3
    [spec] = (tmp_path / "out" / "_quarantine").iterdir()
    with pytest.raises(gipf.EvaluatorError, match="logits are"):
        play_shard_with(lambda observations: (np.zeros((1, 1), np.float32), np.zeros(1)), spec.read_bytes())
    with pytest.raises(gipf.TrainingError, match="damaged"):
        play_shard_with(by_size, spec.read_bytes() + b"x")
    with pytest.raises(gipf.TrainingError, match="checksum"):
        play_shard(b"by size, too", spec.read_bytes())


def test_a_dataset_is_open_to_every_reader_though_a_shard_was_once_given_up(tmp_path):
    def dataset():
        return SelfPlayRun(None, 4, tmp_path / "out", variant="basic", simulations=2, limit=20, evaluator="by size")

    def raising(observations):
        raise RuntimeError("no memory on the device")

    run = dataset()
    with pytest.raises(gipf.GipfError, match="failed three times"):
        driver.drive(run, Judges(raising))
    run.keep()
    run = dataset()
    driver.drive(run, Judges(by_size))
    assert pyarrow.parquet.read_table(tmp_path / "out").num_rows == run.report()["rows"]


def test_games_that_are_there_wait_for_those_of_a_shard_that_was_given_up(tmp_path):
    run = SelfPlayRun(None, 4, tmp_path / "out", variant="basic", simulations=2, limit=20, evaluator="by size")
    run.set_shard_games(2)
    assert run.begin()
    [first, second] = run.next_shards(9)
    assert run.ingest(*first[:2], play_shard_with(by_size, first[3]))
    assert [run.fail(*second[:2]) for _ in range(3)] == [False, False, True] and run.is_complete(1)
    with pytest.raises(gipf.TrainingError, match="its games are not there"):
        run.save()
    assert run.ingest(*second[:2], play_shard_with(by_size, second[3])), "it comes late, and counts"
    assert json.loads(run.save()) == {"games": 4, "of": 4} and not run.begin()


@pytest.mark.parametrize("wrong", [None, gipf.TrainingError("the disk is full")])
def test_what_was_kept_is_told_whatever_happens_to_later_games_meanwhile(wrong):
    failed, lines = threading.Event(), []

    class Run:
        def next_shards(self, most):
            return []

        def save(self):
            failed.wait(60)
            if wrong:
                raise wrong
            return "kept"

    class Workers:
        def room(self):
            return 1

        def collect(self, timeout):
            failed.set()
            raise driver.Stalled("a shard of the next iteration failed")

    loop = driver._Drive(Run(), Workers(), patience=60, go_on=False, event=print)
    with pytest.raises(driver.Stalled) as stalled:
        loop.finish(lines.append)
    assert lines == ([] if wrong else ["kept"]) and stalled.value.__cause__ is wrong


@pytest.mark.parametrize("named", [".", "", "../games", "../games/."])
def test_the_log_of_a_dataset_lies_beside_it_however_it_is_named(tmp_path, monkeypatch, named):
    (tmp_path / "games").mkdir()
    monkeypatch.chdir(tmp_path / "games")
    assert log_beside(Path(named)) == tmp_path / "games.ray.log"


class Pairs(Threads):
    """Threads that play the games of a ladder."""

    def submit(self, shard, checkpoint):
        self.out[self.pool.submit(play_pairs, checkpoint, shard.spec, threads=1)] = shard


PLAYERS = ["random", "greedy", "alpha-beta:1", "mcts:network.safetensors,sims=2"]


def climbed(store, workers, shard_pairs, **options):
    from gipf.ray._rounds import Rounds

    rounds = Rounds(Ladder(PLAYERS, store=store, variant="basic", games=8, margin=400))
    rounds.set_shard_pairs(shard_pairs)
    driver.drive(rounds, workers, **options)
    return json.loads(rounds.ladder.table())


def timeless(store):
    """The lines of a ladder, without the seconds that players thought and without checksums."""
    lines = [json.loads(line[line.index("{") :]) for line in store.read_text().splitlines()]
    return [
        {name: value for name, value in line.items() if name not in ("seconds", "program", "check")} for line in lines
    ]


def test_a_ladder_is_the_same_whoever_plays(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    training = Training.create(tmp_path / "run", preset="smoke", variant="basic", settings=SETTINGS)
    assert training.begin()
    (tmp_path / "network.safetensors").write_bytes(training.checkpoint(1))
    events, lines = [], []
    whole = climbed(tmp_path / "whole.jsonl", Pairs(), 16, kept=lines.append)
    parts = climbed(tmp_path / "parts.jsonl", Pairs(faults=0.5), 1, event=events.append)
    assert [row["elo"] for row in whole["players"]] == [row["elo"] for row in parts["players"]]
    assert {row["player"] for row in whole["players"]} == set(PLAYERS)
    assert timeless(tmp_path / "whole.jsonl") == timeless(tmp_path / "parts.jsonl")
    assert len(lines) == len(timeless(tmp_path / "whole.jsonl")) - 2 >= 3 and "games in all" in lines[-1]
    assert any("damaged" in event for event in events) and any("already" in event for event in events)
    again = climbed(tmp_path / "whole.jsonl", Pairs(broken=[(1, 0)]), 16)
    assert again["games"] == whole["games"], "nothing is left to play"
    with pytest.raises(driver.Stalled, match="failed three times"):
        climbed(tmp_path / "broken.jsonl", Pairs(broken=[(1, 0)]), 16)
    assert len(list((tmp_path / "broken.jsonl.ray" / "quarantine").iterdir())) == 1


def test_pairs_of_a_ladder_are_not_taken_on_trust(tmp_path):
    ladder = Ladder(["random", "greedy"], store=tmp_path / "a.jsonl", variant="basic", games=8)
    first, second, pairs = ladder.next_round()
    assert {first, second} <= {"random", "greedy", "alpha-beta:1"} and pairs == 4
    players, spec = ladder.players(), ladder.spec(0, 2)
    result = play_pairs(players, spec, threads=2)
    ladder.check(0, 2, result)
    with pytest.raises(gipf.TrainingError, match="other openings"):
        ladder.check(2, 2, result)
    for damaged in (result[:-1], result[:99] + b"?" + result[100:], b""):
        with pytest.raises(gipf.TrainingError, match="damaged"):
            ladder.check(0, 2, damaged)
    for damaged in ((players[:-1], spec), (players, spec[1:]), (spec, players)):
        with pytest.raises(gipf.TrainingError, match="damaged"):
            play_pairs(*damaged)
    with pytest.raises(gipf.GipfError, match="the round has 4"):
        ladder.spec(3, 2)
    with pytest.raises(gipf.TrainingError, match="lacks its pairs from 0"):
        ladder.keep([(2, result)])
    for name in ("alpha-beta:time=5ms", "pretrained:sims=8,threads=2"):
        with pytest.raises(gipf.AgentError, match="depend on the machine"):
            Ladder([name], store=tmp_path / "b.jsonl", variant="basic")


def test_a_trial_reports_the_score_against_the_last_opponent():
    from gipf.ray._tune import reported, toml

    ratings = [
        {"opponent": "greedy", "score": 0.75, "elo": [191, 50, 400]},
        {"opponent": "alpha-beta:1", "score": 0.6, "elo": [70.0, -20.0, 170.0]},
    ]

    def found(ratings, opponent, *beaten):
        line = {"iteration": 3, "self_play": {"games": 9}, "seconds": {"a": 1.0, "b": 2.0}, "ratings": ratings}
        numbers = reported(json.dumps(line), opponent, beaten)
        return {name: value for name, value in numbers.items() if name in ("score", "elo")}

    assert found(ratings, "alpha-beta:1") == {"score": 0.6, "elo": 70.0}
    beaten = found(ratings[:1], "alpha-beta:1", "random", "alpha-beta:1")
    assert beaten == {"score": 1.0}, "it has lost so often that it plays no more"
    with pytest.raises(gipf.TrainingError, match="games against greedy: expected some against alpha-beta:1"):
        found(ratings[:1], "alpha-beta:1", "random")
    assert found([], "alpha-beta:1") == found([], None) == {}
    assert [toml(value) for value in (True, 0.5, ["a"], "hex")] == ["true", 0.5, '["a"]', "hex"]


def test_a_worker_has_room_on_one_node():
    from gipf.ray._ray import places

    class Cluster:
        @staticmethod
        def nodes():
            there = [({"CPU": 3.0}, True), ({"CPU": 3.0, "GPU": 1.0}, True), ({"CPU": 64.0}, False)]
            return [{"Alive": is_alive, "Resources": resources} for resources, is_alive in there]

    assert [places(Cluster, threads, 0, None) for threads in (1, 2, 3, 4)] == [6, 2, 2, 0]
    assert [places(Cluster, 1, share, None) for share in (1, 0.5)] == [1, 2]
    assert places(Cluster, 1, 0, 5) == 5
    for threads, most in ((0, None), (1, 0)):
        with pytest.raises(gipf.GipfError, match="expected at least one of each"):
            places(Cluster, threads, 0, most)


def test_a_shard_that_is_given_up_tells_why(tmp_path):
    with pytest.raises(driver.Stalled, match="or go on without its games; the last cause: it raised"):
        trained(tmp_path / "run", Threads(broken=[(1, 2)]))

    def raising(observations):
        raise RuntimeError("no memory on the device")

    with pytest.raises(driver.Stalled, match="no memory on the device") as stalled:
        judged_dataset(tmp_path / "out", Judges(raising))
    assert "go on" not in str(stalled.value)


@pytest.mark.parametrize("name", ["threads", "workers", "shard_games"])
@pytest.mark.parametrize("number", [0, -1])
def test_a_run_is_not_begun_with_counts_of_nothing(name, number, tmp_path):
    for call in (
        lambda: runs.train(tmp_path / "run", preset="smoke", **{name: number}),
        lambda: runs.self_play("pretrained", 4, tmp_path / "out", **{name: number}),
        lambda: runs.self_play(lambda: by_size, 4, tmp_path / "out", **{name: number}),
    ):
        with pytest.raises(gipf.GipfError, match=f"{name} {number}: expected 1 to"):
            call()
    assert not any(tmp_path.iterdir())


def test_other_arguments_are_checked_before_a_run_is_begun(tmp_path, monkeypatch):
    with pytest.raises(gipf.GipfError, match="parallel 0: expected 1 to"):
        runs.self_play(lambda: by_size, 4, tmp_path / "out", parallel=0)
    with pytest.raises(gipf.GipfError, match="num_gpus -1: expected at least 0"):
        runs.self_play(lambda: by_size, 4, tmp_path / "out", num_gpus=-1)
    with pytest.raises(gipf.GipfError, match="shard_pairs 0: expected 1 to"):
        ladders.ladder(["random", "greedy"], store=tmp_path / "ladder.jsonl", shard_pairs=0)
    monkeypatch.setattr(runs, "check_reachable", lambda address, options: None)
    with pytest.raises(TypeError, match="expected a sequence"):
        runs.train(tmp_path / "run", settings="run.games=20")
    assert not any(tmp_path.iterdir())


def test_a_dataset_that_was_kept_takes_no_more_games(tmp_path):
    def begun(out):
        return SelfPlayRun(None, 4, tmp_path / out, variant="basic", simulations=2, evaluator="by size", portion=2)

    run = begun("out")
    assert run.begin()
    shards = run.next_shards(10)
    for iteration, first, _, spec in shards:
        run.ingest(iteration, first, play_shard_with(by_size, spec))
    assert json.loads(run.save()) == {"games": 2, "of": 4} and run.iterations == 1
    # What a kill would leave at this moment.
    shutil.copytree(tmp_path / "out", tmp_path / "killed")
    killed = begun("killed")
    assert killed.begin() and [shard[1] for shard in killed.next_shards(10)] == [2]
    run.keep()
    for work in (run.save, run.begin, run.save):
        with pytest.raises(gipf.TrainingError, match="kept as a partial one: resume it by the same call"):
            work()
    del run
    again = begun("out")
    driver.drive(again, Judges(by_size))
    assert again.report()["games"] == 4 and not again.begin()


def test_what_is_driven_has_types():
    assert typing.get_type_hints(driver.drive)["workers"] is driver.Workers
