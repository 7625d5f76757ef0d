"""What commands print: wrapped lines, fields, tables, colours in a terminal, and JSON."""

from __future__ import annotations

import importlib.util
import json
import math
import os
import re
import shutil
import sys
import textwrap
from collections.abc import Collection, Mapping, Sequence
from itertools import chain, repeat
from pathlib import Path
from typing import Any

import click

from dpfair_cli.commands import FAILED, STDERR, Stopped
from dpfair_cli.contracts import specs
from dpfair_cli.reporting import text_writer

LIBRARY = "pandas"  # which every command imports that takes long to start
GIGABYTE = 10**9
LEAST_MEMORY = GIGABYTE  # with which a check of all papers and a sweep end; with 0.6 they do not
TONES = {"good": "green", "middle": "yellow", "bad": "red"}


def is_terminal() -> bool:
    """Whether standard output goes to a terminal."""
    return sys.stdout.isatty()


def is_coloured() -> bool:
    """Whether standard output goes to a terminal and the variable NO_COLOR is not set."""
    return is_terminal() and not os.environ.get("NO_COLOR")


def width() -> int:
    """The number of columns of the terminal; 0 without a terminal."""
    return shutil.get_terminal_size().columns if is_terminal() else 0  # a pipe has no width


def paint(text: str, tone: str) -> str:
    """The text in the colour of its tone, "good", "middle" or "bad"; unchanged without colours."""
    return click.style(text, fg=TONES[tone]) if is_coloured() and tone in TONES else text


def echo(line: str, *, indent: int, err: bool = False) -> None:
    """Prints a line; in a terminal, the line is wrapped and further lines are indented."""
    if (sys.stderr if err else sys.stdout).isatty():
        columns = shutil.get_terminal_size().columns
        line = wrapped(line, columns, further=" " * indent)
    click.echo(line, err=err)


def wrapped(text: str, columns: int, *, first: str = "", further: str = "") -> str:
    """A text in lines of at most so many columns, which begin with `first` or `further`.

    Words and names stay whole.
    """
    return textwrap.fill(
        text,
        columns,
        initial_indent=first,
        subsequent_indent=further,
        break_long_words=False,
        break_on_hyphens=False,
    )


def warn(line: str) -> None:
    """Prints a line on stderr that is needed also with `-q`, which silences the rest of stderr."""
    click.echo(line, file=click.get_current_context().meta.get(STDERR, sys.stderr))


def say_start(what: str) -> None:
    """Prints on stderr that a command starts, if its libraries are not loaded yet.

    Loading them takes about a second, and longer on a machine that is busy. Under a limit as of
    `ulimit -v` that is too low, OpenBLAS, which comes with SciPy, would ask for memory until it
    gets some while it is loaded. No signal but SIGKILL then ends the process.

    Raises:
        Stopped: the limit is too low.
    """
    if LIBRARY in sys.modules:
        return
    if importlib.util.find_spec("resource"):  # not on every system
        import resource

        limit, _ = resource.getrlimit(resource.RLIMIT_AS)
        if resource.RLIM_INFINITY != limit < LEAST_MEMORY:
            raise Stopped(
                f"not enough memory: this process may use {limit / GIGABYTE:.2f} GB of address "
                f"space, and dpfair needs {LEAST_MEMORY / GIGABYTE:g} GB: raise the limit by "
                "`ulimit -v`",
                FAILED,
            )
    click.echo(f"{what}: loading", err=True)


def say_next(*commands: str) -> None:
    """Prints on stderr what a user may do after a success, a command on each line."""
    for word, command in zip(chain(["next:"], repeat("     ")), commands, strict=False):
        click.echo(f"{word} {command}", err=True)


def echo_fields(fields: Mapping[str, str], *, width: int = 0, indent: int = 0) -> None:
    """Prints each field on a line, after its name; `width` is the least width of the names."""
    width = max(width, *map(len, fields)) if fields else 0
    for name, text in fields.items():
        echo(f"{'':{indent}}{name:{width}}  {text}", indent=indent + width + 2)


def echo_model(*blocks: Mapping[str, str], described: Sequence[str]) -> None:
    """Prints facts about a fitted model, its description if it has one, and further facts.

    The guarantee is one of the blocks of facts, whose names have one width.
    """
    width = max(map(len, chain.from_iterable(blocks)))
    first, *others = blocks
    echo_fields(first, width=width)
    if described:
        click.echo()
    for line in described:
        echo(line, indent=2)
    for block in others:
        click.echo()
        echo_fields(block, width=width)


def echo_table(table: specs.Table, *, variants: Collection[str] = ()) -> None:
    """Prints a table; in a terminal the table fits the width, and verdicts are coloured.

    In a terminal, the rows of the methods `variants` are left out. The environment variable
    NO_COLOR switches the colours off.
    """
    if is_terminal():
        text = text_writer.terminal_table(table, width=width(), left_out=variants)
        click.echo(coloured(text) if is_coloured() else text)
    else:
        click.echo(text_writer.table(table))


def coloured(text: str) -> str:
    """A text in which the names and the symbols of verdicts have the colours of the report."""
    from dpfair_cli.reporting.shown import BAD, LOOKS, tones_by_text  # loads what no --help needs

    of_words = tones_by_text() | {"refuted": BAD}  # which is the status of a guarantee
    of_signs = {look.symbol: look.tone for look in LOOKS}

    def in_colour(found: re.Match[str]) -> str:
        tone = (of_words | of_signs).get(found[0])
        return click.style(found[0], fg=TONES[tone]) if tone else found[0]

    # the longest first, so that "differs" does not hide "differs (data)"
    words = "|".join(map(re.escape, sorted(of_words, key=len, reverse=True)))
    text = re.sub(rf"\b(?:{words})(?!\w)", in_colour, text)  # in the columns of verdicts
    # a symbol stands alone, between our value and the published one in brackets
    return re.sub(r"(?<= )\S(?= \()", in_colour, text)


def echo_json(content: Any) -> None:
    """Prints mappings, lists, texts and numbers as JSON; NumPy numbers are allowed.

    NaN becomes null, and infinity becomes the text "inf" or "-inf".
    """
    click.echo(json.dumps(_plain(content), indent=2, ensure_ascii=False, allow_nan=False))


def _plain(content: Any) -> Any:
    """The same content with every value converted to a type that JSON has."""
    match content:
        case Mapping():
            return {str(name): _plain(value) for name, value in content.items()}
        case list() | tuple() | set() | frozenset():
            return list(map(_plain, content))
        case float():
            finite = content if math.isfinite(content) else str(content)
            return None if math.isnan(content) else finite
        case str():  # also one of an enumeration
            return str(content)
        case Path():
            return content.as_posix()
    # a number or an array of NumPy, which is not imported for it
    return _plain(content.item()) if hasattr(content, "item") else content
