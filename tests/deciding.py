"""The verdicts on an artefact in one call, for tests."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from dpfair_cli.contracts.specs import Spec
from dpfair_cli.verdicts.decision import by_rule, judge
from dpfair_cli.verdicts.paper import Paper
from dpfair_cli.verdicts.paper_rule import PaperRule
from dpfair_cli.verdicts.verdicts import Verdicts

SINGLE = PaperRule()  # of single tests


def decide_artefact(
    rows: pd.DataFrame,
    spec: Spec,
    paper: Paper,
    *,
    standins: Mapping[str, str],
    unpublished: Mapping[str, str] | None = None,
    rule: PaperRule = SINGLE,
) -> Verdicts:
    """The verdicts on an artefact's published cells and claims; `rows` has one row per run."""
    found = judge(rows, spec, paper, standins=standins, theorems={})
    return by_rule(found, paper, rule, unpublished or {})
