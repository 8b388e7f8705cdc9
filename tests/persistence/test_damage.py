"""Damaged files of every kind of model: refused, or answered as before; never a crash, a hang or a foreign error.

Eighty of each estimator here, more where it has many models (sixteen of each), ten thousand in ``make fuzz``; the
rules stand in tests/persistence/fuzz.py.
"""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest

from margin.errors import PersistenceError
from margin.persistence import from_bytes
from margin.persistence.kinds import BY_NAME
from margin.persistence.kinds.deep import generative, pictures, sequences, tensors, vision
from tests.contract.estimators import ALL
from tests.persistence.changing import taken_apart
from tests.persistence.fuzz import Found, Server, main, tried
from tests.persistence.models import OLDER, kinds_of_models, n_models, same_answers, samples
from tests.persistence.mutants import Mutants, damaged

N, N_OF_EACH = (200, 40) if ALL else (80, 16)


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    found = Server()
    yield found
    found.end()


@pytest.mark.parametrize("kind", kinds_of_models())
def test_damage_is_refused_or_does_no_harm(server: Server, kind: str):
    n = max(N, N_OF_EACH * n_models(kind)) if kind != OLDER else 2 * N
    found = tried(server, kind, range(n), few=True)
    assert found.bad == []
    assert sum(found.counts.values()) == n
    assert found.counts["refused"] > n / 3


def test_every_kind_of_object_that_a_file_can_hold_stands_in_one_of_the_models():
    found = [
        taken_apart(sample.content)[0]["kinds"]
        for kind in kinds_of_models()
        if kind != OLDER
        for sample in samples(kind, few=True)
    ]
    # Networks on PyTorch learn from other rows than tables; test_tensor_kinds.py and tests/deep damage theirs.
    elsewhere = {kind.name for family in (tensors, pictures, sequences, vision, generative) for kind in family.KINDS}
    assert {name for kinds in found for name in kinds} == BY_NAME.keys() - elsewhere


def test_a_mutant_is_the_same_every_time_and_most_differ_from_the_good_file():
    good = samples("Table")[0].content
    one, two = Mutants(good), Mutants(good)
    assert all(one[n] == two[n] for n in range(100))
    assert sum(one[n].content != good for n in range(100)) > 80
    assert Mutants(good, "other")[0] != one[0]


def test_what_is_repaired_gets_past_every_digest():
    mutants = Mutants(samples("Table")[0].content)
    said = [refusal(mutants[n].content) for n in range(400) if mutants[n].repaired]
    assert sum("digest" in each for each in said) < len(said) / 4
    assert sum("objects[" in each for each in said) > len(said) / 4


def refusal(content: bytes) -> str:
    try:
        from_bytes(content)
    except PersistenceError as refused:
        return str(refused)
    return ""


def test_any_flipped_bit_is_found_by_a_digest():
    good = samples("Table")[0].content
    for at in random.Random(0).sample(range(8 * len(good)), 500):
        spoilt = bytearray(good)
        spoilt[at // 8] ^= 1 << at % 8
        assert refusal(bytes(spoilt)), at


def test_any_cut_is_found():
    good = samples("Table")[0].content
    assert all(refusal(good[:n]) for n in range(0, len(good), 7))


def test_damage_changes_bytes_and_says_how():
    rng = random.Random(0)
    ways = {damaged(bytes(range(200)), rng)[1].split()[0] for _ in range(200)}
    assert ways == {"cut", "flipped", "zeroed", "moved", "doubled", "lost", "random"}


def test_a_death_is_counted_and_the_rest_is_tried(monkeypatch):
    class Dying(Server):
        """Dies at every fourth mutant."""

        def ask(self, job, tell):
            for number in range(job["first"], job["last"]):
                if number % 4 == 3:
                    return
                tell([number, "refused", ""])
            tell(["done", 1, 100])

        def last_words(self):
            return "crash", "exit code -11"

    found = tried(Dying(), "Table", range(10))
    assert found.counts == {"refused": 8, "crash": 2}
    assert found.bad[0] == "Table:3 crash: exit code -11"


def test_one_mutant_can_be_tried_again_by_its_number(capfd):
    assert main(["--only", "Table:5"]) == 0
    assert capfd.readouterr().out.startswith("Table 5 ")


def test_answers_are_compared_bit_by_bit():
    nan = float("nan")
    assert same_answers([nan, {"a": 1.0}], [nan, {"a": 1.0}])
    assert not same_answers([1.0], [1.0 + 2**-52])
    assert not same_answers([1], [1.0])
    assert Found("x").bad == []
