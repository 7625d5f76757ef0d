"""Examine the published numbers of whole papers instead; needs no run.

This module is the command `dpfair check --forensics`; `dpfair check --help` prints its first line.
"""

from __future__ import annotations

from dataclasses import dataclass

import click

from dpfair_cli.commands import SAY_LESS, options
from dpfair_cli.commands.options import argument, declared, group, option
from dpfair_cli.commands.terminal import echo_json


@dataclass(frozen=True)
class ForensicsOptions:
    """The arguments and options of the command."""

    names: tuple[str, ...] = argument(
        nargs=-1, metavar="[ARTEFACT|PAPER]...", shell_complete=options.complete_artefact
    )
    everything: bool = option("--all", is_flag=True, help="Examine the numbers of all papers.")
    as_json: bool = options.JSON
    results: options.ResultsFolder = group(options.ResultsFolder)


@declared("check --forensics", ForensicsOptions)
def command(asked: ForensicsOptions) -> None:
    """Examine the published numbers of papers, without making a run.

    \b
    dpfair check ding2020 --forensics

    The command prints which numbers cannot be (facts), and which are unlikely by chance (hints). A
    hint is withdrawn if our finished runs give the same number. docs/forensics.md describes each
    check. No file is written, and the exit code is 0, whatever is found.
    """
    from dpfair_cli.addons.forensics import text
    from dpfair_cli.addons.forensics.papers import examine_paper, papers_named

    if not asked.names and not asked.everything:
        raise click.UsageError("name artefacts or papers, such as xu2021, or give --all")
    run_options = asked.results.reading()
    examinations = [examine_paper(name, run_options) for name in papers_named(asked.names)]
    if asked.as_json:
        echo_json(text.as_data(examinations))
        return
    is_short = click.get_current_context().meta.get(SAY_LESS)
    for one in examinations:
        for line in [text.summary(one)] if is_short else text.lines(one):
            click.echo(line)
