"""Experiments: every spec is readable, every published cell is within its grid, and no published
cell was lost.
"""

from __future__ import annotations

import csv
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from dpfair_cli.contracts.files import read_yaml
from dpfair_cli.contracts.specs import Spec
from dpfair_cli.running import artefact_names, spec
from dpfair_cli.verdicts.cells.judging import TIMES
from dpfair_cli.verdicts.cells.published import PublishedCell, parameter_names
from dpfair_cli.verdicts.deviations.deviation import check_columns
from dpfair_cli.verdicts.means import equals_value, runs_of, shown_scores
from dpfair_cli.verdicts.paper import Paper, read_paper
from tests import paper_facts

ROOT = Path(__file__).parent.parent
EXPERIMENTS = ROOT / "experiments"
# The collection of published cells that this project started from, where it lies beside the
# checkout.
COLLECTION = ROOT.parent / "shared" / "published"
COLLECTED = ("ding2020", "jagielski2019", "mangold2023", "xu2021")  # the works of the collection
FILES = [file for file in EXPERIMENTS.glob("*/*.yaml") if artefact_names.is_spec(file)]
SPECS = sorted(f"{file.parent.name}/{file.stem}" for file in FILES)
PAPERS = sorted({file.parent.name for file in FILES})
every_paper = pytest.mark.parametrize("paper", PAPERS)


def specs_of(paper: str) -> list[str]:
    """The names of the artefacts of a paper."""
    return [name for name in SPECS if name.startswith(f"{paper}/")]


@cache
def load(artefact: str) -> Spec:
    return spec.read(EXPERIMENTS / f"{artefact}.yaml", artefact)


@cache
def paper_of(paper: str) -> Paper:
    return read_paper(EXPERIMENTS / paper)


def collection(name: str) -> list[dict[str, str]]:
    if not COLLECTION.exists():
        pytest.skip("the collection of published cells is not beside this checkout")
    with (COLLECTION / name).open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


def grid(found: Spec) -> pd.DataFrame:
    """Every data set with every setting of every method, one line each; no fit, no scores."""
    settings = {(run.dataset, run.method): run for run in found.runs()}.values()
    return pd.DataFrame(
        {"dataset": run.dataset.name, "published_method": run.method.published}
        | {**run.dataset.options, **run.method.params}
        for run in settings
    )


def known(artefact: str) -> list[PublishedCell]:
    paper, name = artefact.split("/")
    return [cell for cell in paper_of(paper).published if cell.artefact == name]


def run_here(artefact: str) -> list[PublishedCell]:
    """The published cells of an artefact, without those of which a deviation says `not_run`.

    A data set of the spec is in its grid, also if it is not run here.
    """
    paper, name = artefact.split("/")
    declared = [one for one in paper_of(paper).deviations if name in one.artefact and one.not_run]
    here = set(load(artefact).dataset_names)
    absent = [
        one.covers
        for one in declared
        if set(one.covers) != {"dataset"} or here.isdisjoint(one.covers["dataset"])
    ]
    return [
        cell
        for cell in known(artefact)
        if not any(paper_facts.is_within(cell, one) for one in absent)
    ]


@every_paper
def test_a_spec_is_readable_and_quick_is_smaller(paper: str) -> None:
    for artefact in specs_of(paper):
        whole = load(artefact)
        quick = spec.read(EXPERIMENTS / f"{artefact}.yaml", artefact, quick=True)
        assert quick.seeds < whole.seeds or whole.seeds == 1, artefact
        assert whole.source, artefact
        assert whole.title, artefact


@every_paper
def test_a_spec_with_published_cells_has_at_least_the_papers_runs(paper: str) -> None:
    for artefact in specs_of(paper):
        found = load(artefact)
        if run_here(artefact):
            usual = 10 if paper_facts.facts(paper) else found.published_runs
            theirs = paper_facts.number(artefact, "published_runs", usual)
            assert found.published_runs == theirs, artefact
            fewer = paper_facts.number(artefact, "fewer_runs", theirs)
            assert found.seeds >= (1 if found.task.study.exact else fewer), artefact


@every_paper
def test_a_default_that_is_the_nearest_names_the_cells_or_has_none_here(paper: str) -> None:
    """The cells that chose it may also be those of another artefact, or of another paper."""
    for artefact in specs_of(paper):
        content = read_yaml(EXPERIMENTS / f"{artefact}.yaml")
        published = {(cell.method, cell.dataset) for cell in known(artefact)}
        name = artefact.partition("/")[2]
        elsewhere = paper_facts.facts(paper).get("nearest_elsewhere", ())
        for entry in [*content.get("algorithms", ()), content.get("task", {})]:
            reason = str(entry.get("chosen_by", "")) if isinstance(entry, dict) else ""
            if reason.startswith("nearest of") or "after the" in reason:
                method = entry.get("published", entry.get("method"))
                has_cells = any(method in (label, None) for label, _ in published)
                expected = has_cells and name not in elsewhere
                assert ("chosen_by_cells" in entry) == expected, artefact


@every_paper
def test_every_published_cell_is_within_the_grid_of_its_spec(paper: str) -> None:
    for artefact in specs_of(paper):
        found = load(artefact)
        settings = runs_of(grid(found))
        for cell in run_here(artefact):
            wanted = {"dataset": cell.dataset, "published_method": cell.method, **cell.parameters}
            assert len(settings.having(wanted)), f"{artefact} never runs {wanted}"
            assert cell.metric in (*shown_scores(found), *TIMES), artefact


@every_paper
def test_the_default_variant_of_a_published_method_has_its_name(paper: str) -> None:
    for artefact in specs_of(paper):
        labels = set(load(artefact).methods_by_label)
        assert {cell.method for cell in run_here(artefact)} <= labels, artefact
        assert {method.published for method in load(artefact).methods} <= labels, artefact


@every_paper
def test_no_published_cell_was_lost_or_changed(paper: str) -> None:
    theirs = [
        cell for cell in collection("published.csv") if cell["artifact"].startswith(f"{paper}/")
    ]
    if not theirs and paper not in COLLECTED:
        pytest.skip(f"the collection has no cell of {paper}, which was added later")
    with (EXPERIMENTS / paper / "published.csv").open(encoding="utf-8") as file:
        ours = list(csv.DictReader(file))
    count = Counter(cell["artefact"] for cell in ours)
    assert count == Counter(cell["artifact"].split("/")[1] for cell in theirs)
    values = [
        (f"{paper}/{cell['artefact']}", cell["method"], cell["mean"], cell["std"]) for cell in ours
    ]
    assert values == [
        (cell["artifact"], cell["method"], cell["mean"], cell["std"]) for cell in theirs
    ]


def entries(paper: str, name: str) -> list[dict[str, Any]]:
    return read_yaml(EXPERIMENTS / paper / name)  # type: ignore[no-any-return]


@every_paper
def test_every_claim_is_well_formed_and_names_methods_that_run(paper: str) -> None:
    for part in paper_of(paper).claims:
        labels = set(load(f"{paper}/{part.artefact}").methods_by_label)
        for predicate in part.predicates:
            assert set(predicate.statement.methods) <= labels, part.id


@every_paper
def test_every_claim_about_a_spec_of_ours_is_tested(paper: str) -> None:
    artefacts = {name.split("/")[1] for name in SPECS if name.startswith(f"{paper}/")} | {
        "figure3b-c",
        "figure1",
        "figure9.6",
    }
    theirs = [line for line in collection("claims.csv") if line["artifact"].split("/")[0] == paper]
    wanted = {line["id"] for line in theirs if line["artifact"].split("/")[1] in artefacts}
    assert wanted <= {claim["id"].split(" ")[0] for claim in entries(paper, "claims.yaml")}


@every_paper
def test_every_deviation_names_artefacts_and_has_its_own_id(paper: str) -> None:
    found = paper_of(paper)
    for deviation in found.deviations:
        assert {f"{paper}/{artefact}" for artefact in deviation.artefact} <= set(SPECS)
    parameters = parameter_names(found.published)
    check_columns(found.deviations, {"dataset", "method", "metric", *parameters})
    assert len({one.id for one in found.deviations}) == len(found.deviations)


CHOSEN_BY = ("printed text", "nearest of", "convention")


@every_paper
def test_a_method_with_variants_says_how_its_default_was_chosen(paper: str) -> None:
    """The same holds for a task with variants.

    Variants of the whole spec or of a data set are beside every method, and chosen by none of them.
    """
    for artefact in specs_of(paper):
        content = read_yaml(EXPERIMENTS / f"{artefact}.yaml")
        entries = [*content.get("algorithms", ()), content.get("task", {})]
        listed = [entry for entry in entries if isinstance(entry, dict) and "variants" in entry]
        unsaid = [
            entry["name"]
            for entry in listed
            if not str(entry.get("chosen_by", "")).startswith(CHOSEN_BY)
        ]
        assert not unsaid, artefact


def test_epsilons_of_the_figures_are_the_papers_powers_of_ten() -> None:
    found = {
        method.params["epsilon"]
        for method in load("ding2020/figure1").methods
        if method.label == "FM"
    }
    column = pd.Series(sorted(found))
    assert all(equals_value(column, 10.0**power).sum() == 1 for power in (-2, -1.5, -1, 0, 0.5, 1))
    assert len(column) == 6


def test_the_shares_of_figure_8_1_are_those_of_the_figure_while_noise_per_degree_is_private() -> (
    None
):
    found = load("xu2021/figure8.1").methods
    for label in {method.label for method in found}:
        shares = [method.params["objective_share"] for method in found if method.label == label]
        largest = 80 if "noise per degree" in label else 95  # percent
        assert shares == pytest.approx([k / 100 for k in range(5, largest + 1, 5)])
