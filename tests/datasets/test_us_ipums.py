"""A user's own IPUMS extract, on a table of made-up people."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from dpfair_cli.contracts.errors import DpfairError
from dpfair_cli.datasets import us_ipums

HEADER = (
    "YEAR,AGE,SEX,MARST,EDUC,DISABWRK,BPL,UHRSWORK,MOVEDIN,OWNERSHP,FAMSIZE,NCHILD,INCTOT,AUTOS"
)
ROWS = """
2000,30,1,6,6,1,6,40,3,1,2,0,30000,2
2000,45,2,1,10,2,200,20,7,2,4,2,25000,1
2000,8,2,6,1,0,36,0,7,2,4,0,9999999,1
2000,60,1,4,11,3,110,45,5,1,1,1,0060000,4
"""


@pytest.fixture
def extract(tmp_path) -> str:
    (tmp_path / "extract.csv").write_text(HEADER + ROWS)
    return str(tmp_path / "extract.csv")


def test_codes_become_the_attributes_of_the_paper(extract):
    frame = us_ipums.read(extract)
    assert list(frame["gender"]) == ["Male", "Female", "Male"]
    assert list(frame["income"]) == [">25K", "<=25K", ">25K"]
    assert list(frame["marital_status"]) == ["never married", "married", "divorced"]
    assert list(frame["disability"]) == ["no", "yes", "yes"]
    assert list(frame["nativity"]) == ["Native", "Foreign born", "Native"]
    assert list(frame["cars"]) == [1, 0, 3]


def test_rows_without_an_income_are_left_out(extract):
    assert len(us_ipums.load(Path(), file=extract)) == 3


def test_vehicles_stand_in_for_autos_and_nine_is_none(tmp_path):
    file = tmp_path / "extract.csv"
    file.write_text(HEADER.replace("AUTOS", "VEHICLES") + ROWS.replace("30000,2", "30000,9"))
    assert list(us_ipums.read(str(file))["cars"]) == [0, 1, 4]


def test_a_gzipped_extract_is_read(tmp_path, extract):
    packed = tmp_path / "extract.csv.gz"
    packed.write_bytes(gzip.compress(Path(extract).read_bytes()))
    assert us_ipums.read(str(packed)).equals(us_ipums.read(extract))


def test_missing_columns_are_all_named_in_one_line(tmp_path):
    file = tmp_path / "extract.csv"
    file.write_text("AGE,SEX\n1,1\n")
    with pytest.raises(
        DpfairError, match=r"lacks the columns MARST, EDUC, .*INCTOT, VEHICLES: add these variables"
    ) as error:
        us_ipums.read(str(file))
    assert "\n" not in str(error.value)


def test_an_empty_cell_is_refused(tmp_path):
    file = tmp_path / "extract.csv"
    file.write_text(HEADER + ROWS.replace("2000,45,", "2000,,"))
    with pytest.raises(DpfairError, match="without a code in the columns AGE"):
        us_ipums.read(str(file))


def test_an_unknown_code_is_refused(tmp_path):
    file = tmp_path / "extract.csv"
    file.write_text(HEADER + ROWS.replace("2000,30,1,6", "2000,30,9,6"))
    with pytest.raises(DpfairError, match="protected column 'gender' has an empty cell in 1"):
        us_ipums.load(Path(), file=str(file))
