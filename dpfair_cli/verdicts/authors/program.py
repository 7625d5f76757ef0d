"""Reads authors.yaml of experiments/<paper>: the authors' program and how we ran it.

    repository: https://github.com/one/fair-scores
    commit: 0123456789abcdef0123456789abcdef01234567
    licence: MIT
    command: python table1.py adult
    versions: {python: 3.11.7, numpy: 1.26.4}
    data: [the files of our data set adult]
    changes: [the solver CBC in place of Gurobi, which needs a licence]
    not_run: [{what: table 2, reason: the data are not public}]

The values of the program are in authors.csv (see `values.py`). Neither file has a line of the
program.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from dpfair_cli.contracts import yaml_files
from dpfair_cli.contracts.conversion import from_mapping
from dpfair_cli.contracts.errors import DpfairError

FILE = "authors.yaml"
COMMIT = re.compile(r"[0-9a-f]{40}")
SHORT = 7  # digits of a commit in a text


@dataclass(frozen=True)
class NotRun:
    """A part of the authors' program that we did not run."""

    what: str
    """The part."""

    reason: str
    """Why we did not run it."""


@dataclass(frozen=True)
class AuthorsProgram:
    """The program that the authors of a paper published, and how we ran it."""

    repository: str
    """The address of the repository."""

    commit: str
    """The commit that we ran, 40 hexadecimal digits."""

    licence: str
    """The licence of the program, or the words "not stated"."""

    command: str
    """What we ran, in the words of the repository."""

    versions: Mapping[str, str]
    """The version of Python and of each library, by name."""

    data: tuple[str, ...]
    """The data that the program read, and where they come from."""

    changes: tuple[str, ...] = ()
    """What we changed to make the program run, in words."""

    not_run: tuple[NotRun, ...] = ()
    """The parts of the program that we did not run."""

    def __post_init__(self) -> None:
        """Raises an error for a commit that is not a whole hash, or an empty text."""
        if not COMMIT.fullmatch(self.commit):
            raise ValueError(f"commit must have 40 hexadecimal digits, got {self.commit!r}")
        for name in ("repository", "licence", "command", "versions", "data"):
            if not getattr(self, name):
                raise ValueError(f"{name} must not be empty")

    @property
    def short_commit(self) -> str:
        """The first digits of the commit."""
        return self.commit[:SHORT]


def read_program(file: Path) -> AuthorsProgram:
    """The authors' program in a file authors.yaml.

    Raises:
        DpfairError: the file cannot be read, or is not such a description.
    """
    try:
        return from_mapping(AuthorsProgram, yaml_files.read(file))
    except ValueError as mistake:
        raise DpfairError(f"{file.name}: {mistake}") from mistake
