"""The examples of the page run, and the docstrings match the code."""

import ast
import importlib
import inspect
import re
from pathlib import Path

import pytest

import gipf

ROOT = Path(__file__).parents[1]
EXAMPLES = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
STUB = Path(gipf.__file__).with_name("_gipf.pyi")


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.splitlines()[0][:40])
def test_examples_run(example, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for library in re.findall(r"^(?:import|from) (\w+)", example, re.MULTILINE):
        pytest.importorskip(library)
    exec(compile(example, "README.md", "exec"), {"__name__": "__main__"})


def documented(tree: ast.Module):
    for node in tree.body:
        if getattr(node, "name", "").startswith("_"):
            continue
        if isinstance(node, ast.ClassDef | ast.FunctionDef):
            yield node.name, ast.get_docstring(node)
        if isinstance(node, ast.ClassDef):
            for method in node.body:
                if isinstance(method, ast.FunctionDef):
                    yield f"{node.name}.{method.name}", ast.get_docstring(method)


def test_docstrings_say_the_same_in_stubs_and_at_run_time():
    for name, docstring in documented(ast.parse(STUB.read_text())):
        target = gipf
        for part in name.split("."):
            target = inspect.getattr_static(target, part) if inspect.isclass(target) else getattr(target, part)
        # A static method has no docstring of its own.
        target = getattr(target, "__func__", target)
        if docstring:
            assert target.__doc__.split() == docstring.split(), name


@pytest.mark.parametrize(
    "module", ["gipf", "gipf.data", "gipf.gymnasium", "gipf.pettingzoo", "gipf.open_spiel", "gipf.minari"]
)
def test_everything_public_has_a_docstring(module):
    library = module.partition(".")[2].replace("open_spiel", "pyspiel")
    if library not in ("", "data"):
        pytest.importorskip(library)
    public = vars(importlib.import_module(module))
    for name in public["__all__"]:
        if not callable(public[name]):
            continue
        assert public[name].__doc__, name
        if inspect.isclass(public[name]):
            for member, value in vars(public[name]).items():
                has_text = callable(value) or inspect.isdatadescriptor(value)
                assert member.startswith("_") or not has_text or value.__doc__, f"{name}.{member}"
