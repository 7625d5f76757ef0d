"""The result of an audit, and its text: claim, findings, and what was not checked."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from itertools import chain
from math import isinf
from typing import Any, Protocol

from dpfair_cli.auditing.attainable import REACHED, Attainable
from dpfair_cli.auditing.lower_bounds import LowerBound

ROUNDING = 1e-6  # relative error of epsilon in calibrations and in the audit's accountant
MOVED = 1e-6  # relative error of the change of a query: networks compute with 32 bits
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


def power(name: str, least: float) -> str:
    """Which privacy loss an audit can find, in words.

    `least` is the least loss, of this `name`, that half of such audits find.
    """
    if isinf(least):
        return "none: with so little to observe, or so large a delta, no loss is found"
    return (
        f"{name} below {least:.4g} would most likely not be found, and a larger one only if what "
        "was observed shows it"
    )


class AuditResult(Protocol):
    """The result of any audit: by replays, of one training, or by an add-on."""

    @property
    def holds(self) -> bool:
        """Whether nothing contradicts the claim."""

    def lines(self) -> list[tuple[str, str]]:
        """The lines about the result, as (name, text)."""

    def plain(self) -> dict[str, Any]:
        """The result as mappings and lists."""


@dataclass(frozen=True)
class Finding:
    """The result of the audit of a method on neighbours."""

    method: str
    claimed: float  # the claimed epsilon
    delta: float  # the delta that the method states
    accounted: float  # the epsilon of the declared sensitivities
    found: float  # the epsilon of the changes of the queries
    largest_move: float  # the largest change of a query divided by its sensitivity
    leaks: tuple[str, ...]  # what a fit shows and what depends on the data without noise
    noise: tuple[str, ...]  # the messages about wrong noise
    pairs: int  # the number of pairs of neighbours that were tried
    shown: LowerBound | None = None
    """The lower bound of epsilon from fits of the worst pair; None if not computed."""
    unknown: tuple[str, ...] = ()  # mechanisms whose noise was not checked
    moves: Mapping[str, float] = field(default_factory=dict)
    """The largest move of each kind of query: mechanism and shape of the value."""
    attainable: Attainable = REACHED  # an upper bound of the largest move, and why it is below 1

    @property
    def problems(self) -> list[str]:
        """The messages about everything that contradicts the method's privacy guarantee."""
        # a calibration ends within ROUNDING of its budget
        limit, broken = self.claimed * (1 + ROUNDING), []
        if not self.accounted <= limit:  # `not <=`: NaN breaks the guarantee too
            broken.append(f"the declared sensitivities cost epsilon {self.accounted:.4g}")
        if not self.found <= limit:
            broken.append(f"neighbours cost epsilon {self.found:.4g}")
        if not self.largest_move <= 1 + MOVED:
            broken.append(f"a query moves by {self.largest_move:.4g} of its sensitivity")
        if self.shown and not self.shown.epsilon <= limit:
            broken.append(f"outputs show epsilon {self.shown.epsilon:.4g}")
        leaks = [f"{leak} depends on the data without noise" for leak in self.leaks]
        return [*broken, *leaks, *self.noise]

    @property
    def tightness(self) -> float:
        """The largest move divided by its upper bound.

        A sensitivity that is too small by a factor above 1 / `tightness`, relative to the smallest
        that holds, would have been refuted.
        """
        return self.largest_move / self.attainable.share

    @property
    def only_leaks(self) -> bool:
        """Whether leaks are all that contradicts the privacy guarantee."""
        return len(self.problems) == len(self.leaks)

    @property
    def holds(self) -> bool:
        """Whether the audit found no contradiction of the guarantee."""
        return not self.problems

    def lines(self) -> list[tuple[str, str]]:
        """The lines about the result, as (name, text)."""
        declared = f"epsilon {self.accounted:.4g} (declared sensitivities, composed)"
        unknown = [f"the law of the noise of {name}" for name in self.unknown]
        fits = f"(likelihood ratio, {self.shown.trials} fits)" if self.shown else ""
        shown = [("shown", f"{at_least(self.shown)} {fits}")] if self.shown else []
        return [
            ("claimed", claimed(self.claimed, self.delta)),
            ("accounted", declared if self.accounted else UNDECLARED),
            ("found", f"epsilon {self.found:.4g} on {self.pairs} pairs of neighbours"),
            *shown,
            ("queries", self._moves_in_words()),
            ("otherwise", "; ".join(self.leaks) or "nothing but the releases depends on the data"),
            ("noise", "; ".join(self.noise) or "of its stated law and scale, drawn afresh"),
            ("unchecked", "; ".join([*unknown, *NOT_CHECKED])),
            ("verdict", HOLDS if self.holds else "refuted: " + "; ".join(self.problems)),
        ]

    def plain(self) -> dict[str, Any]:
        """The result and what was not checked, as mappings and lists."""
        checked = {"problems": self.problems, "unchecked": NOT_CHECKED, "holds": self.holds}
        return asdict(self) | checked

    def _moves_in_words(self) -> str:
        """The largest changes of queries, and how far they could change at most."""
        text = f"change by at most {self.largest_move:.3f} times the declared sensitivity"
        if len(self.moves) > 1:
            each = "; ".join(f"{name} {move:.3f}" for name, move in sorted(self.moves.items()))
            text += f" ({each})"
        bound = self.attainable
        if bound.reason:
            text += f". No neighbours reach more than {bound.share:.3f}: {bound.reason}"
        return text


def at_least(bound: LowerBound) -> str:
    """A lower bound of epsilon in words."""
    return f"epsilon {bound.epsilon:.4g} at least, with 95 % confidence"


def claimed(epsilon: float, delta: float) -> str:
    """A claimed privacy loss in words."""
    return f"epsilon {epsilon:g}" + (f", delta {delta:.4g}" if delta else "")


def lines(found: AuditResult, dataset: str, width: int) -> list[str]:
    """The lines of at most `width` characters about the result of an audit on a data set."""
    named = [("data", dataset), *found.lines()]
    return list(chain.from_iterable(_wrapped(name, text, width) for name, text in named))


def _wrapped(name: str, text: str, width: int) -> list[str]:
    first, *more = textwrap.wrap(text, width - HEADING, break_long_words=False)
    return [f"{name:{HEADING}}{first}", *(f"{'':{HEADING}}{line}" for line in more)]
