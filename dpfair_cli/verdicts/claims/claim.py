"""Reads claims.yaml of experiments/<paper>: sentences of the paper as predicates about our runs.

    - id: xu2021-9-f
      claim: the sentence of the paper, in short
      quote: the words of the paper
      place: the place in the paper
      parts:
        - {part: epochs, artefact: figure9.6a, holds: [...], reads: the number for a vague word}
        - {part: noise, artefact: figure9.6b, holds: [...], since: the change, and the reason}
        - {part: order, artefact: figure9.6a, holds: [...], ours: our addition, and the reason}
        - {part: seconds, artefact: section4.6.1, not_testable: the reason}
        - {part: privacy, artefact: table9.2, theorem: dpsgd_f}
        - {part: trend, artefact: figure9.7, counts: [...], undecided: the reason}

A claim without `parts` has the keys of a part directly. The predicates are in `predicates.py`. A
part with `undecided` gets no verdict from its predicates under `counts`: they are shown as counts,
because they ask something else than the sentence. A sentence of another work than the folder's
names this work with `by`. If a quotation has the word "or", then `or_means` says whether one of the
alternatives suffices (`any`, with the alternatives under `either`) or all are meant (`every`). The
key `theorem` names the evidence for a theorem: a method whose privacy was audited, with a variant
as "method: parameter value", or a computation. All named evidence must support the theorem.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from itertools import chain
from pathlib import Path
from typing import Annotated, Any, Literal

from dpfair_cli.contracts.conversion import ONE_OR_MORE, from_mapping
from dpfair_cli.contracts.errors import DpfairError, nearest
from dpfair_cli.contracts.files import read_yaml
from dpfair_cli.contracts.specs import Spec
from dpfair_cli.verdicts.claims.predicates import Alternatives, Predicate, read_alternatives
from dpfair_cli.verdicts.means import as_list

OR = re.compile(r"\b(or|either)\b")  # in a quotation
THEOREM = re.compile(r"\b(Theorem|Lemma|Corollary)\b")  # in the place of a claim


@dataclass(frozen=True)
class Claim:
    """A sentence of a paper.

    Attributes:
        id: The name of the claim, such as "xu2021-9-f".
        claim: The sentence of the paper, in short.
        quote: The quotation of the paper.
        place: The place of the quotation in the paper.
        by: The key of the work that wrote the sentence; empty for the work of the folder.
        or_means: Whether one of the alternatives of an "or" suffices, or all; empty without the
            word.
        main: The place of the sentence among the main ones of its work, from 1; 0 for any other.
    """

    id: str
    claim: str = ""
    quote: str = ""
    place: str = ""
    by: str = ""
    or_means: Literal["", "any", "every"] = ""
    main: int = 0

    def __post_init__(self) -> None:
        """Raises an error if it is not said what the word "or" of the quotation means."""
        if OR.search(self.quote) and not self.or_means:
            raise ValueError(
                "the quotation has the word 'or': give `or_means`, either `any` (one of the "
                "alternatives suffices) or `every` (the sentence is about all of them)"
            )


@dataclass(frozen=True)
class ClaimPart:
    """A part of a claim that the runs of one artefact, or evidence for a theorem, decide.

    A claim without the key `parts` in claims.yaml has one part.

    Attributes:
        claim: The whole claim.
        artefact: The artefact whose runs decide the part.
        part: The name of the part; empty for a claim without `parts`.
        holds: The predicates; all must hold.
        counts: The predicates that are only counted, because they ask something else than the
            sentence.
        undecided: Why no verdict on the sentence follows from our runs, although some runs bear on
            it.
        theorem: The names of the evidence that decides a theorem; all must support the theorem.
        not_testable: The reason why no run of ours can test the part.
        reads: The number that stands for a vague word of the paper.
        since: The change of the part after its runs existed, and the reason.
        ours: Our addition to the paper's claim, and the reason.
        tested_parts: The number of parts of the claim that are tested, without our additions.
    """

    claim: Claim
    artefact: str
    part: str = ""
    holds: tuple[Alternatives, ...] = ()
    counts: tuple[Alternatives, ...] = ()
    undecided: str = ""
    theorem: Annotated[tuple[str, ...], ONE_OR_MORE] = ()
    not_testable: str = ""
    reads: str = ""
    since: str = ""
    ours: str = ""
    tested_parts: int = 1

    def __post_init__(self) -> None:
        """Raises an error if not exactly one key says how the part is decided."""
        if not self.artefact:
            raise ValueError("a claim must name at least one artefact")
        if sum(map(bool, (self.holds, self.theorem, self.not_testable, self.undecided))) != 1:
            raise ValueError(
                "a claim must have exactly one of `holds`, `theorem`, `not_testable` and "
                "`undecided`"
            )
        if self.counts and not self.undecided:
            raise ValueError("`counts` needs the key `undecided`: the reason why nothing follows")

    @property
    def predicates(self) -> tuple[Predicate, ...]:
        """All predicates of the part, also the alternatives of an "or"."""
        return tuple(chain.from_iterable((*self.holds, *self.counts)))

    @property
    def is_theorem(self) -> bool:
        """Whether a proof or a computation decides the part, or it stands at a theorem."""
        return bool(self.theorem or THEOREM.search(self.claim.place))

    @property
    def id(self) -> str:
        """The id of the claim with the name of the part."""
        return f"{self.claim.id} ({self.part})" if self.part else self.claim.id


CLAIM_KEYS = tuple(field.name for field in fields(Claim))
PREDICATES = ("holds", "counts")  # keys of a part


def read_claims(file: Path) -> list[ClaimPart]:
    """The parts of the claims in a file claims.yaml; an empty list if there is no file.

    Raises:
        DpfairError: an entry is not a claim; the message names the claim, the mistake and, for an
            unknown key, the nearest known key.
    """
    return list(parse_claims(read_yaml(file) or [])) if file.exists() else []


def parse_claims(entries: Iterable[Mapping[str, Any]]) -> Iterator[ClaimPart]:
    """Yields the parts of the claims in the entries of claims.yaml.

    Raises:
        DpfairError: as `read_claims`.
    """
    for entry in entries:
        parts = list(_parts(entry))
        tested = sum(not (part.ours or part.not_testable or part.undecided) for part in parts)
        _refuse_missing_alternatives(parts)
        yield from (replace(part, tested_parts=tested) for part in parts)


def _parts(entry: Mapping[str, Any]) -> Iterator[ClaimPart]:
    """Yields the parts of one claim in claims.yaml.

    Raises:
        DpfairError: as `read_claims`.
    """
    whole = {key: value for key, value in entry.items() if key in CLAIM_KEYS}
    own = {key: entry[key] for key in entry.keys() - {*whole, "parts"}}
    for part in entry.get("parts", [own]):
        name = f"{entry.get('id')} ({part['part']})" if "part" in part else entry.get("id")
        try:
            if "parts" in entry and own:
                first = next(key for key in entry if key in own)
                raise ValueError(
                    f"{first!r} must be written in one of the parts, not next to `parts`"
                )
            predicates = {}
            for key in PREDICATES:
                if key in part:
                    predicates[key] = [read_alternatives(key, one) for one in as_list(part[key])]
            yield from_mapping(
                ClaimPart, {**part, **predicates, "claim": from_mapping(Claim, whole)}
            )
        except ValueError as mistake:
            raise DpfairError(f"claims.yaml, {name}: {mistake}") from mistake


def _refuse_missing_alternatives(parts: Sequence[ClaimPart]) -> None:
    """Raises an error if one alternative of a sentence suffices, and the predicates ask for all.

    Raises:
        DpfairError: as `read_claims`.
    """
    own = [part for part in parts if (part.holds or part.counts) and not part.ours]
    if not own or own[0].claim.or_means != "any":
        return
    given = chain.from_iterable((*part.holds, *part.counts) for part in own)
    if all(len(alternatives) == 1 for alternatives in given):
        raise DpfairError(
            f"claims.yaml, {own[0].claim.id}: one alternative of the quotation suffices "
            "(`or_means: any`), so write the predicates of the alternatives as {either: [...]}"
        )


def check_names(parts: Sequence[ClaimPart], spec: Spec) -> None:
    """Raises an error if a claim names a method, data set or score that the spec lacks.

    Raises:
        DpfairError: a name is unknown; the message names the claim and the nearest known name.
    """
    known = {
        "method": set(spec.methods_by_label),
        "data set": {part.name for part in spec.datasets},
        "score": set(spec.task.score_ranges),
    }
    for part in parts:
        for predicate in part.predicates:
            named = [("method", name) for name in predicate.statement.methods]
            named += [("data set", name) for name in predicate.datasets]
            for noun, word in [*named, ("score", predicate.metric)]:
                if word not in known[noun]:
                    why = f"unknown {noun} {word!r} in {spec.name}"
                    hint = nearest(word, known[noun])
                    raise DpfairError(f"claims.yaml, {part.id}: {why}: {hint}")
