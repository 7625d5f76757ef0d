"""Words on a horizontal axis, such as classes, with the methods side by side at each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import pandas as pd

if TYPE_CHECKING:
    from matplotlib.axes import Axes

WIDTH = 0.6  # of the methods of one word; the next is at a distance of 1


def with_words_placed(
    points: pd.DataFrame, x: str, methods: Sequence[str]
) -> tuple[pd.DataFrame, list[str]]:
    """The points with a number for each word, shifted slightly by method, and the words in order.

    If x has numbers, the points are returned unchanged and the list of words is empty.
    """
    words = [value for value in dict.fromkeys(points[x].dropna()) if isinstance(value, str)]
    if not words:
        return points, []
    step = WIDTH / max(1, len(methods) - 1) if len(methods) > 1 else 0.0
    beside = points["method"].map(
        {method: (k - (len(methods) - 1) / 2) * step for k, method in enumerate(methods)}
    )
    return points.assign(
        **{x: points[x].map({word: k for k, word in enumerate(words)}) + beside}
    ), words


def name_words(axes: Axes, words: Sequence[str]) -> None:
    """Writes each word below its position, with lines between the positions."""
    axes.set_xticks(range(len(words)), words, rotation=45)
    axes.set_xticks([k + 0.5 for k in range(len(words) - 1)], minor=True)
    axes.grid(visible=False, axis="x", which="major")
    axes.grid(visible=True, axis="x", which="minor")
    axes.tick_params(axis="x", which="minor", length=0)
