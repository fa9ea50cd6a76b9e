"""The picture of how the law of the next word forms in depth. The laws come from `tokenfield.pretrained`."""

from __future__ import annotations

import numpy as np

from tokenfield.plot import style
from tokenfield.plot.picture import Picture
from tokenfield.plot.style import PALETTE, styled
from tokenfield.pretrained.vocabulary import NextWords

WIDTH, HEIGHT = 6.4, 5.4
MOST_WORDS = 5  # lines that can be told apart
LEAST = 1e-6  # probabilities below it are drawn at the edge
LATIN_TO_CYRILLIC, SYMBOLS = range(0x530), range(0x2000, 0x2C00)  # what the fonts of figures have


def next_words(found: NextWords) -> Picture:
    """The picture of the law of the next word in depth: entropy, distance to the final law, and its likeliest words.

    The word that each layer would say stands below its number.

    Args:
        found: What `tokenfield.pretrained.next_words` returned.

    Returns:
        A picture that does not move.

    >>> import numpy as np
    >>> from tokenfield.pretrained import NextWords
    >>> rows, words = np.array([[0.5], [0.9]]), ((" a",), (" b",))
    >>> tags, row = ("embedding", "layer 1"), rows[:, 0]
    >>> found = NextWords("to be", "toy", tags, words, rows, rows, row, 1 - row, 1.0)
    >>> next_words(found)
    Picture(next_words, 6.4 x 5.4 inches)
    """
    depth = np.arange(len(found.tags))
    with styled():
        figure = style.new_figure(WIDTH, HEIGHT)
        entropy, distance, chances = figure.subplots(3, 1, sharex=True)
        entropy.plot(depth, found.entropies, marker="o", markersize=3, color=PALETTE[0])
        entropy.set_ylabel("entropy (nats)")
        entropy.set_ylim(bottom=0)
        distance.plot(depth, found.distances, marker="o", markersize=3, color=PALETTE[1])
        distance.set_ylabel("distance to end")
        distance.set_ylim(0, 1.03)
        for i, word in enumerate(found.words[-1][:MOST_WORDS]):
            line = {"marker": "o", "markersize": 3, "color": PALETTE[i % len(PALETTE)]}
            # what is below the axis is left out, not drawn on it
            values = np.maximum(found.final_probabilities[:, i], np.finfo(float).tiny)
            chances.plot(depth, values, label=_plain(word), **line)
        chances.set_ylabel("probability")
        chances.set_yscale("log")
        chances.set_ylim(LEAST, 1.5)
        chances.legend(loc="upper left", ncols=MOST_WORDS, columnspacing=1.0, handlelength=1.0)
        chances.set_xticks(depth, [f"{_plain(words[0])}  {i}" for i, words in enumerate(found.words)], rotation=90)
        chances.set_xlabel("layer, and the likeliest word if the model stopped there")
        for axes in (entropy, distance, chances):
            axes.grid(color="#E7E9ED", linewidth=0.6)
        entropy.set_title(_plain(f"{found.model}: {_short(found.text)} …"))
    return Picture(figure, None, "next_words")


def _plain(word: str) -> str:
    """A word without what matplotlib takes for mathematics or leaves out, and with a box for what no font has."""
    known = (a if ord(a) in LATIN_TO_CYRILLIC or ord(a) in SYMBOLS else "□" for a in word.strip())
    return "".join(known).replace("$", r"\$").lstrip("_") or "␣"


def _short(text: str) -> str:
    one = " ".join(text.split())
    return one if len(one) <= 60 else f"… {one[-58:]}"
