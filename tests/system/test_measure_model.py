"""`tokenfield measure --model`: a text goes into a real model, and its hidden states are measured."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from real_models import real_folder, real_model
from tokenfield.cli.root import app
from tokenfield.errors import InvalidInput
from tokenfield.study.reading import cut

TEXT = "The ferry left the harbor an hour late because the captain had lost his glasses. " * 3


@pytest.mark.slow
@pytest.mark.pretrained
def test_a_text_is_measured_beside_its_nulls(tmp_path):
    folder = real_folder("minilm")
    text = tmp_path / "text.txt"
    text.write_text(TEXT)
    command = ["measure", "--model", str(folder), "--text", str(text), "--tokens", "24", "--out", str(tmp_path / "out")]
    result = CliRunner().invoke(app, [*command, "--json"])
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    assert (tmp_path / "out" / "index.html").is_file() and found["page"].endswith("index.html")
    said = json.dumps(found)
    assert "random words" in said and "random weights" in said


@pytest.mark.slow
@pytest.mark.pretrained
def test_a_text_is_cut_into_prompts_of_whole_words():
    model = real_model("minilm")
    prompts = cut(TEXT, model, 16)
    assert all(3 < len(prompt) <= 16 for prompt in prompts)
    assert " ".join(prompt.text for prompt in prompts) == TEXT.strip()
    with pytest.raises(InvalidInput, match="at least two words"):
        cut(TEXT, model, 3)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--model", "minilm"], "a model needs a text"),
        (["--text", "a.txt"], "a model needs a text"),
        ([], "give hidden states to measure"),
        (["a.npy", "--model", "minilm", "--text", "a.txt"], "give hidden states to measure"),
    ],
)
def test_what_is_missing_is_said(arguments, words):
    result = CliRunner().invoke(app, ["measure", *arguments])
    assert result.exit_code == 2 and words in result.output and "Traceback" not in result.output
