"""The table of growth: commands, tables that repeat rows, and the exponent of growth."""

import numpy as np
import pytest

from benchmarks import growth
from benchmarks.growth import Cost


def test_ten_times_the_time_for_ten_times_the_rows_has_slope_1():
    costs = [Cost("train", 10, 9, 1), Cost("train", 1000, 30, 1), Cost("train", 100, 3, 1)]
    assert growth.slope(costs) == pytest.approx(1)


def test_a_cost_replaces_that_of_the_same_command_and_rows(tmp_path, monkeypatch):
    monkeypatch.setattr(growth, "TABLE", tmp_path / "growth.csv")
    for seconds in (1.0, 2.0):
        growth.note(Cost("train", 10, seconds, 0.5))
    growth.note(Cost("domain", 10, 3.0, 0.25))
    assert growth.read() == [Cost("domain", 10, 3.0, 0.25), Cost("train", 10, 2.0, 0.5)]


def test_a_large_table_repeats_the_rows_of_a_smaller_one(tmp_path, monkeypatch):
    monkeypatch.setattr(growth, "MOST_MADE", 5)
    growth._write_table(tmp_path / "large.csv", 15)
    heading, *rows = (tmp_path / "large.csv").read_text().splitlines()
    assert len(heading.split(",")) == 20
    assert rows == rows[:5] * 3


def test_the_committed_table_has_every_command_at_every_size():
    costs = growth.read()
    names = {cost.command for cost in costs}
    assert names == {"domain", "train", "predict", "sweep"}
    sizes = {cost.rows for cost in costs}
    assert {(cost.command, cost.rows) for cost in costs} == {(n, s) for n in names for s in sizes}


def test_the_memory_of_the_measuring_process_is_not_that_of_a_command(tmp_path, monkeypatch):
    monkeypatch.setattr(growth, "commands", lambda *_: {"help": ["--help"]})
    (tmp_path / "results").mkdir()
    large = np.ones(40_000_000)  # 0.3 GB
    (cost,) = growth.measure(tmp_path, 10)
    assert cost.gigabytes < 0.1 < large.nbytes / 2**30
