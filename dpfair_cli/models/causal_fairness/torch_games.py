"""Lazy import of the causal game, which needs torch."""

from __future__ import annotations

from typing import Any

from dpfair_cli.contracts.errors import DpfairError, how_to_install


def causal_game() -> Any:
    """The class CausalGame, imported only when needed because it needs torch.

    Raises:
        DpfairError: torch is not installed.
    """
    try:
        from dpfair_cli.models.causal_fairness.causal_game import CausalGame
    except ImportError as error:
        raise DpfairError(
            f"adversarial learning needs torch: {how_to_install(['torch'])}"
        ) from error
    return CausalGame
