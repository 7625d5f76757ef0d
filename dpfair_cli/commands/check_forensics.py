"""What `dpfair check --forensics` prints: findings in the printed numbers of papers."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from dpfair_cli.commands import SAY_LESS
from dpfair_cli.commands.json_output import echo_json

ABOUT_RUNS = ("against", "record", "update_checksums")  # options of `dpfair check` that need runs


def print_forensics(
    names: Sequence[str], data_dir: Path, out: Path | None, *, as_json: bool
) -> None:
    """Examines the printed numbers of the papers of the named artefacts; without names, of all.

    Raises:
        click.UsageError: an option that needs runs was given.
        DpfairError: a name is unknown, or a file of a paper has a mistake.
    """
    given = click.get_current_context().params
    about_runs = [f"--{name.replace('_', '-')}" for name in ABOUT_RUNS if given[name]]
    about_runs += ["--format github"] if given["form"] == "github" else []
    if about_runs:
        raise click.UsageError(
            f"--forensics examines printed numbers alone: leave out {' and '.join(about_runs)}"
        )
    from dpfair_cli.commands import parsed_options
    from dpfair_cli.forensics import text
    from dpfair_cli.forensics.papers import examine_paper, papers_named

    run_options = parsed_options.run_options(
        quick=False, fresh=False, collect=True, data_dir=data_dir, out=out, jobs=1, cluster=""
    )
    examinations = [examine_paper(name, run_options) for name in papers_named(names)]
    if as_json:
        echo_json(text.as_data(examinations))
        return
    is_short = click.get_current_context().meta.get(SAY_LESS)
    for one in examinations:
        for line in [text.summary(one)] if is_short else text.lines(one):
            click.echo(line)
