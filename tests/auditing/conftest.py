"""Records of eight features, and a method that is registered for one test."""

import numpy as np
import pytest

from dpfair_cli import catalog
from dpfair_cli.addons.foreign_audits import densities, outcomes
from dpfair_cli.auditing import audit as audits
from dpfair_cli.auditing import one_run
from dpfair_cli.auditing.audit import audit
from dpfair_cli.contracts.declarations import Algorithm
from dpfair_cli.contracts.guarantees import Neighbours
from dpfair_cli.kinds.records import Domain, Records
from tests.auditing.subjects import Clock, D, toy_guarantee


@pytest.fixture(scope="module")
def records():
    rng = np.random.default_rng(0)
    names = tuple(f"x{j}" for j in range(D))
    domain = Domain(names, {name: (j,) for j, name in enumerate(names)}, ("a", "b"))
    return Records(rng.random((300, D)), rng.integers(0, 2, 300), rng.integers(0, 2, 300), domain)


@pytest.fixture
def try_out(monkeypatch, records):
    """The finding on a fit that is registered as the method `toy`."""

    def attempt(fit, neighbours=Neighbours.REPLACE_ONE, **params):
        algorithm = Algorithm(fit, guarantee=toy_guarantee(neighbours))
        monkeypatch.setattr(catalog, "algorithm", lambda name: algorithm)
        return audit("toy", records, params={"epsilon": 1.0} | params, neighbours=60)

    return attempt


@pytest.fixture(autouse=True)
def _audits_do_as_much_on_every_machine(monkeypatch):
    """An audit tries what it can in some seconds: here a number of looks at the clock."""
    monkeypatch.setattr(densities, "time", Clock(0.1))
    for module in (audits, one_run, outcomes):
        monkeypatch.setattr(module, "time", Clock(1e-6))
    monkeypatch.setattr(outcomes, "MOST", 40_000)


@pytest.fixture
def fewer_runs(monkeypatch):
    """An audit of outcomes makes 5,000 runs, not 40,000: for tests with no least bound."""
    monkeypatch.setattr(outcomes, "MOST", 5_000)


@pytest.fixture
def all_runs(monkeypatch):
    """An audit of outcomes makes as many runs as outside the tests."""
    monkeypatch.setattr(outcomes, "MOST", 200_000)
