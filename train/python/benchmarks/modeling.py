"""Folders of `gipf export --to safetensors` answer in PyTorch as here; run by scripts/check-agents.

    GIPF=path/to/gipf python benchmarks/modeling.py

Exports networks of all kinds for all rule sets, loads each with the module of its folder, and ends with exit code 1 if
an answer for one of 1 000 positions differs by more than 1e-4. Prints the largest differences.
"""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import torch

sys.path.append(str(Path(__file__).parents[1] / "tests"))
from test_onnx import NEAR, networks, observations


def module_of(folder: Path):
    """Returns the module that lies in an exported folder."""
    spec = importlib.util.spec_from_file_location("modeling_gipf", folder / "modeling_gipf.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def differences(network, folder: Path) -> tuple[float, float]:
    """Returns the largest differences of logits and probabilities of a network and its exported folder."""
    checkpoint = folder / "net.safetensors"
    checkpoint.write_bytes(network.__reduce__()[1][2])
    out = folder / "exported"
    subprocess.run(
        [os.environ["GIPF"], "export", checkpoint, "--to", "safetensors", "--out", out], check=True, stdout=sys.stderr
    )
    model = module_of(out).GipfModel.from_folder(out)
    planes = observations(network.variant, seed=3)
    with torch.no_grad():
        theirs = [part.numpy() for part in model(torch.from_numpy(planes))]
    ours = network.evaluate(planes)
    return tuple(float(np.abs(a - b).max()) for a, b in zip(ours, theirs, strict=True))


def main() -> int:
    largest = 0.0
    with tempfile.TemporaryDirectory() as scratch:
        made = Path(scratch) / "made"
        made.mkdir()
        for number, (name, network) in enumerate(networks(made)):
            folder = Path(scratch) / str(number)
            folder.mkdir()
            found = differences(network, folder)
            print(f"{network.variant:17} {name:20} {found[0]:.1e} {found[1]:.1e}", flush=True)
            largest = max(largest, *found)
    print(f"largest difference {largest:.1e}, allowed {NEAR:.0e}")
    return int(largest > NEAR)


if __name__ == "__main__":
    sys.exit(main())
