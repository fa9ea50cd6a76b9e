"""Signals, kills and second writers: what was computed is kept, nothing half-written looks finished, and it goes on."""

from __future__ import annotations

import errno
import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import jax
import numpy as np
import pytest
from typer.testing import CliRunner

import tokenfield as tkf
from tokenfield._runtime.files import disk_errors, only_writer
from tokenfield._runtime.interrupt import Interrupts
from tokenfield._runtime.progress import Progress
from tokenfield.cli import app
from tokenfield.solver import solve as solving
from tokenfield.study import RunFolder
from tokenfield.study import simulate as studies
from tokenfield.study.store import CheckpointFolder, arrays

SMALL = ["--n", "6", "--t1", "2", "--beta", "2", "--save", "5"]


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    before = jax.config.jax_compilation_cache_dir
    yield
    jax.config.update("jax_compilation_cache_dir", before)


def tokenfield(*arguments: str | Path):
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def here() -> list[str]:
    return sorted(path.name for path in Path().iterdir())


def assert_same_run(a: str | Path, b: str | Path) -> None:
    runs = [tkf.load(folder) for folder in (a, b)]
    for left, right in zip(
        *(jax.tree.leaves((run.ts, run.states, run.final, run.result)) for run in runs), strict=True
    ):
        assert np.asarray(left).tobytes() == np.asarray(right).tobytes()
    assert runs[0].stats.accepted == runs[1].stats.accepted


def interrupt_after(monkeypatch, owner, name: str, calls: int = 0) -> None:
    """Makes a function raise as a signal does, after so many calls of it."""
    whole, count = getattr(owner, name), [0]

    def interrupted(*arguments, **options):
        count[0] += 1
        if count[0] > calls:
            raise KeyboardInterrupt
        return whole(*arguments, **options)

    monkeypatch.setattr(owner, name, interrupted)


# --- at every stage of simulate -----------------------------------------------------------------------------------


STAGES = {
    # what is interrupted, after how many calls of it: what is missing then, and whether the summary says interrupted
    "compiling": (solving, "_advance_compiled", 0, None),
    "solving": (solving, "_advance_compiled", 2, ["figures"]),
    "measuring": (studies, "summarize", 0, ["summary", "figures"]),
    "drawing": (studies, "draw", 0, ["figures"]),
}


@pytest.mark.parametrize("stage", STAGES)
def test_what_was_computed_is_kept_and_goes_on(stage, monkeypatch):
    owner, name, calls, missing = STAGES[stage]
    monkeypatch.setattr(solving, "CHUNK_STEPS", 3)
    assert tokenfield("simulate", *SMALL, "--no-figures", "--out", "whole").exit_code == 0
    with monkeypatch.context() as pressed:
        interrupt_after(pressed, owner, name, calls)
        result = tokenfield("simulate", *SMALL, "--out", "run")
    assert result.exit_code == 130 and "Traceback" not in result.output
    if missing is None:
        assert result.stderr == "tokenfield: error: interrupted: nothing was written\n" and here() == ["whole"]
        return
    assert here() == ["run", "whole"] and list(RunFolder.open("run").missing) == missing
    assert "tokenfield simulate --resume --out run" in result.stderr
    # what is there can be looked at
    shown = tokenfield("show", "run", "--json")
    assert shown.exit_code == 0
    assert json.loads(shown.stdout)["result"] == ("interrupted" if stage == "solving" else "finished")
    monkeypatch.setattr(studies, "draw", lambda *_, **__: [])  # tested elsewhere
    assert tokenfield("simulate", "--resume", "--out", "run").exit_code == 0
    assert_same_run("run", "whole")
    assert RunFolder.open("run").missing == () and here() == ["run", "whole"]
    assert not (Path("run") / "checkpoint").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--resume"], "--resume needs --out"),
        (["--resume", "--out", "run", "--n", "5"], "give --out and nothing else"),
        (["--resume", "--out", "absent"], "there is no run folder absent"),
        (["--continue-from", "run"], "--t1, which it needs"),
        (["--continue-from", "absent", "--t1", "3"], "there is no run folder absent"),
        (["--checkpoint", "often", "--out", "run"], "such as 30s, 10min or 2h, or off, got 'often'"),
    ],
)
def test_what_cannot_go_on(arguments, message):
    result = tokenfield("simulate", *arguments)
    assert result.exit_code == 2 and message in result.stderr and result.stderr.count("\n") == 1
    assert here() == []


def test_a_run_goes_on_to_a_later_time():
    assert tokenfield("simulate", *SMALL, "--causal", "--no-figures", "--out", "first").exit_code == 0
    result = tokenfield("simulate", "--continue-from", "first", "--t1", "3", "--out", "second")
    assert result.exit_code == 0, result.stderr
    first, second = tkf.load("first"), tkf.load("second")
    assert (float(second.ts[0]), float(second.ts[-1])) == (2.0, 3.0) and second.model.position
    np.testing.assert_allclose(second.points[0], first.points[-1], rtol=0, atol=5e-16)  # normalized once more
    # its folder needs nothing else: the same again, without the first
    Path("first").rename("elsewhere")
    assert tokenfield("simulate", "second/config.toml", "--out", "again").exit_code == 0
    assert_same_run("second", "again")
    assert "cannot go on as" in tokenfield("simulate", "second/config.toml", "--dim", "2", "--out", "x").stderr


def test_a_line_says_what_is_being_done(monkeypatch):
    labels: list[str] = []
    write = Progress._write

    def noted(self, label, fraction, note):
        labels.append(label)
        write(self, label, fraction, note)

    monkeypatch.setattr(Progress, "_write", noted)
    monkeypatch.setattr("tokenfield._runtime.progress.is_interactive", lambda: True)
    monkeypatch.setattr(studies, "draw", lambda *_, **__: [])  # tested elsewhere
    assert tokenfield("simulate", *SMALL, "--out", "run").exit_code == 0
    assert list(dict.fromkeys(labels)) == ["preparing", "compiling", "solving", "writing", "measuring", "drawing"]
    labels.clear()
    assert tokenfield("simulate", *SMALL, "--quiet", "--out", "quiet").exit_code == 0 and not labels


# --- full disks -----------------------------------------------------------------------------------------------------


def full(*_, **__):
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def told(*_, **__):
    with disk_errors(Path("run")):  # as whoever writes single files does
        full()


DISKS = {
    # what fails, then what is left in the folder, what the message says
    "the trajectory": (
        arrays,
        "write_arrays",
        full,
        [".run.partial"],
        "No space left on device; --resume goes on later",
    ),
    "the summary": (RunFolder, "add_summary", told, ["run"], "the trajectory is in run"),
    "checkpoints": (CheckpointFolder, "write", told, ["run"], "no checkpoint was kept"),
}


@pytest.mark.parametrize("disk", DISKS)
def test_a_full_disk_costs_what_was_being_written(disk, monkeypatch):
    owner, name, fail, left, message = DISKS[disk]
    monkeypatch.setattr(solving, "CHUNK_STEPS", 3)
    with monkeypatch.context() as short:
        short.setattr(owner, name, fail)
        result = tokenfield("simulate", *SMALL, "--no-figures", "--checkpoint", "0s", "--out", "run")
    assert result.exit_code == (0 if disk == "checkpoints" else 2) and message in result.stderr
    assert here() == left
    assert tokenfield("simulate", *SMALL, "--no-figures", "--out", "whole").exit_code == 0
    assert tokenfield("simulate", "--resume", "--out", "run").exit_code == 0
    assert_same_run("run", "whole")
    assert here() == ["run", "whole"] and not Path("run/checkpoint").exists()


# --- two writers ----------------------------------------------------------------------------------------------------


WRITERS = {
    "simulate": ["simulate", *SMALL],
    "compare": ["compare", "--dim", "2", "--sizes", "4", "--seeds", "1"],
    "phase-diagram": ["phase-diagram", "--n", "4", "--systems", "1", "--betas", "1,2"],
    "sweep": ["sweep", "--n", "4", "--over", "beta=1,2"],
    "reproduce": ["reproduce", "glpr23-hull-shrinks"],
    "bench": ["bench", "direct_sum", "--set", "direct_sum.n=16"],
}


@pytest.mark.parametrize("command", WRITERS)
def test_the_second_writer_is_told_at_once(command, monkeypatch):
    with only_writer(Path("out")):
        result = tokenfield(*WRITERS[command], "--out", "out")
    assert result.exit_code == 2, result.output
    assert re.fullmatch(
        rf"tokenfield: error: \S*out is being written by process {os.getpid()} on \S+: .*--out\n", result.stderr
    )
    assert here() == []


def test_the_lock_of_a_killed_process_is_no_obstacle():
    holder = subprocess.Popen(
        [
            *(sys.executable, "-c"),
            "from pathlib import Path; from tokenfield._runtime.files import only_writer\n"
            "with only_writer(Path('run')): print('held', flush=True); input()",
        ],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert holder.stdout is not None and holder.stdout.readline() == b"held\n"
    with pytest.raises(tkf.FileError, match=f"by process {holder.pid} "), only_writer(Path("run")):
        pass
    holder.kill()
    holder.wait()
    assert here() == [".run.lock"]
    with only_writer(Path("run")):
        pass
    assert here() == []


# --- signals --------------------------------------------------------------------------------------------------------


def test_a_request_after_the_last_look_is_not_swallowed():
    with pytest.raises(KeyboardInterrupt), Interrupts():
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(0.01)
    with Interrupts() as interrupts:
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(0.01)
        assert interrupts.requested  # noticed: nothing is raised
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_the_second_request_raises_and_a_shield_delays_it():
    with pytest.raises(KeyboardInterrupt), Interrupts():
        for _ in range(2):
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(0.01)
        pytest.fail("the second one was held back")
    with Interrupts() as interrupts:
        with interrupts.shielded():
            for _ in range(3):
                os.kill(os.getpid(), signal.SIGINT)
                time.sleep(0.01)
        assert interrupts.requested


def test_inner_work_notices_for_the_outer():
    with Interrupts(holds=False) as outer:
        with pytest.raises(KeyboardInterrupt):  # there is nothing to keep yet
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(0.01)
        assert outer.requested
    with Interrupts(holds=False) as outer:
        with Interrupts() as inner:
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(0.01)
            assert inner.requested
        assert not outer.requested


def test_work_that_winds_up_after_a_request_is_not_stopped_by_it():
    with Interrupts() as outer:
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(0.01)
        assert outer.requested
        with Interrupts() as later:
            assert not later.requested
        assert outer.requested
        with pytest.raises(KeyboardInterrupt), Interrupts():  # but by a second one
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(0.01)


# a shell's background jobs ignore SIGINT and children inherit that; the file says that the first steps are done
IN_A_PROCESS = """
import pathlib, signal
signal.signal(signal.SIGINT, signal.default_int_handler)
from tokenfield._runtime.progress import Progress
Progress.update = lambda *_: pathlib.Path("solving").touch()
from tokenfield.cli import main
main()
"""
# stability bounds the step by a few units of time, so this takes far more steps than a test has time for
LONG = ["--n", "64", "--beta", "1", "--t1", "1e9", "--max-steps", "100000000", "--save", "2", "--out", "run"]


@pytest.fixture
def start():
    """A function that starts a long run in a process of its own and waits until a file says that it is under way."""
    processes = []

    def start(*arguments: str, until: str = "solving") -> subprocess.Popen:
        command = [sys.executable, "-c", IN_A_PROCESS, "simulate", *LONG, *arguments]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        processes.append(process)
        deadline = time.monotonic() + 120
        while not Path(until).exists():
            assert process.poll() is None, process.communicate()
            assert time.monotonic() < deadline
            time.sleep(0.05)
        return process

    yield start
    for process in processes:
        process.kill()
        process.wait()


@pytest.mark.slow
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)])
def test_a_signal_keeps_what_is_done(start, number, code):
    process = start("--json")
    process.send_signal(number)
    out, err = process.communicate(timeout=120)
    assert process.returncode == code, err
    assert "Traceback" not in err
    summary = json.loads(out)
    assert summary["result"] == "interrupted" and summary["steps"] > 0 and 0 < summary["t"] < 1e9
    run = tkf.load("run")
    assert run.result.name == "interrupted" and float(run.ts[-1]) == summary["t"]
    assert not list(Path().glob(".run*"))


@pytest.mark.slow
def test_a_killed_run_goes_on_from_its_checkpoint(start):
    process = start("--checkpoint", "0s", until=".run.partial/checkpoint/state.npz")
    process.kill()
    process.wait()
    assert not Path("run").exists()
    result = tokenfield("show", ".run.partial")
    assert result.exit_code == 2 and "unfinished" in result.stderr
    assert "add --resume, or begin anew with --force" in tokenfield("simulate", *SMALL, "--out", "run").stderr
    with np.load(".run.partial/checkpoint/state.npz") as state:
        t = float(state["t"])
    assert 0 < t < 1e9
    # so far, and a little further
    config = Path(".run.partial/config.toml")
    config.write_text(config.read_text().replace("max_steps = 100000000", "max_steps = 1000"))
    assert tokenfield("simulate", "--resume", "--out", "run").exit_code == 0
    assert tkf.load("run").result.name == "out-of-steps" and not list(Path().glob(".run*"))


@pytest.mark.slow
def test_a_killed_run_without_a_checkpoint_leaves_nothing_in_the_way(start):
    process = start()
    process.kill()
    process.wait()
    assert not Path("run").exists()
    assert tokenfield("simulate", *SMALL, "--no-figures", "--out", "run").exit_code == 0
    assert not list(Path().glob(".run*"))


def test_an_interrupt_that_somebody_swallowed_is_no_success():
    script = (
        "import os, signal, sys\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "import tokenfield.cli.models as models\n"
        "def swallow(*_, **__):\n"
        "    try: os.kill(os.getpid(), signal.SIGTERM); __import__('time').sleep(1)\n"
        "    except BaseException: pass\n"
        "models.typer.echo = swallow\n"
        "from tokenfield.cli import main\n"
        "sys.argv = ['tokenfield', '--version']\n"
        "main()\n"
    )
    found = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60)
    assert found.returncode == 143, found


def test_nothing_is_torn_down_under_threads_that_still_work():
    """Python would end them wherever they are, and one that is inside C++ then aborts the process."""
    script = (
        "import atexit, functools, os, sys\n"
        "last = type('Last', (), {'__del__': functools.partial(os.write, 1, b'torn down')})()\n"
        "sys.argv = ['tokenfield', sys.argv[1]]\n"
        "from tokenfield.cli import main\n"
        "try: main()\n"
        "finally: atexit.register(print, 'asked to end')\n"
    )
    for argument, said, code in (
        ("--version", f"tokenfield {tkf.__version__}\nasked to end\n", 0),
        ("--nope", "asked to end\n", 2),
    ):
        found = subprocess.run([sys.executable, "-c", script, argument], capture_output=True, text=True, timeout=60)
        assert (found.stdout, found.returncode) == (said, code), found


def test_the_exit_code_is_that_of_the_signal():
    """Also under `python -m`, where an interrupt in code that was made of text would end the process by SIGINT."""
    text = "import os, signal; os.kill(os.getpid(), signal.SIGHUP)\nfor _ in range(1000): pass"
    lines = [
        "from tokenfield._runtime import encoding",
        f"encoding.print_anything = lambda stream: exec({text!r})",
        "from tokenfield.cli import main",
        "main()",
    ]
    Path("early.py").write_text("\n".join(lines))
    found = subprocess.run([sys.executable, "-m", "early"], capture_output=True, text=True)
    assert (found.returncode, found.stderr) == (129, "tokenfield: error: interrupted\n")
