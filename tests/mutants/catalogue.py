"""The privacy mistakes that are planted: the change of each, and the checks that should find it.

Every YAML file here is a list of mutants, and so is the file tests/mutants.yaml of a paper:

    - name: half the noise of the Laplace mechanism     # what the mistake is
      field: "mechanism: laplace"                       # where such a mistake is made
      file: mechanisms/laplace.py                       # in dpfair_cli, or experiments/...
      old: rng.laplace(scale=scale,                     # occurs there exactly once, in any layout
      new: rng.laplace(scale=scale / 2,
      audit: functional_mechanism      # arguments of `dpfair audit`; empty if no audit can find it
      tests: [mechanisms/test_laplace.py]    # of the changed code, without those of the audit;
                                             # in tests, or experiments/...
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dpfair_cli.contracts.files import read_yaml

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
PACKAGE = ROOT / "dpfair_cli"
TOKEN = re.compile(r"\w+|[^\w\s]")


@dataclass(frozen=True)
class Mutant:
    """One mistake: `old` becomes `new` in `file`; the fields are those of the YAML files above."""

    name: str
    field: str
    file: str
    old: str
    new: str
    audit: str
    tests: tuple[str, ...]

    @property
    def changed(self) -> str:
        """The path of the changed file from the root of the repository."""
        return _from_root("dpfair_cli", self.file)

    @property
    def test_files(self) -> tuple[str, ...]:
        """The tests as arguments of pytest at the root of the repository."""
        return tuple(_from_root("tests", test) for test in self.tests)

    @property
    def place(self) -> str:
        """The part of the package where such a mistake is made: the first word of its field."""
        return self.field.partition(": ")[0]

    def planted_in(self, source: str) -> str:
        """The text of the file with the mistake.

        Layout does not matter: `old` may be wrapped over lines, with a comma before a bracket.

        Raises:
            ValueError: `old` is missing, or occurs more than once.
        """
        tokens = r"\s*".join(map(re.escape, TOKEN.findall(self.old)))
        before, _, after = self.old.partition(self.old.strip())
        pattern = before + re.sub(r"(\\[)\]}])", r",?\\s*\1", tokens) + after
        places = list(re.finditer(pattern, source))
        if len(places) != 1:
            raise ValueError(f"{self.name}: {self.old!r} occurs {len(places)} times in {self.file}")
        start, end = places[0].span()
        return source[:start] + self.new + source[end:]


def _from_root(folder: str, file: str) -> str:
    """The path from the root of the repository of a file in a folder, or of a paper's file."""
    return file if file.startswith("experiments/") else f"{folder}/{file}"


def every_mutant() -> list[Mutant]:
    """All mutants, file by file."""
    entries: list[dict[str, Any]] = []
    for path in sorted([*HERE.glob("*.yaml"), *ROOT.glob("experiments/*/tests/mutants.yaml")]):
        entries += read_yaml(path) or []
    return [Mutant(**entry | {"tests": tuple(entry["tests"])}) for entry in entries]


def quick_part(mutants: list[Mutant]) -> list[Mutant]:
    """The first mutant of every place (mechanism, accountant, ...)."""
    first: dict[str, Mutant] = {}
    for mutant in mutants:
        first.setdefault(mutant.place, mutant)
    return list(first.values())
