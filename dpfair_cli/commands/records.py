"""The arguments and options of a command as one frozen record, which the command fills once.

A record is a dataclass. Each field is an argument, an option, or a group of options that several
commands share, which is a record too:

    @dataclass(frozen=True)
    class Drawing:
        model: Path = argument(type=click.Path(path_type=Path))
        rows: int = option("--rows", default=10, help="The number of records.")
        folders: Folders = group(Folders)

    @declared("draw", Drawing)
    def command(asked: Drawing) -> None: ...
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field, fields
from functools import wraps
from typing import Any, TypeVar

import click

PARAMETER, GROUP = "parameter", "group"  # the keys of what a field stands for

Record = TypeVar("Record")


def option(*names: str, **look: Any) -> Any:
    """A field with the value of an option; `names` and `look` are those of `click.Option`."""
    return field(metadata={PARAMETER: lambda own: click.Option([*names, own], **look)})


def argument(**look: Any) -> Any:
    """A field with the value of the argument of the same name; `look` as of `click.Argument`."""
    return field(metadata={PARAMETER: lambda own: click.Argument([own], **look)})


def group(record: type) -> Any:
    """A field with a record of options that several commands share."""
    return field(metadata={GROUP: record})


def declared(
    name: str, record: type[Record], cls: type[click.Command] = click.Command
) -> Callable[[Callable[[Record], None]], click.Command]:
    """A decorator: the command `name`, whose function gets its arguments and options as a record.

    The help lists the options in the order of the fields.
    """

    def decorate(function: Callable[[Record], None]) -> click.Command:
        @wraps(function)
        def call(**values: Any) -> None:
            function(filled(record, values))

        return click.command(name, cls=cls, params=parameters(record))(call)

    return decorate


def parameters(record: type) -> list[click.Parameter]:
    """The arguments and options of a record in the order of its fields, also those of groups."""
    found = []
    for one in fields(record):
        if GROUP in one.metadata:
            found += parameters(one.metadata[GROUP])
        else:
            found.append(one.metadata[PARAMETER](one.name))
    return found


def filled(record: type[Record], values: Mapping[str, Any]) -> Record:
    """A record with the values of arguments and options, by name of the field."""
    chosen = {}
    for one in fields(record):  # type: ignore[arg-type] # mypy: a type variable is no dataclass
        inner = one.metadata.get(GROUP)
        # a group takes its values from the same mapping: a name stands once in a command
        chosen[one.name] = filled(inner, values) if inner else values[one.name]
    return record(**chosen)
