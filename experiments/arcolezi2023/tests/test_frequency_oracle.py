"""The six protocols against their definitions, and what they pass to trees that are not trained."""

from __future__ import annotations

from fractions import Fraction
from math import exp, inf, log

import numpy as np
import pytest
from scipy import stats

from dpfair_cli.contracts.guarantees import Neighbours
from dpfair_cli.mechanisms.ledger import record, replay
from dpfair_cli.papers.arcolezi2023.methods import frequency_oracle
from tests.kinds.test_local_records import people
from tests.oracles import subset_selection as oracle

PROTOCOLS = ("sue", "oue", "ss", "blh", "olh", "the")
SETS = PROTOCOLS[:5]  # drawn as subsets
RARE = 1e-4
each_protocol = pytest.mark.parametrize("protocol", PROTOCOLS)


@pytest.fixture(autouse=True)
def _untrained(monkeypatch):
    """`fit` returns the features and labels that the trees would be trained on."""
    monkeypatch.setattr(frequency_oracle, "boosted_trees", lambda X, y, settings: (X, y))


def fit(records, seed=0, **options):
    return frequency_oracle.fit(records, **options, rng=np.random.default_rng(seed))


def literal(protocol, k, odds):
    """The law as the protocol is defined, for exp(epsilon) = `odds`, whose root is rational."""
    root = Fraction(round(float(odds) ** 0.5 * 60), 60)
    assert root**2 == odds
    if protocol == "sue":
        return oracle.bits(k, root / (root + 1), 1 / (root + 1))
    if protocol == "oue":
        return oracle.bits(k, Fraction(1, 2), 1 / (odds + 1))
    if protocol == "ss":
        return oracle.subsets(k, max(1, round(k / (odds + 1))), odds)
    return oracle.hashing(k, 2 if protocol == "blh" else round(odds) + 1, odds)


@pytest.mark.parametrize("protocol", SETS)
@pytest.mark.parametrize("k", [2, 3, 5])
@pytest.mark.parametrize("odds", [Fraction(121, 100), Fraction(9, 4), Fraction(4)])
def test_the_law_of_a_protocol_is_that_of_its_definition(protocol, k, odds):
    chances = frequency_oracle._size_chances(protocol, k, log(odds))
    drawn = oracle.mixed(k, [Fraction(chance) for chance in chances], odds)
    for report, chance in literal(protocol, k, odds).items():
        assert float(drawn[report]) == pytest.approx(float(chance), abs=1e-12)


@pytest.mark.parametrize("protocol", SETS)
@pytest.mark.parametrize("k", [2, 3, 5])
@pytest.mark.parametrize("odds", [Fraction(121, 100), Fraction(9, 4), Fraction(4)])
def test_two_levels_have_likelihoods_with_ratio_exp_epsilon_exactly(protocol, k, odds):
    assert oracle.worst_ratio(literal(protocol, k, odds)) == odds


def rates_of_threshold(epsilon):
    """The rates of the own and of another level: tails of Laplace noise of scale 2 / epsilon."""
    threshold, scale = frequency_oracle._threshold(epsilon), 2 / epsilon
    return stats.laplace.sf(threshold - 1, scale=scale), stats.laplace.sf(threshold, scale=scale)


@pytest.mark.parametrize("epsilon", [0.1, 0.6, 1.0, 3.0, 20.0])
def test_a_threshold_costs_less_than_the_laplace_noise(epsilon):
    """The two bits alone: e^(epsilon/2) (2 - e^(-(1-t) epsilon/2)) (2 - e^(-t epsilon/2))."""
    own, other = rates_of_threshold(epsilon)
    ratio = own * (1 - other) / (other * (1 - own))
    t = frequency_oracle._threshold(epsilon)
    by_hand = exp(epsilon / 2) * (2 - exp(-(1 - t) * epsilon / 2)) * (2 - exp(-t * epsilon / 2))
    assert ratio == pytest.approx(by_hand, rel=1e-6)
    assert ratio < exp(epsilon)


@pytest.mark.parametrize(("epsilon", "value"), [(1.0, 0.6186), (5.0, 0.8465), (0.2, 0.5249)])
def test_the_threshold_has_the_least_variance_on_a_grid(epsilon, value):
    def variance(t):
        p, q = 1 - exp(epsilon * (t - 1) / 2) / 2, exp(-epsilon * t / 2) / 2
        return q * (1 - q) / (p - q) ** 2

    found = frequency_oracle._threshold(epsilon)
    assert found == pytest.approx(value, abs=1e-4)
    assert variance(found) <= min(map(variance, np.linspace(0.01, 0.99, 99))) * (1 + 1e-9)


@pytest.mark.parametrize("epsilon", [1.0, 4.0])
def test_bits_above_the_threshold_have_the_rates_of_the_tails(epsilon):
    rows = np.eye(4)[np.zeros(20_000, int)]
    found = frequency_oracle._reports(rows, "the", epsilon, np.random.default_rng(0))
    own, other = rates_of_threshold(epsilon)
    assert stats.binomtest(int(found[:, 0].sum()), 20_000, own).pvalue > RARE
    assert stats.binomtest(int(found[:, 1:].sum()), 60_000, other).pvalue > RARE
    together = int((found[:, 1] * found[:, 2]).sum())
    assert stats.binomtest(together, 20_000, other**2).pvalue > RARE


@pytest.mark.parametrize(
    ("protocol", "kept"),
    [("sue", 3 / 4), ("oue", 1 / 2), ("ss", 9 / 13), ("blh", 9 / 10), ("olh", 1 / 2)],
)
def test_the_own_level_of_five_at_odds_of_nine_worked_by_hand(protocol, kept):
    """ss: round(5 / 10) = 0, so 1 level, 9 / (9 + 4). blh: 9 / (9 + 1). olh: 9 / (9 + 9)."""
    rows = np.eye(5)[np.full(40_000, 3)]
    found = frequency_oracle._reports(rows, protocol, log(9), np.random.default_rng(0))
    assert stats.binomtest(int(found[:, 3].sum()), 40_000, kept).pvalue > RARE
    assert set(np.unique(found)) == {0.0, 1.0}


@each_protocol
@pytest.mark.parametrize(("split", "shares"), [("k_based", [1.2, 0.8]), ("uniform", [1.0, 1.0])])
def test_town_and_group_share_an_epsilon_of_two(protocol, split, shares):
    """town has 3 levels and group 2; what one record can cost adds up to epsilon."""
    with record() as tape:
        fit(people(200), epsilon=2.0, protocol=protocol, budget_split=split)
    bits = 2 if protocol == "the" else 1
    assert [entry.sensitivity for entry in tape] == [bits, bits]
    assert [entry.sensitivity / entry.scale for entry in tape] == pytest.approx(shares)


@each_protocol
def test_only_the_randomised_attributes_are_changed(protocol):
    records = people(300)
    X, y = fit(records, epsilon=0.1, protocol=protocol)
    changed = X != records.X
    assert changed[:, :2].any()
    assert changed[:, 2:5].any()
    assert not changed[:, 5:].any()
    np.testing.assert_array_equal(y, records.y)


@each_protocol
def test_without_noise_the_features_are_those_of_the_records(protocol):
    records = people(300)
    X, _ = fit(records, epsilon=inf, protocol=protocol)
    np.testing.assert_array_equal(X, records.X)


@each_protocol
def test_equal_reports_of_neighbours_leave_no_difference(protocol):
    relation = Neighbours.RANDOMISED_ATTRIBUTES
    for left, right in people(60).neighbours(relation, count=9, rng=np.random.default_rng(0)):
        with record() as tape:
            first = fit(left, protocol=protocol)
        with replay(tape):
            again = fit(right, protocol=protocol, seed=1)
        np.testing.assert_array_equal(first[0], again[0])
        np.testing.assert_array_equal(first[1], again[1])


@each_protocol
def test_two_fits_have_their_own_reports(protocol):
    records = people(300)
    first, other = (fit(records, seed, protocol=protocol)[0] for seed in (1, 2))
    assert (first != other).any()


@each_protocol
@pytest.mark.parametrize("epsilon", [1e-3, 60.0, 5000.0])
def test_tiny_and_huge_epsilons_give_reports(protocol, epsilon):
    X, _ = fit(people(50), epsilon=epsilon, protocol=protocol)
    assert set(np.unique(X)) <= {0.0, 1.0}
