"""TabFairGDT: people drawn column by column from decision trees, the last of which, the label's, is made fairer.

Source: Panagiotou et al. (2025), arXiv 2509.19927, as their package tabfairgdt 0.1.1 does it.
Privacy: none.
Neighbours: none.
Status: as-published
Differs: this only calls the package, which has to be installed. Bins are handed over as numbers in their order, levels
    as categories. As many people are generated as there are real ones, once; a sample is taken from these. The
    classifier is logistic regression fitted to them.
"""

from __future__ import annotations

from contextlib import redirect_stderr, redirect_stdout
from typing import Annotated, Any

import numpy as np
import pandas as pd

from dpfair_cli.contracts.declarations import Algorithm
from dpfair_cli.contracts.errors import DpfairError
from dpfair_cli.contracts.extras import how_to_install
from dpfair_cli.contracts.parameters import AtLeast, AtMost, checked
from dpfair_cli.kinds.people import Records
from dpfair_cli.models.synthesis.fixed_people import FixedPeople, fixed_people
from dpfair_cli.models.synthesis.one_hot_groups import attribute_groups
from dpfair_cli.models.synthesis.people_needed import require_both_groups_and_labels


class _Silence:
    """A stream that nobody reads."""

    def write(self, text: str) -> int:
        return len(text)

    def flush(self) -> None: ...


@checked
def fit(
    records: Records, *, data_fairness: Annotated[float, AtLeast(0), AtMost(1)] = 1.0, rng: np.random.Generator
) -> FixedPeople:
    """People like the records; `data_fairness` is lambda: how far labels change places in relabelled leaves.

    The package seeds NumPy's global generator and draws from it, which nothing else here does.

    Raises:
        ValueError: not people of two groups and both labels, or a column that is a number.
        DpfairError: tabfairgdt is not here.
    """
    require_both_groups_and_labels(records)
    groups, domain = attribute_groups(records), records.domain
    try:
        from tabfairgdt import TABFAIRGDT
    except ImportError as error:
        raise DpfairError(f"this method needs the package tabfairgdt: {how_to_install(['tabfairgdt'])}") from error
    # Whole numbers for levels too: the package tells levels apart by their order in a column, and where that is one of
    # pandas' categories, it has another order for learning than for generating.
    codes = [records.X[:, list(places)].argmax(axis=1) for places in domain.attributes.values()]
    *attributes, protected, label = domain.values
    table = pd.DataFrame(dict(zip(domain.values, [*codes, records.protected, records.y], strict=True)))
    kinds = {name: "category" if isinstance(known[0], str) else "int" for name, known in domain.values.items()}
    silence: Any = _Silence()  # in place of its bars and remarks
    with redirect_stdout(silence), redirect_stderr(silence):
        model = TABFAIRGDT(
            protected_attribute=protected, target=label, dtype_map=kinds, seed=int(rng.integers(2**32)), parallel=False
        )
        model.fit(table, lamda=data_fairness)
        made = model.generate(k=len(table)).astype(np.int64)
    X = groups.rows(made[attributes].to_numpy())
    return fixed_people(Records(X, made[label].to_numpy(), made[protected].to_numpy(), domain))


ALGORITHM = Algorithm(fit, data_options={"encoding": "binned"}, needs="tabfairgdt")
