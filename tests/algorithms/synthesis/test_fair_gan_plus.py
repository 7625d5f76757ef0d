"""FairGAN+ and ACGAN on a synthetic table: independent labels, and the effect of mu."""

from functools import cache

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="torch is not here: pip install torch")
pytestmark = pytest.mark.deep

from dpfair_cli.algorithms.synthesis import acgan, fair_gan_plus  # noqa: E402
from tests.algorithms.synthesis.made_tables import (  # noqa: E402
    SIZES,
    deviation_of_risk_difference,
    people,
    risk_difference,
    total_variation,
)
from tests.algorithms.synthesis.made_tables import records as made_records  # noqa: E402

TRAINING = {"epochs": 60, "pretraining_epochs": 30, "batch_size": 50}
SHORTER = {**TRAINING, "epochs": 40}
BRIEF = {"epochs": 2, "pretraining_epochs": 1, "batch_size": 50}
NOTIONS = ("demographic_parity", "equalized_odds", "equal_opportunity")
SEEDS = (0,)
STRONG = 10.0
PUBLIC = {"data_fairness": 0.0, "classifier_fairness": 0.0}


@cache
def fitted(seed):
    """A short training on 600 records, without fairness."""
    return fair_gan_plus.fit(people(600), **PUBLIC, **TRAINING, rng=np.random.default_rng(seed))


def drawn(seed):
    return fitted(seed).sample(4000, rng=np.random.default_rng(seed + 100))


def brief(method, seed=0, **options):
    return method.fit(people(600), **{**BRIEF, **options}, rng=np.random.default_rng(seed))


def in_bytes(result):
    records = result.sample(300, rng=np.random.default_rng(1))
    return (
        records.X.tobytes(),
        records.y.tobytes(),
        records.protected.tobytes(),
        result.predict(people(600)).tobytes(),
    )


@pytest.mark.parametrize("seed", [0, 7])
def test_acgan_is_fair_gan_plus_without_the_two_critics_of_the_group(seed):
    assert in_bytes(brief(acgan, seed)) == in_bytes(brief(fair_gan_plus, seed, **PUBLIC))


def test_either_weight_of_fairness_changes_what_is_learned():
    """Else the test above would pass for weights that are not used."""
    free, *others = (
        in_bytes(brief(fair_gan_plus, **{**PUBLIC, **more}))
        for more in ({}, {"data_fairness": 5.0}, {"classifier_fairness": STRONG})
    )
    assert free not in others


@pytest.mark.parametrize("method", [acgan, fair_gan_plus], ids=["acgan", "fair_gan_plus"])
def test_labels_and_groups_are_drawn_independently(method):
    """s ~ P(S) and y ~ P(Y), Equation 6.4, before and whatever is trained: up to 5 deviations."""
    data = people(600)
    records = brief(method).sample(10_000, rng=np.random.default_rng(3))
    assert risk_difference(data.y, data.protected) > 0.2
    assert abs(risk_difference(records.y, records.protected)) < 5 * deviation_of_risk_difference(
        records
    )
    for found, given in ((records.y, data.y), (records.protected, data.protected)):
        share = given.mean()
        assert found.mean() == pytest.approx(share, abs=5 * np.sqrt(share * (1 - share) / 10_000))


@pytest.mark.parametrize("name", SIZES)
def test_without_fairness_the_shares_of_levels_are_near_the_mixture(
    name,
):
    """The target P(X) is the mixture of the data's (y, s) cells with independent y and s."""
    data = people(600)
    cells = 2 * data.protected + data.y
    target = np.outer(
        *([1 - share, share] for share in (data.protected.mean(), data.y.mean()))
    ).ravel()
    weights = (target / np.bincount(cells) * len(data))[cells]  # (n,)
    reweighted = data.take(
        np.random.default_rng(0).choice(len(data), 20_000, p=weights / weights.sum())
    )
    assert np.mean([total_variation(drawn(seed), reweighted, name) for seed in SEEDS]) < 0.2


def test_generated_features_belong_to_their_label():
    """The classifier also trains the generator: records drawn as hired have skill more often."""
    gaps = []
    for seed in SEEDS:
        records = drawn(seed)
        skilled = records.X[:, 4:6].sum(
            axis=1
        )  # ten or more; 0.73 of those hired, 0.34 of the others, or so
        gaps.append(skilled[records.y == 1].mean() - skilled[records.y == 0].mean())
    assert np.mean(gaps) > 0.1


def accuracy(model):
    return float(np.mean(model.predict(people(600)) == people(600).y))


def test_without_fairness_the_classifier_is_better_than_the_majority():
    majority = max(people(600).y.mean(), 1 - people(600).y.mean())
    assert np.mean([accuracy(fitted(seed)) for seed in SEEDS]) > majority + 0.05


def skilled_by_group(n=600):
    """The label depends on skill, and skill on the group: a classifier is right and unfair."""
    rng = np.random.default_rng(1)
    skill = rng.integers(0, 3, n)
    protected = rng.random(n) < np.array([0.2, 0.6, 0.95])[skill]
    y = rng.random(n) < np.array([0.1, 0.5, 0.9])[skill]
    return made_records(
        rng.integers(0, 3, n), skill, rng.integers(0, 2, n), y, protected.astype(np.int64)
    )


def test_a_large_mu_makes_the_risk_difference_of_the_classifier_fall():
    """mu weighs the third critic, which tells the group from the classifier's output."""
    data = skilled_by_group()
    free, fair = (
        fair_gan_plus.fit(
            data, classifier_fairness=weight, **SHORTER, rng=np.random.default_rng(0)
        ).predict(data)
        for weight in (0.0, STRONG)
    )
    free, fair = (abs(risk_difference(decided, data.protected)) for decided in (free, fair))
    assert free > 0.15
    assert fair < 0.7 * free


@pytest.mark.parametrize("notion", NOTIONS)
def test_every_notion_of_the_dissertation_can_be_trained_for(notion):
    model = brief(fair_gan_plus, notion=notion)
    assert set(model.predict(people(600))) <= {0.0, 1.0}
    assert len(model.sample(10, rng=np.random.default_rng(0))) == 10


def test_the_notions_train_different_classifiers():
    """Equalized odds gives the critic the label too, equal opportunity shows it label 1 alone."""
    states = [
        in_bytes(brief(fair_gan_plus, notion=notion, classifier_fairness=STRONG, epochs=4))
        for notion in NOTIONS
    ]
    assert len(set(states)) == 3


def test_another_notion_is_refused_with_the_nearest_word():
    with pytest.raises(ValueError, match="did you mean 'equalized_odds'"):
        brief(fair_gan_plus, notion="equalised_odds")
