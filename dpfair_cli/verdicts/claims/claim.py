"""claims.yaml of experiments/<paper>: sentences of the paper, each as predicates over our runs.

    - id: xu2021-9-f
      claim: what the paper says, in short
      quote: its own words
      place: where they stand
      parts:
        - {part: epochs, artefact: figure9.6a, holds: [...], reads: how we read a vague word}
        - {part: noise, artefact: figure9.6b, holds: [...], since: what was changed, and why}
        - {part: order, artefact: figure9.6a, holds: [...], ours: what we added, and why}
        - {part: seconds, artefact: section4.6.1, not_testable: why}

A claim in one piece has the keys of its part next to its id. The predicates are in `predicates.py`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from dpfair_cli.contracts import yaml_files
from dpfair_cli.contracts.conversion import from_mapping
from dpfair_cli.contracts.errors import DpfairError
from dpfair_cli.verdicts.claims.predicates import Compare, Slope, Spread, Trend


@dataclass(frozen=True)
class Claim:
    """A sentence of a paper."""

    id: str
    """Its name, such as "xu2021-9-f"."""

    claim: str = ""
    """What the paper says, in short."""

    quote: str = ""
    """The paper's own words."""

    place: str = ""
    """Where they stand."""


@dataclass(frozen=True)
class ClaimPart:
    """A part of a claim that one artefact decides; a claim in one piece is its only part."""

    claim: Claim
    """The whole claim."""

    artefact: str
    """The artefact whose runs decide it."""

    part: str = ""
    """What the part is called; empty for a claim in one piece."""

    holds: tuple[Compare | Trend | Slope | Spread, ...] = ()
    """The predicates, which must all hold."""

    not_testable: str = ""
    """Why it cannot be tested here."""

    reads: str = ""
    """Which number we read where the paper prints a word."""

    since: str = ""
    """What was changed after its runs existed, and why."""

    ours: str = ""
    """What we added to the paper's claim, and why."""

    def __post_init__(self) -> None:
        """Refuse a part with both predicates and a reason against testing it, or with neither."""
        if not self.artefact:
            raise ValueError("a claim must name at least one artefact")
        if bool(self.holds) == bool(self.not_testable):
            raise ValueError("a claim must have exactly one of `holds` and `not_testable`")

    @property
    def id(self) -> str:
        """The id of the claim with the name of the part."""
        return f"{self.claim.id} ({self.part})" if self.part else self.claim.id


CLAIM_KEYS = tuple(field.name for field in fields(Claim))


def read_claims(file: Path) -> list[ClaimPart]:
    """The parts of the claims of a file; none if there is no file.

    Raises:
        DpfairError: names the claim, what is wrong with it, and the nearest key.
    """
    return list(parse_claims(yaml_files.read(file) or [])) if file.exists() else []


def parse_claims(entries: Iterable[Mapping[str, Any]]) -> Iterator[ClaimPart]:
    """The parts of claims as they are written.

    Raises:
        DpfairError: as `read_claims`.
    """
    for entry in entries:
        own = {key: value for key, value in entry.items() if key not in (*CLAIM_KEYS, "parts")}
        for part in entry.get("parts", [own]):
            name = f"{entry.get('id')} ({part['part']})" if "part" in part else entry.get("id")
            try:
                _refuse_own_keys(entry, own)
                claim = from_mapping(Claim, {k: v for k, v in entry.items() if k in CLAIM_KEYS})
                yield from_mapping(ClaimPart, {**part, "claim": claim})
            except ValueError as mistake:
                raise DpfairError(f"claims.yaml, {name}: {mistake}") from mistake


def _refuse_own_keys(entry: Mapping[str, Any], own: Mapping[str, Any]) -> None:
    """Refuse keys of a part that stand next to `parts`."""
    if "parts" in entry and own:
        raise ValueError(
            f"{next(iter(own))!r} must be written in one of the parts, not next to `parts`"
        )
