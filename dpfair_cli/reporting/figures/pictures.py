"""The files of a picture, drawn again when what it was made from changes."""

from __future__ import annotations

import hashlib
import inspect
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

from dpfair_cli.contracts.specs import Spec
from dpfair_cli.contracts.writing import replacing, write_text
from dpfair_cli.reporting.figures import hover, style
from dpfair_cli.reporting.figures.style import Heading

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PNG_END = b"IEND\xaeB`\x82"  # the end of a PNG file


def import_matplotlib() -> None:
    """Imports what draws a figure and writes its files."""
    from matplotlib import figure  # noqa: F401
    from matplotlib.backends import backend_agg, backend_pdf  # noqa: F401
    from PIL import PngImagePlugin  # noqa: F401


def write_picture(
    numbers: pd.DataFrame,
    draw_panels: Callable[[Figure], None],
    heading: Heading,
    spec: Spec,
    folder: Path,
    *code: str,
) -> list[Path]:
    """Writes figure.csv, and figure.png and figure.pdf if their content changed.

    `draw_panels` sets the size of an empty figure and adds panels; labelled marks appear in the
    legend. `code` are further files with code that draws the panels.
    """
    folder.mkdir(parents=True, exist_ok=True)
    text: str = numbers.to_csv(index=False, lineterminator="\n")
    write_text(folder / "figure.csv", text)
    words = (heading, spec.layout, sorted(spec.labels.items()), list(spec.methods_by_label))
    digest = _digest(text, words, [inspect.getfile(type(spec.layout)), *code])
    return [
        *_draw_if_changed(folder, "figure", draw_panels, heading, digest),
        folder / "figure.csv",
    ]


def write_picture_of_numbers(
    numbers: pd.DataFrame,
    draw_panels: Callable[[Figure], None],
    heading: Heading,
    folder: Path,
    name: str,
    *code: str,
) -> list[Path]:
    """Writes NAME.png and NAME.pdf, unless the files already show the same numbers.

    `code` are the files with the code that draws the panels.
    """
    folder.mkdir(parents=True, exist_ok=True)
    text: str = numbers.to_csv(index=False, lineterminator="\n")
    return _draw_if_changed(folder, name, draw_panels, heading, _digest(text, (heading,), code))


def _draw_if_changed(
    folder: Path, name: str, draw_panels: Callable[[Figure], None], heading: Heading, digest: str
) -> list[Path]:
    """Draws a figure into its two files, unless the files have the same digest already."""
    png, pdf = folder / f"{name}.png", folder / f"{name}.pdf"
    if not (pdf.is_file() and _embedded_digest(png) == digest):
        # the file with the digest is replaced last
        with replacing(png) as png_draft, replacing(pdf) as pdf_draft, _full_disk_told():
            figure = style.compose(draw_panels, heading)
            figure.set_layout_engine(None)  # with an engine, each format is drawn twice
            style.save(figure, png_draft, pdf_draft, digest)
    return [png, pdf]


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


def _digest(text: str, words: tuple[object, ...], files: Sequence[str]) -> str:
    """The digest of everything that a figure depends on.

    The digest includes the version of matplotlib and the code of the common style. `text` are the
    plotted numbers as CSV, `words` the heading and the other texts and settings of the figure, and
    `files` the paths of the code that draws the panels.
    """
    code = [
        Path(file).read_text(encoding="utf-8")
        for file in (*map(inspect.getfile, (style, hover)), *files)
    ]
    whole = repr((text, words, code, _matplotlib_version()))
    return hashlib.sha256(whole.encode()).hexdigest()[:16]


@cache
def _matplotlib_version() -> str:
    return version("matplotlib")


def _embedded_digest(png: Path) -> str:
    """The digest stored in a PNG file; empty if there is no readable file, or a part of one."""
    from PIL import Image, UnidentifiedImageError

    try:
        with Image.open(png) as image:
            is_whole = png.read_bytes().endswith(PNG_END)
            return str(image.info.get("Description", "")) if is_whole else ""
    except (OSError, UnidentifiedImageError):
        return ""
