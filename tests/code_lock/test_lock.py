"""The committed lock fits the code; changed code is locked only if committed rows stay equal."""

from dataclasses import replace
from pathlib import Path

import pytest

from dpfair_cli.contracts.errors import DpfairError
from dpfair_cli.running.rows import Row
from tests.code_lock import lock, rerun
from tests.code_lock.digest import digests
from tests.code_lock.lock import LockedCode
from tests.code_lock.rerun import Check

OLD, NEW = LockedCode(1, "0" * 16), LockedCode(1, "1" * 16)
# synthetic data: rows that can be run everywhere
NO_FILES = ["algorithms/pc", "datasets/synthetic_gaussian"]


def test_the_committed_lock_is_what_the_code_gives_now():
    committed, now = lock.read(lock.path()), lock.current()
    names = sorted(committed.keys() | now.keys())
    differ = [
        name
        for name in names
        if committed.get(name) != now.get(name) and (name in committed or has_rows(name))
    ]
    assert not differ, (
        f"the code of {', '.join(differ)} changed. If results change with it, raise the version; "
        "in both cases run `make lock`, which runs committed rows again and locks the code of "
        "those that are equal to the byte"
    )


def has_rows(name):
    """Whether a committed row depends on the code; code without rows may change at will."""
    return next(rerun.sample([name], data_dir=Path("nowhere")), None) is not None


def test_new_code_is_locked_once_a_committed_row_depends_on_it():
    assert has_rows("algorithms/pc")
    assert not has_rows("algorithms/of_a_newcomer")


def test_a_lock_is_sorted_text_with_a_line_for_each_name(tmp_path):
    file = tmp_path / "lock.json"
    lock.write({"tasks/b": OLD, "algorithms/a": LockedCode(2, "ab")}, file)
    assert file.read_text() == (
        '{\n  "algorithms/a": {"version": 2, "digest": "ab"},\n'
        '  "tasks/b": {"version": 1, "digest": "0000000000000000"}\n}\n'
    )
    assert lock.read(file) == {"tasks/b": OLD, "algorithms/a": LockedCode(2, "ab")}


def test_a_missing_lock_is_empty_and_a_damaged_one_is_named(tmp_path):
    assert lock.read(tmp_path / "lock.json") == {}
    (tmp_path / "lock.json").write_text('{"a": {"version": 1}}')
    with pytest.raises(DpfairError, match=r"lock.json must map names to"):
        lock.read(tmp_path / "lock.json")


@pytest.mark.parametrize(
    ("before", "now", "names"),
    [
        ({"a": OLD}, {"a": OLD}, []),
        ({"a": OLD}, {"a": NEW}, ["a"]),
        ({"a": OLD}, {"a": LockedCode(2, NEW.digest)}, []),
        ({}, {"a": OLD}, ["a"]),
        ({"a": OLD}, {}, ["a"]),
    ],
    ids=["the same", "moved in silence", "a new version", "new", "gone"],
)
def test_what_moved_is_what_nobody_versioned_and_what_is_new_or_gone(before, now, names):
    assert lock.moved(before, now) == names


def test_an_edit_two_imports_away_moves_a_name_unlike_documentation(tmp_path):
    package = tmp_path / "toy"
    package.mkdir()
    (package / "a.py").write_text("from toy.b import f\ndef fit(x): return f(x)")
    seen = []
    for text in (
        "def f(x): return x + 1",
        "def f(x):\n  'More.'\n  return x + 1",
        "def f(x): return x + 2",
    ):
        (package / "b.py").write_text(text)
        seen.append({"a": LockedCode(1, digests(package, [("toy.a", "fit")])["toy.a", "fit"])})
    assert lock.moved(seen[0], seen[1]) == []
    assert lock.moved(seen[0], seen[2]) == ["a"]


def test_the_addresses_of_a_file_do_not_count_and_its_path_does(tmp_path):
    package, found = tmp_path / "toy", []
    package.mkdir()
    for path, url in (("x", "old"), ("x", "new"), ("y", "new")):
        (package / "a.py").write_text(
            "class File: pass\n"
            f"FILES = (File(path={path!r}, sha256='0', size=1, urls=({url!r},)),)\n"
            "def load(folder): return folder / FILES[0].path"
        )
        found.append(
            digests(package, [("toy.a", "load")], descriptive=lock.DESCRIPTIVE)["toy.a", "load"]
        )
    assert found[0] == found[1] != found[2]


@pytest.fixture
def checked(monkeypatch):
    """A function that sets the result of running rows again; relock then runs none."""

    def say(**checks):
        monkeypatch.setattr(
            rerun, "check", lambda names, data_dir: {name: checks[name] for name in names}
        )

    return say


def relock(before, now, *accepted):
    return lock.relock(before, now, accepted=accepted, data_dir=Path())


def test_a_name_whose_rows_come_out_is_locked(checked):
    checked(a=Check(same=["row"], other=[], obstacles=[]))
    assert relock({"a": OLD}, {"a": NEW}) == (
        {"a": NEW},
        ["a: locked, 1 rows came out to the byte"],
    )


def test_a_name_whose_rows_move_keeps_its_entry_and_nothing_overrules_that(checked):
    checked(a=Check(same=["row"], other=["table1: adult, a, seed 0"], obstacles=[]))
    for accepted in ([], ["a"]):
        entries, (line,) = relock({"a": OLD}, {"a": NEW}, *accepted)
        assert entries == {"a": OLD}
        assert line == "a: raise its version: rows changed (table1: adult, a, seed 0)"


@pytest.mark.parametrize(
    "check",
    [Check([], [], []), Check(["row"], [], ["the data of adult are not in the data folder"])],
)
def test_a_name_that_cannot_be_checked_in_full_has_to_be_accepted(checked, check):
    checked(a=check)
    entries, (line,) = relock({"a": OLD}, {"a": NEW})
    assert entries == {"a": OLD}
    assert "--accept a" in line
    entries, (line,) = relock({"a": OLD}, {"a": NEW}, "a")
    assert entries == {"a": NEW}
    assert line == "; ".join(
        [f"a: locked, {len(check.same)} rows came out to the byte", *check.obstacles]
    )


def test_a_new_name_without_rows_is_locked_and_one_that_is_gone_leaves(checked):
    checked(a=Check([], [], []))
    entries, lines = relock({"b": OLD}, {"a": NEW})
    assert entries == {"a": NEW}
    assert lines[1] == "b: removed from the lock"


def test_a_raised_version_is_locked_without_a_run(checked):
    checked()
    assert relock({"a": OLD}, {"a": LockedCode(2, NEW.digest)}) == (
        {"a": LockedCode(2, NEW.digest)},
        [],
    )


def test_a_misspelt_name_to_accept_is_refused(checked):
    checked(pflr=Check([], [], []))
    with pytest.raises(
        DpfairError,
        match="--accept takes names whose code has changed, got pflt: did you mean 'pflr'",
    ):
        relock({"pflr": OLD}, {"pflr": NEW}, "pflt")


def test_a_command_with_nothing_to_do_says_so_and_changes_nothing(monkeypatch, tmp_path, capsys):
    file = tmp_path / "lock.json"
    lock.write({"a": OLD}, file)
    monkeypatch.setattr(lock, "path", lambda: file)
    monkeypatch.setattr(lock, "current", lambda: {"a": OLD})
    assert lock.main([]) == 0
    assert capsys.readouterr().out == "no code has changed\n"
    file.write_text("{")
    assert lock.main([]) == 1
    assert capsys.readouterr().err == (
        "Error: lock.json must map names to a version and a digest: restore the file with "
        "`git checkout`\n"
    )


@pytest.fixture(scope="module")
def pflr():
    return list(rerun.sample(["algorithms/pflr"], data_dir=Path("nowhere")))


def test_every_name_of_a_row_can_be_in_the_lock(pflr):
    assert all(row.names <= lock.roots().keys() for row in pflr)


def test_a_sample_has_one_row_for_each_variant_of_a_name(pflr):
    assert all("algorithms/pflr" in row.names for row in pflr)
    assert len({row.variant for row in pflr}) == len(pflr)
    assert {row.row["params"]["fairness"] for row in pflr} >= {"penalty", "drift"}


def test_rows_whose_data_are_not_here_are_an_obstacle(pflr):
    assert "the data of adult are not in the data folder" in {row.obstacle for row in pflr}
    found = rerun.check(["algorithms/pflr"], data_dir=Path("nowhere"))["algorithms/pflr"]
    assert found.same == found.other == []
    assert "the data of adult are not in the data folder" in found.obstacles


def test_a_row_comes_out_to_the_byte_or_it_does_not():
    rows = rerun.sample(["datasets/synthetic_gaussian"], data_dir=Path("nowhere"))
    row = next(row for row in rows if row.names >= set(NO_FILES))
    assert row.obstacle == ""
    assert row.comes_out()
    scores = row.row["scores"] | {"edges": -1.0}
    assert not replace(row, row=Row.of({**row.row, "scores": scores})).comes_out()
