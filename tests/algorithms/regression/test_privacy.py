"""Releases of the regression methods, recorded and replayed on replace-one neighbours.

On each pair of neighbours every release moves by at most its declared sensitivity, equal releases
give equal weights, so that nothing else reads the data, and the whole loss is at most epsilon.
"""

import re
from functools import cache
from itertools import product

import numpy as np
import pytest
from scipy.special import ndtr

from dpfair_cli import catalog
from dpfair_cli.catalog import matching
from dpfair_cli.contracts.guarantees import Neighbours, Status
from dpfair_cli.contracts.parameters import parameters
from dpfair_cli.kinds.records import Domain, Records
from dpfair_cli.mechanisms.ledger import record, replay
from tests.example_data import state

NAMES = [
    name
    for name in catalog.algorithms.names
    if matching.can_score(catalog.study("classification"), catalog.algorithm(name))
    and not catalog.algorithm(name).data_options  # generators have tests of their own
]
MODULES = {name: catalog.algorithms.module(name) for name in NAMES}
# whole records; methods that protect one attribute have tests of their own
PRIVATE = {
    n: m for n, m in MODULES.items() if m.ALGORITHM.guarantee.neighbours is Neighbours.REPLACE_ONE
}
UNREFUTED = {
    n: m for n, m in PRIVATE.items() if m.ALGORITHM.guarantee.status is not Status.REFUTED
}  # the others: shown to fail below
VARIANTS = {
    "sensitivity": ("published", "tight"),
    "fairness": ("penalty", "shift", "drift"),
    "bound": ("box", "ball"),
    "layout": ("monomials", "entries"),
}
ALONE = [  # tried with every sensitivity and fairness
    {"alpha": 20.0},
    {"alpha": 0.1},
    {"attribute_ratio": 1.0},
    {"attribute": "x0"},
    {"attribute": "pair"},
    {"objective_share": 0.9},
    {"calibration": "analytic"},
    {"calibration": "classical", "epsilon": 0.4},
    {"delta": 1e-6, "epsilon": 5.0},
    {"regularisation": 0.0},
]
ROUNDING = 1 + 1e-9


def accepted(fit, variants):
    names = [name for name in variants if name in parameters(fit)]
    return [
        dict(zip(names, values, strict=True))
        for values in product(*(variants[name] for name in names))
    ]


def cases(d):
    """(algorithm, options): all combinations of variants, and each other option by itself."""
    for name, module in UNREFUTED.items():
        alone = (
            [option for option in ALONE if set(option) <= set(parameters(module.fit))]
            if d == 8
            else []
        )
        some = {key: VARIANTS[key] for key in ("sensitivity", "fairness")}
        for options in accepted(module.fit, VARIANTS if d == 8 else some):
            yield pytest.param(name, d, options, id=f"{name}-{d}-" + "-".join(options.values()))
        for extra, options in product(alone, accepted(module.fit, some)):
            label = "-".join(f"{key}={value}" for key, value in extra.items())
            yield pytest.param(
                name,
                d,
                {**options, **extra},
                id=f"{name}-{d}-{label}-" + "-".join(options.values()),
            )


def people(X, y, protected):
    d = X.shape[1]
    attributes = {f"x{j}": (j,) for j in range(max(d - 2, 1))}
    if d > 2:
        attributes["pair"] = (d - 2, d - 1)
    return Records(
        X, y, protected, Domain(tuple(f"c{j}" for j in range(d)), attributes, ("a", "b"))
    )


def crowds(d):
    """The other records: all zeros, all ones, random; in one group or mixed; one or five."""
    rng = np.random.default_rng(1)
    sizes = ((1, "ones"), (5, "zeros"), (5, "ones"), (5, "random"))
    for (n, fill), group in product(sizes, ("none", "all", "mixed")):
        X = {"zeros": np.zeros((n, d)), "ones": np.ones((n, d)), "random": rng.random((n, d))}[fill]
        protected = {
            "none": np.zeros(n, int),
            "all": np.ones(n, int),
            "mixed": rng.integers(0, 2, n),
        }[group]
        yield X, rng.integers(0, 2, n), protected


def replacements(d):
    """((x, y, s), (x', y', s')): corners, flipped label or group, features outside the bounds."""
    rng = np.random.default_rng(2)
    zeros, ones, two = np.zeros(d), np.ones(d), (np.arange(d) < 2).astype(float)
    yield (zeros, 0, 0), (ones, 1, 1)
    yield (zeros, 0, 1), (ones, 1, 0)
    yield (ones, 0, 0), (ones, 1, 1)
    yield (ones, 0, 1), (two, 1, 1)
    yield (ones, 1, 0), (zeros, 1, 1)
    yield (9 * ones, 1, 1), (-9 * ones, 1, 0)
    yield (rng.random(d), 0, 0), (rng.random(d), 1, 1)


@cache
def neighbours(d):
    """Pairs that differ in one record, at the first place, at the last, and at those between."""
    pairs = []
    for count, ((X, y, s), pair) in enumerate(product(crowds(d), replacements(d))):
        k = count % (len(X) + 1)
        one, other = (
            people(np.insert(X, k, x, axis=0), np.insert(y, k, label), np.insert(s, k, group))
            for x, label, group in pair
        )
        pairs.append((one, other))
    return pairs


NORMS = {"laplace": 1, "exponential": np.inf, "gaussian": 2}  # of sensitivities
PURE = {"laplace": 1, "exponential": 2}  # the privacy loss of a change by one scale


def moves(tape, again):
    """(release, norm of the change of its value in the norm of its sensitivity)."""
    assert len(tape) == len(again)
    for old, new in zip(tape, again, strict=True):
        yield old, np.linalg.norm(np.ravel(old.value - new.value), NORMS[old.mechanism])


def exact_delta(epsilon, distance):
    """Delta of two unit Gaussians at a distance (Balle and Wang 2018, Theorem 8)."""
    return ndtr(distance / 2 - epsilon / distance) - np.exp(epsilon) * ndtr(
        -distance / 2 - epsilon / distance
    )


def assert_within_claim(tape, again, options):
    ratios = np.array([size / release.scale for release, size in moves(tape, again)])
    if all(release.mechanism in PURE for release in tape):
        losses = ratios * [PURE[release.mechanism] for release in tape]
        spent = losses.sum()
        if "delta" in options:  # a loss e is e^2 / 2 zero-concentrated DP (Bun and Steinke 2016)
            rho = (losses**2).sum() / 2
            spent = min(spent, rho + 2 * np.sqrt(rho * np.log(1 / options["delta"])))
        assert spent <= options["epsilon"] * ROUNDING
    elif ratios.any():
        assert (
            exact_delta(options["epsilon"], np.linalg.norm(ratios))
            <= options.get("delta", 1e-3) * ROUNDING
        )


@pytest.mark.parametrize(
    ("name", "d", "options"), [case for d in (1, 2, 8, 13) for case in cases(d)]
)
def test_releases_and_loss_stay_within_the_guarantee(name, d, options):
    fit, pairs = PRIVATE[name].fit, neighbours(d)
    if d >= 8:
        pairs = pairs[::3]  # some of every crowd, and every replacement in some
    defaults = {key: parameters(fit)[key].default for key in ("delta",) if key in parameters(fit)}
    options = {"epsilon": 0.7, **defaults, **options}
    for seed, (one, other) in enumerate(pairs):
        with record() as tape:
            try:
                model = fit(one, rng=np.random.default_rng(seed), **options)
            except ValueError as refusal:
                if not re.search("would spend more than (epsilon|delta) on data", str(refusal)):
                    raise
                pytest.skip(str(refusal))
        with replay(tape) as again:
            twin = fit(other, rng=np.random.default_rng(seed), **options)
        assert tape, "a private fit without a release"
        for release, size in moves(tape, again):
            assert size <= release.sensitivity * ROUNDING
        assert np.array_equal(state(model), state(twin))
        assert_within_claim(tape, again, options)


def test_the_budget_that_adfc_refuses_is_not_private(monkeypatch):
    """With two features and a one-sided fairness term some neighbours need 1.39 delta."""
    fit = PRIVATE["adfc"].fit
    options = {"epsilon": 1.0, "fairness": "drift", "calibration": "analytic", "attribute": "x0"}
    pairs = neighbours(2)
    with pytest.raises(ValueError, match="ADFC would spend more than delta on data with"):
        fit(pairs[0][0], rng=np.random.default_rng(0), **options)
    monkeypatch.setattr(PRIVATE["adfc"], "_joint_delta", lambda *budgets: 0.0)
    worst = 0.0
    for one, other in pairs:
        with record() as tape:
            fit(one, rng=np.random.default_rng(0), **options)
        with replay(tape) as again:
            fit(other, rng=np.random.default_rng(0), **options)
        worst = max(
            worst, np.linalg.norm([size / release.scale for release, size in moves(tape, again)])
        )
    assert exact_delta(1.0, worst) == pytest.approx(1.39e-3, rel=1e-2)


@pytest.mark.parametrize("name", sorted(set(PRIVATE) - set(UNREFUTED)))
def test_a_refuted_method_is_refuted_by_some_neighbours(name):
    worst = 0.0
    for seed, (one, other) in enumerate(neighbours(8)):
        with record() as tape:
            PRIVATE[name].fit(one, rng=np.random.default_rng(seed))
        with replay(tape) as again:
            PRIVATE[name].fit(other, rng=np.random.default_rng(seed))
        worst = max([worst, *(size / release.sensitivity for release, size in moves(tape, again))])
        if worst > 1:  # one pair is enough
            return
    assert worst > 1


@pytest.mark.parametrize("name", PRIVATE)
@pytest.mark.parametrize("d", [13, 35, 40])
def test_the_settings_of_the_papers_are_not_refused(name, d, crowd):
    for epsilon in (0.01, 0.1, 1, 10, 100):
        model = PRIVATE[name].fit(crowd(n=50, d=d), epsilon=epsilon, rng=np.random.default_rng(0))
        assert np.isfinite(state(model)).all(), epsilon


OUTSIDE = {"label": (0.5, 500, 1), "group": (0.5, 1, 7), "feature": (np.nan, 1, 1)}


@pytest.mark.parametrize("name", UNREFUTED)
@pytest.mark.parametrize("outside", OUTSIDE)
def test_a_record_outside_the_domain_is_refused_or_does_no_harm(name, outside):
    rng = np.random.default_rng(0)
    X, y, protected = rng.random((6, 13)), rng.integers(0, 2, 6), rng.integers(0, 2, 6)
    fill, label, group = OUTSIDE[outside]
    with record() as tape:
        PRIVATE[name].fit(people(X, y, protected), rng=np.random.default_rng(0))
    with replay(tape) as again:
        try:
            X, y, protected = (
                np.vstack([X[:5], np.full(13, fill)]),
                np.append(y[:5], label),
                np.append(protected[:5], group),
            )
            PRIVATE[name].fit(people(X, y, protected), rng=np.random.default_rng(0))
        except ValueError:
            return
    assert_within_claim(tape, again, {"epsilon": 1.0})


FAIR = [name for name, module in PRIVATE.items() if "alpha" in parameters(module.fit)]


@pytest.mark.filterwarnings("ignore:invalid value")
@pytest.mark.parametrize("name", FAIR)
@pytest.mark.parametrize("fairness", VARIANTS["fairness"])
@pytest.mark.parametrize("alpha", [-1.0, np.nan, np.inf])
def test_a_meaningless_fairness_weight_is_refused_or_harmless(name, fairness, alpha):
    for one, other in neighbours(13):
        with record() as tape:
            try:
                PRIVATE[name].fit(one, fairness=fairness, alpha=alpha, rng=np.random.default_rng(0))
            except ValueError:
                return
        with replay(tape) as again:
            PRIVATE[name].fit(other, fairness=fairness, alpha=alpha, rng=np.random.default_rng(0))
        assert_within_claim(tape, again, {"epsilon": 1.0})


@pytest.mark.parametrize(
    ("name", "option"),
    [("pdfc", "attribute_ratio"), ("adfc", "attribute_ratio"), ("pflr_star", "objective_share")],
)
@pytest.mark.parametrize("value", [0.0, -0.5, np.nan, 1.5])
def test_a_split_of_the_budget_that_is_none_is_refused(name, option, value, crowd):
    with pytest.raises(ValueError, match=option):
        PRIVATE[name].fit(crowd(d=13), rng=np.random.default_rng(0), **{option: value})
