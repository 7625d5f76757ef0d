"""Scores that some runs could not measure, such as a difference to a group without a record."""

from __future__ import annotations

import pandas as pd

from dpfair_cli.contracts.specs import Spec
from dpfair_cli.verdicts.means import key_columns
from dpfair_cli.verdicts.wording import label

NOT_MEASURABLE = "not measurable"


def describe_unmeasured(summary: pd.DataFrame, spec: Spec) -> str:
    """A sentence with the numbers of runs that measured a score; empty if all runs measured all.

    `summary` has a line for each point, method and score, with the number of runs that have the
    score (see `means.summarise_scores`).
    """
    made = summary.groupby(key_columns(spec), dropna=False, sort=False)["runs"].transform("max")
    lacking = summary[summary["runs"] < made].assign(made=made)
    parts = []
    for metric, lines in lacking.groupby("metric", sort=False):
        least, most = int(lines["runs"].min()), int(lines["runs"].max())
        found = f"{least}" if least == most else f"{least} to {most}"
        parts.append(f"{label(str(metric), spec)} in {found} of {int(lines['made'].max())} runs")
    if not parts:
        return ""
    why = "in the others a group has no record that the score needs"
    return f"Measured: {', '.join(parts)}; {why}."
