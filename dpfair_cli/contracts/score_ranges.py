"""The range of values of each score, by the name of the score; used to check journals.

Rates and their differences are in [0, 1], changes and effects in [-1, 1]; counts, norms, losses,
bounds and ratios are at least 0. The first rule whose pattern matches the whole name applies.
"""

from __future__ import annotations

import re
from math import inf

Range = tuple[float, float]

ANY: Range = (-inf, inf)
RULES: tuple[tuple[str, Range], ...] = (
    (r"accuracy_change_gap", (-2.0, 2.0)),  # the difference of two changes
    (r"accuracy_change_difference", (0.0, 2.0)),
    (r"accuracy_change(_\w+)?|(first|last|total)_change", (-1.0, 1.0)),
    (r"(direct|total|counterfactual)_effect(_\w+)?|indirect_discrimination", (-1.0, 1.0)),
    (r"\w+_(bound|ratio)|distance(_bound|_ratio|_scaled)?|sensitivity\w*|epsilon_\w+", (0.0, inf)),
    (r"(\w+_)?(norm|loss|clipping_bound)(_\w+)?|noise_to_signal|chi2(_\w+)?|dist_xys?", (0.0, inf)),
    (r"edges_(found|missing|extra)", (0.0, inf)),
    (r"(true_)?edges|reads|tests|structural_hamming_distance|sample_size|epoch", (0.0, inf)),
    (
        r"(\w+_)?accuracy(_\w+)?|(\w+_)?(rate|difference|error|violation|share|precision|recall|f1)",
        (0.0, 1.0),
    ),
    (
        r"(demographic_parity|equality_of_opportunity|equalized_odds)(_\w+)?|fairness_gap|\w+_effect",
        (0.0, 1.0),
    ),
    (r"[tf][pd]r|auc|(\w+_)?within(_\w+)?|vacuous|fallback|collapsed|share_\w+", (0.0, 1.0)),
)


def range_of(score: str) -> Range:
    """The lowest and the highest possible value of a score, by its name.

    The range is unbounded for a score whose name matches no rule.
    """
    return next((found for words, found in RULES if re.fullmatch(words, score)), ANY)
