"""A finding in words: what was claimed, what was found, and what nobody looked at."""

from __future__ import annotations

import textwrap
from dataclasses import asdict
from typing import Any

from dpfair_cli.auditing.audit import Finding
from dpfair_cli.auditing.lower_bounds import LowerBound
from dpfair_cli.auditing.one_run import OneRun

NOT_CHECKED = (
    "neighbours that were not tried; data of other sizes",
    "time and memory that a fit takes, and what it leaves on disk",
    "what is public by its docstring: levels, ranges, the number of records where it says so",
    "arithmetic: floating-point noise tells values apart (see docs/privacy.md)",
    "the file that `dpfair train --save` writes: its bytes are compared in the tests",
)
UNDECLARED = "nothing: no sensitivity is declared"
WIDTH = 108


def lines(found: Finding | OneRun) -> list[str]:
    """Every line that `dpfair audit` prints."""
    fields = _of_one_run(found) if isinstance(found, OneRun) else _of_replays(found)
    return [line for name, text in fields for line in _wrapped(name, text)]


def plain(found: Finding | OneRun) -> dict[str, Any]:
    """Everything that was found, as mappings and lists; what nobody looked at, too."""
    more = (
        {} if isinstance(found, OneRun) else {"problems": found.problems, "unchecked": NOT_CHECKED}
    )
    return {**asdict(found), **more, "holds": found.holds}


def _of_replays(found: Finding) -> list[tuple[str, str]]:
    return [
        ("claimed", _claimed(found.claimed, found.delta)),
        (
            "accounted",
            f"epsilon {found.accounted:.4g} (declared sensitivities, composed)"
            if found.accounted
            else UNDECLARED,
        ),
        ("found", f"epsilon {found.found:.4g} on {found.pairs} pairs of neighbours"),
        *([("shown", _shown(found.shown))] if found.shown else []),
        ("queries", f"moved by at most {found.largest_move:.3f} of their declared sensitivity"),
        ("otherwise", "; ".join(found.leaks) or "nothing but the releases depends on the data"),
        ("noise", "; ".join(found.noise) or "of its stated law and scale, drawn afresh"),
        (
            "unchecked",
            "; ".join(
                [*(f"the law of the noise of {name}" for name in found.unknown), *NOT_CHECKED]
            ),
        ),
        (
            "verdict",
            "the claim holds as far as tried"
            if found.holds
            else "refuted: " + "; ".join(found.problems),
        ),
    ]


def _of_one_run(found: OneRun) -> list[tuple[str, str]]:
    return [
        ("claimed", _claimed(found.claimed, found.delta)),
        (
            "shown",
            f"epsilon {found.shown.epsilon:.4g} at least, with 95 % confidence (one training, {found.guesses} of "
            f"{found.shown.trials} canaries guessed)",
        ),
        (
            "unchecked",
            "everything else: what one training shows is often far below what it gives away",
        ),
        (
            "verdict",
            "the claim holds as far as tried" if found.holds else "refuted: the weights show more",
        ),
    ]


def _claimed(epsilon: float, delta: float) -> str:
    return f"epsilon {epsilon:g}" + (f", delta {delta:.4g}" if delta else "")


def _wrapped(name: str, text: str) -> list[str]:
    first, *more = textwrap.wrap(text, WIDTH)
    return [f"{name:12}{first}", *(f"{'':12}{line}" for line in more)]


def _shown(bound: LowerBound) -> str:
    return f"epsilon {bound.epsilon:.4g} at least, with 95 % confidence (likelihood ratio, {bound.trials} fits)"
