"""Data whose decisions the protected variable does not cause."""
