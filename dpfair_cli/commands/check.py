"""`dpfair check`: published against ours; exit 1 on a difference that nobody has named, or without evidence."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from dpfair_cli.commands import DIFFERS, MISTAKEN, Stopped, options

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dpfair_cli.auditing.survey import Audited
    from dpfair_cli.reporting.report import Entry


@click.command("check")
@click.argument("names", nargs=-1, metavar="[ARTEFACT|PAPER]...")
@click.option("--all", "everything", is_flag=True, help="Every artefact.")
@options.data_dir
@options.out
def command(names: tuple[str, ...], everything: bool, data_dir: Path, out: Path | None) -> None:
    """Compare the journals with the published values; runs nothing.

    A cell or a claim that does not come out must be named in experiments/<paper>/deviations.yaml, with evidence that
    bears what the entry says of its cause; otherwise the exit code is 1.
    """
    from dpfair_cli import paths
    from dpfair_cli.artefacts import Artefact
    from dpfair_cli.auditing import survey
    from dpfair_cli.commands import produce
    from dpfair_cli.running import spec

    if not names and not everything:
        raise click.UsageError("name artefacts or papers, such as xu2021, or give --all")
    run_options = produce.run_options(
        quick=False, fresh=False, collect=True, data_dir=data_dir, out=out, jobs=1, cluster=""
    )
    artefacts = []
    for name in spec.artefacts_named(names):
        artefacts.append(artefact := Artefact(spec.load(name), run_options))
        if artefact.missing_runs:  # said at once: to read all the others takes a while
            raise Stopped(f"{name} is not complete: run `dpfair reproduce {artefact.spec.paper}` first", MISTAKEN)
    for artefact in artefacts:
        if not artefact.finished_runs:
            click.echo(f"{artefact.spec.artefact}: not run: {'; '.join(sorted(set(artefact.not_run.values())))}")
    audited = survey.read(paths.results_file(run_options.out, "audit.csv").parent) if everything else []
    print_verdicts([artefact.render() for artefact in artefacts if artefact.finished_runs], audited)


def print_verdicts(entries: Sequence[Entry], audited: Sequence[Audited] = ()) -> None:
    """Print the counts of each artefact, what no deviation names or bears, the scoreboard, and the audit's verdicts.

    Raises:
        click.exceptions.Exit: with code 1, if something differs that no deviation names or bears out, or a label says
            the opposite of the audit.
    """
    from dpfair_cli.reporting import report, scoreboard

    for entry in entries:
        print_counts(entry)
        for failure in entry.verdicts.failures:
            click.echo(f"  not in deviations.yaml: {failure}")
        for deviation in entry.verdicts.unsupported_deviations:
            click.echo(f"  not borne by its evidence in deviations.yaml: {deviation}")
        for deviation in entry.verdicts.stale_deviations:
            click.echo(f"  no longer needed in deviations.yaml: {deviation}")
    click.echo(scoreboard.text(report.scoreboard(entries)), nl=False)
    wrong = [row for row in audited if row.contradicts]
    if audited:
        refuted = sum(row.verdict.startswith("refuted") for row in audited)
        click.echo(f"audit: {len(audited)} methods and readings, {refuted} refuted, {len(wrong)} against their label")
    for row in wrong:
        click.echo(f"  labelled {row.label}: {row.method} {row.reading}: {row.verdict}")
    if wrong or any(entry.verdicts.failures or entry.verdicts.unsupported_deviations for entry in entries):
        raise click.exceptions.Exit(DIFFERS)


def print_counts(entry: Entry) -> None:
    """Print the number of published cells of an artefact with each verdict, and the verdict of each claim."""
    cells = ", ".join(f"{count} {verdict}" for verdict, count in entry.verdicts.cell_counts.items())
    claims = ", ".join(f"{claim.id} {claim.verdict}" for claim in entry.verdicts.claims.itertuples())
    click.echo(f"{entry.spec.artefact}: {cells or 'no published cells'}; {claims or 'no claims'}")
