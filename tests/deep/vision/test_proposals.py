"""Proposals of objects: patches, dense answers, scores by hand."""

from __future__ import annotations

import numpy as np
import pytest

from margin import persistence
from margin.data.generators import scenes
from margin.data.images import Images
from margin.deep import ImageClassifier
from margin.deep.vision import DeepMask, Proposal, proposal_report
from margin.errors import InputError, NotFittedError, ParameterError

torch = pytest.importorskip("torch")

from margin.deep.training.pixel_scale import PixelScale  # noqa: E402
from margin.deep.vision.proposals.network import deepmask_net, patch_loss  # noqa: E402
from margin.deep.vision.proposals.patches import PatchLessons, cut  # noqa: E402
from margin.deep.vision.proposals.plan import ProposalPlan  # noqa: E402
from margin.deep.vision.proposals.proposing import pasted  # noqa: E402


def quick(**given):
    return DeepMask(**{"width": 4, "rank": 8, "mask": 10, "patches": 4, "epochs": 2, "n_jobs": 1, **given})


@pytest.fixture(scope="module")
def made():
    return scenes(30, 40, objects=(1, 2), strokes=0, seed=0)


@pytest.fixture(scope="module")
def learnt(made):
    return quick(width=8, rank=16, epochs=12, patches=8, batch_size=16).fit(made.pictures, made.object_masks)


@pytest.mark.golden("I7")
def test_the_published_patch_becomes_maps_and_a_mask_of_published_sizes():
    plan = ProposalPlan("vgg11", 3, 224, 56, rank=512)
    net = deepmask_net(plan, "meta")
    x = torch.empty(1, 3, 224, 224, device="meta")
    assert net.trunk(x).shape == (1, 512, 14, 14)
    assert net(x).shape == (1, 56 * 56 + 1)
    assert net.masks(torch.empty(5, 512, device="meta")).shape == (5, 56, 56)


def test_a_patch_without_an_object_gives_the_masks_no_slope():
    net = deepmask_net(ProposalPlan("small", 3, 40, 10, 4, 8), "cpu", 0)
    x = torch.rand(4, 3, 40, 40, generator=torch.Generator().manual_seed(0))
    truth = torch.ones(4, 101)
    truth[:, :50] = truth[:, -1] = -1
    patch_loss(net(x), truth).sum().backward()
    masks = [*net.mask_branch.parameters(), *net.to_mask.parameters()]
    assert max(float(each.grad.abs().max()) for each in masks) == 0
    assert min(float(each.grad.abs().max()) for each in net.score_branch.parameters()) > 0
    truth[2, -1] = 1
    net.zero_grad()
    patch_loss(net(x), truth).sum().backward()
    assert min(float(each.grad.abs().max()) for each in masks) > 0


def test_the_loss_of_a_patch_by_hand():
    made = torch.tensor([[2.0, -1.0, 0.5], [9.0, 9.0, -1.0]])
    truth = torch.tensor([[1.0, 1.0, 1.0], [-1.0, 1.0, -1.0]])
    log = np.log1p(np.exp(-np.array([2.0, -1.0, 0.5, 1.0])))
    np.testing.assert_allclose(patch_loss(made, truth), [(log[0] + log[1]) / 2 + log[2], log[3]], rtol=1e-6)


def test_a_whole_picture_is_answered_as_each_patch_alone():
    plan = ProposalPlan("small", 3, 40, 10, 4, 8)
    net = deepmask_net(plan, "cpu", 1).eval()
    x = torch.rand(1, 3, 64, 72, generator=torch.Generator().manual_seed(0))
    with torch.no_grad():
        dense = net.dense(x)
        assert dense.scores.shape == (7, 9)
        for i, j in ((0, 0), (3, 5), (6, 8)):
            alone = net(x[:, :, 4 * i : 4 * i + 40, 4 * j : 4 * j + 40])[0]
            torch.testing.assert_close(dense.scores[i, j], alone[-1], atol=1e-5, rtol=1e-5)
            mask = net.masks(dense.ranks[None, :, i, j])[0]
            torch.testing.assert_close(mask.flatten(), alone[:-1], atol=1e-5, rtol=1e-5)


def test_masks_are_pasted_where_their_patches_were_cut():
    mask = np.zeros((64, 48), np.float32)
    mask[20:40, 10:34] = 1
    where = np.array([[30.0, 22.0, 0.8]])
    patch = cut(torch.from_numpy(mask)[None, None], where, 40, 40)
    sure = torch.where(patch[:, 0] > 0.5, 20.0, -20.0)
    back = pasted(sure, np.array([[30.0, 22.0, 0.8, 0.8]]), 40, (64, 48))[0]
    assert (back != (mask > 0)).mean() < 0.02


def test_patches_with_an_object_have_it_in_their_middle(made):
    plan = ProposalPlan("small", 3, 40, 40, 4, 8)
    lessons = PatchLessons(
        Images.from_array(made.pictures), made.object_masks, plan, 4, PixelScale((0.5,) * 3, (0.3,) * 3), 0
    )
    x, truth = lessons.batch(np.arange(len(lessons)), lessons._places, np.random.default_rng(0))
    there = truth[:, -1] > 0
    assert x.shape == (120, 3, 40, 40)
    assert there.sum() == 60
    masks = truth[there, :-1].reshape(-1, 40, 40) > 0
    for mask in masks:
        rows, columns = np.nonzero(mask.numpy())
        middle = (rows.min() + rows.max() + 1) / 2, (columns.min() + columns.max() + 1) / 2
        assert max(abs(middle[0] - 20), abs(middle[1] - 20)) <= 2 + 1  # half a stride, and a pixel of rounding
        assert 20 / 2**0.25 - 2 <= max(np.ptp(rows), np.ptp(columns)) + 1 <= 20 * 2**0.25 + 2


def test_objects_are_found(made, learnt):
    report = proposal_report(made.object_masks, learnt.predict(made.pictures))
    ground = [[Proposal(np.ones((40, 40), bool), (0, 0, 40, 40), 1.0)]] * len(made)
    assert report.recall.value > 0.8
    assert report.best_iou.value > proposal_report(made.object_masks, ground).best_iou.value + 0.3
    assert learnt.score(made.pictures, made.object_masks) == pytest.approx(report.best_iou.value)


def test_proposals_are_apart_sorted_and_in_their_boxes(made, learnt):
    found = learnt.propose(made.pictures[0], 8)
    assert 1 <= len(found) <= 8
    assert [each.score for each in found] == sorted((each.score for each in found), reverse=True)
    for i, one in enumerate(found):
        top, left, bottom, right = one.box
        assert one.mask[top:bottom, left:right].sum() == one.mask.sum() > 0
        for other in found[:i]:
            assert (one.mask & other.mask).sum() / (one.mask | other.mask).sum() <= 0.5
    assert learnt.propose(np.zeros((1, 1, 3), np.uint8), 2) is not None
    assert len(learnt.predict(made.pictures[:3], 2)) == 3


def test_a_classifier_of_crops_makes_detections(made, learnt):
    crops, labels = [], []
    for picture, boxes, names in zip(made.pictures, made.boxes, made.labels):
        for (top, left, bottom, right), name in zip(boxes, names):
            crops.append(picture[top:bottom, left:right])
            labels.append(made.classes[name])
    classifier = ImageClassifier(image_size=16, epochs=3, n_jobs=1).fit(crops, labels)
    found = learnt.detect(made.pictures[0], classifier, 5)
    assert {each.label for each in found} <= set(made.classes)
    assert [each.score for each in found] == sorted((each.score for each in found), reverse=True)
    truth = [[made.classes[k] for k in names] for names in made.labels[:4]]
    report = proposal_report(
        made.object_masks[:4], [learnt.detect(each, classifier) for each in made.pictures[:4]], labels=truth
    )
    assert 0 <= report.average_precision.value <= 1
    assert "average precision at 0.5" in str(report)


def test_average_precision_by_hand():
    def proposal(rows, score):
        mask = np.zeros((4, 4), bool)
        mask[rows] = True
        return Proposal(mask, (0, 0, 4, 4), score)

    objects = [np.stack([proposal(slice(0, 2), 0).mask, proposal(slice(2, 4), 0).mask])]
    found = [proposal(slice(0, 2), 0.9), proposal(slice(0, 2), 0.8), proposal(slice(2, 4), 0.7)]
    report = proposal_report(objects, [found])  # right, one too many, right
    assert report.average_precision.value == pytest.approx((1 + 2 / 3) / 2)
    assert report.recall.value == 1
    assert proposal_report(objects, [[]]).average_precision.value == 0


def test_a_model_comes_back_from_its_file_and_goes_on_from_a_checkpoint(made, learnt, tmp_path):
    persistence.save(learnt, tmp_path / "objects.margin")
    again = persistence.load(tmp_path / "objects.margin")
    one, other = learnt.propose(made.pictures[3]), again.propose(made.pictures[3])
    assert [each.score for each in one] == [each.score for each in other]
    given = {"epochs": 3, "schedule": "constant"}
    whole = quick(**given).fit(made.pictures, made.object_masks)
    for _ in quick(checkpoint=tmp_path, **given).training(made.pictures, made.object_masks):
        break
    gone_on = quick(checkpoint=tmp_path, resume=True, **given).fit(made.pictures, made.object_masks)
    assert (gone_on.loss_curve_ == whole.loss_curve_).all()


def test_held_out_pictures_judge_every_epoch(made):
    model = quick(early_stopping=True).fit(made.pictures, made.object_masks)
    assert len(model.validation_scores_) == 2


def test_what_cannot_be_learnt_or_asked_is_refused(made):
    X, y = made.pictures, list(made.object_masks)
    nothing = [np.zeros((0, 40, 40), bool)] * 30
    for wrong, match in [
        (None, "the masks of its objects"), (3, "the masks of its objects"), (y[1:], "the masks of its objects"),
        (nothing, "no object in any picture"),
        ([y[0][:, 1:], *y[1:]], "masks of picture 0 have the shape"),
        ([y[0] * 0.5, *y[1:]], "masks of picture 0 must be True and False"),
        ([y[0] & False, *y[1:]], "masks of picture 0 without a pixel: 0"),
    ]:  # fmt: skip
        with pytest.raises(InputError, match=match):
            quick().fit(X, wrong)
    with pytest.raises(ParameterError, match="patches are too small"):
        quick(patch=8).fit(X, y)
    assert quick(epochs=1).fit(X, [nothing[0], *y[1:]]).n_iter_ == 1
    with pytest.raises(NotFittedError):
        quick().propose(X[0])
    with pytest.raises(ParameterError, match="n must be"):
        quick(epochs=1).fit(X, y).propose(X[0], 0)
