"""A picture before it is drawn, and its files; a PNG file says by a digest what it shows."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import astuple, dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

from dpfair_cli.contracts.files import replacing
from dpfair_cli.reporting.figures import style
from dpfair_cli.reporting.figures.style import Heading

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PNG_END = b"IEND\xaeB`\x82"  # the end of a PNG file


def import_matplotlib() -> None:
    """Imports what draws a figure and writes its PNG file."""
    from matplotlib import figure  # noqa: F401
    from matplotlib.backends import backend_agg  # noqa: F401
    from PIL import PngImagePlugin  # noqa: F401


@dataclass(frozen=True, eq=False)
class Picture:
    """A picture that is not drawn yet.

    Its digest covers what it shows and a version of how it is drawn, and no code: another word in a
    docstring, or code that moves, draws nothing again.
    """

    numbers: pd.DataFrame
    """The plotted numbers."""

    heading: Heading
    """The texts above the panels."""

    draw_panels: Callable[[Figure], None]
    """Sets the size of an empty figure and adds panels; labelled marks appear in the legend."""

    words: tuple[object, ...] = ()
    """The other texts and settings that the picture depends on."""

    look: int = 1
    """The version of `draw_panels`: raise it if the same numbers get other panels."""

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
        if _embedded_digest(png) != self.digest:
            png.parent.mkdir(parents=True, exist_ok=True)
            with replacing(png) as draft:
                style.save_png(style.compose(self.draw_panels, self.heading), draft, self.digest)
        return png

    def write_pdf(self, pdf: Path) -> Path:
        """Writes the picture as a PDF file; returns the path."""
        pdf.parent.mkdir(parents=True, exist_ok=True)
        with replacing(pdf) as draft, _full_disk_told():
            style.save_pdf(style.compose(self.draw_panels, self.heading), draft)
        return pdf


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
            is_whole = png.read_bytes().endswith(PNG_END)
            return str(image.info.get("Description", "")) if is_whole else ""
    except (OSError, UnidentifiedImageError):
        return ""
