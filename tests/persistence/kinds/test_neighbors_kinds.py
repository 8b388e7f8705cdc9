"""Files of models of neighbours: everything comes back, bit for bit, also where large arrays stay in the file."""

from __future__ import annotations

import copy
import json
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse

import margin
from margin.errors import PersistenceError
from margin.persistence import from_bytes, load, save, to_bytes
from margin.persistence.container import reading
from margin.persistence.objects import arrays as array_fields
from tests.contract.estimators import frame, numbers
from tests.persistence.kinds.neighbor_models import MODELS, contract_settings
from tests.persistence.round_trip import differences, same_answers, same_state, without_a_place

GOLDEN = Path(__file__).parents[1] / "golden" / "0.1.0-format1"
PUBLIC = ("classes_", "index_", "outlier_label_", "priors_", "centroids_", "n_features_in_", "schema_")

every_model = pytest.mark.parametrize("name", MODELS)


@pytest.fixture(autouse=True)
def _quiet() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", margin.errors.LonelyRowWarning)
        warnings.simplefilter("ignore", margin.errors.ConstantColumnWarning)
        yield


def check_round_trip(model: Any, rows: Any) -> None:
    content = to_bytes(model, witnessed=True)
    back = from_bytes(content)
    assert differences(model, back) == []
    assert without_a_place(model) == without_a_place(back) == []
    assert same_answers(model, back, rows)
    assert all(same_state(getattr(back, name, None), getattr(model, name, None)) for name in PUBLIC)
    assert to_bytes(back, witnessed=True) == content


@every_model
def test_a_model_comes_back_with_all_its_bits_and_gives_the_same_file_again(name):
    check_round_trip(*MODELS[name]())


@pytest.mark.parametrize("estimator", contract_settings(), ids=repr)
@pytest.mark.parametrize("data", ["numbers", "words", "table", "sparse"])
def test_every_setting_of_the_contract_comes_back(estimator, data):
    X, y = frame() if data == "table" else numbers()
    if data == "words" and hasattr(estimator, "predict_proba"):
        y = np.array(["no", "yes"])[y % 2]
    if data == "sparse":
        X = scipy.sparse.csr_array(np.where(X > 5, X, 0.0))
    check_round_trip(copy.deepcopy(estimator).fit(X, y), X)


@every_model
def test_a_model_whose_arrays_stay_in_the_file_answers_the_same(name, tmp_path, monkeypatch):
    monkeypatch.setattr(reading, "SMALL_ARRAY", -1)
    monkeypatch.setattr(array_fields, "LARGE_ARRAY", -1)
    model, rows = MODELS[name]()
    mapped = load(save(model, tmp_path / "model.margin"), mmap=True)
    assert differences(model, mapped) == []
    assert same_answers(model, mapped, rows)
    if hasattr(model, "kneighbors"):
        assert same_state(mapped.kneighbors(), model.kneighbors())
        assert same_state(mapped.radius_neighbors(rows, 0.5), model.radius_neighbors(rows, 0.5))


@pytest.mark.parametrize("method", ["kneighbors", "radius_neighbors_graph", "kneighbors_graph"])
@pytest.mark.parametrize("name", ["brute", "kd-tree", "ball-tree", "sparse", "heom"])
def test_a_model_that_came_back_finds_the_neighbours_of_its_own_rows(name, method):
    model, _ = MODELS[name]()
    assert same_state(getattr(from_bytes(to_bytes(model)), method)(), getattr(model, method)())


def test_what_a_mapped_brute_force_takes_does_not_grow_with_its_rows(tmp_path, monkeypatch):
    touched: list[int] = []
    holds = array_fields.Rule.holds

    def counting(rule: Any, array: np.ndarray, sizes: Any) -> bool:
        if rule.keeps_safe or array.nbytes <= array_fields.LARGE_ARRAY:
            touched.append(array.nbytes)
        return holds(rule, array, sizes)

    monkeypatch.setattr(array_fields.Rule, "holds", counting)
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(4000, 128)), rng.integers(0, 2, 4000)
    model = margin.KNeighborsClassifier(algorithm="brute").fit(X, y)
    mapped = load(save(model, tmp_path / "large.margin"), mmap=True)
    assert sum(touched) < X.nbytes / 50
    assert not mapped._index.cells.flags.writeable
    assert not mapped._index.cells.flags.owndata
    assert same_state(mapped.predict_proba(X[:50]), model.predict_proba(X[:50]))


def test_cells_that_are_no_numbers_are_refused_and_lead_a_mapped_model_nowhere(tmp_path):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40_000, 8)), rng.integers(0, 2, 40_000)
    model = margin.KNeighborsClassifier(algorithm="brute").fit(X, y)
    model._index.cells[5:] = np.nan
    path = tmp_path / "large.margin"
    path.write_bytes(to_bytes(model))
    with pytest.raises(PersistenceError, match="no cell is NaN"):
        load(path)
    assert load(path, mmap=True).predict(X[:1]) in (0, 1)  # five rows are left
    model._index.nearest = lambda *_: (np.zeros((1, 5)), np.array([[0, 1, 2, 3, -7]]))
    with pytest.raises(PersistenceError, match="hold cells that are no numbers: the file of the model was changed"):
        model.predict(X[:1])


def test_weights_of_1_take_no_room():
    X, y = numbers(500, 2)
    once = to_bytes(margin.KNeighborsClassifier().fit(X, y))
    assert len(to_bytes(margin.KNeighborsClassifier().fit(X, y, np.ones(500)))) == len(once)
    assert len(to_bytes(margin.KNeighborsClassifier().fit(X, y, np.full(500, 2)))) > len(once) + 8 * 500


@pytest.mark.parametrize("given", [{"metric": lambda a, b: 0.0}, {"weights": np.ones_like}])
def test_functions_are_refused_by_name_with_what_to_do(given, tmp_path):
    model = margin.KNeighborsClassifier(**given).fit(*numbers())
    with pytest.raises(PersistenceError, match=rf"{next(iter(given))} is a function .* files hold no code .*joblib"):
        save(model, tmp_path / "model.margin")


@pytest.mark.parametrize("estimator", contract_settings(), ids=repr)
def test_a_model_that_learnt_nothing_comes_back_and_can_learn(estimator):
    back = from_bytes(to_bytes(estimator))
    assert back.get_params() == estimator.get_params()
    X, y = numbers()
    assert same_state(back.fit(X, y).predict(X), copy.deepcopy(estimator).fit(X, y).predict(X))


def _golden() -> dict[str, Any]:
    kept = json.loads((GOLDEN / "answers.json").read_text())
    return {name: each for name, each in kept.items() if name.startswith(("KN", "Radius", "Rote", "NearestCentroid"))}


@pytest.mark.parametrize(("name", "kept"), _golden().items(), ids=list(_golden()))
def test_files_of_the_first_release_are_read_and_answer_as_then(name, kept):
    model = load(GOLDEN / name)
    X = frame(40)[0] if kept["data"] == "table" else numbers(40, 3)[0]
    found = model.predict_proba(X[:8]) if hasattr(model, "predict_proba") else model.predict(X[:8])
    np.testing.assert_allclose(
        np.asarray(found, dtype=float), np.asarray(kept["answers"], dtype=float), rtol=0, atol=1e-12
    )
    check_round_trip(model, X)
