"""Reports that are sets of levels, from the definitions of their protocols alone.

Each function returns the exact probability of each set (a tuple of 0 and 1 for k levels), for a
record of level 0.
"""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction
from itertools import combinations, product

Law = dict[tuple[int, ...], Fraction]


def bits(k: int, own: Fraction, other: Fraction) -> Law:
    """Each level is reported independently, the own level with another probability."""
    law: Law = {}
    for report in product((0, 1), repeat=k):
        chance = own if report[0] else 1 - own
        for bit in report[1:]:
            chance *= other if bit else 1 - other
        law[report] = chance
    return law


def subsets(k: int, size: int, odds: Fraction) -> Law:
    """A set of `size` levels, `odds` times as likely if it holds the own level."""
    sets = [tuple(int(j in chosen) for j in range(k)) for chosen in combinations(range(k), size)]
    weights = [odds if one[0] else Fraction(1) for one in sets]
    return {one: weight / sum(weights) for one, weight in zip(sets, weights, strict=True)}


def hashing(k: int, values: int, odds: Fraction) -> Law:
    """All levels whose value is reported by randomised response, over all functions of levels."""
    law: Law = defaultdict(Fraction)
    functions = list(product(range(values), repeat=k))
    for function in functions:
        for reported in range(values):
            chance = (odds if reported == function[0] else Fraction(1)) / (odds + values - 1)
            law[tuple(int(value == reported) for value in function)] += chance / len(functions)
    return law


def mixed(k: int, chances: list[Fraction], odds: Fraction) -> Law:
    """Subsets of a random size: `chances` are the probabilities of 0 to k levels."""
    law: Law = defaultdict(Fraction)
    for size, chance in enumerate(chances):
        for report, share in subsets(k, size, odds).items():
            law[report] += chance * share
    return law


def for_level(law: Law, level: int) -> Law:
    """The law for a record of another level: levels 0 and `level` change places."""
    moved: Law = {}
    for report, chance in law.items():
        places = list(report)
        places[0], places[level] = places[level], places[0]
        moved[tuple(places)] = chance
    return moved


def worst_ratio(law: Law) -> Fraction:
    """The largest ratio of the probabilities of one report for levels 0 and 1."""
    other = for_level(law, 1)
    return max(law[report] / other[report] for report in law if law[report])
