"""Privacy budgets that the stated noise does not give."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from dpfair_cli.addons.forensics.declaration import DeclaredNoise, found
from dpfair_cli.addons.forensics.finding import Kind, Proof
from dpfair_cli.addons.forensics.printed import PrintedCell, PrintedPaper, groups
from dpfair_cli.mechanisms.accounting.accountant import NoisySteps, spent_epsilon

TOLERANCE = 0.02  # between accountants, as a share of epsilon


def check_budgets(paper: PrintedPaper) -> Iterator[Proof]:
    """Yields a proof for each declared noise and each epsilon for which it is stated."""
    noisy = [one for one in paper.cells if found(paper.declaration.noise, one.published)]
    stated = groups(noisy, lambda one: (found(paper.declaration.noise, one.published), one.epsilon))
    for (noise, claimed), cells in stated.items():
        if noise and math.isfinite(claimed):
            yield _proof(noise, claimed, cells)


def _proof(noise: DeclaredNoise, claimed: float, cells: Sequence[PrintedCell]) -> Proof:
    """Whether the stated noise costs at most the claimed epsilon, up to the tolerance."""
    steps = NoisySteps(noise.sigma, noise.sampling_rate, noise.steps)
    spent = spent_epsilon([steps], noise.delta)
    what = (
        f"the label epsilon {claimed:g} of these cells, not their scores: the noise multiplier "
        f"{noise.sigma:g} with the sampling rate {noise.sampling_rate:.4g} and {noise.steps:,} "
        f"steps costs epsilon {spent:.4g} at delta {noise.delta:g}"
    )
    return Proof(Kind.BUDGET, cells, spent <= (1 + TOLERANCE) * claimed, what)
