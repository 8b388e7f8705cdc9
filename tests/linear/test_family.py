"""margin.linear.losses: every loss in the table, and curves that are the losses."""

import importlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import margin._core as _core
from margin import params
from margin.data import catalog
from margin.errors import InputError
from margin.explain import explain
from margin.linear import LinearSGD, loss_family, losses
from margin.persistence import load, save

NAMES = [name for name, _ in _core.linear.losses()]
_X, _y = catalog.load("iris").target("class")
TWO = (np.column_stack([_X[name] for name in _X.names])[50:], np.asarray(_y)[50:])
SHORT = {"learning_rate": "constant", "eta0": 0.01, "scale": "standard", "random_state": 0, "tol": None, "max_iter": 50}

# What each step is in words, as a factor of η y x.
STEPS = {
    "w + η y x if m ≤ 0": lambda m: float(m <= 0),
    "w + η (y - f) x": lambda m: 1 - m,  # y (1 - m) = y - f, since y y = 1
    "w + η y x / (1 + exp(m))": lambda m: 1 / (1 + np.exp(m)),
    "w + η y x if m < 1": lambda m: float(m < 1),
    "w + 2η (1 - m) y x if m < 1": lambda m: 2 * (1 - m) * (m < 1),
    "w + η exp(-m) y x": lambda m: np.exp(-m),
    "w + 2η min(2, 1 - m) y x if m < 1": lambda m: 2 * min(2, 1 - m) * (m < 1),
}


def test_every_loss_of_the_core_is_in_the_table_in_its_order():
    family = loss_family()
    assert [row["loss"] for row in family.table()] == NAMES
    assert [loss.formula for loss in family.losses] == [formula for _, formula in _core.linear.losses()]
    assert family["log_loss"].model == "LogisticRegression"


@pytest.mark.parametrize("name", NAMES)
@given(m=st.floats(-6, 6))
def test_a_step_is_minus_the_slope(name, m):
    slope = loss_family().curves([m]).slope[name][0]
    assert STEPS[loss_family()[name].step](m) == pytest.approx(-slope, rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("name", NAMES)
def test_the_slope_is_that_of_the_value(name):
    margins = np.array([-2.3, -1.4, -0.6, -0.1, 0.3, 0.8, 1.7, 2.9])  # away from corners
    curves, h = loss_family().curves(margins), 1e-6
    rise = loss_family().curves(margins + h).value[name] - loss_family().curves(margins - h).value[name]
    assert rise / (2 * h) == pytest.approx(curves.slope[name], abs=1e-6)


@pytest.mark.parametrize("name", NAMES)
@given(m=st.floats(-50, 50))
def test_a_formula_says_what_the_core_computes(name, m):
    formula = loss_family()[name].formula.replace("^", "**")
    if ", else " in formula:
        formula = formula.replace(", else ", " else ").replace("-4 m", "-4 * m")
    expected = eval(formula, {"m": m, "max": max, "log": np.log, "exp": np.exp})
    assert loss_family().curves([m]).value[name][0] == pytest.approx(expected, rel=1e-9, abs=1e-12)


def test_losses_whose_scores_are_probabilities_are_those_of_models_that_have_them():
    for loss in loss_family().losses:
        assert hasattr(LinearSGD(loss=loss.name), "predict_proba") == loss.gives_probabilities


@pytest.mark.parametrize("name", NAMES)
def test_every_loss_of_the_core_is_learnt_from_answered_explained_and_saved(name, tmp_path):
    model = LinearSGD(loss=name, **SHORT).fit(*TWO)
    assert model.score(*TWO) > 0.9
    assert explain(model, TWO[0][:1]).answer == model.predict(TWO[0][:1])[0]
    save(model, tmp_path / "model.margin")
    assert (
        load(tmp_path / "model.margin").decision_function(TWO[0]).tolist() == model.decision_function(TWO[0]).tolist()
    )
    assert name in next(each.rule.words for each in params.parameters(LinearSGD) if each.name == "loss")


@pytest.mark.parametrize("name", NAMES)
def test_a_loss_of_the_core_of_which_nothing_else_is_said_works_all_the_same(name, monkeypatch):
    before = LinearSGD(loss=name, **SHORT).fit(*TWO)
    monkeypatch.delitem(losses._TRAITS, name)
    model = LinearSGD(loss=name, **SHORT).fit(*TWO)
    assert model.decision_function(TWO[0]).tolist() == before.decision_function(TWO[0]).tolist()
    assert not hasattr(model, "predict_proba")  # no more is claimed than is known
    row = next(row for row in loss_family().table() if row["loss"] == name)
    assert (row["model"], row["w after a step"], row["P(y = +1)"]) == ("LinearSGD", "w - η slope(m) y x", "none")
    assert name in str(loss_family())
    plots = pytest.importorskip("matplotlib") and importlib.import_module("margin.plots")
    assert name in [line.get_label() for line in plots.plot_losses().lines]


def test_the_zero_one_loss_counts_a_margin_of_zero_as_an_error():
    assert loss_family().curves([-1.0, 0.0, 0.5]).zero_one.tolist() == [1, 1, 0]


def test_it_can_be_read_at_a_terminal():
    lines = str(loss_family()).splitlines()
    assert max(map(len, lines)) <= 130
    assert [line.split()[0] for line in lines[5:]] == NAMES


def test_margins_must_be_numbers():
    with pytest.raises(InputError, match="finite"):
        loss_family().curves([np.nan])
