"""Histories of outputs that are possible but improbable, on which a fit is audited too.

The query of a release may depend on earlier outputs: the gradients of DPSGD depend on the noisy
weights, and a clipping bound may follow noisy counts. The sensitivity has to hold for every such
history. The noise of most histories cancels out, so that the weights stay near the start. In the
histories made here, all noise has the same sign.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from dpfair_cli.mechanisms.ledger import Release

ADDITIVE = ("gaussian", "laplace", "row_laplace")  # the output is the value plus noise of any sign


@dataclass(frozen=True)
class Course:
    """One way to steer a fit by improbable outputs."""

    of_number: int
    """The sign of the noise of a single number."""
    of_array: int
    """The sign of all noise of an array."""
    swapped: bool
    """Whether the neighbours are swapped, so that the other record is the one in the batches."""


# numbers count what is long or rare, and bounds of the gradients follow them: less comes first
COURSES = (
    Course(-1, 1, swapped=False),
    Course(-1, 1, swapped=True),
    Course(-1, -1, swapped=False),
    Course(-1, -1, swapped=True),
    Course(1, 1, swapped=False),
    Course(1, -1, swapped=False),
)


def one_sided(tape: Sequence[Release], course: Course) -> list[Release]:
    """The releases of `tape` with the noise of all outputs on the sides that `course` says.

    The noise keeps its size. Releases of mechanisms that do not add noise stay as they are.
    """
    return [
        _turned(entry, course.of_array if np.ndim(entry.value) else course.of_number)
        for entry in tape
    ]


def _turned(entry: Release, sign: int) -> Release:
    """The release with the noise of its output turned to one side."""
    if entry.mechanism not in ADDITIVE:
        return entry
    return replace(entry, output=entry.value + sign * np.abs(entry.output - entry.value))
