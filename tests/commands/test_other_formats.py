"""Every command reads the Parquet file or the workbook of a table as it reads the csv file."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from tests.commands.invoking import mistake, works
from tests.commands.material import COLUMNS, PUBLIC, people, write

pytestmark = pytest.mark.usefixtures("own")
TRAIN = ("--method", "functional_mechanism", "--eps", "1", "--seed", "1")


@pytest.fixture(params=["parquet", "xlsx"])
def other(request):
    """The name of the file with the table of own.csv in another format."""
    pytest.importorskip("pyarrow" if request.param == "parquet" else "openpyxl")
    frame = pd.read_csv("own.csv").astype({"age": float})  # as with a missing cell
    if request.param == "parquet":
        frame.to_parquet("other.parquet")
    else:
        frame.to_excel("other.xlsx", index=False)
    return f"other.{request.param}"


def test_a_domain_file_of_another_format_is_that_of_the_csv_file(other):
    works("domain", "own.csv", *COLUMNS)
    works("domain", other, *COLUMNS)
    assert Path("other.yaml").read_bytes() == Path("own.yaml").read_bytes()


@pytest.mark.parametrize("columns", [COLUMNS, PUBLIC], ids=["no domain", "domain"])
def test_a_model_of_another_format_is_that_of_the_csv_file(other, columns):
    works("train", "own.csv", *columns, *TRAIN, "--save", "one.json")
    works("train", other, *columns, *TRAIN, "--save", "two.json")
    assert Path("two.json").read_bytes() == Path("one.json").read_bytes()


def test_predictions_and_gaps_are_those_of_the_csv_file(other):
    works("train", "own.csv", *PUBLIC, *TRAIN, "--save", "model.json")
    for command in (("predict", "model.json", "{}"), ("predict", "model.json", "{}", "--truth")):
        of_csv, of_other = (
            works(*(part.format(file) for part in command)).stdout for file in ("own.csv", other)
        )
        assert of_other == of_csv
    gaps = ("--label", "rich", "--decision", "rich", "--protected", "sex")
    assert works("gaps", other, *gaps).stdout == works("gaps", "own.csv", *gaps).stdout


def test_a_model_of_a_table_without_a_heading_predicts_for_a_parquet_file():
    pytest.importorskip("pyarrow")
    Path("bare.csv").write_text("".join(f"{','.join(row)}\n" for row in people()))
    works("domain", "bare.csv", "--header", "age,work,sex,rich", *COLUMNS)
    named = (*COLUMNS, "--domain", "bare.yaml")
    works("train", "bare.csv", *named, *TRAIN, "--save", "model.json")
    pd.read_csv("own.csv").to_parquet("other.parquet")
    found = works("predict", "model.json", "other.parquet").stdout
    assert found == works("predict", "model.json", "bare.csv").stdout
    # its column names count, not those of the domain file
    assert "60 rows" in works("train", "other.parquet", *named, *TRAIN).stderr


def test_a_cluster_reads_no_other_format():
    Path("own.parquet").write_bytes(b"PAR1\x15")
    write("own.csv", people())
    works("train", "own.csv", *PUBLIC, *TRAIN, "--save", "model.json")
    for command in (
        ("domain", "own.parquet", *COLUMNS),
        ("train", "own.parquet", *PUBLIC, *TRAIN),
        ("predict", "model.json", "own.parquet"),
    ):
        said = mistake(*command, "--cluster", "tcp://127.0.0.1:9")
        assert said.startswith("own.parquet is compressed or no csv file, and a table is read in")
        assert "\n" not in said
