"""`tokenfield reproduce` and `tokenfield cite` as a user meets them: folder, JSON, continuing, Ctrl-C, errors."""

from __future__ import annotations

import dataclasses
import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from tokenfield import claims, report
from tokenfield._runtime import workers
from tokenfield.claims import running
from tokenfield.claims.claim import STATUSES, Check, Finding
from tokenfield.claims.papers import PAPERS
from tokenfield.cli import app
from tokenfield.errors import InvalidInput

PATIENCE = 400  # seconds, for a machine that does much else; usually a few
KEYS = ["id", "statement", "source", "predicted", "measured", "tolerance", "verdict", "seconds", "parameters", "figure"]


def run(*arguments: object):
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def shortest(count: int) -> list[str]:
    every = sorted(claims.all_claims(), key=lambda claim: claim.quick.seconds)
    return [claim.id for claim in every[:count]]


# --- the processes that run claims --------------------------------------------------------------------------------


def test_processes_share_the_cores(monkeypatch, tmp_path):
    """Processes whose linear algebra takes all cores each wait for one another; what the user says is left alone."""
    monkeypatch.delenv("OPENBLAS_NUM_THREADS", raising=False)
    monkeypatch.delenv("NPROC", raising=False)
    monkeypatch.setenv("OMP_NUM_THREADS", "7")
    monkeypatch.setattr(workers, "cores", lambda: 5)
    seen = []

    class Starting:
        """What stands in for a pool: it starts processes with the first task."""

        def __init__(self, *_, **__): ...

        def submit(self, *_):
            seen.append({name: os.environ[name] for name in workers.THREADS})

    monkeypatch.setattr(running, "ProcessPoolExecutor", Starting)
    for jobs in (2, 8):
        running._pool(running.Plan([], "quick", 0, tmp_path, jobs=jobs))
    assert [threads["OPENBLAS_NUM_THREADS"] for threads in seen] == [threads["NPROC"] for threads in seen] == ["2", "1"]
    assert {threads["OMP_NUM_THREADS"] for threads in seen} == {"7"} == {os.environ["OMP_NUM_THREADS"]}
    assert "NPROC" not in os.environ and "OPENBLAS_NUM_THREADS" not in os.environ


# --- the registry -------------------------------------------------------------------------------------------------


def test_registry_is_well_formed():
    every = claims.all_claims()
    assert len({claim.id for claim in every}) == len(every) >= 41
    for claim in every:
        assert claim.paper in PAPERS and claim.status in STATUSES, claim.id
        prefix = claim.paper if claim.group == "theory" else claim.group
        assert claim.id == claim.id.lower() and claim.id.startswith(f"{prefix}-"), claim.id
        assert claim.statement.count("$") % 2 == 0 and claim.statement.endswith("."), claim.id
        assert 0 < claim.quick.seconds <= (20 if claim.group == "theory" else 30) and 0 < claim.full.seconds <= 1200, (
            claim.id
        )
        json.dumps(dict(claim.quick.parameters)), json.dumps(dict(claim.full.parameters))
    # quick: 5 minutes on 2 cores; full: 90
    assert sum(claim.quick.seconds for claim in every) / 2 <= 300
    assert sum(claim.full.seconds for claim in every) / 2 <= 90 * 60
    assert sum(claim.control is not None for claim in every) > 0.8 * len(every)
    # the main check is chosen, and a control says what must fail in it
    assert all(claim.main and (claim.control is None or claim.control.fails) for claim in every)


def test_the_documents_name_every_claim():
    root = Path(__file__).parents[2]
    page, every = (root / "docs" / "claims.md").read_text(), claims.all_claims()
    rows = {line.split("`")[1]: line for line in page.splitlines() if line.startswith("| `")}
    assert list(rows) == [claim.id for claim in every]
    for claim in every:
        row = rows[claim.id]
        assert f" | {claim.status} | fails" in row and row.endswith(f" | {claim.title} |"), row
    (said,) = re.findall(r"runs more than (\d+) published theorems", (root / "README.md").read_text())
    assert int(said) < len(every) <= int(said) + 20


@pytest.mark.slow
def test_the_registry_leaves_devices_alone():
    """The parent of the workers must not take the memory of their GPU."""
    program = (
        "from tokenfield.claims import all_claims; all_claims(); from jax._src import xla_bridge; "
        "assert not xla_bridge._backends"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_checks_tell_holding_from_failing():
    assert Check("x", 1.05, 1.0, 0.1, "").verdict == "holds"
    assert Check("x", 1.25, 1.0, 0.1, "").verdict == "fails"
    assert Check("x", 1.25, 1.0, 0.1, "", error=0.1).verdict == "inconclusive"
    assert Check("x", 12.0, 10.0, 0.25, "", is_relative=True).verdict == "holds"
    assert Check("x", 2.0, 1.0, 0.1, "", "at least").verdict == "holds"
    assert Check("x", 2.0, 1.0, 0.1, "", "at most").verdict == "fails"
    assert Check("x", float("nan"), 1.0, 0.1, "").verdict == "inconclusive"
    good, bad, open_ = Check("x", 1, 1, 0, ""), Check("x", 2, 1, 0, ""), Check("x", float("nan"), 1, 0, "")
    assert Finding([good, open_, bad]).verdict == "fails" and Finding([good, open_]).verdict == "inconclusive"


def test_list_and_cite():
    result = run("reproduce", "--list", "--json")
    listed = json.loads(result.stdout)
    assert result.exit_code == 0 and len(listed) == len(claims.all_claims())
    only = json.loads(run("reproduce", "--list", "--source", "2305.05465", "--json").stdout)
    assert only and {claim["paper"] for claim in only} == {"glpr23"}
    assert "glpr23-hull-shrinks" in run("reproduce", "--list").stdout
    text = run("cite", "glpr23-hull-shrinks").stdout
    assert "2305.05465" in text and "2312.10794" not in text and "tokenfield" in text


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (("reproduce", "glpr23-hull-shrink"), "glpr23-hull-shrinks"),
        (("reproduce", "--source", "2305.0546"), "2305.05465"),
        (("reproduce", "--jobs", "0"), "jobs"),
        (("cite", "--from", "nowhere"), "claims.json"),
    ],
)
def test_errors_are_one_line(arguments, expected):
    result = run(*arguments)
    assert result.exit_code == 2 and expected in result.stderr and len(result.stderr.strip().splitlines()) == 1


@pytest.mark.parametrize("content", ["not json", "{}", "[1]", '[{"title": "no id"}]'])
def test_cite_from_a_damaged_list(tmp_path, content):
    (tmp_path / "claims.json").write_text(content)
    result = run("cite", "--from", tmp_path)
    assert result.exit_code == 2 and "has no claims.json: run tokenfield reproduce" in result.stderr


def test_a_folder_that_cannot_be_written(tmp_path):
    (tmp_path / "file").write_text("")
    result = run("reproduce", shortest(1)[0], "--out", tmp_path / "file" / "report")
    assert result.exit_code == 2 and "cannot write" in result.stderr


# --- running ------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("report")
    result = run("reproduce", *shortest(2), "--quick", "--out", path, "--jobs", "1", "--json")
    assert result.exit_code == 0, result.output
    return path, json.loads(result.stdout)


@pytest.mark.slow
def test_folder(folder):
    path, found = folder
    records = json.loads((path / "claims.json").read_text())
    assert records == found["claims"] and found["counts"] == {"holds": 2, "fails": 0, "inconclusive": 0, "not run": 0}
    for record in records:
        assert all(key in record for key in KEYS) and record["measured"].keys() == record["predicted"].keys()
        assert (path / record["figure"]).stat().st_size > 5000
    page = (path / "index.html").read_text()
    assert all(record["id"] in page for record in records) and "data:image" in page


@pytest.mark.slow
def test_the_same_command_continues(folder):
    path, _ = folder
    result = run("reproduce", *shortest(2), "--quick", "--out", path)
    assert result.exit_code == 0 and result.stderr.count("kept") == 2 and "2 claims: 2 holds" in result.stdout
    # another seed is another experiment; what the folder has of it is nothing
    plan = running.Plan(claims.find(shortest(2)), "quick", 1, path)
    assert all(running.kept_record(plan, claim) is None for claim in plan.claims)


def test_time_left_adapts_to_the_machine():
    every = claims.find(shortest(3))
    plan, now = running.Plan(every, "quick", 0, Path(), jobs=1), time.monotonic()
    usual = [claim.quick.seconds for claim in every]
    state = running.State(plan, {}, {every[0].id: now}, now)
    assert state.seconds_left == pytest.approx(sum(usual), abs=1.1)  # what runs has at least a second left
    # the first took twice as long as usual: so will the others
    done = running.describe(every[0], "quick", 0, None, 2.0 * usual[0], None)
    state = running.State(plan, {every[0].id: done}, {}, now, worked_s=2.0 * usual[0])
    assert state.seconds_left == pytest.approx(2 * sum(usual[1:]))


def test_a_failing_claim_has_exit_code_1(tmp_path, monkeypatch):
    (claim,) = claims.find(shortest(1))
    wrong = Finding([Check("what", 2.0, 1.0, 0.1, "why")])
    record = running.describe(claim, "quick", 0, wrong, 1.0, None)

    def work(plan):
        yield running.State(plan, {claim.id: record}, {}, time.monotonic())

    monkeypatch.setattr(running, "work", work)
    plan_folder = tmp_path / "report"
    plan_folder.mkdir()
    result = run("reproduce", claim.id, "--out", plan_folder)
    assert result.exit_code == 1 and "1 fails" in result.stdout


def test_a_broken_experiment_is_told_and_run_again(tmp_path, monkeypatch):
    (claim,) = claims.find(shortest(1))
    (tmp_path / "parts").mkdir()
    (tmp_path / "figures").mkdir()

    def broken(**_):
        raise ValueError("no such thing")

    claim = dataclasses.replace(claim, experiment=broken)
    monkeypatch.setattr(claims, "find", lambda ids: [claim])
    record = running.execute(claim.id, "quick", 0, str(tmp_path))
    assert "no such thing" in record["error"] and record["verdict"] == "inconclusive"
    assert running.kept_record(running.Plan([claim], "quick", 0, tmp_path), claim) is None


def of_seeds(measured, **texts):
    """A claim that measures `measured(seed)`, which should be at most 1."""
    (claim,) = claims.find(shortest(1))
    return dataclasses.replace(
        claim,
        experiment=lambda seed, **_: Finding([Check("what", measured(seed), 1.0, 0.0, "why", "at most")]),
        **texts,
    )


def test_claims_on_many_seeds(tmp_path):
    unlucky = of_seeds(lambda seed: 2.0 if seed == 7 else seed / 100)
    found = running.on_seeds(unlucky, "quick", 3, unlucky.find(seed=3), 10)
    assert found == {"count": 10, "run": 10, "is_random": True, "missed": {"7": "fails"}}
    fixed = of_seeds(lambda seed: 0.5)
    found = running.on_seeds(fixed, "quick", 0, fixed.find(), 10)
    assert found == {"count": 10, "run": 2, "is_random": False, "missed": {}}
    # a count that is always the same, of starts that are not
    counted = dataclasses.replace(
        fixed, experiment=lambda seed, **_: Finding(fixed.find().checks, {"rows": [(1, np.full(3, float(seed)))]})
    )
    assert running.on_seeds(counted, "quick", 0, counted.find(), 4)["run"] == 4
    # a record of fewer seeds than asked for is not used again
    record = running.describe(fixed, "quick", 0, fixed.find(), 1.0, "figure.png", seeds=found)
    plan = running.Plan([fixed], "quick", 0, tmp_path, seeds=10)
    plan.store.make()
    plan.store.write(record)
    (tmp_path / "figure.png").write_text("")
    assert running.kept_record(plan, fixed) is not None
    assert running.kept_record(dataclasses.replace(plan, seeds=11), fixed) is None


def test_the_command_says_on_how_many_seeds_a_claim_holds(tmp_path, monkeypatch):
    claim = of_seeds(lambda seed: 2.0 if seed == 2 else seed / 100, main="what")
    seeds = running.on_seeds(claim, "quick", 0, claim.find(), 4)
    record = running.describe(claim, "quick", 0, claim.find(), 1.0, None, seeds=seeds)
    monkeypatch.setattr(running, "work", lambda plan: [running.State(plan, {claim.id: record}, {}, time.monotonic())])
    result = run("reproduce", claim.id, "--out", tmp_path, "--seeds", "4")
    assert result.exit_code == 0 and "3 of 4 seeds hold" in result.stdout and "(at most 1)" in result.stdout
    assert "at least 1" in run("reproduce", "--seeds", "0").stderr


def test_the_power_of_a_control_is_how_far_it_misses(tmp_path, monkeypatch):
    assert Check("x", 1.5, 1.0, 0.1, "").misfit == pytest.approx(5)
    assert Check("x", 1.5, 1.0, 0.1, "", error=0.05).misfit == pytest.approx(2)
    assert Check("x", 1.0, 4.0, 0.0, "", "at least").misfit == float("inf")
    claim = dataclasses.replace(of_seeds(lambda seed: seed / 100), control=claims.Control({}, "why", fails="what"))
    control = Finding([Check("what", 1.3, 1.0, 0.1, ""), Check("what else", 2.0, 1.0, 0.1, "")])
    assert claim.weakest(control) == control.checks[0]
    monkeypatch.setattr(claims, "find", lambda ids: [claim])
    monkeypatch.setattr(running, "save_figure", lambda *_: None)
    running.ClaimsFolder(tmp_path).make()
    record = running.execute(claim.id, "quick", 0, str(tmp_path), seeds=3)
    assert record["power"] == float("-inf") and record["seeds"]["run"] == 3


def test_the_table_of_claims_has_status_control_and_seeds(tmp_path):
    claim = of_seeds(lambda seed: 2.0 if seed == 2 else seed / 100, misses=0.05)
    seeds = running.on_seeds(claim, "quick", 0, claim.find(), 4)
    control = Check("what", 4.82, 1.0, 0.1, "")
    record = running.describe(claim, "quick", 0, claim.find(), 1.0, None, seeds=seeds, control=control)
    report.write(tmp_path, [record])
    row = (tmp_path / "claims.md").read_text().splitlines()[-1]
    assert row.startswith(f"| `{claim.id}` | [")
    assert f"| {claim.status} | fails by × 38 | 3 of 4 (5% expected to miss) | {claim.title} |" in row
    plain = running.describe(claim, "quick", 0, claim.find(), 1.0, None)
    assert "| – | – |" in report.table([plain])
    control = Check("what", 7.0, 3.0, 0.0, "", "at most")  # nothing is allowed: what was measured, and the bound
    later = running.describe(claim, "quick", 100, claim.find(), 1.0, None, seeds=seeds, control=control)
    assert later["power"] == "inf"
    assert "| fails: 7, at most 3 | 3 of 4 (seeds 100 to 103) (5% expected to miss) |" in report.table([later])


def test_controls_name_the_checks_that_must_fail():
    (claim,) = claims.find(shortest(1))
    bad, good = Check("error of the slope", 2, 1, 0, ""), Check("error of the level", 1, 1, 0, "")
    control = dataclasses.replace(claim, control=claims.Control({}, "why", fails="slope"))
    assert control.must_fail(Finding([good, bad])) == [bad]
    main = dataclasses.replace(claim, control=claims.Control({}, "why"), main="level")
    assert main.must_fail(Finding([bad, good])) == [good]
    assert dataclasses.replace(control, main="level").must_fail(Finding([good])) == []
    unnamed = dataclasses.replace(claim, control=claims.Control({}, "why"), main="")
    assert unnamed.must_fail(Finding([good, bad])) == [bad] and unnamed.must_fail(Finding([good])) == []


def start(ids: list[str], folder: Path) -> subprocess.Popen:
    """`tokenfield reproduce` in a process of its own."""
    command = [sys.executable, "-m", "tokenfield", "reproduce", *ids, "--quick", "--jobs", "1", "--out", str(folder)]
    return subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # a test run in the background ignores Ctrl-C, and its children would inherit that
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="no SIGINT to a child there")
def test_ctrl_c_keeps_what_is_finished(tmp_path):
    several = [claim.id for claim in claims.find(source="2509.25040")]  # six short ones
    process = start(several, tmp_path)
    deadline = time.monotonic() + PATIENCE
    while not list((tmp_path / "parts").glob("*.json")) and time.monotonic() < deadline:
        time.sleep(0.1)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130, err
    # one claim was finished, and perhaps the next before the signal came
    assert 1 <= len(json.loads((tmp_path / "claims.json").read_text())) < len(several) - 2
    assert (tmp_path / "index.html").is_file()
    assert "Traceback" not in err and "left: the same command" in err


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc").is_dir(), reason="workers are found by /proc")
def test_a_killed_process_costs_a_second_try_only(tmp_path):
    several = [claim.id for claim in claims.find(source="2509.25040")][:2]
    process = start(several, tmp_path)
    deadline, worker = time.monotonic() + PATIENCE, None
    while worker is None and time.monotonic() < deadline:
        time.sleep(0.1)
        worker = next((pid for pid in _children(process.pid) if "spawn_main" in _command(pid)), None)
    assert worker is not None
    os.kill(worker, signal.SIGKILL)
    _, err = process.communicate(timeout=PATIENCE)
    records = json.loads((tmp_path / "claims.json").read_text())
    assert process.returncode == 0, err
    assert [record["verdict"] for record in records] == ["holds", "holds"]


def _children(pid: int) -> list[int]:
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def _command(pid: int) -> str:
    return Path(f"/proc/{pid}/cmdline").read_bytes().decode()


# --- kills --------------------------------------------------------------------------------------------------------

# the parent of a worker that never ends, as `reproduce` starts them
PARENT = """
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from tokenfield._runtime.parent import end_with_parent

if __name__ == "__main__":
    pool = ProcessPoolExecutor(1, mp_context=get_context("spawn"), initializer=end_with_parent)
    pool.submit(time.sleep, 1000)
    while not pool._processes:
        time.sleep(0.01)
    print(*pool._processes, flush=True)
    time.sleep(1000)
"""


def is_running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks at processes as Linux shows them")
def test_workers_end_with_a_killed_parent(tmp_path):
    script = tmp_path / "parent.py"
    script.write_text(PARENT)
    parent = subprocess.Popen([sys.executable, script], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    assert parent.stdout is not None
    worker = int(parent.stdout.readline())
    assert is_running(worker)
    parent.kill()
    parent.wait()
    deadline = time.monotonic() + 60
    while is_running(worker):
        assert time.monotonic() < deadline
        time.sleep(0.05)


# --- on other machines --------------------------------------------------------------------------------------------


def test_an_engine_runs_claims_as_this_machine_does(tmp_path):
    """Any executor stands for a cluster: records and figures come back from it, and the same command keeps them."""
    from concurrent.futures import ThreadPoolExecutor

    chosen = claims.find(shortest(1))
    with ThreadPoolExecutor(1) as pool:
        plan = running.Plan(chosen, "quick", 0, tmp_path / "there", on=pool)
        *_, state = running.work(plan)
    here = tmp_path / "here"
    running.Plan(chosen, "quick", 0, here).store.make()
    expected = running.execute(chosen[0].id, "quick", 0, str(here))
    found = state.records[chosen[0].id]
    assert found["measured"] == expected["measured"] and found["verdict"] == "holds"
    assert (tmp_path / "there" / found["figure"]).stat().st_size > 1000
    assert running.kept_record(plan, chosen[0]) is not None and not state.running


def test_a_worker_with_other_code_is_refused():
    from tokenfield.claims import elsewhere

    with pytest.raises(InvalidInput, match="a worker has another version of tokenfield"):
        elsewhere.compute(elsewhere.Task(shortest(1)[0], "quick", 0, 1, "of other sources"))


def test_an_unknown_engine_is_an_error(tmp_path):
    result = run("reproduce", shortest(1)[0], "--on", "nowhere", "--out", tmp_path / "r")
    assert result.exit_code == 2 and "unknown engine 'nowhere'" in result.stderr
