"""From a config to a finished run folder: build, solve, summarize, write, draw. What the command line calls."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import jax
import numpy as np

from tokenfield._runtime.memory import require_disk
from tokenfield.errors import FileError
from tokenfield.model.transformer import Transformer
from tokenfield.solver import solve as flow
from tokenfield.solver.options import Adaptive, Clock
from tokenfield.solver.plan import Plan, check_times, explain
from tokenfield.solver.trajectory import Trajectory
from tokenfield.study.builders import build_events, build_save
from tokenfield.study.builders.start import Law
from tokenfield.study.config import Config
from tokenfield.study.figures import Note, draw
from tokenfield.study.manifest import describe_run
from tokenfield.study.store import RUN, Draft, RunFolder
from tokenfield.study.summary import summarize


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

    Ctrl-C during the solve keeps what is done, with the result "interrupted". `note` is told what was left out.
    """
    started = time.perf_counter()
    config = config.resolved()
    # the folder is made before the work, so that a place that cannot be written is known at once
    with Draft(out, RUN, force=force, numbered=numbered) as draft:
        run, start = solve_config(config, progress=progress, folder=draft.path)
        summary = summarize(run, start, t0=config.solve.t0)
        for reduction in run.notes:
            note(reduction)
        if run.result.name == "under-resolved" or np.isfinite(float(run.result.unresolved_from)):
            note(str(run.result))
        manifest = describe_run(config, time.perf_counter() - started)
        draft.write(config, summary=summary, manifest=manifest, trajectory=run.to_xarray())
        if config.output.figures:
            try:
                draw(run, draft.figures, format=config.output.format, note=note)
            except KeyboardInterrupt:
                note("interrupted: the remaining figures were not drawn")
            except FileError as error:  # a disk that fills up now must not cost the data, which is written
                note(f"the remaining figures were not drawn: {error}")
        return RunFolder(draft.finish())


def solve_config(config: Config, *, progress: bool | None = None, folder: Path | None = None) -> tuple[Trajectory, Law]:
    """The trajectory of `config`, and the tokens, the density or the Gaussian that it started from.

    Raises `TooLarge` if there is no room for it in `folder`.
    """
    model, start = config.build()
    if folder is not None and config.solve.save_tokens:
        size = max(leaf.nbytes for leaf in jax.tree.leaves(start))
        times = build_save(config, model).resolve(*check_times(config.solve.t0, config.solve.t1), bytes_per_time=size)
        require_disk(size * len(times), folder, f"states at {len(times)} times", advice="save fewer times")
    return flow.solve(model, start, **arguments_of(config, model), progress=progress), start


def explain_config(config: Config) -> Plan:
    """How `config` would be solved, and why."""
    model, start = config.build()
    return explain(model, start, **arguments_of(config, model))


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
