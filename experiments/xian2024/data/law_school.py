"""Law school: the undergraduate grade of each student, as score and as target; groups by race.

The table of the study of the Law School Admission Council that xian2024 and others use. It has
22,407 rows, of which xian2024 uses the 21,983 rows of four races. As in the authors' code, the
scores that are post-processed are the targets themselves, so that the error without post-processing
is 0. The range of a grade is 1 to 4.
"""

from __future__ import annotations

from pathlib import Path

import pandas as pd

import dpfair_cli.plugin as dp
from dpfair_cli.models.tabular.encoding import codes

from ..models.group_scores import GroupScores

FILES = (
    dp.File(
        path="law-school/bar_pass_prediction.csv",
        licence="not stated",
        sha256="b75568ff25e966b4c19852105e94e8e52475191523bdcfe62df985c690baed38",
        size=3_603_608,
        urls=(
            "https://raw.githubusercontent.com/hharcolezi/ldp-fairness-impact/512752136637f8478b37acaaaf9d87f06685270c/datasets/bar_pass_prediction.csv",
        ),
    ),
)
GRADE = "ugpa"
LOWEST, HIGHEST = 1.0, 4.0  # of a grade
GRADES = tuple(f"{tenths / 10:g}" for tenths in range(10, 41))  # 1, 1.1, ..., 4
DOMAIN = dp.Schema(
    attributes={GRADE: dp.Categorical(GRADES)},
    label="pass_bar",  # only for the replica
    positive="1",
    protected="race1",
    groups=("asian", "black", "hisp", "white"),
)


def read(folder: Path) -> pd.DataFrame:
    """The table below `folder`: grade, race and label of the students of four races."""
    columns = [GRADE, DOMAIN.protected, DOMAIN.label]
    frame = pd.read_csv(folder / FILES[0].path, usecols=columns, dtype=str)
    # the table has other races, too, and rows without a grade
    kept = frame[DOMAIN.protected].isin(DOMAIN.groups) & frame[GRADE].notna()
    return frame.loc[kept, columns].reset_index(drop=True)


def _scores(frame: pd.DataFrame) -> GroupScores:
    """The grades of the table as scores and targets."""
    grades = frame[GRADE].to_numpy(dtype=float)
    groups = codes(frame[DOMAIN.protected], DOMAIN.groups)
    return GroupScores(grades, grades.copy(), groups, DOMAIN.groups, LOWEST, HIGHEST)


@dp.checked
def load(folder: Path) -> GroupScores:
    """The grades of the students; the file is below `folder`."""
    return _scores(read(folder))


def _replica(path: Path) -> GroupScores:
    return _scores(pd.read_csv(path, comment="#", dtype=str, keep_default_na=False))


DATASET = dp.DataSource(
    load=load,
    note="law students, undergraduate grades, four races; table of the LSAC study",
    task="fair_regression",
    files=FILES,
    expected={"rows": 21_983, "groups": (897, 1_343, 1_027, 18_716), "mean_target": 3.2169},
    replica=dp.Replica(path=lambda folder: folder / "law_school.csv.gz", load=_replica),
)
