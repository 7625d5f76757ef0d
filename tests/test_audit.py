"""The audit passes what is private and refutes what is not: a test that cannot fail would prove nothing."""

from dataclasses import replace
from functools import cache
from math import inf, log, sqrt
from types import SimpleNamespace

import numpy as np
import pytest
from click.testing import CliRunner

from dpfair_cli import catalog
from dpfair_cli.auditing import audit as auditing
from dpfair_cli.auditing.audit import Finding, audit, loss
from dpfair_cli.commands import main
from dpfair_cli.kinds.people import Domain, Records
from dpfair_cli.kinds.variables import Observations
from dpfair_cli.mechanisms.accounting.accountant import noise_multiplier_for
from dpfair_cli.mechanisms.batches import poisson_batches, shuffled_batches
from dpfair_cli.mechanisms.gaussian import analytic_sigma, gaussian, gaussian_epsilon
from dpfair_cli.mechanisms.laplace import laplace
from dpfair_cli.mechanisms.ledger import Release
from dpfair_cli.models.regression.linear import LinearClassifier

PRIVATE = [name for name in catalog.names("algorithms") if catalog.is_private(name)]
CAUSAL = {name for name in catalog.names("algorithms") if catalog.data_of("algorithms", name) is Observations}
NUMERICAL = {"priv_pc_star"}  # of the causal ones
REFUTED = [name for name in PRIVATE if catalog.statement(name)["Status"] == "refuted"]
CLAIMED = [name for name in PRIVATE if name not in REFUTED]
D = 8


@pytest.fixture(scope="module")
def records():
    rng = np.random.default_rng(0)
    names = tuple(f"x{j}" for j in range(D))
    domain = Domain(names, {name: (j,) for j, name in enumerate(names)}, ("a", "b"))
    return Records(rng.random((300, D)), rng.integers(0, 2, 300), rng.integers(0, 2, 300), domain)


def variables(method):
    """Observations for a causal method, each variable a noisy copy of the one before."""
    values = np.cumsum(np.random.default_rng(0).standard_normal((300, 5)), axis=1)
    names = tuple(f"v{j}" for j in range(5))
    if method in NUMERICAL:
        return Observations(values, names)
    return Observations(np.digitize(values, [-1.0, 1.0]), names, (3,) * 5)


def data(records, method):
    return variables(method) if method in CAUSAL else records


@pytest.mark.parametrize("sensitivity", ["published", "tight"])
@pytest.mark.parametrize("method", CLAIMED)
def test_every_private_method_passes(records, method, sensitivity):
    has_it = "sensitivity" in catalog.parameters("algorithms", method)
    params = catalog.complete("algorithms", method, {"sensitivity": sensitivity} if has_it else {})
    found = audit(method, data(records, method), params=params, neighbours=60)
    assert found.holds
    assert found.post_processing
    assert 0 < found.largest_move <= 1 + 1e-9
    assert 0 < found.found <= found.accounted * (1 + 1e-9)
    assert (found.claimed, found.delta) == (1.0, params.get("delta", 0.0))


@pytest.mark.parametrize("method", REFUTED)
def test_a_refuted_method_fails(records, method):
    found = audit(method, records, params=catalog.complete("algorithms", method, {}), neighbours=60)
    assert not found.holds
    assert found.found > found.claimed


@pytest.mark.parametrize("method", CLAIMED)
def test_a_method_without_noise_keeps_its_empty_promise(records, method):
    params = catalog.complete("algorithms", method, {"epsilon": inf})
    found = audit(method, data(records, method), params=params, neighbours=8)
    assert found.found == found.claimed == inf
    assert found.holds


# A method that is private, and ways to break it. The query is the sum of X, of L1 sensitivity D.


def honest(records, *, epsilon=1.0, rng):
    return LinearClassifier(laplace(records.X.sum(axis=0), l1_sensitivity=D, epsilon=epsilon, rng=rng))


def half_the_sensitivity(records, *, epsilon=1.0, rng):
    return LinearClassifier(laplace(records.X.sum(axis=0), l1_sensitivity=D / 2, epsilon=epsilon, rng=rng))


def twice_the_epsilon(records, *, epsilon=1.0, rng):
    return LinearClassifier(laplace(records.X.sum(axis=0), l1_sensitivity=D, epsilon=2 * epsilon, rng=rng))


def a_mean_without_noise(records, *, epsilon=1.0, rng):
    return LinearClassifier(honest(records, epsilon=epsilon, rng=rng).weights + 1e-3 * records.X.mean())


def noise_that_the_ledger_does_not_see(records, *, epsilon=1.0, rng):
    return LinearClassifier(records.X.sum(axis=0) + rng.laplace(scale=D / epsilon, size=D))


def two_releases_for_the_price_of_one(records, *, epsilon=1.0, rng):
    return LinearClassifier(sum(honest(records, epsilon=epsilon, rng=rng).weights for _ in range(2)))


def no_sensitivity_at_all(records, *, epsilon=1.0, rng):
    return LinearClassifier(laplace(records.X.sum(axis=0), l1_sensitivity=0.0, epsilon=epsilon, rng=rng))


def an_intercept_without_noise(records, *, epsilon=1.0, rng):
    return replace(honest(records, epsilon=epsilon, rng=rng), intercept=float(records.y.mean()))


def noise_that_depends_on_the_data(records, *, epsilon=1.0, rng):
    return LinearClassifier(
        laplace(records.X.sum(axis=0), l1_sensitivity=D + records.y.sum(), epsilon=epsilon, rng=rng)
    )


def half_the_deviation(records, *, epsilon=1.0, delta=1e-3, rng):
    sigma = analytic_sigma(sqrt(D), epsilon, delta) / 2
    return LinearClassifier(gaussian(records.X.sum(axis=0), l2_sensitivity=sqrt(D), sigma=sigma, rng=rng))


def as_many_releases_as_positives(records, *, epsilon=1.0, rng):
    noisy = [
        laplace(records.X.sum(axis=0), l1_sensitivity=D, epsilon=epsilon / 999, rng=rng) for _ in range(records.y.sum())
    ]
    return LinearClassifier(np.sum([np.zeros(D), *noisy], axis=0))


def only_the_largest_columns(records, *, epsilon=1.0, rng):
    total, weights = records.X.sum(axis=0), np.zeros(D)
    chosen = total > total.mean()
    weights[chosen] = laplace(total[chosen], l1_sensitivity=D, epsilon=epsilon, rng=rng)
    return LinearClassifier(weights)


@pytest.fixture
def try_out(monkeypatch, records):
    """The finding on a fit that is registered as the method `toy`."""

    def attempt(fit, neighbours="replace-one.", **params):
        monkeypatch.setattr(catalog, "find", lambda kind, name: SimpleNamespace(fit=fit))
        monkeypatch.setattr(catalog, "statement", lambda name: {"Neighbours": neighbours})
        return audit("toy", records, params={"epsilon": 1.0} | params, neighbours=60)

    return attempt


def test_an_honest_method_passes(try_out):
    found = try_out(honest)
    assert found.holds
    assert found.largest_move == pytest.approx(1.0)  # nobody against everybody
    assert found.found == pytest.approx(1.0)
    assert found.accounted == 1.0


def test_a_halved_sensitivity_is_refuted(try_out):
    found = try_out(half_the_sensitivity)
    assert not found.holds
    assert found.largest_move == pytest.approx(2.0)
    assert found.found == pytest.approx(2.0)


def test_an_epsilon_that_is_larger_than_claimed_is_refuted(try_out):
    found = try_out(twice_the_epsilon)
    assert not found.holds
    assert found.largest_move <= 1
    assert found.found == pytest.approx(2.0)


def test_a_mean_that_leaks_without_noise_is_refuted(try_out):
    found = try_out(a_mean_without_noise)
    assert not found.post_processing
    assert not found.holds


def test_noise_beside_the_ledger_is_refuted(try_out):
    assert not try_out(noise_that_the_ledger_does_not_see).holds


def test_composition_is_added_up(try_out):
    found = try_out(two_releases_for_the_price_of_one)
    assert not found.holds
    assert found.found == pytest.approx(2.0)


def test_a_query_declared_constant_that_moves_is_refuted(try_out):
    found = try_out(no_sensitivity_at_all)
    assert found.found == inf
    assert not found.holds


def test_too_small_a_deviation_is_refuted(try_out):
    found = try_out(half_the_deviation, delta=1e-3)
    assert not found.holds
    wanted = gaussian_epsilon(1e-3, analytic_sigma(1.0, 1.0, 1e-3) / 2)
    assert found.found == pytest.approx(wanted)
    assert found.found > 2


def test_an_intercept_that_leaks_without_noise_is_refuted(try_out):
    assert not try_out(an_intercept_without_noise).holds


def test_a_noise_scale_that_depends_on_the_data_is_refuted(try_out):
    """Its size tells the neighbours apart, however large it is."""
    assert not try_out(noise_that_depends_on_the_data).holds


@pytest.mark.parametrize("fit", [as_many_releases_as_positives, only_the_largest_columns])
def test_releases_whose_number_or_shape_depends_on_the_data_are_refuted(try_out, fit):
    try:
        assert not try_out(fit).holds
    except ValueError as error:
        assert "depend on the data" in str(error)  # noqa: PT017


# Private training on batches: noisy steps that count a clipped sum, and ways to break them.

STEPS = 30
multiplier = cache(noise_multiplier_for)


def trained(records, batches, rng, *, clip_norm=1.0, sigma=1.0, declared=0.3):
    """Steps of clipped sums, with noise of `sigma` clipping bounds on the batches that were drawn."""
    weights = np.zeros(D)
    for batch in batches:
        X = records.X[batch.rows] - 0.01 * weights
        norms = np.maximum(np.linalg.norm(X, axis=1, keepdims=True), clip_norm)
        total = (clip_norm * X / norms).sum(axis=0)
        draw = replace(batch.draw, sampling_rate=declared) if declared else batch.draw
        weights = weights + gaussian(total, l2_sensitivity=1.0, sigma=sigma, rng=rng, draw=draw)
    return LinearClassifier(weights)


def noisy_training(records, *, epsilon=1.0, delta=1e-5, rng):
    sigma = multiplier(epsilon, delta, sampling_rate=0.3, steps=STEPS)
    batches = poisson_batches(len(records), sampling_rate=0.3, steps=STEPS, rng=rng)
    return trained(records, batches, rng, sigma=sigma)


def half_the_noise(records, *, epsilon=1.0, delta=1e-5, rng):
    sigma = multiplier(epsilon, delta, sampling_rate=0.3, steps=STEPS) / 2
    batches = poisson_batches(len(records), sampling_rate=0.3, steps=STEPS, rng=rng)
    return trained(records, batches, rng, sigma=sigma)


def gradients_that_are_not_clipped_enough(records, *, epsilon=1.0, delta=1e-5, rng):
    sigma = multiplier(epsilon, delta, sampling_rate=0.3, steps=STEPS)
    batches = poisson_batches(len(records), sampling_rate=0.3, steps=STEPS, rng=rng)
    return trained(records, batches, rng, sigma=sigma, clip_norm=1.5)


def a_second_release_on_the_same_batches(records, *, epsilon=1.0, delta=1e-5, rng):
    """Counts with the noise of the gradients, accounted as if they were none."""
    sigma = multiplier(epsilon, delta, sampling_rate=0.3, steps=STEPS)
    size = 0.0
    for batch in poisson_batches(len(records), sampling_rate=0.3, steps=STEPS, rng=rng):
        for _ in range(2):
            size += gaussian(len(batch.rows), l2_sensitivity=1.0, sigma=sigma, rng=rng, draw=batch.draw)
    return LinearClassifier(np.full(D, float(size)))


def shuffled_batches_at_a_poisson_price(records, *, epsilon=1.0, delta=1e-5, rng):
    size = min(5, len(records))
    rate, steps = size / len(records), 4 * -(-len(records) // size)
    sigma = multiplier(epsilon, delta, sampling_rate=rate, steps=steps)
    return trained(
        records, shuffled_batches(len(records), batch_size=size, steps=steps, rng=rng), rng, sigma=sigma, declared=0
    )


def shuffled_batches_at_their_price(records, *, epsilon=1.0, delta=1e-5, rng):
    size = min(5, len(records))
    a_pass = -(-len(records) // size)
    sigma = multiplier(epsilon, delta, sampling_rate=1 / a_pass, steps=4 * a_pass, sampling="shuffled")
    batches = shuffled_batches(len(records), batch_size=size, steps=4 * a_pass, rng=rng)
    return trained(records, batches, rng, sigma=sigma, declared=0)


def a_rate_that_depends_on_the_data(records, *, epsilon=1.0, delta=1e-5, rng):
    rate = 0.2 + 0.1 * float(records.y.mean())
    sigma = multiplier(epsilon, delta, sampling_rate=0.3, steps=STEPS)
    batches = poisson_batches(len(records), sampling_rate=rate, steps=STEPS, rng=rng)
    return trained(records, batches, rng, sigma=sigma, declared=0)


def a_mean_outside_the_batches(records, *, epsilon=1.0, delta=1e-5, rng):
    model = noisy_training(records, epsilon=epsilon, delta=delta, rng=rng)
    return replace(model, intercept=float(records.X.mean()))


def test_private_training_passes_and_is_accounted_with_its_batches(try_out):
    found = try_out(noisy_training, "add-or-remove-one.", delta=1e-5)
    assert found.holds
    assert found.largest_move == pytest.approx(1.0)
    assert 0.99 < found.accounted <= 1


def test_shuffled_training_passes_at_the_price_of_its_passes(try_out):
    found = try_out(shuffled_batches_at_their_price, "add-or-remove-one.", delta=1e-5)
    assert found.holds
    assert found.accounted == pytest.approx(1, abs=1e-3)


@pytest.mark.parametrize(
    "fit",
    [
        half_the_noise,
        gradients_that_are_not_clipped_enough,
        a_second_release_on_the_same_batches,
        shuffled_batches_at_a_poisson_price,
        a_rate_that_depends_on_the_data,
        a_mean_outside_the_batches,
    ],
)
def test_broken_private_training_is_refuted(try_out, fit):
    try:
        assert not try_out(fit, "add-or-remove-one.", delta=1e-5).holds
    except ValueError as error:
        assert "depend on the data" in str(error)  # noqa: PT017


# What a loss is, worked by hand.


def tape(*scales, mechanism="laplace"):
    return [Release(mechanism, np.zeros(1), np.zeros(1), 1.0, scale) for scale in scales]


def test_laplace_losses_add_up():
    assert loss(tape(2.0, 4.0), [1.0, 3.0], 0.0) == 1 / 2 + 3 / 4


def test_no_change_costs_nothing_and_no_noise_costs_everything():
    assert loss(tape(0.0, 1.0), [0.0, 0.0], 0.0) == 0
    assert loss(tape(0.0), [1e-12], 0.0) == inf
    assert loss(tape(0.0, mechanism="gaussian"), [1.0], 1e-3) == inf
    assert loss([], [], 0.0) == 0


def test_gaussian_losses_are_those_of_one_joint_gaussian():
    joint = loss(tape(3.0, 4.0, mechanism="gaussian"), [0.6, 1.6], 1e-3)  # ratios 0.2 and 0.4
    assert joint == pytest.approx(gaussian_epsilon(1e-3, 1 / sqrt(0.2**2 + 0.4**2)))
    mixed = loss([*tape(2.0), *tape(5.0, mechanism="gaussian")], [1.0, 2.0], 1e-3)
    assert mixed == pytest.approx(1 / 2 + gaussian_epsilon(1e-3, 2.5))


def test_scores_of_the_exponential_mechanism_count_as_far_as_they_move_apart():
    a = Release("exponential", np.array([0.0, 1.0]), 0, 1.0, 2.0)
    assert auditing._change(a, replace(a, value=np.array([0.5, -1.0]))) == 1.25  # +0.5 and -2: half of 2.5
    assert auditing._change(a, replace(a, value=a.value + 7)) == 0  # the law does not change
    assert loss([a], [1.25], 0.0) == 1.25  # exp(0.5 / 2) against exp(-2 / 2)


def test_changes_are_measured_in_the_norm_of_the_mechanism():
    a = Release("laplace", np.zeros(2), np.zeros(2), 1.0, 1.0)
    b = replace(a, value=np.array([3.0, -4.0]))
    assert auditing._change(a, b) == 7
    assert auditing._change(replace(a, mechanism="gaussian"), replace(b, mechanism="gaussian")) == 5


# Which neighbours are tried.


def test_neighbours_differ_in_one_record_at_most(records):
    for left, right in auditing._pairs(records, 40, np.random.default_rng(0)):
        assert len(left) == len(right)
        differs = (left.X != right.X).any(axis=1) | (left.y != right.y) | (left.protected != right.protected)
        assert differs.sum() <= 1


def test_small_and_large_samples_and_extreme_records_are_tried(records):
    pairs = list(auditing._pairs(records, 200, np.random.default_rng(0)))
    assert {len(left) for left, _ in pairs} == {2, 5, 200}
    moves = [np.abs(left.X.sum(axis=0) - right.X.sum(axis=0)).sum() for left, right in pairs]
    assert max(moves) == pytest.approx(D)
    flips = {(left.y[0], right.y[0], left.protected[0], right.protected[0]) for left, right in pairs}
    assert len(flips) == 16


def test_fewer_records_than_a_sample_are_no_problem(records):
    assert audit(
        "pflr", records.take(np.arange(3)), params=catalog.complete("algorithms", "pflr", {}), neighbours=6
    ).holds


def test_an_audit_can_be_repeated_and_says_how_far_it_is(records):
    params, ticks = catalog.complete("algorithms", "pflr", {}), []
    one, two = (audit("pflr", records, params=params, neighbours=9, tick=lambda: ticks.append(1)) for _ in range(2))
    assert one == two
    assert len(ticks) == 18
    assert audit("pflr", records, params=params, neighbours=9, seed=1) != one


def test_a_finding_holds_up_to_rounding_and_no_further():
    found = Finding("toy", 1.0, 0.0, 1.0, 1.0 + 1e-12, 1.0, True, 9)
    assert found.holds
    assert not replace(found, found=1.0 + 1e-6).holds
    assert not replace(found, largest_move=1.0 + 1e-6).holds
    assert not replace(found, post_processing=False).holds


# The command.


@pytest.fixture
def small(monkeypatch, records):
    """Every data set is the small one."""
    monkeypatch.setattr("dpfair_cli.data_access.download.locate", lambda *args, **kwargs: None)
    monkeypatch.setattr("dpfair_cli.data_access.download.load", lambda *args, **kwargs: records)


def dpfair(*arguments):
    return CliRunner().invoke(main, ["audit", *map(str, arguments)])


@pytest.mark.usefixtures("small")
def test_the_command_prints_what_was_claimed_accounted_and_found():
    result = dpfair("pflr", "--eps", log(2), "--neighbours", 12)
    assert result.exit_code == 0, result.output
    lines = {line.split()[0]: line for line in result.stdout.splitlines()}
    assert list(lines) == ["claimed", "accounted", "found", "queries", "otherwise", "verdict"]
    assert lines["claimed"].endswith("epsilon 0.693147")
    assert lines["found"].endswith("on 12 pairs of neighbours")
    assert lines["verdict"].endswith("the claim holds as far as tried")


@pytest.mark.usefixtures("small")
def test_the_command_says_delta_where_there_is_one():
    assert "epsilon 1, delta 0.001" in dpfair("adfc", "--neighbours", 4).stdout


@pytest.mark.usefixtures("small")
def test_the_command_exits_with_1_when_a_claim_breaks(monkeypatch):
    module = catalog.find("algorithms", "pflr")
    monkeypatch.setattr(module, "l1_fair_objective", lambda *args, **kwargs: 1.0)
    result = dpfair("pflr", "--neighbours", 12)
    assert result.exit_code == 1
    assert result.stdout.splitlines()[-1].endswith("refuted")
