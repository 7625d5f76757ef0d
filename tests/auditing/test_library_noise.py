"""Mechanisms of other libraries, here stand-ins, are followed or refused by the audit."""

import sys
from types import ModuleType

import numpy as np
import pytest

from dpfair_cli.addons.foreign_audits.foreign_code import audit_call, imported, on_arrays
from dpfair_cli.addons.foreign_audits.library_noise import libraries_followed
from dpfair_cli.contracts.guarantees import Neighbours
from dpfair_cli.mechanisms.gaussian import analytic_sigma
from dpfair_cli.mechanisms.ledger import record, replay
from tests.auditing.subjects import D


class Mechanism:
    """What all mechanisms of diffprivlib have."""

    candidates = measure = None
    delta, monotonic, lower, upper, _scale = 0.0, False, 0.0, 1.0, 1.0

    def __init__(self, rng, **settings):
        self._rng = rng
        vars(self).update(settings)

    def copy(self):
        return type(self)(
            **{"rng": self._rng}
            | {name: held for name, held in vars(self).items() if name != "_rng"}
        )


class Laplace(Mechanism):
    def randomise(self, value):
        return value + self._rng.laplace(scale=self.sensitivity / self.epsilon)


class LaplaceTruncated(Laplace):
    def randomise(self, value):
        return float(np.clip(super().randomise(value), self.lower, self.upper))


class LaplaceBoundedDomain(LaplaceTruncated):
    def effective_epsilon(self):
        self._scale = 2 * self.sensitivity / self.epsilon

    def randomise(self, value):
        self.effective_epsilon()
        while (
            not self.lower <= (output := value + self._rng.laplace(scale=self._scale)) <= self.upper
        ):
            pass
        return output


class Geometric(Mechanism):
    def randomise(self, value):
        chance = 1 - np.exp(-self.epsilon / self.sensitivity)
        return int(value + self._rng.geometric(chance) - self._rng.geometric(chance))


class Gaussian(Mechanism):
    def randomise(self, value):
        return value + self._scale * self._rng.normal()


class Exponential(Mechanism):
    def randomise(self, value=None):
        noise = self._rng.gumbel(
            scale=(2 - self.monotonic) * self.sensitivity / self.epsilon, size=len(self.utility)
        )
        place = int(np.argmax(np.array(self.utility) + noise))
        return self.candidates[place] if self.candidates else place


class PermuteAndFlip(Exponential):
    def randomise(self, value=None):
        scale = (2 - self.monotonic) * self.sensitivity / self.epsilon
        noise = self._rng.exponential(scale=scale, size=len(self.utility))
        place = int(np.argmax(np.array(self.utility) + noise))
        return self.candidates[place] if self.candidates else place


class Vector(Mechanism):
    def randomise(self, value):
        return value


KINDS = (
    Mechanism,
    Laplace,
    LaplaceTruncated,
    LaplaceBoundedDomain,
    Geometric,
    Gaussian,
    Exponential,
    PermuteAndFlip,
    Vector,
)


@pytest.fixture
def library(monkeypatch):
    """diffprivlib as far as the audit knows it."""
    module = ModuleType("diffprivlib.mechanisms")
    vars(module).update({kind.__name__: kind for kind in KINDS})
    monkeypatch.setitem(sys.modules, module.__name__, module)
    return module


@pytest.fixture
def audited(library, records, monkeypatch):
    """The finding on a function, whose noise is that of a mechanism with another generator."""

    def attempt(function, relation=Neighbours.REPLACE_ONE, neighbours=40, trials=0, **params):
        module = ModuleType("theirs")
        module.fit = function
        monkeypatch.setitem(sys.modules, "theirs", module)
        params = {"epsilon": 1.0} | params
        amounts = {"neighbours": neighbours, "trials": trials, "seed": 0}
        call = on_arrays(imported("theirs:fit"))
        return audit_call("fit", call, records, relation=relation, params=params, **amounts)

    return attempt


def own(rng):
    return np.random.RandomState(int(rng.integers(2**31)))


def share(X, y, epsilon, rng):
    return Laplace(own(rng), epsilon=epsilon, sensitivity=1 / len(y)).randomise(float(y.mean()))


def truncated(X, y, epsilon, rng):
    return LaplaceTruncated(own(rng), epsilon=epsilon, sensitivity=1 / len(y)).randomise(
        float(y.mean())
    )


def count(X, y, epsilon, rng):
    return Geometric(own(rng), epsilon=epsilon, sensitivity=1).randomise(int(y.sum()))


def on_an_interval(X, y, epsilon, rng):
    return LaplaceBoundedDomain(own(rng), epsilon=epsilon, sensitivity=1 / len(y)).randomise(
        float(y.mean())
    )


def named(X, y, epsilon, rng):
    names = [f"feature {j}" for j in range(D)]
    settings = {"utility": X.sum(axis=0).tolist(), "candidates": names}
    return Exponential(own(rng), epsilon=epsilon, sensitivity=1, **settings).randomise()


def flipped(X, y, epsilon, rng):
    settings = {"utility": X.sum(axis=0).tolist()}
    return PermuteAndFlip(own(rng), epsilon=epsilon, sensitivity=1, **settings).randomise()


def of_the_system(X, y, epsilon, rng):
    return Laplace(np.random.default_rng(), epsilon=epsilon, sensitivity=1 / len(y)).randomise(
        float(y.mean())
    )


SOUND = (share, truncated, count, on_an_interval, named, flipped, of_the_system)


@pytest.mark.parametrize("function", SOUND)
def test_a_sound_use_raises_no_alarm_and_is_followed_to_its_cost(audited, function):
    found = audited(function)
    assert found.problems == []
    assert 0.5 < found.found <= 1 + 1e-9


@pytest.mark.parametrize("function", SOUND)
def test_a_third_of_the_noise_is_refuted(audited, function):
    assert not audited(lambda X, y, epsilon, rng: function(X, y, 3 * epsilon, rng)).holds


@pytest.mark.parametrize("function", [share, count, on_an_interval])
def test_what_outputs_show_is_no_more_than_is_true_and_something(audited, function):
    shown = audited(function, neighbours=12, trials=1200).shown
    assert 0 < shown.epsilon <= 1
    assert (
        audited(
            lambda X, y, epsilon, rng: function(X, y, 4, rng), neighbours=12, trials=1200
        ).shown.epsilon
        > 1
    )


def test_where_one_record_may_be_missing_outputs_are_not_compared(audited):
    found = audited(count, Neighbours.ADD_OR_REMOVE_ONE, neighbours=12, trials=100)
    assert found.shown is None
    assert found.holds


def test_gaussian_noise_is_followed_to_its_cost(audited):
    def fit(X, y, epsilon, delta, rng):
        sigma = analytic_sigma(1 / len(y), epsilon, delta)
        return Gaussian(own(rng), _scale=sigma, epsilon=epsilon, sensitivity=1).randomise(
            float(y.mean())
        )

    assert audited(fit, delta=1e-4).found == pytest.approx(1)


def test_a_mechanism_that_draws_less_than_it_states_is_refuted(audited, monkeypatch):
    monkeypatch.setattr(
        Laplace,
        "randomise",
        lambda self, value: value + self._rng.laplace(scale=self.sensitivity / 3),
    )
    found = audited(share, neighbours=80)
    assert found.problems == ["the noise of laplace is not of the stated law and scale"]


def test_a_sensitivity_of_the_wrong_bound_is_refuted(audited):
    """As in LinearRegression of diffprivlib 0.6.6: the square of the lower bound twice, so 0."""

    def fit(X, y, epsilon, rng):
        sensitivity = float(np.max(np.abs([0.0, 0.0])) ** 2)
        return Laplace(own(rng), epsilon=epsilon, sensitivity=sensitivity).randomise(
            float((X[:, 0] ** 2).sum())
        )

    assert audited(fit).found == np.inf


def test_noise_of_no_known_law_is_one_clear_error_and_no_verdict(audited):
    settings = {"epsilon": 1.0, "sensitivity": 1.0, "utility": [0.0, 1.0], "measure": [1.0, 2.0]}
    with pytest.raises(ValueError, match="cannot follow the noise of Vector"):
        audited(lambda X, y, epsilon, rng: Vector(own(rng), **settings).randomise(None))
    with pytest.raises(ValueError, match="cannot follow the noise of Exponential with a measure"):
        audited(lambda X, y, epsilon, rng: Exponential(own(rng), **settings).randomise())


def test_a_library_that_is_imported_by_the_fit_is_one_clear_error(audited, library, monkeypatch):
    monkeypatch.delitem(sys.modules, library.__name__)

    def fit(X, y, epsilon, rng):
        monkeypatch.setitem(sys.modules, library.__name__, library)
        return share(X, y, epsilon, rng)

    with pytest.raises(
        ValueError, match=r"the fit imports .*: import every library at the top of the module"
    ):
        audited(fit)


def test_what_a_ledger_hands_out_is_what_a_mechanism_returns(library):
    rng = np.random.default_rng(0)
    mechanisms = [
        Laplace(rng, epsilon=1.0, sensitivity=1.0),
        Geometric(rng, epsilon=1.0, sensitivity=1),
        Exponential(rng, epsilon=1.0, sensitivity=1.0, utility=[0.0, 0.1], candidates=["a", "b"]),
    ]
    with libraries_followed():
        for mechanism in mechanisms:
            with record() as tape:
                outputs = [mechanism.randomise(0) for _ in range(8)]
            with replay(tape):
                assert [mechanism.randomise(0) for _ in range(8)] == outputs
            assert len(set(outputs)) > 1
            assert len(tape) == 8


def test_mechanisms_are_unchanged_when_they_are_not_followed(library):
    methods = [kind.__dict__.get("randomise") for kind in KINDS]
    with pytest.raises(ZeroDivisionError), libraries_followed():
        Laplace(None, epsilon=0.0, sensitivity=1.0).randomise(0.0)
    assert [kind.__dict__.get("randomise") for kind in KINDS] == methods


@pytest.mark.deep
def test_a_step_of_a_private_optimizer_is_one_release_of_all_gradients(monkeypatch):
    torch = pytest.importorskip("torch", reason="torch is not here: pip install torch")

    class DPOptimizer:
        noise_multiplier, max_grad_norm = 2.0, 0.5

        def __init__(self):
            self.params = [torch.nn.Parameter(torch.zeros(shape)) for shape in ((2, 3), (2,))]
            for place, parameter in enumerate(self.params):
                parameter.summed_grad = torch.full(parameter.shape, float(place))

        def add_noise(self):
            for parameter in self.params:
                parameter.grad = parameter.summed_grad + torch.randn(parameter.shape)

    module = ModuleType("opacus.optimizers")
    module.DPOptimizer = DPOptimizer
    monkeypatch.setitem(sys.modules, module.__name__, module)
    first, second = DPOptimizer(), DPOptimizer()
    with libraries_followed():
        with record() as tape:
            first.add_noise()
        with replay(tape):
            second.add_noise()
    assert [(entry.mechanism, entry.scale) for entry in tape] == [("gaussian", 1.0)]
    np.testing.assert_array_equal(tape[0].value, [0.0] * 6 + [1.0] * 2)
    for one, other in zip(first.params, second.params, strict=True):
        np.testing.assert_array_equal(one.grad.numpy(), other.grad.numpy())
