"""What a generator and a discriminator can be asked once they have learnt."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from margin.base.representations.numeric import Numeric
from margin.data.images import Images
from margin.deep.generative.adversarial import AdversarialModel
from margin.deep.generative.losses import LOSSES
from margin.deep.pictures.picture_encoder import PictureEncoder, opened
from margin.errors import ConstantColumnWarning, InputError, ParameterError, listing, warn
from margin.params import is_number, is_whole
from margin.random import generator
from margin.typing import SeedLike

if TYPE_CHECKING:
    from collections.abc import Iterator

    import torch

    from margin.deep.generative.round import Round
    from margin.deep.generative.rounds import Rounds

__all__ = ["Forger"]

#: Cases that are worked out at once.
PIECE = 256


class Forger(AdversarialModel):
    """A generator that forges cases, taught by a discriminator that tells them from real ones.

    Cases are rows of numbers (arrays, frames, tables) or pictures (``Images``, arrays of three or four axes, folders).
    Columns come back in the units that they had; a column of one number is given back as it is.

    Parameters
    ----------
    latent
        Numbers, standard normal ones, that a case is made of.
    rate
        The rate of Adam, for both players.
    beta1
        Adam's memory of slopes.
    ema
        Memory of the average of the generator's weights over the steps, which then forges; 0 for the last weights.
    image_size
        Pixels of a side, or height and width, that all pictures are made; None to take pictures of one size only.
    image_shape
        For flat rows: (height, width) or (height, width, channels).
    channels
        Colours that all pictures are made: 1 or 3; None for those that the training pictures have.

    Attributes
    ----------
    networks_
        ``["generator"]`` and ``["discriminator"]``, as modules of torch.
    variety_
        From time to time: the step, and how many places the generator fills as a share of those that training cases
        fill. Less than half in the end is warned of (mode collapse).
    """

    latent: int
    loss: str
    n_critic: int
    r1: float
    rate: float
    beta1: float
    ema: float
    image_size: Any
    image_shape: Any
    channels: int | None
    _pictures: bool

    @property
    def representation(self) -> Numeric:
        return Numeric(scale="standard")

    def fit(self, X: Any, y: None = None) -> Self:
        """Learn from cases; y is not looked at. Ctrl-C is passed on; after a step the networks keep what they know."""
        for _ in self.training(X):
            pass
        return self

    def training(self, X: Any) -> Iterator[Round]:
        """The same as a loop: one :class:`~margin.deep.generative.Round` a turn; break, and it is as it was then."""
        return self._played((X,))

    # ---- Reading.

    def _takes_pictures(self, X: Any) -> bool:
        if isinstance(X, Images) or self.image_shape is not None:
            return True
        if isinstance(X, str | os.PathLike):
            return os.path.isdir(X) or str(X).endswith(".zip")
        if isinstance(X, list | tuple) and len(X):
            return isinstance(X[0], str | os.PathLike) or np.ndim(X[0]) > 1
        return getattr(X, "ndim", 2) > 2

    def _read(self, X: Any, who: str) -> torch.Tensor:
        """The training cases as the networks see them."""
        import torch

        self._pictures = self._takes_pictures(X)
        if self._pictures:
            shape = None if self.image_shape is None else tuple(int(side) for side in self.image_shape)
            images = opened(X, who, shape, self.image_size, self.channels)
            if not len(images):
                raise InputError(f"{who}: there are no pictures.")
            size = images.image_size
            assert size is not None
            middle = (0.5,) * images.channels
            self._encoder = PictureEncoder(size, images.channels, shape, self.image_size is not None, middle, middle)
            cases = self._seen(images)
        else:
            cases = torch.from_numpy(self._read_table(X, who).astype(np.float32))
        if len(cases) < self.batch_size:
            raise InputError(
                f"{who}(batch_size={self.batch_size}): there are {len(cases)} cases, fewer than a batch "
                f"(try batch_size={max(1, len(cases) // 2)})."
            )
        return cases

    def _read_table(self, X: Any, who: str) -> np.ndarray:
        rows = self._open_rows(X, None, who)
        learnt = self._learn_input(rows, who)
        encoder = self._encoder = learnt.encoder
        words = [column.name for column in encoder.one_hot] + list(encoder.text_names)
        if words:
            raise InputError(f"{who}: {listing(words)} is no column of numbers; leave it out, or code it as numbers.")
        if encoder.filled:
            row, at = np.argwhere(np.isnan(np.asarray(encoder.numbers(rows.source, who), np.float64)))[0]
            raise InputError(
                f"{who}: column {encoder.names_out()[at]!r}, row {row}: the cell is missing, and what is made up for "
                "it would be forged too (fill the cell, or leave the row out)."
            )
        made = np.asarray(learnt.data, dtype=np.float64)
        constant = np.flatnonzero(np.ptp(made, axis=0) == 0)
        if len(constant):
            names = listing([encoder.names_out()[at] for at in constant])
            warn(f"{who}: column {names} holds one number, which is given back as it is.", ConstantColumnWarning)
        if len(constant) == made.shape[1]:
            raise InputError(f"{who}: all rows are equal; there is nothing to learn.")
        return made

    def _seen(self, images: Images) -> torch.Tensor:
        """Pictures as networks take them, between -1 and 1."""
        import torch

        scale = self._encoder.scale
        pieces = [
            scale.applied(images[k : k + PIECE].pixels(), torch.device("cpu")) for k in range(0, len(images), PIECE)
        ]
        return torch.cat(pieces).contiguous(memory_format=torch.channels_last)

    @property
    def _case_shape(self) -> tuple[int, ...]:
        """One case as networks take it."""
        if self._pictures:
            return (self._encoder.channels, *self._encoder.size)
        return (len(self._encoder.center),)

    def _cases(self, X: Any, method: str) -> torch.Tensor:
        import torch

        who = f"{type(self).__name__}.{method}"
        fitted = self._fitted(method)
        if not fitted._pictures:
            return torch.from_numpy(np.asarray(fitted._encoded(X, method), dtype=np.float32))
        images = fitted._encoder.encode(X, who)
        return fitted._seen(images) if len(images) else torch.zeros((0, *fitted._case_shape))

    def _given_back(self, cases: torch.Tensor) -> np.ndarray:
        """What a network made, in the units that the training cases had."""
        made: np.ndarray = cases.detach().cpu().numpy()
        if self._pictures:
            return np.ascontiguousarray(((made + 1) / 2).clip(0, 1).transpose(0, 2, 3, 1))
        low, high = self._ranges
        spread = np.where(low == high, 0.0, self._encoder.spread)
        return np.asarray(made.astype(np.float64) * spread + self._encoder.center)

    # ---- The game.

    def _game(self, given: tuple[Any, ...], who: str) -> tuple[Any, bytes]:
        from margin.deep.generative.duel import Duel
        from margin.deep.generative.watching import Watch
        from margin.deep.training.average import Average

        (X,) = given
        cases = self._read(X, who)
        players = self._checked(self._first_players(who), who)
        seed, latent = self._seed("training"), int(self.latent)
        game = Duel(
            players, cases, LOSSES[self.loss], latent, int(self.n_critic), float(self.r1), int(self.batch_size),
            (float(self.rate), float(self.rate)), float(self.beta1), seed,
            Average(float(self.ema)) if self.ema else None,
        )  # fmt: skip
        if "generator" in game.optimizers:
            game.watch = Watch.over(cases, latent, seed)
        known = b"" if self._pictures else self._encoder.center.tobytes() + self._encoder.spread.tobytes()
        return game, cases.contiguous().numpy().tobytes() + known

    def _checked(self, players: Any, who: str) -> Any:
        """Whether the networks fit each other and the cases."""
        import torch

        z, shape = torch.zeros(2, int(self.latent)), self._case_shape
        players.eval()
        try:
            with torch.no_grad():
                made = players["generator"](z)
                fits = isinstance(made, torch.Tensor) and tuple(made.shape) == (2, *shape)
                told = players["discriminator"](torch.zeros(2, *shape))
        except RuntimeError as error:
            raise InputError(f"{who}: the networks do not fit the cases, {shape} ({error}).") from None
        if not fits:
            raise InputError(
                f"{who}: the generator makes cases of shape {tuple(made.shape[1:])}, and they have {shape}."
            )
        if told.numel() != 2:
            raise InputError(f"{who}: the discriminator must give one number for each case.")
        return players

    def _finish(self, run: Rounds) -> None:
        import torch

        from margin.deep.generative.statistics import settle_statistics

        game: Any = run.game
        forge = game.players["generator"]
        if game.average is not None and game.average.steps:
            with torch.no_grad():
                for name, each in forge.named_parameters():
                    each.copy_(game.average.tensors[name])
        settle_statistics(forge, int(self.latent), int(self.batch_size), game.seed)
        self.variety_ = np.array(game.watch.seen if game.watch is not None else [], np.float64).reshape(-1, 2)

    def _settle(self, run: Rounds, who: str) -> None:
        from margin.deep.generative.watching import settled

        game: Any = run.game
        settled(run, game.watch, game.loss.even if "generator" in game.optimizers else 0.0, who)

    # ---- Asking.

    def sample(self, n: int = 1, random_state: SeedLike = None) -> np.ndarray:
        """So many forged cases: rows, or pictures (n, height, width, channels) between 0 and 1.

        The same seed gives the same cases; None others each time.
        """
        who = f"{type(self).__name__}.sample"
        self._fitted("sample")
        if not is_whole(n) or n < 0:
            raise ParameterError(f"{who}(n={n!r}): n must be a whole number of at least 0.")
        drawn = generator(random_state, "sample").standard_normal((int(n), int(self.latent)), dtype=np.float32)
        return self.from_latent(drawn)

    def glimpse(self, n: int = 64, random_state: SeedLike = 0) -> np.ndarray:
        """So many cases of the generator as it is now, for whoever follows :meth:`training`."""
        import torch

        from margin.deep.training.surroundings import threads_of_torch

        if "_run" not in self.__dict__:
            return self.sample(n, random_state)
        forge = self._run.game.players["generator"]
        drawn = generator(random_state, "sample").standard_normal((int(n), int(self.latent)), dtype=np.float32)
        training = forge.training
        with threads_of_torch(self.n_jobs), torch.no_grad():
            forge.eval()
            made = self._given_back(forge(torch.from_numpy(drawn)))
            forge.train(training)
        return made

    def from_latent(self, z: Any) -> np.ndarray:
        """The cases that the generator makes of latent vectors (n, latent)."""
        import torch

        from margin.deep.training.surroundings import threads_of_torch

        forge = self._fitted("from_latent").networks_["generator"]
        vectors = self._vectors(z, "from_latent")
        with threads_of_torch(self.n_jobs), torch.inference_mode():
            pieces = [forge(torch.from_numpy(vectors[k : k + PIECE])) for k in range(0, len(vectors), PIECE)]
            made = torch.cat(pieces) if pieces else torch.zeros((0, *self._case_shape))
        return self._given_back(made)

    def _vectors(self, z: Any, method: str) -> np.ndarray:
        who = f"{type(self).__name__}.{method}"
        try:
            vectors = np.atleast_2d(np.asarray(z, dtype=np.float32))
        except (TypeError, ValueError):
            raise InputError(f"{who}: latent vectors must be numbers, (n, {self.latent}).") from None
        if vectors.ndim != 2 or vectors.shape[1] != self.latent or not np.isfinite(vectors).all():
            raise InputError(f"{who}: latent vectors must be finite numbers, (n, {self.latent}).")
        return np.ascontiguousarray(vectors)

    def interpolate(self, a: Any, b: Any, n: int = 8) -> np.ndarray:
        """So many cases on the way from one latent vector to another, both ends among them.

        The way is an arc, on which vectors keep the length that normal ones have.
        """
        self._fitted("interpolate")
        one, other = (self._vectors(each, "interpolate").astype(np.float64) for each in (a, b))
        if len(one) != 1 or len(other) != 1:
            raise InputError(f"{type(self).__name__}.interpolate: a and b must be one latent vector each.")
        if not is_whole(n) or n < 2:
            raise ParameterError(f"{type(self).__name__}.interpolate(n={n!r}): n must be a whole number of at least 2.")
        return self.from_latent(arc(one[0], other[0], int(n)))

    def latent_of(self, X: Any, *, steps: int = 200, rate: float = 0.05, random_state: SeedLike = 0) -> np.ndarray:
        """The latent vectors (n, latent) whose forgeries come near to given cases, by steps of Adam from four starts.

        The squared distance falls step by step; a vector far from where normal ones are costs a little too.
        """
        import torch

        from margin.deep.generative.statistics import nearest_vectors
        from margin.deep.training.surroundings import threads_of_torch

        who = f"{type(self).__name__}.latent_of"
        cases = self._cases(X, "latent_of")
        if not is_whole(steps) or steps < 0 or not is_number(rate) or rate <= 0:
            raise ParameterError(f"{who}(steps={steps!r}, rate={rate!r}): steps must be whole, and rate above 0.")
        random = generator(random_state, "latent")
        with threads_of_torch(self.n_jobs), torch.enable_grad():
            forge = self.networks_["generator"]
            pieces = [
                nearest_vectors(forge, cases[k : k + PIECE], int(self.latent), int(steps), float(rate), random)
                for k in range(0, len(cases), PIECE)
            ]
        return np.concatenate([np.zeros((0, int(self.latent)), np.float32), *pieces])

    def score(self, X: Any, y: None = None) -> np.ndarray:
        """D(x) of each case: the probability of being real, or what a loss without probabilities scores."""
        import torch

        from margin.deep.training.surroundings import threads_of_torch

        cases = self._cases(X, "score")
        judge = self.networks_["discriminator"]
        with threads_of_torch(self.n_jobs), torch.inference_mode():
            pieces = [judge(cases[k : k + PIECE]).reshape(-1) for k in range(0, len(cases), PIECE)]
            told = torch.cat(pieces) if pieces else torch.zeros(0)
            made: np.ndarray = (told.double().sigmoid() if LOSSES[self.loss].probabilities else told.double()).numpy()
        return made


def arc(a: np.ndarray, b: np.ndarray, n: int) -> np.ndarray:
    """Places on the arc between two vectors; on the line where they point the same or opposite ways.

    >>> arc(np.array([2.0, 0.0]), np.array([0.0, 2.0]), 3).round(3).tolist()
    [[2.0, 0.0], [1.414, 1.414], [0.0, 2.0]]
    """
    share = np.linspace(0, 1, n)[:, None]
    lengths = np.linalg.norm(a), np.linalg.norm(b)
    angle = np.arccos(np.clip(a @ b / max(lengths[0] * lengths[1], 1e-12), -1, 1))
    if np.sin(angle) < 1e-6:
        line: np.ndarray = (1 - share) * a + share * b
        return line
    found: np.ndarray = (np.sin((1 - share) * angle) * a + np.sin(share * angle) * b) / np.sin(angle)
    return found
