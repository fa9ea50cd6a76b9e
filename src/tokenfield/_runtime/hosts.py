"""Processes on several hosts that run one command together: how they are started, and how each joins the others.

A thin layer over `jax.distributed`, which lets the devices of all of them be used as one. `start` runs on the machine
where the command was typed; it starts one process for each host, there by ssh, and ends all of them if one is lost.
"""

from __future__ import annotations

import os
import shlex
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from contextlib import suppress

from tokenfield._runtime.files import send_nowhere
from tokenfield._runtime.interrupt import Interrupts
from tokenfield._runtime.progress import be_silent
from tokenfield._runtime.workers import visible_gpus
from tokenfield.errors import ConfigError

PORT = 7531  # of the first host, where the others find it, if nobody says otherwise
HERE = ("localhost", "127.0.0.1", "::1")
LAUNCHED = "TOKENFIELD_LAUNCHED"  # set for processes that `start` has started
PATIENCE_S = 15.0  # that the others have to end by themselves when one is lost
LONG_S = 7 * 24 * 3600  # the first host may write and draw as long as it likes while the others wait for it to end
_is_over = False
CARRIED = ("XLA_", "JAX_", "NCCL_", "TOKENFIELD_")  # beginnings of environment variables that other hosts get too


def join(hosts: Sequence[str] = (), number: int | None = None, *, port: int = PORT) -> int:
    """Makes this process one of several, before JAX is used; returns its number.

    Without `hosts` the launcher that started it is asked: Slurm, Open MPI, and others that JAX knows. Raises
    `ConfigError` if the others are not found.
    """
    if hosts:
        assert number is not None
        share_gpus(list(hosts[:number]).count(hosts[number]), list(hosts).count(hosts[number]))
    _keep_stdout_clean()
    if os.environ.pop(LAUNCHED, None):
        threading.Thread(target=_end_with_launcher, daemon=True).start()
    import jax

    address = f"{hosts[0]}:{port}" if hosts else None
    try:
        jax.distributed.initialize(
            coordinator_address=address,
            num_processes=len(hosts) or None,
            process_id=number,
            shutdown_timeout_seconds=LONG_S,
        )
    except ValueError:
        raise ConfigError(
            "launch finds no other processes: say which --hosts, or start it with srun or mpirun"
        ) from None
    except RuntimeError as error:
        why = str(error).strip().partition("\n")[0]
        raise ConfigError(f"process {number} cannot reach the others at {address}: {why}") from error
    if jax.process_index() > 0:
        be_silent()
    return jax.process_index()


def exchange_is_over() -> None:
    """After the last exchange with the others: waits until all of them have made it, but not for one that is gone.

    A process that left at once would take with it what another one still reads.
    """
    global _is_over
    from jax._src.distributed import global_state

    wait = getattr(global_state.client, "wait_at_barrier", None)
    if wait is not None:
        with suppress(Exception):  # JAX has no public name for what it raises where another process is gone
            wait("exchange is over", int(1000 * PATIENCE_S))
            _is_over = True


def is_exchange_over() -> bool:
    """Whether all processes are known to be there and to need nothing more of each other."""
    return _is_over


def _keep_stdout_clean() -> None:
    """Only Python writes to standard output from now on: Gloo counts its connections there."""
    own = os.dup(1)
    sys.stdout.flush()
    send_nowhere(1)
    sys.stdout = os.fdopen(own, "w", encoding=sys.stdout.encoding, errors=sys.stdout.errors, buffering=1)


def _end_with_launcher() -> None:
    """Asks this process to end when the one that started it is gone: its input then ends."""
    with suppress(OSError):
        while os.read(0, 1024):
            pass
    os.kill(os.getpid(), signal.SIGTERM)


def share_gpus(place: int, count: int) -> None:
    """Lets this process see its share of the GPUs where `count` processes of one host share them."""
    gpus = visible_gpus()
    if count > 1 and gpus:
        if count > len(gpus):
            raise ConfigError(f"{count} processes on a host that has {len(gpus)} GPUs: start one for each at most")
        each = len(gpus) // count
        os.environ["CUDA_VISIBLE_DEVICES"] = ",".join(gpus[place * each : (place + 1) * each])


def own_number(hosts: Sequence[str]) -> int | None:
    """The place of this machine in the list of hosts, by its name; `None` if it is not there once."""
    places = [k for k, host in enumerate(hosts) if is_here(host)]
    return places[0] if len(places) == 1 else None


def is_here(host: str) -> bool:
    """Whether a host is this machine."""
    name = socket.gethostname()
    return host in (*HERE, name, name.partition(".")[0]) or host.partition(".")[0] == name.partition(".")[0]


def start(hosts: Sequence[str], arguments: Sequence[str], *, port: int | None = None) -> int:
    """Starts one process for each host and waits for all; returns the exit code of the first, or that of a lost one.

    If one ends before the others and not well, the rest is given a moment to say so, and then ended.
    """
    if any(not is_here(host) for host in hosts) and hosts[0] in HERE:
        raise ConfigError(f"the first of --hosts must have a name that the others know it by, not {hosts[0]}")
    chosen = port or (_free_port() if is_here(hosts[0]) else PORT)
    running = [_started(hosts, number, arguments, chosen) for number in range(len(hosts))]
    lost: int | None = None
    lost_at, is_told = 0.0, False
    with Interrupts() as interrupts:
        try:
            while any(process.poll() is None for process in running):
                time.sleep(0.05)
                if interrupts.requested and not is_told:
                    is_told = True  # one of them is enough: they stop together
                    _signal(running, signal.SIGINT)
                if lost is None and (lost := first_lost([process.poll() for process in running])) is not None:
                    lost_at = time.monotonic()
                if lost is not None and time.monotonic() - lost_at > PATIENCE_S:
                    _signal(running, signal.SIGKILL)
        finally:
            _signal(running, signal.SIGKILL)
    codes = [process.wait() for process in running]
    if lost is not None and (code := codes[lost]) < 0:
        name = signal.Signals(-code).name
        sys.stderr.write(
            f"tokenfield: error: process {lost} on {hosts[lost]} was ended by {name}; the others were stopped. With "
            "--resume and its --out the run goes on from the last checkpoint\n"
        )
        return 128 - code
    return codes[0] or next((code for code in codes if code), 0)


def first_lost(codes: Sequence[int | None]) -> int | None:
    """The process that the others were lost with, by what each has returned so far; `None` if all are well.

    Several may have ended since the last look. One that a signal ended did not end because of another one, so it comes
    before those that said that they miss it.
    """
    failed = [number for number, code in enumerate(codes) if code]
    by_signal = [number for number in failed if (codes[number] or 0) < 0]
    return next(iter(by_signal or failed), None)


def _started(hosts: Sequence[str], number: int, arguments: Sequence[str], port: int) -> subprocess.Popen[bytes]:
    own = ["launch", "--hosts", ",".join(hosts), "--process", str(number), "--port", str(port), *arguments]
    command = [sys.executable, "-m", "tokenfield", *own]
    if not is_here(hosts[number]):
        carried = [f"{name}={value}" for name, value in os.environ.items() if name.startswith(CARRIED)]
        there = shlex.join(["env", *carried, *command])
        # with a terminal: when the connection ends, the process there gets a signal, and its checkpoint is written
        command = ["ssh", "-tt", "-o", "BatchMode=yes", hosts[number], f"cd {shlex.quote(os.getcwd())} && {there}"]
    try:
        # a session of its own: Ctrl-C comes from here, once; its input ends when this process does
        watched = os.environ | {LAUNCHED: "1"}
        return subprocess.Popen(command, stdin=subprocess.PIPE, start_new_session=True, env=watched)
    except FileNotFoundError:
        raise ConfigError(f"there is no {command[0]} here to reach {hosts[number]}") from None


def _signal(running: Sequence[subprocess.Popen[bytes]], number: int) -> None:
    for process in running:
        if process.poll() is None:
            with suppress(ProcessLookupError):
                process.send_signal(number)


def _free_port() -> int:
    with socket.socket() as found:
        found.bind(("", 0))
        return int(found.getsockname()[1])
