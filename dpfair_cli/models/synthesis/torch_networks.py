"""Lazy import of the networks and games that need torch."""

from __future__ import annotations

from typing import Any, NamedTuple

from dpfair_cli.contracts.errors import DpfairError, how_to_install


class Networks(NamedTuple):
    """The classes and functions that need torch."""

    Game: Any
    DataCritics: Any
    Classification: Any
    label_difference: Any
    Debiasing: Any
    debiased: Any


def networks() -> Networks:
    """The classes and functions that need torch, imported only when needed."""
    try:
        from dpfair_cli.models.synthesis import critics, debiasing, game
    except ImportError as error:
        raise DpfairError(
            f"adversarial learning needs torch: {how_to_install(['torch'])}"
        ) from error
    return Networks(
        Game=game.Game,
        DataCritics=critics.DataCritics,
        Classification=critics.Classification,
        label_difference=critics.label_difference,
        Debiasing=debiasing.Debiasing,
        debiased=debiasing.debiased,
    )


def joint_game() -> Any:
    """The class JointGame, imported only when needed because it needs torch."""
    try:
        from dpfair_cli.models.synthesis.joint_game import JointGame
    except ImportError as error:
        raise DpfairError(
            f"adversarial learning needs torch: {how_to_install(['torch'])}"
        ) from error
    return JointGame


def causal_game() -> Any:
    """The class CausalGame, imported only when needed because it needs torch."""
    try:
        from dpfair_cli.models.causal_fairness.causal_game import CausalGame
    except ImportError as error:
        raise DpfairError(
            f"adversarial learning needs torch: {how_to_install(['torch'])}"
        ) from error
    return CausalGame
