"""Predicts with a saved model: decisions about the records of a file or of a data set."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from dpfair_cli import catalog
from dpfair_cli.catalog import matching
from dpfair_cli.contracts.arrays import Floats
from dpfair_cli.contracts.errors import DataWarning, DpfairError
from dpfair_cli.contracts.results import Classifier
from dpfair_cli.data_access import load, locate
from dpfair_cli.formats.table_in_model import from_json, read_others, read_with_truth
from dpfair_cli.formats.user_table import TableForm
from dpfair_cli.kinds.partitioned_records import PartitionedRecords, for_each_record
from dpfair_cli.kinds.records import Records
from dpfair_cli.mechanisms.secure import SecureGenerator
from dpfair_cli.release import model_files
from dpfair_cli.release.released_scores import held_out_counts

STUDY = "classification"
FINE = 2**53  # number of equal steps in [0, 1) for a random number

ReadOthers = Callable[..., tuple[Records | PartitionedRecords, TableForm]]
"""A function such as `read_others`, which reads another file with the columns of a model."""


class Predictions(NamedTuple):
    """The decisions of a saved model about records."""

    table: pd.DataFrame  # for each record, the decision and the probability of the favourable one
    probability: Floats  # of the favourable decision, (n,)
    records: Records | PartitionedRecords
    form: TableForm  # the CSV dialect of the file that was read, for a file with a heading

    def counts(self) -> Floats:
        """The number of records by group, label and decision, (groups, 2, 2).

        It has a meaning only if the records were read with labels and groups.

        Raises:
            TypeError: the records are in partitions.
        """
        if not isinstance(self.records, Records):
            raise TypeError("the records are in partitions, which have no labels here")
        return held_out_counts(self.probability, self.records)


def predictions(
    model_file: Path,
    source: str,
    *,
    data_dir: Path,
    seed: int | None,
    read: ReadOthers = read_others,
) -> Predictions:
    """The decision about each record, and the probability of the favourable decision.

    With `read_with_truth`, the table also has the true labels and the groups, for `dpfair gaps`.

    `source` is a file, which `read` reads, or the name of a data set. For a randomised rule, a
    decision is drawn with random numbers of the operating system, or reproducibly with a seed. For
    any other rule the probability is 0 or 1.

    Raises:
        DpfairError: the model makes no decisions or is damaged, the file or data set does not
            exist, or a column is missing.
    """
    model: Classifier = model_files.load(model_file)
    content = json.loads(model_file.read_text(encoding="utf-8"))
    if not callable(getattr(model, "predict", None)):
        raise DpfairError(
            f"the model in {model_file} must be a classifier, got a {type(model).__name__}: "
            "train a method that makes decisions"
        )
    if "table" in content:
        asked = _of_file(model_file, content, source, model, read)
        mismatch = "is damaged, its columns contradict its table: train and save the model again"
    elif read not in (read_others, read_with_truth):
        raise DpfairError(
            "--cluster reads a file in parts for a model of a table of your own, and the model in "
            f"{model_file} was trained on {content.get('dataset')}: leave out --cluster"
        )
    else:
        asked = _of_data_set(content, source, data_dir)
        mismatch = f"has other columns than {source}: name data with the columns of the model"
    if list(asked.records.columns) != content.get("columns"):
        raise DpfairError(f"{model_file} {mismatch}")
    try:
        probability = np.asarray(for_each_record(asked.records, model.predict), dtype=float)
    except (ValueError, IndexError) as error:  # the model has another number of weights
        raise DpfairError(
            f"{model_file} is damaged, its model does not fit its columns: train and save the "
            "model again"
        ) from error
    rng = SecureGenerator() if seed is None else np.random.default_rng(seed)
    # whole numbers: a probability of 0 or 1 is never missed
    drawn = rng.integers(FINE, size=len(asked.records))
    decision = np.array(asked.labels)[(drawn < probability * FINE).astype(int)]
    columns = {asked.name: decision, f"probability of {asked.labels[1]}": probability}
    if read is read_with_truth and isinstance(asked.records, Records):
        columns[f"true {asked.name}"] = np.array(asked.labels)[asked.records.y]
        groups = np.array(asked.records.domain.groups)
        columns[asked.protected] = groups[asked.records.protected]
    form = replace(asked.form, header=())  # the columns are others than those of the file
    return Predictions(pd.DataFrame(columns), probability, asked.records, form)


class _Asked(NamedTuple):
    """The records that a saved model decides about, and the names of the columns and labels."""

    records: Records | PartitionedRecords
    name: str  # the name of the column of decisions
    protected: str  # the name of the column of groups
    labels: tuple[Any, Any]  # the names of decision 0 and decision 1
    form: TableForm  # the CSV dialect of the file


def _of_file(
    model_file: Path, content: Mapping[str, Any], source: str, model: Classifier, read: ReadOthers
) -> _Asked:
    """The records of the file `source`, which must have the columns of the training table."""
    try:
        known, encoding = from_json(content["table"])
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise DpfairError(
            f"{model_file} is damaged, its table is not one of a model: train and save the model "
            "again"
        ) from error
    records, form = read(source, known, encoding, with_groups=model.reads_group)
    schema = known.schema
    labels = schema.labels[0], schema.positive
    return _Asked(records, schema.label, schema.protected, labels, form)


def _of_data_set(content: Mapping[str, Any], name: str, data_dir: Path) -> _Asked:
    """The records of a data set, loaded with the options of the model's training data."""
    trained_on = str(content.get("dataset"))
    if name not in catalog.data_sources.names:
        raise DpfairError(
            f"the model was trained on the data set {trained_on}, not on a file: give the "
            f"name of a data set with the same columns, such as {trained_on}, or train a "
            "model on a file of your own"
        )
    source = catalog.data_source(name)
    if not matching.can_split(catalog.study(STUDY), source):
        raise DpfairError(
            f"the data set {name} has no records to decide about: choose a data set of records"
        )
    options = content.get("options") or {}
    taken = {key: value for key, value in options.items() if key in source.parameters}
    located = locate(catalog.data_set(name, taken), data_dir=data_dir, replica_ok=True)
    if located.replica:
        warnings.warn(f"{name}: REPLICA: synthetic data, not the real records", DataWarning, 2)
    return _Asked(load(located), "decision", "group", (0, 1), TableForm())
