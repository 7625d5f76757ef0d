"""The privacy mistakes that are planted: what each changes in the package, and who should find it.

Every YAML file here is a list of mutants:

    - name: half the noise of the Laplace mechanism     # what the mistake is
      field: "mechanism: laplace"                       # where such a mistake is made
      file: mechanisms/laplace.py                       # in dpfair_cli
      old: rng.laplace(scale=scale,                     # occurs there exactly once, in any layout
      new: rng.laplace(scale=scale / 2,
      audit: functional_mechanism                       # what `dpfair audit` is asked; empty if it
          can ask nothing
      tests: [mechanisms/test_laplace.py]               # of the code that is changed, without those
          of the audit
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import yaml

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
PACKAGE = ROOT / "dpfair_cli"


@dataclass(frozen=True)
class Mutant:
    """One mistake: `old` becomes `new` in `file`."""

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
        planted, count = re.subn(_in_any_layout(self.old), lambda _: self.new, source)
        if count != 1:
            raise ValueError(f"{self.name}: {self.old!r} occurs {count} times in {self.file}")
        return planted


def _in_any_layout(code: str) -> str:
    """A pattern of the code, with spaces, line breaks and trailing commas wherever they may be."""
    tokens = re.findall(r"^\s+|\w+|[^\w\s]", code)
    pattern = r"\s*".join(map(re.escape, tokens))
    return re.sub(r"(\\[)\]}])", r",?\\s*\1", pattern)


def every_mutant() -> list[Mutant]:
    """All mutants, file by file."""
    entries = [
        entry
        for path in sorted(HERE.glob("*.yaml"))
        for entry in yaml.safe_load(path.read_text()) or []
    ]
    return [Mutant(**entry | {"tests": tuple(entry["tests"])}) for entry in entries]


def quick_part(mutants: list[Mutant]) -> list[Mutant]:
    """The first mutant of every place where a mistake is made (mechanism, accountant, ...), whoever
    finds it.
    """
    first: dict[str, Mutant] = {}
    for mutant in mutants:
        first.setdefault(mutant.place, mutant)
    return list(first.values())
