"""The configuration of Sphinx for `make docs`; pages.py makes the pages of papers and reference."""

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
version = release = tomllib.loads((HERE.parent / "pyproject.toml").read_text(encoding="utf-8"))[
    "project"
]["version"]

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
exclude_patterns = ["_build"]
html_theme = "furo"
html_title = "dpfair"
html_static_path = ["_static"]
html_css_files = ["tables.css"]
html_copy_source = False
html_last_updated_fmt = None
highlight_language = "none"  # of blocks that name no language: commands and what they print
default_role = "code"  # `x` in a docstring is code, as in Markdown
myst_heading_anchors = 4
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_preserve_defaults = True
autodoc_use_type_comments = False
napoleon_use_ivar = True  # else a field whose default is a function is described twice
python_use_unqualified_type_names = True
python_display_short_literal_types = True

STATEMENT = re.compile(r"^(Source|Privacy|Neighbours|Status|Proof|Differs): (?=\S)")
CODE = re.compile(r"(`[^`\n]+`)")
SIGNS = re.compile(r"([*|\\]|(?<=\w)_(?!\w))")  # what reStructuredText would take for a mark
OUTSIDE = re.compile(
    r"\[(\[\d+\]|[^]]+)\]\(((?:\.\./)+[^)#]+\.md)(?:#[^)]*)?\)"
)  # a Markdown file that is not a page; the text may be the number of a footnote
OF_SKLEARN = re.compile(r"set_\w+_request")  # methods that scikit-learn adds, documented there


def as_rst(app: Any, what: str, name: str, obj: Any, options: Any, lines: list[str]) -> None:
    """Change the lines of a docstring in place: code in backticks, statements as a list."""
    lines[:] = _with_fields(_with_tables(lines))


def _with_tables(lines: list[str]) -> list[str]:
    """Escape the lines; an indented block after a colon becomes a literal block."""
    found: list[str] = []
    as_it_is = False
    for before, line in zip(["", *lines], lines, strict=False):
        indented = line.startswith("    ")
        if indented and not before.strip() and len(found) > 1 and found[-2].endswith(":"):
            found[-2] += "" if as_it_is else ":"
            as_it_is = True
        as_it_is = as_it_is and (indented or not line.strip())
        found.append(line if as_it_is else _escaped(line))
    return found


def _escaped(line: str) -> str:
    return "".join(
        part if part.startswith("`") else SIGNS.sub(r"\\\1", part) for part in CODE.split(line)
    )


def _with_fields(lines: list[str]) -> list[str]:
    """The lines with `Source: x` as a field, which goes on to the next one or to an empty line."""
    found: list[str] = []
    inside = False
    for line in lines:
        starts = STATEMENT.match(line)
        if starts and not inside:
            found.append("")
        inside = bool(starts) or (inside and bool(line.strip()))
        indented = f"    {line.strip()}" if inside else line
        found.append(STATEMENT.sub(r":\1: ", line) if starts else indented)
    return found


def links_of(app: Any, docname: str, source: list[str]) -> None:
    """Point links to the pages of a paper to its pages here, and other Markdown links to a copy."""
    source[0] = OUTSIDE.sub(_link, source[0])


def _link(found: re.Match[str]) -> str:
    text, target = found.groups()
    paper = re.search(r"^[./]+experiments/(\w+)/README\.md$", target)
    page = re.search(r"(\w+)/(chapter\d+|paper)\.md$", target)
    if paper:
        return f"[{text}](/papers/{paper[1]}.md)"
    if page:
        return f"[{text}](/papers/{page[1]}-{page[2]}.md)"
    return f"{{download}}`{text} <{target}>`"


def is_not_ours(app: Any, what: str, name: str, obj: Any, skip: bool, options: Any) -> bool | None:
    """True for a member to leave out; None leaves it to autodoc."""
    return True if OF_SKLEARN.fullmatch(name) else None


def setup(app: Any) -> None:
    """Write the generated pages, and connect the converters of docstrings and links."""
    pages.write(HERE)
    app.connect("autodoc-process-docstring", as_rst, priority=400)  # before napoleon, at 500
    app.connect("autodoc-skip-member", is_not_ours)
    app.connect("source-read", links_of)
