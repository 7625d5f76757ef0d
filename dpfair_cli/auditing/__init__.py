"""Audits of privacy guarantees: releases are recorded and replayed on neighbouring data."""
