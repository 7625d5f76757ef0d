"""What somebody who knows everything but one record makes of a model file: nothing that was not
paid for.
"""

from __future__ import annotations

import json
from hashlib import sha256
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from dpfair_cli import catalog, data_access
from dpfair_cli.datasets import csv
from dpfair_cli.mechanisms.batches import absent
from dpfair_cli.mechanisms.gaussian import analytic_sigma
from dpfair_cli.mechanisms.ledger import record, replay
from dpfair_cli.mechanisms.noise import Grid
from dpfair_cli.mechanisms.sensitivity.minimiser import l2_minimiser
from dpfair_cli.release import model_files
from tests.commands.invoking import works
from tests.commands.material import PUBLIC, changed, people, write

pytestmark = pytest.mark.usefixtures("own")
OPTIONS = {"label": "rich", "protected": "sex"}
N = round(0.8 * len(people()))  # that are trained on


def train(*arguments, method="output_perturbation", save="model.json"):
    """(what is printed, what the file says)."""
    result = works(
        "train", "own.csv", *PUBLIC, "--method", method, *arguments, "--save", save, "--force"
    )
    return result.stdout, json.loads(Path(save).read_text())


def words(value):
    """Every text and number in a JSON document, as text."""
    if isinstance(value, dict):
        return {text for inner in value.values() for text in words(inner)}
    return (
        {text for inner in value for text in words(inner)}
        if isinstance(value, list)
        else {str(value)}
    )


def hashes(file):
    """What a program may call the hash of a table and its domain file."""
    files = [Path(file).read_bytes(), Path("domain.yaml").read_bytes()]
    records = csv.load(Path(), file=file, domain="domain.yaml", **OPTIONS)
    named = {"file": file, "domain": "domain.yaml", **OPTIONS}
    return {
        *(sha256(content).hexdigest() for content in (files[0], b"".join(files))),
        data_access.own_identity(catalog.data_set("csv", named)),
        records.fingerprint(),
    }


def test_an_unknown_record_is_not_found_by_the_hash_of_the_table_with_it():
    """All others are known: 72 candidates for the last one and itself, each a table whose hashes
    are looked for.
    """
    *others, secret = people()
    printed, _ = train()
    text, found = printed + Path("model.json").read_text(), []
    for candidate in product(map(str, range(18, 90, 6)), "abc", "fm", ("yes",)):
        write("guess.csv", [*others, list(candidate)])
        found += [candidate for known in hashes("guess.csv") if known[:12] in text]
    assert not found
    write("guess.csv", [*others, secret])
    assert not [known for known in hashes("guess.csv") if known[:12] in text]


def test_scores_are_printed_as_not_private_and_are_not_in_the_file():
    printed, content = train()
    lines = dict(line.split(None, 1) for line in printed.splitlines() if line)
    assert "not private, do not publish" in lines["scores"]
    assert not {"accuracy", "demographic_parity_difference", "majority_accuracy"} & set(
        str(content).split("'")
    )
    assert lines["accuracy"] not in words(content)


@pytest.mark.parametrize("given", [(), ("--seed", "987654")])
def test_the_file_names_a_seed_only_where_it_makes_the_claim_void(given):
    _, content = train(*given)
    assert content["guarantee"].pop("status") == ("void: known seed 987654" if given else "proved")
    assert "seed" not in str(content)
    assert "987654" not in str(content)


def optimum_of(split_rng):
    """The weights without noise of the fit to the split that a generator draws."""
    records = csv.load(Path(), file="own.csv", domain="domain.yaml", **OPTIONS)
    case = catalog.study("classification").split(records, rng=split_rng)
    return (
        catalog.algorithm("output_perturbation")
        .fit(case.train, epsilon=np.inf, rng=split_rng)
        .weights
    )


def sigma(epsilon):
    return analytic_sigma(l2_minimiser(N, clip_norm=3.0, mu=1.0), epsilon, min(1e-3, 1 / N**2))


def generators(seed):
    """The generators of split and fit that a toolkit may make from a seed alone."""
    yield np.random.default_rng(seed).spawn(2)
    yield [np.random.default_rng(seed)] * 2
    noise = np.random.default_rng(seed)
    yield np.random.default_rng(noise.integers(2**32, size=8)), noise


def test_the_noise_of_a_default_run_cannot_be_drawn_again():
    """For every seed up to 50 the noise is drawn again and subtracted; the optimum is not found."""
    _, content = train()
    weights = np.array(content["model"]["weights"])
    for seed in range(51):
        for split_rng, fit_rng in generators(seed):
            optimum = optimum_of(split_rng)
            noise = fit_rng.normal(scale=sigma(1.0), size=len(weights))
            assert np.abs(weights - noise - optimum).max() > 1e-9, seed


def test_what_a_default_run_releases_is_on_the_grid_of_exact_noise():
    with record() as tape:
        train(method="pflr")
    # a constant model is fitted again without noise, to say whether the noise is the cause
    released = [entry for entry in tape if entry.scale > 0]
    assert len(released) == 1
    for entry in released:  # the scale asked for is a little smaller, its step the same or half
        steps = entry.output / (Grid.for_scale(entry.scale).step / 2)
        np.testing.assert_array_equal(steps, np.rint(steps))


def test_two_default_runs_share_nothing():
    (_, one), (_, two) = train(), train()
    assert not set(one["model"]["weights"]) & set(two["model"]["weights"])


@pytest.mark.parametrize("given", [(), ("--seed", "5")])
def test_two_epsilons_do_not_share_their_noise(given):
    """Were w_i = optimum + sigma_i z with one z and one split, (s_2 w_1 - s_1 w_2) / (s_2 - s_1)
    were the optimum.
    """
    fits = {}
    for epsilon in (0.5, 2.0, np.inf):
        fits[epsilon] = np.array(train("--eps", epsilon, *given)[1]["model"]["weights"])
    s = {epsilon: sigma(epsilon) for epsilon in (0.5, 2.0)}
    combined = (s[2.0] * fits[0.5] - s[0.5] * fits[2.0]) / (s[2.0] - s[0.5])
    assert np.abs(combined - fits[np.inf]).max() > 1e-3


@pytest.mark.parametrize("method", ["pflr", "functional_mechanism", "dpsgd"])
def test_neighbours_that_release_the_same_give_the_same_file(method, monkeypatch):
    """From the table to the file; batches, starts and the split do not depend on the data, and are
    the same here.
    """
    monkeypatch.setattr(
        model_files, "release_generator", lambda seed, names: np.random.default_rng(8)
    )
    split_rng = np.random.default_rng(np.random.default_rng(8).integers(2**32, size=8))
    last = int(split_rng.permutation(len(people()))[-1])  # of those that are trained on
    small = ("--set", "batch_size=10") if method == "dpsgd" else ()
    with record() as tape:
        printed, _ = train(*small, method=method, save="one.json")
    neighbour = people()
    neighbour[last] = ["88", "c", "f", "no"]
    write("own.csv", neighbour)
    with replay(tape) as again, absent(*([N - 1] if method == "dpsgd" else [])):
        other, _ = train(*small, method=method, save="two.json")
    assert any(
        np.any(before.value != after.value) for before, after in zip(tape, again, strict=True)
    )
    assert printed == other  # also the scores: nobody who is held out is another
    assert Path("one.json").read_bytes() == Path("two.json").read_bytes()


TRAINED, RICH = ["50", "b", "f", "no"], ["50", "b", "f", "yes"]
ALONE = {  # all lines but one, and the two neighbours' records
    "label": (changed(3, "no"), TRAINED, RICH),
    "other label": (changed(3, "yes"), TRAINED, RICH),
    "group": (changed(2, "m"), ["50", "b", "m", "no"], TRAINED),
    "level": (changed(1, "a"), ["50", "a", "f", "no"], ["50", "c", "f", "no"]),
    "level that is not listed": (people(), TRAINED, ["50", "z", "f", "no"]),
    "label that is not listed": (people(), RICH, ["50", "b", "f", "perhaps"]),
    "row among equal rows": ([TRAINED] * len(people()), TRAINED, ["51", "b", "f", "no"]),
    "label that is not listed among equal rows": (
        [TRAINED] * len(people()),
        RICH,
        ["50", "b", "f", "perhaps"],
    ),
}


@pytest.mark.parametrize("method", ["pflr", "output_perturbation"])
@pytest.mark.parametrize(("others", "one", "another"), ALONE.values(), ids=ALONE)
def test_what_one_record_alone_has_is_not_in_the_file(method, others, one, another, monkeypatch):
    """Nor is it printed: a level, a label or a group of one record, or a row unlike all others."""
    monkeypatch.setattr(
        model_files, "release_generator", lambda seed, names: np.random.default_rng(8)
    )
    split_rng = np.random.default_rng(np.random.default_rng(8).integers(2**32, size=8))
    last = int(split_rng.permutation(len(others))[-1])  # of those that are trained on
    lines = [*others[:last], one, *others[last + 1 :]]
    write("own.csv", lines)
    with record() as tape:
        printed, _ = train(method=method, save="one.json")
    lines[last] = another
    write("own.csv", lines)
    with replay(tape) as again:
        other, _ = train(method=method, save="two.json")
    moved = [np.any(a.value != b.value) for a, b in zip(tape, again, strict=True)]
    assert any(moved) or method != "pflr"  # the other method does not use groups
    assert printed == other
    assert Path("one.json").read_bytes() == Path("two.json").read_bytes()
