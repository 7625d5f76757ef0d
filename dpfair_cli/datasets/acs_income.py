"""SUBSTITUTE for ACSIncome 2018: nine features, label income above 50,000 dollars.

mangold2023 uses the data ACSIncome of the package folktables for the 50 states and Puerto Rico,
1,664,500 records of the American Community Survey. The data set `acs_income_pums` reads a user's
copy of these data. The file here lacks California, Florida and 246 more records, and has only two
values of marital status (MAR: married or not) and five races (RAC1P). Codes are used as numbers, as
in the paper.

The centres and spreads for standardisation are means and standard deviations of this file, rounded
and written into the code, so that no record changes the features of another record. They are public
because the survey is public. For private data, use the means and standard deviations of another
year.
"""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from dpfair_cli.contracts.declarations import File
from dpfair_cli.contracts.schemas import Numeric, Schema
from dpfair_cli.datasets._published_tables import table_source

FILES = (
    File(
        path="acs/acsincome-2018-recoded.csv.gz",
        licence="US government work",
        sha256="82b03030987e2382495945827cdde44b7a4c037b7beafd9cee10e296355511e2",
        size=9_687_211,
        # the folder with the files of the states, from which this file was made; the file itself
        # has no public address
        urls=(
            "https://github.com/xheilmann/FeDa4Fair/tree/4fb955679ed0949fcf5001106340e29441638886/src/FeDa4Fair/data",
        ),
    ),
)

DOMAIN = Schema(
    attributes={
        "AGEP": Numeric(16, 99, centre=43, spread=15),  # years of age
        "COW": Numeric(1, 8, centre=2, spread=1.8),  # class of worker
        "SCHL": Numeric(1, 24, centre=19, spread=3.2),  # schooling
        "MAR": Numeric(1, 2, centre=1.5, spread=0.5),  # marital status
        # a code of an occupation, used as a number
        "OCCP": Numeric(10, 9830, centre=4200, spread=2700),
        "POBP": Numeric(1, 554, centre=60, spread=84),  # likewise a place of birth
        "RELP": Numeric(0, 17, centre=2.2, spread=4.4),  # relation to the reference person
        "WKHP": Numeric(1, 99, centre=38, spread=13),  # hours of work a week
        "RAC1P": Numeric(1, 5, centre=1.4, spread=1),  # race
    },
    label="PINCP",  # 1 above 50,000 dollars in this file
    positive="1",
    protected="SEX",
    groups=("2", "1"),  # female, male
)


def read(folder: Path) -> pd.DataFrame:
    """The table of the ACS income data below `folder`, (1369664 rows, attributes + SEX + PINCP).

    The codes are those of the survey.
    """
    names = [*DOMAIN.attributes, DOMAIN.protected, DOMAIN.label]
    return pd.read_csv(
        folder / FILES[0].path, usecols=names, dtype={DOMAIN.protected: str, DOMAIN.label: str}
    )


DATASET = table_source(
    "acs_income",
    read,
    DOMAIN,
    note="SUBSTITUTE for folktables' ACSIncome 2018: without CA and FL, MAR and RAC1P merged; "
    "US government work",
    files=FILES,
    rows=1_369_664,
    columns={"one_hot": 9, "binned": 36},
    groups=(657_206, 712_458),
    base_rate=0.3656,
)
