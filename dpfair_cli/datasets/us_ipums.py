"""US census, a user's extract of IPUMS USA as in ding2020; label: income above 25,000 dollars.

IPUMS forbids redistribution. To use this data set, make an extract at https://usa.ipums.org (csv,
with the variables AGE, SEX, MARST, EDUC, DISABWRK, BPL, UHRSWORK, MOVEDIN, OWNERSHP, FAMSIZE,
NCHILD, INCTOT and AUTOS or VEHICLES) and give the path of the extract as `file`. ding2020 names
neither the year nor the sample. Codes are those of the IPUMS codebook. Rows with a missing income
(code 9999998) or without the question about income (code 9999999) are left out.
"""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from dpfair_cli.contracts.declarations import DataSource
from dpfair_cli.contracts.errors import DpfairError
from dpfair_cli.contracts.parameters import checked
from dpfair_cli.contracts.schemas import Categorical, Numeric, Schema
from dpfair_cli.formats.user_table import find_form, read_table
from dpfair_cli.kinds.records import Records
from dpfair_cli.models.tabular.encoding import Encoding, encode

SEX = {1: "Male", 2: "Female"}
MARITAL = {
    1: "married",
    2: "married, spouse absent",
    3: "separated",
    4: "divorced",
    5: "widowed",
    6: "never married",
}
DWELLING = {0: "none", 1: "owned", 2: "rented"}  # 0: group quarters
DISABLED = 2  # DISABWRK: 2 limits, 3 prevents, 4 makes work difficult; 0 not in universe, 1 none
FOREIGN = 150  # BPL: below are the states and territories of the United States
UNKNOWN_INCOME = 9_999_998

DOMAIN = Schema(
    attributes={
        "age": Numeric(0, 135),  # the range of the codebook, not of an extract
        "marital_status": Categorical(tuple(MARITAL.values())),
        "education": Numeric(0, 11),  # the code EDUC, which grows with schooling
        "disability": Categorical(("no", "yes")),
        "nativity": Categorical(("Native", "Foreign born")),
        "hours": Numeric(0, 99),  # of work in a usual week
        "years_at_place": Numeric(0, 9),  # code of MOVEDIN, grows with time
        "dwelling": Categorical(tuple(DWELLING.values())),
        "family_size": Numeric(1, 29),  # the person included
        "children": Numeric(0, 9),
        "cars": Numeric(0, 6),
    },
    label="income",
    positive=">25K",
    protected="gender",
    groups=("Female", "Male"),
)

COLUMNS = "AGE SEX MARST EDUC DISABWRK BPL UHRSWORK MOVEDIN OWNERSHP FAMSIZE NCHILD INCTOT"


def read(file: str) -> pd.DataFrame:
    """The table of an IPUMS extract of the US census, (n rows, attributes + gender + income).

    Raises:
        DpfairError: the file is missing, or is not an extract with the required columns.
    """
    raw = _numbers(file, read_table(file, find_form(file)))
    raw = raw[raw["INCTOT"] < UNKNOWN_INCOME]  # also drops 9999999, not in universe
    columns = {
        "age": raw["AGE"],
        "marital_status": raw["MARST"].map(MARITAL),
        "education": raw["EDUC"],
        "disability": (raw["DISABWRK"] >= DISABLED).map({False: "no", True: "yes"}),
        "nativity": (raw["BPL"] >= FOREIGN).map({False: "Native", True: "Foreign born"}),
        "hours": raw["UHRSWORK"],
        "years_at_place": raw["MOVEDIN"],
        "dwelling": raw["OWNERSHP"].map(DWELLING),
        "family_size": raw["FAMSIZE"],
        "children": raw["NCHILD"],
        "cars": _cars(raw),
        "gender": raw["SEX"].map(SEX),
        "income": (raw["INCTOT"] > 25_000).map({False: "<=25K", True: ">25K"}),
    }
    return pd.DataFrame(columns)


@checked
def load(folder: Path, *, file: str, encoding: Encoding = "one_hot") -> Records:
    """The Records of an IPUMS extract of the US census, the file `file`.

    The parameter `encoding` is explained in models/tabular/encoding.py. `folder` is not used.
    """
    return encode(read(file), DOMAIN, encoding=encoding)


def _numbers(file: str, raw: pd.DataFrame) -> pd.DataFrame:
    """The columns of an IPUMS extract of the US census that are used, as numbers.

    Raises:
        DpfairError: a column is missing or has a cell that is not a number.
    """
    cars = "AUTOS" if "AUTOS" in raw else "VEHICLES"  # which of them depends on the year
    wanted = [*COLUMNS.split(), cars]
    missing = [name for name in wanted if name not in raw]
    if missing:
        raise DpfairError(
            f"{file} lacks the columns {', '.join(missing)}: add these variables to the "
            "IPUMS USA extract"
        )
    numbers = pd.DataFrame({name: pd.to_numeric(raw[name], errors="coerce") for name in wanted})
    empty = [name for name in wanted if numbers[name].isna().any()]
    if empty:
        raise DpfairError(
            f"{file} has cells without a code in the columns {', '.join(empty)}: delete the "
            "rows or samples with such cells"
        )
    return numbers


def _cars(raw: pd.DataFrame) -> pd.Series:
    """The number of cars of each household, from the columns AUTOS and VEHICLES of `raw`.

    AUTOS is the number of cars plus one. VEHICLES is the number of cars, except that 9 means none.
    """
    if "AUTOS" in raw:
        return (raw["AUTOS"] - 1).clip(lower=0)
    return raw["VEHICLES"].replace(9, 0)


DATASET = DataSource(
    load=load,
    note="your own IPUMS USA extract (csv or csv.gz): file=PATH; IPUMS terms forbid redistribution",
    own_files=("file",),
    version=6,  # as csv: its table is read by the same functions
)
