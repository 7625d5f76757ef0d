"""SUBSTITUTE for the US census of ding2020; label: income above 25,000 dollars.

ding2020 uses an extract of IPUMS USA with 370,000 records that may not be redistributed. The data
set `us_ipums` reads a user's own extract. The file here is a public random holdout of the American
Community Survey of 2018 with 295,243 records of employed persons. Of the paper's attributes the
file has age, gender, marital status, education, disability (any of six) and nativity. In place of
the years at the place, the file says whether the home changed within a year. The file lacks hours,
dwelling, family size, children and cars. It has two more attributes, race and the class of worker
(`work`).
"""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from dpfair_cli.contracts.declarations import File
from dpfair_cli.contracts.schemas import Categorical, Numeric, Schema
from dpfair_cli.datasets._published_tables import table_source

COPY = "https://raw.githubusercontent.com/mostly-ai/public-demo-data"
FILES = (
    File(
        path="us-census/acs-income-2018-holdout.parquet",
        licence="US government work",
        sha256="bb782646238f758b32d63992880d223d762d5b632f7008dbe34ca2fbe5e74233",
        size=4_189_058,
        urls=(
            f"{COPY}/64020409bdc85b7a04a2e510be00f9f4cf47fd3d/census/acs-income-2018-holdout.parquet",
        ),
    ),
)

EDUCATION = (  # in the order of the survey's code SCHL, 1 to 24
    "No schooling completed",
    "Nursery school, preschool",
    "Kindergarten",
    *(f"Grade {grade}" for grade in range(1, 12)),
    "12th grade - no diploma",
    "Regular high school diploma",
    "GED or alternative credential",
    "Some college, but less than 1 year",
    "1 or more years of college credit, no degree",
    "Associate's degree",
    "Bachelor's degree",
    "Master's degree",
    "Professional degree beyond a bachelor's degree",
    "Doctorate degree",
)
MARITAL = {
    "Divorced": "divorced",
    "Married": "married",
    "Never married or under 15 years old": "never married",
    "Separated": "separated",
    "Widowed": "widowed",
}
MOBILITY = {
    "Yes, same house (nonmovers)": "same house",
    "No, different house in US or Puerto Rico": "moved",
    "No, outside US and Puerto Rico": "moved from abroad",
}
RACE = {
    "White alone": "white",
    "Black or African American alone": "black",
    "American Indian alone": "american indian",
    "Alaska Native alone": "alaska native",
    "American Indian and Alaska Native tribes specified; or American Indian or Alaska Native, "
    "not specified and no other races": "native, other",
    "Asian alone": "asian",
    "Native Hawaiian and Other Pacific Islander alone": "pacific islander",
    "Some Other Race alone": "other",
    "Two or More Races": "two or more",
}
WORK = {
    "Employee of a private for-profit company or business, or of an individual, for wages, "
    "salary, or commissions": "private",
    "Employee of a private not-for-profit, tax-exempt, or charitable organization": "non-profit",
    "Local government employee (city, county, etc.)": "local government",
    "State government employee": "state government",
    "Federal government employee": "federal government",
    "Self-employed in own not incorporated business, professional practice, or farm": (
        "self-employed"
    ),
    "Self-employed in own incorporated business, professional practice or farm": (
        "self-employed, incorporated"
    ),
    "Working without pay in family business or farm": "without pay",
}
DIFFICULTIES = ["Self-care", "Hearing", "Vision", "Independent living", "Ambulatory", "Cognitive"]
DISABILITIES = [f"{name} difficulty" for name in DIFFICULTIES]
RAW = [
    "Age",
    "Marital Status",
    "Education",
    "Nativity",
    "Mobility status",
    "Workclass",
    "Race",
    "Gender",
    "Income",
]

DOMAIN = Schema(
    attributes={
        "age": Numeric(17, 99),  # people at work
        "marital_status": Categorical(tuple(MARITAL.values())),
        "education": Numeric(1, 24),  # the place in EDUCATION
        "disability": Categorical(("no", "yes")),
        "nativity": Categorical(("Native", "Foreign born")),  # as the file writes it
        "mobility": Categorical(tuple(MOBILITY.values())),
        "work": Categorical(tuple(WORK.values())),
        "race": Categorical(tuple(RACE.values())),
    },
    label="income",
    positive=">25K",
    protected="gender",
    groups=("Female", "Male"),
)


def read(folder: Path) -> pd.DataFrame:
    """The table of the US census below `folder`, (295243 rows, attributes + gender + income)."""
    raw = pd.read_parquet(folder / FILES[0].path, columns=[*RAW, *DISABILITIES])
    # the paper has one attribute for what the survey asks as six difficulties
    disabled = (raw[DISABILITIES] == "Yes").any(axis=1)
    # levels of schooling have an order, so that they count as a number
    schooling = {name: code for code, name in enumerate(EDUCATION, start=1)}
    columns = {
        "age": raw["Age"],
        "marital_status": raw["Marital Status"].map(MARITAL),
        "education": raw["Education"].map(schooling),
        "disability": disabled.map({False: "no", True: "yes"}),
        "nativity": raw["Nativity"],
        "mobility": raw["Mobility status"].map(MOBILITY),
        "work": raw["Workclass"].map(WORK),
        "race": raw["Race"].map(RACE),
        "gender": raw["Gender"],
        "income": (raw["Income"] > 25_000).map({False: "<=25K", True: ">25K"}),  # dollars
    }
    return pd.DataFrame(columns)


DATASET = table_source(
    "us",
    read,
    DOMAIN,
    note="SUBSTITUTE for ding2020's IPUMS extract: ACS 2018 holdout, records at work; "
    "US government work",
    files=FILES,
    rows=295_243,
    columns={"one_hot": 25, "ordinal": 8, "binned": 37},
    groups=(140_350, 154_893),
    base_rate=0.7053,
)
