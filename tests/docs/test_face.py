"""The pages of the documentation that are made from the project."""

from __future__ import annotations

import re
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def pages():
    """docs/pages.py, which needs nothing but the project."""
    found = spec_from_file_location("pages_of_the_docs", ROOT / "docs" / "pages.py")
    module = module_from_spec(found)
    found.loader.exec_module(module)
    return module


def test_links_of_a_page_hold_where_the_documentation_puts_it(pages):
    for page, text in pages.papers():
        for target in re.findall(r"\]\(([^)#]+)[^)]*\)", text):
            if not target.startswith("http"):
                assert (ROOT / "docs" / page).parent.joinpath(target).resolve().exists(), target
