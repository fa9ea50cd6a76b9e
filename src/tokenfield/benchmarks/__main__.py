"""Runs the benchmarks: `python -m benchmarks [NAME...] [--json]`."""

from __future__ import annotations

import argparse
import contextlib
import importlib
import io
import json
import sys

from benchmarks.measure import hardware

NAMES = ("direct_sum", "causal", "sinkhorn", "solve", "memory", "circle_density", "sphere_density")


def main() -> int:
    """Runs what the command line names and prints tables, or one JSON object."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"from {', '.join(NAMES)}; all by default")
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of tables")
    arguments = parser.parse_args()
    unknown = set(arguments.names) - set(NAMES)
    if unknown:
        parser.error(f"unknown benchmark {unknown.pop()!r}; choose from {', '.join(NAMES)}")
    results: dict[str, object] = {}
    with contextlib.redirect_stdout(io.StringIO()) if arguments.json else contextlib.nullcontext():
        print(hardware())
        for name in arguments.names or NAMES:
            results[name] = importlib.import_module(f"benchmarks.{name}").run()
    if arguments.json:
        print(json.dumps({"hardware": hardware(), **results}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
