"""Writes a table of results as the LaTeX file table.tex, with all special characters escaped."""

from __future__ import annotations

from collections.abc import Iterable

from dpfair_cli.contracts.specs import Table

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


def escaped(text: str) -> str:
    """The text with all special characters of LaTeX escaped."""
    return str(text).translate(LATEX)


def line(texts: Iterable[str]) -> str:
    """The texts as one line of a LaTeX table."""
    line = " & ".join(map(escaped, texts))
    # the end of the line before, or a rule, would take "[" or "*" as its argument
    protected = f"{{}}{line}" if line.startswith(("[", "*")) else line
    return rf"{protected} \\"


def table(table: Table) -> str:
    """A table of results as a float with a caption."""
    notes = " ".join(map(escaped, table.notes))
    lines = [
        r"% needs \usepackage{booktabs}",
        r"\begin{table}",
        rf"\caption{{{escaped(table.title)}. {notes}}}",
        rf"\begin{{tabular}}{{{'l' * len(table.columns)}}}",
        r"\toprule",
        line(table.columns),
        r"\midrule",
        *map(line, table.lines),
        r"\bottomrule",
        r"\end{tabular}",
        r"\end{table}",
    ]
    return "\n".join(lines) + "\n"
