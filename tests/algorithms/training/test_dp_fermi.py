"""DP-FERMI against the formulas of its papers, numbers by hand, and the data of lowy2023."""

from __future__ import annotations

import math

import numpy as np
import pytest

from dpfair_cli import catalog, data_access
from dpfair_cli.algorithms.training import dp_fermi
from dpfair_cli.auditing.audit import audit
from dpfair_cli.catalog import algorithm
from dpfair_cli.kinds.records import Domain, Records
from dpfair_cli.mechanisms.ledger import record
from dpfair_cli.models.regression.fermi import FermiProblem, FermiTraining
from dpfair_cli.papers.ghoukasian2024.methods import dp_fermi_all_attributes
from dpfair_cli.tasks import fixed_split_classification
from tests.oracles import fermi as oracle

BOTH = pytest.mark.parametrize("module", [dp_fermi, dp_fermi_all_attributes])


def crowd(n=60, seed=0, share=0.6):
    """Two numbers; group 1 has more of the first, on which the label depends."""
    rng = np.random.default_rng(seed)
    protected = (rng.random(n) < share).astype(int)
    X = np.clip(rng.random((n, 2)) * 0.7 + 0.3 * protected[:, None] * [1, 0], 0, 1)
    y = (X[:, 0] > 0.55).astype(int)
    domain = Domain(("a", "b"), {"a": (0,), "b": (1,)}, ("women", "men"))
    return Records(X, y, protected, domain)


def fit(module, records, seed=0, **options):
    small = {"batch_size": 16, "epochs": 3} | options
    return module.fit(records, rng=np.random.default_rng(seed), **small)


def batch_of(records, rows, group):
    inputs = oracle.standardised(records.X.tolist())
    return [(inputs[i], int(records.y[i]), int(records.protected[i] == group)) for i in rows]


@pytest.mark.parametrize("w", [-1.7, 0.4, 3.0])
@pytest.mark.parametrize("group", [0, 1])
def test_gradients_are_the_derivatives_of_the_objective(w, group):
    records = crowd()
    settings = FermiTraining(trade_off=0.8, penalised=f"group_{group}")
    theta, rows = np.array([0.5, -1.0, 0.2]), [3, 8, 9, 20, 41]
    found = FermiProblem(records, settings).gradients(theta, np.array([w]), np.array(rows))
    share = float((records.protected == group).mean())
    by_theta, by_w = oracle.gradients(
        theta.tolist(), w, batch_of(records, rows, group), trade_off=0.8, share=share
    )
    np.testing.assert_allclose(found.weights, by_theta, atol=1e-8)
    np.testing.assert_allclose(found.dual, [by_w], atol=1e-8)


@BOTH
def test_the_deviations_are_the_published_ones(module):
    records, n = crowd(n=64), 64
    with record() as tape:
        fit(module, records, epsilon=2.0, trade_off=0.7, lipschitz=3.0, dual_bound=2.0)
    rho = (np.bincount(records.protected).min() - 1) / n
    facts = {"n": n, "steps": 3 * 4, "lipschitz": 3.0, "bound": 2.0, "rho": rho}
    if module is dp_fermi:
        expected = oracle.lowy_deviations(2.0, n**-2, **facts)
    else:
        expected = oracle.ghoukasian_deviations(2.0, n**-2, trade_off=0.7, **facts)
    assert tape[0].scale == pytest.approx(expected[0], rel=1e-12)
    assert tape[1].scale == pytest.approx(expected[1], rel=1e-12)


@BOTH
def test_the_weights_follow_from_the_noisy_gradients(module):
    """The released outputs, applied by hand: the iterates are post-processing of them."""
    records = crowd(n=60)
    with record() as tape:
        model = fit(module, records, epsilon=1.0, learning_rate=0.1, dual_learning_rate=0.2)
    theta, w = FermiProblem(records, FermiTraining()).start(np.random.default_rng(0))
    assert len(tape) == 2 * 3 * 3  # of 4 batches of a pass the last, smaller one is skipped
    for by_theta, by_w in zip(tape[::2], tape[1::2], strict=True):
        theta = theta - 0.1 * by_theta.output
        w = np.clip(w + 0.2 * by_w.output, -5, 5)
    inputs = np.array(oracle.standardised(records.X.tolist()))
    np.testing.assert_array_equal(model.predict(records), inputs @ theta > 0)


@BOTH
def test_without_noise_the_fit_is_gradient_descent_ascent(module):
    records = crowd(n=40)
    settings = {"batch_size": 40, "epochs": 4, "trade_off": 0.5, "penalised": "group_1"}
    model = fit(module, records, epsilon=math.inf, learning_rate=0.3, **settings)
    theta, w = FermiProblem(records, FermiTraining()).start(np.random.default_rng(0))
    theta, w = theta.tolist(), float(w[0])
    batch, share = batch_of(records, range(40), 1), float(records.protected.mean())
    for _ in range(4):
        by_theta, by_w = oracle.gradients(theta, w, batch, trade_off=0.5, share=share)
        theta = [t - 0.3 * g for t, g in zip(theta, by_theta, strict=True)]
        w = min(max(w + 0.01 * by_w, -5.0), 5.0)
    scores = [sum(a * b for a, b in zip(row, theta, strict=True)) for row, _, _ in batch]
    found = records.X @ model.weights + model.intercept
    np.testing.assert_allclose(found, scores, atol=1e-6)


def test_the_penalty_lowers_the_selection_rate_of_its_group():
    records = crowd(n=2000)
    rates = {}
    for trade_off in (0.0, 2.0):
        model = fit(
            dp_fermi,
            records,
            epsilon=math.inf,
            epochs=60,
            batch_size=200,
            learning_rate=0.2,
            trade_off=trade_off,
            penalised="group_1",
        )
        decisions = model.predict(records)
        rates[trade_off] = [decisions[records.protected == g].mean() for g in (0, 1)]
    gaps = {key: men - women for key, (women, men) in rates.items()}
    assert gaps[2.0] < gaps[0.0] - 0.1


@pytest.mark.parametrize("first", [0, 1])
def test_the_first_record_says_which_group_the_penalty_sees(first):
    records = crowd()
    order = np.argsort(records.protected != first, kind="stable")
    records = records.take(order)
    named = fit(dp_fermi, records, penalised=f"group_{first}")
    chosen = fit(dp_fermi, records, penalised="first_record")
    np.testing.assert_array_equal(named.weights, chosen.weights)


def test_the_clip_of_one_record_in_the_released_code_never_acts():
    """Its bound is 5 for a gradient divided by 1,024: norm 100 and |w| = 5 are below."""
    of_loss, share = 1.0, 0.3
    of_penalty = (5**2 + 2 * 5 / math.sqrt(share)) / 4  # p (1 - p) is at most 1/4
    assert (of_loss + 2.5 * of_penalty) * 100 / 1024 < 5


def test_the_delta_rule_gives_the_stated_delta():
    stated = algorithm("dp_fermi").guarantee.stated_delta
    assert stated({"delta": 0.1, "delta_rule": "inverse_square"}, 100) == 1e-4
    assert stated({"delta": 0.1, "delta_rule": "given"}, 100) == 0.1
    assert FermiTraining(delta_rule="given").delta(0.1, 100) == 0.1
    assert FermiTraining().delta(0.1, 100) == 1e-4


def test_the_noise_on_adult_is_that_of_the_papers(real_data):
    """0.568 and 1.728, computed from the papers' formulas before this code existed."""
    dataset = catalog.data_set("adult_training_twice")
    records = data_access.load(data_access.locate(dataset, data_dir=real_data))
    split = fixed_split_classification.split(records, rng=np.random.default_rng(0))
    for module, options, expected in (
        (dp_fermi, {}, 0.568),
        (dp_fermi_all_attributes, {"delta_rule": "given", "epochs": 50}, 1.728),
    ):
        settings = FermiTraining(**options)
        n = len(split.train)
        noise = settings.noise_multiplier(3.0, settings.delta(1e-5, n), n)
        smallest = FermiProblem(split.train, settings).smallest
        of_theta, _ = module._sensitivities(settings, smallest)
        assert noise * of_theta == pytest.approx(expected, abs=5e-4)


def test_the_audit_refutes_the_published_noise():
    found = audit("dp_fermi", crowd(), params=algorithm("dp_fermi").complete({}), neighbours=12)
    assert found.accounted > found.claimed
    assert found.largest_move > 2  # the group of the first record changes every gradient


@BOTH
def test_the_dual_variable_stays_within_its_bound(module):
    """After a huge step the second gradient is that at the bound."""
    records, settings = crowd(n=40), {"batch_size": 40, "epochs": 2, "penalised": "group_1"}
    with record() as tape:
        fit(module, records, epsilon=1.0, dual_learning_rate=1e4, dual_bound=2.0, **settings)
    theta, _ = FermiProblem(records, FermiTraining()).start(np.random.default_rng(0))
    theta = (theta - 0.005 * tape[0].output).tolist()
    w = math.copysign(2.0, float(tape[1].output[0]))
    share = float(records.protected.mean())
    expected = oracle.gradients(
        theta, w, batch_of(records, range(40), 1), trade_off=1.0, share=share
    )
    if module is dp_fermi:
        np.testing.assert_allclose(tape[2].value, expected[0], atol=1e-7)
    np.testing.assert_allclose(tape[3].value, [expected[1]], atol=1e-7)
