"""The releases of other libraries that are audited, and fixes that lie between two of them.

Each release has its own environment below `.venv-audit`, which is made on first use.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from benchmarks.process import DIFFPRIVLIB, ROOT

FOLDER = ROOT / ".venv-audit"
AUDIT = ("numpy", "scipy")  # what an audit imports
TORCH = "torch==2.13.0"


@dataclass(frozen=True)
class Release:
    """A release of a library, and the module of `benchmarks` with its mechanisms."""

    library: str
    """The name of the package."""
    version: str
    """The version of the release."""
    module: str
    """The module of `benchmarks` whose `mechanisms` are audited."""
    beside: tuple[str, ...] = ()
    """Further packages that pip installs."""
    extra: str = ""
    """The extra of the package that is installed, such as `[polars]`."""

    @property
    def name(self) -> str:
        """The library and its version."""
        return f"{self.library} {self.version}"

    @property
    def home(self) -> Path:
        """The folder of the environment."""
        return FOLDER / f"{self.library}-{self.version}"

    @property
    def requirements(self) -> tuple[str, ...]:
        """What pip installs."""
        return (f"{self.library}{self.extra}=={self.version}", *self.beside, *AUDIT)


@dataclass(frozen=True)
class Fix:
    """A fix of a mechanism, with an audited release before it and one that has it."""

    library: str
    """The name of the package."""
    mechanism: str
    """The name of the mechanism."""
    before: str
    """The version of the release before the fix."""
    after: str
    """The version of the release with the fix."""
    source: str
    """Where the fix is described."""


GHOST, KEYS, BOUNDS = "ghost_clipping", "group_by with_keys", "approx_bounds"
SNSQL = ("numpy<2", "pandas<2.3")  # older names of NumPy's modules
RELEASES = (
    Release("diffprivlib", "0.6.6", "audit_subjects", DIFFPRIVLIB[1:]),
    Release("opacus", "1.5.3", "audit_ghost_clipping", (TORCH,)),
    Release("opacus", "1.6.0", "audit_ghost_clipping", (TORCH,)),
    Release("opacus", "1.6.0", "audit_subjects", (TORCH,)),
    Release("opendp", "0.12.1", "audit_opendp", extra="[polars]"),
    Release("opendp", "0.13.0", "audit_opendp", extra="[polars]"),
    Release("opendp", "0.14.2", "audit_opendp", extra="[scikit-learn]"),
    Release("opendp", "0.15.1", "audit_opendp", extra="[scikit-learn]"),
    Release("opendp", "0.16.0", "audit_opendp", extra="[scikit-learn]"),
    Release("smartnoise-sql", "1.0.1", "audit_smartnoise", SNSQL),
    Release("smartnoise-sql", "1.0.2", "audit_smartnoise", SNSQL),
    Release("tmlt.core", "0.20.0", "audit_tumult"),
    Release("jax-privacy", "2.0.0", "audit_jax_privacy"),
    Release("python-dp", "1.1.5", "audit_pydp"),
)
FIXES = (
    Fix(
        "opacus",
        GHOST,
        "1.5.3",
        "1.6.0",
        "[pull request 751](https://github.com/meta-pytorch/opacus/pull/751), in 1.5.4",
    ),
    Fix(
        "opendp",
        KEYS,
        "0.12.1",
        "0.13.0",
        "[issue 2344](https://github.com/opendp/opendp/issues/2344), "
        "[pull request 2345](https://github.com/opendp/opendp/pull/2345), in 0.13.0",
    ),
    Fix(
        "smartnoise-sql",
        BOUNDS,
        "1.0.1",
        "1.0.2",
        "[pull request 580](https://github.com/opendp/smartnoise-sdk/pull/580), in 1.0.2",
    ),
)
