"""The table of rates by group that `train`, `predict --truth` and `gaps` print, and as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from math import isnan
from typing import Any

import click

from dpfair_cli.commands import terminal
from dpfair_cli.contracts import arrays
from dpfair_cli.metrics import group_rates
from dpfair_cli.reporting import text_writer

EXACT = "exact counts of these records: not private, do not publish them"
HEADINGS = ("group", "rate", "records", "value", "95 % interval", "verdict")
GAP = "gap"  # the name in the column of groups


def show(counts: arrays.Floats, groups: Sequence[str], *, as_json: bool) -> None:
    """Prints the rates of each group and the gaps, and that they are exact."""
    if as_json:
        terminal.echo_json({"scores are": EXACT, "rates": rates_as_json(counts, groups)})
        return
    click.echo(f"{counts.sum():,.0f} records; {EXACT}\n")
    for line in lines(counts, groups):
        click.echo(line)


def rates_as_json(counts: arrays.Floats, groups: Sequence[str]) -> dict[str, Any]:
    """The rates of each group and the gaps, from counts (groups, 2, 2), for programs."""
    found = {}
    gaps = group_rates.gaps(counts)
    for name, rates in group_rates.rates(counts).items():
        gap = gaps[name]
        by_group = [
            {"group": group} | vars(rate) for group, rate in zip(groups, rates, strict=True)
        ]
        found[name] = {"groups": by_group, "gap": vars(gap) | {"verdict": gap.verdict}}
    return found


def lines(counts: arrays.Floats, groups: Sequence[str]) -> list[str]:
    """The rates of each group and the gaps with their intervals and verdicts, as lines."""
    gaps, rows, verdicts = group_rates.gaps(counts), [HEADINGS], []
    for name, rates in group_rates.rates(counts).items():
        for group, rate in zip(groups, rates, strict=True):
            rows.append((group, name, f"{rate.records:,g}", *_with_interval(rate), ""))
        gap = gaps[name]
        rows.append((GAP, name, "", *_with_interval(gap), gap.verdict))
        verdicts.append(gap.verdict)
    known = group_rates.VERDICTS.items()
    notes = [f"{verdict}: {words}" for verdict, words in known if verdict in verdicts]
    return [*text_writer.aligned(rows), "", *notes]


def _with_interval(found: group_rates.GroupRate | group_rates.GroupGap) -> tuple[str, str]:
    """A value and its interval as texts; dashes if they cannot be measured."""
    if isnan(found.value):
        return "-", "-"
    return f"{found.value:.4f}", f"{found.low:.4f} to {found.high:.4f}"
