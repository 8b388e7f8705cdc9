"""Tensors by name in files: stored as they are, and refused where they are none."""

import subprocess
import sys

import numpy as np
import pytest

from margin.deep.fitting.tensors import NamedTensors
from margin.errors import PersistenceError
from margin.persistence import load, save
from margin.persistence.archive import from_bytes, to_bytes
from margin.persistence.container.limits import Malformed
from margin.persistence.kinds.deep.tensors import ArraysByName
from margin.persistence.objects.arrays import Sizes


def some() -> NamedTensors:
    return NamedTensors(
        {
            "features.0.weight": np.arange(24, dtype=np.float32).reshape(2, 3, 2, 2),
            "features.1.num_batches_tracked": np.array(7),
            "fc.bias": np.zeros(0, np.float32),
            "ä.mask": np.array([True, False]),
        }
    )


def test_arrays_of_all_shapes_come_back_as_they_were(tmp_path):
    found = load(save(some(), tmp_path / "net.margin"))
    assert list(found) == list(some())
    for name, array in some().items():
        assert found[name].dtype == array.dtype
        assert found[name].shape == array.shape
        assert np.array_equal(found[name], array)


def test_numbers_stand_in_the_file_as_they_lie_in_memory(tmp_path):
    path = save(some(), tmp_path / "net.margin")
    assert some()["features.0.weight"].tobytes() in path.read_bytes()


def test_many_tensors_with_long_names_are_kept():
    many = NamedTensors({f"layer{i}." + "x" * 300: np.full((), i, np.float32) for i in range(2000)})
    found = from_bytes(to_bytes(many))
    assert found["layer1999." + "x" * 300] == 1999
    assert len(found) == 2000


def test_no_torch_is_loaded_for_them(tmp_path):
    path = save(some(), tmp_path / "net.margin")
    code = f"import sys; from margin.persistence import load; print(load({str(path)!r}), 'torch' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert done.stdout.strip() == "<NamedTensors: 4 tensors, 27 numbers> False", done.stderr


@pytest.mark.parametrize("array", [np.array(["a"]), np.array([1j]), np.array([object()], object), [1.0]])
def test_what_is_no_tensor_is_not_saved(array):
    with pytest.raises(PersistenceError, match=r"'fc'.*must be an array of numbers"):
        to_bytes(NamedTensors({"fc": array}))


class Arrays:
    """What a file holds, without the file."""

    def __init__(self, *arrays: np.ndarray) -> None:
        self.arrays, self.sizes = arrays, Sizes()

    def array(self, number: int) -> np.ndarray:
        return self.arrays[number]


@pytest.mark.parametrize(
    ("node", "words"),
    [
        ([], "must be arrays with a name each"),
        ({"arrays": [0], "names": []}, "a name of its own"),
        ({"arrays": [0, 0], "names": ["a", "a"]}, "a name of its own"),
        ({"arrays": [1], "names": ["a"]}, "must be an array of numbers"),
        ({"arrays": [2], "names": ["a"]}, "every cell is finite"),
    ],
)
def test_doctored_tensors_are_refused(node, words):
    of = Arrays(np.zeros(2, np.float32), np.array(["a"]), np.array([1.0, np.nan]))

    def read():
        ArraysByName().unpack(node, of)
        of.sizes.settle()

    with pytest.raises(Malformed, match=words):
        read()
