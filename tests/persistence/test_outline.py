"""The section that tells readers without kinds which array belongs where, and which model holds which."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np

from margin import MajorityClassifier, TableEncoder
from margin.persistence import card, save
from margin.persistence.container.reading import open_container
from margin.persistence.kinds import BY_CLASS, BY_NAME
from margin.persistence.objects.fields import Fixed, ListOf, Object
from margin.persistence.objects.kind import Kind
from margin.persistence.objects.outline import Outline
from margin.persistence.objects.packing import ObjectPacker
from margin.persistence.opening import opened


def test_an_outline_by_hand():
    outline = Outline()
    with outline.field("search", "model", holder=11):
        with outline.field("tree", "nodes", holder=22):
            outline.add_array()
            outline.add_array()
        outline.add_model(0)  # the tree
    with outline.parameter("search", "grid"):
        outline.add_array()
        outline.add_model(1)  # a setting, not something learnt
    outline.add_array()
    assert outline.section({11: 5, 22: 0}) == {
        "arrays": [0, 0, 1, 2],
        "fields": ["tree.nodes", "search.grid", "witness"],
        "inside": [[0, 5, "model"]],
    }


class Pair(SimpleNamespace):
    """Something between two models: it has no parameters."""


class Committee(MajorityClassifier):
    """A model that holds others, one of them twice."""


def test_models_inside_are_told_through_what_lies_between_and_as_often_as_they_are_held():
    member = Object("majority", "table-encoder")
    kinds = (
        Kind("pair", Pair, {"both": Fixed(member, member)}),
        Kind("committee", Committee, {"pairs_": ListOf(Object("pair"))}),
    )
    X = np.array([[1.0], [2.0]])
    one, two = MajorityClassifier().fit(X, [0, 1]), TableEncoder().fit(X)
    committee = Committee()
    committee.pairs_ = [Pair(both=(one, two)), Pair(both=(two, one))]
    packer = ObjectPacker({**BY_CLASS, **{kind.cls: kind for kind in kinds}}, {**BY_NAME, **{k.name: k for k in kinds}})
    root = packer.add_object(committee)
    inside = packer.outline()["inside"]
    named = [packer.objects[number]["kind"] for number, *_ in inside]
    assert named == ["majority", "table-encoder", "table-encoder", "majority"]
    assert {(holder, field) for _, holder, field in inside} == {(root, "pairs")}


def test_every_array_of_a_file_has_its_field(tmp_path):
    path = save(TableEncoder().fit([[1.0], [2.0]]), tmp_path / "e.margin")
    with opened(path, "test", open_container) as found:
        outline = found.header["sections"]["outline"]["data"]
        assert len(outline["arrays"]) == len(found.buffers)
        assert set(outline["arrays"]) == set(range(len(outline["fields"])))
    assert {part.part.split(".")[0] for part in card(path).parts} == {"moments", "numeric-encoder", "table-encoder"}
