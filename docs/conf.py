"""How Sphinx makes the documentation: `make docs`. Pages of papers and of the reference are written by pages.py."""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

import pages  # noqa: E402 - found by the line above

project = "dpfair"
author = copyright = "dpfair developers"
version = release = tomllib.loads((HERE.parent / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
exclude_patterns = ["_build"]
html_theme = "furo"
html_title = "dpfair"
html_copy_source = False
html_last_updated_fmt = None
highlight_language = "none"  # of blocks that name no language: commands and what they print
default_role = "code"  # `x` in a docstring is code, as in Markdown
myst_heading_anchors = 4
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_preserve_defaults = True
autodoc_use_type_comments = False
python_use_unqualified_type_names = True
python_display_short_literal_types = True

STATEMENT = re.compile(r"^([A-Z]\w+): (?=\S)")  # Source, Privacy, Neighbours, Status, Proof, Differs
CODE = re.compile(r"(`[^`\n]+`)")
SIGNS = re.compile(r"([*|\\]|(?<=\w)_(?!\w))")  # what reStructuredText would take for a mark


def as_rst(app: Any, what: str, name: str, obj: Any, options: Any, lines: list[str]) -> None:
    """Change a docstring's lines in place: plain text with code in backticks, and statements as a list of fields."""
    lines[:] = [_escaped(line) for line in lines]
    first = next((k for k, line in enumerate(lines) if what == "module" and STATEMENT.match(line)), None)
    if first is not None:
        stated = [STATEMENT.sub(r":\1: ", line) for line in lines[first:]]
        lines[first:] = ["", *stated]


def _escaped(line: str) -> str:
    return "".join(part if part.startswith("`") else SIGNS.sub(r"\\\1", part) for part in CODE.split(line))


def setup(app: Any) -> None:
    """Write the pages that are made from the project, and read its docstrings as what they are."""
    pages.write(HERE)
    app.connect("autodoc-process-docstring", as_rst, priority=400)  # before napoleon, at 500
