"""From [block] of a resolved config to the sublayers of a real layer: norms, heads at once, composed perceptrons."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import jax
import numpy as np
from jax import Array

from tokenfield._runtime.memory import require_numbers
from tokenfield.model.attention import Attention
from tokenfield.model.multihead import MultiHead
from tokenfield.model.norms import Norm
from tokenfield.model.parts import Head, Perceptron
from tokenfield.model.sublayer import Sublayer
from tokenfield.study import catalog
from tokenfield.study.sections import BIASES, MATRICES, BlockSection, HeadSection

if TYPE_CHECKING:
    from tokenfield.study.config import Config

# which norms of a sublayer there are
_PLACES = {"pre": ("before",), "post": ("after",), "around": ("before", "inside")}


def is_block(config: Config) -> bool:
    """Whether the layers of `config` are made of sublayers."""
    return config.block is not None or (config.perceptron is not None and config.perceptron.of != "tokens")


def sublayers(
    config: Config, attention: list[Head] | list[MultiHead], perceptron: Perceptron | None, row: int | None
) -> list[Sublayer]:
    """The sublayers of one layer; `row` is its row in tables of gains and biases."""
    block, section = config.block, config.perceptron
    norms: dict[str, Any] = {}
    if block is not None and (norm := build_norm(block, config.geometry.dim, row)) is not None:
        norms = dict.fromkeys(_PLACES[str(block.place)], norm)
    of = "tokens" if section is None else section.of
    then: Any = None
    if perceptron is not None and of != "tokens":
        then = perceptron if of == "attention" else [perceptron] * len(attention)
    found = []
    if attention:
        part = attention[0] if isinstance(attention[0], MultiHead) else attention
        found.append(Sublayer(part, then=then, average=config.attention.average, **norms))
    return found + ([Sublayer(perceptron, **norms)] if perceptron is not None and of == "tokens" else [])


def build_norm(block: BlockSection, d: int, row: int | None = None) -> Norm | None:
    """The norm of the sublayers, from the `row` of its tables, by default the last; `None` if there is none."""
    kind = catalog.find("norm", block.norm)
    cls = catalog.load(kind)
    if cls is None:
        return None
    given = {name: getattr(block, name) for name in ("gain", "bias") if kind.has(name)}
    vectors = {name: _vector(value, d, row) for name, value in given.items() if value is not None}
    return cls(**vectors, **({} if block.eps is None else {"eps": block.eps}))


def _vector(value: Any, d: int, row: int | None) -> np.ndarray:
    numbers = np.asarray(value, float)
    if numbers.ndim == 2:
        return numbers[-1 if row is None else row]
    return numbers if numbers.ndim else np.full(d, numbers)


def random_weights(seed: int, draw: int | None) -> Array:
    """The key of random weights; `draw` tells those of one layer from those of others."""
    key = jax.random.key(seed)
    return key if draw is None else jax.random.fold_in(key, draw)


def multi_head(attention: Attention, section: HeadSection, config: Config, draw: int | None) -> MultiHead:
    """All heads of one layer: the matrices of `section`, or random ones."""
    block, d = config.block, config.geometry.dim
    assert block is not None and block.heads is not None and block.kv_heads is not None, "only resolved configs"
    h, g = block.heads, block.kv_heads
    if section.Q is not None:
        arrays = {name: getattr(section, name) for name in (*MATRICES, *BIASES)}
        given = {name: np.asarray(value) for name, value in arrays.items() if value is not None}
        return MultiHead(attention, **_apart(given, h, g))
    assert block.seed is not None and block.scale is not None, "only resolved configs are built"
    d_k = d // h
    require_numbers(2 * (h + g) * d_k * d, f"heads of d_k = {d_k} in R^{d}", advice="take a lower dimension")
    shapes: dict[str, tuple[int, ...]] = {"Q": (h, d_k, d), "K": (g, d_k, d), "V": (g, d_k, d), "O": (h, d, d_k)}
    if block.biases:
        shapes |= {"q": (h, d_k), "k": (g, d_k), "v": (g, d_k), "o": (d,)}
    keys = jax.random.split(random_weights(block.seed, draw), len(shapes))
    # of variance one over the fan-in: d coordinates for Q, K, V, and h d_k = d of all heads for O
    drawn = {name: jax.random.normal(key, shapes[name]) / np.sqrt(d) for name, key in zip(shapes, keys, strict=True)}
    return MultiHead(attention, **drawn | {"O": block.scale * drawn["O"]})


def _apart(given: dict[str, np.ndarray], h: int, g: int) -> dict[str, np.ndarray]:
    """The arrays of each head, from those of all heads one below the other; those of O stand beside each other."""
    counts = {"Q": h, "K": g, "V": g, "q": h, "k": g, "v": g}
    apart = {name: given[name].reshape(n, -1, *given[name].shape[1:]) for name, n in counts.items() if name in given}
    d = given["O"].shape[0]
    apart["O"] = given["O"].reshape(d, h, -1).transpose(1, 0, 2)
    return apart | ({"o": given["o"]} if "o" in given else {})
