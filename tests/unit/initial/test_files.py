"""Tokens from files: what is read, and what a damaged, empty or wrong file is told."""

import numpy as np
import pytest

from tokenfield import FileError, InvalidInput, Measure, Sphere, initial

POINTS = np.array([[0.6, 0.8], [1.0, 0.0], [0.0, -1.0]])


def assert_measure(mu, weights=None):
    assert isinstance(mu, Measure)
    np.testing.assert_allclose(mu.points, POINTS, atol=1e-16)
    np.testing.assert_allclose(mu.weights, np.full(3, 1 / 3) if weights is None else weights, rtol=1e-15)


def test_npy_and_npz(tmp_path):
    np.save(tmp_path / "a.npy", POINTS)
    assert_measure(initial.from_file(tmp_path / "a.npy", Sphere(2)))
    assert_measure(initial.from_file(str(tmp_path / "a.npy")))
    np.savez(tmp_path / "a.npz", points=POINTS)
    assert_measure(initial.from_file(tmp_path / "a.npz"))
    np.savez_compressed(tmp_path / "b.NPZ", points=POINTS, weights=[1, 2, 1])
    assert_measure(initial.from_file(tmp_path / "b.NPZ.npz"), [0.25, 0.5, 0.25])


@pytest.mark.parametrize(
    ("text", "weights"),
    [
        ("0.6,0.8\n1,0\n0,-1\n", None),
        ("x,y\n0.6,0.8\n1,0\n0,-1", None),
        ("\ufeffx , y\r\n0.6, 0.8\r\n\r\n1e0,0\r\n0,-1\r\n", None),
        ("x,y,weight\n0.6,0.8,1\n1,0,2\n0,-1,1\n", [0.25, 0.5, 0.25]),
        ('"x","y","Weights"\n0.6,0.8,1\n1,0,2\n0,-1,1\n', [0.25, 0.5, 0.25]),
    ],
)
def test_csv(tmp_path, text, weights):
    path = tmp_path / "tokens.csv"
    path.write_text(text, encoding="utf-8")
    assert_measure(initial.from_file(path, Sphere(2)), weights)


def test_csv_of_one_dimension(tmp_path):
    path = tmp_path / "line.csv"
    path.write_text("1\n2.5\n")
    np.testing.assert_array_equal(initial.from_file(path).points, [[1.0], [2.5]])


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        ("", FileError, "tokens.csv is empty"),
        ("\n  \n", FileError, "holds no points"),
        ("x,y\n", FileError, "holds no points"),
        ("1,2\n3\n", InvalidInput, "line 2: expected 2 columns, got 1"),
        ("x,y\n1,2,3\n", InvalidInput, "line 2: expected 2 columns, got 3"),
        ("1,2\n\n3,four\n", InvalidInput, "line 3: 'four' is not a number"),
        ("1,two\n3,4\n", InvalidInput, "line 1: 'two' is not a number"),
        ("1,2\n3,\n", InvalidInput, "line 2: '' is not a number"),
        ("1,2\n3,nan\n", InvalidInput, r"points must be finite: 1 NaN or infinite entries, the first at \(1, 1\)"),
        ("weight,x\n1,2\n", InvalidInput, "the column 'weight' must be the last one"),
        ("x,weight\n1,0\n", InvalidInput, "weights must be positive"),
    ],
)
def test_wrong_csv(tmp_path, text, error, message):
    path = tmp_path / "tokens.csv"
    path.write_text(text)
    with pytest.raises(error, match=message) as caught:
        initial.from_file(path)
    assert "tokens.csv" in str(caught.value)


def test_csv_that_is_binary(tmp_path):
    (tmp_path / "a.csv").write_bytes(b"\xff\xfe\x00\x01")
    with pytest.raises(FileError, match="not a text file"):
        initial.from_file(tmp_path / "a.csv")


def test_missing_folder_and_unknown_suffix(tmp_path):
    with pytest.raises(FileError, match=r"there is no file .*gone.npy"):
        initial.from_file(tmp_path / "gone.npy")
    (tmp_path / "folder.npy").mkdir()
    with pytest.raises(FileError, match=r"cannot read .*folder.npy: Is a directory"):
        initial.from_file(tmp_path / "folder.npy")
    with pytest.raises(FileError, match=r"must end in .npy, .npz or .csv"):
        initial.from_file(tmp_path / "tokens.txt")


def test_unreadable_file(tmp_path, monkeypatch):
    # permissions do not stop root, so the operating system's refusal is played
    np.save(tmp_path / "a.npy", POINTS)

    def refuse(self, *_args, **_options):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("pathlib.Path.open", refuse)
    with pytest.raises(FileError, match=r"cannot read .*a.npy: Permission denied"):
        initial.from_file(tmp_path / "a.npy")


def damaged_files(folder):
    np.save(folder / "whole.npy", np.random.default_rng(0).normal(size=(50, 2)))
    np.savez_compressed(folder / "whole.npz", points=np.random.default_rng(0).normal(size=(50, 2)))
    npy, npz = (folder / "whole.npy").read_bytes(), (folder / "whole.npz").read_bytes()
    flipped = bytearray(npz)
    flipped[len(npz) // 2] ^= 0xFF
    return {
        "cut.npy": npy[:-100],
        "header-only.npy": npy[:40],
        "magic-only.npy": npy[:6],
        "huge.npy": npy.replace(b"(50, 2)", b"(9999999999999, 2)"),
        "garbage.npy": b"these are no numbers at all",
        "cut.npz": npz[: len(npz) // 2],
        "flipped.npz": bytes(flipped),
        "garbage.npz": b"PK\x03\x04 and then nothing of use",
    }


@pytest.mark.parametrize(
    "name",
    [
        "cut.npy",
        "header-only.npy",
        "magic-only.npy",
        "huge.npy",
        "garbage.npy",
        "cut.npz",
        "flipped.npz",
        "garbage.npz",
    ],
)
def test_damaged_numpy_files(tmp_path, name):
    (tmp_path / name).write_bytes(damaged_files(tmp_path)[name])
    with pytest.raises(FileError, match=rf"{name} is damaged or no NumPy file of numbers"):
        initial.from_file(tmp_path / name)


@pytest.mark.parametrize("suffix", [".npy", ".npz"])
def test_no_damage_gets_past_the_reader(tmp_path, suffix):
    # one broken byte at a time, and every place to be cut off: a clear error, or a measure if it was only a digit
    path = tmp_path / f"tokens{suffix}"
    if suffix == ".npy":
        np.save(path, POINTS)
    else:
        np.savez_compressed(path, points=POINTS)
    whole = path.read_bytes()
    refused = 0
    for position in range(len(whole)):
        broken = bytes([whole[position] ^ (0xFF if position % 2 else 0x01)])
        for content in (whole[:position], whole[:position] + broken + whole[position + 1 :]):
            path.write_bytes(content)
            try:
                initial.from_file(path)
            except (FileError, InvalidInput) as error:
                refused += 1
                assert path.name in str(error)
    assert refused > len(whole)  # all that were cut off, and some of the others


def test_pickled_objects_are_refused(tmp_path):
    np.save(tmp_path / "a.npy", np.array([{"x": 1}], dtype=object), allow_pickle=True)
    with pytest.raises(FileError, match="no NumPy file of numbers"):
        initial.from_file(tmp_path / "a.npy")


@pytest.mark.parametrize("suffix", [".npy", ".npz", ".csv"])
def test_empty_files(tmp_path, suffix):
    path = tmp_path / f"tokens{suffix}"
    path.touch()
    with pytest.raises(FileError, match="is empty"):
        initial.from_file(path)


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"points": np.zeros((0, 2))}, "at least one point, got n = 0"),
        ({"points": np.zeros(5)}, r"points must have shape \(n, d\), got \(5,\)"),
        ({"points": np.zeros((2, 3, 4))}, r"got \(2, 3, 4\)"),
        ({"points": np.array([["a", "b"]])}, "points must be real numbers"),
        ({"points": np.ones((2, 2), complex)}, "points must be real numbers"),
        ({"points": POINTS, "weights": np.ones(2)}, r"weights must have shape \(3,\)"),
        ({"points": POINTS, "weights": -np.ones(3)}, "weights must be positive"),
        ({"points": 2 * POINTS}, "off the sphere"),
        ({"points": np.eye(3)}, "dimension 3, the geometry has d = 2"),
        ({"point": POINTS}, "must hold an array named 'points', it holds: point"),
        ({}, "it holds: nothing"),
    ],
)
def test_npz_that_holds_no_measure(tmp_path, arrays, message):
    np.savez(tmp_path / "a.npz", **arrays)
    with pytest.raises(InvalidInput, match=message) as caught:
        initial.from_file(tmp_path / "a.npz", Sphere(2))
    assert "a.npz" in str(caught.value)
