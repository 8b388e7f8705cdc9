"""margin.experiment.Spec: what may stand in it, and that it can be written down and typed again."""

from __future__ import annotations

import shlex

import pytest
from hypothesis import given
from hypothesis import strategies as st

from margin.cli.commands import compare
from margin.errors import ParameterError
from margin.experiment import Spec
from tests.experiment.stand_ins import flowers

words = st.text("abc xyz-'\"$*é", min_size=1, max_size=8).filter(lambda text: text.strip() and not text.startswith("-"))
names = st.text("abc-", min_size=1, max_size=5).filter(lambda text: not text.startswith("-"))


@st.composite
def whole_specs(draw):
    metrics = draw(st.sampled_from([("accuracy", "balanced_accuracy", "f1"), ("f1", "accuracy"), ("log_loss",)]))
    return Spec(
        data=draw(words),
        target=draw(st.none() | words),
        models=draw(st.none() | st.lists(names, min_size=1, max_size=3).map(tuple)),
        test_share=draw(st.floats(0.01, 0.99)),
        folds=draw(st.integers(2, 30)),
        repeats=draw(st.just("auto") | st.integers(1, 9)),
        metrics=metrics,
        sort=draw(st.sampled_from(metrics)),
        seed=draw(st.integers(0, 10**6)),
        header=draw(st.sampled_from(["auto", True, False])),
        separator=draw(st.sampled_from(["auto", ";", "\t", " ", "|"])),
        missing=draw(st.none() | st.lists(words, min_size=1, max_size=2).map(tuple)),
        kinds=draw(st.none() | st.dictionaries(words, st.sampled_from(["numeric", "nominal"]), min_size=1, max_size=2)),
        test=draw(st.none() | words),
        limit=draw(st.none() | st.integers(1, 10**6) | st.just(0.1)),
        **draw(st.just({}) | st.builds(dict, group=words) | st.builds(dict, time=words)),
    )


@given(spec=whole_specs())
def test_a_spec_comes_back_from_its_json(spec):
    assert Spec.from_json(spec.to_json()) == spec


@given(spec=whole_specs())
def test_the_command_it_gives_asks_for_the_same_run(spec):
    typed = shlex.split(spec.command())
    assert typed[:2] == ["margin", "compare"]
    parameters = compare.command.make_context("compare", typed[2:]).params
    for place in ("out", "save", "record", "as_json", "quiet", "title", "author", "notes", "image_size", "weights"):
        parameters.pop(place)
    assert compare._spec(**parameters) == spec


def test_the_command_names_only_what_differs_from_the_defaults():
    assert Spec("credit").command() == "margin compare credit"
    spec = Spec("my table.csv", target="last", header=False, kinds={"zip": "nominal"}, missing=("?", "-"), jobs=4)
    assert spec.command() == (
        "margin compare 'my table.csv' --target last --no-header --missing '?' --missing - --kind zip=nominal"
    )


def test_a_table_in_memory_is_repeated_by_a_call():
    spec = Spec(flowers(), target="kind", seed=3)
    assert spec.command() == "margin.compare(table, 'kind', seed=3)"
    with pytest.raises(ParameterError, match="path or a name"):
        spec.to_json()


@pytest.mark.parametrize(
    ("part", "value"),
    [
        ("test_share", 0), ("test_share", 1.0), ("test_share", float("nan")), ("test_share", "0.2"), ("folds", 1),
        ("folds", 2.5), ("repeats", 0), ("repeats", "often"), ("seed", -1), ("seed", True), ("metrics", ()),
        ("sort", "f2"), ("kinds", {"age": "numerical"}), ("data", 7),
    ],
)  # fmt: skip
def test_a_value_that_cannot_be_is_refused_by_name(part, value):
    with pytest.raises(ParameterError, match=rf"Spec\({part}="):
        Spec(**{"data": "credit", part: value})


@pytest.mark.parametrize("text", ["{", "[]", "{}", '{"data": "x", "seeed": 1}'])
def test_json_that_is_no_spec_is_refused(text):
    with pytest.raises(ParameterError, match="from_json"):
        Spec.from_json(text)


def test_small_tables_are_repeated_three_times_and_long_ones_once():
    assert [Spec("x").n_repeats(n) for n in (10, 1999, 2000)] == [3, 3, 1]
    assert Spec("x", repeats=7).n_repeats(10) == 7
