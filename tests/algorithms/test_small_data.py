"""Private methods on few variables, where code often takes a way of its own.

Every method is audited on two variables, or on one attribute of records in two or three groups.
"""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from dpfair_cli import catalog
from dpfair_cli.auditing.audit import audit
from dpfair_cli.auditing.survey import further_values
from dpfair_cli.catalog import matching
from dpfair_cli.contracts.guarantees import Status
from dpfair_cli.kinds.records import Domain, Records
from dpfair_cli.kinds.variables import Observations
from tests.example_data import data_for

PAIRS, FEW_PAIRS, N, FEW = 8, 2, 40, 6
# quick fits; and tests of independence that one record decides
GIVEN = {"batch_size": 10, "epochs": 2, "rounds": 5, "components": 10, "steps": 5}
GIVEN |= {"significance": 0.5}


def small(name, groups):
    """The first two variables, or the first attribute of records in `groups` groups."""
    data = data_for(name, N)
    if isinstance(data, Observations):
        names, levels = data.names[:2], data.levels[:2]  # and so few records that one decides
        return replace(data, values=data.values[:FEW, :2], names=names, levels=levels)
    known, named = data.domain, tuple("abc"[:groups])
    first, places = next(iter(known.attributes.items()))
    values = {}
    if known.values:  # of the attribute, the group and the label
        label, decisions = [*known.values.items()][-1]
        values = {first: known.values[first], "group": named, label: decisions}
    columns = known.columns[: len(places)]
    domain = Domain(columns, {first: places}, named, values=values)
    return Records(data.X[:, : len(places)], data.y, np.arange(N) % groups, domain)


def cases():
    """Each sound method with two groups, and with three if it uses groups of any number."""
    for name, groups in product(catalog.algorithms.names, (2, 3)):
        algorithm = catalog.algorithm(name)
        promise = algorithm.guarantee
        is_sound = promise.is_private and promise.status_with({}) is not Status.REFUTED
        several = algorithm.uses_groups and "alpha" not in algorithm.parameters
        known = {Observations, Records}.intersection(matching.fitted_types(algorithm))
        if is_sound and known and (groups == 2 or several):
            yield name, groups


def problems(name, groups, pairs, **given):
    """What an audit contradicts."""
    known = catalog.algorithm(name).parameters
    params = {key: value for key, value in GIVEN.items() if key in known} | given
    complete = catalog.algorithm(name).complete(params)
    return audit(name, small(name, groups), params=complete, seed=0, neighbours=pairs).problems


@pytest.mark.parametrize(("name", "groups"), [*cases()])
def test_an_audit_of_few_variables_finds_no_other_way_to_the_data(name, groups):
    quick = Observations in matching.fitted_types(catalog.algorithm(name))
    assert problems(name, groups, 8 * PAIRS if quick else PAIRS) == []


@pytest.mark.parametrize(("name", "groups"), dict(cases()).items())
def test_an_audit_of_other_numbers_than_the_defaults_finds_nothing(name, groups):
    """A further value of each number, with as many groups as the method takes."""
    for number in catalog.algorithm(name).parameters:
        for value in further_values(name, number)[:1]:
            assert problems(name, groups, FEW_PAIRS, **{number: value}) == [], (number, value)
