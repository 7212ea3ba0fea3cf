"""The networks of gipf-models as one would write them in PyTorch, filled from its checkpoints.

All read observations `[B, planes · 49]` of the standard game and return the logits `[B, 65]` and the probabilities of
win, draw and loss `[B, 3]`.
"""

import itertools
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

import board

SIDE, AREA = 7, 49
Weights = dict[str, Tensor]
Layout = dict[str, Any]


def linear(weights: Weights, name: str) -> nn.Linear:
    """Returns a dense layer; checkpoints store `[inputs, outputs]`."""
    return linear_of(weights[f"{name}.weight"], weights[f"{name}.bias"])


def linear_of(weight: Tensor, bias: Tensor) -> nn.Linear:
    """Returns a dense layer with the weight `[inputs, outputs]`."""
    layer = nn.Linear(*weight.shape)
    layer.weight.data, layer.bias.data = weight.t().contiguous(), bias
    return layer


class Mlp(nn.Module):
    """The perceptron: pieces and marks at the spots and each scalar once, dense layers, one layer of heads."""

    def __init__(self, layout: Layout, weights: Weights):
        super().__init__()
        shaped = layout["pieces"] + layout["marks"]
        places = [plane * AREA + cell for plane in range(shaped) for cell in layout["cells"]]
        places += [plane * AREA + layout["cells"][0] for plane in range(shaped, shaped + layout["scalars"])]
        self.register_buffer("places", torch.tensor(places))
        count = sum(name.startswith("hidden.") and name.endswith(".weight") for name in weights)
        self.hidden = nn.ModuleList(linear(weights, f"hidden.{layer}") for layer in range(count))
        heads = [torch.cat([weights[f"policy.{part}"], weights[f"value.{part}"]], -1) for part in ("weight", "bias")]
        self.heads = linear_of(*heads)

    def forward(self, planes: Tensor) -> tuple[Tensor, Tensor]:
        x = planes.index_select(1, self.places)
        for layer in self.hidden:
            x = F.relu(layer(x))
        x = self.heads(x)
        return x[:, :-3], x[:, -3:].softmax(1)


class SpotHeads(nn.Module):
    """Policy and value from the features of the spots, `[B, 37, F]`, and the outputs of the lines, if there are any."""

    def __init__(self, weights: Weights, lines: bool):
        super().__init__()
        self.spots = linear(weights, "spot_heads")
        self.value = nn.Sequential(linear(weights, "value.0"), nn.ReLU(), linear(weights, "value.1"))
        outputs, spots = self.spots.out_features, len(board.SPOTS)
        first_line = spots * outputs
        first_question = first_line + (3 * len(board.LINES) if lines else 0)
        assembly = torch.zeros(first_question + 2, 65)
        terms = board.policy_terms(push_paths=outputs > board.SPOT_OUTPUTS)
        for action, (at_spots, (line, output)) in enumerate(terms):
            for spot, spot_output in at_spots:
                assembly[spot * outputs + spot_output, action] = 1
            if lines:
                assembly[first_line + 3 * line + output, action] = 1
        assembly[first_question, board.KEEP] = assembly[first_question + 1, board.TAKE] = 1
        self.register_buffer("assembly", assembly)

    def forward(self, x: Tensor, lines: Tensor | None, question: Tensor, scalars: Tensor) -> tuple[Tensor, Tensor]:
        heads = self.spots(x)
        asked = (heads[:, :, 7:9] * question.unsqueeze(2)).sum(1)
        parts = [heads.flatten(1), asked] if lines is None else [heads.flatten(1), lines.flatten(1), asked]
        wdl = self.value(torch.cat([x.mean(1), x.amax(1), scalars], 1)).softmax(1)
        return torch.cat(parts, 1) @ self.assembly, wdl


class Observation(nn.Module):
    """Splits observations into values at spots and scalars."""

    def __init__(self, layout: Layout):
        super().__init__()
        self.pieces, self.marks = layout["pieces"], layout["marks"]
        self.shaped = self.pieces + self.marks
        self.first = layout["cells"][0]
        self.register_buffer("cells", torch.tensor(layout["cells"]))

    def forward(self, planes: Tensor) -> tuple[Tensor, Tensor]:
        planes = planes.view(planes.shape[0], -1, AREA)
        spots = planes[:, : self.shaped].index_select(2, self.cells)
        return spots, planes[:, self.shaped :, self.first]


class Mixing(nn.Module):
    """A step that mixes each spot with its six neighbours."""

    def __init__(self, weights: Weights, step: int):
        super().__init__()
        self.first = step == 0
        self.gather, self.spread = (linear(weights, f"mixing.{step}.{part}") for part in ("gather", "spread"))
        nothing = len(board.SPOTS)
        taps = [nothing if tap is None else tap for spot in range(nothing) for tap in board.taps(spot)]
        self.register_buffer("taps", torch.tensor(taps))

    def forward(self, x: Tensor) -> Tensor:
        x = x if self.first else F.relu(x)
        batch, spots, features = x.shape
        around = F.pad(x, (0, 0, 0, 1)).index_select(1, self.taps).view(batch, spots, 7 * features)
        return x + self.spread(F.relu(self.gather(around)))


class GlobalPooling(nn.Module):
    """A layer over the mean and the maximum of the features over the board, added to every spot."""

    def __init__(self, weights: Weights):
        super().__init__()
        self.layer = linear(weights, "global")

    def forward(self, x: Tensor) -> Tensor:
        return F.relu(x + self.layer(torch.cat([x.mean(1), x.amax(1)], 1)).unsqueeze(1))


class Line(nn.Module):
    """The line network as it is trained: perceptrons read each line from both ends."""

    def __init__(self, layout: Layout, weights: Weights):
        super().__init__()
        self.observation = Observation(layout)
        self.readers = nn.ModuleList(Reader(weights, index, length) for index, length in enumerate(board.LENGTHS))
        self.conditions = nn.Parameter(weights["conditions"])
        self.spot_bias = nn.Parameter(weights["spot_bias"])
        steps = sum(name.endswith("gather.bias") for name in weights)
        pooling = [GlobalPooling(weights)] if "global.weight" in weights else []
        self.mixing = nn.Sequential(*pooling, *(Mixing(weights, step) for step in range(steps)))
        self.heads = SpotHeads(weights, lines=True)
        self.place_spots()

    def order(self) -> list[tuple[int, int]]:
        """Returns the lines and the places on them, in the order in which they are read."""
        lines = itertools.chain.from_iterable(board.LINES_BY_LENGTH)
        return [(line, place) for line in lines for place in range(len(board.LINES[line]))]

    def place_spots(self) -> None:
        """Stores where the three lines of each spot have their reading of it, and where each line has its outputs."""
        order = self.order()
        through: list[list[int]] = [[] for _ in board.SPOTS]
        for row, (line, place) in enumerate(order):
            if place < len(board.LINES[line]):
                through[board.LINES[line][place]].append(row)
        self.register_buffer("through", torch.tensor(through).flatten())
        read = list(dict.fromkeys(line for line, _ in order))
        self.register_buffer("lines", torch.tensor([read.index(line) for line in range(len(read))]))

    def read(self, pieces: Tensor) -> tuple[Tensor, Tensor]:
        """Returns the features at all places `[B, places, F]` and the outputs of all lines `[B, 21, 3]`."""
        states = torch.cat([1 - pieces.sum(1, keepdim=True), pieces], 1).transpose(1, 2)
        spots, lines = zip(*(reader(states) for reader in self.readers), strict=True)
        return torch.cat(spots, 1), torch.cat(lines, 1).index_select(1, self.lines)

    def forward(self, planes: Tensor) -> tuple[Tensor, Tensor]:
        values, scalars = self.observation(planes)
        pieces, marks = values[:, : self.observation.pieces], values[:, self.observation.pieces :]
        spots, lines = self.read(pieces)
        batch, _, features = spots.shape
        x = spots.index_select(1, self.through).view(batch, len(board.SPOTS), 3, features).sum(2)
        x = x + marks.transpose(1, 2) @ self.conditions[: self.observation.marks]
        x = x + (scalars @ self.conditions[self.observation.marks :]).unsqueeze(1) + self.spot_bias
        return self.heads(self.mixing(F.relu(x)), lines, (marks[:, -1] == 1).to(x.dtype), scalars)


class Reader(nn.Module):
    """The perceptron that reads all lines of one length k, from both ends at once."""

    def __init__(self, weights: Weights, index: int, length: int):
        super().__init__()
        self.length = length
        self.input, self.hidden = (linear(weights, f"readers.{index}.{part}") for part in ("input", "hidden"))
        outputs = [
            torch.cat([weights[f"readers.{index}.{layer}.{part}"] for layer in ("spots", "line")], -1)
            for part in ("weight", "bias")
        ]
        self.outputs = linear_of(*outputs)
        lines = [board.LINES[line] for line in board.LINES_BY_LENGTH[index]]
        both = lines + [line[::-1] for line in lines]
        self.count = len(lines)
        self.register_buffer("spots", torch.tensor(both).flatten())

    def forward(self, states: Tensor) -> tuple[Tensor, Tensor]:
        x = states.index_select(1, self.spots).reshape(states.shape[0], 2 * self.count, -1)
        return self.fold(self.outputs(F.relu(self.hidden(F.relu(self.input(x))))))

    def fold(self, x: Tensor) -> tuple[Tensor, Tensor]:
        """Adds the readings from both ends: features `[B, lines · k, F]`, outputs of lines `[B, lines, 3]`."""
        (batch, _, width), count = x.shape, self.count
        spots = x[..., :-2].reshape(batch, 2 * count, self.length, (width - 2) // self.length)
        spots = spots[:, :count] + spots[:, count:].flip(2)
        ends = x[..., -2:]
        first, last = ends[:, :count], ends[:, count:]
        lines = torch.cat([first[..., :1], last[..., :1], first[..., 1:] + last[..., 1:]], -1)
        return spots.flatten(1, 2), lines


class LineTables(Line):
    """The same network with one row of an embedding for each pattern of pieces on a line, folded from the readers."""

    def __init__(self, layout: Layout, weights: Weights):
        super().__init__(layout, weights)
        kinds = 1 + layout["pieces"]
        self.features = weights["spot_bias"].shape[1]
        rows, first = [], []
        for reader in self.readers:
            first.append(sum(map(len, rows)))
            rows.append(self.tabulated(reader, kinds))
        self.table = nn.Embedding.from_pretrained(torch.cat(rows))
        digits = torch.zeros(layout["pieces"], len(board.SPOTS), len(board.LINES))
        for line, spots in enumerate(board.LINES):
            for place, spot in enumerate(reversed(spots)):
                digits[:, spot, line] = torch.arange(1, kinds) * kinds**place
        self.register_buffer("digits", digits.flatten(0, 1))
        self.register_buffer("first", torch.tensor([first[len(spots) - 4] for spots in board.LINES]))
        del self.readers

    def order(self) -> list[tuple[int, int]]:
        """Returns the lines and the places on them: all rows are as long as the longest."""
        return [(line, place) for line in range(len(board.LINES)) for place in range(SIDE)]

    @torch.no_grad()
    def tabulated(self, reader: Reader, kinds: int) -> Tensor:
        """Returns the row of each pattern of a reader."""
        patterns = torch.cartesian_prod(*[torch.arange(kinds)] * reader.length)
        both = F.one_hot(torch.stack([patterns, patterns.flip(1)], 1), kinds).float().flatten(2)
        reader.count = 1
        spots, lines = reader.fold(reader.outputs(F.relu(reader.hidden(F.relu(reader.input(both))))))
        missing = SIDE * self.features - spots.flatten(1).shape[1]
        return torch.cat([F.pad(spots.flatten(1), (0, missing)), lines.flatten(1)], 1)

    def read(self, pieces: Tensor) -> tuple[Tensor, Tensor]:
        # Numbers of patterns are below 2^24: exact in f32.
        patterns = (pieces.flatten(1) @ self.digits).long() + self.first
        rows = self.table(patterns)
        return rows[..., :-3].reshape(rows.shape[0], -1, self.features), rows[..., -3:]


class Hex(nn.Module):
    """The residual network: 3×3 convolutions over the 7×7 planes, two corners of which lie on no line of the board."""

    def __init__(self, layout: Layout, weights: Weights):
        super().__init__()
        self.observation = Observation(layout)
        on_board = torch.zeros(AREA)
        on_board[layout["cells"]] = 1
        self.register_buffer("on_board", on_board.view(1, 1, SIDE, SIDE))
        channels = weights["spot_bias"].shape[1]
        self.stem = convolution(weights["stem"], torch.zeros(channels))
        self.conditions = nn.Parameter(weights["conditions"])
        bias = torch.zeros(channels, AREA)
        bias[:, layout["cells"]] = weights["spot_bias"].t()
        self.spot_bias = nn.Parameter(bias.view(1, channels, SIDE, SIDE))
        names = sorted({int(name.split(".")[1]) for name in weights if name.startswith("blocks.")})
        layers = ([f"blocks.{name}.{part}" for part in ("first", "second")] for name in names)
        self.blocks = nn.ModuleList(
            nn.ModuleList(convolution(weights[f"{one}.weight"], weights[f"{one}.bias"]) for one in block)
            for block in layers
        )
        self.heads = SpotHeads(weights, lines=False)

    def forward(self, planes: Tensor) -> tuple[Tensor, Tensor]:
        values, scalars = self.observation(planes)
        shaped = planes.view(planes.shape[0], -1, SIDE, SIDE)[:, : self.observation.shaped]
        x = self.stem(shaped.contiguous(memory_format=torch.channels_last)) + self.spot_bias
        x = F.relu(x + (scalars @ self.conditions)[:, :, None, None]) * self.on_board
        for first, second in self.blocks:
            hidden = F.relu(first(x)) * self.on_board
            x = F.relu(x + second(hidden)) * self.on_board
        spots = x.flatten(2).index_select(2, self.observation.cells).transpose(1, 2)
        return self.heads(spots, None, (values[:, -1] == 1).to(x.dtype), scalars)


def convolution(weight: Tensor, bias: Tensor) -> nn.Conv2d:
    """Returns the 3×3 convolution that reads a spot and its six neighbours with `weight`, `[7 · inputs, outputs]`."""
    inputs, outputs = weight.shape[0] // 7, weight.shape[1]
    kernel = torch.zeros(outputs, inputs, 3, 3)
    for tap, (q, r) in zip(weight.view(7, inputs, outputs), [(0, 0), *board.DIRECTIONS], strict=True):
        kernel[:, :, 1 + q, 1 + r] = tap.t()
    layer = nn.Conv2d(inputs, outputs, 3, padding=1)
    layer.weight.data, layer.bias.data = kernel, bias
    return layer.to(memory_format=torch.channels_last)


# The ways to write each kind of network; the first way is the one in which it is trained.
KINDS: dict[str, dict[str, type[nn.Module]]] = {
    "mlp": {"": Mlp},
    "line": {"": Line, "tables": LineTables},
    "hex": {"": Hex},
}
