"""Bayesian networks as BIF files: two small ones, and the published ones where available."""

from __future__ import annotations

import pytest

BIF = """
network unknown { }
variable rain { type discrete [ 2 ] { yes, no }; }
variable grass {
  type discrete [ 3 ] { wet, damp, dry };
}
variable hose { type discrete [ 2 ] { on, off }; }
probability ( rain ) { table 0.2, 0.8; }
probability ( hose ) { table 0.4, 0.6; }
probability ( grass | rain, hose ) {
  (yes, on) 0.9, 0.1, 0.0;
  (no, on) 0.5, 0.3, 0.2;
  (yes, off) 0.7, 0.2, 0.1;
  (no, off) 0.0, 0.1, 0.9;
}
"""
SMALL = """network unknown {
}
variable rain {
  type discrete [ 2 ] { yes, no };
}
variable season {
  type discrete [ 3 ] { dry, wet, storm };
}
variable grass {
  type discrete [ 2 ] { wet, dry };
}
probability ( season ) {
  table 0.5, 0.3, 0.2;
}
probability ( rain | season ) {
  (dry) 0.1, 0.9;
  (storm) 1.0, 0.0;
  (wet) 0.6, 0.4;
}
probability ( grass | season, rain ) {
  (dry, yes) 0.8, 0.2;
  (dry, no) 0.05, 0.95;
  (wet, yes) 0.9, 0.1;
  (wet, no) 0.3, 0.7;
  (storm, yes) 1.0, 0.0;
  (storm, no) 0.5, 0.5;
}
"""


def text(real_data, name):
    path = real_data / "bnlearn" / f"{name}.bif"
    if not path.is_file():
        pytest.skip("the networks are not here")
    return path.read_text()
