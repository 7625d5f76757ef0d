"""ACSIncome 2018, made from the files of the survey as the package folktables makes it.

`file` is the path of csv_pus.zip (the whole country in two tables) from
https://www2.census.gov/programs-surveys/acs/data/pums/2018/1-Year/, or of one csv file with the
same columns, such as the file of a state or a concatenation of the files that folktables downloads.
The records are those that folktables keeps: age above 16, income above 100 dollars, at least one
hour of work a week, and a weight (PWGTP) of at least 1.
"""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

import pandas as pd

from dpfair_cli.contracts.declarations import DataSource
from dpfair_cli.contracts.errors import DpfairError
from dpfair_cli.contracts.parameters import checked
from dpfair_cli.contracts.schemas import Numeric, Schema
from dpfair_cli.kinds.records import Records
from dpfair_cli.models.tabular.encoding import Encoding, encode

DOMAIN = Schema(
    attributes={
        "AGEP": Numeric(16, 99, centre=43, spread=15),  # years of age
        "COW": Numeric(1, 9, centre=2, spread=1.8),  # class of worker
        "SCHL": Numeric(1, 24, centre=19, spread=3.2),  # schooling
        "MAR": Numeric(1, 5, centre=2.6, spread=1.9),  # marital status
        "OCCP": Numeric(10, 9830, centre=4200, spread=2700),  # code of the occupation
        "POBP": Numeric(1, 554, centre=60, spread=84),  # code of the place of birth
        "RELP": Numeric(0, 17, centre=2.2, spread=4.4),  # relation to the reference person
        "WKHP": Numeric(1, 99, centre=38, spread=13),  # hours of work a week
        "RAC1P": Numeric(1, 9, centre=1.9, spread=2.1),  # race
    },
    label="income",
    positive=">50K",
    protected="SEX",
    groups=("2", "1"),  # female, male
)
COLUMNS = [*DOMAIN.attributes, "SEX", "PINCP", "PWGTP"]


def read(file: str) -> pd.DataFrame:
    """The table of the income task, (n rows, attributes + SEX + income), from a file of the survey.

    Raises:
        DpfairError: the file is neither a csv nor a zip of csv files, or lacks a column.
    """
    path = Path(file).expanduser()
    try:
        raw = pd.concat(
            [pd.read_csv(table, usecols=COLUMNS) for table in _tables(path)], ignore_index=True
        )
    except (OSError, ValueError, zipfile.BadZipFile) as error:
        raise DpfairError(
            f"{file} must be a csv file of person records of the American Community Survey, "
            f"or a zip of such files ({error}): `dpfair info acs_income_pums` says where to get "
            "such a file"
        ) from error
    # folktables' filter
    raw = raw[(raw["AGEP"] > 16) & (raw["PINCP"] > 100) & (raw["WKHP"] > 0) & (raw["PWGTP"] >= 1)]
    income = (raw["PINCP"] > 50_000).map({False: "<=50K", True: ">50K"})
    return raw.assign(SEX=raw["SEX"].astype(int).astype(str), income=income)[
        [*DOMAIN.attributes, "SEX", "income"]
    ]


@checked
def load(folder: Path, *, file: str, encoding: Encoding = "one_hot") -> Records:
    """The Records of `file`; with every `encoding`, codes count as numbers.

    `folder` is not used.
    """
    return encode(read(file), DOMAIN, encoding=encoding)


def _tables(path: Path) -> Iterator[Path | IO[Any]]:
    """The csv file, or each csv file in the zip."""
    if path.suffix != ".zip":
        yield path
        return
    with zipfile.ZipFile(path) as archive:
        for name in sorted(archive.namelist()):  # psam_pusa.csv before psam_pusb.csv
            if name.endswith(".csv"):
                with archive.open(name) as table:
                    yield table


DATASET = DataSource(
    load=load,
    note="folktables' ACSIncome from your own copy of the 2018 survey: file=csv_pus.zip or a csv; "
    "US government work",
    own_files=("file",),
)
