"""The arguments and options of a command as one frozen record, which the command fills once.

A record is a dataclass. Each field is an argument, an option, or a group of options that several
commands share, which is a record too:

    @dataclass(frozen=True)
    class Drawing:
        model: Path = argument()
        rows: int = option("--rows", "The number of records.", default=10)
        wide: bool = option("--wide", "Also write the columns of each step.")
        folders: Folders = group(Folders)

    @declared("draw", Drawing)
    def command(asked: Drawing) -> None: ...

The type of a field says how its value is read: a `bool` is a flag, a tuple may be given several
times, and what is not given is None where the type allows it, and else an empty text.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field, fields
from functools import wraps
from pathlib import Path
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

import click

PARAMETER, GROUP = "parameter", "group"  # the keys of what a field stands for

Record = TypeVar("Record")


def option(name: str, help: str, **look: Any) -> Any:
    """A field with the value of the option `name`; `look` as of `click.Option`.

    A default that is stated in `look` is shown in the help.
    """

    def make(own: str, kind: Any) -> click.Parameter:
        given = {"show_default": "default" in look, **_reading(kind), **look}
        if look.get("required"):
            given.pop("default", None)  # else click would take it for a given value
        return click.Option([name, own], help=help, **given)

    return field(metadata={PARAMETER: make})


def argument(**look: Any) -> Any:
    """A field with the value of the argument of the same name; `look` as of `click.Argument`."""

    def make(own: str, kind: Any) -> click.Parameter:
        # without it, click gives a text
        usual = {"type": click.Path(path_type=Path)} if kind is Path else {}
        return click.Argument([own], **(usual | look))

    return field(metadata={PARAMETER: make})


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
    kinds = get_type_hints(record)  # the annotations are texts
    found = []
    for one in fields(record):
        if GROUP in one.metadata:
            found += parameters(one.metadata[GROUP])
        else:
            found.append(one.metadata[PARAMETER](one.name, kinds[one.name]))
    return found


def filled(record: type[Record], values: Mapping[str, Any]) -> Record:
    """A record with the values of arguments and options, by name of the field."""
    chosen = {}
    for one in fields(record):  # type: ignore[arg-type] # mypy: a type variable is no dataclass
        inner = one.metadata.get(GROUP)
        # a group takes its values from the same mapping: a name stands once in a command
        chosen[one.name] = filled(inner, values) if inner else values[one.name]
    return record(**chosen)


def _reading(kind: Any) -> dict[str, Any]:
    """How click reads an option whose value has the type `kind`."""
    inner = next(iter(get_args(kind)), kind)  # of a tuple, or of a type that may be None
    read = click.Path(path_type=Path) if inner is Path else inner
    if kind is bool:
        return {"is_flag": True}
    if get_origin(kind) is tuple:
        return {"multiple": True, "type": read}
    return {"type": read, "default": "" if kind is str else None}
