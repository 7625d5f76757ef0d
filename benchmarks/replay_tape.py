"""What a fit gives to its mechanisms, recorded and compared with the fit to a neighbouring table.

The idea is that of Re:cord-play (Cebere et al. 2026); no line of it is used. Each input and output
of a mechanism is recorded. In the fit to the neighbour, each mechanism gives the recorded output
again, so that nothing differs because of noise.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

ROUNDING = 1e-9  # by which a distance may exceed the sensitivity


class DivergedError(Exception):
    """The error that the fit to the neighbour leaves what was recorded; its text is the outcome."""


@dataclass
class Call:
    """A call of a mechanism in the first fit."""

    kind: str
    value: Any
    sensitivity: float
    scale: float
    output: Any
    state: Any
    """The state of the model's generator after the call."""


@dataclass
class Tape:
    """The calls of the first fit, and how the second fit differs from it."""

    rng: np.random.Generator
    calls: list[Call] = field(default_factory=list)
    levels: tuple[int, ...] = ()
    played: int | None = None
    """How many calls of the second fit have been compared; None in the first fit."""
    scales_differ: bool = False
    worst: tuple[float, float, str] = (0.0, 1.0, "")
    """The distance, the sensitivity and the kind of the call with the largest ratio of both."""

    def release(self, call: Call, draw: Callable[[], Any], prng: Any = None) -> Any:
        """The output that is drawn in the first fit, and the recorded one in the second."""
        if self.played is None:
            call.output = draw()
            call.state = prng and prng.get_state()
            self.calls.append(call)
            return call.output
        if self.played == len(self.calls) or self.calls[self.played].kind != call.kind:
            raise DivergedError("calls")
        recorded = self.calls[self.played]
        self.played += 1
        self.scales_differ |= not np.isclose(recorded.scale, call.scale, rtol=1e-12)
        apart = distance(call.kind, recorded.value, call.value)
        sensitivity = recorded.sensitivity
        if apart * self.worst[1] > self.worst[0] * sensitivity:
            self.worst = (apart, sensitivity, call.kind)
        if prng:
            prng.set_state(recorded.state)
        return recorded.output

    def public(self, levels: tuple[int, ...]) -> None:
        """Notes the numbers of levels in the first fit, and compares them in the second."""
        if self.played is None:
            self.levels = levels
        elif levels != self.levels:
            raise DivergedError("domain")

    @property
    def outcome(self) -> str:
        """The outcome of a second fit that ended without an error."""
        if self.played != len(self.calls):
            return "calls"
        return "distance" if self.worst[0] > self.worst[1] + ROUNDING else "passes"


def distance(kind: str, one: Any, other: Any) -> float:
    """The distance of two inputs of a mechanism; infinite if their shapes differ, or for a NaN."""
    if np.shape(one) != np.shape(other):
        return np.inf
    change = np.abs(np.subtract(one, other))
    found = np.linalg.norm(change) if kind == "counts" else change.max()
    return np.inf if np.isnan(found) else float(found)
