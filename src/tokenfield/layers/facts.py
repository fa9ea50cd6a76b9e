"""What is found besides numbers by layer: who the sinks are, which coordinates are rogue, whether parts add up."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tokenfield.layers.source import Passage
from tokenfield.layers.variants import NO_ROGUES, NO_SINKS, shares

Fact = dict[str, Any]


def sinks_of(passages: Sequence[Passage], is_sink: Sequence[np.ndarray]) -> list[Fact]:
    """Every sink: its layer, prompt, token and word, and how many times the median its norm is.

    Args:
        passages: the prompts.
        is_sink: which tokens are sinks, (layers, n) for each prompt.

    Returns:
        One entry for each sink at each layer.

    >>> x = np.array([[[9.0, 0.0], [1.0, 0.0], [0.0, 1.0]]])
    >>> sinks_of([Passage(x)], [np.array([[True, False, False]])])
    [{'layer': 0, 'prompt': 0, 'token': 0, 'word': '0', 'times_median': 9.0}]
    """
    found = []
    for p, passage in enumerate(passages):
        for k, n in np.argwhere(is_sink[p]).tolist():
            norms = _norms(passage, k)
            ratio = float(norms[n] / np.median(norms))
            found.append({"layer": k, "prompt": p, "token": n, "word": passage.word(n), "times_median": ratio})
    return found


def rogues_of(passages: Sequence[Passage], is_rogue: np.ndarray) -> list[Fact]:
    """Every rogue coordinate: its layer, its number and its share of the mean square, the largest of a layer first.

    Args:
        passages: the prompts.
        is_rogue: which coordinates are rogue, (layers, d).

    Returns:
        One entry for each rogue coordinate at each layer.

    >>> rogues_of([Passage(np.array([[[0.0, 2.0], [0.0, 1.0]]]))], np.array([[False, True]]))
    [{'layer': 0, 'dimension': 1, 'share': 1.0}]
    """
    found: list[Fact] = []
    for k in np.flatnonzero(np.any(is_rogue, axis=1)).tolist():
        part = shares([passage.states[k] for passage in passages])
        order = [i for i in np.argsort(-part).tolist() if is_rogue[k, i]]
        found += [{"layer": k, "dimension": i, "share": float(part[i])} for i in order]
    return found


def largest_of(passages: Sequence[Passage]) -> list[Fact]:
    """The token whose norm is the largest compared with the median of its prompt, at each layer.

    Args:
        passages: the prompts.

    Returns:
        One entry for each layer.

    >>> largest_of([Passage(np.array([[[9.0, 0.0], [1.0, 0.0], [0.0, 1.0]]]), words=("the", "cat", "sat"))])
    [{'prompt': 0, 'token': 0, 'word': 'the', 'norm': 9.0, 'times_median': 9.0}]
    """
    found = []
    for k in range(passages[0].states.shape[0]):
        entries = []
        for p, passage in enumerate(passages):
            norms = _norms(passage, k)
            n, median = int(np.argmax(norms)), float(np.median(norms))
            ratio = float(norms[n]) / median if median > 0 else 0.0
            entry = {"prompt": p, "token": n, "word": passage.word(n), "norm": float(norms[n]), "times_median": ratio}
            entries.append(entry)
        found.append(max(entries, key=lambda entry: float(entry["times_median"])))  # type: ignore[arg-type]
    return found


def told(sinks: Sequence[Fact], rogues: Sequence[Fact], tags: Sequence[str]) -> list[str]:
    """What a reader should know about sinks and rogue coordinates, one sentence each.

    Args:
        sinks: as `sinks_of` returns them.
        rogues: as `rogues_of` returns them.
        tags: what each layer is.

    Returns:
        No, one or two sentences.

    >>> told([], [{"layer": 1, "dimension": 7, "share": 0.5}], ["embedding", "layer 1"])[0][:41]
    '1 of 2 layers has rogue coordinates; the '
    """
    found = []
    if sinks:
        worst = max(sinks, key=lambda sink: sink["times_median"])
        who = f"token {worst['token']} ({worst['word']!r}) at {tags[worst['layer']]}"
        found.append(
            f"{_layers(sinks, tags)} sink tokens; the largest is {who}, {worst['times_median']:.3g} times the median "
            f"norm: read ranks and cosines {NO_SINKS}"
        )
    if rogues:
        most = max(rogues, key=lambda rogue: rogue["share"])
        where, part = tags[most["layer"]], 100 * most["share"]
        found.append(
            f"{_layers(rogues, tags)} rogue coordinates; the largest is number {most['dimension']} at {where}, with "
            f"{part:.0f} % of the mean square: read cosines {NO_ROGUES}"
        )
    return found


def _layers(entries: Sequence[Fact], tags: Sequence[str]) -> str:
    count = len({entry["layer"] for entry in entries})
    return f"{count} of {len(tags)} layers {'has' if count == 1 else 'have'}"


def _norms(passage: Passage, layer: int) -> np.ndarray:
    return np.linalg.norm(np.asarray(passage.states[layer], np.float64), axis=1)


def mismatch(passage: Passage) -> np.ndarray | None:
    """How far each layer is from the layer before plus what attention and the perceptron added.

    Args:
        passage: a prompt; parts that were not given count as zero.

    Returns:
        |post - pre - attention - perceptron| / |post| of each block, root mean squares, shape (layers - 1,); `None`
        where no parts were given.

    >>> x = np.cumsum(np.ones((3, 2, 2)), axis=0)
    >>> mismatch(Passage(x, attention_part=np.ones((2, 2, 2)), perceptron_part=np.zeros((2, 2, 2)))).tolist()
    [0.0, 0.0]
    """
    parts = [part for part in (passage.attention_part, passage.perceptron_part) if part is not None]
    if not parts:
        return None
    x = np.asarray(passage.states, np.float64)
    off = x[1:] - x[:-1] - sum(np.asarray(part, np.float64) for part in parts)
    scale = np.sqrt(np.mean(x[1:] ** 2, axis=(1, 2)))
    return np.sqrt(np.mean(off**2, axis=(1, 2))) / np.where(scale > 0, scale, 1.0)
