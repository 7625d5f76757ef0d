"""What is said before anything runs of one's own table of variables, causal graph, and file of
edges.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.commands.invoking import dpfair, mistake, preview_of, works
from tests.commands.material import write

PC = ("--method", "pc")
CAUSAL = (
    "--label",
    "income",
    "--protected",
    "sex",
    "--set",
    "graph=graph.yaml",
    "--method",
    "pse_dr",
)
EDGES = "n1 n2\nn2 n3\nn3 n1\nn1 n2\nn2 n2\nn4 n5\n"
LABELS = "".join(f"n{k},{'ab'[k % 2]}\n" for k in range(1, 21))


def facts(*arguments):
    """(facts by name, questions) of a command that may fail later."""
    lines = preview_of(dpfair(*arguments).stderr)
    stated = [line.split(None, 1) for line in lines if not line.startswith("  ? ")]
    named = {
        name.replace("cannot", "cannot run"): text.removeprefix("run").strip()
        for name, text in stated
    }
    return named, [line.removeprefix("  ? ") for line in lines if line.startswith("  ? ")]


@pytest.mark.usefixtures("variables")
def test_categories_levels_and_unused_columns_are_shown():
    stated, questions = facts("train", "own.csv", *PC)
    assert stated == {
        "file": "400 rows, none left out; ',' between cells, utf-8, a heading",
        "variables": "3 categories (levels): a (2), b (2), c (3)",
        "bounds": "read from the data: nothing is private",
    }
    assert questions == []
    Path("domain.yaml").write_text("a: {levels: [x, y]}\nb: {levels: [u, v]}\n")
    stated, questions = facts("train", "own.csv", *PC, "--domain", "domain.yaml")
    assert stated["variables"] == "2 categories (levels): a (2), b (2); not used: c"
    assert stated["bounds"] == "public, as you declare"
    assert stated["outside"].startswith("0 of 800 cells are not as the domain file says")
    Path("domain.yaml").write_text("a: {levels: [x, z]}\nb: {levels: [u, v]}\n")
    lost = sum(line.startswith("y") for line in Path("own.csv").read_text().splitlines())
    stated, _ = facts("train", "own.csv", *PC, "--domain", "domain.yaml")
    assert stated["outside"].startswith(f"{lost} of 800 cells")


@pytest.mark.usefixtures("variables")
def test_numbers_are_shown_and_methods_for_categories_are_refused():
    write("own.csv", [[str(k / 7), str(k * k / 3)] for k in range(40)], ("a", "b"))
    stated, _ = facts("train", "own.csv", "--method", "priv_pc")
    assert stated["variables"].startswith("2 numbers: a (mean 2.786, deviation ")
    reason = "priv_pc must be fitted to categorical variables, got numerical ones: use priv_pc_star"
    assert stated["cannot run"] == f"priv_pc ({reason})"
    said = mistake("train", "own.csv", "--method", "priv_pc")
    cure = "private methods that can run: priv_pc_star"
    assert said == f"priv_pc on csv_variables: {reason}; {cure}"
    Path("domain.yaml").write_text("a: {low: 0, high: 6}\nb: {low: 0, high: 600}\n")
    stated, _ = facts("train", "own.csv", "--domain", "domain.yaml", "--method", "priv_pc_star")
    assert stated["variables"] == "2 numbers: a (0 to 6), b (0 to 600)"
    assert "cannot run" not in stated


@pytest.mark.usefixtures("variables")
def test_a_sweep_names_a_refused_method_once_and_runs_the_rest():
    methods = [word for name in ("pc", "priv_pc_star", "sieve_pc") for word in ("--method", name)]
    given = ("--eps", "1,10", "--runs", "1", "--jobs", "1", "--out", "out")
    result = dpfair("sweep", "own.csv", "--domain", "domain.yaml", *methods, *given)
    assert result.exit_code == 2
    (line,) = [line for line in preview_of(result.stderr) if "cannot run" in line]
    assert line.split(None, 2)[2].startswith(
        "priv_pc_star (priv_pc_star must be fitted to numerical variables"
    )
    assert "sieve_pc  10" in result.stdout


@pytest.mark.usefixtures("variables")
def test_a_table_of_too_many_cells_is_refused_before_it_is_counted():
    names = [f"v{k}" for k in range(25)]
    write("own.csv", [[str((n >> k % 8) % 2) for k in range(25)] for n in range(300)], names)
    domain = "".join(f"{name}: {{levels: ['0', '1']}}\n" for name in names)
    Path("domain.yaml").write_text(domain)
    stated, _ = facts("train", "own.csv", "--domain", "domain.yaml", "--method", "lap_mech")
    assert "at most 20,000,000 cells, got 33,554,432: merge levels" in stated["cannot run"]


@pytest.mark.usefixtures("variables")
def test_an_index_is_asked_for_and_beside_categories_it_is_named():
    lines = [[str(k), str(k / 3), str(k * k / 7)] for k in range(30)]
    write("own.csv", lines, ("", "a", "b"))
    _, questions = facts("train", "own.csv", *PC)
    index = "column1 seems to be the number of the row, an index, which says nothing"
    assert [question for question in questions if question.startswith(index)]
    write("own.csv", [[str(k), "xy"[k % 2], "uvw"[k % 3]] for k in range(30)], ("", "a", "b"))
    message = mistake("train", "own.csv", *PC)
    assert (
        "all categorical or all numerical for causal discovery; discretise or delete the numerical "
        "columns: column1; column1 seems to be the number of" in message
    )


@pytest.fixture
def causal(place):
    """A table of two-valued columns with the file of its causal graph."""
    rng = np.random.default_rng(0)
    sex, flips, other = rng.integers(2, size=(3, 200))
    income = np.where(rng.random(200) < 0.8, sex, flips)
    lines = [["fm"[s], str(o), "ny"[i]] for s, o, i in zip(sex, other, income, strict=True)]
    write("own.csv", lines, ("sex", "other", "income"))
    Path("graph.yaml").write_text("edges: [[sex, income], [other, income]]\n")
    return place


@pytest.mark.usefixtures("causal")
def test_of_a_causal_graph_edges_and_causes_are_said_beside_the_table():
    stated, questions = facts("train", "own.csv", *CAUSAL)
    assert stated["graph"] == "2 edges of 3 variables; income is caused by other, sex"
    assert stated["label"].startswith("income: 'y' is favourable, ")
    assert stated["groups"].startswith("sex: f ")
    assert [question.split(":")[0] for question in questions] == []


@pytest.mark.usefixtures("causal")
def test_missing_effects_and_isolated_variables_are_questioned():
    Path("graph.yaml").write_text("edges: [[other, income]]\n")
    _, questions = facts("train", "own.csv", *CAUSAL)
    assert questions == [
        "no edge contains sex: these variables have neither causes nor effects",
        "no path leads from sex to income: by this graph there is no effect to remove",
    ]


@pytest.mark.usefixtures("causal")
def test_what_the_graph_does_not_allow_is_said_before_anything_runs():
    Path("graph.yaml").write_text("edges: [[sex, other], [other, income]]\n")
    given = ("--set", "observed=[other]", "--set", "effect=counterfactual")
    stated, _ = facts("train", "own.csv", *CAUSAL[:-2], "--method", "cfgan", *given)
    assert "because the effect is then not identifiable, got 'other'" in stated["cannot run"]


@pytest.mark.usefixtures("place")
def test_of_a_graph_nodes_edges_what_is_left_out_and_classes_are_said():
    Path("own.edges").write_text(EDGES)
    Path("nodes.csv").write_text(LABELS)
    stated, questions = facts("train", "own.edges", "--labels", "nodes.csv", "--method", "dpne")
    assert stated == {
        "edges": "4, without direction; 1 loops and 1 repeats left out",
        "nodes": "20, 15 of them without an edge",
        "classes": "a 10, b 10",
        "bounds": "nodes and classes are public, as you declare; the edges are private",
    }
    assert questions == ["15 of 20 nodes have no edge: do both files use the same names of nodes?"]


@pytest.mark.usefixtures("place")
def test_what_looks_odd_of_a_graph_is_asked():
    Path("own.edges").write_text("a b\nb a\nb c\nc b\n")
    Path("nodes.csv").write_text("a,1\nb,2\nc,3\n")
    _, questions = facts("train", "own.edges", "--labels", "nodes.csv", "--method", "dpne")
    assert [question.split(":")[0] for question in questions] == [
        "3 classes of 3 nodes",
        "2 lines repeat an edge",
    ]
    Path("nodes.csv").write_text("a,x\nb,x\nc,x\nd,y\n")
    _, questions = facts("train", "own.edges", "--labels", "nodes.csv", "--method", "dpne")
    assert "one node alone in y: a class needs two nodes, to train and to test" in questions


@pytest.mark.usefixtures("place")
def test_a_graph_without_classes_has_nodes_from_its_edges():
    rng = np.random.default_rng(0)
    Path("own.edges").write_text(
        "".join(f"{one} {other}\n" for one, other in rng.integers(30, size=(90, 2)))
    )
    stated, questions = facts("train", "own.edges", "--method", "dpne")
    assert stated["classes"] == "none: links are to be predicted"
    assert stated["bounds"] == "the nodes are read from the edges: nothing is private"
    assert questions == []


@pytest.mark.usefixtures("variables")
def test_data_sets_with_a_name_need_no_such_word():
    assert preview_of(works("train", "synthetic_categorical", *PC).stderr) == []
