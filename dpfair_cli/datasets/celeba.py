"""CelebA without the images: 38 binary attributes of faces, label Smiling, group Male.

The data set is that of mangold2023. Every attribute is -1 or 1 in the file. Standardised features
are these numbers again (centre 1/2 and spread 1/2 of X), and every record has the norm sqrt(38) =
6.16 before it is clipped to 6.

The authors of CelebA allow non-commercial research and no redistribution. Their page has the file
Anno/list_attr_celeba.txt (26,721,026 bytes, MD5 75e246fa4810816ffd6ee81facbd244c). The command
`gzip -n -9` turns this file into the file that is read here, byte for byte.
"""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from dpfair_cli.contracts.declarations import File
from dpfair_cli.contracts.schemas import Numeric, Schema
from dpfair_cli.datasets._published_tables import table_source

FILES = (
    File(
        path="celeba/list_attr_celeba.txt.gz",
        licence="research only, no redistribution",
        sha256="60e4f178f34e53533bae65f38caa929d7d22245d6f364516554c7828d745c37a",
        size=1_801_631,
        # a page with the agreement, not the file
        urls=("https://mmlab.ie.cuhk.edu.hk/projects/CelebA.html",),
    ),
)

ATTRIBUTES = """
    5_o_Clock_Shadow Arched_Eyebrows Attractive Bags_Under_Eyes Bald Bangs Big_Lips Big_Nose
    Black_Hair Blond_Hair Blurry Brown_Hair Bushy_Eyebrows Chubby Double_Chin Eyeglasses Goatee
    Gray_Hair Heavy_Makeup High_Cheekbones Mouth_Slightly_Open Mustache Narrow_Eyes No_Beard
    Oval_Face Pale_Skin Pointy_Nose Receding_Hairline Rosy_Cheeks Sideburns Straight_Hair Wavy_Hair
    Wearing_Earrings Wearing_Hat Wearing_Lipstick Wearing_Necklace Wearing_Necktie Young
"""
# a number, so that it is scaled to 0 and 1
SIGN = Numeric(-1, 1, centre=0, spread=1, bins=((-1, -1), (1, 1)))

DOMAIN = Schema(
    attributes=dict.fromkeys(ATTRIBUTES.split(), SIGN),
    label="Smiling",
    positive="1",
    protected="Male",
    groups=("-1", "1"),
)


def read(folder: Path) -> pd.DataFrame:
    """The table of CelebA below `folder`, (202599 rows, attributes + Male + Smiling).

    All values are -1 or 1.
    """
    text = {DOMAIN.protected: str, DOMAIN.label: str}  # levels are texts
    # line 1 has the number of portraits
    frame = pd.read_csv(folder / FILES[0].path, sep=r"\s+", skiprows=1, dtype=text)
    return frame[[*DOMAIN.attributes, DOMAIN.protected, DOMAIN.label]]


DATASET = table_source(
    "celeba",
    read,
    DOMAIN,
    note="CelebA, 40 attributes of 202,599 portraits; research only, no redistribution: "
    "get it by hand and `gzip -n -9` it",
    files=FILES,
    rows=202_599,
    columns={"one_hot": 38, "binned": 76},
    groups=(118_165, 84_434),
    base_rate=0.4821,
)
