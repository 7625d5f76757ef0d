"""Every check of a spec: what a YAML file may say, and one line that names the mistake for what it
may not.
"""

import copy
import itertools
import re
from pathlib import Path

import pytest
import yaml

from dpfair_cli import catalog
from dpfair_cli.contracts.errors import DpfairError
from dpfair_cli.contracts.specs import ChosenByCells, PrintedShape
from dpfair_cli.reporting.layouts.lines import LinesLayout
from dpfair_cli.reporting.layouts.table import TableLayout
from dpfair_cli.running import artefact_names, spec

ROOT = Path(__file__).resolve().parents[2]
COMMITTED = sorted(f"{path.parent.name}/{path.stem}" for path in ROOT.glob("experiments/*/*.yaml")
                   if path.stem.startswith(("table", "figure")))  # fmt: skip
GOOD = {
    "title": "A table",
    "source": "Nobody 2020, Table 1",
    "task": "classification",
    "datasets": ["adult", "dutch"],
    "algorithms": [
        "logistic_regression",
        {
            "name": "pflr",
            "method": "PFLR",
            "epsilon": [0.1, 1, float("inf")],
            "fairness": ["shift", "drift"],
        },
    ],
    "seeds": 10,
    "table": {"rows": ["dataset", "epsilon"], "values": ["accuracy"], "also": ["selection_rate"]},
    "quick": {"seeds": 2, "datasets": ["adult"]},
}


def without(*keys):
    return {key: value for key, value in GOOD.items() if key not in keys}


def figure(**layout):
    return without("table") | {"lines": layout}


def printed(**shape):
    return GOOD | {"printed": shape}


def pflr(**given):
    return GOOD | {"algorithms": [{"name": "pflr", **given}]}


def refusal(content):
    """The one line with which a parsed document is refused."""
    with pytest.raises(DpfairError) as refused:
        spec.parse(content, "nobody2020/table1")
    assert "\n" not in str(refused.value)
    return str(refused.value)


@pytest.fixture
def written(tmp_path):
    def write(text):
        (tmp_path / "table1.yaml").write_text(text)
        return tmp_path / "table1.yaml"

    return write


def test_a_list_as_a_value_is_an_axis():
    methods = spec.parse(GOOD, "nobody2020/table1").methods
    assert [method.name for method in methods] == ["logistic_regression"] + ["pflr"] * 6
    points = [(method.params["epsilon"], method.params["fairness"]) for method in methods[1:]]
    assert points == list(itertools.product([0.1, 1.0, float("inf")], ["shift", "drift"]))


def test_every_default_is_written_out():
    (method,) = spec.parse(pflr(epsilon=1), "nobody2020/table1").methods
    assert method.params == {
        "epsilon": 1.0,
        "fairness": "penalty",
        "alpha": 1.0,
        "sensitivity": "published",
        "bound": "box",
        "layout": "monomials",
        "regularisation": 5.0,
    }


def test_the_runs_are_data_sets_by_methods_by_seeds_in_that_order():
    found = spec.parse(GOOD, "nobody2020/table1")
    runs = list(found.runs())
    assert len(runs) == 2 * 7 * 10
    assert [run.seed for run in runs[:10]] == list(range(10))
    assert [run.dataset.name for run in runs] == ["adult"] * 70 + ["dutch"] * 70


def test_a_method_may_have_a_name_of_its_own_and_data_sets_of_its_own():
    entry = {
        "name": "pflr",
        "method": "PFLR (shift)",
        "published": "PFLR",
        "datasets": ["dutch"],
        "epsilon": 1,
    }
    found = spec.parse(GOOD | {"algorithms": [entry, "logistic_regression"]}, "nobody2020/table1")
    pflr = found.methods[0]
    assert (pflr.label, pflr.published, pflr.datasets) == ("PFLR (shift)", "PFLR", ("dutch",))
    assert [(run.dataset.name, run.method.name) for run in found.runs() if not run.seed] == [
        ("adult", "logistic_regression"),
        ("dutch", "pflr"),
        ("dutch", "logistic_regression"),
    ]


def test_a_variant_of_a_data_set_changes_labels_but_no_published_name():
    coarse = {
        "name": "synthetic_categorical",
        "nodes": 5,
        "most_levels": 3,
        "variant": "at most 3 levels",
    }
    content = without("quick") | {
        "task": "causal_discovery",
        "datasets": [{"name": "synthetic_categorical", "nodes": [5, 10]}, coarse],
        "algorithms": [
            {"name": "pc", "method": "PC"},
            {
                "name": "lap_mech",
                "method": "Noisy",
                "published": "LapMech",
                "variants": {"proved": {"noise": "replace_one"}},
            },
        ],
        "table": {"rows": ["nodes", "method"], "values": ["tpr"]},
        "seeds": 1,
    }
    found = spec.parse(content, "nobody2020/table1")
    assert [(data.options["nodes"], data.variant) for data in found.datasets] == [
        (5, ""), (10, ""), (5, "at most 3 levels")
    ]  # fmt: skip
    assert found.published_labels == {
        "PC": "PC",
        "Noisy": "LapMech",
        "Noisy, proved": "LapMech",
        "PC, at most 3 levels": "PC",
        "Noisy, at most 3 levels": "LapMech",
        "Noisy, proved, at most 3 levels": "LapMech",
    }
    runs = [
        (run.label, run.dataset.options["nodes"], run.dataset.options["most_levels"])
        for run in found.runs()
    ]
    default = catalog.data_source("synthetic_categorical").complete({})["most_levels"]
    assert default != 3
    labels = ("PC", "Noisy", "Noisy, proved")
    assert runs == [
        *((label, nodes, default) for nodes in (5, 10) for label in labels),
        *((f"{label}, at most 3 levels", 5, 3) for label in labels),
    ]
    assert "variant" not in found.datasets[2].options


def with_methods(*names):
    """A spec with a variant of its data set that names methods."""
    variant = {"name": "dutch", "encoding": "ordinal", "variant": "codes", "methods": [*names]}
    return GOOD | {
        "datasets": ["dutch", variant],
        "algorithms": ["logistic_regression", {"name": "pflr", "method": "PFLR"}],
        "seeds": 1,
    }


def test_a_data_set_may_name_its_methods():
    found = spec.parse(with_methods("PFLR"), "nobody2020/table1")
    assert [run.label for run in found.runs()] == ["logistic_regression", "PFLR", "PFLR, codes"]
    assert "methods" not in found.datasets[1].options


def test_an_unknown_method_of_a_data_set_is_refused_with_the_nearest():
    with pytest.raises(
        DpfairError, match="methods has an unknown name 'PFRL': did you mean 'PFLR'"
    ):
        spec.parse(with_methods("PFRL"), "nobody2020/table1")
    content = with_methods()
    content["datasets"][1]["methods"] = "PFLR"
    with pytest.raises(DpfairError, match="codes: methods must be a list of names"):
        spec.parse(content, "nobody2020/table1")


def test_an_entry_says_what_its_default_variant_was_chosen_by():
    entry = {
        "name": "pflr",
        "method": "PFLR",
        "chosen_by": "nearest of 2",
        "variants": {"shift": {"fairness": "shift"}},
    }
    content = GOOD | {"algorithms": ["logistic_regression", entry]}
    found = spec.parse(content, "nobody2020/table1").methods
    assert [(method.label, method.chosen_by) for method in found] == [
        ("logistic_regression", ""),
        ("PFLR", "nearest of 2"),
        ("PFLR, shift", "nearest of 2"),
    ]
    assert "chosen_by" not in found[1].params


def chosen(content):
    return spec.parse(content, "nobody2020/table1").chosen_by_cells


def test_defaults_and_variants_that_were_chosen_by_cells_are_named():
    shift = {"fairness": "shift", "chosen_by_cells": ["adult", "dutch"]}
    entry = {
        "name": "pflr",
        "published": "PFLR",
        "chosen_by_cells": ["dutch"],
        "variants": {"shift": shift},
    }
    content = GOOD | {"algorithms": ["logistic_regression", entry]}
    assert chosen(GOOD) == ()
    assert chosen(content) == (
        ChosenByCells("PFLR", "", ("dutch",)),
        ChosenByCells("PFLR", "shift", ("adult", "dutch")),
    )
    assert [*spec.parse(content, "nobody2020/table1").methods[-1].params] == [
        *spec.parse(GOOD | {"algorithms": ["pflr"]}, "nobody2020/table1").methods[0].params
    ]
    of_task = {"name": "classification", "chosen_by_cells": ["PFLR"]}
    found = chosen(content | {"task": of_task})
    assert found[2:] == (ChosenByCells("PFLR", "", ("adult", "dutch")),)


@pytest.mark.parametrize(
    ("names", "message"),
    [
        ("dutch", "chosen_by_cells must be a list of names, got 'dutch'"),
        (["dutsch"], "chosen_by_cells has an unknown name 'dutsch': did you mean 'dutch'"),
    ],
)
def test_cells_that_chose_a_default_are_named_by_known_data_sets(names, message):
    content = GOOD | {"algorithms": [{"name": "pflr", "chosen_by_cells": names}]}
    with pytest.raises(DpfairError, match=re.escape(message)):
        spec.parse(content, "nobody2020/table1")


def test_a_data_set_may_have_its_own_number_of_published_runs():
    content = GOOD | {"published_runs": 10, "published_runs_by": "assumed"}
    content |= {"per_dataset": {"dutch": {"published_runs": 1}}}
    found = spec.parse(content, "nobody2020/table1")
    assert [found.runs_of_published(name) for name in ("adult", "dutch")] == [10, 1]
    assert found.published_runs_by == "assumed"
    content["per_dataset"] = {"dutch": {"published_runs": 0}}
    with pytest.raises(DpfairError, match="dutch: published_runs must be at least 1, got 0"):
        spec.parse(content, "nobody2020/table1")
    with pytest.raises(DpfairError, match="published_runs"):
        spec.parse(GOOD | {"settings": {"published_runs": 1}}, "nobody2020/table1")


def test_quick_replaces_seeds_and_data_sets_and_nothing_else():
    whole, quick = (spec.parse(GOOD, "nobody2020/table1", quick=wanted) for wanted in (False, True))
    assert (whole.seeds, whole.dataset_names) == (10, ["adult", "dutch"])
    assert (quick.seeds, quick.dataset_names) == (2, ["adult"])
    quick_params, params = ([dict(one.params) for one in it.methods] for it in (quick, whole))
    assert quick_params == params
    assert spec.parse(without("quick"), "nobody2020/table1", quick=True).seeds == 10


def test_an_entrys_own_quick_parameters_are_those_of_a_quick_run():
    entry = {"name": "pflr", "epsilon": 1, "alpha": 2, "quick": {"epsilon": 5}}
    whole, quick = (
        spec.parse(GOOD | {"algorithms": [entry]}, "nobody2020/table1", quick=wanted)
        .methods[0]
        .params
        for wanted in (False, True)
    )
    assert (whole["epsilon"], quick["epsilon"], quick["alpha"]) == (1.0, 5.0, 2.0)
    assert "quick must be a mapping of parameters, got 3" in refusal(
        GOOD | {"algorithms": [entry | {"quick": 3}]}
    )


def test_parsing_changes_nothing_in_the_document():
    before = copy.deepcopy(GOOD)
    spec.parse(GOOD, "nobody2020/table1", quick=True)
    assert before == GOOD


def test_a_layout_shows_a_score():
    assert refusal(GOOD | {"table": {"rows": ["dataset"], "values": []}}).startswith(
        "the key `table` of the spec: the layout must show at least one score"
    )


def test_a_layout_is_a_table_or_a_figure():
    assert spec.parse(GOOD, "nobody2020/table1").layout == TableLayout(
        ("dataset", "epsilon"), ("accuracy",), ("selection_rate",)
    )
    drawn = spec.parse(
        figure(x="epsilon", panels=["accuracy"], log_x=False), "nobody2020/figure1"
    ).layout
    assert drawn == LinesLayout("epsilon", ("accuracy",), log_x=False)


def test_the_shape_of_a_printed_table_is_that_of_the_spec():
    content = printed(rows=["dataset", "epsilon"], columns=["method", "metric"])
    found = spec.parse(content, "nobody2020/table1")
    assert found.printed == PrintedShape(("dataset", "epsilon"), ("method", "metric"))
    assert spec.parse(GOOD, "nobody2020/table1").printed == PrintedShape()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (GOOD | {"seds": 3}, "a spec has an unknown key 'seds': did you mean 'seeds'?"),
        (GOOD | {"quick": {"sedes": 1}}, "quick has an unknown key 'sedes': did you mean 'seeds'?"),
        (
            GOOD | {"table": {"row": ["dataset"], "values": []}},
            "the key `table` of the spec: unknown key 'row': did you mean 'rows'?",
        ),
        (
            figure(x="epsilon", panel=["accuracy"]),
            "the key `lines` of the spec: unknown key 'panel': did you mean 'panels'?",
        ),
        (GOOD | {"seeds": "ten"}, "the value of the key `seeds` has the wrong type: 'ten'"),
        (GOOD | {"seeds": True}, "the value of the key `seeds` has the wrong type: True"),
        (GOOD | {"seeds": 2.5}, "the value of the key `seeds` has the wrong type: 2.5"),
        (
            GOOD | {"datasets": "adult"},
            "the value of the key `datasets` has the wrong type: 'adult'",
        ),
        (
            GOOD | {"table": ["dataset"]},
            "the key `table` of the spec: must be a mapping with no other keys than rows, values, "
            "also, baselines, got ['dataset']",
        ),
        (GOOD | {"title": 8.1}, "the value of the key `title` has the wrong type: 8.1"),
        (GOOD | {"seeds": 0}, "the keys `seeds` and `published_runs` must be at least 1"),
        (GOOD | {"published_runs": 0}, "the keys `seeds` and `published_runs` must be at least 1"),
        (
            GOOD | {"lines": {"x": "epsilon", "panels": ["accuracy"]}},
            "a spec must have exactly one key that names a layout: causal_paths or",
        ),
        (
            without("table"),
            "names a layout: causal_paths or facets or frontier or graphs or lines "
            "or marginals or scatter",
        ),
        (without("seeds"), "a spec must have seeds"),
        (without("title", "task"), "a spec must have title, task"),
        (
            GOOD | {"task": "clasification"},
            "unknown task 'clasification': did you mean 'classification'?",
        ),
        (GOOD | {"datasets": ["adlut"]}, "unknown data set 'adlut': did you mean 'adult'?"),
        (
            GOOD | {"datasets": [{"name": "adult", "encode": "ordinal"}]},
            "adult: unknown parameter 'encode': did you mean",
        ),
        (
            GOOD | {"algorithms": ["pflr_sta"]},
            "unknown method 'pflr_sta': did you mean 'pflr_star'?",
        ),
        (pflr(epsilom=1), "pflr has no parameter 'epsilom': did you mean 'epsilon'?"),
        (pflr(fairness="shft"), "pflr: unknown fairness 'shft': did you mean 'shift'?"),
        (pflr(datasets=["us"]), "pflr: datasets has an unknown name 'us': there are: adult, dutch"),
        (pflr(epsilon=0), "pflr: epsilon must be positive, got 0"),
        (pflr(epsilon=[1, -1]), "pflr: epsilon must be positive, got -1"),
        (pflr(epsilon=float("nan")), "pflr: epsilon must be positive, got nan"),
        (pflr(epsilon="one"), "pflr: epsilon must be a number, got 'one'"),
        (pflr(epsilon=True), "pflr: epsilon must be a number, got True"),
        (pflr(alpha=None), "pflr: alpha must be a number, got None"),
        (
            pflr(epsilon="1e-5"),
            "pflr: epsilon must be a number, but YAML reads '1e-5' as text: write 1.0e-5",
        ),
        (
            GOOD | {"table": {"rows": [], "values": ["acuracy"]}},
            "unknown score 'acuracy': did you mean 'accuracy'?",
        ),
        (
            figure(x="epsilon", panels=["selection"]),
            "unknown score 'selection': did you mean 'selection_rate'?",
        ),
        (figure(panels=["accuracy"]), "give a value for x"),
        (
            GOOD | {"algorithms": [3]},
            "an entry of algorithms must be a name, or a mapping with a name, got ",
        ),
        (GOOD | {"algorithms": [{"epsilon": 1}]}, "must be a name, or a mapping with a name"),
        (
            GOOD | {"datasets": [None]},
            "an entry of datasets must be a name, or a mapping with a name, got None",
        ),
        ([], "a spec must be a mapping of keys, such as title, task, datasets"),
        (None, "a spec must be a mapping of keys, such as title, task, datasets"),
    ],
)
def test_a_mistake_is_named_and_the_nearest_word_proposed(content, message):
    assert message in refusal(content)


def test_a_name_in_a_file_that_a_package_may_declare_says_so(written):
    with pytest.raises(DpfairError) as refused:
        spec.read(
            written(yaml.safe_dump(GOOD | {"task": "classification_ratio"})), "nobody2020/table1"
        )
    assert str(refused.value) == (
        "table1.yaml: unknown task 'classification_ratio': did you mean 'classification'? "
        "(if a package declares it, install that)"
    )
    with pytest.raises(DpfairError, match=r"did you mean 'seeds'\?$"):
        spec.read(written(yaml.safe_dump(GOOD | {"seedz": 3})), "nobody2020/table1")


@pytest.mark.parametrize("delta", [0, 1, -0.1, 1.5])
def test_a_delta_outside_zero_and_one_is_refused(delta):
    content = GOOD | {"algorithms": [{"name": "relaxed_functional_mechanism", "delta": delta}]}
    assert "delta must lie between 0 and 1" in refusal(content)


@pytest.mark.parametrize(
    "content",
    [
        GOOD | {"quick": {"seeds": 0}},
        GOOD | {"quick": {"seeds": "two"}},
        GOOD | {"quick": {"datasets": "adult"}},
    ],
)
def test_a_quick_section_is_checked_like_the_spec_it_replaces(content):
    with pytest.raises(DpfairError):
        spec.parse(content, "nobody2020/table1", quick=True)


@pytest.mark.parametrize(
    "content",
    [
        GOOD | {"datasets": []},
        GOOD | {"algorithms": []},
        pflr(epsilon=[]),
    ],
    ids=["no data set", "no method", "an axis without points"],
)
def test_a_spec_that_runs_nothing_is_refused(content):
    with pytest.raises(DpfairError):
        spec.parse(content, "nobody2020/table1")


@pytest.mark.parametrize(
    "content",
    [
        GOOD | {"table": {"rows": ["epsilom"], "values": ["accuracy"]}},
        figure(x="epsilom", panels=["accuracy"]),
    ],
    ids=["rows", "x"],
)
def test_a_parameter_that_the_layout_names_must_be_one_of_some_method(content):
    assert "did you mean 'epsilon'?" in refusal(content)


@pytest.mark.parametrize(
    "content",
    [
        GOOD | {"table": {"rows": "dataset", "values": ["accuracy"]}},
        figure(x="epsilon", panels="accuracy"),
        figure(x=["epsilon"], panels=["accuracy"]),
        pflr(datasets="adult"),
    ],
    ids=["rows", "panels", "x", "datasets of a method"],
)
def test_a_name_where_a_list_belongs_is_refused_as_such(content):
    """`values: accuracy` must not be read as the letters a, c, c, ..."""
    message = refusal(content)
    assert (
        "accuracy" in message or "dataset" in message or "epsilon" in message or "adult" in message
    )
    assert "'a'" not in message


def test_a_method_may_run_on_fewer_seeds_than_the_others():
    few = spec.parse(pflr(seeds=1) | {"seeds": 3}, "nobody2020/table1")
    assert {run.seed for run in few.runs()} == {0}
    assert {
        run.seed for run in spec.parse(pflr(seeds=5) | {"seeds": 3}, "nobody2020/table1").runs()
    } == {0, 1, 2}
    for wrong in (-1, "two", True):
        assert "pflr: seeds must be a" in refusal(pflr(seeds=wrong))


def test_a_task_has_no_axis():
    """A list of test fractions must not be answered with the first of them."""
    with pytest.raises(DpfairError):
        spec.parse(
            GOOD | {"task": {"name": "classification", "test_fraction": [0.2, 0.3]}},
            "nobody2020/table1",
        )


def test_yaml_reads_1e_5_as_text_and_the_spec_says_what_to_write(written):
    text = yaml.safe_dump(pflr(epsilon=1)).replace("epsilon: 1", "epsilon: 1e-5", 1)
    with pytest.raises(
        DpfairError,
        match=(
            r"^table1\.yaml: pflr: epsilon must be a number, but YAML reads '1e-5' as text: "
            r"write 1\.0e-5$"
        ),
    ):
        spec.read(written(text), "nobody2020/table1")


def test_a_file_that_is_no_yaml_is_refused_in_one_line(written):
    with pytest.raises(DpfairError, match=r"^table1\.yaml must be valid YAML: .*line 1") as refused:
        spec.read(written("title: [1"), "nobody2020/table1")
    assert "\n" not in str(refused.value)


def test_yaml_cannot_run_code(written):
    with pytest.raises(DpfairError, match="must be valid YAML"):
        spec.read(written("title: !!python/object/apply:os.getcwd []"), "nobody2020/table1")


def test_a_file_that_is_no_text_is_refused_in_one_line(tmp_path):
    (tmp_path / "table1.yaml").write_bytes(b"title: \xff\xfe")
    with pytest.raises(DpfairError, match=r"^table1\.yaml"):
        spec.read(tmp_path / "table1.yaml", "nobody2020/table1")


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A project folder with two papers."""
    for name in (
        "nobody2020/table2",
        "nobody2020/table10",
        "nobody2020/figure1",
        "other2021/table1",
    ):
        path = tmp_path / "experiments" / f"{name}.yaml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(yaml.safe_dump(GOOD))
    (tmp_path / "experiments" / "nobody2020" / "claims.yaml").write_text("[]")
    monkeypatch.chdir(tmp_path)


@pytest.mark.usefixtures("project")
def test_artefacts_are_found_in_a_natural_order():
    nobody = ["nobody2020/figure1", "nobody2020/table2", "nobody2020/table10"]
    assert artefact_names.artefacts() == [*nobody, "other2021/table1"]
    assert artefact_names.artefacts("nobody2020") == nobody
    assert artefact_names.artefacts("other2021/table1") == ["other2021/table1"]
    assert artefact_names.artefacts("*/table1*") == ["nobody2020/table10", "other2021/table1"]
    assert artefact_names.artefacts("nobody*") == nobody
    assert (
        artefact_names.artefacts("nobody")
        == artefact_names.artefacts("table1")
        == artefact_names.artefacts("")
        == []
    )


@pytest.mark.usefixtures("project")
def test_a_paper_or_an_artefact_may_be_asked_for_once_or_twice():
    assert artefact_names.artefacts_named(()) == artefact_names.artefacts()
    assert artefact_names.artefacts_named(("other2021", "other2021/table1")) == ["other2021/table1"]
    with pytest.raises(
        DpfairError, match=r"unknown artefact 'nobody2020/table3': did you mean 'nobody2020/table"
    ):
        artefact_names.artefacts_named(("nobody2020/table3",))
    with pytest.raises(
        DpfairError, match=r"unknown artefact 'nobdy2020': did you mean 'nobody2020'?"
    ):
        artefact_names.artefacts_named(("nobdy2020",))
    with pytest.raises(DpfairError, match=r"works are .*other2021.*; see `dpfair info adult`"):
        artefact_names.artefacts_named(("adult",))
    with pytest.raises(DpfairError, match="unknown artefact"):
        spec.load("nobody2020/claims")


@pytest.mark.parametrize("paper", sorted({artefact.split("/")[0] for artefact in COMMITTED}))
def test_every_committed_spec_loads_in_full_and_in_quick(paper):
    for artefact in COMMITTED:
        if artefact.startswith(f"{paper}/"):
            file = ROOT / "experiments" / f"{artefact}.yaml"
            whole, quick = (spec.read(file, artefact, quick=asked) for asked in (False, True))
            assert_quick_is_smaller(artefact, whole, quick)


def assert_quick_is_smaller(artefact, whole, quick):
    for found in (whole, quick):
        assert found.artefact == artefact
        assert found.paper == artefact.split("/")[0]
        assert list(found.runs()), artefact
    if whole.task.study.exact:  # a run without randomness: nothing could be left out
        return
    smaller = len(list(quick.runs())) < len(list(whole.runs()))
    protocol = whole.task.protocol
    assert smaller or quick.task.protocol["train_size"] < protocol["train_size"], artefact


def test_every_committed_spec_has_the_layout_that_its_name_says():
    for artefact in COMMITTED:
        content = yaml.safe_load((ROOT / "experiments" / f"{artefact}.yaml").read_text())
        assert ("table" in content) == artefact.split("/")[1].startswith("table"), artefact
