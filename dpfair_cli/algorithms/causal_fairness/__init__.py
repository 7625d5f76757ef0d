"""Methods that change data until the protected variable does not cause the decisions."""
