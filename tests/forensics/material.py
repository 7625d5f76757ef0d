"""Printed papers for tests of forensics."""

from dpfair_cli.addons.forensics.declaration import parse_declaration
from dpfair_cli.addons.forensics.examining import examine
from dpfair_cli.addons.forensics.finding import Grade
from dpfair_cli.addons.forensics.printed import PrintedPaper, describe, rounded
from dpfair_cli.verdicts.cells.published import PublishedCell

HERE = {"place": "here"}


def cell(printed, metric="accuracy", method="A", epsilon=1.0, dataset="data"):
    """A published cell with its texts, such as "0.80 ± 0.01"."""
    mean, _, std = printed.partition(" ± ")
    published = PublishedCell(
        "table1",
        dataset,
        method,
        metric,
        float(mean),
        float(std or "nan"),
        {"epsilon": epsilon},
        printed,
        "Table 1",
    )
    return published, (rounded(mean), rounded(std) if std else None)


def paper(cells, **facts):
    """A paper with cells and declared facts, each about all cells."""
    entries = {
        key: [{**one, **HERE} for one in (given if isinstance(given, list) else [given])]
        for key, given in facts.items()
    }
    declaration = parse_declaration(entries)
    described = [describe(one, numbers, declaration) for one, numbers in cells]
    return PrintedPaper("paper", described, declaration)


def findings(cells, **facts):
    """The grade and kind of each finding."""
    return [(one.grade, one.kind) for one in examine(paper(cells, **facts)).findings]


def facts_of(cells, **facts):
    """The kinds of facts."""
    return [kind for grade, kind in findings(cells, **facts) if grade is Grade.FACT]


def hints_of(cells, **facts):
    """The kinds of hints."""
    return [kind for grade, kind in findings(cells, **facts) if grade is Grade.HINT]
