"""Running claims: several at once, on one seed or many, each kept on disk as soon as it is finished, continued there.

Records and figures go to a `ClaimsFolder`. A record made with other parameters, another seed or other code of
tokenfield is not used again.
"""

from __future__ import annotations

import hashlib
import json
import math
import signal
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from functools import cache
from multiprocessing import get_context, resource_tracker
from pathlib import Path
from typing import Any

import numpy as np

import tokenfield
from tokenfield._runtime.interrupt import Interrupts
from tokenfield._runtime.parent import end_with_parent
from tokenfield._runtime.progress import be_silent
from tokenfield._runtime.workers import cores_for_each
from tokenfield.claims.claim import FAILS, HOLDS, INCONCLUSIVE, NOT_RUN, RELATIONS, Check, Claim, Finding
from tokenfield.claims.papers import PAPERS
from tokenfield.errors import FileError, TokenfieldError
from tokenfield.study.store.records import ClaimsFolder, Record


@dataclass(frozen=True)
class Plan:
    """Claims to run in a `mode` with a `seed`, into a `folder`, by `jobs` processes; `again`: whatever is there."""

    claims: Sequence[Claim]
    mode: str
    seed: int
    folder: Path
    jobs: int = 1
    again: bool = False
    seeds: int = 1  # how many seeds, from `seed` on; the record and figure are those of the first
    on: Any = "local"  # who runs them: processes of this one, or an engine of sweeps
    workers: int | None = None  # of that engine

    @property
    def store(self) -> ClaimsFolder:
        """The folder as it is read and written."""
        return ClaimsFolder(self.folder)


@dataclass
class State:
    """What is known while a plan is worked off: finished records by id, and what is running since when."""

    plan: Plan
    records: dict[str, Record]
    running: dict[str, float]
    began: float
    worked_s: float = 0.0  # by all processes on what was finished here

    @property
    def seconds_left(self) -> float:
        """About how long the rest takes, by the seconds that claims usually take and how these compare so far."""
        usual = {claim.id: claim.setting(self.plan.mode).seconds for claim in self.plan.claims}
        finished = [r for r in self.records.values() if not r["is_kept"]]
        done = sum(usual[r["id"]] for r in finished)
        now = time.monotonic()
        # what runs longer than usual tells that the machine is slow, before anything is finished
        late = [(now - since) / usual[id] for id, since in self.running.items()]
        pace = max([self.worked_s / done if done > 0 else 1.0, *late])
        left = [usual[id] for id in usual if id not in self.records and id not in self.running]
        ongoing = [max(pace * usual[id] - (now - since), 1.0) for id, since in self.running.items()]
        return max((pace * sum(left) + sum(ongoing)) / self.plan.jobs, max(ongoing, default=0.0))


def work(plan: Plan) -> Iterator[State]:
    """Runs the claims of a plan, the longest first, and yields the state after each change and twice a second.

    Ctrl-C ends early and keeps what is finished. Raises `FileError` if the folder cannot be written.
    """
    plan.store.make()
    kept = {} if plan.again else {claim.id: record for claim in plan.claims if (record := kept_record(plan, claim))}
    state = State(plan, kept, {}, time.monotonic())
    waiting = sorted((c for c in plan.claims if c.id not in kept), key=lambda c: -c.setting(plan.mode).seconds)
    yield state
    if not waiting:
        return
    if plan.on != "local":
        from tokenfield.claims.elsewhere import work_elsewhere

        try:
            yield from work_elsewhere(plan, state, waiting)
        except TokenfieldError:  # no such engine, say
            plan.store.leave()
            raise
        return
    with Interrupts() as interrupts:
        pool = _pool(plan)
        futures: dict[Future[Record], Claim] = {}
        lost: set[str] = set()
        try:
            while (waiting or futures) and not interrupts.requested:
                while waiting and len(futures) < plan.jobs:
                    claim = waiting.pop(0)
                    futures[pool.submit(execute, claim.id, plan.mode, plan.seed, str(plan.folder), plan.seeds)] = claim
                    state.running[claim.id] = time.monotonic()
                done, _ = wait(futures, timeout=0.5, return_when=FIRST_COMPLETED)
                is_broken = False
                for future in done:
                    claim = futures.pop(future)
                    del state.running[claim.id]
                    try:
                        record = future.result()
                    except BrokenProcessPool:
                        # one killed process takes all of its pool along: each claim has a second try
                        is_broken = True
                        if claim.id not in lost:
                            lost.add(claim.id)
                            waiting.append(claim)
                            continue
                        record = _broken(plan, claim, "its process was killed, twice (out of memory?)")
                    state.worked_s += record["seconds"]
                    state.records[claim.id] = record
                if is_broken:
                    waiting += futures.values()
                    futures.clear()
                    state.running.clear()
                    pool = _pool(plan)
                yield state
        finally:
            _stop(pool)


def _pool(plan: Plan) -> ProcessPoolExecutor:
    # Python's own helper process must outlive a closing terminal, or the next one complains about what it never saw
    if hasattr(signal, "SIGHUP") and threading.current_thread() is threading.main_thread():
        before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
        resource_tracker.ensure_running()
        signal.signal(signal.SIGHUP, before)
    # fresh processes: JAX's threads do not survive a fork
    pool = ProcessPoolExecutor(plan.jobs, mp_context=get_context("spawn"), initializer=_prepare, initargs=(plan.mode,))
    with cores_for_each(plan.jobs):
        pool.submit(int)  # the first task starts all processes
    return pool


def _prepare(mode: str) -> None:
    """In a worker: Ctrl-C and progress are the parent's, compiled code is kept between runs as by other commands."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    end_with_parent()
    be_silent()
    from tokenfield._runtime.compilation import compile_fast, keep_compiled_code

    keep_compiled_code()
    if mode == "quick":
        compile_fast()


def _stop(pool: ProcessPoolExecutor) -> None:
    """Ends the processes at once; what they were doing is not kept anyway."""
    processes = list((getattr(pool, "_processes", None) or {}).values())
    pool.shutdown(wait=False, cancel_futures=True)
    for process in processes:
        process.terminate()


# --- one claim ----------------------------------------------------------------------------------------------------


def execute(id: str, mode: str, seed: int, folder: str, seeds: int = 1) -> Record:
    """Runs one claim on `seeds` seeds, writes its figure and its record into the folder, and returns the record."""
    from tokenfield.claims import find

    claim, out = find([id])[0], ClaimsFolder(Path(folder))
    began = time.monotonic()
    if missing := claim.missing():
        record = describe(claim, mode, seed, None, 0.0, None, not_run=missing)
        out.write(record)
        return record
    try:
        finding = claim.find(mode, seed=seed)
        seconds = time.monotonic() - began
        figure = save_figure(claim, finding, out)
        verdicts = on_seeds(claim, mode, seed, finding, seeds)
        control = claim.weakest(claim.find_control(seed=seed)) if seeds > 1 and claim.control else None
        record = describe(claim, mode, seed, finding, seconds, figure, seeds=verdicts, control=control)
    except (OSError, FileError):  # a disk that is full is not the claim's fault
        raise
    except Exception as error:  # a broken experiment must not take the others with it
        message = f"{type(error).__name__}: {' '.join(str(error).split())[:300]}"
        record = describe(claim, mode, seed, None, time.monotonic() - began, None, error=message)
    out.write(record)
    return record


def on_seeds(claim: Claim, mode: str, seed: int, first: Finding, count: int) -> dict[str, Any]:
    """How a claim fares on the seeds from `seed` on, of which `first` is known: how many hold, and which do not.

    If the last seed measures exactly what the first did, and with the same data, nothing depends on the seed, and no
    more are run.
    """
    verdicts, is_random = {seed: first.verdict}, None
    # the last one first: neighboring seeds may share starts
    for other in [seed + count - 1, *range(seed + 1, seed + count - 1)] if count > 1 else []:
        finding = claim.find(mode, seed=other)
        verdicts[other] = finding.verdict
        if is_random is None:
            is_random = _numbers([*finding.checks, finding.data]) != _numbers([*first.checks, first.data])
        if not is_random:
            break
    missed = {str(number): verdict for number, verdict in sorted(verdicts.items()) if verdict != HOLDS}
    return {"count": count, "run": len(verdicts), "is_random": is_random, "missed": missed}


def _numbers(value: Any) -> list[Any]:
    """All numbers in a value, in their order: what is counted is often the same where what is drawn is not."""
    if isinstance(value, Check):
        return [f"{value.measured!r}"]  # as text, in which NaN equals NaN
    if isinstance(value, Mapping):
        return [number for part in value.values() for number in _numbers(part)]
    if isinstance(value, Sequence) and not isinstance(value, str | bytes):
        return [number for part in value for number in _numbers(part)]
    if hasattr(value, "__array__"):
        return [np.asarray(value).tobytes()] if np.asarray(value).dtype.kind in "biufc" else []
    return [f"{value!r}"] if isinstance(value, int | float | complex) else []


def save_figure(claim: Claim, finding: Finding, folder: ClaimsFolder) -> str:
    """Draws the figure of a claim into the folder; its path relative to that."""
    from tokenfield.plot.picture import Picture
    from tokenfield.plot.style import styled

    with styled():
        figure = claim.draw(finding)
    name = folder.figure(claim.figure or claim.id)
    Picture(figure).save(folder.path / name, dpi=200)
    return name


def describe(
    claim: Claim,
    mode: str,
    seed: int,
    finding: Finding | None,
    seconds: float,
    figure: str | None,
    *,
    error: str = "",
    not_run: str = "",
    seeds: Mapping[str, Any] | None = None,
    control: Check | None = None,
) -> Record:
    """The record of a claim as plain data; `seeds` as `on_seeds` has it, `control` the weakest check of its control."""
    paper = PAPERS[claim.paper]
    power = None if control is None else control.misfit
    checks = [] if finding is None else finding.checks
    return {
        "id": claim.id,
        "title": claim.title,
        "statement": claim.statement,
        "source": f"arXiv {paper.arxiv}, {claim.where}",
        "paper": claim.paper,
        "arxiv": paper.arxiv,
        "where": claim.where,
        "status": claim.status,
        "assumptions": list(claim.assumptions),
        "note": claim.note,
        "group": claim.group,
        "verdict": NOT_RUN if not_run else INCONCLUSIVE if finding is None else finding.verdict,
        "predicted": {check.what: check.predicted for check in checks},
        "measured": {check.what: check.measured for check in checks},
        "tolerance": {check.what: check.tolerance for check in checks},
        "checks": [_as_data(check) for check in checks],
        "main": claim.main,
        "control": None if claim.control is None else claim.control.why,
        "control_fails": "" if claim.control is None else claim.control.fails or claim.main,
        "control_check": None if control is None else _as_data(control),
        "power": "inf" if power == math.inf else power,  # JSON has no infinite numbers
        "misses": claim.misses,
        "seeds": dict(seeds or {"count": 1, "run": 1, "is_random": None, "missed": {}}),
        "mode": mode,
        "seed": seed,
        "parameters": dict(claim.setting(mode).parameters),
        "seconds": round(seconds, 3),
        "figure": figure,
        "error": error,
        "not_run": not_run,
        "command": f"tokenfield reproduce {claim.id} --{mode} --seed {seed}",
        "fingerprint": fingerprint(claim, mode, seed),
        "is_kept": False,
    }


def _as_data(check: Check) -> dict[str, Any]:
    return {
        "what": check.what,
        "measured": check.measured,
        "relation": RELATIONS[check.relation],
        "predicted": check.predicted,
        "tolerance": check.tolerance,
        "is_relative": check.is_relative,
        "reason": check.reason,
        "error": check.error,
        "verdict": check.verdict,
    }


def _broken(plan: Plan, claim: Claim, why: str) -> Record:
    return describe(claim, plan.mode, plan.seed, None, 0.0, None, error=why)


def fingerprint(claim: Claim, mode: str, seed: int) -> str:
    """Changes with everything that decides a record: its parameters, and all of tokenfield."""
    decides = [_sources(), claim.id, mode, seed, dict(claim.setting(mode).parameters)]
    return hashlib.sha256(json.dumps(decides, sort_keys=True).encode()).hexdigest()[:16]


@cache
def _sources() -> str:
    files = sorted(Path(tokenfield.__file__).parent.rglob("*.py"))
    return hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()


def kept_record(plan: Plan, claim: Claim) -> Record | None:
    """The record of an earlier run that still stands; broken claims are run again."""
    record = plan.store.read(claim.id)
    if record is None:
        return None
    try:
        is_same = record["fingerprint"] == fingerprint(claim, plan.mode, plan.seed)
        is_whole = not record["error"] and (plan.folder / record["figure"]).is_file()
        is_whole = is_whole and record["seeds"]["count"] >= plan.seeds
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return record | {"is_kept": True} if is_same and is_whole else None


# --- the folder ---------------------------------------------------------------------------------------------------


def write_records(plan: Plan, records: Mapping[str, Record]) -> list[Record]:
    """Writes the list of all records, and returns it: `records` and what else the folder has of this mode and seed."""
    from tokenfield.claims import all_claims

    every = [records.get(claim.id) or kept_record(plan, claim) for claim in all_claims()]
    found = [record for record in every if record is not None]
    plan.store.write_all(found)
    return found


def main_check(record: Record) -> dict[str, Any] | None:
    """The first check of a record that does not hold, or else its main one; `None` if nothing was measured."""
    checks = record["checks"]
    chosen = [check for check in checks if check["verdict"] != HOLDS]
    chosen += [check for check in checks if record["main"] in check["what"]]
    return next(iter([*chosen, *checks]), None)


def outcome(check: Mapping[str, Any], number: Callable[[float | None], str]) -> tuple[str, str]:
    """What was measured, and what was expected of it: "4.684" and "expected 4.680 ± 0.5 %", by a way to write numbers.

    A distance that should vanish, or a bound of zero, shows what is allowed: "8.3e-6" and "allowed 1e-4".
    """
    measured, predicted, slack = check["measured"], check["predicted"], check["tolerance"]
    size = f"{number(100 * slack)} %" if check["is_relative"] else number(slack)
    relation = check["relation"]
    if not predicted and slack and relation in "=≤":
        return number(measured), f"allowed {size}"
    words, sign = {"=": ("expected", "±"), "≤": ("at most", "+"), "≥": ("at least", "−")}[relation]
    return number(measured), f"{words} {number(predicted)}{f' {sign} {size}' if slack else ''}"


def seeds_held(record: Record) -> str:
    """On how many seeds a claim held, in words; empty if one seed was run."""
    seeds = record["seeds"]
    if seeds["count"] < 2:
        return ""
    if not seeds["is_random"]:
        return "no seed changes it"
    return f"{seeds['run'] - len(seeds['missed'])} of {seeds['run']} seeds hold"


def power_in_words(record: Record) -> str:
    """By how much a control misses, in words; empty if it was not run."""
    if record.get("power") is None:
        return ""
    power = record["power"]
    if power == "inf":  # where nothing is allowed: what was measured, and the bound
        measured, expected = outcome(record["control_check"], lambda value: f"{value:.3g}")
        return f"fails: {measured}, {expected}"
    times = f"{power:.2g}" if power < 100 else f"{power:.0e}".replace("e+0", "e").replace("e+", "e")
    return f"fails by {times} times what is allowed"


def counts(records: Sequence[Record]) -> dict[str, int]:
    """How many records have each verdict."""
    verdicts = (HOLDS, FAILS, INCONCLUSIVE, NOT_RUN)
    return {verdict: sum(r["verdict"] == verdict for r in records) for verdict in verdicts}
