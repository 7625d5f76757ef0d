"""Methods, data sets and tasks that no module declares, for specs that nothing runs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from dpfair_cli.contracts.declarations import Algorithm, DataSet, DataSource, Method, Study, Task
from dpfair_cli.contracts.results import Outcome
from dpfair_cli.contracts.specs import Spec


def method(
    name: str,
    params: Mapping[str, Any] | None = None,
    label: str = "",
    published: str = "",
    **more: Any,
) -> Method:
    """A method of the algorithm with this name; its label is the name by default."""
    algorithm = Algorithm(_nothing).registered(name, "")
    return Method(algorithm, params or {}, label or name, published or label or name, **more)


def data_set(name: str, options: Mapping[str, Any] | None = None, variant: str = "") -> DataSet:
    """A data set of a source with this name."""
    return DataSet(DataSource(_nothing, note="").registered(name, ""), options or {}, variant)


def task(name: str = "classification", scores: tuple[str, ...] = (), **declared: Any) -> Task:
    """A task of a study with this name and what else it declares."""
    return Task(Study(_nothing, _nothing, scores, **declared).registered(name, ""), {})


def with_study(spec: Spec, **declared: Any) -> Spec:
    """The spec with a study that declares something else."""
    known = spec.task.study
    study = replace(known, **declared).registered(known.name, "")
    return replace(spec, task=Task(study, {}))


def _nothing(*_: Any, **__: Any) -> Outcome:
    raise AssertionError("a toy is not run")
