"""Counts of verdicts over all artefacts, and tests of the rule of the verdicts."""
