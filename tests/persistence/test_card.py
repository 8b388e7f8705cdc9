"""margin.persistence.cards.card: what a file says of itself, without its model, and whatever the file holds."""

from __future__ import annotations

import copy
import json
import math
import random
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import margin
from margin import MajorityClassifier, Table, TableEncoder
from margin.errors import ConstantColumnWarning, PersistenceError
from margin.persistence import FORMAT, card, convert, header, load, save
from margin.persistence.cards.differences import differences
from margin.persistence.cards.words import MISSING, UNSEEN, title
from margin.persistence.container.reading import open_container
from margin.persistence.kinds import BY_NAME
from margin.persistence.opening import opened
from tests.persistence.changing import rewritten, taken_apart

GOLDEN = Path(__file__).parent / "golden" / "0.1.0-format1" / "MajorityClassifier-table.margin"
ABOUT = {
    "name": "majority", "target": "ill", "table": "visits", "rows": 4, "seed": 7, "when": "2026-01-02T03:04:05Z",
    "table_digest": "ab" * 32, "command": "margin compare visits.csv", "protocol": "Folds.", "threshold": 0.3,
    "scores": {"test": {"accuracy": [0.75, 0.5, 0.9]}, "validation": {"accuracy": [0.7, None, None]}},
}  # fmt: skip


def visits() -> Table:
    table = Table.from_columns(
        {
            "age": [31.0, 40.0, None, 22.0],
            "city": ["Bonn", "Rom", "Bonn", None],
            "size": [1, 2, 3, 3],
            "pain": [0.5, 0.5, 0.5, 1.0],
        }
    )
    return table.with_kind("size", "ordinal")


@pytest.fixture
def saved(tmp_path):
    model = MajorityClassifier().fit(visits(), ["no", "yes", "no", "no"])
    return save(model, tmp_path / "visits.margin", about=ABOUT)


def test_a_card_says_what_the_model_is_and_who_wrote_it(saved):
    found = card(saved)
    assert (found.file, found.format, found.margin) == ("visits.margin", FORMAT, margin.__version__)
    assert (found.model.kind, found.model.title, found.model.fitted) == ("majority", "Majority class", True)
    assert found.digest == header(saved).digest
    assert found.n_bytes == saved.stat().st_size


def test_columns_have_their_kinds_levels_and_ranges(saved):
    age, city, size, pain = card(saved).columns
    assert (age.name, age.kind, age.low, age.high, age.n_levels) == ("age", "numeric", 22.0, 40.0, None)
    assert (city.kind, city.n_levels, city.levels, city.low) == ("nominal", 2, ("Bonn", "Rom"), None)
    assert (size.kind, size.n_levels, size.levels) == ("ordinal", 3, (1, 2, 3))
    assert (pain.low, pain.high) == (0.5, 1.0)


def test_where_ordinal_columns_are_ranks_the_ranges_of_the_others_are_still_found(tmp_path):
    found = card(save(TableEncoder().fit(visits()), tmp_path / "encoder.margin"))
    age, _, size, pain = found.columns
    assert (age.low, age.high, size.low, pain.low) == (22.0, 40.0, None, 0.5)
    assert found.missing == MISSING["numeric-encoder"]


def test_many_levels_are_counted_and_only_the_first_are_told(tmp_path):
    words = [f"w{i:05d}" for i in range(3000)]
    model = MajorityClassifier().fit(Table.from_columns({"word": words}), [0, 1] * 1500)
    (column,) = card(save(model, tmp_path / "m.margin")).columns
    assert (column.n_levels, column.levels) == (3000, tuple(words[:5]))


@pytest.mark.parametrize(
    ("labels", "kind", "classes"),
    [
        (["no", "yes"], "str", ("no", "yes")),
        ([3, -1], "int64", (-1, 3)),
        ([True, False], "bool", (False, True)),
        ([3.0, 2.0], "float64", (2.0, 3.0)),
        (np.array([2, 1], dtype=np.int32), "int32", (1, 2)),
        (np.array([b"a", b"bc"]), "bytes", (b"a", b"bc")),
    ],
)
def test_classes_come_in_their_type(tmp_path, labels, kind, classes):
    model = MajorityClassifier().fit([[1.0], [2.0]], labels)
    found = card(save(model, tmp_path / "m.margin"))
    assert (found.class_type, found.classes) == (kind, classes)
    assert [type(label) for label in found.classes] == [type(label) for label in classes]
    assert list(found.classes) == load(tmp_path / "m.margin").classes_.tolist()


def test_a_model_of_a_plain_array_has_columns_without_names(tmp_path):
    with pytest.warns(ConstantColumnWarning):
        model = MajorityClassifier().fit([[1.0, math.nan], [2.0, math.nan]], [0, 1])
    found = card(save(model, tmp_path / "m.margin"))
    assert (found.n_columns, found.named) == (2, False)
    assert [(column.name, column.low, column.high) for column in found.columns] == [
        ("x0", 1.0, 2.0),
        ("x1", None, None),
    ]


def test_what_was_noted_stands_in_its_place(saved):
    found = card(saved)
    for name in ("name", "target", "table", "rows", "seed", "when", "table_digest", "command", "protocol", "threshold"):
        assert getattr(found, name) == ABOUT[name], name
    assert found.scores == ABOUT["scores"]
    assert found.about == ABOUT


def test_without_notes_nothing_is_made_up(tmp_path):
    found = card(save(MajorityClassifier().fit([[1.0], [2.0]], ["a", "b"]), tmp_path / "m.margin"))
    assert (found.target, found.when, found.table, found.rows, found.threshold) == (None,) * 5
    assert (found.scores, found.about) == ({}, {})


def test_notes_of_another_type_are_left_where_they_are(tmp_path):
    about = {"rows": "many", "scores": {"test": {"accuracy": "good", "f1": [0.5, None, None]}}, "when": 3}
    found = card(save(MajorityClassifier().fit([[1.0], [2.0]], ["a", "b"]), tmp_path / "m.margin", about=about))
    assert (found.rows, found.when, found.scores) == (None, None, {"test": {"f1": [0.5, None, None]}})
    assert found.about == about


def test_parameters_and_policies_are_told(tmp_path):
    found = card(save(TableEncoder(scale="standard").fit(visits()), tmp_path / "e.margin"))
    assert found.model.parameters == {"scale": "standard"}
    assert found.unseen == UNSEEN


def test_an_unfitted_model_says_that_it_has_learnt_nothing(tmp_path):
    found = card(save(TableEncoder(), tmp_path / "e.margin"))
    assert (found.model.fitted, found.columns, found.classes, found.missing) == (False, (), None, "")


def test_every_byte_of_the_arrays_is_accounted_for(saved):
    found = card(saved)
    sizes = {part.part: (part.n_bytes, part.n_arrays) for part in found.parts}
    assert sizes == {"witness": (5 * 4 * 8 + 5 * 2 * 8, 2), "majority.ranges": (32, 1), "majority.priors": (16, 1)}
    assert [part.n_bytes for part in found.parts] == sorted((part.n_bytes for part in found.parts), reverse=True)
    with opened(saved, "test", open_container) as file:
        assert sum(part.n_bytes for part in found.parts) == sum(buffer.n_bytes for buffer in file.buffers)
        assert found.header_bytes == len(file.header_bytes)
    assert found.witness_rows == 5


def test_a_table_and_a_schema_have_cards_too(tmp_path):
    table = card(save(visits(), tmp_path / "table.margin"))
    schema = card(save(visits().schema, tmp_path / "schema.margin"))
    assert [column.name for column in table.columns] == ["age", "city", "size", "pain"]
    assert [column.kind for column in schema.columns] == ["numeric", "nominal", "ordinal", "numeric"]
    assert (table.missing, schema.unseen) == ("", "")


def test_a_file_of_format_1_has_a_card(tmp_path):
    found = card(GOLDEN)
    assert (found.format, found.margin, found.model.kind, found.target) == (1, "0.1.0", "majority", "y")
    assert found.n_bytes == GOLDEN.stat().st_size
    assert [column.name for column in found.columns] == ["age", "job", "member", "size", "count"]
    converted = card(convert(GOLDEN, tmp_path / "new.margin"))
    assert (converted.format, converted.columns, converted.classes) == (FORMAT, found.columns, found.classes)


def old_file(name: str) -> Path:
    return GOLDEN.with_name(f"{name}-table.margin")


@pytest.mark.parametrize("path", sorted(GOLDEN.parent.glob("*.margin")), ids=lambda path: path.stem)
def test_every_kind_has_a_card_and_a_converted_file_differs_in_nothing(path, tmp_path):
    new = convert(path, tmp_path / "new.margin")
    found = card(new)
    # What the release that wrote the file did not have yet stands there with its default.
    assert [each for each in differences(path, new) if each.old is not None] == []
    assert found.model.fitted
    assert found.missing in MISSING.values()
    assert found.n_columns == len(found.columns) > 0
    model = load(new)
    if hasattr(model, "classes_"):
        assert list(found.classes) == model.classes_.tolist()
    shown = found.model.parameters
    assert set(shown) == set(model.get_params(deep=False))
    assert all(
        shown[name] == value for name, value in model.get_params(deep=False).items() if type(value) in (int, str)
    )


def test_models_inside_are_told_with_the_field_they_stand_in():
    (best,) = card(old_file("GridSearch")).model.inside
    assert (best.kind, best.field, best.parameters["max_depth"]) == ("decision-tree-classifier", "model", 1)
    folds = card(old_file("CalibratedClassifier")).model.inside
    assert [(fold.kind, fold.field) for fold in folds] == [("naive-bayes", "calibrated")] * 2
    assert card(old_file("Reject")).model.inside[0].fitted


def test_the_kind_of_every_model_reads_as_words():
    titles = [title(name) for name, kind in BY_NAME.items() if kind.is_model]
    assert len(set(titles)) == len(titles)
    assert not [words for words in titles if words.endswith((" nb", " svc", " lda", " qda", " cv", " sgd"))]


def test_the_dictionary_is_plain_json(saved, tmp_path):
    found = card(saved).to_dict()
    assert json.loads(json.dumps(found, allow_nan=False)) == found
    odd = MajorityClassifier().fit([[1.0], [2.0]], np.array([b"\xff", b"a"]))
    assert json.dumps(card(save(odd, tmp_path / "odd.margin")).to_dict(), allow_nan=False)


def test_a_card_needs_neither_numpy_nor_a_model_family(saved):
    code = (
        "import sys, json; from margin.persistence import card; card(sys.argv[1]);"
        "print(json.dumps(sorted({name.split('.')[0] for name in sys.modules}"
        " | {name for name in sys.modules if name.startswith('margin.')})))"
    )
    done = subprocess.run([sys.executable, "-c", code, str(saved)], capture_output=True, text=True, check=True)
    loaded = set(json.loads(done.stdout))
    assert not loaded & {"numpy", "scipy", "sklearn", "polars", "rich", "click"}
    assert not loaded & {"margin.base", "margin.data", "margin.persistence.kinds", "margin.persistence.archive"}


def test_the_names_of_the_package_are_found_whatever_was_imported_first(saved):
    code = (
        "import sys, margin.persistence as p; p.load(sys.argv[1]);"
        "print(p.header(sys.argv[1]).model, p.card(sys.argv[1]).model.kind, p.FORMAT, callable(p.write_whole))"
    )
    done = subprocess.run([sys.executable, "-c", code, str(saved)], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["majority", "majority", "2", "True"]


def test_kinds_are_told_in_words():
    assert title("logistic-regression") == "Logistic regression"
    assert title("svc") == "Support vector machine"


def test_a_damaged_array_that_the_card_reads_is_noticed(saved):
    with opened(saved, "test", open_container) as file:
        names = file.header["sections"]["outline"]["data"]
        number = names["arrays"].index(names["fields"].index("majority.ranges"))
        at = file.buffers[number].start
    content = bytearray(saved.read_bytes())
    content[at] ^= 1
    saved.write_bytes(content)
    with pytest.raises(PersistenceError, match="does not match its digest"):
        card(saved)


@pytest.mark.parametrize("content", [b"", b"\x8bMARGIN\n", b"PK", b"nothing of the kind", bytes(200)])
def test_what_is_no_model_file_is_refused(tmp_path, content):
    path = tmp_path / "bad.margin"
    path.write_bytes(content)
    with pytest.raises(PersistenceError):
        card(path)


def test_models_that_hold_each_other_without_end_are_refused(saved, tmp_path):
    head, arrays = taken_apart(saved.read_bytes())
    nodes = [copy.deepcopy(head["objects"][-1]) for _ in range(40)]
    head["objects"] = [*head["objects"][:-1], *nodes]
    last = len(head["objects"]) - 1
    twice = [[i - 1, i, "model"] for i in range(last - 38, last + 1) for _ in range(2)]
    head["sections"]["outline"]["data"]["inside"] = twice  # 2**39 models, were they all told
    with pytest.raises(PersistenceError, match="models inside"):
        card(written(tmp_path, rewritten(head, arrays)))


def test_an_outline_that_does_not_fit_is_left_aside(saved, tmp_path):
    head, arrays = taken_apart(saved.read_bytes())
    head["sections"]["outline"]["data"] = {"arrays": [0], "fields": "x", "inside": [[1], [9**9, 1, "m"], None]}
    found = card(written(tmp_path, rewritten(head, arrays)))
    assert [(part.part, part.n_arrays) for part in found.parts] == [("arrays", 4)]
    assert found.model.inside == ()


def written(tmp_path, content):
    path = tmp_path / "changed.margin"
    path.write_bytes(content)
    return path


def places(node, path=()):
    """Where each value of a document stands."""
    if isinstance(node, (dict, list)):
        for key in node if isinstance(node, dict) else range(len(node)):
            yield (*path, key)
            yield from places(node[key], (*path, key))


def test_whatever_a_header_says_the_answer_is_a_card_or_a_refusal(saved, tmp_path):
    head, arrays = taken_apart(saved.read_bytes())
    spots = list(places(head))
    odd = [None, True, -1, 0, 1, 3, 2**62, 0.5, "", "x", [], {}, [0], {"array": 1}, {"utf8": 0, "start": 1}, [[]]]
    draw = random.Random(0)
    cards = 0
    for _ in range(400):
        changed = copy.deepcopy(head)
        spot = draw.choice(spots)
        inner = changed
        for step in spot[:-1]:
            inner = inner[step]
        inner[spot[-1]] = draw.choice(odd)
        path = written(tmp_path, rewritten(changed, arrays))
        try:
            json.dumps(card(path).to_dict(), allow_nan=False)
            cards += 1
        except PersistenceError:
            pass
    assert 50 < cards < 400
