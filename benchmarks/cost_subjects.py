"""The methods that `make bench-cost` times, with made-up data at sizes that take seconds."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple


class Sizes(NamedTuple):
    """The sizes at which a method is timed."""

    n: tuple[int, ...]
    """Numbers of records or nodes, in geometric steps."""
    d: tuple[int, ...]
    """Numbers of features, variables or dimensions, in geometric steps."""
    n_alone: int
    """The number of records or nodes while another axis varies."""
    d_alone: int
    """The number of features, variables or dimensions while another axis varies."""


class Subject(NamedTuple):
    """A method that is timed."""

    name: str
    """The name of the method."""
    make: Callable[..., Any]
    """Makes its data: `make(n, d, rng)`."""
    sizes: Sizes
    """The sizes of its data."""
    options: Mapping[str, Any] = MappingProxyType({})
    """Parameters with which a fit is short."""
    d_is_an_option: str = ""
    """The parameter that has the value d, if d is not a size of the data."""


def records_of_numbers(n: int, d: int, rng):
    """Records with numbers in [0, 1], whose label depends on the first number and on the group."""
    import numpy as np

    from dpfair_cli.kinds.records import Domain, Records

    X, protected = rng.random((n, d)), rng.integers(0, 2, n)
    y = (X[:, 0] + 0.3 * protected + rng.normal(0, 0.3, n) > 0.65).astype(np.int64)
    columns = tuple(f"x{j}" for j in range(d))
    return Records(
        X, y, protected, Domain(columns, {name: (j,) for j, name in enumerate(columns)}, ("a", "b"))
    )


def records_of_levels(n: int, d: int, rng):
    """Records with a causal chain: group, d attributes of two levels, label."""
    import numpy as np

    from dpfair_cli.kinds.causal_records import CausalDag, CausalRecords
    from dpfair_cli.kinds.records import Domain

    codes = [rng.integers(0, 2, n)]  # then each a copy of the one before it, in 4 of 5 records
    for _ in range(d + 1):
        codes.append(np.where(rng.random(n) < 0.8, codes[-1], 1 - codes[-1]))
    names = (*(f"x{j}" for j in range(d)), "s", "y")
    arrows = np.zeros((d + 2, d + 2), dtype=bool)
    arrows[[d, *range(d)], [*range(d), d + 1]] = True  # s > x0 > x1 > ... > y
    X = np.hstack([np.eye(2)[column] for column in codes[1:-1]])
    columns = tuple(f"{name}={level}" for name in names[:d] for level in "01")
    attributes = {name: (2 * j, 2 * j + 1) for j, name in enumerate(names[:d])}
    domain = Domain(columns, attributes, ("0", "1"), values=dict.fromkeys(names, ("0", "1")))
    return CausalRecords(
        X, codes[-1], codes[0], domain, CausalDag(names, arrows, "s", "y"), through=("x0",)
    )


def categories(n: int, d: int, rng):
    """Observations of d variables of three levels, each dependent on the one before it."""
    import numpy as np

    from dpfair_cli.kinds.variables import Observations

    values = [rng.standard_normal(n)]
    for _ in range(d - 1):
        values.append(0.6 * values[-1] + 0.8 * rng.standard_normal(n))
    codes = np.digitize(np.column_stack(values), [-0.5, 0.5])
    return Observations(codes, tuple(f"v{j}" for j in range(d)), (3,) * d)


def graph(n: int, d: int, rng):
    """A graph of n nodes in four blocks with 5 n edges; d is not used."""
    from dpfair_cli.models.embedding.block_model import block_model

    return block_model([n // 4] * 4, 5 * n, 0.8, rng=rng)


def of(make, sizes: Sizes, *names: str, **more: Any) -> tuple[Subject, ...]:
    """The methods `names` on the same data."""
    return tuple(Subject(name, make, sizes, **more) for name in names)


TABLE = Sizes((4_000, 16_000, 64_000, 256_000), (8, 16, 32, 64, 128), 16_000, 16)
SHORTER = Sizes((1_000, 4_000, 16_000, 64_000), (8, 16, 32, 64), 4_000, 16)
VARIABLES = Sizes((1_000, 4_000, 16_000, 64_000), (3, 6, 12, 24), 4_000, 6)
# for a method that takes a table of all variables, 3^d cells: 12 variables take 40 s
FEW_VARIABLES = VARIABLES._replace(d=(3, 6, 9))
NODES = Sizes((500, 1_000, 2_000, 4_000, 8_000), (16, 32, 64, 128), 1_000, 32)
LEVELS = Sizes((1_000, 4_000, 16_000, 64_000), (5, 10, 20, 40), 2_000, 10)
CAUSES = Sizes((1_000, 4_000, 16_000, 64_000), (2, 4, 8), 4_000, 4)

EPOCHS, GAME = {"epochs": 2}, {"epochs": 1, "pretraining_epochs": 1}
REGRESSIONS = ("logistic_regression", "output_perturbation", "pflr", "pdfc")
POSTPROCESSINGS = ("dp_postprocessing", "dp_oracle_learner", "optimal_fair_mixture")

FAMILIES: dict[str, tuple[Subject, ...]] = {
    "regression": of(records_of_numbers, TABLE, *REGRESSIONS),
    "postprocessing": of(records_of_numbers, TABLE, *POSTPROCESSINGS),
    "training": of(records_of_numbers, SHORTER, "sgd", "dpsgd", "dpsgd_f", options=EPOCHS),
    "causal discovery": (
        *of(categories, VARIABLES, "pc", "priv_pc"),
        *of(categories, FEW_VARIABLES, "lap_mech"),
    ),
    "embedding": of(
        graph, NODES, "matrix_factorisation", "dpne", "dpm", d_is_an_option="dimension"
    ),
    "generators": (
        *of(categories, LEVELS, "tree_augmented_network"),
        *of(records_of_levels, LEVELS, "fair_gan", "fair_gan_plus", options=GAME),
    ),
    "causal generators": of(records_of_levels, CAUSES, "causal_gan", "cfgan", options=EPOCHS),
    "causal fairness": of(records_of_levels, CAUSES, "pse_dr", "a1", "a3"),
}
