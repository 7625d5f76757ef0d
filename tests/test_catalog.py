"""The folder is the registry: names, parameters with their types, and what an algorithm states about itself."""

import inspect
import math
from types import SimpleNamespace
from typing import Literal, get_args

import numpy as np
import pytest

from dpfair_cli import catalog
from dpfair_cli.contracts.errors import DpfairError, nearest


@pytest.fixture
def toy(monkeypatch):
    """A method `toy` with a parameter of every type."""

    def fit(
        records,
        *,
        epsilon: float = 1.0,
        delta: float = 1e-3,
        steps: int = 3,
        name: str = "a",
        flag: bool = True,
        fairness: Literal["shift", "drift"] = "shift",
        needed: float,
        rng: np.random.Generator,
    ):
        """Nothing."""  # fmt: skip

    monkeypatch.setattr(catalog, "find", lambda kind, name: SimpleNamespace(fit=fit, __doc__="Nothing."))
    monkeypatch.setattr(catalog, "parameters", catalog.parameters.__wrapped__)
    return lambda **given: catalog.complete("algorithms", "toy", {"needed": 0.5} | given)


def refusal(complete, **given):
    with pytest.raises(DpfairError) as refused:
        complete(**given)
    assert "\n" not in str(refused.value)
    return str(refused.value)


@pytest.mark.parametrize("kind", catalog.ENTRY)
def test_every_file_of_a_folder_is_a_name_that_is_found(kind):
    assert catalog.names(kind) == tuple(sorted(catalog.names(kind)))
    for name in catalog.names(kind):
        assert callable(getattr(catalog.find(kind, name), catalog.ENTRY[kind]))


@pytest.mark.parametrize(
    ("kind", "name", "message"),
    [
        ("algorithms", "pflrr", "no method 'pflrr': did you mean 'pflr'?"),
        ("algorithms", "PFLR", "no method 'PFLR': "),
        ("datasets", "Adult", "no data set 'Adult': did you mean 'adult'?"),
        ("datasets", "__init__", "no data set '__init__': "),
        ("tasks", "classify", "no task 'classify': did you mean 'classification'?"),
        ("algorithms", "", "no method '': there are: "),
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
    assert nearest("pflr_sta", ["pflr", "pflr_star"]) == "did you mean 'pflr_star'?"


def test_defaults_are_filled_in_in_the_order_of_the_signature(toy):
    values = toy(fairness="drift", epsilon=2)
    assert values == {"epsilon": 2.0, "delta": 1e-3, "steps": 3, "name": "a", "flag": True, "fairness": "drift",
                      "needed": 0.5}  # fmt: skip
    assert list(values) == ["epsilon", "delta", "steps", "name", "flag", "fairness", "needed"]


def test_the_generator_and_the_data_are_no_parameters():
    for name in catalog.names("algorithms"):
        found = catalog.parameters("algorithms", name)
        assert not {"rng", "records"} & set(found)
        assert all(default is not inspect.Parameter.empty for _, default in found.values())


def test_defaults_complete_themselves_for_every_method():
    for name in catalog.names("algorithms"):
        values = catalog.complete("algorithms", name, {})
        assert catalog.complete("algorithms", name, values) == values


def test_a_whole_number_is_a_number_but_a_number_is_no_whole_number(toy):
    assert toy(epsilon=1)["epsilon"] == 1.0
    assert isinstance(toy(epsilon=1)["epsilon"], float)
    assert refusal(toy, steps=2.0) == "toy: steps must be int, got 2.0"


def test_infinity_is_a_number_or_its_name(toy):
    assert toy(epsilon=math.inf)["epsilon"] == toy(epsilon="inf")["epsilon"] == math.inf


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"epsilon": "one"}, "toy: epsilon must be a number, got 'one'"),
        ({"epsilon": None}, "toy: epsilon must be a number, got None"),
        ({"epsilon": [1.0]}, "toy: epsilon must be a number, got [1.0]"),
        ({"epsilon": True}, "toy: epsilon must be a number, got True"),
        ({"epsilon": math.nan}, "toy: epsilon must be a number, got nan"),
        ({"needed": math.nan}, "toy: needed must be a number, got nan"),
        ({"epsilon": 0}, "toy: epsilon must be positive, got 0.0"),
        ({"epsilon": -2}, "toy: epsilon must be positive, got -2.0"),
        ({"epsilon": -math.inf}, "toy: epsilon must be positive, got -inf"),
        ({"delta": 0}, "toy: delta must lie between 0 and 1, got 0.0"),
        ({"delta": 1}, "toy: delta must lie between 0 and 1, got 1.0"),
        ({"delta": math.inf}, "toy: delta must lie between 0 and 1, got inf"),
        ({"epsilon": "1e-5"}, "toy: epsilon '1e-5' is text in YAML: write 1.0e-5"),
        ({"needed": "-2E+3"}, "toy: needed '-2E+3' is text in YAML: write -2.0e+3"),
        ({"steps": "3"}, "toy: steps must be int, got '3'"),
        ({"steps": True}, "toy: steps must be int, got True"),
        ({"name": 3}, "toy: name must be str, got 3"),
        ({"flag": 1}, "toy: flag must be bool, got 1"),
        ({"fairness": "shfit"}, "toy: fairness 'shfit': did you mean 'shift'?"),
        ({"fairness": 1}, "toy: fairness 1: there are: drift, shift"),
        ({"fairness": ["shift"]}, "toy: fairness ['shift']: did you mean 'shift'?"),
        ({"epsilom": 1}, "toy has no parameter 'epsilom': did you mean 'epsilon'?"),
        ({"rng": 1}, "toy has no parameter 'rng': "),
    ],
)
def test_a_wrong_value_is_refused_with_the_name_of_its_parameter(toy, given, message):
    assert refusal(toy, **given).startswith(message)


def test_a_parameter_without_default_must_be_given():
    with pytest.raises(DpfairError, match=r"^csv needs a value for file, label, protected$"):
        catalog.complete("datasets", "csv", {})


def test_a_name_without_parameters_says_so(monkeypatch):
    monkeypatch.setattr(catalog, "parameters", lambda kind, name: {})
    with pytest.raises(DpfairError, match=r"^toy has no parameter 'epsilon': it takes none$"):
        catalog.complete("algorithms", "toy", {"epsilon": 1})


def test_what_a_docstring_states_is_read_with_its_continuation_lines(monkeypatch):
    text = """Toy: a method.

    Source: Nobody 2020, Algorithm 1: the first.
    Privacy: epsilon-differential privacy
        of the weights.
    Neighbours: replace-one.
    Status: proved
    Differs: nothing; see
        Note: not a statement of its own.

    More: words that nobody asks for.
    """
    monkeypatch.setattr(catalog, "find", lambda kind, name: SimpleNamespace(__doc__=text))
    assert catalog.statement.__wrapped__("toy") == {
        "Source": "Nobody 2020, Algorithm 1: the first.",
        "Privacy": "epsilon-differential privacy of the weights.",
        "Neighbours": "replace-one.",
        "Status": "proved",
        "Differs": "nothing; see Note: not a statement of its own.",
    }


def test_every_method_states_everything_in_one_line_each():
    for name in catalog.names("algorithms"):
        stated = catalog.statement(name)
        assert tuple(stated) == catalog.STATEMENTS
        assert not [text for text in stated.values() if "\n" in text or "  " in text]


def test_private_is_what_takes_an_epsilon():
    public = {
        "logistic_regression",
        "truncated_logistic_regression",
        "fair_logistic_regression",
        "optimal_fair_mixture",
    }
    assert not [name for name in public if catalog.is_private(name)]
    assert all(catalog.is_private(name) for name in ("functional_mechanism", "pflr", "pflr_star", "pdfc", "adfc"))


@pytest.mark.parametrize("name", catalog.names("algorithms"))
def test_a_reading_with_a_status_of_its_own_is_one_that_can_be_chosen(name):
    known = catalog.parameters("algorithms", name)
    for (option, value), status in getattr(catalog.find("algorithms", name), "STATUS", {}).items():
        assert value in get_args(known[option][0])
        assert value != known[option][1], "the status of the default stands in the docstring"
        assert status in {"as-published", "conditional", "refuted"}


@pytest.mark.parametrize(
    ("name", "reading", "status"),
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
def test_readings_of_the_causal_methods_have_the_status_that_their_docstrings_give(name, reading, status):
    assert catalog.status(name, reading) == status


def test_a_refuted_reading_has_the_status_refuted_wherever_it_is_said():
    assert catalog.status("dp_oracle_learner", {"noise": "published"}) == "proved"
    assert catalog.status("dp_oracle_learner", {"noise": "released_code"}) == "refuted"
    assert catalog.privacy("dp_oracle_learner", {"noise": "released_code"}) == "refuted (one protected attribute)"


def test_a_method_that_protects_less_or_more_than_a_replaced_record_says_so_beside_others():
    assert catalog.labelled("dp_postprocessing") == "dp_postprocessing (one protected attribute)"
    assert catalog.labelled("pflr") == "pflr"
    assert catalog.labelled("logistic_regression") == "logistic_regression"
