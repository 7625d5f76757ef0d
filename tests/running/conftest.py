"""A small table of one's own, and the journal of a sweep over it."""

import pytest

from dpfair_cli.running import runner
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
def without_copies(monkeypatch):
    """A system on which the process is not copied: it makes runs itself, or starts workers."""
    monkeypatch.setattr(runner, "can_copy", lambda jobs: False)
