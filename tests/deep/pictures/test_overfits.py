"""The test that finds broken networks: each family learns 64 pictures of CIFAR-10 by heart."""

import numpy as np
import pytest

from margin import ImageClassifier
from margin.data import Images

HOW = {
    "lenet5": {"rate": 0.002, "epochs": 60},
    "alexnet": {"rate": 3e-4, "epochs": 40},
    "vgg11-bn": {"rate": 3e-4, "epochs": 20},
    "nin": {"rate": 0.001, "epochs": 60},
    "googlenet": {"rate": 0.001, "epochs": 20},
    "resnet18": {"rate": 0.001, "epochs": 12},
    "resnet50": {"rate": 0.001, "epochs": 40},
}


@pytest.mark.slow
@pytest.mark.parametrize("name", HOW)
def test_64_pictures_are_learnt_by_heart(name, shared_data):
    whole = Images.read(shared_data("cifar10-subset.zip"), part="train")
    images = whole.take(np.concatenate([np.flatnonzero(whole.labels == label)[:7] for label in whole.classes])[:64])
    stem = "auto" if name in ("lenet5", "nin") else "small"
    model = ImageClassifier(name, stem=stem, batch_size=16, n_jobs=1, **HOW[name])
    for epoch in model.training(images):
        if epoch.loss < 0.05:
            break
    assert model.score(images) == 1.0
