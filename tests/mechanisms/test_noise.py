"""Mechanisms under an ordinary and a secure generator: bytes, laws, scales, Mironov's attack."""

import math
from math import exp, inf, sqrt

import numpy as np
import pytest
from scipy import stats

from dpfair_cli.mechanisms import discrete
from dpfair_cli.mechanisms.above_threshold import above_threshold
from dpfair_cli.mechanisms.exponential import exponential
from dpfair_cli.mechanisms.gaussian import gaussian
from dpfair_cli.mechanisms.laplace import laplace, row_laplace
from dpfair_cli.mechanisms.ledger import record
from dpfair_cli.mechanisms.noise import SLACK, Grid, choose
from dpfair_cli.mechanisms.randomised_response import randomised_response
from dpfair_cli.mechanisms.secure import EXACT, SecureGenerator
from dpfair_cli.mechanisms.subset_selection import subset_selection
from tests.mechanisms.test_above_threshold import law as above_threshold_law

VALUE = np.array([[0.1, -2.0, 1e9], [3.0, 0.0, -1e-9]])
SCORES = np.array([0.3, 1.0, -0.7, 0.9])
CALLS = {
    "laplace": lambda rng: laplace(VALUE, l1_sensitivity=0.7, epsilon=0.3, rng=rng),
    "gaussian": lambda rng: gaussian(VALUE, l2_sensitivity=0.7, sigma=1.3, rng=rng),
    "exponential": lambda rng: exponential(SCORES, sensitivity=0.7, epsilon=1.3, rng=rng),
    "above_threshold": lambda rng: above_threshold(SCORES, sensitivity=0.7, epsilon=1.3, rng=rng),
    "row_laplace": lambda rng: row_laplace(VALUE, l21_sensitivity=0.7, epsilon=0.3, rng=rng),
    "randomised_response": lambda rng: randomised_response(
        VALUE, hamming_sensitivity=2, epsilon=0.5, rng=rng
    ),
    "subset_selection": lambda rng: subset_selection(
        VALUE, size_chances=[0, 0.5, 0.5, 0], hamming_sensitivity=2, epsilon=0.5, rng=rng
    ),
}


def secure(key=0):
    return SecureGenerator._with_key(key)


def plain(seed=0):
    return np.random.default_rng(seed)


def noiseless(mechanism, value, rng):
    if mechanism == "laplace":
        return laplace(value, l1_sensitivity=0, epsilon=1, rng=rng)
    return gaussian(value, l2_sensitivity=1, sigma=0, rng=rng)


def add(mechanism, value, scale, rng, sensitivity=1.0):
    if mechanism == "laplace":
        return laplace(value, l1_sensitivity=sensitivity, epsilon=sensitivity / scale, rng=rng)
    return gaussian(value, l2_sensitivity=sensitivity, sigma=scale, rng=rng)


additive = pytest.mark.parametrize("mechanism", ["laplace", "gaussian"])


# --- an ordinary generator


def test_an_ordinary_generator_gives_the_bytes_of_plain_numpy_expressions():
    """The committed journals depend on each of these."""
    scale = 0.7 / 0.3
    np.testing.assert_array_equal(
        CALLS["laplace"](plain()), VALUE + plain().laplace(scale=scale, size=VALUE.shape)
    )
    np.testing.assert_array_equal(
        CALLS["gaussian"](plain()), VALUE + plain().normal(scale=1.3, size=VALUE.shape)
    )
    for seed in range(200):
        gumbel = 2 * 0.7 / 1.3 * plain(seed).gumbel(size=4)
        assert CALLS["exponential"](plain(seed)) == np.argmax(SCORES + gumbel)
        rng = plain(seed)
        threshold = rng.laplace(scale=2 * 0.7 / 1.3)
        above = SCORES + rng.laplace(scale=4 * 0.7 / 1.3, size=4) > threshold
        assert CALLS["above_threshold"](plain(seed)) == (np.argmax(above) if above.any() else 4)


def test_an_ordinary_generator_records_the_scale_that_was_asked_for():
    with record() as tape:
        for call in CALLS.values():
            call(plain())
    scales = [entry.scale for entry in tape]
    assert scales == [0.7 / 0.3, 1.3, 2 * 0.7 / 1.3, 0.7 / 1.3, 0.7 / 0.3, 2 / 0.5, 2 / 0.5]


# --- what is exact


class WithoutFloatingPoint(SecureGenerator):
    """A secure generator that refuses to draw real numbers."""

    def _refuse(self, *args, **kwargs):
        raise AssertionError("noise in floating point")

    laplace = normal = standard_normal = gamma = gumbel = exponential = random = uniform = _refuse


@pytest.mark.parametrize("name", CALLS)
def test_the_exact_mechanisms_are_those_that_draw_no_real_number(name):
    if name in EXACT:
        CALLS[name](WithoutFloatingPoint())
    else:
        with pytest.raises(AssertionError, match="floating point"):
            CALLS[name](WithoutFloatingPoint())


def test_every_mechanism_says_whether_it_is_exact():
    assert set(CALLS) - EXACT == {"row_laplace"}
    assert set(CALLS) > EXACT


@additive
@pytest.mark.parametrize("shape", [(), (1000,), (20, 50), (2, 5, 100)], ids=str)
def test_an_exact_answer_is_on_the_grid_of_its_scale(mechanism, shape):
    value = np.linspace(-3, 3, 1000).reshape(shape) if shape else 0.3
    noisy = add(mechanism, value, 0.4, secure())
    steps = noisy / Grid.for_scale(0.4).step
    np.testing.assert_array_equal(steps, np.rint(steps))


# --- the attack


def reachable(noise):
    """Whether NumPy's Laplace noise of scale 1 can be this double.

    Some multiple of 2^-53 must have that logarithm.
    """
    near = round(exp(-abs(noise)) * 2**53)
    return any(
        -math.log(k * 2.0**-53) == abs(noise)
        for k in range(max(near - 4, 1), min(near + 5, 2**53 + 1))
    )


def test_ordinary_noise_gives_outputs_that_only_one_of_two_values_can_give():
    """Mironov 2012: the output y of the value 1 is no output of 0 if y itself is no noise."""
    n = 20_000
    assert all(
        map(reachable, laplace(np.zeros(n), l1_sensitivity=1, epsilon=1, rng=plain()).tolist())
    )
    noisy = laplace(np.ones(n), l1_sensitivity=1, epsilon=1, rng=plain()).tolist()
    assert np.mean([not reachable(y) for y in noisy]) > 0.1


@additive
@pytest.mark.parametrize("value", [1.0, math.pi, 1e-9, 1e6 + 0.1])
def test_secure_noise_gives_no_output_that_a_neighbour_cannot_give(mechanism, value):
    """The neighbour's noise would be an integer number of steps; all of those are possible."""
    n, scale = 400_000 // 8, 1.0
    grid = Grid.for_scale(scale)
    for one, other in [(value, value + 1), (value + 1, value)]:
        noisy = add(mechanism, np.full(n, one), scale, secure(1))
        steps = (
            noisy - grid.nearest(np.array([other]))
        ) / grid.step  # the noise that the other would have needed
        np.testing.assert_array_equal(steps, np.rint(steps))
        assert np.abs(steps).max() < 2.0**52


# --- laws and scales


@additive
def test_secure_noise_has_the_law_that_was_asked_for(mechanism):
    noise = add(mechanism, np.full(200_000, 7.0), 1.5, secure())
    reference = {"laplace": stats.laplace, "gaussian": stats.norm}[mechanism](loc=7, scale=1.5)
    assert stats.kstest(noise, reference.cdf).pvalue > 0.001


@pytest.mark.parametrize("sigma", [64, 256])
def test_the_discrete_gaussian_is_rounded_normal_noise(
    sigma,
):
    """By Euler and Maclaurin the ratio at z is 1 - (z^2 / sigma^2 - 1) / (24 sigma^2).

    At sigma = 2^41 it differs from 1 by less than 2^-78.
    """
    z = np.arange(1, 8 * sigma)
    discrete = stats.norm.pdf(z, scale=sigma)  # the sum over all z is 1 to the last digit
    rounded = stats.norm.sf(z - 0.5, scale=sigma) - stats.norm.sf(z + 0.5, scale=sigma)
    expected = -((z / sigma) ** 2 - 1) / (24 * sigma**2)
    np.testing.assert_allclose(discrete / rounded - 1, expected, atol=0.01 / sigma**2)
    assert (13.5**2 + 1) / (24 * 2.0**82) < 2.0**-78


@additive
@pytest.mark.parametrize("generator", [secure, plain], ids=["secure", "ordinary"])
@pytest.mark.parametrize("shape", [(40_000,), (200, 200), (4, 100, 100)], ids=str)
def test_noise_of_any_shape_has_the_scale_that_is_recorded(mechanism, generator, shape):
    """Its mean absolute value says so; every entry has another noise."""
    with record() as tape:
        noise = add(mechanism, np.zeros(shape), 1.5, generator())
    unit = {"laplace": 1, "gaussian": sqrt(2 / math.pi)}[mechanism]  # mean |noise| at scale 1
    deviations = np.abs(noise) / (unit * tape[0].scale)
    assert deviations.mean() == pytest.approx(1, abs=5 / sqrt(noise.size))
    assert len(np.unique(noise)) == noise.size


@additive
@pytest.mark.parametrize(
    ("count", "scale"),
    [(1, 1.0), (10, 0.37), (10_000, 1e3), (1_000_000, 1e-3), ((1000, 1000), 1e3)],
)
def test_the_recorded_scale_pays_for_rounding_and_costs_little(mechanism, count, scale):
    with record() as tape:
        add(mechanism, np.zeros(count), scale, secure())
    spread = np.prod(count) if mechanism == "laplace" else sqrt(np.prod(count))
    step = Grid.for_scale(scale).step
    assert tape[0].sensitivity == 1
    assert tape[0].scale >= scale * (1 + SLACK + spread * step)
    assert tape[0].scale <= scale * (1 + SLACK + spread * step) + scale / 2**15


def test_the_scale_grows_where_rounding_exceeds_the_sensitivity():
    with record() as tape:
        laplace(np.zeros((100, 1000)), l1_sensitivity=1.0, epsilon=1e-6, rng=secure())
        gaussian(np.zeros((1000, 1000)), l2_sensitivity=1.0, sigma=1e8, rng=secure())
        above_threshold([0.0], sensitivity=1.0, epsilon=1e-9, rng=secure())
    growths = tape[0].scale / 1e6, tape[1].scale / 1e8, tape[2].scale / 1e9
    spreads = (
        1e5 * Grid.for_scale(1e6).step,
        1e3 * Grid.for_scale(1e8).step,
        Grid.for_scale(4e9).step,
    )
    for growth, spread in zip(growths, spreads, strict=True):
        assert 2**-12 < spread < growth - 1 < spread + 2**-14


@additive
def test_the_scale_and_the_grid_are_the_same_whatever_the_values_are(mechanism):
    """Outputs and a scale that follow the values would tell them."""
    with record() as tape:
        for value in (0.0, 10.0, -400.0):  # at which doubles are finer than the step
            noisy = add(mechanism, np.full(1000, value), 0.3, secure())
            assert np.any(
                noisy / Grid.for_scale(0.3).step % 2
            )  # the step itself and no multiple of it
    assert len({entry.scale for entry in tape}) == 1


def test_values_whose_rounding_doubles_the_noise_are_refused():
    with pytest.raises(
        ValueError, match=r"^secure noise for this release would be more than twice as large.*$"
    ):
        laplace(np.zeros(10**5), l1_sensitivity=1.0, epsilon=1e-9, rng=secure())


@pytest.mark.parametrize("name", sorted(EXACT - {"laplace", "gaussian"}))
def test_choices_record_a_scale_that_is_a_little_larger(name):
    with record() as tape:
        CALLS[name](secure())
        CALLS[name](plain())
    assert 1 + SLACK <= tape[0].scale / tape[1].scale < 1 + 2**-14


@additive
@pytest.mark.parametrize("scale", [1e-250, 1e250])
def test_tiny_and_huge_scales_are_right(mechanism, scale):
    noise = add(mechanism, np.zeros(50_000), scale, secure(), sensitivity=scale) / scale
    reference = {"laplace": stats.laplace, "gaussian": stats.norm}[mechanism]
    assert stats.kstest(noise, reference.cdf).pvalue > 0.001


@additive
@pytest.mark.parametrize("scale", [1e-300, 1e300])
def test_scales_out_of_the_range_of_doubles_are_refused(mechanism, scale):
    with pytest.raises(ValueError, match=r"^the scale of secure noise must be from"):
        add(mechanism, np.zeros(2), scale, secure(), sensitivity=scale)


def test_a_sensitivity_of_zero_with_noise_costs_no_more_noise_for_rounding():
    with record() as tape:
        gaussian(np.zeros(10**6), l2_sensitivity=0, sigma=2.0, rng=secure())
    assert 2 < tape[0].scale < 2 * (1 + 2**-14)


# --- as the other mechanisms


@additive
def test_without_noise_the_answer_is_a_copy_of_the_value(mechanism):
    value = np.array([0.1, -2.0, 1e300])
    noisy = noiseless(mechanism, value, secure())
    np.testing.assert_array_equal(noisy, value)
    noisy[0] = 5
    assert value[0] == 0.1


def test_infinite_epsilon_adds_nothing():
    np.testing.assert_array_equal(
        laplace(VALUE, l1_sensitivity=1, epsilon=inf, rng=secure()), VALUE
    )
    assert exponential(SCORES, sensitivity=1, epsilon=inf, rng=secure()) == 1
    assert above_threshold([-1.0, 0.0, 0.1], sensitivity=1, epsilon=inf, rng=secure()) == 2


@additive
@pytest.mark.parametrize(
    "value", [3, 3.5, [], [[]], [1, 2], np.ones((2, 3, 4)), np.zeros((0, 5))], ids=str
)
def test_shapes_are_those_of_an_ordinary_generator(mechanism, value):
    found, expected = (add(mechanism, value, 1.0, rng) for rng in (secure(), plain()))
    assert type(found) is type(expected)
    assert found.shape == expected.shape
    assert found.dtype == expected.dtype


@additive
def test_a_value_that_is_not_finite_is_refused(mechanism):
    with pytest.raises(ValueError, match="must be finite"):
        add(mechanism, [1.0, np.nan], 1.0, secure())
    with pytest.raises(ValueError, match="must be finite"):
        above_threshold([1.0, np.nan], sensitivity=1, epsilon=1, rng=secure())


@pytest.mark.parametrize("name", CALLS)
def test_the_value_is_not_changed_and_a_known_key_repeats(name):
    before = VALUE.copy(), SCORES.copy()
    np.testing.assert_array_equal(CALLS[name](secure(3)), CALLS[name](secure(3)))
    np.testing.assert_array_equal(before[0], VALUE)
    np.testing.assert_array_equal(before[1], SCORES)


# --- choices


def frequencies(scores, n=20_000, **options):
    rng = secure()
    return np.bincount(
        [exponential(np.array(scores), rng=rng, **options) for _ in range(n)], minlength=len(scores)
    )


def test_secure_choices_have_the_probabilities_of_the_mechanism():
    counts = frequencies(np.log([1, 2, 5, 0.02]), sensitivity=1.5, epsilon=3)
    assert stats.chisquare(counts, np.array([1, 2, 5, 0.02]) / 8.02 * counts.sum()).pvalue > 0.001


def test_secure_choices_among_many_have_the_probabilities_of_the_mechanism():
    weights = np.arange(1, 41)
    counts = frequencies(np.log(weights), n=10_000, sensitivity=1.5, epsilon=3)
    assert stats.chisquare(counts, weights / weights.sum() * counts.sum()).pvalue > 0.001


def test_a_score_of_minus_infinity_and_one_far_below_are_never_chosen():
    assert frequencies([-inf, 0.0, -1e300, 0.0], n=500, sensitivity=1, epsilon=1)[
        [0, 2]
    ].tolist() == [0, 0]
    assert frequencies([5.0], n=5, sensitivity=1, epsilon=1).tolist() == [5]
    assert frequencies([0.0, 1e308], n=5, sensitivity=1e-300, epsilon=1).tolist() == [0, 5]


@pytest.mark.parametrize("scores", [[inf, 0.0], [np.nan, 0.0], [-inf, -inf]], ids=str)
def test_scores_without_a_finite_largest_are_refused(scores):
    with pytest.raises(ValueError, match="of the exponential mechanism must be finite"):
        exponential(scores, sensitivity=1, epsilon=1, rng=secure())


def test_choices_stay_the_same_if_all_chances_are_decided_exactly(monkeypatch):
    def places():
        rng = secure()
        return [choose(SCORES, 0.4, rng)[0] for _ in range(300)]

    quick = places()
    monkeypatch.setattr(discrete, "BAND", 2.0)
    assert places() == quick
    assert set(quick) == {0, 1, 2, 3}


@pytest.mark.parametrize(
    "values",
    [[0.0], [1.0, -2.0, 0.5], [-1.0, -1.0], [], [*[-1.5] * 30, 0.5]],
    ids=lambda values: len(values),
)
def test_the_places_above_a_threshold_follow_the_textbook_law(values):
    n, rng = 10_000, secure()
    places = [above_threshold(values, sensitivity=0.5, epsilon=3.0, rng=rng) for _ in range(n)]
    seen = np.bincount(places, minlength=len(values) + 1) / n
    np.testing.assert_allclose(seen, above_threshold_law(values, 0.5, 3.0), atol=4 * sqrt(0.25 / n))
