"""What is measured: hidden states of one or several prompts, whoever computed them. No model is known here.

`as_source` makes a `Source` of whatever a user has: arrays, the outputs of `transformers` as they are, a run. Tensors
of other libraries are turned into NumPy arrays by their own methods; nothing of theirs is imported.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tokenfield.errors import InvalidInput, did_you_mean

KEYS = ("states", "words", "mask", "attention", "attention_part", "perceptron_part", "tags")
LAST_STATE = (
    "transformers takes the last of hidden_states after the final norm where a model has one, as GPT-2 and Llama do, "
    "and the others before it: say what it is with tags, or leave it out"
)
ROW_SUM = 1e-2  # how far rows of attention may be from summing to 1: half precision is off by some thousandths


@dataclass(frozen=True, eq=False)
class Passage:
    """One prompt on its way through a model.

    Args:
        states: hidden states, shape (layers, n, d), n >= 2, in the precision in which they came.
        words: a word for each token, or `None`.
        weights: masses of the tokens, shape (n,), positive; by default all are 1/n.
        attention: attention of each block, shape (blocks, heads, n, n), rows sum to 1; by default `None`.
        attention_part: what attention added to the residual stream, shape (blocks, n, d); by default `None`.
        perceptron_part: what the perceptron added to it, shape (blocks, n, d); by default `None`.

    Raises:
        InvalidInput: shapes do not fit, or a number is NaN or infinite.

    >>> Passage(np.ones((3, 4, 2))).n
    4
    """

    states: np.ndarray
    words: tuple[str, ...] | None = None
    weights: np.ndarray | None = None
    attention: np.ndarray | None = None
    attention_part: np.ndarray | None = None
    perceptron_part: np.ndarray | None = None

    def __post_init__(self) -> None:
        shape = np.shape(self.states)
        if len(shape) != 3:
            raise InvalidInput(f"hidden states of a prompt have shape (layers, tokens, d), got {shape}")
        layers, n, d = shape
        if layers < 1 or n < 2 or d < 1:
            raise InvalidInput(f"a prompt needs a layer, two tokens and a dimension, got (layers, tokens, d) = {shape}")
        _check_numbers(self.states, "hidden states")
        w = np.ones(n) if self.weights is None else np.asarray(self.weights, np.float64)
        if w.shape != (n,) or not (np.all(np.isfinite(w)) and np.all(w > 0)):
            raise InvalidInput(f"weights must be {n} positive numbers, one for each token")
        object.__setattr__(self, "weights", w / np.sum(w))
        if self.words is not None and len(self.words) != n:
            raise InvalidInput(f"there are {n} tokens but {len(self.words)} words")
        for name in ("attention_part", "perceptron_part"):
            part = getattr(self, name)
            if part is not None:
                _check_shape(part, name, (layers - 1, n, d))
        if self.attention is not None:
            _check_attention(self.attention, n)

    @property
    def n(self) -> int:
        """The number of tokens."""
        return self.states.shape[1]

    def word(self, token: int) -> str:
        """The word of a token, with a sign for one that is blank, or its number where there are no words.

        Args:
            token: which one, counted from 0.

        Returns:
            A short text.

        >>> some = Passage(np.ones((1, 2, 2)), words=("to", " "))
        >>> some.word(0), some.word(1)
        ('to', '␣')
        """
        if self.words is None:
            return str(token)
        return self.words[token] if self.words[token].strip() else "␣"


@dataclass(frozen=True, eq=False)
class Source:
    """Hidden states to be measured: passages through the same layers, with a tag for each layer.

    Args:
        passages: one for each prompt, with the same layers and the same d.
        tags: what each row of the states is: "embedding", "layer 1", ...; by default "layer 0", "layer 1", ...
        name: what they are states of, for titles; by default "hidden states".
        notes: what a reader of the numbers should know, a sentence each; by default nothing.

    Raises:
        InvalidInput: there is no passage, or they do not fit together.

    >>> Source((Passage(np.ones((2, 3, 4))),)).tags
    ('layer 0', 'layer 1')
    """

    passages: tuple[Passage, ...]
    tags: tuple[str, ...] = ()
    name: str = "hidden states"
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not self.passages:
            raise InvalidInput("there are no prompts to measure")
        shapes = [(passage.states.shape[0], passage.states.shape[2]) for passage in self.passages]
        for k, shape in enumerate(shapes):
            if shape != shapes[0]:
                raise InvalidInput(
                    f"prompt {k} has {shape[0]} layers and d = {shape[1]}, prompt 0 has {shapes[0][0]} and "
                    f"{shapes[0][1]}: measure states of one model at a time"
                )
        if not self.tags:
            object.__setattr__(self, "tags", tuple(f"layer {k}" for k in range(self.layers)))
        if len(self.tags) != self.layers:
            raise InvalidInput(f"there are {self.layers} layers but {len(self.tags)} tags")
        heads = {None if p.attention is None else p.attention.shape[:2] for p in self.passages}
        if len(heads) > 1:
            raise InvalidInput("attention must be given for all prompts, with the same blocks and heads, or for none")

    @property
    def layers(self) -> int:
        """The number of rows of the states, that of the embedding included."""
        return self.passages[0].states.shape[0]

    @property
    def d(self) -> int:
        """The dimension of the hidden states."""
        return self.passages[0].states.shape[2]


def as_source(
    given: Any,
    *,
    words: Sequence[Any] | None = None,
    attention: Any = None,
    mask: Any = None,
    tags: Sequence[str] | None = None,
    name: str | None = None,
) -> Source:
    """The `Source` of whatever holds hidden states.

    Args:
        given: an array (layers, tokens, d) or (prompts, layers, tokens, d); a list of arrays (layers, tokens, d), one
            for each prompt; a mapping with an array `states` and perhaps `words`, `mask`, `attention`,
            `attention_part`, `perceptron_part`, `tags`; an output of `transformers`, or a list of them; a run of
            tokenfield that saved its tokens; or a `Source`.
        words: words of the tokens, or a list of such lists, one for each prompt.
        attention: attention (blocks, heads, tokens, tokens), or with prompts in front, or a list of such arrays.
        mask: which tokens are real, (tokens,) or (prompts, tokens): 1 for a token, 0 for padding.
        tags: what each layer is.
        name: what these are states of.

    Returns:
        The passages, without padding.

    Raises:
        InvalidInput: it is none of these, or shapes do not fit.

    >>> as_source(np.ones((2, 5, 3)), mask=[1, 1, 1, 1, 0]).passages[0].n
    4
    """
    if isinstance(given, Source):
        return given
    own_tags: Sequence[str] | None = None
    is_output = hasattr(given, "hidden_states") or _are_outputs(given)
    if is_output:
        outputs = [given] if hasattr(given, "hidden_states") else list(given)
        states, attention = _of_outputs(outputs, attention)
        own_tags = ["embedding", *(f"layer {k}" for k in range(1, states[0].shape[0]))]
        fields: dict[str, Any] = {"attention": attention}
    elif hasattr(given, "saved_points"):
        states, own_tags = (
            [as_array(given.saved_points, "tokens")],
            [f"t = {float(t):.4g}" for t in np.asarray(given.ts)],
        )
        fields = {"weights": [np.asarray(given.final.weights)]}
    elif isinstance(given, Mapping):
        fields = _checked_keys(given)
        states, own_tags = _prompts(fields.pop("states"), 3, "states"), fields.pop("tags", None)
        words, mask = fields.pop("words", None) if words is None else words, _first(mask, fields.pop("mask", None))
        fields["attention"] = _first(attention, fields.get("attention"))
    else:
        states, fields = _prompts(given, 3, "hidden states"), {"attention": attention}
    passages = _passages(states, words, mask, fields)
    chosen = tags if tags is not None else own_tags
    labels = () if chosen is None else tuple(str(tag) for tag in chosen)
    notes = (LAST_STATE,) if is_output and tags is None else ()
    return Source(passages, labels, "hidden states" if name is None else name, notes)


def as_array(values: Any, what: str) -> np.ndarray:
    """`values` as an array of NumPy: arrays of anybody, tensors of PyTorch on any device and in bfloat16 too.

    Args:
        values: numbers.
        what: what an error message calls them.

    Returns:
        An array of real floats; those of 8 and 16 bits are in float32, whole numbers in float64.

    Raises:
        InvalidInput: these are no real numbers.

    >>> as_array([[1, 2]], "states").dtype.name
    'float64'
    """
    for method in ("detach", "cpu"):
        values = getattr(values, method)() if hasattr(values, method) else values
    if "bfloat16" in str(getattr(values, "dtype", "")) and hasattr(values, "float"):
        values = values.float()
    try:
        array = np.asarray(values)
        if array.dtype.kind in "biu":
            return array.astype(np.float64)
        if array.dtype.kind != "f" and "float" not in str(array.dtype):
            raise TypeError(f"an array of {array.dtype}")
        return array if array.dtype in (np.float32, np.float64) else array.astype(np.float32)
    except (TypeError, ValueError) as error:
        reason = str(error).strip().splitlines()[0]
        raise InvalidInput(f"{what} must be real numbers in arrays of one shape: {reason}") from error


# --- the parts ----------------------------------------------------------------------------------------------------


def _are_outputs(given: Any) -> bool:
    return isinstance(given, (list, tuple)) and bool(given) and all(hasattr(one, "hidden_states") for one in given)


def _of_outputs(outputs: Sequence[Any], attention: Any) -> tuple[list[np.ndarray], Any]:
    """States of each prompt and their attention, from outputs of `transformers`, each a batch of prompts."""
    states: list[np.ndarray] = []
    found: list[np.ndarray] = []
    for output in outputs:
        if output.hidden_states is None:
            raise InvalidInput("this output has no hidden states: call the model with output_hidden_states=True")
        batch = np.stack([as_array(layer, "hidden states") for layer in output.hidden_states])
        if batch.ndim != 4:
            raise InvalidInput(f"each of hidden_states has shape (batch, tokens, d), got {batch.shape[1:]}")
        states += list(np.swapaxes(batch, 0, 1))
        blocks = getattr(output, "attentions", None)
        if blocks and all(block is not None for block in blocks):
            found += list(np.swapaxes(np.stack([as_array(block, "attentions") for block in blocks]), 0, 1))
    if attention is None and len(found) == len(states):
        attention = found
    return states, attention


def _checked_keys(given: Mapping[str, Any]) -> dict[str, Any]:
    for key in given:
        if key not in KEYS:
            raise InvalidInput(f"unknown array '{key}'{did_you_mean(str(key), KEYS)}")
    if "states" not in given:
        raise InvalidInput(f"there is no array 'states', only: {', '.join(given) or 'nothing'}")
    return dict(given)


def _first(given: Any, otherwise: Any) -> Any:
    return otherwise if given is None else given


def _prompts(values: Any, ndim: int, what: str) -> list[np.ndarray]:
    """One array of `ndim` axes for each prompt, from such an array, one with an axis of prompts in front, or a list."""
    if isinstance(values, (list, tuple)) and values and all(np.ndim(one) == ndim for one in values):
        return [as_array(one, what) for one in values]
    array = as_array(values, what)
    if array.ndim not in (ndim, ndim + 1):
        axes = "(layers, tokens, d)" if ndim == 3 else "(blocks, heads, tokens, tokens)"
        raise InvalidInput(f"{what} have shape {axes}, or with prompts in front, got {array.shape}")
    return [array] if array.ndim == ndim else list(array)


def _passages(
    states: list[np.ndarray], words: Sequence[Any] | None, mask: Any, fields: Mapping[str, Any]
) -> tuple[Passage, ...]:
    count = len(states)
    texts = _words(words, count)
    masks = _masks(mask, states)
    parts: dict[str, list[Any]] = {"weights": list(fields.get("weights") or [None] * count)}
    for name, ndim in (("attention", 4), ("attention_part", 3), ("perceptron_part", 3)):
        values = fields.get(name)
        parts[name] = [None] * count if values is None else _prompts(values, ndim, name)
    for name, values in {"words": texts, **parts}.items():
        if len(values) != count:
            raise InvalidInput(f"there are {count} prompts but {name} of {len(values)}")
    found = []
    for k, real in enumerate(masks):
        of_tokens = [parts[name][k] for name in ("attention_part", "perceptron_part")]
        attention = parts["attention"][k]
        if not np.all(real):
            of_tokens = [None if part is None else _real(part, real, 1) for part in of_tokens]
            attention = None if attention is None else _real(_real(attention, real, 2), real, 3)
            texts[k] = _kept(texts[k], real)
        kept = states[k] if np.all(real) else states[k][:, real]
        found.append(Passage(kept, texts[k], parts["weights"][k], attention, *of_tokens))
    return tuple(found)


def _real(array: np.ndarray, real: np.ndarray, axis: int) -> np.ndarray:
    """What belongs to real tokens along an axis; an axis of another length is left for the checks to complain about."""
    is_there = array.ndim > axis and array.shape[axis] == len(real)
    return np.compress(real, array, axis=axis) if is_there else array


def _kept(words: tuple[str, ...] | None, real: np.ndarray) -> tuple[str, ...] | None:
    """The words of the real tokens; they may have been given for those only."""
    if words is None or len(words) != len(real):
        return words
    return tuple(word for word, is_real in zip(words, real, strict=True) if is_real)


def _words(words: Sequence[Any] | None, count: int) -> list[tuple[str, ...] | None]:
    if words is None:
        return [None] * count
    words = list(words)
    if all(isinstance(word, str) for word in words):
        words = [words]
    return [tuple(str(word) for word in one) for one in words]


def _masks(mask: Any, states: list[np.ndarray]) -> list[np.ndarray]:
    sizes = [x.shape[1] if x.ndim == 3 else 0 for x in states]
    if mask is None:
        return [np.ones(n, bool) for n in sizes]
    rows = mask if isinstance(mask, (list, tuple)) and np.ndim(mask[0]) == 1 else np.atleast_2d(as_array(mask, "mask"))
    found = [np.asarray(as_array(row, "mask")) != 0 for row in rows]
    if [len(row) for row in found] != sizes:
        raise InvalidInput(f"the mask has rows of {[len(row) for row in found]} tokens, the prompts have {sizes}")
    return found


def _check_numbers(array: np.ndarray, what: str) -> None:
    bad = ~np.isfinite(array)
    if np.any(bad):
        first = tuple(int(i) for i in np.argwhere(bad)[0])
        raise InvalidInput(f"{what} must be finite: {int(np.sum(bad))} NaN or infinite entries, the first at {first}")


def _check_shape(array: np.ndarray, what: str, shape: tuple[int, ...]) -> None:
    if array.shape != shape:
        raise InvalidInput(f"{what} must have shape {shape}, one row for each block, got {array.shape}")
    _check_numbers(array, what)


def _check_attention(attention: np.ndarray, n: int) -> None:
    if attention.ndim != 4 or attention.shape[2:] != (n, n):
        raise InvalidInput(f"attention must have shape (blocks, heads, {n}, {n}), got {attention.shape}")
    _check_numbers(attention, "attention")
    off = float(np.max(np.abs(np.sum(attention, axis=3, dtype=np.float64) - 1)))
    if off > ROW_SUM or np.min(attention) < 0:
        raise InvalidInput(
            f"rows of attention must be >= 0 and sum to 1, they are off by up to {off:.2g}: give the weights after "
            "softmax, a mask where tokens are padding, and call model.eval(), since dropout changes them"
        )
