"""A small table of one's own, and the journal of a sweep over it."""

import sys

import pytest

from dpfair_cli.running import pool
from tests.running.own_sweeps import DOMAIN, run, sweep, table


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """own.csv and the file of its public domain."""
    place = tmp_path_factory.mktemp("own")
    (place / "own.csv").write_text(table())
    (place / "domain.yaml").write_text(DOMAIN)
    return place


@pytest.fixture(scope="module")
def expected(folder, tmp_path_factory):
    """The bytes of one worker without interruption."""
    content, failures = run(sweep(folder), tmp_path_factory.mktemp("expected"))
    assert not failures
    return content


@pytest.fixture
def without_forks(monkeypatch):
    """A system on which loky has the processes."""
    monkeypatch.setattr(pool, "forks", lambda: False)


@pytest.fixture
def with_forks(monkeypatch):
    """A system on which the processes are forks, also after other tests have imported torch."""
    if sys.platform != "linux":
        pytest.skip("processes are forked on Linux alone")
    monkeypatch.setattr(pool, "NOT_FORKED", set())


@pytest.fixture(params=["forks", "loky"])
def executor(request):
    """The processes of this machine, as each of the libraries makes them."""
    if request.param == "loky":
        request.getfixturevalue("without_forks")
    else:
        request.getfixturevalue("with_forks")
    return request.param
