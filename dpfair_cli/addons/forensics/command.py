"""Examine the published numbers of whole papers instead; needs no run.

This module is the command `dpfair check --forensics`; `dpfair check --help` prints its first line.
"""

from __future__ import annotations

from pathlib import Path

import click

from dpfair_cli.commands import SAY_LESS, options
from dpfair_cli.commands.json_output import echo_json


@click.command("check --forensics")
@click.argument(
    "names", nargs=-1, metavar="[ARTEFACT|PAPER]...", shell_complete=options.complete_artefact
)
@click.option("--all", "everything", is_flag=True, help="Examine the numbers of all papers.")
@options.as_json
@options.data_dir
@options.out
@click.pass_context
def command(
    ctx: click.Context,
    names: tuple[str, ...],
    everything: bool,
    as_json: bool,
    data_dir: Path,
    out: Path | None,
) -> None:
    """Examine the published numbers of papers, without making a run.

    The command prints which numbers cannot be (facts), and which are unlikely by chance (hints). A
    hint is withdrawn if our finished runs give the same number. docs/forensics.md describes each
    check. No file is written, and the exit code is 0, whatever is found.
    """
    from dpfair_cli.addons.forensics import text
    from dpfair_cli.addons.forensics.papers import examine_paper, papers_named
    from dpfair_cli.commands import parsed_options

    if not names and not everything:
        raise click.UsageError("name artefacts or papers, such as xu2021, or give --all")
    run_options = parsed_options.run_options(collect=True, data_dir=data_dir, out=out, jobs=1)
    examinations = [examine_paper(name, run_options) for name in papers_named(names)]
    if as_json:
        echo_json(text.as_data(examinations))
        return
    is_short = ctx.meta.get(SAY_LESS)
    for one in examinations:
        for line in [text.summary(one)] if is_short else text.lines(one):
            click.echo(line)
