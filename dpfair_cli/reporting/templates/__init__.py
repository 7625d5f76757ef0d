"""Renders the templates of pages and tables; HTML, Markdown and LaTeX are escaped."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

# the letters that look like no Latin one, with the names of their commands in math mode
GREEK = {
    "α": "alpha",
    "β": "beta",
    "γ": "gamma",
    "δ": "delta",
    "ε": "varepsilon",
    "ζ": "zeta",
    "η": "eta",
    "θ": "theta",
    "κ": "kappa",
    "λ": "lambda",
    "μ": "mu",
    "ν": "nu",
    "ξ": "xi",
    "π": "pi",
    "ρ": "rho",
    "σ": "sigma",
    "τ": "tau",
    "φ": "varphi",
    "χ": "chi",
    "ψ": "psi",
    "ω": "omega",
    "Γ": "Gamma",
    "Δ": "Delta",
    "Θ": "Theta",
    "Λ": "Lambda",
    "Σ": "Sigma",
    "Φ": "Phi",
    "Ψ": "Psi",
    "Ω": "Omega",
}
# pdflatex stops at a character beyond Latin that is missing here
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
        "|": r"$|$",  # which is a dash in the default font of text
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
    line = " & ".join(map(_latex, texts))
    # the end of the line before, or a rule, would take "[" or "*" as its argument
    protected = f"{{}}{line}" if line.startswith(("[", "*")) else line
    return rf"{protected} \\"


def render(template: str, *, package: str = "dpfair_cli.reporting", **values: Any) -> str:
    """The text of the template file `template` with the given values filled in.

    The file is in the folder templates of `package`.

    Raises:
        jinja2.UndefinedError: the template asks for a value that is not given.
    """
    environment = _environment(package, template.endswith(".html.j2"))
    return environment.get_template(template).render(values)


@cache
def _environment(package: str, autoescape: bool) -> Environment:
    """The environment of the templates of a package, which keeps compiled templates."""
    environment = Environment(
        loader=PackageLoader(package, "templates"),
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
