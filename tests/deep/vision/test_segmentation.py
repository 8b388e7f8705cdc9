"""Masks: networks of known sizes, losses and scores by hand, any size at prediction, bad input."""

from __future__ import annotations

import numpy as np
import pytest

import margin
from margin import persistence
from margin.data.images import Images
from margin.deep.vision import Segmenter, segmentation_report
from margin.errors import DataError, DataWarning, InputError, LabelError, ParameterError
from tests.persistence.mutants import Mutants

torch = pytest.importorskip("torch")

from margin.deep.pictures.augmentation import changed_together  # noqa: E402
from margin.deep.vision.segmentation.answering import logits_of_pictures  # noqa: E402
from margin.deep.vision.segmentation.losses import LOSSES  # noqa: E402
from margin.deep.vision.segmentation.networks import segmentation_net  # noqa: E402
from margin.deep.vision.segmentation.plan import ARCHITECTURES, SegmentationPlan  # noqa: E402


def quick(**given):
    return Segmenter(**{"width": 2, "epochs": 1, "batch_size": 4, "n_jobs": 1, **given})


# Networks


@pytest.mark.golden("I7")
def test_the_u_net_of_2015_has_the_published_parameters_and_sizes():
    net = segmentation_net(SegmentationPlan("unet", 1, 2, 64, 4, padding="valid"), "meta")
    assert sum(each.numel() for each in net.parameters()) == 31_030_658
    with torch.no_grad():
        narrow = segmentation_net(SegmentationPlan("unet", 1, 2, 1, 4, padding="valid"))
        assert narrow(torch.zeros(1, 1, 572, 572)).shape == (1, 2, 388, 388)
        same = segmentation_net(SegmentationPlan("unet", 1, 2, 1, 4))
        assert same(torch.zeros(1, 1, 64, 48)).shape == (1, 2, 64, 48)


@pytest.mark.parametrize("name", ARCHITECTURES)
def test_no_pixel_sees_further_than_the_network_says(name):
    net = segmentation_net(SegmentationPlan(name, 1, 2, 2, 3), seed=1).double().eval()
    x = torch.rand(1, 1, 160, 160, dtype=torch.float64, generator=torch.Generator().manual_seed(0)).requires_grad_()
    net(x)[0, 0, 79, 81].backward()
    rows, columns = np.nonzero(x.grad[0, 0].numpy())
    assert max(abs(rows - 79).max(), abs(columns - 81).max()) <= net.reach
    assert len(rows) > 9


@pytest.mark.parametrize("name", ARCHITECTURES)
def test_tiles_leave_no_seams(name):
    net = segmentation_net(SegmentationPlan(name, 3, 3, 4, 3, batch_norm=True), seed=2)
    images = Images.from_array(np.random.default_rng(0).random((1, 211, 190, 3)))
    scale = margin.deep.vision.given.PictureScale.learnt(images).scale
    (whole,) = logits_of_pictures(net, images, scale, 1000, 1)
    (tiled,) = logits_of_pictures(net, images, scale, 24, 1)
    assert whole.shape == (3, 211, 190)
    np.testing.assert_allclose(tiled, whole, atol=2e-5 * float(whole.abs().max()))


# Losses and scores


def test_losses_of_one_picture_by_hand():
    shares = torch.tensor([[0.8, 0.6], [0.3, 0.5]])  # of the second class
    logits = torch.log(torch.stack([1 - shares, shares]))[None]
    codes = torch.tensor([[[1, 1], [0, -1]]])
    right = np.array([0.8, 0.6, 0.7])
    assert LOSSES["cross_entropy"](logits, codes).item() == pytest.approx(-np.log(right).mean())
    assert LOSSES["focal"](logits, codes).item() == pytest.approx(-((1 - right) ** 2 * np.log(right)).mean())
    ground, thing = (2 * 0.7 + 1) / (1.3 + 1 + 1), (2 * 1.4 + 1) / (1.7 + 2 + 1)
    assert LOSSES["dice"](logits, codes).item() == pytest.approx(1 - (ground + thing) / 2)


@pytest.mark.parametrize("loss", LOSSES)
def test_pixels_to_be_ignored_get_no_slope(loss):
    logits = torch.randn(2, 3, 4, 4, requires_grad=True)
    codes = torch.randint(0, 3, (2, 4, 4))
    codes[:, 1] = -1
    LOSSES[loss](logits, codes).sum().backward()
    assert logits.grad[:, :, 1].abs().max() == 0
    assert logits.grad[:, :, 0].abs().max() > 0


@pytest.mark.golden("I7")
def test_the_share_of_two_masks_follows_from_dice():
    random = np.random.default_rng(0)
    true, found = random.integers(0, 2, (2, 1, 9, 9))
    both = ((true == 1) & (found == 1)).sum()
    dice = 2 * both / ((true == 1).sum() + (found == 1).sum())
    assert segmentation_report(true, found).iou[1].value == pytest.approx(dice / (2 - dice), rel=1e-12)


def test_the_report_agrees_with_its_slow_definition():
    random = np.random.default_rng(1)
    true, found = random.integers(0, 3, (2, 5, 12, 11))
    report = segmentation_report(true, found, tolerance=1.0)
    iou, f1 = [], []
    for c in range(3):
        one, other = true == c, found == c
        iou.append((one & other).sum() / (one | other).sum())
        met = np.zeros(4)
        for a, b in zip(found == c, true == c):
            edges = [
                [
                    (i, j)
                    for i, j in np.argwhere(mask)
                    if any(
                        0 <= i + di < 12 and 0 <= j + dj < 11 and not mask[i + di, j + dj]
                        for di, dj in ((0, 1), (1, 0), (0, -1), (-1, 0))
                    )
                ]
                for mask in (a, b)
            ]
            for at, (these, those) in enumerate([edges, edges[::-1]]):
                near = [any(np.hypot(i - k, j - m) <= 1.0 for k, m in those) for i, j in these]
                met[2 * at : 2 * at + 2] += len(these), sum(near)
        precision, recall = met[1] / met[0], met[3] / met[2]
        f1.append(2 * precision * recall / (precision + recall))
    assert [each.value for each in report.iou.values()] == pytest.approx(iou)
    assert report.mean_iou.value == pytest.approx(np.mean(iou))
    assert report.boundary_f1.value == pytest.approx(np.mean(f1))
    assert report.pixel_accuracy.value == pytest.approx((true == found).mean())
    assert report.mean_iou.interval.low < report.mean_iou.value < report.mean_iou.interval.high
    assert "mean IoU" in str(report)


def test_intervals_are_over_pictures_and_not_over_pixels():
    random = np.random.default_rng(2)
    true = np.zeros((30, 8, 8), int)
    found = np.where(random.random((30, 1, 1)) < 0.3, 1, 0) * np.ones((1, 8, 8), int)  # whole pictures are wrong
    small = segmentation_report(true, found, classes=[0, 1]).pixel_accuracy.interval
    large = segmentation_report(true.repeat(4, 1), found.repeat(4, 1), classes=[0, 1]).pixel_accuracy.interval
    assert (small.low, small.high) == pytest.approx((large.low, large.high))
    assert small.half_width > 0.1


def test_the_worst_pictures_come_first():
    true = np.zeros((3, 4, 4), int)
    true[:, 2:] = 1
    found = true.copy()
    found[1] = 1 - found[1]
    found[2, 1] = 1
    assert segmentation_report(true, found).worst.tolist() == [1, 2, 0]


# Learning and answering


def test_a_small_network_finds_shapes(shapes, segmenter):
    report = segmentation_report(shapes.class_masks > 0, segmenter.predict(shapes.pictures))
    ground = (shapes.class_masks > 0) == np.zeros_like(shapes.class_masks)
    assert report.pixel_accuracy.value > ground.mean() + 0.03  # most pixels are ground
    assert report.mean_iou.value > 0.85
    assert segmenter.score(shapes.pictures, shapes.class_masks > 0) == pytest.approx(report.mean_iou.value)
    assert segmenter.predict(shapes.pictures).dtype == bool


def test_probabilities_add_up_and_agree_with_the_answers(shapes, segmenter):
    found = segmenter.predict_proba(shapes.pictures[:3])
    np.testing.assert_allclose(found.sum(axis=1), 1)
    assert (segmenter.classes_[found.argmax(axis=1)] == segmenter.predict(shapes.pictures[:3])).all()


def test_pictures_of_any_size_are_answered_in_their_size(segmenter):
    random = np.random.default_rng(0)
    sizes = [(1, 1), (17, 30), (17, 30), (200, 33)]
    given = [random.random((*size, 3)) for size in sizes]
    assert [each.shape for each in segmenter.predict(given)] == sizes
    assert [each.shape for each in segmenter.predict_proba(given)] == [(2, *size) for size in sizes]
    alone = segmenter.predict(given[1][None])
    assert (alone[0] == segmenter.predict(given)[1]).all()
    assert segmenter.predict(np.zeros((0, 4, 4, 3))).shape == (0, 0, 0)
    assert segmenter.predict(random.random((2, 16, 16))).shape == (2, 16, 16)  # grey ones become coloured


def test_large_pictures_need_little_memory(segmenter):
    big = np.zeros((1, 900, 700, 3), np.uint8)
    assert segmenter.predict(big).shape == (1, 900, 700)


def test_pictures_and_masks_are_moved_together():
    random = np.random.default_rng(0)
    codes = torch.from_numpy((random.random((16, 24, 24)) < 0.3).astype(np.int64))
    x = codes[:, None].float().expand(-1, 3, -1, -1) * 2 - 1
    changes = {"flip": 0.5, "rotate": 30.0, "shift": 0.2, "scale": 0.2}
    moved, masks = changed_together(x, codes, random, changes)
    assert set(masks.unique().tolist()) == {-1, 0, 1}
    inside = masks >= 0
    sure = inside & (moved[:, 0].abs() > 0.6)  # not blended
    assert sure.sum() > 500
    assert ((moved[:, 0] > 0) == (masks == 1))[sure].all()
    flipped, mirrored = changed_together(x, codes, np.random.default_rng(3), {"flip": 1.0})
    assert (flipped[:, 0] == mirrored * 2 - 1).all()
    assert (mirrored == codes.flip(2)).all()


def test_the_same_seed_gives_the_same_bytes(shapes):
    made = [quick(augmentation="rotate").fit(shapes.pictures, shapes.class_masks) for _ in range(2)]
    other = quick(random_state=1).fit(shapes.pictures, shapes.class_masks)
    assert persistence.to_bytes(made[0]) == persistence.to_bytes(made[1])
    assert persistence.to_bytes(made[0]) != persistence.to_bytes(other)


@pytest.mark.parametrize("name", ARCHITECTURES)
def test_models_come_back_from_their_files(name, shapes, tmp_path):
    model = quick(architecture=name, depth=3).fit(shapes.pictures, shapes.class_masks)
    persistence.save(model, tmp_path / "masks.margin")
    again = persistence.load(tmp_path / "masks.margin")
    assert (again.predict_proba(shapes.pictures[:2]) == model.predict_proba(shapes.pictures[:2])).all()


def test_a_run_goes_on_where_it_stopped(shapes, tmp_path):
    given = {"epochs": 4, "schedule": "constant"}
    whole = quick(**given).fit(shapes.pictures, shapes.class_masks)
    for epoch in quick(checkpoint=tmp_path, **given).training(shapes.pictures, shapes.class_masks):
        if epoch.number == 2:
            break
    gone_on = quick(checkpoint=tmp_path, resume=True, **given).fit(shapes.pictures, shapes.class_masks)
    assert (gone_on.loss_curve_ == whole.loss_curve_).all()


def test_whoever_leaves_the_loop_has_the_network_as_it_was(shapes):
    model = quick(epochs=5)
    for epoch in model.training(shapes.pictures, shapes.class_masks):
        if epoch.number == 2:
            break
    assert model.n_iter_ == 2
    assert model.stopped_
    assert model.predict(shapes.pictures[:1]).shape == (1, 16, 16)


def test_ctrl_c_keeps_the_epochs_that_are_finished(shapes):
    model = quick(epochs=5)
    run = model.training(shapes.pictures, shapes.class_masks)
    next(run)
    with pytest.raises(KeyboardInterrupt):
        run.throw(KeyboardInterrupt)
    assert model.n_iter_ == 1
    assert model.stopped_


def test_held_out_pictures_judge_every_epoch(shapes):
    model = quick(epochs=3, early_stopping=True).fit(shapes.pictures, shapes.class_masks)
    assert len(model.validation_scores_) == 3
    pair = shapes.pictures[:9], shapes.class_masks[:9]
    model = quick(epochs=2).fit(shapes.pictures, shapes.class_masks, validation=pair)
    assert model.validation_scores_.max() == pytest.approx(model.score(*pair), abs=1e-6)


def test_weights_of_a_file_are_taken_but_for_the_classes(shapes, tmp_path):
    first = quick(epochs=3).fit(shapes.pictures, shapes.class_masks)
    margin.deep.save_weights(first.network_, tmp_path / "net.safetensors")
    second = quick(weights=str(tmp_path / "net.safetensors"), rate=1e-12).fit(shapes.pictures, shapes.class_masks > 0)
    name = "down.0.0.weight"
    np.testing.assert_allclose(second._tensors[name], first._tensors[name], atol=1e-9)


def test_windows_of_pictures_of_several_sizes_are_learnt(shapes):
    pictures = [*shapes.pictures[:4], *(np.zeros((20, 9, 3), np.uint8) for _ in range(4))]
    masks = [*shapes.class_masks[:4], *(np.zeros((20, 9), int) for _ in range(4))]
    model = quick(crop=8).fit(pictures, masks)
    assert [each.shape for each in model.predict(pictures[3:5])] == [(16, 16), (20, 9)]
    with pytest.raises(InputError, match=r"several sizes, '16 x 16', '20 x 9' \(crop="):
        quick().fit(pictures, masks)


def test_masks_lie_in_a_folder_beside_the_pictures(shapes, tmp_path):
    from PIL import Image

    for name in ("pictures", "masks"):
        (tmp_path / name).mkdir()
    for i in range(6):
        Image.fromarray(shapes.pictures[i]).save(tmp_path / f"pictures/{i}.png")
        Image.fromarray(shapes.class_masks[i]).save(tmp_path / f"masks/{i}.png")
    model = quick().fit(tmp_path)
    assert model.classes_.tolist() == np.unique(shapes.class_masks[:6]).tolist()
    told = quick().fit(tmp_path / "pictures", tmp_path / "masks")
    assert (told.predict(tmp_path / "pictures") == model.predict(shapes.pictures[:6])).all()
    (tmp_path / "masks/3.png").unlink()
    with pytest.raises(DataError, match="no masks of '3'"):
        quick().fit(tmp_path)
    Image.fromarray(shapes.pictures[3]).save(tmp_path / "masks/3.png")
    with pytest.raises(DataError, match="a picture of colours"):
        quick().fit(tmp_path)


# Bad input


def test_masks_that_cannot_be_are_refused(shapes):
    X, y = shapes.pictures, shapes.class_masks.astype(int)
    with pytest.raises(InputError, match="mask 0 is 15 x 16 pixels, and its picture 16 x 16"):
        quick().fit(X, y[:, 1:])
    with pytest.raises(InputError, match="59 masks were given for 60 pictures"):
        quick().fit(X, y[1:])
    with pytest.raises(LabelError, match=r"mask 0 holds 0.5 in row 0, column 0"):
        quick().fit(X, y + 0.5)
    with pytest.raises(LabelError, match="which is not among the classes 0, 1"):
        quick(classes=[0, 1]).fit(X, y)
    with pytest.raises(LabelError, match="all pixels are 0"):
        quick().fit(X, 0 * y)
    with pytest.raises(InputError, match="there are no masks"):
        quick().fit(X)
    with pytest.raises(InputError, match=r"cannot be halved 9 times \(give a smaller depth\)"):
        quick(depth=9).fit(X, y)
    with pytest.raises(InputError, match=r"cannot be halved 3 times \(crop=8 learns"):
        quick(depth=3).fit(X[:, :15, :15], y[:, :15, :15])
    with pytest.raises(InputError, match="two pictures at least"):
        quick().fit(X[:1], y[:1])
    assert quick().fit(X, y.astype(float)).classes_.tolist() == [0, 1, 2, 3]


def test_a_class_without_a_pixel_is_told(shapes):
    with pytest.warns(DataWarning, match="no pixel of the training masks is 9"):
        model = quick(classes=[0, 1, 2, 3, 9]).fit(shapes.pictures, shapes.class_masks)
    assert model.classes_.tolist() == [0, 1, 2, 3, 9]


def test_pictures_without_a_thing_are_learnt_along(shapes):
    masks = shapes.class_masks.copy()
    masks[:20] = 0
    assert quick().fit(shapes.pictures, masks).n_iter_ == 1


def test_a_label_can_be_ignored(shapes):
    masks = shapes.class_masks.astype(int)
    masks[:, :3] = 255
    model = quick(ignore=255).fit(shapes.pictures, masks)
    assert model.classes_.tolist() == [0, 1, 2, 3]
    assert 0 <= model.score(shapes.pictures, masks) <= 1
    masks[:] = 255
    with pytest.raises(LabelError):
        quick(ignore=255).fit(shapes.pictures, masks)


def test_pictures_of_other_colours_are_refused(segmenter):
    with pytest.raises(InputError, match="pictures have 4 channels, and those that were learnt 3"):
        segmenter.predict(np.zeros((1, 8, 8, 4), np.uint8))


def test_a_step_that_does_not_fit_into_memory_is_refused_before(shapes, monkeypatch):
    from margin.deep.vision import room

    monkeypatch.setattr(room, "free_memory", lambda: 500_000)
    with pytest.raises(InputError, match=r"a step would take about .* GiB are free; batch_size=\d fits"):
        quick(width=8, batch_size=60).fit(shapes.pictures, shapes.class_masks)


def test_parameters_are_looked_at(shapes):
    for wrong in ({"architecture": "segnet"}, {"width": 0}, {"loss": "mse"}, {"ignore": 1.5}, {"classes": [1]}):
        with pytest.raises(ParameterError):
            quick(**wrong).fit(shapes.pictures, shapes.class_masks)
    with pytest.raises(margin.errors.NotFittedError):
        Segmenter().predict(shapes.pictures)


def test_a_loss_that_is_not_finite_ends_training_with_the_epoch_before(shapes):
    with pytest.raises(margin.errors.TrainingError, match="loss was not finite"):
        quick(rate=1e30, optimizer="sgd", schedule="constant", epochs=3).fit(shapes.pictures, shapes.class_masks)


def test_there_is_no_graph_for_onnx(segmenter):
    with pytest.raises(margin.errors.ExportError, match="cannot be written as ONNX"):
        segmenter.to_onnx()


def test_pictures_that_are_all_right_leave_some_doubt():
    true = np.zeros((40, 6, 6), int)
    true[:, 2:] = 1
    found = segmentation_report(true, true).mean_iou
    assert found.value == 1
    assert found.interval.low == pytest.approx(0.025 ** (1 / 40))


def test_a_damaged_file_is_refused_or_does_no_harm(segmenter, shapes):
    refused, mutants = 0, Mutants(persistence.to_bytes(segmenter))
    for n in range(40):
        try:
            persistence.from_bytes(mutants[n]).predict(shapes.pictures[:1])
        except margin.errors.MarginError:
            refused += 1
    assert refused > 10
