"""COMPAS: 6,150 people who were African-American or Caucasian, with the label "new arrest".

The label is a new charge within two years. The authors' framework predicts it from sex, age, race,
the number of earlier charges, the degree of the charge and the level of the COMPAS score. Group 1,
which they call privileged, is Caucasian. Ages from 18 to 96 and up to 38 earlier charges are public
here; in the authors' framework the levels are those of the training records. Fewer levels of both
(`most_levels`) make a smaller joint table.

Source: ProPublica's analysis of COMPAS (Larson et al. 2016).
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pandas as pd

import dpfair_cli.plugin as dp
from dpfair_cli.models.tabular.encoding import encode

FILES = (
    dp.File(
        "compas/compas-scores-two-years.csv",
        sha256="c451db85908b2f7fef1d83203bedf6b71ecda0d5af468d82ae62178f91d0cc7d",
        size=2_546_489,
        urls=(
            "https://raw.githubusercontent.com/propublica/compas-analysis/master/compas-scores-two-years.csv",
            "https://raw.githubusercontent.com/hil-se/FairBalance/ca921a2ead607eb6b874e2f876e8ee7c25405d74/data/compas-scores-two-years.csv",
        ),
        licence="not stated",
    ),
)
AGES = dp.Categorical(tuple(map(str, range(18, 97))))
PRIORS = dp.Categorical(tuple(map(str, range(39))))
AGES_IN_ALL = len(AGES.levels)
DOMAIN = dp.Schema(
    attributes={
        "sex": dp.Categorical(("Female", "Male")),
        "age": AGES,
        "priors_count": PRIORS,
        "c_charge_degree": dp.Categorical(("F", "M")),
        "score_text": dp.Categorical(("High", "Low", "Medium")),
    },
    label="two_year_recid",
    positive="1",
    protected="race",
    groups=("African-American", "Caucasian"),
)


def read(folder: Path) -> pd.DataFrame:
    """The table below `folder`, with the rows and columns that the framework uses."""
    columns = [*DOMAIN.attributes, DOMAIN.protected, DOMAIN.label]
    frame = pd.read_csv(folder / FILES[0].path, usecols=columns, dtype=str)
    return frame[frame["race"].isin(DOMAIN.groups)].reset_index(drop=True)


def _load(folder: Path, *, most_levels: dp.Count = AGES_IN_ALL) -> dp.Records:
    """The records below `folder`.

    Args:
        folder: The data folder.
        most_levels: The largest number of ages, and of numbers of charges; further levels are
            joined with their neighbours.
    """
    return _records(read(folder), most_levels)


def _load_replica(path: Path, *, most_levels: dp.Count = AGES_IN_ALL) -> dp.Records:
    # the first lines of a replica say in comments how it was made
    return _records(pd.read_csv(path, comment="#", dtype=str, keep_default_na=False), most_levels)


def _records(frame: pd.DataFrame, most_levels: int) -> dp.Records:
    attributes = dict(DOMAIN.attributes)
    for name, kind in (("age", AGES), ("priors_count", PRIORS)):
        joined = -(-len(kind.levels) // most_levels)  # levels that become one, under the first name
        first = {level: kind.levels[k - k % joined] for k, level in enumerate(kind.levels)}
        frame = frame.assign(**{name: frame[name].map(first)})
        attributes[name] = dp.Categorical(kind.levels[::joined])
    return encode(frame, replace(DOMAIN, attributes=attributes), encoding="binned")


DATASET = dp.DataSource(
    load=_load,
    note="COMPAS of ProPublica, African-American and Caucasian; licence not stated",
    task="synthetic_interventions",
    files=FILES,
    expected={"rows": 6150, "columns": 125, "groups": (3696, 2454), "base_rate": 0.4662},
    replica=dp.Replica(path=lambda folder: folder / "compas.csv.gz", load=_load_replica),
)
