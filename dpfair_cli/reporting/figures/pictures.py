"""Pictures: what each shows, the layouts that make them of runs, and their files.

A PNG file has two texts beside its pixels: a digest of what it shows, by which a picture that would
be the same is not drawn again, and the numbers of its points, which the report shows under the
pointer. PDF files are made on demand and have neither.
"""

from __future__ import annotations

import hashlib
import json
import re
from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import astuple, dataclass
from functools import cached_property, partial
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np
import pandas as pd

from dpfair_cli.contracts.errors import DpfairError
from dpfair_cli.contracts.files import replacing, write_text
from dpfair_cli.contracts.specs import Layout, Spec, Table, Vocabulary
from dpfair_cli.reporting.figures import style
from dpfair_cli.reporting.figures.style import Axes, Figure, Heading
from dpfair_cli.verdicts.means import as_list

if TYPE_CHECKING:
    from matplotlib.lines import Line2D

NAME = "figure"  # of the files of a layout
SEED = 0  # of the run that is drawn, where a panel shows a single run
PNG_END = b"IEND\xaeB`\x82"  # a file that was cut off lacks it
DIGEST, POINTS = "Description", "Points"  # keys of the texts in a PNG file
MANY_POINTS = 30  # a longer line is thinned out; more points without a line are left out
NUMBER = re.compile(r"[$\d\u2212-]")  # how the number at a tick begins, with either minus
PLAIN = {"$": "", "\\varepsilon": "ε", "\\delta": "δ"}  # of formulas in names of axes


class HoverPoint(NamedTuple):
    """A point of a figure, in thousandths of width and height, with the text that describes it."""

    x: int
    y: int
    words: str


@dataclass(frozen=True, eq=False)
class Picture:
    """A picture that is not drawn yet.

    Its digest covers what it shows and a version of how it is drawn, and no code: another word in a
    docstring, or code that moves, draws nothing again.

    Attributes:
        numbers: the plotted numbers.
        heading: the texts above the panels.
        draw_panels: sets the size of an empty figure and adds panels; labelled marks appear in the
            legend.
        words: the other texts and settings that the picture depends on.
        look: the version of `draw_panels`; raise it if the same numbers get other panels.
    """

    numbers: pd.DataFrame
    heading: Heading
    draw_panels: Callable[[Figure], None]
    words: tuple[object, ...] = ()
    look: int = 1

    @cached_property
    def csv(self) -> str:
        """The plotted numbers as CSV."""
        text: str = self.numbers.to_csv(index=False, lineterminator="\n")
        return text

    @property
    def digest(self) -> str:
        """The digest of everything that the picture depends on."""
        whole = repr((self.csv, astuple(self.heading), self.words, self.look, style.LOOK))
        return hashlib.sha256(whole.encode()).hexdigest()[:16]

    def write(self, png: Path) -> Path:
        """Writes the picture, unless the file has its digest already; returns the path."""
        # drawing takes a second, and reading a digest a millisecond
        if _embedded_digest(png) != self.digest:
            png.parent.mkdir(parents=True, exist_ok=True)
            with replacing(png) as draft:
                save_png(style.compose(self.draw_panels, self.heading), draft, self.digest)
        return png

    def write_pdf(self, pdf: Path) -> Path:
        """Writes the picture as a PDF file without a date; returns the path."""
        pdf.parent.mkdir(parents=True, exist_ok=True)
        figure = style.compose(self.draw_panels, self.heading)
        with replacing(pdf) as draft, _full_disk_told(), style.in_style():
            figure.savefig(draft, metadata={"CreationDate": None})
        return pdf


class PictureLayout(Layout):
    """A layout that draws the runs of an artefact: its numbers, its words and its panels.

    The title, the warnings, the files and what decides whether a picture is drawn again are the
    same for all layouts.

    Attributes:
        kinds: the fields whose values are names, each with their kind, a field of `Vocabulary`.
        output: the output of the task that is drawn; empty for a picture of scores.
        guards: scores that a table shows next to those of the picture.
    """

    picture: ClassVar[str] = f"{NAME}.png"
    kinds: ClassVar[Mapping[str, str]] = {}
    output: ClassVar[str] = ""
    guards: ClassVar[tuple[str, ...]] = ()

    def named(self, kind: str) -> tuple[str, ...]:
        """The names of a kind, such as "scores", in the fields of the layout."""
        fields = [field for field, known in self.kinds.items() if known == kind]
        return tuple(chain.from_iterable(as_list(getattr(self, field)) for field in fields))

    @property
    def columns(self) -> tuple[str, ...]:
        """The parameters along axes; none if a panel shows a whole run."""
        return self.named("parameters")

    @property
    def scores(self) -> tuple[str, ...]:
        """The scores of the picture and of its table, and the guards."""
        return tuple(dict.fromkeys([*self.named("scores"), *self.guards]))

    def check(self, known: Vocabulary) -> None:
        """Refuses names that the artefact does not have, and a task without the output."""
        known.require("outputs", [self.output] if self.output else [])
        for kind in dict.fromkeys(self.kinds.values()):
            known.require(kind, self.named(kind))

    @abstractmethod
    def points(self, rows: pd.DataFrame, table: Table, spec: Spec) -> pd.DataFrame:
        """The plotted numbers, which become figure.csv.

        Raises:
            DpfairError: the rows lack a run that is drawn.
        """

    @abstractmethod
    def explain(self, points: pd.DataFrame, rows: pd.DataFrame) -> str:
        """What the marks mean, without a full stop, for the line below the title."""

    @abstractmethod
    def draw(self, figure: Figure, points: pd.DataFrame, rows: pd.DataFrame, spec: Spec) -> None:
        """Sets the size of an empty figure and adds its panels."""

    def make_picture(
        self, rows: pd.DataFrame, table: Table, spec: Spec, notes: Sequence[str] = ()
    ) -> Picture:
        """The picture of the rows; `notes` are warnings that it shows."""
        points = self.points(rows, table, spec)
        heading = Heading(table.title, self.explain(points, rows), tuple(notes))
        # panels show names of methods and labels, which the numbers need not contain
        words = (self, sorted(spec.labels.items()), list(spec.methods_by_label))
        draw = partial(self.draw, points=points, rows=rows, spec=spec)
        return Picture(points, heading, draw, words)

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
        picture = self.make_picture(rows, table, spec, notes)
        png, csv = picture.write(folder / self.picture), folder / f"{NAME}.csv"
        write_text(csv, picture.csv)
        return [png, csv]


def output_of_run(
    rows: pd.DataFrame, method: str, output: str, spec: Spec, noun: str
) -> dict[str, Any]:
    """What the run of a method with the seed SEED put out under a name, such as its graph.

    `noun` is the word for it in the message.

    Raises:
        DpfairError: the method has not exactly one run with this seed and output.
    """
    mine = rows[(rows["method"] == method) & (rows["seed"] == SEED)]
    if len(mine) != 1 or output not in mine or not isinstance(mine.iloc[0][output], dict):
        raise DpfairError(
            f"{spec.artefact}: the journal must have exactly one {noun} of {method} with seed "
            f"{SEED} to draw"
        )
    found: dict[str, Any] = mine.iloc[0][output]
    return found


def save_png(figure: Figure, png: Path, digest: str) -> None:
    """Writes a PNG file without a date; it stores the digest and the points."""
    from PIL.PngImagePlugin import PngInfo

    information = PngInfo()
    information.add_text(DIGEST, digest)
    points = json.dumps(points_of(figure), ensure_ascii=False, separators=(",", ":"))
    information.add_itxt(POINTS, points, zip=True)
    with style.in_style():
        figure.savefig(png, dpi=160, pil_kwargs={"pnginfo": information})


def points_in(information: Mapping[Any, Any]) -> list[HoverPoint]:
    """The points that are stored in the texts of a PNG file; empty without such a text."""
    return [HoverPoint(*point) for point in json.loads(str(information.get(POINTS, "[]")))]


def points_of(figure: Figure) -> list[HoverPoint]:
    """The points of all named lines of a figure whose layout is final."""
    found: list[HoverPoint] = []
    for axes in figure.axes:
        for name, line in _named_lines(axes):
            found += _points(axes, name, line)
    return found


def _named_lines(axes: Axes) -> list[tuple[str, Line2D]]:
    """The lines, and the middles of bars, whose name does not begin with an underscore."""
    from matplotlib.container import ErrorbarContainer

    bars = [one for one in axes.containers if isinstance(one, ErrorbarContainer) and one.lines[0]]
    found = [(line.get_label(), line) for line in axes.lines]
    found += [(bar.get_label(), bar.lines[0]) for bar in bars]
    return [(str(name), line) for name, line in found if name and not str(name).startswith("_")]


def _points(axes: Axes, name: str, line: Line2D) -> list[HoverPoint]:
    """The visible points of a line in its panel; empty for a horizontal line across the panel."""
    values = np.asarray(line.get_xydata(), dtype=float)
    is_cloud = line.get_linestyle() == "None" and len(values) > MANY_POINTS
    if line.get_transform() != axes.transData or is_cloud:
        return []
    figure, (left, right), (low, high) = axes.figure, sorted(axes.get_xlim()), axes.get_ylim()
    # places in shares of the picture stay true when the report makes it smaller
    shares = axes.transData + figure.transFigure.inverted()
    title, x_name, y_name = _names(axes)
    begin = f"{title}, {name}" if title else name
    found = []
    for x, y in values[:: 1 + len(values) // MANY_POINTS]:
        if left <= x <= right and min(low, high) <= y <= max(low, high):
            across, up = shares.transform((x, y))
            words = f"{begin}: {x_name} {_written(axes, x)}, {y_name} {y:.4g}"
            found.append(HoverPoint(round(1000 * across), round(1000 * (1 - up)), words))
    return found


def _names(axes: Axes) -> tuple[str, str, str]:
    """The title of a panel and the names of its axes, possibly shared by panels of a column."""
    left, panels = axes.get_position().x0, axes.figure.axes
    column = [other for other in panels if abs(other.get_position().x0 - left) < 1e-3]
    title = next(filter(None, (other.get_title() for other in column)), "")
    x_name = next(filter(None, (other.get_xlabel() for other in column)), "x")
    return _plain(title), _plain(x_name), _plain(axes.get_ylabel() or "y")


def _written(axes: Axes, x: float) -> str:
    """The text of a position on the horizontal axis: the word of its tick, or the number."""
    # methods stand a little beside a word, so that the nearest whole number is asked for too
    for place in {x, float(round(x))} & {*axes.get_xticks()}:
        tick = axes.xaxis.get_major_formatter().format_ticks([place])[0]
        if tick and not NUMBER.match(tick):
            return tick
    return f"{x:.4g}"


def _plain(text: str) -> str:
    for sign, plain in PLAIN.items():
        text = text.replace(sign, plain)
    return text


@contextmanager
def _full_disk_told() -> Iterator[None]:
    """A context in which a PDF file that cannot be written is an `OSError`.

    After the failed write Matplotlib closes the file, which can be another error, such as one of
    zlib for a stream that has ended.
    """
    try:
        yield
    except Exception as error:
        if isinstance(error.__context__, OSError):
            raise error.__context__ from None
        raise


def _embedded_digest(png: Path) -> str:
    """The digest stored in a PNG file; empty if there is no readable file, or a part of one."""
    from PIL import Image, UnidentifiedImageError

    try:
        with Image.open(png) as image:
            # the digest stands at the beginning of the file, also of one that was cut off
            is_whole = png.read_bytes().endswith(PNG_END)
            return str(image.info.get(DIGEST, "")) if is_whole else ""
    except (OSError, UnidentifiedImageError):
        return ""
