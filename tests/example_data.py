"""Small data that a method can be fitted to, and what it learned, for the tests that every method
passes.
"""

from functools import cache
from pathlib import Path

import numpy as np

from dpfair_cli import catalog
from dpfair_cli.catalog import matching
from dpfair_cli.contracts.errors import DpfairError
from dpfair_cli.data_access import load, locate
from dpfair_cli.kinds import Population
from dpfair_cli.kinds.records import Domain, Records
from dpfair_cli.kinds.variables import Observations
from tests.algorithms.synthesis import made_tables


@cache
def data_for(method, n=80):
    """n random people, n records of six variables, or the first n of a data set of the method's
    kind.
    """
    kinds = matching.fitted_types(catalog.algorithm(method))
    if catalog.algorithm(method).data_options:
        return made_tables.people(n)  # a column for each level
    if Records in kinds:
        return people(n)
    return variables(method, n) if Observations in kinds else first(loaded(method), n)


def data_with(method, **columns):
    """The data of `data_for`, with the labels, the groups or the features of all people replaced.

    For records with a column for each level, X makes all people have the features of the first.
    """
    if not catalog.algorithm(method).data_options:
        return people(**columns)
    known = data_for(method)
    X = np.repeat(known.X[:1], len(known), axis=0) if "X" in columns else known.X
    y, protected = columns.get("y", known.y), columns.get("protected", known.protected)
    return Records(X, y, protected, known.domain)


def first(data, n):
    return data.take(np.arange(min(n, len(data))))


def people(n=80, d=14, seed=0, **columns):
    rng = np.random.default_rng(seed)
    X, y, protected = rng.random((n, d)), rng.integers(0, 2, n), rng.integers(0, 2, n)
    values = {"X": X, "y": y, "protected": protected, **columns}
    domain = Domain(tuple(f"x{j}" for j in range(d)), {f"x{j}": (j,) for j in range(d)}, ("a", "b"))
    return Records(values["X"], values["y"], values["protected"], domain)


def variables(method, n, p=6):
    """Each variable a noisy copy of the one before: categories, or numbers for a method that
    refuses categories.
    """
    values = np.cumsum(np.random.default_rng(0).standard_normal((n, p)), axis=1)
    names = tuple(f"v{j}" for j in range(p))
    categories = Observations(np.digitize(values, [-1.0, 1.0]), names, (3,) * p)
    try:
        catalog.algorithm(method).fit(categories, rng=np.random.default_rng(0))
    except ValueError:
        return Observations(values, names)
    return categories


def loaded(method):
    """The first data set that a method can be fitted to and that is made, or has a replica."""
    for name in catalog.data_sources.names:
        source = catalog.data_source(name)
        if source.own_files or not matching.can_fit(catalog.algorithm(method), source):
            continue
        try:
            data = load(locate(catalog.data_set(name), data_dir=Path("nowhere"), replica_ok=True))
        except DpfairError:
            continue
        return data.draw(np.random.default_rng(0))[0] if isinstance(data, Population) else data
    raise AssertionError(f"{method} needs a data set without files, or with a replica")


def state(model):
    """All numbers that a fit learned, (parameters,)."""
    return np.concatenate([np.zeros(0), *numbers(model.state())])


def numbers(value):
    """The arrays of numbers in nested mappings and tuples; words are left out."""
    if isinstance(value, (dict, tuple)):
        for part in value.values() if isinstance(value, dict) else value:
            yield from numbers(part)
    elif np.asarray(value).dtype.kind in "biuf":
        yield np.ravel(value).astype(float)
