"""The list of planted mistakes fits the code, covers it, and uses no test of committed rows."""

import ast
from functools import cache
from typing import get_args

from dpfair_cli import catalog
from dpfair_cli.contracts.guarantees import Status
from dpfair_cli.mechanisms.accounting.accountant import Accountant
from tests.mutants.catalogue import PACKAGE, ROOT, every_mutant, quick_part

MUTANTS = every_mutant()
PLACES = ("mechanism", "accountant", "sampler", "sensitivity", "algorithm", "data", "release")
PLACES += ("referee", "forensics", "audit")  # which judge numbers and methods
GOLDEN = ("runs.jsonl", "lock.json", "committed_sample", 'folder("results")')  # committed results


def stems(folder):
    return {path.stem for path in (PACKAGE / folder).glob("[!_]*.py")}


@cache
def text_of(path):
    return path.read_text()


@cache
def meaning(source):
    """What Python reads in a source: neither comments nor layout."""
    return ast.dump(ast.parse(source))


def test_a_mistake_changes_one_place_of_the_code_and_leaves_python():
    for mutant in MUTANTS:
        source = text_of(ROOT / mutant.changed)
        planted = mutant.planted_in(source)  # once, or it raises
        assert ast.dump(ast.parse(planted)) != meaning(source), mutant.name


def test_the_tests_of_a_mistake_exist_and_use_no_committed_row():
    for mutant in MUTANTS:
        for file, _, test in (name.partition("::") for name in mutant.test_files):
            text = text_of(ROOT / file)
            assert f"def {test}" in text, mutant.name
            assert not [word for word in GOLDEN if word in text], mutant.name
            other = ("tests/code_lock/", "tests/mutants/", "tests/verdicts/")
            other += () if mutant.place == "audit" else ("tests/auditing/",)
            assert not file.startswith(other), mutant.name


def test_a_name_is_one_mistake():
    assert len({mutant.name for mutant in MUTANTS}) == len(MUTANTS) >= 60


def test_every_part_of_the_code_that_privacy_rests_on_has_a_mistake():
    private = {
        name for name in catalog.algorithms.names if catalog.algorithm(name).guarantee.is_private
    }
    refuted = {
        name for name in private if catalog.algorithm(name).guarantee.status is Status.REFUTED
    }
    wanted = {
        "algorithm": private - refuted,
        "sensitivity": stems("mechanisms/sensitivity"),
        "mechanism": stems("mechanisms") - {"batches", "ledger"},  # which draw no noise
        "accountant": {*get_args(Accountant), "composition"},
    }
    fields = {f"{place}: {name}" for place, names in wanted.items() for name in names}
    assert fields - {mutant.field for mutant in MUTANTS} == set()
    assert {mutant.place for mutant in MUTANTS} == set(PLACES)


def test_the_quick_part_is_the_first_mistake_of_every_place():
    quick = quick_part(MUTANTS)
    assert sorted(mutant.place for mutant in quick) == sorted(PLACES)
    for mutant in quick:
        assert mutant == next(each for each in MUTANTS if each.place == mutant.place)
