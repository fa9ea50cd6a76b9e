"""Steering: time of one step of training and memory of its gradient against depth, beside torchdiffeq."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

import tokenfield as tkf
from tokenfield.benchmarks.measure import cpu_seconds_of, missing_peers, peer
from tokenfield.benchmarks.report import Row, Table
from tokenfield.control.training import Training

MIB = 2**20


def run(*, pieces: tuple[int, ...] = (4, 16, 64, 256), n: int = 64, d: int = 3, substeps: int = 4) -> Iterator[Table]:
    """A row per depth: the time of loss and gradient, the memory that the gradient keeps, and what peers need."""
    rows = [_row(count, n, d, substeps) for count in pieces]
    yield Table(
        f"Loss and gradient, {n} tokens on S^{d - 1}, softmax, {substeps} steps of RK4 in each piece (CPU ms, MiB)",
        rows,
        (
            "CPU time of all threads, the better of two calls, which other work on the machine hardly changes",
            "memory: what the compiled gradient reserves beyond arguments and results; of torchdiffeq what autograd "
            "keeps for the way back",
            "times slower: torchdiffeq's time over ours; differences of losses and gradients: relative to ours; "
            "torchdiffeq's rk4 is the 3/8 rule, without retraction to the sphere: they differ by errors of steps",
            *missing_peers("torch", "torchdiffeq"),
        ),
    )


def _row(pieces: int, n: int, d: int, substeps: int) -> Row:
    rng = np.random.default_rng(0)
    x, y = (points / np.linalg.norm(points, axis=-1, keepdims=True) for points in rng.normal(size=(2, n, d)))
    model = tkf.Transformer(tkf.Sphere(d), tkf.Softmax(jnp.asarray(1.0)))
    prompts = ((tkf.Measure(x), tkf.Measure(y)),)
    training = Training(model, prompts, "points", 2.0, pieces, None, None, substeps, 0.0, 0.0)
    weights = training.initial(0)
    gradient = jax.jit(jax.value_and_grad(training.objective, has_aux=True)).lower(weights).compile()
    calls: dict[str, Callable[[], Any]] = {"tokenfield": lambda: jax.block_until_ready(gradient(weights))}
    (value, _), ours = gradient(weights)
    loss = float(value)
    row: Row = {"pieces": pieces, "steps": pieces * substeps}
    peers = _torch_calls(weights, x, y, pieces, substeps)
    calls |= {name: found.call for name, found in peers.items()}
    row |= {name: 1e3 * min(cpu_seconds_of(call) for _ in range(2)) for name, call in calls.items()}
    analysis: Any = gradient.memory_analysis()
    row["memory"] = analysis.temp_size_in_bytes / MIB
    for name, found in peers.items():
        row[f"memory {name}"] = found.kept / MIB
    for name, found in peers.items():
        row[f"times slower, {name}"] = row[name] / row["tokenfield"]
        row["difference of losses"] = abs(found.loss - loss) / loss
        own = np.concatenate([np.ravel(ours[f"0.{matrix}"]) for matrix in "QKV"])
        theirs = np.concatenate([np.ravel(gradient) for gradient in found.gradients])
        row[f"difference of gradients, {name}"] = float(np.linalg.norm(theirs - own) / np.linalg.norm(own))
    return row


@dataclass(frozen=True)
class _Found:
    """A peer: its call, the bytes that it keeps for the way back, its loss, and the gradients in Q, K and V."""

    call: Callable[[], Any]
    kept: int
    loss: float
    gradients: list[np.ndarray]


def _torch_calls(weights: Any, x: np.ndarray, y: np.ndarray, pieces: int, substeps: int) -> dict[str, _Found]:
    """What peers do, by name; empty where one is missing."""
    torch, torchdiffeq = peer("torch"), peer("torchdiffeq")
    if torch is None or torchdiffeq is None:
        return {}
    start, goal = torch.tensor(x), torch.tensor(y)

    class Field(torch.nn.Module):  # type: ignore[name-defined]
        """The same field, with the weights of the piece that a time falls into."""

        def __init__(self) -> None:
            super().__init__()
            for name in "QKV":
                setattr(self, name, torch.nn.Parameter(torch.tensor(np.array(weights[f"0.{name}"]))))

        def forward(self, t: Any, x: Any) -> Any:
            k = min(int(float(t.detach()) * pieces / 2.0), pieces - 1)
            logits = (x @ self.Q[k].T) @ (x @ self.K[k].T).T
            field = torch.softmax(logits, dim=1) @ x @ self.V[k].T
            return field - torch.sum(x * field, dim=1, keepdim=True) * x

    field, times = Field(), torch.tensor([0.0, 2.0], dtype=torch.float64)
    # stages at the border of two pieces belong to the piece of their step; powers of two make borders exact
    options = {"step_size": 2.0 / (pieces * substeps), "perturb": True}

    def loss(solver: Any) -> Any:
        end = solver(field, start, times, method="rk4", options=options)[-1]
        return torch.mean(torch.sum((end - goal) ** 2, dim=1))

    def call(solver: Any) -> None:
        field.zero_grad()
        loss(solver).backward()

    found: dict[str, _Found] = {}
    for name, solver in (("torchdiffeq", torchdiffeq.odeint), ("its adjoint", torchdiffeq.odeint_adjoint)):
        kept = 0

        def keep(tensor: Any) -> Any:
            nonlocal kept
            kept += tensor.numel() * tensor.element_size()
            return tensor

        with torch.autograd.graph.saved_tensors_hooks(keep, lambda tensor: tensor):
            value = loss(solver)
        call(solver)
        gradients = [getattr(field, matrix).grad.numpy().copy() for matrix in "QKV"]
        found[name] = _Found(partial(call, solver), kept, float(value.detach()), gradients)
    return found
