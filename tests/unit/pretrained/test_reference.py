"""States of every layout equal those of `transformers`, for small models with random weights.

transformers computes two things in float32 whatever the type of the model: the tables of rotary positions, and RMSNorm.
In float64 these casts are lifted in the reference, see `lift_casts`.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tokenfield as tkf
from tokenfield.pretrained import Prompt, load

torch: Any = None
transformers: Any = None
pytestmark = [pytest.mark.reference, pytest.mark.slow]


@pytest.fixture(scope="module", autouse=True)
def _reference() -> None:
    """Imports what is compared with, which takes seconds, when a test runs and not when tests are collected."""
    global torch, transformers
    torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'tokenfield[reference]'")
    transformers = pytest.importorskip(
        "transformers", reason="transformers is not installed: see tokenfield[reference]"
    )


SIZE = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 48}
TEXT = SIZE | {"vocab_size": 50, "max_position_embeddings": 24}
GROUPED = TEXT | {"num_key_value_heads": 2}
GPT2 = {
    "vocab_size": 50,
    "n_embd": 32,
    "n_layer": 2,
    "n_head": 4,
    "n_positions": 24,
    "bos_token_id": 1,
    "eos_token_id": 1,
}
DISTILBERT = {
    "vocab_size": 50,
    "max_position_embeddings": 24,
    "dim": 32,
    "n_layers": 2,
    "n_heads": 4,
    "hidden_dim": 48,
    "activation": "relu",
}
LLAMA3 = {
    "rope_type": "llama3",
    "rope_theta": 100.0,
    "factor": 4.0,
    "low_freq_factor": 1.0,
    "high_freq_factor": 4.0,
    "original_max_position_embeddings": 16,
}
LINEAR = {"rope_type": "linear", "rope_theta": 100.0, "factor": 4.0}
WINDOW = {"use_sliding_window": True, "sliding_window": 3, "max_window_layers": 0}
# a name of the case -> the model of transformers, its configuration, what else the configuration says
MODELS: dict[str, tuple[str, str, dict[str, Any]]] = {
    "bert": ("BertModel", "BertConfig", TEXT),
    "bert with a head": ("BertForMaskedLM", "BertConfig", TEXT | {"hidden_act": "relu"}),
    "roberta": ("RobertaModel", "RobertaConfig", TEXT | {"pad_token_id": 1}),
    "roberta with padding among words": ("RobertaModel", "RobertaConfig", TEXT | {"pad_token_id": 3}),
    "electra": ("ElectraModel", "ElectraConfig", TEXT | {"embedding_size": 32}),
    "electra with a small embedding": ("ElectraForMaskedLM", "ElectraConfig", TEXT | {"embedding_size": 12}),
    "distilbert": ("DistilBertForMaskedLM", "DistilBertConfig", DISTILBERT),
    "albert": ("AlbertModel", "AlbertConfig", TEXT | {"embedding_size": 16}),
    "albert with groups": ("AlbertModel", "AlbertConfig", TEXT | {"embedding_size": 16, "num_hidden_groups": 2}),
    "gpt2": ("GPT2LMHeadModel", "GPT2Config", GPT2),
    "gpt2 scaled by depth": ("GPT2Model", "GPT2Config", GPT2 | {"scale_attn_by_inverse_layer_idx": True}),
    "llama": ("LlamaForCausalLM", "LlamaConfig", GROUPED | {"tie_word_embeddings": True}),
    "llama with biases": ("LlamaForCausalLM", "LlamaConfig", GROUPED | {"attention_bias": True, "mlp_bias": True}),
    "llama with scaled positions": ("LlamaModel", "LlamaConfig", GROUPED | {"rope_parameters": LLAMA3}),
    "mistral": ("MistralForCausalLM", "MistralConfig", GROUPED | {"sliding_window": 3}),
    "mistral with wide heads": ("MistralModel", "MistralConfig", GROUPED | {"head_dim": 12, "rope_parameters": LINEAR}),
    "qwen2": ("Qwen2ForCausalLM", "Qwen2Config", GROUPED),
    "qwen2 with a window": ("Qwen2Model", "Qwen2Config", GROUPED | WINDOW),
    "vit": ("ViTModel", "ViTConfig", SIZE | {"image_size": 12, "patch_size": 4}),
    "vit without biases": ("ViTModel", "ViTConfig", SIZE | {"image_size": 12, "patch_size": 4, "qkv_bias": False}),
}
IDS = [7, 3, 3, 41, 12, 0, 29, 5, 18]
IMAGE = np.random.default_rng(1).normal(size=(3, 12, 12))
# rounding of float32 grows over two layers of random weights, to 3e-6 at most; of float64 to 1e-14
TOLERANCES = {"float32": 1e-5, "float64": 1e-10}


def small_model(name: str, dtype: str) -> Any:
    """The model of transformers, with weights that make attention and norms matter, and gains of both signs."""
    kind, config, numbers = MODELS[name]
    torch.manual_seed(0)
    model = getattr(transformers, kind)(getattr(transformers, config)(**numbers)).eval()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.normal_(0.0, 0.4)
    if dtype == "float64":
        lift_casts(model.double())
    return model


def lift_casts(model: Any) -> None:
    """Makes rotary tables and RMSNorm of a model in float64 compute in float64: transformers does both in float32."""
    for module in model.modules():
        if type(module).__name__.endswith("RMSNorm"):
            module.forward = rms_norm(module)
        elif type(module).__name__.endswith("RotaryEmbedding"):
            module.forward = rotary_tables(module)


def rms_norm(module: Any) -> Callable[[Any], Any]:
    def forward(x: Any) -> Any:
        return module.weight * (x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + module.variance_epsilon))

    return forward


def rotary_tables(module: Any) -> Callable[[Any, Any], Any]:
    said = module.config.rope_parameters
    size = getattr(module.config, "head_dim", None) or module.config.hidden_size // module.config.num_attention_heads
    frequencies = said["rope_theta"] ** (-torch.arange(0, size, 2, dtype=torch.float64) / size)
    if said["rope_type"] == "linear":
        frequencies = frequencies / said["factor"]
    if said["rope_type"] == "llama3":
        # written as in transformers.modeling_rope_utils, where it is float32 again
        length = said["original_max_position_embeddings"]
        wavelengths = 2 * torch.pi / frequencies
        low, high = length / said["low_freq_factor"], length / said["high_freq_factor"]
        slow = torch.where(wavelengths > low, frequencies / said["factor"], frequencies)
        smooth = (length / wavelengths - said["low_freq_factor"]) / (said["high_freq_factor"] - said["low_freq_factor"])
        between = (1 - smooth) * slow / said["factor"] + smooth * slow
        frequencies = torch.where((wavelengths >= high) & (wavelengths <= low), between, slow)

    def forward(x: Any, position_ids: Any) -> Any:
        angles = position_ids[..., None].double() * frequencies
        both = torch.cat((angles, angles), dim=-1)
        return both.cos(), both.sin()

    return forward


def reference_states(model: Any, dtype: str, *, is_image: bool) -> dict[str, np.ndarray]:
    """What leaves the embedding, each attention and each layer in transformers, by the tags of `States`."""
    found: dict[str, np.ndarray] = {}
    plain = lambda x: (x[0] if isinstance(x, tuple) else x).detach().numpy()[0]  # noqa: E731

    def keep(tag: str) -> Callable[..., None]:
        return lambda module, inputs, output=None: found.update({tag: plain(inputs if output is None else output)})

    base = getattr(model, model.base_model_prefix, model)
    shared = getattr(getattr(base, "encoder", None), "albert_layer_groups", None)
    if shared is not None:  # one module acts several times: hooks count
        watch_albert(base.encoder, found, plain)
    else:
        for i, layer in enumerate(layers_of(base), start=1):
            layer.register_forward_hook(keep(f"layer {i}"))
            names = ("post_attention_layernorm", "ln_2", "layernorm_after", "ffn")
            following = next((getattr(layer, name) for name in names if hasattr(layer, name)), None)
            if following is not None:  # attention is what enters the next norm, or the perceptron where that has none
                following.register_forward_pre_hook(keep(f"layer {i} attention"))
            else:
                layer.attention.output.register_forward_hook(keep(f"layer {i} attention"))
    with torch.no_grad():
        if is_image:
            out = base(pixel_values=torch.tensor(IMAGE[None], dtype=getattr(torch, dtype)), output_hidden_states=True)
        else:
            out = base(input_ids=torch.tensor([IDS]), output_hidden_states=True)
    found["embedding"] = plain(out.hidden_states[0])
    found["last"] = plain(out.last_hidden_state)
    return found


def layers_of(base: Any) -> Any:
    if hasattr(base, "encoder"):
        return base.encoder.layer
    if hasattr(base, "transformer"):
        return base.transformer.layer
    return base.h if hasattr(base, "h") else base.layers


def watch_albert(encoder: Any, found: dict[str, np.ndarray], plain: Callable[[Any], np.ndarray]) -> None:
    count = {"attention": 0, "layer": 0}

    def attention(module: Any, inputs: Any, output: Any) -> None:
        count["attention"] += 1
        found[f"layer {count['attention']} attention"] = plain(output)

    def layer(module: Any, inputs: Any, output: Any) -> None:
        count["layer"] += 1
        found[f"layer {count['layer']}"] = plain(output)

    for group in encoder.albert_layer_groups:
        group.albert_layers[0].attention.register_forward_hook(attention)
        group.register_forward_hook(layer)


def prompt_for(model: Any) -> Prompt:
    return Prompt.from_image(IMAGE, model) if model.architecture == "vit" else Prompt.from_ids(IDS, model)


def assert_same_states(ours: Any, theirs: Any, dtype: str) -> None:
    states = ours.states(prompt_for(ours), sublayers=True)
    expected = reference_states(theirs, dtype, is_image=ours.architecture == "vit")
    last = expected.pop("last")
    assert set(expected) == {tag for tag in states.tags if tag != "after the final norm"}
    assert states.arrays.dtype == dtype
    for tag, points in [*expected.items(), (states.tags[-1], last)]:
        error = np.abs(states[tag] - points).max() / np.abs(points).max()
        assert error < TOLERANCES[dtype], f"{tag}: {error}"


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", MODELS)
def test_states_equal_those_of_transformers(name, dtype):
    theirs = small_model(name, dtype)
    ours = load(theirs, dtype=dtype)
    assert_same_states(ours, theirs, dtype)


# what a configuration may say beside what the folder was written with: read as transformers reads it, or refused
SAID: list[tuple[str, dict[str, Any]]] = [
    ("bert", {"hidden_act": "gelu_python", "layer_norm_eps": 0.3, "activation_function": "relu"}),
    ("bert", {"is_causal": True}),
    ("roberta", {"pad_token_id": 0}),
    ("albert", {"num_hidden_layers": 3, "hidden_act": "gelu_new"}),
    ("albert", {"is_causal": True}),
    ("gpt2", {"activation_function": "relu", "hidden_act": "gelu", "layer_norm_epsilon": 0.2}),
    ("gpt2", {"num_hidden_layers": 1}),
    ("gpt2", {"is_causal": False}),
    ("llama", {"sliding_window": 3, "rotary_dims": 2, "pretraining_tp": 2, "rms_norm_eps": 0.2}),
    ("llama", {"rope_scaling": {"type": "linear", "factor": 3.0}, "rope_theta": 50.0, "rope_parameters": None}),
    ("llama", {"is_causal": False}),
    ("llama", {"partial_rotary_factor": 0.5}),
    ("mistral", {"sliding_window": 1}),
    ("mistral", {"layer_types": ["full_attention", "sliding_attention"]}),
    ("qwen2", {"layer_types": None, **WINDOW}),
    ("qwen2", {"layer_types": None, **WINDOW, "max_window_layers": 1}),
    ("vit", {"is_causal": True}),
    ("distilbert", {"sinusoidal_pos_embds": True}),
]


@pytest.mark.parametrize(("name", "said"), SAID)
def test_what_a_configuration_says_is_read_as_transformers_reads_it_or_refused(name, said, tmp_path):
    small_model(name, "float32").save_pretrained(tmp_path)
    file = tmp_path / "config.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | said))
    try:
        ours = load(tmp_path)
    except tkf.Unsupported as error:
        assert any(f"{key} = " in str(error) for key in said), error
        return
    theirs = transformers.AutoModel.from_pretrained(tmp_path, local_files_only=True, dtype=torch.float32).eval()
    assert_same_states(ours, theirs, "float32")


@pytest.mark.parametrize(
    "name",
    ["bert with a head", "albert", "distilbert", "electra with a small embedding", "gpt2", "llama", "qwen2", "vit"],
)
def test_a_folder_that_transformers_wrote_is_the_live_model(name, tmp_path):
    theirs = small_model(name, "float32")
    theirs.save_pretrained(tmp_path, max_shard_size="20KB" if name == "gpt2" else "1GB")
    assert (len(list(tmp_path.glob("*.safetensors"))) > 1) == (name == "gpt2")
    live, folder = load(theirs), load(tmp_path)
    assert np.array_equal(live.states(prompt_for(live)).arrays, folder.states(prompt_for(folder)).arrays)


def test_the_law_of_the_next_token_is_that_of_transformers():
    for name in ("gpt2", "llama", "llama with biases"):
        theirs = small_model(name, "float32")
        ours = load(theirs)
        with torch.no_grad():
            expected = theirs(input_ids=torch.tensor([IDS])).logits[0].numpy()
        logits = ours.states(prompt_for(ours)).arrays[-1] @ ours.unembedding.T
        np.testing.assert_allclose(logits, expected, atol=1e-5 * np.abs(expected).max())
