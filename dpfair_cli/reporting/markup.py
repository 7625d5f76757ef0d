"""Writes Markdown and LaTeX, and fills in the templates of pages; what is filled in is escaped."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined


def render(template: str, *, package: str = "dpfair_cli.reporting", **values: Any) -> str:
    """The text of the template file `template` with the given values filled in.

    The file is in the folder templates of `package`. HTML and SVG are escaped; Markdown is escaped
    by the filters markdown_cell and markdown_line, because some values are Markdown already.

    Raises:
        jinja2.UndefinedError: the template asks for a value that is not given.
    """
    environment = _environment(package, template.endswith((".html.j2", ".svg.j2")))
    return environment.get_template(template).render(values)


@cache
def _environment(package: str, autoescape: bool) -> Environment:
    """The environment of the templates of a package, which keeps compiled templates."""
    environment = Environment(
        loader=PackageLoader(package, "templates"),
        autoescape=autoescape,
        undefined=StrictUndefined,  # a misspelt name is an error and no empty text
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    # data in a page: no spaces, and letters as they are
    environment.policies["json.dumps_kwargs"] = {"ensure_ascii": False, "separators": (",", ":")}
    environment.filters |= {
        "markdown_cell": cell,
        "markdown_line": line,
        "markdown_text": escaped,
        "latex": latex,
        "latex_line": latex_line,
    }
    return environment


def cell(text: Any) -> str:
    """A value as one cell of a Markdown table, with its special characters escaped."""
    return str(text).replace("|", r"\|").replace("*", r"\*").replace("\n", " ")


def escaped(text: str) -> str:
    """A text in Markdown that has its bars, stars and underscores as they are."""
    return text.replace("|", r"\|").replace("*", r"\*").replace("_", r"\_")


def line(texts: Iterable[Any]) -> str:
    """Values as one line of a Markdown table."""
    return _joined(map(cell, texts))


def rows(headings: Sequence[str], lines: Iterable[Sequence[Any]]) -> str:
    """A table in Markdown whose values are escaped, without an end of its last line."""
    return of_cells(headings, (map(cell, one) for one in lines))


def of_cells(headings: Sequence[str], lines: Iterable[Iterable[str]]) -> str:
    """A table in Markdown whose cells are Markdown already."""
    return "\n".join(map(_joined, [headings, ["---"] * len(headings), *lines]))


def _joined(texts: Iterable[str]) -> str:
    return f"| {' | '.join(texts)} |"


def _greek(letter: str) -> str:
    """The command of a Greek letter in math mode: "α" is alpha, "Δ" is Delta."""
    _, case, _, name = unicodedata.name(letter).split()
    # the printed forms of these two have a name of their own in LaTeX; Unicode says LAMDA
    special = {"ε": "varepsilon", "φ": "varphi", "λ": "lambda", "Λ": "Lambda"}
    return special.get(letter) or (name.capitalize() if case == "CAPITAL" else name.lower())


# pdflatex stops at a character beyond Latin that is missing here; the Greek letters are those that
# look like no Latin one
GREEK = {letter: _greek(letter) for letter in "αβγδεζηθκλμνξπρστφχψωΓΔΘΛΣΦΨΩ"}
LATEX = str.maketrans(
    {
        "\\": r"\textbackslash{}",
        **{sign: rf"\{sign}" for sign in "&%$#_{}"},
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        **{sign: f"${sign}$" for sign in "<>|"},  # "|" is a dash in the default font of text
        "±": r"$\pm$",
        "≤": r"$\leq$",
        "≥": r"$\geq$",
        "≠": r"$\neq$",
        "≈": r"$\approx$",
        "×": r"$\times$",
        "·": r"$\cdot$",
        "−": r"$-$",
        "∞": r"$\infty$",
        "→": r"$\to$",
        "√": r"$\surd$",  # no \sqrt, which would draw a bar over nothing
        **{letter: rf"$\{name}$" for letter, name in GREEK.items()},
    }
)


def latex(text: str) -> str:
    """The text with all special characters of LaTeX escaped."""
    return str(text).translate(LATEX)


def latex_line(texts: Iterable[str]) -> str:
    """The texts as one line of a LaTeX table."""
    line = " & ".join(map(latex, texts))
    # the end of the line before, or a rule, would take "[" or "*" as its argument
    protected = f"{{}}{line}" if line.startswith(("[", "*")) else line
    return rf"{protected} \\"
