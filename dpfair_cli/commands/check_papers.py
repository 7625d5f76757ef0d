"""Checks artefacts of papers, and keeps what is found about each paper."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import click

from dpfair_cli.commands.check_checksums import checksum_mismatches

if TYPE_CHECKING:
    from dpfair_cli.reporting.report import JudgedArtefact
    from dpfair_cli.reproduction.artefact import Artefact, RunOptions
    from dpfair_cli.reproduction.checked_paper import CheckedArtefact, CheckedPaper
    from dpfair_cli.verdicts.decision import Verdicts


def check_papers(names: Sequence[str], run_options: RunOptions) -> list[CheckedPaper]:
    """What a check finds about the named artefacts, by paper.

    A paper of which no file has changed since it was checked is not checked again.

    Raises:
        Stopped: a file of a paper has a mistake.
        DpfairError: as `Stopped`, or a template of a page is malformed.
    """
    from dpfair_cli.commands import kept_papers

    keys = kept_papers.keys_of(names, run_options.data_dir, run_options.out)
    kept = {paper: kept_papers.kept(key) for paper, key in keys.items()}
    changed = [name for name in names if kept[_paper_of(name)] is None]
    found = check_again(changed, run_options) if changed else []
    again = {one.name: one for one in found}
    return [kept[paper] or again[paper] for paper in keys]


def check_again(names: Sequence[str], run_options: RunOptions) -> list[CheckedPaper]:
    """What a check finds about the named artefacts, by paper, whatever was found before.

    Raises:
        Stopped: a file of a paper has a mistake.
        DpfairError: as `Stopped`, or a template of a page is malformed.
    """
    from dpfair_cli.commands import kept_papers
    from dpfair_cli.reproduction import at_once

    keys = kept_papers.keys_of(names, run_options.data_dir, run_options.out)
    artefacts = load(names, run_options)
    at_once.read(artefacts)
    broken = broken_files(artefacts)
    found = by_paper(artefacts, judged(artefacts, run_options), broken)
    after = kept_papers.keys_of(names, run_options.data_dir, run_options.out)
    for one in found:
        if keys[one.name] == after[one.name]:  # no file has changed while it was read
            kept_papers.keep(keys[one.name], one)
    return found


def is_complete(artefact: Artefact) -> bool:
    """Whether an artefact has finished runs and lacks none."""
    return bool(artefact.finished_runs) and not artefact.missing_runs


def _paper_of(name: str) -> str:
    """The key of the paper of an artefact, such as xu2021."""
    return name.partition("/")[0]


def load(names: Sequence[str], run_options: RunOptions) -> list[Artefact]:
    """The named artefacts, after the files of their papers were validated.

    Raises:
        Stopped: a file of a paper has a mistake.
    """
    from dpfair_cli.commands.input_validation import check_premises
    from dpfair_cli.running import spec

    specs = [spec.load(name) for name in names]
    check_premises(specs, run_options.paper)
    return [run_options.artefact_of(one) for one in specs]


def broken_files(artefacts: Sequence[Artefact]) -> dict[str, list[str]]:
    """One line for each file that differs from its checksum, by paper."""
    return {paper: checksum_mismatches(own) for paper, own in _by_paper(artefacts).items()}


def _by_paper(artefacts: Sequence[Artefact]) -> dict[str, list[Artefact]]:
    """The artefacts of each paper."""
    found: dict[str, list[Artefact]] = {}
    for one in artefacts:
        found.setdefault(one.spec.paper, []).append(one)
    return found


def by_paper(
    artefacts: Sequence[Artefact],
    found: Sequence[CheckedArtefact],
    broken: Mapping[str, Sequence[str]],
) -> list[CheckedPaper]:
    """What a check finds, by paper, given the same by artefact, and the files that are broken."""
    from dpfair_cli.reproduction.checked_paper import CheckedPaper, is_lasting

    checked = {one.spec.artefact: one for one in found}
    return [
        CheckedPaper(
            paper,
            [checked[one.spec.artefact] for one in own],
            broken.get(paper, ()),
            is_lasting(own),
        )
        for paper, own in _by_paper(artefacts).items()
    ]


def record_values(artefacts: Sequence[Artefact]) -> None:
    """Writes our values of the cells that deviations cover, and prints the paths.

    Raises:
        click.UsageError: no paper is complete.
    """
    from dpfair_cli.reproduction.whole_paper import record_deviations

    written = record_deviations(artefacts)
    if not written:
        raise click.UsageError("--record needs whole papers, such as xu2021, or --all")
    for file in written:
        click.echo(f"recorded: {file}", err=True)


def rendered(
    artefacts: Sequence[Artefact],
    complete: Sequence[Artefact],
    run_options: RunOptions,
    *,
    record: bool,
) -> list[JudgedArtefact]:
    """The complete artefacts with their verdicts; writes their files, rules and pages.

    With `record`, our values of the cells that deviations cover are written, too.
    """
    from dpfair_cli.reproduction import at_once
    from dpfair_cli.reproduction.artefact import Artefact
    from dpfair_cli.reproduction.numbers import write_pages
    from dpfair_cli.reproduction.whole_paper import write_rules

    write_rules(artefacts)
    if record:
        record_values(artefacts)
    entries = at_once.each(complete, Artefact.render, "render")
    write_pages(verdicts_of(entries), run_options)
    return [*entries]


def judged(artefacts: Sequence[Artefact], run_options: RunOptions) -> list[CheckedArtefact]:
    """The artefacts with their verdicts, if they are complete; writes nothing.

    Raises:
        DpfairError: a file of a paper has a mistake, also a template of a page.
    """
    from dpfair_cli.reproduction import at_once
    from dpfair_cli.reproduction.checked_paper import checked_artefact
    from dpfair_cli.reproduction.numbers import require_pages
    from dpfair_cli.reproduction.whole_paper import derive_rules

    rules = derive_rules(artefacts)

    def check(one: Artefact) -> CheckedArtefact:
        if not is_complete(one):
            return checked_artefact(one, None)
        return checked_artefact(one, one.judge(rules.get(one.spec.paper) or one.rule()))

    found = at_once.each(artefacts, check, "check")
    require_pages(verdicts_of(one.entry for one in found if one.entry), run_options)
    return found


def verdicts_of(entries: Iterable[JudgedArtefact]) -> dict[str, Verdicts]:
    """The verdicts on artefacts, by the name of the artefact."""
    return {one.spec.artefact: one.verdicts for one in entries}
