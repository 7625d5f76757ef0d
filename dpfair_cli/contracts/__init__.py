"""What passes between rooms: types, errors, and the records by which modules declare themselves."""
