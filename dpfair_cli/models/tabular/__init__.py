"""Encoding, decoding and discretisation of tables of records."""
