"""Makes the spec of a sweep: methods over epsilon on one data set, for `dpfair sweep`."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from types import MappingProxyType
from typing import Any

from dpfair_cli import catalog, data_access
from dpfair_cli.catalog import matching
from dpfair_cli.contracts.conversion import from_mapping
from dpfair_cli.contracts.declarations import Algorithm, DataSet, Method, Study, Sweep, Task
from dpfair_cli.contracts.errors import DpfairError, nearest
from dpfair_cli.contracts.specs import Layout, Spec
from dpfair_cli.running.plan import protocol_in_row

ROWS = ["method", "epsilon"]
SUFFIXES = re.compile(r"(?<=.)(\.(csv|tsv|edges|gz|zip))+$")  # suffixes of data files
LONGEST_NAME = 48  # largest number of characters for the data or the methods in a folder's name
DIGITS = 6  # digits of the digest in a folder's name
DOTTED = "majority_class"  # every panel of accuracy shows this baseline as a dotted line
NOTHING: Mapping[str, Any] = MappingProxyType({})
MOST_LINES = 6  # largest number of lines in a panel: more bands would hide each other


@dataclass(frozen=True)
class SweepRequest:
    """The data set, the algorithms and the study (task) of a sweep over epsilon.

    Attributes:
        dataset: the data set.
        algorithms: the algorithms that the user asked for.
        references: algorithms without privacy that are added to every sweep on this kind of data.
        study: the study that scores the algorithms.
    """

    dataset: DataSet
    algorithms: tuple[Algorithm, ...]
    references: tuple[Algorithm, ...]
    study: Study

    @property
    def shows(self) -> Sweep:
        """The scores and panels that the study (task) of the sweep shows."""
        return _sweep_of(self.study)

    @property
    def every_algorithm(self) -> tuple[Algorithm, ...]:
        """The algorithms that the user asked for, and the references."""
        return (*self.algorithms, *self.references)

    def is_reference(self, method: Method) -> bool:
        """Whether a method was added to the sweep as a reference, without having been requested."""
        return method.algorithm in self.references

    def methods(self, epsilons: Sequence[float], settings: Mapping[str, Any]) -> tuple[Method, ...]:
        """One method for each algorithm of the sweep and each epsilon; without privacy, only one.

        A setting applies to all algorithms that have the parameter.

        Raises:
            DpfairError: no algorithm has a parameter of a setting, or a value is not allowed.
        """
        known = set(chain.from_iterable(one.parameters for one in self.every_algorithm))
        for key in settings:
            if key not in known:
                raise DpfairError(
                    f"no method of this sweep has a parameter {key!r}: {nearest(key, known)}"
                )
        found = []
        for algorithm in self.every_algorithm:
            own = {key: value for key, value in settings.items() if key in algorithm.parameters}
            label = f"{algorithm.name} {algorithm.guarantee.scope}".rstrip()
            is_private = algorithm.guarantee.is_private
            # without privacy, epsilon changes nothing
            for point in [{"epsilon": one} for one in epsilons] if is_private else [{}]:
                params = algorithm.complete({**own, **point})
                found.append(Method(algorithm, params, label, published=algorithm.name))
        return tuple(found)

    def spec(
        self,
        methods: Sequence[Method],
        *,
        seeds: int,
        refused: Mapping[Method, str],
        protocol: Mapping[str, Any] = NOTHING,
    ) -> Spec:
        """The spec of a sweep over `methods`; `refused` methods are only listed below the table.

        `protocol` are the parameters of the study that differ from their defaults.

        Raises:
            DpfairError: all methods that the user asked for are refused, or the value of a
                parameter of the study is not allowed.
        """
        task = Task(self.study, self.study.complete(protocol))
        left = tuple(method for method in methods if method not in refused)
        if refused and all(map(self.is_reference, left)):  # references alone answer no question
            raise DpfairError(describe_refusals(refused))
        shown, asked = _data_name(self.dataset), "+".join(one.name for one in self.algorithms)
        if len(asked) > LONGEST_NAME:
            asked = f"{len(self.algorithms)}_methods"
        return Spec(
            artefact=f"sweeps/{shown}-{asked}-{_digest(self.dataset, task, methods, seeds)}",
            title=f"{self.shows.title} on {shown}",
            source="dpfair sweep",
            task=task,
            datasets=(self.dataset,),
            methods=left,
            seeds=seeds,
            layout=self._table(),
            labels=self.shows.labels,
            remarks=tuple(self._remarks(refused)),
        )

    def _remarks(self, refused: Mapping[Method, str]) -> Iterator[str]:
        """Yields the remarks on methods that the sweep lacks."""
        if refused:
            yield f"{describe_refusals(refused)}."
        shown = {one.name for one in self.every_algorithm}
        absent = [name for name in self.shows.reference_methods if name not in shown]
        if absent and matching.is_in_parts(self.dataset.source):
            yield f"Left out, because the table is read in parts: {', '.join(absent)}."

    def _table(self) -> Layout:
        """The layout of the sweep's table.

        If the true graph of the data is not known, only scores that do not need it are shown.
        """
        sweep, values, also = self.shows, self.shows.values, self.shows.also
        if not self.dataset.source.truth:
            values, also = sweep.known_without_truth, ()
        keys = {"rows": ROWS, "values": values, "also": also, "baselines": sweep.baselines}
        return from_mapping(catalog.layout("table"), keys)

    def figure(self, spec: Spec) -> Spec | None:
        """The spec of a figure of the sweep's scores over epsilon; None with only one epsilon.

        The result is also None if the true graph of the data is not known.
        """
        private = [method for method in spec.methods if "epsilon" in method.params]
        epsilons = {method.params["epsilon"] for method in private}
        if len(epsilons) < 2 or not self.dataset.source.truth:
            return None
        # facets have one panel for each method
        many = len({method.label for method in private}) > MOST_LINES
        kind = catalog.layout("facets" if many else "lines")
        layout = from_mapping(kind, {"x": "epsilon", "panels": self.shows.panels})
        # its line is the dotted one of the panel
        drawn = tuple(method for method in spec.methods if method.name != DOTTED)
        return replace(spec, layout=layout, methods=drawn)


def request(dataset: DataSet, names: Iterable[str], task: str = "") -> SweepRequest:
    """The sweep of the algorithms `names`; without names, the default algorithms for the task.

    Without the name of a task, the task is the one that the data set declares, or the first that
    scores all algorithms on the data.

    Raises:
        DpfairError: a name is unknown, or no study scores all algorithms on the data.
    """
    source = dataset.source
    # a name that is repeated counts once
    asked = tuple(dict.fromkeys(names)) or _sweep_of(catalog.study(task or source.task)).methods
    algorithms = tuple(map(catalog.algorithm, asked))
    # the algorithms decide if the data allow several
    study = matching.study_named(task, source, algorithms)
    references = map(catalog.algorithm, _sweep_of(study).reference_methods)
    added = (one for one in references if one not in algorithms and matching.can_fit(one, source))
    return SweepRequest(dataset, algorithms, tuple(added), study)


def _sweep_of(study: Study) -> Sweep:
    """The declaration of what a sweep with the study (task) shows.

    Raises:
        DpfairError: the study does not support sweeps.
    """
    if study.sweep is None:
        raise DpfairError(
            f"the task {study.name} does not support sweeps: use `dpfair train` instead"
        )
    return study.sweep


def describe_refusals(refused: Mapping[Method, str]) -> str:
    """The methods that cannot run, grouped by the reason, as one text."""
    by_reason: dict[str, dict[str, None]] = {}
    for method, reason in refused.items():
        by_reason.setdefault(reason, {})[method.name] = None
    told = [f"{', '.join(names)} ({reason})" for reason, names in by_reason.items()]
    return f"Cannot run: {'; '.join(told)}"


def _data_name(dataset: DataSet) -> str:
    """The name of the data in titles and folders; for a user's file, the name without suffix.

    The name differs from all names of data sources and contains neither Markdown nor path
    separators.
    """
    if not dataset.options.get("file"):
        return dataset.name
    name = Path(dataset.options["file"]).name
    stem = re.sub(r"[^\w-]", "_", SUFFIXES.sub("", name))[:LONGEST_NAME] or "own"
    return f"{stem}_file" if stem in catalog.data_sources.names else stem


def _digest(dataset: DataSet, task: Task, methods: Iterable[Method], seeds: int) -> str:
    """A digest of all that identifies a sweep: data set, options, parameters and seeds.

    A task with default parameters that the data set declares is not part of the digest.
    """
    # by digest: the folder of the data does not matter
    located = data_access.declared(dataset, data_dir=Path())
    fits = [[method.name, method.json_params] for method in methods]
    parts = [dataset.name, located.sha256, dataset.json_options, fits, seeds]
    chosen = [task.name, protocol_in_row(task)]
    usual = catalog.task(dataset.source.task)
    parts += [chosen] if chosen != [usual.name, protocol_in_row(usual)] else []
    text = json.dumps(parts, sort_keys=True)  # the order of options does not matter
    return hashlib.sha256(text.encode()).hexdigest()[:DIGITS]
