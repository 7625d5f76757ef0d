"""The published networks: their form, their arcs, and their records."""

from __future__ import annotations

import importlib
from pathlib import Path

import numpy as np
import pytest

from dpfair_cli import catalog, data_access

CAUSAL = [
    name
    for name in catalog.data_sources.names
    if catalog.data_source(name).task == "causal_discovery"
]
NETWORKS = [name for name in CAUSAL if "arcs" in catalog.data_source(name).expected]


def draw(law, seed: int = 0):
    return law.draw(np.random.default_rng(seed))


def load(name: str, folder: Path, **options):
    return data_access.load(data_access.locate(catalog.data_set(name, options), data_dir=folder))


def test_there_are_eight_networks() -> None:
    assert NETWORKS == [
        "alarm",
        "asia",
        "cancer",
        "child",
        "earthquake",
        "insurance",
        "sachs",
        "survey",
    ]


@pytest.mark.parametrize("name", NETWORKS)
def test_a_network_is_the_published_one(name: str, real_data: Path) -> None:
    law = load(name, real_data, records=50)  # checks hash, nodes, arcs and parameters
    observations, dag = draw(law)
    expected = catalog.data_source(name).expected
    assert observations.values.shape == (50, expected["nodes"])
    assert dag.sum() == expected["arcs"]
    assert min(observations.levels) >= 2


SIZES = {
    "asia": (8, 8),
    "cancer": (5, 4),
    "earthquake": (5, 4),
    "survey": (6, 6),
    "sachs": (11, 17),
    "child": (20, 25),
    "insurance": (27, 52),
    "alarm": (37, 46),
}


@pytest.mark.parametrize("name", SIZES)
def test_a_network_gives_records_and_its_arcs(name, real_data):
    module = importlib.import_module(f"dpfair_cli.datasets.{name}")
    if not (real_data / "bnlearn" / f"{name}.bif").is_file():
        pytest.skip("the networks are not here")
    records, dag = module.DATASET.load(real_data, records=200).draw(np.random.default_rng(0))
    nodes, arcs = SIZES[name]
    assert records.values.shape == (200, nodes)
    assert (dag.shape, dag.sum()) == ((nodes, nodes), arcs)
    assert records.bounds == "public"
    assert (records.values.max(axis=0) < records.levels).all()


def test_the_arcs_of_asia_are_those_of_the_chest_clinic(real_data):
    from dpfair_cli.datasets import asia

    records, dag = asia.DATASET.load(real_data, records=1).draw(np.random.default_rng(0))
    arcs = {(records.names[i], records.names[j]) for i, j in np.argwhere(dag)}
    assert arcs == {
        ("asia", "tub"), ("smoke", "lung"), ("smoke", "bronc"), ("tub", "either"),
        ("lung", "either"), ("either", "xray"), ("either", "dysp"), ("bronc", "dysp"),
    }  # fmt: skip


def test_smoking_raises_cancer_in_records_of_asia_as_its_table_says(real_data: Path) -> None:
    observations, dag = draw(load("asia", real_data, records=100_000))
    smoke, lung = (
        observations.values[:, observations.names.index(name)] for name in ("smoke", "lung")
    )
    assert dag[observations.names.index("smoke"), observations.names.index("lung")]
    assert (lung[smoke == 0] == 0).mean() == pytest.approx(0.1, abs=0.005)  # code 0 is "yes"
    assert (lung[smoke == 1] == 0).mean() == pytest.approx(0.01, abs=0.005)
