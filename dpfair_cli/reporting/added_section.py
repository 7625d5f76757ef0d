"""A section that an add-on writes into the report."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from dpfair_cli.reporting.inline_image import Image


@dataclass(frozen=True, eq=False)
class AddedSection:
    """A section of the report between the audit and the artefacts."""

    anchor: str
    """The HTML id of its heading."""

    title: str
    """The title in the contents of the report."""

    html: Callable[[Mapping[str, Image]], str]
    """`html(images)` is the section with its heading; `images` has its pictures by path."""

    pictures: Sequence[str] = ()
    """The paths of its pictures, relative to the report."""
