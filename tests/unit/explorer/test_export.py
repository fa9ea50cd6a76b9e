"""Runs as pages: what is in them comes back, within the levels, and is small."""

from __future__ import annotations

import base64
import gzip
import re

import numpy as np
import pytest

from command_line import error_of, tokenfield
from tokenfield import Density, Save, Softmax, Sphere, Transformer, initial, laws, solve
from tokenfield.errors import FileError, InvalidInput
from tokenfield.explorer import export
from tokenfield.explorer.frames import LEVELS, quantized, restored, unpack

MODEL = Transformer(Sphere(3), Softmax(beta=4.0))
TEMPLATE = '<!doctype html><script type="application/octet-stream" id="scene-data">@@SCENE@@</script>'


@pytest.fixture(autouse=True)
def template(tmp_path, monkeypatch):
    """A page around the scene that is small."""
    path = tmp_path / "template.html"
    path.write_text(TEMPLATE)
    monkeypatch.setattr(export, "TEMPLATE", path)


@pytest.fixture(scope="module")
def run():
    return solve(MODEL, initial.uniform(MODEL.geometry, n=24, seed=1), t1=3.0, save=13)


def scene_in(text):
    """The header and the arrays of a page."""
    data = re.search(r'id="scene-data">([A-Za-z0-9+/=]+)</script>', text)[1]
    return unpack(gzip.decompress(base64.b64decode(data)))


def test_tokens_come_back_within_half_a_level(run, tmp_path):
    path = run.to_html(tmp_path / "scene.html")
    header, arrays = scene_in(path.read_text())
    np.testing.assert_allclose(header["times"], run.ts)
    found = restored(arrays["points"], header["points"]["lo"], header["points"]["hi"])
    assert header["points"]["shape"] == list(found.shape) == [13, 24, 3]
    np.testing.assert_allclose(found, run.points, atol=2 / LEVELS / 2 + 1e-12)
    labels = np.cumsum(arrays["labels"], axis=0, dtype=np.uint16)
    assert labels.shape == (13, 24) and len(header["scalars"]["energy"]) == 13
    assert header["scalars"]["clusters"] == run.cluster_counts().tolist()
    assert header["predictions"] and header["config"] is None and (header["n"], header["d"]) == (24, 3)


def test_fewer_frames_and_tokens(run):
    header, arrays = unpack(export.scene_bytes(run, config=None, frames=4, tokens=10))
    assert header["times"] == [0.0, 1.0, 2.0, 3.0] and arrays["points"].shape == (4, 10, 3)
    assert header["n"] == 10 and header["of"] == 24
    with pytest.raises(InvalidInput, match="frames from 2 on"):
        export.scene_bytes(run, config=None, frames=1)


@pytest.mark.slow
def test_densities_too():
    circle = Transformer(Sphere(2), Softmax(beta=2.0))
    start = Density.perturbed_uniform(laws.Fourier(32), degree=2, amplitude=0.3)
    run = solve(circle, start, t1=1.0, save=4)
    header, arrays = unpack(export.scene_bytes(run, config=None))
    found, ends = restored(arrays["density"], header["density"]["lo"], header["density"]["hi"]), header["density"]
    np.testing.assert_allclose(found, run.saved("density"), atol=(ends["hi"] - ends["lo"]) / LEVELS)
    assert header["state"] == "density" and len(header["grid"]["angles"]) == 32


def test_what_cannot_be_shown_is_said(run, tmp_path, monkeypatch):
    bare = solve(MODEL, run.state(0), t1=0.1, save=Save("end", tokens=False))
    with pytest.raises(InvalidInput, match="kept no tokens"):
        bare.to_html(tmp_path / "scene.html")
    monkeypatch.setattr(export, "TEMPLATE", tmp_path / "nothing.html")
    with pytest.raises(FileError, match="make explorer"):
        run.to_html(tmp_path / "scene.html")
    assert "<img " in run._repr_html_()


def test_notebooks_show_a_scene_that_plays(run):
    text = run._repr_html_()
    assert text.startswith("<div><iframe ") and 'sandbox="allow-scripts"' in text and "srcdoc=" in text
    assert "<script" not in text and "finished at t = 3" in text


def test_the_command(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    (tmp_path / "small.toml").write_text(
        "[geometry]\ndim = 3\n[attention]\nbeta = 4.0\n[initial]\nn = 24\nseed = 1\n[solve]\nt1 = 3.0\n"
    )
    result = tokenfield("export", "small.toml", "--out", "scene.html", "--frames", "5")
    assert result.exit_code == 0 and result.stdout.startswith("scene.html: "), result.output
    header, arrays = scene_in((tmp_path / "scene.html").read_text())
    assert arrays["points"].shape == (5, 24, 3) and header["config"]["attention"]["beta"] == 4.0
    assert "[attention]" in header["toml"] and "Config.from_dict" in header["python"]
    assert "exists: --force replaces it" in error_of("export", "small.toml", "--out", "scene.html")
    assert "cannot read the config" in error_of("export", "nothing.toml", "--out", "other.html")
    assert tokenfield("simulate", "small.toml", "--out", "run", "--save", "5", "--no-figures").exit_code == 0
    assert tokenfield("export", "run", "--out", "run.html").exit_code == 0
    again, others = scene_in((tmp_path / "run.html").read_text())
    np.testing.assert_array_equal(others["points"], arrays["points"])
    assert again["config"]["initial"]["n"] == 24


@pytest.mark.slow
def test_two_thousand_tokens_and_300_frames_are_small():
    """The page around them has less than 1.5 MiB; together they must have less than 4 MB."""
    tokens = np.asarray(initial.uniform(MODEL.geometry, n=2000, seed=0).points, np.float32)
    run = solve(Transformer(Sphere(3), Softmax(beta=9.0)), tokens, t1=30.0, save=300, rtol=1e-3)
    codes = quantized(np.asarray(run.points))[0]
    # histograms, spectra, numbers and labels take 0.15 MB more
    assert 4 / 3 * len(gzip.compress(codes.tobytes(), 9)) < 2.2e6
