"""Sums over all pairs of tokens, and what replaces them: how they are computed, and nothing of physics or time.

`attend(queries, keys, values, weights)` returns, for logits l_ij = <q_i, k_j>, the log-sum-exp over j and the
softmax-weighted mean of the values: softmax and unnormalized attention and the energy are made of it.
`attend_on_sphere` does the same for unit vectors of the circle or S^2 in O(n). `weigh` sums under any other kernel of
the logits, `weigh_apart` under one that is infinite at distance zero, `largest` gives the largest logit. A `Band` says
what a query sees of the keys by position.

`choose` says how a sum is computed and why. `forced("direct")`, `precision("tf32")` and `over_devices()` are contexts
that change it.
"""

from tokenfield.sums.band import Band
from tokenfield.sums.choose import Choice, can_be_fast, choose, forced
from tokenfield.sums.dense import Attended, Weighed
from tokenfield.sums.devices import device_count, on_host, over_devices, shard
from tokenfield.sums.direct import attend, largest, weigh
from tokenfield.sums.fast import Expansion
from tokenfield.sums.fast import attend as attend_on_sphere
from tokenfield.sums.prefix import seen_log_mass
from tokenfield.sums.rounding import precision
from tokenfield.sums.singular import weigh_apart

__all__ = [
    "Attended",
    "Band",
    "Choice",
    "Expansion",
    "Weighed",
    "attend",
    "attend_on_sphere",
    "can_be_fast",
    "choose",
    "device_count",
    "forced",
    "largest",
    "on_host",
    "over_devices",
    "precision",
    "seen_log_mass",
    "shard",
    "weigh",
    "weigh_apart",
]
