"""Slow, literal NumPy twins of real blocks: BERT (arXiv 1810.04805) and Llama (arXiv 2302.13971), token by token.

Written from the papers, over arrays by the names that files give them; nothing is shared with `tokenfield`.
"""

from __future__ import annotations

from math import erf

import numpy as np

Arrays = dict[str, np.ndarray]


def layer_norm(x: np.ndarray, gain: np.ndarray, bias: np.ndarray, eps: float) -> np.ndarray:
    """One token: centered, divided by its standard deviation, with gain and bias."""
    return gain * (x - x.mean()) / np.sqrt(x.var() + eps) + bias


def rms_norm(x: np.ndarray, gain: np.ndarray, eps: float) -> np.ndarray:
    """One token divided by its root mean square, with a gain."""
    return gain * x / np.sqrt(np.mean(x**2) + eps)


def softmax(logits: np.ndarray) -> np.ndarray:
    weights = np.exp(logits - logits.max())
    return weights / weights.sum()


def bert_states(w: Arrays, ids: list[int], *, layers: int, heads: int, eps: float) -> list[np.ndarray]:
    """The tokens after the embedding, and after each attention and each perceptron in turn."""

    def linear(name: str, v: np.ndarray) -> np.ndarray:
        return w[f"{name}.weight"] @ v + w[f"{name}.bias"]

    def norm(name: str, v: np.ndarray) -> np.ndarray:
        return layer_norm(v, w[f"{name}.weight"], w[f"{name}.bias"], eps)

    tables = [w[f"embeddings.{name}_embeddings.weight"] for name in ("word", "position", "token_type")]
    x = [norm("embeddings.LayerNorm", tables[0][k] + tables[1][p] + tables[2][0]) for p, k in enumerate(ids)]
    states = [np.array(x)]
    for i in range(layers):
        layer = f"encoder.layer.{i}"
        q, k, v = ([linear(f"{layer}.attention.self.{name}", y) for y in x] for name in ("query", "key", "value"))
        size, after = len(x[0]) // heads, []
        for a in range(len(x)):
            mixed = np.zeros_like(x[a])
            for h in range(heads):
                part = slice(h * size, (h + 1) * size)
                p = softmax(np.array([q[a][part] @ k[b][part] / np.sqrt(size) for b in range(len(x))]))
                mixed[part] = sum(p[b] * v[b][part] for b in range(len(x)))
            out = linear(f"{layer}.attention.output.dense", mixed)
            after.append(norm(f"{layer}.attention.output.LayerNorm", x[a] + out))
        states.append(np.array(after))
        x = []
        for y in after:
            z = linear(f"{layer}.intermediate.dense", y)
            z = np.array([0.5 * s * (1 + erf(s / np.sqrt(2))) for s in z])
            x.append(norm(f"{layer}.output.LayerNorm", y + linear(f"{layer}.output.dense", z)))
        states.append(np.array(x))
    return states


def rotated(v: np.ndarray, position: int, base: float) -> np.ndarray:
    """Coordinates m and m + k/2 of a query or key turn by position * base^(-2m/k)."""
    out, half = v.copy(), len(v) // 2
    for m in range(half):
        angle = position * base ** (-2 * m / len(v))
        out[m] = np.cos(angle) * v[m] - np.sin(angle) * v[m + half]
        out[m + half] = np.sin(angle) * v[m] + np.cos(angle) * v[m + half]
    return out


def llama_states(
    w: Arrays, ids: list[int], *, layers: int, heads: int, groups: int, eps: float, base: float
) -> list[np.ndarray]:
    """The tokens after the embedding, after each attention and each perceptron in turn, and after the final norm."""
    x = [w["model.embed_tokens.weight"][k] for k in ids]
    states = [np.array(x)]
    for i in range(layers):
        layer = f"model.layers.{i}"
        q_map, k_map, v_map, o_map = (w[f"{layer}.self_attn.{name}_proj.weight"] for name in "qkvo")
        size = q_map.shape[0] // heads
        read = [rms_norm(y, w[f"{layer}.input_layernorm.weight"], eps) for y in x]
        after = []
        for a in range(len(x)):
            mixed = np.zeros(heads * size)
            for h in range(heads):
                g = h // (heads // groups)
                own, shared = slice(h * size, (h + 1) * size), slice(g * size, (g + 1) * size)
                query = rotated((q_map @ read[a])[own], a, base)
                keys = [rotated((k_map @ read[b])[shared], b, base) for b in range(a + 1)]
                p = softmax(np.array([query @ key / np.sqrt(size) for key in keys]))
                mixed[own] = sum(p[b] * (v_map @ read[b])[shared] for b in range(a + 1))
            after.append(x[a] + o_map @ mixed)
        states.append(np.array(after))
        x = []
        for y in after:
            z = rms_norm(y, w[f"{layer}.post_attention_layernorm.weight"], eps)
            gate, up = w[f"{layer}.mlp.gate_proj.weight"] @ z, w[f"{layer}.mlp.up_proj.weight"] @ z
            x.append(y + w[f"{layer}.mlp.down_proj.weight"] @ (gate / (1 + np.exp(-gate)) * up))
        states.append(np.array(x))
    states.append(np.array([rms_norm(y, w["model.norm.weight"], eps) for y in x]))
    return states
