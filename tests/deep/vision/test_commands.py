"""Made data on disk, and commands that learn from it and answer."""

from __future__ import annotations

import csv

import numpy as np
import pytest
from click.testing import CliRunner
from PIL import Image

from margin.cli.app import cli
from margin.data.generated.folders import read_scenes
from margin.data.generators import scenes

pytest.importorskip("torch")


def margin(*args: object):
    return CliRunner().invoke(cli, [str(each) for each in args], catch_exceptions=True)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("made") / "shapes"
    done = margin("data", "make", "scenes", place, "--n", 12, "--size", 32, "--objects", "1-2", "--seed", 3)
    assert done.exit_code == 0, done.output
    return place


def pixels_of(path):
    return np.asarray(Image.open(path))


def test_scenes_on_disk_are_those_in_memory(folder):
    made = scenes(12, 32, objects=(1, 2), seed=3)
    read = read_scenes(folder)
    assert len(read.names) == 12
    for i, name in enumerate(read.names):
        assert (pixels_of(folder / "pictures" / name) == made.pictures[i]).all()
        assert (pixels_of(folder / "masks" / name) == made.class_masks[i]).all()
        assert (read.object_masks[i] == made.object_masks[i]).all()
    assert read.captions == [[text] for text in made.captions]
    assert read.questions == list(made.questions)
    with open(folder / "boxes.csv", newline="") as lines:
        rows = list(csv.DictReader(lines))
    assert [int(rows[0][name]) for name in ("first_row", "first_column", "end_row", "end_column")] == list(
        made.boxes[0][0]
    )
    again = margin("data", "make", "scenes", folder, "--n", 2)
    assert again.exit_code == 2
    assert "is not empty" in again.output


def test_domains_and_textures_are_written(tmp_path):
    assert margin("data", "make", "two_domains", tmp_path / "two", "--n", 6, "--size", 16).exit_code == 0
    assert len(list((tmp_path / "two/a").iterdir())) == len(list((tmp_path / "two/judge/a_as_b").iterdir())) == 3
    assert margin("data", "make", "textures", tmp_path / "waves", "--n", 2, "--size", 16).exit_code == 0
    assert pixels_of(tmp_path / "waves/00001.png").shape == (16, 16, 3)
    assert margin("data", "make", "scenes", tmp_path / "no", "--objects", "some").exit_code == 2


def test_masks_are_learnt_and_drawn(folder, tmp_path):
    model = tmp_path / "shapes.margin"
    done = margin("picture", "segment", folder, "--save", model, "--set", "epochs=1", "--set", "width=2")
    assert done.exit_code == 0, done.output
    assert "epoch 1 of 1: loss" in done.output
    done = margin("picture", "segment", model, folder / "pictures", "--out", tmp_path / "out")
    assert done.exit_code == 0, done.output
    assert "answers for 12 pictures" in done.output
    assert set(np.unique(pixels_of(tmp_path / "out/masks/00000.png"))) <= {0, 1, 2, 3}
    assert pixels_of(tmp_path / "out/overlays/00000.png").shape == (32, 32, 3)
    refused = margin("predict", model, folder / "pictures")
    assert refused.exit_code == 2
    assert "is a Segmenter, which gives no class for each picture" in refused.output
    shown = margin("model", "show", model)
    assert shown.exit_code == 0, shown.output
    assert "Segmenter" in shown.output


def test_objects_are_learnt_and_drawn(folder, tmp_path):
    model = tmp_path / "objects.margin"
    few = [x for each in ("epochs=1", "width=2", "patch=32", "mask=8", "rank=4") for x in ("--set", each)]
    assert margin("picture", "segment", folder, "--objects", "--save", model, *few).exit_code == 0
    done = margin("picture", "segment", model, folder / "pictures/00000.png", "-o", tmp_path / "out", "-q")
    assert done.exit_code == 0, done.output
    assert done.output == ""
    assert (tmp_path / "out/overlays/00000.png").exists()


def test_captions_are_learnt_and_written(folder, tmp_path):
    model = tmp_path / "says.margin"
    few = [x for each in ("epochs=1", "encoder=2", "hidden_size=8") for x in ("--set", each)]
    done = margin("picture", "caption", folder, "--save", model, *few)
    assert done.exit_code == 0, done.output
    done = margin("picture", "caption", model, folder / "pictures", "--out", tmp_path / "said.csv")
    assert done.exit_code == 0, done.output
    assert (tmp_path / "said.csv").read_text().splitlines()[0] == "file,caption,log_probability"
    assert margin("picture", "caption", model, folder / "pictures", "--ask", "what is it").exit_code == 2
    assert margin("picture", "caption", model, folder / "pictures", "--beam", 0).exit_code == 2


def test_questions_are_learnt_and_answered(folder, tmp_path):
    model = tmp_path / "answers.margin"
    few = [x for each in ("epochs=1", "width=2", "hidden_size=8") for x in ("--set", each)]
    assert margin("picture", "caption", folder, "--questions", "--save", model, *few).exit_code == 0
    done = margin("picture", "caption", model, folder / "pictures", "--ask", "how many objects are there")
    assert done.exit_code == 0, done.output
    assert len(done.output.splitlines()) == 12
    assert "--ask one" in margin("picture", "caption", model, folder / "pictures").output


def test_pictures_are_stylized(folder, tmp_path):
    one, other = folder / "pictures/00000.png", folder / "pictures/00001.png"
    few = [
        x
        for each in ("architecture=vgg11", "steps=2", "content_layers=conv1_1", "style_layers=conv1_1,conv2_1")
        for x in ("--set", each)
    ]
    done = margin("picture", "stylize", one, other, "--out", tmp_path / "o.png", "--size", 24, "--every", 1, *few)
    assert done.exit_code == 0, done.output
    assert "no strokes" in done.output
    assert "step 1: loss" in done.output
    assert pixels_of(tmp_path / "o.png").shape == (24, 24, 3)
    assert [each.name for each in tmp_path.iterdir()] == ["o.png"]


@pytest.mark.parametrize(
    ("args", "told"),
    [
        (("segment", "nowhere", "--save", "m.margin"), "has no folder 'pictures'"),
        (("segment", "model.margin"), "give --save FILE to learn"),
        (("segment", "a", "b", "--save", "m.margin"), "--save learns from one folder"),
        (("caption", "model.margin"), "give --save FILE to learn"),
        (("stylize", "a.png", "b.png", "--out", "a.png"), "another picture of this command"),
        (("stylize", "a.png", "b.png", "--out", "o.gif"), "must end in .png or .jpg"),
        (("stylize", "a.png", "b.png", "--out", "o.png"), "a.png"),
    ],
)
def test_what_cannot_be_is_one_line(args, told):
    done = margin("picture", *args)
    assert done.exit_code == 2
    assert told in done.output
    assert len(done.output.strip().splitlines()) == 1
