"""The delta of a fit to a user's own table, if the user gives none."""

from __future__ import annotations

from dataclasses import replace
from math import ceil, log10

from dpfair_cli.contracts.declarations import Method


def with_default_delta(method: Method, records: int) -> Method:
    """The method with a delta of at most 1 / (10 n) for n records.

    A larger delta becomes the power of ten at or below 1 / (10 n). With a delta above 1 / n,
    publishing one record of the table could count as private.
    """
    most = float(f"1e-{ceil(log10(10 * max(records, 1)))}")
    if method.params.get("delta", 0.0) <= most:
        return method
    return replace(method, params={**method.params, "delta": most})
