"""Examines papers by their keys, with the numbers of runs that their specs state."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from dpfair_cli.addons.forensics.examining import Examination, examine
from dpfair_cli.addons.forensics.our_runs import beside_our_runs
from dpfair_cli.addons.forensics.printed import NO_SPEC, SpecFacts, read_printed
from dpfair_cli.contracts.errors import DpfairError
from dpfair_cli.contracts.files import read_yaml
from dpfair_cli.contracts.specs import Spec
from dpfair_cli.paths import folder
from dpfair_cli.reproduction.runs import RunOptions
from dpfair_cli.reproduction.whole_paper import PaperNumbers
from dpfair_cli.running import artefact_names, spec
from dpfair_cli.verdicts.cells.judged import JudgedCell
from dpfair_cli.verdicts.cells.published import PublishedCell

STATED = "published_runs"  # key of a spec


def papers_named(names: Sequence[str]) -> list[str]:
    """The keys of the papers of the named artefacts or papers; without names, of all papers.

    Raises:
        DpfairError: a name is unknown.
    """
    chosen = artefact_names.artefacts_named(names)
    return list(dict.fromkeys(one.split("/")[0] for one in chosen))


def examine_paper(name: str, options: RunOptions) -> Examination:
    """The findings in the published numbers of the work experiments/<name>.

    Hints about numbers that finished runs give, too, are withdrawn.

    Raises:
        DpfairError: a file of the paper has a mistake.
    """
    specs = {
        one.split("/")[1]: _SpecWithText(spec.load(one), _text_of(one))
        for one in artefact_names.artefacts(name)
    }
    try:
        printed = read_printed(folder("experiments") / name, lambda cell: _facts(cell, specs))
    except DpfairError as error:
        raise DpfairError(f"{name}/{error}") from error
    return beside_our_runs(examine(printed), cache(_judged_by_runs(name, specs, options)))


def _judged_by_runs(
    name: str, specs: Mapping[str, _SpecWithText], options: RunOptions
) -> Callable[[PublishedCell], JudgedCell | None]:
    """A function that gives a published cell with its verdict; None without finished runs.

    Only artefacts that a hint is about are judged.
    """
    numbers = PaperNumbers(name, options, {})

    def judged(cell: PublishedCell) -> JudgedCell | None:
        if cell.artefact not in specs or not len(numbers.numbers(cell.artefact).rows):
            return None
        found = numbers.verdicts(cell.artefact).cells
        return next((one for one in found if one.published.line == cell.line), None)

    return judged


@dataclass(frozen=True)
class _SpecWithText:
    """The spec of an artefact, and the content of its file."""

    spec: Spec
    # the content of the file, which shows what is stated and what is a default
    content: Mapping[str, Any]


def _text_of(artefact: str) -> Mapping[str, Any]:
    content: Mapping[str, Any] = read_yaml(artefact_names.spec_file(artefact))
    return content


def _facts(cell: PublishedCell, specs: Mapping[str, _SpecWithText]) -> SpecFacts:
    """The stated number of runs, and the range of the score."""
    own = specs.get(cell.artefact)
    if own is None:
        return NO_SPEC
    stated = own.content.get("per_dataset", {}).get(cell.dataset, {}).get(STATED)
    stated = stated or own.content.get(STATED, 0)
    runs = 0 if own.spec.published_runs_by else int(stated)
    return SpecFacts(runs, own.spec.task.score_ranges.get(cell.metric))
