"""Hidden states in every form in which users have them: the same numbers, or one line that says what is wrong."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

import tokenfield as tkf
from tokenfield.layers import Source, as_source

RNG = np.random.default_rng(0)
STATES = RNG.normal(size=(3, 5, 4))


def attention_of(blocks, heads, n):
    a = np.random.default_rng(1).uniform(size=(blocks, heads, n, n))
    return a / a.sum(axis=-1, keepdims=True)


def test_arrays_and_lists_of_them():
    assert as_source(STATES).passages[0].states is STATES
    assert as_source(STATES.astype(np.float16)).passages[0].states.dtype == np.float32
    both = as_source(np.stack([STATES, STATES]), mask=[[1, 1, 1, 1, 1], [1, 1, 1, 0, 0]])
    assert [passage.n for passage in both.passages] == [5, 3]
    several = as_source([STATES, STATES[:, :2]], words=[["a"] * 5, ["b"] * 2], name="mine")
    assert several.passages[1].word(1) == "b" and several.name == "mine" and several.tags[0] == "layer 0"


def test_padding_leaves_words_attention_and_parts():
    a, mask = attention_of(2, 3, 5), np.array([0, 1, 1, 1, 1])
    a[:, :, :, 0] = 0
    a /= a.sum(axis=-1, keepdims=True)
    fields = {"states": STATES, "attention": a, "mask": mask, "words": list("abcde"), "attention_part": STATES[1:]}
    (passage,) = as_source(fields).passages
    assert passage.states.shape == (3, 4, 4) and passage.words == ("b", "c", "d", "e")
    assert passage.attention.shape == (2, 3, 4, 4) and passage.attention_part.shape == (2, 4, 4)
    # words of the real tokens only are taken as well
    assert as_source(STATES, mask=mask, words=list("bcde")).passages[0].words == ("b", "c", "d", "e")


class Tensor:
    """As much of a tensor of PyTorch as is asked: it must be detached, moved and lifted before NumPy may see it."""

    def __init__(self, values, dtype="torch.bfloat16", ready=0):
        self._values, self.dtype, self._ready = values, dtype, ready

    def detach(self):
        return Tensor(self._values, self.dtype, 1)

    def cpu(self):
        return Tensor(self._values, self.dtype, self._ready + 1)

    def float(self):
        return Tensor(self._values, "torch.float32", self._ready)

    def __array__(self, dtype=None, copy=None):
        if self._ready != 2 or self.dtype != "torch.float32":
            raise TypeError("can't convert")
        return np.asarray(self._values, np.float32)


def test_outputs_of_transformers_as_they_are():
    batch = RNG.normal(size=(3, 2, 5, 4))  # layers, batch, tokens, d
    weights = np.stack([attention_of(2, 3, 5)] * 2, axis=1)
    output = SimpleNamespace(
        hidden_states=tuple(Tensor(x) for x in batch), attentions=tuple(Tensor(a) for a in weights)
    )
    found = as_source(output, mask=[[1] * 5, [1] * 5])
    assert found.tags == ("embedding", "layer 1", "layer 2") and len(found.passages) == 2
    assert np.allclose(found.passages[1].states, batch[:, 1], atol=1e-6)
    assert np.allclose(found.passages[1].attention, weights[:, 1], atol=1e-6)
    assert "after the final norm" in found.notes[0] and not as_source(output, tags="abc").notes
    without = SimpleNamespace(hidden_states=output.hidden_states, attentions=None)
    assert len(as_source([without, without]).passages) == 4
    with pytest.raises(tkf.InvalidInput, match="output_hidden_states=True"):
        as_source(SimpleNamespace(hidden_states=None))


@pytest.mark.slow
def test_a_live_model_of_transformers():
    torch, transformers = pytest.importorskip("torch"), pytest.importorskip("transformers")
    sizes = {"hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 32}
    config = transformers.BertConfig(vocab_size=50, attn_implementation="eager", **sizes)
    torch.manual_seed(0)
    model = transformers.BertModel(config).eval().to(torch.bfloat16)
    ids, mask = torch.arange(12).reshape(2, 6), torch.tensor([[1] * 6, [1] * 4 + [0] * 2])
    output = model(ids, attention_mask=mask, output_hidden_states=True, output_attentions=True)
    found = tkf.layers.measure(output, mask=mask)
    assert found.tags == ("embedding", "layer 1", "layer 2") and found.facts["tokens"] == [6, 4]
    assert found.dataset["attention_entropy"].shape == (2, 2, 4)
    assert any("after the final norm" in note for note in found.notes)
    last = output.hidden_states[2][1, :4].float().detach().numpy()
    u = last / np.linalg.norm(last, axis=1, keepdims=True)
    expected = (np.sum(u @ u.T) - 4) / 12
    assert found.dataset["mean_cosine"].values[1, 2, 0] == pytest.approx(expected, rel=1e-5)


def test_a_run_of_tokenfield():
    start = tkf.initial.uniform(tkf.Sphere(3), 6, seed=0)
    run = tkf.solve(tkf.Transformer(tkf.Sphere(3), tkf.Softmax(1.0)), start, t1=2.0, save=3)
    found = as_source(run)
    assert found.tags == ("t = 0", "t = 1", "t = 2") and np.allclose(found.passages[0].states, run.points)
    assert tkf.layers.measure(run).mean("mean_cosine")[-1] == pytest.approx(
        float(tkf.observables.mean_cosine(run.measure())), rel=1e-10
    )


WRONG = {
    "shape (layers, tokens, d), or with prompts in front, got (5, 4)": STATES[0],
    "prompt 1 has 3 layers and d = 3, prompt 0 has 3 and 4": [STATES, STATES[:, :, :3]],
    "a prompt needs a layer, two tokens and a dimension": STATES[:, :1],
    "must be finite: 1 NaN or infinite entries, the first at (0, 2, 1)": np.where(
        np.indices(STATES.shape).sum(0) * 0 + (np.arange(60).reshape(3, 5, 4) == 9), np.nan, STATES
    ),
    "unknown array 'sates'; did you mean 'states'?": {"sates": STATES},
    "there is no array 'states', only: words": {"words": ["a"]},
    "there are 5 tokens but 2 words": {"states": STATES, "words": ["a", "b"]},
    "there are 1 prompts but words of 2": {"states": STATES, "words": [["a"] * 5, ["b"] * 5]},
    "rows of attention must be >= 0 and sum to 1": {"states": STATES, "attention": np.ones((2, 1, 5, 5))},
    "attention must have shape (blocks, heads, 5, 5), got (2, 1, 4, 4)": {
        "states": STATES,
        "attention": attention_of(2, 1, 4),
    },
    "attention_part must have shape (2, 5, 4), one row for each block, got (3, 5, 4)": {
        "states": STATES,
        "attention_part": STATES,
    },
    "the mask has rows of [3] tokens, the prompts have [5]": {"states": STATES, "mask": [1, 1, 1]},
    "there are 3 layers but 1 tags": {"states": STATES, "tags": ["embedding"]},
    "hidden states must be real numbers in arrays of one shape": "states",
}


@pytest.mark.parametrize("message", WRONG)
def test_what_cannot_be_measured_is_said_in_one_line(message):
    with pytest.raises(tkf.InvalidInput) as caught:
        as_source(WRONG[message])
    assert message in str(caught.value) and "\n" not in str(caught.value)


def test_attention_must_be_there_for_all_prompts_or_none():
    one, two = (as_source(STATES, attention=a).passages[0] for a in (attention_of(2, 1, 5), None))
    with pytest.raises(tkf.InvalidInput, match="attention must be given for all prompts"):
        Source((one, two))


@pytest.mark.parametrize("option", [{"sink_ratio": 1.0}, {"rogue_ratio": 0}, {"delta": 4.0}, {"betas": [-1.0]}])
def test_options_out_of_range(option):
    with pytest.raises(tkf.InvalidInput):
        tkf.layers.measure(STATES, **option)
