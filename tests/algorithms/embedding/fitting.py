"""Fits of the embedding methods, and what their releases tell."""

from types import MappingProxyType

import numpy as np

from dpfair_cli.algorithms.embedding import (
    dpm,
    dpne,
    dpne_public_context,
    gsvd,
    matrix_factorisation,
    top_m_filter,
    top_m_gsvd,
)
from dpfair_cli.mechanisms.ledger import record

METHODS = MappingProxyType(
    {
        "matrix_factorisation": matrix_factorisation,
        "gsvd": gsvd,
        "dpne": dpne,
        "dpne_public_context": dpne_public_context,
        "dpm": dpm,
        "top_m_filter": top_m_filter,
        "top_m_gsvd": top_m_gsvd,
    }
)
PUBLIC = ("matrix_factorisation", "gsvd")
PRIVATE = tuple(name for name in METHODS if name not in PUBLIC)


def fit(method, graph, *, seed=0, dimension=2, **options):
    """The vectors of a method, (nodes, dimension)."""
    fitted = METHODS[method].fit(
        graph, dimension=dimension, rng=np.random.default_rng(seed), **options
    )
    return fitted.vectors


def recorded(method, graph, **options):
    """The vectors of a method and its releases."""
    with record() as tape:
        vectors = fit(method, graph, **options)
    return vectors, tape
