"""A synthetic table with 0/1 columns, a biased label and a proxy of the group."""

from __future__ import annotations

import numpy as np

from dpfair_cli.kinds.records import Domain, Records

VALUES = {
    "proxy": ("low", "middle", "high"),
    "skill": ((0, 9), (10, 19), (20, 29)),
    "other": ("no", "yes"),
    "region": ("north", "south"),
    "decision": ("refused", "hired"),
}
SIZES = {"proxy": 3, "skill": 3, "other": 2}
PROXY = np.array([[0.6, 0.3, 0.1], [0.1, 0.2, 0.7]])  # (groups, levels)
SKILL = np.array([0.5, 0.3, 0.2])
HIRED = np.array(
    [[0.1, 0.3, 0.6], [0.4, 0.7, 0.9]]
)  # P(y = 1 | s, skill): a risk difference of about 0.33
DOMAIN_OF_NUMBERS = Domain(("age", "work=b"), {"age": (0,), "work": (1,)}, ("north", "south"))


def domain():
    columns, attributes = [], {}
    for name, size in SIZES.items():
        attributes[name] = tuple(range(len(columns), len(columns) + size))
        columns += [
            f"{name}={value if isinstance(value, str) else f'{value[0]}..{value[1]}'}"
            for value in VALUES[name]
        ]
    return Domain(tuple(columns), attributes, VALUES["region"], values=VALUES)


def records(proxy, skill, other, y, protected):
    """The records of these codes, (n,) each."""
    blocks = [
        np.eye(SIZES[name])[codes] for name, codes in zip(SIZES, (proxy, skill, other), strict=True)
    ]
    return Records(
        np.hstack(blocks),
        np.array(y, dtype=np.int64),
        np.array(protected, dtype=np.int64),
        domain(),
    )


def people(n=600, seed=0):
    """60 % in group 1; proxy depends on group, label on skill and group, `other` is random."""
    rng = np.random.default_rng(seed)
    protected = (rng.random(n) < 0.6).astype(np.int64)
    proxy = (rng.random((n, 1)) > PROXY.cumsum(axis=1)[protected, :-1]).sum(axis=1)
    skill = rng.choice(3, n, p=SKILL)
    y = rng.random(n) < HIRED[protected, skill]
    return records(proxy, skill, rng.integers(0, 2, n), y, protected)


def without_cell(label, group, n=600):
    """The records without those of one group and label."""
    everybody = people(n)
    return everybody.take(np.flatnonzero((everybody.y != label) | (everybody.protected != group)))


def with_a_number(n=100):
    """Records with a number column: what the encodings "one_hot" and "ordinal" give."""
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.random(n), rng.integers(0, 2, n)])
    return Records(X, rng.integers(0, 2, n), rng.integers(0, 2, n), DOMAIN_OF_NUMBERS)


def rows(found, *, y=True, protected=True):
    """The records as sorted tuples, equal for tables with equal rows."""
    parts = [found.X, *([found.y] if y else []), *([found.protected] if protected else [])]
    return sorted(map(tuple, np.column_stack(parts).tolist()))


def risk_difference(y, protected):
    """P(y = 1 | s = 1) - P(y = 1 | s = 0), with its sign."""
    return float(y[protected == 1].mean() - y[protected == 0].mean())


def deviation_of_risk_difference(found):
    """The standard deviation of the risk difference of labels independent of the groups."""
    rate, groups = found.y.mean(), np.bincount(found.protected, minlength=2)
    return float(np.sqrt(rate * (1 - rate) * (1 / groups).sum()))


def total_variation(ours, theirs, name):
    """Half the L1 distance between the shares of an attribute's levels in two tables."""
    places = list(ours.domain.attributes[name])
    return float(
        np.abs(ours.X[:, places].mean(axis=0) - theirs.X[:, places].mean(axis=0)).sum() / 2
    )
