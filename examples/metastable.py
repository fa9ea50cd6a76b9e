"""The job of `make metastable`: metastable clustering on the sphere and on the circle, with figures and numbers.

Runs examples/configs/sphere.toml and circle.toml, draws everything, and says where to look and what the numbers mean.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
from pathlib import Path

from rich.console import Console

import tokenfield as tkf
from tokenfield.study.config import Config
from tokenfield.study.figures import draw
from tokenfield.study.simulate import simulate
from tokenfield.study.store import RunFolder

CONFIGS = Path(__file__).parent / "configs"
console = Console()


def main() -> None:
    """Runs both simulations into the folder given by --out."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("out"), help="where results go (default: out)")
    parser.add_argument("--n", type=int, help="number of tokens (default: those of the published pictures)")
    arguments = parser.parse_args()
    out = arguments.out
    summaries = {name: run_case(name, out / name, arguments.n) for name in ("sphere", "circle")}
    (out / "summary.json").write_text(json.dumps(summaries, indent=2) + "\n", encoding="utf-8")
    explain(out, summaries)


def run_case(name: str, folder: Path, n: int | None) -> dict[str, object]:
    """The summary of one simulation, after drawing its figures and its movie into `folder`."""
    config = Config.from_toml(CONFIGS / f"{name}.toml")
    if n is not None:
        config = dataclasses.replace(config, initial=dataclasses.replace(config.initial, n=n))
    console.print(f"[bold]{name}[/]: solving n = {config.initial.n}, beta = {config.attention.beta:g} ...")
    simulate(config, folder, force=True)
    run, summary = RunFolder.read(folder)
    console.print(f"  {run.result}; drawing figures and a movie ...")
    draw(run, folder / "figures", animate="mp4")
    if name == "sphere":
        times = (0.0, 4.5, float(run.ts[-1]))
        tkf.plot.sphere(run, times=times).save(folder / "figures" / "metastable.png", dpi=150)
    return summary


def explain(out: Path, summaries: dict[str, dict]) -> None:
    """Prints what was found, what it means and where the files are."""
    console.rule("What happened")
    for name, summary in summaries.items():
        sizes = ", ".join(str(size) for size in summary["clusters"]["sizes"])
        first, last = summary["normalized_energy"]["first"], summary["normalized_energy"]["last"]
        console.print(
            f"[bold]{name}[/]: {summary['n']} tokens gathered in [bold]{summary['clusters']['count']}[/] clusters "
            f"(tokens in each: {sizes}) by t = {summary['t']:g}, in {summary['steps']} steps and "
            f"{summary['wall_s']:.1f} s.\n  Normalized energy {first:.4f} -> {last:.4f}."
        )
    console.print(
        "\nEach token moves towards the tokens it attends to. With beta = 9 it attends to its neighborhood, so tokens "
        "first gather in a few clusters. These then stay for a time that grows exponentially with beta: they are "
        "metastable. The normalized energy, the mean of exp(beta (<x,y> - 1)) over all pairs, never decreases; once "
        "clusters have formed it is the sum of their squared masses, and it is 1 when a single one is left."
    )
    console.rule("Where to look")
    for path in sorted(out.glob("*/figures/*")):
        console.print(f"  {path}", highlight=False)
    console.print(f"  {out / 'summary.json'} and a run folder each: tokenfield show {out / 'sphere'}", highlight=False)


if __name__ == "__main__":
    main()
