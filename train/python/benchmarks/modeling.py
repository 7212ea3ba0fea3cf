"""Checks that folders of `gipf export --to safetensors` give the same answers in PyTorch; run by scripts/check-agents.

    GIPF=path/to/gipf python benchmarks/modeling.py

Exports networks of all kinds for all rule sets, loads each with the module in its folder, and ends with exit code 1 if
an answer for one of 1 000 positions differs by more than 1e-4, or if a module without weights from a file does not
begin as the program's networks do. Prints the largest differences.
"""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import torch
from safetensors.torch import load_file

import gipf

sys.path.append(str(Path(__file__).parents[1] / "tests"))
from test_onnx import NEAR, NETS, networks, observations


def module_of(folder: Path):
    """Returns the module in an exported folder."""
    spec = importlib.util.spec_from_file_location("modeling_gipf", folder / "modeling_gipf.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def exported(network, folder: Path) -> Path:
    """Returns a folder to which a network was exported."""
    checkpoint, out = folder / "net.safetensors", folder / "exported"
    checkpoint.write_bytes(network.to_checkpoint())
    subprocess.run(
        [os.environ["GIPF"], "export", checkpoint, "--to", "safetensors", "--out", out], check=True, stdout=sys.stderr
    )
    return out


def wrong_beginnings(kind: str, sizes: dict, folder: Path) -> list[str]:
    """Returns the tensors of a fresh module whose standard deviations are not those with which learning starts here."""
    out = exported(gipf.Network.initial(kind, **sizes), folder)
    begun = module_of(out).GipfModel(json.loads((out / "config.json").read_text())).state_dict()
    wrong = []
    for name, ours in load_file(out / "model.safetensors").items():
        expected, found = (float((numbers**2).mean() ** 0.5) for numbers in (ours, begun[name]))
        # Chance causes a sixth of that.
        if not abs(found - expected) <= 4 / ours.numel() ** 0.5 * expected:
            wrong.append(f"{name}: {found:.4f}, expected {expected:.4f}")
    return wrong


def differences(network, folder: Path) -> tuple[float, float]:
    """Returns the largest differences of logits and probabilities of a network and its exported folder."""
    out = exported(network, folder)
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
        wrong = []
        for name, (kind, sizes) in NETS.items():
            folder = Path(scratch) / name
            folder.mkdir()
            wrong += wrong_beginnings(kind, sizes, folder)
    print(f"largest difference {largest:.1e}, allowed {NEAR:.0e}", *wrong, sep="\n")
    return int(largest > NEAR or bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
