"""The battery that every algorithm and every mechanism passes; the folder is the registry, so it
finds new files.
"""

import importlib
import inspect
import re
import warnings
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Literal, get_origin

import numpy as np
import pytest

import dpfair_cli
from dpfair_cli import catalog, papers
from dpfair_cli.catalog import matching
from dpfair_cli.contracts import annotations
from dpfair_cli.contracts.errors import how_to_install
from dpfair_cli.contracts.guarantees import NOT_PRIVATE, Definition, Neighbours
from dpfair_cli.mechanisms.ledger import record
from dpfair_cli.mechanisms.noise import Grid
from dpfair_cli.mechanisms.secure import EXACT, SecureGenerator
from dpfair_cli.models.causal_discovery.causal_graph import CausalGraph
from tests.example_data import data_for, data_with, state

PACKAGE = Path(dpfair_cli.__file__).parent


ALGORITHMS = {name: catalog.algorithm(name) for name in catalog.algorithms.names}
PRIVATE = [name for name in ALGORITHMS if catalog.algorithm(name).guarantee.is_private]
# what draws batches or repeats another function releases nothing itself
MECHANISMS = {
    name: function
    for path in sorted((PACKAGE / "mechanisms").rglob("[!_]*.py"))
    for module in [
        importlib.import_module(".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts))
    ]
    for name, function in inspect.getmembers(module, inspect.isfunction)
    if function.__module__ == module.__name__
    and "rng" in inspect.signature(function).parameters
    and not inspect.isgeneratorfunction(inspect.unwrap(function))
    and path.stem not in ("batches", "private_choice")
}
CAUSAL = {
    name
    for name in ALGORITHMS
    if matching.can_score(catalog.study("causal_discovery"), catalog.algorithm(name))
}
CLASSIFIERS = {
    name
    for name in ALGORITHMS
    if matching.can_score(catalog.study("classification"), catalog.algorithm(name))
}


def each(names):
    """The names as parameters of a test; those of algorithms that need a module of their own are
    marked.
    """
    return [
        pytest.param(name, marks=pytest.mark.deep) if ALGORITHMS[name].needs else name
        for name in names
    ]


every = pytest.mark.parametrize("name", each(ALGORITHMS))
every_private = pytest.mark.parametrize("name", each(PRIVATE))
every_mechanism = pytest.mark.parametrize("mechanism", MECHANISMS.values(), ids=MECHANISMS.keys())


def fit(name, records, seed=0, **options):
    if (module := ALGORITHMS[name].needs) and not find_spec(module):
        pytest.skip(f"{module} is not here: {how_to_install([module])}")
    options = quick(name) | options
    return ALGORITHMS[name].fit(records, **{"rng": np.random.default_rng(seed)} | options)


@cache
def fitted(name, seed=3):
    """(model, releases) of a fit to the example data, made once for all tests that look at it."""
    with record() as tape:
        return fit(name, data_for(name), seed), tape


def quick(name):
    """Parameters with which a fit to few records is quick."""
    parameters = catalog.algorithm(name).parameters
    found = {"epochs": 2, "pretraining_epochs": 1} if "pretraining_epochs" in parameters else {}
    small = {"batch_size": 40} if "batch_size" in parameters else {}  # half of the records
    return found | small


@every
def test_the_docstring_has_source_and_differs(name):
    """A summary on one line, then `Source:`, as the declaration has it, and `Differs:`."""
    text = inspect.cleandoc(catalog.algorithms.module(name).__doc__)
    summary, _, rest = text.partition("\n\n")
    source, _, differs = rest.partition("\nDiffers: ")
    assert "\n" not in summary
    assert differs
    words = " ".join(source.removeprefix("Source: ").split())
    assert words.removesuffix(".") == ALGORITHMS[name].source
    assert not re.search(r"^(Privacy|Neighbours|Status|Proof):", text, flags=re.MULTILINE)


@every
def test_each_parameter_has_a_meaning_and_allowed_values(name):
    """A meaning stands in the section Args of `fit`, or below the field of a shared dataclass."""
    meanings = annotations.meanings(ALGORITHMS[name].fit)
    for key, parameter in ALGORITHMS[name].parameters.items():
        assert meanings[key].endswith("."), key
        assert annotations.allowed_values(parameter.annotation), key


@every
def test_the_guarantee_fits_the_signature(name):
    parameters, guarantee = catalog.algorithm(name).parameters, ALGORITHMS[name].guarantee
    assert guarantee.is_private == ("epsilon" in parameters)
    assert (guarantee.definition is Definition.APPROXIMATE) == ("delta" in parameters)
    assert (guarantee is NOT_PRIVATE) == (not guarantee.is_private)
    assert (guarantee.neighbours is Neighbours.NONE) == (guarantee is NOT_PRIVATE)


@every
def test_fit_takes_data_then_options_with_defaults_then_rng(name):
    first, *options, last = inspect.signature(ALGORITHMS[name].fit).parameters.values()
    assert first.kind is first.POSITIONAL_OR_KEYWORD
    assert first.default is first.empty
    assert all(p.kind is p.KEYWORD_ONLY and p.default is not p.empty for p in options)
    assert not [
        p for p in options if p.default is None or isinstance(p.default, bool)
    ]  # no flags, no meaningful None
    assert (last.name, last.kind, last.default) == ("rng", last.KEYWORD_ONLY, last.empty)


@every
def test_fit_and_the_declaration_are_all_that_is_public(name):
    module = catalog.algorithms.module(name)
    assert type(module.ALGORITHM.version) is int
    assert module.ALGORITHM.fit is module.fit
    own = [
        f
        for f, value in vars(module).items()
        if getattr(value, "__module__", "") == module.__name__
    ]
    assert [f for f in own if not f.startswith("_") and not inspect.isclass(vars(module)[f])] == [
        "fit"
    ]


@every
def test_every_word_and_every_range_of_a_parameter_is_in_its_annotation(name):
    for key, parameter in catalog.algorithm(name).parameters.items():
        assert get_origin(parameter.annotation) in {
            Literal,
            Annotated,
            tuple,
        } or parameter.annotation in {
            str,
            float,
        }, key


@pytest.mark.parametrize("name", each(sorted(CLASSIFIERS)))
def test_predictions_are_one_probability_a_record(name):
    records = data_for(name)
    decision = fitted(name)[0].predict(records)
    assert decision.shape == (80,)
    assert ((decision >= 0) & (decision <= 1)).all()


@pytest.mark.parametrize("name", each(sorted(CAUSAL)))
def test_a_causal_method_gives_a_graph_of_its_variables(name):
    graph, _ = fitted(name)
    assert isinstance(graph, CausalGraph)
    assert graph.names == data_for(name).names
    assert graph.tests > 0
    assert graph.reads >= 0


@every
def test_the_same_generator_gives_the_same_model_and_inputs_never_change(name):
    records = data_for(name)
    before = records.fingerprint()
    model = fit(name, records, 3)
    if name in CLASSIFIERS:
        model.predict(records)
    assert before == records.fingerprint()
    np.testing.assert_array_equal(state(fitted(name)[0]), state(model))


@every_private
def test_another_generator_gives_another_model(name):
    """The model or, where few models are possible, what was released for it."""
    first, tape = fitted(name)
    for seed in (4, 5, 6):
        model, others = fitted(name, seed)
        same = np.array_equal(state(model), state(first))
        if not same or any(map(differ, tape, others)):
            return
    raise AssertionError("four generators give the same model and the same releases")


def differ(one, other):
    """Whether two releases have other outcomes."""
    return not np.array_equal(one.output, other.output)


@every_private
def test_a_secure_generator_gives_exact_noise_that_is_a_little_larger(name, monkeypatch):
    """On the grid of its scale, and drawn by no other generator: what the guarantee of a fit says.

    The other fit also imports the libraries that draw numbers when they are imported.
    """
    _, tape = fitted(name)

    def refuse(*args):
        raise AssertionError("an ordinary generator in a secure fit")

    with record() as secure_tape, monkeypatch.context() as patched:
        patched.setattr(np.random, "default_rng", refuse)
        patched.setattr(np.random, "PCG64", refuse)
        model = ALGORITHMS[name].fit(data_for(name), **quick(name), rng=SecureGenerator())
    assert np.isfinite(state(model)).all()
    first, secure = tape[0], secure_tape[0]
    assert (secure.mechanism, secure.sensitivity) == (first.mechanism, first.sensitivity)
    assert first.scale <= secure.scale < first.scale * (1 + 2**-14)
    assert (secure.scale > first.scale) == (secure.mechanism in EXACT)
    for entry in secure_tape:
        if entry.mechanism in {"laplace", "gaussian"} and entry.scale:
            steps = entry.output / (Grid.for_scale(entry.scale).step / 2)
            np.testing.assert_array_equal(steps, np.rint(steps))


@every_private
def test_no_two_releases_of_a_fit_or_of_two_fits_share_their_noise(name):
    """Whoever sees two noisy values of one noise subtracts them."""
    first = []
    for seed in (3, 4):
        _, tape = fitted(name, seed)
        noisy = [
            entry for entry in tape if entry.mechanism in {"laplace", "gaussian"} and entry.scale
        ]
        first += [np.ravel(entry.output - entry.value)[0] / entry.scale for entry in noisy]
    assert np.diff(np.sort(np.abs(first))).min(initial=1) > 1e-9


@every_private
def test_an_epsilon_that_is_not_positive_is_refused_as_given(name):
    for epsilon, shown in ((0, "0"), (-1, "-1"), (float("nan"), "nan")):
        with pytest.raises(ValueError, match=rf"^epsilon must be positive, got {shown}$"):
            fit(name, data_for(name), epsilon=epsilon)


@every_private
def test_a_delta_outside_zero_and_one_is_refused(name):
    if "delta" in catalog.algorithm(name).parameters:
        for delta in (0, 1, -1, float("nan")):
            with pytest.raises(ValueError, match="delta"):
                fit(name, data_for(name), delta=delta)


@every
def test_an_unknown_word_for_an_option_is_refused(name):
    for option, parameter in catalog.algorithm(name).parameters.items():
        if get_origin(parameter.annotation) is Literal:
            with pytest.raises(ValueError, match=f"{option} 'nonsense': "):
                fit(name, data_for(name), **{option: "nonsense"})


@every
def test_a_number_outside_the_range_of_its_annotation_is_refused(name):
    for option, parameter in catalog.algorithm(name).parameters.items():
        if get_origin(parameter.annotation) is Annotated:
            with pytest.raises(ValueError, match=rf"^{option} must .*, got -5$"):
                fit(name, data_for(name), **{option: -5})


@pytest.mark.parametrize("name", each(sorted(CLASSIFIERS & set(PRIVATE))))
@pytest.mark.parametrize(
    "columns",
    [
        {"y": np.ones(80, int)},
        {"protected": np.zeros(80, int)},
        {"X": np.zeros((80, 14))},
        {"X": np.ones((80, 14)), "y": np.zeros(80, int), "protected": np.ones(80, int)},
    ],
    ids=lambda columns: "+".join(columns),
)
def test_private_fits_survive_every_data_set_without_a_warning(name, columns):
    """Failing on one of two neighbours would tell them apart."""
    for epsilon in (1.0, float("inf")):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            model = fit(name, data_with(name, **columns), epsilon=epsilon)
        assert np.isfinite(state(model)).all(), epsilon


@pytest.mark.parametrize("name", each(sorted(set(PRIVATE) - CLASSIFIERS)))
@pytest.mark.parametrize(
    "rows", [[0] * 80, [0, 1] * 40, [0, 1]], ids=["one record", "two kinds", "two records"]
)
def test_private_fits_survive_repeated_records_without_a_warning(name, rows):
    """Failing on one of two neighbours would tell them apart."""
    for epsilon in (1.0, float("inf")):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            model = fit(name, data_for(name).take(np.array(rows)), epsilon=epsilon)
        assert np.isfinite(state(model)).all(), epsilon


def test_stems_are_unique_so_that_a_name_is_one_thing():
    declared = (catalog.algorithms, catalog.data_sources, catalog.studies)
    for known in (*declared, catalog.layouts, catalog.models):
        files = [*(PACKAGE / known.folder).rglob("[!_]*.py"), *papers.modules(known.folder)]
        stems = [path.stem for path in files]
        plain = [stem.replace("_", "").lower() for stem in stems]
        assert len(plain) == len(set(plain)), (
            f"two in {known.folder} differ only in folders, underscores or capitals"
        )
    assert not set(catalog.algorithms.names) & set(catalog.data_sources.names)


@every_mechanism
def test_a_mechanism_takes_its_value_then_keywords_then_rng(mechanism):
    first, *options, last = inspect.signature(mechanism).parameters.values()
    assert first.kind is first.POSITIONAL_OR_KEYWORD
    assert all(p.kind is p.KEYWORD_ONLY for p in options)
    assert all(
        p.default is p.empty or p.name == "draw" for p in options
    )  # a sensitivity has no default
    assert any("sensitivity" in p.name for p in options)
    assert (last.name, last.kind, last.default) == ("rng", last.KEYWORD_ONLY, last.empty)


@every_mechanism
def test_a_mechanism_is_recorded_and_repeats_with_its_generator(mechanism):
    options = dict.fromkeys(list(inspect.signature(mechanism).parameters)[1:-1], 1.0)
    options.pop("draw", None)
    value = np.arange(4.0)
    with record() as tape:
        first, second = (
            mechanism(value, **options, rng=np.random.default_rng(5)) for _ in range(2)
        )
    np.testing.assert_array_equal(first, second)
    assert [release.mechanism for release in tape] == [mechanism.__name__] * 2
    np.testing.assert_array_equal(value, np.arange(4.0))


def test_the_three_mechanisms_of_the_papers_are_there():
    assert {"laplace", "gaussian", "exponential"} <= set(MECHANISMS)
