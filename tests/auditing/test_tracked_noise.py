"""The tracked generator: added noise is a release, other numbers are those of NumPy."""

import numpy as np
import pytest
from scipy import stats

from dpfair_cli.addons.foreign_audits.tracked_noise import (
    OTHER_LAWS,
    FollowedNoise,
    TrackedGenerator,
    unfollowed,
)
from dpfair_cli.mechanisms.exponential import exponential
from dpfair_cli.mechanisms.gaussian import gaussian
from dpfair_cli.mechanisms.laplace import laplace
from dpfair_cli.mechanisms.ledger import record, replay

VALUE = np.array([1.0, -2.0, 5.0])


@pytest.fixture
def rng():
    return TrackedGenerator(np.random.PCG64(0))


@pytest.fixture
def plain():
    return np.random.default_rng(0)


def released(add):
    """The output of an addition and what the ledger heard of it."""
    with record() as tape:
        output = add()
    (entry,) = tape
    return np.asarray(output), entry


ADDITIONS = {  # of noise of scale 2 on VALUE, and the sign of the noise that is drawn
    "value + noise": (lambda noise: VALUE + noise, 1),
    "noise + value": (lambda noise: noise + VALUE, 1),
    "value - noise": (lambda noise: VALUE - noise, -1),
    "noise - (-value)": (lambda noise: noise - -VALUE, 1),
    "a list": (lambda noise: VALUE.tolist() + noise, 1),
    "by np.add": (lambda noise: np.add(VALUE, noise), 1),
    "scaled there and back": (lambda noise: VALUE + (3 * noise) / 3, 1),
    "two signs": (lambda noise: VALUE + np.negative(-noise), 1),
    "in another order": (lambda noise: VALUE + noise[[0, 1, 2]], 1),
    "a row": (lambda noise: (VALUE[None] + noise.reshape(1, 3))[0], 1),
    "column by column": (lambda noise: VALUE + noise.reshape((3, 1)).reshape(-1), 1),
}


@pytest.mark.parametrize(("add", "sign"), ADDITIONS.values(), ids=ADDITIONS)
@pytest.mark.parametrize("law", ["laplace", "normal"])
def test_every_way_to_add_noise_is_one_release_of_the_value(rng, plain, law, add, sign):
    output, entry = released(lambda: add(getattr(rng, law)(scale=2.0, size=3)))
    np.testing.assert_allclose(
        output, VALUE + sign * getattr(plain, law)(scale=2.0, size=3), rtol=1e-12
    )
    np.testing.assert_allclose(
        np.abs(np.ravel(entry.value)), np.abs(VALUE)
    )  # or minus it, which moves as far
    assert (entry.mechanism, entry.scale) == (
        {"laplace": "laplace", "normal": "gaussian"}[law],
        pytest.approx(2.0),
    )
    assert entry.sensitivity == 0  # none is declared


def test_value_added_in_place_to_noise_or_noise_to_a_value_is_a_release(rng, plain):
    def to_noise():
        noise = rng.laplace(size=3)
        noise += VALUE
        return noise

    def to_value():
        value = VALUE.copy()
        value -= rng.laplace(size=3)
        return value

    for add, sign in ((to_noise, 1), (to_value, -1)):
        output, entry = released(add)
        np.testing.assert_allclose(output, VALUE + sign * plain.laplace(size=3), rtol=1e-12)
        np.testing.assert_allclose(entry.value, VALUE)


def test_a_replayed_addition_returns_the_recorded_output():
    def fit(value):
        rng = TrackedGenerator(np.random.PCG64(1))
        return value - rng.normal(size=3), rng.laplace(size=3) - value

    with record() as tape:
        first = fit(VALUE)
    with replay(tape) as again:
        second = fit(VALUE + 1)
    np.testing.assert_array_equal(first, second)
    assert [
        abs(one.value - other.value).tolist() for one, other in zip(tape, again, strict=True)
    ] == [[1, 1, 1]] * 2


@pytest.mark.parametrize(("method", "law"), [("laplace", stats.laplace), ("normal", stats.norm)])
def test_noise_has_the_law_that_was_asked_for(rng, method, law):
    values = getattr(rng, method)(scale=3.0, size=5000).values
    assert stats.kstest(values, law(scale=3.0).cdf).pvalue > 1e-3


def test_standard_normal_is_normal_noise_of_scale_1(rng):
    output, entry = released(lambda: VALUE + rng.standard_normal(3))
    assert (entry.mechanism, entry.scale) == ("gaussian", 1.0)
    np.testing.assert_allclose(output - VALUE, np.random.default_rng(0).normal(size=3))


@pytest.mark.parametrize("loc", [VALUE, VALUE.tolist(), 4.0])
def test_noise_about_a_value_is_a_release_of_it(rng, loc):
    _, entry = released(lambda: rng.normal(loc, 0.5, size=3))
    np.testing.assert_allclose(entry.value, np.broadcast_to(loc, 3))
    assert entry.scale == 0.5


def test_noise_about_values_has_their_shape(rng):
    _, entry = released(lambda: rng.laplace(VALUE, 2.0))
    assert entry.value.shape == (3,)


def test_noise_is_taken_apart_as_an_array_is(rng):
    noise = rng.laplace(scale=2.0, size=(2, 3))
    assert (noise.shape, noise.size, len(noise)) == ((2, 3), 6, 2)
    assert [part.shape for part in noise] == [(3,), (3,)]
    assert (noise[1, 2].shape, noise[0, 0].item().scale) == ((), 2.0)
    assert isinstance(rng.laplace(), FollowedNoise)


@pytest.mark.parametrize("scale", [[1.0, 2.0, 3.0], np.arange(1.0, 4.0)])
def test_several_scales_at_once_are_one_clear_error(rng, scale):
    with pytest.raises(ValueError, match="has several scales: draw separate noise for each scale"):
        rng.laplace(scale=scale)


def test_an_array_of_one_scale_is_that_scale(rng):
    assert rng.normal(scale=np.full(3, 2.0)).scale == 2.0


def test_python_may_ask_noise_for_what_it_has_not(rng):
    noise = rng.laplace()
    assert not hasattr(noise, "__array_interface__")
    with pytest.raises(ValueError, match="is used through its attribute 'mean'"):
        noise.mean()


MECHANISMS = {
    "laplace": lambda rng: laplace(VALUE, l1_sensitivity=1.0, epsilon=1.0, rng=rng),
    "gaussian": lambda rng: gaussian(VALUE, l2_sensitivity=1.0, sigma=1.0, rng=rng),
    "exponential": lambda rng: exponential(VALUE, sensitivity=1.0, epsilon=1.0, rng=rng),
}


@pytest.mark.parametrize("mechanism", MECHANISMS.values(), ids=MECHANISMS)
def test_a_mechanism_of_this_package_draws_from_it_as_from_any_other(rng, plain, mechanism):
    with unfollowed() as laws:
        output, _ = released(lambda: mechanism(rng))
    np.testing.assert_array_equal(output, mechanism(plain))
    assert laws == set()


SETTINGS = {
    "triangular": (0, 1, 2), "beta": (1, 2), "gamma": (2,), "standard_gamma": (2,),
    "standard_t": (3,), "geometric": (0.5,), "binomial": (5, 0.5), "negative_binomial": (5, 0.5),
    "integers": (9,), "choice": (9,), "bytes": (3,), "weibull": (2,), "chisquare": (2,),
    "noncentral_chisquare": (2, 1), "f": (2, 3), "noncentral_f": (2, 3, 1), "pareto": (2,),
    "power": (2,), "vonmises": (0, 1), "wald": (1, 1), "zipf": (2,), "logseries": (0.5,),
    "hypergeometric": (5, 5, 3), "multinomial": (3, [0.5, 0.5]), "dirichlet": ([1, 2],),
    "multivariate_hypergeometric": ([3, 4], 2),
}  # fmt: skip


@pytest.mark.parametrize("name", OTHER_LAWS)
def test_numbers_of_other_laws_are_those_of_numpy_and_are_noticed(rng, plain, name):
    arguments = SETTINGS.get(name, ())
    with unfollowed() as laws:
        drawn = getattr(rng, name)(*arguments)
    np.testing.assert_array_equal(drawn, getattr(plain, name)(*arguments))
    assert name in laws  # choice also draws integers


def test_permuting_records_is_not_noticed_and_children_are_tracked_too(rng, plain):
    with unfollowed() as laws:
        chosen = rng.permutation(5), rng.permuted([1, 2, 3])
    for one, other in zip(chosen, (plain.permutation(5), plain.permuted([1, 2, 3])), strict=True):
        np.testing.assert_array_equal(one, other)
    assert laws == set()
    assert isinstance(rng.spawn(1)[0].normal(), FollowedNoise)


def test_a_single_integer_from_many_is_a_seed_and_no_noise():
    rng = TrackedGenerator(np.random.default_rng(0).bit_generator)
    with unfollowed() as laws:
        rng.integers(2**31)
        rng.integers(0, 2**31)
    assert laws == set()
    for draw in ((2,), (0, 2), (2**31, None, 5)):
        with unfollowed() as laws:
            rng.integers(*draw)
        assert laws == {"integers"}
