"""Counts of privacy audits by outcome, in the words of the report and of the commands."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

OUTCOMES = ("holds", "refuted", "not run")  # words that begin the verdict of an audit


def count_outcomes(verdicts: Iterable[str]) -> dict[str, int]:
    """The number of audits with each outcome that occurs, by outcome.

    A verdict is "holds", or begins with another outcome and a colon, such as "refuted: ...".
    """
    found = Counter(verdict.split(":")[0] for verdict in verdicts)
    return {outcome: found[outcome] for outcome in OUTCOMES if found[outcome]}


def describe_outcomes(verdicts: Iterable[str]) -> str:
    """The number of audits and its split by outcome, such as "3 audits: 2 holds, 1 refuted"."""
    counts = count_outcomes(verdicts)
    split = ", ".join(f"{count} {outcome}" for outcome, count in counts.items())
    total = sum(counts.values())
    return f"{total} audit{'s' * (total != 1)}: {split or 'none'}"
