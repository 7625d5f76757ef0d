"""The parts of an HTML page: facts and counts at its head, contents, pictures, and rows as data.

A page is one file that needs no network. Its long tables are data, of which the script of the page
makes rows when a table is opened. Its pictures are small copies inside the page.
"""

from __future__ import annotations

import base64
import io
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from dpfair_cli.reporting.shown import Look, ShownColumn

if TYPE_CHECKING:
    from dpfair_cli.reporting.figures.pictures import HoverPoint

WIDEST = 1000  # pixels of a picture
COLOURS = 128  # chosen by an octree; a median cut would use most colours for shades of grey
EFFORT = {"method": 3, "quality": 40}  # a larger method takes longer, and its files are no smaller


class Fact(NamedTuple):
    """A fact that identifies what a page shows: ("dpfair", "version 0.1.0")."""

    name: str
    text: str


class Headline(NamedTuple):
    """A sum at the head of a page with its parts, which a bar shows.

    Attributes:
        title: what is counted, such as "published cells".
        counts: how many have each verdict, by the look of the verdict.
    """

    title: str
    counts: Mapping[Look, int]


class ContentsEntry(NamedTuple):
    """A line of the contents: a link to the section of an artefact.

    Attributes:
        anchor: the HTML id of the section.
        name: the name of the artefact.
        number: a short number next to the name, such as "3 of 5"; may be empty.
    """

    anchor: str
    name: str
    number: str = ""


class Image(NamedTuple):
    """A figure as a `data:` address, with its size in pixels and its points."""

    address: str
    width: int
    height: int
    points: Sequence[HoverPoint] = ()


@dataclass(frozen=True)
class PackedTable:
    """The rows of a table as data.

    Attributes:
        headings: the columns, with what the script needs to make their cells.
        columns: the packed cells of each column.
        filters: the packed verdict, data set and method of the rows, if the filter of the page
            hides rows.
    """

    headings: Sequence[ShownColumn]
    columns: Sequence[Sequence[Any]]
    filters: Mapping[str, Sequence[Any]] = field(default_factory=dict)

    @property
    def data(self) -> dict[str, Any]:
        """What is written into the page."""
        return {"columns": self.columns, "filters": {**self.filters}}


def anchor(artefact: str) -> str:
    """The HTML id of the section of an artefact, such as xu2021-table8-1."""
    return artefact.replace("/", "-").replace(".", "-")


def pack(lines: Iterable[Sequence[Any]]) -> list[list[Any]]:
    """The columns of rows of cells, with the number of a row for each cell that repeats it.

    A number in place of a cell is the row, counted from 0, in which the column has the same cell
    for the first time: most cells of a report repeat another one. A negative number -k stands for k
    repetitions of the cell before.

    >>> pack([["adult", "1"], ["dutch", "10"], ["adult", "10"], ["us", "10"]])
    [['adult', 'dutch', 0, 'us'], ['1', '10', -2]]
    """
    return [_pack_column(column) for column in zip(*lines, strict=True)]


def _pack_column(column: Sequence[Any]) -> list[Any]:
    # from the last row to the first, so that the first row with a cell is the one that stays
    first = {value: row for row, value in reversed([*enumerate(column)])}
    packed, row = list[Any](), 0
    for value, run in groupby(column):
        length = len(list(run))
        packed.append(value if first[value] == row else first[value])
        packed += [1 - length] if length > 1 else []
        row += length
    return packed


def pack_texts(headings: Iterable[str], lines: Iterable[Sequence[Any]]) -> PackedTable:
    """The table whose cells are texts."""
    texts = [list(map(str, line)) for line in lines]
    columns = [ShownColumn(heading, itemgetter(k)) for k, heading in enumerate(headings)]
    return PackedTable(columns, pack(texts))


def pack_points(image: Image) -> list[list[Any]]:
    """The points of a picture: x and y in thousandths of its width, and the two parts of its words.

    The first part of the words names panel and line, which many neighbouring points share.
    """
    found = []
    for point in image.points:
        line, colon, numbers = point.words.rpartition(": ")
        y = round(point.y * image.height / image.width)
        found.append([str(point.x), str(y), line + colon, numbers])
    return pack(found)


def embed(png: Path) -> Image:
    """The figure in a PNG file as an embedded copy.

    The copy is a lossless WebP image of a third of the size of the PNG file, or less, so that one
    page holds all figures of a paper.
    """
    from PIL import Image as Pillow

    # with pandas, which the facts and contents of a page do without
    from dpfair_cli.reporting.figures.pictures import points_in

    with Pillow.open(png) as opened:
        points = points_in(opened.info)
        picture = opened.convert("RGB")
    if picture.width > WIDEST:
        size = WIDEST, round(picture.height * WIDEST / picture.width)
        picture = picture.resize(size, Pillow.Resampling.HAMMING)
    octree, no_dither = Pillow.Quantize.FASTOCTREE, Pillow.Dither.NONE
    # few colours make a lossless copy small; dithering would make it large
    few = picture.quantize(COLOURS, method=octree, dither=no_dither).convert("RGB")
    small = io.BytesIO()
    few.save(small, "WEBP", lossless=True, **EFFORT)
    address = f"data:image/webp;base64,{base64.b64encode(small.getvalue()).decode()}"
    return Image(address, *picture.size, points)
