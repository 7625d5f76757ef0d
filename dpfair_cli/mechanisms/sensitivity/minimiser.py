"""Sensitivity of the minimiser of a regularised mean loss (output perturbation).

Neighbours: replace-one, n records. The objective is f(w) = mean loss_i(w) + mu |w|^2 / 2. Each loss
is convex and `clip_norm`-Lipschitz, because the gradient of the logistic loss of a record with norm
at most `clip_norm` has norm at most `clip_norm`.

f is mu-strongly convex and has a unique minimiser w*. The objective f' of a neighbour differs from
f by (loss'_1 - loss_1) / n, which is (2 clip_norm / n)-Lipschitz. Let w*' be the minimiser of f'.
Strong convexity gives mu |w* - w*'|^2 <= (grad f(w*') - grad f'(w*')) . (w*' - w*) <= (2 clip_norm
/ n) |w* - w*'|, hence |w* - w*'| <= 2 clip_norm / (mu n) (Chaudhuri, Monteleoni and Sarwate 2011,
Corollary 8).
"""

from __future__ import annotations


def l2_minimiser(n: int, *, clip_norm: float, mu: float) -> float:
    """The L2 sensitivity of the weights that minimise a mean loss with the penalty mu |w|^2 / 2."""
    return 2 * clip_norm / (mu * n)
