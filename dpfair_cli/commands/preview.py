"""Shows how a user's table was interpreted, before runs are made on it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from dpfair_cli.commands import terminal
from dpfair_cli.contracts.declarations import DataSet, Method
from dpfair_cli.reproduction.preview import preview


def show(dataset: DataSet, methods: Iterable[Method]) -> Mapping[Method, str]:
    """Prints to stderr how a user's table was interpreted.

    Returns the methods that cannot be run on the table, each with the reason.
    """
    found = preview(dataset, methods)
    for line in found.lines() if found.facts else ():
        terminal.echo(line, indent=4, err=True)
    return found.refusals
