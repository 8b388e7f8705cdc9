"""margin.compare: the main job as one call, for files, frames, tables and models of one's own."""

import pandas as pd
import polars as pl
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import GroupKFold, StratifiedKFold, cross_val_score
from sklearn.naive_bayes import GaussianNB

import margin
from margin import NaiveBayes
from margin.data import Table
from margin.errors import InputTypeError, ParameterError
from tests.experiment.stand_ins import flowers, loans

QUICK = {"folds": 3, "repeats": 1}


def scores(result):
    return {line.name: line.scores for line in result.leaderboard}


def test_a_path_a_table_and_frames_give_the_same(tmp_path):
    path = tmp_path / "loans.csv"
    path.write_text(loans())
    given = [path, str(path), margin.read(path), pd.read_csv(path), pl.read_csv(path)]
    found = [scores(margin.compare(data, "risk", models=["bayes"], **QUICK)) for data in given]
    assert found == [found[0]] * len(given)


def test_models_of_ones_own_stand_beside_those_of_the_zoo():
    own = {"forest": RandomForestClassifier(5), "guess": None, "theirs": GaussianNB()}
    result = margin.compare(flowers(), "kind", models=own, **QUICK)
    assert sorted(line.name for line in result.leaderboard) == ["forest", "guess", "theirs"]
    assert not any(line.error for line in result.leaderboard)
    assert result.command == (
        "margin.compare(table, 'kind', models={'guess': None, 'forest': forest, 'theirs': theirs}, folds=3, repeats=1)"
    )
    assert own["forest"].random_state is None  # it was cloned before it was given a seed
    assert "<iframe" in result._repr_html_()


def test_models_of_ones_own_alone():
    result = margin.compare(flowers(), "kind", models={"theirs": GaussianNB()}, **QUICK)
    assert [line.name for line in result.leaderboard] == ["theirs"]


def test_what_is_no_model_no_data_or_no_setting_is_refused():
    with pytest.raises(ParameterError, match=r"models of your own need names"):
        margin.compare(flowers(), "kind", models=[GaussianNB()])
    with pytest.raises(ParameterError, match="must be a classifier"):
        margin.compare(flowers(), "kind", models={"x": 3})
    with pytest.raises(ParameterError, match=r"did you mean 'folds'\?"):
        margin.compare(flowers(), "kind", fold=3)
    with pytest.raises(InputTypeError, match=r"compare\(data=<int>\)"):
        margin.compare(3, "kind")


def test_progress_is_told_and_a_standing_comes_with_each_model():
    events = []
    result = margin.compare(flowers(), "kind", models=["guess", "bayes"], progress=events.append, **QUICK)
    standings = [event.standing for event in events if event.stage == "standing"]
    assert [each.name for each in standings] == ["guess", "bayes"]
    assert {each.name: each.scores for each in standings} == scores(result)
    assert all(event.left >= 0 for event in events if event.stage == "validate")


@pytest.mark.parametrize("splitter", [StratifiedKFold(3), GroupKFold(3)], ids=["stratified", "groups"])
def test_a_table_goes_through_the_splitters_of_scikit_learn(splitter):
    X, y = flowers().target("kind")
    assert isinstance(X, Table)
    groups = [i // 6 for i in range(len(y))]
    groups = groups if isinstance(splitter, GroupKFold) else None
    ours = cross_val_score(NaiveBayes(), X, y, cv=splitter, groups=groups)
    theirs = cross_val_score(NaiveBayes(), X.to_pandas(), y, cv=splitter, groups=groups)
    assert ours.tolist() == theirs.tolist()


def test_any_number_of_jobs_gives_the_same_result():
    """All figures to the last digit, and a kept model that answers alike; only times may differ."""

    def untimed(value):
        if isinstance(value, dict):
            return {name: untimed(each) for name, each in value.items() if "seconds" not in name and name != "when"}
        return [untimed(each) for each in value] if isinstance(value, list) else value

    models = {"machine": margin.LinearSVC(scale="standard"), "tree": margin.DecisionTreeClassifier(random_state=0)}
    one, two = (margin.compare(flowers(), "kind", models=models, **QUICK, jobs=n) for n in (1, 2))
    told = [untimed(each.to_dict()) for each in (one, two)]
    for each in told:
        each.pop("openings")  # when, and in one process the second time
        each["about"].pop("protocol")
    assert told[0] == told[1]
    rows = flowers().drop("kind")
    assert (one.model.predict_proba(rows) == two.model.predict_proba(rows)).all()
