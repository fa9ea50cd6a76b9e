"""`Pretrained`: a real model as a `Transformer`, with what is around it; `States`: its tokens in depth.

The tokens move by `Transformer.sublayer_measures`, as in every other run: there is no second forward pass.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import equinox as eqx
import jax
import jax.numpy as jnp
from jax import Array

from tokenfield._runtime.arguments import shown
from tokenfield._runtime.memory import require_memory
from tokenfield.errors import InvalidInput, did_you_mean
from tokenfield.measure import Measure
from tokenfield.model.attention import Attention
from tokenfield.model.norms import Norm
from tokenfield.model.transformer import Transformer
from tokenfield.pretrained.embedding import Embedding, ImageEmbedding
from tokenfield.pretrained.tokenizer import Tokenizer

if TYPE_CHECKING:
    from tokenfield.pretrained.prompt import Prompt

EMBEDDING, FINAL = "embedding", "after the final norm"


@dataclass(frozen=True)
class States:
    """The tokens of a prompt in depth, with a tag that says what each row is.

    Tags are "embedding", then "layer 1", "layer 2", ... for what leaves a layer, "layer 1 attention" for what leaves
    its attention where sublayers were asked for, and last "after the final norm" for models that have one.

    Attributes:
        arrays: The points, shape (rows, n, d).
        tags: What each row is, `rows` texts.
        words: The tokens in words, n texts; empty where they have none.

    >>> import jax.numpy as jnp
    >>> tags = ("embedding", "layer 1", "after the final norm")
    >>> states = States(jnp.zeros((3, 5, 2)), tags)
    >>> states["layer 1"].shape, states.layers.tags
    ((5, 2), ('embedding', 'layer 1'))
    """

    arrays: Array
    tags: tuple[str, ...]
    words: tuple[str, ...] = ()

    def __getitem__(self, tag: str) -> Array:
        if tag not in self.tags:
            raise InvalidInput(f"no state '{tag}'{did_you_mean(tag, self.tags)}")
        return self.arrays[self.tags.index(tag)]

    def __len__(self) -> int:
        return len(self.tags)

    def __repr__(self) -> str:
        rows, n, d = self.arrays.shape
        return f"States({n} tokens in R^{d}, {rows} rows from '{self.tags[0]}' to '{self.tags[-1]}')"

    @property
    def layers(self) -> States:
        """The embedding and what leaves each layer: no sublayers, and before the final norm."""
        rows = [i for i, tag in enumerate(self.tags) if tag == EMBEDDING or tag.split(" ")[-1].isdigit()]
        return States(self.arrays[jnp.asarray(rows)], tuple(self.tags[i] for i in rows), self.words)


@dataclass(frozen=True, eq=False)
class Pretrained:
    """A real model: a `Transformer` with its weights, and what turns words into points and points into words.

    `tokenfield.solve(model.transformer, prompt.measure, t1=model.layers, layers=model.layers)` is the network; each
    layer takes one unit of time.

    Attributes:
        name: What the model is called.
        architecture: The family, as `model_type` in config.json says it: "bert", "llama", ...
        transformer: The layers.
        embedding: The points of words, or of an image.
        layers: The number of layers.
        heads: The number of heads of a layer.
        final_norm: What normalizes the tokens after the last layer; `None` if nothing does.
        unembedding: The vectors of words that the final tokens are compared with, shape (vocabulary, d); `None` for
            models that give no law of the next token.
        tokenizer: Text to tokens and back; `None` where the source has none.
        config: The numbers that the model came with, as config.json says them.

    >>> import jax.numpy as jnp
    >>> from tokenfield import Euclidean, Softmax, Transformer
    >>> words = Embedding(jnp.eye(3))
    >>> network = Transformer(Euclidean(3), Softmax(1.0))
    >>> toy = Pretrained("toy", "toy", network, words, layers=2, heads=1)
    >>> toy
    Pretrained('toy', toy: 2 layers, d = 3, 1 head, 3 tokens in the vocabulary)
    """

    name: str
    architecture: str
    transformer: Transformer
    embedding: Embedding | ImageEmbedding
    layers: int
    heads: int
    final_norm: Norm | None = None
    unembedding: Array | None = None
    tokenizer: Tokenizer | None = None
    config: Mapping[str, Any] = field(default_factory=dict)

    @property
    def d(self) -> int:
        """The dimension of the tokens."""
        return self.embedding.d

    @property
    def parameters(self) -> int:
        """The number of weights, of which those that are shared count once."""
        parts = (self.transformer, self.embedding, self.final_norm, self.unembedding)
        arrays = jax.tree.leaves(parts, is_leaf=lambda part: isinstance(part, Attention))  # beta is no weight
        once = {id(array): array for array in arrays if eqx.is_inexact_array(array)}
        return sum(array.size for array in once.values())

    def __repr__(self) -> str:
        heads = f"{self.heads} head{'s' * (self.heads != 1)}"
        facts = f"{self.layers} layers, d = {self.d}, {heads}"
        if isinstance(self.embedding, Embedding):
            facts += f", {self.embedding.vocabulary} tokens in the vocabulary"
        return f"Pretrained('{self.name}', {self.architecture}: {facts})"

    def states(self, prompt: Prompt | Measure, *, sublayers: bool = False) -> States:
        """The tokens after every layer.

        Args:
            prompt: A prompt for this model, or tokens with positions that enter its first layer.
            sublayers: Whether the states after each attention are there too; by default only after whole layers.

        Returns:
            The states with their tags, from the embedding on; the last is after the final norm if there is one.

        Raises:
            InvalidInput: If the tokens are not in R^d, or it is neither a prompt nor a measure.
            TooLarge: If the states do not fit into memory.
        """
        mu = prompt if isinstance(prompt, Measure) else getattr(prompt, "measure", None)
        if not isinstance(mu, Measure):
            made = "Prompt.from_text(text, model), Prompt.from_ids(ids, model) or Prompt.from_image(pixels, model)"
            raise InvalidInput(f"states are those of a prompt: {made}; or of a Measure; got {shown(prompt)}")
        if mu.d != self.d:
            raise InvalidInput(f"{self.name} moves tokens in R^{self.d}, got some in R^{mu.d}")
        rows = self.layers * (2 if sublayers else 1) + 2
        require_memory(
            rows * mu.n * mu.d * mu.points.dtype.itemsize,
            f"{rows} states of {mu.n} tokens",
            advice="take a shorter text, or leave sublayers out",
        )
        points = _states(self.transformer, self.final_norm, mu, self.layers, sublayers)
        words = () if isinstance(prompt, Measure) else prompt.words
        return States(points, self._tags(sublayers), words)

    def _tags(self, sublayers: bool) -> tuple[str, ...]:
        tags = [EMBEDDING]
        for layer in range(1, self.layers + 1):
            tags += [f"layer {layer} attention"] * sublayers + [f"layer {layer}"]
        return (*tags, FINAL) if self.final_norm is not None else tuple(tags)


@eqx.filter_jit
def _states(transformer: Transformer, final_norm: Norm | None, mu: Measure, layers: int, sublayers: bool) -> Array:
    """The points of all states, shape (rows, n, d)."""

    def layer(mu: Measure, t: Array) -> tuple[Measure, Array]:
        after = transformer.sublayer_measures(t, mu, step=1.0)[1:]
        kept = after if sublayers else after[-1:]
        return after[-1], jnp.stack([one.points for one in kept])

    last, found = jax.lax.scan(layer, mu, jnp.arange(layers, dtype=mu.points.dtype))
    rows = [mu.points[None], found.reshape(-1, *mu.points.shape)]
    if final_norm is not None:
        rows.append(final_norm(last.points)[None])
    return jnp.concatenate(rows)
