"""Tables, pictures and verdicts -> one page, results/report.html, which needs no other file and no
network.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

import pandas as pd

from dpfair_cli.contracts.errors import naming
from dpfair_cli.contracts.layouts import Table
from dpfair_cli.contracts.specs import Spec
from dpfair_cli.reporting import strips
from dpfair_cli.reporting.figures import all_differences, artefact_differences
from dpfair_cli.reporting.inline_image import Image, embed
from dpfair_cli.reporting.scoreboard import sums
from dpfair_cli.reporting.templates import render
from dpfair_cli.verdicts.decision import Verdicts
from dpfair_cli.verdicts.levels import Level
from dpfair_cli.verdicts.means import to_records
from dpfair_cli.verdicts.scoreboard import Decided, Scoreboard, score
from dpfair_cli.verdicts.variants import count_variants


@dataclass(frozen=True, eq=False)
class Entry:
    """An artefact of the page: its table (for a figure, folded below the picture) and its verdicts."""

    spec: Spec
    table: Table
    verdicts: Verdicts

    @property
    def paper(self) -> str:
        """The key of its paper, such as xu2021."""
        return self.spec.paper

    @property
    def anchor(self) -> str:
        """The id of its section in the page."""
        return self.spec.artefact.replace("/", "-").replace(".", "-")

    @property
    def picture(self) -> str:
        """The path of its picture relative to the page; empty for a table."""
        name = self.spec.layout.picture
        return f"{self.spec.artefact}/{name}" if name else ""

    @property
    def files(self) -> dict[str, str]:
        """Where its files are, relative to the folder `results` beside `experiments`, by what they
        are to a reader.
        """
        folder, stem = self.spec.artefact, "figure" if self.picture else "table"
        found = {
            "spec": f"../experiments/{folder}.yaml",
            "every run (journal)": f"{folder}/runs.jsonl",
            "numbers (CSV)": f"{folder}/{stem}.csv",
        }
        found |= (
            {"picture (PDF)": f"{folder}/{Path(self.picture).stem}.pdf"} if self.picture else {}
        )
        found |= (
            {"differences (PDF)": f"{folder}/{artefact_differences.NAME}.pdf"}
            if self.compared
            else {}
        )
        return found | {"verdicts": f"{folder}/check.md"}

    @property
    def compared(self) -> int:
        """The number of its published cells that were compared."""
        return int(self.verdicts.default_cells["verdict"].isin(list(Level)).sum())

    @property
    def near(self) -> int:
        """The number of its published cells that are reproduced or within noise."""
        return sum(
            self.verdicts.cell_counts[level] for level in (Level.REPRODUCED, Level.WITHIN_NOISE)
        )

    @property
    def datasets(self) -> list[str]:
        """Its data sets, each once."""
        return list(dict.fromkeys(part.name for part in self.spec.datasets))

    @property
    def methods(self) -> list[str]:
        """Its methods by the names that published values stand under, each once."""
        return list(dict.fromkeys(self.spec.published_labels.values()))

    @property
    def cells(self) -> list[dict[str, object]]:
        """Its published cells with ours, as lines, each with a strip of its difference."""
        return strips.lines_with_strips(self.verdicts, self.spec)

    @property
    def variants(self) -> list[dict[str, object]]:
        """The published cells at each level under every variant, as lines."""
        return to_records(count_variants(self.verdicts.cells, self.spec))


def citation(folder: Path) -> str:
    """The heading of a paper's README: its authors, year and title."""
    file = folder / "README.md"
    first = file.read_text(encoding="utf-8").splitlines()[:1] if file.exists() else [folder.name]
    return first[0].lstrip("# ")


def scoreboard(entries: Sequence[Entry]) -> Scoreboard:
    """What came out of all artefacts together."""
    return score(_decided(entries))


def page(
    entries: Sequence[Entry],
    *,
    papers: Mapping[str, str],
    images: Mapping[str, Image] = MappingProxyType({}),
    differences: str = "",
    audit: Sequence[Mapping[str, str]] = (),
    pages: Mapping[str, Sequence[str]] = MappingProxyType({}),
) -> str:
    """The page as HTML.

    `papers` gives the citation of each paper by its key, `images` each picture by its path,
    `differences` the path of the picture of all of them, `audit` the rows of the audit of all
    methods, by the names of its columns, `pages` the files of the pages of each paper.
    """
    groups: dict[str, list[Entry]] = {}
    for entry in entries:
        groups.setdefault(entry.paper, []).append(entry)
    return render(
        "report.html.j2",
        groups=groups,
        papers=papers,
        score=scoreboard(entries),
        audit=audit,
        pages=pages,
        audit_counts=count_audits(audit),
        sums=sums,
        choices=choices(entries),
        images=images,
        differences=differences,
        levels=[*Level, "missing"],
        strip_end=strips.END,
        strip_half=strips.HALF,
        strip_near=strips.NEAR_HALF,
    )


def choices(entries: Sequence[Entry]) -> dict[str, list[str]]:
    """What a reader can filter by: verdicts of cells and claims, methods and data sets, those that
    occur.
    """
    cells = {verdict for entry in entries for verdict in entry.verdicts.cell_counts}
    claims = {verdict for entry in entries for verdict in entry.verdicts.claims["verdict"]}
    differs = (
        [str(Level.DIFFERS)] if any(verdict.startswith(Level.DIFFERS) for verdict in cells) else []
    )
    ordered = dict.fromkeys(
        [*map(str, (Level.REPRODUCED, Level.WITHIN_NOISE, Level.UNDECIDED)), *differs]
    )
    verdicts = [verdict for verdict in ordered if verdict in {*cells, *differs}]
    return {
        "verdict": [
            *verdicts,
            *sorted(cells - {*verdicts}),
            *(f"claim {verdict}" for verdict in sorted(claims)),
        ],
        "method": sorted({method for entry in entries for method in entry.methods}, key=str.lower),
        "dataset": sorted({name for entry in entries for name in entry.datasets}),
    }


def count_audits(audit: Sequence[Mapping[str, str]]) -> pd.DataFrame:
    """One line: how many audits came to each verdict, and all; no line without audits."""
    if not audit:
        return pd.DataFrame()
    words = [row["verdict"].split(":")[0] for row in audit]
    return pd.DataFrame(
        [{"part": "every method and variant", **Counter(words), "in all": len(words)}]
    )


def write(
    entries: Sequence[Entry],
    file: Path,
    *,
    papers: Mapping[str, str],
    audit: Sequence[Mapping[str, str]] = (),
) -> Path:
    """Write the page with its pictures inside, and beside it the picture of all differences,
    differences.png.

    The pictures are those in the papers' folders beside it. It asks nothing of a network and has no
    date in it: the same journals give the same bytes.
    """
    name = all_differences.NAME + file.stem.removeprefix(
        "report"
    )  # of a part, it has a name of its own too
    with naming(file):
        pictures = all_differences.write(_decided(entries), file.parent, name)
        differences = pictures[0].name if pictures else ""
        file.parent.mkdir(parents=True, exist_ok=True)
        names = filter(None, [differences, *(entry.picture for entry in entries)])
        images = {
            name: embed(file.parent / name) for name in names if (file.parent / name).is_file()
        }
        pages = {
            paper: [page.name for page in sorted((file.parent / paper).glob("*.md"))]
            for paper in dict.fromkeys(entry.paper for entry in entries)
        }
        text = page(
            entries,
            papers=papers,
            images=images,
            differences=differences,
            audit=audit,
            pages=pages,
        )
        file.write_text(text, encoding="utf-8", newline="\n")
    return file


def _decided(entries: Sequence[Entry]) -> list[Decided]:
    return [(entry.spec, entry.verdicts) for entry in entries]
