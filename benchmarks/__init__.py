"""Bars of speed, memory and audits, each a ratio of two measurements in one run."""
