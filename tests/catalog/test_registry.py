"""The folder is the registry: names, what a module declares, and what an algorithm states about
itself.
"""

import pickle
import sys
import tomllib
from dataclasses import replace
from math import inf
from pathlib import Path
from types import ModuleType
from typing import Protocol, get_args

import pytest

from dpfair_cli import catalog, papers
from dpfair_cli.catalog import PACKAGE, matching, models
from dpfair_cli.contracts.arrays import Floats
from dpfair_cli.contracts.declarations import Algorithm, DataSource, Study
from dpfair_cli.contracts.errors import DpfairError, how_to_install, nearest
from dpfair_cli.contracts.guarantees import Neighbours, Status
from dpfair_cli.contracts.results import NotSaved
from dpfair_cli.contracts.specs import Layout
from dpfair_cli.kinds.images import Images
from dpfair_cli.kinds.records import Records
from dpfair_cli.kinds.variables import Observations

PYPROJECT = Path(__file__).parents[2] / "pyproject.toml"
DECLARATIONS = (catalog.algorithms, catalog.data_sources, catalog.studies)
REGISTRIES = (*DECLARATIONS, models, catalog.layouts)


def folder_of(registry):
    return registry.folder


@pytest.mark.parametrize("registry", REGISTRIES, ids=folder_of)
def test_every_file_of_a_folder_is_a_name(registry):
    files = [*(PACKAGE / registry.folder).rglob("[!_]*.py"), *papers.modules(registry.folder)]
    assert registry.names == tuple(sorted(file.stem for file in files))


def test_every_module_declares_a_record_of_its_kind():
    for registry, record in zip(DECLARATIONS, (Algorithm, DataSource, Study), strict=True):
        for name in registry.names:
            assert type(registry.find(name)) is record
    assert all(issubclass(catalog.layout(name), Layout) for name in catalog.layouts.names)


def test_a_record_has_the_name_and_the_module_that_declare_it():
    found = catalog.algorithm("pflr")
    assert (found.name, found.module) == ("pflr", "dpfair_cli.algorithms.regression.pflr")
    assert catalog.algorithm("pflr") is found


@pytest.mark.parametrize("registry", DECLARATIONS, ids=folder_of)
def test_a_record_that_was_pickled_is_the_one_of_its_module(registry):
    for name in registry.names:
        found = registry.find(name)
        assert pickle.loads(pickle.dumps(found)) is found


def test_every_module_that_is_needed_is_in_an_extra_of_the_package():
    extras = tomllib.loads(PYPROJECT.read_text(encoding="utf-8"))["project"][
        "optional-dependencies"
    ]
    needed = {catalog.algorithm(name).needs for name in catalog.algorithms.names}
    needed |= {catalog.data_source(name).needs for name in catalog.data_sources.names}
    offered = [module for extra in extras.values() for module in extra]
    for module in needed - {""}:
        assert [one for one in offered if one.startswith(f"{module}>=")], module


def test_what_to_install_is_one_command_for_several_modules():
    assert how_to_install(["torch", "others"]) == "pip install others torch"


@pytest.mark.parametrize(
    ("find", "name", "message"),
    [
        (catalog.algorithm, "pflrr", "unknown method 'pflrr': did you mean 'pflr'?"),
        (catalog.algorithm, "PFLR", "unknown method 'PFLR': "),
        (catalog.data_source, "Adult", "unknown data set 'Adult': did you mean 'adult'?"),
        (catalog.data_source, "__init__", "unknown data set '__init__': "),
        (catalog.study, "classify", "unknown task 'classify': did you mean 'classification'?"),
        (catalog.layout, "tables", "unknown layout 'tables': did you mean 'table'?"),
        (catalog.models.module, "pflrr", "unknown model 'pflrr': "),
        (catalog.algorithm, "", "unknown method '': there are: "),
        (catalog.algorithm, "regression", "unknown method 'regression': did you mean "),
        (catalog.algorithm, "../catalog", "unknown method '../catalog': "),
    ],
)
def test_an_unknown_name_is_refused_and_the_nearest_proposed(find, name, message):
    with pytest.raises(DpfairError) as refused:
        find(name)
    assert str(refused.value).startswith(message)


def test_the_nearest_word_is_proposed_or_else_all_words_are_named():
    assert nearest("pflt", ["pflr", "adfc"]) == "did you mean 'pflr'?"
    assert nearest("zzz", ["pflr", "adfc"]) == "there are: adfc, pflr"
    assert nearest("zzz", [f"a{k:02}" for k in range(90)]).endswith("a28, a29, and 60 more")
    assert nearest("pflr_sta", ["pflr", "pflr_star"]) == "did you mean 'pflr_star'?"


def test_a_mistake_in_a_parameter_names_the_method():
    with pytest.raises(DpfairError, match=r"^pflr: epsilon must be positive, got -1"):
        catalog.algorithm("pflr").complete({"epsilon": -1})
    with pytest.raises(
        DpfairError, match=r"^csv: missing parameters: give a value for file, label, protected$"
    ):
        catalog.data_source("csv").complete({})


@pytest.mark.parametrize("registry", DECLARATIONS, ids=folder_of)
def test_defaults_complete_themselves(registry):
    for declared in map(registry.find, registry.names):
        if getattr(declared, "own_files", ()):
            continue  # a user's own file has no default
        values = declared.complete({})
        assert declared.complete(values) == values


def test_a_name_becomes_a_method_a_data_set_or_a_task_with_every_parameter():
    method = catalog.method("pflr", {"epsilon": 2})
    assert (method.name, method.label, method.published) == ("pflr", "pflr", "pflr")
    assert method.params == catalog.algorithm("pflr").complete({"epsilon": 2.0})
    assert catalog.data_set("adult").options == catalog.data_source("adult").complete({})
    task = catalog.task("classification", {"test_fraction": 0.3})
    assert (task.name, task.protocol) == ("classification", {"test_fraction": 0.3})


def test_data_sets_of_one_source_and_the_same_options_are_equal():
    one, same = (catalog.data_set("synthetic_categorical", {"nodes": 5}) for _ in range(2))
    assert one == same
    assert hash(one) == hash(same)
    others = [
        catalog.data_set("synthetic_categorical", {"nodes": 6}),
        replace(one, variant="another"),
        catalog.data_set("synthetic_gaussian", {"nodes": 5}),
    ]
    assert one not in others


def test_every_method_has_a_source_and_a_complete_guarantee():
    for name in catalog.algorithms.names:
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


@pytest.mark.parametrize("name", catalog.algorithms.names)
def test_a_variant_with_a_status_of_its_own_is_one_that_can_be_chosen(name):
    known = catalog.algorithm(name).parameters
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
        ("dpsgd_quantile", {"quantile": "exact"}, "refuted"),
        ("naive_pc", {"query": "distance"}, "proved"),
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
        catalog.algorithm(name).guarantee.status_with(catalog.algorithm(name).complete(variant))
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


def names_of_algorithms_for(name):
    """The names of the algorithms for a data source."""
    return {algorithm.name for algorithm in matching.algorithms_for(catalog.data_source(name))}


def name_of_study_for(name, *algorithms):
    """The name of the study that scores algorithms on a data source."""
    source = catalog.data_source(name)
    return matching.study_named("", source, map(catalog.algorithm, algorithms)).name


def test_methods_and_data_sets_meet_in_the_type_of_data():
    assert matching.fitted_types(catalog.algorithm("dpsgd")) == {Records, Images}
    loaded = {
        name: matching.loaded_types(catalog.data_source(name))
        for name in ("mnist", "asia", "adult_discretised")
    }
    assert loaded == {
        "mnist": {Images},
        "asia": {Observations},
        "adult_discretised": {Observations},
    }
    assert "pflr" in names_of_algorithms_for("adult")
    assert "pflr" not in names_of_algorithms_for("mnist")
    assert {"pc", "priv_pc", "lap_mech"} <= names_of_algorithms_for("asia")
    message = (
        r"^the algorithm pflr cannot be fitted to the data set asia \(task causal_discovery\): "
        r"choose one of "
    )
    with pytest.raises(DpfairError, match=message):
        name_of_study_for("asia", "pflr")


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
    """A study of classification cases that asks for vectors, and two algorithms."""
    study = replace(catalog.study("classification"), result=Embedded)
    declare(monkeypatch, catalog.studies, "embedding", study)
    declare(monkeypatch, catalog.algorithms, "sampler", Algorithm(fit_sampler))
    declare(monkeypatch, catalog.algorithms, "of_variables", Algorithm(fit_variables))


def declare(monkeypatch, registry, name, record):
    """The module of a name that a registry did not have, with its record."""
    module = ModuleType(f"made_{name}")
    setattr(module, registry.record.attribute, record)
    monkeypatch.setitem(sys.modules, module.__name__, module)
    monkeypatch.setitem(vars(registry), "modules", {**registry.modules, name: module.__name__})
    return module


@pytest.mark.usefixtures("embedding")
def test_a_study_can_ask_for_a_field_without_a_default():
    embedding, sampler = catalog.study("embedding"), catalog.algorithm("sampler")
    assert matching.can_score(embedding, sampler)
    assert not matching.can_score(catalog.study("classification"), sampler)
    regression = catalog.algorithm("logistic_regression")
    assert matching.why_not_scored(embedding, regression) == "the result of its fit lacks `vectors`"


@pytest.mark.usefixtures("embedding")
def test_the_study_of_the_data_scores_a_method_or_else_the_first_that_can():
    assert name_of_study_for("adult") == name_of_study_for("adult", "pflr") == "classification"
    assert name_of_study_for("adult", "sampler") == "embedding"
    assert "sampler" in names_of_algorithms_for("adult")
    with pytest.raises(
        DpfairError, match=r"^no task scores all of pflr, sampler on the data set adult"
    ):
        name_of_study_for("adult", "pflr", "sampler")
    message = (
        r"^the algorithm of_variables cannot be fitted to the data set adult "
        r"\(task classification\): choose one of "
    )
    with pytest.raises(DpfairError, match=message):
        name_of_study_for("adult", "of_variables")
