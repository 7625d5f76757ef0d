"""What `dpfair check` finds about a paper."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from dpfair_cli.contracts.specs import Spec
from dpfair_cli.reporting.report import JudgedArtefact
from dpfair_cli.reproduction.artefact import Artefact
from dpfair_cli.running.artefact_names import hint_for_misnamed


@dataclass(frozen=True, eq=False)
class CheckedArtefact:
    """What a check finds about an artefact."""

    spec: Spec
    """The artefact."""

    finished_runs: int
    """The number of its runs that its journal has."""

    missing_runs: int
    """The number of its runs that its journal lacks."""

    not_run: Mapping[str, str]
    """The data sets that are declared as not run, with the reasons."""

    entry: JudgedArtefact | None
    """The artefact with its verdicts; None if it was not compared."""

    is_outdated: bool
    """Whether it was compared, and its page check.md is missing or has other verdicts."""


@dataclass(frozen=True, eq=False)
class CheckedPaper:
    """What a check finds about the asked artefacts of a paper."""

    name: str
    """The key of the paper, such as xu2021."""

    artefacts: Sequence[CheckedArtefact]
    """The asked artefacts of the paper."""

    broken: Sequence[str]
    """The files that differ from their checksums, in words."""

    is_lasting: bool
    """Whether all this depends on the files of the paper, and on nothing else but code."""


def checked_artefact(artefact: Artefact, entry: JudgedArtefact | None) -> CheckedArtefact:
    """What a check finds about an artefact, given its verdicts; None if it was not compared."""
    return CheckedArtefact(
        artefact.spec,
        artefact.finished_runs,
        artefact.missing_runs,
        artefact.not_run,
        entry,
        is_outdated=entry is not None and not artefact.has_page_of(entry.verdicts),
    )


def is_lasting(artefacts: Sequence[Artefact]) -> bool:
    """Whether a check of the artefacts of one paper depends on its own files alone, and is silent.

    A check that says something on stderr, of an accelerator or of a file that is no artefact, says
    it each time.
    """
    paper = artefacts[0].paper()
    datasets = [dataset for one in artefacts for dataset in one.spec.datasets]
    elsewhere = any(".." in one.proof for one in paper.deviations)
    own_files = any(dataset.source.own_files for dataset in datasets)
    is_silent = not hint_for_misnamed(paper.folder.name)
    by_processor = all(one.device.is_processor for one in artefacts)
    return is_silent and by_processor and not (elsewhere or own_files)
