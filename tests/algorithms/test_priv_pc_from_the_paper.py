"""PrivPC against Equations 4.1 to 4.4 evaluated by exhaustion, and its releases against its budget."""

import warnings
from collections import Counter
from contextlib import contextmanager
from itertools import pairwise, product

import numpy as np
import pytest
from causal_oracles import every_distance
from scipy.special import log_softmax

from dpfair_cli.algorithms.causal_discovery import pc, priv_pc
from dpfair_cli.kinds.variables import Observations
from dpfair_cli.mechanisms import ledger
from dpfair_cli.mechanisms.ledger import record, replay

LEVEL = 0.05


def observed(values, levels):
    values = np.asarray(values, dtype=np.int64).reshape(-1, len(levels))
    return Observations(values, tuple(f"v{j}" for j in range(len(levels))), tuple(levels))


def fit(values, levels, seed=0, **options):
    return priv_pc.fit(observed(values, levels), rng=np.random.default_rng(seed), **options)


def spent(tape):
    """The epsilon of every release: 2 sensitivity / scale for the exponential mechanism."""
    return [2 * entry.sensitivity / entry.scale for entry in tape]


def small_samples(levels, n, count, seed=0):
    rng = np.random.default_rng(seed)
    for _ in range(count):
        values = np.column_stack([rng.integers(0, level, n) for level in levels])
        same = rng.random(n) < rng.choice([0, 0.5, 0.9, 1])
        values[same, 1] = np.minimum(values[same, 0], levels[1] - 1)
        yield values


def exact_distances(values, levels, node):
    """Distance of order 0 to every other node, positive where `node` is independent of it (exhaustive)."""
    found = []
    for other in (j for j in range(len(levels)) if j != node):
        tables, _p, d = every_distance((levels[node], levels[other], 1), len(values), LEVEL)
        counts = np.zeros((levels[node], levels[other]), dtype=np.int64)
        np.add.at(counts, (values[:, node], values[:, other]), 1)
        found.append(-d[(tables == counts.ravel()).all(axis=1)][0])
    return np.array(found)


def exact_q2(distances):
    """Equations 4.2 to 4.4 with independence, not its rejection, as the thing to be found (positive distances)."""
    d = sorted(distances, reverse=True)
    scores = [-d[0] - 1 if d[0] < 0 else -d[0]]
    for before, after in pairwise(d):
        scores.append(min(before, -after) - 1 if before > 0 > after else -after if before > 0 else before)
    return [*scores, d[-1] - 1 if d[-1] > 0 else d[-1]]


@pytest.mark.parametrize(("levels", "n"), [((2, 2, 2), 8), ((2, 2, 2), 14), ((2, 3, 2), 7)])
def test_with_exact_distances_the_first_choices_have_the_scores_of_the_paper(levels, n):
    for values in small_samples(levels, n, 25):
        distances = exact_distances(values, levels, 0)
        with scripted([2]) as first:  # both neighbours of node 0 are to be removed
            fit(values, levels, significance=LEVEL, epsilon=1.0, score="exact")
        np.testing.assert_allclose(first[0].value, exact_q2(distances))
        np.testing.assert_allclose(first[1].value, distances - np.sign(distances) / 2)  # the jump at 0 closed


READINGS = [
    {},
    {"orders": 1},
    {"orders": 5},
    {"score": "exact"},
    {"adjacency": "updated"},
    {"separators": "released"},
    {"adjacency": "updated", "separators": "released", "score": "exact"},
    {"records_per_freedom": 10.0},
]
every_reading = pytest.mark.parametrize("reading", READINGS, ids=str)


@every_reading
@pytest.mark.parametrize("epsilon", [0.1, 10.0])
def test_the_releases_of_a_fit_cost_at_most_epsilon_together(epsilon, reading):
    for seed, values in enumerate(small_samples((2, 3, 2, 2, 3), 60, 3)):
        with record() as tape:
            fit(values, (2, 3, 2, 2, 3), seed, epsilon=epsilon, **reading)
        assert {entry.mechanism for entry in tape} == {"exponential"}
        assert sum(spent(tape)) <= epsilon * (1 + 1e-9)


@every_reading
@pytest.mark.parametrize(("levels", "n"), [((2, 2, 2), 8), ((2, 2, 2, 2), 9), ((2, 3, 4, 2), 60)])
def test_no_query_moves_by_more_than_its_declared_sensitivity(levels, n, reading):
    rng = np.random.default_rng(1)
    worst = 0.0
    for values in small_samples(levels, n, 8, seed=3):
        other = values.copy()
        other[0] = [rng.integers(level) for level in levels]
        with record() as tape:
            fit(values, levels, significance=LEVEL, epsilon=1.0, **reading)
        with replay(tape) as again:
            fit(other, levels, significance=LEVEL, epsilon=1.0, **reading)
        assert len(tape) == len(again)
        for old, new in zip(tape, again, strict=True):
            assert (old.scale, old.sensitivity) == (new.scale, new.sensitivity)
            worst = max(worst, np.abs(np.asarray(old.value) - new.value).max() / old.sensitivity)
    assert worst <= 1 + 1e-9


@every_reading
def test_given_its_releases_the_graph_does_not_depend_on_the_data(reading):
    levels = (2, 2, 2, 2)
    for seed, values in enumerate(small_samples(levels, 20, 6, seed=5)):
        with record() as tape:
            graph = fit(values, levels, seed, epsilon=2.0, **reading)
        for other in (np.zeros_like(values), np.ones_like(values), values[::-1] ^ 1):
            with replay(tape):
                same = fit(other, levels, seed, epsilon=2.0, **reading)
            np.testing.assert_array_equal(graph.cpdag, same.cpdag)
            assert (graph.tests, graph.reads) == (same.tests, same.reads)


@contextmanager
def scripted(outputs):
    """Every release gives the next of `outputs`, then 0; collects the releases."""
    tape, rest = [], list(outputs)

    def listen(entry):
        output = rest.pop(0) if rest else 0
        tape.append(entry)
        return output

    token = ledger._listener.set(listen)
    try:
        yield tape
    finally:
        ledger._listener.reset(token)


def distribution(values, levels, **options):
    """Graph -> its exact probability: every sequence of releases is played once."""
    found, script = Counter(), []
    while script is not None:
        with scripted(script) as tape:
            graph = fit(values, levels, **options)
        outputs = script + [0] * (len(tape) - len(script))
        logs = [log_softmax(entry.value / entry.scale)[k] for entry, k in zip(tape, outputs, strict=True)]
        found[graph.cpdag.tobytes()] += np.exp(sum(logs))
        script = following(outputs, [np.size(entry.value) for entry in tape])
    return found


def following(outputs, sizes):
    """The next sequence in the order of an odometer, None after the last one."""
    for step in reversed(range(len(outputs))):
        if outputs[step] + 1 < sizes[step]:
            return [*outputs[:step], outputs[step] + 1]
    return None


@pytest.mark.parametrize(
    "options",
    [
        {"epsilon": 1.0},
        {"epsilon": 6.0, "orders": 1},
        {"epsilon": 6.0, "orders": 1, "score": "exact"},
        {"epsilon": 6.0, "orders": 1, "adjacency": "updated"},
        {"epsilon": 6.0, "orders": 1, "separators": "released"},
    ],
    ids=str,
)
def test_the_exact_privacy_loss_is_within_the_claim(options):
    levels, rng = (2, 2, 2), np.random.default_rng(7)
    worst = 0.0
    for values in small_samples(levels, 7, 3, seed=11):
        other = values.copy()
        other[0] = rng.integers(0, 2, 3)
        p, q = (distribution(v, levels, significance=LEVEL, **options) for v in (values, other))
        assert sum(p.values()) == pytest.approx(1)
        assert set(p) == set(q)
        worst = max(worst, *(abs(np.log(p[graph] / q[graph])) for graph in p))
    assert worst <= options["epsilon"]
    assert worst > 0


def test_the_published_score_breaks_its_claim():
    """Two binary variables, 16 records, one of them another: what the greedy distance says leaps from 1 to 7."""
    old, new = (np.repeat(list(product((0, 1), repeat=2)), counts, axis=0) for counts in ((1, 0, 3, 12), (0, 1, 3, 12)))
    losses = {}
    for score in ("published", "certified", "exact"):
        options = {"significance": 0.01, "epsilon": 1.0, "orders": 1, "score": score}
        p, q = (distribution(values, (2, 2), **options) for values in (old, new))
        losses[score] = max(abs(np.log(p[graph] / q[graph])) for graph in p)
    assert losses["certified"] <= 1
    assert losses["exact"] <= 1
    assert losses["published"] > 2


def network(n, seed=0):
    """Strong dependences v0 -> v2 <- v1, v2 -> v3; v4 alone; 2 or 3 levels."""
    rng = np.random.default_rng(seed)
    a, b, e = rng.integers(0, 2, n), rng.integers(0, 3, n), rng.integers(0, 2, n)
    c = np.where(rng.random(n) < 0.85, (a + b) % 3, rng.integers(0, 3, n))
    d = np.where(rng.random(n) < 0.85, c > 0, rng.integers(0, 2, n)).astype(int)
    return np.column_stack([a, b, c, d, e]), (2, 3, 3, 2, 2)


def test_without_noise_it_finds_the_skeleton_that_pc_finds():
    for seed in range(3):
        values, levels = network(1500, seed)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            private = fit(values, levels, epsilon=np.inf)
        public = pc.fit(observed(values, levels), rng=np.random.default_rng(0))
        np.testing.assert_array_equal(private.skeleton, public.skeleton)


def test_with_a_large_budget_it_finds_what_it_finds_without_noise():
    values, levels = network(1500)
    np.testing.assert_array_equal(
        fit(values, levels, epsilon=1e7).skeleton, fit(values, levels, epsilon=np.inf).skeleton
    )


@pytest.mark.parametrize("epsilon", [0.5, np.inf])
@pytest.mark.parametrize(
    "values",
    [np.zeros((30, 3)), np.repeat(np.arange(2), 15)[:, None] * np.ones(3), np.ones((1, 3)), np.empty((0, 3))],
    ids=["constant", "copies", "one record", "no record"],
)
def test_degenerate_data_give_a_graph_without_a_warning(values, epsilon):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        graph = fit(values, (2, 2, 2), epsilon=epsilon)
    assert graph.skeleton.shape == (3, 3)
    assert not graph.skeleton.diagonal().any()


def test_numbers_are_refused_in_one_line():
    with pytest.raises(ValueError, match="priv_pc needs categories"):
        priv_pc.fit(Observations(np.zeros((5, 2)), ("a", "b")), rng=np.random.default_rng(0))


@pytest.mark.parametrize("epsilon", [0, -1, float("nan")])
def test_an_epsilon_that_is_not_positive_is_refused(epsilon):
    with pytest.raises(ValueError, match="epsilon must be positive"):
        fit([[0, 1]] * 5, (2, 2), epsilon=epsilon)


@pytest.mark.parametrize("significance", [0, 1, -0.1, float("nan")])
def test_a_significance_outside_zero_and_one_is_refused(significance):
    with pytest.raises(ValueError, match="significance"):
        fit([[0, 1]] * 5, (2, 2), significance=significance)


def test_two_columns_and_one_column_work():
    rng = np.random.default_rng(0)
    for p, epsilon in product((1, 2), (0.5, np.inf)):
        assert fit(rng.integers(0, 2, (50, p)), (2,) * p, epsilon=epsilon).skeleton.shape == (p, p)
