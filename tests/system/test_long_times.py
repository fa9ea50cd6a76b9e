"""Long times from a config: the options of [solve], what the run folder keeps of the mergers, what is printed."""

from __future__ import annotations

import numpy as np
import pytest

from tokenfield.errors import ConfigError
from tokenfield.study.config import Config
from tokenfield.study.listing import summary_rows
from tokenfield.study.simulate import simulate
from tokenfield.study.store import RunFolder

TABLES = {
    "geometry": {"kind": "sphere", "dim": 2},
    "attention": {"kind": "softmax", "beta": 20.0},
    "initial": {"kind": "uniform", "n": 12, "seed": 0},
    "solve": {"t1": 1e90, "merge": True, "save": "log:30"},
    "output": {"figures": False},
}


def test_the_options_are_read_and_written_out():
    config = Config.from_dict(TABLES).resolved()
    assert config.solve.merge is True and config.solve.norm == "max" and config.solve.clock == "time"
    assert Config.from_dict(config.to_dict()) == config
    plain = Config.from_dict({**TABLES, "solve": {"t1": 1.0}}).resolved()
    assert plain.solve.merge is None and plain.solve.norm == "rms"
    distance = {"merge": 1e-5, "clock": "distance", "speed": 3.0, "norm": "rms"}
    config = Config.from_dict({**TABLES, "solve": distance}).resolved()
    assert (config.solve.merge, config.solve.clock, config.solve.speed, config.solve.norm) == (
        1e-5,
        "distance",
        3.0,
        "rms",
    )
    with pytest.raises(ConfigError, match=r"solve\.merge must be a number"):
        Config.from_dict({**TABLES, "solve": {"merge": "yes"}})
    with pytest.raises(ConfigError, match=r"solve\.clock.*'distance'"):
        Config.from_dict({**TABLES, "solve": {"clock": "distanc"}})


@pytest.mark.slow
def test_a_run_folder_keeps_the_mergers(tmp_path):
    folder = simulate(Config.from_dict(TABLES), tmp_path / "run", progress=False)
    run, summary = RunFolder.read(folder.path)
    mergers = run.mergers
    assert len(mergers) == summary["mergers"]["count"] == 11
    assert summary["mergers"]["last"] == mergers.times[-1] > 1e3
    np.testing.assert_array_equal(mergers.tokens(22), np.arange(12))
    assert mergers.count(1e90) == 1 and run.plateaus[-1].end == 1e90
    assert run.escape_times[-1] == mergers.times[-1]
    rows = summary_rows(summary)
    assert ("mergers", f"11, the last at t = {mergers.times[-1]:.6g}") in rows
    plateaus = [text for label, text in rows if label == "plateau"]
    assert plateaus[-1] == f"t = {mergers.times[-1]:.4g} to 1e+90: 1 cluster, energy 1"
    assert len(plateaus) == len(run.plateaus)
