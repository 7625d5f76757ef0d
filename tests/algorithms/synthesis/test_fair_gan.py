"""FairGAN on a synthetic table: shares of levels, and the effect of lambda."""

from functools import cache

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="torch is not here: pip install torch")
pytestmark = pytest.mark.deep

from sklearn.svm import LinearSVC  # noqa: E402

from dpfair_cli.algorithms.synthesis import fair_gan  # noqa: E402
from tests.algorithms.synthesis.made_tables import SIZES, people, risk_difference, total_variation  # noqa: E402

# after 60 epochs, seeds decide what has been learned
TRAINING = {"epochs": 60, "pretraining_epochs": 20, "batch_size": 50}
SEEDS = (0,)
STRONG = 5.0


@cache
def fitted(data_fairness, seed):
    """A short training on 600 records."""
    return fair_gan.fit(
        people(600), data_fairness=data_fairness, **TRAINING, rng=np.random.default_rng(seed)
    )


@cache
def drawn(data_fairness, seed):
    """A sample of 4000 records."""
    return fitted(data_fairness, seed).sample(4000, rng=np.random.default_rng(seed + 100))


def mean_over_seeds(data_fairness, score):
    return float(np.mean([score(drawn(data_fairness, seed)) for seed in SEEDS]))


def unfairness(records):
    return abs(risk_difference(records.y, records.protected))


def error_of_telling_the_group(records):
    """Equation 3.14 of a linear SVM, counted here."""
    output = LinearSVC(random_state=0).fit(records.X, records.protected).predict(records.X)
    wrong = [np.mean(output[records.protected == group] != group) for group in (0, 1)]
    return sum(wrong) / 2


@pytest.mark.parametrize("name", SIZES)
def test_without_fairness_the_shares_of_levels_are_near_the_data(name):
    assert np.mean([total_variation(drawn(0.0, seed), people(600), name) for seed in SEEDS]) < 0.2


def test_without_fairness_the_share_of_the_label_is_near_the_data():
    assert mean_over_seeds(0.0, lambda records: records.y.mean()) == pytest.approx(
        people(600).y.mean(), abs=0.2
    )


@pytest.mark.parametrize("data_fairness", [0.0, STRONG])
def test_groups_are_drawn_from_their_shares_in_the_data(data_fairness):
    """s ~ P(S): 5 deviations of a share of 4000."""
    share = people(600).protected.mean()
    for seed in SEEDS:
        found = drawn(data_fairness, seed).protected.mean()
        assert found == pytest.approx(share, abs=5 * np.sqrt(share * (1 - share) / 4000))


def test_without_fairness_the_risk_difference_is_learned_with_the_rest():
    """That of the data is about 0.33; without this, that lambda makes it fall says nothing."""
    signed = mean_over_seeds(0.0, lambda records: risk_difference(records.y, records.protected))
    assert signed > 0.1


def test_a_large_lambda_lowers_the_risk_difference_of_the_sample():
    free, fair = (mean_over_seeds(data_fairness, unfairness) for data_fairness in (0.0, STRONG))
    assert fair < 0.6 * free


def test_a_large_lambda_hides_the_group_from_a_linear_svm():
    """The second critic sees X too: a linear SVM predicts the group from features less well."""
    free, fair = (
        mean_over_seeds(data_fairness, error_of_telling_the_group)
        for data_fairness in (0.0, STRONG)
    )
    assert fair > free + 0.05


def test_its_classifier_is_trained_on_generated_records():
    """With inverted labels, the classifier inverts the decisions for most records."""
    data = people(600)
    turned = type(data)(data.X, 1 - data.y, data.protected, data.domain)
    one, other = (
        fitted(0.0, 0),
        fair_gan.fit(turned, data_fairness=0.0, **TRAINING, rng=np.random.default_rng(0)),
    )
    assert np.mean(one.predict(data) == data.y) > 0.5
    assert np.mean(one.predict(data) != other.predict(data)) > 0.5
