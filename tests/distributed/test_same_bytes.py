"""A model of parts has the bytes of the model in memory, however the rows are cut and whoever adds them up."""

from __future__ import annotations

import os
import signal
import threading
import time

import numpy as np
import polars as pl
import pytest
from sklearn.base import clone

import margin
from margin import distributed, persistence
from margin.data import read
from margin.data.parts.row_blocks import ROWS
from margin.distributed.engines.processes import ProcessEngine
from margin.distributed.fitting import way_of
from margin.errors import DataError, InputError, InputTypeError, ParameterError, WorkerError
from tests.distributed.made import cut, mixed_frame

pytestmark = pytest.mark.filterwarnings("ignore::margin.errors.MarginWarning")

SUMS = [
    margin.NaiveBayes(), margin.NaiveBayes(distributions={"few": "poisson"}, class_weight="balanced"),
    margin.LinearDiscriminantAnalysis(), margin.LinearDiscriminantAnalysis(shrinkage="auto"),
    margin.DiagonalLinearDiscriminantAnalysis(), margin.QuadraticDiscriminantAnalysis(),
]  # fmt: skip
ON_DISK = [
    margin.MajorityClassifier(), margin.NearestCentroid(), margin.LogisticRegression(),
    margin.LogisticRegression(l1_ratio=1.0, scale="standard", max_iter=20), margin.LinearSVC(scale="standard"),
    margin.Perceptron(max_iter=1), margin.Adaline(max_iter=1), margin.LinearSGD(max_iter=1, random_state=1),
    margin.PegasosClassifier(max_iter=1, random_state=1),
    margin.GradientBoostingClassifier(n_estimators=2, random_state=1),
    margin.RandomForestClassifier(n_estimators=2, max_depth=4, random_state=1),
    margin.ExtraTreesClassifier(n_estimators=2, max_depth=4, random_state=1),
]  # fmt: skip


def named(models):
    return [pytest.param(model, id=f"{type(model).__name__}{i}") for i, model in enumerate(models)]


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    folder = tmp_path_factory.mktemp("parts")
    frame = mixed_frame()
    frame.write_parquet(folder / "whole.parquet")
    return {
        "whole": read(folder / "whole.parquet", target="y").target("y"),
        "frame": frame,
        "folder": folder,
        **{k: margin.scan(cut(frame, folder / f"{k}", k), target="y") for k in (1, 7)},
    }


@pytest.fixture(scope="module")
def two_workers():
    engine = ProcessEngine(workers=2)
    yield engine
    engine.close()


def bytes_of(model, *rows):
    return persistence.to_bytes(clone(model).fit(*rows))


@pytest.mark.parametrize("model", named(SUMS + ON_DISK))
def test_parts_give_the_bytes_of_memory(table, model):
    whole = bytes_of(model, *table["whole"])
    assert bytes_of(model, table[7]) == whole
    if model in SUMS:
        assert bytes_of(model, table[1]) == whole


@pytest.mark.parametrize("model", named([*SUMS[:1], SUMS[3], SUMS[5], ON_DISK[2]]))
def test_workers_give_the_bytes_of_memory(table, two_workers, model):
    with distributed.use(two_workers):
        assert bytes_of(model, table[7]) == bytes_of(model, *table["whole"])


def test_combinations_of_cells_are_counted_in_parts(table):
    X, y = table["whole"]
    whole = persistence.to_bytes(margin.JointBayes().fit(X[["c", "few"]], y))
    parts = margin.scan(table["folder"] / "7", target="y", columns=["c", "few"])
    assert bytes_of(margin.JointBayes(), parts) == whole


def test_a_thousand_parts_are_normal(tmp_path):
    frame = mixed_frame(ROWS + 1000).drop("c")
    folder = tmp_path / "many"
    folder.mkdir()
    for i in range(1000):
        begin, end = i * len(frame) // 1000, (i + 1) * len(frame) // 1000
        frame.slice(begin, end - begin).write_csv(folder / f"{i:04d}.csv")
    frame.write_csv(tmp_path / "whole.csv")
    parts = margin.scan(folder, target="y")
    for model in (margin.NaiveBayes(), margin.LinearDiscriminantAnalysis()):
        assert bytes_of(model, parts) == bytes_of(model, *read(tmp_path / "whole.csv", target="y").target("y"))


def test_weights_come_in_a_column(table, tmp_path):
    frame = table["frame"].with_columns(w=pl.Series(np.random.default_rng(3).random(len(table["frame"])) + 0.1))
    parts = margin.scan(cut(frame, tmp_path / "w", 3), target="y", weight="w")
    frame.write_parquet(tmp_path / "whole.parquet")
    X, y = read(tmp_path / "whole.parquet", target="y").target("y")
    weight, X = X["w"], X.drop("w")
    for model in (margin.NaiveBayes(), margin.QuadraticDiscriminantAnalysis(), margin.LogisticRegression()):
        assert bytes_of(model, parts) == persistence.to_bytes(clone(model).fit(X, y, weight))


def test_a_quantity_is_learnt_from_parts(table, tmp_path):
    parts = margin.scan(table["folder"] / "7", target="a", columns=["few", "c", "b"])
    X, y = read(table["folder"] / "whole.parquet", target="a").drop("y").target("a")
    model = margin.GradientBoostingRegressor(n_estimators=2, random_state=1)
    assert bytes_of(model, parts) == bytes_of(model, X, y)


def test_rare_levels_dates_and_numbers_for_classes_are_those_of_memory(tmp_path):
    rng = np.random.default_rng(1)
    n = ROWS + 500
    frame = pl.DataFrame({
        "code": [f"k{i % 150}" if i < n - 2 else f"rare{i}" for i in range(n)],
        "day": [f"2024-{i % 12 + 1:02d}-{i % 28 + 1:02d}" for i in range(n)],
        "note": rng.normal(size=n),
        "y": rng.integers(0, 3, n) * 10,
    })  # fmt: skip
    frame.write_csv(tmp_path / "whole.csv")
    folder = tmp_path / "parts"
    folder.mkdir()
    for i in range(3):
        frame.slice(i * n // 3, (i + 1) * n // 3 - i * n // 3).write_csv(folder / f"{i}.csv")
    parts = margin.scan(folder, target="y")
    for model in (margin.NaiveBayes(), margin.LinearDiscriminantAnalysis()):
        assert bytes_of(model, parts) == bytes_of(model, *read(tmp_path / "whole.csv", target="y").target("y"))


@pytest.mark.parametrize(("name", "target"), [("adult.data.gz", "column15"), ("letter.csv.gz", "letter")])
def test_real_tables_give_the_bytes_of_memory(shared_data, name, target):
    whole = read(shared_data(name))
    X, y = whole.target(target if target in whole.names else whole.names[0])
    parts = margin.scan(whole, target=target if target in whole.names else whole.names[0])
    for model in (margin.NaiveBayes(), margin.LinearDiscriminantAnalysis()):
        assert bytes_of(model, parts) == bytes_of(model, X, y)


# Workers that die


def test_killed_and_stopped_workers_cost_their_tasks_alone(table):
    engine = ProcessEngine(workers=2, patience=3.0, tries=20)
    stop = threading.Event()
    signals = [signal.SIGKILL, signal.SIGKILL, signal.SIGSTOP, signal.SIGKILL]

    def strike():
        rng = np.random.default_rng(0)
        while signals and not stop.is_set():
            time.sleep(float(rng.uniform(0.05, 0.4)))
            if there := engine.processes:
                os.kill(there[int(rng.integers(len(there)))], signals.pop())

    thread = threading.Thread(target=strike)
    thread.start()
    try:
        whole = bytes_of(SUMS[0], *table["whole"])
        with distributed.use(engine):
            while signals:
                assert bytes_of(SUMS[0], table[7]) == whole
        assert engine.counted.deaths >= 3
    finally:
        stop.set()
        thread.join()
        engine.close()


def test_a_task_that_ends_its_workers_is_named():
    engine = ProcessEngine(workers=1, tries=2)
    try:
        with pytest.raises(
            WorkerError, match=r"suicide: task 0 has ended 2 workers, the last one number 2 \(exit code"
        ):
            list(engine.map(lambda shared, item: os.kill(os.getpid(), shared), 9, [0], "suicide"))
    finally:
        engine.close()


def test_errors_of_tasks_come_back_as_they_are(two_workers):
    def refuse(shared, item):
        raise DataError("as it was raised")

    with pytest.raises(DataError, match="as it was raised"):
        list(two_workers.map(refuse, None, [0], "refusing"))
    assert sorted(two_workers.map(pow, 2, [1, 2, 3], "afterwards")) == [(0, 2), (1, 4), (2, 8)]


def test_a_fit_that_was_stopped_goes_on_from_its_checkpoint(table, tmp_path, monkeypatch):
    from margin.distributed import sums

    whole, counted, real = bytes_of(SUMS[0], *table["whole"]), [], sums._counted

    def fails_late(model, shared, number, *rows):
        counted.append(number)
        if counted == [0, 1, 2]:
            raise KeyboardInterrupt
        return real(model, shared, number, *rows)

    monkeypatch.setattr(sums, "_counted", fails_late)
    model, file = clone(SUMS[0]), tmp_path / "fit.checkpoint"
    with pytest.raises(KeyboardInterrupt):
        distributed.fit(model, table[7], checkpoint=file, every=1)
    assert not model.__sklearn_is_fitted__()
    assert persistence.to_bytes(distributed.fit(model, table[7], checkpoint=file, every=1)) == whole
    assert counted == [0, 1, 2, 2]  # the blocks that were done were not counted again
    with pytest.raises(DataError, match="of another model, other parts or another version"):
        distributed.fit(margin.NaiveBayes(alpha=2), table[7], checkpoint=file)
    file.write_bytes(file.read_bytes()[:-1])
    with pytest.raises(DataError, match="the file is damaged"):
        distributed.fit(model, table[7], checkpoint=file)
    file.write_bytes(b"anything")
    with pytest.raises(DataError, match="this file is no checkpoint"):
        distributed.fit(model, table[7], checkpoint=file)


# What cannot be


@pytest.mark.parametrize("model", named([
    margin.SVC(), margin.RoteClassifier(), margin.C45(), margin.NaiveBayes(distributions="kernel"),
    margin.BaggingClassifier(), margin.AdaBoostClassifier(), margin.RandomForestClassifier(max_bins=None),
]))  # fmt: skip
def test_other_models_say_what_to_do_instead(table, model):
    assert way_of(model) == ""
    with pytest.raises(DataError, match=r"needs all rows in memory\. Fit it on a sample"):
        model.fit(table[1])


def test_what_is_asked_of_parts_is_checked_before_rows_are_read(table, tmp_path):
    model, parts = margin.NaiveBayes(), table[1]
    with pytest.raises(DataError, match="the parts have no target"):
        model.fit(margin.scan(table["folder"] / "whole.parquet"))
    with pytest.raises(InputError, match="parts know their target and weights"):
        model.fit(parts, [1, 2])
    with pytest.raises(InputTypeError, match=r"must be parts, as margin\.scan gives them, not list"):
        distributed.fit(model, [[1]])
    with pytest.raises(DataError, match=r"memory=1e\+06\): one block of 65,536 rows and 5 columns takes about 10 MB"):
        distributed.fit(model, parts, memory=1e6)
    with pytest.raises(DataError, match=r"disk=1000.*the rows take 0.01 GB"):
        distributed.fit(margin.LogisticRegression(), parts, disk=1000)
    with pytest.raises(ParameterError, match="engine must be 'local', 'processes'"):
        distributed.fit(model, parts, engine="process")
    with pytest.raises(ParameterError, match="workers must be a whole number above 0"):
        distributed.fit(model, parts, engine="processes", workers=0)
    with pytest.raises(ParameterError, match="every must be a whole number"):
        distributed.fit(model, parts, checkpoint=tmp_path / "c", every=0)
    with pytest.raises(ParameterError, match="alpha"):
        margin.NaiveBayes(alpha=-1).fit(parts)
    assert not model.__sklearn_is_fitted__()


def test_an_infinite_cell_is_refused_by_its_row(tmp_path):
    numbers = np.zeros(ROWS + 10)
    numbers[ROWS + 3] = np.inf
    parts = margin.scan({"a": numbers, "y": np.arange(len(numbers)) % 2}, target="y")
    with pytest.raises(InputError, match=rf"column 'a', row 3: a cell must be finite.*from row {ROWS:,} of the parts"):
        margin.NaiveBayes().fit(parts)


def test_parts_of_one_class_and_of_one_row_are_fitted_as_in_memory():
    for table in ({"a": [1.0, 2.0], "y": ["x", "x"]}, {"a": [1.0], "y": ["x"]}, {"a": [None, None], "y": ["x", "z"]}):
        whole = read(table, target="y")
        assert bytes_of(margin.NaiveBayes(), margin.scan(table, target="y")) == bytes_of(
            margin.NaiveBayes(), *whole.target("y")
        )
