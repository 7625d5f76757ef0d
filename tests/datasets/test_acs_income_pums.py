"""ACSIncome from a user's copy of the survey: folktables' rules, on people worked out by hand."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from dpfair_cli.contracts.errors import DpfairError
from dpfair_cli.datasets import acs_income_pums

HEAD = "RT,AGEP,COW,SCHL,MAR,OCCP,POBP,RELP,WKHP,SEX,RAC1P,PINCP,PWGTP\n"
IN = [
    "P,17,1,16,5,4720,6,2,20,2,1,101,1\n",
    "P,43,2,21,1,230,6,0,40,1,6,50001,30\n",
    "P,60,9,24,2,9830,303,1,60,2,9,50000,12\n",
]
OUT = [  # too young, too poor, no hours, no weight, nothing known
    "P,16,1,16,5,4720,6,2,20,1,1,9000,9\n",
    "P,30,1,16,5,4720,6,2,20,1,1,100,9\n",
    "P,30,1,16,5,4720,6,2,,1,1,9000,9\n",
    "P,30,1,16,5,4720,6,2,20,1,1,9000,0\n",
    "P,5,,,5,,6,2,,1,1,,9\n",
]


def test_the_people_of_the_task_are_those_of_folktables(tmp_path: Path) -> None:
    file = tmp_path / "people.csv"
    file.write_text(HEAD + "".join(OUT[:2] + IN + OUT[2:]))
    records = acs_income_pums.load(tmp_path, file=str(file))
    assert records.X.shape == (3, 9)
    assert records.y.tolist() == [0, 1, 0]  # strictly above 50,000
    assert records.protected.tolist() == [0, 1, 0]  # 0 female, 1 male
    age = records.domain.columns.index("AGEP")
    assert records.X[1, age] == pytest.approx((43 - 16) / 83)
    centre, spread = records.domain.standard[age]
    assert (records.X[1, age] - centre) / spread == pytest.approx(0)  # 43 is the public centre


def test_the_zip_of_the_census_holds_the_country_in_two_tables(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "csv_pus.zip", "w") as archive:
        archive.writestr("psam_pusa.csv", HEAD + IN[0] + OUT[0])
        archive.writestr("psam_pusb.csv", HEAD + IN[1] + IN[2])
        archive.writestr("ACS2018_PUMS_README.pdf", "no table")
    assert len(acs_income_pums.load(tmp_path, file=str(tmp_path / "csv_pus.zip"))) == 3


@pytest.mark.parametrize(
    ("name", "content"), [("a.csv", "x,y\n1,2\n"), ("a.zip", "no zip"), ("a.csv", "")]
)
def test_another_file_is_refused_in_one_line(name: str, content: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(content)
    with pytest.raises(DpfairError, match="person records of the American Community Survey"):
        acs_income_pums.load(tmp_path, file=str(tmp_path / name))
