"""Correct noise raises no alarm; wrong laws, wrong scales, shared or correlated noise do."""

from functools import partial

import numpy as np
import pytest

from dpfair_cli.addons.foreign_audits import library_laws  # noqa: F401 - of other libraries
from dpfair_cli.auditing.noise import NoiseCheck
from dpfair_cli.mechanisms.above_threshold import above_threshold
from dpfair_cli.mechanisms.exponential import exponential
from dpfair_cli.mechanisms.gaussian import gaussian
from dpfair_cli.mechanisms.laplace import laplace, row_laplace
from dpfair_cli.mechanisms.ledger import Release, record
from dpfair_cli.mechanisms.randomised_response import randomised_response
from dpfair_cli.mechanisms.subset_selection import subset_selection

AUDITS = 200
VALUES = np.linspace(-30, 30, 40)
SCORES, QUERIES = np.array([0.0, 3.0, 1.0, -2.0, 2.0]), np.array([-9.0, -6.0, -5.0, 1.0, 8.0, 2.0])
LAWS = {
    "laplace": lambda rng: laplace(VALUES, l1_sensitivity=1.0, epsilon=0.5, rng=rng),
    "a scalar": lambda rng: laplace(1e4, l1_sensitivity=1.0, epsilon=0.5, rng=rng),
    "gaussian": lambda rng: gaussian(VALUES, l2_sensitivity=1.0, sigma=3.0, rng=rng),
    "rows": lambda rng: row_laplace(
        VALUES.reshape(10, 4), l21_sensitivity=1.0, epsilon=0.1, rng=rng
    ),
    "a row": lambda rng: row_laplace(VALUES, l21_sensitivity=1.0, epsilon=2.0, rng=rng),
    "a row of one": lambda rng: row_laplace(
        VALUES[:, None], l21_sensitivity=1.0, epsilon=2.0, rng=rng
    ),
    "exponential": lambda rng: exponential(SCORES, sensitivity=1.0, epsilon=1.5, rng=rng),
    "equal scores": lambda rng: exponential(np.zeros(9), sensitivity=1.0, epsilon=1.5, rng=rng),
    "above threshold": lambda rng: above_threshold(QUERIES, sensitivity=1.0, epsilon=2.0, rng=rng),
    "a part": lambda rng: above_threshold(
        QUERIES / 9, sensitivity=0.1, epsilon=1.0, draw=_part(), rng=rng
    ),
    "responses": lambda rng: randomised_response(
        np.eye(3)[np.arange(40) % 3], hamming_sensitivity=1.0, epsilon=1.0, rng=rng
    ),
    "subsets": lambda rng: subset_selection(
        np.eye(4)[np.arange(40) % 4],
        size_chances=[0.1, 0.3, 0.3, 0.2, 0.1],
        hamming_sensitivity=1.0,
        epsilon=1.0,
        rng=rng,
    ),
    "several": lambda rng: [
        LAWS[name](rng) for name in ("laplace", "gaussian", "rows", "exponential", "laplace")
    ],
}


def _part():
    from dpfair_cli.mechanisms.batches import Draw

    return Draw(1, 0.2, "without_replacement", 1)


def problems(fits):
    """What is wrong with the releases of fits that are called one after the other."""
    check = NoiseCheck()
    for fit in fits:
        with record() as tape:
            fit()
        check.see(tape)
    return list(check.problems())


def fits(fit, count, seed=0):
    return [partial(fit, rng) for rng in np.random.default_rng(seed).spawn(count)]


def faked(mechanism, value, noise, scale=1.0):
    """Releases of a value, one for each row of given noise."""
    return [[Release(mechanism, value, value + row, 1.0, scale)] for row in noise]


def problems_of(tapes):
    check = NoiseCheck()
    for tape in tapes:
        check.see(tape)
    return list(check.problems())


@pytest.mark.parametrize("law", LAWS.values(), ids=LAWS)
def test_two_hundred_audits_of_what_is_as_stated_raise_no_alarm(law):
    alarms = [found for seed in range(AUDITS) if (found := problems(fits(law, 12, seed)))]
    print(f"{len(alarms)} false alarms in {AUDITS} audits")
    assert alarms == []


@pytest.mark.parametrize("law", LAWS.values(), ids=LAWS)
def test_a_long_audit_of_what_is_as_stated_raises_no_alarm(law):
    assert problems(fits(law, 1000)) == []


NOISE = np.random.default_rng(1)
WRONG = {
    "a tenth less": ("laplace", NOISE.laplace(scale=0.9, size=(300, 30))),
    "a tenth more": ("laplace", NOISE.laplace(scale=1.1, size=(300, 30))),
    "normal for laplace": ("laplace", NOISE.normal(scale=2**0.5, size=(300, 30))),
    "laplace for normal": ("gaussian", NOISE.laplace(scale=0.5**0.5, size=(300, 30))),
    "normal, a tenth less": ("gaussian", NOISE.normal(scale=0.9, size=(300, 30))),
    "shifted": ("laplace", 0.3 + NOISE.laplace(size=(300, 30))),
    "cut off": ("gaussian", np.clip(NOISE.normal(size=(300, 30)), -1.5, 1.5)),
    "uniform": ("gaussian", NOISE.uniform(-1.7, 1.7, size=(300, 30))),
    "the absolute value": ("laplace", np.abs(NOISE.laplace(size=(300, 30)))),
    "often none": ("laplace", NOISE.laplace(size=(300, 30)) * (NOISE.random((300, 30)) < 0.7)),
    "a scalar, half": ("laplace", NOISE.laplace(scale=0.5, size=(200, 1))),
    "none at all": ("gaussian", np.zeros((12, 3))),
    "lengths of rows": ("row_laplace", NOISE.normal(size=(300, 10, 4))),
    "rows of one direction": (
        "row_laplace",
        NOISE.gamma(4, size=(60, 10, 1)) * np.array([0.5, 0.5, 0.5, 0.5]),
    ),
    "rows along axes": (
        "row_laplace",
        NOISE.gamma(4, size=(200, 10, 1)) * np.eye(4)[NOISE.integers(4, size=(200, 10))],
    ),
}


@pytest.mark.parametrize(("mechanism", "noise"), WRONG.values(), ids=WRONG)
def test_noise_of_another_law_or_scale_is_seen(mechanism, noise):
    found = problems_of(faked(mechanism, np.ones(noise.shape[1:]), noise))
    assert f"the noise of {mechanism} is not of the stated law and scale" in found


@pytest.mark.parametrize("scale", [0.2, 1.0, 30.0])
@pytest.mark.parametrize("factor", [0.8, 1.0, 1.25])
def test_whole_noise_of_another_scale_is_seen_and_of_the_stated_one_not(scale, factor):
    """The difference of two geometric numbers.

    At scale 0.2 all but one in 75 are 0, so that more are needed.
    """
    rng, count = np.random.default_rng(1), 40_000 if scale < 1 else 4000
    chance = -np.expm1(-1 / (factor * scale))
    noise = rng.geometric(chance, size=(count // 100, 100)) - rng.geometric(
        chance, size=(count // 100, 100)
    )
    found = problems_of(faked("geometric", np.full(100, 7), noise, scale))
    assert found == (
        [] if factor == 1 else ["the noise of geometric is not of the stated law and scale"]
    )


def test_a_mechanism_of_an_unknown_law_is_named_and_not_looked_at():
    check = NoiseCheck()
    check.see([Release("bingham", np.eye(2), np.ones(2), 0.0, 4.0)])
    assert list(check.problems()) == []
    assert check.unknown == {"bingham"}
    assert check.enough


@pytest.mark.parametrize("factor", [0.0, 0.5, 2.0])
def test_a_choice_with_less_or_more_noise_is_seen(factor):
    rng = np.random.default_rng(0)
    chosen = [int(np.argmax(SCORES + 2 * factor * rng.gumbel(size=5))) for _ in range(300)]
    found = problems_of([[Release("exponential", SCORES, choice, 1.0, 2.0)] for choice in chosen])
    assert found == ["the noise of exponential is not of the stated law and scale"]


@pytest.mark.parametrize("factor", [0.5, 0.8, 1.25, 2.0, 1e9])
def test_reports_with_another_probability_are_seen(factor):
    """Reports of epsilon `factor`, declared as those of epsilon 1; 1e9: the level itself."""
    rows, rng, tapes = np.eye(4)[np.arange(60) % 4], np.random.default_rng(0), []
    for _ in range(300):
        found = randomised_response(rows, hamming_sensitivity=1.0, epsilon=factor, rng=rng)
        tapes.append([Release("randomised_response", rows, found, 1.0, 1.0)])
    wrong = "the noise of randomised_response is not of the stated law and scale"
    assert wrong in problems_of(tapes)


def test_one_decision_for_all_reports_is_seen():
    rows, rng, tapes = np.eye(2)[np.arange(40) % 2], np.random.default_rng(0), []
    for _ in range(300):
        levels = rows.argmax(axis=1)
        found = levels if rng.random() < np.e / (np.e + 1) else 1 - levels
        tapes.append([Release("randomised_response", rows, found, 1.0, 1.0)])
    assert "the noise of two releases, or of two entries of one release, is correlated" in (
        problems_of(tapes)
    )


def test_reports_of_one_other_level_alone_are_seen():
    rows, rng, tapes = np.eye(4)[np.zeros(60, int)], np.random.default_rng(0), []
    for _ in range(300):
        found = 1 - (rng.random(60) < np.e / (np.e + 3))  # level 1 in place of 1, 2 or 3
        tapes.append([Release("randomised_response", rows, found, 1.0, 1.0)])
    wrong = "the noise of randomised_response is not of the stated law and scale"
    assert wrong in problems_of(tapes)


TWO_OF_FOUR = [0, 0, 1, 0, 0]
WRONG_SET = "the noise of subset_selection is not of the stated law and scale"


@pytest.mark.parametrize("factor", [0.5, 0.8, 1.25, 2.0, 1e9])
def test_sets_that_hold_the_own_level_too_often_or_rarely_are_seen(factor):
    rows, rng, tapes = np.eye(4)[np.arange(60) % 4], np.random.default_rng(0), []
    for _ in range(300):
        found = subset_selection(
            rows, size_chances=TWO_OF_FOUR, hamming_sensitivity=1.0, epsilon=factor, rng=rng
        )
        tapes.append([Release("subset_selection", rows, found, 1.0, 1.0)])
    assert WRONG_SET in problems_of(tapes)


def test_sets_whose_other_levels_are_the_next_ones_are_seen():
    rows, rng, tapes = np.eye(4)[np.zeros(60, int)], np.random.default_rng(0), []
    for _ in range(300):
        own = rng.random(60) < np.e / (np.e + 1)
        found = np.where(own[:, None], [1, 1, 0, 0], [0, 1, 1, 0])
        tapes.append([Release("subset_selection", rows, found, 1.0, 1.0)])
    assert WRONG_SET in problems_of(tapes)


@pytest.mark.parametrize("factors", [(0, 1), (1, 0), (0.5, 0.5), (3, 3)], ids=str)
def test_a_sparse_vector_of_the_wrong_scale_is_seen(factors):
    """On the threshold, the queries or both; a hundred queries share the threshold."""
    rng, queries = np.random.default_rng(0), np.full(100, -5.0)
    unit, tapes = 0.5, []
    for _ in range(1500):
        above = queries + rng.laplace(scale=4 * unit * factors[1], size=100) > rng.laplace(
            scale=2 * unit * factors[0]
        )
        tapes.append(
            [
                Release(
                    "above_threshold",
                    queries,
                    int(np.argmax(above)) if above.any() else 100,
                    1.0,
                    unit,
                )
            ]
        )
    assert problems_of(tapes) == ["the noise of above_threshold is not of the stated law and scale"]


def pair(rng, how):
    """Two releases of five numbers, the second with noise that is made from that of the first."""
    first = rng.laplace(size=5)
    return [
        Release("laplace", np.zeros(5), first, 1.0, 1.0),
        Release("laplace", np.ones(5), 1 + how(first, rng), 1.0, 1.0),
    ]


SHARED = {
    "the same": lambda noise, rng: noise,
    "the other sign": lambda noise, rng: -noise,
    "another order": lambda noise, rng: noise[::-1],
    "one entry": lambda noise, rng: np.append(rng.laplace(size=4), noise[2]),
}


@pytest.mark.parametrize("how", SHARED.values(), ids=SHARED)
def test_noise_that_two_releases_share_is_seen(how):
    assert "two releases, or two entries of one release, share noise" in problems_of(
        [pair(rng, how) for rng in np.random.default_rng(0).spawn(10)]
    )


def test_noise_that_the_entries_of_a_release_share_is_seen():
    shared = [np.full(5, rng.laplace()) for rng in np.random.default_rng(0).spawn(10)]
    assert "two releases, or two entries of one release, share noise" in problems_of(
        faked("laplace", np.zeros(5), shared)
    )


def correlated(noise, rng):
    """Laplace noise that has the sign of other noise more often than not."""
    return np.abs(rng.laplace(size=len(noise))) * np.where(
        rng.random(len(noise)) < 0.8, np.sign(noise), -np.sign(noise)
    )


def test_noise_of_two_releases_that_is_correlated_is_seen():
    found = problems_of([pair(rng, correlated) for rng in np.random.default_rng(0).spawn(60)])
    assert found == ["the noise of two releases, or of two entries of one release, is correlated"]


def test_noise_of_entries_that_is_correlated_is_seen():
    rng, noise = np.random.default_rng(0), []
    for _ in range(60):
        walk = rng.normal(size=10)
        for j in range(1, 10):
            walk[j] = 0.7 * walk[j - 1] + np.sqrt(1 - 0.49) * walk[j]
        noise.append(walk)
    found = problems_of(faked("gaussian", np.zeros(10), noise))
    assert found == ["the noise of two releases, or of two entries of one release, is correlated"]


@pytest.mark.parametrize("seeds", [1, 3, 20])
def test_noise_of_few_seeds_is_seen(seeds):
    rngs = (np.random.default_rng(k % seeds) for k in range(40))
    found = problems(
        [
            partial(laplace, np.full(3, k / 7), l1_sensitivity=1, epsilon=1, rng=rng)
            for k, rng in enumerate(rngs)
        ]
    )
    assert "the noise does not come from the generator: two fits have equal noise" in found


def test_a_second_release_of_a_known_seed_is_seen():
    def fit(rng):
        laplace(VALUES, l1_sensitivity=1.0, epsilon=0.5, rng=rng)
        laplace(VALUES, l1_sensitivity=1.0, epsilon=0.5, rng=np.random.default_rng(0))

    assert "the noise does not come from the generator: two fits have equal noise" in problems(
        fits(fit, 5)
    )


def test_releases_without_noise_or_finite_values_are_not_tested():
    tapes = [
        [Release("laplace", np.ones(3), np.ones(3), 0.0, 0.0)],
        [Release("gaussian", np.array([np.nan]), np.array([np.nan]), 1.0, 1.0)],
        [Release("laplace", np.zeros(0), np.zeros(0), 1.0, 1.0)],
        [Release("exponential", np.zeros(1), 0, 1.0, 1.0)],
    ]
    assert problems_of(tapes * 20) == []
