"""Words of folders that have no tokenizer.json: the same tokens as `transformers` makes of the same files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import tokenfield as tkf
from tokenfield.pretrained.tokenizer import BYTES, from_folder

pytest.importorskip("tokenizers", reason="tokenizers is not installed: pip install 'tokenfield[pretrained]'")

TEXT = "Lower newer 2026 na\u00efve\u2028low <mask> lowlow"
MERGES = ["l o", "lo w", "\u0120 low", "n e", "ne w", "2 0"]
# what each model has besides bytes and pairs
SPECIAL = {
    "gpt2": ["<|endoftext|>"],
    "roberta": ["<s>", "<pad>", "</s>", "<unk>", "<mask>"],
    "qwen2": ["<|endoftext|>"],
}


def byte_pairs(folder: Path, kind: str) -> Path:
    """A folder with a small vocabulary of byte pairs."""
    pieces = [*SPECIAL[kind], *BYTES, *(merge.replace(" ", "") for merge in MERGES)]
    numbers = {piece: i for i, piece in enumerate(pieces)}
    (folder / "vocab.json").write_text(json.dumps(numbers), encoding="utf-8")
    (folder / "merges.txt").write_text("\n".join(["#version: 0.2", *MERGES, ""]), encoding="utf-8")
    (folder / "config.json").write_text(json.dumps({"model_type": kind}))
    return folder


def word_pieces(folder: Path, **settings: bool) -> Path:
    """A folder with a small vocabulary of word pieces, one of which looks like the end of a line."""
    pieces = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "\u2028", "low", "Low", "##er", "new", "2026", "na"]
    pieces += ["##ive", "##\u00efve", "##low", "<", ">", "mask"]
    (folder / "vocab.txt").write_text("\n".join([*pieces, ""]), encoding="utf-8")
    (folder / "config.json").write_text(json.dumps({"model_type": "bert"}))
    (folder / "tokenizer_config.json").write_text(json.dumps({"tokenizer_class": "BertTokenizer", **settings}))
    return folder


def test_what_stands_around_a_text_depends_on_the_model(tmp_path):
    words = from_folder(byte_pairs(tmp_path, "roberta"))
    assert words.words(words.ids("low low<mask>")) == ("<s>", "low", " low", "<mask>", "</s>")
    words = from_folder(byte_pairs(tmp_path, "gpt2"))
    assert words.words(words.ids("low low<|endoftext|>")) == ("low", " low", "<|endoftext|>")
    assert words.ids("20").size == 1
    assert from_folder(byte_pairs(tmp_path, "qwen2")).ids("20").size == 2  # digit by digit
    # how another model cuts texts is not known
    (tmp_path / "config.json").write_text(json.dumps({"model_type": "llama"}))
    assert from_folder(tmp_path) is None
    (tmp_path / "config.json").write_text(json.dumps({"model_type": "roberta"}))
    with pytest.raises(tkf.FileError, match="it has no <s> or no </s>"):
        from_folder(tmp_path).ids("low")


def test_word_pieces_are_numbered_by_newlines_alone(tmp_path):
    words = from_folder(word_pieces(tmp_path))
    assert words.words(words.ids("Lower na\u00efve")) == ("[CLS]", "low", "##er", "na", "##ive", "[SEP]")
    words = from_folder(word_pieces(tmp_path, do_lower_case=False))
    assert words.words(words.ids("Lower na\u00efve")) == ("[CLS]", "Low", "##er", "na", "##\u00efve", "[SEP]")


@pytest.mark.reference
@pytest.mark.slow
@pytest.mark.parametrize("kind", ["gpt2", "roberta", "qwen2", "bert", "bert, cased", "bert, with accents"])
def test_tokens_are_those_of_transformers(tmp_path, kind):
    transformers = pytest.importorskip("transformers", reason="transformers is not installed")
    settings = {
        "bert": {},
        "bert, cased": {"do_lower_case": False},
        "bert, with accents": {"do_lower_case": True, "strip_accents": False},
    }
    folder = word_pieces(tmp_path, **settings[kind]) if kind in settings else byte_pairs(tmp_path, kind)
    theirs = transformers.AutoTokenizer.from_pretrained(folder, local_files_only=True)
    ours = from_folder(folder)
    for text in (TEXT, "low", "  20 low\n\nnew's LOW", "[MASK] low", "<|endoftext|>low"):
        assert ours.ids(text).tolist() == theirs(text)["input_ids"], text
