"""A network that learns to say what is in a picture."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from margin.data.images import Images
from margin.deep.fitting.trained_network import OptimizerName, ScheduleName
from margin.deep.mlp.parameters import Below1, Folder
from margin.deep.pictures.augmentation import Changes, read_changes
from margin.deep.pictures.picture_encoder import PictureEncoder, opened
from margin.deep.pictures.picture_network import ImageSize
from margin.deep.vision.captioning.words import Sentences, captions_of
from margin.deep.vision.given import given_pictures
from margin.deep.vision.learner import PictureLearner, rows_held_out_of
from margin.errors import InputError, ParameterError
from margin.params import Count, Flag, Jobs, NonNegative, Positive, Seed, Share, is_number, is_whole
from margin.random import generator
from margin.typing import SeedLike

if TYPE_CHECKING:
    from torch import nn

    from margin.deep.training.lessons import Lessons
    from margin.deep.vision.captioning.network import CaptionPlan

__all__ = ["Caption", "Captioner"]


@dataclass(frozen=True)
class Caption:
    """A caption with the logarithm of its probability and, with attention, where each word was looked for.

    ``maps`` are (words and end, height, width): how much each place of the picture counted, 1 in all.
    """

    text: str
    log_probability: float
    maps: np.ndarray | None

    @property
    def words(self) -> list[str]:
        return self.text.split()


class Captioner(PictureLearner):
    """Learns from pictures and their captions, and says word after word what is in others.

    Convolutions make maps of a picture, which a recurrent network is given; it learns to make each next word of a
    caption probable. Words are lower case; those that fewer training captions hold than ``min_count`` are unknown, and
    are never said.

    Parameters
    ----------
    encoder
        Maps of the first convolution; two more have twice as many.
    cell
        "lstm", "gru" or "rnn".
    inject
        How the picture is given: as the first state ("start"), before the first word ("first_word") or along with each
        word ("each_step").
    attention
        Whether each word also looks at the places of the picture that the state asks for.
    hidden_size, embedding
        Units of the recurrent network; numbers that stand for a word.
    min_count, max_words
        Words that fewer training captions hold are unknown; how many words there are at most, the most frequent ones.
    max_length
        Words of a caption, at most; longer ones are refused.
    dropout
        The share of what words are read from that is left out by chance.
    image_size
        Pixels of a side, or height and width, that all pictures are made; None to take pictures of one size only.
    augmentation
        Changes that pictures undergo, anew in every epoch, as in :class:`~margin.deep.ImageClassifier`; what captions
        say must outlast them.

    References
    ----------
    Vinyals et al., "Show and tell" (2015); Xu et al., "Show, attend and tell" (2015); Tanti et al. (2018).

    Examples
    --------
    >>> pixels = np.zeros((40, 8, 8), np.uint8)
    >>> pixels[::2, :4] = 255
    >>> said = ["light is above", "nothing is there"] * 20
    >>> model = Captioner(8, hidden_size=16, embedding=8, epochs=15, batch_size=8, rate=0.02, n_jobs=1)
    >>> model = model.fit(pixels, said)
    >>> model.predict(pixels[:2]).tolist()
    ['light is above', 'nothing is there']
    """

    def __init__(
        self,
        encoder: Count = 32,
        cell: Literal["lstm", "gru", "rnn"] = "lstm",
        inject: Literal["start", "first_word", "each_step"] = "start",
        attention: Flag = False,
        *,
        hidden_size: Count = 128,
        embedding: Count = 32,
        min_count: Count = 1,
        max_words: Count = 20_000,
        max_length: Count = 30,
        dropout: Below1 = 0.0,
        image_size: ImageSize = None,
        augmentation: Changes = None,
        epochs: Count = 10,
        batch_size: Count = 64,
        optimizer: OptimizerName = "adam",
        rate: Positive = 3e-3,
        schedule: ScheduleName = "one_cycle",
        weight_decay: NonNegative = 0.0,
        early_stopping: Flag = False,
        validation_fraction: Share = 0.1,
        patience: Count | None = None,
        ema: Below1 = 0.0,
        checkpoint: Folder = None,
        resume: Flag = False,
        random_state: Seed = 0,
        n_jobs: Jobs = None,
    ) -> None:
        self.encoder, self.cell, self.inject, self.attention = encoder, cell, inject, attention
        self.hidden_size, self.embedding = hidden_size, embedding
        self.min_count, self.max_words, self.max_length = min_count, max_words, max_length
        self.dropout = dropout
        self.image_size, self.augmentation = image_size, augmentation
        self.epochs, self.batch_size = epochs, batch_size
        self.optimizer, self.rate, self.schedule, self.weight_decay = optimizer, rate, schedule, weight_decay
        self.early_stopping, self.validation_fraction, self.patience = early_stopping, validation_fraction, patience
        self.ema = ema
        self.checkpoint, self.resume = checkpoint, resume
        self.random_state, self.n_jobs = random_state, n_jobs

    _encoder: PictureEncoder
    _sentences: Sentences

    # ---- Learning.

    def _read(self, X: Any, y: Any, validation: Any, who: str) -> tuple[Lessons, Lessons | None]:
        images = opened(_in_a_folder(X, who), who, None, self.image_size, None)
        if len(images) < 2:
            raise InputError(f"{who}: there must be two pictures at least to learn from.")
        texts, which = captions_of(y, len(images), who)
        learnt, held = np.ones(len(images), bool), None
        if validation is None and self.early_stopping:
            learnt = ~rows_held_out_of(len(images), self, who)
        self._encoder = _encoder_of(images.take(learnt), self.image_size)
        taught = learnt[which]
        some = [text for text, one in zip(texts, taught, strict=True) if one]
        self._sentences = Sentences.learnt(some, int(self.min_count), int(self.max_words), int(self.max_length))
        codes = self._sentences.codes(texts, who)
        if not learnt.all():
            held = self._lessons(images, which[~taught], codes[~taught], False)
        elif validation is not None:
            held = self._further(validation[0], validation[1], f"{who}(validation=…)")
        return self._lessons(images, which[taught], codes[taught], True), held

    def _further(self, X: Any, y: Any, who: str) -> Lessons:
        images = self._encoder.encode(_in_a_folder(X, who), who)
        texts, which = captions_of(y, len(images), who)
        self._sentences.warn_of_unknown(texts, who)
        return self._lessons(images, which, self._sentences.codes(texts, who), False)

    def _lessons(self, images: Images, which: np.ndarray, codes: np.ndarray, learning: bool) -> Lessons:
        from margin.deep.vision.captioning.lessons import CaptionLessons

        changes = read_changes(self.augmentation) if learning else {}
        return CaptionLessons(images, which, codes, self._encoder.scale, changes)

    def _case_loss(self) -> Any:
        from margin.deep.vision.captioning.network import caption_loss

        return caption_loss

    @property
    def plan_(self) -> CaptionPlan:
        """What the network is made of."""
        from margin.deep.vision.captioning.network import CaptionPlan

        fitted = self._fitted("plan_")
        return CaptionPlan(
            fitted._encoder.channels, fitted._encoder.size, fitted._sentences.n_codes, int(self.encoder),
            int(self.hidden_size), int(self.embedding), self.cell, self.inject, bool(self.attention),
            float(self.dropout),
        )  # fmt: skip

    def _network_on(self, device: str) -> nn.Module:
        from margin.deep.vision.captioning.network import caption_net

        return caption_net(self.plan_, device, self._seed("first weights") if device != "meta" else 0)

    # ---- Saying.

    @property
    def words_(self) -> tuple[str, ...]:
        """The words that can be said."""
        return self._fitted("words_")._sentences.vocabulary.tokens

    def predict(self, X: Any, *, beam: int = 3, length_penalty: float = 0.0) -> np.ndarray:
        """A caption for each picture: the most probable one that a beam finds.

        Parameters
        ----------
        beam
            Beginnings that are kept at each word; 1 takes the most probable word each time. What is found is never less
            probable than that.
        length_penalty
            Captions are compared by log p / length^penalty: 0 for their probability, which favours short ones, 1 for
            its mean over the words.
        """
        found = self._said(X, beam, length_penalty, "predict")
        return np.array([each.text for each in found], dtype=object)

    def describe(self, X: Any, *, beam: int = 3, length_penalty: float = 0.0) -> list[Caption]:
        """The same with probabilities and, with attention, the maps of each word."""
        return list(self._said(X, beam, length_penalty, "describe"))

    def _said(self, X: Any, beam: int, length_penalty: float, method: str) -> Iterator[Caption]:
        from margin.deep.vision.captioning.speaking import beam_search

        who = f"{type(self).__name__}.{method}"
        fitted = self._fitted(method)
        if not is_whole(beam) or beam < 1:
            raise ParameterError(f"{who}(beam={beam!r}): beam must be a whole number of at least 1.")
        if not is_number(length_penalty) or length_penalty < 0:
            raise ParameterError(f"{who}(length_penalty={length_penalty!r}): it must be a number of at least 0.")
        most = int(self.max_length)
        made = fitted._each(X, who, lambda net, seen: beam_search(net, seen, int(beam), most, float(length_penalty)))
        net: Any = fitted.network_
        for said in made:
            maps = None if said.looked is None else said.looked.reshape(-1, *net.eye.sides)
            yield Caption(fitted._sentences.text(said.codes), said.log_probability, maps)

    def _each(self, X: Any, who: str, ask: Any) -> list[Any]:
        """What is said of each picture; they are looked at many at once."""
        import torch

        from margin.deep.training.surroundings import threads_of_torch

        images, made = self._encoder.encode(_in_a_folder(X, who), who), []
        net: Any = self.network_
        with threads_of_torch(self.n_jobs), torch.inference_mode():
            for first in range(0, len(images), 128):
                x = self._encoder.scale.applied(images[first : first + 128].pixels(), torch.device("cpu"))
                memory = net.look(x)
                made += [ask(net, {name: each[i : i + 1] for name, each in memory.items()}) for i in range(len(x))]
        return made

    def sample(self, X: Any, *, temperature: float = 1.0, random_state: SeedLike = None) -> np.ndarray:
        """A caption for each picture, each word drawn by its probability.

        Logits are divided by the temperature: below 1 the probable becomes more so, at 0 the most probable is said.
        """
        from margin.deep.vision.captioning.speaking import drawn

        who = f"{type(self).__name__}.sample"
        if not is_number(temperature) or temperature < 0:
            raise ParameterError(f"{who}(temperature={temperature!r}): temperature must be a number of at least 0.")
        fitted, draw = self._fitted("sample"), generator(random_state, "sample")
        most = int(self.max_length)
        made = fitted._each(X, who, lambda net, seen: drawn(net, seen, most, float(temperature), draw))
        return np.array([fitted._sentences.text(codes) for codes in made], dtype=object)

    def log_probability(self, X: Any, captions: Sequence[str]) -> np.ndarray:
        """The logarithm of the probability of a caption for each picture, its end counted along.

        Words that were not learnt count as the unknown word, with a warning.
        """
        from margin.deep.vision.captioning.lessons import log_probabilities

        who = f"{type(self).__name__}.log_probability"
        fitted = self._fitted("log_probability")
        images = fitted._encoder.encode(_in_a_folder(X, who), who)
        texts, which = captions_of(captions, len(images), who)
        if len(texts) != len(images):
            raise InputError(f"{who}: there must be one caption for each picture.")
        fitted._sentences.warn_of_unknown(texts, who)
        if not texts:
            return np.zeros(0)
        codes = fitted._sentences.codes(texts, who)
        return log_probabilities(fitted.network_, images, which, codes, fitted._encoder.scale, self.n_jobs)

    def score(self, X: Any, y: Any) -> float:
        """The share of pictures whose caption is one of those given for it, word for word."""
        from margin.deep.vision.captioning.report import caption_report

        return caption_report(y, self.predict(X).tolist()).exact_match.value


def _in_a_folder(X: Any, who: str) -> Any:
    """The pictures of a folder without classes, or of one file."""
    import os

    if not isinstance(X, str | os.PathLike):
        return X
    groups = given_pictures(X, who)
    return groups[0] if len(groups) == 1 else Images.from_files([name for each in groups for name in each.names or ()])


def _encoder_of(images: Images, image_size: Any) -> PictureEncoder:
    from margin.deep.training.pixel_scale import PixelScale

    size, scale = images.image_size, PixelScale.learnt(images)
    assert size is not None
    return PictureEncoder(size, images.channels, None, image_size is not None, scale.mean, scale.std)
