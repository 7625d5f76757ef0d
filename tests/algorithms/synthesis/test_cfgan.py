"""CausalGAN and CFGAN: equality at lambda = 0, exact distributions, and removed effects."""

import json
from functools import cache

import numpy as np
import pytest
from scipy.stats import chisquare

torch = pytest.importorskip("torch", reason="torch is not here: pip install torch")
pytestmark = pytest.mark.deep

from dpfair_cli.algorithms.synthesis import causal_gan, cfgan  # noqa: E402
from dpfair_cli.contracts.training_context import TrainingContext  # noqa: E402
from dpfair_cli.models.causal_fairness.causal_model import empirical_joint  # noqa: E402
from dpfair_cli.models.causal_fairness.effects import total_effect  # noqa: E402
from dpfair_cli.models.causal_fairness.record_distribution import restore  # noqa: E402
from tests.models.causal_fairness.made_records import (  # noqa: E402
    codes_of,
    dag,
    people,
    random_joint,
    rows_of,
    shares,
    unfair_people,
)

BRIEF = {"epochs": 2, "batch_size": 100}
TRAINING = {"epochs": 60, "batch_size": 100}  # 360 batches from 600 records
STRONG = 5.0
SEEDS = (0, 1)
EFFECTS = ("total", "direct", "indirect", "counterfactual")
both = pytest.mark.parametrize("algorithm", [causal_gan, cfgan], ids=["causal_gan", "cfgan"])
every_effect = pytest.mark.parametrize("effect", EFFECTS)


@cache
def few():
    return unfair_people(300)


def fitted(algorithm, data=None, seed=0, **options):
    """The result after two epochs, unless the options say otherwise."""
    return algorithm.fit(data or few(), **{**BRIEF, **options}, rng=np.random.default_rng(seed))


def in_bytes(result):
    """All tables of the generator, and what it gives to be drawn from."""
    return [
        np.asarray(table, dtype=float).tobytes() for table in (*result.model.tables, result.joint)
    ]


@cache
def shared(algorithm, seed=0, **options):
    """The result of such a fit, made once for all tests that only look at it."""
    return fitted(algorithm, seed=seed, **options)


def reference(algorithm, seed=0):
    """The bytes of a fit with all defaults."""
    return in_bytes(shared(algorithm, seed))


def drawn(result, n=200, seed=1):
    return result.sample(n, rng=np.random.default_rng(seed))


def records_of(text, through=(), context=()):
    """A hundred records of four variables, which need not follow the graph."""
    counts = (
        np.random.default_rng(0).multinomial(100, random_joint(4, 0).ravel()).reshape((2,) * 4) + 1
    )
    return people(rows_of(counts), dag(text), through, context)


@every_effect
def test_without_lambda_cfgan_is_causal_gan_to_the_byte(effect):
    found = fitted(cfgan, effect=effect, fairness=0.0)
    assert in_bytes(found) == reference(causal_gan)


@every_effect
def test_with_lambda_cfgan_is_something_else(effect):
    assert in_bytes(shared(cfgan, effect=effect, fairness=1.0)) != reference(causal_gan)


def test_every_effect_trains_another_generator():
    found = [in_bytes(shared(cfgan, effect=effect, fairness=1.0)) for effect in EFFECTS]
    assert all(one != other for k, one in enumerate(found) for other in found[:k])


def test_the_total_effect_and_a_lambda_of_one_are_the_defaults():
    """The dissertation's lambda."""
    assert in_bytes(shared(cfgan, effect="total", fairness=1.0)) == reference(cfgan)


@both
def test_a_seed_gives_the_same_generator_and_another_seed_another_one(algorithm):
    assert in_bytes(fitted(algorithm)) == reference(algorithm)
    assert reference(algorithm, 1) != reference(algorithm)


@both
def test_the_fit_neither_reads_nor_moves_torchs_own_generator(algorithm):
    torch.manual_seed(1)
    before = torch.get_rng_state()
    one = in_bytes(fitted(algorithm))
    assert torch.equal(torch.get_rng_state(), before)
    torch.manual_seed(2)
    assert in_bytes(fitted(algorithm)) == one


@both
def test_what_surrounds_the_training_does_not_move_a_byte_of_it(algorithm):
    watched = fitted(
        algorithm, context=TrainingContext(fit_name="watched", measure=lambda epoch: None)
    )
    assert in_bytes(watched) == reference(algorithm)


@both
def test_the_records_are_not_changed(algorithm):
    before = few().fingerprint()
    fitted(algorithm)
    assert few().fingerprint() == before


class StoppedError(Exception):
    pass


class Store:
    """Keeps the last state, and stops the training once, after `last` epochs."""

    def __init__(self, last):
        self.last, self.kept = last, None

    def find(self, name, *, epochs):
        return self.kept

    def keep(self, name, state, measurements):
        self.kept = (state, list(measurements))
        if state.epoch == self.last:
            self.last = None
            raise StoppedError


@pytest.mark.parametrize(
    ("algorithm", "options"),
    [
        (causal_gan, {}),
        (cfgan, {}),
        (cfgan, {"effect": "indirect"}),
        (cfgan, {"effect": "counterfactual"}),
    ],
    ids=["causal_gan", "total", "indirect", "counterfactual"],
)
def test_an_interrupted_training_goes_on_to_the_same_bytes(algorithm, options):
    context = TrainingContext(checkpoints=Store(2))
    with pytest.raises(StoppedError):
        fitted(algorithm, epochs=3, context=context, **options)
    resumed = fitted(algorithm, epochs=3, context=context, **options)
    whole = shared(algorithm, epochs=3, **options)
    assert in_bytes(resumed) == in_bytes(whole)
    assert in_bytes(whole) != in_bytes(shared(algorithm, **options))  # which ends after two


@both
def test_samples_follow_the_model(algorithm):
    """The frequencies of all 16 cells among 50,000 records, by Pearson's test."""
    result, n = shared(algorithm), 50_000
    joint = result.model.joint()
    np.testing.assert_allclose(result.joint, joint, atol=1e-9)
    found = shares(codes_of(drawn(result, n))) * n
    likely = joint * n >= 5
    assert found[~likely].sum() <= 5 * (joint[~likely].sum() * n + 5)
    rest = joint[likely] * found[likely].sum() / joint[likely].sum()
    assert chisquare(found[likely], rest).pvalue > 0.001


@both
def test_interventions_equal_adjustment_for_the_causes_of_s(
    algorithm,
):
    """s has the cause a in Figure 7.3, so that this is no comparison of groups."""
    result, graph = fitted(algorithm, epochs=10), few().graph
    samples = empirical_joint(codes_of(drawn(result, 200_000)))
    model = result.model
    exact = model.outcome(graph.arrows) - model.outcome(np.zeros_like(graph.arrows))
    assert exact == pytest.approx(total_effect(samples, graph), abs=0.015)


@both
def test_the_generator_agrees_with_the_graph(algorithm):
    """Section 7.2.3: a network of each variable, which hears of the parents alone."""
    graph = few().graph
    tables = shared(algorithm).model.tables
    assert [np.shape(table) for table in tables] == [(2,) * len(graph.parents(j)) for j in range(4)]
    assert all(0 <= np.min(table) <= np.max(table) <= 1 for table in tables)


@both
def test_generated_records_have_the_domain_and_can_be_restored(algorithm):
    result = shared(algorithm)
    again = restore(json.loads(json.dumps(result.saved())))
    one, two = drawn(result), drawn(again)
    assert one.domain == few().domain
    for part in ("X", "y", "protected"):
        assert getattr(one, part).tobytes() == getattr(two, part).tobytes()
    assert "not private" in " ".join(result.described()).lower()


@cache
def trained(algorithm, seed, **options):
    """After a few hundred rounds on 600 records with a total effect above 0.6."""
    result = algorithm.fit(
        unfair_people(600), **TRAINING, **options, rng=np.random.default_rng(seed)
    )
    return total_effect(result.model.joint(), result.graph)


def test_causal_gan_learns_that_there_is_an_effect_and_its_sign():
    data = unfair_people(600)
    assert total_effect(empirical_joint(data.codes), data.graph) > 0.6
    assert np.mean([trained(causal_gan, seed) for seed in SEEDS]) > 0.2


def test_a_large_lambda_makes_the_total_effect_fall():
    """J2 of Section 7.2.3: the second critic tells y under do(s = 1) from y under do(s = 0)."""
    free = np.mean([abs(trained(causal_gan, seed)) for seed in SEEDS])
    fair = np.mean([abs(trained(cfgan, seed, fairness=STRONG)) for seed in SEEDS])
    assert fair < free


@both
def test_fewer_records_than_a_batch_are_refused(algorithm):
    assert len(drawn(fitted(algorithm, unfair_people(60), batch_size=60))) == 200
    with pytest.raises(ValueError, match="batch_size"):
        fitted(algorithm, unfair_people(60), batch_size=61)


@pytest.mark.parametrize(
    ("algorithm", "options"),
    [
        (cfgan, {"fairness": -0.1}),
        (cfgan, {"fairness": float("inf")}),
        *((algorithm, {"epochs": 0}) for algorithm in (causal_gan, cfgan)),
        *((algorithm, {"batch_size": 0}) for algorithm in (causal_gan, cfgan)),
        *((algorithm, {"epochs": 1.5}) for algorithm in (causal_gan, cfgan)),
    ],
    ids=str,
)
def test_a_setting_outside_its_range_is_refused_by_its_name(algorithm, options):
    with pytest.raises(ValueError, match=next(iter(options))):
        fitted(algorithm, **options)


def test_another_effect_is_refused_with_the_nearest_word():
    with pytest.raises(ValueError, match="did you mean 'indirect'"):
        fitted(cfgan, effect="indirekt")


def test_an_unidentified_indirect_effect_is_refused():
    """school would have to tell job that s = 1, and the label that s = 0."""
    data = records_of("s>school school>job school>y job>y s>y", through=("job",))
    with pytest.raises(ValueError, match=r"^[^\n]*school[^\n]*$"):
        fitted(cfgan, data, effect="indirect")
    assert len(drawn(fitted(cfgan, data, effect="direct"))) == 200


def test_a_context_that_descends_from_s_is_refused_by_its_name():
    data = records_of("age>s s>school school>y age>y", context=("school",))
    with pytest.raises(ValueError, match=r"^[^\n]*school[^\n]*$"):
        fitted(cfgan, data, effect="counterfactual")
    assert len(drawn(fitted(cfgan, data, effect="total"))) == 200


@pytest.mark.parametrize(
    ("effect", "option"), [("indirect", "through"), ("counterfactual", "observed")]
)
def test_an_effect_without_its_attributes_is_refused(effect, option):
    unnamed = records_of("s>b b>y s>y a>y")
    with pytest.raises(ValueError, match=option):
        fitted(cfgan, unnamed, effect=effect)
