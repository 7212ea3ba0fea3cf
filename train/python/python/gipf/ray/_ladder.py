"""Ladders on Ray."""

import json
import sys
from collections.abc import Callable, Sequence
from contextlib import closing
from os import PathLike
from typing import Any

from gipf import Ladder
from gipf.ray._driver import drive
from gipf.ray._ray import IN_FLIGHT, Log, RayWorkers, check_counts, check_reachable, connected, nothing, places
from gipf.ray._rounds import Rounds


def ladder(
    players: Sequence[str] = (),
    *,
    store: str | PathLike[str] | None = None,
    address: str | None = None,
    threads: int = 1,
    workers: int | None = None,
    shard_pairs: int | None = None,
    patience: float = 600.0,
    progress: Callable[[str], object] = nothing,
    kept: Callable[[str], object] = nothing,
    ray_init: dict[str, Any] | None = None,
    **settings: Any,
) -> dict[str, Any]:
    """Plays the games of a ladder on a Ray cluster, and returns its table, as `gipf ladder --json` prints it.

    Each round of at most 16 pairs depends on the results of all earlier rounds, so the file is the same as that of
    `gipf ladder` with the same arguments, except for the seconds that players thought and the version of the program.
    If there are more workers than pairs in a round, the others have nothing to do. The same call continues a ladder
    that was stopped, after the last round that was kept.

    * `players`, `store` and `settings`: as for `gipf.Ladder`. Players that think for a time or on several threads are
      refused, since their games depend on the machine.
    * `address`, `threads`, `workers`, `patience`, `progress`, `ray_init`: as for `train`.
    * `shard_pairs`: the number of pairs that are handed out together; by default two shards of a round for each worker.
    * `kept`: called with a line about each round as it is kept.

    Networks are sent with the players' settings. A worker on which they choose differently in a few positions is
    refused. Events of workers and shards are appended to a file beside the ladder, STORE.ray.log.
    """
    check_counts(threads=threads, workers=workers, shard_pairs=shard_pairs)
    check_reachable(address, ray_init or {})
    # Closed in any case: the traceback of an exception, which notebooks keep, would hold the file.
    with closing(Ladder(players, store=store, **settings)) as own:
        rounds = Rounds(own)
        event = Log(rounds.path.with_name(rounds.path.name + ".log"))
        for note in own.notes:
            event(note)
            print(f"{own.path}: {note}", file=sys.stderr)
        ray = connected(address, ray_init or {})
        crew = RayWorkers(threads=threads, most=workers, patience=patience, event=event, plays="play_pairs")

        def fit() -> None:
            fitting = max(-(-MOST_PAIRS // (2 * max(places(ray, threads, 0, workers), 1))), 1)
            rounds.set_shard_pairs(fitting if shard_pairs is None else shard_pairs)

        try:
            drive(rounds, crew, patience=IN_FLIGHT * patience, begins=fit, event=event, progress=progress, kept=kept)
        finally:
            crew.close()
        return json.loads(own.table())


MOST_PAIRS = 16
"""Of a round."""
