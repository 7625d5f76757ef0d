"""Bars of `make bench` on machines whose speed changes, with simulated clocks; worker processes."""

import itertools
import subprocess
import sys

import pytest

from benchmarks import ratio
from benchmarks.process import Process, surroundings
from benchmarks.ratio import Cost, in_yards, rival_bar, stopwatch, times_faster, yard_bar


def yards(costs):
    return [cost.yards for cost in costs]


class Machine:
    """A clock that work advances by the next pace, in seconds per unit of work."""

    def __init__(self, *paces):
        self.now, self.log = 0.0, []
        self.paces = itertools.chain(paces, itertools.repeat(paces[-1]))

    def clock(self):
        return self.now

    def turns(self, name, units):
        def run():
            self.now += units * next(self.paces)
            self.log.append(name)

        return stopwatch(run, self.clock)


def test_a_machine_that_becomes_four_times_slower_changes_no_ratio():
    machine = Machine(1, 1, 1, 2.5, 4, 4, 4)  # yards of 1, 1, 4, 4; work between them at 1, 2.5, 4
    assert yards(in_yards(machine.turns("work", 10), machine.turns("yard", 1))) == [10, 10, 10]
    slow = Machine(4)
    assert in_yards(slow.turns("work", 10), slow.turns("yard", 1)) == [Cost(10, 40)] * 3
    assert times_faster(slow.turns("ours", 2), slow.turns("theirs", 10)) == [5, 5, 5]


def test_a_turn_is_measured_by_the_mean_of_the_yards_before_and_after_it():
    machine = Machine(1, 2, 3)  # yard 1, work 2 x 10, yard 3: 20 / 2
    assert in_yards(machine.turns("work", 10), machine.turns("yard", 1)) == [
        Cost(10, 20),
        Cost(10, 30),
        Cost(10, 30),
    ]
    assert machine.log == ["yard", *["work", "yard"] * 3]


def test_the_first_turn_alternates_between_rounds():
    machine = Machine(1)
    times_faster(machine.turns("ours", 1), machine.turns("theirs", 3), rounds=4)
    assert machine.log == ["ours", "theirs", "theirs", "ours"] * 2


def test_fewer_than_three_rounds_are_refused():
    turn = Machine(1).turns("work", 1)
    for measure in (in_yards, times_faster):
        with pytest.raises(ValueError, match="at least 3 rounds, got 2"):
            measure(turn, turn, rounds=2)


def test_a_bar_in_seconds_is_converted_to_yards_and_the_median_decides(monkeypatch):
    monkeypatch.setattr(ratio, "NOMINAL", {1: 0.5, 2: 0.8})
    costs = [Cost(11, 5), Cost(20, 9), Cost(30, 20)]
    what, measured, bar, met = yard_bar("a sweep", costs, 10)
    assert (what, measured, bar, met) == (
        "a sweep",
        "20 yards (11 to 30), 9 s",
        "<= 20 yards (10 s)",
        True,
    )
    assert not yard_bar("a sweep", [Cost(11, 5), Cost(20.1, 9), Cost(30, 20)], 10)[3]
    assert not yard_bar("a sweep", costs, 10, threads=2)[3]  # 12.5 yards


def test_an_opponent_is_beaten_by_the_median():
    assert rival_bar("PC", [2, 3, 90], 3) == ("PC", "3 times faster (2 to 90)", ">= 3 times", True)
    assert not rival_bar("PC", [2, 2.9, 90], 3)[3]


def test_a_yard_is_timed_by_the_clock_that_it_is_given(monkeypatch):
    monkeypatch.setattr(ratio, "SIDE", 3)
    ticks = itertools.count(5, 7)
    assert ratio.yardstick(2, lambda: next(ticks))() == 7


def test_a_worker_process_answers_each_call_and_ignores_prints():
    with Process(sys.executable, "operator") as other:
        assert [other.ask("add", 1, k)["found"] for k in range(3)] == [1, 2, 3]
        answer = other.ask("mul", 3, 4)
    assert answer["found"] == 12
    assert answer["wall"] >= 0
    assert answer["memory"] > 0
    with Process(sys.executable, "builtins") as other:
        assert other.ask("print", "anything")["found"] is None


def test_a_call_that_fails_in_the_other_process_is_an_error():
    with (
        Process(sys.executable, "operator") as other,
        pytest.raises(RuntimeError, match=r"truediv.* failed"),
    ):
        other.ask("truediv", 1, 0)


def test_the_list_of_bars_settles_the_arithmetic_before_numpy_is_there():
    script = (
        "import sys; from benchmarks import run; "
        "assert 'dpfair_cli' in sys.modules and 'numpy' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", script], check=True, env=surroundings(settled=False))
