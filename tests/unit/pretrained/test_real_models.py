"""The two real models of the catalog: their states equal those of `transformers`, their words those of the files."""

from __future__ import annotations

import time

import jax.numpy as jnp
import numpy as np
import pytest

import tokenfield as tkf
from real_models import real_folder, real_model
from tokenfield.pretrained import Prompt, load

pytestmark = [pytest.mark.pretrained, pytest.mark.slow]

SENTENCE = "In 1915 Einstein's theory said: light bends — naïve pictures don't.\nEight minutes, 30 seconds."
# float32 through 30 layers: rounding is 1e-7 of a token, and was seen to grow to 3e-6
TOLERANCE = 1e-4


def theirs(name: str):
    """The model of transformers, in float32."""
    transformers = pytest.importorskip("transformers", reason="transformers is not installed")
    pytest.importorskip("torch", reason="PyTorch is not installed")
    folder = real_folder(name)
    if name == "minilm":
        return transformers.AutoModel.from_pretrained(folder, local_files_only=True).eval()
    pytest.importorskip("accelerate", reason="transformers reads GGUF files with accelerate")
    (file,) = folder.glob("*.gguf")
    kind = transformers.AutoModelForCausalLM
    return kind.from_pretrained(folder, gguf_file=file.name, local_files_only=True).eval()


@pytest.mark.reference
@pytest.mark.parametrize("name", ["minilm", "smollm2"])
def test_states_equal_those_of_transformers(name):
    import torch

    ours, reference = real_model(name), theirs(name)
    prompt = Prompt.from_text(SENTENCE, ours)
    states = ours.states(prompt)
    with torch.no_grad():
        out = reference(input_ids=torch.tensor(prompt.ids[None]), output_hidden_states=True)
    expected = [h[0].numpy() for h in out.hidden_states]
    # the last of theirs is after the final norm where there is one; ours have that as one more row
    rows = [*range(ours.layers), -1]
    assert len(expected) == len(rows)
    for row, points in zip(rows, expected, strict=True):
        # token by token: in smollm2 the first one is a hundred times as long as the others
        errors = np.linalg.norm(states.arrays[row] - points, axis=1) / np.linalg.norm(points, axis=1)
        assert errors.max() < TOLERANCE, f"{states.tags[row]}: {errors}"


@pytest.mark.parametrize("name", ["minilm", "smollm2"])
def test_the_solver_runs_the_same_network(name):
    model = real_model(name)
    prompt = Prompt.from_text("Depth is time.", model)
    states = model.states(prompt).layers
    run = tkf.solve(model.transformer, prompt.measure, t1=model.layers, layers=model.layers, save="end")
    np.testing.assert_allclose(
        run.points[-1], states.arrays[-1], rtol=1e-4, atol=1e-4 * np.abs(states.arrays[-1]).max()
    )


def test_smollm2_says_paris():
    model = real_model("smollm2")
    states = model.states(Prompt.from_text("The capital of France is", model))
    logits = states["after the final norm"][-1] @ model.unembedding.T
    assert model.tokenizer.words([int(jnp.argmax(logits))]) == (" Paris",)


def test_words_of_smollm2_are_those_of_its_file():
    model = real_model("smollm2")
    prompt = Prompt.from_text("naïve — don't 2026\n<|im_end|>", model)
    assert model.tokenizer.text(prompt.ids) == "naïve — don't 2026\n"
    assert "".join(prompt.words).replace("↵", "\n").startswith("na")
    assert [word for word in prompt.words if word.strip().isdigit()] == ["2", "0", "2", "6"]
    assert prompt.words[-1] == "<|im_end|>"


@pytest.mark.reference
def test_tokens_of_smollm2_are_those_of_transformers():
    transformers = pytest.importorskip("transformers", reason="transformers is not installed")
    folder = real_folder("smollm2")
    (file,) = folder.glob("*.gguf")
    reference = transformers.AutoTokenizer.from_pretrained(folder, gguf_file=file.name, local_files_only=True)
    ours = real_model("smollm2").tokenizer
    for text in (SENTENCE, "  two  spaces\t tab", "x = [1, 22, 333]", "日本語 🙂"):
        assert ours.ids(text).tolist() == reference(text)["input_ids"], text


def test_minilm_cuts_words_and_adds_its_own():
    model = real_model("minilm")
    assert Prompt.from_text("Tokenfields!", model).words == ("[CLS]", "token", "##fields", "!", "[SEP]")
    long = "word " * 600
    with pytest.raises(tkf.InvalidInput, match=r"602 tokens, .* reads 512 at most"):
        Prompt.from_text(long, model)


def test_facts_of_the_catalog_are_those_of_the_files():
    from tokenfield.pretrained import entries

    for entry in entries():
        model = real_model(entry.name)
        assert (model.architecture, model.layers, model.d, model.heads) == (
            entry.architecture,
            entry.layers,
            entry.d,
            entry.heads,
        )
        said = (entry.folder / "README.md" if entry.name == "minilm" else entry.folder / "METADATA").read_text()
        assert "license: apache-2.0" in said.lower()
    assert real_model("smollm2").parameters == 134_515_008
    assert real_model("smollm2").config["license"] == "apache-2.0"


def test_smollm2_is_loaded_in_five_seconds_of_computing():
    folder = real_folder("smollm2")
    start = time.process_time()  # other processes do not count
    load(folder)
    assert time.process_time() - start < 5.0
