"""The cost of a guarantee for other neighbours than those that it names, rounded up.

A ledger counts all releases for one kind of neighbours. A guarantee with other neighbours counts
only where a theorem converts it:

- From add-or-remove-one to replace-one. Let D and D' differ in one record, x in D and x' in D', and
  let D0 be the same data in which this record is not used. D and D0 are neighbours, and so are D0
  and D', all with the same number of records. For every set S of outputs,
  P(M(D) in S) <= e^epsilon P(M(D0) in S) + delta
  <= e^(2 epsilon) P(M(D') in S) + (1 + e^epsilon) delta.
  The cost is therefore (2 epsilon, (1 + e^epsilon) delta): group privacy for two steps.
- From replace-one to one protected attribute. Two data sets that differ in the protected attribute
  of one record differ in one record. The cost is therefore the same.
- From add-or-remove-one to one protected attribute, by both steps.

No other conversion is possible. A guarantee for one protected attribute hides no other value of
the record. A guarantee for replace-one says nothing about data without the record.

Source: Dwork and Roth 2014, Theorem 2.2 (group privacy) and its version with delta; Vadhan 2017,
Lemma 2.2.
"""

from __future__ import annotations

from decimal import ROUND_CEILING, Context, Decimal

from dpfair_cli.contracts.guarantees import Neighbours

DIGITS = 28  # of a rounded delta
LARGE_EPSILON = 100  # from here on a doubled guarantee with a delta promises nothing
ALLOWED = {  # (neighbours of the guarantee, neighbours that are counted) -> steps between them
    (Neighbours.REPLACE_ONE, Neighbours.REPLACE_ONE): 1,
    (Neighbours.ADD_OR_REMOVE_ONE, Neighbours.REPLACE_ONE): 2,
    (Neighbours.ADD_OR_REMOVE_ONE, Neighbours.ADD_OR_REMOVE_ONE): 1,
    (Neighbours.ONE_PROTECTED_ATTRIBUTE, Neighbours.ONE_PROTECTED_ATTRIBUTE): 1,
    (Neighbours.REPLACE_ONE, Neighbours.ONE_PROTECTED_ATTRIBUTE): 1,
    (Neighbours.ADD_OR_REMOVE_ONE, Neighbours.ONE_PROTECTED_ATTRIBUTE): 2,
}


def converted(
    epsilon: Decimal, delta: Decimal, *, stated: Neighbours, counted: Neighbours
) -> tuple[Decimal, Decimal]:
    """The (epsilon, delta) for the neighbours `counted` of a guarantee for the neighbours `stated`.

    Raises:
        ValueError: no theorem converts the guarantee.

    >>> one, pure = Decimal(1), Decimal(0)
    >>> added, replaced = Neighbours.ADD_OR_REMOVE_ONE, Neighbours.REPLACE_ONE
    >>> converted(one, pure, stated=added, counted=replaced)
    (Decimal('2'), Decimal('0'))
    """
    steps = ALLOWED.get((stated, counted))
    if steps is None:
        raise ValueError(f"a guarantee for {stated} does not hold for {counted}")
    if steps == 1:
        return epsilon, delta
    return Context(prec=DIGITS, rounding=ROUND_CEILING).multiply(2, epsilon), _doubled_delta(
        epsilon, delta
    )


def _doubled_delta(epsilon: Decimal, delta: Decimal) -> Decimal:
    """(1 + e^epsilon) delta, rounded up, and at most 1."""
    if not delta:
        return Decimal(0)
    if epsilon > LARGE_EPSILON:  # exp of a large decimal number takes very long
        return Decimal(1)
    up = Context(prec=DIGITS, rounding=ROUND_CEILING)
    power = up.next_plus(up.exp(epsilon))  # `exp` rounds to the nearest number
    return min(Decimal(1), up.multiply(up.add(1, power), delta))
