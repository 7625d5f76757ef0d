"""What all layouts with a picture share: its files, and what decides whether it is drawn again."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from dpfair_cli.contracts.files import write_text
from dpfair_cli.contracts.specs import Layout, Spec, Table
from dpfair_cli.reporting.figures.pictures import Picture

if TYPE_CHECKING:
    import pandas as pd

NAME = "figure"  # of its files


class PictureLayout(Layout):
    """A layout that draws the rows of an artefact."""

    picture: ClassVar[str] = f"{NAME}.png"

    @abstractmethod
    def draw(
        self, rows: pd.DataFrame, table: Table, spec: Spec, *, notes: Sequence[str] = ()
    ) -> Picture:
        """The picture of the rows; `notes` are warnings that it shows."""

    def write(
        self,
        rows: pd.DataFrame,
        table: Table,
        spec: Spec,
        folder: Path,
        *,
        notes: Sequence[str] = (),
    ) -> list[Path]:
        """Writes figure.csv, and figure.png if its content changed; returns their paths."""
        # panels show names of methods and labels, which the numbers need not contain
        words = (self, sorted(spec.labels.items()), list(spec.methods_by_label))
        picture = replace(self.draw(rows, table, spec, notes=notes), words=words)
        png, csv = picture.write(folder / self.picture), folder / f"{NAME}.csv"
        write_text(csv, picture.csv)
        return [png, csv]

    def write_pdf(
        self,
        rows: pd.DataFrame,
        table: Table,
        spec: Spec,
        folder: Path,
        *,
        notes: Sequence[str] = (),
    ) -> Path:
        """Writes figure.pdf; returns its path."""
        return self.draw(rows, table, spec, notes=notes).write_pdf(folder / f"{NAME}.pdf")
