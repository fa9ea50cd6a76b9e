"""`Prompt`: a text or an image as a measure of tokens with positions, for one model."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from jax.typing import ArrayLike

from tokenfield._runtime.arguments import shown
from tokenfield.errors import InvalidInput
from tokenfield.measure import Measure
from tokenfield.pretrained.embedding import Embedding, ImageEmbedding
from tokenfield.pretrained.model import Pretrained


@dataclass(frozen=True, eq=False)
class Prompt:
    """What goes into a model: tokens at points, with positions.

    Make one with `Prompt.from_text`, `Prompt.from_ids` or `Prompt.from_image`.

    Attributes:
        measure: The tokens at the points where the first layer finds them, with their positions.
        words: The tokens in words, n texts.
        model: The model that it is made for.
        ids: The numbers of the tokens, shape (n,); `None` for an image.
        text: The text; `None` if it was made of something else.

    >>> import jax.numpy as jnp
    >>> from tokenfield import Euclidean, Softmax, Transformer
    >>> from tokenfield.pretrained import Embedding, Pretrained
    >>> network, words = Transformer(Euclidean(3), Softmax(1.0)), Embedding(jnp.eye(3))
    >>> toy = Pretrained("toy", "toy", network, words, layers=2, heads=1)
    >>> Prompt.from_ids([2, 0], toy).measure.points.tolist()
    [[0.0, 0.0, 1.0], [1.0, 0.0, 0.0]]
    """

    measure: Measure
    words: tuple[str, ...]
    model: Pretrained = field(repr=False)
    ids: np.ndarray | None = None
    text: str | None = None

    def __len__(self) -> int:
        return self.measure.n

    def __repr__(self) -> str:
        said = f"'{self.text}'" if self.text is not None else f"{len(self)} tokens"
        return f"Prompt({said}, {len(self)} tokens for {self.model.name})"

    @staticmethod
    def from_text(text: str, model: Pretrained, *, special: bool = True) -> Prompt:
        """The prompt of a text: words to tokens, tokens to points, with positions 0, 1, 2, ...

        Args:
            text: The text.
            model: The model, which must have a tokenizer.
            special: Whether the tokens that the model expects around a text, such as [CLS], are added; by default they
                are.

        Returns:
            The prompt.

        Raises:
            InvalidInput: If the text is empty or longer than the model reads, or the model came without a tokenizer.
        """
        _check(model)
        if model.tokenizer is None:
            raise InvalidInput(f"{model.name} came without a tokenizer: give the numbers of tokens to Prompt.from_ids")
        ids = model.tokenizer.ids(text, special=special)
        return Prompt(_measure(ids, model), model.tokenizer.words(ids), model, ids, text)

    @staticmethod
    def from_ids(ids: ArrayLike, model: Pretrained) -> Prompt:
        """The prompt of tokens that are known by number.

        Args:
            ids: The numbers of the tokens, shape (n,).
            model: The model.

        Returns:
            The prompt; its words are the numbers where the model came without a tokenizer.

        Raises:
            InvalidInput: If a number is not in the vocabulary, or there are more than the model reads.
        """
        measure = _measure(ids, model)
        numbers = np.asarray(ids, np.int64)
        words = tuple(map(str, numbers)) if model.tokenizer is None else model.tokenizer.words(numbers)
        return Prompt(measure, words, model, numbers)

    @staticmethod
    def from_image(pixels: ArrayLike, model: Pretrained) -> Prompt:
        """The prompt of an image: one token for each patch, after a first one.

        Args:
            pixels: The image, shape (channels, height, width), scaled as the model expects it.
            model: A model of images.

        Returns:
            The prompt; its words are [CLS] and the row and column of each patch.

        Raises:
            InvalidInput: If the model reads no images, or none of this shape.
        """
        _check(model)
        if not isinstance(model.embedding, ImageEmbedding):
            raise InvalidInput(f"{model.name} reads text and no images: use Prompt.from_text")
        points = model.embedding(pixels)
        columns = np.shape(pixels)[2] // model.embedding.patches.shape[2]
        patches = (f"{i // columns},{i % columns}" for i in range(len(points) - 1))
        return Prompt(Measure(points), ("[CLS]", *patches), model)


def _check(model: object) -> None:
    if not isinstance(model, Pretrained):
        raise InvalidInput(f"a prompt needs a loaded model, tokenfield.pretrained.load('smollm2'), got {shown(model)}")


def _measure(ids: ArrayLike, model: Pretrained) -> Measure:
    _check(model)
    if not isinstance(model.embedding, Embedding):
        raise InvalidInput(f"{model.name} reads images: use Prompt.from_image")
    most = model.embedding.most_tokens
    if most is not None and np.size(np.asarray(ids)) > most:
        raise InvalidInput(f"the text has {np.size(np.asarray(ids))} tokens, {model.name} reads {most} at most")
    return Measure(model.embedding(ids))
