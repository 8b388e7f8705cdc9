"""margin.explain.case and what_if: columns beside the average case, the smallest change, the place among the rows."""

from __future__ import annotations

from itertools import product

import numpy as np
import pandas as pd
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.tree import DecisionTreeClassifier as ForeignTree

from margin import (
    C45,
    DecisionTreeClassifier,
    GradientBoostingClassifier,
    KNeighborsClassifier,
    LinearSVR,
    LogisticRegression,
    NaiveBayes,
    Table,
)
from margin.data import catalog
from margin.errors import InputError, MarginError, ParameterError
from margin.explain import case, what_if


def weather():
    return catalog.load("weather_nominal").target("play")


def test_a_column_pulls_by_what_the_answer_loses_with_the_average_cell_in_its_place():
    X, y = weather()
    model = NaiveBayes().fit(X, y)
    found = {each.column: each for each in case(model, X.take([0]), X).columns}
    other = Table.from_columns({name: [X.values(name)[0]] for name in X.names} | {"temperature": ["mild"]})
    share = dict(zip(model.classes_.tolist(), model.predict_proba(other)[0]))["no"]
    assert found["temperature"].typical == "mild"
    assert found["temperature"].without == pytest.approx(share)
    assert found["temperature"].pull == pytest.approx(model.predict_proba(X.take([0]))[0, 0] - share)


def test_no_change_of_fewer_columns_gives_another_answer():
    """Against all cases there are: 36 of the weather."""
    X, y = weather()
    model = NaiveBayes().fit(X, y)
    levels = [sorted(set(X.values(name).tolist())) for name in X.names]
    every = Table.from_columns(dict(zip(X.names, map(list, zip(*product(*levels))))))
    answers = model.predict(every)
    cells = np.array([X.names and every.values(name) for name in X.names]).T
    for row in range(len(y)):
        own = np.array([X.values(name)[row] for name in X.names])
        answer = model.predict(X.take([row]))[0]
        least = (cells != own)[answers != answer].sum(axis=1).min()
        found = case(model, X.take([row]), X, most_changes=4).change
        assert len(found.columns) == least
        changed = {name: other for name, _, other in found.columns}
        assert what_if(model, X.take([row]), changed).after == found.answer != answer


def test_numbers_change_no_further_than_they_have_to():
    X = np.arange(20.0)[:, None]
    model = DecisionTreeClassifier(max_depth=1).fit(X, X[:, 0] > 12.5)
    found = case(model, [[3.0]], X)
    assert found.change.columns == (("x0", 3.0, 13.0),)


def test_columns_that_are_kept_do_not_change_and_the_wanted_answer_is_looked_for():
    X, y = catalog.load("iris").target("class")
    model = NaiveBayes().fit(X, y)
    found = case(model, X.take([0]), X, wanted="Iris-virginica", keep=["petalwidth"])
    assert found.change.answer == "Iris-virginica"
    assert "petalwidth" not in {name for name, _, _ in found.change.columns}
    with pytest.raises(ParameterError, match="one of the classes"):
        case(model, X.take([0]), X, wanted="rose")
    with pytest.raises(InputError, match="must be one of"):
        case(model, X.take([0]), X, keep=["petal"])


def test_a_regression_looks_for_an_answer_between_two_numbers():
    X = np.arange(30.0)[:, None]
    model = LinearSVR().fit(X, 2 * X[:, 0])
    found = case(model, [[4.0]], X, wanted=(20.0, 30.0))
    assert 20 <= model.predict([[found.change.columns[0][2]]])[0] <= 30
    assert case(model, [[4.0]], X).change is None


def test_rare_words_are_not_plausible():
    words = ["red"] * 300 + ["blue"] * 300 + ["green"]
    y = np.array([0] * 300 + [1] * 300 + [1])
    X = Table.from_columns({"colour": words})
    found = case(C45().fit(X, y), X.take([0]), X)
    assert found.change.columns == (("colour", "red", "blue"),)


def test_the_place_tells_a_strange_case_from_a_usual_one():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 2))
    model = KNeighborsClassifier().fit(X, X[:, 0] > 0)
    usual, strange = case(model, [[0.0, 0.0]], X).place, case(model, [[0.0, 50.0]], X).place
    assert usual.farther > 0.3
    assert strange.farther == 0
    assert not usual.strange
    assert "above all that was seen" in strange.strange[0]
    assert case(model, [[0.0, 50.0]]).place.strange == strange.strange  # the model remembers its ranges


def test_rows_are_called_by_their_names():
    X, y = weather()
    names = [f"day {i}" for i in range(len(y))]
    found = case(KNeighborsClassifier(3, metric="heom").fit(X, y), X.take([5]), X, ids=names)
    assert "training row 5 (day 5)" in found.text()
    assert "Row 5 is day 5." in found.notes


def test_the_whole_way_through_a_deep_tree_is_shown():
    X = np.arange(64.0)[:, None]
    found = case(DecisionTreeClassifier().fit(X, np.arange(64) % 2), [[31.0]], X)
    assert len(found.explanation.reasons) > 9
    assert "more, no stronger" not in found.explanation.text()


def test_shap_values_of_boosting_add_up_to_its_score():
    X, y = catalog.load("iris").target("class")
    model = GradientBoostingClassifier(n_estimators=5).fit(X, y)
    found = case(model, X.take([60]), X).shap
    assert found.answers[0] == pytest.approx(model.decision_function(X.take([60]))[0])
    both = GradientBoostingClassifier(n_estimators=5).fit(X, y == "Iris-setosa")
    values = case(both, X.take([60]), X).shap
    assert values.answers[0, 1] == pytest.approx(float(both.decision_function(X.take([60]))[0]))
    assert values.answers[0, 0] == -values.answers[0, 1]


def test_a_data_frame_of_a_pipeline_keeps_its_types():
    rows = pd.DataFrame({"job": pd.Categorical(list("aabbab") * 4), "age": np.arange(24)})
    y = (rows["job"] == "a").to_numpy()
    model = make_pipeline(OneHotEncoder(handle_unknown="ignore"), ForeignTree(random_state=0)).fit(rows, y)
    found = case(model, rows.iloc[[0]], rows)
    assert found.change.columns == (("job", "a", "b"),)
    assert what_if(model, rows.iloc[[0]], job="b").changed


def test_what_if_says_what_the_answer_would_be():
    X, y = weather()
    model = NaiveBayes().fit(X, y)
    found = what_if(model, X.take([0]), {"humidity": "normal"}, windy="FALSE")
    assert (found.before, found.after, found.changed) == ("no", "yes", True)
    assert sum(found.probabilities_after.values()) == pytest.approx(1)
    assert found.to_dict()["changes"][0] == {"column": "humidity", "from": "high", "to": "normal"}
    assert what_if(model, X.take([0]), humidity=None).changes == (("humidity", "high", None),)
    with pytest.raises(MarginError, match="the model knows 'high', 'normal'"):
        what_if(model, X.take([0]), humidity="damp")
    with pytest.raises(MarginError, match="did you mean 'windy'"):
        what_if(model, X.take([0]), wimdy="TRUE")
    with pytest.raises(MarginError, match="say what changes"):
        what_if(model, X.take([0]))


def test_what_if_warns_of_numbers_beyond_all_that_was_seen():
    X = np.arange(20.0)[:, None]
    model = LogisticRegression().fit(X, X[:, 0] > 9)
    assert "lies above all that was seen" in what_if(model, [[3.0]], {0: 90.0}).careful[0]
    assert not what_if(model, [[3.0]], {"x0": 12.0}).careful
    with pytest.raises(MarginError, match="holds numbers"):
        what_if(model, [[3.0]], x0="many")


def test_several_rows_and_other_columns_are_refused():
    X, y = weather()
    model = NaiveBayes().fit(X, y)
    with pytest.raises(InputError, match="one row"):
        case(model, X, X)
    with pytest.raises(MarginError, match="lack column 'windy'"):
        case(model, X.take([0]), X.drop("windy"))
