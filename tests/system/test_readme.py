"""The README, the guides and the demo do what they say: every Python block and every tokenfield command is executed."""

import json
import re
import runpy
import shlex
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command
from typer.testing import CliRunner

from real_models import real_folder
from tokenfield.cli import app
from tokenfield.study import Config, catalog

ROOT = Path(__file__).parents[2]
README = ROOT / "README.md"
# each page stands by itself: its blocks run in order, in a folder of its own
PAGES = (README, *(ROOT / "docs" / f"{name}.md" for name in ("models", "mean_field", "solving", "scale", "control")))


def blocks(page: Path, language: str) -> list[str]:
    """The fenced blocks of `language` on a page, in order."""
    return re.findall(rf"```{language}\n(.*?)```", page.read_text(encoding="utf-8"), flags=re.DOTALL)


def printed(name: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> list[str]:
    """The lines that the Python blocks of a page print."""
    (page,) = (page for page in PAGES if page.stem == name)
    names: dict = {}
    for block in blocks(page, "python"):
        # fewer tokens and pictures, or this would take a minute
        smaller = block.replace("n=2000", "n=300").replace("t1=30.0)", "t1=30.0, save=11)")
        exec(compile(smaller, page.name, "exec"), names)
    return capsys.readouterr().out.splitlines()


@pytest.mark.slow
def test_python_blocks_run_one_after_the_other(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    lines = printed("README", tmp_path, capsys)
    assert lines[0].startswith("finished at t = 30 ")
    assert (tmp_path / "tokens.mp4").stat().st_size > 10_000
    lines = printed("mean_field", tmp_path, capsys)
    assert abs(float(lines[0].split()[0]) - 1) < 1e-12 and lines[0].split()[1].startswith("18.596")
    assert lines[1].startswith("blew up at t = 0.24002")
    assert printed("solving", tmp_path, capsys)[0].startswith("stopped by steady")
    lines = printed("scale", tmp_path, capsys)
    # the plan has a line for each topic, then the choice of a sum for a million tokens has one
    assert [line.split()[0] for line in lines[:6]] == ["state", "method", "sum", "cost", "saved", "memory"]
    assert lines[6].startswith("fourier: ")
    assert "(1, " in lines[7]  # the last plateau is one cluster
    assert float(printed("control", tmp_path, capsys)[0].split()[0]) > 1  # switches
    assert not blocks(ROOT / "docs" / "models.md", "python")


def commands(page: Path, *, of_real_models: bool) -> list[str]:
    """The commands on a page, those that need a real model or all others."""
    lines = [line for block in blocks(page, "sh") for line in block.splitlines() if line.startswith("tokenfield ")]
    lines = [line for line in lines if not line.startswith("tokenfield explore")]  # serves until Ctrl-C; it has tests
    needs = re.compile(r"tokenfield (pretrained|next)|--model|--group real")
    return [line for line in lines if bool(needs.search(line)) == of_real_models]


@pytest.mark.slow
@pytest.mark.pretrained
def test_commands_of_real_models_run(tmp_path, monkeypatch):
    for name in ("minilm", "smollm2"):
        real_folder(name)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "README.md").write_text(README.read_text(encoding="utf-8")[:400], encoding="utf-8")
    found = commands(README, of_real_models=True)
    assert len(found) >= 3
    for command in found:
        done = CliRunner().invoke(app, shlex.split(command, comments=True)[1:])
        assert done.exit_code == 0, f"{command}: {done.output}"
        assert "next" not in command or "Paris" in done.output
    assert (tmp_path / "runs" / "words" / "index.html").is_file()


SMALLER = {
    "--n 2000": "--n 300 --save 11",
    "--n 200 --out": "--n 200 --save 11 --out",  # each saved time is a picture of the movie
    "--n 400": "--n 60",
    "--systems 64": "--systems 4",
    "0.1:9:30": "0.1:9:4",
    "0.25:2.5:10": "0.25:2.5:2",
    "0.025:0.925:19": "0.025:0.925:2",
    "shrinks --out": "shrinks --quick --out",
    "prompts.toml": "prompts.toml --steps 30",  # as in test_steer: the same programs
    "configs/sphere.toml": "configs/circle.toml",
}


def test_what_is_made_smaller_is_there():
    every = [command for page in PAGES for command in commands(page, of_real_models=False)]
    assert all(any(many in command for command in every) for many in SMALLER)


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_shell_commands_run(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    for command in commands(page, of_real_models=False):
        for many, few in SMALLER.items():
            command = command.replace(many, few)
        # in this process, which has compiled much of it already
        done = CliRunner().invoke(app, shlex.split(command, comments=True)[1:])
        assert done.exit_code == 0, f"{command}: {done.output}"


def test_commands_and_options_on_all_pages_exist():
    """Those of `PAGES` are executed above; all others, also within sentences, are at least known."""
    pages = [README, ROOT / "CONTRIBUTING.md", *(ROOT / "docs").glob("*.md"), *(ROOT / "docs").glob("[ew]*/*.md")]
    count = 0
    for page in pages:
        text = page.read_text(encoding="utf-8").replace("\\\n", " ")
        spans = re.findall(r"`(tokenfield [^`]+)`", re.sub(r"```.*?```", "", text, flags=re.DOTALL))
        lines = [line for block in re.findall(r"```sh\n(.*?)```", text, flags=re.DOTALL) for line in block.splitlines()]
        for line in [*spans, *(line for line in lines if re.match(r"\s*(srun |\S*/)?tokenfield ", line))]:
            words = shlex.split(re.sub(r".*launch .*?(?=simulate)|.*?tokenfield ", "", line, count=1), comments=True)
            command: Any = get_command(app)
            while hasattr(command, "commands") and words and not words[0].startswith("-"):
                assert words[0] in command.commands or line == "tokenfield si", f"{page.name}: {line}"
                command = command.commands.get(words.pop(0), command)
            known = {"--help", *(name for option in command.params for name in (*option.opts, *option.secondary_opts))}
            assert known.issuperset(word.split("=")[0] for word in words if word[:2] == "--"), f"{page.name}: {line}"
            count += 1
    assert count > 100  # of which `tokenfield si` is not finished: the shell completes it


def test_configs_are_valid():
    (text,) = blocks(ROOT / "docs" / "models.md", "toml")
    model, tokens = Config.from_dict(tomllib.loads(text)).build()
    assert len(model.position) == 2 and model.has_radius and tokens.n == 1000


def test_the_table_names_every_kind():
    table = "".join((ROOT / "docs" / f"{name}.md").read_text(encoding="utf-8") for name in ("models", "mean_field"))
    names = {kind.class_name for kind in catalog.kinds()} - {"", "Constant"}
    # the schemes of one paper share a row, by their names in it
    shown = {"PostLN": "Post-LN", "MixLN": "Mix-LN", "PeriLN": "Peri-LN", "NGPT": "nGPT", "DepthScaled": "√depth"}
    assert all(shown.get(name, f"{name}(") in table or f"schedule.{name}" in table for name in names)
    sources = set(re.findall(r"abs/(\d{4}\.\d{5})", table))
    # the papers that invented window, ALiBi and RoPE are in the catalog; the table has those of their dynamics
    assert {kind.sources[-1] for kind in catalog.kinds() if kind.sources} - {"2004.05150"} <= sources


def test_the_readme_is_short():
    """What it is, two commands on the first screen, four pictures, four ways in; an example of five statements."""
    text = README.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 100
    first_screen = "\n".join(text.splitlines()[:12])
    assert "make demo" in first_screen and "make test" in first_screen
    assert len(re.findall(r"^!\[", text, flags=re.MULTILINE)) == 4
    ways = {f"docs/ways/{name}.md" for name in ("theorist", "engineer", "teacher", "cluster")}
    assert ways <= set(re.findall(r"\]\(([^)#]+)", text))
    (example,) = blocks(README, "python")
    statements = [line for line in example.splitlines() if line and not line.startswith("import")]
    assert len(statements) == 5


@pytest.mark.slow
def test_demo_writes_figures_movies_and_a_summary(tmp_path, monkeypatch, capsys):
    """In this process, which compiles fast, with 11 saved times: each of them is a picture of a movie."""
    demo = runpy.run_path(str(ROOT / "examples" / "metastable.py"))
    for name in ("sphere", "circle"):
        text = (demo["CONFIGS"] / f"{name}.toml").read_text(encoding="utf-8")
        few = text.replace("save = 301\n", "").replace("[solve]\n", "[solve]\nsave = 11\n")
        (tmp_path / f"{name}.toml").write_text(few, encoding="utf-8")
    monkeypatch.setitem(demo["main"].__globals__, "CONFIGS", tmp_path)
    monkeypatch.setattr(sys, "argv", ["metastable.py", "--out", str(tmp_path / "out"), "--n", "200"])
    demo["main"]()
    assert "Where to look" in capsys.readouterr().out
    summary = json.loads((tmp_path / "out" / "summary.json").read_text())
    assert set(summary) == {"sphere", "circle"}
    for name, movie in (("sphere", "sphere.mp4"), ("circle", "circle.mp4")):
        assert (tmp_path / "out" / name / "figures" / movie).stat().st_size > 10_000
        # the energy ascends along the flow (arXiv 2312.10794)
        assert summary[name]["energy"]["last"] > summary[name]["energy"]["first"]
        assert 1 < summary[name]["clusters"]["count"] < 10
    assert (tmp_path / "out" / "sphere" / "figures" / "metastable.png").exists()
