"""Copies of finished files of runs: whole, of one run, and complete in the end."""

import pytest
from test_ray import SETTINGS, Threads

import gipf
from gipf import Training
from gipf.ray import _driver as driver


def test_finished_files_are_copied_whole_and_another_run_is_left_alone(tmp_path):
    pytest.importorskip("fsspec")
    from gipf.ray._mirror import Mirror

    run, copy = tmp_path / "run", tmp_path / "copy"
    training = Training.create(run, preset="smoke", settings=SETTINGS)
    mirror = Mirror(run, copy.as_uri())
    driver.drive(training, Threads(), kept=lambda line: mirror.update())
    names = sorted(path.relative_to(copy).as_posix() for path in copy.rglob("*") if path.is_file())
    assert "checkpoints/000002.safetensors" in names and "metrics.jsonl" in names
    assert all((run / name).read_bytes() == (copy / name).read_bytes() for name in names)
    assert not any(name.startswith("state/") or name.endswith(".part") for name in names)
    Training.create(tmp_path / "other", preset="smoke", settings=["run.seed=7"])
    with pytest.raises(gipf.TrainingError, match="holds another run"):
        Mirror(tmp_path / "other", copy.as_uri())


def mirror(run, copy):
    pytest.importorskip("fsspec")
    from gipf.ray._mirror import Mirror

    return Mirror(run, str(copy))


def trained_with_copies(run, monkeypatch, copy=None, **order):
    """Trains as `gipf.ray.train` does, but on threads."""
    from gipf.ray import _runs

    def on_threads(training, games, *, log, cluster, shard_games, **how):
        driver.drive(training, Threads(), **how)

    pytest.importorskip("fsspec")
    monkeypatch.setattr(_runs, "check_reachable", lambda address, options: None)
    monkeypatch.setattr(_runs, "on_ray", on_threads)
    return _runs.train(run, copy_to=copy.as_uri() if copy else None, **order)


def files(folder):
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def finished(run):
    """The finished files of a run, as a complete copy has them."""
    from gipf.ray._mirror import FINISHED, SETTINGS

    names = [path.relative_to(run).as_posix() for pattern in (SETTINGS, *FINISHED) for path in run.glob(pattern)]
    return {name: (run / name).read_bytes() for name in names}


ORDER = {"preset": "smoke", "settings": SETTINGS}


def test_a_copy_that_lacks_the_last_iteration_is_completed_by_the_same_call(tmp_path, monkeypatch):
    local = pytest.importorskip("fsspec.implementations.local").LocalFileSystem
    run, copy = tmp_path / "run", tmp_path / "copy"

    def failing(self, source, target, put=local.put_file):
        put(self, source, target)
        if "000002.safetensors" in target:
            raise OSError("no room is left")

    with monkeypatch.context() as patch:
        patch.setattr(local, "put_file", failing)
        with pytest.raises(gipf.GipfError, match=r"copy_to 'file:.*': expected a place.*no room is left"):
            trained_with_copies(run, monkeypatch, copy, **ORDER)
    assert Training.open(run, **ORDER).iterations == 2
    assert set(finished(run)) - set(files(copy)) == {"checkpoints/000002.safetensors"}
    assert not set(files(copy)) - set(finished(run)), "what was copied in part is taken away"
    assert trained_with_copies(run, monkeypatch, copy, **ORDER) == run
    assert files(copy) == finished(run)
    trained_with_copies(run, monkeypatch, copy, iterations=3)
    assert files(copy) == finished(run) and "checkpoints/000003.safetensors" in files(copy)


def test_a_run_that_was_complete_is_copied(tmp_path, monkeypatch):
    run, copy = tmp_path / "run", tmp_path / "copy"
    trained_with_copies(run, monkeypatch, **ORDER)
    assert not copy.exists()
    trained_with_copies(run, monkeypatch, copy, **ORDER)
    assert files(copy) == finished(run) != {}


class Dying:
    """Copies that die in the middle of their last step, and do nothing after that."""

    def __init__(self, patch, steps):
        from fsspec.implementations.local import LocalFileSystem

        self.left = steps
        for name in ("put_file", "mv", "rm"):
            patch.setattr(LocalFileSystem, name, self.counted(getattr(LocalFileSystem, name)))

    def counted(self, step):
        def method(files, source, *target):
            self.left -= 1
            if self.left < 0:
                if self.left == -1 and step.__name__ == "put_file":
                    with open(source, "rb") as whole, open(*target, "wb") as half:
                        half.write(whole.read()[:99])
                raise KeyboardInterrupt
            return step(files, source, *target)

        return method


def test_a_first_copy_that_was_killed_anywhere_goes_on_and_stays_with_its_run(tmp_path, monkeypatch):
    run, other = tmp_path / "run", tmp_path / "other"
    trained_with_copies(run, monkeypatch, **ORDER)
    Training.create(other, preset="smoke", settings=["run.seed=7"])
    killed = True
    for steps in range(100):
        copy = tmp_path / f"copy-{steps}"
        with monkeypatch.context() as patch:
            Dying(patch, steps)
            try:
                mirror(run, copy).update()
                killed = False
            except KeyboardInterrupt:
                pass
        there = {name: data for name, data in files(copy).items() if not name.endswith(".part")}
        assert there.items() <= finished(run).items(), "a reader sees whole files only"
        assert "config.toml" in there or not there
        if there:
            with pytest.raises(gipf.TrainingError, match="holds another run"):
                mirror(other, copy)
        mirror(run, copy).update()
        assert {name: data for name, data in files(copy).items() if not name.endswith(".part")} == finished(run)
        if not killed:
            break
    assert steps == 2 * len(finished(run)), "each file is put and moved, once"


def test_of_two_runs_that_found_a_place_empty_one_has_it(tmp_path):
    first, second, copy = tmp_path / "first", tmp_path / "second", tmp_path / "copy"
    for seed, run in enumerate((first, second)):
        driver.drive(Training.create(run, preset="smoke", settings=[*SETTINGS, f"run.seed={seed}"]), Threads())
    early = mirror(first, copy)
    with pytest.raises(gipf.TrainingError, match="holds another run"):
        mirror(second, copy)
    assert files(copy) == {"config.toml": (first / "config.toml").read_bytes()}
    # As if it had looked before the first run had copied its settings.
    (copy / "config.toml").unlink()
    late = mirror(second, copy)
    with pytest.raises(gipf.TrainingError, match="holds another run"):
        early.update()
    late.update()
    with pytest.raises(gipf.TrainingError, match="holds another run"):
        early.update()
    assert files(copy) == finished(second)


def test_a_place_with_files_of_nobody_known_is_refused(tmp_path):
    run = tmp_path / "run"
    Training.create(run, preset="smoke", settings=SETTINGS)
    for name in ("metrics.jsonl", "ratings.json", "curve.svg", "checkpoints/000009.safetensors"):
        copy = tmp_path / f"with {name.replace('/', ' ')} [1]"
        (copy / name).parent.mkdir(parents=True)
        (copy / name).write_text("of another run")
        with pytest.raises(gipf.TrainingError, match=r"holds files of a run without its config\.toml: expected"):
            mirror(run, copy)
        assert files(copy) == {name: b"of another run"}
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "notes.txt").write_text("of mine")
    mirror(run, tmp_path / "notes").update()
    assert files(tmp_path / "notes") == {**finished(run), "notes.txt": b"of mine"}


def test_a_copy_follows_settings_that_are_edited_and_is_made_again_where_it_was_deleted(tmp_path):
    run, copy = tmp_path / "run", tmp_path / "copy"
    driver.drive(Training.create(run, preset="smoke", settings=SETTINGS), Threads())
    keeping = mirror(run, copy)
    keeping.update()
    settings = (run / "config.toml").read_text()
    (run / "config.toml").write_text(settings.replace("seed = ", "seed = 1"))
    keeping.update()
    assert files(copy) == finished(run) and settings != (copy / "config.toml").read_text()
    for file in copy.rglob("*.*"):
        file.unlink()
    keeping.update()
    assert files(copy) == finished(run) and len(files(copy)) > 1
