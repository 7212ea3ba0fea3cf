"""Copies of finished files elsewhere."""

import tomllib
from contextlib import suppress
from glob import escape
from pathlib import Path
from typing import Any
from uuid import uuid4

from gipf import TrainingError
from gipf._shared import naming

SETTINGS = "config.toml"
"""The settings of a run, which show to which run a place belongs."""
METRICS = "metrics.jsonl"
"""Its lines contain the times of the run, so no other run with the same settings has the same ones."""
FINISHED = (METRICS, "ratings.json", "curve.svg", "checkpoints/*.safetensors", "student.safetensors")
"""What else a run keeps for others; the state from which it resumes stays in its directory."""
PLACE = "a place that fsspec can write to"
"""For errors."""


def _plan(config: bytes) -> Any:
    """Returns the settings of a run except for its length, which may grow; if they cannot be read, they are returned as
    they are.
    """
    try:
        settings = tomllib.loads(config.decode())
    except (UnicodeDecodeError, tomllib.TOMLDecodeError):
        return config
    settings.get("run", {}).pop("iterations", None)
    return settings


def _lines(text: bytes) -> list[bytes]:
    """Returns the lines of a text that are not empty."""
    return [line for line in text.splitlines() if line.strip()]


def opened(url: str) -> tuple[Any, str]:
    """Returns the file system of a place and its path there, which is created.

    Raises `GipfError` if it cannot be written to.
    """
    with naming("copy_to", url, PLACE):
        from fsspec.core import url_to_fs

        files, root = url_to_fs(url)
        files.makedirs(root, exist_ok=True)
    return files, root


class Mirror:
    """Keeps a copy of a run's finished files at any place that `fsspec` knows: "file:///mnt/shared/run", "s3://…".

    The settings are copied first, then the metrics, and they show to which run the place belongs: a copy that was
    stopped is continued by the same run, and other runs are refused. A run whose metrics were edited is known by the
    last line of the copy; one that has lost that line is refused too, since nothing else tells it from another. If two
    runs find a place empty at the same moment, it belongs to the one whose settings come last, or with the same
    settings to the one whose metrics come first, and the other one is refused before it copies more.

    Raises `TrainingError` if another run is there, `GipfError` if the place cannot be written to.
    """

    def __init__(self, run: Path, url: str):
        self.run, self.url, (self.files, self.root) = run, url, opened(url)
        self.known: dict[str, tuple[int, int]] = {}
        self.settings: bytes | None = None
        """The settings that this run has put there: editing them by hand while it trains does not make it another run.
        """
        with naming("copy_to", url, PLACE):
            self.claim()

    def update(self) -> None:
        """Copies what is new or has changed. A reader sees either the old file or the new one as a whole; for a moment
        neither, if renaming does not replace files there.

        Raises `TrainingError` if another run has taken the place, `GipfError` if it cannot be written to. A file that
        was being copied when the program was killed stays there as *.part.
        """
        with naming("copy_to", self.url, PLACE):
            self.claim()
            for file in [file for pattern in FINISHED for file in sorted(self.run.glob(pattern))]:
                self.renew(file)

    def renew(self, file: Path) -> None:
        """Copies a file unless the copy is of this version."""
        name, status = file.relative_to(self.run).as_posix(), file.stat()
        version = (status.st_mtime_ns, status.st_size)
        if self.known.get(name) != version:
            self.copy(name)
            self.known[name] = version

    def claim(self) -> None:
        """Copies the settings, unless they are there; refuses the place of another run."""
        own, there = (self.run / SETTINGS).read_bytes(), self.there(SETTINGS)
        if there is None:
            if self.holds_files():
                raise self.refusal(f"files of a run without its {SETTINGS}")
            # If the place was emptied, everything is copied again.
            self.known.clear()
        elif there != self.settings and _plan(there) != _plan(own):
            raise self.refusal("another run")
        elif not self.has_our_metrics():
            raise self.refusal(
                f"another run, or this one before its {METRICS} lost lines or was edited",
                "; if the copy is of this run, remove it or name another place",
            )
        if there != own:
            self.copy(SETTINGS)
        self.settings = own

    def there(self, name: str) -> bytes | None:
        try:
            return self.files.cat_file(f"{self.root}/{name}")
        except FileNotFoundError:
            return None

    def has_our_metrics(self) -> bool:
        """Returns whether the last line of the copy is one of this run, or there is none yet: then all lines before it
        were those of this run too, even if they were edited since.
        """
        there, own = _lines(self.there(METRICS) or b""), self.run / METRICS
        return not there or (own.exists() and there[-1] in _lines(own.read_bytes()))

    def holds_files(self) -> bool:
        # Others may have written files since the folder was listed.
        self.files.invalidate_cache()
        return any(self.files.glob(f"{escape(self.root)}/{pattern}") for pattern in FINISHED)

    def refusal(self, found: str, advice: str = "") -> TrainingError:
        return TrainingError(f"{self.url} holds {found}: expected an empty place, or a copy of {self.run}{advice}")

    def copy(self, name: str) -> None:
        """Copies a file through a temporary one that no other program writes."""
        target = f"{self.root}/{name}"
        part = f"{target}.{uuid4().hex}.part"
        self.files.makedirs(target.rsplit("/", 1)[0], exist_ok=True)
        try:
            self.files.put_file(str(self.run / name), part)
            if not self.is_moved(part, target):
                self.files.rm(target)
                if not self.is_moved(part, target):
                    raise OSError(f"{part} cannot be renamed to {target}")
        except BaseException:
            # The file may not exist or be out of reach, but the error to report is why the copy failed.
            with suppress(Exception):
                self.files.rm(part)
            raise

    def is_moved(self, part: str, target: str) -> bool:
        """Renames a file; returns False if that replaces no other file there, which some places do not even report."""
        try:
            self.files.mv(part, target)
        except FileExistsError:
            return False
        self.files.invalidate_cache()
        return not self.files.exists(part)
