"""The parts that every HTML page has: contents, facts about the page, and counts at its head."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Fact:
    """A fact that identifies what a page shows, such as the version of dpfair."""

    name: str
    """The name of the fact, such as "dpfair"."""

    text: str
    """The fact, such as "version 0.1.0"."""


@dataclass(frozen=True)
class BarPart:
    """A number of things with the same verdict, as a part of a bar."""

    name: str
    """The verdict."""

    count: int
    """The number of things with the verdict."""

    tone: str
    """The CSS class of the part of the bar; empty for a grey part."""


@dataclass(frozen=True)
class Headline:
    """A sum at the head of a page, with its parts: a number in large print and a bar."""

    title: str
    """The things that are counted, such as "published cells"."""

    shares: Sequence[BarPart]
    """The parts of the sum."""

    @property
    def total(self) -> int:
        """The number of all things."""
        return sum(share.count for share in self.shares)


@dataclass(frozen=True)
class ContentsEntry:
    """A line of the contents: a link to the section of an artefact."""

    anchor: str
    """The HTML id of the section."""

    name: str
    """The name of the artefact."""

    count: str = ""
    """A short number next to the name, such as "3 of 5"."""


@dataclass(frozen=True)
class Page:
    """What the frame of a page shows: contents, facts, counts and choices of the filter."""

    title: str
    """The title of the page."""

    rows: str
    """The name of the rows that the filter shows and hides, such as "cells and claims"."""

    example: str
    """A text that a reader can look for."""

    count_means: str
    """The meaning of the numbers in the contents."""

    facts: Sequence[Fact]
    """The facts that identify what the page shows."""

    headlines: Sequence[Headline]
    """The counts at the head of the page."""

    parts: Mapping[str, str]
    """The titles of the sections before those of artefacts, by HTML id."""

    contents: Mapping[str, Sequence[ContentsEntry]]
    """The lines of the contents, by paper."""

    choices: Mapping[str, Sequence[str]]
    """The values of each choice of the filter: verdict, method and dataset."""


def anchor(artefact: str) -> str:
    """The HTML id of the section of an artefact, such as xu2021-table8-1."""
    return artefact.replace("/", "-").replace(".", "-")
