"""The reject option: near the threshold, the group decides in place of the score.

Source: Kamiran, Karim and Zhang 2012, as ficiu2023 uses it. A score in (t - m, t + m] gets decision
1 in group 0 and decision 0 in the other groups; any other score gets decision 1 if it is above t.
This is a threshold for each group: t - m for group 0, and t + m for the others.
"""

from __future__ import annotations

import numpy as np

import dpfair_cli.plugin as dp

THRESHOLDS, MARGINS = 100, 50
LOWEST, HIGHEST = 0.01, 0.99


def candidate_thresholds() -> dp.Floats:
    """The candidates (threshold of group 0, threshold of the others), (5000, 2)."""
    centres = np.linspace(LOWEST, HIGHEST, THRESHOLDS)  # (100,)
    shares = np.linspace(0.0, 1.0, MARGINS)  # (50,)
    # both thresholds stay in [0, 1]
    margins = np.minimum(centres, 1 - centres)[:, None] * shares  # (100, 50)
    both = np.stack([centres[:, None] - margins, centres[:, None] + margins], axis=-1)
    return np.asarray(both.reshape(-1, 2))


def chosen_thresholds(
    scores: dp.Floats, y: dp.Ints, protected: dp.Ints, *, gaps: tuple[float, ...]
) -> dp.Floats:
    """The threshold of group 0 and that of the other groups, (2,).

    Among the candidates whose gap is between the two numbers in `gaps`, the one with the largest
    balanced accuracy is chosen; if there are none, the one with the smallest absolute gap. The gap
    is the selection rate of group 0 minus that of the others. Of equal candidates, the first one is
    chosen. If the records lack a group or a label, both thresholds are one half.

    Args:
        scores: The probability of label 1, (n,).
        y: The label, (n,).
        protected: The group, (n,).
        gaps: The smallest and the largest gap that is allowed.

    Source: ficiu2023; Kamiran, Karim and Zhang 2012.
    """
    first, positive = protected == 0, y == 1
    if min(np.bincount(first, minlength=2).min(), np.bincount(positive, minlength=2).min()) == 0:
        return np.array([0.5, 0.5])
    candidates = candidate_thresholds()
    selected = np.zeros((2, 2, len(candidates)))  # group 0 or others, label, candidate
    sizes = np.zeros((2, 2))
    for group, members in enumerate((first, ~first)):
        for label, own in enumerate((members & ~positive, members & positive)):
            # sorted once: counting for each of 5,000 candidates would read all scores each time
            ranks = np.searchsorted(np.sort(scores[own]), candidates[:, group], side="right")
            sizes[group, label] = own.sum()
            selected[group, label] = own.sum() - ranks  # number of scores above the threshold
    rates = selected.sum(axis=1) / sizes.sum(axis=1)[:, None]  # (2, candidates)
    gap = rates[0] - rates[1]
    by_label = selected.sum(axis=0) / sizes.sum(axis=0)[:, None]  # FPR and TPR
    balanced = (by_label[1] + 1 - by_label[0]) / 2
    allowed = (gap >= gaps[0]) & (gap <= gaps[1])
    if not allowed.any():
        return np.asarray(candidates[np.argmin(np.abs(gap))])
    # below any balanced accuracy, so that a forbidden candidate is never the largest
    return np.asarray(candidates[np.argmax(np.where(allowed, balanced, -1.0))])
