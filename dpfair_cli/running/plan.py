"""Plans the runs of a spec: the identity and device of each run, and whether the journal has it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, Self

from dpfair_cli.contracts.declarations import DataSet, Task
from dpfair_cli.contracts.errors import DpfairError
from dpfair_cli.contracts.specs import Run, Spec
from dpfair_cli.contracts.training_context import CPU, Device
from dpfair_cli.data_access import Located
from dpfair_cli.running.journal import Journal
from dpfair_cli.running.rows import Key, Row, SettingFields, Values, device_of

VERSION = 1  # of the code that makes runs: raise it when equal fits and tasks give other rows


class PlannedRun(NamedTuple):
    """A run of a spec, and whether the journal contains the run.

    Attributes:
        run: the run.
        setting: the values that identify the run, which runs with other seeds share.
        reason: the reason why the journal lacks the run; empty if the journal has the run.
    """

    run: Run
    setting: SettingFields
    reason: str

    @property
    def key(self) -> Key:
        """The key of the run in a journal."""
        return Key(self.setting.key, self.run.seed)


class EndedRun(NamedTuple):
    """A finished or failed run, for an estimate of the time that others take.

    Attributes:
        method: the data set and the method of the run.
        setting: the setting of the run, which runs with other seeds share.
        seconds: the time that the run took.
    """

    method: str
    setting: str
    seconds: float

    @classmethod
    def of(cls, planned: PlannedRun, seconds: float = 0.0) -> Self:
        """A planned run with the time that it took; zero before it begins."""
        run = planned.run
        return cls(f"{run.dataset.name}, {run.method.name}", planned.setting.key, seconds)


def plan(
    spec: Spec, journal: Journal, located: Mapping[DataSet, Located], device: Device = CPU
) -> list[PlannedRun]:
    """All runs of a spec in order, each with whether the journal contains it.

    Networks are trained on `device`.
    """
    found = []
    for first in spec.first_runs():
        setting = SettingFields(identity(first, located[first.dataset], device))
        seeds = range(spec.seeds_of(first.method))
        found += [PlannedRun(first._replace(seed=seed), setting, "") for seed in seeds]
    # as in most commands, which then need no reasons
    if all(one.key in journal.rows for one in found):
        return found
    # a run of an older version has the same key without the versions
    known = {Key(row.setting.key_without_versions, row.seed): row for row in journal.rows.values()}
    return [one._replace(reason=_reason(one, journal, known)) for one in found]


def identity(run: Run, located: Located, device: Device = CPU) -> Values:
    """The values by which a run is found in a journal.

    The values are names, parameters, the SHA-256 of the data, the versions of all code, the device
    of a network unless it is the processor, and the seed. The path of a user's file is left out.
    """
    elsewhere = run.trains_network and not device.is_processor  # older rows have no device
    return {
        "dataset": run.dataset.name,
        "options": run.dataset.json_options,  # without the path of a user's file, which may move
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


def device_of_networks(spec: Spec, journal: Journal, wanted: Device, *, is_shown: bool) -> Device:
    """The device of the networks of an artefact: all rows that a table shows are of one device.

    Missing runs are made on the device `wanted`. If the finished runs are only shown, they may be
    of another device, unless the user wants an accelerator.

    Raises:
        DpfairError: the journal has runs of networks that were made on another device.
    """
    found = made_on(spec, journal)
    if is_shown and wanted.is_processor and len(found) == 1:  # --device was not given
        return found.pop()
    others = " and ".join(sorted(device.name for device in found - {wanted}))
    if others:
        raise DpfairError(
            f"{spec.artefact}: {journal.path} has networks that were trained on {others}, and a "
            f"table has one device: give --device {others}, or --out with another folder for "
            f"{wanted.name}"
        )
    return wanted


def made_on(spec: Spec, journal: Journal) -> set[Device]:
    """The devices on which the runs of networks in a journal were made.

    Runs of data sets or methods that the spec does not have are ignored.
    """
    # the seed decides neither the method nor the data
    runs = (run for run in spec.first_runs() if run.trains_network)
    names = {(run.dataset.name, run.method.name) for run in runs}
    if not names:  # without networks, no row needs to be looked at
        return set()
    rows = journal.rows.values()
    return {device_of(row) for row in rows if (row["dataset"], row["algorithm"]) in names}


def _reason(planned: PlannedRun, journal: Journal, known: Mapping[Key, Row]) -> str:
    """The reason why a journal lacks a run, of which it may have `known` older versions."""
    if planned.key in journal.rows:  # some of the runs of the plan are there
        return ""
    row = planned.setting.values
    old = known.get(Key(planned.setting.key_without_versions, planned.run.seed))
    if old is None:
        return "not run yet"
    # before the versions: the same code gives other digits there
    if device_of(old) != device_of(row):
        return f"made on the device {device_of(old).name}"
    if old["data"] != row["data"]:
        return "the data changed"
    names = {"dataset": row["dataset"], "task": row["task"], "algorithm": row["algorithm"]}
    changed = [
        kind for kind, version in row["versions"].items() if old["versions"].get(kind) != version
    ]
    return ", ".join(f"{names.get(kind, 'dpfair')} has a new version" for kind in changed)
