"""`Checkpoint` and `Network`: what a layout is given and what it returns, and the parts that layouts share."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import Array

from tokenfield.errors import InvalidInput, Unsupported, did_you_mean
from tokenfield.geometry import Euclidean
from tokenfield.model.exponential import Softmax
from tokenfield.model.multihead import MultiHead
from tokenfield.model.norms import LayerNorm, Norm, RMSNorm
from tokenfield.model.parts import Perceptron
from tokenfield.model.position import Position
from tokenfield.model.schedule import PerLayer
from tokenfield.model.sublayer import Sublayer
from tokenfield.model.transformer import Transformer
from tokenfield.pretrained.embedding import Embedding, ImageEmbedding
from tokenfield.pretrained.tensors import Shape, Tensors

ACTIVATIONS = {
    "gelu": "gelu",
    "gelu_python": "gelu",
    "gelu_new": "gelu_tanh",
    "gelu_pytorch_tanh": "gelu_tanh",
    "gelu_fast": "gelu_tanh",
    "relu": "relu",
    "silu": "silu",
    "swish": "silu",
    "tanh": "tanh",
}


@dataclass(frozen=True)
class Network:
    """The parts of a model that its tensors hold, and the numbers that describe it."""

    transformer: Transformer
    embedding: Embedding | ImageEmbedding
    layers: int
    heads: int
    final_norm: Norm | None = None
    unembedding: Array | None = None


@dataclass(frozen=True)
class Linear:
    """A matrix (rows, columns) and its bias (rows,), or `None`."""

    matrix: np.ndarray
    bias: np.ndarray | None


@dataclass(frozen=True)
class Checkpoint:
    """The configuration of a model and its tensors, with the parts that layouts are made of.

    Args:
        config: What config.json says.
        tensors: The arrays.

    >>> one = Checkpoint({"hidden_size": 8}, Tensors({}, {}.get, source="here", dtype="float32"))
    >>> one.whole("hidden_size"), one.whole("num_key_value_heads", 4)
    (8, 4)
    """

    config: dict[str, Any]
    tensors: Tensors

    def whole(self, name: str, otherwise: int | None = None, *, least: int = 1) -> int:
        """The whole number >= `least` that the configuration says under `name`, or else `otherwise`.

        Raises `InvalidInput` if there is neither, or it says something else.
        """
        value = self.value(name, otherwise)
        if isinstance(value, bool) or not isinstance(value, int) or value < least:
            raise InvalidInput(f"{name} in the configuration must be a whole number >= {least}, got {value!r}")
        return value

    def real(self, name: str, otherwise: float | None = None) -> float:
        """The finite number >= 0 that the configuration says under `name`, as `whole` says it."""
        value = self.value(name, otherwise)
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < math.inf:
            raise InvalidInput(f"{name} in the configuration must be a number >= 0, got {value!r}")
        return float(value)

    def flag(self, name: str, otherwise: bool) -> bool:
        """Whether the configuration says yes under `name`; `otherwise` if it says nothing."""
        value = self.value(name, otherwise)
        if not isinstance(value, bool):
            raise InvalidInput(f"{name} in the configuration must be true or false, got {value!r}")
        return value

    def value(self, name: str, otherwise: Any = None) -> Any:
        """What the configuration says under `name`, or else `otherwise`; raises `InvalidInput` if there is neither."""
        value = self.config.get(name)
        value = otherwise if value is None else value
        if value is None:
            raise InvalidInput(f"the configuration does not say {name}")
        return value

    def under(self, *prefixes: str) -> Checkpoint:
        """The checkpoint with the tensors whose names start with one of the prefixes, without it."""
        return replace(self, tensors=self.tensors.under(*prefixes))

    def must_be(self, **values: Any) -> None:
        """Raises `Unsupported` where the configuration says something else than what the layout does."""
        for name, value in values.items():
            if self.config.get(name, value) not in (value, None):
                raise Unsupported(
                    f"{name} = {self.config[name]!r} in the configuration is not supported, only {value!r}"
                )

    def activation(self, key: str = "hidden_act") -> str:
        """The name of the activation under `key`, as a `Perceptron` calls it."""
        name = self.value(key)
        if not isinstance(name, str) or name not in ACTIVATIONS:
            raise Unsupported(f"the activation '{name}' is not known{did_you_mean(str(name), ACTIVATIONS)}")
        return ACTIVATIONS[name]

    # --- parts ----------------------------------------------------------------------------------------------------

    def table(self, name: str, shape: Shape) -> np.ndarray:
        """The tensor of this name and shape."""
        return self.tensors.take(name, shape)

    def linear(self, name: str, rows: int, columns: int, *, bias: bool = True) -> Linear:
        """The linear map of this name."""
        matrix = self.tensors.take(f"{name}.weight", (rows, columns))
        return Linear(matrix, self.tensors.take(f"{name}.bias", (rows,)) if bias else None)

    def layer_norm(self, name: str, d: int, eps: float) -> LayerNorm:
        """The LayerNorm of this name; old files call gain and bias gamma and beta."""
        is_old = f"{name}.gamma" in self.tensors
        gain, bias = ("gamma", "beta") if is_old else ("weight", "bias")
        return LayerNorm(self.table(f"{name}.{gain}", (d,)), self.table(f"{name}.{bias}", (d,)), eps=eps)

    def layer_norms(self, names: tuple[str, str], d: int, eps: float) -> tuple[LayerNorm, LayerNorm]:
        """The LayerNorm of attention and that of the perceptron."""
        return self.layer_norm(names[0], d, eps), self.layer_norm(names[1], d, eps)

    def rms_norm(self, name: str, d: int, eps: float) -> RMSNorm:
        """The RMSNorm of this name."""
        return RMSNorm(self.table(f"{name}.weight", (d,)), eps=eps)


def attention(q: Linear, k: Linear, v: Linear, o: Linear, *, heads: int, groups: int, beta: float) -> MultiHead:
    """The heads of one layer, whose rows stand one below the other in q, k, v; `beta` scales the logits."""
    d = q.matrix.shape[1]
    split = lambda one, count: one.matrix.reshape(count, -1, d)  # noqa: E731
    biases = lambda one, count: None if one.bias is None else one.bias.reshape(count, -1)  # noqa: E731
    return MultiHead(
        Softmax(jnp.asarray(beta, q.matrix.dtype)),
        Q=split(q, heads),
        K=split(k, groups),
        V=split(v, groups),
        O=o.matrix.reshape(d, heads, -1).swapaxes(0, 1),
        q=biases(q, heads),
        k=biases(k, groups),
        v=biases(v, groups),
        o=o.bias,
    )


def perceptron(out: Linear, into: Linear, activation: str, *, gate: Linear | None = None) -> Perceptron:
    """out(sigma(into(x))), or with a gate out(sigma(gate(x)) into(x))."""
    gated = {} if gate is None else {"gate": gate.matrix, "gate_bias": gate.bias}
    return Perceptron(out.matrix, into.matrix, into.bias, c=out.bias, activation=activation, **gated)


def block(heads: MultiHead, neurons: Perceptron, norms: tuple[Norm, Norm], *, where: str) -> list[Sublayer]:
    """Attention, then the perceptron, each with its norm "before" it or "after" its sum."""
    parts: tuple[MultiHead | Perceptron, ...] = (heads, neurons)
    return [Sublayer(part, **{where: norm}) for part, norm in zip(parts, norms, strict=True)]  # type: ignore[arg-type]


def head_size(d: int, heads: int) -> int:
    """d / heads; raises `InvalidInput` if that is not a whole number."""
    if d % heads:
        raise InvalidInput(f"the configuration has {heads} heads, which do not divide d = {d}")
    return d // heads


def transformer(d: int, layers: Sequence[list[Sublayer]], position: Sequence[Position] = ()) -> Transformer:
    """The network in which each layer takes one unit of time."""
    return Transformer(Euclidean(d), PerLayer(layers, t1=len(layers)), position=list(position) or None)
