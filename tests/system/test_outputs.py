"""What commands read and write besides runs: folders of every kind, matrices, completion scripts, any encoding."""

from __future__ import annotations

import io
import subprocess
from pathlib import Path

import numpy as np
import pytest

from command_line import error_of, in_a_folder_of_its_own, tokenfield  # noqa: F401
from tokenfield._runtime.encoding import print_anything
from tokenfield.cli.completion import SHELLS
from tokenfield.study import Config
from tokenfield.study.store import COMPARISON, Draft


def test_show_and_plot_know_a_comparison():
    config = Config.from_dict({"geometry": {"dim": 2}, "state": {"kind": "density"}}).resolved()
    numbers = {"sizes": [4, 8], "start": [[0.5], [0.4]], "end": [[0.5], [None]], "p": 1, "distance": "W_1"}
    means = {"mean_start": [0.5, 0.4], "mean_end": [0.5, None], "growth": [1.0, None], "rate": None}
    others = {"initial_rate": -0.3, "seeds": 1, "t0": 0.0, "t1": 1.0, "is_complete": False}
    with Draft("found", COMPARISON) as draft:
        draft.write(config, summary=numbers | means | others, manifest={})
        draft.finish()
    shown = tokenfield("show", "found")
    assert shown.exit_code == 0 and "W_1, tokens against the mean field" in shown.stdout
    assert tokenfield("plot", "found").exit_code == 0 and Path("found/figures/comparison.png").exists()
    assert "only runs of tokens and densities have movies" in error_of("plot", "found", "--animate", "gif")
    Path("found/summary.json").write_text("{}")
    assert "damaged" in error_of("show", "found") and "damaged" in error_of("plot", "found")


def test_show_and_plot_know_a_report():
    Path("found/parts").mkdir(parents=True)
    assert "has no claims.json: run tokenfield reproduce" in error_of("show", "found")
    Path("found/claims.json").write_text("[]")
    assert "0 claims" in tokenfield("show", "found").stdout
    assert tokenfield("plot", "found").exit_code == 0 and Path("found/index.html").exists()
    assert "leave out --out" in error_of("plot", "found", "--out", "elsewhere")


def test_show_knows_benchmarks():
    Path("found").mkdir()
    Path("found/benchmarks.json").write_text("{}")
    assert "cannot read found/benchmarks.md" in error_of("show", "found")
    Path("found/benchmarks.md").write_text("# fast")
    assert tokenfield("show", "found").stdout == "# fast\n"
    assert "run tokenfield bench again" in error_of("plot", "found")


def test_a_config_may_begin_with_a_byte_order_mark():
    Path("bom.toml").write_bytes(b"\xef\xbb\xbf[solve]\nt1 = 2.5\n")
    assert Config.from_toml("bom.toml").solve.t1 == 2.5


def test_matrices_come_from_files_beside_the_config(tmp_path, monkeypatch):
    Q, folder = np.array([[1.0, 2.0], [3.0, 4.0]]) / 3, tmp_path / "inputs"
    folder.mkdir()
    np.save(folder / "q.npy", Q.astype(">f8"))
    np.savetxt(folder / "v.csv", np.eye(2), delimiter=",")
    (folder / "slopes.txt").write_text("0.5\n")
    text = "[geometry]\ndim = 2\n[position]\nalibi = 'slopes.txt'\n[[heads]]\nQ = 'q.npy'\nV = 'v.csv'\n"
    (folder / "run.toml").write_text(text)
    config = Config.from_toml("inputs/run.toml")
    assert tuple(map(tuple, Q.tolist())) == config.heads[0].Q and config.heads[0].V == ((1.0, 0.0), (0.0, 1.0))
    assert config.position.alibi == (0.5,)
    np.testing.assert_array_equal(config.build()[0].heads(0.0)[0].Q, Q)
    # the config that goes into a run folder needs the files no more
    Path("copy.toml").write_text(config.to_toml())
    assert Config.from_toml("copy.toml") == config


@pytest.mark.parametrize("shell", SHELLS)
def test_completion_knows_commands_options_and_names(shell):
    script = tokenfield("completion", shell).stdout
    assert all(word in script for word in ("phase-diagram", "sinkhorn", "not-causal"))


def test_bash_completes():
    script = tokenfield("completion", "bash").stdout
    asked = {"sim": "simulate", "simulate --att": "--attention", "simulate --attention si": "sigmoid sinkhorn"}
    for words, wanted in asked.items():
        typed = f"COMP_WORDS=(tokenfield {words}) COMP_CWORD={len(words.split())}"
        line = f"{script}\n{typed}\n_tokenfield; echo ${{COMPREPLY[*]}}"
        assert subprocess.run(["bash", "-c", line], capture_output=True, text=True).stdout.split() == wanted.split()


@pytest.mark.parametrize("encoding", ["cp1252", "ascii", "latin-1"])
def test_output_that_is_not_utf8(encoding):
    stream = io.TextIOWrapper(raw := io.BytesIO(), encoding=encoding)
    print_anything(stream)
    stream.write("β: 1 → 2 ✓ 語")
    stream.flush()
    assert raw.getvalue() == b"beta: 1 -> 2 + ?"
