"""CelebA with its first attributes alone, in the file's order: the same portraits with p from 1 to 38.

Not in mangold2023, whose bounds grow as sqrt(p). Fewer attributes are shorter records: norm sqrt(p).
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from dpfair_cli.contracts import DpfairError, Records
from dpfair_cli.datasets import celeba
from dpfair_cli.models.encoding import Encoding

NOTE = celeba.NOTE
FILES = celeba.FILES
DOMAIN = celeba.DOMAIN
REPLICA = "celeba"
EXPECTED = celeba.EXPECTED
VARIANTS = tuple(replace(EXPECTED, columns=p, options={"attributes": p}) for p in range(1, celeba.EXPECTED.columns))


def load(folder: Path, *, encoding: Encoding = "one_hot", attributes: int = 38) -> Records:
    """The Records of `celeba`, the first `attributes` columns.

    Raises:
        DpfairError: there are not that many attributes.
    """
    whole = celeba.load(folder, encoding=encoding)
    if not 1 <= attributes <= whole.X.shape[1]:
        raise DpfairError(f"attributes must be from 1 to {whole.X.shape[1]}, got {attributes}")
    names = whole.domain.columns[:attributes]
    domain = replace(
        whole.domain,
        columns=names,
        attributes={name: columns for name, columns in whole.domain.attributes.items() if name in names},
        standard=whole.domain.standard[:attributes],
    )
    return Records(np.ascontiguousarray(whole.X[:, :attributes]), whole.y, whole.protected, domain)
