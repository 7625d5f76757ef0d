"""An entry of the referee as mappings and lists, for JSON."""

from __future__ import annotations

from typing import Any

from dpfair_cli.addons.referee import tables, words
from dpfair_cli.addons.referee.judging import JudgedEntry, JudgedSide
from dpfair_cli.addons.referee.numbers import Interval


def content(judged: JudgedEntry) -> dict[str, Any]:
    """An entry with its state, both numbers, the gap and the steps."""
    gap = judged.gap
    return {
        "entry": judged.entry.id,
        "family": judged.entry.family,
        "quantity": str(judged.entry.quantity),
        "state": judged.ruling.state,
        "reason": judged.ruling.reason,
        "sentence": words.sentence(judged),
        "sides": [_side(one) for one in judged.sides],
        "gap": _interval(gap.whole) if gap else None,
        "explained": _interval(gap.explained) if gap and judged.steps else None,
        "rest": _interval(gap.rest) if gap and judged.steps else None,
        "margin": gap.margin if gap else None,
        "share": gap.share if gap and judged.steps else None,
        "differences": tables.difference_lines(judged),
    }


def _side(side: JudgedSide) -> dict[str, Any]:
    return {
        "work": side.work,
        "said": words.said(side),
        "place": side.place,
        "number": side.number.value if side.number else None,
        "our mean": side.ours.mean if side.ours else None,
        "verdict": side.verdict,
        "neighbours": side.method.neighbours if side.method else "",
        "accounted epsilon": side.epsilon,
        "audits": list(side.method.audits) if side.method else [],
    }


def _interval(found: Interval) -> dict[str, float]:
    """A difference; its half width is that of a 95 % interval, and 0 without chance."""
    half_width = found.half_width if found.has_chance or not found.is_known else 0.0
    return {"value": found.value, "half width": half_width, "rounding": found.rounding}
