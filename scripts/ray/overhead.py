"""Measures what Ray costs: self-play beside that of `gipf self-play`, and the driver's time for a shard.

overhead.py GIPF FOLDER [GAMES]: GIPF is the program. Prints the seconds of each and a line of JSON; machines that do
other work should repeat it, and compare the core seconds.
"""

import json
import resource
import subprocess
import sys
import time
from pathlib import Path

import ray

from gipf import SelfPlayRun
from gipf.ray import RayWorkers, drive

PROGRAM, FOLDER = sys.argv[1], Path(sys.argv[2])
GAMES = int(sys.argv[3]) if len(sys.argv) > 3 else 1000
CORES, SIMULATIONS = 2, 64
SHARD = 50
PAIRS = 2


def by_program(name: str) -> tuple[float, float]:
    """Returns the seconds of `gipf self-play`, and those of its cores."""
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    options = ["--checkpoint", "pretrained", "--games", str(GAMES), "--simulations", str(SIMULATIONS)]
    subprocess.run([PROGRAM, "self-play", *options, "--out", FOLDER / name], check=True, capture_output=True)
    seconds, after = time.perf_counter() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
    return seconds, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def on_ray(name: str, games: int, simulations: int, shard: int) -> tuple[float, float, float]:
    """Returns the seconds on Ray, those of the workers' cores, and those of the driver's.

    Workers have joined by then.
    """
    run = SelfPlayRun("pretrained", games, FOLDER / name, simulations=simulations, portion=games)
    run.set_shard_games(shard)
    run.begin()
    joined: list[str] = []
    workers = RayWorkers(probe=(run.checkpoint(1), run.probe(1)), event=joined.append)
    while len(joined) < CORES:
        workers.room()
        list(workers.collect(0.2))
    spent = []
    ordinary = workers.done

    def done(ref):
        result = ordinary(ref)
        spent.append(result.core_seconds)
        return result

    workers.done = done
    began, core = time.perf_counter(), time.process_time()
    drive(run, workers)
    seconds, core = time.perf_counter() - began, time.process_time() - core
    workers.close()
    return seconds, sum(spent), core


def main() -> None:
    """Measures both in turn."""
    where = {"address": "local", "_node_ip_address": "127.0.0.1", "include_dashboard": False, "log_to_driver": False}
    ray.init(num_cpus=CORES, object_store_memory=100_000_000, **where)
    rows = []
    for pair in range(PAIRS):
        rows.append((by_program(f"program-{pair}"), on_ray(f"ray-{pair}", GAMES, SIMULATIONS, SHARD)))
        print(rows[-1], flush=True)
    tiny = 60
    _, _, core = on_ray("tiny", tiny, 1, 1)
    found = {
        "games_per_second": [GAMES * PAIRS / sum(row[way][0] for row in rows) for way in (0, 1)],
        "games_per_core_second": [GAMES * PAIRS / sum(sum(row[way][1:]) for row in rows) for way in (0, 1)],
        "driver_seconds_a_shard": core / tiny,
    }
    print(json.dumps(found))


if __name__ == "__main__":
    main()
