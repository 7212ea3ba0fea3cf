"""Engines that evaluate batches of observations on one thread, and their speed."""

import json
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import onnxruntime
import torch
from torch import nn

Evaluate = Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]
SECONDS = 0.25


def with_torch(network: nn.Module) -> Evaluate:
    """Returns PyTorch's evaluation of a network, without gradients."""

    def evaluate(planes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        with torch.inference_mode():
            logits, wdl = network(torch.from_numpy(planes))
        return logits.numpy(), wdl.numpy()

    return evaluate


def with_onnx(network: nn.Module, planes: np.ndarray, file: Path) -> Evaluate:
    """Returns ONNX Runtime's evaluation of a network in batches of this size: plain or bound, whichever is faster."""
    torch.onnx.export(
        network,
        (torch.from_numpy(planes),),
        file,
        input_names=["planes"],
        output_names=["logits", "wdl"],
        dynamo=True,
        external_data=False,
        verbose=False,
    )
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    session = onnxruntime.InferenceSession(file, options, providers=["CPUExecutionProvider"])

    def plain(planes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return tuple(session.run(None, {"planes": planes}))

    source = onnxruntime.OrtValue.ortvalue_from_numpy(planes.copy())
    shapes = [np.zeros(output.shape, np.float32) for output in session.get_outputs()]
    outputs = [onnxruntime.OrtValue.ortvalue_from_numpy(zeros) for zeros in shapes]
    binding = session.io_binding()
    binding.bind_ortvalue_input("planes", source)
    for name, output in zip(["logits", "wdl"], outputs, strict=True):
        binding.bind_ortvalue_output(name, output)

    def bound(planes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        source.update_inplace(planes)
        session.run_with_iobinding(binding)
        return tuple(output.numpy() for output in outputs)

    return max(plain, bound, key=lambda evaluate: rate(evaluate, [planes]))


def rate(evaluate: Evaluate, batches: list[np.ndarray]) -> float:
    """Returns the observations evaluated per second of CPU time, summed over all threads."""
    evaluate(batches[0])
    count, start = 0, time.process_time()
    while (spent := time.process_time() - start) < SECONDS:
        for planes in batches[:64]:
            evaluate(planes)
            count += len(planes)
    return count / spent


def gipf_rates(gipf: str, network: str, batches: list[int]) -> dict[tuple[str, int], float] | None:
    """Returns the results of `gipf bench infer` for a network, for each precision and batch; none if gipf does not know
    it.
    """
    command = [gipf, "bench", "infer", "--network", network, "--rounds", "15", "--json"]
    for batch in batches:
        command += ["--batch", str(batch)]
    found = subprocess.run(command, capture_output=True, text=True, check=False)
    lines = map(json.loads, found.stdout.splitlines())
    return {(line["precision"], line["batch"]): line["per_core"] for line in lines} if found.returncode == 0 else None


def write_answers(gipf: str, network: str, folder: Path) -> bool:
    """Lets `gipf` write a network and its answers; returns whether gipf knows the network."""
    command = [gipf, "bench", "infer", "--network", network, "--batch", "64", "--rounds", "1", "--answers", str(folder)]
    found = subprocess.run(command, capture_output=True, text=True, check=False)
    if found.returncode != 0 and "expected one of" not in found.stderr:
        raise SystemExit(found.stderr)
    return found.returncode == 0
