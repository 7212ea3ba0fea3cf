"""Files of tensors as the program seals them: read, changed at will, and sealed again. The checksum is not secret."""

import copy
import json
import math
import struct
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from blake3 import blake3


@dataclass
class Tensor:
    """The header's entry for a tensor, and its bytes; offsets that are not set are those of the bytes."""

    shape: list[int]
    data: bytes
    kind: str = "F32"
    offsets: list[int] | None = None


@dataclass
class TensorFile:
    """The body and the tensors of a file; if the body is a text, it is written as it is."""

    body: Any
    tensors: dict[str, Tensor]
    checksum: str | None = None

    @staticmethod
    def read(path: Path) -> "TensorFile":
        """Reads a valid file."""
        content = path.read_bytes()
        start = 8 + struct.unpack_from("<Q", content)[0]
        header = json.loads(content[8:start])
        body = json.loads(header.pop("__metadata__")["gipf"])["body"]
        places = {name: (entry["shape"], entry["data_offsets"]) for name, entry in header.items()}
        tensors = {name: Tensor(shape, content[start + a : start + b]) for name, (shape, (a, b)) in places.items()}
        return TensorFile(body, tensors)

    def copy(self) -> "TensorFile":
        """Returns a copy that can be changed."""
        return copy.deepcopy(self)

    def bytes(self) -> bytes:
        """Returns the content of the file, sealed."""
        body = self.body if isinstance(self.body, str) else json.dumps(self.body)
        header: dict[str, Any] = {"__metadata__": {"gipf": f'{{"checksum":"{self.seal(body)}","body":{body}}}'}}
        end = 0
        for name, tensor in self.tensors.items():
            offsets = tensor.offsets or [end, end + len(tensor.data)]
            header[name] = {"dtype": tensor.kind, "shape": tensor.shape, "data_offsets": offsets}
            end += len(tensor.data)
        text = json.dumps(header).encode()
        return struct.pack("<Q", len(text)) + text + b"".join(tensor.data for tensor in self.tensors.values())

    def seal(self, body: str) -> str:
        """Returns the checksum of the content, unless another one is set."""
        if self.checksum is not None:
            return self.checksum
        fields = [body.encode()]
        for name, tensor in sorted(self.tensors.items()):
            fields += [name.encode(errors="surrogatepass"), str(tensor.shape).encode(), tensor.data]
        return blake3(b"".join(struct.pack("<Q", len(field)) + field for field in fields))

    def fill(self, names: str, value: float) -> None:
        """Sets all numbers of the tensors whose names begin like this to one value."""
        for name, tensor in self.tensors.items():
            if name.startswith(names):
                tensor.data = struct.pack("<f", value) * math.prod(tensor.shape)
