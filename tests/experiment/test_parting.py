"""Rows parted by group, by time or by a file of their own."""

import numpy as np
import pytest

import margin
from margin import MajorityClassifier, NaiveBayes, evaluate
from margin.data import Table
from margin.data.written.dates import read_dates
from margin.errors import DataError, ParameterError
from margin.evaluation import TimeOrdered, compare_scores
from margin.experiment import Spec, run
from margin.experiment.running.parting import joined

MODELS = {"bayes": NaiveBayes(), "guess": MajorityClassifier()}
QUICK = {"folds": 3, "repeats": 1, "models": ["guess", "bayes"]}


def visits(n=120, patients=24):
    """Visits of patients who are ill or not: who it is tells everything, what is measured tells little."""
    random = np.random.default_rng(0)
    patient = np.arange(n) % patients
    return Table.from_columns(
        {
            "patient": [f"p{p}" for p in patient],
            "day": np.arange(n, dtype=float).tolist(),
            "habit": (patient + 0.01 * random.normal(size=n)).tolist(),
            "ill": ["yes" if p % 3 == 0 else "no" for p in patient],
        },
        name="visits",
    )


def sealed_rows(spec):
    """Which rows of the table are learnt from, and the race that is run on them."""
    from margin.experiment import compare

    _, _, parting = compare._read(spec, compare.Log())
    sealed = parting.sealed()
    return sealed, parting.folds(sealed, compare.Log())


def test_no_group_stands_on_both_sides():
    table = visits()
    sealed, folds = sealed_rows(Spec(table, target="ill", group="patient", **QUICK))
    who = table.values("patient")
    learnt = sealed.train_rows
    held = np.setdiff1d(np.arange(len(who)), learnt)
    assert len(held)
    assert not set(who[learnt]) & set(who[held])
    assert "patient" not in sealed.train[0].names
    for train, test in folds.split(sealed.train[1]):
        assert not set(who[learnt][train]) & set(who[learnt][test])


def test_the_past_is_learnt_from_and_the_future_asked_about():
    table = visits()
    sealed, folds = sealed_rows(Spec(table, target="ill", time="day", **QUICK))
    day = table.values("day")
    assert sealed.train_rows.tolist() == list(range(96))
    for train, test in folds.split(sealed.train[1]):
        assert day[train].max() < day[test].min()


def test_dates_are_ordered_as_the_table_reads_them():
    """The training part alone would not say that 05/03 is the fifth of March."""
    table, n = visits(), 120
    days = [f"{1 + i % 12 if i < 96 else 13 + i % 12:02d}/{1 + i // 12:02d}/2024" for i in range(n)]
    assert read_dates(days[:96]).day_first is False
    dated = Table.from_columns({**{name: table.values(name) for name in ("habit", "ill")}, "day": days}, name="visits")
    sealed, folds = sealed_rows(Spec(dated, target="ill", time="day", **QUICK))
    assert sealed.train_rows.tolist() == list(range(96))
    assert all(train.max() < test.min() for train, test in folds.split(sealed.train[1]))


@pytest.mark.parametrize("by", [{"group": "patient"}, {"time": "day"}], ids=["group", "time"])
def test_the_whole_run_goes_that_way(by):
    result = margin.compare(visits(), "ill", **by, **QUICK)
    (column,) = by.values()
    assert not next(card for card in result.columns if card.name == column).is_input
    assert f"{next(iter(by))}={column!r}" in result.command
    assert column not in result.about.get("columns", {})
    assert result.html()


def test_models_evaluated_by_the_same_groups_or_times_can_be_compared():
    X, y = visits().target("ill")
    for by in ({"groups": "patient"}, {"protocol": TimeOrdered("day", folds=3)}):
        found = {name: evaluate(model, X, y, metrics=["accuracy"], **by) for name, model in MODELS.items()}
        assert set(compare_scores(found, "accuracy").names) == set(MODELS)
    other = evaluate(NaiveBayes(), X, y, TimeOrdered("habit", folds=3), metrics=["accuracy"])
    with pytest.raises(ParameterError, match="same rows by the same protocol"):
        compare_scores({"one": found["bayes"], "other": other}, "accuracy")


def test_too_few_groups_make_fewer_folds_and_it_is_said():
    *_, result = run(Spec(visits(patients=6), target="ill", group="patient", folds=10, repeats=1, models=("bayes",)))
    assert any("groups in training do not fill 10 folds" in warning for warning in result.warnings)


def test_a_file_of_its_own_is_the_sealed_test(tmp_path):
    table = visits()
    table.take(np.arange(80)).to_pandas().to_csv(tmp_path / "train.csv", index=False)
    table.take(np.arange(80, 120)).to_pandas().to_csv(tmp_path / "test.csv", index=False)
    result = margin.compare(tmp_path / "train.csv", "ill", test=tmp_path / "test.csv", **QUICK)
    assert (result.n_train, result.n_test, result.test.n_rows) == (80, 40, 40)
    assert result.command.endswith(f"--test {tmp_path / 'test.csv'}")
    in_memory = margin.compare(table.take(np.arange(80)), "ill", test=table.take(np.arange(80, 120)), **QUICK)
    assert in_memory.test.scores == result.test.scores


def test_a_test_file_without_a_column_is_refused():
    table = visits()
    with pytest.raises(DataError, match="column 'habit' of the table to learn from"):
        margin.compare(table, "ill", test=table.drop("habit"), **QUICK)
    with pytest.raises(DataError, match="the target of the table"):
        margin.compare(table, "ill", test=table.drop("ill"), **QUICK)


def test_categories_that_only_the_second_table_has_keep_their_names():
    below = Table.from_columns({"y": [1.0, 2.0], "x": ["z", "a"]})
    table = joined(Table.from_columns({"x": ["a", None], "y": [3.0, None]}), below)
    assert table.values("x").tolist() == ["a", None, "z", "a"]
    assert np.array_equal(table.cells("y"), [3.0, np.nan, 1.0, 2.0], equal_nan=True)


def test_group_and_time_together_and_unknown_columns_are_refused():
    with pytest.raises(ParameterError, match="by one of them only"):
        margin.compare(visits(), "ill", group="patient", time="day")
    with pytest.raises(ParameterError, match=r"did you mean 'patient'\?"):
        margin.compare(visits(), "ill", group="patiant")


@pytest.mark.parametrize("setting", [{"cost": 3.0}, {"positive": "yes"}], ids=["cost", "positive"])
def test_several_targets_refuse_what_they_would_not_heed(setting):
    with pytest.raises(ParameterError, match="a run for several targets has no such setting"):
        margin.compare(visits(), ["ill", "habit"], **setting)


def with_age():
    table, old = visits(), np.where(np.arange(120) % 7 > 2, "yes", "no")
    return Table.from_columns({**{name: table.values(name) for name in table.names}, "old": old}, name="visits")


def several(**settings):
    """The rows of two targets as they are parted, with the patient and the day of each."""
    from margin.experiment.running.run_log import Log
    from margin.experiment.several_targets import _read

    twice = with_age()
    _, inputs, y, targets, rows = _read(Spec(twice, target=["ill", "old"], **QUICK, **settings), Log())
    assert targets == tuple(y.names) == ("ill", "old")
    return twice, inputs, rows


def test_several_targets_keep_groups_together():
    table, inputs, rows = several(group="patient")
    who, (train, test) = table.values("patient"), rows.sealed()
    assert inputs.names == ("day", "habit")
    assert not set(who[train]) & set(who[test])
    splits, how = rows.folds(train)
    assert len(splits) == 3
    assert "group" in how
    for learn, held in splits:
        assert not set(who[train][learn]) & set(who[train][held])


def test_several_targets_ask_the_past_about_the_future():
    table, inputs, rows = several(time="day")
    day, (train, test) = table.values("day"), rows.sealed()
    assert "day" not in inputs.names
    assert day[train].max() < day[test].min()
    assert all(day[train][learn].max() < day[train][held].min() for learn, held in rows.folds(train)[0])


def test_several_targets_are_tested_on_a_file_of_its_own():
    table = with_age()
    parts = table.take(np.arange(80)), table.take(np.arange(80, 120))
    result = margin.compare(parts[0], ["ill", "old"], test=parts[1], **QUICK)
    assert (result.n_train, result.n_test) == (80, 40)
    grouped = margin.compare(table, ["ill", "old"], group="patient", **QUICK)
    assert "patient" not in [name for name, _ in grouped.about["columns"]]
    assert "group" in grouped.protocol
