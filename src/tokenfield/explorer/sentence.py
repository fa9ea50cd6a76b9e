"""A text through a real model, for the page: its tokens in three dimensions and in words, layer by layer.

Models are those of `tokenfield pretrained list` that were fetched, by name: a path never comes from a page.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from tokenfield._runtime.json import jsonable
from tokenfield.errors import InvalidInput, did_you_mean
from tokenfield.explorer.scene import is_text
from tokenfield.pretrained import Prompt, load, next_words
from tokenfield.pretrained import catalog as fetched
from tokenfield.pretrained.model import Pretrained

LONGEST_TEXT = 2000  # letters
MOST_WORDS = 256
TOP = 5
DELTA = 0.3  # angle up to which tokens count as together


def models() -> list[dict[str, Any]]:
    """The real models: which are fetched, and how to get the others."""
    return [
        {
            "name": entry.name,
            "title": entry.title,
            "kind": entry.kind,
            "layers": entry.layers,
            "d": entry.d,
            "fetched": entry.is_there,
            "how": f"tokenfield pretrained fetch {entry.name}",
        }
        for entry in fetched.entries()
    ]


@functools.lru_cache(maxsize=1)  # one real model is some hundred megabytes
def _loaded(name: str) -> Pretrained:
    return load(name)


def through(text: Any, model: Any) -> dict[str, Any]:
    """A text through a model: its words, and for each layer where they are and what the next word would be.

    Points are directions x/|x| in the three leading directions of all layers together, once with all tokens and once
    without the sink: one token whose norm exceeds five times the median.

    Args:
        text: The text.
        model: The name of a model that was fetched.

    Returns:
        words, layers (each with points, norms, cosine, rank, entropy and top), without_sink, and sink or `None`.

    Raises:
        InvalidInput: If the text is empty or too long, or the model unknown or not fetched.
    """
    if not isinstance(text, str) or not text.strip() or len(text) > LONGEST_TEXT or not is_text(text):
        raise InvalidInput(f"a sentence has from 1 to {LONGEST_TEXT} letters")
    known = {entry["name"]: entry for entry in models()}
    if model not in known:
        raise InvalidInput(f"there is no model {str(model)[:40]!r}{did_you_mean(str(model)[:40], known)}")
    if not known[model]["fetched"]:
        raise InvalidInput(f"{model} was not fetched yet: {known[model]['how']}")
    network = _loaded(model)
    prompt = Prompt.from_text(text, network)
    if not 2 <= len(prompt.words) <= MOST_WORDS:
        raise InvalidInput(f"the text has {len(prompt.words)} tokens: take one of 2 to {MOST_WORDS}")
    states = network.states(prompt).layers
    points = np.asarray(states.arrays, np.float64)
    spoken = next_words(prompt, top=TOP) if network.unembedding is not None else None
    sink = _sink(points, states.tags, prompt.words)
    kept = np.arange(points.shape[1]) != (-1 if sink is None else sink["token"])
    places, rest = _placed(points), _placed(points[:, kept])
    layers = []
    for i, tag in enumerate(states.tags):
        layers.append(
            {
                "tag": tag,
                "points": places[i].round(5).tolist(),
                "norms": np.linalg.norm(points[i], axis=1).round(4).tolist(),
                **_numbers(points[i]),
                "entropy": None if spoken is None else float(spoken.entropies[i]),
                "top": [] if spoken is None else _top(spoken.words[i], spoken.probabilities[i]),
            }
        )
    without = [{"points": rest[i].round(5).tolist(), **_numbers(points[i][kept])} for i in range(len(layers))]
    return jsonable(
        {
            "model": model,
            "text": text,
            "words": list(prompt.words),
            "layers": layers,
            "sink": sink,
            "without_sink": None if sink is None else {"tokens": np.flatnonzero(kept).tolist(), "layers": without},
        }
    )


# the measures of layers take a second to import: they come with the first text, not with the page


def _numbers(x: np.ndarray) -> dict[str, float]:
    from tokenfield.layers.cloud import numbers_of

    if len(x) < 2:
        return {"cosine": float("nan"), "rank": float("nan")}
    found = numbers_of(x, np.full(len(x), 1 / len(x)), delta=DELTA)
    return {"cosine": found["mean_cosine"], "rank": found["effective_rank"], "clusters": found["clusters"]}


def _top(words: tuple[str, ...], probabilities: np.ndarray) -> list[dict[str, Any]]:
    return [{"word": word, "p": float(p)} for word, p in zip(words, probabilities, strict=True)]


def _placed(points: np.ndarray) -> np.ndarray:
    """Directions of tokens (layers, n, d) in three leading directions of them all, (layers, n, 3)."""
    from tokenfield.layers.variants import directions

    u = np.stack([directions(x) for x in points])
    rows = u.reshape(-1, u.shape[-1])
    axes = np.linalg.eigh(rows.T @ rows)[1][:, :-4:-1]
    # the largest entry of each axis is positive: the same text looks the same each time
    axes = axes * np.sign(axes[np.argmax(np.abs(axes), axis=0), np.arange(axes.shape[1])])
    return u @ axes


def _sink(points: np.ndarray, tags: tuple[str, ...], words: tuple[str, ...]) -> dict[str, Any] | None:
    """The token with the largest norm over the median, if that exceeds the bound of sinks in some layer."""
    from tokenfield.layers.variants import SINK

    norms = np.linalg.norm(points, axis=2)
    ratios = norms / np.maximum(np.median(norms, axis=1, keepdims=True), 1e-300)
    layer, token = np.unravel_index(int(np.argmax(ratios)), ratios.shape)
    if ratios[layer, token] <= SINK:
        return None
    first = int(np.argmax(ratios[:, token] > SINK))
    return {
        "token": int(token),
        "word": words[token],
        "from_layer": first,
        "tag": tags[first],
        "ratio": float(ratios[layer, token]),
    }
