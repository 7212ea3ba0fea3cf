"""The samples of datasets as training arrays: what `gipf self-play`, or `gipf.self_play` with `out`, has written.

```python
import gipf.data

for batch in gipf.data.batches("datasets/quick", 256):
    batch["observations"], batch["policies"], batch["values"]  # and so on
```

Files are read on all cores, a few at a time, after the checksum of each has been checked. As in `gipf train`, only
fully searched decisions are samples; values are the results of the games unless `value_mix` says otherwise (`gipf
train` mixes in 0.8 of the search's value, `gipf fit` 0.4). A game that a limit cut off has no result: its values are
the search's, and weigh the less, the smaller `value_mix` is.
"""

from __future__ import annotations

from collections.abc import Iterator
from os import PathLike
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from gipf._gipf import _Batches

if TYPE_CHECKING:
    from gipf._torch import BatchDataset as BatchDataset

__all__ = ["batches"]

# The number of samples from which one is drawn.
WINDOW = 2**18


def batches(
    folder: str | PathLike[str],
    batch: int = 256,
    *,
    symmetries: bool = True,
    shuffle: bool = True,
    seed: int = 0,
    value_mix: float = 0.0,
    window: int = WINDOW,
    part: tuple[int, int] = (0, 1),
) -> Iterator[dict[str, NDArray[Any]]]:
    """Returns an iterator over the samples of the complete dataset in a directory, each once, in batches of k.

    * `batch`: k, up to 1 000 000; the last batch may be smaller.
    * `symmetries`: whether each sample is shown under one of the 12 symmetries of the board, drawn at random.
    * `shuffle`: whether the order is drawn at random: that of the files, then each sample from a window.
    * `seed`: of the order and the symmetries; use another one for each epoch.
    * `value_mix`: the share of the search's value in "values" and "wdl", 0 to 1; the rest is the result of the game. In
      a game that was cut off they are the search's value alone, whatever the share.
    * `window`: the number of samples from which one is drawn; each takes about 600 bytes of memory.
    * `part`: (i, n): the files are divided into n parts, the same whatever the seed, and this is part i, from 0: for
      several workers.

    A batch is a dict of new arrays, all from the view of the player to move: "observations" `(k, planes, 7, 7)`
    float32; "masks" `(k, actions)` bool, true where an action is legal; "policies" `(k, actions)` float32, which sum to
    1; "values" `(k,)` float32, -1 to 1; "wdl" `(k, 3)` float32, the same as probabilities of win, draw and loss;
    "weights" `(k,)` float32, the weight of the value in the loss: the samples of one turn share a weight of 1, and the
    weight in a game that was cut off is multiplied by `value_mix`, so that by default its values do not count.

    The order of the samples depends on the arguments, not on the number of cores. Raises `gipf.DatasetError` if there
    is no complete dataset, or one of its files is damaged; `gipf.GipfError` if a number is out of range.
    """
    return _Batches(
        folder,
        batch,
        symmetries=symmetries,
        shuffle=shuffle,
        seed=seed,
        value_mix=value_mix,
        window=window,
        part=part,
    )


def __getattr__(name: str) -> Any:
    """Imports torch only when `BatchDataset` is asked for."""
    if name == "BatchDataset":
        from gipf._torch import BatchDataset

        return BatchDataset
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
