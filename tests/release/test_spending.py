"""What is spent is on the disk before the caller goes on, and one process spends at a time."""

from __future__ import annotations

import errno
import os
import signal
import time
from contextlib import contextmanager, suppress
from decimal import Decimal
from math import inf
from pathlib import Path

import numpy as np
import pytest

from dpfair_cli.contracts.errors import DpfairError
from dpfair_cli.contracts.guarantees import Neighbours
from dpfair_cli.release import spending
from dpfair_cli.release.privacy_ledger import LedgerEntry, text_of
from dpfair_cli.release.spending import create, ledger_path
from tests.forking import begun, exit_code
from tests.waiting import wait_until

ONE = LedgerEntry("a model", "proved", Neighbours.REPLACE_ONE, Decimal(1), Decimal(0))
PEOPLE = "age: {low: 18, high: 90}\n"


def release(domain, log):
    """What a command does: it spends, and then releases, which the log says."""
    spending.spend(domain, [ONE])
    with open(log, "ab", buffering=0) as file:
        file.write(b"released\n")


def released(log):
    return log.read_bytes().count(b"\n") if log.exists() else 0


@pytest.fixture
def domain(tmp_path):
    """A domain file with a ledger."""
    file = tmp_path / "people.yaml"
    file.write_text(PEOPLE)
    create(file, epsilon=Decimal(30), delta=Decimal(0), neighbours=Neighbours.REPLACE_ONE)
    return file


def test_processes_together_spend_the_budget_once(domain, tmp_path):
    log = tmp_path / "released"

    def spend():
        for _ in range(20):
            with suppress(DpfairError):
                release(domain, log)

    for pid in [begun(spend) for _ in range(4)]:
        assert exit_code(pid) == 0
    assert released(log) == 30
    assert spending.read(domain).left == (0, 0)


def test_an_entry_of_another_process_is_read_after_the_lock(domain, monkeypatch):
    """While this process waits for the lock, another one spends all that is there."""
    plain = spending._locked

    @contextmanager
    def late(folder):
        monkeypatch.setattr(spending, "_locked", plain)
        spending.spend(domain, [ONE] * 30)
        with plain(folder):
            yield

    monkeypatch.setattr(spending, "_locked", late)
    with pytest.raises(DpfairError, match="the budget does not suffice"):
        spending.spend(domain, [ONE])


def test_a_second_spender_waits_for_the_lock_and_is_refused_in_the_end(domain, monkeypatch):
    monkeypatch.setattr(spending, "MOST_SECONDS", 0.1)
    with (
        spending._locked(ledger_path(domain).parent),
        pytest.raises(DpfairError, match="cannot be locked"),
    ):
        spending.spend(domain, [ONE])
    spending.spend(domain, [ONE])


@pytest.mark.parametrize("number", [errno.ENOLCK, errno.ENOSYS])
def test_a_file_system_without_locks_is_refused(domain, monkeypatch, number):
    def fail(*_):
        raise OSError(number, "no locks")

    monkeypatch.setattr("fcntl.flock", fail)
    with pytest.raises(DpfairError, match="cannot be locked"):
        spending.spend(domain, [ONE])


def test_an_entry_is_on_the_disk_before_it_counts(domain, monkeypatch):
    """The content is forced to the disk before the file has its name, and then the name."""
    events, sync, move = [], os.fsync, Path.replace

    def fsync(number):
        target = Path(os.readlink(f"/proc/self/fd/{number}"))
        events.append("folder" if target.is_dir() else "content")
        if target.is_file():
            assert "a model" in target.read_text()
        sync(number)

    def replace(path, target):
        events.append("name")
        return move(path, target)

    monkeypatch.setattr(os, "fsync", fsync)
    monkeypatch.setattr(Path, "replace", replace)
    spending.spend(domain, [ONE])
    assert events == ["content", "name", "folder"]


def test_an_error_of_the_disk_leaves_the_ledger_as_it_was(domain, monkeypatch):
    before = ledger_path(domain).read_text()

    def fail(number):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(OSError, match="No space left"):
        spending.spend(domain, [ONE])
    assert ledger_path(domain).read_text() == before
    assert [
        file.name for file in ledger_path(domain).parent.iterdir() if file.name.startswith(".")
    ] == []


def test_a_ledger_is_made_once_and_has_no_time_in_it(domain):
    with pytest.raises(DpfairError, match="set only once"):
        create(
            domain,
            epsilon=Decimal(99),
            delta=Decimal(0),
            neighbours=Neighbours.REPLACE_ONE,
        )
    (heading,) = ledger_path(domain).read_text().splitlines()
    assert heading.startswith('{"ledger": 1, "domain": ')
    domain.write_text(PEOPLE)
    ledger_path(domain).unlink()
    ledger = create(
        domain, epsilon=Decimal(30), delta=Decimal(0), neighbours=Neighbours.REPLACE_ONE
    )
    assert text_of(ledger).splitlines() == [heading]


def test_processes_that_are_killed_at_any_time_have_spent_what_they_released(tmp_path, monkeypatch):
    monkeypatch.setattr(spending, "MOST_SECONDS", inf)
    domain, log = tmp_path / "people.yaml", tmp_path / "released"
    domain.write_text("age: {low: 18, high: 90}\n")
    create(domain, epsilon=Decimal(10**6), delta=Decimal(0), neighbours=Neighbours.REPLACE_ONE)
    rng = np.random.default_rng(0)

    def spend():
        while True:
            release(domain, log)

    for _ in range(6):
        before = released(log)
        pids = [begun(spend) for _ in range(2)]
        wait_until(lambda before=before: released(log) >= before + 2)
        time.sleep(rng.uniform(0, 0.05))
        for pid in pids:
            os.kill(pid, signal.SIGKILL)
            assert exit_code(pid) == -signal.SIGKILL
        assert released(log) <= len(spending.read(domain).entries) <= released(log) + 12
    assert released(log) >= 12  # two in each of the rounds


def test_a_link_to_a_domain_file_stays_and_the_file_gets_the_mark(tmp_path):
    domain, link = tmp_path / "people.yaml", tmp_path / "link.yaml"
    domain.write_bytes(b"# my table\r\nage: {low: 18, high: 90}\r\n")
    domain.chmod(0o640)
    link.symlink_to(domain)
    before = spending.digest(domain)
    create(link, epsilon=Decimal(1), delta=Decimal(0), neighbours=Neighbours.REPLACE_ONE)
    assert link.is_symlink()
    marked = b"ledger: yes\r\n---\r\n# my table\r\nage: {low: 18, high: 90}\r\n"
    assert domain.read_bytes() == marked
    assert domain.stat().st_mode & 0o777 == 0o640
    assert spending.digest(domain) == before


def test_the_mark_is_read_before_the_ledger_is_looked_for(domain, monkeypatch):
    """An `init` that ends while another process looks for the ledger is no missing ledger."""
    kept = ledger_path(domain).read_bytes()
    ledger_path(domain).unlink()
    domain.write_text(PEOPLE)
    exists = os.path.lexists

    def late(path):
        found = exists(path)
        ledger_path(domain).write_bytes(kept)
        domain.write_text(f"ledger: yes\n---\n{PEOPLE}")
        return found

    monkeypatch.setattr(spending, "ledgers_in", lambda _: set())
    monkeypatch.setattr(os.path, "lexists", late)
    assert not spending.has_ledger(domain)
