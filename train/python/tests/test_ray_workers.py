"""Workers on a fake Ray: nodes that leave, differ and hang. `scripts/check-ray` tests clusters."""

import itertools
import sys
import threading
from types import SimpleNamespace

import pytest

import gipf
from gipf.ray import _driver as driver
from gipf.ray import _ray as rays
from gipf.ray import _runs as runs


class RayError(Exception):
    pass


class TaskError(RayError):
    def __init__(self, cause):
        self.cause = cause


class Ref:
    def __init__(self, actor, spec):
        self.actor, self.spec = actor, spec


class Actor:
    """An actor, which does one thing after the other."""

    def __init__(self, number, node, cluster):
        self._actor_id = number.to_bytes(4, "big")
        self.node, self.cluster, self.queue, self.is_killed = node, cluster, [], False
        self.ready = SimpleNamespace(remote=lambda: self.asked(None))
        self.play = SimpleNamespace(remote=lambda checkpoint, spec: self.asked(spec))

    def asked(self, spec):
        self.queue.append(Ref(self, spec))
        if spec in self.cluster.specs:
            self.cluster.handed.append((spec, self))
        return self.queue[-1]


class Cluster:
    """Replaces the module `ray`, with this many cores on each node."""

    exceptions = SimpleNamespace(RayError=RayError, RayTaskError=TaskError)

    def __init__(self, clock, **cores):
        self.clock, self.cores, self.actors = clock, cores, []
        self.specs = [b"%d" % number for number in range(100)]
        self.handed = []
        self.hanging, self.broken, self.raised = set(), set(), {}
        """Specifications that never end, nodes where actors die when created, and the exceptions raised on each node.
        """

    def nodes(self):
        return [{"NodeID": node, "Alive": True, "Resources": {"CPU": cores}} for node, cores in self.cores.items()]

    def remote(self, **options):
        return lambda kind: SimpleNamespace(remote=self.made)

    def made(self, *arguments):
        taken = [actor.node for actor in self.actors if not actor.is_killed]
        free = (node for node, cores in self.cores.items() if taken.count(node) < cores)
        self.actors.append(Actor(len(self.actors), next(free, None), self))
        return self.actors[-1]

    def put(self, value):
        return value

    def kill(self, actor):
        actor.is_killed = True

    def is_gone(self, actor):
        return actor.is_killed or (actor.node is not None and actor.node not in self.cores)

    def is_ready(self, ref):
        if self.is_gone(ref.actor):
            return True
        return bool(ref.actor.node) and ref.actor.queue[0] is ref and ref.spec not in self.hanging

    def wait(self, refs, num_returns, timeout):
        ready = [ref for ref in refs if self.is_ready(ref)][:num_returns]
        if not ready:
            self.clock.sleep(timeout)
        return ready, [ref for ref in refs if ref not in ready]

    def get(self, ref):
        actor = ref.actor
        if actor.node is not None and actor.node not in self.cores:
            raise RayError("the actor died since its node has died")
        if actor.node in self.broken:
            actor.is_killed = True
        if actor.is_killed:
            raise RayError("the actor died")
        actor.queue.remove(ref)
        if (actor.node, ref.spec) in self.raised:
            raise TaskError(self.raised[actor.node, ref.spec])
        return (None if ref.spec is None else actor.node.encode()), 0.1


class Run:
    """A run of one iteration, with this many shards of one game."""

    length = 1

    def __init__(self, path, shards):
        self.path, self.iterations, self.failed = path, 0, [0] * shards
        self.states = ["waiting"] * shards

    def begin(self):
        return self.iterations < self.length

    def next_shards(self, most):
        waiting = [number for number, state in enumerate(self.states) if state == "waiting"][:most]
        for number in waiting:
            self.states[number] = "out"
        return [(1, number, 1, b"%d" % number) for number in waiting]

    def checkpoint(self, iteration):
        return b"network"

    def ingest(self, iteration, first, result, *, core_seconds):
        is_new, self.states[first] = self.states[first] != "done", "done"
        return is_new

    def reask(self, iteration, first):
        if self.states[first] == "out":
            self.states[first] = "waiting"

    def fail(self, iteration, first):
        self.failed[first] += 1
        self.states[first] = "waiting" if self.failed[first] < 3 else "quarantined"
        return self.failed[first] == 3

    def quarantined(self):
        return [(1, number, 1, b"") for number, state in enumerate(self.states) if state == "quarantined"]

    def is_complete(self, iteration):
        return set(self.states) <= {"done", "quarantined"}

    def counts(self):
        return {"waiting": 0, "out": 0, "reasked": 0, "quarantined": 0}

    def save(self):
        self.iterations += 1
        return "kept"


@pytest.fixture
def clock(monkeypatch):
    """Time that passes only while somebody waits, and a look at the cluster in each turn of the loop."""
    now = itertools.count()
    clock = SimpleNamespace(now=0.0)
    clock.monotonic = lambda: clock.now + 1e-6 * next(now)
    clock.sleep = lambda seconds: setattr(clock, "now", clock.now + seconds)
    for module in (driver, rays):
        monkeypatch.setattr(module, "time", clock)
    monkeypatch.setattr(rays, "LOOK_EVERY", 0)
    return clock


@pytest.fixture
def cluster(clock, monkeypatch):
    """Two nodes of four cores; an actor answers a probe with the name of its node."""
    cluster = Cluster(clock, first=4, second=4)
    monkeypatch.setitem(sys.modules, "ray", cluster)
    monkeypatch.setattr(rays, "play_shard", lambda *probe: b"second")
    return cluster


def looped(run, crew, patience=600.0, **options):
    return driver._Drive(run, crew, **{"patience": patience, "go_on": False, "event": lambda line: None, **options})


def joined(crew):
    """The nodes of the actors that work, once all have answered."""
    for _ in range(40):
        crew.room()
        assert not list(crew.collect(0))
    return sorted(actor.node for actor in crew.idle)


def test_a_node_that_dies_with_idle_workers_costs_a_shard_nothing_but_once(cluster, tmp_path):
    crew = rays.RayWorkers()
    assert joined(crew) == ["first"] * 4 + ["second"] * 4
    cluster.hanging.add(b"0")
    run = Run(tmp_path, 1)
    loop = looped(run, crew)
    loop.pump(0)
    assert [actor.node for _, actor in cluster.handed] == ["first"]
    del cluster.cores["first"]
    cluster.hanging.clear()
    for _ in range(10):
        loop.pump(0)
    assert run.is_complete(1) and run.failed == [0] and loop.losses == {(1, 0): 1}
    assert [actor.node for _, actor in cluster.handed] == ["first", "second"], "idle ones were asked first"
    assert joined(crew) == ["second"] * 4 and crew.room() == 8


def test_idle_workers_are_asked_when_a_node_has_left_and_keep_their_evaluator(cluster, monkeypatch):
    crew = rays.RayWorkers()
    joined(crew)
    del cluster.cores["first"]
    crew.look()
    assert len(crew.asked) == 8 and crew.room() == 0
    assert joined(crew) == ["second"] * 4
    monkeypatch.setenv("RAYON_NUM_THREADS", "1")
    made = []
    judging = rays.Judging(1, lambda: made.append(1) or print, 4)
    assert judging.ready() == judging.ready() == (None, 0.0) and made == [1]


def test_a_shard_that_waited_behind_another_does_not_count_when_its_worker_dies(cluster, tmp_path):
    cluster.cores = {"second": 1}
    crew = rays.RayWorkers()
    joined(crew)
    cluster.hanging.update([b"0", b"1"])
    run = Run(tmp_path, 2)
    loop = looped(run, crew)
    loop.pump(0)
    cluster.actors[0].is_killed = True
    loop.pump(0)
    assert run.failed == [1, 0] and not loop.losses and run.states == ["waiting"] * 2


def test_workers_that_play_a_ladder_otherwise_are_refused_and_cost_its_shards_nothing(cluster, tmp_path):
    cluster.raised = {("first", spec): gipf.AgentError("plays otherwise here") for spec in cluster.specs}
    crew = rays.RayWorkers(plays="play_pairs")
    joined(crew)
    run = Run(tmp_path, 20)
    loop = looped(run, crew)
    while not run.is_complete(1):
        loop.pump(0)
    assert run.failed == [0] * 20 and not any(loop.losses.values())
    assert crew.refused == 4 and joined(crew) == ["second"] * 4


def test_an_evaluator_that_raises_is_charged_to_its_shard_and_replaced(cluster, tmp_path):
    cluster.cores = {"second": 1}
    cluster.raised["second", b"0"] = RuntimeError("no memory on the device")
    crew = rays.RayWorkers(evaluator=lambda: None)
    joined(crew)
    run = Run(tmp_path, 2)
    loop = looped(run, crew)
    with pytest.raises(driver.Stalled, match="no memory on the device"):
        while True:
            loop.pump(0)
    assert run.failed == [3, 0] and [actor.is_killed for actor in cluster.actors] == [True] * 3


def test_an_evaluator_that_cannot_be_made_ends_it_at_once(cluster):
    cluster.raised = {(node, None): RuntimeError("no such file") for node in cluster.cores}
    crew = rays.RayWorkers(evaluator=lambda: None, most=1)
    with pytest.raises(driver.Stalled, match=r"1 workers were refused or died, .*no such file"):
        joined(crew)


def test_a_shard_that_nobody_ends_is_given_up_and_its_workers_play_again(cluster, clock, tmp_path):
    cluster.hanging.add(b"0")
    events = []
    crew = rays.RayWorkers(patience=5, event=events.append)
    joined(crew)
    run = Run(tmp_path, 30)
    loop = looped(run, crew, patience=10, go_on=True, event=events.append)
    while not run.is_complete(1):
        loop.pump(1)
    assert run.states == ["quarantined"] + ["done"] * 29 and run.failed == [3] + [0] * 29
    assert len([spec for spec, _ in cluster.handed if spec == b"0"]) == driver.LOSSES + 3
    assert 60 <= clock.now < 75
    clock.sleep(20)
    assert len(joined(crew)) == 8 and crew.room() == 16 and not crew.out
    assert sum("nothing came from it in 20 s" in event for event in events) == driver.LOSSES + 3


def test_one_worker_alone_is_freed_of_what_hangs(cluster, tmp_path):
    cluster.cores = {"second": 1}
    cluster.hanging.add(b"0")
    crew = rays.RayWorkers(patience=5)
    joined(crew)
    run = Run(tmp_path, 1)
    loop = looped(run, crew, patience=10)
    with pytest.raises(driver.Stalled, match="the last cause: no answer in 10 s"):
        while True:
            loop.pump(1)


def test_workers_of_any_kind_may_leave_a_shard_unanswered_for_ever(clock, tmp_path):
    workers = SimpleNamespace(room=lambda: 1, submit=lambda shard, checkpoint: None)
    workers.collect = lambda timeout: clock.sleep(timeout) or ()
    loop = looped(Run(tmp_path, 1), workers, patience=10)
    with pytest.raises(driver.Stalled, match="the last cause: no answer in 10 s"):
        while True:
            loop.pump(1)


def test_a_shard_is_handed_to_a_worker_that_does_not_have_it(cluster):
    cluster.cores = {"second": 2}
    crew = rays.RayWorkers()
    joined(crew)
    first, second = driver.Shard(1, 0, 1, b"0"), driver.Shard(1, 1, 1, b"1")
    for shard in (first, second, first, second):
        crew.submit(shard, b"network")
    one, other = cluster.actors
    assert cluster.handed == [(b"0", one), (b"1", other), (b"0", other), (b"1", one)]


def test_actors_that_die_where_they_are_made_are_made_again_after_ever_longer_pauses(cluster, clock, monkeypatch):
    monkeypatch.setattr(rays, "LOOK_EVERY", 2.0)
    cluster.cores = {"second": 1, "first": 4}
    cluster.broken.add("first")
    crew = rays.RayWorkers()

    def wait(looks):
        for _ in range(looks):
            crew.room()
            for _ in range(5):
                list(crew.collect(0))
            clock.sleep(2.1)

    wait(100)
    assert 5 + 4 * 4 < len(cluster.actors) < 5 + 4 * 8
    [good] = crew.idle
    good.is_killed, made = True, len(cluster.actors)
    crew.submit(driver.Shard(1, 0, 1, b"0"), b"network")
    wait(2)
    assert [actor.node for actor in crew.idle] == ["second"] and len(cluster.actors) >= made + 5


def test_where_none_can_be_made_nobody_waits(cluster):
    cluster.broken.update(cluster.cores)
    with pytest.raises(driver.Stalled, match="8 workers were refused or died"):
        joined(rays.RayWorkers())


def test_a_refused_worker_keeps_its_cores_so_that_the_next_one_plays(cluster):
    crew = rays.RayWorkers(most=1, probe=(b"network", b"probe"))
    assert joined(crew) == ["second"] and crew.refused == 4
    cluster.cores["third"] = 1
    refused = list(crew.barred)
    assert joined(crew) == ["second"] and crew.refused == 0 and all(actor.is_killed for actor in refused)
    crew.close()
    crew = rays.RayWorkers(probe=(b"network", b"probe"))
    assert joined(crew) == ["second"] * 4 and crew.refused == 5
    for _ in range(3):
        next(iter(crew.idle)).is_killed = True
        crew.submit(driver.Shard(1, 0, 1, b"0"), b"network")
        assert any(isinstance(done, driver.Failed) for done in crew.collect(0))
        assert joined(crew) == ["second"] * 4 and crew.refused == 5
    crew.close()
    assert all(actor.is_killed for actor in cluster.actors)


def test_where_all_are_refused_nobody_waits(cluster):
    cluster.cores = {"first": 4}
    crew = rays.RayWorkers(most=2, probe=(b"network", b"probe"))
    with pytest.raises(driver.Stalled, match="4 workers were refused or died, the last one since its arithmetic"):
        joined(crew)
    with pytest.raises(gipf.GipfError, match="expected at least one of each"):
        rays.RayWorkers(most=0).room()


def test_shards_fit_the_cluster_of_each_iteration_and_may_wait_in_a_queue(cluster, tmp_path, monkeypatch):
    sizes, order = [], []
    run = SimpleNamespace(iterations=0, set_shard_games=sizes.append, begin=lambda: True, checkpoint=bytes, probe=bytes)

    def drive(run, crew, *, patience, begins, event):
        order.extend([patience, crew.patience])
        cluster.cores["third"] = 92
        begins()

    monkeypatch.setattr(runs, "connected", lambda address, options: cluster)
    monkeypatch.setattr(runs, "drive", drive)
    there = {"address": None, "ray_init": None, "threads": 1, "workers": None}
    runs.on_ray(run, 5000, log=tmp_path / "log", cluster=there, shard_games=None, patience=60)
    assert sizes == [313, 25] and order == [120, 60]


def test_whoever_drives_is_told_before_each_iteration_begins(cluster, tmp_path):
    told = []
    run = Run(tmp_path, 1)
    run.begin = lambda: told.append("begin") or run.iterations < 1
    driver.drive(run, rays.RayWorkers(), begins=lambda: told.append("begins"))
    assert told == ["begins", "begin"] * 2


def test_ctrl_c_while_an_iteration_is_learned_from_says_that_it_is_kept_first(capsys):
    interrupted, lines = threading.Event(), []

    def collect(timeout):
        interrupted.set()
        raise KeyboardInterrupt

    run = SimpleNamespace(next_shards=list, save=lambda: interrupted.wait(60) and "kept")
    loop = looped(run, SimpleNamespace(room=lambda: 0, collect=collect))
    with pytest.raises(KeyboardInterrupt):
        loop.finish(lines.append)
    assert lines == ["kept"] and "stopping as soon as this iteration is kept" in capsys.readouterr().err
