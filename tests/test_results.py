"""The committed results are what the journals give, and the journals are what the code gives, to
the last digit.
"""

import json
import re
import shutil
import socket
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from PIL import Image

from dpfair_cli.commands import main
from dpfair_cli.commands.reproduce import PICTURED
from dpfair_cli.provenance import arithmetic
from dpfair_cli.reproduction.artefact import Artefact
from dpfair_cli.reproduction.runs import RunOptions
from dpfair_cli.running import artefact_names, spec
from dpfair_cli.running.rows import Row, line
from dpfair_cli.verdicts.cells.judging import RECORD_COUNTS, TIMES
from dpfair_cli.verdicts.cells.published import read_published_cells
from dpfair_cli.verdicts.deviations.deviation import (
    DeviationKind,
    datasets_not_run,
    read_deviations,
)
from tests.committed_sample import ROWS, committed_rows, gaps_above_tolerance, is_graph, run_again
from tests.paper_facts import is_within
from tests.rendered_results import DRAWN_AGAIN, FOLDERS, PAPERS, RESULTS, printed_text, rendered

ROOT = Path(__file__).parent.parent
MADE = {name: folder for name, folder in FOLDERS.items() if not spec.load(name).is_reanalysis}
TABLE = {"check.md", "table.md", "table.csv", "table.tex"}
FIGURE = {"check.md", "figure.png", "figure.csv"}
JOURNAL = {"runs.jsonl"}  # of an artefact with runs
PRINTED = {"printed-light.svg", "printed-dark.svg"}  # of the table that the README shows
IGNORED = {"runs.jsonl.old", "figure.pdf"}  # by git
DIFFERENCE = {"difference.png"}  # of an artefact with compared cells
PICTURES = sorted(
    path
    for path in [*RESULTS.glob("*.png"), *RESULTS.glob("*/*/*.png")]
    if (path.parent == RESULTS or path.relative_to(RESULTS).parts[0] in PAPERS)
)
TEXTS = [
    path
    for path in sorted(RESULTS.rglob("*"))
    if path.suffix in {".md", ".csv", ".tex", ".jsonl"}
    and (path.parent == RESULTS or path.relative_to(RESULTS).parts[0] in PAPERS)
]
# each pattern begins with a fixed sign, which re finds fast, and then looks at what is before it
DATE = re.compile(r"-(?<=\b(?:19|20)\d\d-)[01]\d-[0-3]\d\b")
TIME = re.compile(r":(?<=\b[0-2]\d:)[0-5]\d:[0-5]\d\b")
FOREIGN = re.compile(r"/(?<![\w/.]/)(home|root|work|tmp|Users|mnt|var|opt|usr)/")
DRIVE = re.compile(r":(?<=[A-Z]:)\\\\")
HOST = socket.gethostname()
IDENTITY = [
    "dataset",
    "options",
    "data",
    "task",
    "protocol",
    "algorithm",
    "params",
    "versions",
    "seed",
]

pytestmark = pytest.mark.skipif(
    not FOLDERS, reason="there are no committed results: run `dpfair reproduce`"
)


def declared(artefact):
    """The data sets that deviations.yaml says the artefact was not run on."""
    paper, name = artefact.split("/")
    found = read_deviations(ROOT / "experiments" / paper / "deviations.yaml")
    return set(datasets_not_run(name, found))


def compared(artefact):
    """Whether a published cell of the artefact is compared: neither a time nor a number of records,
    and run by the paper's protocol, and not recomputed from the authors' files.
    """
    paper, name = artefact.split("/")
    folder = ROOT / "experiments" / paper
    absent = [
        one
        for one in read_deviations(folder / "deviations.yaml")
        if (one.not_run or one.kind is DeviationKind.PROTOCOL) and name in one.artefact
    ]
    recomputed = spec.load(artefact).recomputes
    return not recomputed and any(
        cell.artefact == name
        and cell.metric not in (*TIMES, *RECORD_COUNTS)
        and not any(is_within(cell, one.covers) for one in absent)
        for cell in read_published_cells(folder / "published.csv")
    )


def assert_says_not_when_or_where(path):
    text = path.read_text(encoding="utf-8")
    assert not DATE.search(text), path
    assert not TIME.search(text), path
    assert not FOREIGN.search(text), path
    assert not DRIVE.search(text), path
    if any(letter.isdigit() for letter in HOST):  # a name that is no word
        assert HOST not in text, path


def test_every_artefact_with_a_spec_has_results_or_a_reason_for_none():
    without = {
        name
        for name in artefact_names.artefacts()
        if set(spec.load(name).dataset_names) <= declared(name)
    }
    assert (
        set(artefact_names.artefacts()) - without <= set(FOLDERS) <= set(artefact_names.artefacts())
    )


def test_every_file_of_an_artefact_is_there_and_nothing_else():
    for artefact, folder in FOLDERS.items():
        wanted = FIGURE if "/figure" in artefact else TABLE
        wanted = wanted | (DIFFERENCE if compared(artefact) else set())
        wanted |= JOURNAL if artefact in MADE else set()
        wanted |= PRINTED if artefact == PICTURED else set()
        assert {path.name for path in folder.iterdir()} - IGNORED == wanted, artefact


@pytest.mark.parametrize("paper", sorted(PAPERS))
def test_every_line_of_a_journal_is_a_run_with_all_scores(paper):
    for artefact in MADE:
        if artefact.startswith(f"{paper}/"):
            assert_rows_are_runs(FOLDERS[artefact] / "runs.jsonl")


def assert_rows_are_runs(journal):
    lines = journal.read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    assert len(
        {json.dumps({name: row[name] for name in IDENTITY}, sort_keys=True) for row in rows}
    ) == len(rows)
    for row in rows:
        assert list(row)[: len(IDENTITY)] == IDENTITY
        assert set(row) - set(IDENTITY) <= {"scores", "curves", "outputs", "crc32"}
        curves = row.get("curves", {}).values()
        assert len({len(curve) for curve in curves}) <= 1  # all have the same points
        assert all(
            score is None or isinstance(score, float | int) for score in row["scores"].values()
        )
        assert all(
            point is None or isinstance(point, float | int | str)
            for curve in curves
            for point in curve
        )


def test_no_text_says_when_where_or_by_whom_it_was_made():
    assert TEXTS
    for path in TEXTS:
        assert_says_not_when_or_where(path)


def test_all_differences_are_beside_the_report():
    assert (RESULTS / "differences.png").is_file()


def test_no_picture_carries_a_date_or_a_path():
    assert PICTURES
    for path in PICTURES:
        content = path.read_bytes()
        for mark in (
            b"tIME",
            b"Creation Time",
            b"date:create",
            str(ROOT).encode(),
        ):
            assert mark not in content, path


@pytest.fixture(scope="module")
def copies(tmp_path_factory, real_data):
    """The committed results, rendered again."""
    return rendered(tmp_path_factory, real_data)


@pytest.fixture(scope="module", params=MADE)
def found(request, real_data):
    """A committed artefact with runs: pytest runs the tests of one before those of the next."""
    options = RunOptions(data_dir=real_data, out=RESULTS, collect=True)
    return Artefact(spec.load(request.param), options)


def test_a_journal_holds_every_run_of_its_spec_and_no_other(found):
    assert found.missing_runs == 0
    planned = dict.fromkeys(pending.key for pending in found.runs.planned)
    assert list(found.runs.journal.rows) == [
        key for key in planned if key in found.runs.journal.rows
    ]


def test_a_fixed_sample_of_runs_gives_exactly_the_committed_scores_again(found):
    rows = run_again(found)
    if not rows:
        pytest.skip("its runs are long, or its data are not here: run it again with --fresh")
    committed = [*committed_rows(found).values()]
    if not arithmetic.unsettled():
        assert [line(Row.of(row)) for row in rows.values()] == [
            line(Row.of(row)) for row in committed
        ]
    else:
        print(arithmetic.unsettled())
        assert len(gaps_above_tolerance(rows.values(), committed)) <= ROWS // 3 * is_graph(
            committed[0]
        )


@pytest.fixture(scope="module")
def printed(copies):
    """What `dpfair reproduce --collect` says of the copies."""
    return printed_text(copies)


def test_published_differences_and_causes_belong_together(printed):
    assert "not in deviations.yaml" not in printed
    assert "not borne by its evidence" not in printed
    assert "not needed in deviations.yaml" not in printed


def test_what_is_printed_of_all_papers_fits_a_screen(printed):
    lines = printed.splitlines()
    assert len(lines) <= 24  # of a screen; a proof, which needs runs, adds three
    assert max(map(len, lines[:-1])) <= 100  # the last one has a path


@pytest.mark.usefixtures("printed")
def test_every_text_is_what_its_journal_gives(copies):
    texts = [
        (copies / artefact / path.name, path)
        for artefact, folder in FOLDERS.items()
        for path in folder.iterdir()
        if path.suffix in {".md", ".csv", ".tex", ".jsonl"}
    ]
    assert texts
    assert [path for ours, path in texts if ours.read_bytes() != path.read_bytes()] == []


@pytest.mark.usefixtures("printed")
@pytest.mark.parametrize("artefact", DRAWN_AGAIN)
def test_a_committed_picture_is_what_the_code_draws(copies, artefact):
    for png in FOLDERS[artefact].glob("*.png"):
        with Image.open(png) as committed, Image.open(copies / artefact / png.name) as ours:
            assert np.array_equal(committed, ours), f"{png}: raise LOOK of style.py, or its look"


@pytest.mark.usefixtures("printed")
def test_the_page_of_all_artefacts_has_at_most_five_megabytes(copies):
    page = copies / "report.html"
    assert page.stat().st_size <= 5_000_000
    assert_says_not_when_or_where(page)


@pytest.mark.usefixtures("printed")
def test_the_page_of_all_artefacts_has_at_most_forty_thousand_elements(copies):
    page = (copies / "report.html").read_text(encoding="utf-8")
    text = re.sub("<script.*?</script>", "", page, flags=re.DOTALL)
    assert len(re.findall(r"<[a-z]", text)) <= 40_000  # Chromium lays them out within a second


def test_committed_results_are_checked_without_the_data(tmp_path, monkeypatch):
    monkeypatch.setenv("DPFAIR_DATA", str(tmp_path / "none"))
    shutil.copytree(RESULTS / "xu2021" / "table8.1", tmp_path / "xu2021" / "table8.1")
    shutil.copy(RESULTS / "xu2021" / "rule.json", tmp_path / "xu2021")
    result = CliRunner().invoke(main, ["check", "xu2021/table8.1", "--out", str(tmp_path)])
    assert result.exit_code == 0
    page = (RESULTS / "xu2021" / "table8.1" / "check.md").read_text(encoding="utf-8")
    (counts,) = re.findall(r"^(.+) \(of 20 published cells\)\.$", page, flags=re.MULTILINE)
    printed = {tuple(line.split()[:2]) for line in result.stdout.splitlines()}
    for verdict, count in re.findall(r"(reproduced|consistent|undecided): (\d+)", counts):
        assert (verdict, count) in printed
