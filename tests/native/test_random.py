"""margin.random: fixed values, then what seeds and paths must and must not change."""

import hashlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from margin.errors import ParameterError
from margin.random import generator, seed_for

paths = st.lists(st.integers(-(2**70), 2**70) | st.text(max_size=5), max_size=4).map(tuple)


def test_a_seed_is_the_hash_of_kinds_lengths_and_texts():
    digest = hashlib.blake2b("i1:1s4:füni2:-3".encode(), digest_size=8).digest()
    assert seed_for(1, "fün", -3) == int.from_bytes(digest, "little")


def test_seeds_are_the_same_in_every_release():
    assert seed_for(0) == 9549033805879814570
    assert seed_for(1, "fold", 3) == 17835965446262970881


def test_a_generator_is_philox_with_the_seed_as_its_key():
    expected = np.random.Philox(key=seed_for(5, "tree", 2)).random_raw(4)
    assert generator(5, "tree", 2).bit_generator.random_raw(4).tolist() == expected.tolist()


def test_the_streams_of_the_core_are_numpys_philox_with_the_task_in_the_counter():
    # The same six numbers stand in native/tests/test_random.cpp for margin::Stream(42, 7).
    philox = np.random.Philox(key=42, counter=np.array([0, 0, 7, 0], dtype=np.uint64))
    assert [hex(word) for word in philox.random_raw(6)] == [
        "0x2bfb9d635be188e2",
        "0x2b0049f790afff84",
        "0x1479a84f09f8426d",
        "0xf188dde28ec79dc1",
        "0xc8372fc2e316f82d",
        "0x2d55ddf24a0b6a16",
    ]


@given(a=paths, b=paths)
def test_different_paths_have_different_seeds(a, b):
    assert (seed_for(7, *a) == seed_for(7, *b)) == (a == b)


@pytest.mark.parametrize(
    ("a", "b"),
    [(("ab", "c"), ("a", "bc")), ((3,), ("3",)), ((), ("",)), ((1, 2), (12,)), (("i1:1",), (1,)), ((1, 2), (2, 1))],
)
def test_paths_that_look_alike_are_told_apart(a, b):
    assert seed_for(7, *a) != seed_for(7, *b)


@given(seed=st.integers(0, 2**130), path=paths)
def test_any_kind_of_integer_is_the_same_seed(seed, path):
    assert 0 <= seed_for(seed, *path) < 2**64
    if seed < 2**63:
        assert seed_for(np.int64(seed), *path) == seed_for(seed, *path)


def test_no_seed_is_a_fresh_one_each_time():
    assert len({seed_for(None, "a") for _ in range(20)}) == 20


@pytest.mark.parametrize("make", [np.random.default_rng, np.random.RandomState])
def test_a_numpy_generator_gives_one_integer_and_moves_on(make):
    first, again = make(3), make(3)
    one, two = seed_for(first, "a"), seed_for(first, "a")
    assert one != two
    assert [one, two] == [seed_for(again, "a"), seed_for(again, "a")]


def test_short_seeds_are_the_upper_bits():
    assert seed_for(1, "x", bits=32) == seed_for(1, "x") >> 32
    np.random.RandomState(seed_for(1, "x", bits=32))


@pytest.mark.parametrize("seed", [-1, 1.5, "1", True, [1], np.nan])
def test_what_is_no_seed_is_refused(seed):
    with pytest.raises(ParameterError, match=r"seed_for\(seed=.*must be an integer from 0 up"):
        generator(seed)


@pytest.mark.parametrize("part", [1.5, None, ("a",)])
def test_what_cannot_name_a_task_is_refused(part):
    with pytest.raises(ParameterError, match="a path is made of integers and strings"):
        seed_for(1, part)


@pytest.mark.parametrize("bits", [0, 65, -1])
def test_seeds_of_impossible_length_are_refused(bits):
    with pytest.raises(ParameterError, match=r"bits must be an integer from 1 to 64"):
        seed_for(1, bits=bits)


def test_neighbouring_tasks_are_uncorrelated():
    draws = np.array([generator(0, "tree", i).random(500) for i in range(40)])
    correlations = np.corrcoef(draws)[np.triu_indices(40, 1)]
    assert np.abs(correlations).max() < 5 / np.sqrt(500)
