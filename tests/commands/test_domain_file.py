"""With a domain file no record changes whether or how train and sweep end; what is public is said
with its source.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.commands.invoking import mistake, preview_of, without_preview, works
from tests.commands.material import COLUMNS, PUBLIC, changed, people, write

PRIVATE_TABLES = {  # none of them may be told from the people by how a command ends
    "missing values": changed(0, "", 10),
    "missing labels": changed(3, "", 20),
    "missing groups": changed(2, "NA", 20),
    "nobody is rich": changed(3, "no"),
    "everybody is rich": changed(3, "yes"),
    "one group": changed(2, "f"),
    "a constant column": changed(1, "a"),
    "a third label": changed(3, "maybe", 3),
    "a third group": changed(2, "x", 30),
    "a level that is not listed": changed(1, "d", 30),
    "words in the place of numbers": changed(0, "old"),
    "numbers that are none": changed(0, "1e400", 7),
}


def end(result) -> tuple[str, str, list[str]]:
    """What `train` says of the fit (no scores, no weights), of its progress, and of the table (no
    counts and questions).
    """
    shown = [line for line in preview_of(result.stderr) if not line.startswith(("  ?", "  gaps"))]
    facts = [re.sub(r"[\d,]+", "0", line) for line in shown]
    return (
        result.stdout.partition("\n\n")[2].partition("epsilon ")[2],
        without_preview(result.stderr),
        facts,
    )


@pytest.mark.usefixtures("own")
@pytest.mark.parametrize("table", PRIVATE_TABLES)
def test_training_on_any_table_ends_as_on_its_neighbours(table):
    expected = end(works("train", "own.csv", *PUBLIC, "--method", "pflr"))
    assert "bounds" in expected[0]
    write("own.csv", PRIVATE_TABLES[table])
    assert end(works("train", "own.csv", *PUBLIC, "--method", "pflr")) == expected


@pytest.mark.usefixtures("own")
def test_one_yes_trains_and_so_does_none():
    """The favourable label is public: the attack that asks whether anybody has it learns nothing
    from a refusal.
    """
    for rich in (["yes"], []):
        lines = [
            [*line[:3], label] for line, label in zip(people(), rich + ["no"] * 60, strict=False)
        ]
        write("own.csv", lines)
        works("train", "own.csv", *PUBLIC, "--method", "functional_mechanism")
    assert "the same value in all 60 rows" in mistake(
        "train", "own.csv", *COLUMNS, "--method", "functional_mechanism"
    )


@pytest.mark.usefixtures("own")
@pytest.mark.parametrize("table", ["nobody is rich", "one group", "words in the place of numbers"])
def test_a_sweep_of_any_table_ends_and_always_states_the_domain_rule(table):
    note = "Values outside the domain were mapped by its rule (dpfair info csv), if there were any."
    sweep = ("sweep", "own.csv", *PUBLIC, "--runs", "2", "--jobs", "1", "--eps", "1", "--out")
    assert note in works(*sweep, "one").stdout.splitlines()
    write("own.csv", PRIVATE_TABLES[table])
    assert note in works(*sweep, "two").stdout.splitlines()


@pytest.mark.usefixtures("own")
@pytest.mark.parametrize(
    ("given", "meant"),
    [
        (("--label", "rihc", "--protected", "sex"), "rich"),
        (("--label", "rich", "--protected", "sxe"), "sex"),
    ],
)
def test_a_misspelt_column_is_proposed_with_a_domain_file_too(given, meant):
    why = mistake("train", "own.csv", *given, "--domain", "domain.yaml", "--method", "pflr")
    assert why.endswith(f"did you mean {meant!r}?")


def bounds(*arguments) -> str:
    """What `train` says of where ranges, levels and nodes are from."""
    lines = (line.split(None, 1) for line in works("train", *arguments).stdout.splitlines() if line)
    (public,) = (text for name, text in lines if name == "public")
    return public.partition("bounds: ")[2]


@pytest.mark.usefixtures("own")
def test_public_facts_are_said_with_where_they_come_from():
    rule = "values outside the domain were mapped by its rule (dpfair info csv), if there were any"
    assert (
        bounds("own.csv", *PUBLIC, "--method", "pflr")
        == f"declared by the user, in the file of domain; {rule}"
    )
    assert bounds("own.csv", *COLUMNS, "--method", "pflr") == "read from the private data, a leak"
    documented = "of the data set's documentation"
    assert bounds("adult", "--method", "pflr", "--data-dir", "none") == documented


@pytest.mark.usefixtures("own")
def test_the_file_that_makes_the_nodes_of_a_graph_public_is_named():
    Path("edges.csv").write_text("".join(f"{k},{(k + 1) % 30}\n" for k in range(30)))
    Path("nodes.csv").write_text("".join(f"{k},{'ab'[k % 2]}\n" for k in range(30)))
    assert bounds("edges.csv", "--labels", "nodes.csv", "--method", "top_m_filter") == (
        "declared by the user, in the file of labels"
    )


@pytest.mark.usefixtures("own")
def test_blank_lines_are_asked_about():
    Path("own.csv").write_text(Path("own.csv").read_text() + "\n\n")
    said = works("train", "own.csv", *PUBLIC, "--method", "pflr").stderr
    assert "? 2 rows are empty, such as blank lines, and count as records" in said
