"""The only O(n^2) code of the project, behind one function.

`attend(queries, keys, values, weights)` returns, for logits l_ij = <q_i, k_j>, the log-sum-exp over j and the
softmax-weighted mean of the values. Softmax and unnormalized attention and the energy are all made of it.
No physics and no time in here.
"""

from tokenfield.sums.choose import Choice, attend, choose
from tokenfield.sums.dense import Attended

__all__ = ["Attended", "Choice", "attend", "choose"]
