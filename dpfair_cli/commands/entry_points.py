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

from collections.abc import Mapping
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

# importlib.metadata is imported where it is used: it takes a fifth of the time of `--help`
if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

COMMANDS, PAGES, AUDITS = "dpfair.commands", "dpfair.pages", "dpfair.audits"
INSTALL_AGAIN = (
    "no add-on of dpfair is registered, as after an update of the code alone: install dpfair "
    "again, such as by `pip install -e .`"
)


def find(group: str) -> Mapping[str, EntryPoint]:
    """The entry points of a group by name, in alphabetical order; empty without any."""
    from importlib.metadata import entry_points

    return {point.name: point for point in sorted(entry_points(group=group))}


def load(group: str) -> Mapping[str, Any]:
    """The objects to which the entry points of a group refer, by name.

    Raises:
        DpfairError: the group is empty, though dpfair itself belongs to it.
    """
    from dpfair_cli.contracts.errors import DpfairError

    points = find(group)
    if not points:  # a report would else lack a section, and nothing would say so
        raise DpfairError(INSTALL_AGAIN)
    return {name: point.load() for name, point in points.items()}


def summary(point: EntryPoint) -> str:
    """The first line of the docstring of an entry point's module; the module is not imported."""
    import ast

    spec = find_spec(point.module)
    source = getattr(spec and spec.loader, "get_source", None)
    text = source(point.module) if source else None
    docstring = ast.get_docstring(ast.parse(text)) if text else None
    return (docstring or "").partition("\n")[0]
