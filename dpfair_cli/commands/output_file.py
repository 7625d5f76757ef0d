"""The file that a command writes: it replaces no input and no ledger, others only with --force."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import click

from dpfair_cli.commands.records import option

LEDGER = ".ledger"  # the end of the name of a privacy ledger


FORCE: Any = option("--force", "Replace the file that is to be written.")


def target(name: str, words: str, *, required: bool = False) -> Any:
    """The field of the option `name`: the path of a file to write; `words` are its help."""
    path = click.Path(dir_okay=False, path_type=Path)
    return option(name, words, type=path, required=required)


def require_free(
    target: Path | None, name: str, *, inputs: Iterable[str | Path | None], force: bool
) -> None:
    """Refuses a target that would destroy a file of the user or that cannot be written.

    `target` is the value of the option `name`, and `inputs` are the files that the command reads.
    Inputs that are no files, such as the name of a data set, are allowed.

    Raises:
        click.UsageError: the target is an input, has the name of a privacy ledger, or exists
            while `force` is not set.
        OSError: no file can be written there.
    """
    from dpfair_cli.contracts.files import require_writable

    if target is None:
        return
    require_no_ledger(target, name)
    if target.is_file():  # `/dev/stdout` and pipes replace nothing
        if any(_is_same(target, Path(source)) for source in inputs if source):
            raise click.UsageError(
                f"{target} is read by this command and is not overwritten: give {name} another file"
            )
        if not force:
            raise click.UsageError(
                f"{target} exists already: give {name} another file, or replace it with --force"
            )
    require_writable(target)  # else a fit of hours would end without its file


def require_no_ledger(target: Path, name: str) -> None:
    """Refuses a target with the name of a privacy ledger, which only `dpfair budget` writes.

    Raises:
        click.UsageError: the target has such a name.
    """
    if target.name.endswith(LEDGER):
        raise click.UsageError(
            f"{target} has the name of a privacy ledger and is not written: give {name} another "
            "file"
        )


def _is_same(target: Path, source: Path) -> bool:
    """Whether two paths lead to the same file; `target` exists."""
    return source.expanduser().exists() and target.samefile(source.expanduser())
