"""Copies of finished files elsewhere."""

import tomllib
from pathlib import Path
from typing import Any

from gipf import TrainingError

FINISHED = ("config.toml", "metrics.jsonl", "ratings.json", "curve.svg", "checkpoints/*.safetensors")
"""What a run keeps for others; its state, by which it goes on, stays in its directory."""


def _plan(config: bytes) -> Any:
    """Returns the settings of a run but for its length, which may grow; what cannot be read, as it is."""
    try:
        settings = tomllib.loads(config.decode())
    except (UnicodeDecodeError, tomllib.TOMLDecodeError):
        return config
    settings.get("run", {}).pop("iterations", None)
    return settings


class Mirror:
    """Keeps a copy of what a run has finished at any place that `fsspec` knows: "file:///mnt/shared/run", "s3://…".

    Raises `TrainingError` if another run lies there.
    """

    def __init__(self, run: Path, url: str):
        from fsspec.core import url_to_fs

        self.run, (self.files, self.root) = run, url_to_fs(url)
        self.known: dict[str, tuple[int, int]] = {}
        place = f"{self.root}/config.toml"
        if self.files.exists(place) and _plan(self.files.cat_file(place)) != _plan((run / "config.toml").read_bytes()):
            raise TrainingError(f"{url} holds another run: expected an empty place, or a copy of {run}")

    def update(self) -> None:
        """Copies what is new or has changed. A reader sees the old file or the new one, whole."""
        for file in sorted(file for pattern in FINISHED for file in self.run.glob(pattern)):
            name, status = file.relative_to(self.run).as_posix(), file.stat()
            version = (status.st_mtime_ns, status.st_size)
            if self.known.get(name) == version:
                continue
            target = f"{self.root}/{name}"
            self.files.makedirs(target.rsplit("/", 1)[0], exist_ok=True)
            self.files.put_file(str(file), f"{target}.part")
            self.files.mv(f"{target}.part", target)
            self.known[name] = version
