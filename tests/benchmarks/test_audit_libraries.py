"""The audits of other libraries: their page, their environments and their resumption."""

import json
import subprocess
import sys
import types

import numpy as np
import pytest

from benchmarks import audit_libraries, process
from benchmarks.audit_libraries import PAGE, audited, print_audits, rows_of, verdict_of
from benchmarks.audit_page import BROKEN, SOUND, UNCLAIMED, fixed, page, table
from benchmarks.audit_releases import FIXES, RELEASES, Fix, Release
from benchmarks.audited import Audited
from dpfair_cli.addons.foreign_audits.outcomes import ClaimedPrivacy

ROW = {
    "library": "theirs 1.0",
    "mechanism": "`mean`",
    "neighbours": "replace-one",
    "claimed": "epsilon 1",
    "found": "2, by noise",
    "looked at": "100 pairs",
    "verdict": BROKEN,
    "why": "a | in words",
    "pair": "found: neighbours cost epsilon 2",
}
LOST = "## What is shown of those that lose more than claimed"
FIXED = "## Before and after a fix"
RELEASE = Release("made-up", "1.0", "made_up")


def cells(line):
    return [cell.strip() for cell in line.strip("|").split("|")]


def draw(value, rng):
    return value + rng.integers(3)


def made_up(**changes):
    given = Audited(draw, ClaimedPrivacy(1.0), [(0, 9)], "integers", "far apart")
    return given._replace(**changes)


def test_a_broken_mechanism_is_in_both_tables_and_a_sound_one_in_the_first():
    sound = ROW | {"mechanism": "`total`", "verdict": SOUND, "pair": ""}
    first, second = page([ROW, sound], []).split(LOST)
    assert "`mean`" in first
    assert "`total`" in first
    assert "| theirs 1.0 | `mean` | found: neighbours cost epsilon 2 |" in second
    assert "`total`" not in second


def test_a_bar_or_a_line_end_in_a_text_makes_no_cell():
    lines = table(("one", "two"), [("a | b", "c\nd")]).splitlines()
    assert len(lines) == 3
    assert cells(lines[2]) == ["a / b", "c d"]


def test_a_release_that_pip_cannot_install_is_on_the_page():
    text = page([], [("theirs 2.0", "No matching distribution found for theirs==2.0")])
    assert "| theirs 2.0 | No matching distribution found for theirs==2.0 |" in text


def test_a_fix_has_the_results_of_both_releases():
    fix = Fix("theirs", "mean", "1.0", "2.0", "issue 3")
    assert fixed(fix, [ROW]) == (
        "theirs",
        "`mean`",
        "issue 3",
        "1.0: claimed epsilon 1, found 2, by noise: broken",
        "2.0: not audited",
    )


def test_every_fix_lies_between_two_audited_releases():
    audited_releases = {(release.library, release.version) for release in RELEASES}
    for fix in FIXES:
        assert {(fix.library, fix.before), (fix.library, fix.after)} <= audited_releases


@pytest.mark.parametrize(
    ("holds", "is_claimed", "verdict"),
    [(True, True, SOUND), (True, False, SOUND), (False, True, BROKEN), (False, False, UNCLAIMED)],
)
def test_a_mechanism_is_broken_only_where_its_library_claims_privacy(holds, is_claimed, verdict):
    assert verdict_of(holds=holds, is_claimed=is_claimed) == verdict


def test_a_mechanism_whose_outcomes_tell_inputs_apart_is_broken(monkeypatch):
    monkeypatch.setattr(audit_libraries, "SECONDS", 3)  # some runs suffice, also under load
    row = audited(made_up())
    assert row["verdict"] == BROKEN
    assert row["claimed"] == "epsilon 1"
    assert "pair: 0 and 9" in row["pair"] or "pair: 9 and 0" in row["pair"]


def test_a_mechanism_whose_outcomes_tell_nothing_is_sound_as_far_as_looked(monkeypatch):
    monkeypatch.setattr(audit_libraries, "SECONDS", 0.2)
    row = audited(made_up(neighbours=[(0, 0)]))
    assert row["verdict"] == SOUND
    assert row["pair"] == ""
    assert row["looked at"].endswith(" runs")


def test_a_mechanism_that_is_done_is_not_audited_again(monkeypatch, capsys):
    module = types.ModuleType("benchmarks.made_up")
    module.mechanisms = lambda: {name: made_up(why=name) for name in ("first", "second", "third")}
    monkeypatch.setitem(sys.modules, "benchmarks.made_up", module)
    monkeypatch.setattr(audit_libraries, "audited", lambda mechanism: {"why": mechanism.why})
    monkeypatch.setattr(sys, "argv", ["", "numpy", "made_up", "`second`"])
    print_audits()
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [row["why"] for row in rows] == ["first", "third"]
    assert rows[0]["library"] == f"numpy {np.__version__}"


def test_an_interrupted_run_goes_on_after_its_last_audit(monkeypatch, tmp_path):
    asked = []

    def audits_of(python, release, *, done):
        asked.append(done)
        for name in ("`first`", "`second`"):
            if name not in done:
                yield json.dumps({"mechanism": name})
                if len(asked) == 1:
                    raise KeyboardInterrupt

    monkeypatch.setattr(audit_libraries, "FOLDER", tmp_path)
    monkeypatch.setattr(audit_libraries, "fingerprint", lambda release: "same")
    monkeypatch.setattr(audit_libraries, "python_with", lambda home, requirements: home)
    monkeypatch.setattr(audit_libraries, "audits_of", audits_of)
    with pytest.raises(KeyboardInterrupt):
        rows_of(RELEASE)
    assert rows_of(RELEASE) == [{"mechanism": "`first`"}, {"mechanism": "`second`"}]
    assert asked == [[], ["`first`"]]


def install(monkeypatch, code, printed):
    """Lets pip end with this code and print this text; the calls are returned."""
    calls = []

    def run(command, **_):
        calls.append(command)
        return subprocess.CompletedProcess(command, code, "", printed)

    monkeypatch.setattr(process.subprocess, "run", run)
    monkeypatch.setattr(process.venv, "create", lambda home, **_: home.mkdir(exist_ok=True))
    return calls


def test_an_environment_is_made_once(monkeypatch, tmp_path):
    calls = install(monkeypatch, 0, "")
    for _ in range(2):
        assert process.python_with(tmp_path / "home", ["theirs==1.0"]) == (
            tmp_path / "home" / "bin" / "python"
        )
    assert len(calls) == 1
    assert calls[0][-1] == "theirs==1.0"


def test_an_environment_that_cannot_be_made_leaves_no_folder_and_says_why(monkeypatch, tmp_path):
    install(monkeypatch, 1, "WARNING: a\nERROR: no version\nERROR: No matching distribution\n")
    with pytest.raises(process.NotInstalledError, match=r"^No matching distribution$"):
        process.python_with(tmp_path / "home", ["theirs==9"])
    assert not (tmp_path / "home").exists()


def test_the_committed_page_shows_a_pair_of_every_mechanism_that_loses_more():
    first, rest = PAGE.read_text(encoding="utf-8").split(LOST)
    second = rest.split(FIXED)[0]
    rows = [cells(line) for line in first.splitlines() if line.startswith("| ") and "`" in line]
    lost = {tuple(row[:2]) for row in rows if row[6] in (BROKEN, UNCLAIMED)}
    shown = {tuple(cells(line)[:2]) for line in second.splitlines() if "pair: " in line}
    assert lost == shown
    assert {row[6] for row in rows} == {BROKEN, SOUND, UNCLAIMED}


def test_the_committed_page_has_every_release_or_says_what_pip_says():
    text = PAGE.read_text(encoding="utf-8")
    assert [release.name for release in RELEASES if f"| {release.name} |" not in text] == []
