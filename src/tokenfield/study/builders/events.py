"""From `solve.events` to the events that stop a run."""

from __future__ import annotations

from tokenfield import observables
from tokenfield.errors import ConfigError, Unsupported
from tokenfield.model.transformer import Transformer
from tokenfield.solver import events
from tokenfield.study.config import Config
from tokenfield.study.kinds import GAUSSIAN, TOKENS

STEADY_SPEED = 1e-6


def build_events(config: Config, model: Transformer) -> tuple[events.Event, ...]:
    """The events of `solve.events`, each written as `name` or `name:number`."""
    return tuple(build_event(spec, model, config.state.kind) for spec in config.solve.events)


def build_event(spec: str, model: Transformer, state: str) -> events.Event:
    """The event that is written as `name` or `name:number`; raises a `TokenfieldError` where the state has none."""
    name, _, rest = spec.partition(":")
    value = None
    if rest:
        try:
            value = float(rest)
        except ValueError:
            raise ConfigError(f"an event is written as 'name' or 'name:number', got '{spec}'") from None
    if name == "cosine-level" and state != TOKENS:
        raise Unsupported(f"the event cosine-level is for tokens: a {state} has all cosines at all times")
    if name == "consensus" and state == GAUSSIAN:
        raise Unsupported("the event consensus is not for Gaussians, which reach everywhere: use steady")
    if name == "consensus":
        delta = observables.cluster_scale(model) if value is None else value
        if delta is None:
            raise ConfigError("in R^d consensus needs a distance, for example events = ['consensus:0.01']")
        return events.Consensus(delta)
    if name == "steady":
        return events.Steady(STEADY_SPEED if value is None else value)
    if value is None:
        raise ConfigError("the event cosine-level needs its level, for example 'cosine-level:0.999'")
    return events.CosineLevel(value)
