"""Sentences about the source that hold for all of it: who writes to disk, and where names become objects."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import tokenfield

ROOT = Path(tokenfield.__file__).parent


def modules() -> Iterator[tuple[str, ast.Module]]:
    """Every module of tokenfield, by its path in the package."""
    for path in sorted(ROOT.rglob("*.py")):
        yield path.relative_to(ROOT).as_posix(), ast.parse(path.read_text(encoding="utf-8"))


def calls(tree: ast.Module) -> Iterator[tuple[ast.Call, str, str]]:
    """Every call, with the name that is called and what stands before its dot: `os` and `rename`, or nothing."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            yield node, node.func.attr, ast.unparse(node.func.value)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            yield node, node.func.id, ""


def imported_from(tree: ast.Module) -> dict[str, str]:
    """The names that a module imports one by one, and where from."""
    return {
        alias.asname or alias.name: node.module or ""
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }


# --- only study/store, the cache of models and _runtime/files write to disk ---------------------------------------

# wheels.py has the cache of fetched models to itself
WRITERS = ("_runtime/files.py", "study/store/", "pretrained/wheels.py")
# Picture.save fills the scratch file that `_runtime.files.complete` made; the log of ffmpeg has no name on disk
ALLOWED = {"plot/picture.py": {"savefig", "TemporaryFile"}}

WRITES = {
    *("write_text", "write_bytes", "mkdir", "makedirs", "touch", "unlink", "rmdir", "rename", "renames", "chmod"),
    *("symlink_to", "hardlink_to", "rmtree", "copyfile", "copytree", "copy2"),
    *("mkstemp", "mkdtemp", "TemporaryFile", "NamedTemporaryFile", "TemporaryDirectory"),
    *("to_zarr", "to_netcdf", "to_csv", "to_pickle", "tofile", "savez", "savez_compressed", "savetxt"),
    *("savefig", "imsave", "open_group", "open_array", "memmap"),
}
WRITES_OF = {
    "os": {"replace", "remove", "link", "symlink", "truncate", "open"},
    "shutil": {"copy", "move"},
    "np": {"save"},
    "numpy": {"save"},
    "json": {"dump"},
    "pickle": {"dump"},
    "zarr": {"open", "save", "create"},
}


def writes(tree: ast.Module) -> list[tuple[int, str]]:
    """The calls of a module that write to disk, each with its line; calls into `_runtime.files` do not count."""
    house = {name for name, home in imported_from(tree).items() if home == "tokenfield._runtime.files"}
    return [
        (node.lineno, name)
        for node, name, owner in calls(tree)
        if (name in WRITES and (owner or name not in house))
        or name in WRITES_OF.get(owner, ())
        or _opens_to_write(node, name, owner)
        # a path moves by one argument; a string is changed by two, a dataclass by keywords
        or (name == "replace" and owner and len(node.args) == 1 and not node.keywords)
    ]


def _opens_to_write(node: ast.Call, name: str, owner: str) -> bool:
    if name != "open":
        return False
    given = [keyword.value for keyword in node.keywords if keyword.arg == "mode"] or node.args[0 if owner else 1 :][:1]
    if not given or not (isinstance(given[0], ast.Constant) and isinstance(given[0].value, str)):
        return bool(given) and not owner  # a mode that only the program knows; `Image.open(path)` reads
    return bool(set(given[0].value) & set("wax+"))


@pytest.mark.parametrize(
    "source",
    [
        "open(path, 'w')",
        "open(path, mode='ab')",
        "open(path, mode)",
        "path.open('w', encoding='utf-8')",
        "(out / 'a.json').write_text('')",
        "out.mkdir(parents=True)",
        "os.rename(a, b)",
        "os.replace(a, b)",
        "part.replace(path)",
        "from shutil import rmtree\nrmtree(path)",
        "shutil.move(a, b)",
        "path.unlink()",
        "dataset.to_zarr(path)",
        "zarr.open_group(path, mode='r+')",
        "np.save(path, x)",
        "json.dump(x, file)",
        "figure.savefig(path)",
        "from elsewhere import write_text\nwrite_text(path, '')",
    ],
)
def test_calls_that_write_are_seen(source):
    assert writes(ast.parse(source))


@pytest.mark.parametrize(
    "source",
    [
        "open('/proc/cpuinfo')",
        "path.open('rb')",
        "Image.open(path)",
        "RunFolder.open(run)",
        "text.replace('a', 'b')",
        "dataclasses.replace(config, state=state)",
        "picture.save(path)",
        "path.read_text()",
        "json.dumps(x)",
        "from tokenfield._runtime.files import write_text\nwrite_text(path, '')",
    ],
)
def test_calls_that_do_not_write_are_not_taken_for_it(source):
    assert not writes(ast.parse(source))


def test_only_the_store_and_runtime_files_write_to_disk():
    found = {path: writes(tree) for path, tree in modules() if not path.startswith(WRITERS)}
    wrong = [
        f"{path}:{line} {name}"
        for path, lines in found.items()
        for line, name in lines
        if name not in ALLOWED.get(path, ())
    ]
    assert not wrong, f"write through tokenfield.study.store or tokenfield._runtime.files instead: {', '.join(wrong)}"


# --- the names of a config become objects in study/builders -------------------------------------------------------

BUILDERS = "study/builders/"
# what a config names: whoever imports these makes objects of it
NAMED = {
    "tokenfield.initial",
    *(f"tokenfield.model.{name}" for name in ("attention", "noise", "normalization", "parts", "position", "schedule")),
}


def test_names_become_objects_in_builders_only():
    wrong = []
    for path, tree in modules():
        if path.startswith(BUILDERS):
            continue
        wrong += [f"{path}:{node.lineno}" for node, name, owner in calls(tree) if (owner, name) == ("catalog", "load")]
        if path.startswith("study/"):
            homes = imported_from(tree).items()
            wrong += [f"{path}: {name}" for name, home in homes if NAMED & {home, f"{home}.{name}"}]
    assert not wrong, f"let tokenfield.study.builders make these: {', '.join(wrong)}"
