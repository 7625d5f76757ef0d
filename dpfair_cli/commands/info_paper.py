"""`dpfair info PAPER`: the title of a paper, its tables and figures, and what to run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def described(paper: str) -> dict[str, Any]:
    """The title of a paper, its artefacts with their titles, and commands with their effects."""
    from dpfair_cli import paths
    from dpfair_cli.reporting.report import citation
    from dpfair_cli.running import artefact_names, spec

    titles = {name: spec.load(name).title for name in artefact_names.artefacts(paper)}
    first = next((name for name in titles if "/table" in name), next(iter(titles)))
    commands = {
        f"dpfair reproduce {paper} --quick": "every table and figure, with few runs",
        f"dpfair reproduce {paper}": "every table and figure, with all runs",
        f"dpfair {_command(first)} {first}": "one of them",
        f"dpfair check {paper}": "our values against the published ones",
        f"dpfair explain {first}": "the verdict on one published value",
    }
    title = citation(paths.folder("experiments") / paper)
    return {"name": paper, "title": title, "artefacts": titles, "run": commands}


def lines(found: Mapping[str, Any]) -> list[str]:
    """The description of a paper as lines of text."""
    shown = [found["title"]]
    for heading, words in (("tables and figures", found["artefacts"]), ("run", found["run"])):
        width = max(map(len, words))
        shown += ["", f"{heading}:", *(f"  {key:{width}}  {text}" for key, text in words.items())]
    return shown


def _command(artefact: str) -> str:
    """The command that regenerates an artefact, `table` or `plot`."""
    from dpfair_cli.running.spec import load

    return "plot" if load(artefact).layout.picture else "table"
