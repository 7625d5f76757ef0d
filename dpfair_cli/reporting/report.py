"""Tables, pictures and verdicts -> one static page, results/report.html; it needs no other files than the pictures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from dpfair_cli.contracts.errors import naming
from dpfair_cli.contracts.layouts import Table
from dpfair_cli.contracts.specs import Spec
from dpfair_cli.reporting import all_differences, artefact_differences
from dpfair_cli.reporting.check_page import cell_lines
from dpfair_cli.reporting.templates import render
from dpfair_cli.verdicts.decision import Verdicts
from dpfair_cli.verdicts.levels import Level
from dpfair_cli.verdicts.means import to_records
from dpfair_cli.verdicts.readings import count_readings
from dpfair_cli.verdicts.scoreboard import Decided, Scoreboard, score


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
    def difference_picture(self) -> str:
        """The path of the picture of its differences relative to the page; empty if no published cell was compared."""
        compared = self.verdicts.default_cells["verdict"].isin(list(Level)).any()
        return f"{self.spec.artefact}/{artefact_differences.NAME}.png" if compared else ""

    @property
    def cells(self) -> list[dict[str, object]]:
        """Its published cells with ours, as lines."""
        return cell_lines(self.verdicts)

    @property
    def readings(self) -> list[dict[str, object]]:
        """The published cells at each level under every reading, as lines."""
        return to_records(count_readings(self.verdicts.cells, self.spec))


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
    differences: str = "",
    audit: Sequence[Mapping[str, str]] = (),
) -> str:
    """The page as HTML.

    `papers` gives the citation of each paper by its key, `differences` the path of the picture of all of them, `audit`
    the rows of the audit of all methods, by the names of its columns.
    """
    groups: dict[str, list[Entry]] = {}
    for entry in entries:
        groups.setdefault(entry.paper, []).append(entry)
    context = {"papers": papers, "score": scoreboard(entries), "differences": differences, "audit": audit}
    return render("report.html.j2", groups=groups, **context)


def write(
    entries: Sequence[Entry], file: Path, *, papers: Mapping[str, str], audit: Sequence[Mapping[str, str]] = ()
) -> Path:
    """Write the page, and beside it the picture of all differences: differences.png beside report.html.

    Its links to pictures hold in the folder `results`, which has the papers' folders.
    """
    name = all_differences.NAME + file.stem.removeprefix("report")  # of a part, it has a name of its own too
    with naming(file):
        pictures = all_differences.write(_decided(entries), file.parent, name)
        file.parent.mkdir(parents=True, exist_ok=True)
        text = page(entries, papers=papers, differences=pictures[0].name if pictures else "", audit=audit)
        file.write_text(text, encoding="utf-8", newline="\n")
    return file


def _decided(entries: Sequence[Entry]) -> list[Decided]:
    return [(entry.spec, entry.verdicts) for entry in entries]
