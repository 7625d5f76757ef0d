"""The privacy mistakes that are planted: the change of each, and the checks that should find it.

Every YAML file here is a list of mutants:

    - name: half the noise of the Laplace mechanism     # what the mistake is
      field: "mechanism: laplace"                       # where such a mistake is made
      file: mechanisms/laplace.py                       # in dpfair_cli
      old: rng.laplace(scale=scale,                     # occurs there exactly once
      new: rng.laplace(scale=scale / 2,
      audit: functional_mechanism      # arguments of `dpfair audit`; empty if no audit can find it
      tests: [mechanisms/test_laplace.py]    # of the changed code, without those of the audit
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import yaml

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
PACKAGE = ROOT / "dpfair_cli"


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
    def place(self) -> str:
        """The part of the package where such a mistake is made: the first word of its field."""
        return self.field.partition(": ")[0]

    def planted_in(self, source: str) -> str:
        """The text of the file with the mistake.

        Raises:
            ValueError: what it changes is not there, or there more than once.
        """
        if source.count(self.old) != 1:
            raise ValueError(
                f"{self.name}: {self.old!r} occurs {source.count(self.old)} times in {self.file}"
            )
        return source.replace(self.old, self.new)


def every_mutant() -> list[Mutant]:
    """All mutants, file by file."""
    entries = []
    for path in sorted(HERE.glob("*.yaml")):
        entries += yaml.safe_load(path.read_text()) or []
    return [Mutant(**entry | {"tests": tuple(entry["tests"])}) for entry in entries]


def quick_part(mutants: list[Mutant]) -> list[Mutant]:
    """The first mutant of every place (mechanism, accountant, ...)."""
    first: dict[str, Mutant] = {}
    for mutant in mutants:
        first.setdefault(mutant.place, mutant)
    return list(first.values())
