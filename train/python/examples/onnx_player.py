"""Plays and rates an ONNX model under the search of this package, with ONNX Runtime as its evaluator.

    python examples/onnx_player.py net.onnx --against alpha-beta:2 --games 40 --simulations 64

The model is one written by `gipf export --to onnx`, or any with the same inputs and outputs: `observation`, `(N,
planes, 7, 7)`, in; `logits`, `(N, actions)`, and `wdl`, `(N, 3)`, or `value`, `(N,)`, out, all of them for the player
to move. A model from another program does not say which rule set it plays: `--variant` does. Needs onnxruntime.
"""

import argparse
from pathlib import Path

import numpy as np
import onnxruntime
from numpy.typing import NDArray

import gipf


class OnnxEvaluator:
    """A function from observations to logits and values, for `Player.from_evaluator` and `Searches`.

    * `path`: the path of the model.
    * `variant`: its rule set, if the model does not name it.
    * `threads`: the threads of ONNX Runtime; one is fastest for networks of this size.

    Raises `ValueError` if the inputs and outputs of the model are not those of the rule set.
    """

    def __init__(self, path: str | Path, variant: str | None = None, threads: int = 1):
        self.path, self.threads = Path(path), threads
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = threads
        self.session = onnxruntime.InferenceSession(self.path, options, providers=["CPUExecutionProvider"])
        own = self.session.get_modelmeta().custom_metadata_map.get("gipf.variant")
        if own and variant and own != variant:
            raise ValueError(f"{path} is a network for {own}: expected {variant}")
        self.variant = variant or own or "standard"
        self.outputs = self.checked_outputs()
        self.__name__ = self.path.stem

    def checked_outputs(self) -> list[str]:
        """Returns the outputs that are read: the logits, and what there is of the value."""
        reads = {value.name: value.shape[1:] for value in self.session.get_inputs()}
        expected = {"observation": gipf.observation_shape(self.variant)}
        if reads != expected:
            raise ValueError(f"{self.path} reads {reads} a position: expected {expected} for {self.variant}")
        gives = {value.name: value.shape[1:] for value in self.session.get_outputs()}
        expected = {"logits": [gipf.action_space(self.variant)], "wdl": [3], "value": []}
        fitting = [name for name, shape in expected.items() if gives.get(name) == shape]
        if "logits" not in fitting or len(fitting) == 1:
            raise ValueError(f"{self.path} gives {gives} a position: expected logits, and wdl or value, as {expected}")
        return fitting[:2]

    def __call__(self, observations: NDArray[np.float32]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        logits, values = self.session.run(self.outputs, {"observation": observations})
        return logits, values

    def __reduce__(self):
        return OnnxEvaluator, (self.path, self.variant, self.threads)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("model", type=Path)
    parser.add_argument("--variant", help="the rule set, where the model does not name it")
    parser.add_argument("--against", default="alpha-beta:2")
    parser.add_argument("--games", type=int, default=40)
    parser.add_argument("--simulations", type=int, default=64)
    options = parser.parse_args()
    evaluate = OnnxEvaluator(options.model, options.variant)
    player = gipf.Player.from_evaluator(evaluate, options.simulations, variant=evaluate.variant)
    print(gipf.play_match(player, options.against, options.games))


if __name__ == "__main__":
    main()
