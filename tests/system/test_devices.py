"""One run over many devices, from the command line: 8 virtual ones, and two processes that only share a port.

Virtual devices must be asked for before JAX starts: the checks on 8 of them run together in one process, this file as a
program. The two processes are killed and interrupted on their way, and end with the bits of a run that was not.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
import traceback
from pathlib import Path

import numpy as np
import pytest
from jax._src import distributed
from typer.testing import CliRunner

import tokenfield as tkf
from tokenfield._runtime import hosts
from tokenfield.cli import app
from tokenfield.errors import ConfigError
from tokenfield.study.store.checkpoint import CheckpointFolder

COUNT = 8
SMALL = ["--dim", "4", "--beta", "4", "--method", "rk4", "--step", "0.125", "--t1", "2", "--save", "5", "--no-figures"]
CHECKS = {}


def check(function):
    """Registers `function` to be run on 8 devices."""
    CHECKS[function.__name__] = function
    return function


def tokenfield(*arguments):
    return CliRunner().invoke(app, [str(word) for word in arguments])


def assert_close(a, b, tolerance):
    one, other = tkf.load(a), tkf.load(b)
    np.testing.assert_allclose(one.points, other.points, rtol=0, atol=tolerance)


def assert_same(a, b):
    one, other = tkf.load(a), tkf.load(b)
    assert np.array_equal(one.ts, other.ts) and np.array_equal(one.points, other.points)
    assert np.array_equal(one.final.points, other.final.points)


# --- on 8 devices -------------------------------------------------------------------------------------------------


@check
def the_run_is_that_of_one_device():
    """Rows that divide evenly, and rows that do not: sums differ by rounding, 1e-15 in each of 64 evaluations."""
    for n in (64, 61):
        assert tokenfield("simulate", "--n", n, *SMALL, "--out", f"one-{n}").exit_code == 0
        result = tokenfield("simulate", "--n", n, *SMALL, "--devices", "all", "--out", f"all-{n}")
        assert result.exit_code == 0, result.stderr
        assert_close(f"one-{n}", f"all-{n}", 1e-12)
        manifest = json.loads(Path(f"all-{n}/manifest.json").read_text())
        assert (manifest["devices"], manifest["hosts"]) == (COUNT, 1)
        assert 'devices = "all"' in Path(f"all-{n}/config.toml").read_text()


@check
def noise_is_that_of_one_device():
    noisy = ["--n", 64, *SMALL[:4], "--kappa", "100", "--step", "0.125", "--t1", "1", "--save", "3", "--no-figures"]
    assert tokenfield("simulate", *noisy, "--out", "noise-one").exit_code == 0
    assert tokenfield("simulate", *noisy, "--devices", "all", "--out", "noise-all").exit_code == 0
    assert_close("noise-one", "noise-all", 1e-12)


@check
def an_interrupted_run_goes_on_bit_for_bit():
    from tokenfield.solver import solve
    from tokenfield.study import keeper

    keep, steps, calls = keeper.Keeper.keep, solve.CHUNK_STEPS, []

    def interrupt(self, so_far, is_interrupted):
        keep(self, so_far, is_interrupted)
        calls.append(so_far.t)
        if len(calls) == 2:
            raise KeyboardInterrupt

    solve.CHUNK_STEPS = 4
    arguments = ["--n", 64, *SMALL, "--devices", COUNT, "--checkpoint", "0s"]
    assert tokenfield("simulate", *arguments, "--out", "whole").exit_code == 0
    keeper.Keeper.keep = interrupt
    assert tokenfield("simulate", *arguments, "--out", "broken").exit_code == 130
    keeper.Keeper.keep, solve.CHUNK_STEPS = keep, 4
    assert tokenfield("simulate", "--resume", "--out", "broken").exit_code == 0
    solve.CHUNK_STEPS = steps
    assert_same("whole", "broken")


@check
def the_plan_says_how_tokens_are_spread():
    said = tokenfield("simulate", "--n", 64, *SMALL, "--devices", "all", "--explain").stdout
    assert "devices: 8 (cpu): 8 of the 64 tokens that move on each" in said and "sum: ring" in said
    said = tokenfield("simulate", "--n", 61, *SMALL, "--devices", "4", "--explain").stdout
    assert "devices: 4 (cpu): 61 tokens do not divide evenly, so each holds all of them" in said


@check
def more_devices_than_there_are_is_an_error():
    result = tokenfield("simulate", "--n", 64, "--devices", "9", "--out", "nine")
    assert result.exit_code == 2 and "9 devices were asked for, there are 8 (cpu)" in result.stderr
    assert not Path("nine").exists()


def main():
    import jax

    jax.config.update("jax_disable_most_optimizations", True)
    assert jax.device_count() == COUNT
    for name, function in CHECKS.items():
        failure = None
        try:
            function()
        except Exception:
            failure = traceback.format_exc()
        print("CHECK " + json.dumps({"name": name, "failure": failure}), flush=True)


def environment(devices):
    flags = f"{os.environ.get('XLA_FLAGS', '')} --xla_force_host_platform_device_count={devices}"
    return os.environ | {"JAX_PLATFORMS": "cpu", "XLA_FLAGS": flags, "JAX_ENABLE_X64": "1"}


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory):
    done = subprocess.run(
        [sys.executable, __file__],
        env=environment(COUNT),
        cwd=tmp_path_factory.mktemp("devices"),
        capture_output=True,
        text=True,
    )
    lines = [json.loads(line[6:]) for line in done.stdout.splitlines() if line.startswith("CHECK ")]
    assert done.returncode == 0 and len(lines) == len(CHECKS), done.stderr
    return {line["name"]: line["failure"] for line in lines}


@pytest.mark.slow
@pytest.mark.parametrize("name", CHECKS)
def test_on_eight_devices(name, outcomes):
    assert outcomes[name] is None, outcomes[name]


# --- two processes on the loopback --------------------------------------------------------------------------------

# many tokens whose sums are cheap: chunks are 4 steps long, and a checkpoint follows each
LARGE = ["--n", "16384", "--dim", "2", "--beta", "4", "--method", "rk4", "--step", "0.1", "--t1", "2.4", "--save", "5"]
LARGE += ["--checkpoint", "0s", "--no-figures"]
LAUNCH = [sys.executable, "-m", "tokenfield", "launch", "--hosts", "localhost,localhost", "simulate"]


def launched(folder, *arguments):
    process = subprocess.Popen(
        [*LAUNCH, *arguments],
        env=environment(2),
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    return process


def ended(process):
    try:
        out, err = process.communicate(timeout=300)
    finally:
        process.kill()
    return process.returncode, out, err


def wait_for_checkpoint(folder, process, *, since):
    """Waits until the second host has kept a checkpoint."""
    state = folder / ".broken.partial" / "checkpoint" / "host-1" / "state.npz"
    while process.poll() is None and not (state.exists() and state.stat().st_mtime_ns > since):
        time.sleep(0.02)
    assert process.poll() is None, ended(process)


@pytest.mark.slow
def test_two_hosts_that_are_killed_and_interrupted_end_as_if_nothing_had_been(tmp_path):
    code, out, err = ended(launched(tmp_path, *LARGE, "--out", "whole", "--json"))
    assert code == 0, err
    assert json.loads(out)["result"] == "finished"  # one process prints, and nothing else does
    manifest = json.loads((tmp_path / "whole" / "manifest.json").read_text())
    assert (manifest["devices"], manifest["hosts"]) == (4, 2)

    process = launched(tmp_path, *LARGE, "--out", "broken")
    wait_for_checkpoint(tmp_path, process, since=0)
    children = subprocess.run(["pgrep", "-P", str(process.pid)], capture_output=True, text=True).stdout.split()
    os.kill(int(children[1]), signal.SIGKILL)
    code, _, err = ended(process)
    assert code == 137, err
    assert "process 1 on localhost was ended by SIGKILL; the others were stopped. With --resume" in err

    result = tokenfield("simulate", "--resume", "--out", tmp_path / "broken")
    assert result.exit_code == 2
    assert "the checkpoint is that of a run on 2 hosts, here is 1: resume on as many" in result.stderr

    now = time.time_ns()
    process = launched(tmp_path, "--resume", "--out", "broken")
    wait_for_checkpoint(tmp_path, process, since=now)
    process.send_signal(signal.SIGINT)
    code, _, err = ended(process)
    assert code == 130, err
    assert tkf.load(tmp_path / "broken").result.name == "interrupted"

    code, _, err = ended(launched(tmp_path, "--resume", "--out", "broken"))
    assert code == 0, err
    assert_same(tmp_path / "whole", tmp_path / "broken")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["broken", "whole"]
    assert not (tmp_path / "broken" / "checkpoint").exists()


@pytest.mark.slow
def test_a_command_that_makes_no_sense_ends_all_processes(tmp_path):
    code, _, err = ended(launched(tmp_path, "--n", "10", "--attention", "nonsense", "--out", "run"))
    assert code == 2 and "nonsense" in err and "process 0 could not go on" in err
    assert list(tmp_path.iterdir()) == []


# --- in this process ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["simulate", "--devices", "0"], "solve.devices must be 'all' or a number of devices, at least 1, got 0"),
        (["simulate", "--devices", "many"], "--devices needs a number of devices or all, got 'many'"),
        (["simulate", "--devices", "5"], "5 devices were asked for, there is 1 (cpu); XLA_FLAGS="),
        (["simulate", "--state", "density", "--devices", "2"], "solve.devices has no effect: tokens are spread"),
        (["launch", "--hosts", "a,b", "sweep", "--out", "x"], "launch runs simulate, not sweep"),
        (["launch", "--hosts", "a,b", "simulate"], "launch needs --out after simulate"),
        (["launch", "--hosts", ",", "simulate", "--out", "x"], "--hosts needs names, such as node1,node2, got ','"),
        (["launch", "--hosts", "a,,b", "simulate", "--out", "x"], "names, such as node1,node2, got 'a,,b'"),
        (
            ["launch", "--hosts", "a,b", "--process", "2", "simulate", "--out", "x"],
            "must be the number of one of the 2",
        ),
        (["launch", "--hosts", "localhost,far", "simulate", "--out", "x"], "must have a name that the others know"),
        (["launch", "--hosts", "a,b", "simulate", "--out", "x", "--explain"], "launch does not explain"),
    ],
)
def test_mistakes_are_one_line(arguments, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = tokenfield(*arguments)
    assert result.exit_code == 2 and message in result.stderr
    assert len(result.stderr.strip().splitlines()) == 1
    assert list(tmp_path.iterdir()) == []


def test_one_device_that_was_asked_for_changes_nothing(tmp_path):
    for name, more in (("plain", []), ("asked", ["--devices", "1"])):
        arguments = ["--n", 8, *SMALL, *more]
        assert tokenfield("simulate", *arguments, "--out", tmp_path / name).exit_code == 0
    assert_same(tmp_path / "plain", tmp_path / "asked")


def test_processes_of_one_host_share_its_gpus(monkeypatch):
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "0,1,2,3")
    hosts.share_gpus(1, 2)
    assert os.environ["CUDA_VISIBLE_DEVICES"] == "2,3"
    hosts.share_gpus(0, 1)
    assert os.environ["CUDA_VISIBLE_DEVICES"] == "2,3"
    with pytest.raises(ConfigError, match="3 processes on a host that has 2 GPUs"):
        hosts.share_gpus(0, 3)


@pytest.mark.parametrize(
    ("codes", "number"),
    [([None, None], None), ([0, None], None), ([None, 2], 1), ([2, 2], 0), ([2, -9], 1), ([2, -15, -9], 1)],
)
def test_the_process_that_was_killed_is_the_lost_one(codes, number):
    """Also where the first host has noticed and ended before anybody looked."""
    assert hosts.first_lost(codes) == number


@pytest.mark.parametrize("is_gone", [False, True])
def test_nobody_leaves_while_another_one_reads(is_gone, monkeypatch):
    """Who waits in vain for one that is gone goes on without it, and knows."""
    waited = []

    class Client:
        def wait_at_barrier(self, name, timeout_ms):
            waited.append(timeout_ms)
            if is_gone:
                raise RuntimeError("DEADLINE_EXCEEDED")

    monkeypatch.setattr(distributed.global_state, "client", Client())
    monkeypatch.setattr(hosts, "_is_over", False)
    hosts.exchange_is_over()
    assert waited == [15_000] and hosts.is_exchange_over() is not is_gone


def test_other_hosts_are_reached_by_ssh(tmp_path, monkeypatch):
    """A program called ssh in the way: what it is asked to run, and where."""
    said = tmp_path / "said"
    (tmp_path / "ssh").write_text(f'#!/bin/sh\nprintf "%s\\n" "$@" > {said}-$4\n')
    (tmp_path / "ssh").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    monkeypatch.setenv("XLA_FLAGS", "--a b")
    monkeypatch.chdir(tmp_path)
    assert hosts.start(["far-1", "far-2"], ["simulate", "--out", "a run"]) == 0
    words = Path(f"{said}-far-2").read_text().splitlines()
    assert words[:4] == ["-tt", "-o", "BatchMode=yes", "far-2"]
    assert words[4].startswith(f"cd {tmp_path} && env ") and "'XLA_FLAGS=--a b'" in words[4]
    own = f"-m tokenfield launch --hosts far-1,far-2 --process 1 --port {hosts.PORT} simulate --out 'a run'"
    assert words[4].endswith(own)


def test_a_host_keeps_the_checkpoint_that_others_may_need(tmp_path):
    folder = CheckpointFolder(tmp_path).of_host(1)
    state, saved = {"x": np.ones(2)}, {"ts": np.zeros(1)}
    folder.write(state, saved, [1])
    assert folder.numbers() == (1, -1)
    folder.write(state, saved, [1, 2], keeps=1)  # 2 was not written by all
    folder.write({"x": np.zeros(2)}, saved, [1, 3], keeps=1)
    assert folder.numbers() == (3, 1)
    assert folder.read(1)[0]["x"].tolist() == [1, 1] and folder.read(1)[2] == [1]
    assert folder.read()[0]["x"].tolist() == [0, 0] and folder.read(3)[2] == [1, 3]


if __name__ == "__main__":
    main()
