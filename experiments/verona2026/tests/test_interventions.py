"""The eight interventions against loops, numbers worked by hand, and fairlearn called directly."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import MinMaxScaler

from dpfair_cli.kinds.records import Domain, Records
from dpfair_cli.papers.verona2026.models import after_training, before_training, framework_draws
from dpfair_cli.papers.verona2026.models.after_training import Scored
from dpfair_cli.papers.verona2026.models.coded import Coded, coded
from dpfair_cli.papers.verona2026.models.interventions import Intervened, decisions
from dpfair_cli.papers.verona2026.models.joint_table import JointRecords
from dpfair_cli.papers.verona2026.tasks import seed_gaps, synthetic_interventions

SEED = 7
VALUES = {
    "sex": ("Female", "Male"),
    "age": ("18", "20", "45"),
    "risk": ("High", "Low", "Medium"),
    "race": ("a", "b"),
    "again": ("0", "1"),
}


def records(sex, age, risk, y, protected, values=VALUES):
    """The records with these levels, (n,) each."""
    blocks = [np.eye(2)[sex], np.eye(3)[age], np.eye(3)[risk]]
    attributes = {"sex": (0, 1), "age": (2, 3, 4), "risk": (5, 6, 7)}
    domain = Domain(tuple("abcdefgh"), attributes, ("a", "b"), values=values)
    return Records(np.hstack(blocks), np.array(y), np.array(protected), domain)


def people(n=120, seed=0):
    """Records whose label depends on the sex, the risk and the group, as the risk does."""
    rng = np.random.default_rng(seed)
    group = rng.integers(2, size=n)
    sex, age = rng.integers(2, size=n), rng.integers(3, size=n)
    risk = (rng.random(n) < 0.4 + 0.3 * group) * 2
    y = (rng.random(n) < 0.75 - 0.15 * risk - 0.4 * group + 0.2 * sex).astype(int)
    return coded(records(sex, age, risk, y, group))


def scored(n=150, seed=0):
    """Scores that are higher in group 1 and for label 1."""
    rng = np.random.default_rng(seed)
    group, y = rng.integers(2, size=n), rng.integers(2, size=n)
    scores = np.clip(rng.normal(0.25 + 0.2 * y + 0.3 * group, 0.2), 0, 1)
    return Scored(scores, y, group)


def test_levels_become_numbers_and_race_is_the_third_column():
    found = coded(records([0, 1], [0, 2], [2, 0], y=[1, 0], protected=[1, 0]))
    np.testing.assert_array_equal(found.X, [[0, 18, 1, 2], [1, 45, 0, 0]])
    np.testing.assert_array_equal(found.y, [1, 0])
    np.testing.assert_array_equal(found.group, [1, 0])


def test_records_without_levels_are_refused():
    with pytest.raises(ValueError, match="need two groups and a 0/1 column for each level"):
        coded(records([0], [0], [0], [1], [0], values={}))


@pytest.mark.parametrize("seed", framework_draws.SEEDS[:2])
def test_the_parts_are_those_of_the_permutations_of_numpy(seed):
    """scikit-learn holds out the first records of a permutation, and keeps the next ones."""
    train, calibration, test = framework_draws.split(50, seed=seed)
    order = np.random.RandomState(seed).permutation(50)
    again = np.random.RandomState(seed).permutation(20)
    np.testing.assert_array_equal(train, order[20:])
    np.testing.assert_array_equal(test, order[:20][again[:10]])
    np.testing.assert_array_equal(calibration, order[:20][again[10:]])
    assert sorted([*train, *calibration, *test]) == list(range(50))


def test_label_and_group_are_independent_in_the_weighted_table():
    known = people()
    weights = before_training.reweighing(known.y, known.group)
    table, plain = np.zeros((2, 2)), np.zeros((2, 2))
    np.add.at(table, (known.group, known.y), weights)
    np.add.at(plain, (known.group, known.y), 1)
    n = len(weights)
    assert abs(plain - np.outer(plain.sum(axis=1), plain.sum(axis=0)) / n).max() > 5
    wanted = np.outer(plain.sum(axis=1), plain.sum(axis=0)) / n
    np.testing.assert_allclose(table, wanted, rtol=1e-12)


def test_a_group_with_one_label_has_weights():
    # (4 in the group) * (5 of the label) / (6 * 4 in the cell) and so on
    y, group = np.array([1, 1, 1, 1, 1, 0]), np.array([0, 0, 0, 0, 1, 1])
    found = before_training.reweighing(y, group)
    np.testing.assert_allclose(found, [*[4 * 5 / 24] * 4, 2 * 5 / 6, 2 * 1 / 6], rtol=1e-12)


def repaired(first, second):
    """The repaired feature of both groups, with a column that is kept."""
    feature = np.array([*first, *second], dtype=float)
    group = np.repeat([0, 1], [len(first), len(second)])
    X = np.column_stack([group * 10.0, feature])
    found = before_training.repaired(X, group, 0)
    np.testing.assert_array_equal(found[:, 0], X[:, 0])
    return found[group == 0, 1].tolist(), found[group == 1, 1].tolist()


def test_the_example_of_the_package_is_repaired_as_there():
    """Printed by the test of BlackBoxAuditing 0.1.54."""
    assert repaired([1, 1, 2, 2, 3, 3], [1, 1, 2]) == ([1, 1, 1, 1, 2, 2], [1, 1, 2])


def test_of_two_values_in_a_quantile_the_lower_one_is_the_median():
    # quantiles {3, 4} and {5}, with medians 3 and 5, then {5, 6} and {6}
    assert repaired([3, 4, 5, 6], [5, 6, 6]) == ([3, 3, 5, 5], [3, 5, 5])


def test_with_equally_many_values_each_rank_gets_the_smaller_value():
    rng = np.random.default_rng(0)
    known = [rng.permutation(100)[:12] for _ in range(2)]
    found = repaired(*known)
    smaller = np.minimum(*map(np.sort, known))
    for before, after in zip(known, found, strict=True):
        np.testing.assert_array_equal(after, smaller[before.argsort().argsort()])


def loss(scores, prototypes, X, y, group):
    """The loss of Zemel et al. with cross-entropy, record by record."""
    errors, shares, labels = [[], []], [[], []], []
    for features, label, k in zip(X, y, group, strict=True):
        near = np.exp([-np.sqrt(((features - one) ** 2).sum()) for one in prototypes])
        near = near / near.sum()
        made, score = near @ prototypes, near @ scores
        errors[k].append(np.mean((made - features) ** 2))
        shares[k].append(near)
        labels.append(-np.log(score if label else 1 - score))
    apart = np.abs(np.mean(shares[0], axis=0) - np.mean(shares[1], axis=0)).mean()
    return 0.01 * (np.mean(errors[0]) + np.mean(errors[1])) + np.mean(labels) + 50 * apart


def test_the_representation_has_a_smaller_loss_than_its_start():
    known = people(60)
    X = MinMaxScaler().fit_transform(known.X)
    found = before_training.fair_representation(X, known.y, known.group, seed=SEED)
    weights, made, scores = found.mapped(X)
    np.testing.assert_allclose(weights.sum(axis=1), 1, rtol=1e-12)
    assert weights.shape == (60, 5)
    assert made.shape == X.shape
    assert ((found.scores >= 0) & (found.scores <= 1)).all()
    np.testing.assert_allclose(scores, weights @ found.scores, atol=1e-12)
    start = np.random.RandomState(SEED).uniform(size=5 + 5 * X.shape[1])
    first = loss(start[:5], start[5:].reshape(5, -1), X, known.y, known.group)
    ended = loss(found.scores, found.prototypes, X, known.y, known.group)
    groups = [weights[known.group == k].mean(axis=0) for k in (0, 1)]
    assert ended < first / 2
    # a loss without its part of 50 for the groups would be the entropy of the label
    assert np.abs(groups[0] - groups[1]).mean() < 0.002


def with_rates(rates):
    """Scores with a share of decisions 1 among 8 records of each group and label."""
    scores, y, group = [], [], []
    for k, of_labels in enumerate(rates):
        for label, ones in enumerate(of_labels):
            scores += [0.7] * ones + [0.3] * (8 - ones)
            y += [label] * 8
            group += [k] * 8
    return Scored(np.array(scores), np.array(y), np.array(group))


def new_rates(known, shares):
    """The expected FPR and TPR of both groups after the change, (2 groups, 2 labels)."""
    found = np.zeros((2, 2))
    for k, label in product((0, 1), (0, 1)):
        own = known.scores[(known.group == k) & (known.y == label)] >= 0.5
        found[k, label] = np.mean([shares[k][int(one)] for one in own])
    return found


def sum_of_errors(rates):
    return (rates[:, 0] - rates[:, 1]).sum()


@pytest.mark.parametrize("rates", [((2, 4), (2, 6)), ((2, 6), (2, 4)), ((3, 7), (1, 5))])
def test_equalized_odds_are_the_best_of_a_grid_of_shares(rates):
    """Shares in steps of 1/8, which hold the best ones of the first two rates exactly."""
    known = with_rates(rates)
    found = new_rates(known, after_training._equal_odds(known))
    np.testing.assert_allclose(found[0], found[1], atol=1e-9)
    steps = [*product(np.arange(9) / 8, repeat=2)]
    of_group = [{}, {}]
    for k in (0, 1):
        for own in steps:
            pair = new_rates(known, {k: own, 1 - k: (0, 0)})[k]
            of_group[k][tuple(np.round(pair, 9))] = pair
    both = of_group[0].keys() & of_group[1].keys()
    best = min(2 * (pair[0] - pair[1]) for pair in both)
    assert sum_of_errors(found) <= best + 1e-9
    if rates != ((3, 7), (1, 5)):
        assert sum_of_errors(found) == pytest.approx(best, abs=1e-9)
        assert best == pytest.approx(2 * (0.25 - 0.5), abs=1e-9)


@pytest.mark.parametrize("seed", range(3))
def test_equalized_odds_are_equal_on_random_calibration_records(seed):
    known = scored(seed=seed)
    shares = after_training._equal_odds(known)
    found = new_rates(known, shares)
    np.testing.assert_allclose(found[0], found[1], atol=1e-9)
    assert ((shares >= 0) & (shares <= 1)).all()
    assert sum_of_errors(found) < -0.1  # equal shares for all decisions would give 0


def test_the_number_of_changed_decisions_is_rounded_down(monkeypatch):
    shares = np.array([[0.3, 0.65], [0.15, 0.9]])  # (groups, decisions)
    monkeypatch.setattr(after_training, "_equal_odds", lambda calibration: shares)
    sizes = {(0, 0): 13, (0, 1): 17, (1, 0): 19, (1, 1): 23}
    parts = [np.tile(key, (size, 1)) for key, size in sizes.items()]
    group, before = np.random.default_rng(0).permutation(np.concatenate(parts)).T
    test = Scored(np.where(before == 1, 0.5, 0.499), before, group)
    after = after_training.equalized_odds(test, test, seed=SEED)
    # 13 * 0.3 = 3.9, 17 * 0.35 = 5.95, 19 * 0.15 = 2.85, 23 * 0.1 = 2.3
    wanted = {(0, 0): 3, (0, 1): 5, (1, 0): 2, (1, 1): 2}
    for k, value in sizes:
        own = (group == k) & (before == value)
        assert (after != before)[own].sum() == wanted[k, value]


class EvenDraws:
    """Random numbers that lie evenly between 0 and 1."""

    def random_sample(self, n):
        return (np.arange(n) + 0.5) / n


@pytest.mark.parametrize("costly", [0, 1])
def test_calibrated_odds_make_the_mean_errors_of_label_1_equal(monkeypatch, costly):
    rng = np.random.default_rng(1)
    group, y = rng.integers(2, size=400), (rng.random(400) < 0.35).astype(int)
    scores = np.clip(0.3 + 0.3 * y - 0.1 * (group == costly) + rng.normal(0, 0.1, 400), 0, 1)
    monkeypatch.setattr(after_training, "draws", lambda seed: EvenDraws())
    n = 20_000
    test = Scored(np.full(2 * n, 0.9), np.ones(2 * n, dtype=int), np.repeat([0, 1], n))
    found = after_training.calibrated_odds(Scored(scores, y, group), test, seed=SEED)
    # a score of 0.9 gives decision 1, and a base rate below 0.5 gives 0
    mixed = [1 - found[test.group == k].mean() for k in (0, 1)]
    errors = []
    for k in (0, 1):
        own = group == k
        cost, trivial = 1 - scores[own & (y == 1)].mean(), 1 - y[own].mean()
        errors.append((1 - mixed[k]) * cost + mixed[k] * trivial)
    assert mixed[costly] == 0
    assert mixed[1 - costly] > 0.1
    assert errors[0] == pytest.approx(errors[1], abs=1 / n)


def by_threshold(records, threshold, margin):
    """The decisions of one threshold and margin, record by record."""
    found = []
    for score, k in zip(records.scores, records.group, strict=True):
        if threshold - margin < score <= threshold + margin:
            found.append(int(k == 0))
        else:
            found.append(int(score > threshold))
    return np.array(found)


def gap_and_accuracy(made, known):
    """The signed gap of decisions 1, and the balanced accuracy."""
    gap = made[known.group == 0].mean() - made[known.group == 1].mean()
    rates = [(made == known.y)[known.y == label].mean() for label in (0, 1)]
    return gap, np.mean(rates)


def grid():
    for threshold in np.linspace(0.01, 0.99, 100):
        for margin in np.linspace(0, min(threshold, 1 - threshold), 50):
            yield threshold, margin


def test_the_reject_option_is_the_most_accurate_pair_of_the_grid():
    known, new = scored(40), scored(60, seed=1)
    best, wanted = -1.0, None
    for pair in grid():
        gap, accuracy = gap_and_accuracy(by_threshold(known, *pair), known)
        if abs(gap) <= 0.05 and accuracy > best + 1e-12:
            best, wanted = accuracy, pair
    plain = gap_and_accuracy((known.scores >= 0.5).astype(int), known)
    assert abs(plain[0]) > 0.05  # so that the search has something to do
    gap, accuracy = gap_and_accuracy(after_training.reject_option(known, known), known)
    assert abs(gap) <= 0.05
    assert accuracy == pytest.approx(best, abs=1e-12)
    found = after_training.reject_option(known, new)
    np.testing.assert_array_equal(found, by_threshold(new, *wanted))


def test_without_an_allowed_pair_the_lowest_signed_gap_is_taken():
    """The gaps are 1/3 - 1, if group 1 has decision 1, and 1/3 - 0: the first one is lower."""
    scores, group = np.array([0.0, 0, 1, 1, 1, 1]), np.array([0, 0, 0, 1, 1, 1])
    known = Scored(scores, np.array([0, 1, 1, 0, 1, 1]), group)
    found = after_training.reject_option(known, known)
    np.testing.assert_array_equal(found, [0, 0, 1, 1, 1, 1])


def rule():
    return LogisticRegression(
        C=0.8, l1_ratio=0.5, solver="saga", max_iter=10_000, random_state=SEED
    )


def scaled(train, *others):
    scaler = MinMaxScaler().fit(train.X)
    return [scaler.transform(part.X) for part in (train, *others)]


PARTS = people(), people(80, seed=1), people(80, seed=2)


def decided(intervention, *parts):
    return decisions(intervention, *(parts or PARTS), seed=SEED)


def test_no_intervention_is_the_rule_of_scikit_learn():
    train, _, test = PARTS
    X, on = scaled(train, test)
    np.testing.assert_array_equal(decided("no intervention"), rule().fit(X, train.y).predict(on))


def test_reweighing_gives_its_weights_to_the_rule():
    train, _, test = PARTS
    X, on = scaled(train, test)
    weights = before_training.reweighing(train.y, train.group)
    wanted = rule().fit(X, train.y, sample_weight=weights).predict(on)
    assert (wanted != rule().fit(X, train.y).predict(on)).any()
    np.testing.assert_array_equal(decided("reweighing"), wanted)


def reductions():
    return pytest.importorskip("fairlearn.reductions", reason="fairlearn is not installed")


# what fairlearn does with tables of pandas will need another form in pandas 4
of_fairlearn = pytest.mark.filterwarnings("ignore:Setting a")


@of_fairlearn
def test_exponentiated_gradient_is_that_of_fairlearn():
    fairlearn = reductions()
    train, _, test = PARTS
    X, on = scaled(train, test)
    wanted = fairlearn.ExponentiatedGradient(rule(), fairlearn.EqualizedOdds())
    wanted.fit(X, train.y, sensitive_features=train.group)
    found = decided("exponentiated gradient")
    np.testing.assert_array_equal(found, wanted.predict(on, random_state=SEED))
    assert found.dtype == np.int64


@of_fairlearn
@pytest.mark.filterwarnings("ignore:The max_iter")  # one rule of its grid does not converge
def test_grid_search_is_that_of_fairlearn():
    fairlearn = reductions()
    train, _, test = PARTS
    X, on = scaled(train, test)
    wanted = fairlearn.GridSearch(rule(), fairlearn.EqualizedOdds())
    wanted.fit(X, train.y, sensitive_features=train.group)
    found = decided("grid search")
    np.testing.assert_array_equal(found, wanted.predict(on))
    assert found.dtype == np.int64


@of_fairlearn
@pytest.mark.parametrize("value", [0, 1])
@pytest.mark.parametrize(
    "intervention",
    [
        "no intervention",
        "reweighing",
        "disparate-impact remover",
        "learned fair representation",
        "grid search",
        "calibrated equalized odds",
    ],
)
def test_a_constant_label_gives_a_constant_decision(intervention, value):
    if intervention == "grid search":
        reductions()
    train, calibration, test = PARTS
    same = replace(train, y=np.full(len(train.y), value))
    assert (decided(intervention, same, calibration, test) == value).all()


@pytest.mark.parametrize(
    "intervention", ["reject option", "equalized odds", "calibrated equalized odds"]
)
def test_interventions_after_the_training_read_scores_of_the_rule(intervention):
    train, calibration, test = PARTS
    X, *others = scaled(train, calibration, test)
    fitted = rule().fit(X, train.y)
    known, new = (
        Scored(fitted.predict_proba(features)[:, 1], part.y, part.group)
        for features, part in zip(others, (calibration, test), strict=True)
    )
    wanted = {
        "reject option": lambda: after_training.reject_option(known, new),
        "equalized odds": lambda: after_training.equalized_odds(known, new, seed=SEED),
        "calibrated equalized odds": lambda: after_training.calibrated_odds(known, new, seed=SEED),
    }
    np.testing.assert_array_equal(decided(intervention), wanted[intervention]())


def test_gaps_are_group_0_minus_group_1():
    test = Coded(
        np.zeros((8, 1)),
        y=np.array([1, 1, 0, 0, 1, 1, 0, 0]),
        group=np.array([0, 0, 0, 0, 1, 1, 1, 1]),
    )
    found = seed_gaps.gaps(np.array([1, 1, 1, 0, 1, 0, 0, 0]), test)
    # accuracies 3/4 and 3/4, true positive rates 1 and 1/2, shares of decision 1 3/4 and 1/4
    assert found == {"accuracy": 0.75, "mad": 0.0, "eod": 0.5, "spd": 0.5}


def levels(n=200, seed=0):
    """Records of `people` before they are coded."""
    rng = np.random.default_rng(seed)
    parts = (rng.integers(k, size=n) for k in (2, 3, 3, 2, 2))
    return records(*parts)


@pytest.mark.parametrize(("run", "seed"), [(0, 5), (1, 42), (19, 583879)])
def test_a_run_has_the_split_of_its_seed(run, seed):
    known = levels()
    case = synthetic_interventions.split(known, rng=np.random.default_rng(run))
    assert case.seed == seed
    rows = framework_draws.split(200, seed=seed)
    for part, own in zip((case.train, case.calibration, case.test), rows, strict=True):
        np.testing.assert_array_equal(part.X, known.X[own])


def test_further_runs_have_seeds_of_their_own():
    seeds = {
        synthetic_interventions.split(levels(), rng=np.random.default_rng(run)).seed
        for run in (20, 21, 22)
    }
    assert len(seeds) == 3
    assert not seeds & {*framework_draws.SEEDS}


def test_trade_offs_are_distances_from_the_best_point():
    known = levels(seed=1)
    # equally likely records, whose label is 1 if the risk is the third level
    cells = np.zeros((2, 3, 3, 2, 2))
    cells[:, :, :2, :, 0], cells[:, :, 2, :, 1] = 1, 1
    model = Intervened(JointRecords(cells / cells.sum(), known.domain), "no intervention")
    case = synthetic_interventions.split(known, rng=np.random.default_rng(0))
    found = synthetic_interventions.study(
        lambda train, rng: model, case, rng=np.random.default_rng(0)
    ).scores
    made = case.test.X[:, 7].astype(int)
    accuracy = (made == case.test.y).mean()
    means = [
        [made[(case.test.protected == k) & among].mean() for among in (case.test.y == 1, True)]
        for k in (0, 1)
    ]
    eod, spd = np.subtract(*means)
    assert 0.3 < accuracy < 0.7
    assert min(abs(eod), abs(spd)) > 0.01
    assert found["accuracy"] == pytest.approx(accuracy, abs=1e-12)
    wanted = np.sqrt(((1 - accuracy) ** 2 + eod**2) / 2)
    assert found["tradeoff_eod"] == pytest.approx(wanted, abs=1e-12)
    wanted = np.sqrt(((1 - accuracy) ** 2 + spd**2) / 2)
    assert found["tradeoff_spd"] == pytest.approx(wanted, abs=1e-12)
