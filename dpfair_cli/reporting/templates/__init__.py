"""Renders the templates of pages and tables; HTML, Markdown and LaTeX are escaped."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

LATEX = str.maketrans(
    {
        "\\": r"\textbackslash{}",
        "&": r"\&",
        "%": r"\%",
        "$": r"\$",
        "#": r"\#",
        "_": r"\_",
        "{": r"\{",
        "}": r"\}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "<": r"$<$",
        ">": r"$>$",
        "±": r"$\pm$",
        "ε": r"$\varepsilon$",
        "δ": r"$\delta$",
        "≤": r"$\leq$",
        "·": r"$\cdot$",
    }
)


def _latex(text: str) -> str:
    """The text with all special characters of LaTeX escaped."""
    return str(text).translate(LATEX)


def _markdown_cell(text: str) -> str:
    """The text as one cell of a Markdown table."""
    return str(text).replace("|", r"\|").replace("*", r"\*").replace("\n", " ")


def _markdown_line(texts: Iterable[str]) -> str:
    """The texts as one line of a Markdown table."""
    return f"| {' | '.join(map(_markdown_cell, texts))} |"


def _latex_line(texts: Iterable[str]) -> str:
    """The texts as one line of a LaTeX table."""
    return rf"{' & '.join(map(_latex, texts))} \\"


def render(template: str, **values: Any) -> str:
    """The text of the template file `template` with the given values filled in.

    Raises:
        jinja2.UndefinedError: the template asks for a value that is not given.
    """
    return _environment(template.endswith(".html.j2")).get_template(template).render(values)


@cache
def _environment(autoescape: bool) -> Environment:
    """The environment of all templates, which keeps compiled templates."""
    environment = Environment(
        loader=PackageLoader("dpfair_cli.reporting", "templates"),
        autoescape=autoescape,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.policies["json.dumps_kwargs"] = {"ensure_ascii": False, "separators": (",", ":")}
    environment.filters |= {
        "latex": _latex,
        "latex_line": _latex_line,
        "markdown_cell": _markdown_cell,
        "markdown_line": _markdown_line,
    }
    return environment
