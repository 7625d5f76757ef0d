"""The study of noise and fairness: scores against a plain loop, and how often the bounds hold."""

from functools import partial

import numpy as np
import pytest

from dpfair_cli.algorithms.regression import functional_mechanism, output_perturbation
from dpfair_cli.kinds.records import Domain, Records
from dpfair_cli.mechanisms.ledger import record
from dpfair_cli.metrics import classification
from dpfair_cli.metrics.fairness_functions import NOTIONS
from dpfair_cli.tasks import private_gap

STANDARD = ((0.5, 0.25), (0.4, 0.3), (0.0, 1.0))


def crowd(n=900, groups=2, seed=0):
    rng = np.random.default_rng(seed)
    protected = rng.integers(0, groups, n)
    X = np.clip(rng.random((n, 3)) + 0.1 * protected[:, None] * [1, 0, -1], 0, 1)
    y = (X[:, 0] + 0.3 * rng.normal(size=n) > 0.55).astype(np.int64)
    names = tuple(f"x{j}" for j in range(3))
    domain = Domain(
        names,
        {name: (j,) for j, name in enumerate(names)},
        tuple("abc"[:groups]),
        standard=STANDARD,
    )
    return Records(X, y, protected, domain)


def case(draws=30, zeta=0.01, **options):
    return private_gap.split(crowd(**options), draws=draws, zeta=zeta, rng=np.random.default_rng(1))


def study(found, **options):
    return private_gap.study(
        partial(output_perturbation.fit, **options), found, rng=np.random.default_rng(2)
    ).scores


def test_every_score_is_there():
    assert tuple(study(case())) == private_gap.SCORES


def test_accuracies_and_levels_are_those_of_a_plain_loop_over_the_models():
    found, rng = case(draws=8), np.random.default_rng(2)
    with record() as tape:
        models = [output_perturbation.fit(found.train, epsilon=0.2, rng=rng) for _ in range(8)]
    counts = [
        classification.tabulate(m.predict(found.test), found.test.y, found.test.protected, groups=2)
        for m in models
    ]
    scores = study(found, epsilon=0.2)
    assert scores["accuracy"] == pytest.approx(
        np.mean([classification.accuracy(c) for c in counts])
    )
    assert scores["selection_rate"] == pytest.approx(
        np.mean([classification.selection_rate(c) for c in counts])
    )
    assert scores["majority_accuracy"] == pytest.approx(classification.majority_accuracy(counts[0]))
    rates = [c[:, 1, 1] / c[:, 1].sum(axis=1) for c in counts]
    overall = [c[:, 1, 1].sum() / c[:, 1].sum() for c in counts]
    # K = 4, two levels are 0
    opportunity = [np.abs(r - o).sum() / 4 for r, o in zip(rates, overall, strict=True)]
    assert scores["equality_of_opportunity"] == pytest.approx(np.mean(opportunity))
    assert scores["distance"] == pytest.approx(
        np.mean([np.linalg.norm(e.output - e.value) for e in tape])
    )


def test_without_noise_every_gap_and_bound_is_zero_and_nothing_is_exceeded():
    scores = study(case(draws=3), epsilon=np.inf)
    assert scores["distance"] == pytest.approx(0, abs=1e-12)
    assert scores["distance_bound"] == 0
    assert scores["distance_within"] == 1
    for notion in NOTIONS:
        assert scores[f"{notion}_gap"] == pytest.approx(0, abs=1e-12)
        assert scores[f"{notion}_bound"] == scores[f"{notion}_chernoff"] == 0
        assert scores[f"{notion}_within"] == scores[f"{notion}_within_private"] == 1
        assert scores[notion] == pytest.approx(scores[f"{notion}_optimal"], abs=1e-12)


@pytest.mark.parametrize("groups", [2, 3])
@pytest.mark.parametrize("epsilon", [0.05, 1.0, 20.0])
@pytest.mark.parametrize("projection", ["none", "ball"])
def test_the_bounds_hold_in_at_least_one_minus_zeta_of_the_draws(groups, epsilon, projection):
    scores = study(case(draws=300, groups=groups), epsilon=epsilon, projection=projection)
    assert scores["distance_within"] >= 0.99
    for notion in NOTIONS:
        for form in ("_within", "_within_private", "_within_chernoff"):
            assert scores[notion + form] >= 0.99, notion + form
        assert scores[f"{notion}_gap"] <= scores[f"{notion}_chernoff"] <= 2


def test_the_distance_is_sigma_root_p():
    scores = study(case(draws=500), epsilon=1.0)
    # the mean norm of 3 normal deviates is 2 sqrt(2 / pi) = 1.5958, over sqrt(3)
    assert scores["distance_scaled"] == pytest.approx(2 * np.sqrt(2 / np.pi) / np.sqrt(3), rel=0.05)


def test_a_loose_zeta_gives_a_smaller_bound():
    sure, loose = (study(case(zeta=zeta))["distance_bound"] for zeta in (0.01, 0.5))
    assert sure / loose == pytest.approx(np.sqrt(np.log(200) / np.log(4)))


def test_a_method_that_releases_something_else_is_refused():
    with pytest.raises(ValueError, match="one Gaussian release"):
        private_gap.study(functional_mechanism.fit, case(draws=2), rng=np.random.default_rng(0))


@pytest.mark.parametrize("options", [{"draws": 0}, {"zeta": 0.0}, {"zeta": 1.0}])
def test_a_study_of_nothing_is_refused(options):
    with pytest.raises(ValueError, match=r"(draws|zeta) must "):
        case(**options)


def test_zero_columns_raise_the_bound_as_root_p_and_keep_the_gap():
    """sqrt(p) is in the bound only: a decision changes by the noise along one record, for any p."""
    few = crowd()
    wide = np.hstack([few.X, np.zeros((len(few), 24))])  # p = 27; standardised they stay 0
    names = tuple(f"x{j}" for j in range(27))
    domain = Domain(
        names,
        {n: (j,) for j, n in enumerate(names)},
        ("a", "b"),
        standard=STANDARD + ((0.0, 1.0),) * 24,
    )
    many = Records(wide, few.y, few.protected, domain)
    small, large = (
        study(private_gap.split(records, draws=600, rng=np.random.default_rng(1)), epsilon=2.0)
        for records in (few, many)
    )
    ratio = large["equalized_odds_bound"] / small["equalized_odds_bound"]
    assert ratio == pytest.approx(3)  # sqrt(27 / 3)
    assert large["distance_bound"] / small["distance_bound"] == pytest.approx(3)
    assert large["equalized_odds_gap"] / small["equalized_odds_gap"] == pytest.approx(1, abs=0.1)
