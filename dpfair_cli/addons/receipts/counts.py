"""Counts the verdicts of a receipt, over distinct published cells and over claims."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from dpfair_cli.addons.receipts.content import Receipt
from dpfair_cli.verdicts.cells.verdict import CellVerdict
from dpfair_cli.verdicts.claims.verdict import ClaimVerdict
from dpfair_cli.verdicts.score.scoreboard import CELL_ORDER, CLAIM_ORDER, Tally


def cells(receipt: Receipt) -> dict[str, int]:
    """The number of distinct published cells with each verdict that occurs, from best to worst."""
    return _in_order(receipt.scoreboard.cells, CELL_ORDER)


def claims(receipt: Receipt) -> dict[str, int]:
    """The number of claims with each verdict that occurs."""
    return _in_order(receipt.scoreboard.claims, CLAIM_ORDER)


def agreeing(receipt: Receipt) -> int:
    """The number of distinct published cells that agree with our means."""
    return sum(
        count for verdict, count in cells(receipt).items() if CellVerdict(_plain(verdict)).agrees
    )


def differing(receipt: Receipt) -> int:
    """The number of distinct published cells that differ from our means."""
    return _with(cells(receipt), CellVerdict.DIFFERS)


def undecided(receipt: Receipt) -> int:
    """The number of distinct published cells that are undecided."""
    return _with(cells(receipt), CellVerdict.UNDECIDED)


def in_words(receipt: Receipt) -> str:
    """The counts in two sentences."""
    found, stated = cells(receipt), claims(receipt)
    holds, fails = (_with(stated, verdict) for verdict in (ClaimVerdict.HOLDS, ClaimVerdict.FAILS))
    return (
        f"Of {sum(found.values())} published numbers, {agreeing(receipt)} agree with our runs, "
        f"{differing(receipt)} differ and {undecided(receipt)} are undecided. "
        f"Of {sum(stated.values())} claims, {holds} hold and {fails} fail."
    )


def failures(receipt: Receipt) -> int:
    """The number of reasons for which `dpfair check` fails."""
    verdicts = [artefact.reported.verdicts for artefact in receipt.artefacts]
    lists = [
        reasons
        for one in verdicts
        for reasons in (one.failures, one.unsupported_deviations, one.impossible_scores)
    ]
    return sum(map(len, lists)) + sum(len(work.broken) for work in receipt.works)


def _in_order(tallies: Iterable[Tally], order: Iterable[str]) -> dict[str, int]:
    total: Counter[str] = Counter()
    for tally in tallies:
        total.update(tally.verdicts)
    return {verdict: total[verdict] for verdict in order if total[verdict]}


def _with(counts: dict[str, int], verdict: str) -> int:
    """The number with a verdict, whatever the kind of the deviation."""
    return sum(count for name, count in counts.items() if _plain(name) == verdict)


def _plain(verdict: str) -> str:
    """A verdict without the kind of its deviation: "differs (open)" becomes "differs"."""
    return verdict.partition(" (")[0]
