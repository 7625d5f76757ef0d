"""Tables of records to numbers: encoding, decoding, discretisation, groups and values outside a schema."""
