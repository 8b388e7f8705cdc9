"""Answers in parts, what a fit costs, a cluster that is simulated, and one of Dask."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from sklearn.base import clone

import margin
from margin import distributed, persistence
from margin.data import read
from margin.data.parts.row_blocks import ROWS
from margin.distributed.engines.processes import ProcessEngine
from margin.distributed.sums import aligned_runs
from margin.errors import DataError, InputTypeError, MissingPackageError, ParameterError, WorkerError
from tests.distributed.made import cut, mixed_frame

pytestmark = pytest.mark.filterwarnings("ignore::margin.errors.MarginWarning")


@pytest.fixture(scope="module")
def parts(tmp_path_factory):
    return margin.scan(cut(mixed_frame(), tmp_path_factory.mktemp("p") / "parts", 4), target="y")


@pytest.fixture(scope="module")
def model(parts):
    return margin.NaiveBayes().fit(parts)


def test_answers_of_blocks_are_those_of_the_whole(parts, model, tmp_path):
    found = distributed.predict(model, parts, tmp_path / "out", probabilities=True)
    answers = pl.concat([pl.read_parquet(file) for file in found.files])
    X = parts.read().drop("y")
    assert answers["row"].to_list() == list(range(parts.n_rows))
    assert answers["answer"].to_list() == model.predict(X).tolist()
    assert np.array_equal(answers.select("P(u)", "P(v)", "P(w)").to_numpy(), model.predict_proba(X))
    assert np.array_equal(np.concatenate(list(distributed.predictions(model, parts))), model.predict(X))


def test_answers_go_on_where_they_were_stopped(parts, model, tmp_path):
    first = distributed.predict(model, parts, tmp_path, form=".csv")
    first.files[1].unlink()
    first.files[0].write_text("kept")
    distributed.predict(model, parts, tmp_path, form=".csv")
    assert first.files[0].read_text() == "kept"
    assert len(pl.read_csv(first.files[1])) == ROWS


def test_rows_without_a_column_of_the_model_are_refused(parts, model, tmp_path):
    with pytest.raises(DataError, match="column 'c' is missing in the parts; the model was fitted with it"):
        distributed.predict(model, margin.scan({"a": [1.0], "b": [2.0], "few": [1.0]}), tmp_path)
    with pytest.raises(InputTypeError, match="must be parts"):
        distributed.predict(model, read({"a": [1.0]}), tmp_path)
    with pytest.raises(ParameterError, match=r"form must be '.parquet' or '.csv'"):
        distributed.predict(model, parts, tmp_path, form=".xlsx")


# A cluster that is not there


@pytest.mark.parametrize("workers", [1, 3, 1000])
def test_a_simulated_cluster_learns_the_same(parts, model, workers):
    engine = distributed.SimulatedEngine(workers, stragglers=0.3, failures=0.3, seconds=1.0)
    with distributed.use(engine):
        assert persistence.to_bytes(margin.NaiveBayes().fit(parts)) == persistence.to_bytes(model)
    assert engine.counted.tasks == len(aligned_runs(parts.n_blocks, workers))
    assert engine.counted.deaths == sum(span.lost for span in engine.spans)


def test_the_clock_tells_work_network_and_what_goes_wrong():
    def seconds(**settings):
        engine = distributed.SimulatedEngine(**{"latency": 0.5, "bandwidth": 1e12, "seconds": 2.0, **settings})
        assert sorted(engine.map(pow, 2, range(8), "powers")) == [(i, 2**i) for i in range(8)]
        return engine.clock

    assert seconds(workers=8) == pytest.approx(0.5 + 2 + 0.5)
    assert seconds(workers=4) == pytest.approx(0.5 + 4 + 0.5)
    assert seconds(workers=8, stragglers=1.0, slowness=5.0) == pytest.approx(0.5 + 10 + 0.5)
    assert seconds(workers=1) == pytest.approx(0.5 + 16 + 0.5)
    assert seconds(workers=8, bandwidth=1.0) > 8  # bytes of shared and results at one a second
    assert seconds(workers=4, failures=0.5) > 5
    with pytest.raises(ParameterError, match="failures must be a share below 1"):
        distributed.SimulatedEngine(failures=1.0)
    with pytest.raises(ParameterError, match="workers must be a whole number above 0"):
        distributed.SimulatedEngine(workers=0)


@pytest.mark.parametrize("made", [margin.NaiveBayes(), margin.QuadraticDiscriminantAnalysis()])
def test_bytes_are_as_many_as_the_cost_says(parts, made):
    told = distributed.cost(made, parts, workers=2)
    engine = ProcessEngine(workers=2)
    try:
        with distributed.use(engine):
            clone(made).fit(parts)
        assert told.up == pytest.approx(engine.counted.up, rel=0.05)
        assert told.down == pytest.approx(engine.counted.down, rel=0.05)
        assert (told.passes, told.tasks) == (len(engine.counted.rounds), engine.counted.tasks)
    finally:
        engine.close()


def test_more_rows_cost_more_and_a_slow_link_ends_what_workers_gain(parts):
    few, many = (distributed.cost(margin.NaiveBayes(), parts, rows=n, workers=100) for n in (10**8, 10**10))
    assert many.work > 50 * few.work
    fast, slow = (distributed.cost(margin.NaiveBayes(), parts, rows=10**9, link=link) for link in (1e11, 1e6))
    assert fast.network < slow.network
    assert fast.most_workers > slow.most_workers
    with pytest.raises(DataError, match="only models that are functions of sums"):
        distributed.cost(margin.LogisticRegression(), parts)
    with pytest.raises(ParameterError, match="workers and link must be above 0"):
        distributed.cost(margin.NaiveBayes(), parts, workers=0)


# Dask


def test_without_dask_it_is_said_how_to_get_it(monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises((MissingPackageError, ModuleNotFoundError)):
        distributed.DaskEngine(None)


@pytest.fixture(scope="module")
def client():
    dask = pytest.importorskip("dask.distributed", reason="margin[dask] is not installed")
    cluster = dask.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None)
    found = dask.Client(cluster)
    yield found
    found.close()
    cluster.close()


@pytest.mark.parametrize(
    "made", [margin.NaiveBayes(), margin.LinearDiscriminantAnalysis(), margin.LogisticRegression()]
)
def test_a_cluster_of_dask_gives_the_same_bytes(client, parts, made):
    with distributed.use(client):
        found = persistence.to_bytes(clone(made).fit(parts))
    assert found == persistence.to_bytes(clone(made).fit(parts))


def test_a_worker_of_dask_that_dies_costs_its_tasks_alone(client, parts, model):
    import os

    engine = distributed.DaskEngine(client)
    pids = client.run(os.getpid)
    os.kill(next(iter(pids.values())), 9)
    with distributed.use(engine):
        assert persistence.to_bytes(margin.NaiveBayes().fit(parts)) == persistence.to_bytes(model)


def test_errors_on_a_cluster_come_back_as_they_are(client):
    def refuse(shared, item):
        raise DataError("as it was raised")

    with pytest.raises(DataError, match="as it was raised"):
        list(distributed.DaskEngine(client).map(refuse, None, [0], "refusing"))


def test_a_cluster_without_workers_or_with_others_is_refused(client, monkeypatch):
    dask = pytest.importorskip("dask.distributed")
    with (
        dask.LocalCluster(n_workers=0, dashboard_address=None) as empty,
        dask.Client(empty) as nobody,
        pytest.raises(WorkerError, match="the cluster has no workers"),
    ):
        distributed.DaskEngine(nobody)
    monkeypatch.setattr(client, "run", lambda function: {"tcp://there": ("9.9", "3.99", "none")})
    with pytest.raises(WorkerError, match=r"tcp://there has margin 9\.9 on Python 3\.99 with none, and the caller"):
        distributed.DaskEngine(client)
