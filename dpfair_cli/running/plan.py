"""Plans the runs of a spec: the identity of each run, and whether the journal has the run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from dpfair_cli.contracts.devices import CPU, Device
from dpfair_cli.contracts.resolved import DataSet, Task
from dpfair_cli.contracts.specs import Run, Spec
from dpfair_cli.data_access.locating import Located
from dpfair_cli.running.journal import Journal, Row, device_of, key, seeded_keys

VERSION = 1  # of the code that makes runs: raise it when equal fits and tasks give other rows


class PlannedRun(NamedTuple):
    """A run of a spec, and whether the journal contains the run."""

    run: Run
    """The run."""

    row: Row
    """The row of the run in the journal, without results."""

    key: str
    """The key of the row."""

    reason: str
    """The reason why the journal lacks the run; empty if the journal has the run."""


def plan(
    spec: Spec, journal: Journal, located: Mapping[DataSet, Located], device: Device = CPU
) -> list[PlannedRun]:
    """All runs of a spec in order, each with its key and whether the journal contains it.

    Networks are trained on `device`.
    """
    keyed = []
    for setting in spec.settings():
        row = identity(setting.run(0), located[setting.dataset], device)
        keys = seeded_keys(row)
        keyed += [
            (setting.run(seed), row | {"seed": seed}, keys.of(seed))
            for seed in range(setting.seeds)
        ]
    complete = all(name in journal.rows for _, _, name in keyed)
    known = {} if complete else {key_without_versions(row): row for row in journal.rows.values()}
    return [
        PlannedRun(run, row, name, "" if name in journal.rows else _reason(row, known))
        for run, row, name in keyed
    ]


def identity(run: Run, located: Located, device: Device = CPU) -> Row:
    """The values by which a run is found in a journal.

    The values are names, parameters, the SHA-256 of the data, the versions of all code, the device
    of a network unless it is the processor, and the seed. The path of a user's file is left out.
    """
    elsewhere = run.trains_network and not device.is_processor
    return {
        "dataset": run.dataset.name,
        "options": run.dataset.json_options,
        "data": located.sha256,
        "task": run.task.name,
        "protocol": protocol_in_row(run.task),
        "algorithm": run.method.name,
        "params": run.method.json_params,
        "versions": versions(run),
        **({"device": device.name} if elsewhere else {}),
        "seed": run.seed,
    }


def protocol_in_row(task: Task) -> dict[str, Any]:
    """The parameters of a task that identify a run, as JSON values.

    Parameters in `optional_in_rows` of the study are left out while they have their defaults.
    """
    study = task.study
    left_out = {
        name
        for name in study.optional_in_rows
        if task.protocol[name] == study.parameters[name].default
    }
    return {name: value for name, value in task.json_protocol.items() if name not in left_out}


def versions(run: Run) -> dict[str, int]:
    """The versions of all code that can change a row; experiments/lock.json has their digests."""
    return {
        "running": VERSION,
        "dataset": run.dataset.source.version,
        "task": run.task.study.version,
        "algorithm": run.method.algorithm.version,
    }


def key_without_versions(row: Row) -> str:
    """The key of a run, made from `row` without identity of the data, code versions and device."""
    left_out = ("data", "versions", "device")
    return key({name: value for name, value in row.items() if name not in left_out})


def _reason(row: Row, known: Mapping[str, Row]) -> str:
    """The reason why a journal, with the rows `known`, does not contain the run of `row`."""
    old = known.get(key_without_versions(row))
    if old is None:
        return "not run yet"
    if device_of(old) != device_of(row):
        return f"made on the device {device_of(old).name}"
    if old["data"] != row["data"]:
        return "the data changed"
    names = {"dataset": row["dataset"], "task": row["task"], "algorithm": row["algorithm"]}
    changed = [
        kind for kind, version in row["versions"].items() if old["versions"].get(kind) != version
    ]
    return ", ".join(f"{names.get(kind, 'dpfair')} has a new version" for kind in changed)
