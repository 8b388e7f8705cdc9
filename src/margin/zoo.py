"""The models that ``margin compare`` tries, each with settings that are sensible before any tuning.

To add a family, add its entries to ``_ENTRIES``; to put a model of your own on the leaderboard, call :func:`add`.
"""

from __future__ import annotations

import ast
import importlib
import importlib.util
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from margin import params
from margin.errors import ParameterError, closest
from margin.typing import ClassifierLike

__all__ = ["Entry", "add", "models", "names", "on_tables", "remove", "texts_read"]


@dataclass(frozen=True)
class Entry:
    """A model of the zoo.

    Parameters
    ----------
    name
        How it is called on the command line.
    make
        Gives a new, unfitted model.
    note
        What it is and why it has these settings, in one sentence.
    limit
        Most training rows it is tried on unless it is asked for by name; ``None`` for any number.
    title
        How it is called in sentences.
    yardstick
        Whether it is there for others to be held against: it stands on the leaderboard and never wins.
    on_request
        Whether it is tried only if it is asked for by name: models of many models, which take as long as all others.
    """

    name: str
    make: Callable[[], Any]
    note: str = ""
    limit: int | None = None
    title: str = ""
    yardstick: bool = False
    on_request: bool = False

    def model(self) -> Any:
        """A new model that takes tables, whatever it was made to take."""
        return on_tables(self.make())

    def with_settings(self, texts: Mapping[str, str]) -> Entry:
        """The entry with some parameters set, written as words: ``{"n_neighbors": "7"}``."""
        made = self.make()
        ours = type(made).__module__.startswith("margin.")
        values = params.from_text(type(made), texts) if ours else {name: _literal(texts[name]) for name in texts}
        unknown = [name for name in values if name not in made.get_params()]
        if unknown:
            raise ParameterError(
                f"{self.name}.{unknown[0]}: is not a parameter{closest(unknown[0], made.get_params())}."
            )
        told = ", ".join(f"{name}={text}" for name, text in texts.items())
        return replace(self, make=partial(_set, self.make, values), note=f"{self.note} Here with {told}.".strip())


def on_tables(model: ClassifierLike) -> Any:
    """A model that takes tables: itself, or behind a :class:`margin.TableEncoder` if it wants a matrix.

    >>> from sklearn.naive_bayes import GaussianNB
    >>> [name for name, _ in on_tables(GaussianNB()).steps]
    ['tableencoder', 'gaussiannb']
    """
    from margin.base.meta import inner_model

    return inner_model.on_tables(model)


def models(names: Iterable[str] | None = None, settings: Mapping[str, str] | None = None) -> tuple[Entry, ...]:
    """The entries of these names, in the order given; all of them without names.

    ``settings`` are parameters as words, each under its model's name.

    >>> [entry.name for entry in models(["majority", "knn"])]
    ['majority', 'knn']
    >>> models(["knn"], {"knn.n_neighbors": "7"})[0].make()
    KNeighborsClassifier(n_neighbors=7, scale='standard')
    """
    chosen = _named(names)
    for name, texts in _by_model(settings or {}, chosen).items():
        chosen[name] = chosen[name].with_settings(texts)
    return tuple(chosen.values())


def texts_read(entries: Iterable[Entry]) -> dict[str, frozenset[str] | bool]:
    """By name, the models that read free text, and which columns of it; True is all. Other models leave it out.

    >>> texts_read(models(["naive-bayes", "tree"]))
    {'naive-bayes': True}
    """
    readers: dict[str, frozenset[str] | bool] = {}
    for entry in entries:
        try:
            found = _texts_of(entry.make())
        except Exception:  # a model that cannot be made is told of when it is its turn
            continue
        if found and not entry.yardstick:
            readers[entry.name] = found
    return readers


def _texts_of(model: Any) -> frozenset[str] | bool:
    """The columns of free text that a model reads; a model made of models reads what some of them do."""
    form = getattr(model, "representation", None)
    if "text" in getattr(model, "free_kinds", ()) or getattr(form, "text", False) is True:
        return True
    named: frozenset[str] = getattr(form, "text", None) or frozenset()
    if "text" not in getattr(form, "free", ()):
        return named
    inner = [value for value in model.get_params().values() if hasattr(value, "fit") and not isinstance(value, type)]
    return any(_texts_of(each) is True for each in inner) or named


def _by_model(settings: Mapping[str, str], chosen: Mapping[str, Entry]) -> dict[str, dict[str, str]]:
    by_model: dict[str, dict[str, str]] = {}
    for key, text in settings.items():
        name, dot, parameter = key.rpartition(".")
        if not dot or name not in chosen:
            known = ", ".join(chosen)
            raise ParameterError(
                f"settings={key}={text}: must read MODEL.PARAMETER=VALUE for a model that is tried ({known})"
                f"{closest(name, chosen)}."
            )
        by_model.setdefault(name, {})[parameter] = text
    return by_model


def _literal(text: str) -> Any:
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text


def _set(make: Callable[[], Any], values: Mapping[str, Any]) -> Any:
    return make().set_params(**values)


def _named(names: Iterable[str] | None) -> dict[str, Entry]:
    if names is None:
        return dict(_zoo)
    chosen: dict[str, Entry] = {}
    for name in names:
        if name not in _zoo:
            known = ", ".join(map(repr, _zoo))
            raise ParameterError(f"models={name!r}: must be one of {known}{closest(name, _zoo)}.")
        chosen[name] = _zoo[name]
    if not chosen:
        raise ParameterError(f"models: at least one must be named of {', '.join(map(repr, _zoo))}.")
    return chosen


def names() -> tuple[str, ...]:
    """The names of all models.

    >>> "naive-bayes" in names()
    True
    """
    return tuple(_zoo)


def add(name: str, make: Callable[[], Any], *, note: str = "", limit: int | None = None, title: str = "") -> Entry:
    """Put a model on the leaderboard: any class or function that gives a scikit-learn classifier.

    A model that does not take tables itself (``accepts_tables``) sees nominal columns one-hot and missing
    numbers filled with the mean, both learnt on the training part.

    >>> from sklearn.tree import DecisionTreeClassifier
    >>> add("sklearn-tree", lambda: DecisionTreeClassifier(min_samples_leaf=5), note="scikit-learn's tree").name
    'sklearn-tree'
    >>> remove("sklearn-tree")
    """
    if name in _zoo:
        raise ParameterError(f"zoo.add(name={name!r}): there is such a model already (remove it first).")
    if not name or not all(letter.isalnum() or letter in "-_." for letter in name):
        raise ParameterError(f"zoo.add(name={name!r}): name must be made of letters, digits, '-', '_' and '.'.")
    if not callable(make):
        raise ParameterError(f"zoo.add(make={make!r}): make must be a class or function that gives a new model.")
    _zoo[name] = Entry(name, make, note, limit, title or name)
    return _zoo[name]


def remove(name: str) -> None:
    """Take a model out of the zoo."""
    del _zoo[models([name])[0].name]


def _make(home: str, class_name: str, **settings: Any) -> Any:
    return getattr(importlib.import_module(home), class_name)(**settings)


def _ours(home: str, class_name: str, **settings: Any) -> Callable[[], Any]:
    """Makes a model of margin; its module is loaded when the first one is made."""
    return partial(_make, home, class_name, **settings)


def bagged_c45() -> Any:
    """C4.5 that is not pruned, since its variance is what bagging takes away, fifty times.

    >>> bagged_c45().n_estimators
    50
    """
    bagging, tree = importlib.import_module("margin.ensemble"), importlib.import_module("margin.tree")
    return bagging.BaggingClassifier(tree.C45(prune=False), random_state=0)


_READS = "Reads the one column of free text word by word and nothing else; needs PyTorch. Only if asked for."
_GRU = {"cell": "gru", "tokens": "words", "pooling": "max", "max_length": 300, "dropout": 0.3, "random_state": 0}
_ENTRIES: tuple[Entry, ...] = (
    Entry(
        "majority",
        _ours("margin.baseline", "MajorityClassifier"),
        "Always answers the most frequent class: what any other model has to beat.",
        title="Majority guess",
        yardstick=True,
    ),
    Entry(
        "rote",
        _ours("margin.neighbors", "RoteClassifier"),
        "Knows by heart what it has seen and guesses the majority otherwise: shows how much repeats in the data.",
        title="Rote learner",
        yardstick=True,
    ),
    Entry(
        "naive-bayes",
        _ours("margin.bayes", "NaiveBayes"),
        "Counts for nominal and a normal density for numeric columns; needs no settings and little data.",
        title="Naive Bayes",
    ),
    Entry(
        "lda",
        _ours("margin.bayes", "LinearDiscriminantAnalysis"),
        "Normal classes of one shape, told apart by planes; nominal columns one-hot, no settings.",
        title="Linear discriminant",
    ),
    Entry(
        "qda",
        _ours("margin.bayes", "QuadraticDiscriminantAnalysis"),
        "Normal classes, each of its own shape; a class with too few rows for that leans on the shape of all.",
        title="Quadratic discriminant",
    ),
    Entry(
        "logistic",
        _ours("margin.linear", "LogisticRegression", scale="standard"),
        "Log-odds linear in the columns, a mild penalty (C = 1) on columns of one scale: hard to beat with few rows.",
        title="Logistic regression",
    ),
    Entry(
        "lasso",
        _ours(
            "margin.linear",
            "LogisticRegressionCV",
            Cs=(0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0),
            l1_ratios=(1.0,),
            scale="standard",
        ),
        "Logistic regression on as few columns as do no worse in cross-validation: shows which ones matter.",
        limit=10_000,
        title="Lasso logistic",
    ),
    Entry(
        "linear-svm",
        _ours("margin.svm", "LinearSVC", scale="standard"),
        "The plane with the widest margin, rows on its wrong side paid for (C = 1), on columns of one scale.",
        title="Linear SVM",
    ),
    Entry(
        "svm",
        _ours("margin.svm", "SVC", scale="standard"),
        "The widest margin in the space of a Gaussian kernel: curved boundaries out of the rows that are hard to tell.",
        limit=10_000,
        title="SVM (RBF kernel)",
    ),
    Entry(
        "knn",
        _ours("margin.neighbors", "KNeighborsClassifier", n_neighbors=15, scale="standard"),
        "Vote of the 15 nearest cases, enough to average noise out; columns scaled so that no unit drowns another.",
        limit=200_000,
        title="k-nearest neighbours",
    ),
    Entry(
        "knn-heom",
        _ours("margin.neighbors", "KNeighborsClassifier", n_neighbors=15, metric="heom"),
        "The same vote, but words are equal or different, and a missing cell is as far as can be: for mixed tables.",
        limit=200_000,
        title="Neighbours by HEOM",
    ),
    Entry(
        "centroid",
        _ours("margin.neighbors", "NearestCentroid", scale="standard"),
        "One typical case per class, and the nearest of them answers: as simple as a model that learns can be.",
        title="Nearest centroid",
    ),
    Entry(
        "tree",
        _ours(
            "margin.tree",
            "DecisionTreeClassifier",
            prune="cost_complexity",
            min_samples_leaf=5,
            charge_levels=True,
            random_state=0,
        ),
        "Questions in turn, pruned to the smallest tree that cross-validation cannot tell from the best.",
        title="Decision tree (CART)",
    ),
    Entry(
        "c45",
        _ours("margin.tree", "C45"),
        "Quinlan's tree: a branch for each word, missing cells in parts, pruned by pessimism; needs no settings.",
        title="Decision tree (C4.5)",
    ),
    Entry(
        "forest",
        _ours("margin.ensemble", "RandomForestClassifier", random_state=0),
        "100 trees of drawn rows and columns, whose mistakes differ and cancel: hard to beat on tables, no settings.",
        limit=50_000,
        title="Random forest",
    ),
    Entry(
        "extra-trees",
        _ours("margin.ensemble", "ExtraTreesClassifier", random_state=0),
        "100 trees that ask at thresholds drawn at random: smoother than a forest where it varies. Only if asked for.",
        title="Extremely randomized trees",
        on_request=True,
    ),
    Entry(
        "boosting",
        _ours("margin.boosting", "GradientBoostingClassifier", growth="leaf", random_state=0),
        "Small trees that mend what those before got wrong; rows held back say how many are enough.",
        limit=500_000,
        title="Gradient boosting",
    ),
    Entry(
        "bagged-c45",
        _ours("margin.zoo", "bagged_c45"),
        "50 of Quinlan's trees, not pruned, each from other rows: what averaging gains over one. Only if asked for.",
        limit=100_000,
        title="Bagged C4.5",
        on_request=True,
    ),
    Entry(
        "mlp",
        _ours("margin.deep", "MLPClassifier", learning_rate_init=0.005, alpha=0.5, dropout=0.5, random_state=0),
        "100 hidden units, half of them left out by chance, Adam at rate 0.005: smooth boundaries. Only if asked for.",
        title="Multi-layer perceptron",
        on_request=True,
    ),
    Entry(
        "gru", _ours("margin.deep", "SequenceClassifier", **_GRU), _READS, None, "Recurrent network", on_request=True
    ),
    Entry(
        "logitboost",
        _ours("margin.boosting", "LogitBoostClassifier", learning_rate=0.3),
        "Logistic regression on 100 stumps, added one at a time and shrunk: no interactions, readable. If asked for.",
        title="LogitBoost (stumps)",
        on_request=True,
    ),
    Entry(
        "adaboost",
        _ours("margin.boosting", "AdaBoostClassifier", n_estimators=100),
        "100 stumps that vote, each learnt where those before were wrong; every round is on record. Only if asked for.",
        title="AdaBoost (stumps)",
        on_request=True,
    ),
    Entry(
        "stack",
        _ours("margin.ensemble", "StackingClassifier", random_state=0),
        "Logistic regression learns how far to trust logistic regression, naive Bayes and a tree. Only if asked for.",
        limit=100_000,
        title="Stacked models",
        on_request=True,
    ),
)

#: Boosters of other packages and the package that each needs: in the zoo where it is installed.
_EXTERNAL = {"LightGBM": "lightgbm", "XGBoost": "xgboost", "CatBoost": "catboost", "HistGradientBoosting": "sklearn"}
_TOLD = "The booster of another package with its own defaults, fed from the same table. Only if asked for."
_ENTRIES += tuple(
    Entry(name.lower(), _ours("margin.boosting.external", name, random_state=0), _TOLD, title=name, on_request=True)
    for name, package in _EXTERNAL.items()
    if importlib.util.find_spec(package) is not None
)

_zoo: dict[str, Entry] = {entry.name: entry for entry in _ENTRIES}
