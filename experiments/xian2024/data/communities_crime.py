"""UCI Communities and Crime: the rate of violent crime of each community, as score and as target.

The 1,994 communities of xian2024, with the file and the two groups of the data set `communities`:
the share of black residents is above its median, or not. As in the authors' code, the scores that
are post-processed are the targets themselves, so that the error without post-processing is 0. The
donor scaled the rate to [0, 1]. The replica of `communities` has no rate of crime; its first column
stands in for the rate.
"""

from __future__ import annotations

from pathlib import Path

import pandas as pd

import dpfair_cli.plugin as dp
from dpfair_cli.datasets import communities
from dpfair_cli.models.tabular.encoding import codes

from ..models.group_scores import GroupScores

STAND_IN = "population"  # a made-up column of the replica
GROUPS = communities.DOMAIN.groups


def _scores(rates: pd.Series, groups: pd.Series) -> GroupScores:
    """The rates (n,) as scores and targets, with the names of the groups as codes."""
    found = rates.to_numpy(dtype=float)
    return GroupScores(found, found.copy(), codes(groups, GROUPS), GROUPS, 0.0, 1.0)


@dp.checked
def load(folder: Path) -> GroupScores:
    """The rates of violent crime; the file is below `folder`."""
    raw = pd.read_csv(folder / communities.FILES[0].path, header=None, na_values="?")
    groups = communities.read(folder)[communities.DOMAIN.protected]
    # the rate is the last column of the file, which has no header
    return _scores(raw.iloc[:, -1], groups)


def _replica(path: Path) -> GroupScores:
    frame = pd.read_csv(path, comment="#", dtype=str, keep_default_na=False)
    return _scores(frame[STAND_IN], frame[communities.DOMAIN.protected])


DATASET = dp.DataSource(
    load=load,
    note="UCI Communities and Crime, 1,994 rates of violent crime; CC BY 4.0",
    task="fair_regression",
    files=communities.FILES,
    expected={"rows": 1_994, "groups": (1_024, 970), "mean_target": 0.238},
    replica=dp.Replica(path=lambda folder: folder / "communities.csv.gz", load=_replica),
)
