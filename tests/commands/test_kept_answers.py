"""A check whose files are unchanged prints the kept answer; every change makes it decide again."""

from __future__ import annotations

from pathlib import Path
from shutil import copytree

import click
import pytest

from dpfair_cli.commands import check_checksums, check_papers, kept_answers
from dpfair_cli.commands.kept_answers import Answer, digest_of, keep, kept
from dpfair_cli.contracts import kept_files
from dpfair_cli.contracts.devices import Device
from dpfair_cli.running.progress import bar
from tests.commands.invoking import ROOT, dpfair, mistake

PAPER = "demelius2025"
AGAIN = "no file has changed since this check: --fresh decides again"


@pytest.fixture
def cache(tmp_path, monkeypatch):
    """A folder for kept answers."""
    monkeypatch.setenv("DPFAIR_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def checks(tmp_path, monkeypatch, cache):
    """A project with one committed paper; the result lists the artefacts that were decided."""
    for kind in ("experiments", "results"):
        copytree(ROOT / kind / PAPER, tmp_path / kind / PAPER)
    monkeypatch.chdir(tmp_path)
    decided, judged = [], check_papers.judged

    def spy(artefacts, options):
        decided.append(len(artefacts))
        return judged(artefacts, options)

    monkeypatch.setattr(check_papers, "judged", spy)
    return decided


def test_an_unchanged_check_prints_the_same_and_decides_nothing(checks):
    first, second = dpfair("check", PAPER), dpfair("check", PAPER)
    assert (second.stdout, second.exit_code) == (first.stdout, first.exit_code)
    assert first.stdout
    assert AGAIN in second.stderr
    assert AGAIN not in first.stderr
    assert len(checks) == 1


def test_a_link_to_a_missing_file_is_no_file_of_a_paper(checks):
    Path("experiments", PAPER, ".#table1.yaml").symlink_to("nowhere")
    assert dpfair("check", PAPER).stdout
    assert len(checks) == 1


def test_json_is_another_answer_than_text(checks):
    dpfair("check", PAPER)
    found = dpfair("check", PAPER, "--json")
    assert found.stdout.startswith("{")
    assert dpfair("check", PAPER, "--json").stdout == found.stdout
    assert len(checks) == 1  # both are made from what was found about the paper


def test_fresh_decides_again(checks):
    dpfair("check", PAPER)
    assert AGAIN not in dpfair("check", PAPER, "--fresh").stderr
    assert len(checks) == 2


@pytest.mark.parametrize("name", ["published.csv", "claims.yaml", "deviations.yaml"])
def test_a_changed_file_of_the_paper_is_noticed(checks, name):
    dpfair("check", PAPER)
    file = Path("experiments", PAPER, name)
    file.write_text(file.read_text() + "\n")
    dpfair("check", PAPER)
    assert len(checks) == 2


def test_a_changed_journal_is_noticed_although_its_size_and_time_are_the_same(checks):
    assert dpfair("check", PAPER).exit_code == 0
    file = next(Path("results", PAPER).rglob("runs.jsonl"))
    content = file.read_bytes()
    file.write_bytes(content.replace(b"0", b"1", 1))
    assert mistake("check", PAPER)


def test_a_missing_page_is_noticed(checks):
    dpfair("check", PAPER)
    next(Path("results", PAPER).rglob("check.md")).unlink()
    assert "check.md" in dpfair("check", PAPER).output
    assert len(checks) == 2


def test_an_option_that_writes_is_never_answered_from_the_cache(checks):
    for _ in range(2):
        dpfair("check", PAPER)
        assert "recorded" in dpfair("check", PAPER, "--record").stderr


@pytest.mark.usefixtures("cache")
def test_an_answer_keeps_its_text_and_exit_code(capsys):
    assert keep("key", lambda: click.echo("found\nmuch") or Answer(1)) == Answer(1)
    capsys.readouterr()
    assert kept("key", "") == Answer(1)
    assert capsys.readouterr().out == "found\nmuch\n"
    assert kept("other", "") is None


@pytest.mark.usefixtures("cache")
def test_an_answer_repeats_its_warnings_but_no_progress_bar(capsys):
    def give():
        with bar(desc="decided", total=2) as shown:
            shown.update()
            click.echo("DataWarning: odd", err=True)
        click.echo("found")
        return Answer(0)

    keep("key", give)
    capsys.readouterr()
    kept("key", AGAIN)
    printed = capsys.readouterr()
    assert printed.out == "found\n"
    assert printed.err.splitlines() == ["DataWarning: odd", AGAIN]


def test_a_check_repeats_what_it_said_of_a_device(checks, monkeypatch):
    monkeypatch.setattr(check_checksums, "_compared_by_verdict", lambda artefact: "by verdict")
    monkeypatch.setattr(Device, "is_processor", property(lambda device: False))
    monkeypatch.setattr(Device, "require", lambda device: None)
    first, second = dpfair("check", PAPER), dpfair("check", PAPER)
    assert "by verdict" in first.stderr
    assert second.stderr.replace(f"{AGAIN}\n", "") == first.stderr
    assert len(checks) == 1


@pytest.mark.usefixtures("cache")
def test_an_answer_about_files_of_the_user_is_not_kept():
    keep("key", lambda: Answer(0, is_lasting=False))
    assert kept("key", "") is None


@pytest.mark.usefixtures("cache")
def test_an_error_is_not_kept():
    def fail():
        raise click.ClickException("no")

    with pytest.raises(click.ClickException):
        keep("key", fail)
    assert kept("key", "") is None


@pytest.mark.usefixtures("cache")
@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"text": 1}', b'{"code": 0}'])
def test_a_damaged_answer_is_none(content):
    kept_files.keep("answers", "key", content, most=1)
    assert kept("key", "") is None


def test_a_cache_that_cannot_be_written_loses_no_answer(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("DPFAIR_CACHE", str(tmp_path / "file"))
    assert keep("key", lambda: Answer(0)) == Answer(0)
    assert kept("key", "") is None


def test_only_the_latest_answers_are_kept(cache):
    for number in range(kept_answers.MOST + 5):
        keep(f"key{number}", lambda: Answer(0))
    assert len(list((cache / "answers").glob("*"))) == kept_answers.MOST


@pytest.mark.usefixtures("cache")
def test_a_digest_covers_names_contents_and_the_request(tmp_path):
    (tmp_path / "a").mkdir()
    (tmp_path / "a/one").write_text("1")
    digests = [digest_of([tmp_path / "a"], "request")]
    assert digest_of([tmp_path / "a"], "request") == digests[0]
    digests.append(digest_of([tmp_path / "a"], "other request"))
    (tmp_path / "a/one").write_text("2")
    digests.append(digest_of([tmp_path / "a"], "request"))
    (tmp_path / "a/one").rename(tmp_path / "a/two")
    digests.append(digest_of([tmp_path / "a"], "request"))
    assert len({*digests}) == 4


def test_a_package_with_methods_of_its_own_keeps_no_answer(monkeypatch, tmp_path):
    from importlib import metadata

    point = metadata.EntryPoint("own", "package.module", "dpfair.algorithms")
    monkeypatch.setattr(metadata, "entry_points", lambda: metadata.EntryPoints([point]))
    assert digest_of([tmp_path], "request") == ""
