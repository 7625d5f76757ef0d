"""Writes the result of an audit as text: claim, findings, and what was not checked."""

from __future__ import annotations

import textwrap
from dataclasses import asdict
from itertools import chain
from typing import Any, Protocol

from dpfair_cli.auditing.audit import Finding
from dpfair_cli.auditing.lower_bounds import LowerBound
from dpfair_cli.auditing.one_run import OneRun

NOT_CHECKED = (
    "neighbours that were not tried; data of other sizes",
    "time and memory of a fit, and files that the fit writes",
    "facts that the method declares public: levels, ranges, for some the number of records",
    "arithmetic: last bits of floating-point noise can reveal values (see docs/privacy.md)",
    "the model file of `dpfair train --save`: the tests of dpfair compare its bytes",
)
HOLDS = "not refuted: nothing that was tried contradicts the claim"
UNDECLARED = "nothing: no sensitivity is declared"
HEADING = 12  # width of the names of the lines


class FindingOfAddon(Protocol):
    """The result of an audit that an add-on makes."""

    @property
    def holds(self) -> bool:
        """Whether nothing contradicts the claim."""

    def lines(self) -> list[tuple[str, str]]:
        """The lines about the result, as (name, text)."""

    def plain(self) -> dict[str, Any]:
        """The result as mappings and lists."""


Result = Finding | OneRun | FindingOfAddon


def lines(found: Result, dataset: str, width: int) -> list[str]:
    """The lines of at most `width` characters about the result of an audit on a data set."""
    named = [("data", dataset), *_fields(found)]
    return list(chain.from_iterable(_wrapped(name, text, width) for name, text in named))


def plain(found: Result, dataset: str) -> dict[str, Any]:
    """The result of an audit and what was not checked, as mappings and lists."""
    if not isinstance(found, Finding | OneRun):
        return {"data": dataset, **found.plain()}
    fields = {"data": dataset, **asdict(found)}
    if isinstance(found, Finding):
        fields |= {"problems": found.problems, "unchecked": NOT_CHECKED}
    return fields | {"holds": found.holds}


def _fields(found: Result) -> list[tuple[str, str]]:
    """The lines about the result of an audit, as (name, text)."""
    if isinstance(found, OneRun):
        return _of_one_run(found)
    return _of_replays(found) if isinstance(found, Finding) else found.lines()


def _of_replays(found: Finding) -> list[tuple[str, str]]:
    declared = f"epsilon {found.accounted:.4g} (declared sensitivities, composed)"
    unknown = [f"the law of the noise of {name}" for name in found.unknown]
    rows = [
        ("claimed", _claimed(found.claimed, found.delta)),
        ("accounted", declared if found.accounted else UNDECLARED),
        ("found", f"epsilon {found.found:.4g} on {found.pairs} pairs of neighbours"),
    ]
    if found.shown:
        rows.append(("shown", _shown(found.shown)))
    return [
        *rows,
        ("queries", _moves(found)),
        ("otherwise", "; ".join(found.leaks) or "nothing but the releases depends on the data"),
        ("noise", "; ".join(found.noise) or "of its stated law and scale, drawn afresh"),
        ("unchecked", "; ".join([*unknown, *NOT_CHECKED])),
        ("verdict", HOLDS if found.holds else "refuted: " + "; ".join(found.problems)),
    ]


def _moves(found: Finding) -> str:
    """The largest changes of queries, and how far they could change at most."""
    text = f"change by at most {found.largest_move:.3f} times the declared sensitivity"
    if len(found.moves) > 1:
        each = "; ".join(f"{name} {move:.3f}" for name, move in sorted(found.moves.items()))
        text += f" ({each})"
    bound = found.attainable
    if bound.reason:
        text += f". No neighbours reach more than {bound.share:.3f}: {bound.reason}"
    return text


def _of_one_run(found: OneRun) -> list[tuple[str, str]]:
    shown = (
        f"epsilon {found.shown.epsilon:.4g} at least, with 95 % confidence (one training, "
        f"{found.guesses} of {found.shown.trials} canaries guessed)"
    )
    epochs = f"{found.epochs} of {found.planned_epochs} epochs"
    return [
        ("claimed", _claimed(found.claimed, found.delta)),
        *([("training", epochs)] if found.epochs else []),
        ("shown", shown),
        ("by scores", f"epsilon {found.by_scores.epsilon:.4g} at least, with 95 % confidence"),
        ("unchecked", "everything else: these bounds are often far below the privacy loss"),
        ("verdict", HOLDS if found.holds else "refuted: a bound exceeds the claim"),
    ]


def _claimed(epsilon: float, delta: float) -> str:
    return f"epsilon {epsilon:g}" + (f", delta {delta:.4g}" if delta else "")


def _wrapped(name: str, text: str, width: int) -> list[str]:
    first, *more = textwrap.wrap(text, width - HEADING, break_long_words=False)
    return [f"{name:{HEADING}}{first}", *(f"{'':{HEADING}}{line}" for line in more)]


def _shown(bound: LowerBound) -> str:
    return (
        f"epsilon {bound.epsilon:.4g} at least, with 95 % confidence "
        f"(likelihood ratio, {bound.trials} fits)"
    )
