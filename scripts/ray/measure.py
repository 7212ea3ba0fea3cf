"""Measures the costs of a training, piece by piece, each on one core: shards, their results, learning, measuring.

measure.py FOLDER [SETTING...]: trains two iterations of 256 games with a network and searches like those of long runs,
and prints a line of JSON for simulate.py.
"""

import json
import sys
import time
from pathlib import Path

from gipf import Training, play_shard

FOLDER, SETTINGS = Path(sys.argv[1]), sys.argv[2:]
SHARD = 32
LONG_RUN = [
    "run.games=256",
    "network={kind='line',features=32,hidden=128,mixing=[32],value_hidden=64,global_pooling=true,push_paths=true}",
    "self_play={full_simulations=192,cheap_simulations=32,full_share=0.25}",
    "replay={window=1000000,reuse=4.0}",
    "learning.batch_size=256",
]


def main() -> None:
    """Plays and learns, and prints the seconds."""
    # As many games as after any other iteration.
    settings = ["run.iterations=2", "evaluation.final_games=40", *LONG_RUN, *SETTINGS]
    training = Training.create(FOLDER / "measured", settings=settings)
    training.set_shard_games(SHARD)
    played = ingested = size = games = 0
    rows = []
    while training.begin():
        iteration = training.iterations + 1
        checkpoint = training.checkpoint(iteration)
        # The first network knows nothing, and its games are unlike all later ones.
        for _, first, count, spec in training.next_shards(1000):
            began = time.process_time()
            result = play_shard(checkpoint, spec, threads=1)
            between = time.process_time()
            training.ingest(iteration, first, result)
            if iteration > 1:
                rows.append((between - began) / count)
                played += between - began
                ingested += time.process_time() - between
                size, games = size + len(result), games + count
        training.learn()
        training.measure()
        spent = json.loads(training.save())["core_seconds"]
    mean = played / games
    spread = (sum((row - mean) ** 2 for row in rows) / max(len(rows) - 1, 1)) ** 0.5
    found = {
        "game_seconds": mean,
        # For one game: that of a shard shrinks with the square root of its games.
        "game_spread": spread / mean * SHARD**0.5,
        "ingest_seconds": ingested / games,
        "result_bytes": size / games,
        "network_bytes": len(checkpoint),
        # CPU time: others may be at work on this machine.
        "learn_core_seconds": spent["learning"] / training.games,
        "measure_core_seconds": spent["evaluation"],
    }
    print(json.dumps(found))


if __name__ == "__main__":
    main()
