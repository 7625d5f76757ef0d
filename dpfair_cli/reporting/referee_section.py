"""The section of the HTML report about numbers of several papers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import ClassVar

from dpfair_cli.referee.judging import JudgedEntry
from dpfair_cli.reporting import referee_page, referee_tables, referee_words


@dataclass(frozen=True, eq=False)
class RefereeSection:
    """The entries of the referee, as report_referee.html.j2 shows them."""

    entries: Sequence[JudgedEntry] = ()
    """The judged entries; without entries the report has no section."""

    words: ClassVar[ModuleType] = referee_words
    tables: ClassVar[ModuleType] = referee_tables

    @property
    def parts(self) -> dict[str, str]:
        """The title of the section by its HTML id; empty without entries."""
        return {referee_page.NAME: "Referee"} if self.entries else {}

    @property
    def pictures(self) -> list[str]:
        """The paths of the pictures, relative to the report."""
        with_steps = (one for one in self.entries if referee_tables.bars(one))
        return [picture(one) for one in with_steps]


def picture(judged: JudgedEntry) -> str:
    """The path of the picture of an entry, relative to the folder of results."""
    return f"{referee_page.NAME}/{judged.entry.id}.png"


NO_ENTRIES = RefereeSection()
