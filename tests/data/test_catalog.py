"""The bundled tables: counts, the figures they are known for, and the generator behind the made-up one."""

import gzip
import subprocess
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

import margin.data
from margin.data import catalog, describe, generators
from margin.errors import ParameterError

SHAPES = {
    "weather_nominal": (14, 5), "weather_numeric": (14, 5), "loan_risk": (14, 5), "refund": (10, 4),
    "buys_computer": (14, 5), "mpg": (18, 8), "iris": (150, 5), "xor": (4, 3), "boosting_toy": (10, 3),
    "contact_lenses": (24, 5), "six_rows": (6, 3), "gini_28": (28, 2), "credit": (1000, 13),
}  # fmt: skip


def test_every_bundled_table_is_known():
    assert set(catalog.names()) == set(SHAPES)


@pytest.mark.parametrize("name", SHAPES)
def test_a_table_is_what_its_card_says(name):
    table, card = catalog.load(name), catalog.card(name)
    assert table.shape == SHAPES[name] == (card.rows, card.columns)
    assert Counter(table[card.target]) == Counter(card.classes)
    assert table.name == name
    assert card.title
    assert card.source
    assert card.licence
    assert card.shows


def test_an_unknown_name_comes_with_a_hint():
    with pytest.raises(ParameterError, match="did you mean 'iris'"):
        catalog.load("irsi")


def entropy(labels):
    shares = np.array(list(Counter(labels).values())) / len(labels)
    return float(-(shares * np.log2(shares)).sum())


def gain(table, column, target):
    x, y = table[column], table[target]
    return entropy(y) - sum(np.mean(x == v) * entropy(y[x == v]) for v in set(x))


def test_the_gain_of_the_six_rows():
    assert gain(catalog.load("six_rows"), "X1", "Y") == pytest.approx(0.3167, abs=1e-4)


def test_the_gain_of_income_on_loan_risk():
    assert gain(catalog.load("loan_risk"), "Income Level", "Risk Level") == pytest.approx(0.9663, abs=1e-4)


def test_the_gini_benefit_of_the_28_points():
    table = catalog.load("gini_28")
    x, y = table["side"], table["class"]

    def gini(labels):
        return 1 - sum((n / len(labels)) ** 2 for n in Counter(labels).values())

    after = sum(np.mean(x == v) * gini(y[x == v]) for v in set(x))
    assert after == pytest.approx(15 / 56)
    assert gini(y) - after == pytest.approx(0.2296, abs=1e-4)


def test_the_numeric_weather_has_the_known_means():
    table = catalog.load("weather_numeric")
    yes = table["play"] == "yes"
    assert table["temperature"][yes].mean() == pytest.approx(73.0)
    assert table["humidity"][~yes].mean() == pytest.approx(86.2)
    assert table["temperature"][~yes].std(ddof=1) == pytest.approx(7.9, abs=0.05)


def test_the_second_customer_scores_as_printed():
    table = catalog.load("buys_computer")
    x = [table[name][1] for name in table.names[:4]]
    assert np.dot([-0.5, 1.2, 3, -2, 0.7], [1, *x]) == pytest.approx(2.5)


def best_stump(X, y, weight):
    """All stumps, x before y, small thresholds before large ones, plus on either side."""
    best = (2.0, None)
    for feature in range(X.shape[1]):
        values = np.unique(X[:, feature])
        for threshold in (values[1:] + values[:-1]) / 2:
            for side in (1, -1):
                said = np.where(X[:, feature] < threshold, side, -side)
                error = weight[said != y].sum()
                if error < best[0] - 1e-12:
                    best = (error, said, feature, threshold)
    return best


def test_three_best_stumps_reproduce_the_boosting_picture():
    table = catalog.load("boosting_toy")
    X = np.column_stack([table["x"], table["y"]])
    y = np.where(table["class"] == "+", 1, -1)
    weight = np.full(10, 0.1)
    errors, alphas, features, vote = [], [], [], np.zeros(10)
    for _ in range(3):
        error, said, feature, threshold = best_stump(X, y, weight)
        alpha = 0.5 * np.log((1 - error) / error)
        weight = weight * np.exp(-alpha * y * said)
        weight /= weight.sum()
        vote += alpha * said
        errors.append(error)
        alphas.append(alpha)
        features.append((feature, threshold))
    np.testing.assert_allclose(errors, [0.30, 0.21, 0.14], atol=0.005)
    np.testing.assert_allclose(alphas, [0.42, 0.65, 0.92], atol=0.005)
    assert [feature for feature, _ in features] == [0, 0, 1]
    assert features[0][1] < features[1][1]
    assert (np.sign(vote) == y).all()


def test_perceptron_on_the_petals_of_iris_makes_the_known_mistakes():
    iris = catalog.load("iris")
    X = np.column_stack([iris["petallength"], iris["petalwidth"], np.ones(150)])
    y = np.where(iris["class"] == "Iris-setosa", 1, -1)
    w, mistakes = np.zeros(3), []
    for _ in range(3):
        wrong = []
        for row in range(150):
            if y[row] * (X[row] @ w) <= 0:
                w += y[row] * X[row]
                wrong.append(row + 1)
        mistakes.append(wrong)
    assert mistakes == [[1, 51], [1, 2], []]
    np.testing.assert_allclose(w, [-0.5, -0.8, 2.0])


def test_iris_equals_the_published_file(shared):
    assert catalog.load("iris") == margin.data.read(shared / "iris.arff")
    assert catalog.load("weather_numeric") == margin.data.read(shared / "weather.numeric.arff")
    assert catalog.load("contact_lenses") == margin.data.read(shared / "contact-lenses.arff")


def test_the_bundled_credit_table_is_what_the_generator_writes():
    bundled = Path(catalog.__file__).parent / "bundled" / "credit.csv.gz"
    assert gzip.decompress(bundled.read_bytes()).decode() == generators.credit_text()
    assert catalog.load("credit") == generators.credit()


def test_the_credit_table_has_every_kind_of_column_and_gaps():
    table = catalog.load("credit")
    kinds = Counter(column.kind for column in table.schema)
    assert kinds == {"numeric": 5, "nominal": 5, "ordinal": 2, "identifier": 1}
    missing = sum(table.missing(name).sum() for name in table.names[1:-1])
    assert 0.03 < missing / (11 * 1000) < 0.05
    assert not table.missing("risk").any()


def test_the_card_of_the_credit_table_says_that_it_is_made_up():
    assert "made up" in catalog.card("credit").title


def test_descriptions_count_and_range():
    age, sex = describe(margin.data.Table.from_columns({"age": [1, 5, None, 3], "sex": ["m", "f", "m", None]}))
    assert (age.missing, age.distinct, age.minimum, age.mean, age.maximum) == (1, 3, 1, 3, 5)
    assert (sex.missing, sex.distinct, sex.top) == (1, 2, (("m", 2), ("f", 1)))
    assert sex.values() == "m (2), f (1)"
    assert age.values() == "1 … 5, mean 3"


def test_importing_the_data_part_loads_nothing_heavy():
    code = (
        "import sys, margin.data; assert not {'polars', 'pandas', 'sklearn', 'scipy'} & set(sys.modules);"
        "margin.data.catalog.load('iris'); assert not {'pandas', 'sklearn'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
