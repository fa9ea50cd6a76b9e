"""The command `measure`: from files of hidden states to a folder, and what it says about files that hold none."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import tokenfield as tkf
from command_line import error_of, files, in_a_folder_of_its_own, tokenfield  # noqa: F401
from tokenfield.layers.files import read_states


def states(layers=3, n=7, d=30, seed=0):
    """Hidden states whose first token is a sink at the last layer, with a rogue coordinate there."""
    x = np.random.default_rng(seed).normal(size=(layers, n, d)).astype(np.float32)
    x[-1, :, 4] += 30
    x[-1, 0] *= 60
    return x


def attention(blocks=2, heads=3, n=7):
    a = np.tril(np.random.default_rng(1).uniform(size=(blocks, heads, n, n)))
    return a / a.sum(axis=-1, keepdims=True)


WORDS = ["<s>", "to", "be", "or", "<i>", "$x_1$", "be"]


def strict(text: str):
    """JSON without the NaN that Python reads by itself."""
    return json.loads(text, parse_constant=lambda name: pytest.fail(f"{name} is no JSON"))


@pytest.mark.slow
def test_a_file_becomes_a_folder_that_show_and_plot_know():
    np.savez("prompt.npz", states=states(), words=np.array(WORDS), attention=attention())
    printed = tokenfield("measure", "prompt.npz", "--out", "found")
    assert printed.exit_code == 0, printed.output
    assert "prompt: 3 layers, 1 prompt of 7 tokens, d = 30" in printed.stdout
    assert "token 0 ('<s>') at layer 2" in " ".join(printed.stdout.split()) and "found/index.html" in printed.stdout
    drawn = {f"found/figures/{name}.png" for name in ("cosines", "numbers", "tokens", "similarity", "attention")}
    there = {f"found/{name}" for name in ("layers.json", "manifest.json", "index.html")}
    assert drawn | there <= files()
    assert not [name for name in files() if ".partial" in name or name.endswith(".lock")]

    numbers = strict(Path("found/layers.json").read_text())
    expected = tkf.layers.measure(states(), words=WORDS, attention=attention())
    last = numbers["layers"][2]
    assert last["raw"]["effective_rank"] == pytest.approx(expected.mean("effective_rank")[2])
    assert last["without sinks"]["effective_rank"] > last["raw"]["effective_rank"]
    assert last["sinks"][0]["word"] == "<s>" and last["rogues"][0]["dimension"] == 4
    assert np.shape(numbers["attention"]["attention_beta"]) == (2, 3)

    page = Path("found/index.html").read_text()
    assert page.count("<figure>") == 5 and "&lt;s&gt;" in page and "<s>" not in page
    assert not re.search(r'(src|href)="(?!data:|#)', page)  # it needs nothing else

    shown = tokenfield("show", "found")
    assert shown.exit_code == 0 and "prompt: 3 layers" in shown.stdout
    assert strict(tokenfield("show", "found", "--json").stdout)["layers"] == numbers["layers"]
    for name in drawn:
        Path(name).unlink()
    assert tokenfield("plot", "found").exit_code == 0 and drawn <= files()
    assert tokenfield("plot", "found", "--format", "svg", "--out", "others").exit_code == 0
    assert Path("others/tokens.svg").exists()
    assert "only runs of tokens and densities have movies" in error_of("plot", "found", "--animate", "gif")

    # it is replaced on demand only, and what others put there stays
    assert "found exists: choose another --out, or replace it with --force" in error_of(
        "measure", "prompt.npz", "--out", "found"
    )
    Path("found/mine.txt").write_text("mine")
    again = tokenfield("measure", "prompt.npz", "--out", "found", "--force", "--no-figures", "--json")
    assert strict(again.stdout)["page"] is None and Path("found/mine.txt").exists() and not (drawn & files())
    Path("found/layers.zarr/zarr.json").write_text("{}")
    assert "damaged" in error_of("show", "found")
    assert "found is a layers: hidden states come from a file" in error_of("measure", "found")


def test_several_files_are_prompts_of_one_model():
    np.save("one.npy", states(n=5))
    np.savez("two.npz", states_0=states(n=4), states_1=states(n=6), words_0=["a"] * 4, words_1=["b"] * 6)
    found = tokenfield("measure", "one.npy", "two.npz", "--no-figures", "--json", "--name", "mine")
    assert found.exit_code == 0, found.output
    numbers = strict(found.stdout)
    assert numbers["tokens"] == [5, 4, 6] and numbers["name"] == "mine" and numbers["out"] == "runs/layers-1"


def test_a_run_is_measured():
    model, start = tkf.Transformer(tkf.Sphere(3), tkf.Softmax(1.0)), tkf.initial.uniform(tkf.Sphere(3), 6, seed=0)
    tkf.solve(model, start, t1=2.0, save=3).save("run")
    numbers = strict(tokenfield("measure", "run", "--no-figures", "--json").stdout)
    assert [layer["tag"] for layer in numbers["layers"]] == ["t = 0", "t = 1", "t = 2"] and numbers["name"] == "run"


def test_safetensors():
    numpy = pytest.importorskip("safetensors.numpy")
    import ml_dtypes

    x = states()
    numpy.save_file({"states": x}, "words.safetensors", metadata={"words": json.dumps(WORDS)})
    assert np.array_equal(read_states("words.safetensors").passages[0].states, x)
    assert read_states("words.safetensors").passages[0].words == tuple(WORDS)
    numpy.save_file({"states": x.astype(ml_dtypes.bfloat16)}, "half.safetensors")
    # bfloat16 keeps eight bits
    assert np.allclose(read_states("half.safetensors").passages[0].states, x, rtol=2**-8)
    Path("half.safetensors").write_bytes(b"\x10" * 40)
    assert "half.safetensors is damaged or no safetensors file" in error_of("measure", "half.safetensors")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("nothing.npz", "there is no file nothing.npz"),
        ("words.txt", "the name must end in .npz, .npy or .safetensors"),
        ("damaged.npz", "damaged.npz is damaged or no NumPy file of numbers"),
        ("pickled.npy", "pickled.npy is damaged or no NumPy file of numbers"),
        ("flat.npy", r"flat.npy: states have shape (layers, tokens, d), or with prompts in front, got (3, 7)"),
        ("other.npz", "other.npz: unknown array 'hidden_states'"),
        (
            "good.npy nan.npy",
            "nan.npy: hidden states must be finite: 1 NaN or infinite entries, the first at (1, 2, 3)",
        ),
        ("good.npy short.npy", "prompt 1 has 2 layers and d = 30, prompt 0 has 3 and 30"),
        ("good.npy --sink-ratio 0.5", "sink_ratio must be above 1, got 0.5"),
        ("good.npy --out other.npz", "other.npz exists and is not a folder of measured layers"),
    ],
)
def test_what_cannot_be_measured_is_one_line_and_leaves_nothing(arguments, message):
    Path("words.txt").write_text("to be")
    Path("damaged.npz").write_bytes(b"PK\x03\x04" + b"x" * 50)
    np.save("pickled.npy", np.array([{"a": 1}], dtype=object), allow_pickle=True)
    np.save("flat.npy", states()[:, :, 0])
    np.savez("other.npz", hidden_states=states(), states=states())
    np.save("good.npy", states())
    np.save("short.npy", states()[:2])
    bad = states()
    bad[1, 2, 3] = np.nan
    np.save("nan.npy", bad)
    before = files()
    assert message in error_of("measure", *arguments.split())
    assert files() == before


@pytest.mark.slow
def test_measuring_needs_no_torch_and_no_safetensors():
    np.save("good.npy", states())
    code = (
        "import sys\n"
        "class Missing:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name.partition('.')[0] in ('torch', 'transformers', 'safetensors'):\n"
        "            raise ImportError(name)\n"
        "sys.meta_path.insert(0, Missing())\n"
        "from tokenfield.layers import measure\n"
        "from tokenfield.layers.files import read_states\n"
        "print(measure(read_states('good.npy')))\n"
        "try:\n"
        "    open('x.safetensors', 'w').close()\n"
        "    read_states('x.safetensors')\n"
        "except OSError as error:\n"
        "    print(error)\n"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "install tokenfield[pretrained]" in found.stdout and "3 layers" in found.stdout
