"""Writes a document of a receipt as JSON, with the same bytes for the same content."""

from __future__ import annotations

import json
from typing import Any


def as_text(document: Any) -> str:
    """A document as indented JSON that ends with a line break; NaN is refused.

    Raises:
        ValueError: a number is NaN or infinite.
    """
    return f"{json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False)}\n"
