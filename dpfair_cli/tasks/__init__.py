"""The studies: each module says how data are split, how a method is fitted, and what is scored."""
