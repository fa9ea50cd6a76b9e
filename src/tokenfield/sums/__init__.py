"""The only O(n^2) code of the project, behind three functions.

`attend(queries, keys, values, weights)` returns, for logits l_ij = <q_i, k_j>, the log-sum-exp over j and the
softmax-weighted mean of the values: softmax and unnormalized attention and the energy are made of it.
`weigh` sums under any other kernel of the logits, `largest` gives their maximum. A `Band` says what a query sees of
the keys by position. No physics and no time in here.
"""

from tokenfield.sums.band import Band
from tokenfield.sums.choose import Choice, attend, choose, largest, weigh
from tokenfield.sums.dense import Attended, Weighed

__all__ = ["Attended", "Band", "Choice", "Weighed", "attend", "choose", "largest", "weigh"]
