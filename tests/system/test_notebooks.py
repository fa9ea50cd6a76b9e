"""Notebooks: models, runs and predictions show themselves there, and long work shows a bar."""

from __future__ import annotations

import pytest

nbformat = pytest.importorskip("nbformat")
nbclient = pytest.importorskip("nbclient")
pytest.importorskip("ipykernel")

CELLS = (
    "import tokenfield as tkf\n"
    "model = tkf.Transformer(tkf.Sphere(3), tkf.Softmax(4.0))\n"
    "tokens = tkf.initial.uniform(model.geometry, n=40, seed=0)\n"
    "model",
    "tkf.predict(model, tokens)",
    "tkf.predict(model, tokens)['stability_rate']",
    "tkf.solve(model, tokens, t1=2.0, save=11)",
    "tkf.plot.sphere(tkf.solve(model, tokens, t1=2.0, save=11))",
    # a bar is shown for what takes more than a second
    "import time\n"
    "from tokenfield._runtime.progress import Progress\n"
    "from IPython.display import DisplayHandle\n"
    "shown, update = [], DisplayHandle.update\n"
    "def watch(handle, thing):\n"
    "    shown.append(thing.data)\n"
    "    update(handle, thing)\n"
    "DisplayHandle.update = watch\n"
    "with Progress('counting') as bar:\n"
    "    for i in range(20):\n"
    "        time.sleep(0.1)\n"
    "        bar.update(i / 20)\n"
    "shown",
)


@pytest.fixture(scope="module")
def outputs(tmp_path_factory) -> list[dict[str, str]]:
    """What each cell shows, by kind."""
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in CELLS])
    where = {"metadata": {"path": str(tmp_path_factory.mktemp("notebook"))}}
    done = nbclient.NotebookClient(notebook, timeout=300, kernel_name="python3", resources=where).execute()
    shown: list[dict[str, str]] = []
    for cell in done.cells:
        kinds: dict[str, str] = {}
        for output in cell.outputs:
            kinds |= output.get("data", {})
            if output.output_type == "stream":
                kinds[output.name] = kinds.get(output.name, "") + output.text
        shown.append(kinds)
    return shown


@pytest.mark.slow
def test_everything_shows_itself(outputs):
    model, predictions, prediction, run, picture, _ = outputs
    assert model["text/plain"] == "Transformer(Sphere(3), Softmax(beta=4))"
    assert "stability_rate" in predictions["text/html"] and "do not apply" in predictions["text/html"]
    assert "2312.10794" in prediction["text/html"]
    # a run has its picture or scene, and its numbers
    assert "finished at t = 2" in run["text/html"] and ("<img" in run["text/html"] or "<iframe" in run["text/html"])
    assert any(kind.startswith("image/") for kind in picture)


@pytest.mark.slow
def test_long_work_shows_a_bar_that_goes_away(outputs):
    shown = outputs[-1]["text/plain"]
    assert "counting <progress value=" in shown and "s left" in shown
    assert outputs[-1]["text/html"] == ""
