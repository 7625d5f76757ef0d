"""A variant of a whole spec is chosen by the cells of all methods, and explains those of all."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd

from dpfair_cli.contracts.specs import Spec
from dpfair_cli.verdicts.cells.judging import judge_cells
from dpfair_cli.verdicts.cells.published import PublishedCell
from dpfair_cli.verdicts.paper_rule import PaperRule, rule_of
from dpfair_cli.verdicts.verdicts import Verdicts
from tests.toy_specs import data_set, method
from tests.verdicts.toy_paper import SPEC as TOY
from tests.verdicts.toy_paper import published, published_cell, runs

MEANS = {"PFLR": 0.60, "PFLR, shift": 0.66, "PFLR*": 0.70, "PFLR*, shift": 0.76}
SPEC = replace(
    TOY,
    methods=tuple(
        method("pflr", {"epsilon": epsilon}, label, label.split(",")[0])
        for label in MEANS
        for epsilon in (1.0, 10.0)
    ),
)
ROWS = pd.DataFrame(
    [
        run | {"method": label}
        for label, mean in MEANS.items()
        for epsilon in (1.0, 10.0)
        for run in runs("PFLR", epsilon, mean, (-0.001, 0.0, 0.001))
    ]
)
HERE = [("PFLR", 1.0, 0.66), ("PFLR*", 1.0, 0.70)]
THERE = [("PFLR", 1.0, 0.66), ("PFLR*", 1.0, 0.70), ("PFLR*", 10.0, 0.70)]


def judged_at(rows: pd.DataFrame, spec: Spec, cells: list[PublishedCell]) -> Verdicts:
    """The cells of a table at the levels of single tests."""
    return Verdicts(spec, tuple(judge_cells(rows, spec, cells, standins={})))


def rule(*, here: Spec, there: Spec) -> PaperRule:
    """The rule of a chapter with two tables; under the shift one cell of PFLR comes out, and in the
    other table two cells of PFLR* do not.
    """
    judged = []
    for spec, values in ((here, HERE), (there, THERE)):
        cells = [published_cell(published(*value) | {"artefact": spec.name}) for value in values]
        cells = [replace(cell, mean=cell.mean + 0.0001 * (spec is there)) for cell in cells]
        judged.append(judged_at(ROWS, spec, cells))
    return rule_of(judged)


def test_a_variant_of_a_method_is_chosen_by_its_own_cells() -> None:
    found = rule(here=SPEC, there=replace(SPEC, artefact="xu2021/table8.3"))
    assert found.variants_of("table8.2") == {"PFLR": ["shift"]}


def test_a_variant_of_a_spec_is_chosen_by_the_cells_of_all_methods() -> None:
    """One cell of PFLR comes out and two of PFLR* are lost, so that the default is better."""
    there = replace(SPEC, artefact="xu2021/table8.3", variants=("shift",))
    assert rule(here=SPEC, there=there).variants_of("table8.2") == {}


def test_a_variant_that_a_table_has_not_run_is_not_compared_there() -> None:
    """The shift is best in the other table, but this table has not run it."""
    plain = replace(SPEC, methods=tuple(one for one in SPEC.methods if "," not in one.label))
    rows = ROWS[~ROWS["method"].str.contains("shift")]
    cells = [published_cell(published("PFLR", 1.0, 0.9))]
    there = replace(SPEC, artefact="xu2021/table8.3")
    more = [published_cell(published("PFLR", 1.0, 0.66) | {"artefact": there.name})]
    found = rule_of([judged_at(rows, plain, cells), judged_at(ROWS, there, more)])
    assert found.variants_of("table8.2") == {}


def test_variants_of_the_data_and_of_the_spec_are_shared() -> None:
    spec = replace(SPEC, datasets=(data_set("adult"), data_set("adult", {}, "few levels")))
    assert spec.shared_variants == {"few levels"}
    assert replace(spec, variants=("shift",)).shared_variants == {"few levels", "shift"}
