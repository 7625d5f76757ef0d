"""Examines the papers of the project, with the stated numbers of runs, beside our own runs.

A hint says that numbers would be unlikely by chance. If our runs, whose making is known, give the
same number, then something other than chance or a mistake of the authors makes it: the protocol.
Such a hint is withdrawn.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

from dpfair_cli.addons.forensics.examining import Examination, examine
from dpfair_cli.addons.forensics.finding import CheckedNumbers, Grade
from dpfair_cli.addons.forensics.printed import NO_SPEC, PrintedCell, SpecFacts, read_printed
from dpfair_cli.contracts.errors import DpfairError
from dpfair_cli.contracts.files import read_yaml
from dpfair_cli.contracts.specs import Spec
from dpfair_cli.paths import folder
from dpfair_cli.reproduction.artefact import artefact_named
from dpfair_cli.reproduction.runs import RunOptions
from dpfair_cli.running import artefact_names, spec
from dpfair_cli.verdicts.cells.judging import JudgedCell
from dpfair_cli.verdicts.cells.published import PublishedCell

STATED = "published_runs"  # key of a spec

JudgedOf = Callable[[PublishedCell], JudgedCell | None]  # None for a cell without runs of ours


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
    specs = {one.split("/")[1]: spec.load(one) for one in artefact_names.artefacts(name)}
    try:
        printed = read_printed(folder("experiments") / name, lambda cell: _facts(cell, specs))
    except DpfairError as error:
        raise DpfairError(f"{name}/{error}") from error
    reading = options.reading

    @cache
    def cells_of(artefact: str) -> Sequence[JudgedCell]:
        """The cells of an artefact with verdicts. Only one that a hint is about is ever judged."""
        found = artefact_named(f"{name}/{artefact}", reading)
        return found.verdicts().cells if len(found.runs.table) else ()

    def judged(cell: PublishedCell) -> JudgedCell | None:
        found = cells_of(cell.artefact) if cell.artefact in specs else ()
        return next((one for one in found if one.published.line == cell.line), None)

    return beside_our_runs(examine(printed), cache(judged))


def _facts(cell: PublishedCell, specs: Mapping[str, Spec]) -> SpecFacts:
    """The stated number of runs, and the range of the score."""
    own = specs.get(cell.artefact)
    if own is None:
        return NO_SPEC
    # the file, and not the spec, shows what is stated and what is a default
    content: Mapping[str, Any] = _content(own.artefact)
    stated = content.get("per_dataset", {}).get(cell.dataset, {}).get(STATED)
    stated = stated or content.get(STATED, 0)
    runs = 0 if own.published_runs_by else int(stated)
    return SpecFacts(runs, own.task.score_ranges.get(cell.metric))


@cache  # asked for each cell of the artefact
def _content(artefact: str) -> Any:
    """The content of the file of a spec."""
    return read_yaml(artefact_names.spec_file(artefact))


def beside_our_runs(examination: Examination, judged: JudgedOf) -> Examination:
    """The examination, with each hint withdrawn whose numbers our runs give.

    The other hints about cells with runs of ours, or of the kind, data set and score of a withdrawn
    hint, get a remark.
    """
    withdrawn, other = [], []
    for hint in examination.of(Grade.HINT):
        if _all_agree(hint, judged):
            reason = f"withdrawn, because our runs give the same: {_ours(hint.cells, judged)}"
            withdrawn.append(replace(hint, remark=reason))
        else:
            other.append(hint)
    # only now: a remark counts the withdrawn hints that are like the kept one
    kept = [replace(one, remark=_remark(one, judged, withdrawn)) for one in other]
    facts = examination.of(Grade.FACT)
    return replace(examination, findings=[*facts, *kept], withdrawn=tuple(withdrawn))


def _all_agree(hint: CheckedNumbers, judged: JudgedOf) -> bool:
    """Whether our runs give all numbers of a hint."""
    found = [judged(cell.published) for cell in hint.cells]
    return all(one is not None and one.verdict.agrees for one in found)


def _remark(hint: CheckedNumbers, judged: JudgedOf, withdrawn: Sequence[CheckedNumbers]) -> str:
    """What a reader of a hint should know of our runs; empty if there is nothing to say."""
    ours = _ours(hint.cells, judged)
    remarks = [f"our runs of the same cells: {ours}"] if ours else []
    alike = sum(_subject(one) == _subject(hint) for one in withdrawn)
    if alike:
        hints = "the same hint" if alike == 1 else f"{alike} hints of this kind"
        remarks.append(
            f"{hints} on this data set and score withdrawn, because our runs give those numbers"
        )
    return "; ".join(remarks)


def _subject(hint: CheckedNumbers) -> tuple[str, ...]:
    """The kind of a hint with the data set and score of its cells."""
    cell = hint.cells[0].published
    return hint.kind, cell.dataset, cell.metric


def _ours(cells: Sequence[PrintedCell], judged: JudgedOf) -> str:
    """The first of our means of some cells with its verdict, and how many others there are."""
    found = [judged(cell.published) for cell in cells]
    texts = [f"{one.default.ours.mean:.6g} ({one.verdict})" for one in found if one and one.default]
    more = f" (and {len(texts) - 1} more)" if len(texts) > 1 else ""
    return f"{texts[0]}{more}" if texts else ""
