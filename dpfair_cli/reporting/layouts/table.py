"""A table: a line for each data set, method and value of the parameters in `rows`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from dpfair_cli.contracts.files import write_text
from dpfair_cli.contracts.specs import Layout, Spec, Table, Vocabulary
from dpfair_cli.reporting import markup

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class TableLayout(Layout):
    """`rows` name a line, `values` are compared with published cells, `also` stand next to them.

    `baselines` says which score a value has to exceed: a line where none does is marked as no
    better than a constant.
    """

    rows: tuple[str, ...]
    values: tuple[str, ...]
    also: tuple[str, ...] = ()
    baselines: Mapping[str, str] = field(default_factory=dict)

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns in `rows`, which identify a line."""
        return self.rows

    @property
    def scores(self) -> tuple[str, ...]:
        """The scores compared with published values, and the scores shown next to them."""
        return (*self.values, *self.also)

    def check(self, known: Vocabulary) -> None:
        """Refuses unknown scores and unknown parameters."""
        known.require("scores", (*self.scores, *self.baselines, *self.baselines.values()))
        known.require("parameters", self.rows)

    def write(
        self,
        rows: pd.DataFrame,
        table: Table,
        spec: Spec,
        folder: Path,
        *,
        notes: Sequence[str] = (),
    ) -> list[Path]:
        """Writes table.md, table.csv and table.tex; returns their paths."""
        folder.mkdir(parents=True, exist_ok=True)
        files = {
            "table.md": markup.render("table.md.j2", table=table, rows=markup.rows),
            "table.csv": table.numbers.to_csv(index=False, lineterminator="\n"),
            "table.tex": markup.render("table.tex.j2", table=table),
        }
        for name, content in files.items():
            write_text(folder / name, content)
        return [folder / name for name in files]


LAYOUT = TableLayout
