"""Work on forks gives what it gives without them, and a fork that dies loses nothing."""

import os
import signal
import sys

import pytest

from dpfair_cli.contracts.errors import DpfairError
from dpfair_cli.diff import processes
from dpfair_cli.diff.processes import map_on_forks

PIECES = [str(k) for k in range(processes.FEWEST)]
forks = pytest.mark.skipif(
    sys.platform != "linux" or len(os.sched_getaffinity(0)) < 2,
    reason="forks are for Linux with two processors",
)


def test_results_are_in_the_order_of_the_pieces():
    assert map_on_forks(lambda piece: int(piece) ** 2, PIECES) == [k**2 for k in range(len(PIECES))]


@forks
def test_many_pieces_are_worked_on_elsewhere_and_few_are_not():
    assert os.getpid() not in map_on_forks(lambda piece: os.getpid(), PIECES)
    assert map_on_forks(lambda piece: os.getpid(), PIECES[1:]) == [os.getpid()] * (len(PIECES) - 1)


def test_a_mistake_is_raised_here():
    def refuse(piece):
        raise DpfairError(f"no {piece}")

    with pytest.raises(DpfairError, match="no 0"):
        map_on_forks(refuse, PIECES)


@forks
def test_where_a_fork_is_killed_the_work_is_done_here():
    parent = os.getpid()

    def die_elsewhere(piece):
        if os.getpid() != parent:
            os.kill(os.getpid(), signal.SIGKILL)
        return piece

    assert map_on_forks(die_elsewhere, PIECES) == PIECES
