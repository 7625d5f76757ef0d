"""The Laplace law on an interval: its integral, rejection sampling, its printed calibration."""

from math import exp, inf, log

import numpy as np
import pytest
from scipy import integrate, stats

from dpfair_cli.addons.foreign_audits.library_laws import (
    bounded_distribution,
    bounded_log_density,
    bounded_value,
)
from dpfair_cli.auditing.losses import privacy_loss, query_change
from dpfair_cli.auditing.noise import NoiseCheck
from dpfair_cli.mechanisms.ledger import Release

CASES = {
    "middle": (0.4, 0.0, 1.0),
    "at an end": (0.0, 0.0, 1.0),
    "no upper end": (2.0, 0.0, inf),
    "no end": (1.0, -inf, inf),
}


def entry(value, lower, upper, scale, output=0.5):
    return Release("bounded_laplace", bounded_value(value, lower, upper), output, 0.0, scale)


def drawn(value, lower, upper, scale, rng):
    while not lower <= (output := value + rng.laplace(scale=scale)) <= upper:
        pass
    return output


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_the_density_integrates_to_the_distribution(case):
    value, lower, upper = case
    scale, held = 0.7, bounded_value(*case)
    start = max(lower, -40.0)
    constant = integrate.quad(
        lambda x: exp(bounded_log_density(x, held, scale)), start, min(upper, 40.0), points=[value]
    )[0]
    for output in (0.1, 0.6, 0.95):
        mass = integrate.quad(
            lambda x: exp(bounded_log_density(x, held, scale)),
            start,
            output,
            points=[min(value, output)],
        )[0]
        assert bounded_distribution(output, held, scale) == pytest.approx(mass / constant, rel=1e-6)


@pytest.mark.parametrize(("lower", "upper"), [(0.0, 1.0), (0.0, inf), (-inf, 1.0)])
@pytest.mark.parametrize(("one", "other"), [(0.0, 0.3), (0.5, 0.8), (1.0, 0.2)])
def test_the_change_is_the_largest_log_ratio_of_densities_on_a_grid(lower, upper, one, other):
    scale = 0.4

    def density(x, value):
        kept = stats.laplace.cdf(upper, value, scale) - stats.laplace.cdf(lower, value, scale)
        return stats.laplace.pdf(x, value, scale) / kept

    x = np.linspace(max(lower, -8), min(upper, 9), 20_001)
    largest = np.abs(np.log(density(x, one) / density(x, other))).max()
    before, after = (entry(value, lower, upper, scale) for value in (one, other))
    change = query_change(before, after)
    assert change / scale == pytest.approx(largest, rel=1e-9)
    assert privacy_loss([before], [change], 0.0) == pytest.approx(largest, rel=1e-9)


def test_a_move_from_the_end_of_a_long_interval_worked_by_hand():
    """A value at the end keeps half of its law, one that is s above it 1 - e^-s / 2.

    The loss is s + log(2 - e^-s).
    """
    change = query_change(entry(0.0, 0.0, inf, 1.0), entry(2.0, 0.0, inf, 1.0))
    assert change == pytest.approx(2 + log(2 - exp(-2)))


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
@pytest.mark.parametrize("factor", [1.0, 0.8])
def test_its_noise_is_looked_at(case, factor):
    """Of the stated scale it raises no alarm, of four fifths of it one."""
    rng, check, scale = np.random.default_rng(0), NoiseCheck(), 0.3
    for _ in range(3000):
        check.see([entry(*case, scale, drawn(*case, factor * scale, rng))])
    found = list(check.problems())
    assert found == (
        [] if factor == 1 else ["the noise of bounded_laplace is not of the stated law and scale"]
    )
