"""Killed at 50 random moments, a command that is given again ends with the bytes of one that was
not.

Each victim is a fork of this process, which has everything imported: the moments fall on work, not
on imports. They are moments of its processor time, so that they fall on the same work on a busy
machine; and a signal that no handler waits for ends a process as signal 9 does.
"""

from __future__ import annotations

import hashlib
import os
import random
import signal
from pathlib import Path

import pytest
import yaml

import dpfair_cli.reporting.report  # noqa: F401 - imported here, so that no fork has to
from dpfair_cli.contracts.declarations import DataSource, File
from dpfair_cli.data_access import fetching
from dpfair_cli.running import checkpoints, runner
from tests.blank_pictures import leave_pictures_blank
from tests.commands.invoking import dpfair, snapshot
from tests.commands.material import DOMAIN, PUBLISHED, TABLE, TOY, people, write
from tests.forking import begun, exit_code

pytestmark = pytest.mark.skipif(
    not hasattr(os, "fork"), reason="no processes can be forked on this system"
)
CHAINS, KILLS = 3, 4  # of each command: folders, and kills of the work on each
LATE = 0.7  # a kill that came after the end shortens the time in which the next ones come
PAPER = Path("experiments/toy2020")
REPRODUCE = ("reproduce", "--jobs", "1", "--out")
PRIVATE_TRAINING = {
    "name": "dpsgd",
    "method": "DPSGD",
    "epsilon": [1, 10],
    "epochs": 40,
    "batch_size": 20,
}


def survive(action, finished, *, kills=KILLS, chains=CHAINS, seed=0):
    """Do `action(folder)` with kills at random moments until it has ended, and compare each folder
    with `finished`.
    """
    moments = random.Random(seed)
    action(Path("whole"))  # whatever a first time has to load
    seconds = processor_seconds(begun(lambda: action(Path("whole-again"))))
    whole = finished(Path("whole-again"))
    assert whole
    struck = 0
    for chain in range(chains):
        folder = Path(f"killed-{chain}")
        for done in range(kills):
            # a killed command goes on where it stopped: less is left for each kill
            moment = moments.uniform(0, seconds / (1 + done))
            pid = begun(lambda folder=folder, moment=moment: killed_at(moment, action, folder))
            is_struck = exit_code(pid) == -signal.SIGPROF
            struck += is_struck
            seconds *= 1 if is_struck else LATE  # it takes less time than when it was measured
        action(folder)
        found = finished(folder)
        others = {str(name) for name in {*found, *whole} if found.get(name) != whole.get(name)}
        assert not others, f"chain {chain} with seed {seed}"
    assert struck > kills * chains / 4, "hardly any kill came before the end"


def killed_at(moment, action, folder):
    """Does `action(folder)` until this process has used some seconds of a processor."""
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_PROF, max(moment, 1e-6))  # 0 would set none
    action(folder)


def processor_seconds(pid):
    """The seconds of a processor that a fork has used when it has ended."""
    _, status, used = os.wait4(pid, 0)
    assert status == 0
    return used.ru_utime + used.ru_stime


def relative(folder):
    """The bytes of every file below a folder, but for what is kept to go on from."""
    files = snapshot(folder).items()
    return {
        path.relative_to(folder): content
        for path, content in files
        if checkpoints.FOLDER not in path.parts
    }


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A working folder with a paper of a table, a figure, and networks that are trained for many
    epochs.
    """
    monkeypatch.chdir(tmp_path)
    PAPER.mkdir(parents=True)
    write("own.csv", people())
    Path("domain.yaml").write_text(DOMAIN)
    (PAPER / "published.csv").write_text(PUBLISHED)
    (PAPER / "table1.yaml").write_text(yaml.safe_dump(TOY | {"table": TABLE}))
    (PAPER / "figure2.yaml").write_text(
        yaml.safe_dump(TOY | {"lines": {"x": "epsilon", "panels": ["accuracy"]}})
    )
    monkeypatch.setattr(runner, "REPORT_SECONDS", 0.0)  # every run is on disk before the next
    leave_pictures_blank(monkeypatch)  # so that the moments fall on our work, not on matplotlib's
    return PAPER


@pytest.mark.usefixtures("project")
def test_reproduce_ends_with_the_same_bytes():
    survive(lambda folder: dpfair(*REPRODUCE, folder), relative, kills=5, seed=1)


def test_training_goes_on_from_its_checkpoints_to_the_same_bytes(project, monkeypatch):
    (project / "figure2.yaml").unlink()
    trained = TOY | {
        "task": "private_training",
        "algorithms": [PRIVATE_TRAINING],
        "seeds": 1,
        "table": TABLE,
    }
    (project / "table1.yaml").write_text(yaml.safe_dump(trained))
    monkeypatch.setattr(checkpoints, "LONG_SECONDS", 0.0)
    survive(
        lambda folder: dpfair("table", "toy2020/table1", "--jobs", "1", "--out", folder),
        relative,
        seed=2,
    )


def test_the_report_of_what_was_run_is_the_same(project):
    (project / "figure2.yaml").unlink()  # the test above draws it; the table has pictures too
    dpfair(*REPRODUCE, "source")
    journals = {
        path.relative_to("source"): path.read_bytes() for path in Path("source").rglob("runs.jsonl")
    }

    def collect(folder):
        for name, content in journals.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(content)
        dpfair("reproduce", "--collect", "--jobs", "1", "--out", folder)

    survive(collect, relative, seed=3)


def test_a_fetched_file_is_whole_or_not_there(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    content = random.Random(0).randbytes(10_000_000)
    file = File("toy/toy.csv", hashlib.sha256(content).hexdigest(), len(content), ())
    source = DataSource(load=None, note="", files=(file,)).registered("toy", "")
    Path("mirror/toy").mkdir(parents=True)
    Path("mirror/toy/toy.csv").write_bytes(content)

    def fetch(folder):
        target = folder / "toy/toy.csv"
        assert not target.exists() or target.read_bytes() == content
        fetching.fetch(source, data_dir=folder, mirror="mirror", offline=True)

    survive(fetch, relative, kills=5, seed=4)
