"""Trains one model on a data set, with scores, guarantee and the public facts for a model file."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd

from dpfair_cli.catalog import matching
from dpfair_cli.contracts.arrays import Floats
from dpfair_cli.contracts.declarations import DataSet, Method, Study
from dpfair_cli.contracts.errors import DataWarning, DpfairError
from dpfair_cli.contracts.guarantees import FitGuarantee
from dpfair_cli.contracts.results import Outcome, RecordGenerator
from dpfair_cli.contracts.schemas import OUTSIDE_RULE, Categorical
from dpfair_cli.contracts.training_context import CPU, Device, TrainingContext
from dpfair_cli.data_access import Located, load, locate
from dpfair_cli.formats.domain_file import read_domain
from dpfair_cli.formats.table_in_model import from_json
from dpfair_cli.formats.user_table import TableForm
from dpfair_cli.kinds.records import Records
from dpfair_cli.mechanisms.ledger import mechanisms_used
from dpfair_cli.models.synthesis.likeness import marginal_differences
from dpfair_cli.models.synthesis.value_distances import value_distances
from dpfair_cli.models.tabular.decoding import table_of_features, table_of_values, with_blanks
from dpfair_cli.models.tabular.encoding import decode
from dpfair_cli.provenance import arithmetic
from dpfair_cli.release import guarantee, model_files, released_scores
from dpfair_cli.release.released_fit import ReleasedFit
from dpfair_cli.running.progress import EpochBar
from dpfair_cli.running.runner import as_results

NOTHING: Mapping[str, Any] = MappingProxyType({})
BeforeFit = Callable[[int, Collection[str]], object]
"""A function of the number of training records and of the broken conditions of the guarantee."""
AfterFit = Callable[[Any, Any], Mapping[str, released_scores.ReleasedScore]]
"""A function of the model and of the split data that releases noisy scores, by name."""


@dataclass(frozen=True, eq=False)
class Trained:
    """A model that was trained for release, with scores, public facts and privacy guarantee.

    Attributes:
        scores: the exact scores, which are not private.
        origin: the public facts for the model file, including the guarantee.
        released: the noisy scores that may be published; empty if none were asked for.
        counts: the exact numbers of held-out records by group, label and decision, (groups, 2, 2);
            without groups if the study does not test decisions on held-out records.
        groups: the names of the groups.
    """

    model: Any
    scores: Mapping[str, Any]
    origin: model_files.Origin
    released: Mapping[str, released_scores.ReleasedScore] = field(default_factory=dict)
    counts: Floats = field(default_factory=partial(np.zeros, (0, 2, 2)))
    groups: tuple[str, ...] = ()


def train(
    dataset: DataSet,
    method: Method,
    *,
    task: str = "",
    protocol: Mapping[str, Any] = NOTHING,
    seed: int | None,
    data_dir: Path,
    device: Device = CPU,
    before_fit: BeforeFit = lambda records, broken: None,
    after_fit: AfterFit = lambda model, case: NOTHING,
) -> Trained:
    """A model trained with a method on a split of a data set.

    The noise is secret, or known if a seed is given. `task` is the name of the task that splits and
    scores, by default that of the data, and `protocol` has its parameters. `before_fit` spends from
    a ledger; if it raises an error, nothing is fitted. `after_fit` releases scores of the model.

    Raises:
        DpfairError: the data are not in the data folder, no task scores the method on the data, or
            the method refuses the data.
    """
    source, algorithm = dataset.source, method.algorithm
    algorithm.require_complete()
    located = locate(dataset, data_dir=data_dir, replica_ok=True)
    study = matching.study_named(task, source, [algorithm])
    names: dict[str, Any] = {
        "dataset": dataset.name,
        "options": dataset.public_options,
        "algorithm": method.name,
        "params": method.params,
    }
    changed = {"task": task, "protocol": dict(protocol)} if task or protocol else {}
    changed |= {} if device.is_processor else {"device": device.name}
    noise = model_files.release_generator(seed, {**names, "data": located.sha256, **changed})
    rng = np.random.default_rng(noise.integers(2**32, size=8))  # for split and scores
    bar = EpochBar(f"{dataset.name}, {method.name}")
    context = TrainingContext(progress=bar, device=device)
    fit = ReleasedFit(method.name, algorithm, method.params, context, noise=noise)
    try:
        # rng is not the generator of the noise
        case = study.split(load(located), **study.complete(protocol), rng=rng)
        broken = guarantee.broken_by_bounds(case.train.bounds)
        # between split and fit: the price may depend on the number of records, and is paid in any
        # case, because the reason why a fit ends can depend on the data
        before_fit(len(case.train), broken + guarantee.broken_by_seed(seed))
        with mechanisms_used() as used:
            outcome = study.study(fit, case, rng=rng)
    except ValueError as error:
        raise DpfairError(f"{method.name} on {dataset.name}: {error}") from error
    require_unchanged(located)  # before the guarantee is stated, which is about these files
    if not dataset.source.own_files:  # a table of the user has no committed scores
        arithmetic.warn(arithmetic.unsettled())
    promised = guarantee.of_fit(
        method,
        bounds=bounds_of(dataset),
        used=used,
        seed=seed,
        broken=broken,
        records=len(case.train),
        person=column_of_persons(dataset),
    )
    origin = replace(origin_of(located, method, study, case, promised), device=device.name)
    scores = _exact_scores(outcome, case.train, origin.table, rng)
    released = after_fit(outcome.model, case)
    if study.name != released_scores.STUDY:
        return Trained(outcome.model, scores, origin, released)
    counts = released_scores.decision_counts(outcome.model, case.test)
    return Trained(outcome.model, scores, origin, released, counts, case.test.domain.groups)


def origin_of(
    located: Located, method: Method, study: Study, case: Any, promised: FitGuarantee
) -> model_files.Origin:
    """The public facts about a fit of `method` to the training records of `case`."""
    dataset, algorithm = located.dataset, method.algorithm
    source = dataset.source
    versions = {"dataset": source.version, "task": study.version, "algorithm": algorithm.version}
    return model_files.Origin(
        dataset=dataset.name,
        options=dataset.public_options,
        algorithm=method.name,
        params=method.params,
        replica=located.replica,
        versions=versions,
        columns=case.train.columns,
        guarantee=promised,
        table=table_of(dataset),
    )


def _exact_scores(
    outcome: Outcome, train: Any, table: Mapping[str, Any], rng: np.random.Generator
) -> dict[str, Any]:
    """The scores of a study, and those of a generator of records against its training records."""
    results = as_results(outcome)
    scores: dict[str, Any] = results["scores"] | results.get("curves", {})
    if isinstance(outcome.model, RecordGenerator) and isinstance(train, Records):
        scores |= _fidelity(outcome.model, train, table, rng)
    return scores


def require_unchanged(located: Located) -> None:
    """Refuses a fit to files that were changed since they were located."""
    dataset = located.dataset
    now = locate(dataset, data_dir=located.folder, replica_ok=True)
    if now.sha256 != located.sha256:
        raise DpfairError(
            f"a file of {dataset.name} was changed while the model was trained, so nothing is "
            "saved: train again"
        )


def _fidelity(
    generator: RecordGenerator,
    records: Records,
    table: Mapping[str, Any],
    rng: np.random.Generator,
) -> dict[str, Any]:
    """The distances of as many made records from the real ones.

    They are in the units of the data, or total variation distances of bins if the generator draws
    bins.
    """
    # as many as there are records, so that chance is alike
    made = generator.sample(len(records), rng=rng)
    if not records.domain.values:
        # real numbers are as they are: one that is not whole must show in the distance
        return value_distances(in_units(made, table), in_units(records, table, whole=False))
    distances = marginal_differences(made, records)
    worst = int(distances.argmax())
    names = list(records.domain.attributes)
    return {"largest_column_distance": float(distances[worst]), "farthest_column": names[worst]}


def table_of(dataset: DataSet) -> Mapping[str, Any]:
    """What a model file needs to read other files like a user's table; empty for other data."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)  # already shown when the data were loaded
        return dataset.source.table(**dataset.options)


def bounds_of(dataset: DataSet) -> str:
    """The origin of ranges, levels or nodes: public facts or the data, as a text."""
    if dataset.reads_bounds:
        return "read from the private data, a leak"
    public_files = dataset.source.public_files
    if not public_files:
        return "of the data set's documentation"
    outside = f"; {OUTSIDE_RULE}" if "domain" in public_files else ""
    return f"declared by the user, in the file of {' and '.join(public_files)}{outside}"


def column_of_persons(dataset: DataSet) -> str:
    """The column of the persons of a user's table, of each of whom one row is used; often empty."""
    domain = dataset.options.get("domain")
    return read_domain(str(domain)).person if domain else ""


def sampled_table(
    generator: RecordGenerator, rows: int, table: Mapping[str, Any], *, seed: int
) -> pd.DataFrame:
    """A table of `rows` generated records, decoded to the original columns.

    `table` is the description of a user's table in the model file; empty for other data.
    """
    records_rng, table_rng = np.random.default_rng(seed).spawn(2)
    records = generator.sample(rows, rng=records_rng)
    if records.domain.values:
        found = decode(records, rng=table_rng)
        return with_blanks(found, from_json(table)[0].schema) if table else found
    return in_units(records, table)


def form_of(table: Mapping[str, Any]) -> TableForm:
    """The CSV dialect of the user's table that a model file describes; `table` may be empty."""
    return from_json(table)[0].form if table else TableForm()


def written(records: pd.DataFrame, form: TableForm) -> bytes:
    """The bytes of a CSV file of records, in the dialect of the user's table."""
    names = form.header  # of all columns of a file without a heading, also of those not used
    found = records.reindex(columns=list(names)) if names else records
    text: str = found.to_csv(
        index=False,
        header=not names,
        sep=form.separator,
        decimal=form.decimal,
        lineterminator="\n",
    )
    return text.encode(form.encoding, errors="replace")  # a level that the table cannot hold


def levels_without_rows(records: pd.DataFrame, table: Mapping[str, Any]) -> list[str]:
    """The levels, groups and labels that no generated record has, each as "column: level".

    `table` is the description of a user's table in the model file; empty for other data.
    """
    if not table:
        return []
    schema = from_json(table)[0].schema
    known = {schema.protected: schema.groups, schema.label: schema.labels}
    for name, kind in schema.attributes.items():
        if isinstance(kind, Categorical) and name in records:
            known[name] = kind.levels
    return [
        f"{name}: {level}"
        for name, levels in known.items()
        for level in levels
        if level not in {*records[name]}
    ]


def in_units(records: Records, table: Mapping[str, Any], *, whole: bool = True) -> pd.DataFrame:
    """The table of records with numbers: in the units of a user's table, or else the features.

    `whole` is as in `table_of_values`.
    """
    if not table:
        return table_of_features(records)
    known, _ = from_json(table)
    return table_of_values(records, known.schema, whole=whole)
