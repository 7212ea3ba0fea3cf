"""Watches the memory of a training on Ray, once a minute: of the driver, of workers, and of the processes that Ray
starts.

memory.py FOLDER MINUTES [CORES]: prints a row per minute, and a line of JSON: for each kind of process the MiB after a
third of the time and at the end, as medians of three rows, and its growth per hour. Measured is the proportional share
(PSS): memory that processes share is counted once, in parts.
"""

import json
import os
import statistics
import sys
import threading
import time
from pathlib import Path

import ray

from gipf.ray import train
from processes import processes

FOLDER, MINUTES = Path(sys.argv[1]), float(sys.argv[2])
CORES = int(sys.argv[3]) if len(sys.argv) > 3 else 1
# A window that fills in the first minutes, and short shards: many of everything that could leak somewhere.
SETTINGS = (
    "run.games=64",
    "run.iterations=1000000",
    "phases=[]",
    "replay.window=5000",
    "replay.exponent=0",
    'evaluation.opponents=["random"]',
    "evaluation.games=2",
    "evaluation.gating.games=2",
)
KINDS = {"driver": "", "workers": "ray::", "raylet": "raylet", "gcs": "gcs_server"}
EVERY = 60.0


def command(process: int) -> str:
    """Returns the name that a process gives itself; empty if it has ended."""
    try:
        return Path(f"/proc/{process}/cmdline").read_text().replace("\0", " ").split(" ")[0]
    except OSError:
        return ""


def megabytes(process: int) -> float:
    """Returns the proportional share of a process, in MiB; 0 if it has ended."""
    try:
        lines = Path(f"/proc/{process}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0.0
    return sum(int(line.split()[1]) for line in lines if line.startswith("Pss:")) / 1024


def measured() -> dict[str, float]:
    """Returns the MiB of each kind of process."""
    row = dict.fromkeys(KINDS, 0.0)
    for process in processes():
        named = [kind for kind, word in KINDS.items() if word and word in command(process)]
        kind = "driver" if process == os.getpid() else named[0] if named else None
        if kind:
            row[kind] += megabytes(process)
    return row


class Enough(Exception):
    """The time is up."""


def main() -> None:
    """Trains and watches."""
    rows: list[dict[str, float]] = []
    began, over = time.monotonic(), threading.Event()

    def watch() -> None:
        while not over.wait(EVERY):
            rows.append({"minute": (time.monotonic() - began) / 60, "iterations": kept.count, **measured()})
            print("  ".join(f"{name} {value:.1f}" for name, value in rows[-1].items()), flush=True)

    def kept(line: str) -> None:
        kept.count += 1
        if time.monotonic() - began > MINUTES * 60:
            raise Enough

    kept.count = 0
    here = {"address": "local", "_node_ip_address": "127.0.0.1", "include_dashboard": False, "log_to_driver": False}
    ray.init(num_cpus=CORES, object_store_memory=100_000_000, **here)
    threading.Thread(target=watch, daemon=True).start()
    try:
        train(FOLDER / "watched", preset="smoke", settings=SETTINGS, shard_games=8, kept=kept)
    except Enough:
        over.set()
    third = len(rows) // 3
    found: dict[str, object] = {"minutes": rows[-1]["minute"], "iterations": kept.count}
    for kind in KINDS:
        early, late = (statistics.median(row[kind] for row in part) for part in (rows[third : third + 3], rows[-3:]))
        hours = (rows[-2]["minute"] - rows[third + 1]["minute"]) / 60
        found[kind] = {"MiB": [round(early, 1), round(late, 1)], "MiB_an_hour": round((late - early) / hours, 1)}
    print(json.dumps(found))


if __name__ == "__main__":
    main()
