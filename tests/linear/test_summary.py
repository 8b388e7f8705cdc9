"""margin.linear.logistic.summary: against the definition (inverse of the information), by hand, and in print."""

import numpy as np
import pytest
from scipy.stats import norm

from margin import LogisticRegression, Table, read
from margin.data import catalog
from margin.errors import InputError, LabelError, ParameterError
from margin.persistence import load, save
from tests.shared_data import shared_data


def overlapping(n=120, d=3, n_classes=2, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    y = np.arange(n) % n_classes
    X[:, 0] += 0.8 * y
    return X, y


def information(X, p):
    """Second derivatives of the summed loss of two classes, intercept first."""
    design = np.column_stack([np.ones(len(X)), X])
    return design.T @ (design * (p * (1 - p))[:, None])


def test_two_by_two_counts_give_the_textbook_error_of_log_odds():
    # Exposed: 20 cases, 10 controls; others: 15 and 30. Log odds ratio log(20*30/(10*15)) = log 4.
    X = np.repeat([1.0, 1.0, 0.0, 0.0], [20, 10, 15, 30])[:, None]
    y = np.repeat(["case", "control", "case", "control"], [20, 10, 15, 30])
    found = LogisticRegression(C=np.inf, tol=1e-10).fit(X, y).summary(reference="control")
    assert found.reference == "control"
    assert found.table["coefficient"] == pytest.approx([np.log(15 / 30), np.log(4)])
    assert found.table["odds_ratio"][1] == pytest.approx(4.0)
    assert found.table["standard_error"][1] == pytest.approx(np.sqrt(1 / 20 + 1 / 10 + 1 / 15 + 1 / 30))
    assert found.table["standard_error"][0] == pytest.approx(np.sqrt(1 / 15 + 1 / 30))


def test_counts_as_weights_are_the_same_as_counts_as_rows():
    rows = LogisticRegression(C=np.inf, tol=1e-10).fit(*overlapping())
    X, y = overlapping()
    weighted = LogisticRegression(C=np.inf, tol=1e-10).fit(X, y, np.full(len(X), 3.0)).summary()
    found = rows.summary()
    assert weighted.table["standard_error"] == pytest.approx(found.table["standard_error"] / np.sqrt(3), rel=1e-6)
    assert weighted.deviance == pytest.approx(3 * found.deviance)


def test_without_a_penalty_errors_are_the_inverse_of_the_information():
    X, y = overlapping()
    model = LogisticRegression(C=np.inf, tol=1e-10).fit(X, y)
    p = model.predict_proba(X)[:, 1]
    expected = np.sqrt(np.diag(np.linalg.inv(information(X, p))))
    found = model.summary()
    assert found.table["standard_error"] == pytest.approx(expected, rel=1e-7)
    z = np.append(model.intercept_, model.coef_[0]) / expected
    assert found.table["z"] == pytest.approx(z, rel=1e-6)
    assert found.table["p_value"] == pytest.approx(2 * norm.sf(np.abs(z)), rel=1e-5)
    assert found.table["low"] == pytest.approx(np.exp(found.table["coefficient"] - norm.ppf(0.975) * expected))
    assert found.parameters == pytest.approx(4)
    assert found.deviance == pytest.approx(-2 * np.log(np.where(y == 1, p, 1 - p)).sum())
    assert found.null_deviance == pytest.approx(2 * len(y) * np.log(2))
    assert found.aic == pytest.approx(found.deviance + 8)


def test_with_a_penalty_errors_are_the_sandwich_and_the_text_says_so():
    X, y = overlapping()
    model = LogisticRegression(C=0.1).fit(X, y)
    H = information(X, model.predict_proba(X)[:, 1])
    A = H + np.diag([0, 10, 10, 10])
    inverse = np.linalg.inv(A)
    found = model.summary()
    assert found.table["standard_error"] == pytest.approx(np.sqrt(np.diag(inverse @ H @ inverse)), rel=1e-5)
    assert found.parameters == pytest.approx(np.trace(inverse @ H), rel=1e-5)
    assert "shrunken" in str(found)


def test_several_classes_against_two_of_them_is_the_same_story():
    X, y = overlapping(n_classes=3, n=150)
    model = LogisticRegression(C=np.inf, tol=1e-10).fit(X, y)
    by_first, by_last = model.summary().table, model.summary(reference=2).table
    first_last = by_first["class"] == 2
    last_first = by_last["class"] == 0
    assert by_first["coefficient"][first_last] == pytest.approx(-by_last["coefficient"][last_first])
    assert by_first["standard_error"][first_last] == pytest.approx(by_last["standard_error"][last_first])


def test_the_errors_of_softmax_are_those_of_the_information_with_one_class_as_reference():
    X, y = overlapping(n_classes=3, n=150)
    model = LogisticRegression(C=np.inf, tol=1e-10).fit(X, y)
    p = model.predict_proba(X)[:, 1:]
    design = np.column_stack([np.ones(len(X)), X])
    blocks = [[design.T @ (design * (p[:, a] * ((a == b) - p[:, b]))[:, None]) for b in (0, 1)] for a in (0, 1)]
    expected = np.sqrt(np.diag(np.linalg.inv(np.block(blocks))))
    assert model.summary().table["standard_error"] == pytest.approx(expected, rel=1e-6)


def test_l1_judges_only_the_columns_in_the_model():
    X, y = overlapping()
    model = LogisticRegression(C=0.05, l1_ratio=1.0).fit(X, y)
    found = model.summary()
    used = np.append(True, model.coef_[0] != 0)
    assert not used.all()
    assert np.isfinite(found.table["standard_error"][used]).all()
    assert np.isnan(found.table["standard_error"][~used]).all()
    assert "chosen beforehand" in str(found)


def test_columns_that_cannot_be_told_apart_have_no_error_and_are_named():
    X, y = overlapping()
    twice = np.column_stack([X, X[:, 1]])
    model = LogisticRegression(C=np.inf).fit(twice, y)
    found = model.summary()
    assert np.isnan(found.table["standard_error"][[2, 4]]).all()
    assert np.isfinite(found.table["standard_error"][[0, 1, 3]]).all()
    assert "No error for 'x1', 'x3'" in str(found)
    assert found.parameters == pytest.approx(4)


def test_the_table_prints_aligned_with_one_line_per_column():
    X, y = catalog.load("iris").target("class")
    text = str(LogisticRegression().fit(X, y).summary())
    lines = text.splitlines()
    assert lines[0] == "log-odds of 'Iris-versicolor' against 'Iris-setosa'"
    assert [line.split()[0] for line in lines[2:7]] == [
        "(intercept)",
        "sepallength",
        "sepalwidth",
        "petallength",
        "petalwidth",
    ]
    assert len({len(line) for line in lines[1:7]}) == 1
    assert "pseudo-R²" in text


def test_large_models_ask_for_the_rows_again(monkeypatch):
    X, y = overlapping()
    expected = LogisticRegression().fit(X, y).summary()
    monkeypatch.setattr("margin.linear.logistic.solve.CHEAP", 0.0)
    model = LogisticRegression().fit(X, y)
    with pytest.raises(InputError, match=r"summary\(X, y\)"):
        model.summary()
    found = model.summary(X, y)
    assert found.table["standard_error"] == pytest.approx(expected.table["standard_error"], rel=1e-4)
    with pytest.raises(LabelError, match="9 was not there at fit"):
        model.summary(X, np.where(y == 1, 9, y))


def test_one_class_has_nothing_to_judge():
    with pytest.raises(InputError, match="one class"):
        LogisticRegression().fit(np.eye(3), ["a"] * 3).summary()


def test_a_scaled_model_says_what_its_odds_ratios_are_of():
    X, y = read(shared_data("diabetes.arff.gz")).target("class")
    found = LogisticRegression(C=np.inf, scale="standard").fit(X, y).summary()
    plain = LogisticRegression(C=np.inf).fit(X, y).summary()
    assert found.table["z"][1:] == pytest.approx(plain.table["z"][1:], rel=1e-5)
    assert "one deviation" in str(found)


def two_words(missing: bool):
    """A table of words, whose most frequent ones are 'b' and 'v', and the same as columns of 0 and 1 without these."""
    random = np.random.default_rng(5)
    first = random.choice(["a", "b", "c"], 300, p=[0.25, 0.5, 0.25])
    second = random.choice(["u", "v"], 300, p=[0.4, 0.6])
    if missing:
        first = np.where(random.uniform(size=300) < 0.1, None, first)
    number = random.normal(size=300)
    score = number + (first == "a") - 0.5 * (first == "c") + 0.7 * (second == "u")
    y = np.where(score + random.logistic(size=300) > 0, "yes", "no")
    words = [first == "a", np.equal(first, None), first == "c"] if missing else [first == "a", first == "c"]
    columns = np.column_stack([number, *words, second == "u"]).astype(float)
    return {"number": number, "first": first.tolist(), "second": second.tolist()}, columns, y


@pytest.mark.parametrize("missing", [False, True])
def test_words_are_told_against_the_most_frequent_one_and_missing_cells_as_a_word(missing):
    table, columns, y = two_words(missing)
    found = LogisticRegression(C=np.inf).fit(Table(table), y).summary()
    expected = LogisticRegression(C=np.inf).fit(columns, y).summary()
    gap = ["first=(missing)"] if missing else []
    assert found.table["column"].tolist() == ["(intercept)", "number", "first=a", *gap, "first=c", "second=u"]
    for name in ("coefficient", "standard_error", "low", "high"):
        assert found.table[name] == pytest.approx(expected.table[name], rel=2e-4, abs=1e-5), name
    assert found.against == {"first": "'b'", "second": "'v'"}
    assert "first: 'b', second: 'v'" in str(found)


def test_words_of_several_classes_are_told_in_the_same_way():
    table, columns, _ = two_words(True)
    y = np.random.default_rng(6).integers(0, 3, len(columns))
    model = LogisticRegression().fit(Table(table), y)
    told, plain = model.summary(), model.summary(words="missing")
    of = {(k, name): value for k, name, value in zip(*(plain.table[n] for n in ("class", "column", "coefficient")))}
    for k, name, value in zip(*(told.table[n] for n in ("class", "column", "coefficient"))):
        if name.startswith("first="):
            own = 0 if name.endswith("(missing)") else of[k, name]
            assert value == pytest.approx(own - of[k, "first=b"])
    with pytest.raises(ParameterError, match="must be 'most_frequent' or 'missing'"):
        model.summary(words="rare")


def test_a_file_keeps_what_words_are_compared_with(tmp_path):
    table, _, y = two_words(True)
    model = LogisticRegression().fit(Table(table), y)
    assert str(load(save(model, tmp_path / "words.margin")).summary()) == str(model.summary())
