"""TabFairGDT: records drawn column by column from decision trees, with a fairer tree of the label.

Source: Panagiotou et al. (2025), arXiv 2509.19927, as implemented in their package tabfairgdt
    0.1.1.
Differs: This module calls the package, which has to be installed. Bins are passed to the package as
    ordered numbers, and levels as categories. The package generates as many records as there are
    real records, once, and samples are taken from these generated records. The classifier is
    logistic regression fitted to the generated records.
"""

from __future__ import annotations

from typing import Annotated

import numpy as np
import pandas as pd

from dpfair_cli.contracts.declarations import Algorithm
from dpfair_cli.contracts.errors import DpfairError, how_to_install
from dpfair_cli.contracts.parameters import AtLeast, AtMost, checked
from dpfair_cli.contracts.silence import silence
from dpfair_cli.kinds.records import Domain, Records
from dpfair_cli.models.synthesis import one_hot_groups
from dpfair_cli.models.synthesis.fixed_records import FixedRecords, fixed_records


@checked
def fit(
    records: Records,
    *,
    data_fairness: Annotated[float, AtLeast(0), AtMost(1)] = 1.0,
    rng: np.random.Generator,
) -> FixedRecords:
    """The generated records, with a classifier fitted to them.

    `data_fairness` is lambda, the share of the labels in a leaf of a decision tree that are
    exchanged. The package tabfairgdt seeds NumPy's global random generator and uses this generator.

    Args:
        data_fairness: lambda, the weight of fairness in the tree of the label; 0 means no fairness.

    Raises:
        ValueError: the records do not have two groups and both labels, or a column is numeric.
        DpfairError: tabfairgdt is not installed.
    """
    one_hot_groups.require_both_groups_and_labels(records)
    groups, domain = one_hot_groups.attribute_groups(records), records.domain
    made = _generated(
        _coded(records), domain, strength=data_fairness, seed=int(rng.integers(2**32))
    )
    *attributes, protected, label = domain.values
    X = groups.rows(made[attributes].to_numpy())  # (n, d)
    return fixed_records(Records(X, made[label].to_numpy(), made[protected].to_numpy(), domain))


def _coded(records: Records) -> pd.DataFrame:
    """The records before one-hot encoding, as a table of codes of levels, bins, group and label.

    The package tabfairgdt identifies a level by its position among the values of a column. In a
    categorical column of pandas this position differs between learning and generating. The table
    therefore has integer codes.
    """
    codes = [
        records.X[:, list(places)].argmax(axis=1) for places in records.domain.attributes.values()
    ]
    return pd.DataFrame(
        dict(zip(records.domain.values, [*codes, records.protected, records.y], strict=True))
    )


def _generated(table: pd.DataFrame, domain: Domain, *, strength: float, seed: int) -> pd.DataFrame:
    """A table of generated records, with the same integer codes and as many records as `table`."""
    try:
        from tabfairgdt import TABFAIRGDT
    except ImportError as error:
        raise DpfairError(
            f"the method needs the package tabfairgdt: {how_to_install(['tabfairgdt'])}"
        ) from error
    *_, protected, label = domain.values
    kinds = {
        name: "category" if isinstance(known[0], str) else "int"
        for name, known in domain.values.items()
    }
    with silence():
        model = TABFAIRGDT(
            protected_attribute=protected, target=label, dtype_map=kinds, seed=seed, parallel=False
        )
        model.fit(table, lamda=strength)
        made: pd.DataFrame = model.generate(k=len(table)).astype(np.int64)
    return made


ALGORITHM = Algorithm(
    fit,
    source=(
        "Panagiotou et al. (2025), arXiv 2509.19927, as implemented in their package tabfairgdt "
        "0.1.1"
    ),
    data_options={"encoding": "binned"},
    needs="tabfairgdt",
)
