"""The section of the HTML report about numbers of several papers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from dpfair_cli.addons.referee import page, tables, words
from dpfair_cli.addons.referee.judging import JudgedEntry
from dpfair_cli.reporting.html_page import Image
from dpfair_cli.reporting.markup import render
from dpfair_cli.reporting.report import AddedSection


def section(entries: Sequence[JudgedEntry]) -> AddedSection:
    """The section with the entries, and with the pictures of those that have steps."""
    pictures = [picture(one) for one in entries if tables.bars(one)]
    return AddedSection(page.NAME, "Referee", partial(_html, entries), pictures)


def picture(judged: JudgedEntry) -> str:
    """The path of the picture of an entry, relative to the folder of results."""
    return f"{page.NAME}/{judged.entry.id}.png"


def _html(entries: Sequence[JudgedEntry], images: Mapping[str, Image]) -> str:
    return render(
        "report_referee.html.j2",
        package=__package__,
        entries=entries,
        images=images,
        tables=tables,
        words=words,
    )
