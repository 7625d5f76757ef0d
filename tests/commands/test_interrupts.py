"""Ctrl-C: one line that says what is kept, exit code 130, no worker left; the same command then
goes on.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from dpfair_cli import commands
from dpfair_cli.catalog import Registry
from dpfair_cli.reproduction.artefact import Artefact
from tests.commands.invoking import dpfair, mistake, works
from tests.commands.material import ONE, PUBLIC
from tests.waiting import wait_until

LISTENING = (  # a shell starts what runs behind it deaf to interrupts; rows are written at once
    "import signal; signal.signal(signal.SIGINT, signal.default_int_handler);"
    "from dpfair_cli.running import runner; runner.REPORT_SECONDS = 0.0;"
    "from dpfair_cli.commands import main; main()"
)


WITHOUT_FORKS = "from dpfair_cli.running import pool; pool.forks = lambda: False;"


def has_ended(group):
    """Whether no process of a group is left."""
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return True
    return False


def has_runs(folder):
    """Whether a journal in a folder has a run: its file is there a moment before."""
    return any(path.stat().st_size for path in folder.rglob("runs.jsonl"))


@pytest.mark.usefixtures("own")
@pytest.mark.parametrize(
    ("jobs", "before", "number"),
    [
        ("1", "", signal.SIGINT),
        ("2", "", signal.SIGINT),
        ("2", WITHOUT_FORKS, signal.SIGINT),
        ("2", "", signal.SIGTERM),
    ],
    ids=["one process", "forks", "loky", "forks-SIGTERM"],
)
def test_an_interrupted_sweep_says_that_it_goes_on_and_does(jobs, before, number):
    sweep = [
        "sweep",
        "own.csv",
        *PUBLIC,
        "--eps",
        "0.01..10:8",
        "--jobs",
        jobs,
        "--out",
        "out",
        "--method",
        "pflr",
    ]
    command = [sys.executable, "-c", before + LISTENING, *sweep, "--runs", "300"]
    with subprocess.Popen(
        command, stderr=subprocess.PIPE, text=True, start_new_session=True
    ) as process:
        wait_until(lambda: has_runs(Path("out")) or process.poll() is not None)
        os.killpg(process.pid, number)  # to all of them, as a terminal does
        stderr = process.communicate()[1]
    assert process.returncode == 130, stderr
    assert (
        stderr.splitlines()[-1]
        == "Error: interrupted: finished runs are kept, run the same command again to continue"
    )
    assert "Traceback" not in stderr
    wait_until(lambda: has_ended(process.pid))
    (journal,) = Path("out").rglob("runs.jsonl")
    kept = journal.read_bytes()
    assert kept
    works(*sweep, "--runs", "1")
    assert journal.read_bytes() == kept  # it is another sweep


@pytest.mark.usefixtures("own")
def test_an_interrupted_command_that_keeps_nothing_does_not_say_so(monkeypatch):
    def interrupt(kind, name):
        raise KeyboardInterrupt

    monkeypatch.setattr(Registry, "find", interrupt)
    assert mistake("info", "pflr", code=130) == "interrupted"


@pytest.mark.usefixtures("own")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=["Ctrl-C", "SIGTERM"])
def test_an_interrupt_that_a_library_replaces_is_still_one(number, monkeypatch):
    def replace_interrupt(kind, name):
        try:
            signal.raise_signal(number)
        except KeyboardInterrupt:
            raise ValueError("Calling read(nbytes) on source failed") from None

    # a shell that starts the tests in the background has them ignore Ctrl-C
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with monkeypatch.context() as patch:
            patch.setattr(Registry, "find", replace_interrupt)
            assert mistake("info", "pflr", code=130) == "interrupted"
    finally:
        signal.signal(signal.SIGINT, before)
    works("info", "pflr")


@pytest.mark.usefixtures("own")
@pytest.mark.parametrize(("fresh", "words"), [((), ""), (("--fresh",), " without --fresh")])
def test_an_interrupt_says_how_to_continue(fresh, words, monkeypatch):
    def interrupt(artefact, tick):
        raise KeyboardInterrupt

    monkeypatch.setattr(Artefact, "run", interrupt)
    message = last_line(dpfair(*ONE, *fresh).stderr)
    assert message == (
        f"Error: interrupted: finished runs are kept, run the same command again{words} to continue"
    )


def last_line(text):
    return text.splitlines()[-1]


def test_a_character_that_the_terminal_lacks_is_replaced():
    code = "import click; from dpfair_cli.commands import main, Lazy;"
    code += "told = click.Command('x', callback=lambda: click.echo('0 \\u2264 1'));"
    code += "Lazy.get_command = lambda *_: told;"
    environment = os.environ | {"PYTHONIOENCODING": "latin-1"}
    command = [sys.executable, "-c", f"{code} main(['table'])"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "0 ? 1\n", "")


def test_an_interrupt_after_the_last_step_of_a_command_has_code_130(monkeypatch):
    invoke = commands.Lazy.invoke

    def interrupted_at_the_end(group, ctx):
        invoke(group, ctx)
        signal.raise_signal(signal.SIGTERM)

    monkeypatch.setattr(commands.Lazy, "invoke", interrupted_at_the_end)
    with pytest.raises(SystemExit) as ended:
        commands.main(["info", "datasets"])
    assert ended.value.code == 130
