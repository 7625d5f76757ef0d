"""deviations.yaml of experiments/<paper>: what is known to differ from the paper, and why.

    - {artefact: table8.2, method: PFLR, kind: variant, variant: one draw a monomial, cause: ...}
    - {id: us-data, artefact: table1, dataset: us, kind: data, cause: ...}
    - {claim: xu2021-8-a, kind: impossible, proof: "README.md#noise-scales", cause: ...}
    - {artefact: table9.2, method: DPSGD-F, kind: hypothesis, cause: ..., measured: ...}
    - {artefact: table9.3, method: DPSGD, kind: open, cause: ...}
    - {artefact: table9.2, dataset: [mnist], not_run: why not, kind: open, cause: ...}

A deviation covers the published cells that have all the values it names (of a list: one of them),
or one claim. Of two that cover a cell the later one holds. `DeviationKind` says what each kind must
show; `evidence.py` checks it. With `not_run` a deviation covers cells without runs, and the data
sets that it names need not have any.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

from dpfair_cli.contracts import yaml_files
from dpfair_cli.contracts.conversion import ONE_OR_MORE, from_mapping
from dpfair_cli.contracts.errors import DpfairError, nearest
from dpfair_cli.verdicts.means import as_list

MEASURED = re.compile(r"\d\.\d\d")  # a number that somebody measured, in prose
Names = Annotated[tuple[str, ...], ONE_OR_MORE]


class DeviationKind(StrEnum):
    """What is known of a difference, and so what a deviation of that kind must show."""

    VARIANT = "variant"
    """One variant of a method, under which more of its cells pass than under the default one."""

    DATA = "data"
    """The data sets are stand-ins, or what they are made from is not published."""

    IMPOSSIBLE = "impossible"
    """A linked proof or computation that the stated method cannot give the published value."""

    HYPOTHESIS = "hypothesis"
    """An idea, tested in part or not at all; it does not explain."""

    OPEN = "open"
    """The cause is not known."""

    @property
    def explains(self) -> bool:
        """Whether a difference of this kind counts as explained."""
        return self not in (DeviationKind.HYPOTHESIS, DeviationKind.OPEN)

    @property
    def evidence(self) -> str:
        """The key that this kind needs and no other may have; empty for none."""
        return EVIDENCE.get(self, "")


EVIDENCE = {
    DeviationKind.VARIANT: "variant",
    DeviationKind.IMPOSSIBLE: "proof",
    DeviationKind.HYPOTHESIS: "measured",
}


@dataclass(frozen=True, eq=False)
class Deviation:
    """The explanation of cells that differ, or of a claim that fails."""

    kind: DeviationKind
    """What is known of the difference."""

    cause: str
    """Why ours differs."""

    id: str = ""
    """Its name within the paper."""

    artefact: Names = ()
    """The artefacts of its cells."""

    claim: str = ""
    """The id of the claim that it covers; empty where it covers cells."""

    covers: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)
    """The values that its cells have, such as {"method": ("PFLR",)}; all cells if empty."""

    variant: str = ""
    """The variant of the method that explains its cells."""

    proof: str = ""
    """A link to the proof, "FILE#heading"."""

    measured: Any = ()
    """A list of references to what runs say of a hypothesis, as `references.py` reads them."""

    not_run: str = ""
    """Why its cells have no runs."""

    findings: str = field(default="", kw_only=True)
    """The numbers that `measured` refers to, in words; filled in from the journals."""

    def __post_init__(self) -> None:
        """Refuse a deviation that lacks what its kind needs, or has what only another kind may."""
        mistake = next(_mistakes(self), "")
        if mistake:
            raise ValueError(mistake)

    def __str__(self) -> str:
        """What it covers and its kind, such as "artefact table8.2, method PFLR, kind open"."""
        words = {"artefact": self.artefact, "claim": self.claim, **self.covers}
        words |= {"kind": self.kind, "variant": self.variant, "not_run": self.not_run}
        return ", ".join(
            f"{key} {', '.join(map(str, as_list(value)))}" for key, value in words.items() if value
        )

    @property
    def scope(self) -> str:
        """What it covers within its artefacts, such as "method PFLR; epsilon 0.1"."""
        named = {"claim": self.claim} if self.claim else self.covers
        words = (f"{key} {', '.join(map(str, as_list(value)))}" for key, value in named.items())
        return "; ".join(words) or "all cells"

    @property
    def evidence(self) -> str:
        """What it shows besides its cause: a variant, a proof, or why there are no runs."""
        return "; ".join(filter(None, (self.variant, self.proof, self.not_run)))


KEYS = {field.name for field in fields(Deviation)} - {"covers", "findings"}


def _mistakes(deviation: Deviation) -> Iterator[str]:
    """What is wrong with the form of a deviation, the first thing first."""
    kind = deviation.kind
    if not deviation.cause:
        yield "no cause"
    if not deviation.claim and not all(deviation.artefact or [""]):
        yield "no artefact"
    if kind.evidence and not getattr(deviation, kind.evidence):
        yield f"the kind {kind} needs `{kind.evidence}`"
    others = sorted({*EVIDENCE.values()} - {kind.evidence})
    yield from (f"the kind {kind} has no `{key}`" for key in others if getattr(deviation, key))
    if kind is DeviationKind.VARIANT and not deviation.claim:
        yield from _mistakes_of_variant(deviation)
    if kind.explains and MEASURED.search(deviation.cause):
        yield "numbers of runs belong to `measured` of a hypothesis"


def _mistakes_of_variant(deviation: Deviation) -> Iterator[str]:
    """Why cells cannot be those of a variant: it is for all cells of a method."""
    if not deviation.covers.get("method"):
        yield "the kind variant needs `method`"
    for key in sorted(deviation.covers.keys() - {"method"}):
        yield f"a variant is one for all cells of a method: no `{key}`"


def read_deviations(file: Path) -> list[Deviation]:
    """The deviations of a file; none if there is no file.

    Raises:
        DpfairError: names the entry and what is wrong with it.
    """
    return list(parse_deviations(yaml_files.read(file) or [])) if file.exists() else []


def parse_deviations(entries: Iterable[Mapping[str, Any]]) -> Iterator[Deviation]:
    """Deviations as they are written; one without an id is named after what it covers.

    Raises:
        DpfairError: as `read_deviations`.
    """
    taken: set[str] = set()
    for entry in entries:
        own = {key: value for key, value in entry.items() if key in KEYS}
        covers = {key: tuple(as_list(value)) for key, value in entry.items() if key not in KEYS}
        own["id"] = _free(own.get("id") or _slug(entry), taken)
        taken.add(own["id"])
        try:
            yield from_mapping(Deviation, {**own, "covers": covers})
        except ValueError as mistake:
            words = ", ".join(f"{key} {value}" for key, value in entry.items() if key != "cause")
            raise DpfairError(f"deviations.yaml: {mistake}: {words}") from mistake


def check_columns(deviations: Iterable[Deviation], columns: Collection[str]) -> None:
    """Refuse a deviation that names a column which no published cell of its artefact has.

    Raises:
        DpfairError: names the nearest column or key.
    """
    for deviation in deviations:
        unknown = sorted(deviation.covers.keys() - set(columns))
        if unknown:
            hint = nearest(unknown[0], {*columns, *KEYS})
            raise DpfairError(
                f"deviations.yaml: unknown {unknown[0]!r}, {hint}, in the deviation {deviation}"
            )


def datasets_not_run(artefact: str, deviations: Iterable[Deviation]) -> dict[str, str]:
    """The data sets that an artefact need not have been run on, and why."""
    declared = [one for one in deviations if artefact in one.artefact and one.not_run]
    return {name: one.not_run for one in declared for name in one.covers.get("dataset", ())}


def _slug(entry: Mapping[str, Any]) -> str:
    """The name of an entry by its claim, or by its first artefact and method."""
    words = [entry.get("claim") or as_list(entry.get("artefact", ""))[0]]
    words += as_list(entry.get("method", []))[:1]
    return re.sub(r"[^a-z0-9.]+", "-", "-".join(map(str, words)).lower()).strip("-")


def _free(name: str, taken: Collection[str]) -> str:
    """The name, with a number behind it where it is taken."""
    number = 2
    free = name
    while free in taken:
        free, number = f"{name}-{number}", number + 1
    return free
