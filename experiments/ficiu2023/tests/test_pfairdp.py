"""DP-SGD with Adam and the chain of ficiu2023: steps, noise, epsilon = infinity, and the leak."""

import dp_accounting
import numpy as np
import pytest
from dp_accounting import pld

from dpfair_cli.auditing.losses import query_change
from dpfair_cli.kinds.records import Domain, Records
from dpfair_cli.mechanisms.batches import absent
from dpfair_cli.mechanisms.ledger import record, replay
from dpfair_cli.papers.ficiu2023.methods import adam_descent, dpsgd_adam, pfairdp
from dpfair_cli.papers.ficiu2023.models.impact_remover import repaired
from tests.oracles import networks

PLAIN = {"repair_level": 0.0, "decision": "threshold"}


def people(n=60, seed=0, d=3):
    rng = np.random.default_rng(seed)
    names = tuple("abcdef"[:d])
    domain = Domain(names, {name: (k,) for k, name in enumerate(names)}, ("women", "men"))
    X, groups = rng.random((n, d)), rng.integers(0, 2, n)
    X[0], X[1] = 0.0, 1.0  # the smallest and the largest features: scaling changes nothing
    return Records(X, (X[:, 0] + 0.2 * rng.random(n) > 0.6).astype(int), groups, domain)


def fit(module, data, seed=0, **options):
    with record() as tape:
        model = module.fit(data, **options, rng=np.random.default_rng(seed))
    return model, tape


def test_one_step_of_all_records_is_a_step_of_adam_on_the_clipped_sum():
    """One batch an epoch holds all records: the sum over 5 records divided by int(5 * 1)."""
    data = people(5)
    model, tape = fit(dpsgd_adam, data, epsilon=np.inf, clip_norm=0.4, epochs=1, batch_size=5)
    before, _ = fit(dpsgd_adam, data, epsilon=np.inf, epochs=1, batch_size=5, learning_rate=1e-300)
    w = before.parameters[0].tolist()
    gradients = [
        networks.clipped(networks.gradient(w, (3, 1), x, y), 0.4)
        for x, y in zip(data.X, data.y, strict=True)
    ]
    np.testing.assert_allclose(tape[0].value[0], np.sum(gradients, axis=0), atol=1e-7)
    expected = [
        networks.adam(start, [g], 1e-3)
        for start, g in zip(w, np.mean(gradients, axis=0), strict=True)
    ]
    np.testing.assert_allclose(model.parameters[0], expected, atol=1e-7)


@pytest.mark.parametrize("network", ["logistic", "two_hidden_layers"])
@pytest.mark.parametrize("copies", [1, 4])
def test_a_removed_record_moves_a_sum_by_at_most_its_sensitivity(network, copies):
    data = people()
    options = {"epsilon": 5.0, "clip_norm": 0.3, "epochs": 2, "copies": copies, "network": network}
    model, tape = fit(dpsgd_adam, data, **options)
    with replay(tape) as again, absent(7):
        other = dpsgd_adam.fit(data, **options, rng=np.random.default_rng(0))
    moves = [query_change(one, two) for one, two in zip(tape, again, strict=True)]
    assert 0 < max(moves) <= 0.3 * np.sqrt(copies) * (1 + 1e-9)
    assert max(moves) > 0.3 * (np.sqrt(copies) - 0.9)
    np.testing.assert_array_equal(model.parameters, other.parameters)


def test_the_noise_is_the_multiplier_times_the_clipping_bound():
    options = {"calibration": "given", "epsilon": 50.0, "noise_multiplier": 3.0, "clip_norm": 0.5}
    for module, more in ((dpsgd_adam, {}), (pfairdp, PLAIN)):
        _, tape = fit(module, people(), **options, **more, copies=9, epochs=40)
        assert {(entry.scale, entry.sensitivity) for entry in tape} == {(1.5, 0.5 * 3)}
        noise = np.concatenate([np.ravel(entry.output - entry.value) for entry in tape])
        assert noise.std() == pytest.approx(1.5, rel=0.05)


@pytest.mark.parametrize("copies", [1, 4, 9])
def test_all_copies_together_cost_epsilon(copies):
    """An independent accountant of one Gaussian query that holds the gradients of all copies."""
    _, tape = fit(dpsgd_adam, people(), epsilon=1.0, delta=1e-5, copies=copies, epochs=4)
    ratio = tape[0].scale / tape[0].sensitivity
    event = dp_accounting.PoissonSampledDpEvent(1 / 3, dp_accounting.GaussianDpEvent(ratio))
    accountant = pld.PLDAccountant()
    accountant.compose(dp_accounting.SelfComposedDpEvent(event, len(tape)))
    assert accountant.get_epsilon(1e-5) == pytest.approx(1.0, rel=0.01)


def test_given_noise_must_pay_for_all_copies():
    options = {"calibration": "given", "epochs": 4, "epsilon": 1.0}
    model, _ = fit(dpsgd_adam, people(), epsilon=1.0, epochs=4)
    least = model.noisy_steps.noise_multiplier
    kept, _ = fit(dpsgd_adam, people(), **options, noise_multiplier=2.01 * least, copies=4)
    assert kept.noisy_steps.noise_multiplier == 2.01 * least
    with pytest.raises(ValueError, match=r"must cost at most epsilon 1"):
        fit(dpsgd_adam, people(), **options, noise_multiplier=1.9 * least, copies=4)


def test_batches_are_drawn_at_the_rate_that_is_accounted():
    _, tape = fit(dpsgd_adam, people(), epochs=3, batch_size=16)
    assert [entry.draw.step for entry in tape] == list(range(1, 13))  # ceil(60 / 16) = 4 an epoch
    assert {entry.draw.sampling_rate for entry in tape} == {1 / 4}


@pytest.mark.parametrize("copies", [1, 3])
def test_the_plain_chain_without_noise_is_dpsgd_adam_without_noise(copies):
    data, options = people(), {"epsilon": np.inf, "copies": copies, "epochs": 3}
    chain, tape = fit(pfairdp, data, **options, **PLAIN)
    plain, _ = fit(dpsgd_adam, data, **options)
    np.testing.assert_array_equal(chain.parameters, plain.parameters)
    np.testing.assert_array_equal(chain.predict(data), plain.predict(data))
    assert all((entry.output == entry.value).all() for entry in tape)
    assert not chain.reads_group


def test_given_noise_that_costs_more_than_epsilon_is_refused_and_published_is_not():
    options = {"epsilon": 0.5, "noise_multiplier": 0.5}
    with pytest.raises(ValueError, match=r"must cost at most epsilon 0\.5"):
        fit(dpsgd_adam, people(), **options, calibration="given")
    model, _ = fit(dpsgd_adam, people(), **options, calibration="published")
    assert model.noisy_steps.noise_multiplier == 0.5


def test_one_woman_decides_a_feature_of_all_men():
    """Without her the column of the men is erased, and with her it stays."""
    base = people(80)
    X, groups = base.X.copy(), base.protected.copy()
    husband = (groups == 1) & (base.X[:, 2] > 0.4)
    X[:, 2] = husband  # a column that only men have, and not all of them
    her = int(np.flatnonzero(groups == 0)[0])
    left = Records(X, base.y, groups, base.domain)
    X = X.copy()
    X[her, 2] = 1.0
    right = Records(X, base.y, groups, base.domain)
    changed = repaired(left.X, groups, level=1.0) != repaired(right.X, groups, level=1.0)
    assert changed.any(axis=1).sum() == husband.sum() + 1
    options = {"calibration": "published", "noise_multiplier": 5.0, "decision": "threshold"}
    _, tape = fit(pfairdp, left, **options)
    with replay(tape) as again:
        pfairdp.fit(right, **options, rng=np.random.default_rng(0))
    moves = [query_change(one, two) / one.sensitivity for one, two in zip(tape, again, strict=True)]
    assert max(moves) > 1


def test_the_last_records_choose_the_thresholds_and_are_not_trained_on():
    data, options = people(), {"epsilon": np.inf, "validation_share": 0.5, "gaps": (-0.1, 0.1)}
    one, tape = fit(pfairdp, data, **options, repair_level=0.0)
    labels = np.append(data.y[:30], 1 - data.y[30:])
    other = Records(data.X, labels, data.protected, data.domain)
    two, again = fit(pfairdp, other, **options, repair_level=0.0)
    np.testing.assert_array_equal(one.parameters, two.parameters)
    assert (one.thresholds != two.thresholds).any()
    assert len(tape) == len(again)


def test_adam_descent_takes_the_batches_in_the_order_of_the_records():
    """Five records in batches of two: the means of 0 1, of 2 3 and of 4; one record is kept out."""
    data = people(6)
    options = {"epochs": 1, "batch_size": 2, "validation_share": 0.1}
    found = adam_descent.fit(data, **options, rng=np.random.default_rng(0)).parameters[0]
    before = adam_descent.fit(
        data, **options, learning_rate=1e-300, rng=np.random.default_rng(0)
    ).parameters[0]
    w, m, v = before.copy(), np.zeros(4), np.zeros(4)
    for t, rows in enumerate(([0, 1], [2, 3], [4]), start=1):
        g = np.mean(
            [networks.gradient(w.tolist(), (3, 1), data.X[i], data.y[i]) for i in rows], axis=0
        )
        m, v = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g**2
        w = w - 1e-3 * (m / (1 - 0.9**t)) / (np.sqrt(v / (1 - 0.999**t)) + 1e-8)
    np.testing.assert_allclose(found, w, atol=1e-6)


def test_a_prediction_is_the_share_of_the_copies_and_the_repair_is_that_of_the_asked():
    data = people()
    model, _ = fit(pfairdp, data, epsilon=np.inf, copies=4)
    decisions = model.decisions(data)
    assert decisions.shape == (4, 60)
    np.testing.assert_array_equal(model.predict(data), decisions.mean(axis=0))
    alone = model.scaling.features(data.take(np.arange(20)))
    assert (alone != model.scaling.features(data)[:20]).any()
