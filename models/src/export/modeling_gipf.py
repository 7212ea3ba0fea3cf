"""The policy-value networks of gipf as PyTorch modules. Needs torch and safetensors, and no pickle.

    model = GipfModel.from_folder(".")
    logits, wdl = model(observations)   # (N, planes, 7, 7) -> (N, actions), (N, 3)

`logits` hold a number for each action, legal or not: mask those that are not legal before a softmax. `wdl` are the
probabilities of win, draw and loss for the player to move. The tables in `config.json` are all that the networks know
about the board. License: MIT or Apache-2.0.
"""

import json
import math
from pathlib import Path
from typing import Any

import torch
import torch.nn.functional as F
from safetensors.torch import load_file
from torch import Tensor, nn

# The factor that makes layers start small if they should do almost nothing at first: those that end in a logit, and the
# last of each residual step.
SMALL = 0.1


def he(inputs: int) -> float:
    """Returns the standard deviation of weights before a rectifier when learning starts."""
    return math.sqrt(2 / inputs)


def plain(inputs: int) -> float:
    """Returns the standard deviation of other weights when learning starts."""
    return math.sqrt(1 / inputs)


def drawn(*shape: int, deviation: float) -> nn.Parameter:
    """Returns weights from an interval around 0, as the program draws them."""
    bound = math.sqrt(3) * deviation
    return nn.Parameter(torch.empty(*shape).uniform_(-bound, bound))


class Dense(nn.Module):
    """x @ weight + bias; the weight is `(inputs, outputs)`, as it is stored."""

    def __init__(self, inputs: int, outputs: int, deviation: float):
        super().__init__()
        self.weight = drawn(inputs, outputs, deviation=deviation)
        self.bias = nn.Parameter(torch.zeros(outputs))

    def forward(self, x: Tensor) -> Tensor:
        return x @ self.weight + self.bias


class Layers(nn.Module):
    """Dense layers by name."""

    def __init__(self, **sizes: tuple[int, int, float]):
        super().__init__()
        for name, size in sizes.items():
            self.add_module(name, Dense(*size))


class GipfModel(nn.Module):
    """A network of any kind, with initial weights; `load_state_dict` or `from_folder` sets others."""

    def __init__(self, config: dict[str, Any]):
        super().__init__()
        net, layout = dict(config["net"]), config["layout"]
        self.kind, self.num_actions = net.pop("kind"), config["num_actions"]
        self.pieces, self.marks, self.scalars = layout["pieces"], layout["marks"], layout["scalars"]
        self.constant("cells", layout["cells"])
        for name, table in (config["tables"] or {}).items():
            if name == "readings":
                for encoder, readings in enumerate(table):
                    self.constant(f"readings_{encoder}", readings)
            elif name in ("neighbours", "through", "logits"):
                self.constant(name, table)
            else:
                setattr(self, name, table)
        {"line": self.build_line, "hex": self.build_hex, "mlp": self.build_mlp}[self.kind](**net)

    @classmethod
    def from_folder(cls, folder: str | Path) -> "GipfModel":
        """Returns the network of a folder with `config.json` and `model.safetensors`."""
        model = cls(json.loads((Path(folder) / "config.json").read_text(encoding="utf-8")))
        model.load_state_dict(load_file(Path(folder) / "model.safetensors"))
        return model.eval()

    def constant(self, name: str, values: list[Any]) -> None:
        self.register_buffer(name, torch.tensor(values, dtype=torch.long), persistent=False)

    def build_line(
        self,
        features: int,
        hidden: int,
        value_hidden: int,
        mixing: list[int],
        global_pooling: bool = False,
        push_paths: bool = False,  # shows in the number of outputs of a spot
    ) -> None:
        states = 1 + self.pieces
        lengths = [getattr(self, f"readings_{encoder}").shape[1] for encoder in range(4)]
        self.readers = nn.ModuleList(
            Layers(
                # One state of each spot is set; six readings add up at a spot, and two in a logit.
                input=(k * states, hidden, he(k)),
                hidden=(hidden, hidden, he(hidden)),
                spots=(hidden, k * features, plain(6 * hidden)),
                line=(hidden, self.reading_outputs, SMALL * plain(2 * hidden)),
            )
            for k in lengths
        )
        self.conditions = drawn(self.marks + self.scalars, features, deviation=0.3)
        self.spot_bias = nn.Parameter(torch.zeros(37, features))
        if global_pooling:
            self.add_module("global", Dense(2 * features, features, SMALL * plain(2 * features)))
        around = 7 * features
        self.mixing = nn.ModuleList(
            Layers(gather=(around, width, he(around)), spread=(width, features, SMALL * plain(width)))
            for width in mixing
        )
        self.build_heads(features, value_hidden)

    def build_hex(self, blocks: int, channels: int, value_hidden: int) -> None:
        # At most one piece is on each spot, and marks are rare.
        self.stem = drawn(7 * (self.pieces + self.marks), channels, deviation=he(7))
        self.conditions = drawn(self.scalars, channels, deviation=0.3)
        self.spot_bias = nn.Parameter(torch.zeros(37, channels))
        around = 7 * channels
        self.blocks = nn.ModuleList(
            Layers(first=(around, channels, he(around)), second=(around, channels, SMALL * plain(around)))
            for _ in range(blocks)
        )
        self.build_heads(channels, value_hidden)

    def build_mlp(self, hidden: list[int]) -> None:
        widths = [(self.pieces + self.marks) * len(self.cells) + self.scalars, *hidden]
        # At most one of the pieces' inputs on each cell is set.
        active = [len(self.cells) + self.scalars, *hidden]
        layers = zip(widths, hidden, map(he, active), strict=False)
        self.hidden = nn.ModuleList(Dense(*layer) for layer in layers)
        small = SMALL * plain(widths[-1])
        self.policy, self.value = Dense(widths[-1], self.num_actions, small), Dense(widths[-1], 3, small)

    def build_heads(self, features: int, value_hidden: int) -> None:
        self.spot_heads = Dense(features, self.spot_outputs, SMALL * plain(features))
        pooled = 2 * features + self.scalars
        hidden = Dense(pooled, value_hidden, he(pooled))
        self.value = nn.ModuleList([hidden, Dense(value_hidden, 3, SMALL * plain(value_hidden))])

    def forward(self, observations: Tensor) -> tuple[Tensor, Tensor]:
        planes = observations.flatten(2)
        shaped = planes[:, : self.pieces + self.marks, self.cells]
        scalars = planes[:, self.pieces + self.marks :, self.cells[0]]
        logits, wdl = getattr(self, self.kind)(shaped, scalars)
        return logits, wdl.softmax(1)

    def mlp(self, shaped: Tensor, scalars: Tensor) -> tuple[Tensor, Tensor]:
        x = torch.cat([shaped.flatten(1), scalars], 1)
        for layer in self.hidden:
            x = F.relu(layer(x))
        return self.policy(x), self.value(x)

    def line(self, shaped: Tensor, scalars: Tensor) -> tuple[Tensor, Tensor]:
        pieces, marks = shaped[:, : self.pieces], shaped[:, self.pieces :]
        states = torch.cat([1 - pieces.sum(1, keepdim=True), pieces], 1).transpose(1, 2)
        spots, lines = self.read(states)
        everywhere = scalars.unsqueeze(1).expand(-1, 37, -1)
        conditions = torch.cat([marks.transpose(1, 2), everywhere], 2) @ self.conditions
        x = F.relu(spots + conditions + self.spot_bias)
        if "global" in self._modules:
            x = F.relu(x + self._modules["global"](torch.cat([x.mean(1), x.amax(1)], 1)).unsqueeze(1))
        for step, layers in enumerate(self.mixing):
            x = F.relu(x) if step else x
            x = x + layers.spread(F.relu(layers.gather(self.around(x))))
        return self.heads(x, lines, shaped, scalars)

    def read(self, states: Tensor) -> tuple[Tensor, Tensor]:
        """Reads every line from both ends: features of the spots `(N, 37, F)`, outputs of the readings."""
        spots, lines = [], []
        for encoder, layers in enumerate(self.readers):
            readings = getattr(self, f"readings_{encoder}")
            x = states[:, readings].flatten(2)
            x = F.relu(layers.hidden(F.relu(layers.input(x))))
            spots.append(layers.spots(x).unflatten(2, (readings.shape[1], -1)).flatten(1, 2))
            lines.append(layers.line(x))
        return torch.cat(spots, 1)[:, self.through].sum(2), torch.cat(lines, 1)

    def hex(self, shaped: Tensor, scalars: Tensor) -> tuple[Tensor, Tensor]:
        stem = self.around(shaped.transpose(1, 2)) @ self.stem
        x = F.relu(stem + self.spot_bias + (scalars @ self.conditions).unsqueeze(1))
        for layers in self.blocks:
            hidden = F.relu(layers.first(self.around(x)))
            x = F.relu(x + layers.second(self.around(hidden)))
        return self.heads(x, None, shaped, scalars)

    def around(self, x: Tensor) -> Tensor:
        """Returns each spot with its six neighbours, with zeros beyond the board: `(N, 37, 7 * F)`."""
        return F.pad(x, (0, 0, 0, 1))[:, self.neighbours].flatten(2)

    def heads(self, x: Tensor, lines: Tensor | None, shaped: Tensor, scalars: Tensor) -> tuple[Tensor, Tensor]:
        outputs = self.spot_heads(x)
        parts = [outputs.flatten(1)] if lines is None else [outputs.flatten(1), lines.flatten(1)]
        first, count = self.questions
        if count:
            in_question = (shaped[:, -1] == 1).to(x.dtype)
            parts.append((outputs[:, :, first : first + count] * in_question.unsqueeze(2)).sum(1))
        # A logit is a sum of outputs; the last one is zero, for sums of fewer terms.
        logits = F.pad(torch.cat(parts, 1), (0, 1))[:, self.logits].sum(2)
        pooled = torch.cat([x.mean(1), x.amax(1), scalars], 1)
        return logits, self.value[1](F.relu(self.value[0](pooled)))
