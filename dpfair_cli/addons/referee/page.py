"""The page referee.md, the pictures that take the gaps apart, and the section of the report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

from dpfair_cli.addons.referee import tables, waterfall, words
from dpfair_cli.addons.referee.judging import JudgedEntry
from dpfair_cli.contracts.files import write_text
from dpfair_cli.paths import paper_folder
from dpfair_cli.reporting.html_page import Image
from dpfair_cli.reporting.markup import render
from dpfair_cli.reporting.report import AddedSection, citation

NAME = "referee"  # of the page, of the folder of pictures, and of the section


def write(entries: Sequence[JudgedEntry], folder: Path) -> list[Path]:
    """Writes referee.md, and a picture for each entry with steps; returns the paths."""
    folder.mkdir(parents=True, exist_ok=True)
    markdown = folder / f"{NAME}.md"
    write_text(markdown, text(entries))
    written = [markdown]
    for one in entries:
        if bars := tables.bars(one):
            file = folder / NAME / f"{one.entry.id}.png"
            written.append(waterfall.write(bars, words.title(one), file))
    return written


def text(entries: Sequence[JudgedEntry]) -> str:
    """The page of the referee as Markdown."""
    return _rendered("referee.md.j2", entries, name=NAME)


def letter(entry: JudgedEntry) -> str:
    """A letter that asks the authors of an entry for the cause of what it shows."""
    found = [
        address for one in entry.sides for address in (one.side.cell, one.side.runs) if address
    ]
    return render(
        "letter.md.j2",
        package=__package__,
        one=entry,
        words=words,
        tables=tables,
        names=words.names(entry),
        works=list(map(_citation, filter(None, entry.entry.works))),
        noun="sentences" if entry.entry.is_about_claims else "numbers",
        artefacts=list(dict.fromkeys(f"{one.work}/{one.artefact}" for one in found)),
    )


def _citation(work: str) -> str:
    """The authors, year and title of a work; its name if it has no folder."""
    readme = paper_folder(work) / "README.md"
    return citation(readme.parent) if readme.is_file() else work


def section(entries: Sequence[JudgedEntry]) -> AddedSection:
    """The section of the HTML report, with the pictures of the entries that have steps."""
    pictures = [f"{NAME}/{one.entry.id}.png" for one in entries if tables.bars(one)]
    return AddedSection(NAME, "Referee", partial(_html, entries), pictures)


def _html(entries: Sequence[JudgedEntry], images: Mapping[str, Image]) -> str:
    """The section as HTML, with its pictures, which the report embeds."""
    return _rendered("report_referee.html.j2", entries, images=images)


def _rendered(template: str, entries: Sequence[JudgedEntry], **more: object) -> str:
    """A template with the entries, which asks `words` and `tables` for what it shows of them."""
    given = {"entries": entries, "words": words, "tables": tables, **more}
    return render(template, package=__package__, **given)
