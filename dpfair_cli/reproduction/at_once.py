"""Reads, judges and renders artefacts, and makes short runs, in several processes at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

from dpfair_cli.reproduction.artefact import Artefact
from dpfair_cli.running import progress
from dpfair_cli.running.copies import call_each

Result = TypeVar("Result")


def read(artefacts: Sequence[Artefact]) -> None:
    """Reads the journals of artefacts, and tests their published cells and claims.

    Raises:
        DpfairError: a journal, a claim or a published cell is malformed.
    """
    for artefact, found in zip(artefacts, each(artefacts, Artefact.read, "read"), strict=True):
        artefact.adopt(found)


def each(
    artefacts: Sequence[Artefact],
    function: Callable[[Artefact], Result],
    words: str,
    *,
    patience: float | None = None,
) -> list[Result]:
    """The results of a function for artefacts, called under a progress bar with these words.

    `patience` is that of `call_each`.
    """
    jobs = artefacts[0].options.workers.jobs if artefacts else 1
    known = list(_known(artefacts))
    look = {"desc": words, "unit": "artefact", "delay": 2, "leave": False}
    with progress.bar(total=len(artefacts), **look) as bar:
        return call_each(
            function, artefacts, jobs=jobs, known=known, tick=bar.update, patience=patience
        )


def _known(artefacts: Sequence[Artefact]) -> Iterator[Any]:
    """Yields what was read before: specs, and the entries of the files of their papers."""
    yield from (one.spec for one in artefacts)
    for paper in dict.fromkeys(one.paper() for one in artefacts):
        yield paper
        yield from (*paper.published, *paper.claims, *paper.deviations, *paper.authors)
