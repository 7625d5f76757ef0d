"""The distance and the accuracies of Tables 7.1 and 7.2: by hand, scipy, scikit-learn's rows."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chi2_contingency, chisquare
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier

from dpfair_cli.metrics.generated_data import (
    chi2_distance,
    classifier_accuracies,
    pearson_distance,
    share_outside,
)
from tests.models.causal_fairness.made_records import dag, random_joint, rows_of

NAMES = {"accuracy_svm", "accuracy_dt", "accuracy_lr", "accuracy_rf"}
GRAPH = dag("a>y b>y c>y s>y")  # axes a, b, c, s, y


PEOPLE = 10_000


def roles(graph):
    """The places of the protected variable and of the label."""
    return graph.place(graph.protected), graph.place(graph.label)


def test_the_distance_of_halves_from_quarters_by_hand():
    """100 records each: 50 and 50 against 75 and 25; 25^2 / 125 + 25^2 / 75 = 5 + 25/3."""
    ours, real = np.array([1 / 2, 1 / 2]), np.array([3 / 4, 1 / 4])
    assert chi2_distance(ours, real, 100) == pytest.approx(5 + 25 / 3)
    assert chi2_distance(real, ours, 100) == pytest.approx(5 + 25 / 3)


def test_people_who_share_no_cell_are_as_far_apart_as_they_are_many():
    """n (1/1 + 1/1)."""
    assert chi2_distance(
        np.array([[1.0, 0], [0, 0]]), np.array([[0, 0], [0, 1.0]]), 7
    ) == pytest.approx(14)


def test_nothing_is_between_a_distribution_and_itself():
    joint = random_joint(4, 0, smallest=0)
    assert chi2_distance(joint, joint, 65_123) == 0


@given(st.integers(0, 10**6))
@settings(max_examples=40)
def test_the_distance_is_pearsons_statistic_of_two_samples_of_one_size(seed):
    """Empty cells are not columns for scipy."""
    rng = np.random.default_rng(seed)
    chances = rng.dirichlet(np.ones(16), size=2)
    counts = np.array([rng.multinomial(200, chance) for chance in chances])
    counts[:, rng.integers(16)] = 0
    sizes = counts.sum(axis=1)
    counts[0 if sizes[0] < sizes[1] else 1, 3 if counts[:, 3].any() else 4] += abs(
        int(sizes[0] - sizes[1])
    )
    n = int(counts[0].sum())
    expected = chi2_contingency(counts[:, counts.any(axis=0)], correction=False).statistic
    ours, real = (part.reshape((2,) * 4) / n for part in counts)
    assert chi2_distance(ours, real, n) == pytest.approx(expected, rel=1e-9)


def test_pearsons_distance_of_halves_from_quarters_by_hand():
    """100 records: 50 and 50 against 75 and 25; 25^2 / 75 + 25^2 / 25 = 25/3 + 25."""
    ours, real = np.array([1 / 2, 1 / 2]), np.array([3 / 4, 1 / 4])
    assert pearson_distance(ours, real, 100) == pytest.approx(25 / 3 + 25)


def test_pearsons_distance_is_that_of_scipy():
    rng = np.random.default_rng(0)
    ours, real = rng.dirichlet(np.ones(16), size=2)
    expected = chisquare(300 * ours, 300 * real).statistic
    assert pearson_distance(ours, real, 300) == pytest.approx(expected)


def test_cells_without_real_records_are_left_out_and_counted_as_a_share():
    ours, real = np.array([0.2, 0.5, 0.3]), np.array([0.5, 0.5, 0.0])
    assert pearson_distance(ours, real, 10) == pytest.approx(10 * 0.09 / 0.5)
    assert share_outside(ours, real) == pytest.approx(0.3)


def bayes(joint):
    """The more frequent label of each cell of a, b, c, which only a full tree can learn."""
    return joint.sum(axis=3).argmax(axis=-1)


def share_that_is_right(decided, real):
    """The records of `real` with the label that is decided for their a, b, c."""
    right = sum(real[a, b, c, :, decided[a, b, c]].sum() for a, b, c in product((0, 1), repeat=3))
    return float(right / real.sum())


def clear_counts(seed=0):
    """Most records with two of a, b, c have the label, most others do not: all can learn it."""
    rng = np.random.default_rng(seed)
    counts = rng.integers(8, 16, (2,) * 5)
    for a, b, c in product((0, 1), repeat=3):
        counts[a, b, c, :, int(a + b + c >= 2)] *= 12
    return counts


def test_all_four_learn_what_is_clear_and_are_scored_on_the_real_people():
    ours, real = clear_counts(), clear_counts(1) + random_joint(5, 1) * 400
    found = classifier_accuracies(ours / ours.sum(), real / real.sum(), *roles(GRAPH), n=ours.sum())
    assert set(found) == NAMES
    expected = share_that_is_right(bayes(ours), real)
    assert 0.7 < expected < 0.95
    for name in NAMES:
        assert found[name] == pytest.approx(expected, abs=1e-9), name


def test_rules_learned_from_turned_labels_are_wrong_about_real_people():
    """Learned from `ours`, scored under `real`: exchanged they would be right."""
    counts = clear_counts()
    found = classifier_accuracies(
        counts[..., ::-1] / counts.sum(), counts / counts.sum(), *roles(GRAPH), n=PEOPLE
    )
    expected = 1 - share_that_is_right(bayes(counts), counts)
    assert expected < 0.2
    for name in NAMES:
        assert found[name] == pytest.approx(expected, abs=1e-9), name


def test_they_do_not_look_at_the_protected_variable():
    """s is the label of all; a, b, c tell it of three in five."""
    counts = np.zeros((2,) * 5, dtype=int)
    for a, b, c, y in product((0, 1), repeat=4):
        counts[a, b, c, y, y] = 30 if y == (a + b + c >= 2) else 20
    joint = counts / counts.sum()
    found = classifier_accuracies(joint, joint, *roles(GRAPH), n=PEOPLE)
    for name in NAMES:
        assert found[name] == pytest.approx(0.6, abs=1e-9), name


def test_the_place_of_the_label_among_the_names_makes_no_difference():
    counts = clear_counts()
    ours, real = counts / counts.sum(), random_joint(5, 2)
    order = ("y", "c", "s", "a", "b")
    turned = dag("a>y b>y c>y s>y", names=order)
    axes = [GRAPH.place(name) for name in order]
    one = classifier_accuracies(ours, real, *roles(GRAPH), n=PEOPLE)
    two = classifier_accuracies(
        ours.transpose(axes), real.transpose(axes), *roles(turned), n=PEOPLE
    )
    for name in ("accuracy_dt", "accuracy_lr"):
        assert two[name] == pytest.approx(one[name], abs=1e-9), name


@pytest.mark.parametrize("seed", range(6))
def test_a_tree_is_scikit_learns_on_a_row_a_person(seed):
    """Random tables: the result of weighted cells is that of a tree grown on all rows."""
    ours, real = (np.random.default_rng([seed, k]).integers(1, 40, (2,) * 5) for k in (0, 1))
    learned, scored = rows_of(ours), rows_of(real)
    tree = DecisionTreeClassifier(random_state=0).fit(learned[:, :3], learned[:, 4])
    expected = tree.score(scored[:, :3], scored[:, 4])
    assert expected == pytest.approx(share_that_is_right(bayes(ours), real), abs=1e-9)
    found = classifier_accuracies(ours / ours.sum(), real / real.sum(), *roles(GRAPH), n=ours.sum())
    assert found["accuracy_dt"] == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("seed", range(6))
def test_logistic_regression_is_scikit_learns_on_a_row_a_person(seed):
    """Tables whose every cell is decided, whatever the strength of the penalty."""
    rng = np.random.default_rng(seed)
    weights = rng.choice([-2.5, -1.5, 1.5, 2.5], 3)
    ours = np.zeros((2,) * 5, dtype=int)
    for a, b, c, s in product((0, 1), repeat=4):
        crowd, score = rng.integers(100, 400), weights @ [a, b, c] - weights.sum() / 2
        ours[a, b, c, s, 1] = round(crowd / (1 + np.exp(-score)))
        ours[a, b, c, s, 0] = crowd - ours[a, b, c, s, 1]
    real = rng.integers(1, 40, (2,) * 5)
    learned, scored = rows_of(ours), rows_of(real)
    rule = LogisticRegression().fit(learned[:, :3], learned[:, 4])
    cells = np.array(list(product((0, 1), repeat=3)))
    assert np.abs(rule.predict_proba(cells)[:, 1] - 0.5).min() > 0.03
    found = classifier_accuracies(ours / ours.sum(), real / real.sum(), *roles(GRAPH), n=ours.sum())
    assert found["accuracy_lr"] == pytest.approx(rule.score(scored[:, :3], scored[:, 4]), abs=1e-9)


@pytest.mark.parametrize("label", [0, 1])
def test_a_single_label_is_predicted_for_all_records(label):
    """A1 in Table 7.2: all four accuracies are the share of the majority, 0.7615."""
    ours, real = random_joint(5, 0), random_joint(5, 1)
    ours[..., 1 - label] = 0
    ours /= ours.sum()
    found = classifier_accuracies(ours, real, *roles(GRAPH), n=PEOPLE)
    for name in NAMES:
        assert found[name] == pytest.approx(real[..., label].sum(), abs=1e-9), name


def test_the_same_tables_give_the_same_accuracies_and_are_not_changed():
    ours, real = random_joint(5, 3), random_joint(5, 4)
    before = ours.copy(), real.copy()
    assert classifier_accuracies(ours, real, *roles(GRAPH), n=PEOPLE) == classifier_accuracies(
        ours, real, *roles(GRAPH), n=PEOPLE
    )
    chi2_distance(ours, real, 10)
    np.testing.assert_array_equal(ours, before[0])
    np.testing.assert_array_equal(real, before[1])
