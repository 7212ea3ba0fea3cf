"""Datasets as training arrays."""

import shutil
import signal
import sys
import threading

import numpy as np
import pytest

import gipf
import gipf.data


def nothing(observations):
    return np.zeros((len(observations), 63), np.float32), np.zeros(len(observations), np.float32)


SETTINGS = {"variant": "basic", "full_simulations": 6, "cheap_simulations": 2, "full_share": 0.5, "seed": 2}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("data") / "games"
    gipf.self_play(nothing, 60, out=folder, **SETTINGS)
    return folder


@pytest.fixture(scope="module")
def expected():
    """The samples of the same games, in order of their numbers."""
    games = sorted(gipf.self_play(nothing, 60, **SETTINGS), key=lambda game: game.number)
    samples = [game.samples() for game in games]
    return {name: np.concatenate([sample[name] for sample in samples]) for name in samples[0]}


def joined(batches):
    batches = list(batches)
    return {name: np.concatenate([batch[name] for batch in batches]) for name in batches[0]}


def test_in_order_they_are_those_of_the_games(folder, expected):
    batches = list(gipf.data.batches(folder, 100, symmetries=False, shuffle=False))
    assert {len(batch["values"]) for batch in batches[:-1]} == {100} and len(batches[-1]["values"]) <= 100
    found = joined(batches)
    assert found.keys() == expected.keys()
    for name in ("observations", "masks", "values", "wdl", "weights"):
        assert found[name].dtype == expected[name].dtype and (found[name] == expected[name]).all(), name
    # A dataset stores them in units of 1/255.
    assert np.abs(found["policies"] - expected["policies"]).max() < 1.01 / 255
    mixed = joined(gipf.data.batches(folder, symmetries=False, shuffle=False, value_mix=0.5))["values"]
    assert np.abs(mixed - found["values"]).max() > 0.2


@pytest.mark.parametrize("window", [1, 50, 10**6])
def test_shuffled_each_sample_comes_once_in_an_order_of_the_seed(folder, expected, window):
    def rows(seed):
        found = joined(gipf.data.batches(folder, 64, symmetries=False, seed=seed, window=window))
        return [row.tobytes() for row in found["observations"]]

    plain = [row.tobytes() for row in expected["observations"]]
    assert rows(1) == rows(1) != rows(2) != plain
    assert sorted(rows(1)) == sorted(plain)


def test_symmetries_are_drawn_and_keep_the_targets(folder, expected):
    found = joined(gipf.data.batches(folder, shuffle=False, seed=3))
    assert (found["values"] == expected["values"]).all()
    changed = (found["observations"] != expected["observations"]).any(axis=(1, 2, 3)).mean()
    # 11 of 12, except for symmetric positions.
    assert 0.8 < changed < 0.97
    assert (found["masks"].sum(1) == expected["masks"].sum(1)).all()
    assert not found["policies"][~found["masks"]].any() and np.allclose(found["policies"].sum(1), 1, atol=1e-4)


def test_parts_share_no_file_and_have_all(folder, expected):
    parts = [list(gipf.data.batches(folder, symmetries=False, part=(i, 3))) for i in range(3)]
    assert sum(len(batch["values"]) for part in parts for batch in part) == len(expected["values"])


def test_damage_is_found(folder, tmp_path):
    import shutil

    shutil.copytree(folder, tmp_path / "games")
    file = tmp_path / "games/games-00000.parquet"
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 1
    file.write_bytes(content)
    with pytest.raises(gipf.DatasetError, match="damaged"):
        list(gipf.data.batches(tmp_path / "games"))


@pytest.mark.parametrize(
    ("error", "words", "arguments"),
    [
        (gipf.GipfError, "batch 0: expected 1 to", {"batch": 0}),
        (gipf.GipfError, "window 0: expected 1 to", {"window": 0}),
        (gipf.GipfError, "value_mix -1: expected 0 to 1", {"value_mix": -1}),
        (gipf.GipfError, "part 2: expected 0 to 1", {"part": (2, 2)}),
        (gipf.GipfError, "seed -1", {"seed": -1}),
    ],
)
def test_misuse_gets_one_line(folder, error, words, arguments):
    with pytest.raises(error) as raised:
        gipf.data.batches(folder, **arguments)
    assert words in str(raised.value) and "\n" not in str(raised.value)


def test_what_is_no_dataset_is_refused(tmp_path):
    for path in (tmp_path, tmp_path / "missing"):
        with pytest.raises(gipf.DatasetError):
            gipf.data.batches(path)


def test_torch_gets_the_same_as_tensors(folder, expected):
    torch = pytest.importorskip("torch")
    from torch.utils.data import DataLoader

    for workers in (0, 2):
        dataset = gipf.data.BatchDataset(folder, 64, symmetries=False)
        found = list(DataLoader(dataset, batch_size=None, num_workers=workers))
        assert all(isinstance(batch["values"], torch.Tensor) for batch in found)
        assert sum(len(batch["values"]) for batch in found) == len(expected["values"])
    first = next(iter(dataset))["observations"]
    dataset.set_epoch(1)
    assert not torch.equal(first, next(iter(dataset))["observations"])


def test_after_an_error_the_rest_is_not_taken_for_all(folder, tmp_path):
    shutil.copytree(folder, tmp_path / "games")
    batches = gipf.data.batches(tmp_path / "games")
    [file] = (tmp_path / "games").glob("*.parquet")
    file.write_bytes(file.read_bytes()[:-1] + b"?")
    with pytest.raises(gipf.DatasetError, match="damaged"):
        next(batches)
    for _ in range(2):
        with pytest.raises(gipf.DatasetError, match="interrupted: expected a new call of batches"):
            next(batches)


@pytest.mark.skipif(sys.platform == "win32", reason="it has other signals")
def test_after_a_signal_the_rest_is_not_taken_for_all(folder, expected):
    def stop(*_):
        raise TimeoutError

    before = signal.signal(signal.SIGALRM, stop)
    try:
        for tenths in range(1, 40):
            batches, found = gipf.data.batches(folder, 50), 0
            # The timer rings once, and only in here: outside, nobody would catch its error.
            try:
                signal.setitimer(signal.ITIMER_REAL, tenths * 1e-4)
                found += len(next(batches)["values"])
                # The signal may also come between two batches: then no batch is lost.
                signal.setitimer(signal.ITIMER_REAL, 0)
            except TimeoutError:
                pass
            try:
                found += sum(len(batch["values"]) for batch in batches)
            except gipf.DatasetError as error:
                assert "interrupted" in str(error)
            else:
                assert len(expected["values"]) - found in (0, 50)
    finally:
        signal.signal(signal.SIGALRM, before)


def test_two_threads_that_use_the_same_batches_are_told(folder):
    batches, told = gipf.data.batches(folder, 1), []

    def use():
        for _ in range(200):
            try:
                next(batches)
            except gipf.GipfError as error:
                told.append(str(error))

    threads = [threading.Thread(target=use) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all("expected one caller at a time" in text for text in told)


def test_python_is_not_advised_to_use_the_options_of_the_program(folder, tmp_path):
    with pytest.raises(gipf.DatasetError) as other:
        gipf.self_play(nothing, 60, out=folder, **SETTINGS | {"seed": 3})
    shutil.copytree(folder, tmp_path / "games")
    (tmp_path / "games" / "_manifest.json").unlink()
    with pytest.raises(gipf.DatasetError) as bare:
        gipf.data.batches(tmp_path / "games")

    def stopping(observations):
        raise RuntimeError

    with pytest.raises(RuntimeError):
        gipf.self_play(stopping, 60, out=tmp_path / "partial", **SETTINGS)
    with pytest.raises(gipf.DatasetError) as partial:
        gipf.data.batches(tmp_path / "partial")
    with pytest.raises(gipf.DatasetError) as others:
        gipf.self_play(stopping, 60, out=tmp_path / "partial", **SETTINGS | {"seed": 3})
    for raised in (other, bare, partial, others):
        assert "--" not in str(raised.value) and "expected" in str(raised.value)
