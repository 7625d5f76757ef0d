"""Reads deviations.yaml of experiments/<paper>: explanations of differences from the paper.

    - {artefact: table8.2, method: METHOD, kind: variant, variant: NAME OF A VARIANT, cause: ...}
    - {id: us-data, artefact: table1, dataset: us, kind: data, cause: ...}
    - {claim: xu2021-8-a, kind: impossible, proof: "README.md#noise-scales", cause: ...}
    - {artefact: table8.1, kind: hypothesis, cause: ..., measured: ..., unsettled: ...}
    - {artefact: table9.3, method: DPSGD, kind: open, cause: ..., needed: ...}
    - {artefact: table9.2, dataset: [mnist], not_run: the reason, kind: open, cause: ...}
    - {artefact: table6.1, method: FairGAN, kind: protocol, printed: ..., needed: ..., cause: ...}

A deviation covers one claim, or the published cells that have all its values (a list stands for any
of its values). If two deviations cover a cell, the later one applies. `DeviationKind` describes the
evidence that each kind requires, and `coverage.py` checks the evidence. A deviation that covers
several methods or scores says in `same_cause` why the cause is the same for all. A deviation with
`not_run` covers cells without runs, and runs on its data sets are not required. The file
covered.json has our mean of each covered cell:

    {"ID OF THE DEVIATION": {"ARTEFACT: CELL": MEAN}}

A deviation explains the difference that its author saw, and not another one. If our mean moves by
more than the margin of equivalence, then the deviation no longer covers the cell, and `dpfair
check` fails. `dpfair check PAPER --record` writes the present values.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from enum import StrEnum
from itertools import chain, count
from pathlib import Path
from typing import Annotated, Any

from dpfair_cli.contracts.conversion import ONE_OR_MORE, from_mapping
from dpfair_cli.contracts.errors import DpfairError, nearest
from dpfair_cli.contracts.files import read_yaml, write_text
from dpfair_cli.verdicts.means import as_list

MEASURED = re.compile(r"\d\.\d\d")  # a measured number in prose
Names = Annotated[tuple[str, ...], ONE_OR_MORE]
RECORDED = "covered.json"
Recorded = Mapping[str, Mapping[str, float]]  # what the file holds


class DeviationKind(StrEnum):
    """The kind of a deviation; each kind requires other evidence.

    Attributes:
        VARIANT: One variant of a method under which more cells of the method pass than by default.
        DATA: The data sets are substitutes, or the paper does not publish how the data were made.
        IMPOSSIBLE: A linked proof or computation shows that the stated method cannot give the
            value.
        HYPOTHESIS: An idea that the measured runs support and that no run can settle.
        OPEN: The cause is not known. The entry may refer to measured runs, and say which experiment
            would settle the cause.
        PROTOCOL: Our runs do not follow the paper's protocol, or it is not published. No verdict on
            the covered cells, and on claims about their methods, follows from such runs.
    """

    VARIANT = "variant"
    DATA = "data"
    IMPOSSIBLE = "impossible"
    HYPOTHESIS = "hypothesis"
    OPEN = "open"
    PROTOCOL = "protocol"

    @property
    def explains(self) -> bool:
        """Whether a deviation of this kind counts as an explanation of a cell that differs."""
        return self in (DeviationKind.VARIANT, DeviationKind.DATA, DeviationKind.IMPOSSIBLE)


REQUIRED_KEYS = {
    DeviationKind.VARIANT: ("variant",),
    DeviationKind.IMPOSSIBLE: ("proof",),
    DeviationKind.HYPOTHESIS: ("measured", "unsettled"),
    DeviationKind.PROTOCOL: ("printed", "needed"),
}
OPTIONAL_KEYS = {
    DeviationKind.OPEN: ("measured", "needed"),
    DeviationKind.PROTOCOL: ("measured",),
}
EVIDENCE_KEYS = set(chain.from_iterable(REQUIRED_KEYS.values()))


@dataclass(frozen=True, eq=False)
class Deviation:
    """The explanation of cells that differ, or of a claim that fails.

    Attributes:
        kind: The kind of the explanation.
        cause: The reason why our value differs.
        id: The name of the deviation within the paper.
        artefact: The artefacts with the covered cells.
        claim: The id of the covered claim; empty if the deviation covers cells.
        covers: The values that covered cells have, such as {"method": ("PFLR",)}; empty for all
            cells.
        variant: The variant of the method that explains the covered cells.
        proof: A link to the proof, "FILE#heading".
        measured: References to numbers of runs that bear on the cause (see `references.py`).
        unsettled: The reason why no run can confirm or refute a hypothesis.
        printed: What the paper prints about its protocol, in its words, or that it prints nothing.
        needed: What would be needed for runs by the paper's protocol, or the experiment that would
            settle an open cause, with its cost.
        not_run: The reason why the covered cells have no runs.
        not_stated: Whether the paper does not state what would have to be run.
        same_cause: Why the cause is the same for all covered methods and scores, if there are
            several.
        findings: The numbers that `measured` refers to, in words, filled in from the journals.
        seen: Our mean of each cell when the deviation was recorded, by artefact and cell. None if
            no value of the paper was recorded; the deviation then covers any value.
    """

    kind: DeviationKind
    cause: str
    id: str = ""
    artefact: Names = ()
    claim: str = ""
    covers: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)
    variant: str = ""
    proof: str = ""
    measured: Any = ()
    unsettled: str = ""
    printed: str = ""
    needed: str = ""
    not_run: str = ""
    not_stated: bool = False
    same_cause: str = ""
    findings: str = field(default="", kw_only=True)
    seen: Mapping[str, float] | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        """Raises an error if the deviation lacks the key of its kind, or has another kind's key."""
        mistake = next(_mistakes(self), "")
        if mistake:
            raise ValueError(mistake)

    def __str__(self) -> str:
        """The covered cells and the kind, such as "artefact table8.2, method PFLR, kind open"."""
        words = {"artefact": self.artefact, "claim": self.claim, **self.covers}
        words |= {"kind": self.kind, "variant": self.variant, "not_run": self.not_run}
        return ", ".join(_in_words(words))

    @property
    def scope(self) -> str:
        """The cells that the deviation covers, such as "method PFLR; epsilon 0.1"."""
        named = {"claim": self.claim} if self.claim else self.covers
        return "; ".join(_in_words(named)) or "all cells"

    @property
    def evidence(self) -> str:
        """The evidence in words: variant, proof, protocol, what would settle an open cause.

        Also the reason for missing runs. The text is empty for a hypothesis.
        """
        printed = self.printed and f"printed: {self.printed}"
        needed = self.needed and f"needed: {self.needed}"
        words = (self.variant, self.proof, printed, needed, self.not_run)
        return "; ".join(filter(None, words))


class Explained:
    """What has a verdict, and perhaps a deviation that explains the verdict."""

    verdict: Any
    deviation: Deviation | None
    hint: str = ""  # what is told in place of a cause

    @property
    def kind(self) -> str:
        """The kind of the deviation; empty without one, and if the verdict says the same."""
        if not self.deviation or self.deviation.kind is DeviationKind.PROTOCOL:
            return ""
        return self.deviation.kind

    @property
    def cause(self) -> str:
        """The cause from the deviation; without a deviation, the hint."""
        return self.deviation.cause if self.deviation else self.hint

    @property
    def full_verdict(self) -> str:
        """The verdict with the kind of the deviation, such as "differs (variant)"."""
        return f"{self.verdict} ({self.kind})" if self.kind else str(self.verdict)


def _in_words(named: Mapping[str, Any]) -> list[str]:
    """Each key that has a value, followed by the value or by all values of a list."""
    return [f"{key} {', '.join(map(str, as_list(value)))}" for key, value in named.items() if value]


KEYS = {field.name for field in fields(Deviation)} - {"covers", "findings", "seen"}


def _mistakes(deviation: Deviation) -> Iterator[str]:
    """Yields the mistakes in an entry of deviations.yaml: missing keys, and keys of other kinds."""
    kind = deviation.kind
    if not deviation.cause:
        yield "the key `cause` is missing"
    if not deviation.claim and not all(deviation.artefact or [""]):
        yield "the key `artefact` is missing"
    required = REQUIRED_KEYS.get(kind, ())
    for key in required:
        if not getattr(deviation, key):
            yield f"the kind {kind} needs the key `{key}`"
    foreign = EVIDENCE_KEYS - {*required, *OPTIONAL_KEYS.get(kind, ())}
    for key in sorted(foreign):
        if getattr(deviation, key):
            yield f"the kind {kind} cannot have the key `{key}`"
    yield from _mistakes_of_variant(deviation)
    if kind.explains and MEASURED.search(deviation.cause):
        yield "`cause` contains numbers of runs: delete them, or use the kind hypothesis"


def _mistakes_of_variant(deviation: Deviation) -> Iterator[str]:
    """Yields the mistakes in a deviation of the kind variant, which covers whole methods."""
    if deviation.kind is not DeviationKind.VARIANT or deviation.claim:
        return
    if not deviation.covers.get("method"):
        yield "the kind variant needs the key `method`"
    for key in sorted(deviation.covers.keys() - {"method"}):
        yield f"a deviation of the kind variant covers all cells of a method: delete `{key}`"


def read_deviations(file: Path) -> list[Deviation]:
    """The deviations in a file deviations.yaml; an empty list if there is no file.

    Raises:
        DpfairError: an entry is not a deviation; the message names the entry and the mistake.
    """
    return list(parse_deviations(read_yaml(file) or [])) if file.exists() else []


def parse_deviations(entries: Iterable[Mapping[str, Any]]) -> Iterator[Deviation]:
    """Yields the deviations in entries of deviations.yaml.

    An entry without an id gets one from its claim or artefact.

    Raises:
        DpfairError: as `read_deviations`.
    """
    taken: set[str] = set()
    for entry in entries:
        own = {key: value for key, value in entry.items() if key in KEYS}
        covers = {key: tuple(as_list(value)) for key, value in entry.items() if key not in KEYS}
        name = own.get("id") or _slug(entry)
        numbered = chain([name], (f"{name}-{number}" for number in count(2)))
        own["id"] = next(free for free in numbered if free not in taken)
        taken.add(own["id"])
        try:
            yield from_mapping(Deviation, {**own, "covers": covers})
        except ValueError as mistake:
            words = ", ".join(f"{key} {value}" for key, value in entry.items() if key != "cause")
            raise DpfairError(f"deviations.yaml: {mistake}: {words}") from mistake


def check_columns(deviations: Iterable[Deviation], columns: Collection[str]) -> None:
    """Raises an error for a deviation with a key that is no column of published.csv (`columns`).

    Raises:
        DpfairError: a key is unknown; the message names the nearest column or key.
    """
    for deviation in deviations:
        unknown = sorted(deviation.covers.keys() - set(columns))
        if unknown:
            hint = nearest(unknown[0], {*columns, *KEYS})
            raise DpfairError(
                f"deviations.yaml: unknown key {unknown[0]!r} in the deviation {deviation}: {hint}"
            )


def datasets_not_run(artefact: str, deviations: Iterable[Deviation]) -> dict[str, str]:
    """The data sets on which runs of an artefact are not required, each with the reason."""
    found: dict[str, str] = {}
    for one in deviations:
        if artefact in one.artefact and one.not_run:
            found |= dict.fromkeys(one.covers.get("dataset", ()), one.not_run)
    return found


def _slug(entry: Mapping[str, Any]) -> str:
    """An id for an entry of deviations.yaml, from its claim, or its first artefact and method."""
    words = [entry.get("claim") or as_list(entry.get("artefact", ""))[0]]
    words += as_list(entry.get("method", []))[:1]
    return re.sub(r"[^a-z0-9.]+", "-", "-".join(map(str, words)).lower()).strip("-")


def read_recorded(folder: Path) -> Recorded | None:
    """The recorded means in experiments/<paper>; None without a file covered.json."""
    file = folder / RECORDED
    if not file.is_file():
        return None
    content: Recorded = json.loads(file.read_text(encoding="utf-8"))
    return content


def with_recorded(deviations: Iterable[Deviation], recorded: Recorded | None) -> list[Deviation]:
    """The deviations, each with the means that were recorded for its cells."""
    if recorded is None:
        return list(deviations)
    return [replace(one, seen=recorded.get(one.id, {})) for one in deviations]


def write_recorded(recorded: Recorded, folder: Path) -> Path:
    """Writes covered.json into experiments/<paper>; returns the path."""
    text = json.dumps(recorded, indent=1, sort_keys=True, ensure_ascii=False)
    write_text(folder / RECORDED, f"{text}\n")
    return folder / RECORDED
