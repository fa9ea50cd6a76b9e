"""tokenfield.plot: files that open, figures that are not blank, animations with every frame, errors that help."""

from __future__ import annotations

import subprocess
import warnings
from itertools import pairwise

import imageio_ffmpeg
import jax
import jax.numpy as jnp
import matplotlib
import numpy as np
import pytest
from PIL import Image

import tokenfield as tkf
from tokenfield import Euclidean, FileError, InvalidInput, Measure, Save, Softmax, Sphere, Transformer, plot, solve
from tokenfield.plot import dots, on_circle, on_sphere, picture, title
from tokenfield.solver.result import Result
from tokenfield.solver.trajectory import Stats, Trajectory
from tokenfield.study import figures

MOVING = ("circle", "sphere", "space")
STILL = ("energy", "cluster_count", "histogram", "merge_tree")
FRAMES = 6
PRE_LN = Transformer(Sphere(3), Softmax(4.0), normalization=tkf.PreLN())
CAUSAL = {
    "circle": Transformer(Sphere(2), Softmax(4.0), position=tkf.Causal()),
    "sphere": Transformer(Sphere(3), Softmax(4.0), position=tkf.Causal()),
    "space": Transformer(Euclidean(2), Softmax(4.0), position=tkf.Causal()),
}


def _points(seed: int, n: int, d: int) -> np.ndarray:
    x = np.random.default_rng(seed).normal(size=(n, d))
    return x / np.linalg.norm(x, axis=1, keepdims=True)


def _run(
    geometry, x, *, beta=4.0, t1=5.0, save=FRAMES, weights=None, rescaled=False, model=None, positions=None
) -> Trajectory:
    """A made-up run in which each token drifts to the nearest of six places: pictures do not care who moved them.

    Where the `model` has radii, these grow from 1 by t for the first token, 2t for the second and so on.
    """
    model = Transformer(geometry, Softmax(beta), rescaled=rescaled) if model is None else model
    start = Measure(x, weights, positions=positions, geometry=geometry)
    x = np.asarray(start.points)
    ends = np.concatenate([np.eye(geometry.d), -np.eye(geometry.d)])[:6] * np.linalg.norm(x, axis=1).max()
    target = ends[np.argmax(x @ ends.T, axis=1)]
    kept = Save.parse(save)
    ts = kept.resolve(0.0, t1, bytes_per_time=1)
    points = target + np.exp(-ts)[:, None, None] * (x - target)
    if isinstance(geometry, Sphere):
        points /= np.linalg.norm(points, axis=-1, keepdims=True)
    zero = jnp.zeros((), int)
    radii = 1 + ts[:, None] * np.arange(1, len(x) + 1) if model.has_radius and kept.tokens else None
    states = {"points": jnp.asarray(points)} | ({} if radii is None else {"radii": jnp.asarray(radii)})
    return Trajectory(
        ts=jnp.asarray(ts),
        states=states if kept.tokens else None,
        observables={},
        final=start.at(jnp.asarray(points[-1])),
        result=Result(zero, jnp.asarray(t1)),
        stats=Stats(zero, zero, jnp.zeros(())),
        model=model,
    )


@pytest.fixture(scope="module")
def runs() -> dict:
    """One small run for each kind of picture; the one on S^2 is solved."""
    box = np.random.default_rng(3).uniform(-5, 5, (12, 3))
    model = Transformer(Sphere(3), Softmax(4.0))
    on_s2 = solve(model, _points(1, 24, 3), t1=5.0, save=FRAMES, rtol=1e-4, progress=False)
    return {
        "circle": _run(Sphere(2), _points(0, 16, 2)),
        "sphere": on_s2,
        "space": _run(Euclidean(2), box[:, :2], beta=1.0, rescaled=True, t1=3.0),
        "space3": _run(Euclidean(3), box, beta=1.0, rescaled=True, t1=3.0),
        **dict.fromkeys(STILL, on_s2),
        "radii": _run(Sphere(3), _points(2, 5, 3), model=PRE_LN, weights=[1.0, 2, 3, 4, 5]),
    }


@pytest.fixture(scope="module")
def pictures(runs) -> dict[str, plot.Picture]:
    return {name: getattr(plot, name.rstrip("3"))(run) for name, run in runs.items()}


ALL = (*MOVING, "space3", *STILL, "radii")


# --- images -------------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("name", ALL)
def test_png_is_a_picture_of_sane_size_with_ink_inside_its_borders(name, pictures, tmp_path):
    path = pictures[name].save(tmp_path / "figure.png", dpi=100)
    assert path == tmp_path / "figure.png"
    pixels = np.asarray(Image.open(path).convert("L"))
    assert all(250 <= size <= 900 for size in pixels.shape)
    # 0.5%: a lone title leaves about 0.2% of ink
    assert np.mean(pixels < 200) > 0.005
    # a label cut off by the border would leave ink on it
    rim = np.concatenate([pixels[0], pixels[-1], pixels[:, 0], pixels[:, -1]])
    assert rim.min() > 200


@pytest.mark.slow
@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("ending", ["pdf", "svg"])
def test_vector_files_are_vector(name, ending, pictures, tmp_path):
    data = pictures[name].save(tmp_path / f"figure.{ending}").read_bytes()
    assert data.startswith(b"%PDF-" if ending == "pdf" else b"<?xml")
    assert len(data) < 1_000_000
    if ending == "svg":
        assert data.count(b"<path") > 10


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "x", "y"),
    [
        ("energy", "time $t$", r"E_\beta"),
        ("cluster_count", "time $t$", "number of clusters"),
        ("histogram", "time $t$", r"\langle x_i, x_j \rangle"),
        ("merge_tree", "time $t$", "mass"),
        ("radii", "time $t$", "radius $r$"),
        ("space", "$z_1$", "$z_2$"),
    ],
)
def test_axes_are_labeled(name, x, y, pictures):
    axes = pictures[name].figure.axes[0]
    assert x in axes.get_xlabel()
    assert y in axes.get_ylabel()


def test_angles_are_labeled_with_their_unit(pictures):
    right = pictures["circle"].figure.axes[1]
    assert right.get_ylabel() == r"angle $\theta$ [rad]"
    assert right.get_xlabel() == "time $t$"


@pytest.mark.parametrize("name", ALL)
def test_title_states_the_model(name, pictures, runs):
    figure, run = pictures[name].figure, runs[name]
    shown = figure.get_suptitle() or figure.axes[0].get_title()
    for fact in (f"n = {run.final.n}", f"d = {run.model.geometry.d}", r"\beta = "):
        assert fact in shown


S2 = Sphere(3)
HEADS = [Softmax(1.0), Softmax(9.0)]
TITLES = [
    (Transformer(S2, Softmax(4.0)), "SA on $S^{2}$:", r"$\beta = 4$"),
    (Transformer(S2, tkf.Unnormalized(4.0)), "USA on", r"$\beta = 4$"),
    (Transformer(S2, tkf.L2(2.0)), "L2 on", r"$\beta = 2$"),
    (Transformer(S2, tkf.Sinkhorn(1.0)), "Sinkhorn on", r"$\beta = 1$"),
    (Transformer(S2, tkf.Sinkhorn(1.0, 3, kernel="l2")), "Sinkhorn (L2, 3 sweeps) on", r"$\beta = 1$"),
    (Transformer(S2, tkf.Sigmoid(4.0, -2.0)), "sigmoid on", "$b = -2$"),
    (Transformer(S2, tkf.Linear()), "linear on", r"$\beta = 1$"),
    (Transformer(S2, tkf.Hardmax()), "hardmax on", "$d = 3$"),
    (Transformer(S2, tkf.Krause(0.5)), "Krause on", r"$\mathrm{radius} = 0.5$"),
    (Transformer(S2, HEADS), "SA, 2 heads on", r"$\beta = 1 \ldots 9$"),
    (Transformer(S2, [Softmax(1.0), tkf.L2(1.0)]), "SA + L2, 2 heads on", r"$\beta = 1$"),
    (Transformer(S2, Softmax(4.0), position=tkf.Causal()), "causal SA on", r"$\beta = 4$"),
    (Transformer(S2, Softmax(4.0), position=tkf.Causal(strict=True)), "strictly causal SA on", r"$\beta = 4$"),
    (Transformer(S2, Softmax(4.0), position=[tkf.Causal(), tkf.Window(8)]), "causal window-8 SA on", r"$\beta"),
    (Transformer(S2, Softmax(4.0), position=tkf.ALiBi(0.1)), "ALiBi SA on", r"$\mathrm{slope} = 0.1$"),
    (Transformer(Sphere(4), Softmax(4.0), position=tkf.RoPE()), "RoPE SA on $S^{3}$:", r"$\beta = 4$"),
    (Transformer(S2, Softmax(4.0), normalization=tkf.PostLN()), "SA, Post-LN on", r"$\beta = 4$"),
    (PRE_LN, "SA, Pre-LN on", r"$\beta = 4$"),
    (Transformer(S2, Softmax(4.0), normalization=tkf.MixLN(3.0)), "SA, Mix-LN on", r"$\tau = 3$"),
    (Transformer(S2, Softmax(4.0), normalization=tkf.PeriLN(gain=[1.0, 2, 3])), "SA, Peri-LN with gain on", r"\beta"),
    (Transformer(S2, Softmax(4.0), normalization=tkf.NGPT(2.0)), "SA, nGPT on", r"$\alpha = 2$"),
    (Transformer(S2, Softmax(4.0), normalization=tkf.DepthScaled()), "SA, depth-scaled LN on", r"$\beta = 4$"),
    (Transformer(S2, [Softmax(4.0), tkf.Perceptron()]), "SA + perceptron on", r"$\beta = 4$"),
    (Transformer(Euclidean(2), tkf.Perceptron()), r"ResNet in $\mathbb{R}^{2}$:", "$d = 2$"),
    (Transformer(S2, [Softmax(4.0), tkf.Potential(jnp.sum)]), "SA + potential on", r"$\beta = 4$"),
    (Transformer(S2, Softmax(4.0), noise=tkf.Noise(50.0, seed=0)), "SA on", r"$\kappa = 50$"),
    (Transformer(S2, Softmax(4.0), noise=tkf.Noise(50.0, seed=0, common=True)), "SA on", r"$\kappa = 50$ (common)"),
    (Transformer(Euclidean(2), Softmax(1.0), rescaled=True), "rescaled SA in", r"$\beta = 1$"),
    (Transformer(S2, Softmax(1.0), relative=True), "relative SA on", r"$\beta = 1$"),
    (Transformer(S2, tkf.Sublayer(HEADS, then=tkf.Perceptron())), "perceptron of SA, 2 heads", r"\beta = 1"),
    (Transformer(S2, [tkf.Sublayer(Softmax(4.0), before=tkf.LayerNorm(), inside=tkf.RMSNorm()),
                      tkf.Sublayer(tkf.Perceptron(gate=jnp.eye(3)), before=tkf.LayerNorm())]),
     "SA + gated perceptron, LayerNorm before, RMSNorm", r"$\beta = 4$"),
    (Transformer(S2, tkf.schedule.PerLayer([Softmax(1.0), Softmax(2.0)], t1=5.0)), "SA, 2 layers on", r"$\beta = 2$"),
    (Transformer(S2, tkf.schedule.Resampled(Softmax(1.0), 3, period=1.0, seed=0)), "SA, random weights", r"\beta = 1"),
]  # fmt: skip


@pytest.mark.parametrize(("model", "words", "number"), TITLES, ids=[words for _, words, _ in TITLES])
def test_title_names_every_kind(model, words, number):
    run = _run(model.geometry, _points(1, 5, model.geometry.d), model=model, save=2)
    shown = title.facts(run)
    assert shown.startswith(words)
    assert number in shown
    assert max(title._length(line) for line in shown.split("\n")) <= title.LINE


def _everything() -> Transformer:
    position = [tkf.Causal(strict=True), tkf.Window(100), tkf.ALiBi([0.1, 0.2]), tkf.RoPE([1.0])]
    heads = [tkf.Sinkhorn(beta, 3, kernel="l2") for beta in (1.25, 9.75)]
    normalization, noise = tkf.NGPT(2.0, gain=[1.0, 2, 3]), tkf.Noise(50.0, seed=0, common=True)
    return Transformer(S2, [*heads, tkf.Perceptron()], position=position, normalization=normalization, noise=noise)


def test_longest_title_stays_inside_every_picture(tmp_path):
    run = _run(S2, _points(1, 12, 3), model=_everything())
    for name in ("sphere", "cluster_count", "histogram", "merge_tree"):
        figure = getattr(plot, name)(run).figure
        figure.draw_without_rendering()
        text = figure._suptitle or figure.axes[0].title
        box, page = text.get_window_extent(), figure.bbox
        assert text.get_text().count("\n") >= 3, name
        assert page.x0 <= box.x0 and box.x1 <= page.x1 and page.y0 <= box.y0 and box.y1 <= page.y1, name


def test_no_texts_overlap(pictures):
    for name in ("circle", "sphere", "space", *STILL):
        figure = pictures[name].figure
        figure.draw_without_rendering()
        texts = [figure._suptitle] if figure._suptitle else []
        for axes in (axes for axes in figure.axes if axes.axison):
            texts += [axes.title, axes.xaxis.label, axes.yaxis.label, *axes.get_xticklabels(), *axes.get_yticklabels()]
        texts += [text for legend in figure.legends for text in (*legend.get_texts(), legend.get_title())]
        boxes = [text.get_window_extent() for text in texts if text.get_text() and text.get_visible()]
        for i, first in enumerate(boxes):
            # one pixel: boxes are rounded outwards
            assert not any(first.padded(-1).overlaps(second.padded(-1)) for second in boxes[i + 1 :]), name


def test_drawing_leaves_global_settings_and_pyplot_alone(runs, tmp_path):
    before = dict(matplotlib.rcParams)
    plot.circle(runs["circle"]).save(tmp_path / "figure.png")
    assert dict(matplotlib.rcParams) == before
    with matplotlib.rc_context({"axes.labelsize": 40, "axes.grid": True}):
        axis = plot.energy(runs["energy"]).figure.axes[0].xaxis
    assert axis.label.get_fontsize() < 15
    assert not axis.get_gridlines()[0].get_visible()


def test_same_run_gives_same_file(runs, tmp_path):
    first, second = (plot.circle(runs["circle"]).save(tmp_path / f"{i}.svg").read_bytes() for i in "ab")
    assert first == second


def test_notebooks_show_a_png(pictures):
    assert pictures["energy"]._repr_png_().startswith(b"\x89PNG")


@pytest.mark.slow
def test_many_tokens_keep_vector_files_small(tmp_path):
    run = _run(Sphere(3), _points(4, 6000, 3), t1=0.1, save=3)
    # the rasterized layers take at most 2 MB however many tokens there are; as vectors these take 4 MB
    assert plot.sphere(run).save(tmp_path / "dense.svg").stat().st_size < 2_500_000


# --- animations ---------------------------------------------------------------------------------------------------


def _decoded(path) -> list[np.ndarray]:
    """The frames of an mp4, decoded by ffmpeg."""
    folder = path.parent / "frames"
    folder.mkdir()
    command = [imageio_ffmpeg.get_ffmpeg_exe(), "-loglevel", "error", "-i", str(path), str(folder / "%03d.png")]
    subprocess.run(command, check=True)
    return [np.asarray(Image.open(frame)) for frame in sorted(folder.iterdir())]


@pytest.mark.slow
@pytest.mark.parametrize("name", [*MOVING, "space3"])
def test_gif_has_a_frame_for_each_saved_time_and_they_differ(name, pictures, tmp_path):
    image = Image.open(pictures[name].save(tmp_path / "film.gif"))
    assert image.n_frames == FRAMES
    frames = []
    for i in range(FRAMES):
        image.seek(i)
        frames.append(np.asarray(image.convert("RGB")).astype(int))
    assert np.mean(frames[0] < 150) > 0.003  # ink, not a blank page
    for one, two in pairwise(frames):
        assert np.abs(one - two).max() > 60


@pytest.mark.parametrize("name", ["circle", "sphere"])
def test_mp4_decodes_to_a_frame_for_each_saved_time(name, pictures, tmp_path):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")  # imageio-ffmpeg's own writer forks, about which JAX warns
        path = pictures[name].save(tmp_path / "film.mp4")
    assert not caught
    frames = _decoded(path)
    assert len(frames) == FRAMES
    assert all(size % 2 == 0 and size > 400 for size in frames[0].shape[:2])
    assert frames[0].mean() > 128  # a light page
    assert np.abs(frames[0].astype(int) - frames[-1]).max() > 60


@pytest.mark.slow
def test_gif_keeps_the_colors_of_clusters(tmp_path):
    """A palette that forgets a color would show a cluster as another one."""
    x = np.concatenate([_points(5, 30, 3) * 0.02 + center for center in np.vstack([np.eye(3), -np.eye(3)])])
    run = _run(Sphere(3), x / np.linalg.norm(x, axis=1, keepdims=True), beta=60.0, t1=0.5)
    shown = plot.sphere(run)
    wanted = {color for color, _ in dots.Groups.of(run).entries}
    assert len(wanted) == 6
    image = Image.open(shown.save(tmp_path / "film.gif")).convert("RGB")
    present = np.unique(np.asarray(image).reshape(-1, 3), axis=0).astype(float)
    for color in wanted:
        rgb = 255 * np.array(matplotlib.colors.to_rgb(color))
        # 192 colors for the tokens and their shades: steps of a dozen
        assert np.abs(present - rgb).max(axis=1).min() <= 12, color


def test_long_runs_are_thinned_out_with_both_ends():
    frames = picture.frame_indices(1001)
    assert len(frames) == picture.MOST_FRAMES
    assert (frames[0], frames[-1]) == (0, 1000)
    assert picture.frame_indices(5).tolist() == [0, 1, 2, 3, 4]


# --- what is shown ------------------------------------------------------------------------------------------------


def test_orthographic_projection_looks_from_the_camera():
    camera = on_sphere.Camera(azimuth=30.0, elevation=20.0)
    a, e = np.deg2rad([30.0, 20.0])
    towards = np.array([np.cos(e) * np.cos(a), np.cos(e) * np.sin(a), np.sin(e)])
    place, depth = camera.project(towards)
    np.testing.assert_allclose(place, 0, atol=1e-15)
    assert depth == pytest.approx(1)
    place, depth = camera.project(np.array([0.0, 0.0, 1.0]))  # the north pole is up
    np.testing.assert_allclose(place, [0, np.cos(e)], atol=1e-15)
    # right-handed: seen from outside, east is to the right
    place, _ = camera.project(np.array([np.cos(a + 0.1), np.sin(a + 0.1), 0.0]))
    assert place[0] > 0


def test_camera_stands_where_the_mass_is():
    x = np.array([[0.0, -1.0, 0.0], [0.05, -1.0, 0.0], [0.0, 1.0, 0.0]])
    assert on_sphere.best_azimuth(x, np.full(3, 1 / 3), 20.0) == pytest.approx(270, abs=60)


def test_angles_do_not_jump_and_clusters_end_together():
    t = np.linspace(0, 1, 50)[:, None]
    ends = np.array([np.pi - 0.01, -np.pi + 0.01, 0.0])
    angles = ends * t + (1 - t) * np.array([2.0, -2.0, 0.5])
    x = np.stack([np.cos(angles), np.sin(angles)], axis=-1)
    found = on_circle.continuous_angles(x)
    assert np.abs(np.diff(found, axis=0)).max() < 0.1
    assert abs(found[-1, 0] - found[-1, 1]) == pytest.approx(0.02)
    np.testing.assert_allclose(np.cos(found), np.cos(angles), atol=1e-12)


def test_piles_show_mass_not_the_number_of_tokens():
    one = dots.Piles.of(np.array([[0.0, 0.0], [1.0, 0.0]]), np.array([0.5, 0.5]), 2.0)
    # the same measure with its second token split in five that coincide to rounding
    points = np.array([[0.0, 0.0]] + [[1.0 + 1e-12 * i, -1e-13 * i] for i in range(5)])
    five = dots.Piles.of(points, np.array([0.5] + 5 * [0.1]), 2.0)
    np.testing.assert_allclose(np.unique(five.areas.round(9)), np.unique(one.areas.round(9)))


def test_far_tokens_are_paler_and_smaller():
    run = _run(Sphere(3), np.array([[1.0, 0.0, 0.0], [-1.0, 0.0, 0.0]]), t1=0.1, save=2)
    axes = plot.sphere(run, azimuth=0.0, elevation=0.0).figure.axes[0]
    dots = [c for c in axes.collections if isinstance(c, matplotlib.collections.PathCollection)]
    far, near = dots
    assert len(far.get_offsets()) == len(near.get_offsets()) == 1
    assert far.get_sizes()[0] < near.get_sizes()[0]
    assert far.get_facecolor()[0, :3].sum() > near.get_facecolor()[0, :3].sum()


def test_log_spaced_times_get_log_axes():
    run = _run(Sphere(2), _points(6, 8, 2), t1=100.0, save="log:20")
    for axes in (plot.circle(run).figure.axes[1], *(getattr(plot, name)(run).figure.axes[0] for name in STILL)):
        assert axes.get_xscale() == "log"
    assert plot.energy(run).figure.axes[0].get_xlim() == pytest.approx((0.01, 100.0))


def test_equidistant_times_get_linear_axes(pictures):
    for name in ("energy", "cluster_count", "histogram"):
        assert pictures[name].figure.axes[0].get_xscale() == "linear"


def test_energy_curve_is_the_normalized_energy(pictures, runs):
    line = pictures["energy"].figure.axes[0].lines[0]
    np.testing.assert_allclose(line.get_ydata(), runs["energy"].energy(normalized=True))


def test_energy_at_beta_zero_is_the_squared_mean():
    run = _run(Sphere(3), _points(2, 9, 3), beta=0.0)
    means = np.einsum("tni,n->ti", np.asarray(run.points), np.asarray(run.weights))
    axes = plot.energy(run).figure.axes[0]
    np.testing.assert_allclose(axes.lines[0].get_ydata(), 0.5 * np.sum(means**2, axis=1))
    assert r"\int x" in axes.get_ylabel()


# each axis claims a formula in E and beta: here it is, to be applied to the energy itself
def _relative_to_one_cluster(E, beta, bias):
    return E / (np.log1p(np.exp(beta + bias)) / (2 * beta))


ENERGIES = [
    (Softmax(4.0), r"energy $2\beta e^{-\beta} E_\beta$", lambda E: 8 * np.exp(-4) * E),
    (Softmax(-4.0), r"energy $2\beta e^{-|\beta|} E_\beta$", lambda E: -8 * np.exp(-4) * E),
    (tkf.Unnormalized(4.0), r"energy $2\beta e^{-\beta} E_\beta$", lambda E: 8 * np.exp(-4) * E),
    (tkf.L2(2.0), r"energy $4\beta E_\beta$", lambda E: 8 * E),
    (tkf.Sinkhorn(4.0), r"energy $e^{2\beta E - \beta}$", lambda E: np.exp(8 * E - 4)),
    (tkf.Sinkhorn(2.0, kernel="l2"), r"energy $e^{4\beta E}$", lambda E: np.exp(8 * E)),
    (tkf.Sigmoid(4.0, -1.0), r"\mathrm{one\ cluster}", lambda E: _relative_to_one_cluster(E, 4.0, -1.0)),
    (tkf.Linear(3.0), r"energy $4E / \beta$", lambda E: 4 * E / 3),
    (tkf.L2(0.0), r"energy $-\iint |x - y|^2 d\mu\,d\mu / 4$", lambda E: E),
]


@pytest.mark.slow
@pytest.mark.parametrize(("attention", "label", "formula"), ENERGIES, ids=[label for _, label, _ in ENERGIES])
def test_energy_axis_claims_what_the_curve_shows(attention, label, formula):
    run = _run(S2, _points(2, 9, 3), model=Transformer(S2, attention))
    axes = plot.energy(run).figure.axes[0]
    assert label in axes.get_ylabel()
    # 1e-7: Sinkhorn stops at row sums within 1e-10, which the exponential of 8 E enlarges
    np.testing.assert_allclose(axes.lines[0].get_ydata(), formula(run.energy()), rtol=1e-7)


def test_energy_of_several_heads_says_how_they_are_combined():
    for average, sign in ((False, r"\sum_h"), (True, r"\mathrm{mean}_h")):
        run = _run(S2, _points(2, 9, 3), model=Transformer(S2, HEADS, average=average), save=2)
        assert sign in plot.energy(run).figure.axes[0].get_ylabel()
    mixed = _run(S2, _points(2, 9, 3), model=Transformer(S2, [Softmax(1.0), tkf.L2(1.0)]), save=2)
    assert plot.energy(mixed).figure.axes[0].get_ylabel() == "normalized energy of all heads"


@pytest.mark.parametrize("part", [tkf.Hardmax(), tkf.Krause(0.5), tkf.Perceptron(), [Softmax(1.0), tkf.Hardmax()]])
def test_model_without_energy_is_refused_with_another_picture(part):
    run = _run(S2, _points(1, 5, 3), model=Transformer(S2, part), save=2)
    with pytest.raises(tkf.Unsupported, match=r"no energy drives this model.*plot\.cluster_count"):
        plot.energy(run)


def test_radii_show_weighted_mean_deviation_and_extent(pictures, runs):
    run, axes = runs["radii"], pictures["radii"].figure.axes[0]
    w, rates = np.array([1, 2, 3, 4, 5]) / 15, np.arange(1, 6)
    ts = np.asarray(run.ts)
    mean = w @ rates
    np.testing.assert_allclose(axes.lines[0].get_ydata(), 1 + mean * ts)
    pale, dark = (band.get_paths()[0].get_extents() for band in axes.collections)
    assert (pale.y0, pale.y1) == pytest.approx((1, 1 + 5 * ts[-1]))
    # at its widest, at the end; the lower border is lowest at the start, where all radii are 1
    assert (dark.y0, dark.y1) == pytest.approx((1, 1 + ts[-1] * (mean + np.sqrt(w @ (rates - mean) ** 2))))


def test_run_whose_radii_do_not_change_is_refused(runs):
    with pytest.raises(InvalidInput, match="Pre-LN, Mix-LN and Peri-LN"):
        plot.radii(runs["sphere"])
    unkept = _run(S2, _points(1, 5, 3), model=PRE_LN, save=Save(3, tokens=False))
    with pytest.raises(InvalidInput, match="kept no tokens"):
        plot.radii(unkept)


@pytest.mark.parametrize("name", MOVING)
def test_causal_runs_are_colored_by_position_with_the_first_token_marked(name, tmp_path):
    model = CAUSAL[name]
    positions = [3.0, 2, 1, 0, 4, 5]  # the first token is number 3
    x = _points(2, 6, model.geometry.d)
    run = _run(model.geometry, x, model=model, positions=positions)
    shown = getattr(plot, name)(run)
    names = [text.get_text() for text in shown.figure.legends[0].get_texts()]
    assert names[0] == "first token"
    assert sorted(names[1:], key=float) == names[1:] and {"0", "5"} <= set(names)
    stars = [line for line in shown.figure.axes[0].lines if line.get_marker() == "*"]
    place = np.ravel(stars[0].get_data())
    expected = np.asarray(run.final.points)[3]
    if name == "sphere":
        weights = np.asarray(run.weights)
        azimuth = on_sphere.best_azimuth(np.asarray(run.final.points), weights, on_sphere.ELEVATION)
        expected, _ = on_sphere.Camera(azimuth, on_sphere.ELEVATION).project(expected)
    np.testing.assert_allclose(place, expected, atol=1e-12)
    by_cluster = getattr(plot, name)(run, color="cluster").figure
    assert not any(len(line.get_xdata()) for line in by_cluster.axes[0].lines if line.get_marker() == "*")
    assert "first token" not in [text.get_text() for legend in by_cluster.legends for text in legend.get_texts()]


def test_colors_follow_positions_not_the_order_of_storage():
    order = np.array([4, 0, 3, 1, 2])
    run = _run(S2, _points(2, 5, 3), model=CAUSAL["sphere"], positions=order)
    sorted_run = _run(S2, _points(2, 5, 3), model=CAUSAL["sphere"], positions=np.arange(5))
    np.testing.assert_allclose(dots.Groups.of(run).colors, dots.Groups.of(sorted_run).colors[order])
    assert len(np.unique(dots.Groups.of(run).colors, axis=0)) == 5
    assert dots.Groups.of(run).marked == 1
    assert dots.Groups.of(run, "cluster").marked is None


def test_star_moves_with_the_first_token():
    for name in MOVING:
        model = CAUSAL[name]
        run = _run(model.geometry, _points(2, 6, model.geometry.d), model=model)
        figure, draw = getattr(plot, name)(run).animation.open()
        (star,) = [line for line in figure.axes[0].lines if line.get_marker() == "*"]
        places = []
        for i in (0, FRAMES - 1):
            draw(i)
            places.append(np.ravel(star.get_data()))
        assert np.abs(places[0] - places[1]).max() > 1e-3, name


def test_unknown_color_gets_a_suggestion(runs):
    with pytest.raises(InvalidInput, match="did you mean 'position'"):
        plot.circle(runs["circle"], color="positions")


def test_count_curve_is_the_number_of_clusters(pictures, runs):
    line = pictures["cluster_count"].figure.axes[0].lines[0]
    np.testing.assert_array_equal(line.get_ydata(), runs["cluster_count"].cluster_counts())


def test_heat_map_shows_a_density(pictures):
    mesh = pictures["histogram"].figure.axes[0].collections[0]
    density = np.asarray(mesh.get_array())  # (bins, times)
    # zeros are drawn as 1e-3, which adds at most 2e-3 to the integral
    np.testing.assert_allclose(density.sum(axis=0) * 2 / density.shape[0], 1, atol=2.1e-3)


def test_single_saved_time_is_drawn(tmp_path):
    run = _run(Sphere(3), _points(1, 8, 3), save="end")
    for name in ("sphere", *STILL):
        getattr(plot, name)(run).save(tmp_path / f"{name}.png", dpi=50)
    with pytest.raises(InvalidInput, match="at least two saved times"):
        plot.sphere(run).save(tmp_path / "film.gif")


def test_flat_clouds_have_no_hull_but_a_picture(tmp_path):
    x = np.column_stack([np.linspace(-1, 1, 6), np.zeros(6), np.zeros(6)])
    for d in (2, 3):
        plot.space(_run(Euclidean(d), x[:, :d], t1=0.5)).save(tmp_path / "flat.png", dpi=50)


def test_weights_change_the_picture():
    x = _points(7, 6, 3)
    heavy = _run(Sphere(3), x, weights=[20.0, 1, 1, 1, 1, 1], t1=0.01, save=2)
    piles = dots.Piles.of(np.asarray(heavy.final.points), np.asarray(heavy.weights), 2.0)
    assert piles.tokens[-1] == 0  # the heaviest is the largest
    assert piles.areas[-1] > 3 * piles.areas[0]


# --- errors -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "other", "hint"),
    [
        ("circle", "sphere", "plot.sphere"),
        ("sphere", "circle", "plot.circle"),
        ("sphere", "space", "plot.space"),
        ("space", "sphere", "plot.sphere"),
    ],
)
def test_wrong_geometry_is_refused_with_the_right_picture(name, other, hint, runs):
    with pytest.raises(InvalidInput, match=hint):
        getattr(plot, name)(runs[other])


def test_dimensions_that_cannot_be_drawn_are_refused():
    on_s4 = _run(Sphere(5), _points(1, 6, 5), t1=0.1, save=2)
    in_r4 = _run(Euclidean(4), _points(1, 6, 4), t1=0.1, save=2)
    with pytest.raises(InvalidInput, match=r"Sphere\(3\)"):
        plot.sphere(on_s4)
    with pytest.raises(InvalidInput, match=r"Euclidean\(2\) and Euclidean\(3\)"):
        plot.space(in_r4)


@pytest.mark.parametrize("name", [*MOVING, *STILL])
def test_run_without_tokens_is_refused(name):
    geometry = {"circle": Sphere(2), "space": Euclidean(2)}.get(name, Sphere(3))
    kept = Save(3, tokens=False)
    run = _run(geometry, _points(1, 5, geometry.d), t1=0.1, save=kept)
    with pytest.raises(InvalidInput, match="kept no tokens"):
        getattr(plot, name)(run)


def test_batch_of_runs_is_refused():
    one = _run(Sphere(3), _points(1, 5, 3))
    batch = jax.tree.map(lambda a: jnp.stack([a, a]), one)
    with pytest.raises(InvalidInput, match="batch of runs"):
        plot.sphere(batch)
    with pytest.raises(InvalidInput, match="must be a run, as solve returns it"):
        plot.energy(np.zeros(3))


@pytest.mark.parametrize(
    ("file", "message"), [("a.pgn", "did you mean '.png'"), ("a.xyz", "choose from: .gif"), ("a", "without an ending")]
)
def test_unknown_ending_gets_a_suggestion(file, message, pictures, tmp_path):
    with pytest.raises(InvalidInput, match=message):
        pictures["energy"].save(tmp_path / file)


@pytest.mark.parametrize("name", STILL)
@pytest.mark.parametrize("ending", [".mp4", ".gif"])
def test_still_pictures_do_not_animate(name, ending, pictures, tmp_path):
    with pytest.raises(InvalidInput, match=r"does not move: save it as \.png"):
        pictures[name].save(tmp_path / f"film{ending}")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("ending", [".png", ".pdf", ".mp4", ".gif"])
def test_paths_that_cannot_be_written_raise_file_errors(ending, pictures, tmp_path):
    (tmp_path / "file").write_text("")
    (tmp_path / f"folder{ending}").mkdir()
    for path, reason in (
        (tmp_path / "missing" / f"a{ending}", "no folder"),
        (tmp_path / "file" / f"a{ending}", "no folder"),
        (tmp_path / f"folder{ending}", "is a folder"),
        (tmp_path / ("x" * 300 + ending), "cannot write"),
    ):
        with pytest.raises(FileError, match=reason):
            pictures["circle"].save(path)


@pytest.mark.slow
@pytest.mark.parametrize("ending", [".png", ".mp4", ".gif"])
def test_failed_save_leaves_the_old_file_and_no_scrap(ending, runs, tmp_path, monkeypatch):
    path = tmp_path / f"film{ending}"
    path.write_text("old")
    shown = plot.circle(runs["circle"])
    imageio_ffmpeg.get_ffmpeg_exe()  # looks for ffmpeg by starting it, once: before processes are made to fail

    def fail(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(shown.figure, "savefig", fail)
    monkeypatch.setattr(subprocess, "Popen", fail)
    monkeypatch.setattr(Image.Image, "save", fail)
    with pytest.raises(FileError, match="No space left"):
        shown.save(path)
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_encoder_failure_is_reported(pictures, tmp_path, monkeypatch):
    monkeypatch.setattr(picture, "_ffmpeg", lambda: "false")
    with pytest.raises(FileError, match="ffmpeg could not write"):
        pictures["circle"].save(tmp_path / "film.mp4")
    assert not list(tmp_path.iterdir())


def test_nonsense_fps_is_refused(pictures, tmp_path):
    with pytest.raises(InvalidInput, match="fps > 0"):
        pictures["circle"].save(tmp_path / "film.gif", fps=0)


def test_sphere_at_several_times_draws_a_globe_for_each(runs):
    sphere_run = runs["sphere"]
    picture = plot.sphere(sphere_run, times=(0.0, float(sphere_run.ts[-1])))
    titles = [axes.get_title() for axes in picture.figure.axes]
    assert len(titles) == 2 and titles[0] != titles[1]
    with pytest.raises(InvalidInput, match="times must be numbers between"):
        plot.sphere(sphere_run, times=(-1.0,))


# --- many tokens --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", MOVING)
def test_many_tokens_are_sampled_and_the_title_says_so(name, monkeypatch):
    monkeypatch.setattr(dots, "MOST_DRAWN", 50)
    model, x = CAUSAL[name], _points(20, 400, 3 if name == "sphere" else 2)
    run = _run(model.geometry, x, model=model, positions=np.arange(400)[::-1], save=3)
    drawn = dots.Drawn.of(run)
    assert drawn.count in (49, 50) and drawn.x.shape == (3, drawn.count, x.shape[1])
    assert np.sum(drawn.weights) == pytest.approx(1.0)
    # the first of the sequence is the last of the array, and always shown; all keep their colors
    chosen = [int(np.flatnonzero(np.all(np.asarray(run.points)[0] == point, axis=1))[0]) for point in drawn.x[0]]
    assert chosen[drawn.groups.marked] == 399
    np.testing.assert_array_equal(drawn.groups.colors, dots.Groups.of(run).colors[chosen])
    # fair: neither half of the tokens is preferred; 50 coins show fewer than 10 heads once in 100,000 times
    assert 10 < np.count_nonzero(np.array(chosen) < 200) < 40
    assert f"({drawn.count} drawn)" in getattr(plot, name)(run).figure.get_suptitle()
    assert "drawn" not in title.facts(run)


def test_one_saved_time_on_the_circle_shows_the_density_of_all_tokens(monkeypatch):
    monkeypatch.setattr(dots, "MOST_DRAWN", 50)
    drawn = plot.circle(_run(Sphere(2), _points(23, 400, 2), save="end")).figure.axes[1]
    (stairs,) = drawn.patches
    values, edges, _ = stairs.get_data()
    assert np.sum(values * np.diff(edges)) == pytest.approx(2 * np.pi) and drawn.get_title() == "angles of all tokens"


def test_histogram_in_space_is_of_directions():
    """Tokens of any length: the same picture as that of their directions on the sphere."""
    x = _points(3, 6, 4)
    lengths = np.linspace(0.5, 3.0, 6)[:, None]
    model = Transformer(Euclidean(4), tkf.Sublayer(tkf.Perceptron(W=np.zeros((4, 4)))))  # at rest
    rest = [_run(Euclidean(4), y, model=model, save=2) for y in (x, lengths * x)]
    first, second = (plot.histogram(run).figure.axes[0] for run in rest)
    np.testing.assert_array_equal(first.collections[0].get_array(), second.collections[0].get_array())
    assert "|x_i| |x_j|" in first.get_ylabel()


def test_histogram_of_many_tokens_says_how_many_pairs_it_shows(monkeypatch):
    monkeypatch.setattr("tokenfield.observables.histogram.MOST_TOKENS_OF_A_RUN", 10)
    picture = plot.histogram(_run(Sphere(3), _points(21, 20, 3), save=2))
    assert "524,288 random pairs of tokens" in picture.figure.axes[0].get_title()


def test_energies_are_drawn_where_they_take_seconds(monkeypatch):
    run, said = _run(Sphere(3), _points(22, 8, 3), save=2), []
    assert "energy" in figures.figure_names(run, note=said.append) and not said
    monkeypatch.setattr(figures, "LONGEST_ENERGY_S", 0.0)
    assert "energy" not in figures.figure_names(run, note=said.append)
    assert "no figure of the energy" in said[0]
