"""Fill one of the templates of this folder; what goes into HTML is escaped."""

from __future__ import annotations

from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

TEX = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "{": r"\{", "}": r"\}",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"$<$", ">": r"$>$",
    "±": r"$\pm$", "ε": r"$\varepsilon$", "δ": r"$\delta$", "≤": r"$\leq$", "·": r"$\cdot$",
}  # fmt: skip


def tex(text: str) -> str:
    """The text with every character that means something to LaTeX escaped."""
    return "".join(TEX.get(character, character) for character in str(text))


def cell(text: str) -> str:
    """The text as one cell of a markdown table."""
    return str(text).replace("|", r"\|").replace("*", r"\*").replace("\n", " ")


def fill(template: str, **values: Any) -> str:
    """The template with its values put in."""
    environment = Environment(
        loader=PackageLoader("dpfair_cli.reporting", "templates"),
        autoescape=template.endswith(".html.j2"),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters |= {"tex": tex, "cell": cell}
    return environment.get_template(template).render(values)
