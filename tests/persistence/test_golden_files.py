"""Files of every release answer as they did when they were written."""

from __future__ import annotations

import json
import warnings

import numpy as np
import pytest

from margin.base.estimator import TableEstimator
from margin.persistence import FORMAT, header, load
from margin.persistence.container.reading import open_container
from margin.persistence.container.sources import opened_file
from margin.persistence.kinds import BY_NAME
from tests.contract.estimators import answers
from tests.persistence.golden_files import LARGEST, ROWS, folders

FILES = [(folder, name) for folder in folders() for name in sorted(json.loads((folder / "answers.json").read_text()))]


@pytest.mark.parametrize(("folder", "name"), FILES, ids=lambda part: getattr(part, "name", part))
def test_a_file_of_a_release_answers_as_it_did(folder, name):
    said = json.loads((folder / "answers.json").read_text())[name]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = answers(load(folder / name), ROWS[said["data"]]())
    np.testing.assert_allclose(
        np.asarray(found, dtype=float), np.asarray(said["answers"], dtype=float), rtol=1e-12, atol=1e-12
    )


@pytest.mark.parametrize("folder", folders(), ids=lambda folder: folder.name)
def test_every_file_is_tried_and_small(folder):
    said = json.loads((folder / "answers.json").read_text())
    assert sorted(path.name for path in folder.glob("*.margin")) == sorted(said)
    assert max(path.stat().st_size for path in folder.glob("*.margin")) <= LARGEST


def test_files_of_this_format_hold_every_kind_of_model():
    kinds = set()
    for folder, name in FILES:
        if header(folder / name).format == FORMAT:
            with opened_file(folder / name) as source:
                kinds |= open_container(source).header["kinds"].keys()
    models = {
        name for name, kind in BY_NAME.items() if issubclass(kind.cls, TableEstimator) and kind.cls.accepts_tables
    }
    assert models <= kinds


def test_some_files_hold_dates_and_texts():
    """Each kept by what it is made of: days since an origin, buckets of words."""
    made = [load(folder / name) for folder, name in FILES if name.endswith("-visits.margin")]
    assert all(model._columns.dates for model in made)
    assert any(getattr(model._encoder, "texts", ()) for model in made)
