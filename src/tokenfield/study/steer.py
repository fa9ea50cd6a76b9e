"""From a config to a folder of trained weights: read the problem, steer, write, draw, print.

A config of `steer` has the sections of a model (geometry, attention, perceptron), and [steer]: the problem, and how it
is trained. Prompts and targets are drawn, or given as [[prompts]] with `source` and `target`.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.optimize import linear_sum_assignment

from tokenfield._runtime.interrupt import Interrupted, Interrupts
from tokenfield._runtime.memory import require_numbers
from tokenfield.control.losses import LOSSES
from tokenfield.control.steering import Certificate, Steering
from tokenfield.control.training import ENOUGH, Training, prepare, train
from tokenfield.errors import ConfigError, FileError
from tokenfield.geometry import Geometry, Sphere
from tokenfield.measure import Measure
from tokenfield.observables import logistic_readout, separation
from tokenfield.plot.steering import steering as picture_of
from tokenfield.study import parse, toml
from tokenfield.study.builders import build_model
from tokenfield.study.config import Config, read_tables
from tokenfield.study.figures import Note
from tokenfield.study.keeper import Keeper
from tokenfield.study.manifest import describe_run
from tokenfield.study.store import STEERING, CheckpointFolder, Draft, can_go_on, kind_of
from tokenfield.study.store.folder import (
    CHECKPOINT,
    LOSSES_FILE,
    PROBLEM,
    STEERING_FIGURE,
    SUMMARY,
    WEIGHTS,
    followed,
    read_json,
)
from tokenfield.study.toml import Matrix, key

if TYPE_CHECKING:
    from rich.console import Console

PROBLEMS = ("random", "moons", "spirals", "given")
OF_DRAWING = ("problem", "prompts", "tokens", "shared")  # keys of [steer] that `tokenfield.control.steer` lacks
OF_OPTIMIZER = ("steps", "rate", "seed")  # and those that are no part of what is trained
MODEL_SECTIONS = ("geometry", "attention", "perceptron", "output")


def _whole(value: Any, where: str) -> tuple[int, ...]:
    return tuple(toml.integer(int(x) if x == int(x) else x, where) for x in toml.vector(value, where))


@dataclass(frozen=True)
class SteerSection:
    """What is steered and how: arguments of `tokenfield.control.steer`, and of random prompts and targets."""

    problem: str = key("random", "Where prompts come from", choices=PROBLEMS)
    prompts: int = key(2, "Random prompts")
    tokens: int = key(4, "Tokens of each")
    shared: int = key(1, "Tokens that all random prompts have in common")
    loss: str = key("points", "What is minimized", choices=tuple(LOSSES))
    t1: float = key(2.0, "Depth")
    pieces: int = key(8, "Pieces of depth with constant weights")
    rank: int | None = key(None, "Rank of Q, K and V")
    width: int | None = key(None, "Neurons of the perceptron")
    widths: Any = key(None, "Coordinates of tokens in each piece of depth, which are as many pieces", reader=_whole)
    steps: int = key(500, "Steps of the optimizer")
    rate: float = key(0.03, "Rate of the optimizer")
    substeps: int = key(4, "Runge-Kutta steps in each piece")
    size: float = key(0.0, "Weight of the size of weights")
    hurry: float = key(0.0, "Weight of the depth")
    seed: int = key(0, "Seed of prompts, targets and weights")


@dataclass(frozen=True)
class PromptSection:
    """One prompt and its target, as rows of points or a file of them."""

    source: Matrix = ()
    target: Matrix = ()


@dataclass(frozen=True)
class Problem:
    """A config of `steer`: the model, what is steered, and given prompts."""

    model: Config
    steer: SteerSection
    prompts: tuple[PromptSection, ...] = field(default=())

    @staticmethod
    def from_tables(tables: Mapping[str, Any]) -> Problem:
        """The problem in nested tables; raises `ConfigError` that names what is wrong."""
        rest = {name: table for name, table in tables.items() if name not in ("steer", "prompts")}
        for name in rest:
            if name not in MODEL_SECTIONS:
                allowed = ", ".join(f"[{section}]" for section in (*MODEL_SECTIONS, "steer"))
                raise ConfigError(
                    f"[{name}] has no effect on steering: a config of steer has {allowed} and [[prompts]]"
                )
        if "steer" not in tables:
            raise ConfigError(
                "there is no [steer], which says what is trained and how: add it, if only with problem = 'random' "
                "(examples/steer has configs)"
            )
        section = toml.read_section(SteerSection, tables["steer"], "steer")
        prompts = toml.sections(PromptSection)(tables["prompts"], "prompts") if "prompts" in tables else ()
        if bool(prompts) != (section.problem == "given"):
            raise ConfigError("[[prompts]] go with steer.problem = 'given', each with source and target")
        return Problem(Config.from_dict(rest), section, prompts)

    def to_toml(self) -> str:
        """The problem as TOML text, which `from_tables` reads back."""
        model = self.model.to_dict()
        tables = {name: model[name] for name in MODEL_SECTIONS if name in model}
        parts = [toml.format_table(f"[{name}]", table) for name, table in tables.items()]
        parts.append(
            toml.format_table("[steer]", {k: v for k, v in toml.set_values(self.steer).items() if v is not None})
        )
        parts += [toml.format_table("[[prompts]]", toml.set_values(prompt)) for prompt in self.prompts]
        return "\n".join(parts)

    def _check(self, d: int) -> None:
        """Raises `ConfigError` or `TooLarge` if prompts cannot be drawn in R^d."""
        steer = self.steer
        for name, least in (("prompts", 1), ("tokens", 1), ("shared", 0), ("seed", 0)):
            if getattr(steer, name) < least:
                raise ConfigError(f"steer.{name} must be at least {least}, got {getattr(steer, name)}")
        if steer.problem == "given":
            return
        count = steer.prompts if steer.problem == "random" else 1
        costs = steer.tokens**2 if steer.problem == "random" else 0  # of sending any token to any target
        what = f"{count} x {steer.tokens} tokens in R^{d}"
        require_numbers(2 * count * steer.tokens * d + costs, what, advice="take a smaller steer.tokens", on_host=True)

    def training(self) -> tuple[Training, Any]:
        """What is trained, and the colors of tokens, if they have some."""
        model = build_model(self.model.resolved())
        sources, targets, labels = self.drawn(model.geometry)
        options = {k: v for k, v in toml.set_values(self.steer).items() if k not in (*OF_DRAWING, *OF_OPTIMIZER)}
        return prepare(model, sources, targets, **options), labels

    def drawn(self, geometry: Geometry) -> tuple[list[np.ndarray], list[np.ndarray], list[np.ndarray] | None]:
        """Sources, targets, and the colors of tokens where a prompt has several."""
        self._check(geometry.d)
        steer, rng = self.steer, np.random.default_rng(self.steer.seed)
        if steer.problem == "given":
            pairs = [(np.atleast_2d(p.source), np.atleast_2d(p.target)) for p in self.prompts]
            return [source for source, _ in pairs], [target for _, target in pairs], None
        if steer.problem in CURVES:
            return _two_classes(steer, rng, geometry)
        x, y = rng.normal(size=(2, steer.prompts, steer.tokens, geometry.d))
        x[1:, : steer.shared] = x[:1, : steer.shared]
        if isinstance(geometry, Sphere):
            x, y = (points / np.linalg.norm(points, axis=-1, keepdims=True) for points in (x, y))
        # which target is whose does not matter for a random problem: by optimal transport paths are short
        y = np.stack(
            [target[linear_sum_assignment(-(prompt @ target.T))[1]] for prompt, target in zip(x, y, strict=True)]
        )
        return list(x), list(y), None


def _moons(half: int, rng: np.random.Generator) -> np.ndarray:
    """Points of two interleaved half circles, (2, half, 2): no line separates them."""
    angles = np.pi * rng.uniform(size=(2, half))
    arcs = np.stack([np.cos(angles) - 0.5, np.sin(angles) - 0.25], axis=-1)
    arcs[1] *= -1
    return arcs + 0.05 * rng.normal(size=arcs.shape)


def _spirals(half: int, rng: np.random.Generator) -> np.ndarray:
    """Points of two arms of a spiral with one turn and a quarter, (2, half, 2)."""
    lengths = np.sqrt(rng.uniform(0.04, 1.0, size=(2, half)))
    angles = 2.5 * np.pi * lengths
    arms = 1.5 * lengths[..., None] * np.stack([np.cos(angles), np.sin(angles)], axis=-1)
    arms[1] *= -1
    return arms + 0.03 * rng.normal(size=arms.shape)


CURVES = {"moons": _moons, "spirals": _spirals}


def _two_classes(steer: SteerSection, rng: np.random.Generator, geometry: Geometry) -> Any:
    """Points of two classes in the plane, whose targets are -1.5 and 1.5 on the first axis of the last width."""
    first, last = ((steer.widths or (geometry.d,))[end] for end in (0, -1))
    if first != 2 or isinstance(geometry, Sphere):
        raise ConfigError(
            f"two {steer.problem} are in the plane: geometry.kind = 'euclidean' and dim = 2, or widths = [2, ...]"
        )
    x = CURVES[steer.problem](max(steer.tokens // 2, 1), rng)
    labels = np.repeat([0, 1], x.shape[1])
    targets = np.zeros((len(labels), last))
    targets[:, 0] = np.array([-1.5, 1.5])[labels]
    return [x.reshape(-1, 2)], [targets], [labels]


def read_problem(path: str | Path, settings: Mapping[str, Any] | None = None) -> Problem:
    """The problem of a config file, with keys of [steer] in `settings` put over it."""
    tables = read_tables(path)
    if isinstance(tables.get("steer"), Mapping):
        tables["steer"] = {**tables["steer"], **(settings or {})}
    return Problem.from_tables(tables)


def steer(
    problem: Problem,
    out: str | Path,
    *,
    force: bool = False,
    numbered: bool = False,
    progress: bool | None = None,
    note: Note = lambda message: None,
) -> tuple[Path, dict[str, Any]]:
    """The folder of a steering (config, weights, losses, summary, a figure) and its numbers.

    Ctrl-C keeps the best weights so far, and `resume` goes on from there, or from the last checkpoint after a kill.
    """
    built = problem.training()  # from the files that the user named, which errors then name too
    with Draft(out, STEERING, force=force, numbered=numbered) as draft:
        for left in draft.left_by_others:
            note(f"an earlier training was killed: tokenfield steer --resume --out {left} goes on")
        draft.write(manifest={}, texts={PROBLEM: problem.to_toml()})
        return _train(problem, built, draft, progress=progress, note=note)


def resume(
    out: str | Path, *, progress: bool | None = None, note: Note = lambda message: None
) -> tuple[Path, dict[str, Any]]:
    """The folder of the steering at `out`, and its numbers, trained on from where it was interrupted or killed.

    Weights and losses are those of a training without an interruption, bit for bit. Raises `FileError` if there is
    nothing to go on from.
    """
    out = Path(out)
    if not can_go_on(followed(out)):
        if kind_of(out) != STEERING.name:
            raise FileError(f"{out} is not a steering: give the folder of a tokenfield steer that was interrupted")
        if not CheckpointFolder(out / CHECKPOINT).is_there:
            raise FileError(f"{out} is finished: tokenfield show {out} has its numbers")
    with Draft(out, STEERING, resume=True) as draft:
        problem = read_problem(draft.path / PROBLEM)
        return _train(problem, problem.training(), draft, progress=progress, note=note)


def _train(
    problem: Problem, built: tuple[Training, Any], draft: Draft, *, progress: bool | None, note: Note
) -> tuple[Path, dict[str, Any]]:
    """The folder of a problem, trained from the checkpoint of the draft if it has one."""
    began = time.perf_counter()
    checkpoint = CheckpointFolder(draft.path / CHECKPOINT)
    every_s = parse.duration(problem.model.output.checkpoint, "output.checkpoint")
    keeper = Keeper(checkpoint, every_s=every_s, note=note)
    (training, labels), options = built, problem.steer
    folder: Path | None = None
    try:
        with Interrupts(holds=False) as interrupts:
            interrupts.hold()
            found = train(
                training, training.initial(options.seed), options.steps, options.rate, ENOUGH, progress,
                keep=keeper.keep, restore=keeper.restore,
            )  # fmt: skip
            summary = {**summarize(found), **_separation(found, labels)}
            manifest = describe_run(problem.model.resolved(), time.perf_counter() - began)
            others = {WEIGHTS: weights_of(found), LOSSES_FILE: {"loss": found.losses.tolist()}}
            draft.write(manifest=manifest, summary=summary, others=others, texts={PROBLEM: problem.to_toml()})
            if problem.model.output.figures:
                _draw(found, draft, problem.model.output.format, labels, note)
            folder = draft.finish()
            if not found.is_interrupted:
                CheckpointFolder(folder / CHECKPOINT).remove()
    except KeyboardInterrupt as error:  # one that came after the work waited until it was written
        if folder is not None:
            raise Interrupted(f"{folder} is written") from error
        if checkpoint.is_there:
            raise Interrupted(f"tokenfield steer --resume --out {draft.place} goes on") from error
        raise
    return folder, {**summary, "out": str(folder)}


def summarize(found: Steering) -> dict[str, Any]:
    """The numbers of a steering."""
    return {
        "loss": {"first": float(found.losses[0]), "last": found.best, "certified": found.certificate.loss},
        "steps": len(found.losses),
        "depth": found.t1,
        "prompts": len(found.sources),
        "tokens": sum(source.n for source in found.sources),
        "certificate": {
            "holds": found.certificate.holds,
            "drift": found.certificate.drift,
            "method": found.certificate.method,
            "rtol": found.certificate.rtol,
        },
        "is_complete": not found.is_interrupted,
        "wall_s": found.wall_s,
    }


def _separation(found: Steering, labels: Any) -> dict[str, Any]:
    """How classes separate piece by piece: log10 Tr(S_w S_b^+), how linear that is (arXiv 2210.17020), and the part
    that the best line has on the right side."""
    if labels is None:
        return {}
    count = found.schedule.count + 1
    run = found.run(found.sources[0], save=count)
    assert found.widths is not None
    own = [*found.widths.coordinates, found.widths.coordinates[-1]]  # those of the piece that begins there
    states = [Measure(np.asarray(run.measure(k).points)[:, own[k]]) for k in range(count)]
    logs = np.log10([separation(mu, labels[0]).fuzziness for mu in states])
    slope = float(np.corrcoef(np.arange(count), logs)[0, 1])
    return {
        "log10_fuzziness": logs.tolist(),
        "correlation_with_depth": slope,
        "readout_accuracy": [logistic_readout(mu, labels[0]).accuracy for mu in states],
    }


def weights_of(found: Steering) -> dict[str, Any]:
    """The trained matrices of each part, with one axis more for the pieces of depth."""
    parts = []
    for part in found.schedule.layers:
        names = [name for name in ("Q", "K", "V", "W", "A", "b") if getattr(part, name, None) is not None]
        parts.append({name: np.asarray(getattr(part, name)).tolist() for name in names})
    return {"t1": found.t1, "pieces": found.schedule.count, "parts": parts}


def read_summary(folder: Path) -> dict[str, Any]:
    """The numbers of the steering in `folder`; `out` is where it is now."""
    return {**read_json(folder / SUMMARY), "out": str(folder)}


def read(folder: Path) -> tuple[Steering, Any]:
    """The steering in `folder` and the colors of its tokens, from its config, weights, losses and numbers."""
    problem = read_problem(folder / PROBLEM)
    training, labels = problem.training()
    summary, weights, losses = (read_json(folder / name) for name in (SUMMARY, WEIGHTS, LOSSES_FILE))
    try:
        named = {
            f"{number}.{name}": np.asarray(values, float)
            for number, matrices in enumerate(weights["parts"])
            for name, values in matrices.items()
        }
        loss, certificate = summary["loss"], summary["certificate"]
        found = Steering(
            model=training.transformer(named, t1=weights["t1"]),
            untrained=training.transformer(training.initial(problem.steer.seed)),
            t1=weights["t1"],
            losses=np.array(losses["loss"], float),
            best=loss["last"],
            certificate=Certificate(
                loss["certified"], certificate["drift"], certificate["method"], certificate["rtol"]
            ),
            sources=tuple(source for source, _ in training.prompts),
            targets=tuple(target for _, target in training.prompts),
            is_interrupted=not summary["is_complete"],
            wall_s=summary["wall_s"],
            widths=training.widths,
        )  # fmt: skip
    except (KeyError, TypeError, ValueError, IndexError) as error:
        raise FileError(f"a file of {folder} is damaged: {error!r}") from error
    return found, labels


def redraw(folder: Path, out: Path | None, *, format: str) -> Path:
    """The figure of the steering in `folder`, drawn anew; in its `figures` or in `out`."""
    found, labels = read(folder)
    target = (folder / "figures" if out is None else out) / f"{STEERING_FIGURE}.{format}"
    picture_of(found, labels=labels).save(target)
    return target


def _draw(found: Steering, draft: Draft, format: str, labels: Any, note: Note) -> None:
    try:
        picture_of(found, labels=labels).save(draft.figures / f"{STEERING_FIGURE}.{format}")
    except (FileError, OSError) as error:  # a disk that fills up now must not cost the weights, which are written
        note(f"the figure was not drawn: {error}")


def print_steering(summary: dict[str, Any], console: Console) -> None:
    """Prints the numbers of a steering."""
    loss, certificate = summary["loss"], summary["certificate"]
    said = "holds" if certificate["holds"] else "does not hold: take more substeps"
    console.print(
        f"loss {loss['first']:.3g} -> {loss['last']:.3g} in {summary['steps']} steps, depth {summary['depth']:.3g}"
    )
    console.print(
        f"certificate {said}: loss {loss['certified']:.3g} by {certificate['method']} at {certificate['rtol']:g}, "
        f"tokens {certificate['drift']:.1g} away"
    )
    if "readout_accuracy" in summary:
        shares = summary["readout_accuracy"]
        console.print(f"a line has {shares[0]:.1%} of tokens on the right side before, {shares[-1]:.1%} after")
    if not summary["is_complete"]:
        console.print("interrupted: the best weights so far are kept", style="bold yellow")
        console.print(f"tokenfield steer --resume --out {summary['out']} goes on", style="dim", soft_wrap=True)
    console.print(f"where  {summary['out']}", style="dim")
