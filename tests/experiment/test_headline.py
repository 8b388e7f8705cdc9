"""The headline of a comparison: what the score rests on, who may win, and what is said of few rows and rare classes."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

from margin import zoo
from margin.data import Table
from margin.experiment import Spec, run_to_end
from margin.report import phrases as words
from margin.zoo import Entry


def passengers(n: int = 500, seed: int = 0) -> Table:
    """Survival follows sex; boats are known of those who survived, bodies of some who did not."""
    random = np.random.default_rng(seed)
    female = random.random(n) < 0.4
    survived = random.random(n) < np.where(female, 0.75, 0.2)
    boat = np.where(random.random(n) < np.where(survived, 0.96, 0.01), random.integers(1, 20, n).astype(float), np.nan)
    body = np.where(~survived & (random.random(n) < 0.2), random.integers(1, 300, n).astype(float), np.nan)
    return Table.from_columns(
        {
            "sex": np.where(female, "female", "male").tolist(),
            "age": random.integers(1, 80, n).astype(float).tolist(),
            "boat": [None if x != x else f"{x:.0f}" for x in boat.tolist()],
            "body": [None if x != x else x for x in body.tolist()],
            "survived": np.where(survived, "yes", "no").tolist(),
        },
        name="passengers",
    )


def compare(table: Table, target: str, models: dict[str, type], yardsticks: tuple[str, ...] = ("guess",), **parts):
    entries = {"guess": Entry("guess", DummyClassifier, title="Guess", yardstick="guess" in yardsticks)}
    entries |= {name: Entry(name, make, title=name, yardstick=name in yardsticks) for name, make in models.items()}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(zoo, "_zoo", entries)
        return run_to_end(Spec(table, target=target, **{"folds": 5, "repeats": 1, **parts}))


@pytest.fixture(scope="module")
def leaky():
    from margin.tree import DecisionTreeClassifier as Tree

    return compare(passengers(), "survived", {"tree": Tree})


def test_a_missing_cell_that_explains_the_score_is_a_leak_with_the_score_without_it(leaky):
    first = leaky.cautions[0]
    assert (first.severity, first.columns) == ("leak", ("boat",))
    assert leaky.audit["missingness_predicts_target"][0].severity == "leak"
    assert first.held.value > 0.95
    assert first.without["'boat'"].value < 0.85
    assert first.without["'boat' and 'body'"].value < 0.85


def test_the_box_says_what_to_do_in_a_command_that_leaves_the_columns_out(tmp_path):
    from margin.tree import DecisionTreeClassifier as Tree

    lines = ["sex,boat,body,survived"]
    table = passengers()
    cells = [["" if cell is None or cell != cell else cell for cell in table.values(name)] for name in table.names]
    lines += [f"{sex},{boat},{body},{survived}" for sex, _, boat, body, survived in zip(*cells)]
    path = tmp_path / "p.csv"
    path.write_text("\n".join(lines) + "\n")
    told = words.caution(compare(str(path), "survived", {"tree": Tree}))
    assert told["call"] == "Do not believe this yet."
    assert told["remedy"].startswith(f"margin compare {path} --target survived --folds 5")
    assert told["remedy"].endswith("--drop boat --drop body")


def test_a_strong_honest_column_is_no_leak_where_others_say_the_same():
    random = np.random.default_rng(0)
    y = np.arange(300) % 2
    first, second = (y * 4.0 + random.normal(size=300) for _ in range(2))
    table = Table.from_columns({"a": first.tolist(), "b": second.tolist(), "y": y.astype(str).tolist()}, name="twins")
    result = compare(table, "y", {"bayes": GaussianNB})
    assert result.audit.leaks == ()
    assert all(caution.severity == "trap" for caution in result.cautions)


def test_yardsticks_never_win_and_stand_behind_the_models():
    random = np.random.default_rng(3)
    y = random.random(200) < 0.35
    table = Table.from_columns({"x": random.normal(size=200).tolist(), "y": np.where(y, "a", "b").tolist()})
    result = compare(table, "y", {"tree": DecisionTreeClassifier})
    guess, tree = (next(line for line in result.leaderboard if line.name == name) for name in ("guess", "tree"))
    assert guess.scores["accuracy"].value > tree.scores["accuracy"].value
    assert [line.name for line in result.leaderboard] == ["tree", "guess"]
    assert result.best == "tree"
    assert "no better than Guess" in words.board_summary(result)
    alone = compare(table, "y", {})
    assert alone.best == "guess", "who asks for a yardstick alone gets it"


def test_twenty_rows_compare_nothing_and_that_is_said():
    random = np.random.default_rng(0)
    y = np.arange(20) % 2
    table = Table.from_columns({"x": (y * 9.0 + random.normal(size=20)).tolist(), "y": y.astype(str).tolist()})
    result = compare(table, "y", {"bayes": GaussianNB})
    assert not any(line.differs for line in result.leaderboard)
    assert result.pairs == ()
    assert result.remarks[0].startswith("16 rows to learn from are too few to compare models by")
    assert words.board_summary(result).startswith("Too few rows")


def test_the_model_that_is_kept_gives_probabilities_and_it_is_said():
    result = compare(passengers(), "survived", {"machine": LinearSVC}, yardsticks=("guess",))
    assert result.best == "machine"
    shares = result.model.predict_proba(passengers().drop("survived"))
    assert np.allclose(shares.sum(axis=1), 1)
    assert result.test.calibration, "the sealed test judges the probabilities of the model that is kept"
    assert any("no probabilities of its own" in remark for remark in result.remarks)


def rare(n: int = 600, share: float = 0.06) -> Table:
    random = np.random.default_rng(1)
    ill = np.arange(n) < share * n
    return Table.from_columns(
        {
            "a": (random.normal(size=n) + 2.0 * ill).tolist(),
            "b": random.normal(size=n).tolist(),
            "state": np.where(ill, "ill", "well").tolist(),
        },
        name="visits",
    )


def test_a_rare_class_is_ordered_by_its_average_precision_and_found_in_the_first_sentence():
    result = compare(rare(), "state", {"logistic": LogisticRegression})
    assert result.metric == "average_precision"
    assert result.positive == "ill"
    assert any(remark.startswith("“ill” has only 6.0 % of the rows") for remark in result.remarks)
    of = next(one for one in result.test.classes if one.label == "ill")
    said = words.answer(result)
    assert said.startswith(f"logistic finds {round(of.recall * of.cases)} of the {of.cases} unseen cases of “ill”")
    assert "--sort" not in result.command


def test_the_threshold_is_chosen_in_the_folds_and_a_cost_lowers_it():
    table = rare()
    plain = compare(table, "state", {"logistic": LogisticRegression}).threshold
    dear = compare(table, "state", {"logistic": LogisticRegression}, cost=50.0)
    assert 0 < dear.threshold.value < plain.value < 1
    assert dear.threshold.recall.value >= plain.recall.value
    assert dear.threshold.why == "costs of 50 for a miss and 1 for a false alarm"
    assert "--cost" not in dear.command, "a table in memory is told as a call"
    assert "cost=50.0" in dear.command


@pytest.mark.parametrize(
    ("cost", "machine"), [(None, LogisticRegression), (20.0, LogisticRegression), (5.0, LinearSVC)]
)
def test_the_kept_model_answers_by_the_threshold_of_the_headline(cost, machine):
    table = rare()
    result = compare(table, "state", {"m": machine}, cost=cost)
    at, inputs = result.threshold, table.drop("state")
    ill = result.model.predict_proba(inputs)[:, result.model.classes_.tolist().index("ill")]
    assert ((result.model.predict(inputs) == "ill") == (ill >= at.value)).all()
    assert ((ill >= 0.5) != (ill >= at.value)).any(), "a threshold of one half would show nothing"
    # The figures of the page are those of answers at that threshold: headline, confusion matrix, class by class.
    of = next(one for one in result.test.classes if one.label == "ill")
    assert of.recall == at.recall.value == result.test.scores["recall"].value
    assert of.precision == at.precision.value
    told = words.answer(result)
    assert f"m finds {round(of.recall * of.cases)} of the {of.cases} unseen cases of “ill” (95" in told
    assert f"It answers “ill” from a probability of {at.value:.3g} on" in told
    assert result.about["threshold"] == {"class": "ill", "probability": at.value, "why": at.why}
    assert any("The model that is kept answers “ill”" in remark for remark in result.remarks)


def test_never_answering_a_class_is_a_threshold_too():
    from margin.experiment.headline.threshold import best_threshold, judge_of

    chances, truth = np.array([0.9, 0.6, 0.3, 0.2]), np.array([False, False, True, False])
    assert best_threshold(chances, truth, judge_of("accuracy", None)) > 0.9
    assert best_threshold(chances, truth, judge_of("f1", None)) == 0.25
    assert best_threshold(np.array([1.0, 0.5]), np.array([False, True]), judge_of("f1", 0.1)) <= 1.0
    near = np.nextafter(0.5, 1)
    assert best_threshold(np.array([near, 0.5]), np.array([True, False]), judge_of("f1", None)) == near


def test_what_is_asked_for_by_name_stays():
    result = compare(rare(), "state", {"logistic": LogisticRegression}, sort="accuracy")
    assert result.metric == "accuracy"
    assert not any("has only" in remark for remark in result.remarks)


def test_many_classes_of_one_size_are_not_rare():
    from margin.experiment.headline.ordering import rare_class

    assert rare_class(dict.fromkeys(range(26), 40)) is None
    assert rare_class({"a": 500, "b": 480, "c": 20}) == "c"


def test_copies_stand_on_one_side_of_the_seal_and_of_every_fold():
    from margin.evaluation import HoldOut, StratifiedFolds
    from margin.experiment.running.copies import Together

    random = np.random.default_rng(0)
    sets = random.integers(60, size=200)
    labels = np.array(["a", "b"])[sets % 2]
    for protocol in (StratifiedFolds(5, 2), HoldOut()):
        for train, test in Together(protocol, sets).split(labels):
            assert not set(sets[train]) & set(sets[test])
            assert sorted([*train, *test]) == list(range(200))
