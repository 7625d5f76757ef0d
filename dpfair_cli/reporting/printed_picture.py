"""A published table as the paper prints it, coloured by verdict: two SVG pictures of one table.

A page on a code host cannot colour the cells of its tables, but it can show one picture to readers
with a light ground and another one to readers with a dark ground. The pictures are text, so that
equal verdicts give equal bytes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import accumulate, chain
from pathlib import Path
from typing import NamedTuple

from dpfair_cli.contracts.files import write_text
from dpfair_cli.reporting import markup, printed_table
from dpfair_cli.reporting.printed_table import PlacedCell, PrintedTable
from dpfair_cli.reporting.shown import LOOKS, look_of_cell
from dpfair_cli.verdicts.verdicts import Verdicts
from dpfair_cli.verdicts.wording import describe_standins, heading

THEMES = ("light", "dark")
# in pixels; a letter is that of a wide font, because each reader's system has its own
LETTER, LINE, PADDING, GAP = 7.2, 17, 10, 2


class Text(NamedTuple):
    """A line of text with its class in the picture, such as "head"; empty for plain text."""

    words: str
    css_class: str = ""


class Box(NamedTuple):
    """A place of the picture with its texts from top to bottom, and the tone of its verdict."""

    x: int
    y: int
    width: int
    height: int
    texts: Sequence[Text]
    tone: str = ""


def write(verdicts: Verdicts, folder: Path) -> list[Path]:
    """Writes printed-light.svg and printed-dark.svg of an artefact; returns their paths.

    Cells that the paper prints outside the rows of the table have no place in the pictures.
    """
    title = heading(verdicts.spec, describe_standins(verdicts.standins))
    counts = _counts(verdicts)
    printed = printed_table.make(verdicts.cells, verdicts.spec)
    boxes = _boxes(printed, title, counts)
    told = ", ".join(legend.words for legend, _ in counts)
    written = []
    for theme in THEMES:
        text = markup.render(
            "printed_picture.svg.j2",
            theme=theme,
            title=title,
            counts=told,
            boxes=boxes,
            width=max(box.x + box.width for box in boxes) + PADDING,
            height=max(box.y + box.height for box in boxes) + PADDING,
            line=LINE,
            padding=PADDING,
        )
        written.append(folder / f"printed-{theme}.svg")
        write_text(written[-1], text)
    return written


def _counts(verdicts: Verdicts) -> list[tuple[Text, str]]:
    """The number of cells with each verdict and its symbol, with the tone, from best to worst."""
    counts = Counter(map(look_of_cell, verdicts.cells))
    found = [look for look in LOOKS if counts[look]]
    return [(Text(f"{look.symbol} {look.name}: {counts[look]}"), look.tone) for look in found]


def _boxes(printed: PrintedTable, title: str, counts: Sequence[tuple[Text, str]]) -> list[Box]:
    """The places of the title, of the table below it, and of the legend at the bottom."""
    lefts = _lefts(printed)
    top = 3 * LINE
    texts = [Text(title, "head"), Text(f"{printed_table.BRACKETS}.", "soft")]
    above = Box(PADDING, 6, _width(texts), 2 * LINE, texts)
    table = [*_head(printed, lefts, top), *_body(printed, lefts, top)]
    bottom = max(box.y + box.height for box in table) + PADDING
    return [above, *table, *_legend(counts, bottom)]


def _lefts(printed: PrintedTable) -> list[int]:
    """The left end of each column, and the right end of the last one."""
    columns = [[Text(word)] for word in printed.headings]
    for row in printed.rows:
        for own, word in zip(columns, row.words, strict=True):
            own.append(Text(word))
    for k, words in enumerate(printed.columns):
        cells = filter(None, [row.cells[k] for row in printed.rows])
        columns.append([Text(words[-1]), *chain.from_iterable(map(_texts, cells))])
    widths = map(_width, columns)
    return list(accumulate(widths, initial=PADDING))


def _width(texts: Sequence[Text]) -> int:
    """The width of a box with room for its texts."""
    return round(LETTER * max(len(text.words) for text in texts)) + 2 * PADDING


def _head(printed: PrintedTable, lefts: Sequence[int], top: int) -> Iterator[Box]:
    """The headings: those of the rows in the last line, and those of columns by level."""
    levels, depth = printed.column_spans, len(printed.headings)
    for k, word in enumerate(printed.headings):
        y = top + LINE * (len(levels) - 1)
        yield Box(lefts[k], y, lefts[k + 1] - lefts[k], LINE, [Text(word, "head")])
    for level, spans in enumerate(levels):
        column = depth
        for word, span in spans:
            width = lefts[column + span] - lefts[column]
            yield Box(lefts[column], top + LINE * level, width, LINE, [Text(word, "head")])
            column += span


def _body(printed: PrintedTable, lefts: Sequence[int], top: int) -> Iterator[Box]:
    """The rows with their headings; equal headings of neighbouring rows stand once."""
    depth, begin = len(printed.headings), top + LINE * len(printed.column_spans) + PADDING
    height = 2 * LINE + 8
    for k, (row, spans) in enumerate(zip(printed.rows, printed.row_spans, strict=True)):
        y = begin + k * (height + GAP)
        # the outer headings of a row may have begun above it
        for column, (word, _) in enumerate(spans, start=depth - len(spans)):
            width = lefts[column + 1] - lefts[column]
            yield Box(lefts[column], y, width, height, [Text(word, "head")])
        for column, cell in enumerate(row.cells, start=depth):
            if cell:
                width = lefts[column + 1] - lefts[column] - GAP
                yield Box(lefts[column], y, width, height, _texts(cell), cell.tone)


def _texts(cell: PlacedCell) -> list[Text]:
    """Our value with the symbol of the verdict, and below it the published value."""
    ours = Text(f"{cell.symbol} {cell.ours}".strip())
    return [ours, Text(f"({cell.published})", "small")]


def _legend(counts: Sequence[tuple[Text, str]], top: int) -> Iterator[Box]:
    """The number of cells with each verdict, side by side."""
    x = PADDING
    for text, tone in counts:
        width = _width([text])
        yield Box(x, top, width, LINE + 8, [text], tone)
        x += width + GAP
