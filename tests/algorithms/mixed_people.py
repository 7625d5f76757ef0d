"""Records with numbers and levels, and checks of private fits that several tests share."""

import math
import pickle
from collections import Counter

import dp_accounting
import numpy as np
from dp_accounting import pld

from dpfair_cli.kinds.partitioned_records import PartitionedRecords
from dpfair_cli.kinds.records import Domain, Records
from dpfair_cli.mechanisms.batches import absent
from dpfair_cli.mechanisms.ledger import record, replay
from tests.example_data import state

# three levels of a job, a level of two, and two numbers: four attributes
COLUMNS = ("job=a", "job=b", "job=c", "age", "sex=f", "hours")
ATTRIBUTES = {"job": (0, 1, 2), "age": (3,), "sex": (4,), "hours": (5,)}


def domain(groups=2):
    return Domain(COLUMNS, ATTRIBUTES, tuple("abc"[:groups]))


def mixed(n=60, seed=0, groups=2, lean=0.0):
    """Records whose label depends on age, hours, job and, by `lean`, on the group through sex=f.

    The first groups are the most frequent; sex=f tells most of whether the group is 0.
    """
    rng = np.random.default_rng(seed)
    protected = np.minimum(rng.integers(0, groups + 1, n), groups - 1)
    X = np.zeros((n, 6))
    X[np.arange(n), rng.integers(0, 3, n)] = 1.0
    X[:, 3], X[:, 5] = rng.random(n), rng.random(n) ** 4
    X[:, 4] = (protected == 0) ^ (rng.random(n) < 0.1)
    log_odds = 6 * (X[:, 3] - 0.5) + 3 * (X[:, 5] - 0.2) + X[:, 0] - lean * (X[:, 4] - 0.5)
    y = (rng.random(n) < 1 / (1 + np.exp(-log_odds))).astype(int)
    return Records(X, y, protected, domain(groups))


def replaced(people, k, x, y=1, group=0):
    """The people with another record k."""
    X, labels, groups = people.X.copy(), people.y.copy(), people.protected.copy()
    X[k], labels[k], groups[k] = x, y, group
    return Records(X, labels, groups, people.domain)


# features of records that break what encoded records keep: several levels at once, and numbers
# and levels far outside [0, 1]
EXTREME = {
    "all ones": np.ones(6),
    "all levels": np.array([1.0, 1, 1, 0.3, 1, 0.001]),
    "large": np.full(6, 1e3),
    "negative": np.full(6, -1e3),
    "zeros": np.zeros(6),
}


def fitted(algorithm, people, seed=0, **options):
    """(the model, what was released)."""
    with record() as tape:
        model = algorithm.fit(people, rng=np.random.default_rng(seed), **options)
    return model, tape


def _call(function, part):
    return pickle.loads(pickle.dumps(function))(part)  # as it travels to another process


def parted(people, *sizes):
    """The people in partitions of these sizes."""
    places = np.split(np.arange(len(people)), np.cumsum(sizes)[:-1])
    parts = [people.take(rows) for rows in places]
    chosen = tuple(np.ones(size, dtype=bool) for size in sizes)
    return PartitionedRecords(people.domain, chosen, lambda found: map(_call, found, parts))


def cost_by_dp_accounting(multipliers, delta, sampling_rate=1.0):
    """The epsilon of Gaussian releases by dp_accounting, each on all records or a Poisson batch."""
    accountant = pld.PLDAccountant(value_discretization_interval=1e-4)
    for multiplier, count in Counter(round(one, 9) for one in multipliers).items():
        event = dp_accounting.GaussianDpEvent(multiplier)
        if sampling_rate < 1:
            event = dp_accounting.PoissonSampledDpEvent(sampling_rate, event)
        accountant.compose(dp_accounting.SelfComposedDpEvent(event, count))
    return accountant.get_epsilon(delta)


def joint(multipliers):
    """The noise multiplier of one release that is as private as several on the same records."""
    return 1 / math.sqrt(sum(multiplier**-2 for multiplier in multipliers))


def check_that_releases_are_all(algorithm, people, k, **options):
    """Record k moves each release within its sensitivity, and nothing else reads the record.

    The second fit repeats the releases of the first without record k, in whose place stands
    another record that the fit must not read. Returned are the moves in units of the sensitivity.
    """
    model, tape = fitted(algorithm, people, **options)
    other = replaced(people, k, 1 - np.clip(people.X[k], 0, 1), 1 - people.y[k])
    with replay(tape) as again, absent(k):
        without = algorithm.fit(other, rng=np.random.default_rng(0), **options)
    np.testing.assert_array_equal(state(model), state(without))
    moves = []
    for before, after in zip(tape, again, strict=True):
        assert (before.draw, before.sensitivity) == (after.draw, after.sensitivity)
        assert before.scale == after.scale > 0
        moved = np.linalg.norm(np.ravel(before.value) - np.ravel(after.value))
        moves.append(moved / before.sensitivity)
    assert max(moves) <= 1 + 1e-9
    return moves


def noise_in_deviations(tape):
    """The noise of all releases, each divided by its declared deviation, in one array."""
    return np.concatenate([np.ravel(one.output - one.value) / one.scale for one in tape])
