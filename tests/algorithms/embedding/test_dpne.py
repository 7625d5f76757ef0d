"""DPNE: the minimiser of Equation 5.7, its noise, and the published optimisation."""

import numpy as np
import pytest

from dpfair_cli.models.embedding.factorisation import factorise, random_rows, walks_of
from tests.algorithms.embedding.fitting import fit, recorded
from tests.models.embedding.graphs import blocks, clique, graph, path, two_triangles
from tests.oracles.walks import objective, perturbed_gradient, perturbed_objective, ridge, walks

OTHER = graph(
    [(0, 1), (0, 2), (1, 2), (2, 3), (3, 4), (4, 5), (3, 5), (0, 3)], 6
)  # M is not singular here either


def noise_of(tape):
    """N of Equation 5.7: what takes the query 2 M H to its release."""
    (entry,) = tape
    return entry.value - entry.output


def context_of(M, tape):
    """H, from the query 2 M H."""
    return np.linalg.solve(2 * M, tape[0].value)


BOTH = ("dpne", "dpne_public_context")
SETTINGS = [
    {},
    {"epsilon": 20.0},
    {"epsilon": 0.5},
    {"regularisation": 0.1},
    {"epsilon": 5.0},
]


@pytest.mark.parametrize("method", BOTH)
@pytest.mark.parametrize("options", SETTINGS, ids=str)
@pytest.mark.parametrize("dimension", [1, 2, 4])
def test_the_gradient_of_the_perturbed_objective_is_zero_at_w(method, options, dimension):
    """Equation 5.8, by plain loops over the pairs."""
    M = walks(two_triangles().edges, 6)
    W, tape = recorded(method, two_triangles(), dimension=dimension, **options)
    H, N = context_of(M, tape), noise_of(tape)
    assert np.linalg.norm(N) > 0.01
    gradient = perturbed_gradient(M, W, H, N, options.get("regularisation", 0.001))
    assert np.abs(gradient).max() <= 1e-8


@pytest.mark.parametrize("method", BOTH)
def test_no_other_w_has_a_smaller_perturbed_objective(method):
    M, rng = walks(two_triangles().edges, 6), np.random.default_rng(0)
    W, tape = recorded(method, two_triangles(), epsilon=10.0, regularisation=0.1)
    H, N = context_of(M, tape), noise_of(tape)
    least = perturbed_objective(M, W, H, 0.1, (W * N).sum())
    for size in (1e-3, 0.1, 3.0):
        for _ in range(20):
            other = W + size * rng.normal(size=W.shape)
            assert perturbed_objective(M, other, H, 0.1, (other * N).sum()) > least


def test_w_is_the_ridge_solution_moved_by_half_the_noise():
    """W (H'H + r) = M H - N / 2: a number worked by hand for the one edge, whose H is (h, h)."""
    W, tape = recorded("dpne", path(2), dimension=1, regularisation=0.01)
    h = tape[0].value[0, 0] / 2
    np.testing.assert_allclose(tape[0].value, [[2 * h], [2 * h]], rtol=1e-9)
    np.testing.assert_allclose(W, (h - noise_of(tape) / 2) / (2 * h**2 + 0.01), rtol=1e-9)


@pytest.mark.parametrize("found", [two_triangles(), blocks()], ids=["two triangles", "blocks"])
@pytest.mark.parametrize("seed", [0, 1])
def test_at_infinite_epsilon_it_is_the_matrix_factorisation(found, seed):
    for options in ({}, {"noise_term": "absolute"}, {"noise_term": "absolute_per_node"}):
        vectors = fit("dpne", found, dimension=3, epsilon=np.inf, seed=seed, **options)
        expected = fit("matrix_factorisation", found, dimension=3, seed=seed)
        np.testing.assert_allclose(vectors, expected, atol=1e-8)


@pytest.mark.parametrize(
    ("method", "bound"), [("dpne", 2 * np.sqrt(2)), ("dpne_public_context", 5.0)]
)
@pytest.mark.parametrize("epsilon", [0.5, 4.0])
def test_the_one_release_has_twice_the_bound_of_m_as_its_sensitivity(method, bound, epsilon):
    _, tape = recorded(method, two_triangles(), epsilon=epsilon)
    (entry,) = tape
    assert entry.sensitivity == pytest.approx(bound)
    assert entry.scale == pytest.approx(bound / epsilon)


def test_trained_context_is_that_of_the_factorisation():
    M = walks(two_triangles().edges, 6)
    _, tape = recorded("dpne", two_triangles(), seed=4)
    start = random_rows(6, 2, rng=np.random.default_rng(4))
    made = factorise(walks_of(two_triangles()), start, regularisation=0.001)
    np.testing.assert_allclose(tape[0].value, 2 * M @ made.H, atol=1e-9)


def test_random_context_is_independent_of_edges_and_has_short_rows():
    contexts = []
    for found in (two_triangles(), OTHER):
        _, tape = recorded("dpne_public_context", found, seed=2)
        contexts.append(context_of(walks(found.edges, 6), tape))
    np.testing.assert_allclose(*contexts, atol=1e-10)
    assert np.linalg.norm(contexts[0], axis=1).max() <= 1 + 1e-9
    _, tape = recorded("dpne_public_context", two_triangles(), seed=3)
    assert np.abs(context_of(walks(two_triangles().edges, 6), tape) - contexts[0]).max() > 0.01


def test_trained_context_depends_on_the_edges():
    contexts = [
        context_of(walks(found.edges, 6), recorded("dpne", found, seed=2)[1])
        for found in (two_triangles(), OTHER)
    ]
    grams = [np.abs(H @ H.T) for H in contexts]  # whatever the signs of the columns
    assert np.abs(grams[0] - grams[1]).max() > 0.01


def test_at_infinite_epsilon_random_context_gives_the_ridge_solution():
    M = walks(two_triangles().edges, 6)
    W, tape = recorded("dpne_public_context", two_triangles(), epsilon=np.inf)
    np.testing.assert_allclose(W, ridge(M, context_of(M, tape), 0.001), rtol=1e-7, atol=1e-9)


def test_the_signed_noise_drowns_the_signal_of_a_small_budget():
    """Each row of N is about 2 sqrt(2) k / epsilon long, and no row of 2 M H longer than 2."""
    _, tape = recorded("dpne", blocks(), dimension=10, epsilon=1.0)
    noise = np.linalg.norm(noise_of(tape), axis=1)
    assert noise.mean() == pytest.approx(2 * np.sqrt(2) * 10, rel=0.2)
    assert np.linalg.norm(tape[0].value, axis=1).max() <= 2


class OneEdge:
    """The absolute term in one dimension on the graph of one edge: W is a point of the plane."""

    def __init__(self, seed, epsilon, regularisation=0.01):
        options = {
            "dimension": 1,
            "epsilon": epsilon,
            "regularisation": regularisation,
            "seed": seed,
        }
        _, signed = recorded("dpne", path(2), **options)
        W, tape = recorded("dpne", path(2), noise_term="absolute", **options)
        self.W, self.eta = W[:, 0], noise_of(tape)[:, 0]
        self.h, self.r = signed[0].value[0, 0] / 2, regularisation  # H is (h, h)

    def objective(self, points):
        """Equation 5.4 with the absolute noise term at points (..., 2) of the plane."""
        errors = 2 * (0.5 - points * self.h) ** 2  # all four entries of M are 1/2
        return (errors + self.r * points**2).sum(axis=-1) + np.abs(points @ self.eta)

    def by_hand(self):
        """W(c) = (h - c eta / 2) / A with A = 2 h^2 + r: c in [-1, 1] with W(c) eta = 0, or the end
        nearest to it.
        """
        c = np.clip(2 * self.h * self.eta.sum() / (self.eta @ self.eta), -1, 1)
        return (self.h - c * self.eta / 2) / (2 * self.h**2 + self.r), c


EPSILONS = (0.2, 1.0, 20.0, 300.0)


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("seed", range(4))
def test_the_minimiser_of_the_absolute_term_worked_in_one_dimension(seed, epsilon):
    found = OneEdge(seed, epsilon)
    np.testing.assert_allclose(found.W, found.by_hand()[0], rtol=1e-6, atol=1e-9)


def test_both_ways_to_minimise_the_absolute_term_occur():
    """Strong noise: the sum is 0 and W lies on the edge of the term; weak noise: one sign holds."""
    inside = [
        abs(OneEdge(seed, epsilon).by_hand()[1]) < 1 for seed in range(4) for epsilon in EPSILONS
    ]
    assert any(inside)
    assert not all(inside)


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("seed", range(4))
def test_no_point_of_a_grid_has_a_smaller_absolute_objective(seed, epsilon):
    found = OneEdge(seed, epsilon)
    least = found.objective(found.W)
    ends = np.linspace(-3, 3, 601) * np.abs(found.W).max()
    assert least <= found.objective(np.stack(np.meshgrid(ends, ends), axis=-1)).min() + 1e-12
    along = np.arctan2(
        found.eta[0], -found.eta[1]
    )  # the direction in which the noise term does not change
    angles = np.concatenate(
        [np.linspace(0, 2 * np.pi, 360, endpoint=False), [along, along + np.pi]]
    )
    directions = np.stack([np.cos(angles), np.sin(angles)], axis=-1)
    for size in (1e-5, 1e-3, 1e-1):
        assert (found.objective(found.W + size * directions) > least).all()


def plane(seed, epsilon):
    """W, H and N of the absolute term on two triangles, and H'H + r."""
    M = walks(two_triangles().edges, 6)
    options = {"dimension": 2, "epsilon": epsilon, "regularisation": 0.1, "seed": seed}
    H = context_of(M, recorded("dpne", two_triangles(), **options)[1])
    W, tape = recorded("dpne", two_triangles(), noise_term="absolute", **options)
    return M, W, H, noise_of(tape)


@pytest.mark.parametrize("seed", range(3))
def test_the_absolute_term_is_one_sum_over_all_nodes(seed):
    """Strong noise makes the whole sum 0 and leaves the parts as they are."""
    _, W, _, N = plane(seed, 0.1)
    parts = (W * N).sum(axis=1)
    assert abs(parts.sum()) <= 1e-9 * np.abs(parts).sum()
    assert np.abs(parts).max() > 0.1


@pytest.mark.parametrize("epsilon", [0.1, 3.0, 100.0])
def test_no_other_w_has_a_smaller_objective_with_the_absolute_term(epsilon):
    M, W, H, N = plane(0, epsilon)
    rng, normal = np.random.default_rng(0), N / np.linalg.norm(N)
    least = perturbed_objective(M, W, H, 0.1, abs((W * N).sum()))
    for size in (1e-4, 1e-2, 1.0):
        for k in range(40):
            step = rng.normal(size=W.shape)
            step -= (
                (step * normal).sum() * normal if k % 2 else 0
            )  # every other one leaves the noise term alone
            other = W + size * step
            assert perturbed_objective(M, other, H, 0.1, abs((other * N).sum())) > least


@pytest.mark.parametrize("seed", range(3))
def test_the_absolute_term_cancels_most_of_the_noise(seed):
    """At epsilon = 0.01 signed noise dominates W; the absolute term removes one direction."""
    found = blocks()
    options = {"dimension": 5, "epsilon": 0.01, "seed": seed}
    clean = fit("matrix_factorisation", found, dimension=5, seed=seed)
    signed = fit("dpne", found, **options)
    absolute = fit("dpne", found, noise_term="absolute", **options)
    assert np.linalg.norm(signed - clean) > 100 * np.linalg.norm(clean)
    assert np.linalg.norm(absolute - clean) < np.linalg.norm(clean)


def test_gradient_descent_arrives_at_the_exact_minimiser():
    options = {"epsilon": 5.0, "regularisation": 0.3}
    exact = fit("dpne", two_triangles(), **options)
    stepped = fit("dpne", two_triangles(), **options, solver="gradient_descent", steps=5_000)
    np.testing.assert_allclose(stepped, exact, atol=1e-6 * np.abs(exact).max())


def steps_by_loops(M, H, N, r, *, start, steps, rate, shrinks, noise_term):
    """Steps down an objective with absolute noise, one node and entry at a time.

    W_i <- W_i - g_t (2 W_i (H'H + r) - 2 (M H)_i + sign_i eta_i), g_t = rate or rate / sqrt(t).
    With a term for each node sign_i is the sign of w_i eta_i', otherwise that of the sum over all
    nodes before the step.
    """
    W, k = list(start), start.shape[1]
    for t in range(1, steps + 1):
        g = rate / t**0.5 if shrinks else rate
        inner = [sum(w[a] * N[i, a] for a in range(k)) for i, w in enumerate(W)]
        if noise_term == "absolute":
            inner = [sum(inner)] * len(W)
        for i, w in enumerate(W):
            sign = 1 if inner[i] > 0 else -1
            slope = []
            for a in range(k):
                errors = [sum(w * h) - m for h, m in zip(H, M[i], strict=True)]
                fit = sum(error * h[a] for error, h in zip(errors, H, strict=True))
                slope.append(2 * fit + 2 * r * w[a] + sign * N[i, a])
            W[i] = np.array([w[a] - g * slope[a] for a in range(k)])
    return np.array(W)


@pytest.mark.parametrize("steps", [1, 2, 7])
@pytest.mark.parametrize("solver", ["gradient_descent", "shrinking_steps"])
@pytest.mark.parametrize("noise_term", ["absolute", "absolute_per_node"])
def test_steps_with_absolute_noise_are_those_of_loops_over_nodes(noise_term, solver, steps):
    M = walks(two_triangles().edges, 6)
    options = {"epsilon": 2.0, "regularisation": 0.1, "noise_term": noise_term}
    W, tape = recorded("dpne", two_triangles(), **options, solver=solver, steps=steps)
    first, _ = recorded(
        "dpne", two_triangles(), **options, solver=solver, steps=1, learning_rate=1e-300
    )
    expected = steps_by_loops(
        M,
        context_of(M, tape),
        noise_of(tape),
        0.1,
        start=first,
        steps=steps,
        rate=0.015,
        shrinks=solver == "shrinking_steps",
        noise_term=noise_term,
    )
    np.testing.assert_allclose(W, expected, rtol=1e-9, atol=1e-12)


def test_the_minimum_with_a_term_for_each_node_worked_in_one_dimension():
    """For node i, 2 (1/2 - w h)^2 + r w^2 + |w| |eta| has its minimum at soft(2 h, |eta|) / A.

    A = 4 h^2 + 2 r, and soft(a, b) = max(a - b, 0) for a > 0.
    """
    ends = []
    for seed in range(4):
        for epsilon in (1.0, 20.0, 300.0):
            options = {"dimension": 1, "epsilon": epsilon, "regularisation": 0.01, "seed": seed}
            W, tape = recorded("dpne", path(2), noise_term="absolute_per_node", **options)
            h, eta = tape[0].value[0, 0] / 2, np.abs(noise_of(tape)[:, 0])
            expected = np.maximum(2 * h - eta, 0) / (4 * h**2 + 0.02)
            np.testing.assert_allclose(W[:, 0], expected, rtol=1e-6, atol=1e-9)
            ends += (expected > 0).tolist()
    assert any(ends)
    assert not all(ends)


@pytest.mark.parametrize("epsilon", [0.1, 3.0, 100.0])
def test_no_other_w_has_a_smaller_objective_with_a_term_for_each_node(epsilon):
    M, rng = walks(two_triangles().edges, 6), np.random.default_rng(0)
    options = {"epsilon": epsilon, "regularisation": 0.1, "noise_term": "absolute_per_node"}
    W, tape = recorded("dpne", two_triangles(), **options)
    H, N = context_of(M, tape), noise_of(tape)

    def value(point):
        term = sum(abs(sum(w * eta)) for w, eta in zip(point, N, strict=True))
        return perturbed_objective(M, point, H, 0.1, term)

    for size in (1e-4, 1e-2, 1.0):
        for _ in range(40):
            assert value(W + size * rng.normal(size=W.shape)) > value(W)


@pytest.mark.parametrize("solver", ["gradient_descent", "adam"])
@pytest.mark.parametrize("noise_term", ["signed", "absolute"])
def test_more_steps_come_nearer_to_the_minimum(solver, noise_term):
    M = walks(two_triangles().edges, 6)
    options = {"epsilon": 20.0, "regularisation": 0.3, "noise_term": noise_term}
    H = context_of(M, recorded("dpne", two_triangles(), epsilon=20.0, regularisation=0.3)[1])
    exact, tape = recorded("dpne", two_triangles(), **options)
    N = noise_of(tape)

    def value(W):
        term = (W * N).sum()
        return objective(M, W, H, 0.3) + (term if noise_term == "signed" else abs(term))

    gaps = [
        value(
            fit("dpne", two_triangles(), **options, solver=solver, steps=steps, learning_rate=0.002)
        )
        - value(exact)
        for steps in (2, 4_000)
    ]
    assert gaps[0] > 1e-3
    assert -1e-9 <= gaps[1] < 0.2 * gaps[0]


@pytest.mark.parametrize("solver", ["gradient_descent", "shrinking_steps", "adam"])
def test_the_other_solvers_release_what_the_exact_one_does(solver):
    entries = [
        recorded("dpne", clique(4), solver=name, steps=3)[1][0] for name in ("exact", solver)
    ]
    np.testing.assert_array_equal(entries[0].value, entries[1].value)
    np.testing.assert_array_equal(entries[0].output, entries[1].output)


@pytest.mark.parametrize(
    "options",
    [
        {"epsilon": 0},
        {"epsilon": -1.0},
        {"dimension": 0},
        {"regularisation": -0.1},
        {"steps": 0},
        {"learning_rate": 0},
    ],
    ids=str,
)
def test_numbers_out_of_range_are_refused_by_name(options):
    (name,) = options
    with pytest.raises(ValueError, match=f"^{name} must be"):
        fit("dpne", path(3), **options)


@pytest.mark.parametrize("name", ["noise_term", "solver"])
def test_a_word_that_is_no_variant_is_refused_by_name(name):
    with pytest.raises(ValueError, match=name):
        fit("dpne", path(3), **{name: "nonsense"})


def log_density(W, M, H, epsilon, regularisation=0.001):
    """The log density of W = (M H - N / 2) A^-1, A = H'H + r, up to a constant."""
    A = H.T @ H + regularisation * np.eye(H.shape[1])
    N = 2 * (M @ H - W @ A)
    scale = 2 * np.sqrt(2) / epsilon
    return -np.linalg.norm(N, axis=1).sum() / scale + len(W) * np.linalg.slogdet(2 * A)[1]


def test_trained_context_vectors_have_an_unbounded_density_ratio():
    """Along a row that A = H'H + r scales differently for two neighbours it grows without bound."""
    left, right = graph([(0, 1), (1, 2), (2, 3)], 4), graph([(0, 1), (1, 2), (2, 3), (1, 3)], 4)
    cases = []
    for found in (left, right):
        M = walks(found.edges, 4)
        made = factorise(
            walks_of(found), random_rows(4, 2, rng=np.random.default_rng(0)), regularisation=0.001
        )
        cases.append((M, made.H))
    grams = [H.T @ H for _, H in cases]
    direction = np.linalg.eigh(grams[1] - grams[0])[1][
        :, np.abs(np.linalg.eigvalsh(grams[1] - grams[0])).argmax()
    ]
    losses = []
    for size in (10.0, 1e3, 1e5):
        W = size * np.tile(direction, (4, 1))
        one, other = (log_density(W, M, H, epsilon=1.0) for M, H in cases)
        losses.append(abs(one - other))
    assert losses[0] < losses[1] < losses[2]
    assert losses[2] > 1000
