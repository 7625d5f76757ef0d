"""What modules with methods, data sets and tasks import from dpfair, under one name.

    import dpfair_cli.plugin as dp

    @dp.checked
    def fit(records: dp.Records, *, epsilon: dp.Epsilon = 1.0, rng) -> dp.LinearClassifier:
        noisy = dp.laplace(records.X.sum(axis=0), l1_sensitivity=..., epsilon=epsilon, rng=rng)

The names are those of the modules below, which document them. Not here, because not every method
needs what they load, are the accountants (`dpfair_cli.mechanisms.accounting`), the proofs of
sensitivities (`dpfair_cli.mechanisms.sensitivity`) and further models (`dpfair_cli.models`).
"""

from __future__ import annotations

from dpfair_cli.contracts.arrays import Floats, Ints
from dpfair_cli.contracts.declarations import (
    Algorithm,
    BoundFit,
    DataSource,
    File,
    Replica,
    Score,
    Study,
    Sweep,
)
from dpfair_cli.contracts.errors import DpfairError
from dpfair_cli.contracts.guarantees import Definition, Guarantee, Neighbours, Status
from dpfair_cli.contracts.parameters import (
    AtLeast,
    AtMost,
    Below,
    Count,
    CountOrZero,
    Delta,
    Epsilon,
    Fraction,
    NotNegative,
    NotNegativeFinite,
    Positive,
    PositiveFinite,
    Share,
    check_fields,
    checked,
)
from dpfair_cli.contracts.results import (
    Classifier,
    Curve,
    FittedFields,
    LinearRule,
    NotSaved,
    Outcome,
    Result,
    SavedFields,
    fitted_once,
)
from dpfair_cli.contracts.schemas import Categorical, Numeric, Schema
from dpfair_cli.contracts.training_context import NO_CONTEXT, TrainingContext
from dpfair_cli.kinds.graphs import Graph
from dpfair_cli.kinds.images import Images
from dpfair_cli.kinds.partitioned_records import PartitionedRecords
from dpfair_cli.kinds.records import Domain, Records
from dpfair_cli.kinds.variables import Observations
from dpfair_cli.mechanisms.batches import (
    ALL_RECORDS,
    Batch,
    poisson_batches,
    shuffled_batches,
    subsample,
)
from dpfair_cli.mechanisms.exponential import exponential
from dpfair_cli.mechanisms.gaussian import gaussian
from dpfair_cli.mechanisms.laplace import laplace
from dpfair_cli.mechanisms.randomised_response import randomised_response
from dpfair_cli.models.regression.constant import ConstantClassifier
from dpfair_cli.models.regression.linear import LinearClassifier
