"""Fair decision rules of jagielski2019, two of them private in the protected attribute."""
