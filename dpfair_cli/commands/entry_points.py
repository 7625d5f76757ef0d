"""Finds what packages add to the commands of dpfair by entry points, without importing it.

dpfair registers its own add-ons (dpfair_cli/addons) in the same way, in pyproject.toml, so that
nothing else of dpfair imports them:

- dpfair.commands: a `click.Command`; the name of the entry point is that of the command
- dpfair.check: a `click.Command` that `dpfair check` becomes if it is given --NAME
- dpfair.pages: a function of the judged artefacts of all papers and the options of their runs; it
  writes pages, and returns an AddedSection of the report or None
- dpfair.audits: the audits that `dpfair audit` makes of code that is not dpfair's, by their names
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from importlib.metadata import EntryPoint, entry_points
from importlib.util import find_spec
from typing import Any

from dpfair_cli.contracts.errors import DpfairError

COMMANDS, PAGES, AUDITS = "dpfair.commands", "dpfair.pages", "dpfair.audits"
INSTALL_AGAIN = (
    "no add-on of dpfair is registered, as after an update of the code alone: install dpfair "
    "again, such as by `pip install -e .`"
)


def find(group: str) -> Mapping[str, EntryPoint]:
    """The entry points of a group by name, in alphabetical order; empty without any."""
    return {point.name: point for point in sorted(entry_points(group=group))}  # on any machine


def load(group: str) -> Mapping[str, Any]:
    """The objects to which the entry points of a group refer, by name.

    Raises:
        DpfairError: the group is empty, though dpfair itself belongs to it.
    """
    points = find(group)
    if not points:  # a report would else lack a section, and nothing would say so
        raise DpfairError(INSTALL_AGAIN)
    return {name: point.load() for name, point in points.items()}


def summary(point: EntryPoint) -> str:
    """The first line of the docstring of an entry point's module; the module is not imported."""
    spec = find_spec(point.module)  # imports the packages around the module, and not itself
    source = getattr(spec and spec.loader, "get_source", None)
    text = source(point.module) if source else None
    docstring = ast.get_docstring(ast.parse(text)) if text else None
    return (docstring or "").partition("\n")[0]
