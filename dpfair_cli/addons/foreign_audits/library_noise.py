"""Records the noise of diffprivlib and Opacus in the ledger, where the libraries add the noise.

Inside `libraries_followed()`, each mechanism of these libraries reports its query and the law and
scale of its noise to the ledger, and returns the output that the ledger returns. The noise itself
is drawn as usual, from a known seed or from the operating system. A mechanism with an unknown law
is refused.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from math import log1p
from typing import Any, NoReturn

import numpy as np

from dpfair_cli.addons.foreign_audits.library_laws import bounded_value
from dpfair_cli.addons.foreign_audits.noisy_scores import UNDECLARED, permute_and_flip
from dpfair_cli.mechanisms.ledger import release

LIBRARIES = ("diffprivlib.mechanisms", "opacus.optimizers")


@dataclass(frozen=True)
class Randomised:
    """The value that a mechanism of a library is about to randomise."""

    law: str  # the law of the noise
    value: Any  # the value of the query
    scale: float  # the scale of the noise


@contextmanager
def libraries_followed() -> Iterator[None]:
    """A context in which the audit follows the noise of the libraries that are already imported.

    Raises:
        ValueError: a library is imported inside the block, where its noise is not followed.
    """
    before = _imported()
    with ExitStack() as changes:
        if "diffprivlib.mechanisms" in before:
            for mechanism in _randomising(sys.modules["diffprivlib.mechanisms"]):
                changes.enter_context(_replaced(mechanism, "randomise", _followed(mechanism)))
        if "opacus.optimizers" in before:
            optimizer: Any = sys.modules["opacus.optimizers"].DPOptimizer
            changes.enter_context(_replaced(optimizer, "add_noise", _add_noise(optimizer)))
        yield
    if late := _imported() - before:
        raise ValueError(
            f"the fit imports {', '.join(sorted(late))}: import every library at the top of "
            "the module"
        )


@contextmanager
def _replaced(kind: Any, name: str, method: Callable[..., Any]) -> Iterator[None]:
    """A context in which the class `kind` has another method `name`."""
    before = getattr(kind, name)
    setattr(kind, name, method)
    try:
        yield
    finally:
        setattr(kind, name, before)


def _imported() -> set[str]:
    """The libraries that are imported already. None is imported here: an audit needs neither."""
    return {name for name in LIBRARIES if name in sys.modules}


def _randomising(module: Any) -> list[Any]:
    """The mechanism classes in `module` of diffprivlib whose `randomise` draws the noise itself.

    Classes whose `randomise` calls that of another mechanism are left out.
    """
    classes = {kind for name in dir(module) if inspect.isclass(kind := getattr(module, name))}
    own = [kind for kind in classes if "randomise" in vars(kind) and not inspect.isabstract(kind)]
    # these two truncate or fold what their parent has drawn and recorded
    return [kind for kind in own if not kind.__name__.endswith(("Truncated", "Folded"))]


def _followed(kind: Any) -> Callable[..., Any]:
    """The method `randomise` of the class `kind` of diffprivlib, changed to record its releases."""
    draw, about = kind.randomise, _MECHANISMS.get(kind.__name__)

    def randomise(mechanism: Any, value: Any = None) -> Any:
        """Draws as usual, and gives what the ledger gives in the place of the output."""
        if about is None:
            _lost(kind.__name__)
        found = about(mechanism, value)
        if found.law in ("exponential", "choice"):
            return _choice(mechanism, found, draw)
        output = draw(mechanism, value)
        return release(found.law, found.value, output, sensitivity=UNDECLARED, scale=found.scale)

    return randomise


def _choice(mechanism: Any, found: Randomised, draw: Callable[..., Any]) -> Any:
    """The candidate that a mechanism of diffprivlib chooses.

    The audit records the index of the candidate. `draw` is the original `randomise`.
    """
    plain = mechanism.copy()
    plain.candidates = None
    place = release(
        found.law, found.value, int(draw(plain)), sensitivity=UNDECLARED, scale=found.scale
    )
    return mechanism.candidates[place] if mechanism.candidates else place


def _of_bounded_laplace(mechanism: Any, value: Any) -> Randomised:
    """Laplace noise that is restricted to an interval, whose scale depends on the interval."""
    lower, upper = mechanism.lower, mechanism.upper
    mechanism.effective_epsilon()  # computes the scale
    held = bounded_value(max(min(value, upper), lower), lower, upper)
    return Randomised("bounded_laplace", held, float(mechanism._scale))


def _of_exponential(mechanism: Any, value: Any) -> Randomised:
    """The exponential mechanism, whose scale is half for utilities that only grow.

    Raises:
        ValueError: the candidates have a measure, which the law does not know.
    """
    if mechanism.measure is not None:
        _lost("Exponential with a measure")
    scale = (1 if mechanism.monotonic else 2) * mechanism.sensitivity / mechanism.epsilon
    return Randomised("exponential", np.array(mechanism.utility), scale)


def _of_permute_and_flip(mechanism: Any, value: Any) -> Randomised:
    """Permute-and-flip, as the log probabilities of its candidates."""
    scale = (1 if mechanism.monotonic else 2) * mechanism.sensitivity / mechanism.epsilon
    return Randomised("choice", permute_and_flip(np.array(mechanism.utility) / scale), 1.0)


_MECHANISMS: dict[str, Callable[[Any, Any], Randomised]] = {
    "Laplace": lambda mechanism, value: Randomised(
        "laplace", value, mechanism.sensitivity / (mechanism.epsilon - log1p(-mechanism.delta))
    ),
    "LaplaceBoundedDomain": _of_bounded_laplace,
    "Geometric": lambda mechanism, value: Randomised(
        "geometric", value, mechanism.sensitivity / mechanism.epsilon
    ),
    "Gaussian": lambda mechanism, value: Randomised("gaussian", value, float(mechanism._scale)),
    "Exponential": _of_exponential,
    "PermuteAndFlip": _of_permute_and_flip,
    "Bingham": lambda mechanism, value: Randomised(
        "bingham", value, 4 * mechanism.sensitivity / mechanism.epsilon
    ),
}


def _add_noise(kind: Any) -> Callable[..., None]:
    """The method `add_noise` of the class `kind`, changed to record one release of all gradients.

    The class `kind` is an optimizer of the library Opacus.
    """
    draw = kind.add_noise

    def add_noise(optimizer: Any) -> None:
        """Adds noise to all gradients as usual, and replaces them by what the ledger gives."""
        draw(optimizer)
        value, output = (_joined(optimizer.params, name) for name in ("summed_grad", "grad"))
        scale = float(optimizer.noise_multiplier * optimizer.max_grad_norm)
        noisy = release("gaussian", value, output, sensitivity=UNDECLARED, scale=scale)
        ends = np.cumsum([parameter.numel() for parameter in optimizer.params])
        for parameter, part in zip(optimizer.params, np.split(noisy, ends[:-1]), strict=True):
            parameter.grad.copy_(parameter.grad.new_tensor(part).view_as(parameter))

    return add_noise


def _joined(parameters: Any, name: str) -> Any:
    """The tensors that are the attribute `name` of each of the parameters, concatenated to one."""
    tensors = [getattr(each, name).detach().cpu().double() for each in parameters]
    return np.concatenate([tensor.numpy().ravel() for tensor in tensors])


def _lost(mechanism: str) -> NoReturn:
    """Refuses a mechanism whose noise has an unknown law."""
    raise ValueError(
        f"the audit cannot follow the noise of {mechanism}: the audit does not know its "
        "distribution"
    )
