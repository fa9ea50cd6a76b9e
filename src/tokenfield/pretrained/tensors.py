"""`Tensors`: the named arrays of a model, each read when it is taken, with its shape checked.

Files in the safetensors format and live models become `Tensors` here, GGUF files in `gguf`. Nothing of a file is
executed: formats that would (pickles) are refused.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from tokenfield.errors import FileError, InvalidInput, Unsupported, did_you_mean
from tokenfield.pretrained.packages import needed

PICKLED = {".bin", ".pt", ".pth", ".ckpt", ".pkl"}
Shape = tuple[int, ...]
OF_A_LAYER = re.compile(r"(^|\.)(layers?|h|albert_layer_groups|blk)\.\d+\.")
# computed from the configuration: rotary frequencies, and the masks of GPT-2
TABLES = (".rotary_emb.inv_freq", ".attn.bias", ".attn.masked_bias")


class Tensors:
    """Arrays by name, read one by one.

    Args:
        shapes: The shape of each array.
        read: Gives the array of a name, of any type of floats.
        source: What the messages of errors call the place where the arrays come from.
        dtype: The type that arrays are taken in.
        prefix: What stands before all names in the source; messages say it.
        taken: The full names of arrays that were taken, which those under a prefix share; by default none.

    >>> arrays = {"model.norm.weight": np.ones(3)}
    >>> some = Tensors({"model.norm.weight": (3,)}, arrays.__getitem__, source="here", dtype="float32")
    >>> some.under("model.", "bert.").take("norm.weight", (3,)).dtype.name
    'float32'
    """

    def __init__(
        self,
        shapes: Mapping[str, Shape],
        read: Callable[[str], Any],
        *,
        source: str,
        dtype: Any,
        prefix: str = "",
        taken: set[str] | None = None,
    ):
        self._shapes = dict(shapes)
        self._taken: set[str] = set() if taken is None else taken
        self._read, self._source, self._prefix, self.dtype = read, source, prefix, np.dtype(dtype)

    def __contains__(self, name: str) -> bool:
        return name in self._shapes

    def __len__(self) -> int:
        return len(self._shapes)

    def shape(self, name: str) -> Shape:
        """The shape of an array, which is not read for it; raises `InvalidInput` if there is none of this name."""
        if name not in self._shapes:
            full, there = self._prefix + name, (self._prefix + other for other in self._shapes)
            raise InvalidInput(f"{self._source} has no tensor '{full}'{did_you_mean(full, there)}")
        return self._shapes[name]

    def take(self, name: str, shape: Shape) -> np.ndarray:
        """The array of this name and shape; raises `InvalidInput` if it is missing, of another shape or not finite."""
        found, full = self.shape(name), self._prefix + name
        if found != tuple(shape):
            raise InvalidInput(f"tensor '{full}' of {self._source} has shape {found}, the configuration says {shape}")
        array = np.asarray(self._read(name))
        self._taken.add(full)
        if array.dtype.kind not in "fV":  # V: the floats of 8 and 16 bits that JAX adds to NumPy
            raise Unsupported(f"tensor '{full}' of {self._source} holds {array.dtype}: only floats can be read")
        array = array.astype(self.dtype, copy=False)
        if not np.isfinite(array.sum()) and not np.isfinite(array).all():
            raise InvalidInput(f"tensor '{full}' of {self._source} has entries that are NaN or infinite")
        return array

    def refuse_left_in_layers(self) -> None:
        """Raises `Unsupported` if an array of a layer was not taken: without it the numbers are those of another model.

        Heads and poolers, which are outside of layers, may be left; so may tables that files of old versions hold.
        """
        for name in self._shapes:
            if name not in self._taken and OF_A_LAYER.search(name) and not name.endswith(TABLES):
                raise Unsupported(
                    f"{self._source} has a tensor '{name}', which a model of this configuration does not have: "
                    "is config.json that of these weights?"
                )

    def under(self, *prefixes: str) -> Tensors:
        """The arrays whose names start with the first of the prefixes that any name starts with, without it.

        The same model is saved with a prefix where it has a head, and without one where it has none.
        """
        there = (prefix for prefix in prefixes if any(name.startswith(prefix) for name in self._shapes))
        if (prefix := next(there, None)) is None:
            return self
        shapes = {name.removeprefix(prefix): s for name, s in self._shapes.items() if name.startswith(prefix)}
        read = lambda name: self._read(prefix + name)  # noqa: E731
        full = self._prefix + prefix
        return Tensors(shapes, read, source=self._source, dtype=self.dtype, prefix=full, taken=self._taken)

    def renamed(self, new_name: Callable[[str], str]) -> Tensors:
        """The same arrays under other names."""
        names = {new_name(name): name for name in self._shapes}
        shapes = {new: self._shapes[old] for new, old in names.items()}
        return Tensors(shapes, lambda name: self._read(names[name]), source=self._source, dtype=self.dtype)


def from_folder(folder: Path, *, dtype: Any) -> Tensors:
    """The tensors of a folder: `model.safetensors`, or the shards that `model.safetensors.index.json` names.

    Raises `FileError` where files are missing or damaged, and `Unsupported` for pickled weights.
    """
    index = folder / "model.safetensors.index.json"
    whole = sorted(folder.glob("*.safetensors"))
    if index.is_file():
        return _sharded(folder, index, dtype)
    if (folder / "model.safetensors").is_file():
        return from_safetensors(folder / "model.safetensors", dtype=dtype)
    if len(whole) == 1:
        return from_safetensors(whole[0], dtype=dtype)
    if pickled := [path for path in sorted(folder.iterdir()) if path.suffix in PICKLED]:
        refuse_pickle(pickled[0])
    raise FileError(f"{folder} has no weights: expected model.safetensors or model.safetensors.index.json")


def refuse_pickle(path: Path) -> None:
    """Raises `Unsupported`: a pickle runs code when it is read."""
    raise Unsupported(
        f"{path.name} is a pickle, which can run any code when it is read: save the model as safetensors instead, "
        "for example with save_pretrained() of transformers"
    )


def from_safetensors(path: Path, *, dtype: Any) -> Tensors:
    """The tensors of one file; raises `FileError` if it is damaged."""
    package = needed("safetensors", "reading .safetensors files")
    try:
        opened = package.safe_open(str(path), framework="np")
        names = opened.keys()
        shapes = {name: tuple(opened.get_slice(name).get_shape()) for name in names}
    except (package.SafetensorError, OSError) as error:
        raise FileError(f"cannot read {path}: {_reason(error)}; is the file complete?") from error

    def read(name: str) -> np.ndarray:
        try:
            return opened.get_tensor(name)
        except (package.SafetensorError, TypeError) as error:
            raise FileError(f"cannot read tensor '{name}' of {path}: {_reason(error)}") from error

    return Tensors(shapes, read, source=path.name, dtype=dtype)


def _sharded(folder: Path, index: Path, dtype: Any) -> Tensors:
    try:
        places = dict(json.loads(index.read_text(encoding="utf-8"))["weight_map"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise FileError(f"cannot read {index}: it should hold a weight_map from tensors to files") from error
    shards: dict[str, Tensors] = {}
    for file in sorted(set(places.values())):
        # a name that leads elsewhere is not followed
        if Path(file).name != file or not (folder / file).is_file():
            raise FileError(f"{index.name} names the file {file}, which is not in {folder}")
        shards[file] = from_safetensors(folder / file, dtype=dtype)
    shapes = {name: shards[file].shape(name) for name, file in places.items()}
    return Tensors(shapes, lambda name: shards[places[name]]._read(name), source=str(folder.name), dtype=dtype)


def from_live(state: Mapping[str, Any], *, source: str, dtype: Any) -> Tensors:
    """The tensors of a live PyTorch model, from its `state_dict()`. PyTorch itself is not imported here."""

    def read(name: str) -> np.ndarray:
        try:
            tensor = state[name].detach().cpu()
            if "bfloat16" in str(tensor.dtype) or "float8" in str(tensor.dtype):
                tensor = tensor.float()  # NumPy does not know these
            return tensor.numpy()
        except (NotImplementedError, RuntimeError, TypeError) as error:  # on the device "meta" there are no numbers
            raise InvalidInput(f"tensor '{name}' of {source} cannot be read: {_reason(error)}") from error

    return Tensors({name: tuple(t.shape) for name, t in state.items()}, read, source=source, dtype=dtype)


def _reason(error: Exception) -> str:
    return str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
