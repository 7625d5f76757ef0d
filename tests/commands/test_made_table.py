"""A made table has the form of the table that it is made from, and its distances are true."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.stats import ks_2samp

from dpfair_cli.release import model_files, training
from tests.commands.invoking import works

COLUMNS = ("--label", "rich", "--protected", "sex")
MAKE = ("--method", "dp_marginal_records", "--eps", "1000", "--save", "m.json", "--json")


@pytest.fixture
def table(tmp_path, monkeypatch):
    """A table with shares, whole numbers and missing cells, in own.csv."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "share": rng.beta(2, 5, 1000).round(3),
            "children": rng.poisson(1.5, 1000),
            "sex": rng.choice(["f", "m"], 1000),
            "rich": rng.choice(["no", "yes"], 1000),
        }
    )
    frame.to_csv("own.csv", index=False)
    return frame


def drafted(high="1.0"):
    """The domain file that is drafted for own.csv, confirmed and with another end of `share`."""
    works("domain", "own.csv", *COLUMNS)
    lines = Path("own.yaml").read_text().splitlines()
    entry = next(line for line in lines if line.startswith("share"))
    Path("own.yaml").write_text(
        "\n".join(f"share: {{low: 0.0, high: {high}}}" if line == entry else line for line in lines)
    )
    works("domain", "--confirm", "own.yaml")
    return entry


def made(rows=1000):
    """What `train` prints about a made table, and that table."""
    said = works("train", "own.csv", *COLUMNS, "--domain", "own.yaml", *MAKE)
    works("sample", "m.json", "--rows", str(rows), "--out", "made.csv")
    return json.loads(said.stdout)["scores"], said.stderr, Path("made.csv")


@pytest.mark.usefixtures("table")
def test_fractions_stay_fractions_from_the_draft_to_the_made_table():
    entry = drafted()
    assert "low: 0." in entry
    assert "children: {low: 0, high: " in Path("own.yaml").read_text()
    scores, asked, file = made()
    assert "share: {low: 0.0, high: 1.0}" in Path("own.yaml").read_text()
    found = pd.read_csv(file)
    assert (found["share"] % 1 > 0).mean() > 0.9
    assert (found["children"] % 1 == 0).all()
    real = pd.read_csv("own.csv")
    assert ks_2samp(found["share"], real["share"]).statistic < 0.08
    assert float(scores["made share"].split()[1].strip(",")) < 0.08
    assert "has fractions" not in asked


@pytest.mark.usefixtures("table")
def test_a_range_of_whole_numbers_for_shares_is_asked_about_and_shows_in_the_distance():
    drafted()
    text = Path("own.yaml").read_text().replace("{low: 0.0, high: 1.0}", "{low: 0, high: 1}")
    Path("own.yaml").write_text(text)
    scores, asked, file = made()
    assert "share has fractions, such as 0." in asked
    assert "for made records with fractions, write low: 0.0" in asked
    told = float(scores["made share"].split()[1].strip(","))
    real = pd.read_csv("own.csv")
    assert told == pytest.approx(
        ks_2samp(pd.read_csv(file)["share"], real["share"]).statistic, abs=0.1
    )
    assert told > 0.5


@pytest.mark.parametrize("header", [True, False], ids=["heading", "no heading"])
def test_a_made_table_is_read_with_the_domain_file_of_its_table(table, header):
    options = () if header else ("--header", "share,children,sex,rich")
    table.to_csv("own.csv", index=False, sep=";", decimal=",", header=header)
    works("domain", "own.csv", *COLUMNS, *options)
    works("domain", "--confirm", "own.yaml")
    _, _, file = made(50)
    text = file.read_text()
    assert text.count(";") == 3 * (50 + header)
    assert text.startswith("share;") is header
    again = ("train", "made.csv", *COLUMNS, "--domain", "own.yaml", "--method", "pflr")
    assert "50 rows, none left out" in works(*again).stderr


@pytest.fixture
def with_missing(table):
    """The table without a number of children in 300 of 1,000 rows, most of them of the rich."""
    rich = np.flatnonzero(table["rich"] == "yes")[:250]
    rows = [*rich, *np.flatnonzero(table["rich"] == "no")[:50]]
    table["children"] = table["children"].astype("Int64")
    table.loc[rows, "children"] = pd.NA
    table.to_csv("own.csv", index=False)
    return table


@pytest.mark.parametrize("method", ["dp_marginal_records", "tree_augmented_records"])
def test_missing_cells_are_made_as_they_are_from_draft_to_table(with_missing, method):
    drafted()
    entry = next(x for x in Path("own.yaml").read_text().splitlines() if "children" in x)
    assert entry.endswith(", missing: yes}")
    more = ("--set", "encoding=binned") if method == "tree_augmented_records" else ()
    options = (*COLUMNS, "--domain", "own.yaml", "--method", method, *more)
    said = works("train", "own.csv", *options, *MAKE[2:])
    assert "missing cells" not in said.stderr
    assert "0 of 4,000 cells are not as the domain file says" in said.stderr
    works("sample", "m.json", "--rows", 3000, "--out", "made.csv")
    found = pd.read_csv("made.csv", dtype={"children": "Int64"})  # whole beside blanks
    assert sorted(found) == sorted(with_missing)
    for label, rows in found.groupby("rich"):
        real = with_missing.loc[with_missing["rich"] == label, "children"]
        assert abs(rows["children"].isna().mean() - real.isna().mean()) < 0.06
    assert found["children"].dropna().between(0, with_missing["children"].max()).all()


@pytest.mark.usefixtures("with_missing")
def test_without_the_key_missing_numbers_are_asked_about_and_never_made():
    drafted()
    text = Path("own.yaml").read_text().replace(", missing: yes", "")
    Path("own.yaml").write_text(text)
    _, asked, file = made()
    assert "300 missing cells of children become " in asked
    assert not pd.read_csv(file).isna().any().any()


@pytest.mark.usefixtures("with_missing")
@pytest.mark.parametrize("missing", ["", "NA", "unknown"])
def test_a_model_decides_about_rows_with_missing_cells(missing):
    drafted()
    learn = ("--method", "dp_whitened_descent", "--eps", "1000", "--set", "inputs=linear")
    options = (*COLUMNS, "--domain", "own.yaml", *learn, "--save", "m.json")
    works("train", "own.csv", *options)
    Path("new.csv").write_text(f"share,children,sex\n0.3,{missing},f\n0.3,1,f\n0.3,2,m\n")
    works("predict", "m.json", "new.csv", "--out", "decided.csv")
    assert pd.read_csv("decided.csv").iloc[:, 0].tolist() == ["yes", "no", "no"]


@pytest.mark.usefixtures("table")
def test_levels_that_no_made_row_has_are_named():
    drafted()
    made(200)
    draw = ("sample", "m.json", "--rows", 200, "--out", "made.csv", "--force")
    assert "no row of" not in works(*draw).stderr
    text = Path("own.yaml").read_text()
    assert "sex: {levels: [f, m]}" in text
    Path("own.yaml").write_text(text.replace("levels: [f, m]", "levels: [f, x, m]"))
    works("train", "own.csv", *COLUMNS, "--domain", "own.yaml", *MAKE, "--force")
    assert "no row of made.csv has sex: x\n" in works(*draw).stderr


def test_a_level_that_the_encoding_of_the_table_lacks_ends_no_sample(table):
    table.to_csv("own.csv", index=False, encoding="latin-1")
    works("domain", "own.csv", *COLUMNS, "--encoding", "latin-1")
    works("domain", "--confirm", "own.yaml")
    made(20)
    drawn = pd.DataFrame({"work": ["caf\u00e9", "\u2713"]})
    content = training.written(drawn, training.form_of(model_files.saved_table("m.json")))
    assert content == b"work\ncaf\xe9\n?\n"
