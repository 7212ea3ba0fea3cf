"""Copies of runs with the same settings, and at places with another way of renaming. More is in `test_copies.py`."""

import pytest

import gipf
from gipf.ray import _mirror as mirrors

pytest.importorskip("fsspec")


def files(folder):
    return {path.relative_to(folder).as_posix(): path.read_text() for path in folder.rglob("*") if path.is_file()}


def grown(run, iterations):
    """Writes the finished files of a run after this many iterations; all runs have the same settings."""
    (run / "checkpoints").mkdir(parents=True, exist_ok=True)
    (run / "config.toml").write_text(f"[run]\niterations = {max(iterations, 1)}\nseed = 1\n")
    for iteration in range(1, iterations + 1):
        (run / "checkpoints" / f"{iteration:06}.safetensors").write_text(f"network {iteration} of {run.name}")
    if iterations:
        lines = [f"{iteration} by {run.name}\n" for iteration in range(1, iterations + 1)]
        (run / "metrics.jsonl").write_text("".join(lines))
    return run


def test_another_run_with_the_same_settings_is_refused(tmp_path):
    copy, own = tmp_path / "copy", grown(tmp_path / "own", 1)
    mirrors.Mirror(own, str(copy)).update()
    for iterations in (0, 1, 2):
        with pytest.raises(gipf.TrainingError, match=r"holds another run.*: expected an empty place, or a copy of"):
            mirrors.Mirror(grown(tmp_path / "other", iterations), str(copy))
    assert files(copy) == files(own)
    mirrors.Mirror(grown(own, 3), str(copy)).update()
    assert files(copy) == files(own) and len(files(copy)) == 5


def test_a_run_whose_metrics_were_edited_goes_on_with_its_copy(tmp_path):
    copy, own = tmp_path / "copy", grown(tmp_path / "own", 3)
    mirrors.Mirror(own, str(copy)).update()
    metrics = own / "metrics.jsonl"
    edited = metrics.read_text().replace("2 by own", "2 by hand")
    metrics.write_text(edited + "4 by own\n")
    mirrors.Mirror(own, str(copy)).update()
    assert files(copy) == files(own) and files(copy)["metrics.jsonl"] == edited + "4 by own\n"


@pytest.mark.parametrize("left", ["", "1 by own", "1 by own, 2 by own, 4 by own", "1 by own, 2 by own, 3 by hand"])
def test_a_run_that_has_lost_the_last_line_of_its_copy_says_how_to_go_on(tmp_path, left):
    copy, own = tmp_path / "copy", grown(tmp_path / "own", 3)
    mirrors.Mirror(own, str(copy)).update()
    kept, metrics = files(copy), own / "metrics.jsonl"
    metrics.write_text(left.replace(", ", "\n") + "\n")
    if not left:
        metrics.unlink()
    with pytest.raises(gipf.TrainingError) as refused:
        mirrors.Mirror(own, str(copy))
    told = str(refused.value)
    assert "or this one before its metrics.jsonl lost lines or was edited: expected" in told
    assert told.endswith("; if the copy is of this run, remove it or name another place") and "\n" not in told
    assert files(copy) == kept
    mirrors.Mirror(own, str(tmp_path / "elsewhere")).update()
    assert files(tmp_path / "elsewhere") == files(own)


def test_a_run_that_parted_from_the_one_of_the_copy_is_another_run(tmp_path):
    copy, own = tmp_path / "copy", grown(tmp_path / "own", 3)
    mirrors.Mirror(own, str(copy)).update()
    parted = grown(tmp_path / "parted", 3)
    (parted / "metrics.jsonl").write_text("1 by own\n2 by own\n3 by parted\n4 by parted\n")
    with pytest.raises(gipf.TrainingError, match="holds another run"):
        mirrors.Mirror(parted, str(copy))
    assert files(copy) == files(own)


def test_of_two_runs_with_the_same_settings_the_first_to_copy_metrics_has_the_place(tmp_path):
    copy, own, other = tmp_path / "copy", grown(tmp_path / "own", 0), grown(tmp_path / "other", 0)
    early, late = mirrors.Mirror(own, str(copy)), mirrors.Mirror(other, str(copy))
    grown(other, 1)
    grown(own, 1)
    late.update()
    with pytest.raises(gipf.TrainingError, match="holds another run"):
        early.update()
    assert files(copy) == files(other)


@pytest.mark.parametrize("tells", [True, False])
@pytest.mark.parametrize("works", [True, False])
def test_files_are_replaced_where_renaming_replaces_none(tmp_path, monkeypatch, tells, works):
    local = pytest.importorskip("fsspec.implementations.local").LocalFileSystem
    run, copy = grown(tmp_path / "run", 1), tmp_path / "copy"
    mirror = mirrors.Mirror(run, str(copy))
    mirror.update()
    before = files(copy)

    def move(self, source, target, mv=local.mv):
        if works and not self.exists(target):
            mv(self, source, target)
        elif tells:
            raise FileExistsError(target)

    monkeypatch.setattr(local, "mv", move)
    grown(run, 2)
    if works:
        mirror.update()
        assert files(copy) == files(run) != before
    else:
        with pytest.raises(gipf.GipfError, match="cannot be renamed to"):
            mirror.update()
        assert not any(name.endswith(".part") for name in files(copy))
