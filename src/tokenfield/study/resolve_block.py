"""[block] and what goes with it: every key checked to have an effect, and the defaults that depend on other keys."""

from __future__ import annotations

import dataclasses
from typing import Any

from tokenfield.errors import ConfigError
from tokenfield.study import catalog
from tokenfield.study.config import Config
from tokenfield.study.given import check_kind, first
from tokenfield.study.sections import BIASES, MATRICES, BlockSection, HeadSection

_OF_A_NORM = ("place", "eps", "gain", "bias")
_OF_HEADS = ("kv_heads", "biases", "seed", "scale")
_OF_RANDOM = ("biases", "seed", "scale")


def resolve_block(config: Config, *, seed: int) -> BlockSection | None:
    """The section [block] with its defaults written out; `seed` is for random weights without a seed of their own."""
    block = config.block
    _check_composed(config)
    if block is None or block.heads is None:
        for where, head in _heads(config).items():
            for name in BIASES:
                if getattr(head, name) is not None:
                    raise ConfigError(f"{where}.{name} has no effect: biases go with block.heads, a number of heads")
    if block is None:
        return None
    if config.schedule.kind == "resampled":
        raise ConfigError(catalog.reason(f"norm:{block.norm}", "schedule:resampled") or "no resampled blocks")
    block = _resolve_norm(block)
    block = _resolve_heads(config, block, seed)
    _check_layers(config, block)
    return block


def default_beta(config: Config, head: HeadSection) -> float | None:
    """1/sqrt(d_k) for heads at once, as real models have it; `None` otherwise: then the kind has its own."""
    block = config.block
    if block is None or block.heads is None:
        return None
    rows = config.geometry.dim if head.Q is None else len(head.Q)
    return (rows // block.heads) ** -0.5 if block.heads >= 1 and rows >= block.heads else None


def _heads(config: Config) -> dict[str, HeadSection]:
    """All tables that hold heads, by what to call them in an error."""
    layers = config.schedule.layers
    found: dict[str, HeadSection] = {"attention": config.attention}
    found |= {f"heads[{i}]": head for i, head in enumerate(config.heads)}
    found |= {f"schedule.layers[{i}]": layer for i, layer in enumerate(layers)}
    inner = [(i, j, head) for i, layer in enumerate(layers) for j, head in enumerate(layer.heads)]
    return found | {f"schedule.layers[{i}].heads[{j}]": head for i, j, head in inner}


def _check_composed(config: Config) -> None:
    """Refuses perceptrons of attention where they make no sense."""
    section = config.perceptron
    if section is None or section.of == "tokens":
        return
    if config.attention.kind == "none":
        raise ConfigError(f"perceptron.of = '{section.of}' has no effect: this model has no attention")
    if section.of == "heads" and config.block is not None and config.block.heads is not None:
        raise ConfigError("perceptron.of = 'heads' needs heads one by one: write [[heads]] instead of block.heads")


def _resolve_norm(block: BlockSection) -> BlockSection:
    kind = catalog.find("norm", block.norm)
    check_kind(block, kind, _OF_A_NORM, "block")
    if block.final and not kind.has("final"):
        raise ConfigError("block.final has no effect: with block.norm = 'none' there is no norm")
    own = {name: first(getattr(block, name), kind.default(name)) for name in _OF_A_NORM if kind.has(name)}
    return dataclasses.replace(block, **own)


def _resolve_heads(config: Config, block: BlockSection, seed: int) -> BlockSection:
    if block.heads is None:
        for name in _OF_HEADS:
            if getattr(block, name) is not None:
                raise ConfigError(f"block.{name} has no effect: it needs block.heads, a number of heads")
        return block
    if config.attention.kind == "none":
        raise ConfigError(catalog.reason("attention:none", "heads:multi-head") or "no attention")
    if config.heads or any(layer.heads for layer in config.schedule.layers):
        raise ConfigError("block.heads and tables of heads exclude each other: all heads at once, or one by one")
    if config.attention.average:
        raise ConfigError("attention.average has no effect: the heads of block.heads are summed, each with its O")
    h, g = block.heads, first(block.kv_heads, block.heads)
    if h < 1 or g < 1 or h % g:
        raise ConfigError(f"block.kv_heads must divide block.heads, both at least 1, got {g} and {h}")
    for where, head in _heads(config).items():
        if where != "attention" or not config.schedule.layers:
            _check_matrices(head, where, block, config.geometry.dim, g)
    if _is_random(config):
        block = dataclasses.replace(
            block, seed=first(block.seed, seed), scale=first(block.scale, 1.0), biases=bool(block.biases)
        )
    return dataclasses.replace(block, kv_heads=g)


def _is_random(config: Config) -> bool:
    """Whether heads at once have random weights."""
    tables = config.schedule.layers or (config.attention,)
    return any(head.Q is None for head in tables)


def _check_matrices(head: HeadSection, where: str, block: BlockSection, d: int, kv_heads: int) -> None:
    h = int(block.heads or 1)
    given = [name for name in MATRICES if getattr(head, name) is not None]
    if not given:
        for name in BIASES:
            if getattr(head, name) is not None:
                raise ConfigError(f"{where}.{name} goes with given matrices: random weights have block.biases = true")
        if d % h:
            raise ConfigError(f"random heads need block.heads to divide geometry.dim, got {h} and {d}")
        return
    if len(given) < len(MATRICES):
        raise ConfigError(
            f"block.heads needs all of Q, K, V, O of {where}, or none of them for random ones; got {', '.join(given)}"
        )
    for name in _OF_RANDOM:
        if getattr(block, name) is not None:
            raise ConfigError(f"block.{name} is for random weights: the matrices of {where} are given")
    groups = {"Q": h, "K": kv_heads, "V": kv_heads, "q": h, "k": kv_heads, "v": kv_heads}
    sizes = {name: (len(value), n) for name, n in groups.items() if (value := getattr(head, name)) is not None}
    sizes["O"] = (len(head.O[0]) if head.O else 0, h)
    for name, (size, count) in sizes.items():
        if size % count:
            what = "columns" if name == "O" else "rows" if name in MATRICES else "entries"
            raise ConfigError(f"{where}.{name} has {size} {what}, which {count} heads cannot share equally")


def _check_layers(config: Config, block: BlockSection) -> None:
    """Checks that layers differ in something, and that tables have a row for each."""
    tables = {name: value for name in ("gain", "bias") if _is_table(value := getattr(block, name))}
    count = first(block.layers, len(config.schedule.layers) or None)
    if block.layers is not None:
        if config.schedule.kind != "constant":
            raise ConfigError(f"block.layers has no effect with schedule.kind = '{config.schedule.kind}'")
        if block.layers < 1:
            raise ConfigError(f"block.layers must be at least 1, got {block.layers}")
        has_width = config.perceptron is not None and config.perceptron.width is not None
        if not (tables or has_width or (block.heads is not None and _is_random(config))):
            raise ConfigError(
                "block.layers has no effect: layers differ by random weights (block.heads, perceptron.width) or by a "
                "table of gains; given ones are written as [[schedule.layers]]"
            )
    for name, table in tables.items():
        if len(table) != count:
            layers = "no layers: give block.layers" if count is None else f"{count} layers"
            raise ConfigError(f"block.{name} has {len(table)} rows, one for each layer, but there are {layers}")


def _is_table(value: Any) -> bool:
    return isinstance(value, tuple) and bool(value) and isinstance(value[0], tuple)
