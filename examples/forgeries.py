"""What networks forge, beside real cases and plain distributions: a ring of normals, digits, ink from light.

    python examples/forgeries.py ring|digits|features|translation [seeds] [picture.png]

Each prints its figures seed by seed, and writes a picture. Digits are the 1,797 of scikit-learn, drawn up to 16 pixels;
the networks see 1,200 of them. One core takes about 25 seconds a seed.
"""

import sys
import time

import numpy as np

from margin.data import Images
from margin.data.generators import gaussian_ring, two_domains
from margin.deep.generative import DCGAN, GAN, CycleGAN, generative_report


def digits() -> tuple[np.ndarray, np.ndarray]:
    """Pictures of 16 x 16 between 0 and 1, in an order of chance, and what they show."""
    from sklearn.datasets import load_digits

    found = load_digits()
    order = np.random.default_rng(0).permutation(len(found.target))
    small = Images.from_array(np.rint(found.images * 255 / 16).astype(np.uint8)[order])
    return small.framed(16).pixels()[..., 0] / np.float32(255), found.target[order]


def told(name: str, figures: list[float]) -> None:
    print(f"{name:44s} {np.mean(figures):8.3f}   " + " ".join(f"{each:.3f}" for each in figures))


def ring(seeds: int, path: str) -> None:
    angle = 2 * np.pi * np.arange(8) / 8
    places = 2 * np.column_stack([np.cos(angle), np.sin(angle)])
    modes, near = [], []
    for seed in range(seeds):
        X = gaussian_ring(8000, seed=seed).X
        model = GAN(steps=4000, r1=0.1, ema=0.99, random_state=seed, n_jobs=1).fit(X)
        made = model.sample(4000, random_state=1)
        far = np.linalg.norm(made[:, None] - places, axis=2)
        close = far.min(axis=1) < 6 * 0.05
        modes.append(len(set(far.argmin(axis=1)[close])))
        near.append(close.mean())
    told("modes of 8", modes)
    told("draws within 6 standard deviations of one", near)
    if path:
        draw_ring(path, X, made, model.value_)


def draw_ring(path: str, X: np.ndarray, made: np.ndarray, value: np.ndarray) -> None:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, 3, figsize=(10, 3.3), layout="constrained")
    for axis, points, title in zip(axes, (X[:2000], made[:2000]), ("real", "made"), strict=False):
        axis.plot(*points.T, ".", markersize=2)
        axis.set(title=title, aspect="equal", xlim=(-2.6, 2.6), ylim=(-2.6, 2.6))
    axes[2].plot(np.convolve(value, np.ones(50) / 50, "valid"))
    axes[2].axhline(-np.log(4), linestyle=":")
    axes[2].set(title="V(D, G) and -log 4", xlabel="step")
    figure.savefig(path, dpi=110)


def forged(seed: int) -> DCGAN:
    X, _ = digits()
    model = DCGAN(24, latent=32, steps=800, rate=1e-3, r1=1.0, ema=0.99, random_state=seed, n_jobs=1)
    begun = time.process_time()
    model.fit(X[:1200])
    print(f"  seed {seed}: {time.process_time() - begun:.0f} s of one core", file=sys.stderr)
    return model


def forge_digits(seeds: int, path: str) -> None:
    X, y = digits()
    for seed in range(seeds):
        model = forged(seed)
        made = model.sample(600, random_state=0)
        report = generative_report(
            X[1200:], made, y[1200:], training=X[:1200], training_labels=y[:1200], random_state=seed, n_jobs=1
        )
        print(f"seed {seed}\n{report}")
        if path and not seed:
            draw_digits(path, X, made, report.nearest, model)


def draw_digits(path: str, X: np.ndarray, made: np.ndarray, nearest: np.ndarray, model: DCGAN) -> None:
    """Two lines of made digits, the training digit nearest to each, and ways between latent vectors."""
    z = np.random.default_rng(0).normal(size=(8, model.latent))
    ways = np.concatenate([model.interpolate(a, b, 10) for a, b in zip(z[::2], z[1::2], strict=True)])[..., 0]
    rows = [
        made[:10, ..., 0],
        X[:1200][nearest[:10]],
        made[10:20, ..., 0],
        X[:1200][nearest[10:20]],
        *np.split(ways, 4),
    ]
    save(path, rows)


def save(path: str, rows: list[np.ndarray]) -> None:
    from PIL import Image

    sheet = np.concatenate([np.concatenate(list(row), axis=1) for row in rows])
    picture = Image.fromarray(np.rint(255 * sheet.clip(0, 1)).astype(np.uint8))
    picture.resize((picture.width * 4, picture.height * 4), Image.Resampling.NEAREST).save(path)


def features(seeds: int, path: str) -> None:
    """A linear machine on ten labels a class, on what the discriminator sees and on pixels."""
    from margin import LinearSVC

    X, y = digits()
    seen, plain = [], []
    for seed in range(seeds):
        model = forged(seed)
        random = np.random.default_rng(seed)
        rows = np.concatenate([random.permutation(np.flatnonzero(y[:1200] == k))[:10] for k in range(10)])
        for found, kept in (model.transform(X), seen), (X.reshape(len(X), -1), plain):
            kept.append(float((LinearSVC().fit(found[rows], y[rows]).predict(found[1200:]) == y[1200:]).mean()))
    told("accuracy on features of D, 100 labels", seen)
    told("accuracy on pixels, 100 labels", plain)


def translation(seeds: int, path: str) -> None:
    X, y = digits()
    from margin import ImageClassifier

    errors: dict[str, list[float]] = {}
    reader = ImageClassifier("lenet5", epochs=15, n_jobs=1).fit(X[:1200], y[:1200])
    for seed in range(seeds):
        train, test = two_domains(X[:1200], seed=seed), two_domains(X[1200:], seed=seed)
        model = CycleGAN(
            8, blocks=2, identity=0.5, steps=500, batch_size=8, rate=2e-3, random_state=seed, n_jobs=1
        ).fit(train.a, train.b)
        as_b, as_a = model.translate(test.a, to="b"), model.translate(test.b, to="a")
        label = reader.predict(as_a.mean(axis=3)) == y[1200:][test.b_rows]
        for name, value in {
            "a as b, error": np.abs(as_b - test.a_as_b).mean(), "b as a, error": np.abs(as_a - test.b_as_a).mean(),
            "nothing done, error": np.abs(test.a - test.a_as_b).mean(),
            "a there and back": np.abs(model.there_and_back(test.a) - test.a).mean(),
            "b there and back": np.abs(model.there_and_back(test.b, by="a") - test.b).mean(),
            "b as a, label kept": label.mean(),
            "true a, label read": (reader.predict(test.b_as_a.mean(axis=3)) == y[1200:][test.b_rows]).mean(),
        }.items():  # fmt: skip
            errors.setdefault(name, []).append(float(value))
    for name, figures in errors.items():
        told(name, figures)
    if path:
        save(path, [each[:10] for each in (test.a, as_b, test.a_as_b, test.b, as_a, test.b_as_a)])


if __name__ == "__main__":
    parts = {"ring": ring, "digits": forge_digits, "features": features, "translation": translation}
    given = sys.argv[1:] or ["ring"]
    parts[given[0]](int(given[1]) if len(given) > 1 else 1, given[2] if len(given) > 2 else "")
