"""Audits of privacy guarantees: every release is recorded, and replayed on neighbouring data."""
