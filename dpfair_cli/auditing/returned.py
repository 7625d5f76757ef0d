"""The values that an audited function returns, as a fitted result that is not saved."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from dpfair_cli.contracts.results import NotSaved


@dataclass(frozen=True, eq=False)
class Returned(NotSaved):
    """The values that an audited function returned."""

    returned: Any
