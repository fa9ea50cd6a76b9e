"""`Tokenizer`: text to the numbers of tokens and back, as the model's own files say it.

From tokenizer.json, from the vocabularies of BERT and GPT-2, or from what a GGUF file says. The package `tokenizers`
does the work, and is imported when the first text comes.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from jax.typing import ArrayLike

from tokenfield.errors import FileError, InvalidInput, Unsupported
from tokenfield.pretrained.packages import needed

# how llama.cpp cuts text before pairs of bytes are merged: the name in the file -> the regular expression of the cut
CUTS = {
    "llama-bpe": (
        r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+"
        r"|\s+(?!\S)|\s+"
    ),
    "qwen2": (
        r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+"
        r"|\s+(?!\S)|\s+"
    ),
}
AS_GPT2 = {"gpt-2", "roberta", "default", ""}
# the same for folders that have vocab.json and merges.txt: model_type -> the name of the cut
CUT_BY_MODEL = {"gpt2": "gpt-2", "roberta": "roberta", "qwen2": "qwen2"}
SETTINGS = "tokenizer_config.json"
SPECIAL = ("<|endoftext|>", "<s>", "</s>", "<pad>", "<unk>", "<mask>")  # matched as a whole by these models
DIGIT_BY_DIGIT = {"smollm", "starcoder", "refact", "command-r"}
CONTROL, USER_DEFINED = 3, 4  # types of tokens in GGUF files that are matched as a whole


class Tokenizer:
    """Text to tokens and back.

    Args:
        make: Makes the `tokenizers.Tokenizer`; called when the first text comes.

    >>> from tokenizers import Tokenizer as Inner, models, pre_tokenizers
    >>> inner = Inner(models.WordLevel({"a": 0, "rose": 1, "?": 2}, unk_token="?"))
    >>> inner.pre_tokenizer = pre_tokenizers.Whitespace()
    >>> some = Tokenizer(lambda: inner)
    >>> some.ids("a rose is").tolist(), some.words([1, 0])
    ([0, 1, 2], ('rose', 'a'))
    """

    def __init__(self, make: Callable[[], Any]):
        self._make = make

    @cached_property
    def _inner(self) -> Any:
        inner = self._make()
        inner.no_padding()
        inner.no_truncation()  # files may say that texts are cut or filled up
        return inner

    @cached_property
    def _pieces(self) -> list[str]:
        """The token of each number; numbers without one are empty."""
        vocabulary = self._inner.get_vocab(with_added_tokens=True)
        pieces = [""] * (max(vocabulary.values(), default=-1) + 1)
        for piece, number in vocabulary.items():
            pieces[number] = piece
        return pieces

    @cached_property
    def _is_of_bytes(self) -> bool:
        return type(self._inner.decoder).__name__ == "ByteLevel"

    def ids(self, text: str, *, special: bool = True) -> np.ndarray:
        """The numbers of the tokens of a text.

        Args:
            text: The text.
            special: Whether the tokens that the model expects around a text, such as [CLS], are added; by default they
                are.

        Returns:
            Whole numbers, shape (n,).

        Raises:
            InvalidInput: If the text is no text, or has no tokens.
        """
        if not isinstance(text, str):
            raise InvalidInput(f"a text must be a string, got {type(text).__name__}")
        ids = self._inner.encode(text, add_special_tokens=special).ids
        if not ids:
            raise InvalidInput("the text has no tokens: give at least one word")
        return np.asarray(ids, np.int64)

    def words(self, ids: ArrayLike) -> tuple[str, ...]:
        """The tokens as they are read: with a space in front where a word starts, bytes of half a letter as <E2>.

        Args:
            ids: Numbers of tokens.

        Returns:
            A text for each.
        """
        return tuple(self._readable(int(number)) for number in np.ravel(np.asarray(ids)))

    def text(self, ids: ArrayLike) -> str:
        """The text of tokens, without special ones.

        Args:
            ids: Numbers of tokens.

        Returns:
            The text.
        """
        return self._inner.decode([int(number) for number in np.ravel(np.asarray(ids))])

    def _readable(self, number: int) -> str:
        piece = self._pieces[number] if 0 <= number < len(self._pieces) else ""
        if not piece:
            return f"<{number}>"
        if not self._is_of_bytes or any(letter not in BYTES for letter in piece):
            return piece.replace("▁", " ")
        raw = bytes(BYTES[letter] for letter in piece)
        try:
            return raw.decode().replace("\n", "↵").replace("\t", "⇥")
        except UnicodeDecodeError:
            return f"<{raw.hex(' ').upper()}>"


def _letters_of_bytes() -> dict[str, int]:
    """The byte that each letter of byte-level vocabularies stands for: a printable one for itself, else from Ā on."""
    plain = [*range(ord("!"), ord("~") + 1), *range(ord("¡"), ord("¬") + 1), *range(ord("®"), ord("ÿ") + 1)]
    others = [byte for byte in range(256) if byte not in plain]
    return {chr(byte): byte for byte in plain} | {chr(256 + i): byte for i, byte in enumerate(others)}


BYTES = _letters_of_bytes()


def from_folder(folder: Path) -> Tokenizer | None:
    """The tokenizer of a folder in the Hugging Face layout; `None` if there is none."""
    if (folder / "tokenizer.json").is_file():
        return Tokenizer(lambda: _from_json(folder / "tokenizer.json"))
    if (folder / "vocab.txt").is_file():
        return Tokenizer(lambda: _word_pieces(folder))
    if (folder / "vocab.json").is_file() and (folder / "merges.txt").is_file():
        cut = CUT_BY_MODEL.get(_json(folder / "config.json").get("model_type", ""))
        return None if cut is None else Tokenizer(lambda: _byte_pairs(folder, cut))
    return None


def _package() -> Any:
    return needed("tokenizers", "reading a text")


def _from_json(path: Path) -> Any:
    package = _package()
    try:
        return package.Tokenizer.from_file(str(path))
    except Exception as error:  # the package raises plain exceptions
        raise FileError(f"cannot read {path}: {str(error).splitlines()[0]}") from error


def _word_pieces(folder: Path) -> Any:
    package, settings = _package(), _json(folder / SETTINGS)
    vocabulary = {piece: number for number, piece in enumerate(_lines(folder / "vocab.txt"))}
    return package.implementations.BertWordPieceTokenizer(
        vocabulary,
        lowercase=settings.get("do_lower_case", True),
        strip_accents=settings.get("strip_accents"),
        handle_chinese_chars=settings.get("tokenize_chinese_chars", True),
    )


def _byte_pairs(folder: Path, cut: str) -> Any:
    package, vocabulary = _package(), _json(folder / "vocab.json")
    merges = [line for line in _lines(folder / "merges.txt") if line and not line.startswith("#version")]
    inner = _byte_level(vocabulary, merges, cut)
    added = _json(folder / SETTINGS).get("added_tokens_decoder", {}).values()
    whole = [{"content": piece, "special": True} for piece in SPECIAL if piece in vocabulary] + list(added)
    for one in whole:
        kept = {name: one[name] for name in ("lstrip", "rstrip", "single_word", "special") if name in one}
        token = package.AddedToken(one["content"], normalized=False, **kept)
        inner.add_special_tokens([token]) if one.get("special") else inner.add_tokens([token])
    if cut == "roberta":
        ends = [(piece, vocabulary[piece]) for piece in ("</s>", "<s>") if piece in vocabulary]
        if len(ends) < 2:
            raise FileError(f"cannot read {folder / 'vocab.json'}: it has no <s> or no </s>, which stand around a text")
        inner.post_processor = package.processors.RobertaProcessing(*ends, add_prefix_space=False)
    return inner


def _lines(path: Path) -> list[str]:
    """Lines that end in a newline and nothing else: some words are what `splitlines` takes for the end of a line."""
    return path.read_text(encoding="utf-8").removesuffix("\n").split("\n")


def _json(path: Path) -> dict[str, Any]:
    try:
        return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    except (OSError, ValueError) as error:
        raise FileError(f"cannot read {path}: {error}") from error


# --- GGUF ---------------------------------------------------------------------------------------------------------


def from_gguf(said: dict[str, Any]) -> Tokenizer | None:
    """The tokenizer that a GGUF file describes; `None` if it describes none, or one that is not made of bytes."""
    if said.get("ggml.model") != "gpt2" or not said.get("ggml.tokens") or not said.get("ggml.merges"):
        return None
    return Tokenizer(lambda: _from_gguf(said))


def _from_gguf(said: dict[str, Any]) -> Any:
    package, pieces, cut = _package(), said["ggml.tokens"], said.get("ggml.pre", "default")
    vocabulary = {piece: number for number, piece in enumerate(pieces)}
    inner = _byte_level(vocabulary, said["ggml.merges"], cut)
    kinds = said.get("ggml.token_type", [])
    for kind, is_special in ((CONTROL, True), (USER_DEFINED, False)):
        whole = [piece for piece, one in zip(pieces, kinds, strict=False) if one == kind]
        added = [package.AddedToken(piece, special=is_special, normalized=False) for piece in whole]
        inner.add_special_tokens(added) if is_special else inner.add_tokens(added)
    if said.get("ggml.add_bos_token", cut == "llama-bpe"):
        number = said["ggml.bos_token_id"]
        first = pieces[number]
        inner.post_processor = package.processors.TemplateProcessing(
            single=f"{first} $A", special_tokens=[(first, number)]
        )
    return inner


def _byte_level(vocabulary: dict[str, int], merges: Sequence[str], cut: str) -> Any:
    """Byte pairs, with the text cut in the way that llama.cpp calls `cut`."""
    package = _package()
    pairs = [tuple(merge.split(" ", 1)) for merge in merges]
    inner = package.Tokenizer(package.models.BPE(vocabulary, pairs, ignore_merges=cut == "llama-bpe"))
    kinds = package.pre_tokenizers
    as_bytes = lambda by_words: kinds.ByteLevel(add_prefix_space=False, use_regex=by_words)  # noqa: E731
    if cut in AS_GPT2:
        inner.pre_tokenizer = as_bytes(True)
    elif cut in DIGIT_BY_DIGIT:
        inner.pre_tokenizer = kinds.Sequence([kinds.Digits(individual_digits=True), as_bytes(True)])
    elif cut in CUTS:
        split = kinds.Split(package.Regex(CUTS[cut]), behavior="isolated")
        inner.pre_tokenizer = kinds.Sequence([split, as_bytes(False)])
    else:
        known = ", ".join(sorted({*AS_GPT2 - {""}, *DIGIT_BY_DIGIT, *CUTS}))
        raise Unsupported(f"the file cuts texts in the way '{cut}', which is not known; known are {known}")
    inner.decoder = package.decoders.ByteLevel()
    return inner
