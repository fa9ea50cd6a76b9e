"""Steering tokens: weights of a transformer, trained as controls of its flow (`make steer`).

Two problems of examples/steer, each into a folder with its weights, numbers and a figure: two prompts that share a
token are sent to two targets by one and the same (Q, K, V), and two moons are sent to one place for each class.
`tokenfield steer CONFIG` does the same for any config, and `tokenfield.control.steer` for any model.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from rich.console import Console

import tokenfield as tkf
from tokenfield.study.steer import print_steering, read_problem, steer

CONFIGS = Path(__file__).parent / "steer"


def main(arguments: list[str] | None = None) -> int:
    """Steers both problems into the folder given by --out; returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=Path("out/steer"), help="where results go (default: out/steer)")
    parser.add_argument("--steps", type=int, help="of the optimizer (default: those of the configs)")
    options = parser.parse_args(arguments)
    for name in ("prompts", "moons"):
        problem = read_problem(CONFIGS / f"{name}.toml", {} if options.steps is None else {"steps": options.steps})
        _, summary = steer(problem, options.out / name, force=True)
        print_steering(summary, Console(highlight=False))
        if not summary["is_complete"]:
            return 130
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except tkf.TokenfieldError as error:
        print(f"steer.py: {error}", file=sys.stderr)
        sys.exit(2)
