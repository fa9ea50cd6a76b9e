"""What commands read and write besides runs: folders of every kind, matrices, completion scripts, any encoding."""

from __future__ import annotations

import io
import shutil
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


COMPLETED = {
    "sim": "simulate",
    "simulate --att": "--attention",
    "simulate --attention si": "sigmoid sinkhorn",
    "phase-diagram --attention s": "softmax",
    "plot --format p": "pdf png",
    "completion f": "fish",
}
# types a line into a zsh in which nothing is set up, and prints what Tab makes of it
IN_ZSH = r"""
zmodload zsh/zpty && zpty z zsh -f -i
zpty -w z "PS1=; unsetopt zle_bracketed_paste; source $1; echo REA''DY"
while zpty -r z line; do [[ $line == *READY* ]] && break; done
zpty -wn z "$2"$'\t\C-A: \C-E\C-J echo DO""NE\n'
while zpty -r z line; do print -r -- $line; [[ $line == *DONE* ]] && break; done
"""


def test_bash_completes():
    script = tokenfield("completion", "bash").stdout
    for words, wanted in COMPLETED.items():
        typed = f"COMP_WORDS=(tokenfield {words}) COMP_CWORD={len(words.split())}"
        line = f"{script}\n{typed}\n_tokenfield; echo ${{COMPREPLY[*]}}"
        found = subprocess.run(["bash", "-c", line], capture_output=True, text=True).stdout
        assert sorted(found.split()) == wanted.split()


@pytest.mark.skipif(shutil.which("fish") is None, reason="fish is not installed")
def test_fish_completes():
    Path("script.fish").write_text(tokenfield("completion", "fish").stdout)
    for words, wanted in COMPLETED.items():
        line = f"source script.fish; complete -C 'tokenfield {words}'"
        found = subprocess.run(["fish", "--no-config", "-c", line], capture_output=True, text=True).stdout
        assert [row.split("\t")[0] for row in found.splitlines()] == wanted.split()


@pytest.mark.skipif(shutil.which("zsh") is None, reason="zsh is not installed")
def test_zsh_completes():
    Path("script.zsh").write_text(tokenfield("completion", "zsh").stdout)
    for words, wanted in COMPLETED.items():
        if " " not in wanted:  # what is the only way to go on is put into the line
            command = ["zsh", "-f", "-c", IN_ZSH, "zsh", "script.zsh", f"tokenfield {words}"]
            found = subprocess.run(command, capture_output=True, text=True, timeout=60).stdout
            assert " ".join([*words.split()[:-1], wanted]) in found


@pytest.mark.parametrize("encoding", ["cp1252", "ascii", "latin-1"])
def test_output_that_is_not_utf8(encoding):
    stream = io.TextIOWrapper(raw := io.BytesIO(), encoding=encoding)
    print_anything(stream)
    stream.write("β: 1 → 2 ✓ 語")
    stream.flush()
    assert raw.getvalue() == b"beta: 1 -> 2 + ?"
