"""A classifier whose cases are questions about pictures."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from margin.base.representations.representation import Learnt, TrainingRows
from margin.deep.fitting.network_classifier import NetworkClassifier
from margin.deep.fitting.trained_network import OptimizerName, ScheduleName
from margin.deep.mlp.parameters import Below1, Folder
from margin.deep.pictures.picture_encoder import PictureEncoder
from margin.deep.vision.captioning.questions import Asked
from margin.deep.vision.captioning.words import Sentences
from margin.errors import InputError
from margin.params import ClassWeight, Count, Flag, Jobs, NonNegative, Positive, Seed, Share
from margin.typing import LabelsLike, WeightsLike

if TYPE_CHECKING:
    from torch import nn

    from margin.deep.training.lessons import Lessons
    from margin.deep.vision.captioning.answer_network import AnswerPlan

__all__ = ["QuestionAnswerer", "QuestionEncoder"]


@dataclass(frozen=True)
class Cases:
    """Questions as codes, with the pictures they are about."""

    asked: Asked
    codes: np.ndarray

    @property
    def shape(self) -> tuple[int, ...]:
        return self.asked.shape


@dataclass(frozen=True)
class QuestionEncoder:
    """What is known of pictures and of words."""

    pictures: PictureEncoder
    sentences: Sentences

    def encode(self, X: Any, who: str) -> Cases:
        asked = Asked.of(X, who)
        if len(asked):
            images = self.pictures.encode(asked.pictures, who)
            texts = asked.questions.tolist()
            self.sentences.warn_of_unknown(texts, who)
            codes = self.sentences.codes(texts, who)
            return Cases(Asked(images, texts, asked.which), codes)
        return Cases(asked, np.zeros((0, 1), np.int64))


class QuestionAnswerer(NetworkClassifier):
    """Answers questions about pictures with one of the answers it has learnt.

    X is :class:`Asked`, or a pair of pictures and questions; y the answers. What it would say without the picture, or
    without the question, is learnt with ``sees``.

    Parameters
    ----------
    width
        Maps of the first convolution; two more have twice as many.
    hidden_size, embedding
        Units of what reads and joins; numbers that stand for a word.
    sees
        "both", or "question" or "picture" alone, for comparison.
    min_count, max_words, max_length
        Words that fewer training questions hold are unknown; how many words there are at most; words of a question.

    References
    ----------
    Antol et al., "VQA" (2015); Perez et al., "FiLM" (2018).

    Examples
    --------
    >>> pixels = np.zeros((40, 8, 8), np.uint8)
    >>> pixels[::2, :4] = 255
    >>> asked = Asked(pixels, ["is it light above", "is it dark above"] * 20)
    >>> asked = Asked(pixels, ["is it light above", "is it light above", "is it dark above", "is it dark above"] * 10)
    >>> model = QuestionAnswerer(8, hidden_size=16, embedding=8, epochs=20, batch_size=8, rate=0.02, n_jobs=1)
    >>> model.fit(asked, ["yes", "no", "no", "yes"] * 10).predict(asked[:4]).tolist()
    ['yes', 'no', 'no', 'yes']
    """

    def __init__(
        self,
        width: Count = 16,
        *,
        hidden_size: Count = 128,
        embedding: Count = 32,
        sees: Literal["both", "question", "picture"] = "both",
        min_count: Count = 1,
        max_words: Count = 20_000,
        max_length: Count = 50,
        epochs: Count = 10,
        batch_size: Count = 128,
        optimizer: OptimizerName = "adam",
        rate: Positive = 3e-3,
        schedule: ScheduleName = "one_cycle",
        weight_decay: NonNegative = 0.0,
        early_stopping: Flag = False,
        validation_fraction: Share = 0.1,
        patience: Count | None = None,
        label_smoothing: Below1 = 0.0,
        ema: Below1 = 0.0,
        class_weight: ClassWeight = None,
        checkpoint: Folder = None,
        resume: Flag = False,
        random_state: Seed = 0,
        n_jobs: Jobs = None,
    ) -> None:
        self.width, self.hidden_size, self.embedding, self.sees = width, hidden_size, embedding, sees
        self.min_count, self.max_words, self.max_length = min_count, max_words, max_length
        self.epochs, self.batch_size = epochs, batch_size
        self.optimizer, self.rate, self.schedule, self.weight_decay = optimizer, rate, schedule, weight_decay
        self.early_stopping, self.validation_fraction, self.patience = early_stopping, validation_fraction, patience
        self.label_smoothing, self.ema, self.class_weight = label_smoothing, ema, class_weight
        self.checkpoint, self.resume = checkpoint, resume
        self.random_state, self.n_jobs = random_state, n_jobs

    _encoder: QuestionEncoder

    def _open_rows(self, X: Any, sample_weight: WeightsLike | None, who: str, like: Any = None) -> TrainingRows:
        asked = Asked.of(X, who)
        if not len(asked):
            raise InputError(f"{who}: there are no questions.")
        return TrainingRows.that_count(asked, sample_weight, who)

    def _learn_input(self, rows: TrainingRows, who: str) -> Learnt:
        from margin.deep.training.pixel_scale import PixelScale

        asked: Asked = rows.source
        images = asked.pictures
        if images.image_size is None:
            raise InputError(f"{who}: pictures must have one size (Images.framed makes them so).")
        scale = PixelScale.learnt(images.take(np.unique(asked.which)))
        pictures = PictureEncoder(images.image_size, images.channels, None, False, scale.mean, scale.std)
        sentences = Sentences.learnt(
            asked.questions.tolist(), int(self.min_count), int(self.max_words), int(self.max_length)
        )
        encoder = QuestionEncoder(pictures, sentences)
        return Learnt(encoder, Cases(asked, sentences.codes(asked.questions.tolist(), who)), None)

    def _lessons(self, cases: Cases, codes: np.ndarray, weight: np.ndarray | None, learning: bool) -> Lessons:
        from margin.deep.vision.captioning.answer_network import QuestionLessons

        asked = cases.asked
        return QuestionLessons(asked.pictures, asked.which, cases.codes, codes, weight, self._encoder.pictures.scale)

    @property
    def plan_(self) -> AnswerPlan:
        """What the network is made of."""
        from margin.deep.vision.captioning.answer_network import AnswerPlan

        encoder = self._fitted("plan_")._encoder
        return AnswerPlan(
            encoder.pictures.channels, encoder.pictures.size, encoder.sentences.n_codes, len(self.classes_),
            int(self.width), int(self.hidden_size), int(self.embedding), self.sees,
        )  # fmt: skip

    def _first_network(self) -> nn.Module:
        from margin.deep.vision.captioning.answer_network import answer_net
        from margin.random import seed_for

        return answer_net(self.plan_, "cpu", seed_for(self.random_state, "first weights", bits=63))

    def _bare_network(self) -> nn.Module:
        from margin.deep.vision.captioning.answer_network import answer_net

        return answer_net(self.plan_, "meta", 0)

    def _logits(self, cases: Cases) -> np.ndarray:
        from margin.deep.vision.captioning.answer_network import answered

        nothing = np.zeros(cases.shape[0], np.int64)
        lessons: Any = self._lessons(cases, nothing, None, False)
        return answered(self.network_, lessons, self.n_jobs)

    def score(self, X: Any, y: LabelsLike | None = None, sample_weight: WeightsLike | None = None) -> float:
        """Accuracy."""
        return super().score(X, self._labels_of(X, y, f"{type(self).__name__}.score"), sample_weight)
