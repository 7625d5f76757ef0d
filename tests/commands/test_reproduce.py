"""dpfair reproduce: everything, then one report, then check; twice the same bytes."""

from __future__ import annotations

import hashlib
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from dpfair_cli.reproduction.artefact import Artefact
from dpfair_cli.running import pool
from tests.commands.invoking import dpfair, mistake, snapshot, works
from tests.commands.material import COMMON, PUBLISHED, TABLE, TOY


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


@pytest.mark.usefixtures("project")
def test_the_report_of_one_paper_does_not_replace_the_report_of_all():
    dpfair("reproduce", *COMMON)
    whole = Path("out/report.html").read_bytes()
    assert (
        "report: out/report-toy2020-table1.html"
        in dpfair("reproduce", "toy2020/table1", *COMMON).stdout
    )
    assert (
        "report: out/report-toy2020-e1.html" in dpfair("reproduce", "toy2020/*e1", *COMMON).stdout
    )
    assert Path("out/report.html").read_bytes() == whole


@pytest.mark.usefixtures("project")
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
    number, picture = Path("out/toy2020/paper.md").read_text().split(maxsplit=1)
    assert 0 < float(number) < 1
    assert "(figure2/figure.png)" in picture
    assert (
        "<code>paper.md</code> in <code>results/toy2020</code>"
        in Path("out/report.html").read_text()
    )


@pytest.mark.usefixtures("project")
def test_everything_twice_is_the_same_bytes():
    dpfair("reproduce", *COMMON)
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
def test_quick_runs_of_two_processes_are_those_of_one():
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


@pytest.mark.usefixtures("project")
def test_only_the_copy_of_the_report_states_the_commit():
    identity = ("-c", "user.name=a", "-c", "user.email=a@example.org")
    for arguments in (("init", "-q"), ("add", "experiments"), ("commit", "-q", "-m", "one")):
        subprocess.run(["git", *identity, *arguments], check=True)
    dpfair("reproduce", *COMMON, "--html", "copy.html")
    report, copy = (Path(name).read_text() for name in ("out/report.html", "copy.html"))
    line = subprocess.run(
        ["git", "log", "-1", "--format=%h of %cs"], check=True, capture_output=True, text=True
    ).stdout.strip()
    assert f"<b>commit:</b> {line}</span>" in copy
    assert "<b>commit:</b>" not in report
    assert "<b>checksum of the runs:</b>" in report
    assert "copy.html exists already" in mistake("reproduce", *COMMON, "--html", "copy.html")


@pytest.mark.usefixtures("project")
def test_the_report_states_the_checksum_of_the_manifest():
    dpfair("reproduce", *COMMON)
    dpfair("check", "--all", "--update-checksums", "--out", "out")
    manifest = Path("experiments/toy2020/checksums.json").read_bytes()
    assert hashlib.sha256(manifest).hexdigest()[:16] in Path("out/report.html").read_text()
