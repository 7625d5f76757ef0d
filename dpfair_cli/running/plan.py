"""Plans the runs of a spec: the identity of each run, and whether the journal has the run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from dpfair_cli.contracts.devices import CPU, Device
from dpfair_cli.contracts.resolved import DataSet, Task
from dpfair_cli.contracts.specs import Run, Spec
from dpfair_cli.data_access.locating import Located
from dpfair_cli.running.journal import Journal
from dpfair_cli.running.rows import Key, Row, SettingFields, device_of, setting_of

VERSION = 1  # of the code that makes runs: raise it when equal fits and tasks give other rows


class PlannedRun(NamedTuple):
    """A run of a spec, and whether the journal contains the run."""

    run: Run
    """The run."""

    setting: SettingFields
    """The values that identify the run, which runs with other seeds share."""

    reason: str
    """The reason why the journal lacks the run; empty if the journal has the run."""

    @property
    def key(self) -> Key:
        """The key of the run in a journal."""
        return Key(self.setting.key, self.run.seed)


def plan(
    spec: Spec, journal: Journal, located: Mapping[DataSet, Located], device: Device = CPU
) -> list[PlannedRun]:
    """All runs of a spec in order, each with whether the journal contains it.

    Networks are trained on `device`.
    """
    found = []
    for of_spec in spec.settings():
        setting = SettingFields(identity(of_spec.run(0), located[of_spec.dataset], device))
        found += [PlannedRun(of_spec.run(seed), setting, "") for seed in range(of_spec.seeds)]
    if all(one.key in journal.rows for one in found):
        return found
    known = {
        Key(setting_of(row).key_without_versions, row.get("seed")): row
        for row in journal.rows.values()
    }
    return [one._replace(reason=_reason(one, journal, known)) for one in found]


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


def _reason(planned: PlannedRun, journal: Journal, known: Mapping[Key, Row]) -> str:
    """The reason why a journal lacks a run, of which it may have `known` older versions."""
    if planned.key in journal.rows:
        return ""
    row = planned.setting.values
    old = known.get(Key(planned.setting.key_without_versions, planned.run.seed))
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
