"""Calls on a cluster: results in order, few calls at once, and what is said when workers end."""

from concurrent.futures import BrokenExecutor, CancelledError, Future, ThreadPoolExecutor
from functools import partial
from time import sleep

import pytest

from dpfair_cli.contracts.errors import DpfairError
from dpfair_cli.release import table_on_cluster
from dpfair_cli.release.table_on_cluster import in_order
from dpfair_cli.running.pool import Workers


class KilledWorker(Exception):  # noqa: N818 - the name that dask gives it
    """What dask raises after several workers ended during a call."""


class Pool(Workers):
    """Workers that are a pool of two threads, or whose calls all fail."""

    def __init__(self, error=None):
        super().__init__(cluster="tcp://somewhere:1")
        self.pool, self.error, self.given = ThreadPoolExecutor(2), error, []

    def submit(self, function, *args):
        future = Future() if self.error else self.pool.submit(function, *args)
        if self.error:
            future.set_exception(self.error)
        self.given.append(future)
        return future


def slow_first(number):
    sleep(0.2 if number == 0 else 0)
    return number


def test_results_come_in_the_order_of_the_calls():
    calls = [partial(slow_first, number) for number in range(6)]
    assert list(in_order(calls, Pool(), words="")) == [0, 1, 2, 3, 4, 5]


def test_no_call_gives_no_result():
    assert list(in_order([], Pool(), words="")) == []


def test_few_calls_wait_at_once(monkeypatch):
    monkeypatch.setattr(table_on_cluster, "AT_ONCE", 3)
    pool = Pool()
    results = in_order([partial(int, number) for number in range(9)], pool, words="")
    assert [next(results), next(results)] == [0, 1]
    assert len(pool.given) == 4
    results.close()


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (KilledWorker(), "several workers ended on the same part"),
        (BrokenExecutor(), "several workers ended on the same part"),
        (CancelledError(), "tcp://somewhere:1 does not answer any more"),
        (DpfairError("the table is not there"), "the table is not there"),
    ],
)
def test_a_call_that_fails_says_why(error, words):
    with pytest.raises(DpfairError, match=words):
        list(in_order([partial(int, 1)], Pool(error), words=""))


def test_after_an_error_no_further_call_is_made():
    pool = Pool(DpfairError("no"))
    with pytest.raises(DpfairError, match="no"):
        list(in_order([partial(int, 1)] * 3, pool, words=""))
    assert len(pool.given) == 3
