"""Sweeps on a real Dask scheduler and workers, separate processes on the loopback: whoever dies, nothing is lost."""

from __future__ import annotations

import errno
import os
import random
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import numpy as np
import pytest

import tokenfield as tkf
from tokenfield._runtime.files import disk_errors
from tokenfield.study.store import SweepFolder
from tokenfield.study.sweep import running

pytest.importorskip("distributed")
pytestmark = pytest.mark.slow

CONFIG = {"initial": {"n": 4}, "solve": {"t1": 1.0, "method": "rk4", "step": 0.1}}
# a function of the run keeps them apart: 16 cells, five to a piece
GIVEN = {"over": {"beta": np.linspace(1.0, 3.0, 16).tolist()}, "seeds": 8}


@pytest.fixture(scope="module")
def serial(tmp_path_factory) -> np.ndarray:
    place = tmp_path_factory.mktemp("serial") / "s"
    return tkf.sweep(CONFIG, **GIVEN, measure=["order", measure_file(place.parent)], out=place)["slow"].values


def measure_file(folder: Path) -> str:
    """A measure that takes its time, and as long as there is a file `hold`, so that somebody is killed over it."""
    path = folder / "slow.py"
    path.write_text(
        "import os, time\nimport numpy as np\n\ndef slow(run):\n    time.sleep(0.02)\n"
        f"    while os.path.exists({str(folder / 'hold')!r}):\n        time.sleep(0.05)\n"
        "    return float(np.abs(np.asarray(run.final.points)).sum())\n"
    )
    return f"{path}:slow"


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def started(*command: str) -> subprocess.Popen:
    line = [sys.executable, "-m", "distributed.cli." + command[0], *command[1:]]
    return subprocess.Popen(line, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def scheduler(port: int) -> subprocess.Popen:
    process = started("dask_scheduler", "--host", "127.0.0.1", "--port", str(port), "--no-dashboard")
    end = time.monotonic() + 60
    while time.monotonic() < end:
        with socket.socket() as found:
            if found.connect_ex(("127.0.0.1", port)) == 0:
                return process
        time.sleep(0.1)
    raise TimeoutError("the scheduler did not start")


WORKER = ("--nthreads", "1", "--no-nanny", "--no-dashboard", "--preload", "tokenfield.study.sweep.worker")


def worker(port: int) -> subprocess.Popen:
    return started("dask_worker", f"tcp://127.0.0.1:{port}", *WORKER)


# imports what every worker does, and becomes a worker at each line that names a port; JAX is imported, but not used
NURSERY = f"""
import os, signal, sys
import tokenfield.study.sweep.computing
from distributed.cli.dask_worker import main

children, nowhere = set(), os.open(os.devnull, os.O_RDWR)
for line in sys.stdin:
    what, number = line.split()
    if what == "start" and (pid := os.fork()) == 0:
        os.dup2(nowhere, 0), os.dup2(nowhere, 1)
        main(["tcp://127.0.0.1:" + number, *{WORKER!r}])
    if what == "start":
        children.add(pid)
    else:
        children.remove(pid := int(number))
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
    print(pid, flush=True)
for pid in children:
    os.kill(pid, signal.SIGKILL)
"""


class Nursery:
    """Starts processes that are the workers of Dask's command, without the seconds in which each of them imports."""

    def __init__(self) -> None:
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
        self._process = subprocess.Popen([sys.executable, "-c", NURSERY], text=True, **pipes)

    def ask(self, line: str) -> int:
        self._process.stdin.write(line + "\n")
        self._process.stdin.flush()
        return int(self._process.stdout.readline())

    def worker(self, port: int) -> Forked:
        return Forked(self, self.ask(f"start {port}"))

    def close(self) -> None:
        self._process.stdin.close()
        self._process.wait()


class Forked:
    """A worker out of the nursery; it ends by SIGKILL, and is waited for there."""

    def __init__(self, nursery: Nursery, pid: int) -> None:
        self._nursery, self.pid = nursery, pid

    def kill(self) -> None:
        self._nursery.ask(f"kill {self.pid}")

    def wait(self) -> None: ...


@pytest.fixture(scope="module")
def nursery() -> Iterator[Nursery]:
    found = Nursery()
    yield found
    found.close()


@contextmanager
def cluster(workers: int = 2, *, start=worker) -> Iterator[tuple[int, dict[str, list]]]:
    """A port, and the processes of a scheduler and its workers; all are gone in the end."""
    port = free_port()
    processes: dict[str, list] = {"scheduler": [scheduler(port)], "workers": []}
    processes["workers"] += [start(port) for _ in range(workers)]
    try:
        yield port, processes
    finally:
        for process in (*processes["workers"], *processes["scheduler"]):
            process.kill()
            process.wait()


@contextmanager
def meanwhile(action) -> Iterator[None]:
    """Runs `action(is_over)` in a thread until the block is left."""
    over = threading.Event()
    thread = threading.Thread(target=action, args=(over,))
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def swept(port: int, out: Path) -> np.ndarray:
    measure = ["order", measure_file(out.parent)]
    return tkf.sweep(CONFIG, **GIVEN, measure=measure, on=f"tcp://127.0.0.1:{port}", out=out)["slow"].values


def test_workers_are_killed_at_random(serial, nursery, tmp_path):
    """Twenty times, by SIGKILL, each replaced: nothing lost, nothing twice, and the bits of the serial run."""
    killed, hold = [], tmp_path / "hold"
    with ExitStack() as stack:
        port, processes = stack.enter_context(cluster(3, start=nursery.worker))

        def kill(over):
            chance = random.Random(0)
            while not any((tmp_path / "s" / "pieces").glob("*/*.npz")) and not over.wait(0.1):
                pass  # the first piece says that workers are there
            hold.touch()
            # each lives for a second: some are killed as they begin, some in a piece, and some over one that they hold
            while len(killed) < 20 and not over.wait(chance.uniform(0.05, 0.75)):
                victim = processes["workers"].pop(chance.randrange(len(processes["workers"])))
                victim.kill()
                killed.append(victim.pid)
                processes["workers"].append(nursery.worker(port))
            hold.unlink()

        stack.enter_context(meanwhile(kill))
        found = swept(port, tmp_path / "s")
    assert len(killed) == 20
    np.testing.assert_array_equal(found, serial)
    names = [line.split(" ")[1] for line in (tmp_path / "s" / "pieces.txt").read_text().splitlines() if line]
    assert len(names) == len(set(names))


def test_the_scheduler_is_stopped_and_started_again(serial, nursery, tmp_path):
    with ExitStack() as stack:
        port, processes = stack.enter_context(cluster(start=nursery.worker))
        stopped = []

        def stop(over):
            out = tmp_path / "s" / "pieces"
            while not over.wait(0.2):
                if len(list(out.glob("*/*.npz"))) >= 2 and not stopped:
                    old = processes["scheduler"].pop()
                    old.kill()
                    old.wait()
                    stopped.append(len(list(out.glob("*/*.npz"))))
                    for process in processes["workers"]:
                        process.kill()
                        process.wait()
                    processes["scheduler"].append(scheduler(port))
                    processes["workers"][:] = [nursery.worker(port) for _ in range(2)]

        stack.enter_context(meanwhile(stop))
        found = swept(port, tmp_path / "s")
    assert stopped
    np.testing.assert_array_equal(found, serial)


def test_a_worker_with_another_version_is_said(tmp_path, monkeypatch):
    """The coordinator is the one that differs here: workers refuse its pieces."""
    with cluster(1) as (port, _):
        monkeypatch.setattr(running, "versions", lambda: (("tokenfield", "0.0.9"), ("jax", "0"), ("jaxlib", "0")))
        with pytest.raises(tkf.InvalidInput, match="this worker has tokenfield"):
            swept(port, tmp_path / "s")


def test_no_scheduler_is_known_at_once(tmp_path):
    with pytest.raises(tkf.ConfigError, match="there is no Dask scheduler at tcp"):
        tkf.sweep(CONFIG, **GIVEN, measure="order", on=f"tcp://127.0.0.1:{free_port()}")


def test_a_full_disk_costs_what_was_under_way(serial, tmp_path, monkeypatch):
    """The process that writes meets a disk that is full after two pieces; with room again the same call goes on."""
    write, written = SweepFolder.write, []

    def until_full(self, name, *rest):
        if len(written) == 2:
            with disk_errors(self.path, outcome="; the same command goes on"):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        written.append(name)
        write(self, name, *rest)

    with cluster(1) as (port, _):
        monkeypatch.setattr(SweepFolder, "write", until_full)
        with pytest.raises(tkf.errors.FileError, match="No space left on device; the same command goes on"):
            swept(port, tmp_path / "s")
        assert len(list((tmp_path / "s" / "pieces").glob("*/*.npz"))) == 2
        monkeypatch.setattr(SweepFolder, "write", write)
        found = swept(port, tmp_path / "s")
    np.testing.assert_array_equal(found, serial)
    lines = [line for line in (tmp_path / "s" / "pieces.txt").read_text().splitlines() if line]
    assert len(lines) == len({line.split(" ")[1] for line in lines})


def test_the_tasks_of_a_slurm_job(serial, tmp_path, monkeypatch):
    """A program called srun stands for Slurm: it runs what it is asked to, without the options that say where."""
    pytest.importorskip("executorlib")
    fake = tmp_path / "srun"
    fake.write_text(
        f'#!/bin/sh\nprintf "%s " "$@" >> {tmp_path}/asked\n'
        'while :; do case "$1" in *python*) break;; esac; shift; done\nexec "$@"\n'
    )
    fake.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    monkeypatch.setenv("SLURM_NTASKS", "2")
    measure = ["order", measure_file(tmp_path)]
    found = tkf.sweep(CONFIG, **GIVEN, measure=measure, on="slurm", out=tmp_path / "s")["slow"].values
    np.testing.assert_array_equal(found, serial)
    assert (tmp_path / "asked").read_text().count("-n 1 ") == 2  # a step for each task of the job


@pytest.mark.parametrize(("number", "workers", "device", "preallocates"), [(1, 2, "7", True), (3, 4, "7", False)])
def test_each_worker_has_a_gpu_before_jax_is_there(number, workers, device, preallocates):
    program = (
        "import sys\nfrom tokenfield.study.sweep import worker\n"
        "assert 'jax' not in sys.modules\n"
        f"worker.dask_setup(type('Worker', (), {{'name': 'tcp-{number}'}}))\n"
        "import os; print(os.environ['CUDA_VISIBLE_DEVICES'], os.environ.get('XLA_PYTHON_CLIENT_PREALLOCATE'))"
    )
    given = {"CUDA_VISIBLE_DEVICES": "4,7", "TOKENFIELD_WORKERS": str(workers), "JAX_PLATFORMS": "cpu"}
    done = subprocess.run([sys.executable, "-c", program], env=os.environ | given, capture_output=True, text=True)
    assert done.stdout.split() == [device, "None" if preallocates else "false"], done.stderr
