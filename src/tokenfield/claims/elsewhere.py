"""Claims on the engines of sweeps: a Dask cluster, the tasks of a Slurm job. Workers return records and figures.

So workers need no folder of this process, and a claim that a lost worker had is run again by another.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tokenfield._runtime.files import temporary_folder
from tokenfield.claims.claim import Claim
from tokenfield.errors import InvalidInput
from tokenfield.study.store.records import ClaimsFolder, Record
from tokenfield.study.sweep.engines import engine

if TYPE_CHECKING:
    from tokenfield.claims.running import Plan, State


@dataclass(frozen=True)
class Task:
    """A claim to be run, as plain data; `fingerprint` is that of the process that asks for it."""

    name: str
    mode: str
    seed: int
    seeds: int
    fingerprint: str


def compute(task: Task) -> tuple[Record, bytes | None]:
    """The record of a claim and its figure; raises `InvalidInput` if the code here is not that of who asks."""
    from tokenfield.claims import find
    from tokenfield.claims.running import execute, fingerprint

    if fingerprint(find([task.name])[0], task.mode, task.seed) != task.fingerprint:
        raise InvalidInput("a worker has another version of tokenfield: install the one of the process that began it")
    with temporary_folder() as folder:
        ClaimsFolder(Path(folder)).make()
        record = execute(task.name, task.mode, task.seed, str(folder), task.seeds)
        figure = (Path(folder) / record["figure"]).read_bytes() if record["figure"] else None
    return record, figure


def work_elsewhere(plan: Plan, state: State, waiting: Sequence[Claim]) -> Iterator[State]:
    """Runs the claims on the engine of the plan, and yields the state after each; Ctrl-C ends it early."""
    from tokenfield.claims.running import fingerprint

    def tasks() -> Iterator[Task]:
        for claim in waiting:
            state.running[claim.id] = time.monotonic()
            yield Task(claim.id, plan.mode, plan.seed, plan.seeds, fingerprint(claim, plan.mode, plan.seed))

    for task, (record, figure) in engine(plan.on, workers=plan.workers, function=compute)(tasks()):
        plan.store.write(record, figure)
        state.running.pop(task.name, None)
        state.worked_s += record["seconds"]
        state.records[task.name] = record
        yield state
