"""All artefacts together: distinct published cells by level and by kind of deviation, and claims by
statement.

A number that two tables print of one experiment is counted once, at the first, and so are two that
stand beside one another; numbers of records are no verdicts. Variants are counted in the same way:
what comes out under each, and what the default one was chosen by. Cells and claims on a substitute
of the paper's data are counted apart.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import pandas as pd

from dpfair_cli.contracts.specs import Spec
from dpfair_cli.verdicts.claims import worst
from dpfair_cli.verdicts.decision import Verdicts, name_verdict
from dpfair_cli.verdicts.deviations import Kind
from dpfair_cli.verdicts.discrimination import Share, share_of_variants, share_of_wrong_pairings
from dpfair_cli.verdicts.levels import Level
from dpfair_cli.verdicts.variants import COLUMNS as VARIANT_COLUMNS
from dpfair_cli.verdicts.variants import count_variants

DIFFERENCES = [name_verdict(Level.DIFFERS, kind) for kind in ("", *Kind)]
CELL_VERDICTS = [
    Level.REPRODUCED,
    Level.WITHIN_NOISE,
    Level.UNDECIDED,
    *DIFFERENCES,
    "missing",
    "not run",
]
CLAIM_VERDICTS = ["holds", "fails", "undecided", "not testable here", "not tested"]
CHAPTER = re.compile(r"(?:table|figure|section)(\d+)\.")  # table8.2 stands in chapter 8
OWN_DATA, SUBSTITUTE = "the paper's data", "a substitute"

Decided = tuple[Spec, Verdicts]


class Scoreboard(NamedTuple):
    """Counts of distinct cells (a line for each part and kind of data) and of statements; what the
    rule passes wrongly.

    `variants` has a line for each variant of each method with several: those of `count_variants`
    over all artefacts. `read_own` and `read_wrong` count where a cell that differs comes out under
    another variant, beside its own published value and beside that of another method. `repeats` is
    how many cells print a number of another table again, `record_counts` how many are numbers of
    records.
    """

    cells: pd.DataFrame
    claims: pd.DataFrame
    statements: pd.DataFrame
    variants: pd.DataFrame
    wrong: Share
    wrong_far: Share
    read_own: Share
    read_wrong: Share
    repeats: int
    record_counts: int


def score(decided: Sequence[Decided]) -> Scoreboard:
    """The scoreboard of artefacts."""
    cells = [verdicts.default_cells.assign(part=part_of(spec), data=data_of(verdicts), artefact=spec.artefact)
             for spec, verdicts in decided]  # fmt: skip
    every = pd.concat(cells, ignore_index=True) if cells else pd.DataFrame()
    comparable = every[every["verdict"].isin([*Level, "missing", "not run"])]
    repeated = is_repeated(comparable)
    distinct = comparable[~repeated]
    statements = _statements(decided)
    wrong = _distinct_pairs((spec, verdicts.wrong_pairings) for spec, verdicts in decided)
    read = _distinct_pairs((spec, verdicts.variant_pairings) for spec, verdicts in decided)
    return Scoreboard(
        cells=_count(distinct.assign(verdict=_named(distinct)), CELL_VERDICTS),
        claims=_count(statements, CLAIM_VERDICTS),
        statements=statements,
        variants=_variants(decided, comparable[repeated]),
        wrong=share_of_wrong_pairings(wrong, far_only=False),
        wrong_far=share_of_wrong_pairings(wrong, far_only=True),
        read_own=share_of_variants(read, own=True),
        read_wrong=share_of_variants(read, own=False),
        repeats=int(repeated.sum()),
        record_counts=int((every["verdict"] == "record count").sum()),
    )


def is_repeated(cells: pd.DataFrame) -> pd.Series[bool]:
    """Whether each cell, with its `part`, prints a number of an experiment that a cell before it
    has printed.
    """
    return cells["experiment"].ne("") & cells.duplicated(["part", "experiment"])


def _distinct_pairs(pairings: Iterable[tuple[Spec, pd.DataFrame]]) -> pd.DataFrame:
    """The pairings of all artefacts, those of the same two numbers once: at the first table that
    has both.
    """
    every = pd.concat(
        [lines.assign(part=part_of(spec)) for spec, lines in pairings], ignore_index=True
    )
    return every.drop_duplicates(["part", "pair"])


def part_of(spec: Spec) -> str:
    """The paper of an artefact, with its chapter where its number has one: "xu2021, chapter 8"."""
    chapter = CHAPTER.match(spec.name)
    return f"{spec.paper}, chapter {chapter[1]}" if chapter else spec.paper


def data_of(verdicts: Verdicts) -> list[str]:
    """What each published cell of an artefact was compared on."""
    return [
        SUBSTITUTE if name in verdicts.standins else OWN_DATA
        for name in verdicts.default_cells["dataset"]
    ]


def _named(cells: pd.DataFrame) -> list[str]:
    """The verdict of each cell, with the kind of its deviation."""
    return list(map(name_verdict, cells["verdict"], cells["kind"]))


def _count(lines: pd.DataFrame, verdicts: Iterable[str]) -> pd.DataFrame:
    """A line for each part and kind of data, a column for each verdict that occurs, and their sum
    last.
    """
    counts = (
        pd.crosstab([lines["part"], lines["data"]], lines["verdict"])
        if len(lines)
        else pd.DataFrame()
    )
    counts = counts.reindex(columns=[name for name in map(str, verdicts) if name in counts])
    return counts.assign(**{"in all": counts.sum(axis="columns")}).reset_index()


def _statements(decided: Sequence[Decided]) -> pd.DataFrame:
    """One line for each statement of a paper: the verdict over its parts, without what we added to
    it.
    """
    claims = [
        verdicts.claims.assign(part=part_of(spec), data=_claim_data(verdicts))
        for spec, verdicts in decided
    ]
    every = pd.concat(claims, ignore_index=True)
    theirs = every[every["ours"] == ""]
    lines = [
        (
            part,
            "; ".join(sorted(set(group["data"]))),
            statement,
            group["claim"].iloc[0],
            worst(group["verdict"]),
        )
        for (part, statement), group in theirs.groupby(["part", "statement"], sort=False)
    ]
    return pd.DataFrame(lines, columns=["part", "data", "statement", "claim", "verdict"])


def _variants(decided: Sequence[Decided], repeated: pd.DataFrame) -> pd.DataFrame:
    """The lines of `count_variants` of all artefacts, those of one part, method and variant
    together.
    """
    lines = []
    for spec, verdicts in decided:
        again = repeated.loc[repeated["artefact"] == spec.artefact, "cell"]
        first = verdicts.cells[~verdicts.cells["cell"].isin(again)]
        lines.append(count_variants(first, spec).assign(part=part_of(spec)))
    sums = dict.fromkeys(VARIANT_COLUMNS[3:], "sum") | {"chosen_by": _distinct_words}
    methods = pd.concat(lines).groupby(["part", "method"], sort=False)
    tables = [
        group.groupby(["part", *VARIANT_COLUMNS[:2]], sort=False).agg(sums).reset_index()
        for _, group in methods
    ]
    return pd.concat(tables or [pd.DataFrame()]).reindex(columns=["part", *VARIANT_COLUMNS])


def _distinct_words(texts: pd.Series[str]) -> str:
    """Each text once, in their order."""
    return "; ".join(dict.fromkeys(filter(None, texts)))


def _claim_data(verdicts: Verdicts) -> list[str]:
    """What each claim of an artefact is about."""
    about = verdicts.claims["datasets"]
    return [
        SUBSTITUTE if any(name in verdicts.standins for name in names) else OWN_DATA
        for names in about
    ]
