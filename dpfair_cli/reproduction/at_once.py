"""Reads, judges and renders artefacts, and makes short runs, in several processes at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from dpfair_cli.reproduction.artefact import Artefact
from dpfair_cli.running import pool, progress

Result = TypeVar("Result")


def read(artefacts: Sequence[Artefact]) -> None:
    """Reads the journals of artefacts, and tests their published cells and claims.

    Raises:
        DpfairError: a journal, a claim or a published cell is malformed.
    """
    for artefact, found in zip(artefacts, each(artefacts, Artefact.read, "read"), strict=True):
        artefact.adopt(found)


def each(
    artefacts: Sequence[Artefact], function: Callable[[Artefact], Result], words: str
) -> list[Result]:
    """The results of a function for artefacts, called under a progress bar with these words."""
    jobs = artefacts[0].options.workers.jobs if artefacts else 1
    look = {"desc": words, "unit": "artefact", "delay": 2, "leave": False}
    with progress.bar(total=len(artefacts), **look) as bar:
        return pool.map_in_order(function, artefacts, jobs=jobs, tick=bar.update)
