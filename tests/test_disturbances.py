"""Full disks, limits, closed streams and signals: no half file, and the next try works.

Each case runs the command in a process, or in a fork of this one. The user's own files stay as they
were to the byte.
"""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from dpfair_cli.commands import main
from tests.commands.invoking import snapshot, works
from tests.commands.material import DOMAIN, PUBLIC, people, write
from tests.forking import begun, exit_code

COMMAND = [sys.executable, "-m", "dpfair_cli"]
WITH_WORKERS = (  # one worker process starts as two do
    "from dpfair_cli.running import pool; pool.forks = lambda: False; begin = pool._local;"
    "pool._local = lambda size, shared: begin(1, shared);"
    "from dpfair_cli.commands import main; main()"
)
TRAIN = ("train", "own.csv", *PUBLIC, "--method", "pflr", "--seed", "1", "--save")
SWEEP = ("sweep", "own.csv", *PUBLIC, "--method", "pflr", "--runs", "2", "--out", "out")
TRAIN_TREE = ("train", "own.csv", *PUBLIC, "--method", "tree_augmented_records", "--seed", "1")
WRITERS = {
    "train": (*TRAIN, "out/model.json", "--force"),
    "predict": ("predict", "model.json", "own.csv", "--out", "out/decisions.csv", "--force"),
    "sample": ("sample", "tree.json", "--rows", "2000", "--out", "out/made.csv", "--force"),
    "domain": ("domain", "own.csv", "--label", "rich", "--out", "out/own.yaml", "--force"),
    "sweep": (*SWEEP, "--jobs", "1", "--eps", "1"),
    "figure": (*SWEEP, "--jobs", "1", "--eps", "1,10"),
}
every_writer = pytest.mark.parametrize("name", ["train", "predict", "sample", "domain", "sweep"])


@pytest.fixture(scope="module")
def material(tmp_path_factory):
    """The user's files, and the bytes that each command writes undisturbed."""
    folder = tmp_path_factory.mktemp("material")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        write("own.csv", people())
        Path("domain.yaml").write_text(DOMAIN)
        works(*TRAIN, "model.json")
        works(*TRAIN_TREE, "--save", "tree.json")
        inputs = snapshot(".")
        whole = {}
        for name, arguments in WRITERS.items():
            Path("out").mkdir()
            works(*arguments)
            whole[name] = snapshot("out")
            Path("out").rename(f"done-{name}")
    return inputs, whole


@pytest.fixture
def inputs(material, tmp_path, monkeypatch):
    """A working folder with the user's files and an empty folder `out`."""
    monkeypatch.chdir(tmp_path)
    for path, content in material[0].items():
        path.write_bytes(content)
    Path("out").mkdir()
    return material[0]


def disturbed(name, shell):
    """The ended process of a command that a shell starts."""
    command = ["bash", "-c", shell, "bash", *COMMAND, *WRITERS[name]]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def forked(name):
    """The exit code and stderr of a command in a fork of this process."""
    pid = begun(lambda: main(WRITERS[name]), errors="stderr")
    return exit_code(pid), Path("stderr").read_text()


def limited(name, size):
    """The exit code and stderr of a command in a fork that must not write larger files than this.

    Its stderr is a pipe, to which the limit does not apply.
    """

    def with_limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
        main(WRITERS[name])

    reader, writer = os.pipe()
    pid = begun(with_limit, errors=f"/dev/fd/{writer}")
    os.close(writer)
    with os.fdopen(reader) as said:
        return exit_code(pid), said.read()


def assert_nothing_is_lost(name, stderr, inputs, whole, old=()):
    """The user's files are unchanged, and each file that a command wrote is whole."""
    assert "Traceback" not in stderr
    assert {path: path.read_bytes() for path in inputs} == inputs
    for path, content in snapshot("out").items():
        if path.name == "runs.jsonl":
            assert all(map(json.loads, content.decode().split("\n")[:-1]))
        elif path.name != ".runs.lock":
            assert content in (whole[name][path], *old), path


def assert_the_next_try_works(name, whole):
    works(*WRITERS[name])
    assert snapshot("out") == whole[name]


def last_line(stderr):
    return stderr.splitlines()[-1]


@pytest.fixture
def small_disk(inputs):
    """A function that makes `out` a disk of some size in bytes."""

    def resized(size, *also):
        words = ",".join([f"size={size}", *also])
        command = ["mount", "-t", "tmpfs", "-o", words, "tmpfs", "out"]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    tried = resized(4096)
    if tried.returncode:
        pytest.skip(f"a small disk can be mounted by root only: {tried.stderr.strip()}")
    yield lambda size: resized(size, "remount")
    subprocess.run(["umount", "-l", "out"], check=True)


@pytest.mark.parametrize(
    ("name", "size"), [("sample", 8192), ("sweep", 8192), ("sweep", 16384), ("figure", 90112)]
)
def test_a_full_disk_leaves_no_half_file(name, size, small_disk, inputs, material):
    small_disk(size)
    code, stderr = forked(name)
    assert code == 3, stderr
    assert "No space left on device: delete files to make room" in last_line(stderr)
    assert_nothing_is_lost(name, stderr, inputs, material[1])
    small_disk(10_000_000)
    assert_the_next_try_works(name, material[1])


@pytest.mark.parametrize(
    ("name", "size"), [("train", 500), ("predict", 300), ("sample", 5000), ("domain", 100)]
)
def test_a_file_that_must_not_be_so_large_is_not_begun(name, size, inputs, material):
    (old,) = (path for path in material[1][name] if not path.name.endswith(".card.md"))
    old.write_bytes(b"good")
    code, stderr = limited(name, size)
    assert code == 3, stderr
    assert f"cannot use {old}: File too large" in last_line(stderr)
    assert snapshot("out") == {old: b"good"}
    assert_nothing_is_lost(name, stderr, inputs, material[1], old=[b"good"])
    assert_the_next_try_works(name, material[1])


@pytest.mark.parametrize("name", ["train", "sweep"])
def test_a_closed_standard_output_loses_no_file(name, inputs, material):
    ended = disturbed(name, 'exec "$@" >&- 2>&- <&-')
    assert ended.returncode == 0
    assert snapshot("out") == material[1][name]


def test_workers_start_without_a_standard_output(inputs, material):
    command = ["bash", "-c", 'exec "$@" --jobs 2 >&-', "bash", sys.executable, "-c", WITH_WORKERS]
    ended = subprocess.run([*command, *WRITERS["sweep"]], stderr=subprocess.PIPE, check=False)
    assert ended.returncode == 0, ended.stderr
    assert snapshot("out") == material[1]["sweep"]


@pytest.mark.parametrize("name", ["predict", "figure"])
def test_a_reader_that_stops_loses_no_file(name, inputs, material):
    ended = disturbed(name, '"$@" | true')
    assert "Traceback" not in ended.stderr
    assert snapshot("out") == material[1][name]


@every_writer
def test_a_signal_loses_no_file_and_does_not_stop_the_next_try(name, inputs, material):
    began = time.monotonic()
    assert exit_code(begun(lambda: main(WRITERS[name]))) == 0
    seconds = time.monotonic() - began
    for number, share in ((signal.SIGINT, 0.5), (signal.SIGTERM, 0.7), (signal.SIGKILL, 0.9)):
        code, stderr = signalled(name, number, share * seconds)
        assert code in (0, 130, -number), stderr
        assert_nothing_is_lost(name, stderr, inputs, material[1])
    assert_the_next_try_works(name, material[1])


def signalled(name, number, seconds):
    """The exit code and stderr of a command that gets a signal after some time: a fork of this
    process, which has everything imported, so that the signal falls on work.
    """

    def listening():
        signal.signal(signal.SIGINT, signal.default_int_handler)
        main(WRITERS[name])

    pid = begun(listening, errors="stderr")
    time.sleep(seconds)
    os.kill(pid, number)
    return exit_code(pid), Path("stderr").read_text()


def test_an_interrupt_while_the_command_is_imported_is_one_line(inputs):
    ended = stopped_import("click", "KeyboardInterrupt")
    assert (ended.returncode, ended.stderr) == (130, "Error: interrupted\n")


def test_a_library_without_memory_is_one_line(inputs):
    ended = stopped_import("scipy", "ImportError('x.so: failed to map segment from shared object')")
    assert ended.returncode == 3
    assert last_line(ended.stderr).startswith("Error: not enough memory: close other programs")
    assert "Traceback" not in ended.stderr


def stopped_import(library, error):
    """The ended process of a training in which the import of a library raises an error."""
    code = (
        "import sys\n"
        "class Finder:\n"
        "    def find_spec(self, name, *_):\n"
        f"        if name == {library!r}: raise {error}\n"
        "sys.meta_path.insert(0, Finder())\n"
        "from dpfair_cli.__main__ import main; main()"
    )
    command = [sys.executable, "-c", code, *WRITERS["train"]]
    return subprocess.run(command, capture_output=True, text=True, check=False)
