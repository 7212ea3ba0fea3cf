"""Exported networks give the same answers in ONNX Runtime as here, and play in the same way.

`python tests/test_onnx.py` prints the largest differences.
"""

import importlib.util
import json
import pickle
import struct
from pathlib import Path

import numpy as np
import pytest

import gipf

onnxruntime = pytest.importorskip("onnxruntime")
blake3 = pytest.importorskip("blake3").blake3

EXAMPLE = Path(__file__).parents[1] / "examples" / "onnx_player.py"
POSITIONS, NEAR = 1000, 1e-4
KEEP = 63
NETS = {
    "line": ("line", {}),
    "line, everything": ("line", {"global_pooling": True, "push_paths": True, "mixing": [16, 24]}),
    "line, nothing mixed": ("line", {"features": 8, "mixing": []}),
    "hex": ("hex", {"blocks": 2, "channels": 16}),
    "mlp": ("mlp", {"hidden": [64, 48]}),
}


def example():
    """Returns the module of the example."""
    spec = importlib.util.spec_from_file_location("onnx_player", EXAMPLE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def observations(variant, seed=0):
    """Returns positions of random games, some of which ask about a piece."""
    rng, envs = np.random.default_rng(seed), gipf.VecEnv(variant, 64, seed=seed, opening_plies=seed % 8)
    plain, asked = [], []
    for step in range(200):
        masks = envs.action_masks
        is_asked = masks[:, KEEP] > 0 if variant != "basic" else np.zeros(64, bool)
        asked.append(envs.observations[is_asked])
        if step % 10 == 0:
            plain.append(envs.observations[~is_asked])
        envs.step((masks * rng.random(masks.shape, dtype=np.float32)).argmax(1))
    asked = np.concatenate(asked)[:200]
    assert variant in ("basic", "push-off") or len(asked) > 20
    return np.concatenate([asked, np.concatenate(plain)])[:POSITIONS]


def shaken(network, seed):
    """Returns the content of a checkpoint with other weights, including biases, and a correct checksum."""
    content = network.__reduce__()[1][2]
    start = 8 + struct.unpack_from("<Q", content)[0]
    header = json.loads(content[8:start])
    numbers = np.frombuffer(content[start:], np.float32)
    numbers = numbers + np.random.default_rng(seed).normal(0, 0.05, len(numbers)).astype(np.float32)
    data = numbers.tobytes()
    body = header["__metadata__"]["gipf"].partition(',"body":')[2][:-1]
    fields = [body.encode()]
    for name in sorted(set(header) - {"__metadata__"}):
        begin, end = header[name]["data_offsets"]
        fields += [name.encode(), str(header[name]["shape"]).encode(), data[begin:end]]
    checksum = blake3(b"".join(struct.pack("<Q", len(field)) + field for field in fields)).hexdigest()
    header["__metadata__"]["gipf"] = f'{{"checksum":"{checksum}","body":{body}}}'
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + data


def networks(folder):
    """Iterates over networks of all kinds for all rule sets, each with a name, in 32-bit floats."""
    for variant in gipf.VARIANTS:
        for name, (kind, sizes) in NETS.items():
            path = folder / f"{variant}-{name}.safetensors"
            path.write_bytes(shaken(gipf.Network.initial(kind, variant=variant, seed=1, **sizes), 2))
            yield name, gipf.Network(f"mcts:{path},precision=f32")
    for variant in ("basic", "standard", "tournament"):
        yield "pretrained", gipf.Network("pretrained:precision=f32", variant=variant)


def session(model):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])


def differences(network):
    """Returns the largest differences of logits, values and probabilities, and the largest logit."""
    planes = observations(network.variant, seed=3)
    assert len(planes) == POSITIONS
    logits, wdl = network.evaluate(planes)
    theirs = session(network.to_onnx()).run(["logits", "value", "wdl"], {"observation": planes})
    ours = [logits, wdl[:, 0] - wdl[:, 2], wdl]
    assert all(a.shape == b.shape and a.dtype == b.dtype for a, b in zip(ours, theirs, strict=True))
    return [float(np.abs(a - b).max()) for a, b in zip(ours, theirs, strict=True)], float(np.abs(logits).max())


def test_onnx_runtime_gives_the_same_answers(tmp_path):
    for name, network in networks(tmp_path):
        found, largest = differences(network)
        assert max(found) <= NEAR, (name, network, found)
        # Otherwise agreement would mean nothing.
        assert largest > 0.5, (name, network, largest)


def test_a_row_does_not_depend_on_the_others():
    model = session(gipf.Network().to_onnx())
    planes = observations("standard")[:40]
    together = model.run(None, {"observation": planes})
    for row in range(0, 40, 7):
        alone = model.run(None, {"observation": planes[row : row + 1]})
        assert all(np.allclose(a[0], b[row], atol=1e-5) for a, b in zip(alone, together, strict=True))


def test_inputs_outputs_and_metadata_say_what_they_are():
    for variant in gipf.VARIANTS:
        model = session(gipf.Network.initial("mlp", variant=variant, hidden=[8]).to_onnx())
        planes, actions = gipf.observation_shape(variant), gipf.action_space(variant)
        assert [(value.name, value.shape) for value in model.get_inputs()] == [("observation", ["batch", *planes])]
        outputs = [("logits", ["batch", actions]), ("value", ["batch"]), ("wdl", ["batch", 3])]
        assert [(value.name, value.shape) for value in model.get_outputs()] == outputs
        about = model.get_modelmeta().custom_metadata_map
        assert about["gipf.variant"] == variant
        assert len(json.loads(about["gipf.planes"])) == planes[0]
        names = json.loads(about["gipf.actions"])
        assert len(names) == actions and names[0] == "a1-b2" and names[42] == "take row b1-b6"
        # In push-off some numbers belong to no action.
        named = [name for name in names if name]
        assert len(set(named)) == len(named) == (67 if variant == "push-off" else actions)


def test_the_checker_of_onnx_finds_nothing():
    onnx = pytest.importorskip("onnx")
    for kind in ("line", "hex", "mlp"):
        model = onnx.load_from_string(gipf.Network.initial(kind, variant="tournament+zertz").to_onnx())
        onnx.checker.check_model(model, full_check=True)


def test_initial_networks_are_those_of_their_seed_and_sizes():
    network = gipf.Network.initial("hex", variant="basic", seed=5, blocks=1)
    assert network.variant == "basic" and repr(network) == "<gipf.Network 'initial' for basic>"
    assert network.to_onnx() == gipf.Network.initial("hex", variant="basic", seed=5, blocks=1).to_onnx()
    assert network.to_onnx() != gipf.Network.initial("hex", variant="basic", seed=6, blocks=1).to_onnx()
    assert pickle.loads(pickle.dumps(network)).to_onnx() == network.to_onnx()
    sizes = {"hidden": (np.int64(3), np.uint8(4))}
    assert gipf.Network.initial("mlp", **sizes).to_onnx() == gipf.Network.initial("mlp", hidden=[3, 4]).to_onnx()
    sizes = {"features": np.int64(8), "mixing": np.array([8]), "push_paths": np.True_}
    plain = gipf.Network.initial("line", features=8, mixing=[8], push_paths=True)
    assert gipf.Network.initial("line", **sizes).to_onnx() == plain.to_onnx()
    for wrong in (float("nan"), 8.0, None, [8.0]):
        with pytest.raises(gipf.GipfError, match=r"^features .*: expected an integer"):
            gipf.Network.initial("line", features=wrong)
    for words, sizes in (("cnn", {}), ("hex", {"block": 1}), ("hex", {"blocks": 0}), ("mlp", {"hidden": "\x1b[31m"})):
        with pytest.raises(gipf.GipfError) as raised:
            gipf.Network.initial(words, **sizes)
        assert str(raised.value).isprintable()
    with pytest.raises(gipf.PositionError):
        gipf.Network.initial(variant="chess")


@pytest.mark.parametrize("variant", ["standard", "push-off"])
def test_an_onnx_model_plays_as_its_network_does(variant, tmp_path):
    shipped = variant == "standard"
    network = gipf.Network("pretrained:precision=f32") if shipped else gipf.Network.initial(variant=variant)
    path = tmp_path / "net.onnx"
    path.write_bytes(network.to_onnx())
    evaluate = example().OnnxEvaluator(path)
    assert evaluate.variant == variant
    theirs = gipf.Player.from_evaluator(evaluate, 16, variant=variant)
    ours = gipf.Player.from_evaluator(network.evaluate, 16, variant=variant)
    assert theirs.name == "net"
    state = gipf.State(variant)
    for _ in range(12):
        a, b = theirs.analyse(state), ours.analyse(state)
        assert (a.action, a.visits.tolist()) == (b.action, b.visits.tolist())
        assert a.value == pytest.approx(b.value, abs=NEAR)
        state.apply(a.action)
    report = gipf.play_match(theirs, "random", 4, limit=30)
    assert sum(report.to_dict()[key] for key in ("wins", "draws", "losses")) == 4


def test_models_with_other_inputs_and_outputs_are_refused(tmp_path):
    path = tmp_path / "net.onnx"
    path.write_bytes(gipf.Network(variant="tournament").to_onnx())
    evaluator = example().OnnxEvaluator
    with pytest.raises(ValueError, match="is a network for tournament: expected basic"):
        evaluator(path, "basic")
    onnx = pytest.importorskip("onnx")
    model = onnx.load(path)
    del model.metadata_props[:]
    onnx.save(model, path)
    assert evaluator(path, "tournament").variant == "tournament"
    with pytest.raises(ValueError, match=r"expected .*observation.* for standard"):
        evaluator(path)
    del model.graph.output[1:]
    onnx.save(model, path)
    with pytest.raises(ValueError, match="expected logits, and wdl or value"):
        evaluator(path, "tournament")


if __name__ == "__main__":
    import tempfile

    print(f"largest differences of {POSITIONS} positions each: logits, value, probabilities; largest logit")
    with tempfile.TemporaryDirectory() as scratch:
        for name, network in networks(Path(scratch)):
            found, largest = differences(network)
            print(
                f"{network.variant:17} {name:20} {' '.join(f'{one:.1e}' for one in found)}  {largest:.1f}", flush=True
            )
