"""Axes, settings, data sets and variants of a spec: what its runs are, and one line for each
mistake.
"""

from pathlib import Path

import pytest
import yaml

from dpfair_cli.contracts.errors import DpfairError
from dpfair_cli.running import artefact_names, spec_entries

ROOT = Path(__file__).parent.parent.parent
SPECS = [path for path in sorted(ROOT.glob("experiments/*/*.yaml")) if artefact_names.is_spec(path)]


def entries(text, *, datasets, whole=(), quick=False):
    """The entries of a spec, from YAML."""
    content = {"task": "classification", **yaml.safe_load(text), "datasets": [*datasets]}
    of_whole = content | {"datasets": [*(whole or datasets)]}
    return spec_entries.SpecEntries(content, of_whole, quick=quick)


def methods(text, *, datasets=("adult", "dutch"), **options):
    """The methods of a spec, from YAML."""
    return entries(text, datasets=datasets, **options).methods()


def shown(found, *parameters):
    """Label, name of the published values, data sets and some parameters of each method."""
    return [
        (m.label, m.published, " ".join(m.datasets), *(m.params[name] for name in parameters))
        for m in found
    ]


def refusal(text, **options):
    """The one line with which a spec is refused."""
    with pytest.raises(DpfairError) as refused:
        methods(text, **options)
    assert "\n" not in str(refused.value)
    return str(refused.value)


def test_a_name_alone_is_a_method_with_its_defaults_on_every_data_set():
    (found,) = methods("algorithms: [pflr]")
    assert (found.label, found.published, found.datasets, found.seeds) == (
        "pflr",
        "pflr",
        ("adult", "dutch"),
        0,
    )
    assert found.params["fairness"] == "penalty"


def test_variants_of_an_entry_follow_it_with_its_published_name():
    found = methods("""
        algorithms:
          - method: PFLR
            name: pflr
            variants: {shift: {fairness: shift}, drift: {fairness: drift}}
          - {method: LR, name: logistic_regression}
    """)
    assert shown(found[:3], "fairness") == [
        ("PFLR", "PFLR", "adult dutch", "penalty"),
        ("PFLR, shift", "PFLR", "adult dutch", "shift"),
        ("PFLR, drift", "PFLR", "adult dutch", "drift"),
    ]
    assert found[3].label == "LR"


def test_a_variant_may_change_several_parameters_and_keeps_all_others():
    found = methods("""
        algorithms:
          - {name: priv_pc_star, method: P, epsilon: 2, bound: published, repair: none,
             variants: {proved: {bound: clipped, repair: eigenvalues}}}
    """)
    assert shown(found, "bound", "repair", "epsilon") == [
        ("P", "P", "adult dutch", "published", "none", 2.0),
        ("P, proved", "P", "adult dutch", "clipped", "eigenvalues", 2.0),
    ]


def test_a_variants_name_may_look_like_a_number():
    found = methods("algorithms: [{name: priv_pc, method: P, variants: {4: {orders: 4}}}]")
    assert shown(found, "orders") == [("P", "P", "adult dutch", 2), ("P, 4", "P", "adult dutch", 4)]


def test_variants_of_the_spec_repeat_the_methods_with_the_parameter():
    found = methods("""
        algorithms:
          - {method: data, name: majority_class}
          - {method: SGD, name: sgd}
          - {method: Noisy, published: DPSGD, name: dpsgd}
        variants: {decaying: {schedule: decaying}}
    """)
    assert [(method.label, method.published) for method in found] == [
        ("data", "data"),
        ("SGD", "SGD"),
        ("Noisy", "DPSGD"),
        ("SGD, decaying", "SGD"),
        ("Noisy, decaying", "DPSGD"),
    ]
    assert [method.params["schedule"] for method in found[1:]] == [
        "constant",
        "constant",
        "decaying",
        "decaying",
    ]


def test_a_methods_own_variant_is_repeated_under_the_variants_of_the_spec():
    found = methods("""
        algorithms: [{method: PFLR, name: pflr, variants: {shift: {fairness: shift}}}]
        variants: {light: {alpha: 0.5}}
    """)
    assert [
        (method.label, method.params["fairness"], method.params["alpha"]) for method in found
    ] == [
        ("PFLR", "penalty", 1.0),
        ("PFLR, shift", "shift", 1.0),
        ("PFLR, light", "penalty", 0.5),
        ("PFLR, shift, light", "shift", 0.5),
    ]


def test_a_variant_may_be_of_some_data_sets_and_of_fewer_seeds():
    found = methods("""
        algorithms:
          - name: pflr
            variants: {shift: {fairness: shift, datasets: [dutch], seeds: 2}}
        variants: {light: {alpha: 0.5, datasets: [adult]}}
    """)
    assert [(method.label, method.datasets, method.seeds) for method in found] == [
        ("pflr", ("adult", "dutch"), 0),
        ("pflr, shift", ("dutch",), 2),
        ("pflr, light", ("adult",), 0),
    ]


def task_variants(text, *, datasets=("wiki", "cora"), quick=False):
    """The variants of the task of a spec, from YAML."""
    return [*entries(text, datasets=datasets, quick=quick).task_variants()]


LINKS = """
    task:
      name: link_prediction
      pairs: 0.1
      variants:
        kept: {held_out: kept}
        more pairs: {pairs: 0.2, seeds: 4, datasets: [cora]}
    algorithms:
      - {method: plain, name: matrix_factorisation, seeds: 2}
      - {method: DPNE, name: dpne, published: dpne, variants: {Adam: {solver: adam, seeds: 3}}}
"""


def test_a_variant_of_the_task_has_the_default_variants_of_all_methods():
    kept, more = task_variants(LINKS)
    assert (kept.name, kept.task.protocol["held_out"], kept.task.protocol["pairs"]) == (
        "kept",
        "kept",
        0.1,
    )
    assert (more.task.protocol["held_out"], more.task.protocol["pairs"]) == ("removed", 0.2)
    assert shown(kept.methods) == [
        ("plain, kept", "plain", "wiki cora"),
        ("DPNE, kept", "dpne", "wiki cora"),
    ]
    assert shown(more.methods) == [
        ("plain, more pairs", "plain", "cora"),
        ("DPNE, more pairs", "dpne", "cora"),
    ]


def test_seeds_of_a_variant_of_the_task_are_an_upper_limit():
    kept, more = task_variants(LINKS)
    assert [method.seeds for method in kept.methods] == [2, 0]
    assert [method.seeds for method in more.methods] == [2, 4]


def test_a_variant_of_the_task_may_change_parameters_of_the_methods():
    (found,) = task_variants("""
        task: {name: link_prediction, variants: {both: {pairs: 0.2, solver: adam}}}
        settings: {solver: exact}
        algorithms: [matrix_factorisation, dpne]
    """)
    assert found.task.protocol["pairs"] == 0.2
    assert [method.params.get("solver") for method in found.methods] == [None, "adam"]


def test_a_quick_run_has_no_variant_of_the_task():
    assert task_variants(LINKS, quick=True) == []


@pytest.mark.parametrize(
    ("variants", "message"),
    [
        ("{a: {pair: 0.1}}", "has no parameter 'pair': did you mean 'pairs'?"),
        ("{a: {pairs: 7}}", "link_prediction: pairs must be at most 1, got 7"),
        ("{a: {pairs: [0.1, 0.2]}}", "must have one value, not a list: use `variants`"),
        ("{a: {seeds: 1}}", "the variant 'a' must change at least one parameter"),
        ("{a: {solver: adam}}", "task: the variant 'a' must change the task"),
        ("{a: {pairs: 0.2, seeds: -1}}", "a: seeds must be at least 0, got -1"),
        ("[a]", "task: variants must be a mapping of parameters, got ['a']"),
    ],
)
def test_a_mistake_in_a_variant_of_the_task_is_refused_in_one_line(variants, message):
    with pytest.raises(DpfairError) as refused:
        task_variants(
            f"{{task: {{name: link_prediction, variants: {variants}}}, algorithms: [dpne]}}"
        )
    assert message in str(refused.value)
    assert "\n" not in str(refused.value)


def test_settings_hold_for_every_method_unless_its_entry_says_otherwise():
    found = methods("""
        settings: {epsilon: 3, fairness: drift, alpha: 2}
        algorithms: [logistic_regression, pflr, {name: pflr_star, epsilon: 1}]
    """)
    assert [method.params.get("epsilon") for method in found] == [None, 3.0, 1.0]
    assert [(method.params["fairness"], method.params["alpha"]) for method in found[1:]] == [
        ("drift", 2.0)
    ] * 2


def test_parameters_of_a_data_set_hold_there_and_the_others_elsewhere():
    found = methods("""
        algorithms:
          - {name: pflr, epsilon: 1, alpha: 2, per_dataset: {dutch: {epsilon: 5, seeds: 3}}}
    """)
    assert [
        (method.datasets, method.params["epsilon"], method.params["alpha"], method.seeds)
        for method in found
    ] == [
        (("adult",), 1.0, 2.0, 0),
        (("dutch",), 5.0, 2.0, 3),
    ]


def test_parameters_of_a_data_set_go_to_methods_that_have_them():
    found = methods("""
        per_dataset: {adult: {epsilon: 3.1}, dutch: {epsilon: 2.66}}
        algorithms: [sgd, {name: dpsgd, calibration: given}]
    """)
    assert [(method.name, method.datasets, method.params.get("epsilon")) for method in found] == [
        ("sgd", ("adult", "dutch"), None),
        ("dpsgd", ("adult",), 3.1),
        ("dpsgd", ("dutch",), 2.66),
    ]


def test_the_setting_nearest_to_the_run_holds():
    layers = {"settings": "{alpha: 1, quick: {alpha: 10}}", "per_dataset": "{adult: {alpha: 2}}"}
    entry = [
        "name: pflr",
        "alpha: 3",
        "per_dataset: {adult: {alpha: 4}}",
        "variants: {other: {alpha: 5}}",
    ]
    shared = "\n".join(f"{key}: {value}" for key, value in layers.items())

    def alphas(*said, **options):
        return [
            method.params["alpha"]
            for method in methods("\n".join(said), datasets=["adult"], **options)
        ]

    assert alphas("settings: {alpha: 1}", "algorithms: [pflr]") == [1.0]
    assert alphas(shared, f"algorithms: [{{{entry[0]}}}]") == [2.0]
    assert alphas(shared, f"algorithms: [{{{', '.join(entry[:2])}}}]") == [3.0]
    assert alphas(shared, f"algorithms: [{{{', '.join(entry[:3])}}}]") == [4.0]
    assert alphas(shared, f"algorithms: [{{{', '.join(entry)}}}]") == [4.0, 5.0]
    assert alphas(shared, f"algorithms: [{{{', '.join(entry)}}}]", quick=True) == [10.0, 5.0]


def test_a_quick_run_has_what_quick_says_anywhere_the_nearest_last():
    text = """
        settings: {epsilon: 3, alpha: 2, quick: {epsilon: 30, seeds: 1}}
        per_dataset: {dutch: {alpha: 4, quick: {epsilon: 40}}}
        algorithms: [{name: pflr, quick: {alpha: 8}}]
    """
    whole, quick = (
        [
            (method.params["epsilon"], method.params["alpha"], method.seeds)
            for method in methods(text, quick=wanted)
        ]
        for wanted in (False, True)
    )
    assert whole == [(3.0, 2.0, 0), (3.0, 4.0, 0)]
    assert quick == [(30.0, 8.0, 1), (40.0, 8.0, 1)]


def test_a_list_is_an_axis_wherever_it_stands():
    found = methods("""
        settings: {epsilon: [1, 2]}
        algorithms: [{name: pflr, per_dataset: {adult: {alpha: [3, 4]}}}]
    """)
    assert [
        (*method.datasets, method.params["epsilon"], method.params["alpha"]) for method in found
    ] == [
        ("adult", 1.0, 3.0),
        ("adult", 1.0, 4.0),
        ("adult", 2.0, 3.0),
        ("adult", 2.0, 4.0),
        ("dutch", 1.0, 1.0),
        ("dutch", 2.0, 1.0),
    ]


def test_a_quick_run_ignores_settings_of_data_sets_that_it_leaves_out():
    text = """
        per_dataset: {dutch: {epsilon: 5}}
        algorithms: [pflr, {name: pflr_star, datasets: [dutch]}]
    """
    found = methods(text, datasets=["adult"], whole=["adult", "dutch"], quick=True)
    assert [(method.name, method.datasets) for method in found] == [("pflr", ("adult",))]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("algorithms: [3]", (
            "an entry of algorithms must be a name, or a mapping with a name, got 3"
        )),
        ("algorithms: [{epsilon: "
         "1}]", (
             "an entry of algorithms must be a name, or a mapping with a name, got "
             "{'epsilon': 1}"
         )),
        ("algorithms: [pflr_sta]", "unknown method 'pflr_sta': did you mean 'pflr_star'?"),
        ("algorithms: [{name: pflr, epsilom: "
         "1}]", "pflr has no parameter 'epsilom': did you mean 'epsilon'?"),
        ("algorithms: [{name: pflr, 7: 1}]", "pflr has no parameter 7: there are: "),
        ("algorithms: [{name: pflr, varants: "
         "{}}]", "pflr has no parameter 'varants': did you mean 'variants'?"),
        ("algorithms: [{name: pflr, epsilon: []}]", "pflr: a list of values of a parameter"),
        ("algorithms: [{name: pflr, seeds: -1}]", "pflr: seeds must be at least 0, got -1"),
        ("algorithms: [{name: pflr, seeds: yes}]", (
            "pflr: seeds must be an integer, got True"
        )),
        ("algorithms: [{name: pflr, datasets: adult}]", (
            "pflr: datasets must be a list of names, got 'adult'"
        )),
        ("algorithms: [{name: pflr, datasets: "
         "[dutsch]}]", "datasets has an unknown name 'dutsch': did you mean 'dutch'?"),
        ("algorithms: [{name: pflr, quick: 3}]", (
            "pflr: quick must be a mapping of parameters, got 3"
        )),
        ("algorithms: [{name: pflr, quick: {alfa: "
         "3}}]", "pflr has no parameter 'alfa': did you mean 'alpha'?"),
        ("algorithms: [{name: pflr, variants: "
         "[shift]}]", "pflr: variants must be a mapping of parameters, got ['shift']"),
        ("algorithms: [{name: pflr, variants: {shift: "
         "shift}}]", "pflr: shift must be a mapping of parameters, got 'shift'"),
        ("algorithms: [{name: pflr, variants: {few: {seeds: "
         "1}}}]", "pflr: the variant 'few' must change at least one parameter"),
        ("algorithms: [{name: pflr, variants: {a: {alfa: "
         "1}}}]", "pflr has no parameter 'alfa': did you mean 'alpha'?"),
        ("algorithms: [{name: pflr, variants: {a: {fairness: "
         "shft}}}]", "pflr: unknown fairness 'shft': did you mean 'shift'?"),
        ("algorithms: [{name: pflr, datasets: [adult], variants: {a: {alpha: 1, datasets: "
         "[dutch]}}}]",
         "pflr: datasets has an unknown name 'dutch': did you mean 'adult'?"),
        ("algorithms: [{name: pflr, per_dataset: "
         "3}]", "pflr: per_dataset must be a mapping of parameters, got 3"),
        ("algorithms: [{name: pflr, per_dataset: {adult: "
         "3}}]", "pflr: adult must be a mapping of parameters, got 3"),
        ("algorithms: [{name: pflr, method: P, per_dataset: {adlut: {alpha: 3}}}]",
         "P: per_dataset has an unknown name 'adlut': did you mean 'adult'?"),
        ("algorithms: [{name: pflr, per_dataset: {adult: {alfa: 3}}}]",
         "pflr has no parameter 'alfa': did you mean 'alpha'?"),
        ("algorithms: [{name: pflr, datasets: [adult], per_dataset: {dutch: {alpha: 3}}}]",
         "pflr: per_dataset has an unknown name 'dutch': did you mean 'adult'?"),
        ("{algorithms: [pflr], settings: [1]}", (
            "settings must be a mapping of parameters, got [1]"
        )),
        ("{algorithms: [pflr], settings: {batch_size: "
         "1}}", "no method of this spec has a parameter 'batch_size': there are: "),
        ("{algorithms: [pflr], settings: {alfa: "
         "1}}", "no method of this spec has a parameter 'alfa': did you mean 'alpha'?"),
        ("{algorithms: [pflr], settings: {quick: {alfa: "
         "1}}}", "no method of this spec has a parameter 'alfa': did you mean"),
        ("{algorithms: [pflr], per_dataset: {adlut: {alpha: "
         "1}}}", "per_dataset has an unknown name 'adlut': did you mean"),
        ("{algorithms: [pflr], per_dataset: {adult: {alfa: "
         "1}}}", "no method of this spec has a parameter 'alfa': did you"),
        ("{algorithms: [pflr], variants: {a: {alfa: "
         "1}}}", "no method of this spec has a parameter 'alfa': did you mean"),
        ("{algorithms: [pflr], variants: {few: {seeds: "
         "1}}}", "the variant 'few' must change at least one parameter"),
        ("{algorithms: [pflr], variants: {a: {alpha: 1, datasets: "
         "[adlut]}}}", "datasets has an unknown name 'adlut': did"),
    ],
)  # fmt: skip
def test_a_mistake_is_named_and_the_nearest_word_proposed(text, message):
    assert message in refusal(text)


@pytest.mark.parametrize("path", SPECS, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_a_committed_spec_has_no_anchor_and_no_line_above_160_characters(path):
    text = path.read_text(encoding="utf-8")
    assert not [
        token for token in yaml.scan(text) if isinstance(token, (yaml.AnchorToken, yaml.AliasToken))
    ]
    assert max(map(len, text.splitlines())) <= 160
