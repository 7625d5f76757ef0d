"""Copies on a split, and one record in turn in each part of a split."""

from dataclasses import replace

import numpy as np
import pytest

from dpfair_cli import catalog
from dpfair_cli.contracts.declarations import BoundFit
from dpfair_cli.kinds.records import Domain, Records
from dpfair_cli.mechanisms.accounting.accountant import spent_epsilon
from dpfair_cli.papers.ficiu2023.tasks import copies_on_split, record_placement


def people(n=200):
    """A column "husband" that half of the men have, and one woman, record 17."""
    rng = np.random.default_rng(0)
    names = ("age", "husband")
    domain = Domain(names, {"age": (0,), "husband": (1,)}, ("women", "men"))
    groups = np.arange(n) % 3 // 2 ^ 1  # two men for one woman
    groups[17] = 0
    husband = (groups == 1) & (rng.random(n) < 0.5)
    husband[17] = True
    X = np.stack([np.linspace(0, 1, n), husband], axis=1)
    return Records(X, (X[:, 0] > 0.6).astype(int), groups, domain)


def bound(name, **params):
    algorithm = catalog.algorithm(name)
    given = {"epochs": 2, "batch_size": 10, **params}
    return BoundFit(name, algorithm, algorithm.complete(given))


def ages(records):
    return records.X[:, 0].tolist()


def test_the_parts_have_the_sizes_of_the_paper():
    """Sizes rounded down: 39,073 and 9,769 of 48,842; 39,173 and 6,049 of 45,222."""
    for n, share, train in ((48_842, 0.2, 39_073), (45_222, 0.13376, 39_173)):
        domain = Domain((), {}, ("a", "b"))
        zeros = np.zeros(n, dtype=int)
        case = copies_on_split.split(
            Records(np.zeros((n, 0)), zeros, zeros, domain),
            test_share=share,
            rng=np.random.default_rng(0),
        )
        assert (len(case.train), len(case.test)) == (train, n - train)


def test_the_order_as_given_has_the_test_part_first():
    data = people()
    case = copies_on_split.split(
        data, test_share=0.25, order="as_given", rng=np.random.default_rng(0)
    )
    assert ages(case.test) == ages(data)[:50]
    assert ages(case.train) == ages(data)[50:]


def test_scores_are_means_over_the_copies_and_spreads_their_deviations():
    data = people()
    case = copies_on_split.split(data, rng=np.random.default_rng(1))
    fit = bound("dpsgd_adam", copies=5, epsilon=50.0)
    outcome = copies_on_split.study(fit, case, rng=np.random.default_rng(2))
    decisions = outcome.model.decisions(case.test)
    accuracies = [(row == case.test.y).mean() for row in decisions]
    gaps = [
        abs(row[case.test.protected == 1].mean() - row[case.test.protected == 0].mean())
        for row in decisions
    ]
    assert outcome.scores["accuracy"] == pytest.approx(np.mean(accuracies))
    assert outcome.scores["accuracy_spread"] == pytest.approx(np.std(accuracies, ddof=1))
    assert outcome.scores["demographic_parity_difference"] == pytest.approx(np.mean(gaps))
    assert outcome.scores["gap_spread"] == pytest.approx(np.std(gaps, ddof=1))
    one = outcome.model.noisy_steps
    together = replace(one, noise_multiplier=one.noise_multiplier / np.sqrt(5))
    assert spent_epsilon([together], 1e-5) == pytest.approx(50.0, rel=1e-3)
    assert outcome.scores["epsilon_pld"] == pytest.approx(spent_epsilon([one], 1e-5))


def test_a_method_without_noise_has_no_epsilon():
    case = copies_on_split.split(people(), rng=np.random.default_rng(1))
    scores = copies_on_split.study(bound("adam_descent"), case, rng=np.random.default_rng(2)).scores
    assert np.isnan([scores["epsilon_pld"], scores["epsilon_central_limit"]]).all()
    assert np.isnan(scores["accuracy_spread"])


def test_a_method_without_copies_is_refused():
    case = copies_on_split.split(people(), rng=np.random.default_rng(1))
    algorithm = catalog.algorithm("logistic_regression")
    fit = BoundFit("logistic_regression", algorithm, algorithm.complete({}))
    with pytest.raises(ValueError, match="logistic_regression fits none"):
        copies_on_split.study(fit, case, rng=np.random.default_rng(2))


def test_placements_differ_in_the_place_of_one_record():
    data = people()
    case = record_placement.split(data, column="husband", rng=np.random.default_rng(3))
    her = data.X[17, 0]
    first, last, absent = (ages(part) for part in case.fitted)
    assert (first[0], last[-1]) == (her, her)
    assert her not in absent
    assert ages(case.held_out[2])[0] == her
    for fitted, held_out in zip(case.fitted, case.held_out, strict=True):
        assert sorted(ages(fitted) + ages(held_out)) == sorted(ages(data))
        assert len(set(first) - set(ages(fitted))) <= 1


def test_the_curves_name_the_parts_and_the_record_moves_the_features():
    case = record_placement.split(people(), column="husband", rng=np.random.default_rng(3))
    fit = bound("pfairdp", epsilon=50.0, gaps=(-1.0, 1.0))
    outcome = record_placement.study(fit, case, rng=np.random.default_rng(4))
    assert outcome.curves["part"] == ["training", "validation", "test"]
    assert {len(curve) for curve in outcome.curves.values()} == {3}
    kept = [outcome.model.scaling.features(part)[:, 1].any() for part in case.fitted]
    assert kept == [True, True, False]


def test_an_unknown_column_and_a_column_without_a_woman_are_refused():
    data = people()
    with pytest.raises(ValueError, match="unknown column 'wife'"):
        record_placement.split(data, column="wife", rng=np.random.default_rng(0))
    men = data.take(np.flatnonzero(data.protected == 1))
    with pytest.raises(ValueError, match="no record of the first group has husband"):
        record_placement.split(men, column="husband", rng=np.random.default_rng(0))
