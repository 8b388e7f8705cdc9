"""margin picture forge, translate, dream and look, on files."""

import numpy as np
import pytest
from click.testing import CliRunner
from PIL import Image

torch = pytest.importorskip("torch")

from margin import ImageClassifier  # noqa: E402
from margin.cli.app import cli  # noqa: E402
from margin.persistence import save  # noqa: E402


def margin(*args: object):
    return CliRunner().invoke(cli, [str(each) for each in args], catch_exceptions=True)


def said(done):
    return done.output + str(done.exception)


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    root, random = tmp_path_factory.mktemp("kinds"), np.random.default_rng(0)
    for kind in "ab":
        (root / kind).mkdir()
        for i in range(20):
            made = random.integers(0, 60, (16, 16, 3), dtype=np.uint8)
            made[: 8 if kind == "a" else 16, :8] += 150
            Image.fromarray(made).save(root / kind / f"{i}.png")
    return root


@pytest.fixture(scope="module")
def classifier(folders):
    from margin.experiment.pictures import pictures_to_answer

    X = np.concatenate([pictures_to_answer(str(folders / kind)).pixels() for kind in "ab"])
    model = ImageClassifier(epochs=3, n_jobs=1).fit(X, np.repeat(["a", "b"], 20))
    save(model, folders / "kinds.margin")
    return folders / "kinds.margin"


def test_a_forger_is_taught_by_a_folder_kept_and_asked(folders, tmp_path):
    sheet, model = tmp_path / "sheet.png", tmp_path / "forger.margin"
    given = ["--set", "steps=4", "--set", "width=4", "--set", "latent=4", "--set", "batch_size=8", "--set", "n_jobs=1"]
    done = margin("picture", "forge", folders / "a", "-o", sheet, "--save", model, "--n", 9, "--every", 2, *given)
    assert done.exit_code == 0, said(done)
    assert "9 pictures, 4 steps" in done.output
    assert Image.open(sheet).size == (3 * 48, 3 * 48)
    first = sheet.read_bytes()
    done = margin("picture", "forge", model, "-o", sheet, "--n", 9)
    assert done.exit_code == 0, said(done)
    assert sheet.read_bytes() == first
    assert "DCGAN" in margin("model", "show", model).output or "dcgan" in margin("model", "show", model).output


def test_a_translator_is_taught_by_two_folders_kept_and_asked(folders, tmp_path):
    model = tmp_path / "ab.margin"
    given = ["--set", "steps=2", "--set", "width=2", "--set", "blocks=1", "--set", "n_jobs=1"]
    done = margin("picture", "translate", folders / "a", folders / "b", "--save", model, *given)
    assert done.exit_code == 0, said(done)
    done = margin("picture", "translate", model, folders / "a", "--out", tmp_path / "out")
    assert done.exit_code == 0, said(done)
    assert len(list((tmp_path / "out").glob("*.png"))) == 20


def test_dreams_are_written_and_told(classifier, folders, tmp_path):
    out = tmp_path / "dream.png"
    done = margin("picture", "dream", classifier, folders / "a" / "0.png", "-o", out, "-l", "features.0",
                  "--steps", 3, "--octaves", 1, "--every", 1)  # fmt: skip
    assert done.exit_code == 0, said(done)
    assert "response" in done.output
    assert Image.open(out).size == (16, 16)
    done = margin("picture", "dream", classifier, "--unit", "b", "-o", out, "--steps", 3)
    assert done.exit_code == 0, said(done)


def test_a_page_shows_layers_and_places(classifier, folders, tmp_path):
    out = tmp_path / "page.html"
    done = margin("picture", "look", classifier, folders / "b" / "3.png", "-o", out)
    assert done.exit_code == 0, said(done)
    page = out.read_text()
    assert page.count("<figure>") > 10
    assert "Grad-CAM" in page
    assert "http" not in page


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["forge", "nowhere", "-o", "x.png"], "nowhere"),
        (["forge", "{root}/a", "-o", "x.txt"], "must end with"),
        (["forge", "{model}", "-o", "x.png"], "makes no pictures"),
        (["forge", "{root}/a", "-o", "x.png", "--set", "step=3"], "did you mean 'steps'"),
        (["forge", "{root}/a", "-o", "x.png"], "fewer than a batch"),
        (["translate", "{root}/a", "{root}/b"], "--save"),
        (["translate", "{model}", "{root}/b", "-o", "out"], "translates nothing"),
        (["translate", "{model}", "{root}/b"], "--out"),
        (["dream", "{model}", "{root}/a/0.png", "-o", "x.png", "-l", "featured.0"], "no layer of that name"),
        (["dream", "{model}", "-o", "x.png"], "give a PICTURE"),
        (["dream", "{model}", "-o", "x.png", "--unit", "z"], "the classes are"),
        (["dream", "nowhere.margin", "{root}/a/0.png", "-o", "x.png"], "no such file"),
        (["look", "{model}", "{root}/a/0.png", "-o", "x.png"], ".html"),
        (["look", "{model}", "nowhere.png", "-o", "x.html"], "nowhere.png"),
    ],
)
def test_what_cannot_be_done_is_refused_in_a_line(classifier, folders, tmp_path, monkeypatch, args, words):
    monkeypatch.chdir(tmp_path)
    done = margin("picture", *(each.format(root=folders, model=classifier) for each in args))
    assert done.exit_code
    assert words in said(done)
