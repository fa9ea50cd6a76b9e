"""From points to words: laws over a vocabulary, their entropies, and how they form in depth."""

from __future__ import annotations

import json
from pathlib import Path

import jax.numpy as jnp
import numpy as np
import pytest

import tokenfield as tkf
from command_line import error_of, in_a_folder_of_its_own, tokenfield  # noqa: F401
from small_models import WORDS, arrays, write_folder
from tokenfield.pretrained import Prompt, load, next_words, readout
from tokenfield.pretrained.vocabulary import _fitting

pytest.importorskip("safetensors", reason="safetensors is not installed: pip install 'tokenfield[pretrained]'")
tokenizers = pytest.importorskip("tokenizers", reason="tokenizers is not installed")

TEXT = "w3 w28 w3 w0 w11"


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """A small Llama whose words are w0, w1, ..."""
    folder = write_folder(tmp_path_factory.mktemp("llama"), "llama")
    words = tokenizers.Tokenizer(tokenizers.models.WordLevel({f"w{i}": i for i in range(WORDS)}, unk_token="w0"))
    words.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    words.save(str(folder / "tokenizer.json"))
    return folder


@pytest.fixture(scope="module")
def model(folder):
    return load(folder, dtype="float64")


def entropy(law) -> float:
    return float(-np.sum(law * np.log(np.where(law > 0, law, 1.0))))


def test_clusters_at_orthogonal_words_say_one_word_each():
    words = jnp.eye(6)
    for k in (1, 2, 3):
        tokens = tkf.Measure(np.repeat(np.eye(6)[:k], 4, axis=0))
        law = readout(tokens, words, temperature=0.01)
        # the other words have e^{-100}
        np.testing.assert_allclose(law, [1 / k] * k + [0.0] * (6 - k), atol=1e-12)
        assert entropy(law) == pytest.approx(np.log(k), abs=1e-12)
    uniform = readout(tkf.Measure(np.eye(6)[:1]), words, temperature=1e9)
    assert entropy(uniform) == pytest.approx(np.log(6), abs=1e-8)  # hot: all words alike, up to 1e-9


def test_laws_are_softmax_of_normalized_points(model):
    prompt = Prompt.from_text(TEXT, model)
    states = model.states(prompt)
    laws = np.asarray(readout(states, model, temperature=0.7))
    weights = arrays("llama")
    x = np.asarray(states["layer 1"])
    x = weights["model.norm.weight"] * x / np.sqrt(np.mean(x**2, axis=1, keepdims=True) + 1e-5)
    logits = x @ weights["model.embed_tokens.weight"].T / 0.7
    expected = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    assert laws.shape == (4, 5, WORDS)
    np.testing.assert_allclose(laws[1], expected, rtol=1e-10)
    # the last state has had its norm, and must not have it twice
    np.testing.assert_allclose(laws[-1], laws[-2], rtol=1e-10)
    np.testing.assert_allclose(readout(states["layer 1"][2], model, temperature=0.7), expected[2], rtol=1e-10)


def test_next_words_in_depth(model):
    prompt = Prompt.from_text(TEXT, model)
    found = next_words(prompt, top=3)
    laws = np.asarray(readout(model.states(prompt).layers, model))[:, -1]
    assert found.tags == ("embedding", "layer 1", "layer 2") and found.text == TEXT
    for row, law in enumerate(laws):
        assert found.words[row][0] == f"w{law.argmax()}"
        assert found.probabilities[row][0] == pytest.approx(law.max(), rel=1e-12)
        assert found.entropies[row] == pytest.approx(entropy(law), rel=1e-12)
        assert found.distances[row] == pytest.approx(np.abs(law - laws[-1]).sum() / 2, rel=1e-9, abs=1e-15)
        assert found.final_probabilities[row][0] == pytest.approx(law[laws[-1].argmax()], rel=1e-12)
    assert found.distances[-1] == 0.0 and found.distances[0] > 0.01
    picture = tkf.plot.next_words(found)
    assert [len(axes.lines) for axes in picture.figure.axes] == [1, 1, 3]
    assert picture.figure.axes[2].get_xticklabels()[-1].get_text().startswith(found.words[-1][0])


def test_what_has_no_law_is_said(model, tmp_path):
    encoder = load(write_folder(tmp_path, "bert"))
    with pytest.raises(tkf.InvalidInput, match="gives no law of the next word: take a causal model"):
        next_words(Prompt.from_ids([1, 2], encoder))
    with pytest.raises(tkf.InvalidInput, match="temperature must be a positive number, got 0"):
        readout(jnp.zeros((2, 16)), model, temperature=0)
    with pytest.raises(tkf.InvalidInput, match=r"points must have shape \(\.\.\., 16\)"):
        readout(jnp.zeros((2, 15)), model)
    with pytest.raises(tkf.TooLarge, match="take fewer points"):
        _fitting(Many(), model.unembedding)


class Many:
    """The shape of more points than there is memory for."""

    ndim, shape, size = 2, (10**13, 16), 16 * 10**13


def test_the_command(folder, monkeypatch, tmp_path):
    monkeypatch.setenv("TOKENFIELD_CACHE", str(tmp_path / "empty"))
    said = json.loads(tokenfield("next", TEXT, "--model", folder, "--top", "3", "--json").stdout)
    assert [sorted(row) for row in said["next"]] == [["probability", "word"]] * 3 and "depth" not in said
    result = tokenfield("next", TEXT, "--model", folder, "--depth", "--out", "law.svg")
    assert result.exit_code == 0 and said["next"][0]["word"] in result.stdout
    assert "layer 2" in result.stdout and Path("law.svg").stat().st_size > 1000
    assert "the model 'smollm2' is not there yet: tokenfield pretrained fetch smollm2" in error_of("next", TEXT)
    assert "no tokens" in error_of("next", "", "--model", folder)
