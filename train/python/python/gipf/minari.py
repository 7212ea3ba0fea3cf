"""Datasets of `gipf self-play` as Minari datasets: an episode for each game.

```python
import gipf.minari

dataset = gipf.minari.export("datasets/quick", "gipf/quick-v0")
```

The observation of a step is `(planes, 7, 7)` float32 from the view of the player who decides, its reward is for the
player who acted, and `infos["to_move"]` says who that is: 0 or 1. `infos["action_mask"]` has the legal actions. Search
policies have no place in Minari's format; read the Parquet files for those. A directory is refused if its manifest does
not say that the dataset is complete; `gipf data validate` checks the checksums too.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import Any

import minari
import numpy as np
import pyarrow.parquet as parquet
from gymnasium import spaces
from minari import MinariDataset
from minari.data_collector.episode_buffer import EpisodeBuffer
from minari.storage import get_dataset_path

import gipf

__all__ = ["episodes", "export"]

_COLUMNS = ["game_id", "start", "limit", "action", "result"]


def export(folder: str | Path, dataset_id: str, **description: Any) -> MinariDataset:
    """Writes the games of a directory as a Minari dataset of this name, such as `gipf/quick-v0`, and returns it.

    `description` is passed on to `minari.create_dataset_from_buffers`: `author`, `algorithm_name` and so on. All games
    are held in memory meanwhile. If that fails, no part of it stays.

    Raises `gipf.GipfError` if the directory is not a complete dataset, or the name has no version or is taken.
    """
    _new(dataset_id)
    files = _files(folder)
    described = parquet.read_metadata(files[0]).metadata or {}
    if b"gipf.variant" not in described:
        raise gipf.GipfError(f"{files[0]}: expected a file of a dataset, which names its rule set")
    variant = described[b"gipf.variant"].decode()
    observation = spaces.Box(-1.0, 1.0, tuple(gipf.observation_shape(variant)), np.float32)
    played = list(episodes(folder))
    # Reading takes long: what is removed below must not be what another process has made meanwhile.
    place = _new(dataset_id)
    try:
        return minari.create_dataset_from_buffers(
            dataset_id,
            played,
            observation_space=observation,
            action_space=spaces.Discrete(gipf.action_space(variant)),
            **{"requirements": ["gipf"]} | description,
        )
    except BaseException:
        shutil.rmtree(place, ignore_errors=True)
        raise


def _new(dataset_id: str) -> Path:
    """Returns where a dataset of a new name will be.

    Minari itself looks at the name last, and cannot list its datasets after one that it has begun without a version.
    """
    if not re.fullmatch(r".+-v\d+", dataset_id):
        raise gipf.GipfError(f"dataset_id {dataset_id!r}: expected a name with a version, such as gipf/quick-v0")
    place = get_dataset_path(dataset_id)
    if place.exists():
        raise gipf.GipfError(f"dataset_id {dataset_id!r}: {place} exists: expected a new name")
    return place


def episodes(folder: str | Path) -> Iterator[EpisodeBuffer]:
    """Yields the games of a directory as episodes, each replayed from its actions.

    Raises `gipf.GipfError` if the directory is not a complete dataset, `gipf.IllegalAction` if a game cannot be
    replayed.
    """
    number = 0
    for file in _files(folder):
        rows = parquet.read_table(file, columns=_COLUMNS).to_pylist()
        for _, game in groupby(rows, key=lambda row: row["game_id"]):
            yield _episode(number, list(game))
            number += 1


def _files(folder: str | Path) -> list[Path]:
    """Returns the files of a complete dataset."""
    # As everywhere, names that begin so are no part of it: macOS leaves a file ._NAME beside each.
    found = sorted(path for path in Path(folder).glob("*.parquet") if not path.name.startswith((".", "_")))
    if not found:
        raise gipf.GipfError(f"{folder}: expected a directory with files games-*.parquet")
    manifest = Path(folder) / "_manifest.json"
    if not manifest.is_file():
        raise gipf.GipfError(f"{folder}: expected a complete dataset, with _manifest.json")
    try:
        dataset = json.loads(manifest.read_text(encoding="utf-8"))
        is_complete = dataset["complete"] is True
        files = {Path(folder) / entry["name"]: entry["bytes"] for entry in dataset["files"]}
    except (ValueError, KeyError, TypeError) as error:
        raise gipf.GipfError(f"{manifest}: expected the manifest of a dataset") from error
    if not is_complete:
        raise gipf.GipfError(f"{folder}: the dataset is not complete: expected its command to be run to its end")
    for path in sorted({*found, *files}):
        if path not in files:
            raise gipf.GipfError(f"{path}: expected only files that _manifest.json names")
        if path not in found or path.stat().st_size != files[path]:
            raise gipf.GipfError(f"{path}: expected {files[path]} bytes, as _manifest.json says")
    return list(files)


def _episode(number: int, rows: list[dict[str, Any]]) -> EpisodeBuffer:
    state = gipf.State(gpn=rows[0]["start"], limit=rows[0]["limit"])
    observations, to_move, masks, rewards = [], [], [], []

    def look() -> None:
        observations.append(state.observation())
        to_move.append(state.to_move)
        masks.append(state.action_mask())

    look()
    for row in rows:
        actor = state.to_move
        state.apply(row["action"])
        rewards.append(state.returns()[actor])
        look()
    if not state.is_truncated:
        # A game that was resigned ends before the rules end it; the result is from White's view.
        rewards[-1] = float(rows[-1]["result"] * (1 if actor == 0 else -1))
    not_last = [False] * (len(rows) - 1)
    return EpisodeBuffer(
        id=number,
        observations=observations,
        actions=[row["action"] for row in rows],
        rewards=rewards,
        terminations=[*not_last, not state.is_truncated],
        truncations=[*not_last, state.is_truncated],
        infos={"to_move": to_move, "action_mask": masks},
    )
