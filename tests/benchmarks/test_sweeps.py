"""The sweeps that bars are measured on have as many runs as the bars say."""

from itertools import pairwise

import pytest

from benchmarks.commands import FITS, METHODS, SWEEP
from benchmarks.runs import FINISHED, ROWS
from dpfair_cli import catalog
from dpfair_cli.contracts.conversion import parse_epsilons
from dpfair_cli.running import sweeps


def planned(words):
    """The private runs of a sweep, and those of the methods without privacy."""
    value = dict(pairwise(words))
    request = sweeps.request(catalog.data_set(words[1]), METHODS)
    found = request.methods(parse_epsilons(value["--eps"]), {})
    private = sum(method.is_private for method in found)
    return private * int(value["--runs"]), (len(found) - private) * int(value["--runs"])


@pytest.mark.parametrize("words", [SWEEP, FINISHED])
def test_a_sweep_of_a_bar_names_its_methods(words):
    named = [word for flag, word in pairwise(words) if flag == "--method"]
    assert tuple(named) == METHODS


def test_sweeps_of_bars_have_as_many_runs_as_the_bars_say():
    assert planned(SWEEP) == (FITS, 200)
    assert sum(planned(FINISHED)) == ROWS
