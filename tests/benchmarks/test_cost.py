"""The slopes and the methods of `make bench-cost`, computed in a process of its interpreter."""

import json
import subprocess
import sys

import pytest

from benchmarks.process import surroundings
from dpfair_cli import catalog


def said(expression):
    """The value of an expression about the modules of the script."""
    imports = "import json; from benchmarks import cost, cost_subjects as subjects"
    script = f"{imports}; print(json.dumps({expression}))"
    command = [sys.executable, "-c", script]
    answer = subprocess.run(
        command, check=True, capture_output=True, text=True, env=surroundings(settled=False)
    )
    return json.loads(answer.stdout)


def test_the_slope_is_the_power_of_the_last_three_points():
    lines = ([1, 10, 100, 1000], [90, 2, 20, 200]), ([1, 2], [3, 12]), ([4, 16, 64], [1, 2, 4])
    found = said(f"[cost.slope(*line) for line in {lines}]")
    assert found == pytest.approx([1, 2, 0.5])


def test_there_is_a_method_of_every_family():
    timed = said("[subject.name for family in subjects.FAMILIES.values() for subject in family]")
    families = {catalog.algorithm(name).fit.__module__.split(".")[-2] for name in timed}
    assert len(set(timed)) == len(timed)
    known = {
        catalog.algorithm(name).fit.__module__.split(".")[-2] for name in catalog.algorithms.names
    }
    # those of a paper's folder are of this paper alone; the rules of "printed" read no records
    assert families == known - {"methods", "printed"}
