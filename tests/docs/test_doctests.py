"""The examples in docstrings print what they say."""

from __future__ import annotations

import doctest
import importlib
import pkgutil

import pytest

PACKAGES = ("mechanisms", "kinds", "metrics", "auditing")
WITH_EXAMPLES = {
    "dpfair_cli.kinds.graphs",
    "dpfair_cli.kinds.records",
    "dpfair_cli.metrics.classification",
    "dpfair_cli.mechanisms.above_threshold",
    "dpfair_cli.mechanisms.batches",
    "dpfair_cli.mechanisms.discrete",
    "dpfair_cli.mechanisms.exponential",
    "dpfair_cli.mechanisms.gaussian",
    "dpfair_cli.mechanisms.laplace",
    "dpfair_cli.mechanisms.accounting.accountant",
    "dpfair_cli.mechanisms.accounting.composition",
    "dpfair_cli.mechanisms.accounting.renyi",
}


def modules():
    """The names of all modules of PACKAGES."""
    found = []
    for name in PACKAGES:
        package = importlib.import_module(f"dpfair_cli.{name}")
        found += [
            each.name for each in pkgutil.walk_packages(package.__path__, package.__name__ + ".")
        ]
    return found


@pytest.mark.parametrize("name", modules())
def test_examples_of_a_module_print_what_they_say(name):
    results = doctest.testmod(importlib.import_module(name))
    assert results.failed == 0
    assert results.attempted > 0 or name not in WITH_EXAMPLES, "a module has lost its examples"


def test_modules_with_examples_exist():
    assert set(modules()) >= WITH_EXAMPLES
