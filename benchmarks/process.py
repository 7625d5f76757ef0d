"""A worker process that is called one function at a time, to time another environment with ours.

A module benchmarks/there_*.py has the functions that it can be asked for. Libraries that cannot be
installed next to ours get separate environments, made on first use.
"""

from __future__ import annotations

import importlib
import json
import os
import resource
import shutil
import subprocess
import sys
import time
import venv
from collections.abc import Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
# diffprivlib needs an older scikit-learn
DIFFPRIVLIB = ("diffprivlib==0.6.6", "scikit-learn==1.6.1", "numpy<2.3", "setuptools<81")
OPACUS = "opacus==1.6.0"
INTERPRET = "interpret-core==0.7.8"
DPMM = "dpmm==0.1.9"
ENVIRONMENTS = {
    "bench": DIFFPRIVLIB,
    "bench-deep": ("-c", str(ROOT / "constraints.txt"), "-e", f"{ROOT}[deep]", OPACUS),
    "bench-jax": ("jax-privacy==2.0.0", "jax==0.10.2"),
    "bench-boosting": (INTERPRET,),
    "bench-dpmm": (DPMM,),
    "bench-scores": ("error-parity==0.3.12",),
    "bench-pc": ("pybnesian==0.5.1", "pandas"),
    "bench-embedding": ("pycleora==3.2.*", "scikit-network==0.33.*"),
}

# a program that runs a command, and prints on stderr the peak memory of its largest process in GB
PEAK = (
    "import resource, subprocess, sys; subprocess.run(sys.argv[1:], check=True); "
    "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1e6, file=sys.stderr)"
)


class NotInstalledError(Exception):
    """The error that an environment cannot be made; the message is what pip says."""


def python_of(name: str) -> Path:
    """The interpreter of an environment of `ENVIRONMENTS`, which is made on first use.

    Raises:
        NotInstalledError: it cannot be made.
    """
    return python_with(ROOT / f".venv-{name}", ENVIRONMENTS[name])


def python_with(home: Path, requirements: Sequence[str]) -> Path:
    """The interpreter of the environment in the folder `home`, which is made on first use.

    Raises:
        NotInstalledError: pip cannot install the requirements; the folder is then removed.
    """
    python, made = home / "bin" / "python", home / "made"
    if made.exists():
        return python
    venv.create(home, with_pip=True, clear=True)
    done = subprocess.run(
        [str(python), "-m", "pip", "install", "--quiet", *requirements],
        stderr=subprocess.PIPE,
        text=True,
    )
    if done.returncode:
        shutil.rmtree(home)
        raise NotInstalledError(pip_errors(done.stderr))
    made.touch()
    return python


def pip_errors(printed: str) -> str:
    """The last error in what pip printed, or all of it."""
    errors = [line for line in printed.splitlines() if line.startswith("ERROR: ")]
    return errors[-1].removeprefix("ERROR: ") if errors else printed.strip()


def surroundings(*, settled: bool) -> dict[str, str]:
    """The environment variables of a process with one thread.

    `settled`: it keeps the BLAS kernel that our code settles; without, the library chooses one.
    """
    variables = dict(os.environ)
    if not settled:
        variables.pop("OPENBLAS_CORETYPE", None)
    threads = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    return variables | threads | {"PYTHONPATH": str(ROOT)}


class Process:
    """A process that calls functions of a module: `Process(python, "benchmarks.there_opacus")`."""

    def __init__(self, python: Path | str, module: str, *, settled: bool = False) -> None:
        script = f"from benchmarks import process; process.serve({module!r})"
        command = [str(python), "-W", "ignore", "-c", script]
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=surroundings(settled=settled),
        )

    def __enter__(self) -> Process:
        return self

    def __exit__(self, *_: object) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()

    def ask(self, function: str, *arguments: object) -> dict[str, Any]:
        """The result of one call: `wall` and `processor` seconds, `memory` and `found`.

        `memory` is the peak of the process so far in GB, `found` what the function returned.

        Raises:
            RuntimeError: the call failed; its traceback is on stderr.
        """
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps([function, *arguments]) + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError(f"{function}{arguments} failed in another process")
        answer: dict[str, Any] = json.loads(line)
        return answer

    def wall(self, function: str, *arguments: object) -> float:
        """Seconds of a call."""
        return float(self.ask(function, *arguments)["wall"])


def peak_memory() -> float:
    """The peak memory of this process in GB.

    On Linux, `ru_maxrss` includes the peak of the process that started this one, and VmHWM does
    not.
    """
    status = Path("/proc/self/status")
    if not status.exists():
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    facts = dict(line.split(":", 1) for line in status.read_text().splitlines())
    return int(facts["VmHWM"].split()[0]) / 1e6  # from kB


def serve(module: str) -> None:
    """Reads a call per line and answers it on a line; what the functions print goes to stderr."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    functions = importlib.import_module(module)
    for line in sys.stdin:
        name, *arguments = json.loads(line)
        wall, processor = time.perf_counter(), time.process_time()
        found = getattr(functions, name)(*arguments)
        spent = {"wall": time.perf_counter() - wall, "processor": time.process_time() - processor}
        answer = spent | {"memory": peak_memory(), "found": found}
        print(json.dumps(answer), file=answers, flush=True)
