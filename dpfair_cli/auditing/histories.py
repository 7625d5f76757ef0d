"""Histories of outputs that are possible but improbable, on which a fit is audited too.

The query of a release may depend on earlier outputs: the gradients of DPSGD depend on the noisy
weights, and a clipping bound may follow noisy counts. The sensitivity has to hold for every such
history. The noise of most histories cancels out, so that the weights stay near the start. In the
histories made here, all noise has the same sign.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from dpfair_cli.mechanisms.ledger import Release

ADDITIVE = ("gaussian", "laplace", "row_laplace")  # the output is the value plus noise of any sign
SIGNS = ((-1, 1), (-1, -1), (1, 1), (1, -1))  # of the noise of a number, and of that of an array


def one_sided(tape: Sequence[Release], k: int) -> list[Release]:
    """The releases of `tape` with the noise of all outputs on one side, chosen by k.

    The noise keeps its size. Releases of mechanisms that do not add noise stay as they are.
    """
    of_number, of_array = SIGNS[k % len(SIGNS)]
    return [_turned(entry, of_array if np.ndim(entry.value) else of_number) for entry in tape]


def _turned(entry: Release, sign: int) -> Release:
    """The release with the noise of its output turned to one side."""
    if entry.mechanism not in ADDITIVE:
        return entry
    return replace(entry, output=entry.value + sign * np.abs(entry.output - entry.value))
