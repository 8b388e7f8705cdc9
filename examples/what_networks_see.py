"""What a small network sees in made scenes: where its answer comes from, and what it dreams.

    python examples/what_networks_see.py [pictures of the training part] [seeds] [picture.png]

Each picture has one shape among strokes; the network says which shape. A map is right where its maximum lies inside
the shape.
"""

import sys

import numpy as np

from margin.data.generators import scenes
from margin.deep import architectures, probabilities, train
from margin.deep.visualize import deep_dream, grad_cam, integrated_gradients, occlusion, saliency


def shapes(n: int, seed: int):
    """Pictures with one shape among strokes, its name, and where it is."""
    made = scenes(n, 48, objects=(1, 1), strokes=6, noise=0.05, seed=seed)
    return made.pictures, np.array([made.classes[labels[0]] for labels in made.labels]), made.class_masks > 0


def hits(maps: np.ndarray, inside: np.ndarray) -> float:
    """In how many pictures the maximum lies inside the shape."""
    at = maps.reshape(len(maps), -1).argmax(axis=1)
    return float(inside.reshape(len(inside), -1)[np.arange(len(at)), at].mean())


def learnt(n: int, seed: int):
    """A network that tells shapes apart."""
    X, y, _ = shapes(n, seed)
    net = architectures.build("resnet20", n_classes=3, channels=3, image_size=48, random_state=seed)
    for epoch in train(net, (X, y), epochs=8, batch_size=32, rate=3e-3, schedule="one_cycle", random_state=seed):
        print(f"  seed {seed}, epoch {epoch.number}: loss {epoch.loss:.3f}", file=sys.stderr)
    return net


def main(n: int = 400, seeds: int = 1, path: str = "") -> None:
    rows = []
    for seed in range(seeds):
        net = learnt(n, seed)
        X, y, inside = shapes(100, 1000 + seed)
        right = float((net.classes_[probabilities(net, X).argmax(axis=1)] == y).mean())
        maps = {
            "Grad-CAM": grad_cam(net, X, layer="layer2"),
            "occlusion": occlusion(net, X, size=9, stride=4),
            "saliency": saliency(net, X),
            "guided": saliency(net, X, method="guided"),
            "SmoothGrad": saliency(net, X, method="smooth", draws=8),
            "integrated gradients": np.abs(integrated_gradients(net, X[:50], baseline=0.7, steps=16).map),
        }
        dream = list(deep_dream(net, X[0], "layer2", steps=20, octaves=1))
        found = {name: hits(each, inside[: len(each)]) for name, each in maps.items()}
        rows.append([right, *found.values(), dream[-1].response / dream[0].response])
        if path and seed == 0:
            draw(path, X, maps, dream[-1].picture)
    told = ["right answers", *(f"maximum of {name} in the shape" for name in maps), "deep dream, times its start"]
    for name, values in zip(told, np.array(rows).T, strict=True):
        print(f"{name:48s} {values.mean():8.3f}   " + " ".join(f"{value:.3f}" for value in values))


def draw(path: str, X: np.ndarray, maps: dict[str, np.ndarray], dreamt: np.ndarray) -> None:
    """Five pictures and what each way of looking says of them; the dream at the end of the first row."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1 + len(maps), 6, figsize=(9, 1.5 * (1 + len(maps))), layout="constrained")
    for axis in axes.flat:
        axis.axis("off")
    for k in range(5):
        axes[0, k].imshow(X[k])
        for row, (name, each) in enumerate(maps.items(), 1):
            axes[row, k].imshow(each[k], cmap="magma")
            axes[row, 0].set_title(name, loc="left", fontsize=9)
    axes[0, 5].imshow(dreamt)
    axes[0, 5].set_title("dreamt from the first", fontsize=9)
    figure.savefig(path, dpi=110)


if __name__ == "__main__":
    given = sys.argv[1:]
    main(*(int(each) for each in given[:2]), *given[2:3])
