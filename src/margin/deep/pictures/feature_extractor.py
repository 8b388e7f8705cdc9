"""What a layer of a network says of pictures, as columns for any other model."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Annotated, Any, Self
from weakref import WeakKeyDictionary

import numpy as np

from margin import params
from margin.base.rollback import NotYetFittedError, whole_or_not_at_all
from margin.base.sklearn_classes import BaseEstimator, TransformerMixin
from margin.base.targets.labels import encode_labels
from margin.data.images import Images
from margin.deep.architectures.building import build
from margin.deep.architectures.cards import card, names
from margin.deep.fitting.tensors import NamedTensors
from margin.deep.pictures.image_classifier import Channels, ImageClassifier, stem_for
from margin.deep.pictures.picture_encoder import PictureEncoder, opened
from margin.deep.pictures.picture_network import ImageShape, ImageSize
from margin.errors import InputError, ParameterError, closest, listing
from margin.lazy import package_of_extra
from margin.params import Jobs, Rule, Seed, choice

if TYPE_CHECKING:
    from torch import nn

__all__ = ["FeatureExtractor"]

Source = Annotated[
    Any,
    Rule(
        "a file of weights, a fitted ImageClassifier, or None",
        lambda v: v is None or isinstance(v, str | os.PathLike | ImageClassifier),
        lambda text: text,
    ),
]
LayerName = Annotated[str, Rule("'auto' or the name of a layer", lambda v: isinstance(v, str), lambda text: text)]

#: Features of pictures by what they come from: folds, searches and refits of one collection work them out once.
_CACHE: WeakKeyDictionary[Any, dict[Any, tuple[np.ndarray, np.ndarray]]] = WeakKeyDictionary()
#: Bytes of features that are kept for one collection.
ROOM = 2**30
#: Training pictures that "auto" compares layers on, at most.
JUDGES = 2000


class FeatureExtractor(TransformerMixin, BaseEstimator):
    """Answers of a layer of a network to pictures: one column for each of its maps, averaged over the picture.

    A network that learnt from many pictures tells apart what it never saw (frozen features): put it before
    ``LinearSVC`` or ``LogisticRegression`` in a pipeline. Features of a collection of :class:`~margin.data.Images` are
    worked out once, whatever folds and searches ask for them.

    Parameters
    ----------
    architecture
        The name of the network; that of ``weights`` where these are a fitted ``ImageClassifier``.
    weights
        A file of weights on this machine, or a fitted ``ImageClassifier``; None for first weights, which say little.
    layer
        A layer by name (``margin.deep.summary`` lists them). "auto" tries several and takes the one by whose features
        most training pictures have their nearest other one in their own class; ``fit`` then needs labels.

    Attributes
    ----------
    layer_
        The layer that was taken.
    layer_scores_
        With "auto": the share of pictures whose nearest neighbour is of their class, by layer.
    n_features_out_
        How many columns there are.

    Examples
    --------
    >>> import numpy as np
    >>> pixels = np.random.default_rng(0).integers(0, 255, (6, 28, 28), dtype=np.uint8)
    >>> FeatureExtractor("lenet5", layer="features.0", n_jobs=1).fit_transform(pixels).shape
    (6, 6)
    """

    accepts_tables = False
    takes_cases = True
    _plan: tuple[str, Any, int]

    def __init__(
        self,
        architecture: Annotated[str, choice(known=lambda: tuple(names()))] = "small",
        weights: Source = None,
        layer: LayerName = "auto",
        *,
        image_size: ImageSize = None,
        image_shape: ImageShape = None,
        channels: Channels = None,
        random_state: Seed = 0,
        n_jobs: Jobs = None,
    ) -> None:
        self.architecture, self.weights, self.layer = architecture, weights, layer
        self.image_size, self.image_shape, self.channels = image_size, image_shape, channels
        self.random_state, self.n_jobs = random_state, n_jobs

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn the size of the pictures, and with "auto" the layer."""
        who = f"{type(self).__name__}.fit"
        params.check(self)
        package_of_extra("torch", who)
        with whole_or_not_at_all(self):
            shape = None if self.image_shape is None else tuple(int(side) for side in self.image_shape)
            theirs = self.weights if isinstance(self.weights, ImageClassifier) else None
            if theirs is not None:
                self._encoder = theirs._fitted("predict")._encoder
                images = self._encoder.encode(X, who)
            else:
                images = opened(X, who, shape, self.image_size, self.channels)
            if not len(images):
                raise InputError(f"{who}: there are no pictures.")
            self._tensors = NamedTensors.of(self._loaded(images, shape, theirs))
            for made in ("_module", "_key"):
                self.__dict__.pop(made, None)
            if self.layer == "auto":
                self._choose(images, images.labels if y is None else y, who)
            else:
                self.layer_ = self._named()
            self.n_features_out_ = self._features(images[:1]).shape[1]
        return self

    def _loaded(self, images: Images, shape: Any, theirs: ImageClassifier | None) -> nn.Module:
        """The network with its numbers; how it is built is kept, and the encoder of its pictures."""
        from margin.deep.training.pixel_scale import PixelScale
        from margin.deep.weights.files import load_weights

        self.__dict__.pop("_input_transform", None)
        if theirs is not None:
            self._plan = theirs.architecture, theirs._stem(), len(theirs.classes_)
            net = theirs._bare_network()
            theirs._tensors.put_into(net)
        else:
            size = images.image_size
            assert size is not None
            known = card(self.architecture)
            self._plan = self.architecture, stem_for(self.architecture, size, self.weights is not None), 0
            net = self._built("cpu", images.channels, size)
            scale: Any = None
            if self.weights is not None:
                load_weights(net, self.weights, head="replace")
                scale = getattr(net, "pixel_scale", None)
                if scale is None and known.mean is not None and known.std is not None:
                    scale = PixelScale(known.mean, known.std)
            if scale is None or len(scale.mean) != images.channels:
                scale = PixelScale.learnt(images)
            self._encoder = PictureEncoder(
                size, images.channels, shape, self.image_size is not None, scale.mean, scale.std
            )
        if hasattr(net, "transform_input"):
            self._input_transform = bool(net.transform_input)
        return net

    def _built(self, device: str, channels: int, size: tuple[int, int]) -> Any:
        name, stem, n_classes = self._plan
        return build(
            name, n_classes or None, channels, size, stem=stem, device=device, random_state=self.random_state
        )  # fmt: skip

    def _bare_network(self) -> nn.Module:
        """The network without memory."""
        net = self._built("meta", self._encoder.channels, self._encoder.size)
        if "_input_transform" in self.__dict__:
            net.transform_input = self._input_transform
        return net

    @property
    def _network(self) -> nn.Module:
        """The module in answering mode; made of its numbers when it is first asked."""
        if "_module" not in self.__dict__:
            net = self._bare_network()
            self._tensors.put_into(net)
            self._module = net.eval().requires_grad_(False)
        return self._module

    def _what(self) -> int:
        """A number that is another one for another network."""
        if "_key" not in self.__dict__:
            self._key = hash(tuple((name, each.tobytes()) for name, each in self._tensors.items()))
        return self._key

    def _named(self) -> str:
        layers = [name for name, _ in self._network.named_modules() if name]
        if self.layer not in layers:
            raise ParameterError(
                f"{type(self).__name__}(layer={self.layer!r}): layer must be 'auto' or a layer of the network, such as "
                f"{listing([each for each in layers if '.' not in each])}{closest(self.layer, layers)}."
            )
        return self.layer

    def _choose(self, images: Images, y: Any, who: str) -> None:
        """The layer whose features put pictures of one class together."""
        from margin.deep.pictures.features import candidates, nearest_of_own_class

        if y is None:
            raise InputError(f"{who}(layer='auto'): labels are needed to compare layers (give y, or name a layer).")
        codes = encode_labels(y, len(images), who)[1]
        some = np.linspace(0, len(images) - 1, min(len(images), JUDGES)).astype(int)
        self.layer_scores_ = {}
        for name in candidates(self._network):
            self.layer_ = name
            self.layer_scores_[name] = nearest_of_own_class(self._features(images.take(some)), codes[some])
        self.layer_ = max(self.layer_scores_, key=lambda name: self.layer_scores_[name])

    def transform(self, X: Any) -> np.ndarray:
        """A row of features for each picture."""
        who = f"{type(self).__name__}.transform"
        if "_tensors" not in self.__dict__:
            raise NotYetFittedError(f"{who}: nothing was learnt yet; call fit(X) first.")
        images = self._encoder.encode(X, who)
        return self._features(images) if len(images) else np.zeros((0, self.n_features_out_))

    def _features(self, images: Images) -> np.ndarray:
        """Features of pictures; those that were worked out before for the same collection are taken from there."""
        kept = _CACHE.setdefault(images._source, {})
        key = (self._what(), self.layer_, self._encoder)
        found = kept.get(key)
        known = np.zeros(len(images), bool) if found is None else found[0][images._rows]
        if not known.all():
            fresh = np.unique(images._rows[~known])
            made = self._worked_out(type(images)(images._source, None, fresh))
            if found is None:
                n = len(images._source.sizes)
                if n * made.shape[1] * 8 > ROOM:
                    return self._worked_out(images)
                found = kept[key] = np.zeros(n, bool), np.zeros((n, made.shape[1]))
            found[1][fresh] = made
            found[0][fresh] = True
        assert found is not None
        return found[1][images._rows]

    def _worked_out(self, images: Images) -> np.ndarray:
        from margin.deep.pictures.features import layer_answers

        return layer_answers(self._network, self.layer_, images, self._encoder.scale, self.n_jobs)

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """``layer_0``, ``layer_1``, …"""
        return np.array([f"{self.layer_}_{i}" for i in range(self.n_features_out_)], dtype=object)

    def __getstate__(self) -> dict[str, Any]:
        """Everything but the module, which is made again of its numbers."""
        return {name: each for name, each in vars(self).items() if name not in ("_module", "_key")}

    def __sklearn_clone__(self) -> Self:
        """A fitted classifier among the parameters stays fitted: what it has learnt is what was asked for."""
        return type(self)(**self.get_params(deep=False))

    def __sklearn_is_fitted__(self) -> bool:
        return "_tensors" in self.__dict__
