"""Writes results/referee.md and the pictures that take the gaps apart."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from dpfair_cli.addons.referee import tables, waterfall, words
from dpfair_cli.addons.referee.judging import JudgedEntry
from dpfair_cli.contracts.files import write_text
from dpfair_cli.reporting.markup import render

NAME = "referee"


def write(entries: Sequence[JudgedEntry], folder: Path) -> list[Path]:
    """Writes referee.md, and a picture for each entry with steps; returns the paths."""
    folder.mkdir(parents=True, exist_ok=True)
    markdown = folder / f"{NAME}.md"
    write_text(markdown, text(entries))
    written = [markdown]
    for one in entries:
        bars = tables.bars(one)
        if bars:
            title = words.title(one)
            written.append(waterfall.write(bars, title, folder / NAME, one.entry.id))
    return written


def text(entries: Sequence[JudgedEntry]) -> str:
    """The page of the referee as Markdown."""
    return render(
        "referee.md.j2",
        package=__package__,
        entries=entries,
        name=NAME,
        words=words,
        tables=tables,
    )
