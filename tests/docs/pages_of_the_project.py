"""The Markdown files that people read, and the commands that they show."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
GIVEN = (
    "README.md",
    "AGENTS.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "data/README.md",
    "docs/*.md",
    "experiments/*/README.md",
    "results/*/*.md",
    "examples/*/experiments/*/README.md",
)
FILES = sorted(file for pattern in GIVEN for file in ROOT.glob(pattern))
SHOWN = re.compile(r"^ *(?:\.venv/bin/)?(dpfair .*)$", re.MULTILINE)  # a line of a block
QUOTED = re.compile(r"`(dpfair [^`]+)`")
EXPLAINED_LINES = re.compile(r"(?<=\S) +#.*$", re.MULTILINE)
MADE = re.compile(r"(?:^|`)make ([a-z-]+(?: [a-z-]+)*) ?(?=$|`|[A-Z])", re.MULTILINE)
TO_FILL_IN = re.compile(r"[{}<>…]|\bCOMMAND\b")


def name_of(file: Path) -> str:
    return file.relative_to(ROOT).as_posix()


def prose(text: str) -> str:
    """A page without its blocks of code."""
    return re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)


def commands_in(text: str) -> Iterator[list[str]]:
    """The arguments of each command in the blocks of a page."""
    blocks = re.findall(r"^```[a-z]*\n(.*?)^```$", text, flags=re.MULTILINE | re.DOTALL)
    blocks += re.findall(r"(?:^    .*\n)+", prose(text), flags=re.MULTILINE)
    yield from _arguments(found for block in blocks for found in SHOWN.findall(block))


def commands_named_in(text: str) -> Iterator[list[str]]:
    """The arguments of each command that the text names, which may lack some: `dpfair train
    --save`.
    """
    yield from _arguments(" ".join(found.split()) for found in QUOTED.findall(prose(text)))


def _arguments(lines: Iterable[str]) -> Iterator[list[str]]:
    for line in lines:
        if not TO_FILL_IN.search(line):
            yield shlex.split(line, comments=True)[1:]


def targets_in(text: str) -> set[str]:
    """What a page says to make, in a block or in its text."""
    return {
        target for found in MADE.findall(EXPLAINED_LINES.sub("", text)) for target in found.split()
    }
