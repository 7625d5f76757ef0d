"""Evidence for formulas of xu2021 by exact arithmetic, with a proof of each that holds.

Nothing here uses the code of a method. `theorems.py` names the computations.

**Section 4.4.1: selection by nodes eliminates the edges that PC eliminates.** Let the tests be
right, and the distribution faithful to a graph without cycles, as Section 4.3.1 assumes. Both
algorithms eliminate an edge only if a set separates its ends, which no set does for neighbours of
the graph. Of two other nodes, one is no descendant of the other one, V. The parents of V separate
the two, and are among the neighbours of V at any time. So both algorithms test this set before the
order exceeds its size, and both end with the skeleton of the graph.

**Section 4.3.2: the sum bounds the number of tests of PC.** Of each ordered pair of nodes, which
are 2 binom(p, 2), the tests of an order condition on subsets of at most p - 2 other nodes, which
are no more than binom(p - 1, ord).

**Section 4.4.2: there are at most l p rounds, for l orders.** Each of the p nodes is selected at
most once for each order. The bound of the number of tests is p (p - 1) times a sum, which is at
least p from l = 1 on; l is below p, so that this bound is at least p times l p.

**Section 8.4.2: 11.42 % and 17.52 %.** These are differences of printed cells, and exact.

**Equation 9.1.** This is the triangle inequality. The mean of |noise| is its scale, and clipping
moves a number g by max(0, |g| - C). For gradients of one sign, the movements add up to B, and the
error is |noise + B|, whose mean is at least B and at least the scale, hence at least half of their
sum.

**Section 9.3.2, the best clipping bound.** From C on to the right, b epsilon times the bound has
the slope 1 - epsilon #{|g_i| > C}, which rises. It is at most 0 left of the ceil(1 / epsilon)-th
largest |g_i|, and at least 0 right of it. With 1 / epsilon <= b this value is the
(1 - 1 / (b epsilon))-quantile, or one on the flat part of the bound.

**Section 9.4.2: (C+ / C-) epsilon.** A record of the group that is added or removed moves the sum
by C+ at most, and Laplace noise has the scale C- / epsilon.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import combinations, permutations, product
from math import ceil, comb, exp, factorial, inf

from dpfair_cli.auditing.computation import Excess, worst

Edges = frozenset[tuple[int, int]]
NODES = 4  # of the graphs that are tried
SIZES = (5, 10, 15)  # numbers of nodes of Table 4.4
ORDERS = (1, 2, 3, 4)
GRADIENTS = (-5, -2, -1, 0, 1, 3, 4, 9)  # of which batches are made
BOUNDS = (1, 2, 4)  # of clipping
EPSILONS = (Fraction(1, 3), Fraction(1, 2), Fraction(2, 3), Fraction(1), Fraction(5, 2))
FEATURES = {"Adult": 40, "Dutch": 35}  # Section 8.4.1


# PC and selection by nodes: Sections 4.3.2, 4.4.1 and 4.4.2
def _graphs(nodes: int) -> Iterator[Edges]:
    """Yields each graph without cycles, as its edges from parents to children."""
    found = set()
    for order in permutations(range(nodes)):
        pairs = list(combinations(order, 2))
        for chosen in product((False, True), repeat=len(pairs)):
            found.add(
                frozenset(pair for pair, is_edge in zip(pairs, chosen, strict=True) if is_edge)
            )
    yield from found


def _ancestors(graph: Edges, nodes: set[int]) -> set[int]:
    """The nodes with all their ancestors."""
    found = set(nodes)
    while parents := {one for one, child in graph if child in found} - found:
        found |= parents
    return found


def _separates(graph: Edges, i: int, j: int, given: tuple[int, ...]) -> bool:
    """Whether a set of nodes d-separates two nodes (Lauritzen et al. 1990, Proposition 3)."""
    kept = _ancestors(graph, {i, j, *given})
    own = [(one, child) for one, child in graph if one in kept and child in kept]
    # parents of one child are married
    own += [(one, other) for (one, a), (other, b) in combinations(own, 2) if a == b]
    reached = {i}
    while more := {
        there
        for pair in own
        for here, there in (pair, pair[::-1])
        if here in reached and there not in reached and there not in given
    }:
        reached |= more
    return j not in reached


Separates = Callable[[int, int, tuple[int, ...]], bool]


def _around(edges: set[frozenset[int]], i: int) -> list[int]:
    """The neighbours of a node."""
    return sorted(min(edge - {i}) for edge in edges if i in edge)


def _complete(nodes: int) -> set[frozenset[int]]:
    return set(map(frozenset, combinations(range(nodes), 2)))


def _pc(nodes: int, separates: Separates) -> tuple[set[frozenset[int]], int]:
    """The skeleton by Algorithm 2, lines 1 to 15, and the number of its tests."""
    edges, order, tests = _complete(nodes), 0, 0
    while any(len(_around(edges, i)) > order for i in range(nodes)):
        for i, j in permutations(range(nodes), 2):
            pool = [k for k in _around(edges, i) if k != j]
            if frozenset((i, j)) not in edges:
                continue
            for given in combinations(pool, order):
                tests += 1
                if separates(i, j, given):
                    edges.discard(frozenset((i, j)))
                    break
        order += 1
    return edges, tests


def _by_nodes(nodes: int, separates: Separates) -> tuple[set[frozenset[int]], int, int]:
    """The skeleton by Algorithms 3 and 4 without noise, its rounds and its orders."""
    edges, order, rounds = _complete(nodes), 0, 0
    while any(len(_around(edges, i)) > order for i in range(nodes)):
        for i in range(nodes):
            around = _around(edges, i)
            if len(around) > order:
                rounds += 1
                edges -= {
                    frozenset((i, j))
                    for j in around
                    if any(separates(i, j, given) for given in _others(around, j, order))
                }
        order += 1
    return edges, rounds, order


def _others(around: list[int], j: int, order: int) -> Iterator[tuple[int, ...]]:
    """Yields each set of `order` neighbours without j."""
    return combinations([k for k in around if k != j], order)


def _oracle(graph: Edges) -> Separates:
    return lambda i, j, given: _separates(graph, i, j, given)


def skeletons() -> Excess:
    """1 if both algorithms end with the same skeleton for all graphs, otherwise infinity."""
    for graph in _graphs(NODES):
        separates = _oracle(graph)
        if _pc(NODES, separates)[0] != _by_nodes(NODES, separates)[0]:
            return inf, f"the graph with the edges {sorted(graph)}"
    return 1.0, f"graphs of {NODES} variables"


def _sum_of_tests(p: int, largest: int) -> int:
    """The printed bound of the number of tests up to an order."""
    return p * (p - 1) * sum(comb(p - 1, order) for order in range(largest + 1))


def sum_of_tests() -> Excess:
    """The largest number of tests that PC can make, divided by the printed sum."""
    ratios = {}
    for p, largest in product(SIZES, ORDERS):
        sets = sum(comb(p - 2, order) for order in range(largest + 1))
        words = f"p = {p} and orders up to {largest}"
        ratios[words] = Fraction(p * (p - 1) * sets, _sum_of_tests(p, largest))
    return worst(ratios)


def tests_of_a_chain() -> Excess:
    """The number of tests of PC on a chain, divided by the printed value that bounds the sum.

    In a chain, the largest order that is reached is 1.
    """
    p = max(SIZES)
    chain = frozenset((i, i + 1) for i in range(p - 1))
    _, tests = _pc(p, _oracle(chain))
    printed = p**2 * (p - 1) ** 0 // factorial(0)
    return tests / printed, f"the {tests} tests of PC on a chain of p = {p} variables, l = 1"


def rounds() -> Excess:
    """The largest number of rounds of selections divided by l p, for l orders."""
    ratios = {}
    for graph in _graphs(NODES):
        _, count, orders = _by_nodes(NODES, _oracle(graph))
        ratios[f"{orders} orders of {NODES} variables"] = count / (orders * NODES)
    return worst(ratios)


# the noise of PFLR and PFLR*: Section 8.3.2
def _sensitivities(d: int) -> tuple[Fraction, Fraction, int]:
    """The printed sensitivities of PFLR's objective, of the objective and of the fairness term."""
    return Fraction(d * d, 4) + 3 * d, Fraction(d * d, 4) + d, 2 * d


def _noise(d: int, share: Fraction) -> Fraction:
    """The variance of all noise of PFLR*, divided by that of PFLR; `share` is epsilon_f / epsilon.

    The d means of the noise are noisy, too, and add their variance (law of total variance).
    """
    fair, own, term = _sensitivities(d)
    means = 2 * d * (term / (1 - share)) ** 2
    return (2 * (d * d + d) * (own / share) ** 2 + means) / (2 * (d * d + d) * fair**2)


def noise_at_the_threshold() -> Excess:
    """The largest variance of PFLR* at the printed threshold, divided by that of PFLR."""
    ratios = {}
    for name, d in FEATURES.items():
        fair, own, _ = _sensitivities(d)
        ratios[f"{name}, d = {d}, epsilon_f = {float(own / fair):.3g} epsilon"] = _noise(
            d, own / fair
        )
    return worst(ratios)


def noise_at_one_half() -> Excess:
    """The largest variance of PFLR* with epsilon_f = epsilon / 2, divided by that of PFLR."""
    return worst({f"{name}, d = {d}": _noise(d, Fraction(1, 2)) for name, d in FEATURES.items()})


def variance_of_a_coefficient() -> Excess:
    """The largest variance of a linear coefficient of PFLR* divided by the printed one."""
    ratios = {}
    for name, d in FEATURES.items():
        _, own, term = _sensitivities(d)
        ratios[f"{name}, d = {d}, epsilon_f = epsilon / 2"] = 1 + (term / own) ** 2
    return worst(ratios)


# the percentages of Section 8.4.2, from the cells of Table 8.1
DROPS = {
    "Adult": ("0.8380", "0.7238", "11.42"),  # LR, PrivLR, the stated percentage
    "Dutch": ("0.8164", "0.6412", "17.52"),
}


def percentages() -> Excess:
    """The largest ratio of a difference in percentage points and the stated one, in either way."""
    ratios = {}
    for name, printed in DROPS.items():
        before, after, stated = map(Fraction, printed)
        found = 100 * (before - after)
        ratios[f"{float(found):.2f} points on {name}"] = max(found / stated, stated / found)
    return worst(ratios)


# the error of a clipped and noisy mean: Section 9.3.2
def _batches(*, signed: bool) -> Iterator[tuple[int, ...]]:
    """Yields batches of two and three gradients, which are numbers."""
    kept = [one for one in GRADIENTS if signed or one >= 0]
    for size in (2, 3):
        yield from product(kept, repeat=size)


def _bound(batch: tuple[int, ...], clip: int, epsilon: Fraction) -> Fraction:
    """The printed bound of the error, times the size of the batch."""
    return clip / epsilon + sum(max(0, abs(g) - clip) for g in batch)


def _error(batch: tuple[int, ...], clip: int, epsilon: Fraction) -> float:
    """The expected error, times the size of the batch: the mean of |noise + bias|."""
    bias = abs(sum(g - max(-clip, min(clip, g)) for g in batch))
    scale = float(clip / epsilon)
    return bias + scale * exp(-bias / scale)


def _errors(*, signed: bool, of: Callable[[float, float], float]) -> Excess:
    """The largest value of `of`, a ratio of the expected error and the printed bound."""
    ratios = {}
    for batch, clip, epsilon in product(_batches(signed=signed), BOUNDS, EPSILONS):
        words = f"gradients {', '.join(map(str, batch))}, C = {clip}, epsilon = {epsilon}"
        ratios[words] = of(_error(batch, clip, epsilon), float(_bound(batch, clip, epsilon)))
    return worst(ratios)


def error_above() -> Excess:
    """The largest expected error divided by the bound of Equation 9.1."""
    return _errors(signed=True, of=lambda error, bound: error / bound)


def error_below(*, signed: bool) -> Excess:
    """Half of the bound divided by the expected error, at most."""
    return _errors(signed=signed, of=lambda error, bound: bound / 2 / error)


def best_clipping_bound() -> Excess:
    """The bound at the stated C divided by its minimum over C, at most, for 1 / epsilon <= b."""
    ratios = {}
    for batch, epsilon in product(_batches(signed=True), EPSILONS):
        if epsilon * len(batch) >= 1:
            sizes = sorted(map(abs, batch), reverse=True)
            stated = sizes[ceil(1 / epsilon) - 1]
            # the bound is linear between the sizes
            least = min(_bound(batch, one, epsilon) for one in (0, *sizes))
            words = f"gradients {', '.join(map(str, batch))}, epsilon = {epsilon}"
            # all gradients are 0
            ratios[words] = _bound(batch, stated, epsilon) / least if least else Fraction(1)
    return worst(ratios)


def loss_of_a_group() -> Excess:
    """The largest privacy loss of a record of the group with C+, divided by (C+ / C-) epsilon."""
    ratios = {}
    for smaller, larger, epsilon in product((1, 2), (3, 7), EPSILONS):
        scale = larger / epsilon
        # log density at an output of the sum with the record, less that of the sum without it
        losses = [(abs(y) - abs(y - smaller)) / scale for y in range(-9, 10)]
        stated = Fraction(smaller, larger) * epsilon
        words = f"C+ = {smaller}, C- = {larger}, epsilon = {epsilon}"
        ratios[words] = max(map(abs, losses)) / stated
    return worst(ratios)
