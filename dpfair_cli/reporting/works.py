"""One line for each work, with the counts of its verdicts, and its main sentences.

`write` writes both to works.md and main-claims.md; the README shows the first main sentence of each
work. A dissertation has a line for each chapter.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from operator import attrgetter
from pathlib import Path

from dpfair_cli.contracts.files import write_text
from dpfair_cli.reporting import check_page, markup, shown
from dpfair_cli.verdicts.cells.comparison import CellVerdict
from dpfair_cli.verdicts.claims.verdict import ClaimVerdict
from dpfair_cli.verdicts.paper_rule import part_of
from dpfair_cli.verdicts.scoreboard import (
    SUBSTITUTE,
    JudgedStatement,
    Scoreboard,
    Tally,
    judged_statements,
    tallies,
)
from dpfair_cli.verdicts.verdicts import Verdicts
from dpfair_cli.verdicts.whole_tables import ColumnVerdict, OrderVerdict

FILE, MAIN_FILE = "works.md", "main-claims.md"
MAIN_HEADINGS = ("work", "main sentence", "verdict", "why")
HOLDS, FAILS, UNDECIDED = ClaimVerdict.HOLDS, ClaimVerdict.FAILS, ClaimVerdict.UNDECIDED
NONE = "none"  # of a work that was not run, or on a substitute of its data only
WIDTH = 10  # squares of a bar in Markdown
# orange and blue, which people with any kind of colour vision tell apart; white is undecided
SQUARES = "🟦🟧⬜"
COUNTED = ("agree", "differ", "undecided")
HEADINGS = (
    "work",
    "order confirmed/reversed/undecided",
    "columns agree/differ/undecided",
    "numbers",
    "agree/differ/undecided",
    "claims hold/fail/undecided",
)


@dataclass(frozen=True)
class Work:
    """A work, or a chapter of a dissertation, with the verdicts on its numbers and claims.

    Attributes:
        key: what commands call it, such as ding2020.
        title: the heading of its page.
        page: the path of its page, relative to the folder of the results; empty without one.
        cells: the number of distinct published cells with each verdict.
        claims: the number of its claims with each verdict.
        orders: the number of orders of two methods with each verdict.
        columns: the number of columns with each verdict.
    """

    key: str
    title: str
    page: str
    cells: Counter[CellVerdict] = field(default_factory=Counter)
    claims: Counter[ClaimVerdict] = field(default_factory=Counter)
    orders: Counter[OrderVerdict] = field(default_factory=Counter)
    columns: Counter[ColumnVerdict] = field(default_factory=Counter)

    @property
    def counts(self) -> tuple[int, int, int]:
        """How many numbers agree, differ, and are undecided."""
        agree = self.cells[CellVerdict.REPRODUCED] + self.cells[CellVerdict.CONSISTENT]
        return agree, self.cells[CellVerdict.DIFFERS], self.cells[CellVerdict.UNDECIDED]

    @property
    def claim_counts(self) -> tuple[int, int, int]:
        """How many claims hold, fail, and are undecided."""
        return self.claims[HOLDS], self.claims[FAILS], self.claims[UNDECIDED]

    @property
    def compared(self) -> int:
        """How many numbers were compared."""
        return sum(self.counts)

    @property
    def recomputed(self) -> tuple[int, int]:
        """How many numbers are recomputed from the authors' files with equal digits, and in all."""
        equal = self.cells[CellVerdict.EQUAL_DIGITS]
        return equal, equal + self.cells[CellVerdict.OTHER_DIGITS]

    def add(self, cells: Iterable[Tally] = (), claims: Iterable[Tally] = ()) -> None:
        """Adds the counts of tallies of cells and of claims to those of the work."""
        for tally in cells:
            for text, count in tally.verdicts.items():  # in brackets stands why a cell differs
                self.cells[CellVerdict(text.partition(" (")[0])] += count
        for tally in claims:
            for text, count in tally.verdicts.items():
                self.claims[ClaimVerdict(text)] += count

    def bar(self, signs: str, width: int) -> str:
        """The counts as a bar of `width` signs, of which `signs` has one for each count.

        Each count above 0 has at least one sign. The bar is empty without a compared number.
        """
        whole = sum(self.counts)
        lengths = [max(1, round(width * count / whole)) if count else 0 for count in self.counts]
        if any(lengths):  # what rounding adds or lacks is taken from, or given to, the longest part
            lengths[lengths.index(max(lengths))] += width - sum(lengths)
        return "".join(sign * length for sign, length in zip(signs, lengths, strict=True))


def works(
    artefacts: Sequence[Verdicts], score: Scoreboard, folder_of: Callable[[str], Path]
) -> list[Work]:
    """The works that these artefacts are of, sorted; `score` is their scoreboard.

    `folder_of` gives the folder with the page of a paper, from the key of the paper.
    What was run on a substitute of a work's data says little about the work, and does not count.
    """
    found: dict[str, Work] = {}
    for one in artefacts:
        part, folder = part_of(one.spec), folder_of(one.spec.paper)
        page = check_page.page_of(folder, one.spec.name)
        if part not in found or (page and not found[part].page):
            place = f"{one.spec.paper}/{page}" if page else ""
            found[part] = Work(part, title(folder / (page or "README.md")), place)
    cells, claims = _on_own_data(score.cells), _on_own_data(score.claims)
    for part, work in found.items():
        work.add(
            [one for one in cells if one.part == part], [one for one in claims if one.part == part]
        )
    for tally in _on_own_data(score.orders):
        found[tally.part].orders.update({OrderVerdict(w): n for w, n in tally.verdicts.items()})
    for tally in _on_own_data(score.columns):
        found[tally.part].columns.update({ColumnVerdict(w): n for w, n in tally.verdicts.items()})
    # pictures of ours that belong to no chapter have neither numbers nor claims of the work
    counted = {tally.part for tally in (*score.cells, *score.claims)}
    return sorted((found[part] for part in counted & found.keys()), key=attrgetter("page", "key"))


def summary(artefacts: Sequence[Verdicts]) -> str:
    """The bar of some artefacts and, in words, their counts, as Markdown; without counts, why."""
    cells, claims = tallies(artefacts)
    whole = Work("", "", "")
    whole.add(_on_own_data(cells), _on_own_data(claims))
    told = shown.count_tables(artefacts)
    if any(whole.counts):
        words = map(" ".join, zip(SQUARES, map(str, whole.counts), COUNTED, strict=True))
        told.append(f"Published numbers, on the data of the work: {', '.join(words)}.")
    others = whole.cells[CellVerdict.OTHER_PROTOCOL]
    if others:
        told.append(f"{others} numbers have runs of ours by another protocol, and no verdict.")
    equal, recomputed = whole.recomputed
    if recomputed:
        told.append(
            f"{recomputed} numbers are recomputed from the authors' files or seeds, {equal} of "
            "them with equal digits."
        )
    if not told:
        told = ["No published number is compared with a run."]
    statements = list(judged_statements(artefacts))
    claimed = shown.count_claims(one for one in statements if SUBSTITUTE not in one.data)
    if claimed:
        told.append(f"Claims, {claimed}.")
    main = main_claims_table(statements)
    return "\n\n".join(filter(None, [main, whole.bar(SQUARES, WIDTH), " ".join(told)]))


def _on_own_data(tallies: Iterable[Tally]) -> list[Tally]:
    """The tallies without those of runs on a substitute."""
    return [one for one in tallies if SUBSTITUTE not in one.data]


def title(page: Path) -> str:
    """The first heading of a page; without one, the name of its folder."""
    text = page.read_text(encoding="utf-8") if page.is_file() else ""
    found = re.search("^# (.+)$", text, flags=re.MULTILINE)
    return found[1] if found else page.parent.name


def main_claims(statements: Iterable[JudgedStatement]) -> list[JudgedStatement]:
    """The main sentences among the claims of works, by work and by place among them."""
    return sorted((one for one in statements if one.main), key=attrgetter("part", "main"))


def main_claims_table(statements: Iterable[JudgedStatement]) -> str:
    """The main sentences of a page with their verdicts, as Markdown; empty without any.

    A page about several works, or chapters, has a column for them.
    """
    found = main_claims(statements)
    first = 0 if len({one.part for one in found}) > 1 else 1
    lines = [
        [one.part, markup.escaped(one.claim), f"**{one.verdict}**", markup.escaped(one.why)]
        for one in found
    ]
    return markup.of_cells(MAIN_HEADINGS[first:], [line[first:] for line in lines]) if lines else ""


def write(
    artefacts: Sequence[Verdicts],
    score: Scoreboard,
    folder: Path,
    folder_of: Callable[[str], Path],
) -> None:
    """Writes works.md and main-claims.md to a folder; `folder_of` as for `works`."""
    found = works(artefacts, score, folder_of)
    write_text(folder / FILE, f"{markup.of_cells(HEADINGS, map(_line, found))}\n")
    names = {one.key: _named(one.title.partition(":")[0], one.page) for one in found}
    lines = [
        [names[one.part], markup.escaped(one.claim), str(one.verdict), markup.escaped(one.why)]
        for one in main_claims(score.statements)
        if one.part in names
    ]
    write_text(folder / MAIN_FILE, f"{markup.of_cells(MAIN_HEADINGS, lines)}\n")


def _named(title: str, page: str) -> str:
    """The title of a work as a link to its page, if it has one."""
    return f"[{title}]({page})" if page else title


def _line(work: Work) -> list[str]:
    """The texts of a work under HEADINGS."""
    every = (
        [work.orders[verdict] for verdict in OrderVerdict],
        [work.columns[verdict] for verdict in ColumnVerdict],
        work.counts,
        work.claim_counts,
    )
    counts = ["/".join(map(str, found)) if any(found) else NONE for found in every]
    return [_named(work.title, work.page), *counts[:2], work.bar(SQUARES, WIDTH), *counts[2:]]
