"""DPSGD and its fair variants: steps by hand, declared noise, and epsilon = infinity."""

import numpy as np
import pytest

from dpfair_cli.algorithms.training import (
    dpsgd,
    dpsgd_f,
    dpsgd_global_adapt,
    dpsgd_quantile,
    naive_dpsgd,
    sgd,
)
from dpfair_cli.auditing.losses import privacy_loss
from dpfair_cli.contracts.training_context import TrainingContext
from dpfair_cli.kinds.records import Domain, Records
from dpfair_cli.mechanisms.batches import absent
from dpfair_cli.mechanisms.ledger import record, replay
from dpfair_cli.models.training.descent import group_bounds
from dpfair_cli.models.training.schedule import PlannedSteps

PRIVATE = (dpsgd, dpsgd_f, naive_dpsgd, dpsgd_global_adapt, dpsgd_quantile)
every = pytest.mark.parametrize(
    "algorithm", PRIVATE, ids=lambda module: module.__name__.split(".")[-1]
)
INFINITE = {"epsilon": np.inf}


def fit(algorithm, people, seed=0, **options):
    """The model, what was released, and the arrays of the state after every epoch."""
    states = []
    context = TrainingContext(measure=lambda epoch: states.append(epoch.state.arrays))
    with record() as tape:
        model = algorithm.fit(people, **options, context=context, rng=np.random.default_rng(seed))
    return model, tape, states


@pytest.fixture
def four(records):
    """At w = 0 the gradients are -x / 2 or x / 2: norms 1/2, 1, 3/2, 2 in groups 0, 0, 1, 1."""
    return records([[1], [2], [3], [4]], [1, 1, 0, 0], [0, 0, 1, 1])


WHOLE = {"epochs": 1, "batch_size": 4, "intercept": "without", "learning_rate": 1.0}


def test_one_step_of_dpsgd_without_noise_is_the_clipped_mean(four):
    """C = 1: -1/2 - 1 + 1 + 1 = 1/2 over 4 records; w = 0 - 1/8."""
    model, tape, _ = fit(dpsgd, four, **INFINITE, clip_norm=1.0, **WHOLE)
    assert model.weights == pytest.approx([-1 / 8])
    assert [float(entry.value[0]) for entry in tape] == pytest.approx([1 / 2])


def test_one_step_of_dpsgd_f_without_noise(four):
    """C_0 = 1: m = (0, 2) of (2, 2), m / b = 1/2; C = (1, 1 + 1 / (1/2)) = (1, 3); the sum is 2."""
    model, tape, states = fit(dpsgd_f, four, **INFINITE, clip_norm=1.0, **WHOLE)
    assert tape[0].value.tolist() == [[0, 2], [2, 0]]
    assert states[0]["bounds"].tolist() == [1.0, 3.0]
    assert tape[1].sensitivity == 3.0
    assert model.weights == pytest.approx([-2 / 4])


@pytest.mark.parametrize("weights", ["exact", "noisy"])
def test_one_step_of_dpsgd_f_with_weighted_groups_without_noise(records, weights):
    """b = 4, groups of 1 and 3: theta = (2 / 1, 2 / 3); m = (0, 2) of (1, 3), m / b = 1/2; C = (1,
    1 + 4/3).

    The sum is 2 (-1/2) + 2/3 (-1 + 3/2 + 2) = 2/3; the noise is declared for 7/3 all the same.
    """
    people = records([[1], [2], [3], [4]], [1, 1, 0, 0], [0, 1, 1, 1])
    model, tape, states = fit(dpsgd_f, people, **INFINITE, clip_norm=1.0, weights=weights, **WHOLE)
    assert tape[0].value.tolist() == [[0, 1], [2, 1]]
    assert float(tape[1].value[0]) == pytest.approx(2 / 3)
    assert tape[1].sensitivity == pytest.approx(7 / 3)
    assert states[0]["bounds"] == pytest.approx([2, 2 / 3 * 7 / 3])
    assert model.weights == pytest.approx([-1 / 6])


def test_weights_of_one_are_those_of_dpsgd_f_as_printed(crowd):
    people, options = crowd(100), {"epsilon": 2.0, "batch_size": 20, "epochs": 3}
    printed, one = (fit(dpsgd_f, people, **options, **more) for more in ({}, {"weights": "one"}))
    np.testing.assert_array_equal(printed[0].weights, one[0].weights)
    assert (
        min(state["bounds"].min() for state in one[2]) >= 0.5
    )  # C^k = C_0 (1 + a share): theta = 1
    np.testing.assert_array_equal(
        dpsgd_f._weights("one", {"noisy": np.array([[-3.0, 9.0], [0, 0]])}, 8), [1.0, 1.0]
    )


def test_a_group_counts_for_a_record_at_least_in_its_weight():
    """b = 8 of two groups: 4 / max(b^k, 1), of exact and of noisy counts."""
    counts = {"exact": np.array([[1.0, 3.0], [0, 0]]), "noisy": np.array([[2.0, 6.0], [-3.0, 1.0]])}
    assert dpsgd_f._weights("exact", counts, 8).tolist() == [1.0, 4.0]
    assert dpsgd_f._weights("noisy", counts, 8).tolist() == [0.5, 4.0]


def released_with_and_without_the_first(people, weights):
    """The gradient release of one whole batch, with and without the first record."""
    options = {**INFINITE, "clip_norm": 1.0, "weights": weights, **WHOLE}
    with record() as tape:
        dpsgd_f.fit(people, **options, rng=np.random.default_rng(0))
    with replay(tape) as again, absent(0):
        dpsgd_f.fit(people, **options, rng=np.random.default_rng(0))
    return tape[1].sensitivity, float(tape[1].value[0]), float(again[1].value[0])


@pytest.mark.parametrize(("weights", "move"), [("one", 2), ("exact", 4), ("noisy", 4)])
def test_a_weighted_record_exceeds_the_sensitivity_of_dpsgd_f(records, weights, move):
    """The first, of norm 2, is alone in group 1: C = (1 + 2/3, 1 + 2) = (5/3, 3), theta^1 = 2."""
    people = records([[4], [1], [2], [3]], [0, 1, 1, 0], [1, 0, 0, 0])
    declared, with_it, without_it = released_with_and_without_the_first(people, weights)
    assert declared == pytest.approx(3)
    assert with_it - without_it == pytest.approx(move)


@pytest.mark.parametrize(("weights", "without"), [("one", 0), ("exact", 3 / 2), ("noisy", 0)])
def test_exact_weights_of_the_others_tell_that_a_record_is_gone(records, weights, without):
    """Two groups of two: the sum is 2 + 3/2 - 1/2 - 1 = 2; alone in its group 3/2 counts twice."""
    people = records([[4], [3], [1], [2]], [0, 0, 1, 1], [1, 1, 0, 0])
    assert released_with_and_without_the_first(people, weights) == pytest.approx((3, 2, without))


def test_one_step_of_naive_without_noise(records):
    """Groups of 1 and 3: theta = (2, 2/3); C_0 = 1: 2 (-1/2) + 2/3 (-1 + 1 + 1) = -1/3; C = 2."""
    people = records([[1], [2], [3], [4]], [1, 1, 0, 0], [0, 1, 1, 1])
    model, tape, states = fit(naive_dpsgd, people, **INFINITE, clip_norm=1.0, **WHOLE)
    assert tape[0].value.tolist() == [1, 3]
    assert states[0]["bounds"] == pytest.approx([2, 2 / 3])
    assert tape[1].sensitivity == 2.0
    assert model.weights == pytest.approx([1 / 12])


def test_one_step_of_global_adapt_without_noise(four):
    """C = 1, Z = 1.6: three gradients are scaled by 1 / 1.6, the last clipped to 1."""
    options = {"clip_norm": 1.0, "largest_norm": 1.6, "bound_rate": 0.5}
    model, tape, states = fit(dpsgd_global_adapt, four, **INFINITE, **options, **WHOLE)
    assert float(tape[0].value[0]) == pytest.approx((-1 / 2 - 1 + 3 / 2) / 1.6 + 1)
    assert model.weights == pytest.approx([-1 / 4])
    assert states[0]["bounds"] == pytest.approx([1.6 * np.exp(1 / 4 - 0.5)] * 2)


def test_one_step_of_a_private_quantile_without_noise(four):
    """C = 1 clips as DPSGD does: the sum is 1/2; two of four norms are longer than 1."""
    model, tape, states = fit(dpsgd_quantile, four, **INFINITE, clip_norm=1.0, **WHOLE)
    assert model.weights == pytest.approx([-1 / 8])
    assert [entry.sensitivity for entry in tape] == [1.0, 1.0]
    assert float(tape[1].value) == 2
    assert states[0]["bounds"] == pytest.approx([np.exp(0.2 * 2 / 4)] * 2)


GIVEN = {"calibration": "given", "epsilon": 1e6}


@pytest.mark.parametrize(
    ("sigma", "error", "bound"),
    [(1.0, "number", 2.0), (1.3, "number", 1.5), (1.3, "vector", 1.5), (3.0, "vector", 1.0)],
)
def test_the_exact_quantile_is_a_norm_of_the_batch(four, sigma, error, bound):
    """The norms are 1/2, 1, 3/2, 2. Of 1/epsilon = sigma sqrt(2/pi) = 0.8 or 1.04, or sigma sqrt(1)
    = 1.3 or 3, the rounded number is the rank of C from above: 1, 2, 2, 3.
    """
    options = {"quantile": "exact", "error": error, "noise_multiplier": sigma, **GIVEN}
    _, tape, _ = fit(dpsgd_quantile, four, clip_norm=9.0, **options, **WHOLE)
    assert tape[0].sensitivity == pytest.approx(bound)
    assert tape[0].scale == pytest.approx(sigma * bound)


def test_the_exact_quantile_has_the_least_error_of_equation_9_1():
    """C / epsilon + sum max(0, |g_i| - C) is least at the ceil(1 / epsilon)-th largest norm."""
    norms = np.random.default_rng(0).exponential(size=50)
    for inverse in (0.8, 3.2, 7.9):  # 1 / epsilon
        errors = [inverse * C + np.maximum(0, norms - C).sum() for C in norms]
        assert norms[np.argmin(errors)] == np.sort(norms)[-int(np.ceil(inverse))]


@pytest.mark.parametrize("start", [0.01, 20.0])
def test_a_private_quantile_comes_to_the_share_that_it_is_asked_for(start, crowd):
    """sigma sqrt(p) = 5 sqrt(31) = 28 of 100 gradients are to stay longer than C."""
    people = crowd(100, d=30)
    options = {"error": "vector", "noise_multiplier": 5.0, "count_noise_ratio": 0.01, **GIVEN}
    steps = {"epochs": 300, "batch_size": 100, "learning_rate": 1e-9}
    _, tape, _ = fit(dpsgd_quantile, people, clip_norm=start, **options, **steps)
    long = [float(entry.value) for entry in tape[1::2]]
    assert np.mean(long[-50:]) == pytest.approx(5 * np.sqrt(31), abs=5)


def test_a_private_quantile_stays_below_its_largest_value(crowd):
    options = {"clip_norm": 0.1, "largest_norm": 0.2, "batch_size": 20, "epochs": 10}
    _, tape, _ = fit(dpsgd_quantile, crowd(100), epsilon=0.1, **options)
    sensitivities = [entry.sensitivity for entry in tape[::2]]
    assert max(sensitivities) == 0.2
    assert min(sensitivities) > 0


def test_a_noisy_group_count_below_one_is_one_for_naive(crowd):
    _, tape, _ = fit(naive_dpsgd, crowd(60), epsilon=0.5, batch_size=8, epochs=3)
    assert min(float(entry.output.min()) for entry in tape[::2]) < 1
    assert max(float(entry.sensitivity) for entry in tape[1::2]) == 0.5 * 8 / 2 / 1


@pytest.mark.parametrize("algorithm", [dpsgd_f, naive_dpsgd])
def test_noise_is_scaled_by_the_largest_bound_of_all_groups(algorithm, records):
    people = records(np.random.default_rng(0).random((40, 2)), [0, 1] * 20, [0] * 40)
    _, tape, _ = fit(algorithm, people, epsilon=5.0, batch_size=20, epochs=10)
    noisy = [entry.output for entry in tape[::2]]
    for counts, gradient in zip(noisy, tape[1::2], strict=True):
        bounds = (
            group_bounds(counts, 0.5, 20)
            if algorithm is dpsgd_f
            else 0.5 * 10 / np.maximum(counts, 1.0)
        )
        assert gradient.sensitivity == pytest.approx(bounds.max())
        assert gradient.scale / gradient.sensitivity == pytest.approx(tape[0].scale / 10)


@every
def test_the_noise_of_the_released_gradient_has_its_declared_deviation(algorithm, crowd):
    _, tape, _ = fit(algorithm, crowd(300, d=30), epsilon=1.0, batch_size=30, epochs=20)
    gradients = [entry for entry in tape if np.shape(entry.value) == (31,)]
    noise = np.concatenate([(entry.output - entry.value) / entry.scale for entry in gradients])
    assert len(noise) == 200 * 31
    assert noise.mean() == pytest.approx(0, abs=4 / np.sqrt(len(noise)))
    assert noise.std() == pytest.approx(1, abs=4 / np.sqrt(2 * len(noise)))


@every
def test_releases_say_of_which_batch_they_are(algorithm, crowd):
    _, tape, _ = fit(algorithm, crowd(100), epsilon=1.0, batch_size=25, epochs=2)
    assert {entry.draw.sampling_rate for entry in tape} == {0.25}
    per_batch = 1 if algorithm is dpsgd else 2
    assert [entry.draw.step for entry in tape] == [
        step for step in range(1, 9) for _ in range(per_batch)
    ]


@every
@pytest.mark.parametrize("batches", ["poisson", "shuffled"])
def test_the_releases_of_all_batches_cost_epsilon_together(algorithm, batches, crowd):
    """The cost is that of the batches as they were drawn, not as they were planned."""
    _, tape, _ = fit(
        algorithm, crowd(100), epsilon=1.5, delta=1e-5, batch_size=20, epochs=3, batches=batches
    )
    cost = privacy_loss(tape, [entry.sensitivity for entry in tape], 1e-5)
    assert 0.99 * 1.5 < cost <= 1.5 * (1 + 1e-6)


def three_groups(n=60, favourable=30):
    """Records of three groups, the last one small, with gradients far longer than 1."""
    rng = np.random.default_rng(1)
    groups = np.where(np.arange(n) % 10 == 0, 2, rng.integers(0, 2, n))
    X = rng.random((n, 4)) * 6
    y = (np.arange(n) < favourable).astype(np.int64)
    names = tuple("abcd")
    domain = Domain(names, {name: (j,) for j, name in enumerate(names)}, ("a", "b", "c"))
    return Records(X, y, groups, domain)


def without(people, k):
    """The people with another record k, which a test keeps out of all batches."""
    X, y, groups = people.X.copy(), people.y.copy(), people.protected.copy()
    X[k], y[k], groups[k] = 0.5, 1 - y[k], (groups[k] + 1) % 2
    return Records(X, y, groups, people.domain)


def check_that_releases_are_all(algorithm, people, k, **options):
    """A record moves releases within their sensitivity, which cost epsilon, and nothing else.

    Compared are weights, velocity and bounds at the end of every epoch, and scales, with record k
    and with another record k that no batch has.
    """
    _, tape, states = fit(algorithm, people, **options)
    states_again = []
    context = TrainingContext(measure=lambda epoch: states_again.append(epoch.state.arrays))
    with replay(tape) as again, absent(k):
        algorithm.fit(without(people, k), **options, context=context, rng=np.random.default_rng(0))
    for with_it, without_it in zip(states, states_again, strict=True):
        for name, array in with_it.items():
            np.testing.assert_array_equal(array, without_it[name])
    moves = []
    for before, after in zip(tape, again, strict=True):
        assert (before.draw, before.sensitivity) == (after.draw, after.sensitivity)
        assert before.scale == after.scale
        moves.append(np.linalg.norm(np.ravel(before.value) - np.ravel(after.value)))
        assert moves[-1] <= before.sensitivity * (1 + 1e-9)
    assert max(moves) > 0
    cost = privacy_loss(tape, [entry.sensitivity for entry in tape], options["delta"])
    assert cost <= options["epsilon"] * (1 + 1e-6)


BUDGET = {"epsilon": 20.0, "delta": 1e-5, "batch_size": 20, "epochs": 3}
OTHER_SETTINGS = {
    "a small clipping bound": {"clip_norm": 0.02},
    "a large clipping bound": {"clip_norm": 4.0},
    "momentum and weight decay": {"momentum": 0.9, "regularisation": 0.5, "schedule": "decaying"},
    "shuffled batches": {"batches": "shuffled", "epsilon": 60.0},
    "given noise": {"calibration": "given", "noise_multiplier": 1.5, "epsilon": 8.0},
    "large given noise": {"calibration": "given", "noise_multiplier": 12.0, "epsilon": 1.0},
}


@every
@pytest.mark.parametrize("k", [0, 30, 59])
def test_training_depends_on_a_record_by_its_releases_alone(algorithm, k, crowd):
    options = BUDGET | {"clip_norm": 0.1}
    if algorithm is dpsgd_global_adapt:  # Z passes the norms of all gradients
        options |= {"largest_norm": 5.0, "bound_rate": 0.5}
    check_that_releases_are_all(algorithm, crowd(60), k, **options)


@every
@pytest.mark.parametrize("settings", OTHER_SETTINGS.values(), ids=OTHER_SETTINGS)
def test_a_training_of_three_groups_is_private_at_other_settings(algorithm, settings):
    options = BUDGET | settings
    if algorithm is dpsgd_global_adapt:
        options |= {"largest_norm": 8.0, "bound_rate": 0.5, "threshold": 0.7}
    check_that_releases_are_all(algorithm, three_groups(), 50, **options)


@every
@pytest.mark.parametrize("k", [0, 2])
def test_a_batch_may_be_larger_than_the_favourable_records_or_a_group(algorithm, k):
    """3 favourable records, 6 of group c, and batches of 40."""
    options = BUDGET | {"batch_size": 40}
    check_that_releases_are_all(algorithm, three_groups(favourable=3), k, **options)


@every
def test_a_batch_without_records_is_released_like_any_other(algorithm, records):
    """One of four records a batch: a third of the batches are empty, which must not show."""
    _, tape, _ = fit(
        algorithm,
        records([[1], [2], [3], [4]], [1, 1, 0, 0], [0, 0, 1, 1]),
        batch_size=1,
        epochs=10,
    )
    assert len(tape) == 40 * (1 if algorithm is dpsgd else 2)


def test_dpsgd_without_noise_and_without_a_gradient_to_clip_is_sgd(crowd):
    people, options = (
        crowd(),
        {"batch_size": 50, "epochs": 3, "momentum": 0.5, "regularisation": 0.01},
    )
    private, public = (
        fit(module, people, **options, **more)[0]
        for module, more in ((dpsgd, INFINITE | {"clip_norm": 1e9}), (sgd, {}))
    )
    np.testing.assert_array_equal(private.weights, public.weights)


@pytest.mark.parametrize("algorithm", [dpsgd_f, dpsgd_global_adapt])
def test_adaptive_methods_without_noise_and_clipping_are_sgd(algorithm, crowd):
    people, options = crowd(), {"batch_size": 50, "epochs": 3}
    more = {"clip_norm": 1e9} | ({"largest_norm": 1e9} if algorithm is dpsgd_global_adapt else {})
    private = fit(algorithm, people, **options, **INFINITE, **more)[0]
    np.testing.assert_allclose(private.weights, fit(sgd, people, **options)[0].weights)


@every
def test_a_batch_larger_than_the_data_is_refused(algorithm, crowd):
    with pytest.raises(
        ValueError, match="batch_size must be from 1 to 40, the number of records, got 41"
    ):
        fit(algorithm, crowd(40), batch_size=41)


@every
def test_no_noise_for_a_finite_epsilon_is_refused(algorithm, crowd):
    with pytest.raises(ValueError, match="must be positive if epsilon is finite"):
        fit(algorithm, crowd(), batch_size=50, noise_multiplier=0.0, calibration="given")


@every
def test_given_noise_that_does_not_keep_epsilon_is_refused(algorithm, crowd):
    with pytest.raises(ValueError, match="must cost at most epsilon"):
        fit(
            algorithm,
            crowd(),
            batch_size=50,
            epsilon=0.1,
            noise_multiplier=1.0,
            calibration="given",
        )


@every
@pytest.mark.parametrize("clip_norm", [0.0, -1.0, np.inf])
def test_a_clipping_bound_that_bounds_nothing_is_refused(algorithm, clip_norm, crowd):
    with pytest.raises(ValueError, match=r"clip_norm must be (positive|finite)"):
        fit(algorithm, crowd(), batch_size=50, clip_norm=clip_norm)


def test_shuffled_batches_need_more_noise_for_the_same_promise(crowd):
    scales = [
        fit(dpsgd, crowd(), batch_size=20, epochs=3, batches=batches)[1][0].scale
        for batches in ("poisson", "shuffled")
    ]
    assert scales[1] > 2 * scales[0]


def test_two_methods_with_one_seed_see_the_same_batches(crowd, monkeypatch):
    """Then what privacy costs is not blurred by other batches."""
    draw, seen = PlannedSteps.draw, []

    def watch(steps, rng):
        for batch in draw(steps, rng):
            seen.append(batch.rows.tolist())
            yield batch

    monkeypatch.setattr(PlannedSteps, "draw", watch)
    people = crowd(100)
    for module in (sgd, *PRIVATE):
        fit(module, people, batch_size=20, epochs=2)
    runs = [seen[k * 10 : k * 10 + 10] for k in range(5)]
    assert all(run == runs[0] for run in runs)
