"""Builds all pages and the reference of the Python package as a site: `scripts/docs OUT`.

The reference is made from the docstrings of the sources. The compiled part is read from its stub, which has the same
docstrings (a test compares them) and types as well, so that nothing has to be compiled.
"""

import importlib.util
import re
import sys
from importlib.machinery import SourceFileLoader
from pathlib import Path
from unittest.mock import patch

from sphinx.util.inspect import signature, stringify_signature

sys.dont_write_bytecode = True
ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "train" / "python" / "python"

project = "gipf"
author = "The gipf developers"
project_copyright = author
html_theme = "furo"
html_title = "gipf"
html_show_sphinx = False
html_copy_source = False
extensions = ["myst_parser", "sphinx.ext.autodoc"]
root_doc = "docs/index"
# All pages that are read together; links between them are checked.
include_patterns = [
    "README.md",
    "METHODS.md",
    "CONTRIBUTING.md",
    "RELEASING.md",
    "ARCHITECTURE.md",
    "docs/**.md",
    "env/README.md",
    "models/README.md",
    "models/pretrained/README.md",
    "train/python/README.md",
]
exclude_patterns = ["**target", "**.git", "runs", "datasets"]
myst_heading_anchors = 3
# `State` in a docstring links to the class; anything else in backquotes is code.
default_role = "py:obj"
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
python_use_unqualified_type_names = True
add_module_names = False
autodoc_mock_imports = ["gymnasium", "minari", "open_spiel", "pettingzoo", "pyarrow", "pyspiel", "ray"]


def load_stub() -> None:
    """Lets `gipf._gipf` be its stub, in which a stub's names without values have some."""
    sys.path.insert(0, str(PACKAGE))
    loader = SourceFileLoader("gipf._gipf", str(PACKAGE / "gipf" / "_gipf.pyi"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    # A class that a static method of its own returns is not there yet.
    classes = {name: name for name in ("Network", "Player", "SelfPlayRun", "Training")}
    module.__dict__.update(VARIANTS=(), __version__="", **classes)
    sys.modules[loader.name] = module
    signatures = {}
    # Of several signatures the first has the docstring.
    with patch("typing.overload", lambda method: signatures.setdefault(method.__qualname__, method)):
        loader.exec_module(module)
    page = (ROOT / "docs" / "python.md").read_text()
    public = [name for name in module.__all__ if not name.startswith("_") or name == "__version__"]
    missing = [name for name in public if not re.search(rf":: (gipf\.)?{name}$", page, re.MULTILINE)]
    assert not missing, f"docs/python.md lacks {missing}"


def fences_to_directives(_app, _what, _name, _item, _options, lines: list[str]) -> None:
    """Turns Markdown's blocks of code, which editors show, into those of reStructuredText."""
    text = "\n".join(lines)
    block = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
    lines[:] = block.sub(lambda m: f".. code-block:: {m[1]}\n\n" + re.sub("^", "   ", m[2], flags=re.M), text).split(
        "\n"
    )


def own_signature(_app, what, _name, item, _options, _signature, returned: str):
    """Shows the parameters of a class whose base is only a stand-in for that of another library."""
    if what != "class" or "__init__" not in vars(item):
        return None
    parameters = signature(item.__init__, bound_method=True)
    return stringify_signature(parameters, show_return_annotation=False, unqualified_typehints=True), returned


def setup(app) -> None:
    app.connect("autodoc-process-signature", own_signature)
    app.connect("autodoc-process-docstring", fences_to_directives)


load_stub()
