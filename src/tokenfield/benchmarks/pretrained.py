"""A real model: a forward pass beside transformers and PyTorch (SDPA), loading, memory, and `tokenfield measure`.

The forward pass is that of SmolLM2-135M, all hidden states included: its own weights where it is fetched, else random
ones of the same shapes. Both compute the same numbers: errors are the largest over tokens of the last state, relative
to the token's length, against float64. On a CPU products are in float32; on a GPU in float32, tf32 and bf16, where
PyTorch holds weights and tokens in bf16, and tokenfield multiplies in bf16 what it holds in float32. Times are after
compilation, in turns.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any, get_args

import jax
import jax.numpy as jnp
import numpy as np

from tokenfield import pretrained
from tokenfield._runtime.files import temporary_folder, write_text
from tokenfield.benchmarks.end_to_end import command
from tokenfield.benchmarks.measure import (
    best_times,
    cpu_seconds_of,
    in_fresh_process,
    missing_peers,
    peak_mib,
    peer,
)
from tokenfield.benchmarks.report import Row, Table
from tokenfield.claims.real_models import sentences
from tokenfield.measure import Measure
from tokenfield.pretrained import catalog
from tokenfield.pretrained.model import Pretrained
from tokenfield.sums import rounding

NAME = "smollm2"
# the shapes of SmolLM2-135M, for random weights
SHAPE = {
    "hidden_size": 576,
    "num_hidden_layers": 30,
    "num_attention_heads": 9,
    "num_key_value_heads": 3,
    "intermediate_size": 1536,
    "vocab_size": 49152,
    "max_position_embeddings": 8192,
    "rope_theta": 100000.0,
    "tie_word_embeddings": True,
}
GOALS_S = {"load": 5.0, "measure": 20.0}  # on two cores with nothing beside
WORDS_PER_TOKEN = 0.85  # of the sentences: a text that is about one prompt
STARTED = 4  # forward passes on a GPU before one is waited for


def run(
    *,
    tokens: tuple[int, ...] = (256, 1024, 2048),
    memory: tuple[int, ...] = (1024, 2048, 4096, 8192),
    measured: int = 512,
    budget_s: float = 30.0,
) -> Iterator[Table]:
    """Tables of forward passes and memory by the number of tokens, of loading, and of measuring `measured` tokens."""
    if tokens:
        yield _forward(tokens, budget_s)
    if not catalog.entry(NAME).is_there:
        yield Table("Loading and memory", [], (f"{NAME} is not there: tokenfield pretrained fetch {NAME}",))
    else:
        yield Table(f"Loading {NAME}", [in_fresh_process(load_once, NAME) for _ in range(2)])
        rows = [{"tokens": n, "peak MiB": in_fresh_process(peak_of_states, NAME, n)} for n in memory]
        yield Table(f"Memory of all hidden states of {NAME}, whole processes", rows)
    if measured:
        yield _measuring(measured)


def load_once(name: str) -> Row:
    """Seconds of loading a model, in a process that has imported tokenfield."""
    began, cpu = time.perf_counter(), time.process_time()
    pretrained.load(name)
    seconds, cpu_s = time.perf_counter() - began, time.process_time() - cpu
    return {"seconds": seconds, "goal s": GOALS_S["load"], "CPU s": cpu_s, "peak MiB": peak_mib()}


def peak_of_states(name: str, n: int) -> float:
    """The most memory, in MiB, of a process that loads the model and computes the states of n tokens."""
    model = pretrained.load(name)
    jax.block_until_ready(model.states(_tokens(model, n)).arrays)
    return peak_mib()


def _measuring(tokens: int) -> Table:
    """The whole command, with its page, for the fetched models: a text of many different sentences."""
    rows, notes = [], []
    for name in catalog.MODELS:
        if not catalog.entry(name).is_there:
            notes.append(f"{name} is not there: tokenfield pretrained fetch {name}")
            continue
        with temporary_folder() as folder:
            text, out = folder / "text.txt", folder / "out"
            words = " ".join(sentences()).split()
            write_text(text, " ".join(words[: round(WORDS_PER_TOKEN * tokens)]))
            began = time.perf_counter()
            found = in_fresh_process(
                command,
                ["measure", "--model", name, "--text", str(text), "--tokens", str(tokens), "--out", str(out)],
            )
            seconds = time.perf_counter() - began
            goal = GOALS_S["measure"] if name == "minilm" and tokens == 512 else None
            rows.append({"model": name, "seconds": seconds, "goal s": goal, "GiB": found["GiB"]})
    return Table(f"tokenfield measure --model NAME --text FILE --tokens {tokens}, with its page", rows, tuple(notes))


# --- forward passes -----------------------------------------------------------------------------------------------


def _forward(lengths: tuple[int, ...], budget_s: float) -> Table:
    torch, transformers = peer("torch"), peer("transformers")
    notes = [
        "ratio: transformers / tokenfield (above 1: tokenfield is faster); CPU: the same of CPU time",
        *missing_peers("torch", "transformers"),
    ]
    theirs = None if torch is None or transformers is None else _their_model(torch, transformers)
    if theirs is not None:
        load = lambda dtype: pretrained.load(theirs, dtype=dtype)  # noqa: E731
    elif catalog.entry(NAME).is_there:
        load = lambda dtype: pretrained.load(NAME, dtype=dtype)  # noqa: E731
    else:
        notes.append(f"no weights: tokenfield pretrained fetch {NAME}")
        return Table("Forward pass", [], tuple(notes))
    model, in_float64 = load("float32"), load("float64")
    is_gpu = jax.default_backend() == "gpu"
    device = "cuda" if is_gpu else "cpu"
    precisions = get_args(rounding.Precision) if is_gpu else ("float32",)
    rows = []
    for n in lengths:
        mu = _tokens(model, n)
        exact = in_float64.states(Measure(mu.points.astype(jnp.float64), positions=mu.positions)).arrays[-1]
        contest = _Contest(model, theirs, mu, np.asarray(exact), torch, budget_s / len(lengths), device)
        rows += [{"tokens": n} | contest.row(precision) for precision in precisions]
    weights = "its own weights" if catalog.entry(NAME).is_there else "random weights"
    return Table(
        f"Forward pass through {NAME} ({weights}), all hidden states, on the {device}",
        rows,
        tuple(notes),
    )


class _Contest:
    """One prompt through tokenfield and, where it is installed, through transformers."""

    def __init__(
        self,
        model: Pretrained,
        theirs: Any,
        mu: Measure,
        exact: np.ndarray,
        torch: Any,
        budget_s: float,
        device: str,
    ):
        self.model, self.theirs, self.mu, self.exact = model, theirs, mu, exact
        self.torch, self.budget_s, self.device = torch, budget_s, device
        if theirs is not None and device == "cuda" and not torch.cuda.is_available():
            self.theirs = None

    def row(self, precision: rounding.Precision) -> Row:
        with rounding.precision(precision):
            contestants = {"tokenfield": self._ours()}
            if self.theirs is not None:
                contestants["transformers"] = self._theirs(precision)
            found = {name: call() for name, call in contestants.items()}
            calls = STARTED if self.device == "cuda" else 1
            times = {
                name: seconds / calls
                for name, seconds in best_times(contestants, rounds=3, budget_s=self.budget_s).items()
            }
            cpu = {name: min(cpu_seconds_of(call) for _ in range(2)) for name, call in contestants.items()}
        row: Row = {"precision": precision, "tokenfield s": times["tokenfield"]}
        if self.theirs is not None:
            row |= {
                "transformers s": times["transformers"],
                "ratio": times["transformers"] / times["tokenfield"],
                "CPU": cpu["transformers"] / cpu["tokenfield"],
            }
        row["tokens/s"] = self.mu.n / times["tokenfield"]
        return row | {f"{name} error": self._error(points) for name, points in found.items()}

    def _ours(self) -> Callable[[], np.ndarray]:
        def call() -> np.ndarray:
            for _ in range(STARTED if self.device == "cuda" else 1):
                states = self.model.states(self.mu).arrays
            return np.asarray(states[-1])

        return call

    def _theirs(self, precision: str) -> Callable[[], np.ndarray]:
        torch, device = self.torch, self.device
        dtype = torch.bfloat16 if precision == "bf16" else torch.float32
        model = self.theirs.to(device=device, dtype=dtype)
        points = torch.from_numpy(np.array(self.mu.points))[None].to(device=device, dtype=dtype)

        def call() -> np.ndarray:
            torch.backends.cuda.matmul.allow_tf32 = precision == "tf32"
            with torch.inference_mode():
                for _ in range(STARTED if device == "cuda" else 1):
                    out = model(inputs_embeds=points, output_hidden_states=True, use_cache=False)
            return out.last_hidden_state[0].float().cpu().numpy()

        return call

    def _error(self, points: np.ndarray) -> float:
        off = np.linalg.norm(np.asarray(points, np.float64) - self.exact, axis=1)
        return float(np.max(off / np.linalg.norm(self.exact, axis=1)))


def _their_model(torch: Any, transformers: Any) -> Any:
    """The Llama of transformers without its head: of the fetched file, else with random weights."""
    if catalog.entry(NAME).is_there and peer("accelerate") is not None:
        folder = catalog.location(NAME)
        (file,) = folder.glob("*.gguf")
        kind = transformers.AutoModelForCausalLM
        whole = kind.from_pretrained(folder, gguf_file=file.name, local_files_only=True, dtype=torch.float32)
        return whole.model.eval()
    torch.manual_seed(0)
    return transformers.LlamaModel(transformers.LlamaConfig(**SHAPE)).float().eval()


def _tokens(model: Pretrained, n: int) -> Measure:
    """n words drawn from the vocabulary: times do not depend on which."""
    ids = np.random.default_rng(0).integers(model.embedding.vocabulary, size=n)  # type: ignore[union-attr]
    return pretrained.Prompt.from_ids(ids, model).measure
