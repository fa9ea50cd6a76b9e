"""How the tensors of each family of models become the parts of a `Transformer`.

A layout is a function of a `Checkpoint` (the numbers of config.json and the tensors) that returns a `Network`, and one
line of `LAYOUTS` for each `model_type` that it reads.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable

from tokenfield.errors import Unsupported, did_you_mean
from tokenfield.pretrained.layouts.checkpoint import Checkpoint, Network

# model_type in config.json -> module of this folder, function
LAYOUTS = {
    "bert": ("bert", "bert"),
    "roberta": ("bert", "roberta"),
    "xlm-roberta": ("bert", "roberta"),
    "camembert": ("bert", "roberta"),
    "electra": ("bert", "electra"),
    "distilbert": ("distilbert", "distilbert"),
    "albert": ("albert", "albert"),
    "gpt2": ("gpt2", "gpt2"),
    "llama": ("llama", "llama"),
    "mistral": ("llama", "mistral"),
    "qwen2": ("llama", "qwen2"),
    "vit": ("vit", "vit"),
}


def build(checkpoint: Checkpoint) -> Network:
    """The network of a checkpoint.

    Raises `Unsupported` if its `model_type` has no layout, or its weights have something that the layout does not know.
    """
    kind = checkpoint.config.get("model_type")
    if not isinstance(kind, str) or kind not in LAYOUTS:
        raise Unsupported(f"no layout for the architecture '{kind}'{did_you_mean(str(kind), LAYOUTS)}")
    module, function = LAYOUTS[kind]
    layout: Callable[[Checkpoint], Network] = getattr(importlib.import_module(f"{__name__}.{module}"), function)
    if quantized := checkpoint.config.get("quantization_config"):
        method = quantized.get("quant_method") if isinstance(quantized, dict) else quantized
        method = getattr(method, "value", method)
        if method != "gguf":  # a live model that came from such a file has floats
            raise Unsupported(f"the weights are quantized ({method}): only those in GGUF files can be read")
    network = layout(checkpoint)
    checkpoint.tensors.refuse_left_in_layers()
    return network
