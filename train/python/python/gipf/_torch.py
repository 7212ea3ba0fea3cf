"""The part of `gipf.data` that needs torch."""

from __future__ import annotations

from collections.abc import Iterator
from os import PathLike
from typing import Any

import numpy as np
import torch
from torch.utils.data import IterableDataset, get_worker_info

from gipf.data import batches

__all__ = ["BatchDataset"]


class BatchDataset(IterableDataset[dict[str, torch.Tensor]]):
    """The batches of a dataset as tensors, for `torch.utils.data.DataLoader(dataset, batch_size=None)`.

    The arguments are those of `batches`. With workers, each of them reads the files of its part, so there is no use in
    more workers than files; without workers, one process reads on all cores. Call `set_epoch` before each epoch, or
    every epoch has the same order.
    """

    def __init__(self, folder: str | PathLike[str], batch: int = 256, *, seed: int = 0, **options: Any) -> None:
        """Takes the arguments of `batches`."""
        super().__init__()
        self._folder, self._batch, self._seed, self._options = folder, batch, seed, options
        # Shared, so that workers that outlive an epoch see changes too.
        self._epoch = torch.zeros((), dtype=torch.int64).share_memory_()

    def set_epoch(self, epoch: int) -> None:
        """Sets the epoch, which determines the order."""
        self._epoch.fill_(epoch)

    def __iter__(self) -> Iterator[dict[str, torch.Tensor]]:
        """Iterates over the batches once."""
        options, worker = dict(self._options), get_worker_info()
        if worker is not None:
            part, parts = options.get("part", (0, 1))
            options["part"] = (part + parts * worker.id, parts * worker.num_workers)
        for batch in batches(self._folder, self._batch, seed=self._order(int(self._epoch)), **options):
            yield {name: torch.from_numpy(array) for name, array in batch.items()}

    def _order(self, epoch: int) -> int:
        """Returns the seed of an epoch: neighbouring seeds have no epoch in common."""
        if epoch == 0:
            return self._seed
        return int(np.random.SeedSequence((self._seed, epoch)).generate_state(1, np.uint64)[0])
