"""Receipts: what was checked, in the formats of other programs."""
