"""What comes next in a text, learnt by a recurrent network."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np

from margin.deep.fitting.trained_network import Device, OptimizerName, PrecisionName, ScheduleName, TrainedNetwork
from margin.deep.mlp.parameters import Below1, Folder
from margin.deep.mlp.training import Epoch
from margin.deep.sequences.ngrams import TextStream, texts_of
from margin.deep.sequences.plan import SequencePlan
from margin.errors import InputError, ParameterError
from margin.params import Count, Flag, Jobs, NonNegative, Positive, Seed, Share, is_number, is_whole
from margin.random import generator, seed_for
from margin.typing import SeedLike

if TYPE_CHECKING:
    from torch import nn

    from margin.deep.training.lessons import Lessons

__all__ = ["SequenceModel"]


class SequenceModel(TrainedNetwork):
    """Reads a text and says at each character how probable each next one is; so it can write, too.

    The loss is the mean logarithm of what it gave the character that came. Texts are read by several streams at once,
    in windows of ``steps`` characters; the state goes on from window to window, slopes go back within one.

    Parameters
    ----------
    cell
        "rnn", "lstm" or "gru".
    hidden_size, n_layers
        Units of a layer, and layers.
    embedding
        Numbers that stand for a token and are learnt along.
    tokens
        What is written one after the other: "characters" or "words".
    steps
        Characters of a window.
    min_count, max_tokens
        Tokens that fewer texts hold are unknown ones; how many there are at most, the most frequent ones.
    dropout
        The share of outputs that is left out by chance.
    epochs
        Passes over the text, at most.
    batch_size
        Streams that read at once.
    early_stopping
        Whether the end of the text (of several, some of them) is held out to judge every epoch by; the weights of the
        best one are kept.

    Attributes
    ----------
    validation_scores_
        Bits a character below 0 of every epoch on what is held out; None without.

    References
    ----------
    Elman (1990); Graves, "Generating sequences with recurrent neural networks" (2013).

    Examples
    --------
    >>> model = SequenceModel("gru", 16, epochs=15, steps=8, batch_size=4, rate=0.02, n_jobs=1).fit("abc" * 60)
    >>> model.sample(9, start="ab", temperature=0.0)
    'cabcabcab'
    >>> bool(model.bits_per_character("abcabcabc") < 1.0)
    True
    """

    _encoder: TextStream

    def __init__(
        self,
        cell: Literal["rnn", "lstm", "gru"] = "lstm",
        hidden_size: Count = 256,
        *,
        n_layers: Count = 1,
        embedding: Count = 64,
        tokens: Literal["characters", "words"] = "characters",
        steps: Count = 100,
        min_count: Count = 1,
        max_tokens: Count = 20_000,
        dropout: Below1 = 0.0,
        epochs: Count = 5,
        batch_size: Count = 32,
        optimizer: OptimizerName = "adam",
        rate: Positive = 0.003,
        schedule: ScheduleName = "cosine",
        weight_decay: NonNegative = 0.0,
        early_stopping: Flag = False,
        validation_fraction: Share = 0.1,
        patience: Count | None = None,
        label_smoothing: Below1 = 0.0,
        ema: Below1 = 0.0,
        checkpoint: Folder = None,
        resume: Flag = False,
        device: Device = "cpu",
        precision: PrecisionName = "float32",
        random_state: Seed = 0,
        n_jobs: Jobs = None,
    ) -> None:
        self.cell, self.hidden_size, self.n_layers = cell, hidden_size, n_layers
        self.embedding, self.tokens, self.steps = embedding, tokens, steps
        self.min_count, self.max_tokens = min_count, max_tokens
        self.dropout = dropout
        self._take_parameters(locals())

    def fit(self, X: Any, y: None = None) -> Self:
        """Learn from a text, or from several; y is not looked at.

        Ctrl-C is passed on; a network that has finished an epoch keeps what it has learnt until then.
        """
        for _ in self.training(X):
            pass
        return self

    def training(self, X: Any) -> Iterator[Epoch]:
        """The same as a loop: one :class:`margin.deep.Epoch` a turn; break, and the network is as it was then."""
        return self._learnt_by(X)

    def _read_lessons(
        self, X: Any, y: Any, sample_weight: Any, who: str, validation: Any
    ) -> tuple[Lessons, Lessons | None]:
        from margin.deep.sequences.stream import StreamLessons

        texts = texts_of(X, who)
        learnt, held = self._parted(texts, who) if self.early_stopping else (texts, None)
        min_count = int(self.min_count) if len(learnt) > 1 else 1
        self._encoder = TextStream.learnt(learnt, self.tokens, min_count, int(self.max_tokens))
        self._ends = len(texts) > 1
        made = [None if each is None else self._encoder.codes(each) for each in (learnt, held)]
        if made[0] is None or len(made[0]) < 4:
            raise InputError(
                f"{who}: the text is too short to learn what comes next; three {self.tokens} are the least."
            )
        lessons = [
            None if each is None else StreamLessons(each, int(self.steps), int(self.batch_size)) for each in made
        ]
        assert lessons[0] is not None
        return lessons[0], lessons[1]

    def _parted(self, texts: list[Any], who: str) -> tuple[list[Any], list[Any]]:
        """What is learnt from and what is held out: some texts, or the end of a single one."""
        share = float(self.validation_fraction)
        if len(texts) == 1:
            cut = len(texts[0]) - round(len(texts[0]) * share)
            learnt, held = [texts[0][:cut]], [texts[0][cut:]]
        else:
            order = generator(self.random_state, "network", "held out").permutation(len(texts))
            n = round(len(texts) * share)
            learnt, held = ([texts[i] for i in sorted(each.tolist())] for each in (order[n:], order[:n]))
        if not any(map(len, held)) or not any(map(len, learnt)):
            raise InputError(
                f"{who}(early_stopping=True, validation_fraction={share:g}): there is too little text to hold any out."
            )
        return learnt, held

    @property
    def plan_(self) -> SequencePlan:
        """What the network is made of."""
        codes = self._fitted("plan_")._encoder.n_codes
        return SequencePlan(
            self.cell, codes, 0, int(self.embedding), int(self.hidden_size), int(self.n_layers), False, "last", "tanh",
            1, float(self.dropout), codes,
        )  # fmt: skip

    def _first_network(self) -> nn.Module:
        return self._network_from(seed_for(self.random_state, "first weights", bits=63))

    def _bare_network(self) -> nn.Module:
        return self._network_from(0)

    def _network_from(self, seed: int) -> nn.Module:
        from margin.deep.sequences.stream import ReadingNet
        from margin.deep.training.surroundings import OwnRandom, threads_of_torch

        with threads_of_torch(self.n_jobs), OwnRandom(seed):
            return ReadingNet(self.plan_)

    # ---- Reading and writing.

    def bits_per_character(self, X: Any) -> float:
        """Binary digits that a character of a text costs on average, if it is written by this model.

        The mark at the end of each of several texts counts as one. Long texts are read in pieces, each with the 256
        characters before it.
        """
        from margin.deep.sequences.stream import bits

        stream = self._fitted("bits_per_character")._encoder
        return bits(self.network_, stream.codes(texts_of(X, f"{type(self).__name__}.bits_per_character")), self.n_jobs)

    def score(self, X: Any, y: None = None) -> float:
        """Bits a character below 0: the larger, the better."""
        return -self.bits_per_character(X)

    def sample(self, n: int = 200, *, temperature: float = 1.0, start: str = "", random_state: SeedLike = None) -> str:
        """A text of n characters (words), or up to its end where the model has learnt from several texts.

        Parameters
        ----------
        temperature
            What logits are divided by: below 1 the probable becomes more so, at 0 the most probable is written.
        start
            What has been written already; it is not given back.
        random_state
            Decides what is drawn; None for another text each time.
        """
        import torch

        who = f"{type(self).__name__}.sample"
        stream = self._fitted("sample")._encoder
        net: Any = self.network_
        if not is_whole(n) or n < 0:
            raise ParameterError(f"{who}(n={n!r}): n must be a whole number of at least 0.")
        if not is_number(temperature) or temperature < 0:
            raise ParameterError(f"{who}(temperature={temperature!r}): temperature must be a number of at least 0.")
        if not isinstance(start, str):
            raise ParameterError(f"{who}(start={start!r}): start must be a text.")
        device = next(net.parameters()).device
        draw, written = generator(random_state, "sample"), list[int]()
        codes: Any = np.concatenate([[stream.mark], stream.codes([start])[1:]]).astype(np.int64)
        state = None
        with torch.inference_mode():
            while len(written) < n:
                logits, state = net.read(torch.from_numpy(codes)[None].to(device), state)
                written.append(_drawn(logits[0, -1].cpu().double().numpy(), temperature, stream, self._ends, draw))
                if written[-1] == stream.mark:
                    break
                codes = np.array(written[-1:])
        return stream.text(written)

    def _memory_parts(self, x: Any, who: str) -> tuple[SequencePlan, Any, np.ndarray, tuple[str, ...] | None]:
        fitted = self._fitted("memory")
        known = fitted._encoder.vocabulary
        return (
            fitted.plan_,
            fitted._tensors,
            fitted._encoder.codes(texts_of(x, who))[1:],
            tuple(known.parts(x, known.form)),
        )


def _drawn(logits: np.ndarray, temperature: float, stream: TextStream, ends: bool, draw: np.random.Generator) -> int:
    """The next code; what stands for unknown tokens cannot be written, nor an end where there was none."""
    logits[0] = -np.inf
    if not ends:
        logits[stream.mark] = -np.inf
    if temperature == 0:
        return int(logits.argmax())
    shares = np.exp((logits - logits.max()) / temperature)
    return int(draw.choice(len(shares), p=shares / shares.sum()))
