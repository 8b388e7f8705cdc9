"""margin compare, train and predict on folders of pictures."""

import json

import numpy as np
import pytest
from click.testing import CliRunner
from PIL import Image

from margin.cli.app import cli
from margin.deep import Pixels
from margin.errors import InputError
from tests.deep.pictures.test_training import pictures


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    root = tmp_path_factory.mktemp("photos")
    for i, (picture, label) in enumerate(zip(*pictures(40, 5))):
        (root / label).mkdir(exist_ok=True)
        Image.fromarray(picture).save(root / label / f"{i}.png")
    return root


def margin(*args: object):
    return CliRunner().invoke(cli, [str(each) for each in args], catch_exceptions=True)


def test_models_of_pictures_stand_beside_the_majority_guess(folder):
    done = margin("compare", folder, "--folds", 2, "--image-size", 12, "--models", "majority,pixels + svm", "--json")
    assert done.exit_code == 0, done.output
    found = json.loads(done.output)
    assert found["pictures"] == 40
    assert found["models"]["majority"]["accuracy"][0] == 0.5
    value, low, high = found["models"]["pixels + svm"]["accuracy"]
    assert low <= value <= high
    shown = margin("compare", folder, "--folds", 2, "--image-size", 12, "--models", "majority")
    assert "40 pictures, 12 x 12, grey, 2 classes" in shown.output
    assert "majority  accuracy 0.500" in shown.output


def test_options_of_tables_are_refused_for_pictures(folder):
    done = margin("compare", folder, "--target", "class")
    assert done.exit_code
    assert "--target: with pictures there are --models, --folds" in str(done.exception) + done.output
    done = margin("compare", folder, "--models", "svm")
    assert "for pictures there are majority" in str(done.exception) + done.output


def test_a_network_is_trained_kept_and_asked(folder, tmp_path):
    path = tmp_path / "bars.margin"
    done = margin("train", folder, "--save", path, "--image-size", 12, "--set", "epochs=2", "--set", "n_jobs=1")
    assert done.exit_code == 0, done.output
    assert "epoch 2 of 2: loss" in done.output
    assert "small, 2 epochs, 40 pictures of 2 classes" in done.output
    asked = margin("predict", path, folder, "--json")
    found = json.loads(asked.output)
    assert len(found["answer"]) == 40
    assert set(found["answer"]) <= {"lying", "standing"}
    written = margin("predict", path, folder, "--out", tmp_path / "answers.csv", "-p")
    assert written.exit_code == 0, written.output
    assert (tmp_path / "answers.csv").read_text().startswith("file,answer,probability,p(lying),p(standing)\n")
    refused = margin("train", folder, "--save", path, "--set", "epoch=2")
    assert "did you mean 'epochs'?" in str(refused.exception) + refused.output


def test_pixels_are_rows_of_numbers_from_0_to_1():
    X, _ = pictures(6)
    rows = Pixels().fit_transform(X)
    assert np.array_equal(rows, X.reshape(6, -1) / 255)
    assert Pixels(6).fit(X).transform(X[:0]).shape == (0, 36)
    with pytest.raises(InputError, match="there are no pictures"):
        Pixels().fit(X[:0])
