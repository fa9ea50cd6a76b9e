"""`Layers`: what was measured of hidden states, as one dataset of numbers and a few facts in words."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from tokenfield._runtime.json import to_json
from tokenfield.errors import InvalidInput
from tokenfield.layers.variants import VARIANTS

if TYPE_CHECKING:
    import xarray

FACTS = "facts"


@dataclass(frozen=True, eq=False, repr=False)
class Layers:
    """The numbers of hidden states, layer by layer and in four variants; made by `measure`.

    Attributes:
        dataset: the numbers, an `xarray.Dataset`. Dimensions: `prompt`, `layer`, `variant`; `beta` of the energies;
            `bin` of the histograms; `block` and `head` of attention; `token` and `axis` of the projection.
        facts: what is not an array: `name`, `tags` of the layers, numbers of `tokens`, `d`, `words` of the first
            prompt, `sinks`, `rogues`, the `largest` token of each layer, `flow`, `notes` and `options`; plain data.

    >>> import numpy as np
    >>> from tokenfield.layers import measure
    >>> measure(np.random.default_rng(0).normal(size=(3, 6, 8)))
    Layers(hidden states: 3 layers, 1 prompt of 6 tokens, d = 8; mean cosine 0.02 to 0.00, effective rank 3.3 to 4.9)
    """

    dataset: xarray.Dataset
    facts: dict[str, Any]

    @property
    def tags(self) -> tuple[str, ...]:
        """What each layer is."""
        return tuple(self.facts["tags"])

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader of the numbers should know."""
        return tuple(self.facts["notes"])

    @property
    def flow(self) -> dict[str, Any] | None:
        """How far along the flow of the theory the states are, or `None` where there are too few layers."""
        return self.facts["flow"]

    def mean(self, name: str, variant: str = "raw") -> np.ndarray:
        """A number by layer, averaged over prompts.

        Args:
            name: the name of a variable, such as "mean_cosine".
            variant: "raw", "without sinks", "centered" or "without rogues"; by default "raw".

        Returns:
            Numbers, shape (layers, ...); NaN where no prompt has one.

        Raises:
            InvalidInput: there is no such number, or no such variant.

        >>> import numpy as np
        >>> from tokenfield.layers import measure
        >>> measure(np.tile(np.eye(4), (3, 1, 1))).mean("effective_rank").round(9).tolist()
        [4.0, 4.0, 4.0]
        """
        if name not in self.dataset or "variant" not in self.dataset[name].dims:
            known = sorted(str(key) for key, values in self.dataset.items() if "variant" in values.dims)
            raise InvalidInput(f"there is no number {name!r} by layer: choose from {', '.join(known)}")
        if variant not in VARIANTS:
            raise InvalidInput(f"unknown variant {variant!r}: choose from {', '.join(VARIANTS)}")
        values = self.dataset[name].isel(variant=VARIANTS.index(variant))
        return over_prompts(values.values) if "prompt" in values.dims else values.values

    def to_xarray(self) -> xarray.Dataset:
        """The numbers as a dataset, with the facts in its attributes as JSON.

        Returns:
            A dataset that `from_xarray` turns back.

        >>> import numpy as np
        >>> from tokenfield.layers import measure
        >>> sorted(measure(np.random.default_rng(0).normal(size=(3, 6, 8))).to_xarray().sizes)[:3]
        ['axis', 'beta', 'bin']
        """
        return self.dataset.assign_attrs({FACTS: to_json(self.facts)})

    @staticmethod
    def from_xarray(dataset: xarray.Dataset) -> Layers:
        """The `Layers` that `to_xarray` made the dataset of.

        Args:
            dataset: the dataset, in memory.

        Returns:
            The same numbers and facts.

        Raises:
            InvalidInput: it holds no such numbers.

        >>> import numpy as np
        >>> from tokenfield.layers import measure
        >>> found = measure(np.random.default_rng(0).normal(size=(3, 6, 8)))
        >>> Layers.from_xarray(found.to_xarray()).facts["tokens"]
        [6]
        """
        try:
            facts = json.loads(dataset.attrs[FACTS])
            rest = {key: value for key, value in dataset.attrs.items() if key != FACTS}
            found = dataset.copy()
            found.attrs = rest
            return Layers(found.assign_coords(variant=list(VARIANTS)), facts)
        except (KeyError, TypeError, ValueError) as error:
            raise InvalidInput(f"this dataset holds no measured layers: {error!r}") from error

    def to_dict(self) -> dict[str, Any]:
        """Everything but histograms, projections and single prompts, as plain data for JSON.

        Returns:
            The facts, and under `layers` one entry for each layer with the means over prompts in each variant.

        >>> import numpy as np
        >>> from tokenfield.layers import measure
        >>> list(measure(np.random.default_rng(0).normal(size=(3, 6, 8))).to_dict()["layers"][0])[:3]
        ['tag', 'raw', 'without sinks']
        """
        names = [
            str(name) for name, values in self.dataset.items() if values.dims[:3] == ("prompt", "layer", "variant")
        ]
        pooled = [str(name) for name, values in self.dataset.items() if values.dims == ("layer", "variant")]
        table = {variant: {name: self.mean(name, variant) for name in (*names, *pooled)} for variant in VARIANTS}
        layers: list[dict[str, Any]] = [
            {"tag": tag} | {v: {name: column[k].tolist() for name, column in table[v].items()} for v in VARIANTS}
            for k, tag in enumerate(self.tags)
        ]
        for key in ("sinks", "rogues"):
            for k, layer in enumerate(layers):
                layer[key] = [entry for entry in self.facts[key] if entry["layer"] == k]
        rest = {key: value for key, value in self.facts.items() if key not in ("sinks", "rogues", "words")}
        return rest | {"layers": layers} | self._attention()

    def _attention(self) -> dict[str, Any]:
        names = [str(name) for name, values in self.dataset.items() if values.dims == ("prompt", "block", "head")]
        if not names:
            return {}
        return {"attention": {name: over_prompts(self.dataset[name].values).tolist() for name in names}}

    def __repr__(self) -> str:
        tokens, sinks = self.facts["tokens"], len(self.facts["sinks"])
        prompts = (
            f"1 prompt of {tokens[0]} tokens" if len(tokens) == 1 else f"{len(tokens)} prompts of {_range(tokens)}"
        )
        variant = "without sinks" if sinks else "raw"
        cosine, rank = self.mean("mean_cosine", variant), self.mean("effective_rank", variant)
        about = f"{self.facts['name']}: {len(self.tags)} layers, {prompts}, d = {self.facts['d']}"
        name = "mean cosine" if not sinks else "without sinks mean cosine"
        return (
            f"Layers({about}; {name} {cosine[0]:.2f} to {cosine[-1]:.2f}, "
            f"effective rank {rank[0]:.1f} to {rank[-1]:.1f})"
        )


def over_prompts(values: np.ndarray) -> np.ndarray:
    """The mean over the first axis without what is NaN; NaN where all are.

    Args:
        values: numbers by prompt, shape (prompts, ...).

    Returns:
        Means, shape (...).

    >>> over_prompts(np.array([[1.0, np.nan], [3.0, np.nan]])).tolist()
    [2.0, nan]
    """
    there = ~np.isnan(values)
    count = np.sum(there, axis=0)
    return np.where(count > 0, np.sum(np.where(there, values, 0.0), axis=0) / np.maximum(count, 1), np.nan)


def _range(tokens: list[int]) -> str:
    low, high = min(tokens), max(tokens)
    return f"{low} tokens" if low == high else f"{low} to {high} tokens"
