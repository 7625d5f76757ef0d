"""Adult with the synthetic tables that the authors of pujol2023 stored in their repository.

`epsilon` chooses the folders. The tables for two admissible attributes exist for 0.1, 1 and 10.
"""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np

import dpfair_cli.plugin as dp

from ..formats.stored_files import StoredFiles, read_codes
from ..models.stored_tables import LEVELS, Admissible, StoredTables, Synthesiser

FOLDER = "prefair"  # below a data folder
STORED = (
    "https://raw.githubusercontent.com/David-Pujol/Prefair/"
    "713d45047bb79c3a6f369836e73d72f0d773cd16/additional_files/private-pgm_files/src/data/"
)
LIST = Path(__file__).parents[1] / "stored-files.csv"
with LIST.open(encoding="utf-8") as listed:
    FILES = tuple(
        dp.File(
            path=f"{FOLDER}/{one['path']}",
            sha256=one["sha256"],
            size=int(one["size"]),
            urls=(STORED + one["path"],),
            licence="not stated",
        )
        for one in csv.DictReader(listed)
    )


@dp.checked
def load(folder: Path, *, epsilon: dp.Epsilon = 1.0) -> StoredTables:
    """The original table, and the place of the synthetic tables with this epsilon."""
    own = folder / FOLDER
    return StoredTables(read_codes(own / "adult.csv"), StoredFiles(own, epsilon))


def random_table(synthesiser: Synthesiser, admissible: Admissible, number: int) -> dp.Ints:
    """Random codes of 200 records, the same for every synthesiser and list."""
    return np.random.default_rng(number).integers([*LEVELS.values()], size=(200, len(LEVELS)))


def load_random(path: Path, *, epsilon: float) -> StoredTables:
    """Random tables in place of the stored ones; the list of files in `path` is not read."""
    return StoredTables(random_table("MST", "seven", 0), random_table)


DATASET = dp.DataSource(
    load=load,
    note="Adult with synthetic tables of MST and PrivBayes, stored by pujol2023",
    task="stored_distances",
    files=FILES,
    expected={"rows": 48842, "columns": 14},
    replica=dp.Replica(path=lambda folder: LIST, load=load_random, note="random codes"),
)
