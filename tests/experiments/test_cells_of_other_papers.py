"""The published cells that ficiu2023 takes from other papers are the cells of these papers."""

import csv
import re
from pathlib import Path

import pytest

EXPERIMENTS = Path(__file__).parent.parent.parent / "experiments"


def cells(paper, artefact):
    with (EXPERIMENTS / paper / "published.csv").open(encoding="utf-8") as file:
        return [row for row in csv.DictReader(file) if row["artefact"] == artefact]


TARGET, PROTOCOLS = cells("ficiu2023", "table-target"), cells("ficiu2023", "table-protocols")


def test_all_18_targets_are_cells_of_table_8_2_of_xu2021():
    theirs = {
        (row["method"], float(row["epsilon"]), row["metric"]): (row["mean"], row["std"])
        for row in cells("xu2021", "table8.2")
        if row["dataset"] == "adult" and row["epsilon"]
    }
    ours = {
        (row["method"], float(row["epsilon"]), row["metric"]): (row["mean"], row["std"])
        for row in TARGET
    }
    assert len(ours) == 18
    assert ours == {key: theirs[key] for key in ours}


OF_LOWY = [cell for cell in PROTOCOLS if "adult_training_twice" in cell["dataset"]]
OF_TABLES = [cell for cell in PROTOCOLS if cell not in OF_LOWY]


def test_the_two_cells_of_lowy2023_are_those_without_noise_and_without_penalty():
    theirs = {
        row["metric"]: row["mean"]
        for row in cells("lowy2023", "table-adult")
        if (row["epsilon"], row["trade_off"]) == ("inf", "0")
        and row["dataset"] == "adult_training_twice"
    }
    ours = {cell["metric"]: cell["mean"] for cell in OF_LOWY}
    assert ours["demographic_parity_difference"] == theirs["demographic_parity_difference"]
    assert 1 - float(ours["accuracy"]) == pytest.approx(float(theirs["error"]), abs=1e-12)
    assert {cell["printed"] for cell in OF_LOWY} == set(theirs.values())


@pytest.mark.parametrize("cell", OF_TABLES, ids=lambda cell: f"{cell['method']} {cell['metric']}")
def test_a_cell_of_a_protocol_is_printed_in_the_paper_that_it_names(cell):
    paper, table = re.match(r"(\w+), Table ([\d.]+)", cell["place"]).groups()
    found = [
        row
        for row in cells(paper, f"table{table}")
        if row["dataset"] == "adult"
        and row["method"] in ("LR", "SGD", "real")
        and row["metric"] == cell["metric"]
        and row.get("group", "") in ("", "total")
    ]
    assert (cell["mean"], cell["std"]) in {(row["mean"], row["std"]) for row in found}
    assert cell["method"].endswith(f"{paper} Table {table}")
