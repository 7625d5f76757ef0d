"""Small causal graphs with protected variable s and label y, and records that follow them."""

from __future__ import annotations

from itertools import combinations, pairwise, product

import numpy as np

from dpfair_cli.kinds.causal_records import CausalDag, CausalRecords
from dpfair_cli.kinds.records import Domain

# text of a graph: its arrows; names that have none stand alone
GRAPHS = {
    "one edge": "a s>y",
    "chain": "s>m m>y",
    "long chain": "s>m m>n n>y",
    "confounder": "a>s a>y s>y",
    "diamond": "s>m s>n m>y n>y",
    "figure 7.3": "a>s a>y s>b s>y b>y",
    "figure 7.3 with another arrow": "a>s a>b a>y s>b s>y b>y",
    "every arrow": "c>m c>s c>y s>m s>y m>y",
    "two parents": "a>b a>s b>s a>y b>m s>m s>y m>y",
    "kite": "s>m m>n m>y n>y s>y",
    "side effect": "a>d s>d s>m m>y",
    "instrument": "i>s a>y s>y",
    "no path": "s>d a>y",
    "two mediators, one edge between them": "s>m s>n m>n m>y n>y",
}


def dag(text, names=()):
    """The graph of a text of arrows; attributes in alphabetical order, then s and y."""
    arcs = [tuple(word.split(">")) for word in text.split() if ">" in word]
    found = set(text.replace(">", " ").split()) - {"s", "y"}
    names = tuple(names) or (*sorted(found), "s", "y")
    arrows = np.zeros((len(names), len(names)), dtype=bool)
    for one, other in arcs:
        arrows[names.index(one), names.index(other)] = True
    return CausalDag(names, arrows, "s", "y")


def graphs():
    """Each graph by its name, and one by three whose label and protected variable come first."""
    return {name: dag(text) for name, text in GRAPHS.items()} | {
        "label first": dag("s>m m>y s>y a>m", names=("y", "s", "m", "a"))
    }


def places(graph, *paths):
    """Paths of names such as "s m y" as tuples of indices."""
    return tuple(tuple(map(graph.names.index, path.split())) for path in paths)


def directed_paths(graph, start, end):
    """Every directed path between two variables, by trying every order of every set of others."""
    p, found = len(graph.names), set()
    others = [v for v in range(p) if v not in (start, end)]
    for size in range(p - 1):
        for between in combinations(others, size):
            for order in _orders(between):
                path = (start, *order, end)
                if all(graph.arrows[i, j] for i, j in pairwise(path)):
                    found.add(path)
    return found


def _orders(items):
    if not items:
        return [()]
    found = []
    for first in items:
        others = [item for item in items if item != first]
        found += [(first, *rest) for rest in _orders(others)]
    return found


def product_of_tables(graph, joint):
    """Every cell by its product of conditional shares, each counted from the joint by a loop."""
    p, found = len(graph.names), np.zeros(joint.shape)
    cells = list(product((0, 1), repeat=p))
    for cell in cells:
        found[cell] = 1
        for v in range(p):
            above = np.flatnonzero(graph.arrows[:, v])
            like = [other for other in cells if all(other[u] == cell[u] for u in above)]
            weight = sum(joint[other] for other in like)
            found[cell] *= sum(joint[other] for other in like if other[v] == cell[v]) / weight
    return found


def random_joint(p, seed, smallest=1):
    """Random integers up to 30, at least `smallest`, as shares."""
    counts = np.random.default_rng(seed).integers(smallest, 31, (2,) * p)
    return counts / counts.sum()


def rows_of(counts):
    """As many rows (n, p) of each cell as `counts` (2,) * p says, in a shuffled order."""
    codes = np.repeat(np.argwhere(np.ones_like(counts, dtype=bool)), counts.ravel(), axis=0)
    return np.random.default_rng(0).permutation(codes)


def people(codes, graph, through=(), context=()):
    """The records with these codes (n, p), in the order of the graph's names."""
    codes, names = np.asarray(codes, dtype=np.int64), graph.names[:-2]
    X = np.stack([1 - codes[:, :-2], codes[:, :-2]], axis=2).reshape(len(codes), -1).astype(float)
    values = {name: (f"no {name}", name) for name in names} | {
        "s": ("women", "men"),
        "y": ("refused", "hired"),
    }
    domain = Domain(
        columns=tuple(f"{name}={value}" for name in names for value in values[name]),
        attributes={name: (2 * k, 2 * k + 1) for k, name in enumerate(names)},
        groups=values["s"],
        values=values,
    )
    return CausalRecords(
        X,
        codes[:, -1].copy(),
        codes[:, -2].copy(),
        domain,
        graph=graph,
        through=tuple(through),
        context=tuple(context),
    )


def codes_of(records):
    """The codes (n, p) of any Records of such a domain: attributes, protected group, label."""
    ones = [records.X[:, columns[1]] for columns in records.domain.attributes.values()]
    return np.column_stack([*ones, records.protected, records.y]).astype(np.int64)


def shares(codes):
    """The share of every cell, (2,) * p, by counting row by row."""
    found = np.zeros((2,) * codes.shape[1])
    for row in codes.tolist():
        found[tuple(row)] += 1 / len(codes)
    return found


# A, B, S, Y of Figure 7.3: every combination occurs, and the effect is large both ways
P_A = 0.5
P_S = np.array([0.3, 0.7])  # given a
P_B = np.array([0.15, 0.85])  # given s
P_Y = np.array([[[0.05, 0.45], [0.5, 0.9]], [[0.1, 0.5], [0.55, 0.95]]])  # given a, b, s


def unfair_people(n=600, seed=0, through=("b",), context=("a",)):
    """Records of the graph of Figure 7.3 with a total effect of about 0.7: 0.4 + 0.45 * 0.7."""
    rng = np.random.default_rng(seed)
    a = (rng.random(n) < P_A).astype(int)
    s = (rng.random(n) < P_S[a]).astype(int)
    b = (rng.random(n) < P_B[s]).astype(int)
    y = (rng.random(n) < P_Y[a, b, s]).astype(int)
    return people(np.column_stack([a, b, s, y]), dag(GRAPHS["figure 7.3"]), through, context)
