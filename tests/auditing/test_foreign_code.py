"""Functions fit(X, y, epsilon, rng) of other authors: noise is followed or refused."""

import secrets
import textwrap

import numpy as np
import pytest
from click.testing import CliRunner
from scipy import stats

from dpfair_cli.addons.foreign_audits.foreign_code import audit_call, imported, on_arrays
from dpfair_cli.addons.foreign_audits.tracked_noise import TrackedGenerator
from dpfair_cli.commands.audit import command
from dpfair_cli.contracts.errors import DpfairError
from dpfair_cli.contracts.guarantees import Neighbours
from dpfair_cli.mechanisms.gaussian import analytic_sigma
from dpfair_cli.mechanisms.laplace import laplace
from dpfair_cli.mechanisms.ledger import record
from tests.auditing.subjects import D

SUM = {  # a sum of D features of [0, 1] moves by D, in L1
    "added": lambda X, y, epsilon, rng: X.sum(axis=0) + rng.laplace(scale=D / epsilon, size=D),
    "added to": lambda X, y, epsilon, rng: rng.laplace(0, D / epsilon, D) + X.sum(axis=0),
    "subtracted": lambda X, y, epsilon, rng: X.sum(axis=0) - rng.laplace(scale=D / epsilon, size=D),
    "subtracted from": lambda X, y, epsilon, rng: (
        rng.laplace(scale=D / epsilon, size=D) - X.sum(axis=0)
    ),
    "scaled": lambda X, y, epsilon, rng: X.sum(axis=0) + D / epsilon * rng.laplace(size=D),
    "scaled twice": lambda X, y, epsilon, rng: (
        X.sum(axis=0) + 2 * (-rng.laplace(size=D) / epsilon) * (D / 2)
    ),
    "a mean": lambda X, y, epsilon, rng: (
        X.mean(axis=0) + rng.laplace(scale=D / epsilon / len(X), size=D)
    ),
    "at a value": lambda X, y, epsilon, rng: rng.laplace(loc=X.sum(axis=0), scale=D / epsilon),
    "in place": lambda X, y, epsilon, rng: _in_place(
        X.sum(axis=0), rng.laplace(scale=D / epsilon, size=D)
    ),
    "in shape": lambda X, y, epsilon, rng: (
        X.sum(axis=0).reshape(2, -1) + rng.laplace(0, D / epsilon, D).reshape(2, -1)
    ),
    "one by one": lambda X, y, epsilon, rng: [
        float(v + rng.laplace(scale=D / epsilon)) for v in X.sum(axis=0)
    ],
    "taken apart": lambda X, y, epsilon, rng: _one_by_one(
        X.sum(axis=0), rng.laplace(scale=D / epsilon, size=D)
    ),
    "by a child": lambda X, y, epsilon, rng: (
        X.sum(axis=0) + rng.spawn(1)[0].laplace(scale=D / epsilon, size=D)
    ),
    "added to zero": lambda X, y, epsilon, rng: (
        X.sum(axis=0) + (0.0 + rng.laplace(scale=D / epsilon, size=D))
    ),
    "added into zeros": lambda X, y, epsilon, rng: (
        X.sum(axis=0) + _in_place(np.zeros(D), rng.laplace(scale=D / epsilon, size=D))
    ),
    "about a constant": lambda X, y, epsilon, rng: (
        X.sum(axis=0) + rng.laplace(5.0, D / epsilon, D) - 5.0
    ),
    "of SciPy": lambda X, y, epsilon, rng: (
        X.sum(axis=0) + stats.laplace.rvs(scale=D / epsilon, size=D, random_state=rng)
    ),
    "the ledger": lambda X, y, epsilon, rng: laplace(
        X.sum(axis=0), l1_sensitivity=D, epsilon=epsilon, rng=rng
    ),
}
ESCAPES = {
    "exp": lambda noise: np.exp(noise),
    "a function": lambda noise: np.clip(noise, -1, 1),
    "an array": lambda noise: np.asarray(noise) + 1,
    "a number": lambda noise: float(noise[0]),
    "a sum": lambda noise: noise.sum(),
    "scales": lambda noise: noise * np.arange(D),
    "other noise": lambda noise: noise + noise,
    "broadcast": lambda noise: np.zeros((3, D)) + noise,
    "power": lambda noise: noise**2,
    "reduced": lambda noise: np.add.reduce(noise),
    "divided by": lambda noise: 1 / noise,
    "concatenated": lambda noise: np.concatenate([noise, noise]),
    "compared": lambda noise: noise > 0,
}


def _in_place(value, noise):
    value += noise
    return value


def _one_by_one(value, noise):
    return [value[j] + noise[j] for j in range(len(noise))]


@pytest.fixture
def audited(records, monkeypatch, tmp_path):
    """The finding on a function, as `toy:fit` of a module."""

    def attempt(function, relation=Neighbours.REPLACE_ONE, neighbours=40, **params):
        module = type(pytest)("toy_of_others")
        module.fit = function
        monkeypatch.setitem(__import__("sys").modules, "toy_of_others", module)
        params = {"epsilon": 1.0} | params
        name, amounts = "toy_of_others:fit", {"neighbours": neighbours, "seed": 0}
        call = on_arrays(imported(name))
        return audit_call(name, call, records, relation=relation, params=params, **amounts)

    return attempt


@pytest.mark.parametrize("function", SUM.values(), ids=SUM)
def test_noise_is_followed_to_the_sum_that_it_is_added_to(audited, function):
    found = audited(function)
    assert found.problems == []
    assert found.found == pytest.approx(1)


@pytest.mark.parametrize("function", SUM.values(), ids=SUM)
def test_half_of_the_noise_is_refuted(audited, function):
    found = audited(lambda X, y, epsilon, rng: function(X, y, 2 * epsilon, rng))
    assert not found.holds
    assert found.found == pytest.approx(2)


def test_normal_noise_is_followed_too(audited):
    sigma = analytic_sigma(np.sqrt(D), 1.0, 1e-3)

    def fit(X, y, epsilon, delta, rng):
        return (
            X.sum(axis=0) + sigma * rng.standard_normal(D)
            if len(X) % 2
            else rng.normal(X.sum(axis=0), sigma)
        )

    found = audited(fit, delta=1e-3)
    assert found.problems == []
    assert found.found == pytest.approx(1)
    assert not audited(
        lambda X, y, epsilon, delta, rng: fit(2 * X, y, epsilon, delta, rng), delta=1e-3
    ).holds


def test_what_is_released_is_the_value_with_its_noise():
    rng, value = TrackedGenerator(np.random.PCG64(0)), np.arange(3.0)
    plain = np.random.default_rng(0)
    with record() as tape:
        outputs = [
            value + rng.laplace(scale=2.0, size=3),
            value - 3 * rng.normal(size=3),
            4 * rng.laplace(size=3) - value,
        ]
    expected = [
        value + 2 * plain.laplace(size=3),
        value - 3 * plain.normal(size=3),
        4 * plain.laplace(size=3) - value,
    ]
    for output, wanted in zip(outputs, expected, strict=True):
        np.testing.assert_allclose(output, wanted, rtol=1e-12)
    assert [(entry.mechanism, entry.scale) for entry in tape] == [
        ("laplace", 2),
        ("gaussian", 3),
        ("laplace", 4),
    ]
    for entry, sign in zip(tape, (1, 1, 1), strict=True):
        np.testing.assert_allclose(entry.value, sign * value)


@pytest.mark.parametrize("escape", ESCAPES.values(), ids=ESCAPES)
def test_noise_that_cannot_be_followed_is_one_clear_error(audited, escape):
    with pytest.raises(
        ValueError,
        match=r"noise .*: .*(added to a value|one scale|draw separate noise|draw one number)",
    ):
        audited(lambda X, y, epsilon, rng: escape(rng.laplace(size=D)))


def test_what_is_read_without_noise_is_seen(audited):
    for leak in (lambda X, y: X[-1], lambda X, y: y[len(y) // 2], lambda X, y: X[1:-1].mean()):
        found = audited(
            lambda X, y, epsilon, rng, leak=leak: (SUM["added"](X, y, epsilon, rng), leak(X, y))
        )
        assert found.leaks == ("the fitted model",)


def test_a_generator_of_its_own_with_a_seed_is_seen(audited):
    """Its noise is not a release: results differ between neighbours as without noise."""
    found = audited(
        lambda X, y, epsilon, rng: (
            X.sum(axis=0) + np.random.default_rng(0).laplace(0, D / epsilon, D)
        )
    )
    assert found.leaks == ("the fitted model",)


@pytest.mark.parametrize(
    ("function", "what"),
    [
        (
            lambda X, y, epsilon, rng: (
                X.sum(axis=0) + np.random.default_rng().laplace(0, D / epsilon, D)
            ),
            "the fitted model",
        ),
        (
            lambda X, y, epsilon, rng: X.sum() + secrets.SystemRandom().gauss(0, 9),
            "the fitted model",
        ),
        (
            lambda X, y, epsilon, rng: (
                (np.random.default_rng().random() < X).sum(axis=0) + rng.laplace(0, D / epsilon, D)
            ),
            "what is randomised",
        ),
    ],
    ids=["added", "of the system", "a threshold"],
)
def test_randomness_that_cannot_be_repeated_is_an_error(audited, function, what):
    with pytest.raises(
        ValueError, match=f"differ in {what}: the audit cannot follow randomness from elsewhere"
    ):
        audited(function)


@pytest.mark.parametrize("draw", ["exponential", "gamma", "geometric", "random"])
def test_noise_of_another_law_is_one_clear_error_and_no_verdict(audited, draw):
    """The audit assumes that a seed repeats a fit: without that, correct code would be refuted."""
    settings = {"gamma": (2.0,), "geometric": (0.5,)}.get(draw, ())

    def fit(X, y, epsilon, rng):
        one, other = getattr(rng, draw)(*settings), getattr(rng, draw)(*settings)
        return y.sum() + (one - other) / epsilon

    with pytest.raises(ValueError, match=f"cannot follow noise of rng.{draw}"):
        audited(fit)


def test_a_leak_is_refuted_despite_draws_of_another_law(audited):
    found = audited(
        lambda X, y, epsilon, rng: (SUM["added"](X, y, epsilon, rng), X[-1], rng.random())
    )
    assert found.leaks == ("the fitted model",)
    assert found.noise == ("a number of the result always tells two neighbours apart",)


def test_draws_of_another_law_that_are_no_noise_are_no_matter(audited):
    def fit(X, y, epsilon, rng):
        start = rng.random(3)
        return start, SUM["added"](X, y, epsilon, rng), rng.integers(9), rng.permutation(3)

    assert audited(fit).problems == []


def test_a_function_whose_noise_needs_no_generator_is_no_error_but_refuted(audited):
    assert audited(lambda X, y, epsilon, rng: X.sum(axis=0)).leaks == ("the fitted model",)


@pytest.mark.parametrize(
    ("relation", "cost"), [(Neighbours.REPLACE_ONE, 2), (Neighbours.ADD_OR_REMOVE_ONE, 1)]
)
def test_a_histogram_costs_twice_as_much_where_a_record_is_replaced(audited, relation, cost):
    def histogram(X, y, epsilon, rng):
        return np.bincount(y, minlength=2) + rng.laplace(scale=1 / epsilon, size=2)

    found = audited(histogram, relation)
    assert found.found == pytest.approx(cost)
    assert found.holds == (cost == 1)


@pytest.mark.parametrize(
    ("relation", "epsilon"), [(Neighbours.REPLACE_ONE, 1), (Neighbours.ADD_OR_REMOVE_ONE, 2)]
)
def test_fits_of_a_replaced_record_are_as_private_as_allowed(
    audited, monkeypatch, relation, epsilon
):
    asked = []

    def told(fit, left, right, *, epsilon, rng, look):
        asked.append(epsilon)
        return []

    monkeypatch.setattr("dpfair_cli.auditing.audit.problems_of_repeated_fits", told)
    audited(SUM["added"], relation)
    assert asked == [epsilon]


def test_the_number_of_records_is_private_where_one_may_be_missing(audited):
    def mean(X, y, epsilon, rng):
        return (y.sum() + rng.laplace(scale=1 / epsilon)) / len(y)

    assert audited(mean).holds
    assert audited(mean, Neighbours.ADD_OR_REMOVE_ONE).leaks == ("the fitted model",)


def test_a_function_may_change_its_copy_of_the_data(audited, records):
    def fit(X, y, epsilon, rng):
        X *= 1.0
        y -= y
        return SUM["added"](X, y, epsilon, rng)

    before = records.fingerprint()
    assert audited(fit).holds
    assert records.fingerprint() == before


@pytest.mark.parametrize(
    ("name", "says"),
    [
        (
            "nowhere_to_be_found:fit",
            ("the module or function nowhere_to_be_found:fit cannot be imported: No module named"),
        ),
        (
            "json:fit",
            (
                "the module or function json:fit cannot be imported: module 'json' has no "
                "attribute 'fit'"
            ),
        ),
        (
            "broken_module:fit",
            ("the module or function broken_module:fit cannot be imported: division by zero"),
        ),
        ("working:fit", "working:fit: the matrix is singular"),
        ("working:other", "working:other: other() got an unexpected keyword argument 'rng'"),
        ("working:silent", "working:silent: NotImplementedError"),
        ("working:number", "MODULE:FUNCTION must name a function, got working:number"),
    ],
)
def test_what_goes_wrong_in_it_is_one_line(monkeypatch, tmp_path, name, says):
    """Of the command line, in the folder where the module is."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "broken_module.py").write_text("1 / 0\n")
    (tmp_path / "working.py").write_text(
        textwrap.dedent("""\
            import numpy as np

            def fit(X, y, epsilon, rng):
                raise np.linalg.LinAlgError("the matrix is singular")

            def other(X, y):
                return X

            def silent(X, y, epsilon, rng):
                raise NotImplementedError

            number = 3
            """)
    )
    answer = CliRunner().invoke(command, [name, "--neighbours", "5"])
    assert isinstance(answer.exception, DpfairError)
    assert str(answer.exception).startswith(says)
    assert "\n" not in str(answer.exception)


def test_the_command_refutes_and_passes(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "theirs.py").write_text(
        textwrap.dedent("""\
            def share(X, y, epsilon, rng):
                return y.mean() + rng.laplace(scale=1 / (len(y) * epsilon))

            def wrong(X, y, epsilon, rng):
                return y.mean() + rng.laplace(scale=1 / (2 * len(y) * epsilon))
            """)
    )
    good, bad = (
        CliRunner().invoke(command, [f"theirs:{name}", "--neighbours", "30"])
        for name in ("share", "wrong")
    )
    assert (good.exit_code, bad.exit_code) == (0, 1)
    assert "nothing: no sensitivity is declared" in good.output
    assert "not refuted: nothing that was tried" in good.output
    assert "refuted: neighbours cost epsilon 2" in bad.output
    one_less = CliRunner().invoke(
        command, ["theirs:share", "--neighbours", "30", "--relation", "add-or-remove-one"]
    )
    assert one_less.exit_code == 1  # it divides by the number of records


@pytest.mark.usefixtures("fewer_runs")
def test_noise_that_cannot_be_followed_is_judged_by_its_outcomes(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "flipping.py").write_text(
        textwrap.dedent("""\
            def share(X, y, epsilon, rng):
                return sum(y[0] ^ (rng.random() < 0.1) for _ in range(2))

            def constant(X, y, epsilon, rng):
                return rng.random() < 0.5
            """)
    )
    bad, good = (
        CliRunner().invoke(command, [f"flipping:{name}", "--seconds", "5", "--eps", "2"])
        for name in ("share", "constant")
    )
    assert (bad.exit_code, good.exit_code) == (1, 0)
    assert "with 99.9% confidence (outcomes of" in bad.output
    assert "outcome     the outcome is" in bad.output
    assert "refuted: the bound exceeds the claim" in bad.output
    assert "not refuted" in good.output


def test_a_method_of_this_package_states_its_neighbours_itself():
    answer = CliRunner().invoke(command, ["pflr", "--relation", "replace-one"])
    assert str(answer.exception) == (
        "--relation can only be given with MODULE:FUNCTION: the method pflr declares its "
        "neighbours itself"
    )


FLIPS = {
    "integers": lambda n, rng: rng.integers(0, 2, n).astype(bool),
    "choice": lambda n, rng: rng.choice([True, False], size=n),
    "weibull": lambda n, rng: rng.weibull(1.0, n) > 1,
    "chisquare": lambda n, rng: rng.chisquare(2, n) > 1,
}


@pytest.mark.parametrize("law", FLIPS)
def test_randomised_response_gets_an_error_and_no_verdict(audited, law):
    def fit(X, y, epsilon, rng):
        return np.where(FLIPS[law](len(y), rng), y, 1 - y)

    with pytest.raises(ValueError, match=f"cannot follow noise of .*rng.{law}"):
        audited(fit)


def test_an_infinite_epsilon_is_refused():
    found = CliRunner().invoke(command, ["pflr", "--eps", "inf"])
    assert found.exit_code != 0
    assert "an audit tests a finite epsilon" in str(found.exception or found.output)
