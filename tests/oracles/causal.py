"""Slow and obvious answers for xu2021, chapter 4: exhaustive tables, all DAGs, d-separation.

Nothing here is used by the package. A contingency table is counts (a, b, strata); a DAG is a
frozenset of arcs (i, j).
"""

from functools import lru_cache
from itertools import chain, combinations, product

import numpy as np
from scipy.special import rel_entr
from scipy.stats import chi2

# --- tables of counts


def g_squared(table):
    """G^2 of i and j within every stratum, by scipy, summed over the strata that have a record."""
    return sum(
        _g_squared_of_one(stratum) for stratum in np.moveaxis(np.asarray(table, dtype=float), 2, 0)
    )


def _g_squared_of_one(counts):
    expected = np.outer(counts.sum(axis=1), counts.sum(axis=0)) / max(counts.sum(), 1)
    seen = expected > 0  # a row or column without records adds nothing
    return float(2 * rel_entr(counts[seen], expected[seen]).sum())


def p_value(table):
    """The p-value with the degrees of freedom of Section 4.3.

    They are (Cat_i - 1) (Cat_j - 1) times all strata, empty or not.
    """
    a, b, strata = np.shape(table)
    return float(chi2.sf(g_squared(table), (a - 1) * (b - 1) * strata))


def all_tables(cells, n):
    """Every way to put n records into `cells` cells, (count, cells)."""
    bars = np.array(list(combinations(range(n + cells - 1), cells - 1))).reshape(-1, cells - 1)
    edges = np.hstack([np.full((len(bars), 1), -1), bars, np.full((len(bars), 1), n + cells - 1)])
    return np.diff(edges, axis=1) - 1


def replace_one(tables):
    """(from, to) indices of all pairs of tables that one changed record leads to."""
    order = np.argsort(_codes(tables))
    codes = _codes(tables)[order]
    for source, target in product(range(tables.shape[1]), repeat=2):
        rows = np.flatnonzero(tables[:, source] > 0)
        if source != target:
            moved = tables[rows].copy()
            moved[:, source] -= 1
            moved[:, target] += 1
            yield rows, order[np.searchsorted(codes, _codes(moved))]


def _codes(tables):
    return tables @ (int(tables.sum(axis=1).max()) + 1) ** np.arange(tables.shape[1])


@lru_cache
def every_distance(shape, n, level):
    """All tables of n records with p-values and signed distances (Equation 4.1), breadth-first.

    The sign is the paper's: positive where the p-value is at most `level`, so where independence is
    rejected. A decision that no table of n records gives has infinite distance.
    """
    tables = all_tables(int(np.prod(shape)), n)
    p = np.array([p_value(table.reshape(shape)) for table in tables])
    rejected = p <= level
    steps = list(replace_one(tables))
    distance = np.zeros(len(tables))
    for verdict in (True, False):
        far = np.where(rejected == verdict, np.inf, 0.0)
        for length in range(1, n + 1):
            for rows, others in steps:
                near = rows[(far[rows] == np.inf) & (far[others] == length - 1)]
                far[near] = length
        distance[rejected == verdict] = far[rejected == verdict]
    return tables, p, np.where(rejected, distance, -distance)


def look_up(shape, n, level):
    """Counts as bytes -> the signed distance."""
    tables, _, distance = every_distance(shape, n, level)
    return {
        table.astype(np.int64).tobytes(): value
        for table, value in zip(tables, distance, strict=True)
    }


def table_of(data, columns, categories):
    """Counts (Cat_i, Cat_j, strata) of the columns i, j, k1, k2, ... of `data` (n, p)."""
    sizes = [categories[column] for column in columns]
    counts = np.zeros((sizes[0], sizes[1], int(np.prod(sizes[2:]))), dtype=np.int64)
    for record in data:
        stratum = 0
        for column in columns[2:]:
            stratum = stratum * categories[column] + record[column]
        counts[record[columns[0]], record[columns[1]], stratum] += 1
    return counts


def q2(distances, p_values, level):
    """Equations 4.2 to 4.4, for scores 0, ..., alpha; `distances` has the paper's sign."""
    order = sorted(range(len(distances)), key=lambda j: -distances[j])
    d, p, alpha = [distances[j] for j in order], [p_values[j] for j in order], len(distances)
    scores = [-d[0] - 1 if p[0] >= level else -d[0]]
    for t in range(1, alpha):  # d[t - 1] is d(pi_t)
        if p[t - 1] < level <= p[t]:
            scores.append(min(d[t - 1], -d[t]) - 1)
        elif p[t - 1] < level and p[t] < level:
            scores.append(-d[t])
        else:
            scores.append(d[t - 1])
    return [*scores, d[-1] - 1 if p[-1] < level else d[-1]]


# --- graphs


def every_dag(p):
    """All DAGs on p nodes: 1, 3, 25, 543, 29281 for p = 1, ..., 5."""
    pairs = list(combinations(range(p), 2))
    for choice in product((0, 1, 2), repeat=len(pairs)):
        arcs = frozenset(
            (i, j) if c == 1 else (j, i) for (i, j), c in zip(pairs, choice, strict=True) if c
        )
        if acyclic(arcs, p):
            yield arcs


def acyclic(arcs, p):
    left = set(range(p))
    while left:
        sources = {v for v in left if not any(i in left and j == v for i, j in arcs)}
        if not sources:
            return False
        left -= sources
    return True


def skeleton(arcs):
    return frozenset(frozenset(arc) for arc in arcs)


def v_structures(arcs):
    """(i, j, k) with i -> j <- k, i < k, i and k not adjacent."""
    edges = skeleton(arcs)
    return frozenset(
        (i, j, k)
        for i, j in arcs
        for k, other in arcs
        if other == j and i < k and frozenset((i, k)) not in edges
    )


@lru_cache
def equivalence_classes(p):
    """(skeleton, v-structures) -> all DAGs with them (Verma and Pearl)."""
    classes = {}
    for arcs in every_dag(p):
        classes.setdefault((skeleton(arcs), v_structures(arcs)), []).append(arcs)
    return classes


def cpdag_of_class(dags):
    """The CPDAG of a class: the union of its members' arcs, both ways where they disagree."""
    return frozenset(chain.from_iterable(dags))


def cpdag(arcs, p):
    """The CPDAG as a set of arcs: i -> j is (i, j) alone, i - j is (i, j) and (j, i)."""
    return cpdag_of_class(equivalence_classes(p)[skeleton(arcs), v_structures(arcs)])


def as_matrix(arcs, p):
    """(p, p) of booleans: [i, j] where (i, j) is an arc."""
    matrix = np.zeros((p, p), dtype=bool)
    for i, j in arcs:
        matrix[i, j] = True
    return matrix


def d_separated(arcs, i, j, given):
    """Whether every path between i and j is blocked by `given` (Pearl's definition)."""
    reached = _descendants(arcs)
    return not any(
        _is_open(path, arcs, set(given), reached) for path in _paths([i], j, skeleton(arcs))
    )


def _is_open(path, arcs, given, reached):
    for before, middle, after in zip(path, path[1:], path[2:], strict=False):
        collider = (before, middle) in arcs and (after, middle) in arcs
        opened = (reached.get(middle, set()) | {middle}) & given
        if (collider and not opened) or (not collider and middle in given):
            return False
    return True


def _paths(path, end, edges):
    if path[-1] == end:
        yield path
        return
    for v in {v for edge in edges for v in edge if path[-1] in edge} - set(path):
        yield from _paths([*path, v], end, edges)


def _descendants(arcs):
    reached = {}
    for i, j in arcs:
        reached.setdefault(i, set()).add(j)
    changed = True
    while changed:
        changed = False
        for children in reached.values():
            more = set(chain.from_iterable(reached.get(child, ()) for child in children)) - children
            children |= more
            changed |= bool(more)
    return reached
