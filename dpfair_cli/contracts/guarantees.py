"""The privacy guarantee of a method, its status for one fit, and the price of several fits."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from typing import Any

BOUNDS_FROM_DATA = "bounds from data"
"""The condition that a fit breaks if ranges and levels are read from the private data."""
UNPAID_SCORES = "unpaid scores"
"""The condition that a fit breaks if exact scores are shown next to the model."""
UNBOUNDED = "not private"
"""The word in place of neighbours for fits without a guarantee."""


class Neighbours(StrEnum):
    """The pairs of data sets whose outputs differential privacy makes nearly indistinguishable."""

    REPLACE_ONE = "replace-one"
    ADD_OR_REMOVE_ONE = "add-or-remove-one"
    ONE_PROTECTED_ATTRIBUTE = "one protected attribute"
    ONE_EDGE = "one edge"
    RANDOMISED_ATTRIBUTES = "randomised attributes of one record"
    NONE = "none"


class Status(StrEnum):
    """The status of a privacy guarantee, such as proved or refuted."""

    PROVED = "proved"  # proved in this project
    AS_PUBLISHED = "as-published"  # proved in the paper and not checked here
    CONDITIONAL = "conditional"  # proved under a condition that a fit does not check
    REFUTED = "refuted"  # does not hold, as a counterexample shows
    VOID = "void"  # does not hold for this fit, which breaks a condition
    NOT_PRIVATE = "not private"  # there is no guarantee


class Definition(StrEnum):
    """The definition of differential privacy that a guarantee is stated in."""

    PURE = "epsilon-differential privacy"
    APPROXIMATE = "(epsilon, delta)-differential privacy"


@dataclass(frozen=True)
class FitStatus:
    """The status of the privacy guarantee of one fit."""

    status: Status  # the status, with conditions that this fit breaks taken into account
    broken: tuple[str, ...] = ()  # the conditions that this fit breaks

    def __str__(self) -> str:
        return f"{self.status}: {', '.join(self.broken)}" if self.broken else str(self.status)


def delta_parameter(params: Mapping[str, Any], n: int) -> float:
    """The parameter `delta` of a fit to n records; 0 for a method without a parameter `delta`."""
    return float(params.get("delta", 0.0))


@dataclass(frozen=True)
class Guarantee:
    """The differential privacy that a method guarantees.

    >>> pflr = Guarantee(
    ...     released="the weights",
    ...     neighbours=Neighbours.REPLACE_ONE,
    ...     public="the number of records",
    ...     status=Status.PROVED,
    ...     proof="mechanisms/sensitivity/objective.py",
    ... )
    >>> pflr.promise
    'epsilon-differential privacy of the weights'
    >>> str(pflr.for_fit({"epsilon": 1.0}, broken=["known seed 3"]))
    'void: known seed 3'

    Attributes:
        released: the values that the guarantee covers and that may be published, such as "the
            weights".
        neighbours: the pairs of data sets that an attacker must not be able to tell apart.
        public: the facts that are assumed to be known to everybody, such as "the number of
            records".
        status: the status of the guarantee, except for the parameter values in `variants`.
        definition: pure or approximate differential privacy.
        remark: an addition to the neighbours, such as "protected attribute included"; empty if
            none.
        proof: the files with the proof; empty for a guarantee that is not proved here.
        conditions: the conditions under which a guarantee with the status conditional holds.
        variants: (parameter, value) -> the status of the guarantee if the parameter has this value.
        delta_remark: the formula of delta in words, if delta is not the value of the parameter
            `delta`.
        stated_delta: `stated_delta(params, n)` is the delta of a fit with these parameters to n
            records.
    """

    released: str
    neighbours: Neighbours
    public: str
    status: Status
    definition: Definition = Definition.PURE
    remark: str = ""
    proof: str = ""
    conditions: str = ""
    variants: Mapping[tuple[str, Any], Status] = field(default_factory=dict)
    delta_remark: str = ""
    stated_delta: Callable[[Mapping[str, Any], int], float] = delta_parameter

    @property
    def is_private(self) -> bool:
        """Whether the method has a privacy guarantee."""
        return self.status is not Status.NOT_PRIVATE

    @property
    def promise(self) -> str:
        """The guarantee in words, such as "epsilon-differential privacy of the weights"."""
        if not self.is_private:
            return "none"
        words = f"{self.definition} of {self.released}"
        return f"{words}; {self.delta_remark}" if self.delta_remark else words

    @property
    def relation(self) -> str:
        """The neighbours in words, such as "replace-one, protected attribute included"."""
        return f"{self.neighbours}, {self.remark}" if self.remark else str(self.neighbours)

    @property
    def scope(self) -> str:
        """The neighbours in brackets, as labels of tables print them.

        The text is empty for replace-one and for a method without a guarantee.
        """
        usual = self.neighbours in (Neighbours.REPLACE_ONE, Neighbours.NONE)
        return "" if usual else f"({self.neighbours})"

    def status_with(self, params: Mapping[str, Any]) -> Status:
        """The status of the guarantee with these parameters.

        The status is "not private" if epsilon is infinite.
        """
        if not self.is_private or params.get("epsilon") == math.inf:
            return Status.NOT_PRIVATE
        for (parameter, value), status in self.variants.items():
            if params.get(parameter) == value:
                return status
        return self.status

    def for_fit(self, params: Mapping[str, Any], broken: Collection[str] = ()) -> FitStatus:
        """The status of the privacy guarantee of one fit.

        `params` are the parameters of the fit and `broken` the conditions that it violates. A
        violated condition makes the guarantee void. A fit whose bounds are read from the data is
        not private. A refuted or absent guarantee keeps its status.
        """
        status = self.status_with(params)
        # what does not hold anyway cannot be lost by a broken condition
        if not broken or status in (Status.REFUTED, Status.NOT_PRIVATE):
            return FitStatus(status)
        lost = Status.NOT_PRIVATE if BOUNDS_FROM_DATA in broken else Status.VOID
        return FitStatus(lost, tuple(broken))

    def label(self, params: Mapping[str, Any], broken: Collection[str] = ()) -> str:
        """The status of a fit as tables print it, and neighbours other than replace-one.

        `params` are the parameters of the fit and `broken` the conditions of the guarantee that it
        violates.
        """
        found = self.for_fit(params, broken)
        if self.status_with(params) is Status.NOT_PRIVATE:
            return str(found)
        return f"{found} {self.scope}".rstrip()

    def in_words(self) -> dict[str, str]:
        """The parts of the guarantee that are not empty, as a mapping from names to texts."""
        statuses = (f'{key} "{value}": {status}' for (key, value), status in self.variants.items())
        parts = {
            "status": str(self.status),
            "promise": self.promise,
            "neighbours": self.relation if self.is_private else "",
            "public": self.public,
            "variants": ", ".join(statuses),
            "conditions": self.conditions,
            "proof": self.proof,
        }
        return {name: text for name, text in parts.items() if text}

    def why_incomplete(self) -> str:
        """The missing part of the declaration of a guarantee; empty if nothing is missing."""
        statuses = (self.status, *self.variants.values())
        if Status.VOID in statuses:
            return "Status.VOID is for one fit: a method cannot declare it"
        if self.status is Status.PROVED and not self.proof:
            return 'Status.PROVED needs proof="where the proof is"'
        if Status.CONDITIONAL in statuses and not self.conditions:
            return 'Status.CONDITIONAL needs conditions="what must hold"'
        return ""


NOT_PRIVATE = Guarantee(
    released="", neighbours=Neighbours.NONE, public="", status=Status.NOT_PRIVATE
)
"""The guarantee of a method without privacy."""


@dataclass(frozen=True)
class FitGuarantee:
    """The privacy guarantee of one fit, each part as a text; an empty part is not printed."""

    status: str
    promise: str
    source: str  # the paper and its section
    epsilon: str = ""
    delta: str = ""
    neighbours: str = ""
    protects: str = ""  # whether the guarantee is one of a person or of a record
    public: str = ""
    released: str = ""
    conditions: str = ""
    arithmetic: str = ""  # how the noise was drawn and added
    sampling: str = ""  # how batches were drawn
    proof: str = ""
    tests: str = ""  # the folder with the tests of the method

    def in_words(self) -> dict[str, str]:
        """The parts of a fit's guarantee that are not empty, as a mapping from names to texts."""
        return {name: text for name, text in asdict(self).items() if text}


def price(fits: Iterable[tuple[Guarantee, Mapping[str, Any]]]) -> str:
    """The total privacy loss of several fits to the same data, for each kind of neighbours.

    Each fit is the guarantee of a method and all its parameters. The fits are assumed to have
    independent secret noise.
    """
    budgets: dict[str, list[tuple[float, float]]] = {}
    for guarantee, params in fits:
        lost = guarantee.status_with(params) in (Status.NOT_PRIVATE, Status.REFUTED)
        relation = UNBOUNDED if lost else str(guarantee.neighbours)
        budget = (params.get("epsilon", math.inf), params.get("delta", 0.0))
        budgets.setdefault(relation, []).append(budget)
    return "; ".join(_cost(relation, parts) for relation, parts in budgets.items())


def _cost(relation: str, budgets: Collection[tuple[float, float]]) -> str:
    """The sum of budgets (epsilon, delta) for one kind of neighbours, in words."""
    if relation == UNBOUNDED:
        return f"without bound for {len(budgets)} ({relation})"
    epsilon, delta = map(math.fsum, zip(*budgets, strict=True))
    spent = f"epsilon {epsilon:.12g}" + (f", delta {delta:.3g}" if delta else "")
    return f"{spent} for {len(budgets)} ({relation}, basic composition)"


# the keys of COMPUTATIONS of auditing/theorems.py: claims name them, and SciPy is slow to import
COMPUTED = (
    "L1 sensitivity of the objective",
    "L1 sensitivity of the fair objective",
    "L2 sensitivity of the objective",
    "L2 sensitivity of the fair objective",
    "Laplace noise of two sizes",
    "Gaussian noise of two sizes",
    "Gaussian noise of two sizes, one coefficient",
    "extended calibration of Gaussian noise",
    "classical calibration of Gaussian noise",
    "Frobenius norm of the walk matrix",
    "score of a node",
    "score of the number of nodes",
    "sensitivity of a covariance",
    "skipped steps",
    "price of the noisy counts",
    "skeleton by selection",
    "sum of the tests of PC",
    "largest number of tests of PC",
    "rounds of selection",
    "variance of a coefficient of PFLR*",
    "noise of PFLR* at the threshold",
    "noise of PFLR* at one half",
    "percentages of PrivLR",
    "error of a clipped mean",
    "lower bound of the error",
    "lower bound of the error, one sign",
    "best clipping bound",
    "privacy loss of a group",
)


@dataclass(frozen=True)
class TheoremEvidence:
    """The evidence for or against a theorem, such as "Algorithm 5 is differentially private"."""

    tried: str  # what was tried to refute the theorem, and the result, in words
    proof: str = ""  # the file with a proof; empty without a proof
    # the numbers of a counterexample, in words; empty without a counterexample
    counterexample: str = ""
