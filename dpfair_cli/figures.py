"""Rows -> figure files: the plotted numbers as CSV and the picture as PNG and PDF.

Drawing is slow, so a picture carries a digest of what it was made from and is drawn again only when that changes.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path

import pandas as pd

from dpfair_cli.spec import Spec
from dpfair_cli.summary import layout_of, seeds, summarise, with_axes


def numbers(rows: pd.DataFrame, spec: Spec) -> pd.DataFrame:
    """What is plotted, one line a point: data set, method, score, x (empty: a level), mean, std, runs."""
    x = layout_of(spec).x
    summary, levels = summarise(rows, spec), with_axes(rows, spec)
    level = levels[levels[x].isna()][["dataset", "method"]].drop_duplicates()
    flat = summary.merge(level, on=["dataset", "method"], how="left", indicator="kind")["kind"] == "both"
    once = summary.assign(**{x: summary[x].mask(flat)}).drop_duplicates(["dataset", "method", "metric", x])
    return once[["dataset", "method", "metric", x, "mean", "std", "runs"]].reset_index(drop=True)


def write(rows: pd.DataFrame, spec: Spec, folder: Path, *, notes: Sequence[str] = ()) -> list[Path]:
    """figure.png, figure.pdf and figure.csv in the folder; the same rows give the same bytes."""
    folder.mkdir(parents=True, exist_ok=True)
    csv, png, pdf = (folder / f"figure.{suffix}" for suffix in ("csv", "png", "pdf"))
    points = numbers(rows, spec)
    text = points.to_csv(index=False, lineterminator="\n")
    csv.write_text(text, encoding="utf-8", newline="\n")
    made_from = digest(text, spec, seeds(rows), notes)
    if not (pdf.is_file() and drawn_from(png) == made_from):
        from dpfair_cli import drawing

        drawing.save(drawing.draw(points, spec, seeds(rows), notes=notes), png, pdf, made_from)
    return [png, pdf, csv]


def digest(text: str, spec: Spec, runs: str, notes: Sequence[str]) -> str:
    """What a picture depends on: its numbers, its words, how it is drawn and by which matplotlib."""
    methods = [part.method for part in spec.algorithms]
    words = (spec.source, spec.title, spec.layout, sorted(spec.labels.items()), methods, runs, tuple(notes))
    how = (Path(__file__).with_name("drawing.py").read_text(encoding="utf-8"), version("matplotlib"))
    return hashlib.sha256(repr((text, words, how)).encode()).hexdigest()[:16]


def drawn_from(png: Path) -> str:
    """The digest that a picture carries; empty if there is no readable picture."""
    from PIL import Image, UnidentifiedImageError

    try:
        with Image.open(png) as image:
            return str(image.info.get("Description", ""))
    except (OSError, UnidentifiedImageError):
        return ""
