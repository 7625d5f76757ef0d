"""Tables of variables from which no graph can be learned are refused in one line."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.commands.invoking import mistake, without_preview, works

OWN = ("train", "csv_variables", "--set", "file=own.csv")
TABLES = {
    "text among numbers": "a,b\n"
    + "\n".join(f"{k / 7},{k * k / 3}" for k in range(40))
    + "\nhello,1.5\n",
    "missing": "a,b\nx,y\ny,\nx,x\ny,y\n",
    "infinite": "a,b\n" + "\n".join(f"{k / 7},{k * k / 3}" for k in range(40)) + "\ninf,1.5\n",
    "constant": "a,b\nx,y\nx,x\nx,y\n",
    "a copy": "a,b\nx,x\ny,y\nx,x\ny,y\n",
    "mixed": "a,b\n" + "\n".join(f"{k / 7},{'xy'[k % 2]}" for k in range(40)) + "\n",
    "one column": "a\nx\ny\nx\n",
    "no rows": "a,b\n",
    "nothing": "",
    "ragged": "a,b\nx,y\nx,y,z,w\n",
}


@pytest.mark.usefixtures("variables")
def test_a_table_that_nothing_can_be_found_in_is_refused_in_one_line():
    Path("same.csv").write_text("a,b\nx,1\nx,2\n")
    assert "column 'a' has the same value in all 2 rows" in mistake(
        "train", "same.csv", "--method", "pc"
    )
    Path("gap.csv").write_text("a,b\nx,1\n,2\n")
    assert "column 'a' has an empty cell in 1 of 2 rows" in mistake(
        "train", "gap.csv", "--method", "pc"
    )
    Path("short.csv").write_text("a,b\nx,1\ny,2\n")
    assert "more records than variables" in mistake("train", "short.csv", "--method", "pc")
    assert "gone.csv does not exist" in mistake("train", "gone.csv", "--method", "pc")


@pytest.mark.usefixtures("variables")
@pytest.mark.parametrize("table", TABLES)
def test_a_table_without_a_graph_is_one_line(table):
    Path("own.csv").write_text(TABLES[table])
    mistake(*OWN, "--method", "pc")


@pytest.mark.usefixtures("variables")
def test_a_table_and_a_domain_that_are_not_there_are_one_line():
    assert "nowhere.csv" in mistake(
        "train", "csv_variables", "--set", "file=nowhere.csv", "--method", "pc"
    )
    assert "nowhere.yaml" in mistake(*OWN, "--domain", "nowhere.yaml", "--method", "pc")
    assert "file" in mistake("train", "csv_variables", "--method", "pc")


@pytest.mark.usefixtures("variables")
@pytest.mark.parametrize("table", sorted(TABLES.keys() - {"one column", "no rows", "nothing"}))
def test_with_a_domain_a_private_method_refuses_none_of_them(table):
    Path("own.csv").write_text(TABLES[table])
    Path("domain.yaml").write_text("a: {levels: [x, y]}\nb: {levels: [x, y]}\n")
    assert (
        without_preview(works(*OWN, "--domain", "domain.yaml", "--method", "priv_pc").stderr) == ""
    )
