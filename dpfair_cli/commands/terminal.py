"""The width of the terminal, wrapped lines, and text in colour."""

from __future__ import annotations

import os
import shutil
import sys
import textwrap
from collections.abc import Mapping, Sequence

import click

from dpfair_cli.commands import STDERR
from dpfair_cli.commands.address_space import require_address_space

LIBRARY = "pandas"  # which every command imports that takes long to start
TONES = {"good": "green", "middle": "yellow", "bad": "red"}


def is_terminal() -> bool:
    """Whether standard output goes to a terminal."""
    return sys.stdout.isatty()


def width() -> int:
    """The number of columns of the terminal; 0 without a terminal."""
    return shutil.get_terminal_size().columns if is_terminal() else 0


def echo(line: str, *, indent: int, err: bool = False) -> None:
    """Prints a line; in a terminal, the line is wrapped and further lines are indented."""
    stream = sys.stderr if err else sys.stdout
    if stream.isatty():
        line = textwrap.fill(
            line,
            shutil.get_terminal_size().columns,
            subsequent_indent=" " * indent,
            break_long_words=False,
            break_on_hyphens=False,
        )
    click.echo(line, err=err)


def warn(line: str) -> None:
    """Prints a line on stderr that is needed also with `-q`, which silences the rest of stderr."""
    click.echo(line, file=click.get_current_context().meta.get(STDERR, sys.stderr))


def say_start(what: str) -> None:
    """Prints on stderr that a command starts, if its libraries are not loaded yet.

    Loading them takes about a second, and longer on a machine that is busy.

    Raises:
        Stopped: there is too little memory to load them.
    """
    if LIBRARY not in sys.modules:
        require_address_space()
        click.echo(f"{what}: loading", err=True)


def echo_fields(fields: Mapping[str, str], *, width: int, indent: int = 0) -> None:
    """Prints each field on a separate line, after its name in a column of this width."""
    for name, text in fields.items():
        echo(f"{'':{indent}}{name:{width}}  {text}", indent=indent + width + 2)


def echo_model(
    facts: Mapping[str, str], described: Sequence[str], stated: Mapping[str, str], *, width: int
) -> None:
    """Prints facts about a fitted model, its description if it has one, and its guarantee."""
    echo_fields(facts, width=width)
    click.echo()
    for line in described:
        echo(line, indent=2)
    if described:
        click.echo()
    echo_fields(stated, width=width)


def is_coloured() -> bool:
    """Whether standard output goes to a terminal and the variable NO_COLOR is not set."""
    return is_terminal() and not os.environ.get("NO_COLOR")


def paint(text: str, tone: str) -> str:
    """The text in the colour of its tone, "good", "middle" or "bad"; unchanged without colours."""
    if not (is_coloured() and tone in TONES):
        return text
    return click.style(text, fg=TONES[tone])
