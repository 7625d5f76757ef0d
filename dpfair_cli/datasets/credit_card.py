"""UCI Default of Credit Card Clients, Taiwan 2005; label: the client fails to pay next month.

The data set has the 30,000 clients of lowy2023 and ghoukasian2024. As there, rare levels are merged
(education 0, 4, 5 and 6; marriage 0 and 3), and the status of each of six payments is a category,
not a number. Ranges and levels are those of the published file, which is public.
"""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from dpfair_cli.contracts.declarations import File
from dpfair_cli.contracts.schemas import Categorical, Numeric, Schema
from dpfair_cli.datasets._published_tables import table_source

FILES = (
    File(
        path="credit-card/uci350-X1-X23-Y.csv",
        licence="CC BY 4.0",
        sha256="023eb2c3ad9efd15e7869616fa50a0143f25223105c7069ba632431530afdb61",
        size=2_905_603,
        urls=(
            "https://raw.githubusercontent.com/fju155447/uci/"
            "84670e783ab9fd2459b7096d82965f28dafb66b2/UCI_Credit_Card.csv",
        ),
    ),
)
NAMES = {  # the file has X1 to X23 and Y
    "X1": "limit",
    "X2": "sex",
    "X3": "education",
    "X4": "marriage",
    "X5": "age",
    **{f"X{6 + k}": f"status-{k + 1}" for k in range(6)},
    **{f"X{12 + k}": f"bill-{k + 1}" for k in range(6)},
    **{f"X{18 + k}": f"paid-{k + 1}" for k in range(6)},
    "Y": "default",
}
LEVELS = {  # the code of each level; other codes are "other"
    "education": {1: "graduate school", 2: "university", 3: "high school"},
    "marriage": {1: "married", 2: "single"},
    "sex": {1: "male", 2: "female"},
}
STATUS = tuple(str(months) for months in range(-2, 9))  # months of delay; 0 and below: none
STATUS_LATER = tuple(status for status in STATUS if status != "1")  # 1 does not occur in 5 and 6
BILLS = (
    (-165_580, 964_511),
    (-69_777, 983_931),
    (-157_264, 1_664_089),
    (-170_000, 891_586),
    (-81_334, 927_171),
    (-339_603, 961_664),
)
PAID = (873_552, 1_684_259, 896_040, 621_000, 426_529, 528_666)

DOMAIN = Schema(
    attributes={
        "limit": Numeric(10_000, 1_000_000),  # New Taiwan dollars, as are bills and payments
        "education": Categorical((*LEVELS["education"].values(), "other")),
        "marriage": Categorical((*LEVELS["marriage"].values(), "other")),
        "age": Numeric(21, 79),  # years
        **{f"status-{k}": Categorical(STATUS) for k in range(1, 5)},
        **{f"status-{k}": Categorical(STATUS_LATER) for k in range(5, 7)},  # months earlier
        **{f"bill-{k}": Numeric(*ends) for k, ends in enumerate(BILLS, start=1)},
        **{f"paid-{k}": Numeric(0, high) for k, high in enumerate(PAID, start=1)},
    },
    label="default",
    positive="1",
    protected="sex",
    groups=("female", "male"),
)


def read(folder: Path) -> pd.DataFrame:
    """The table of the clients, (30000 rows, 22 attributes + sex + default).

    The file is below `folder`.
    """
    frame = pd.read_csv(folder / FILES[0].path).rename(columns=NAMES)
    for name, levels in LEVELS.items():
        frame[name] = frame[name].map(levels).fillna("other")  # rare codes are merged
    texts = [name for name in DOMAIN.attributes if name.startswith("status")] + [DOMAIN.label]
    frame[texts] = frame[texts].astype(str)
    return frame[[*DOMAIN.attributes, DOMAIN.protected, DOMAIN.label]]


DATASET = table_source(
    "credit_card",
    read,
    DOMAIN,
    note="UCI Default of Credit Card Clients, Taiwan 2005, 30,000 clients; CC BY 4.0",
    files=FILES,
    rows=30_000,
    columns={"one_hot": 77, "ordinal": 22, "binned": 127},
    groups=(18_112, 11_888),
    base_rate=0.2212,
)
