"""Plain maths, neither private nor fair."""
