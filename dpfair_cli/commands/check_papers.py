"""Compares artefacts of papers with the published values, and says what fails."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import NamedTuple

import click

from dpfair_cli.commands.input_validation import check_premises
from dpfair_cli.reporting.judged_artefact import JudgedArtefact
from dpfair_cli.reproduction.artefact import (
    Artefact,
    artefact_of,
    map_artefacts,
    read_artefacts,
)
from dpfair_cli.reproduction.runs import RunOptions
from dpfair_cli.reproduction.whole_paper import (
    derive_rules,
    page_texts,
    record_deviations,
    write_pages,
    write_rules,
)
from dpfair_cli.running import spec
from dpfair_cli.verdicts.decision import Verdicts
from dpfair_cli.verdicts.paper_rule import PaperRule


class Compared(NamedTuple):
    """An artefact that was compared with the published values."""

    entry: JudgedArtefact
    """The artefact with its verdicts."""

    is_outdated: bool
    """Whether its page check.md is missing or has other verdicts."""


def load(names: Sequence[str], run_options: RunOptions) -> list[Artefact]:
    """The named artefacts with their journals, after the files of their papers were validated.

    Raises:
        Stopped: a file of a paper has a mistake.
        DpfairError: a journal, a claim or a published cell is malformed.
    """
    specs = [spec.load(name) for name in names]
    check_premises(specs, run_options.paper)
    artefacts = [artefact_of(one, run_options) for one in specs]
    read_artefacts(artefacts)  # here, because everything after it asks which runs are finished
    return artefacts


def is_complete(artefact: Artefact) -> bool:
    """Whether an artefact has finished runs and lacks none."""
    return bool(artefact.runs.number) and not artefact.judgement.missing_runs


def judged(artefacts: Sequence[Artefact], run_options: RunOptions) -> list[Compared]:
    """The complete artefacts with their verdicts; writes nothing.

    Raises:
        DpfairError: a file of a paper has a mistake, also a template of a page.
    """
    compare = partial(_compared, derive_rules(artefacts))
    found = map_artefacts(compare, list(filter(is_complete, artefacts)), "check")
    page_texts(verdicts_of(one.entry for one in found), run_options)  # which may refuse a page
    return found


def _compared(rules: Mapping[str, PaperRule], artefact: Artefact) -> Compared:
    """An artefact with its verdicts by the rule of its paper; part of a paper has no new rule."""
    entry = artefact.judgement.judge(rules.get(artefact.spec.paper))
    return Compared(entry, is_outdated=not artefact.has_page_of(entry.verdicts))


def rendered(
    artefacts: Sequence[Artefact], run_options: RunOptions, *, record: bool
) -> list[Compared]:
    """The complete artefacts with their verdicts; writes their files, rules and pages.

    With `record`, our values of the cells that deviations cover are written, too.
    """
    write_rules(artefacts)
    if record:
        record_values(artefacts)
    entries = map_artefacts(Artefact.render, list(filter(is_complete, artefacts)), "render")
    write_pages(verdicts_of(entries), run_options)
    return [Compared(entry, is_outdated=False) for entry in entries]


def record_values(artefacts: Sequence[Artefact]) -> None:
    """Writes our values of the cells that deviations cover, and prints the paths.

    Raises:
        click.UsageError: no paper is complete.
    """
    written = record_deviations(artefacts)
    if not written:
        raise click.UsageError("--record needs whole papers, such as xu2021, or --all")
    for file in written:
        click.echo(f"recorded: {file}", err=True)


def verdicts_of(entries: Iterable[JudgedArtefact]) -> dict[str, Verdicts]:
    """The verdicts on artefacts, by the name of the artefact."""
    return {one.spec.artefact: one.verdicts for one in entries}
