"""CycleGAN: what it learns of two kinds of pictures, keeps and refuses."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from margin.data.generators import two_domains  # noqa: E402
from margin.deep.generative import CycleGAN  # noqa: E402
from margin.errors import InputError, MarginError, NotFittedError, ParameterError  # noqa: E402
from margin.persistence import from_bytes, to_bytes  # noqa: E402

QUICK = {"blocks": 1, "steps": 4, "batch_size": 2, "n_jobs": 1}


@pytest.fixture(scope="module")
def bars():
    random = np.random.default_rng(0)
    made = np.zeros((40, 16, 16))
    for picture, at in zip(made, random.integers(2, 12, 40), strict=True):
        picture[:, at : at + 3] = 1.0
    return two_domains(made, seed=0)


@pytest.fixture(scope="module")
def model(bars):
    return CycleGAN(2, **QUICK).fit(bars.a, bars.b)


def test_what_is_sent_comes_back_in_its_shape(model, bars):
    assert model.translate(bars.a[:3]).shape == (3, 16, 16, 3)
    assert model.there_and_back(bars.b[:2], by="a").shape == (2, 16, 16, 3)
    assert model.translate(bars.a[:0]).shape == (0, 16, 16, 3)
    assert len(model.cycle_losses_) == len(model.value_) == 4


def test_a_file_answers_alike_and_the_same_seed_gives_the_same_bytes(model, bars):
    content = to_bytes(model)
    again = from_bytes(content)
    assert (again.translate(bars.a[:2]) == model.translate(bars.a[:2])).all()
    assert to_bytes(again) == content
    assert to_bytes(CycleGAN(2, **QUICK).fit(bars.a, bars.b)) == content


def test_a_run_that_goes_on_has_the_bytes_of_one_that_never_stopped(bars, tmp_path):
    given = {**QUICK, "steps": 54, "pool": 3, "checkpoint": str(tmp_path)}
    model = CycleGAN(2, **given)
    for step in model.training(bars.a, bars.b):
        if step.step == 51:
            break
    gone_on = CycleGAN(2, **given, resume=True).fit(bars.a, bars.b)
    whole = CycleGAN(2, **{**given, "checkpoint": None}).fit(bars.a, bars.b)
    for one, other in zip(gone_on._tensors.values(), whole._tensors.values(), strict=True):
        assert (one == other).all()
    assert (gone_on.cycle_losses_ == whole.cycle_losses_).all()


def test_kinds_of_other_colours_are_translated_where_none_has_to_stay(bars):
    grey = bars.a[..., :1]
    with pytest.raises(InputError, match="1 channels and those of B 3"):
        CycleGAN(2, **QUICK).fit(grey, bars.b)
    model = CycleGAN(2, **QUICK, identity=0).fit(grey, bars.b)
    assert model.translate(grey[:2], to="b").shape == (2, 16, 16, 3)
    assert model.translate(bars.b[:2], to="a").shape == (2, 16, 16, 1)


@pytest.mark.parametrize(
    ("A", "B", "words"),
    [
        (np.zeros((5, 16, 16)), np.zeros((5, 20, 20)), "16 x 16 pixels and those of B 20 x 20"),
        (np.zeros((5, 18, 18)), np.zeros((5, 18, 18)), "multiples of 4"),
        (np.zeros((5, 1, 1)), np.zeros((5, 1, 1)), "multiples of 4 from 12"),
        (np.zeros((1, 16, 16)), np.zeros((5, 16, 16)), "1 pictures in A, fewer than a batch"),
        (np.zeros((5, 16, 16)), np.zeros((0, 16, 16)), "0 pictures in B"),
        (np.zeros((5, 16, 16)), np.full((5, 16, 16), np.inf), "not finite"),
        (np.zeros((5, 16)), np.zeros((5, 16, 16)), "."),
    ],
)
def test_kinds_that_do_not_go_together_are_refused(A, B, words):
    with pytest.raises(MarginError, match=words):
        CycleGAN(2, **QUICK).fit(A, B)


def test_what_cannot_be_asked_is_refused(model, bars):
    with pytest.raises(ParameterError, match="to must be 'a' or 'b'"):
        model.translate(bars.a, to="c")
    with pytest.raises(InputError, match="20 x 20"):
        model.translate(np.zeros((2, 20, 20, 3)))
    with pytest.raises(NotFittedError):
        CycleGAN().translate(bars.a)
    with pytest.raises(ParameterError, match=r"^CycleGAN\(blocks=0\)"):
        CycleGAN(blocks=0).fit(bars.a, bars.b)
