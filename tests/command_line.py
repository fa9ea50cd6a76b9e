"""The command line in this process, as tests of whole commands call it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import jax
import pytest
from typer.testing import CliRunner

from tokenfield.cli import app


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path, monkeypatch) -> Iterator[None]:
    """Commands write into an empty folder, and keep compiled code in another."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    before = jax.config.jax_compilation_cache_dir
    yield
    jax.config.update("jax_compilation_cache_dir", before)


def tokenfield(*arguments: str | Path):
    """The result of a command: `exit_code`, `stdout` and `stderr`."""
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def error_of(*arguments: str | Path) -> str:
    """The one line of an error; checks that it is one line, on standard error, with exit code 2."""
    result = tokenfield(*arguments)
    assert result.exit_code == 2, result.output
    assert result.stdout == ""
    assert re.fullmatch(r"tokenfield: error: [^\n]+\n", result.stderr), result.stderr
    return result.stderr


def files() -> set[str]:
    """What is on disk now, but for compiled code."""
    return {str(path) for path in Path().rglob("*") if path.parts[0] != "cache"}
