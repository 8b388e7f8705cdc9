"""Masks, objects, captions, answers and styles, learnt from made scenes in about a minute each, beside baselines.

    python examples/masks_and_words.py [masks] [objects] [captions] [pairs] [questions] [style] [--seeds N] [--out F]

With ``--out`` each part draws a picture in that folder, the worst answers first. ``style`` takes ``--content`` and
``--with``, two files of pictures; made ones otherwise.
"""

import argparse
import time
import warnings
from collections import Counter
from pathlib import Path

import numpy as np

from margin import LogisticRegression
from margin.data import Images
from margin.data.generators import scenes, textures
from margin.deep import ImageClassifier
from margin.deep.vision import (
    Asked,
    Captioner,
    DeepMask,
    QuestionAnswerer,
    Segmenter,
    StyleTransfer,
    caption_report,
    proposal_report,
    segmentation_report,
)
from margin.deep.vision.drawing import overlaid

JOBS = 1


def masks(seed, out):
    """Which shape is where, in 200 scenes after 600."""
    train, test = scenes(600, 32, noise=0.15, seed=seed), scenes(200, 32, noise=0.15, seed=1000 + seed)
    found = {}
    for name, model in {
        "U-Net": Segmenter("unet", 16, loss="dice", epochs=10, rate=0.01, random_state=seed, n_jobs=JOBS),
        "FCN-8": Segmenter("fcn8", 16, epochs=10, rate=0.01, random_state=seed, n_jobs=JOBS),
    }.items():
        model.fit(train.pictures, train.class_masks)
        answered = model.predict(test.pictures)
        report = segmentation_report(test.class_masks, answered)
        found[f"{name}: mean IoU"], found[f"{name}: boundary F1"] = report.mean_iou, report.boundary_f1
        if out and name == "U-Net":
            shown = report.worst[:6]
            rows = [
                [test.pictures[i], *(overlaid(test.pictures[i], m[i]) for m in (test.class_masks, answered))]
                for i in shown
            ]
            draw(out / "masks.png", rows, ["worst pictures", "true", "answered"])
    pixels = LogisticRegression().fit(train.pictures[:60].reshape(-1, 3) / 255, train.class_masks[:60].ravel())
    alone = pixels.predict(test.pictures.reshape(-1, 3) / 255).reshape(test.class_masks.shape)
    found["each pixel by its colour alone (logistic): mean IoU"] = segmentation_report(test.class_masks, alone).mean_iou
    ground = np.zeros_like(test.class_masks)
    found["all ground: mean IoU"] = segmentation_report(test.class_masks, ground).mean_iou
    found["all ground: pixel accuracy"] = segmentation_report(test.class_masks, ground).pixel_accuracy
    return found


def objects(seed, out):
    """Two to four objects in 60 pictures after 400; which shape each is says a classifier of crops."""
    train, test = scenes(400, 64, objects=(2, 4), seed=seed), scenes(60, 64, objects=(2, 4), seed=1000 + seed)
    model = DeepMask(patches=6, random_state=seed, n_jobs=JOBS).fit(train.pictures, train.object_masks)
    proposals = model.predict(test.pictures)
    report = proposal_report(test.object_masks, proposals)
    found = {"best of 10 masks: IoU": report.best_iou, "10 masks: recall": report.recall}
    found["masks: average precision"] = report.average_precision
    crops, labels = [], []
    for picture, boxes, kinds in zip(train.pictures[:250], train.boxes, train.labels, strict=False):
        for (top, left, bottom, right), kind in zip(boxes, kinds, strict=True):
            crops.append(picture[max(0, top - 3) : bottom + 3, max(0, left - 3) : right + 3])
            labels.append(train.classes[kind])
    classifier = ImageClassifier(image_size=24, epochs=6, random_state=seed, n_jobs=JOBS).fit(crops, labels)
    told = [model.detect(picture, classifier) for picture in test.pictures]
    truth = [[test.classes[kind] for kind in kinds] for kinds in test.labels]
    found["detect: average precision"] = proposal_report(test.object_masks, told, labels=truth).average_precision
    if out:
        rows = []
        for i in range(6):
            codes = np.zeros(test.pictures[i].shape[:2], int)
            for k, each in enumerate(p for p in proposals[i] if p.score > 0.5):
                codes[each.mask] = k + 1
            rows.append([test.pictures[i], overlaid(test.pictures[i], codes)])
        draw(out / "objects.png", rows, ["picture", "proposals surer than 1/2"])
    return found


def captions(seed, out):
    """What two objects there are and how they stand: 288 sentences."""
    train, test = (scenes(n, 32, objects=(2, 2), seed=s) for n, s in ((6000, seed), (500, 1000 + seed)))
    model = Captioner(16, attention=True, epochs=12, rate=4e-3, random_state=seed, n_jobs=JOBS)
    model.fit(train.pictures, train.captions)
    begun = time.process_time()
    told = model.describe(test.pictures)
    each = 1000 * (time.process_time() - begun) / len(test)
    report = caption_report(test.captions, [one.text for one in told])
    most = Counter(train.captions).most_common(1)[0][0]
    if out:
        draw_attention(out / "captions.png", test.pictures, told)
    return {
        "exact": report.exact_match, "BLEU-4": report.bleu[3], "word error": report.word_error,
        "the most frequent caption: exact": caption_report(test.captions, [most] * len(test)).exact_match,
        "milliseconds of a caption, beam 3": each,
    }  # fmt: skip


def pairs(seed, _out):
    """The same where red squares and blue circles are in no training picture."""
    held = ("red square", "blue circle")
    train, test = (scenes(n, 32, objects=(2, 2), seed=s) for n, s in ((6000, seed), (2000, 1000 + seed)))
    seen, unseen = (
        np.array([any(pair in text for pair in held) == wanted for text in made.captions])
        for made, wanted in ((train, False), (test, True))
    )
    model = Captioner(16, attention=True, epochs=12, rate=4e-3, random_state=seed, n_jobs=JOBS)
    model.fit(train.pictures[seen], [text for text, one in zip(train.captions, seen, strict=True) if one])
    truth = [text for text, one in zip(test.captions, unseen, strict=True) if one]
    report = caption_report(truth, model.predict(test.pictures[unseen]).tolist())
    return {"exact on pairs never seen": report.exact_match, "word error on them": report.word_error}


def questions(seed, _out):
    """What colour, how many, what shape, which side."""

    def asked(n, s):
        made = scenes(n, 32, seed=s)
        return Asked(made.pictures, [q.question for q in made.questions], [q.picture for q in made.questions]), [
            q.answer for q in made.questions
        ]

    (X, y), (X_test, y_test) = asked(6000, seed), asked(500, 1000 + seed)
    found = {}
    for sees, epochs in (("both", 10), ("question", 2), ("picture", 4)):
        model = QuestionAnswerer(sees=sees, epochs=epochs, rate=4e-3, random_state=seed, n_jobs=JOBS).fit(X, y)
        found[f"sees {sees}: accuracy"] = model.score(X_test, y_test)
    most = Counter(y).most_common(1)[0][0]
    return {**found, "the most frequent answer: accuracy": y_test.count(most) / len(y_test)}


def style(seed, out, content=None, example=None):
    """A picture of 96 pixels in the style of another, by VGG-19 with random weights."""
    if content and example:
        pair = [Images.from_files([path], channels=3).framed(96, fit="crop")[0] for path in (content, example)]
    else:
        pair = [scenes(1, 96, seed=seed).pictures[0], textures(1, 96, seed=seed)[0]]
    model = StyleTransfer(style_weight=1000.0, steps=40, random_state=seed, n_jobs=JOBS)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # random weights, as said
        steps = list(model.transfer(*pair))
    of_style, _ = model.losses(pair[1], *pair)
    of_made, style_loss = model.losses(steps[-1].picture, *pair)
    if out:
        draw(out / "style.png", [[*pair, steps[-1].picture]], ["content", "style", "made"])
    return {
        "style loss, share of its start": style_loss / steps[0].style_loss,
        "content loss": of_made,
        "content loss of the style picture": of_style,
    }


def draw(path, rows, titles):
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(len(rows), len(rows[0]), figsize=(1.6 * len(rows[0]), 1.6 * len(rows)), squeeze=False)
    for line, row in zip(axes, rows, strict=True):
        for axis, each in zip(line, row, strict=True):
            axis.imshow(each)
            axis.axis("off")
    for axis, title in zip(axes[0], titles, strict=True):
        axis.set_title(title, fontsize=8)
    figure.tight_layout()
    figure.savefig(path, dpi=110)


def draw_attention(path, pictures, told):
    """Five pictures, and where each word was looked for."""
    rows = []
    for i in range(5):
        maps = [np.kron(each / each.max(), np.ones((8, 8)))[..., None] for each in told[i].maps[:9]]
        shaded = [(pictures[i] * (0.25 + 0.75 * each)).astype(np.uint8) for each in maps]
        rows.append([pictures[i], *shaded, *[np.full_like(pictures[i], 255)] * (9 - len(shaded))])
    draw(path, rows, ["picture", *map(str, range(1, 10))])


def main() -> None:
    parts = {each.__name__: each for each in (masks, objects, captions, pairs, questions, style)}
    reader = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    reader.add_argument("parts", nargs="*", default=list(parts))
    reader.add_argument("--seeds", type=int, default=1)
    reader.add_argument("--out", type=Path)
    reader.add_argument("--content")
    reader.add_argument("--with", dest="example")
    given = reader.parse_args()
    if given.out:
        given.out.mkdir(parents=True, exist_ok=True)
    for name in given.parts or parts:
        more = {"content": given.content, "example": given.example} if name == "style" else {}
        begun = time.process_time()
        runs = [parts[name](seed, given.out if seed == 0 else None, **more) for seed in range(given.seeds)]
        seconds = (time.process_time() - begun) / given.seeds
        print(f"{name} ({seconds:.0f} s of one core a seed)")
        for line in runs[0]:
            values = [float(run[line]) for run in runs]
            only = runs[0][line]
            shown = f"{only:.4g}" if isinstance(only, float) else str(only)
            if given.seeds > 1:
                shown = f"{np.mean(values):.4f}   " + " ".join(f"{v:.4f}" for v in values)
            print(f"  {line:52s} {shown}", flush=True)


if __name__ == "__main__":
    main()
