"""Causal effects from their definitions (xu2021, Definitions 9 to 12), by enumerating all noise.

Nothing here is used by the package. A structural model has binary variables v = f(parents, noise);
the noise of each has few values and is independent of the others, so that every world is one row of
a table, with its probability. An intervention is a function replaced in every world; nothing is
factorised, adjusted for or estimated.
"""

from dataclasses import dataclass
from functools import cached_property
from itertools import product

import numpy as np


@dataclass(frozen=True, eq=False)
class StructuralModel:
    """A structural model of binary variables.

    functions[v] is a boolean array (2,) * parents + (noises,), with parents in ascending order;
    weights are (p, noises).
    """

    arrows: np.ndarray
    functions: tuple
    weights: np.ndarray
    s: int
    y: int

    @cached_property
    def noise(self):
        """The noise of every variable in every world, (worlds, p)."""
        return np.array(list(product(range(self.weights.shape[1]), repeat=len(self.weights))))

    @cached_property
    def chance(self):
        """The probability of every world, (worlds,)."""
        return self.weights[np.arange(len(self.weights)), self.noise].prod(axis=1)

    def parents(self, v):
        return np.flatnonzero(self.arrows[:, v])

    def value(self, v, fixed):
        """v in every world, (worlds,), if the variables of `fixed` (index -> value) are set."""
        if v in fixed:
            return np.full(len(self.noise), fixed[v])
        inputs = [self.value(parent, fixed) for parent in self.parents(v)]
        return self.functions[v][(*inputs, self.noise[:, v])].astype(int)

    def carried(self, path, along):
        """The first variable of `path` as later ones see it: S is 1 on the paths in `along`.

        Elsewhere S is 0. Nested counterfactuals: each path has its own copy of its variables, all
        with the same noise.
        """
        v = path[0]
        if v == self.s:
            return np.full(len(self.noise), int(path in along))
        inputs = [self.carried((int(parent), *path), along) for parent in self.parents(v)]
        return self.functions[v][(*inputs, self.noise[:, v])].astype(int)

    def joint(self):
        """P(V), (2,) * p."""
        found = np.zeros((2,) * len(self.weights))
        values = tuple(self.value(v, {}) for v in range(len(self.weights)))
        np.add.at(found, values, self.chance)
        return found

    def total_effect(self):
        """Definition 10."""
        return float(
            self.chance @ (self.value(self.y, {self.s: 1}) - self.value(self.y, {self.s: 0}))
        )

    def path_specific_effect(self, paths):
        """Definition 11, with reference 0."""
        along = set(paths)
        return float(
            self.chance @ (self.carried((self.y,), along) - self.carried((self.y,), set()))
        )

    def counterfactual_effect(self, context):
        """Definition 12: only worlds in which the context (index -> value) holds."""
        change = self.value(self.y, {self.s: 1}) - self.value(self.y, {self.s: 0})
        like = np.all([self.value(v, {}) == value for v, value in context.items()], axis=0)
        return float((self.chance * like) @ change / (self.chance * like).sum())


def random_model(graph, seed, noises=4):
    """Random functions in which noise 0 gives 0 and noise 1 gives 1."""
    rng, p = np.random.default_rng(seed), len(graph.names)
    functions = []
    for v in range(p):
        function = rng.random((2,) * int(graph.arrows[:, v].sum()) + (noises,)) < 0.5
        function[..., 0], function[..., 1] = False, True
        functions.append(function)
    weights = rng.dirichlet(np.full(noises, 2.0), size=p)
    return StructuralModel(
        graph.arrows, tuple(functions), weights, graph.place("s"), graph.place("y")
    )
