"""dpfair reproduce: everything, then one report, then check; twice the same bytes."""

from __future__ import annotations

import hashlib
import json
import sys
from pathlib import Path
from shutil import copytree

import pytest
import yaml

from dpfair_cli.commands import overview
from dpfair_cli.reproduction.artefact import Artefact
from dpfair_cli.running import pool, runner
from dpfair_cli.running.rows import Row, line
from tests.commands.invoking import dpfair, mistake, snapshot, works
from tests.commands.material import COMMON, PUBLISHED, TABLE, TOY


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    """A folder for the results of the project, which the first test makes for all others."""
    return tmp_path_factory.mktemp("results") / "out"


@pytest.fixture
def reproduced(project, results):
    """That project after `reproduce`."""
    if not results.exists():
        dpfair("reproduce", *COMMON)
        copytree("out", results)
    copytree(results, "out", dirs_exist_ok=True)
    return project


@pytest.mark.usefixtures("project")
def test_reproduce_makes_everything_then_one_report_then_checks():
    differing = PUBLISHED.replace("0.8,0.1", "0.1,0.0")
    Path("experiments/toy2020/published.csv").write_text(differing)
    result = dpfair("reproduce", *COMMON)
    assert result.exit_code == 1  # the cell of LR differs, and no entry covers it
    assert "report: out/report.html" in result.stdout
    page = Path("out/report.html").read_text()
    for picture in (
        "toy2020/figure2/figure.png",
        "toy2020/table1/difference.png",
        "differences.png",
    ):
        assert (Path("out") / picture).is_file()
    assert (
        page.count('<img src="data:image/webp;base64,') == 2
    )  # of all differences, and of the figure
    assert not Path("out/toy2020/figure2/difference.png").exists()  # nothing was published of it
    assert str(Path.cwd()) not in page
    for name in ("table1/table.md", "figure2/figure.png", "table1/check.md", "figure2/check.md"):
        assert (Path("out/toy2020") / name).is_file()


@pytest.mark.usefixtures("reproduced")
def test_the_report_of_one_paper_does_not_replace_the_report_of_all():
    whole = Path("out/report.html").read_bytes()
    assert (
        "report: out/report-toy2020-table1.html"
        in dpfair("reproduce", "toy2020/table1", *COMMON).stdout
    )
    assert (
        "report: out/report-toy2020-e1.html" in dpfair("reproduce", "toy2020/*e1", *COMMON).stdout
    )
    assert Path("out/report.html").read_bytes() == whole


@pytest.mark.usefixtures("reproduced")
def test_the_report_of_many_artefacts_has_a_name_that_files_may_have():
    dpfair("reproduce", *["toy2020/table1"] * 20, *COMMON)
    (report,) = Path("out").glob("report-*.html")
    assert len(report.name) < 40
    assert report.name.startswith("report-of-20-parts-")


@pytest.mark.usefixtures("project")
def test_reproduce_renders_the_pages_of_a_paper_unless_it_is_quick():
    page = Path("experiments/toy2020/paper.md")
    page.write_text('{{ ours("table1", "LR", "csv", "accuracy") }} {{ picture("figure2") }}\n')
    dpfair("reproduce", *COMMON, "--quick")
    assert not Path("out/toy2020/paper.md").exists()
    dpfair("reproduce", *COMMON)
    written = Path("out/toy2020/paper.md").read_text()
    number, picture = written.split(maxsplit=1)
    assert 0 < float(number) < 1
    assert "(figure2/figure.png)" in picture
    assert (
        "<code>paper.md</code> in <code>results/toy2020</code>"
        in Path("out/report.html").read_text()
    )
    Path("out/toy2020/paper.md").unlink()
    dpfair("reproduce", *COMMON, "--fresh")
    assert Path("out/toy2020/paper.md").read_text() == written


@pytest.mark.usefixtures("reproduced")
def test_everything_twice_is_the_same_bytes():
    first = snapshot("out")
    dpfair("reproduce", *COMMON)
    assert snapshot("out") == first
    dpfair("reproduce", "--out", "again", "--jobs", "1")
    assert {path.relative_to("again"): content for path, content in snapshot("again").items()} == {
        path.relative_to("out"): content for path, content in first.items()
    }


def _with_a_failing_method():
    """Adds a method to the table whose runs fail."""
    entry = {"name": "pdfc", "method": "PDFC", "epsilon": 1, "attribute": "height"}
    spec = TOY | {"table": TABLE, "algorithms": [*TOY["algorithms"], entry]}
    Path("experiments/toy2020/table1.yaml").write_text(yaml.safe_dump(spec))


@pytest.mark.usefixtures("project")
def test_quick_runs_of_two_processes_are_those_of_one(monkeypatch):
    monkeypatch.setattr(pool, "NOT_FORKED", set())  # another test may have imported torch
    _with_a_failing_method()
    one, two = (
        dpfair("reproduce", "--quick", "--out", "out", "--fresh", "--jobs", jobs) for jobs in "12"
    )
    files = snapshot("out")
    assert one.exit_code == two.exit_code == 3
    assert one.stderr == two.stderr
    assert one.stderr.splitlines()[-1].startswith("Error: 1 run failed, first: csv, pdfc(")
    assert Path("out/toy2020/table1/table.md") in files
    dpfair("reproduce", "--quick", "--out", "out", "--fresh", "--jobs", "1")
    assert snapshot("out") == files


@pytest.mark.skipif(sys.platform != "linux", reason="processes are forked on Linux alone")
@pytest.mark.usefixtures("project")
def test_each_process_makes_whole_artefacts_of_quick_runs(monkeypatch):
    makers = Path("makers")
    run = Artefact.run

    def noted(artefact, *rest):
        with makers.open("a") as file:
            file.write(f"{artefact.spec.artefact} {artefact.options.workers.jobs}\n")
        return run(artefact, *rest)

    monkeypatch.setattr(Artefact, "run", noted)
    monkeypatch.setattr(pool, "NOT_FORKED", set())  # another test may have imported torch
    works("reproduce", "--quick", "--out", "out", "--jobs", "2")
    assert sorted(makers.read_text().splitlines()) == ["toy2020/figure2 1", "toy2020/table1 1"]
    makers.unlink()
    works("table", "toy2020/table1", "--quick", "--out", "other", "--jobs", "2")
    assert makers.read_text() == "toy2020/table1 2\n"


@pytest.mark.usefixtures("own")
def test_a_misspelt_name_proposes_the_nearest():
    assert "unknown artefact 'xu2012': did you mean 'xu2021'?" in mistake("reproduce", "xu2012")


@pytest.mark.usefixtures("reproduced")
def test_the_report_states_the_checksum_of_the_manifest():
    dpfair("check", "--all", "--update-checksums", "--out", "out")
    manifest = Path("experiments/toy2020/checksums.json").read_bytes()
    assert hashlib.sha256(manifest).hexdigest()[:16] in Path("out/report.html").read_text()


@pytest.mark.usefixtures("project")
def test_the_first_line_says_how_many_rows_were_there_and_made_now():
    what = "2 tables and figures of 1 work"
    first, second = (works("reproduce", *COMMON).stdout.splitlines() for _ in range(2))
    assert first[0] == f"{what}: 0 rows are committed, 18 were made now"
    assert second[0] == f"{what}: 18 rows are committed, 0 were made now"
    assert not [line for line in first if line.startswith("proof")]  # all rows are of now
    assert "proof: 2 of 2 runs of 2 methods, made again now, equal the committed rows" in second
    collected = works("reproduce", "--collect", *COMMON).stdout
    assert "proof" not in collected  # makes no run


@pytest.mark.usefixtures("reproduced")
def test_a_run_that_gives_another_row_is_named_and_fails(monkeypatch):
    file = Path("out/toy2020/figure2/runs.jsonl")
    values = [json.loads(line) for line in file.read_text().splitlines()]
    for one in values:
        one.pop("crc32")
        one["scores"]["accuracy"] = 0.5
    file.write_text("".join(line(Row.of(one)) for one in values))
    for unsettled, code in (("", 1), ("another kernel", 0)):
        monkeypatch.setattr(overview.arithmetic, "unsettled", lambda why=unsettled: why)
        result = dpfair("reproduce", *COMMON)
        assert result.exit_code == code  # on another processor, the bytes are not promised
        assert "\ndifferent: toy2020/figure2: csv, FM, seed 0\n" in result.stdout
        assert ("this processor: another kernel" in result.stdout) == bool(unsettled)


@pytest.mark.usefixtures("reproduced")
def test_a_run_that_fails_now_is_named_and_fails(monkeypatch):
    def broken(*_):
        raise ValueError("no longer possible")

    monkeypatch.setattr(runner, "fit_and_score", broken)
    result = dpfair("reproduce", *COMMON)
    assert result.exit_code == 3
    assert "failed: toy2020/figure2: csv, functional_mechanism(" in result.stdout
    assert "no longer possible" in result.stdout


@pytest.mark.usefixtures("project")
def test_a_quick_trial_says_so_first_and_on_top_of_its_page():
    words = works("reproduce", "--quick", *COMMON).stdout.splitlines()
    assert words[0].startswith("QUICK trial: 6 short runs of 2 tables and figures of 1 work")
    assert len(words) == 2
    page = Path("out/report.html").read_text()
    assert "<title>QUICK trial" in page
    assert '</h1><p class="warn">QUICK trial' in page.replace("\n", "")
    assert Path("out/toy2020/table1/table.md").read_text().startswith("# Toy 2020: QUICK: A toy")
    works("reproduce", *COMMON, "--fresh")
    assert "QUICK" not in Path("out/report.html").read_text()


@pytest.mark.usefixtures("reproduced")
def test_what_a_check_lists_is_printed_on_request():
    Path("experiments/toy2020/published.csv").write_text(PUBLISHED.replace("0.8,0.1", "0.1,0.0"))
    short, long = (dpfair("reproduce", *COMMON, *more).stdout for more in ((), ("-v",)))
    assert "not in deviations.yaml: csv, LR, epsilon 1, accuracy: differs" in short
    assert "\npublished cells\n" not in short
    assert "\npublished cells\n" in long


@pytest.mark.usefixtures("reproduced")
@pytest.mark.parametrize("columns", [80, 120])
def test_the_lines_of_works_fit_the_terminal(monkeypatch, columns):
    Path("experiments/toy2020/published.csv").write_text(PUBLISHED)
    Path("experiments/toy2020/README.md").write_text("# Toy 2020: A long title" + " of words" * 20)
    monkeypatch.setattr(overview.terminal, "width", lambda: columns)
    lines = dpfair("reproduce", *COMMON).stdout.splitlines()[1:3]
    assert lines[0].startswith("Toy 2020: A long title of")
    assert lines[1].endswith("of 2")
    assert [len(one) for one in lines] == [len(one.rstrip()) for one in lines]
    assert max(map(len, lines)) <= columns
