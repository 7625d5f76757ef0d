"""A claim of a paper: a sentence of it, and predicates over our rows that say the same (see
`predicates.py`).

    - id: xu2021-9-f
      claim: what the paper says, in short
      quote: its own words
      place: where they stand
      parts:
        - {part: epochs, artefact: figure9.6a, holds: [...], reads: which number we read where it
        prints a word}
        - {part: noise, artefact: figure9.6b, holds: [...], since: what was changed after its rows
        existed, and why}
        - {part: order, artefact: figure9.6a, holds: [...], ours: what we added, and why}
        - {part: seconds, artefact: section4.6.1, not_testable: why}

A claim in one piece has the keys of its part beside its id. `where` leaves the runs with the values
that it names; a predicate must hold at `every` point that is left (the default), at `most` (more
than half) or at `some`: `over` says.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import pandas as pd

from dpfair_cli.contracts.errors import DpfairError, nearest
from dpfair_cli.contracts.specs import Spec
from dpfair_cli.verdicts.means import as_list, has_values, repeat_along_axes
from dpfair_cli.verdicts.point_results import NotTested, Verdict
from dpfair_cli.verdicts.predicates import KINDS, Kind, Predicate
from dpfair_cli.verdicts.wording import describe_parameters, describe_standins, label

Claim = Mapping[str, Any]
DIGITS = 12  # of a slack; the others are rounding
WORDS = ("id", "claim", "quote", "place")  # of a claim; all else is of a part
PART_KEYS = {"part", "artefact", "holds", "reads", "since", "ours", "not_testable"}
COLUMNS = [
    "id",
    "statement",
    "claim",
    "quote",
    "place",
    "ours",
    "reads",
    "since",
    "datasets",
    "verdict",
    "reason",
    "kind",
    "cause",
]
NOT_TESTABLE, NOT_TESTED = "not testable here", "not tested"
COMMON_KEYS = {"metric", "where", "over", "margin", "across", "times"}
SEVERITY = [*Verdict]  # the worst first


def parts(claims: Iterable[Claim]) -> Iterator[Claim]:
    """Each part of each claim as one mapping, with `statement`, the id of its claim, and an id of
    its own.

    Raises:
        DpfairError: a key that neither a claim nor a part has, a part that has predicates and is
            not testable, or one that names no artefact.
    """
    for claim in claims:
        own = {key: value for key, value in claim.items() if key not in (*WORDS, "parts")}
        for part in claim.get("parts", [own]):
            name = f"{claim['id']} ({part['part']})" if "part" in part else claim["id"]
            unknown = sorted(set(part) - PART_KEYS)
            if unknown or ("holds" in part) == ("not_testable" in part):
                why = (
                    f"{unknown[0]!r}: {nearest(unknown[0], PART_KEYS)}"
                    if unknown
                    else "holds or not_testable: one"
                )
                raise DpfairError(f"claims.yaml, {name}: {why}")
            if not part.get("artefact"):
                raise DpfairError(f"claims.yaml, {name}: no artefact")
            words = {key: claim.get(key, "") for key in WORDS}
            yield {
                **words,
                "ours": "",
                "reads": "",
                "since": "",
                **part,
                "id": name,
                "statement": claim["id"],
            }


def decide_claims(
    claims: Sequence[Claim], rows: pd.DataFrame, spec: Spec, standins: Mapping[str, str]
) -> pd.DataFrame:
    """One line for each part of a claim: the COLUMNS, of which `kind` and `cause` are empty here.

    The verdict is holds, fails, undecided, not testable here, or not tested (no rows); the reason
    has its numbers. `datasets` are those that it is about, (names).
    """
    if not claims:
        return pd.DataFrame(columns=COLUMNS, dtype=object)
    runs = repeat_along_axes(_columns_of(claims, rows, spec), spec)
    lines = []
    for claim in claims:
        datasets = _datasets_of(claim, runs, spec)
        verdict, reason = _decide_claim(claim, runs, spec, standins)
        used = describe_standins(
            {name: word for name, word in standins.items() if name in datasets}
        )
        words = reason if verdict in (NOT_TESTABLE, NOT_TESTED) else "; ".join([reason, *used])
        lines.append(
            {
                **claim,
                "datasets": datasets,
                "verdict": verdict,
                "reason": words,
                "kind": "",
                "cause": "",
            }
        )
    return pd.DataFrame(lines, columns=COLUMNS, dtype=object)


def check_names(claims: Iterable[Claim], spec: Spec) -> None:
    """Refuse a method, a data set or a score that is none of the artefact's: such a claim would
    never be tested.

    Raises:
        DpfairError: names the claim, the word, and the nearest that there is; or a predicate is
            none.
    """
    known = {
        "method": set(spec.methods_by_label),
        "data set": {part.name for part in spec.datasets},
        "score": set(spec.task.score_ranges),
    }
    for claim in claims:
        try:
            named = [name for predicate in claim.get("holds", []) for name in _names(predicate)]
        except DpfairError as mistake:
            raise DpfairError(f"claims.yaml, {claim['id']}: {mistake}") from mistake
        for noun, word in named:
            if word not in known[noun]:
                why = f"no {noun} {word!r} in {spec.name}: {nearest(word, known[noun])}"
                raise DpfairError(f"claims.yaml, {claim['id']}: {why}")


def _names(predicate: Predicate) -> Iterator[tuple[str, str]]:
    """The methods, the data sets and the score that a predicate names, each with what it is.

    Raises:
        DpfairError: it is no predicate.
    """
    kind_of(predicate)
    methods = [predicate.get("compare", [])[::2], predicate.get("spread", [])]
    methods += [as_list(predicate.get(kind, {}).get("of", [])) for kind in ("trend", "slope")]
    datasets = [
        as_list(predicate.get("where", {}).get("dataset", [])),
        as_list(predicate.get("across", [])),
    ]
    named = {
        "method": methods,
        "data set": datasets,
        "score": [as_list(predicate.get("metric", []))],
    }
    yield from ((noun, word) for noun, lists in named.items() for words in lists for word in words
                if isinstance(word, str))  # fmt: skip


def kind_of(predicate: Predicate) -> Kind:
    """The kind of a predicate.

    Raises:
        DpfairError: the predicate has no kind or several, lacks its metric, or has an unknown key
            or word.
    """
    if not isinstance(predicate, Mapping):
        raise DpfairError(f"not a predicate: {predicate!r}")
    names = [name for name in KINDS if name in predicate]
    unknown = sorted(set(predicate) - COMMON_KEYS - set(names))
    if unknown:
        raise DpfairError(
            f"no key {unknown[0]!r} here: {nearest(str(unknown[0]), {*COMMON_KEYS, *KINDS})}"
        )
    if len(names) != 1 or "metric" not in predicate:
        raise DpfairError(
            f"a predicate has a metric and one of {', '.join(KINDS)}: {dict(predicate)}"
        )
    kind, over = KINDS[names[0]], predicate.get("over", "every")
    mistake = kind.mistake(predicate[names[0]])
    if mistake:
        raise DpfairError(f"{names[0]}: {mistake}")
    if not isinstance(predicate.get("where", {}), Mapping):
        raise DpfairError(f"where is a mapping of names to values, got {predicate['where']!r}")
    if over not in QUANTIFIERS:
        raise DpfairError(f"over: no {over!r} here: there are {', '.join(QUANTIFIERS)}")
    return kind


def worst(verdicts: Iterable[str]) -> str:
    """What a whole says of which all parts must hold: the worst of the parts that were decided or
    undecided.

    A whole of which a part cannot be tested does not hold by the others. Changed after rows
    existed: it did, and so did jagielski2019-t4.4.
    """
    found = set(verdicts)
    order = [Verdict.FAILS, Verdict.UNDECIDED, NOT_TESTABLE, Verdict.HOLDS, NOT_TESTED]
    return next(verdict for verdict in order if verdict in found)


def _columns_of(claims: Sequence[Claim], rows: pd.DataFrame, spec: Spec) -> pd.DataFrame:
    """The columns of the rows that claims are about; names as plain objects, of which few are
    quicker to select.
    """
    names = ["dataset", "method", "seed", *spec.layout.axes]
    for predicate in (predicate for claim in claims for predicate in claim.get("holds", [])):
        asked = [
            predicate[name] for name in ("trend", "slope") if isinstance(predicate.get(name), dict)
        ]
        names += [
            predicate.get("metric", ""),
            *predicate.get("where", {}),
            *(one.get("along", "") for one in asked),
        ]
    known = [name for name in dict.fromkeys(names) if name in rows]
    return rows[known].astype({"dataset": object, "method": object})


def _decide_claim(
    claim: Claim, runs: pd.DataFrame, spec: Spec, standins: Mapping[str, str]
) -> tuple[str, str]:
    """Verdict and reason of one part of a claim."""
    if "not_testable" in claim:
        return NOT_TESTABLE, str(claim["not_testable"])
    try:
        decided = [
            _decide_predicate(predicate, runs, spec, standins) for predicate in claim["holds"]
        ]
    except NotTested as reason:
        return NOT_TESTED, str(reason)
    except (KeyError, TypeError, ValueError, DpfairError) as mistake:
        raise DpfairError(f"claims.yaml, {claim['id']}: {mistake}") from mistake
    return worst(verdict for verdict, _ in decided), "; ".join(reason for _, reason in decided)


def _datasets_of(claim: Claim, runs: pd.DataFrame, spec: Spec) -> tuple[str, ...]:
    """The data sets that the predicates of a claim name, or all that were run where one of them
    names none.
    """
    every = [
        part.name
        for part in spec.datasets
        if (runs["dataset"] == part.name).any() or "holds" not in claim
    ]
    named = [
        as_list(predicate.get("where", {}).get("dataset", every))
        for predicate in claim.get("holds", [{}])
    ]
    return tuple(name for name in dict.fromkeys(every) if any(name in names for names in named))


def _decide_predicate(
    predicate: Predicate, runs: pd.DataFrame, spec: Spec, standins: Mapping[str, str]
) -> tuple[Verdict, str]:
    """What a predicate says over its points, and the reason: their number and the one decided most
    narrowly.
    """
    decide = kind_of(predicate).decide
    results = decide(predicate, _select_runs(predicate, runs, spec, standins), spec.layout.axes)
    if not results:
        raise NotTested("no point has all its methods")
    if spec.task.study.exact:
        results = [replace(result, error=0.0) for result in results]
    verdicts = [result.verdict(len(results)) for result in results]
    counts = {verdict: verdicts.count(verdict) for verdict in Verdict}
    pairs = zip(verdicts, results, strict=True)
    _, tightest = min(
        pairs, key=lambda pair: (SEVERITY.index(pair[0]), round(pair[1].slack, DIGITS))
    )
    told = f"{counts[Verdict.HOLDS]} of {len(results)}" + (
        f" ({counts[Verdict.UNDECIDED]} undecided)" if counts[Verdict.UNDECIDED] else ""
    )
    whole = QUANTIFIERS[predicate.get("over", "every")](counts, len(results))
    return whole, f"{label(predicate['metric'], spec)}: {told}, tightest {tightest}"


def _every(counts: Mapping[Verdict, int], points: int) -> Verdict:
    """What all points say together."""
    return next(verdict for verdict in Verdict if counts[verdict])


def _more_than(least: Callable[[int], float]) -> Callable[[Mapping[Verdict, int], int], Verdict]:
    """What points say of which more than `least` of their number must hold."""

    def decide(counts: Mapping[Verdict, int], points: int) -> Verdict:
        if counts[Verdict.HOLDS] > least(points):
            return Verdict.HOLDS
        possible = counts[Verdict.HOLDS] + counts[Verdict.UNDECIDED]
        return Verdict.UNDECIDED if possible > least(points) else Verdict.FAILS

    return decide


QUANTIFIERS: dict[str, Callable[[Mapping[Verdict, int], int], Verdict]] = {
    "every": _every,
    "most": _more_than(lambda points: points / 2),
    "some": _more_than(lambda points: 0),
}


def _select_runs(
    predicate: Predicate, runs: pd.DataFrame, spec: Spec, standins: Mapping[str, str]
) -> pd.DataFrame:
    """The runs that `where` leaves, and those of `across`.

    Raises:
        NotTested: `where` names a replica or something that was not run, or no run has the score.
    """
    where = predicate.get("where", {})
    datasets = as_list(where.get("dataset", [part.name for part in spec.datasets]))
    replicas = [name for name in datasets if standins.get(name) == "REPLICA"]
    if replicas:
        raise NotTested(f"REPLICA rows of {', '.join(replicas)}")
    named = [
        (axis, value)
        for axis in spec.layout.axes
        if axis in where
        for value in as_list(where[axis])
    ]
    named += [("dataset", name) for name in datasets]
    absent = [
        describe_parameters({key: value})
        for key, value in named
        if not has_values(runs, {key: value}).any()
    ]
    absent += [] if predicate["metric"] in runs else [label(predicate["metric"], spec)]
    if absent:
        raise NotTested(f"no rows of {', '.join(absent)}")
    return runs[
        has_values(runs, {**where, "dataset": datasets + as_list(predicate.get("across", []))})
    ]
