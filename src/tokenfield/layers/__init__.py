"""Measures of anyone's hidden states: whether, where and how fast the tokens of a real model collapse.

    found = tokenfield.layers.measure(model(**inputs, output_hidden_states=True, output_attentions=True))
    found.mean("effective_rank", "without sinks")      # by layer
    found.to_xarray()

No model is known here: arrays come in, numbers go out. docs/layers.md says what each number means.

    source.py     what is measured: states of prompts, in any form in which users have them
    files.py      the same from .npz, .npy and .safetensors
    variants.py   raw, without sinks, centered, without rogue coordinates
    cloud.py      numbers of one prompt at one layer
    between.py    numbers between layers: distances moved, similarity
    attention.py  numbers of attention matrices
    facts.py      who the sinks are, whether parts add up
    curves.py     the mean cosine against time, by the theory and simulated
    flow.py       the part of such a curve that fits, intervals, nulls
    place.py      the same in each variant
    measuring.py  all of it
    result.py     `Layers`, what comes out
"""

from tokenfield.layers.measuring import measure
from tokenfield.layers.result import Layers
from tokenfield.layers.source import Passage, Source, as_source

__all__ = ["Layers", "Passage", "Source", "as_source", "measure"]
