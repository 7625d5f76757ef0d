"""The journal survives a kill in mid-write, refuses anything else it cannot read, and always ends
in the same order.
"""

import json
import lzma
import math
import os
import signal

import pytest

from dpfair_cli.contracts.conversion import as_json
from dpfair_cli.contracts.errors import DpfairError
from dpfair_cli.running import journal as journals
from dpfair_cli.running.journal import Journal
from dpfair_cli.running.rows import DamagedJournalError, Row, line
from tests.forking import begun, exit_code


def row(seed, accuracy=0.5, **other):
    return Row.of(values(seed, accuracy, **other))


def values(seed, accuracy=0.5, **other):
    return (
        {"dataset": "toy", "algorithm": "pflr", "params": {"epsilon": 1.0}, "seed": seed}
        | other
        | {"scores": {"accuracy": accuracy}}
    )


@pytest.fixture
def path(tmp_path):
    return tmp_path / "runs.jsonl"


@pytest.fixture
def three(path):
    """A journal file of three rows."""
    Journal(path).append([row(0), row(1), row(2)])
    return path


def seeds(journal):
    return [found["seed"] for found in journal.rows.values()]


def test_a_file_that_is_not_there_is_an_empty_journal(path):
    assert Journal(path).rows == {}
    assert not path.exists()


def test_what_is_appended_is_read_back(path):
    rows = [row(0, 0.25), row(1, 1.0)]
    Journal(path).append(rows)
    assert list(Journal(path).rows.values()) == rows


def test_a_row_is_one_line_of_json_with_its_keys_in_order(three):
    lines = three.read_text().splitlines()
    assert [list(json.loads(line)) for line in lines] == [
        ["dataset", "algorithm", "params", "seed", "scores", "crc32"]
    ] * 3


@pytest.fixture
def synced(path, monkeypatch):
    """The number of lines of the journal at each wait for the disk."""
    waits = []
    monkeypatch.setattr(os, "fsync", lambda _: waits.append(len(path.read_text().splitlines())))
    return waits


def test_the_first_appended_row_is_on_the_disk_at_once(path, synced):
    Journal(path).append([row(0)])
    assert synced == [1]


def test_rows_reach_the_disk_after_a_while(path, synced):
    journal = Journal(path)
    with journal.held():
        journal.append([row(0)])
        journal.append([row(1)])
    assert synced == [1, 2]


def test_an_interrupt_leaves_every_row_on_the_disk(path, synced):
    def interrupted(journal):
        with journal.held():
            journal.append([row(0)])
            journal.append([row(1)])
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted(Journal(path))
    assert synced == [1, 2]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no processes can be forked on this system")
def test_a_process_killed_right_after_an_append_loses_no_row(path):
    def append_and_die():
        journal = Journal(path)
        for seed in range(30):
            journal.append([row(seed)])
        os.kill(os.getpid(), signal.SIGKILL)

    assert exit_code(begun(append_and_die)) == -signal.SIGKILL
    assert seeds(Journal(path)) == list(range(30))


@pytest.mark.parametrize("left", [1, 20, -1])
def test_half_a_last_line_is_dropped_and_the_rest_kept(three, left):
    lines = three.read_text().splitlines(keepends=True)
    three.write_text("".join(lines[:2]) + lines[2][:left])
    assert seeds(Journal(three)) == [0, 1]


def test_a_journal_that_is_only_half_a_line_is_empty(path):
    path.write_text('{"dataset": "to')
    assert Journal(path).rows == {}


def test_reading_a_truncated_file_changes_no_byte(three):
    three.write_text(three.read_text()[:-9])
    before = three.read_bytes()
    assert seeds(Journal(three)) == [0, 1]
    assert three.read_bytes() == before


def test_appending_after_half_a_line_gives_whole_lines(three):
    three.write_text(three.read_text()[:-9])
    Journal(three).append([row(2), row(3)])
    assert seeds(Journal(three)) == [0, 1, 2, 3]
    assert len(three.read_text().splitlines()) == 4


NO_JSON = ["", "{", '{"dataset": "toy", "sco', "<<<<<<< HEAD"]
NO_RUNS = [
    "[]",
    "7",
    "null",
    '"text"',
    "{}",
    '{"scores": 1}',
    '{"scores": []}',
    '{"scores": {"accuracy": "high"}}',
    pytest.param("[" * 100_000, id="nested too deep"),
]


@pytest.mark.parametrize("line", [*NO_JSON, *NO_RUNS])
@pytest.mark.parametrize("number", [1, 2, 4])
def test_any_other_unreadable_line_is_refused_with_its_number(three, line, number):
    lines = three.read_text().splitlines()
    three.write_text("\n".join([*lines[: number - 1], line, *lines[number - 1 :]]) + "\n")
    with pytest.raises(
        DpfairError, match=rf"/runs\.jsonl: line {number} is not a valid run: "
    ) as refused:
        Journal(three)
    assert "\n" not in str(refused.value)


def test_bytes_that_are_no_text_are_refused_like_any_unreadable_line(three):
    first, *others = three.read_bytes().splitlines(keepends=True)
    three.write_bytes(first + b"\xff\xfe\x00\n" + b"".join(others))
    with pytest.raises(DpfairError, match=r"runs\.jsonl"):
        Journal(three)


def test_a_refused_journal_is_left_as_it_is(three):
    three.write_text(three.read_text() + "no run\n")
    before = three.read_bytes()
    with pytest.raises(DpfairError):
        Journal(three)
    assert three.read_bytes() == before


def test_a_score_that_is_nan_is_null_in_the_file_and_nan_again_when_read(path):
    Journal(path).append([row(0, math.nan)])
    assert '"accuracy": null' in path.read_text()
    assert "NaN" not in path.read_text()
    (found,) = Journal(path).rows.values()
    assert math.isnan(found["scores"]["accuracy"])


def test_a_nan_score_survives_being_rewritten(path):
    Journal(path).append([row(0, math.nan)])
    before = path.read_bytes()
    again = Journal(path)
    again.rewrite(again.rows)
    assert path.read_bytes() == before


def test_an_infinite_parameter_is_text_and_an_infinite_score_is_refused(path):
    params = as_json({"epsilon": math.inf, "fairness": "shift", "alpha": 1.0})
    assert params == {"epsilon": "inf", "fairness": "shift", "alpha": 1.0}
    Journal(path).append([row(0, params=params)])
    assert json.loads(path.read_text())["params"]["epsilon"] == "inf"
    with pytest.raises(ValueError, match="JSON"):
        Journal(path).append([Row(row(1).setting, 1, {"accuracy": math.inf})])


def test_a_key_is_everything_but_the_scores_in_any_order():
    assert row(0, 0.1).key == row(0, 0.9).key
    assert row(0).key == Row.of(dict(reversed(values(0).items()))).key
    changes = [
        {"seed": 1},
        {"params": {"epsilon": 1.5}},
        {"dataset": "other"},
        {"versions": {"task": 2}},
    ]
    assert len({Row.of(values(0) | change).key for change in [{}, *changes]}) == 5


def test_two_rows_of_one_run_with_other_scores_are_refused_with_the_second_line(path):
    Journal(path).append([row(0, 0.1)])
    Journal(path).append([row(1, 0.1), row(0, 0.1)])
    assert len(Journal(path).rows) == 2
    Journal(path).append([row(0, 0.9)])
    with pytest.raises(DpfairError, match="line 4 has other results than an earlier line"):
        Journal(path)


def test_nan_is_the_same_result_as_nan(path):
    for _ in range(2):
        Journal(path).append([row(0, math.nan)])
    assert len(Journal(path).rows) == 1


def test_any_changed_byte_of_a_line_is_refused(three):
    content = three.read_bytes()
    for position in range(content.index(b"\n") + 1):
        changed = bytearray(content)
        changed[position] ^= 1
        three.write_bytes(changed)
        with pytest.raises(DpfairError, match="line 1 "):
            Journal(three)


def test_rewriting_gives_the_asked_order_whatever_the_file_had(path, tmp_path):
    order = [row(seed).key for seed in (2, 0, 1)]
    contents = set()
    for number, arrival in enumerate([(0, 1, 2), (2, 1, 0), (1, 0, 2)]):
        journal = Journal(tmp_path / f"{number}.jsonl")
        for seed in arrival:
            journal.append([row(seed)])
        journal.rewrite(order)
        contents.add(journal.path.read_bytes())
    assert len(contents) == 1
    assert [json.loads(line)["seed"] for line in contents.pop().splitlines()] == [2, 0, 1]


def test_rows_of_other_specs_are_kept_behind_in_an_order_of_their_own(tmp_path):
    others, contents = [row(seed, dataset="other") for seed in range(3)], set()
    for number, arrival in enumerate([others, others[::-1]]):
        journal = Journal(tmp_path / f"{number}.jsonl")
        journal.append([*arrival, row(0)])
        journal.rewrite([row(0).key, "a run that was never made"])
        contents.add(journal.path.read_text())
    (text,) = contents
    assert [json.loads(line)["dataset"] for line in text.splitlines()] == [
        "toy",
        "other",
        "other",
        "other",
    ]


def test_rewriting_what_is_in_order_does_not_touch_the_file(three):
    journal = Journal(three)
    before = three.stat().st_mtime_ns, three.stat().st_ino
    journal.rewrite(journal.rows)
    assert (three.stat().st_mtime_ns, three.stat().st_ino) == before


def test_rewriting_leaves_the_file_whole_until_the_new_one_is_complete(three, monkeypatch):
    """Killed before the last step, the old file is there in full; there is never half a file under
    its name.
    """

    class Killed(BaseException):
        pass

    def kill(source, target):
        raise Killed

    before = three.read_bytes()
    journal = Journal(three)
    with monkeypatch.context() as patch:
        patch.setattr("pathlib.Path.replace", kill)
        patch.setattr("os.replace", kill)
        with pytest.raises(Killed):
            journal.rewrite([row(2).key])
    assert three.read_bytes() == before
    assert seeds(Journal(three)) == [0, 1, 2]
    journal.rewrite([row(2).key])
    assert seeds(Journal(three)) == [2, 0, 1]
    assert [found.name for found in three.parent.iterdir()] == ["runs.jsonl"]


@pytest.fixture
def start(tmp_path):
    """A packed journal of two rows, as an installed package brings it."""
    file = tmp_path / "start.jsonl.xz"
    file.write_bytes(lzma.compress("".join(map(line, [row(0), row(1)])).encode()))
    return file


def test_without_a_file_a_journal_begins_with_the_packed_rows(path, start):
    assert seeds(Journal(path, start)) == [0, 1]
    assert not path.exists()


@pytest.mark.parametrize("place", [0, 7, 40, -1, None])
def test_a_damaged_packed_journal_is_refused_by_its_name(path, start, place):
    content = bytearray(start.read_bytes())
    if place is None:
        del content[-9:]
    else:
        content[place] ^= 1
    start.write_bytes(content)
    with pytest.raises(DamagedJournalError, match=r"/start\.jsonl\.xz is damaged or truncated"):
        Journal(path, start)


def test_the_first_appended_row_follows_the_packed_rows(path, start):
    Journal(path, start).append([row(2)])
    assert seeds(Journal(path)) == [0, 1, 2]
    Journal(path, start).append([row(3)])
    assert seeds(Journal(path)) == [0, 1, 2, 3]


def test_a_file_that_is_there_counts_alone(three, start):
    three.write_text(line(row(7)))
    assert seeds(Journal(three, start)) == [7]


def test_a_fresh_start_is_not_undone_by_the_packed_one(path, start):
    Journal.blank(path).put_aside()  # and then a kill
    assert Journal(path, start).rows == {}


def test_a_larger_journal_that_was_put_aside_is_not_replaced(three):
    old, whole = three.with_suffix(".jsonl.old"), three.read_bytes()
    Journal.blank(three).put_aside()
    Journal(three).append([row(9)])  # and then an interrupt
    Journal.blank(three).put_aside()
    assert old.read_bytes() == whole
    assert Journal(three).rows == {}
    Journal(three).append([row(seed) for seed in range(9)])
    Journal.blank(three).put_aside()
    assert seeds(Journal(old)) == list(range(9))


def test_a_file_in_order_is_not_written_again(three, monkeypatch):
    def refuse(path, content):
        raise AssertionError(f"{path.name} was written again")

    monkeypatch.setattr(journals, "write_bytes", refuse)
    Journal(three).rewrite([row(seed).key for seed in (0, 1, 2)])
    with pytest.raises(AssertionError, match="was written again"):
        Journal(three).rewrite([row(seed).key for seed in (2, 1, 0)])


@pytest.mark.parametrize("rest", ["", "{"], ids=["a row twice", "a truncated line"])
def test_a_file_with_more_than_its_rows_is_written_again(three, rest):
    whole = three.read_text()
    three.write_text(whole + (rest or line(row(2))))
    Journal(three).rewrite([row(seed).key for seed in (0, 1, 2)])
    assert three.read_text() == whole
