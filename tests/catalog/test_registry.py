"""The folder is the registry: names, what a module declares, and what an algorithm states about
itself.
"""

import tomllib
from dataclasses import replace
from math import inf
from pathlib import Path
from types import SimpleNamespace
from typing import Protocol, get_args

import pytest

from dpfair_cli import catalog
from dpfair_cli.contracts.arrays import Floats
from dpfair_cli.contracts.declarations import Algorithm, Dataset, Task
from dpfair_cli.contracts.errors import DpfairError, nearest
from dpfair_cli.contracts.extras import EXTRAS, how_to_install
from dpfair_cli.contracts.guarantees import Neighbours, Status
from dpfair_cli.contracts.results import NotSaved
from dpfair_cli.contracts.specs import Layout
from dpfair_cli.kinds.images import Images
from dpfair_cli.kinds.records import Records
from dpfair_cli.kinds.variables import Observations

PYPROJECT = Path(__file__).parents[2] / "pyproject.toml"


@pytest.mark.parametrize("kind", catalog.FOLDERS)
def test_every_file_of_a_folder_is_a_name_that_is_found(kind):
    assert catalog.names(kind) == tuple(sorted(catalog.names(kind)))
    assert len(catalog.names(kind)) == len(
        list((catalog.PACKAGE / catalog.FOLDERS[kind]).rglob("[!_]*.py"))
    )


def test_every_module_declares_a_record_of_its_kind():
    assert all(
        isinstance(catalog.algorithm(name), Algorithm) for name in catalog.names("algorithms")
    )
    assert all(isinstance(catalog.dataset(name), Dataset) for name in catalog.names("datasets"))
    assert all(isinstance(catalog.task(name), Task) for name in catalog.names("tasks"))
    assert all(issubclass(catalog.layout(name), Layout) for name in catalog.names("layouts"))


def test_every_module_that_a_method_or_a_data_set_needs_is_in_an_extra_of_the_package():
    extras = tomllib.loads(PYPROJECT.read_text(encoding="utf-8"))["project"][
        "optional-dependencies"
    ]
    needed = {catalog.algorithm(name).needs for name in catalog.names("algorithms")}
    needed |= {catalog.dataset(name).needs for name in catalog.names("datasets")}
    assert needed - {""} == set(EXTRAS) - {
        "distributed",
        "pyarrow",
    }  # for --cluster, and to read parquet
    for module, extra in EXTRAS.items():
        assert [each for each in extras[extra] if each.startswith(f"{module}>=")], module


def test_what_to_install_is_one_command_for_several_modules():
    assert how_to_install(["torch"]) == "pip install 'dpfair[deep]'"
    assert how_to_install(["torch", "tabfairgdt"]) == "pip install 'dpfair[deep,trees]'"
    assert how_to_install(["torch", "others"]) == "pip install 'dpfair[deep]' others"
    assert how_to_install(["others"]) == "pip install others"


@pytest.mark.parametrize(
    ("kind", "name", "message"),
    [
        ("algorithms", "pflrr", "no method 'pflrr': did you mean 'pflr'?"),
        ("algorithms", "PFLR", "no method 'PFLR': "),
        ("datasets", "Adult", "no data set 'Adult': did you mean 'adult'?"),
        ("datasets", "__init__", "no data set '__init__': "),
        ("tasks", "classify", "no task 'classify': did you mean 'classification'?"),
        ("layouts", "tables", "no layout 'tables': did you mean 'table'?"),
        ("algorithms", "", "no method '': there are: "),
        ("algorithms", "regression", "no method 'regression': did you mean "),
        ("algorithms", "../catalog", "no method '../catalog': "),
    ],
)
def test_an_unknown_name_is_refused_and_the_nearest_proposed(kind, name, message):
    with pytest.raises(DpfairError) as refused:
        catalog.find(kind, name)
    assert str(refused.value).startswith(message)


def test_the_nearest_word_is_proposed_or_else_all_words_are_named():
    assert nearest("pflt", ["pflr", "adfc"]) == "did you mean 'pflr'?"
    assert nearest("zzz", ["pflr", "adfc"]) == "there are: adfc, pflr"
    assert nearest("zzz", [f"a{k:02}" for k in range(90)]).endswith("a28, a29, and 60 more")
    assert nearest("pflr_sta", ["pflr", "pflr_star"]) == "did you mean 'pflr_star'?"


def test_a_mistake_in_a_parameter_names_the_method():
    with pytest.raises(DpfairError, match=r"^pflr: epsilon must be positive, got -1"):
        catalog.complete("algorithms", "pflr", {"epsilon": -1})
    with pytest.raises(DpfairError, match=r"^csv: a value is needed for file, label, protected$"):
        catalog.complete("datasets", "csv", {})


@pytest.mark.parametrize("kind", ["algorithms", "datasets", "tasks"])
def test_defaults_complete_themselves(kind):
    for name in catalog.names(kind):
        if kind == "datasets" and catalog.dataset(name).own_files:
            continue  # a user's own file has no default
        values = catalog.complete(kind, name, {})
        assert catalog.complete(kind, name, values) == values


def test_every_method_has_a_source_and_a_complete_guarantee():
    for name in catalog.names("algorithms"):
        declared = catalog.algorithm(name)
        assert declared.why_incomplete() == "", name
        text = (*declared.guarantee.in_words().values(), declared.source)
        assert not [part for part in text if "\n" in part or "  " in part or part.endswith(".")]


def test_a_guarantee_has_neighbours():
    assert catalog.algorithm("pflr").guarantee.neighbours is Neighbours.REPLACE_ONE
    assert catalog.algorithm("dpsgd").guarantee.neighbours is Neighbours.ADD_OR_REMOVE_ONE
    assert (
        catalog.algorithm("dp_postprocessing").guarantee.neighbours
        is Neighbours.ONE_PROTECTED_ATTRIBUTE
    )
    assert catalog.algorithm("pc").guarantee.neighbours is Neighbours.NONE


def test_private_is_what_takes_an_epsilon():
    public = (
        "logistic_regression",
        "truncated_logistic_regression",
        "fair_logistic_regression",
        "optimal_fair_mixture",
    )
    assert not [name for name in public if catalog.algorithm(name).guarantee.is_private]
    assert all(
        catalog.algorithm(name).guarantee.is_private
        for name in ("functional_mechanism", "pflr", "pflr_star", "pdfc", "adfc")
    )


@pytest.mark.parametrize("name", catalog.names("algorithms"))
def test_a_variant_with_a_status_of_its_own_is_one_that_can_be_chosen(name):
    known = catalog.parameters("algorithms", name)
    for (option, value), status in catalog.algorithm(name).guarantee.variants.items():
        assert value in get_args(known[option].annotation)
        assert value != known[option].default, "the status of the default is that of the guarantee"
        assert status in set(Status) - {Status.PROVED}


@pytest.mark.parametrize(
    ("name", "variant", "status"),
    [
        ("priv_pc", {"score": "published"}, "refuted"),
        ("priv_pc", {"separators": "read"}, "refuted"),
        ("priv_pc", {"score": "exact", "separators": "none"}, "proved"),
        ("lap_mech", {"noise": "published"}, "refuted"),
        ("priv_pc_star", {"bound": "published"}, "conditional"),
        ("priv_pc_star", {"bound": "clipped"}, "proved"),
        ("sieve_pc", {"statistic": "z", "sampling": "none"}, "proved"),
    ],
)
def test_variants_of_causal_methods_have_their_status(name, variant, status):
    assert catalog.algorithm(name).guarantee.status_with(variant) == status


def test_a_refuted_variant_is_refuted_in_status_and_label():
    assert (
        catalog.algorithm("dp_oracle_learner").guarantee.status_with({"noise": "published"})
        == "proved"
    )
    assert (
        catalog.algorithm("dp_oracle_learner").guarantee.status_with({"noise": "released_code"})
        == "refuted"
    )
    assert (
        catalog.algorithm("dp_oracle_learner").guarantee.label({"noise": "released_code"})
        == "refuted (one protected attribute)"
    )


def test_a_broken_condition_makes_a_guarantee_void():
    broken = ["known seed 3", "unpaid scores"]
    assert (
        catalog.algorithm("pflr").guarantee.label({}, broken) == "void: known seed 3, unpaid scores"
    )
    assert (
        catalog.algorithm("dpm").guarantee.label({}, broken)
        == "void: known seed 3, unpaid scores (one edge)"
    )
    assert catalog.algorithm("dpne").guarantee.label({}, broken) == "refuted (one edge)"
    assert (
        catalog.algorithm("pc").guarantee.label({}, broken)
        == catalog.algorithm("pflr").guarantee.label({"epsilon": inf}, broken)
        == "not private"
    )


@pytest.mark.parametrize(
    ("name", "variant", "status"),
    [
        ("pflr_star", {"noise": "all"}, "proved"),
        ("pflr_star", {"noise": "quadratic"}, "refuted"),
        ("dpsgd_f", {"weights": "one"}, "proved"),
        ("dpsgd_f", {"weights": "exact"}, "refuted"),
        ("dpsgd_f", {"weights": "noisy"}, "refuted"),
    ],
)
def test_variants_nearer_to_published_cells_are_refuted(name, variant, status):
    assert (
        catalog.algorithm(name).guarantee.status_with(catalog.complete("algorithms", name, variant))
        == status
    )


def test_unusual_neighbours_are_a_scope():
    scopes = {
        "dp_postprocessing": "(one protected attribute)",
        "dpsgd": "(add-or-remove-one)",
        "pflr": "",
        "logistic_regression": "",
    }
    for name, scope in scopes.items():
        assert catalog.algorithm(name).guarantee.scope == scope


def test_methods_and_data_sets_meet_in_the_kind_of_data():
    assert catalog.fitted_data("dpsgd") == {Records, Images}
    assert catalog.loaded_data("mnist") == {Images}
    assert catalog.loaded_data("asia") == catalog.loaded_data("adult_discretised") == {Observations}
    assert "pflr" in catalog.methods_for("adult")
    assert "pflr" not in catalog.methods_for("mnist")
    assert {"pc", "priv_pc", "lap_mech"} <= set(catalog.methods_for("asia"))
    with pytest.raises(
        DpfairError, match=r"^pflr is no method for asia \(causal_discovery\): there are "
    ):
        catalog.task_for("asia", "pflr")


class Sampler(NotSaved):
    """A result whose only field has no default."""

    vectors: Floats


class Embedded(Protocol):
    """What a task may ask of a result."""

    @property
    def vectors(self) -> Floats: ...


def fit_sampler(records: Records, *, rng) -> Sampler: ...


def fit_variables(observations: Observations, *, rng) -> Sampler: ...


@pytest.fixture
def embedding(monkeypatch):
    """A task of classification's cases that asks for vectors, and two methods whose results have
    them.
    """
    task = replace(catalog.task("classification"), result=Embedded)
    made = {
        ("tasks", "embedding"): SimpleNamespace(TASK=task),
        ("algorithms", "sampler"): SimpleNamespace(ALGORITHM=Algorithm(fit_sampler)),
        ("algorithms", "of_variables"): SimpleNamespace(ALGORITHM=Algorithm(fit_variables)),
    }
    names, find = catalog.names, catalog.find
    monkeypatch.setattr(
        catalog, "names", lambda kind: (*names(kind), *(name for own, name in made if own == kind))
    )
    monkeypatch.setattr(
        catalog, "find", lambda kind, name: made.get((kind, name)) or find(kind, name)
    )


@pytest.mark.usefixtures("embedding")
def test_a_field_without_a_default_is_something_that_a_task_can_ask_for():
    assert catalog.gives_result("sampler", task="embedding")
    assert not catalog.gives_result("sampler", task="classification")
    assert not catalog.gives_result("pc", task="embedding")


@pytest.mark.usefixtures("embedding")
def test_a_method_is_scored_in_the_task_of_the_data_or_else_in_the_first_that_can():
    assert catalog.task_for("adult") == catalog.task_for("adult", "pflr") == "classification"
    assert catalog.task_for("adult", "sampler") == "embedding"
    assert "sampler" in catalog.methods_for("adult")
    with pytest.raises(DpfairError, match=r"^no task scores all of pflr, sampler on adult"):
        catalog.task_for("adult", "pflr", "sampler")
    with pytest.raises(
        DpfairError, match=r"^of_variables is no method for adult \(classification\): there are "
    ):
        catalog.task_for("adult", "of_variables")
