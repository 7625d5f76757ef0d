"""The overview of one screen that `dpfair info` prints, and the methods by the data they run on.

However many papers, methods and data sets there are, the overview has at most 40 lines: a line for
each paper, and a line for each kind of data with as many names as fit.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import NamedTuple

from dpfair_cli import catalog, paths
from dpfair_cli.reporting import report
from dpfair_cli.running import artefact_names

WIDTH = 80
MOST_PAPERS = 14  # lines for papers
MOST_KINDS = 8  # lines for methods, and for data sets, by kind of data
PRIVATE = "*"  # marks a method with a privacy guarantee
SHORT = {  # what a method can be run on -> the same in the words of the overview
    "your table with label and groups, or images": "records or images",
    "your table with label and groups": "records with label and groups",
    "your table of categories or numbers": "columns of categories or numbers",
    "your table of two-valued columns with a causal graph": "columns with a causal graph",
    "your graph": "graphs",
}


HELD = (  # what a data set holds, in the order of the overview
    "records with label and groups",
    "images",
    "columns of categories or numbers",
    "columns with a causal graph",
    "graphs",
)


class PaperLine(NamedTuple):
    """A paper in the overview."""

    name: str
    """The key of the paper, such as xu2021."""

    artefacts: int
    """The number of its tables and figures."""

    title: str
    """Its authors, year and title."""


def methods_by_data() -> dict[str, list[str]]:
    """What methods can be run on -> the names of these methods; each method stands once.

    What is on the user's own data stands first; for other types of data, their names in words.
    """
    from dpfair_cli.catalog import matching

    kinds = dict(zip(SHORT, _types_of_data(), strict=True))
    found: dict[str, list[str]] = {where: [] for where in kinds}
    for name in catalog.algorithms.names:
        types = matching.fitted_types(catalog.algorithm(name))
        known = (where for where, form in kinds.items() if form in types)
        where = next(known, " or ".join(sorted(map(_in_words, types))))
        found.setdefault(where, []).append(name)
    return {where: names for where, names in found.items() if names}


def _types_of_data() -> tuple[type, ...]:
    """The types of data for which there are methods, in the order of SHORT.

    Images come before records, because methods for both stand with the images.
    """
    # here, because all kinds of data load NumPy, for which `dpfair info --help` does not wait
    from dpfair_cli.kinds.causal_records import CausalRecords
    from dpfair_cli.kinds.graphs import Graph
    from dpfair_cli.kinds.images import Images
    from dpfair_cli.kinds.records import Records
    from dpfair_cli.kinds.variables import Observations

    return Images, Records, Observations, CausalRecords, Graph


def _data_sets_by_kind() -> dict[str, list[str]]:
    """What data sets hold -> the names of these data sets; each data set stands once."""
    from dpfair_cli.catalog import matching

    images, records, *others = _types_of_data()
    kinds = dict(zip((records, images, *others), HELD, strict=True))
    found: dict[str, list[str]] = {kind: [] for kind in kinds.values()}
    for name in catalog.data_sources.names:
        (form,) = matching.loaded_types(catalog.data_source(name))
        found.setdefault(kinds.get(form) or _in_words(form), []).append(name)
    return {kind: names for kind, names in found.items() if names}


def _in_words(form: type) -> str:
    """The name of a type in words: "local records" for LocalRecords."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", form.__name__).lower()


def lines() -> list[str]:
    """The lines of the overview."""
    counts = Counter(name.split("/")[0] for name in artefact_names.artefacts())
    folder = paths.folder("experiments")
    papers = [PaperLine(one, count, report.citation(folder / one)) for one, count in counts.items()]
    methods = {}
    for where, names in methods_by_data().items():
        are_private = [catalog.algorithm(name).guarantee.is_private for name in names]
        marked = [name + PRIVATE * mark for name, mark in zip(names, are_private, strict=True)]
        methods[SHORT.get(where, where)] = marked
    return compose(papers, methods, _data_sets_by_kind(), catalog.studies.names)


def compose(
    papers: Sequence[PaperLine],
    methods: Mapping[str, Sequence[str]],
    data_sets: Mapping[str, Sequence[str]],
    tasks: Sequence[str],
) -> list[str]:
    """The lines of an overview of the given papers, methods and data sets by kind, and tasks.

    The names of private methods end with a star, and stand first.
    """
    method_count, data_count = (sum(map(len, one.values())) for one in (methods, data_sets))
    return [
        "`dpfair info NAME` describes a paper, method, data set or task.",
        "",
        f"papers ({len(papers)}), with the number of their tables and figures:",
        *_paper_lines(papers),
        "",
        f"methods ({method_count}; {PRIVATE} marks a private one): `dpfair info methods` lists all",
        *_lines_by_kind(methods),
        "",
        f"data sets ({data_count}): `dpfair info datasets` lists all",
        *_lines_by_kind(data_sets),
        "",
        f"tasks (study protocols; {len(tasks)}): `dpfair info tasks` lists all",
        _one_line(tasks, "  "),
    ]


def _paper_lines(papers: Sequence[PaperLine]) -> list[str]:
    """A line for each of the first papers, and a line with the number of the others."""
    few = papers[: MOST_PAPERS - (len(papers) > MOST_PAPERS)]
    width = max((len(one.name) for one in few), default=0)
    count_width = max((len(str(one.artefacts)) for one in few), default=0)
    shown = [
        _cut(f"  {one.name:{width}}  {one.artefacts:{count_width}}  {one.title}") for one in few
    ]
    others = len(papers) - len(few)
    return [*shown, f"  and {others} more: `dpfair info artefacts`"] if others else shown


def _lines_by_kind(groups: Mapping[str, Sequence[str]]) -> list[str]:
    """A line for each kind of data; the private methods stand first."""
    few = MOST_KINDS - (len(groups) > MOST_KINDS)
    shown = dict(list(groups.items())[:few])
    rest = list(chain.from_iterable(list(groups.values())[few:]))
    shown |= {"other data": rest} if rest else {}
    return [
        _one_line(sorted(names, key=lambda name: PRIVATE not in name), f"  {kind} ({len(names)}): ")
        for kind, names in shown.items()
    ]


def _one_line(names: Iterable[str], begin: str) -> str:
    """As many names as fit into a line after its beginning, and the number of the other names."""
    left = list(names)
    line, shown = begin, 0
    for count, name in enumerate(left, start=1):
        others = len(left) - count
        end = f", and {others} more" if others else ""
        longer = f"{line}{', ' if shown else ''}{name}"
        if len(longer + end) > WIDTH:
            break
        line, shown = longer, count
    others = len(left) - shown
    return _cut(f"{line}, and {others} more" if others else line)


def _cut(line: str) -> str:
    """A line of at most WIDTH columns; three points stand for the rest of a longer one."""
    return line if len(line) <= WIDTH else f"{line[: WIDTH - 3].rstrip()}..."
