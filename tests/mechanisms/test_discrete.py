"""Discrete Laplace and Gaussian numbers against their exact probabilities, and against OpenDP's.

Laws are compared by chi-square tests with a generator that repeats; each raises a false alarm at
one key in 10,000.
"""

from decimal import Decimal, localcontext
from math import sqrt

import numpy as np
import pytest
from scipy import stats

from dpfair_cli.mechanisms import discrete
from dpfair_cli.mechanisms.discrete import (
    CELL_BITS,
    GAUSSIAN,
    LAPLACE,
    MOST_UNITS,
    STRIPS,
    UNIT,
    discrete_gaussian,
    discrete_laplace,
)
from dpfair_cli.mechanisms.secure import SecureGenerator

ALARM = 1e-4
DRAWS = {LAPLACE: discrete_laplace, GAUSSIAN: discrete_gaussian}
both = pytest.mark.parametrize("law", DRAWS, ids=["laplace", "gaussian"])


def source(key=0):
    return SecureGenerator._with_key(key)


def exact(law, z, scale):
    """The density by its formula, in Decimal."""
    y = Decimal(int(z)) / scale
    return (-abs(y)).exp() if law is LAPLACE else (-y * y / 2).exp()


def probabilities(law, numbers, scale):
    """P(z) of whole numbers, (len(numbers),), by adding up the law over all of them that matter."""
    with localcontext(prec=50):
        total = sum(exact(law, z, scale) for z in range(-60 * scale, 60 * scale + 1))
        return np.array([float(exact(law, z, scale) / total) for z in numbers])


@pytest.fixture
def small_steps(monkeypatch):
    """Makes the scale 64 units (strips have `units` integers), not 2^26 times more."""
    monkeypatch.setattr(discrete, "_split", discrete._split.__wrapped__)  # without its cache
    monkeypatch.setattr(discrete, "FINE_BITS", 0)
    monkeypatch.setattr(discrete, "LEFT_BITS", 47)
    monkeypatch.setattr(discrete, "UNIT", STRIPS)


def check_against(found, numbers, expected, n):
    """A chi-square test of counts of `numbers`, those seldom met together."""
    counts = np.array([np.count_nonzero(found == z) for z in numbers])
    often = expected * n >= 20
    counts = np.append(counts[often], n - counts[often].sum())
    expected = np.append(expected[often], 1 - expected[often].sum()) * n
    assert stats.chisquare(counts, expected).pvalue > ALARM


@both
@pytest.mark.parametrize("units", [1, 3])
def test_every_number_has_its_probability(law, units, small_steps):
    n, scale = 200_000, STRIPS * units
    found = DRAWS[law](n, units, source())
    numbers = np.arange(-8 * scale, 8 * scale + 1)
    check_against(found, numbers, probabilities(law, numbers, scale), n)


@both
@pytest.mark.parametrize("units", [1, 40_000, MOST_UNITS])
def test_the_cells_of_every_strip_cover_the_law(law, units):
    """A number has the cells under the law, and the accepted part of those that it crosses."""
    cover, width, scale = discrete._cover(law), units * UNIT // STRIPS, units * UNIT
    under = np.bincount(cover.strips[: cover.under] + law.reach + 1, minlength=2 * law.reach + 2)
    assert len(cover.strips) == 2**CELL_BITS == cover.under + len(cover.levels)
    with localcontext(prec=50):
        for strip in range(-law.reach, law.reach):
            first, last = strip * width, (strip + 1) * width - 1
            nearest, farthest = sorted((abs(first), abs(last)))
            crossed = cover.levels[
                (cover.strips[cover.under :] == strip) & (cover.levels < cover.height)
            ]
            below = int(under[strip + law.reach + 1])
            assert below <= cover.height * exact(law, farthest, scale)
            assert below + len(crossed) >= cover.height * exact(law, nearest, scale)
            assert sorted(crossed) == list(range(below, below + len(crossed)))


@pytest.mark.parametrize("units", [1, 40_000, MOST_UNITS])
def test_normal_numbers_reach_as_far_as_their_delta_says(units, monkeypatch):
    """13.5 deviations on both sides, beyond which is less than 2^-135 of the normal law."""
    monkeypatch.setattr(discrete, "compare", lambda rough, heights: (rough > -np.inf, []))
    cover, place = discrete._cover(GAUSSIAN), 2**discrete.PLACE_BITS
    cells = np.arange(2**CELL_BITS, dtype=np.uint64) * np.uint64(place)
    ends = place // 1000, place // 999, place - place // 1000, place - place // 999
    words = np.concatenate([cells + np.uint64(end) for end in ends])
    numbers = cover._numbers(words, units, source())
    reach = 13.5 * units * UNIT
    assert -numbers.min() == pytest.approx(reach, rel=1e-5)
    assert numbers.max() == pytest.approx(reach, rel=1e-5)
    assert set(numbers // (units * UNIT // STRIPS)) == set(range(-27 * 32, 27 * 32))
    assert 2 * stats.norm.sf(13.5) < 2.0**-135


@pytest.mark.parametrize("units", [1, 40_000, MOST_UNITS])
def test_the_cell_of_the_tail_holds_its_mass(units):
    cover, scale = discrete._cover(LAPLACE), units * UNIT
    for side in (LAPLACE.reach, -1 - LAPLACE.reach):
        assert cover.levels[cover.strips[cover.under :] == side].tolist() == [0]
    with localcontext(prec=50):  # the sum of exp(-z / scale) from 14 scales on, in parts of a strip
        mass = Decimal(-14).exp() / (1 - (Decimal(-1) / scale).exp()) / (scale // STRIPS)
        assert 0 < cover.height * mass < 1


@both
def test_the_law_that_the_code_accepts_is_the_formula_to_60_bits(law, small_steps, monkeypatch):
    """Every cell is asked once, with one number in each strip; a tail keeps its first number."""
    chances = []

    def decided(rough, height, exact, source):
        with localcontext(prec=50):
            chances.append(min(max(exact(), Decimal(0)), Decimal(1)))
        return True

    monkeypatch.setattr(discrete, "happens", decided)
    monkeypatch.setattr(discrete, "FEW", 2**CELL_BITS)  # all one by one
    monkeypatch.setattr(discrete._Cover, "_moved", lambda self, z, units, source: z)
    cover = discrete._Cover(law)
    words = np.arange(2**CELL_BITS, dtype=np.uint64) << np.uint64(discrete.PLACE_BITS)
    numbers = cover._numbers(words, 1, source()).tolist()
    found = dict.fromkeys(numbers, Decimal(0))
    with localcontext(prec=50):
        for z, chance in zip(numbers, [Decimal(1)] * cover.under + chances, strict=True):
            found[z] += chance
        last = law.reach  # the first number beyond the strips; the first below them is -1 - last
        expected = {z: exact(law, z, STRIPS) for z in range(-last, last)}
        if law.tail_cells:  # the first number stands for the whole tail, a geometric series
            rest = 1 - exact(law, 1, STRIPS)
            expected |= {z: exact(law, z, STRIPS) / rest for z in (last, -1 - last)}
        assert found.keys() == expected.keys()
        total, mass = sum(found.values()), sum(expected.values())
        apart = [abs(found[z] / total - expected[z] / mass) for z in found]
        assert max(apart) < Decimal(2) ** -60


@pytest.mark.parametrize("units", [1, 7, 16])
def test_every_place_of_a_strip_is_chosen_as_often(units, monkeypatch):
    """All 12-bit words of positions, in a strip of 4 units, in a cell under the law."""
    monkeypatch.setattr(discrete, "_split", discrete._split.__wrapped__)  # without its cache
    monkeypatch.setattr(discrete, "PLACE_BITS", 12)
    monkeypatch.setattr(discrete, "FINE_BITS", 2)
    monkeypatch.setattr(discrete, "LEFT_BITS", 10)
    cover = discrete._cover(LAPLACE)
    cell = int(np.flatnonzero(cover.strips[: cover.under] == 5)[0])
    words = np.arange(2**12, dtype=np.uint64) + np.uint64(cell << 12)
    counts = np.unique_counts(cover._numbers(words, units, source()))
    assert counts.values.tolist() == list(range(5 * 4 * units, 6 * 4 * units))
    assert set(counts.counts) == {2**12 // (4 * units)}


def test_the_tail_begins_anew_where_the_strips_end(small_steps):
    """With strips up to 1 scale only, a number in three comes from a tail."""
    short = LAPLACE._replace(reach=STRIPS, tail_cells=2**15)
    n, cover = 5_000, discrete._Cover(short)
    found = np.floor(cover.draw(n, 1, source()) / 16)  # in quarters of a scale
    numbers = np.arange(-32 * 16, 32 * 16)
    expected = probabilities(LAPLACE, numbers, STRIPS).reshape(-1, 16).sum(axis=1)
    check_against(found, np.arange(-32, 32), expected, n)
    assert (np.abs(found) > 20).any()  # beyond 5 scales: a tail of a tail


def test_a_tail_begins_with_the_number_after_the_strips_on_both_sides(small_steps, monkeypatch):
    monkeypatch.setattr(discrete._Cover, "_distance", lambda *_: 0)
    found = discrete._Cover(LAPLACE._replace(reach=STRIPS, tail_cells=2**15)).draw(
        1_000, 1, source()
    )
    assert (found.min(), found.max()) == (
        -STRIPS - 1,
        STRIPS,
    )  # strips have the numbers from -64 to 63


def test_a_number_farther_out_than_doubles_are_exact_is_refused(monkeypatch):
    monkeypatch.setattr(discrete, "FARTHEST", UNIT)
    cover = discrete._Cover(LAPLACE._replace(reach=STRIPS, tail_cells=2**15))
    with pytest.raises(OverflowError, match="exceeds 512 times the scale"):
        cover.draw(100, 1, source())


@both
def test_numbers_of_a_fine_grid_follow_the_normal_and_the_laplace_law(law):
    n, units = 400_000, 40_000
    reference = stats.laplace if law is LAPLACE else stats.norm
    found = DRAWS[law](n, units, source()) / (units * UNIT)
    edges = reference.ppf(np.linspace(0, 1, 2001))
    assert stats.chisquare(np.histogram(found, edges)[0]).pvalue > ALARM


@both
def test_the_last_bits_of_numbers_are_uniform(law):
    found = DRAWS[law](400_000, 40_000, source())
    for shift in (0, 6, 12):
        assert stats.chisquare(np.bincount((found >> shift) % 64)).pvalue > ALARM


@both
def test_numbers_at_every_place_of_an_answer_have_the_same_law(law):
    few = np.array([DRAWS[law](3, 40_000, source(key)) for key in range(4_000)]) / (40_000 * UNIT)
    reference = stats.laplace if law is LAPLACE else stats.norm
    for place in few.T:
        assert stats.kstest(place, reference.cdf).pvalue > ALARM
    assert np.abs(np.corrcoef(few.T) - np.eye(3)).max() < 4 / sqrt(len(few))


@both
def test_numbers_come_in_the_order_of_their_words(law, monkeypatch):
    monkeypatch.setattr(discrete, "compare", lambda rough, heights: (rough > 0.5, []))
    monkeypatch.setattr(discrete, "happens", lambda rough, height, exact, source: rough > 0.5)
    words, cover = source().bit_generator.random_raw(2_000), discrete._cover(law)
    one_by_one = [cover._numbers(words[k : k + 1], 40_000, source()) for k in range(len(words))]
    np.testing.assert_array_equal(
        cover._numbers(words, 40_000, source()), np.concatenate(one_by_one)
    )


@both
def test_the_numbers_stay_the_same_if_all_chances_are_decided_exactly(law, monkeypatch):
    quick = DRAWS[law](20_000, 40_000, source())
    monkeypatch.setattr(discrete, "BAND", 1e6)
    np.testing.assert_array_equal(DRAWS[law](20_000, 40_000, source()), quick)


@both
def test_any_number_of_numbers_may_be_drawn(law):
    for count in (0, 1, 2, 8_191, 8_192, 20_000):
        found = DRAWS[law](count, 40_000, source())
        assert found.shape == (count,)
        assert found.dtype == np.int64


@both
def test_opendp_draws_from_the_same_law(law, small_steps):
    dp = pytest.importorskip("opendp.prelude", reason="OpenDP is not here: make dev")
    dp.enable_features("contrib")
    n, units = 40_000, 2
    space = (dp.vector_domain(dp.atom_domain(T=int)), dp.l1_distance(T=int))
    if law is LAPLACE:
        theirs = dp.m.make_laplace(*space, scale=float(STRIPS * units))([0] * n)
    else:
        theirs = dp.m.make_gaussian(space[0], dp.l2_distance(T=float), scale=float(STRIPS * units))(
            [0] * n
        )
    ours = DRAWS[law](n, units, source())
    edges = np.unique(np.quantile(ours, np.linspace(0.01, 0.99, 60)))
    counts = [
        np.bincount(np.searchsorted(edges, sample), minlength=len(edges) + 1)
        for sample in (ours, theirs)
    ]
    assert stats.chi2_contingency(counts).pvalue > ALARM


@both
def test_comparisons_one_by_one_and_together_give_the_same_numbers(law, monkeypatch):
    together = DRAWS[law](20_000, 40_000, source())
    monkeypatch.setattr(discrete, "FEW", 10**9)
    np.testing.assert_array_equal(DRAWS[law](20_000, 40_000, source()), together)
