"""dpM: one release of all entries of M, the two scales, and the factorisation of what comes out."""

import numpy as np
import pytest

from dpfair_cli.auditing.losses import privacy_loss, query_change
from dpfair_cli.mechanisms.ledger import record, replay
from dpfair_cli.models.embedding.factorisation import factorise, random_rows
from tests.algorithms.embedding.fitting import fit, recorded
from tests.models.embedding.graphs import BRIDGE, blocks, graph, path, two_triangles
from tests.oracles.walks import walks


@pytest.mark.parametrize(("sensitivity", "bound"), [("published", np.sqrt(2)), ("proved", 2.5)])
@pytest.mark.parametrize("epsilon", [0.5, 4.0])
def test_the_one_release_is_the_whole_matrix(sensitivity, bound, epsilon):
    _, tape = recorded("dpm", two_triangles(), sensitivity=sensitivity, epsilon=epsilon)
    (entry,) = tape
    assert entry.mechanism == "laplace"
    np.testing.assert_allclose(
        np.reshape(entry.value, (6, 6)), walks(two_triangles().edges, 6), atol=1e-14
    )
    assert entry.sensitivity == pytest.approx(bound)
    assert entry.scale == pytest.approx(bound / epsilon)


def test_every_entry_gets_its_own_noise():
    _, tape = recorded("dpm", blocks(nodes=60, classes=3), epsilon=2.0, sensitivity="proved")
    noise = np.reshape(tape[0].output - tape[0].value, (60, 60))
    assert np.abs(noise).mean() == pytest.approx(
        1.25, rel=0.07
    )  # 4 standard errors of 3,600 entries
    off = np.triu_indices(60, 1)
    assert abs(np.corrcoef(noise[off], noise.T[off])[0, 1]) < 0.1


def test_the_vectors_are_those_of_the_released_matrix():
    """W is a ridge solution of the noisy matrix; the error is that given by its singular values."""
    W, tape = recorded("dpm", two_triangles(), epsilon=3.0, dimension=2)
    noisy = np.reshape(tape[0].output, (6, 6))
    start = random_rows(len(noisy), 2, rng=np.random.default_rng(0))
    made = factorise(noisy, start, regularisation=0.001)
    wanted, _, _ = np.linalg.svd(made.W, full_matrices=False)
    found, _, _ = np.linalg.svd(W, full_matrices=False)
    cosines = np.linalg.svd(wanted.T @ found, compute_uv=False)
    assert cosines.min() > 0.95  # the same plane


@pytest.mark.parametrize("sensitivity", ["published", "proved"])
@pytest.mark.parametrize("found", [two_triangles(), blocks()], ids=["two triangles", "blocks"])
def test_at_infinite_epsilon_it_is_the_matrix_factorisation(found, sensitivity):
    vectors = fit("dpm", found, dimension=3, epsilon=np.inf, sensitivity=sensitivity, seed=1)
    np.testing.assert_allclose(
        vectors, fit("matrix_factorisation", found, dimension=3, seed=1), atol=1e-6
    )


def test_given_its_release_the_embedding_does_not_depend_on_the_graph():
    vectors, tape = recorded("dpm", two_triangles())
    with replay(tape):
        np.testing.assert_array_equal(fit("dpm", path(6)), vectors)


def loss(sensitivity, pairs, edge, nodes, epsilon=1.0):
    """What the release loses when `edge` is added."""
    _, tape = recorded(
        "dpm", graph(pairs, nodes), dimension=1, sensitivity=sensitivity, epsilon=epsilon
    )
    with record() as other:
        fit(
            "dpm",
            graph([*pairs, edge], nodes),
            dimension=1,
            sensitivity=sensitivity,
            epsilon=epsilon,
        )
    return privacy_loss(tape, [query_change(tape[0], other[0])], 0.0)


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 10.0])
def test_the_published_scale_loses_more_than_epsilon_on_a_first_edge(epsilon):
    assert loss("published", [], (0, 1), 2, epsilon) == pytest.approx(np.sqrt(2) * epsilon)
    assert loss("published", BRIDGE, (1, 2), 4, epsilon) == pytest.approx(
        2.5 / np.sqrt(2) * epsilon
    )


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 10.0])
def test_the_proved_scale_loses_epsilon_at_most(epsilon):
    assert loss("proved", [], (0, 1), 2, epsilon) == pytest.approx(0.8 * epsilon)
    assert loss("proved", BRIDGE, (1, 2), 4, epsilon) == pytest.approx(epsilon)


def test_a_word_that_is_no_variant_is_refused_by_name():
    with pytest.raises(ValueError, match="sensitivity"):
        fit("dpm", path(3), sensitivity="tight")
