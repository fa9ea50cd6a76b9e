"""From a config to a finished run folder: build, solve, write, summarize, draw. What the command line calls.

The trajectory is written as soon as there is one, in one piece; numbers and figures come after it. Whatever interrupts
that, what was computed is kept, and `resume` goes on from there.
"""

from __future__ import annotations

import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import jax
import numpy as np

from tokenfield._runtime.ahead import import_ahead
from tokenfield._runtime.hosts import exchange_is_over
from tokenfield._runtime.interrupt import Interrupted, Interrupts
from tokenfield._runtime.memory import require_disk
from tokenfield._runtime.progress import Progress
from tokenfield.errors import FileError
from tokenfield.model.transformer import Transformer
from tokenfield.solver import solve as flow
from tokenfield.solver.options import Adaptive, Clock
from tokenfield.solver.plan import Plan, explain
from tokenfield.solver.trajectory import Trajectory
from tokenfield.study import parse
from tokenfield.study.builders import build_events, build_save
from tokenfield.study.builders.start import Law
from tokenfield.study.config import Config
from tokenfield.study.figures import DRAWING, Note, draw
from tokenfield.study.keeper import Keeper
from tokenfield.study.manifest import describe_run
from tokenfield.study.spread import (
    all_ready,
    brought_home,
    hosts,
    lost_hosts,
    same_config,
    spread,
    while_measuring,
    while_solving,
    with_devices,
)
from tokenfield.study.store import RUN, CheckpointFolder, Draft, RunFolder, can_go_on
from tokenfield.study.store.folder import CHECKPOINT, CONFIG, followed, unfinished
from tokenfield.study.summary import slow_sums, summarize

Built = tuple[Transformer, Law]


def simulate(
    config: Config,
    out: str | Path,
    *,
    force: bool = False,
    numbered: bool = False,
    progress: bool | None = None,
    note: Note = lambda message: None,
) -> RunFolder:
    """The finished run folder of `config` at `out`, or at the first free `out-NUMBER` if `numbered`.

    Ctrl-C during the solve keeps what is done, with the result "interrupted", and `resume` goes on from there; after
    the solve it raises `Interrupted`, and the folder lacks what its manifest says. `note` is told what was left out.
    """
    with Progress("preparing", shown=progress) as bar:
        bar.stage("preparing")
        with ExitStack() as stack:
            with all_ready():
                config = with_devices(config.resolved())
                # the folder is made before the work, so that a place that cannot be written is known at once
                draft = stack.enter_context(Draft(out, RUN, force=force, numbered=numbered))
                for left in draft.left_by_others:
                    note(f"an earlier run was killed: tokenfield simulate --resume --out {left} goes on")
                built = config.build()  # from the files that the user named, which errors then name too
                config = draft.begin(config, {"missing": []})
            return _run(same_config(config), built, draft, bar, progress=progress, note=note)


def resume(out: str | Path, *, progress: bool | None = None, note: Note = lambda message: None) -> RunFolder:
    """The run folder at `out`, finished: solved on from where it was interrupted or killed, measured and drawn.

    The trajectory is that of a run without an interruption, bit for bit. Raises `FileError` if there is nothing to go
    on from.
    """
    out = Path(out)
    with Progress("preparing", shown=progress) as bar:
        if hosts() == 1 and not can_go_on(followed(out)):
            folder = RunFolder.open(out)
            if not folder.checkpoint.is_there:
                return _finish_in_place(folder, bar, note)
        with ExitStack() as stack:
            with all_ready():
                _check_can_resume(out)
                draft = stack.enter_context(Draft(out, RUN, resume=True))
                config = with_devices(Config.from_toml(draft.path / CONFIG).resolved())
                built = config.build()
            return _run(same_config(config), built, draft, bar, progress=progress, note=note)


def follow(out: str | Path, *, progress: bool | None = None, note: Note = lambda message: None) -> bool:
    """On every host but the first: solves the run of that one with the tokens of this one; whether it came to its end.

    Only the checkpoints of its own tokens are written, where the first host has its folder, or on a disk of its own.
    """
    checkpoint = CheckpointFolder(unfinished(followed(Path(out))) / CHECKPOINT)
    with lost_hosts(out):
        for _ in ("its command is understood", "its folder is made"):
            with all_ready():
                pass
        config = same_config(None)
        run = _solve(config, None, keeper=_keeper(config, checkpoint, note), progress=progress)
    is_complete = run.result.name != "interrupted"
    if is_complete:
        checkpoint.remove_part(jax.process_index())
    return is_complete


def _check_can_resume(out: Path) -> None:
    """Raises `FileError` if there is nothing to go on from."""
    if can_go_on(followed(out)):
        return
    if not RunFolder.open(out).checkpoint.is_there:
        raise FileError(f"{out} is finished: tokenfield show {out} has its numbers")


def _keeper(config: Config, folder: CheckpointFolder, note: Note) -> Keeper:
    return Keeper(folder, every_s=parse.duration(config.output.checkpoint, "output.checkpoint"), note=note)


def _run(config: Config, built: Built, draft: Draft, bar: Progress, *, progress: bool | None, note: Note) -> RunFolder:
    """The run folder of `config` and what was built of it, solved from the checkpoint of the draft if it has one."""
    began = time.perf_counter()
    checkpoint = CheckpointFolder(draft.path / CHECKPOINT)
    keeper = _keeper(config, checkpoint, note)
    folder: RunFolder | None = None
    try:
        with Interrupts(holds=False):
            if config.output.figures:
                import_ahead(*DRAWING)  # the solve begins with a second of compiling
            with lost_hosts(draft.place):
                run = _solve(config, built, folder=draft.path, keeper=keeper, progress=progress)
            is_interrupted = run.result.name == "interrupted"
            if is_interrupted and not int(run.stats.accepted):
                raise KeyboardInterrupt
            bar.stage("writing")
            missing = ["summary", *(["figures"] if config.output.figures else [])]
            manifest = describe_run(config, time.perf_counter() - began) | {"missing": missing}
            draft.write(config, manifest=manifest, trajectory=run.labelled())
            folder = RunFolder(draft.finish())
            if not is_interrupted:
                folder.checkpoint.remove()
        for reduction in run.notes:
            note(reduction)
        if run.result.name == "under-resolved" or np.isfinite(float(run.result.unresolved_from)):
            note(str(run.result))
        slow = slow_sums(run, built[1], config.solve.t0)
        if slow is not None:
            note(slow)
        return _complete(folder, run, built[1], bar, note, began=began)
    except KeyboardInterrupt as error:
        if folder is not None:
            raise _unfinished(folder) from error
        if checkpoint.is_there:
            raise Interrupted(f"tokenfield simulate --resume --out {draft.place} goes on") from error
        raise


def _unfinished(folder: RunFolder) -> Interrupted:
    return Interrupted(
        f"{folder.path} has the trajectory, but no {' and no '.join(folder.missing)}: "
        f"tokenfield simulate --resume --out {folder.path} makes them"
    )


def _finish_in_place(folder: RunFolder, bar: Progress, note: Note) -> RunFolder:
    """The folder with what it lacks: its trajectory is whole."""
    if not folder.missing:
        return folder
    bar.stage("reading")
    began, config = time.perf_counter(), folder.config.resolved()
    try:
        return _complete(folder, folder.trajectory(), config.build()[1], bar, note, began=began)
    except KeyboardInterrupt as error:
        raise _unfinished(folder) from error


def _complete(folder: RunFolder, run: Trajectory, start: Law, bar: Progress, note: Note, *, began: float) -> RunFolder:
    """The folder with its summary, and the figures of a run that was not interrupted."""
    config = folder.config.resolved()
    with while_measuring(config):
        return _measured(config, folder, run, start, bar, note, began=began)


def _measured(
    config: Config, folder: RunFolder, run: Trajectory, start: Law, bar: Progress, note: Note, *, began: float
) -> RunFolder:
    try:
        if "summary" in folder.missing:
            bar.stage("measuring")
            folder.add_summary(summarize(run, start, t0=config.solve.t0))
        if "figures" in folder.missing and run.result.name != "interrupted":
            bar.stage("drawing")
            draw(run, folder.figures, format=config.output.format, note=note)
            folder.made("figures", wall_s=time.perf_counter() - began)
    except FileError as error:  # a disk that fills up now must not cost the data, which is written
        if "summary" in folder.missing:
            raise FileError(f"{error}; the trajectory is in {folder.path}") from error
        note(f"the remaining figures were not drawn: {error}")
    return folder


def solve_config(config: Config, *, progress: bool | None = None) -> tuple[Trajectory, Law]:
    """The trajectory of `config`, and the tokens, the density or the Gaussian that it started from."""
    built = config.build()
    return _solve(config, built, progress=progress), built[1]


def _solve(
    config: Config,
    built: Built | None,
    *,
    folder: Path | None = None,
    keeper: Keeper | None = None,
    progress: bool | None = None,
) -> Trajectory:
    """The trajectory over the devices of `config`; `built` is made here if it is not there yet.

    Raises `TooLarge` if there is no room for it on the disk of `folder`.
    """
    keeping: dict[str, Any] = {} if keeper is None else {"keep": keeper.keep, "restore": keeper.restore}
    with all_ready():
        built = built or config.build()  # by each host for itself, before there is anything that they share
    with while_solving(config):
        with all_ready():
            plan = _plan(config, built)
            if folder is not None:
                what = f"states at {len(plan.times)} times"
                require_disk(plan.saved_bytes, folder, what, advice="save fewer times")
        run = flow.solve_plan(plan, progress=progress, **keeping)
    run = brought_home(run)
    if hosts() > 1:
        exchange_is_over()
    return run


def explain_config(config: Config) -> Plan:
    """How `config` would be solved, and why."""
    config = with_devices(config.resolved())
    built = config.build()
    with while_solving(config):
        return _plan(config, built)


def _plan(config: Config, built: Built) -> Plan:
    model, start = built
    return explain(model, spread(start), **arguments_of(config, model))


def arguments_of(config: Config, model: Transformer) -> dict[str, Any]:
    """The section [solve] as `solve` and `explain` take it."""
    options = config.solve
    stepping: dict[str, Any]
    if options.layers is None and options.step is None:
        stepping = {"method": Adaptive(options.method, options.rtol, options.atol, options.norm)}
    else:  # with fixed steps, the tolerance is that of the sums
        stepping = {"method": options.method, "step": options.step, "layers": options.layers, "rtol": options.rtol}
    return stepping | {
        "t1": options.t1,
        "t0": options.t0,
        "save": build_save(config, model),
        "events": build_events(config, model),
        "merge": options.merge,
        "clock": Clock(options.clock, options.speed),
        "max_steps": options.max_steps,
    }
