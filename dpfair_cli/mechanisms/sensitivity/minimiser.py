"""How far one record moves the minimiser of a penalised mean loss (output perturbation).

Neighbours: replace-one, n records. The objective is f(w) = mean loss_i(w) + mu |w|^2 / 2, where
each loss is convex and `clip_norm`-Lipschitz: the gradient of the logistic loss of a record of norm
at most `clip_norm` is at most that long.

f is mu-strongly convex, so its minimiser w* is unique, and a neighbour's f' differs from f by
(loss'_1 - loss_1) / n, which is (2 clip_norm / n)-Lipschitz. With w*' the minimiser of f', strong
convexity gives mu |w* - w*'|^2 <= (grad f(w*') - grad f'(w*')) . (w*' - w*) <= (2 clip_norm / n)
|w* - w*'|, hence |w* - w*'| <= 2 clip_norm / (mu n) (Chaudhuri, Monteleoni and Sarwate 2011,
Corollary 8).
"""

from __future__ import annotations


def l2_minimiser(n: int, *, clip_norm: float, mu: float) -> float:
    """L2 sensitivity of the minimiser on n records whose losses are `clip_norm`-Lipschitz, with the
    penalty mu.
    """
    return 2 * clip_norm / (mu * n)
