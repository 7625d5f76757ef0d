"""Wiki, Cora and CiteSeer against their files read line by line, and the made block model."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from dpfair_cli import catalog, data_access
from dpfair_cli.catalog import matching
from dpfair_cli.datasets import block_model
from dpfair_cli.kinds.graphs import Graph
from dpfair_cli.tasks import vertex_classification

FILES = {
    "wiki": ("Wiki_edgelist.txt", "wiki_labels.txt"),
    "cora": ("cora_edgelist.txt", "cora_labels.txt"),
    "citeseer": ("Citeseer_edgelist.txt", "Citeseer_category.txt"),
}
KNOWN = {  # nodes, lines of the file, edges, loops, isolated nodes
    "wiki": (2405, 17981, 11596, 1996, 42),
    "cora": (2708, 5429, 5278, 0, 0),
    "citeseer": (3312, 4732, 4551, 124, 48),
}
CLASSES = {"cora": [180, 217, 298, 351, 418, 426, 818], "citeseer": [249, 508, 590, 596, 668, 701]}
every = pytest.mark.parametrize("name", FILES)


@pytest.fixture(scope="module")
def mirror(real_data: Path) -> Path:
    """The folder with the real data, if the graphs are in it."""
    for name, files in FILES.items():
        for file in files:
            if not (real_data / name / file).is_file():
                pytest.skip(
                    f"{name}/{file} is not here: run `dpfair fetch-data {name}` and set DPFAIR_DATA"
                )
    return real_data


def load(name: str, folder: Path) -> Graph:
    """Located, checked against its SHA-256 and its counts, and read."""
    return data_access.load(data_access.locate(catalog.data_set(name), data_dir=folder))


def lines(folder: Path, name: str, which: int) -> list[list[int]]:
    return [
        list(map(int, line.split()))
        for line in (folder / name / FILES[name][which]).read_text().splitlines()
    ]


@every
def test_a_graph_is_the_published_one(name: str, mirror: Path) -> None:
    nodes, rows, edges, loops, isolated = KNOWN[name]
    counts = load(name, mirror).counts()
    assert (counts["nodes"], counts["edges"], counts["loops"], counts["isolated"]) == (
        nodes,
        edges,
        loops,
        isolated,
    )
    assert counts["repeats"] == rows - loops - edges


@every
def test_the_edges_are_those_of_the_file_line_by_line(name: str, mirror: Path) -> None:
    loops, repeats, edges = 0, 0, set()
    for i, j in lines(mirror, name, 0):
        pair = (min(i, j), max(i, j))
        loops += i == j
        repeats += i != j and pair in edges
        if i != j:
            edges.add(pair)
    graph = load(name, mirror)
    assert [tuple(edge) for edge in graph.edges.tolist()] == sorted(edges)
    assert (graph.loops, graph.repeats) == (loops, repeats)


@every
def test_nodes_have_the_same_class_where_the_file_says_so(name: str, mirror: Path) -> None:
    graph, labels = load(name, mirror), dict(lines(mirror, name, 1))
    assert sorted(labels) == list(range(graph.nodes))
    pairs = {(labels[node], int(code)) for node, code in enumerate(graph.labels)}
    assert len(pairs) == len({label for label, _ in pairs}) == len({code for _, code in pairs})


@pytest.mark.parametrize("name", CLASSES)
def test_the_classes_have_the_known_sizes(name: str, mirror: Path) -> None:
    assert sorted(load(name, mirror).counts()["classes"]) == CLASSES[name]


def test_seventeen_of_the_nineteen_classes_of_wiki_have_a_node(mirror: Path) -> None:
    sizes = [size for size in load("wiki", mirror).counts()["classes"] if size]
    assert (len(sizes), min(sizes), max(sizes), sum(sizes)) == (17, 9, 406, 2405)


@every
def test_isolated_nodes_have_no_degree_and_the_others_one(name: str, mirror: Path) -> None:
    degrees = load(name, mirror).degrees
    assert (degrees == 0).sum() == KNOWN[name][4]
    assert degrees.sum() == 2 * KNOWN[name][2]


@every
def test_nodes_and_classes_are_public(name: str, mirror: Path) -> None:
    assert load(name, mirror).bounds == "public"


def made(seed: int = 0, **options) -> Graph:
    """The block model's graph, drawn where it is a law."""
    data = block_model.load(Path(), **options)
    return data if isinstance(data, Graph) else data.draw(np.random.default_rng(seed))[0]


def test_a_block_model_has_the_asked_nodes_and_classes() -> None:
    graph = made(nodes=60, classes=3)
    assert graph.nodes == 60
    assert len(graph.classes) == 3
    assert sum(graph.counts()["classes"]) == 60
    assert min(graph.counts()["classes"]) > 0


def test_a_block_model_has_more_edges_within_its_classes_than_between_them() -> None:
    graph = made(nodes=300, classes=3)
    ends = graph.labels[graph.edges]
    within = (ends[:, 0] == ends[:, 1]).sum()
    sizes = np.array(graph.counts()["classes"])
    pairs_within = (sizes * (sizes - 1) // 2).sum()
    pairs_between = 300 * 299 // 2 - pairs_within
    assert within / pairs_within > 2 * (len(graph) - within) / pairs_between


def test_a_block_model_is_the_same_every_time() -> None:
    assert made(nodes=80, classes=2).fingerprint() == made(nodes=80, classes=2).fingerprint()
    assert made(nodes=80, classes=2).fingerprint() != made(nodes=81, classes=2).fingerprint()


def test_a_block_model_has_neither_loops_nor_repeats() -> None:
    graph = made(nodes=200, classes=4)
    assert (graph.loops, graph.repeats) == (0, 0)
    assert (graph.edges[:, 0] < graph.edges[:, 1]).all()
    assert len(np.unique(graph.edges, axis=0)) == len(graph)


@pytest.mark.parametrize("options", [{"nodes": 0}, {"classes": 0}, {"nodes": -3}], ids=str)
def test_a_block_model_of_nothing_is_refused_by_name(options) -> None:
    (name,) = options
    with pytest.raises(ValueError, match=f"{name} must"):
        block_model.load(Path(), **options)


def test_graphs_are_data_for_the_tasks_of_embeddings() -> None:
    assert isinstance(made(), Graph)
    for name in (*FILES, "block_model", "csv_edges"):
        assert catalog.data_source(name).task in {"vertex_classification", "link_prediction"}
        for task in ("vertex_classification", "link_prediction"):
            assert matching.can_split(catalog.study(task), catalog.data_source(name))
        assert not matching.can_split(catalog.study("classification"), catalog.data_source(name))
    for method in ("matrix_factorisation", "dpne", "dpm", "top_m_filter"):
        assert matching.can_score(catalog.study("vertex_classification"), catalog.algorithm(method))
        assert matching.can_score(catalog.study("link_prediction"), catalog.algorithm(method))
        assert not matching.can_score(catalog.study("classification"), catalog.algorithm(method))
    assert set(vertex_classification.TASK.scores) == {"accuracy", "macro_f1", "majority_accuracy"}
