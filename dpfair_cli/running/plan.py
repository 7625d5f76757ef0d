"""Which runs a spec asks for, what identifies each of them, and which of them the journal has."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from dpfair_cli import catalog
from dpfair_cli.contracts.specs import Part, Run, Spec
from dpfair_cli.data_access.locating import Located
from dpfair_cli.running.journal import Journal, Row, key

VERSION = 1  # of how runs are made: raise it when the same fit and the same task give other rows


class Pending(NamedTuple):
    """A run, its row without results, that row's key, and why the journal does not have it ("" if
    it has).
    """

    run: Run
    row: Row
    key: str
    reason: str


def plan(spec: Spec, journal: Journal, located: Mapping[Part, Located]) -> list[Pending]:
    """Every run of a spec with the key it has in the journal, in order."""
    parts = {part: as_json(part.params) for part in (spec.task, *spec.datasets, *spec.algorithms)}
    rows = [(run, identity(run, located[run.dataset], parts)) for run in spec.runs()]
    keyed = [(run, row, key(row)) for run, row in rows]
    complete = all(name in journal.rows for _, _, name in keyed)
    known = {} if complete else {key_without_versions(row): row for row in journal.rows.values()}
    return [
        Pending(run, row, name, "" if name in journal.rows else _reason(row, known))
        for run, row, name in keyed
    ]


def as_json(params: Mapping[str, Any]) -> Row:
    """Parameters as JSON values: infinity is text, several values are a list."""
    return {name: _json_value(value) for name, value in params.items()}


def _json_value(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_json_value(item) for item in value]
    return "inf" if isinstance(value, float) and np.isinf(value) else value


def identity(run: Run, located: Located, params: Mapping[Part, Row]) -> Row:
    """What makes a run this run: names, every parameter, the data's SHA-256, the versions of all
    code, the seed.

    `params` holds the parameters of each part as JSON values. The path of a user's file is no part
    of it.
    """
    return {
        "dataset": run.dataset.name,
        "options": public_options(run.dataset.name, params[run.dataset]),
        "data": located.sha256,
        "task": run.task.name,
        "protocol": params[run.task],
        "algorithm": run.algorithm.name,
        "params": params[run.algorithm],
        "versions": versions(run),
        "seed": run.seed,
    }


def public_options(dataset: str, options: Mapping[str, Any]) -> Row:
    """The options of a data set but for the paths of the user's own files."""
    own_files = catalog.dataset(dataset).own_files
    return {name: value for name, value in options.items() if name not in own_files}


def versions(run: Run) -> dict[str, int]:
    """The versions of everything that can move a row, of which experiments/lock.json holds the
    digests.
    """
    return {
        "running": VERSION,
        "dataset": catalog.dataset(run.dataset.name).version,
        "task": catalog.task(run.task.name).version,
        "algorithm": catalog.algorithm(run.algorithm.name).version,
    }


def key_without_versions(row: Row) -> str:
    """What a row asks, whatever data and code answered it."""
    return key({name: value for name, value in row.items() if name not in ("data", "versions")})


def _reason(row: Row, known: Mapping[str, Row]) -> str:
    """Why a run is a miss."""
    old = known.get(key_without_versions(row))
    if old is None:
        return "not run yet"
    if old["data"] != row["data"]:
        return "the data are others"
    moved = [
        kind for kind, version in row["versions"].items() if old["versions"].get(kind) != version
    ]
    names = {
        "dataset": row["dataset"],
        "task": row["task"],
        "algorithm": row["algorithm"],
        "running": "dpfair",
    }
    return ", ".join(f"{names[kind]} is a new version" for kind in moved)
