"""Nodes of this machine that play, workers some of which are killed, and workers whose results go astray."""

import random
import time
from collections.abc import Iterable

import ray
from ray.cluster_utils import Cluster

from gipf.ray import Failed, Played, RayWorkers, Shard

NODE = {"object_store_memory": 80 * 1024 * 1024, "node_ip_address": "127.0.0.1", "include_dashboard": False}


class Nodes:
    """Three nodes on the loopback device: one for the driver, and two that play.

    They start one after the other: raylets that start together time out on a small machine.
    """

    def __init__(self) -> None:
        self.cluster = Cluster()
        for cores in (0, 1, 1):
            self.add(cores)
        self.address = self.cluster.address

    def add(self, cores: int) -> None:
        self.cluster.add_node(num_cpus=cores, **NODE)

    def connect(self) -> None:
        ray.init(address=self.address, log_to_driver=False, _node_ip_address="127.0.0.1")

    def kill_one(self) -> None:
        """Kills a node that plays without warning, with all its workers, and adds another."""
        node = random.Random(1).choice(sorted(self.cluster.worker_nodes, key=lambda node: node.unique_id))
        self.cluster.remove_node(node, allow_graceful=False)
        self.add(1)


class Around:
    """Workers that pass all calls on to others, for workers that change some of them."""

    def __init__(self, workers: RayWorkers):
        self.workers = workers

    def room(self) -> int:
        return self.workers.room()

    def submit(self, shard: Shard, checkpoint: bytes) -> None:
        self.workers.submit(shard, checkpoint)

    def collect(self, timeout: float) -> Iterable[Played | Failed]:
        return self.workers.collect(timeout)

    def about(self) -> str:
        return self.workers.about()


class Killing(Around):
    """Workers one of whose nodes is killed in each iteration, with shards on it."""

    def __init__(self, workers: RayWorkers, nodes: Nodes, kills: int):
        super().__init__(workers)
        self.nodes, self.left = nodes, set(range(1, kills + 1))

    def room(self) -> int:
        room = self.workers.room()
        # Both nodes have to be playing when one is killed.
        return room if len(self.workers.idle) == 2 or not self.left else 0

    def collect(self, timeout: float) -> Iterable[Played | Failed]:
        playing = {shard.iteration for actor, shard in self.workers.out.values()}
        if self.left & playing and len(self.workers.idle) == 2 and len(self.workers.out) > 2:
            self.left -= {min(self.left & playing)}
            self.nodes.kill_one()
        return self.workers.collect(timeout)


class Careless(Around):
    """Workers whose results come late, twice and damaged."""

    def __init__(self, workers: RayWorkers):
        super().__init__(workers)
        self.random, self.late = random.Random(1), []
        self.damaged: set[tuple[int, int]] = set()

    def collect(self, timeout: float) -> Iterable[Played | Failed]:
        due = [done for when, done in self.late if when < time.monotonic()]
        self.late = [(when, done) for when, done in self.late if when >= time.monotonic()]
        yield from due
        for done in self.workers.collect(min(timeout, 0.1)):
            if isinstance(done, Failed):
                yield done
                continue
            kind = self.random.randrange(4)
            if kind == 0 and done.shard.id not in self.damaged:
                self.damaged.add(done.shard.id)
                bytes_ = bytearray(done.result)
                bytes_[self.random.randrange(len(bytes_))] ^= 1
                yield Played(done.shard, bytes(bytes_))
            elif kind == 1:
                # After the driver's patience has ended.
                self.late.append((time.monotonic() + 3, done))
            else:
                yield done
                if kind == 2:
                    yield done
