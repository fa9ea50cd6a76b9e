"""`descend`: Adam in compiled chunks of steps, which Ctrl-C stops in between, and from whose state it goes on. No disk.

`Descent` is all that the optimizer knows between two chunks, also as plain arrays: a training that is restored from
them takes the steps that it would have taken, bit for bit.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from tokenfield._runtime.interrupt import Interrupts
from tokenfield._runtime.progress import Progress
from tokenfield.errors import InvalidInput

CHUNK = 20  # optimizer steps in one compiled call: Ctrl-C is heard in between

Weights = dict[str, Any]
Objective = Callable[[Weights], tuple[Array, Array]]  # what is minimized, and the loss alone


@dataclass
class Descent:
    """A training between two chunks: weights, optimizer, the best so far, and the loss of each step.

    `carry` holds the weights, the state of the optimizer, the best weights, their objective and their loss. `run_chunk`
    is the compiled program of a chunk, for whoever goes on with the same training.
    """

    carry: Any
    losses: list[float] = field(default_factory=list)
    seconds: float = 0.0  # that were spent so far
    run_chunk: Callable[[Any, Array], Any] | None = field(default=None, repr=False, compare=False)

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "run_chunk": None}  # programs are no data

    @property
    def best(self) -> Weights:
        """The weights of the least objective so far."""
        return self.carry[2]

    @property
    def best_loss(self) -> float:
        """Their loss."""
        return float(self.carry[4])

    @property
    def is_begun(self) -> bool:
        """Whether a step was taken."""
        return bool(self.losses)

    @property
    def count(self) -> int:
        """How many steps have been taken."""
        return len(self.losses)

    def arrays(self) -> dict[str, np.ndarray]:
        """Everything but the losses."""
        leaves = jax.tree.leaves(self.carry)
        return {f"carry {i}": np.asarray(leaf) for i, leaf in enumerate(leaves)} | {"seconds": np.array(self.seconds)}

    def saved(self, since: int) -> dict[str, np.ndarray]:
        """The losses beyond the first `since`."""
        return {"losses": np.array(self.losses[since:])}

    def restore(self, arrays: Mapping[str, np.ndarray], saved: Sequence[Mapping[str, np.ndarray]]) -> None:
        """Puts a training that has just begun where `arrays` and all that was `saved` say.

        Raises `InvalidInput` if they are not those of this training.
        """
        leaves, structure = jax.tree.flatten(self.carry)
        try:
            found = [arrays[f"carry {i}"] for i in range(len(leaves))]
            if any(a.shape != b.shape or a.dtype != b.dtype for a, b in zip(leaves, found, strict=True)):
                raise ValueError("its arrays have other shapes")
            losses = [loss for part in saved for loss in part["losses"].tolist()]
            seconds = float(arrays["seconds"])
        except (KeyError, ValueError) as error:
            raise InvalidInput(f"the checkpoint does not fit this training: {error}") from error
        self.carry = jax.tree.unflatten(structure, [jnp.asarray(leaf) for leaf in found])
        self.losses, self.seconds = losses, seconds


def descend(
    objective: Objective,
    descent: Descent,
    optimizer: Any,
    *,
    steps: int,
    enough: float,
    fixed: Sequence[str] = (),
    progress: bool | None = None,
    keep: Callable[[Descent, bool], None] = lambda descent, is_interrupted: None,
) -> bool:
    """Takes `descent` on to `steps` steps, or to a loss of `enough`; whether Ctrl-C stopped it before.

    Weights called `fixed` stay. `keep` is called after each chunk but the last, with true if it is interrupted.
    """
    run_chunk = descent.run_chunk = descent.run_chunk or _compiled(objective, optimizer, fixed)
    with Interrupts() as interrupts, Progress("steering", shown=progress) as bar:
        while not _is_over(descent.losses, steps, enough):
            began = time.perf_counter()
            count = min(CHUNK, steps - descent.count)
            *carry, values = run_chunk(descent.carry, jnp.asarray(count))
            losses = [*descent.losses, *np.asarray(values)[:count].tolist()]
            with interrupts.shielded():  # a second Ctrl-C finds both or none
                descent.carry, descent.losses = tuple(carry), losses
            descent.seconds += time.perf_counter() - began
            bar.update(descent.count / steps, f"loss {min(losses):.2g}")
            if not _is_over(losses, steps, enough):
                is_interrupted = interrupts.requested
                keep(descent, is_interrupted)
                if is_interrupted:
                    return True
    return False


def _compiled(objective: Objective, optimizer: Any, fixed: Sequence[str]) -> Callable[[Any, Array], Any]:
    """The program that takes so many steps from a carry: the carry after them, and the loss of each."""
    import optax

    @jax.jit
    def run_chunk(carry: Any, count: Array) -> Any:
        def step(i: Array, carry: Any) -> Any:
            weights, state, best, least, kept, losses = carry
            (total, value), gradient = jax.value_and_grad(objective, has_aux=True)(weights)
            is_better = total < least
            best = jax.tree.map(partial(jnp.where, is_better), weights, best)
            gradient = {**gradient, **{name: jnp.zeros_like(weights[name]) for name in fixed}}
            updates, state = optimizer.update(gradient, state)
            least, kept = jnp.where(is_better, total, least), jnp.where(is_better, value, kept)
            return optax.apply_updates(weights, updates), state, best, least, kept, losses.at[i].set(value)

        return jax.lax.fori_loop(0, count, step, (*carry, jnp.zeros(CHUNK)))

    return run_chunk


def begin(weights: Weights, optimizer: Any) -> Descent:
    """The training from these weights before its first step."""
    nothing = jnp.full((), jnp.inf, float)  # of the type that a step returns, or the second chunk is compiled again
    return Descent((weights, optimizer.init(weights), weights, nothing, nothing))


def _is_over(losses: Sequence[float], steps: int, enough: float) -> bool:
    """Whether nothing is left to do; what is not finite stays so: then the best is found."""
    return bool(losses) and (len(losses) >= steps or min(losses) <= enough or not np.isfinite(losses[-1]))
