"""Networks from BIF files: published sizes, a second reader, rows in any order, invalid files."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from dpfair_cli.contracts.errors import DpfairError
from dpfair_cli.models.causal_discovery.bayesian_network import parse_bif
from tests.models.causal_discovery.networks import BIF, SMALL, text
from tests.oracles.bif import read_bif

# nodes, arcs, free parameters as the Bayesian network repository prints them
REPOSITORY = {
    "asia": (8, 8, 18),
    "cancer": (5, 4, 10),
    "earthquake": (5, 4, 10),
    "survey": (6, 6, 21),
    "sachs": (11, 17, 178),
    "child": (20, 25, 230),
    "insurance": (27, 52, 1008),
    "alarm": (37, 46, 509),
}


@pytest.mark.parametrize("name", REPOSITORY)
def test_nodes_and_arcs_are_those_of_the_repository(name, real_data):
    network = parse_bif(text(real_data, name))
    nodes, arcs, parameters = REPOSITORY[name]
    assert (len(network.names), network.dag.sum()) == (nodes, arcs)
    assert network.parameters == parameters


@pytest.mark.parametrize("name", REPOSITORY)
def test_every_table_is_the_one_that_a_second_reader_finds(name, real_data):
    network, (levels, parents, cpt) = (
        parse_bif(text(real_data, name)),
        read_bif(text(real_data, name)),
    )
    assert network.names == tuple(levels)
    for child, own in enumerate(network.names):
        assert [network.names[k] for k in network.parents[child]] == parents[own]
        states = product(*(levels[parent] for parent in parents[own]))  # the last parent fastest
        np.testing.assert_allclose(
            network.tables[child], [cpt[own][key] for key in states], atol=1e-6
        )
        assert network.levels[child] == len(levels[own])


def test_a_bif_file_is_read_with_its_rows_in_any_order() -> None:
    network = parse_bif(BIF)
    assert (network.names, network.levels) == (("rain", "grass", "hose"), (2, 3, 2))
    assert network.parents == ((), (0, 2), ())
    # rain, hose: (yes, on), (yes, off), (no, on), (no, off)
    assert network.tables[1][:, 0].tolist() == pytest.approx([0.9, 0.7, 0.5, 0.0])
    assert network.parameters == 1 + 1 + 4 * 2
    assert np.argwhere(network.dag).tolist() == [[0, 1], [2, 1]]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            "0.2, 0.8",
            "0.2, 0.9",
            "probabilities of the variable 'rain' in the BIF file must add up to 1",
        ),
        (
            "  (no, off) 0.0, 0.1, 0.9;",
            "",
            "probabilities of the variable 'grass' in the BIF file must add up to 1",
        ),
        ("rain, hose )", "rain, hoes )", "the parent 'hoes' of 'grass' must be a variable"),
        ("variable", "node", "the file must be in the format BIF"),
        ("probability ( hose )", "probability ( house )", "the file must be in the format BIF"),
    ],
)
def test_a_file_that_is_no_network_is_refused(old: str, new: str, message: str) -> None:
    with pytest.raises(DpfairError, match=message):
        parse_bif(BIF.replace(old, new))


ROOT = "( season ) {\n  table 0.5, 0.3, 0.2;"
BROKEN = {
    "empty": "",
    "not BIF": "a,b\n1,2\n",
    "a row is missing": SMALL.replace("  (storm) 1.0, 0.0;\n", ""),
    "a row comes twice": SMALL.replace("  (storm) 1.0, 0.0;\n", "  (dry) 1.0, 0.0;\n"),
    "sum": SMALL.replace("(dry) 0.1, 0.9", "(dry) 0.1, 0.8"),
    "negative": SMALL.replace("(dry) 0.1, 0.9", "(dry) -0.1, 1.1"),
    "not a number": SMALL.replace("(dry) 0.1, 0.9", "(dry) x, 0.9"),
    "nan": SMALL.replace("(dry) 0.1, 0.9", "(dry) nan, nan"),
    "three for two": SMALL.replace("(dry) 0.1, 0.9", "(dry) 0.1, 0.8, 0.1"),
    "unknown parent": SMALL.replace("rain | season", "rain | seasons"),
    "unknown state": SMALL.replace("(dry) 0.1", "(dray) 0.1"),
    "unknown child": SMALL.replace("( rain | season )", "( rein | season )"),
    "no table": SMALL[: SMALL.index("probability ( grass")],
    "cycle": SMALL.replace(ROOT, "( season | rain ) {\n  (yes) 1, 0, 0;\n  (no) 0, 1, 0;"),
    "own parent": SMALL.replace(
        ROOT, "( season | season ) {\n  (dry) 1, 0, 0;\n  (wet) 1, 0, 0;\n  (storm) 1, 0, 0;"
    ),
    "two tables": SMALL + "probability ( season ) {\n  table 0.1, 0.3, 0.6;\n}\n",
    "two variables of a name": SMALL.replace("variable grass", "variable rain"),
    "states and number differ": SMALL.replace("[ 3 ] { dry,", "[ 4 ] { dry,"),
    "cut off": SMALL[:-40],
}


@pytest.mark.parametrize("broken", BROKEN)
def test_a_broken_file_is_a_mistake_in_one_line(broken):
    with pytest.raises(DpfairError) as error:
        parse_bif(BROKEN[broken])
    assert "\n" not in str(error.value)
