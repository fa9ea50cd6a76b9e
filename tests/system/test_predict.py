"""`tokenfield predict` as a user meets it: the JSON, the table, its speed without JAX, and errors of one line."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console
from scipy import special
from typer.testing import CliRunner

import tokenfield as tkf
from tokenfield.cli import app
from tokenfield.study import Config, predict


def run(*arguments: object):
    return CliRunner().invoke(app, ["predict", *(str(argument) for argument in arguments)])


def forecast(*arguments: object) -> dict:
    result = run(*arguments, "--json")
    assert result.exit_code == 0, result.stderr

    def refuse(name: str):
        raise AssertionError(f"{name} is not JSON")

    return json.loads(result.stdout, parse_constant=refuse)


def test_json_on_the_circle():
    """The reference numbers of beta = 5 on the circle, unnormalized; the fastest degree is 3."""
    found = forecast("--dim", 2, "--beta", 5, "--attention", "unnormalized", "--n", 20000)
    assert found["k_max"] == 3 and isinstance(found["k_max"], int)
    np.testing.assert_allclose(found["growth_rates"][:6], [4.867, 14.004, 18.596, 16.346, 10.790, 5.704], atol=5e-4)
    assert len(found["growth_rates"]) > found["k_max"] + 1  # enough to see the maximum passed
    np.testing.assert_allclose(found["thresholds"][:3], [1.0445, 3.1654, 6.2113], atol=6e-5)
    np.testing.assert_allclose(found["noise_thresholds"], [5 / special.iv(k, 5.0) for k in range(1, 7)], rtol=1e-9)
    assert {name: found[name] for name in ("dim", "beta", "n", "attention", "kappa")} == {
        "dim": 2,
        "beta": 5.0,
        "n": 20000,
        "attention": "unnormalized",
        "kappa": None,
    }
    named = {entry["name"]: entry for entry in found["predictions"]}
    assert named["exit_time"]["value"] == pytest.approx(np.log(20000) / 2 / 18.596, rel=1e-4)
    assert named["hysteresis_window"]["value"][0] < named["global_transition"]["value"] < found["noise_thresholds"][0]
    for entry in found["predictions"]:
        assert entry["statement"] and entry["assumptions"] and entry["source"]
        assert entry["status"] in ("theorem", "asymptotic", "bound", "numerical", "heuristic", "conjecture")


def test_json_of_softmax_and_the_default_number_of_tokens():
    found = forecast("--dim", 3, "--beta", 4)
    assert found["n"] == 32 and found["attention"] == "softmax"
    assert found["equiangular_time"] == pytest.approx(6.954, abs=1e-3)
    assert forecast("--dim", 3, "--beta", 4, "--n", 128)["equiangular_time"] == pytest.approx(6.570, abs=1e-3)
    named = {entry["name"]: entry["value"] for entry in forecast("--dim", 12, "--beta", 4)["predictions"]}
    assert named["common_hemisphere"] == pytest.approx(0.0748, abs=5e-5)
    assert named["consensus_rate"] == 2


def test_json_with_noise():
    """beta = 4 on the circle: kappa_k = .4099, .6228, 1.1986, so two degrees grow at kappa = 1."""
    found = {entry["name"]: entry for entry in forecast("--dim", 2, "--beta", 4, "--kappa", 1)["predictions"]}
    assert found["growing_degrees"]["value"] == 2
    assert [rate > 0 for rate in found["noisy_growth_rates"]["value"][:4]] == [True, True, False, False]
    assert 0.9 < found["stationary_order"]["value"] < 1
    inside = {entry["name"]: entry for entry in forecast("--dim", 2, "--beta", 5, "--kappa", 0.186)["predictions"]}
    assert "metastable" in inside["stationary_order"]["statement"] and inside["growing_degrees"]["value"] == 0
    kuramoto = {
        entry["name"]: entry["value"] for entry in forecast("--dim", 2, "--beta", 0, "--kappa", 4)["predictions"]
    }
    assert kuramoto["stationary_order"] == pytest.approx(0.83146, abs=6e-6)


@pytest.mark.parametrize("beta", [0, 1, 20, 1e4])
@pytest.mark.parametrize("dim", [2, 3, 1024])
@pytest.mark.parametrize("attention", ["softmax", "unnormalized"])
def test_any_size_is_json_without_infinities(beta, dim, attention):
    """What a double cannot hold is null, with its log10 beside it."""
    found = forecast("--dim", dim, "--beta", beta, "--attention", attention, "--kappa", 0.5)
    for name in ("growth_rates", "noise_thresholds"):
        assert all(isinstance(entry, float | None) for entry in found[name])
    if beta == 1e4:
        assert found["log10_equiangular_time"] == pytest.approx(4338.6, abs=0.1) if attention == "softmax" else True
        assert (found["equiangular_time"] is None) == (attention == "softmax")
    result = run("--dim", dim, "--beta", beta, "--attention", attention)
    assert result.exit_code == 0 and not re.search(r"\bnan\b", result.stdout)


@pytest.mark.parametrize("width", [80, 120])
def test_the_table_fits_and_says_everything(width):
    settled = predict.from_flags(dim=2, beta=5.0, kappa=0.186)
    console = Console(width=width, record=True, file=open("/dev/null", "w"), highlight=False)  # noqa: SIM115
    predict.print_forecast(settled, console)
    text = console.export_text()
    assert max(map(len, text.splitlines())) <= width
    flat = " ".join(text.split())
    for words in (
        "n = 32 (the default; --n sets it)",
        "Q = K = V = I",
        "k_max 3",
        "3: 0.682678",
        "9.54433",
        "0.184301 to 0.20546",
        "arXiv 2410.23228",
        "Heuristic",
        "metastable",
    ):
        assert words in flat, words


def test_powers_of_ten_in_the_table():
    text = " ".join(run("--dim", "2", "--beta", "1e4").stdout.split())
    assert "10^4338.6" in text and "k_max_window" in text and "…" in text


CONFIGS = Path(__file__).parents[2] / "examples" / "configs"


def test_predictions_of_a_config():
    """The same as `tkf.predict` for its model and its start; options override keys of the file."""
    found = forecast(CONFIGS / "frame.toml")
    assert (found["dim"], found["n"], found["attention"], found["kappa"]) == (32, 32, "softmax", None)
    assert found["equiangular_time"] == pytest.approx(5.270, abs=1e-3) and found["k_max"] is None
    direct = tkf.predict(*tkf_config("frame.toml").build())
    assert [entry["name"] for entry in found["predictions"]] == list(direct) and found["refused"] == direct.refused
    assert "not near the uniform law" in found["refused"]["k_max"]
    assert forecast(CONFIGS / "frame.toml", "--beta", 4)["equiangular_time"] == pytest.approx(6.954, abs=1e-3)
    noisy = forecast(CONFIGS / "frame.toml", "--attention", "unnormalized", "--kappa", 2)
    assert noisy["kappa"] == 2 and "noise" in noisy["refused"]["equiangular_time"]


def tkf_config(name: str) -> Config:
    return Config.from_toml(CONFIGS / name)


def test_predictions_of_a_gaussian_are_printed():
    result = run(CONFIGS / "gaussian-softmax-rank-1.toml")
    text = " ".join(result.stdout.split())
    assert result.exit_code == 0 and text.startswith("R^2, softmax attention, beta = 0.707107, a Gaussian")
    assert "gaussian_limit_rank 1 the limit of the covariance has rank d - rank Q" in text
    assert "gaussian_blow_up_time ∞" in text and "assuming K = -Q, V = I" in text
    assert re.search(r"\d+ other predictions do not apply; --why lists the reasons", text)


def test_why_lists_the_reasons():
    text = " ".join(run("--dim", 3, "--beta", 2, "--why").stdout.split())
    assert "What does not apply, and why" in text and "--why" not in text
    assert "decay_rates it needs V = -I, this model has another V" in text
    assert "gaussian_limit it is about tokens in R^d, those of this model live on the sphere" in text


def test_predict_does_not_import_jax():
    script = (
        "import sys, tokenfield.cli\n"
        "try: tokenfield.cli.app(['predict', '--dim', '3', '--beta', '2', '--kappa', '3'])\n"
        "except SystemExit as end: assert not end.code, end.code\n"
        "heavy = {'jax', 'diffrax', 'matplotlib', 'xarray'} & set(sys.modules)\n"
        "assert not heavy, heavy\n"
    )
    found = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60)
    assert found.returncode == 0, found.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--dim", "1", "--beta", "1"], "whole number >= 2, got 1"),
        (["--dim", "2", "--beta", "nan"], "beta must be a finite number >= 0"),
        (["--dim", "2", "--beta", "-1"], "beta must be a finite number >= 0"),
        (["--dim", "2", "--beta", "1e9"], "beta must be at most 100000"),
        (["--dim", "10000000", "--beta", "1"], "dimension must be at most"),
        (["--dim", "2", "--beta", "1", "--n", "1"], "number of tokens must be a whole number from 2"),
        (["--dim", "2", "--beta", "1", "--attention", "soft"], "did you mean 'softmax'"),
        (["--dim", "2", "--beta", "1", "--kappa", "0"], "kappa must be a finite number > 0"),
        (["--dim", "2", "--beta", "1", "--kappa", "inf"], "kappa must be a finite number > 0"),
        (["--dim", "two", "--beta", "1"], "valid integer"),
        (["--dim", "2"], "--dim and --beta are needed"),
        ([], "without a config"),
        (["nowhere.toml"], "cannot read the config nowhere.toml"),
    ],
)
def test_errors_are_one_line(arguments, message):
    result = run(*arguments)
    assert result.exit_code == 2, result.output
    assert result.stdout == ""
    assert re.fullmatch(r"tokenfield: error: [^\n]+\n", result.stderr), result.stderr
    assert message in result.stderr
