"""Pictures of one kind made into those of another, learnt without pairs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np

from margin.data.images import Images
from margin.deep.generative.adversarial import AdversarialModel
from margin.deep.generative.round import Round
from margin.deep.mlp.parameters import Below1, Folder
from margin.deep.pictures.image_classifier import Channels
from margin.deep.pictures.picture_encoder import PictureEncoder, opened
from margin.deep.pictures.picture_network import ImageSize
from margin.errors import InputError, ParameterError
from margin.params import Count, Flag, Jobs, NonNegative, Positive, Seed
from margin.random import seed_for

if TYPE_CHECKING:
    import torch
    from torch import nn

    from margin.deep.generative.rounds import Rounds

__all__ = ["CycleGAN"]

PIECE = 64
#: Generators halve pictures twice; smaller ones leave nothing of patches.
SMALLEST = 12


class CycleGAN(AdversarialModel):
    r"""Two generators that translate between two kinds of pictures, of which no pairs are known (Zhu et al. 2017).

    A discriminator of each kind judges patches by squares (LSGAN); what is sent there and back has to come back as it
    was, which counts :math:`\lambda` times (``cycle``), and a picture that is of the wanted kind already has to stay
    (``identity``, a share of :math:`\lambda`). Nothing else says which translation is meant: an own inverse that is
    wrong everywhere satisfies all of it.

    Parameters
    ----------
    width
        Maps of the first layer of generators and discriminators; 64 in the paper.
    blocks
        Residual blocks; 9 in the paper, 6 for pictures below 256 pixels.
    patch_layers
        Halvings of the discriminators: 3 for patches of 70 pixels; None for fewer where pictures are smaller.
    cycle, identity
        What there-and-back counts beside the discriminators, and the share of it that staying counts.
    pool
        Old forgeries of each kind that discriminators are shown again.
    steps
        How often the generators learn; the rate falls on a line in the second half.
    batch_size
        Pictures of each kind in a step; 1 in the paper.
    rate, beta1
        Adam's.
    image_size
        Pixels of a side, or height and width, that all pictures are made; None to take pictures of one size only.
    channels
        Colours that all pictures are made: 1 or 3; None for those that they have.

    Attributes
    ----------
    cycle_losses_
        The mean distance, on pixels between -1 and 1, of what came back at every step.

    References
    ----------
    Zhu, Park, Isola, Efros, "Unpaired image-to-image translation using cycle-consistent adversarial networks" (2017).

    Examples
    --------
    >>> a, b = np.zeros((6, 16, 16, 1)), np.ones((5, 16, 16, 1))
    >>> model = CycleGAN(4, blocks=1, steps=3, n_jobs=1).fit(a, b)
    >>> model.translate(a[:2], to="b").shape
    (2, 16, 16, 1)
    """

    _encoders: dict[str, PictureEncoder]
    _free_to_change = ()  # the rate falls towards the last step

    def __init__(
        self,
        width: Count = 64,
        blocks: Count = 6,
        *,
        patch_layers: Count | None = None,
        cycle: NonNegative = 10.0,
        identity: NonNegative = 0.5,
        pool: Count = 50,
        steps: Count = 1000,
        batch_size: Count = 4,
        rate: Positive = 2e-4,
        beta1: Below1 = 0.5,
        image_size: ImageSize = None,
        channels: Channels = None,
        checkpoint: Folder = None,
        resume: Flag = False,
        random_state: Seed = 0,
        n_jobs: Jobs = None,
    ) -> None:
        self.width, self.blocks, self.patch_layers = width, blocks, patch_layers
        self.cycle, self.identity, self.pool = cycle, identity, pool
        self.steps, self.batch_size, self.rate, self.beta1 = steps, batch_size, rate, beta1
        self.image_size, self.channels = image_size, channels
        self.checkpoint, self.resume = checkpoint, resume
        self.random_state, self.n_jobs = random_state, n_jobs

    def fit(self, A: Any, B: Any) -> Self:
        """Learn from pictures of two kinds, not in pairs. Ctrl-C is passed on; after a step what is known is kept."""
        for _ in self.training(A, B):
            pass
        return self

    def training(self, A: Any, B: Any) -> Iterator[Round]:
        """The same as a loop: one :class:`~margin.deep.generative.Round` a turn; break, and it is as it was then."""
        return self._played((A, B))

    def _read(self, given: tuple[Any, ...], who: str) -> list[torch.Tensor]:
        self._encoders, cases = {}, []
        for side, X in zip("ab", given, strict=True):
            images = opened(X, f"{who}({side.upper()}=…)", None, self.image_size, self.channels)
            if len(images) < self.batch_size:
                raise InputError(
                    f"{who}(batch_size={self.batch_size}): there are {len(images)} pictures in {side.upper()}, fewer "
                    "than a batch."
                )
            size, middle = images.image_size, (0.5,) * images.channels
            assert size is not None
            self._encoders[side] = PictureEncoder(
                size, images.channels, None, self.image_size is not None, middle, middle
            )
            cases.append(self._seen(images, side))
        a, b = self._encoders["a"], self._encoders["b"]
        if a.size != b.size:
            sides = [" x ".join(map(str, each.size)) for each in (a, b)]
            raise InputError(
                f"{who}: pictures of A are {sides[0]} pixels and those of B {sides[1]} (image_size= makes them one)."
            )
        if min(a.size) < SMALLEST or any(side % 4 for side in a.size):
            raise InputError(
                f"{who}: pictures are {a.size[0]} x {a.size[1]} pixels; sides must be multiples of 4 from "
                f"{SMALLEST} up (image_size= makes them so)."
            )
        if a.channels != b.channels and self.identity:
            raise InputError(
                f"{who}: pictures of A have {a.channels} channels and those of B {b.channels}, so that none can "
                "stay as it is (channels= makes them one, or identity=0)."
            )
        return cases

    def _seen(self, images: Images, side: str) -> torch.Tensor:
        import torch

        scale = self._encoders[side].scale
        pieces = [
            scale.applied(images[k : k + PIECE].pixels(), torch.device("cpu")) for k in range(0, len(images), PIECE)
        ]
        return torch.cat(pieces).contiguous(memory_format=torch.channels_last)

    def _game(self, given: tuple[Any, ...], who: str) -> tuple[Any, bytes]:
        from margin.deep.generative.translation import Translation

        a, b = self._read(given, who)
        players = self._first_players(who)
        game = Translation(
            players, a, b, int(self.batch_size), float(self.rate), float(self.beta1), float(self.cycle),
            float(self.identity), int(self.pool), int(self.steps), self._seed("training"),
        )  # fmt: skip
        return game, a.contiguous().numpy().tobytes() + b.contiguous().numpy().tobytes()

    def _players(self, seed: int | None) -> nn.ModuleDict:
        from torch import nn

        from margin.deep.generative.players import made_with, narrow_weights
        from margin.deep.generative.translators import PatchJudge, Translator, patch_layers_for

        a, b = self._encoders["a"], self._encoders["b"]
        width, blocks = int(self.width), int(self.blocks)
        layers = patch_layers_for(min(a.size)) if self.patch_layers is None else int(self.patch_layers)
        plans = {
            "a_to_b": lambda: Translator(a.channels, b.channels, width, blocks),
            "b_to_a": lambda: Translator(b.channels, a.channels, width, blocks),
            "judge_a": lambda: PatchJudge(a.channels, width, layers),
            "judge_b": lambda: PatchJudge(b.channels, width, layers),
        }
        return nn.ModuleDict(
            {
                name: made_with(plan, None if seed is None else seed_for(seed, name, bits=63), narrow_weights)
                for name, plan in plans.items()
            }
        )

    def _finish(self, run: Rounds) -> None:
        game: Any = run.game
        self.cycle_losses_ = np.array(game.cycles[: len(run.curve)])

    def _settle(self, run: Rounds, who: str) -> None:
        from margin.deep.generative.watching import settled

        settled(run, None, -0.5, who)  # two discriminators, each of which loses a quarter by guessing

    def translate(self, X: Any, to: Literal["a", "b"] = "b") -> np.ndarray:
        """Pictures of the other kind as pictures of this one: (n, height, width, channels) between 0 and 1."""
        import torch

        from margin.deep.training.surroundings import threads_of_torch

        who = f"{type(self).__name__}.translate"
        fitted = self._fitted("translate")
        if to not in ("a", "b"):
            raise ParameterError(f"{who}(to={to!r}): to must be 'a' or 'b'.")
        side, name = ("a", "a_to_b") if to == "b" else ("b", "b_to_a")
        encoder = fitted._encoders[side]
        images = encoder.encode(X, who)
        if not len(images):
            return np.zeros((0, *encoder.size, fitted._encoders[to].channels), np.float32)
        cases, net = fitted._seen(images, side), fitted.networks_[name]
        with threads_of_torch(self.n_jobs), torch.inference_mode():
            made = torch.cat([net(cases[k : k + PIECE]) for k in range(0, len(cases), PIECE)])
        return np.ascontiguousarray(((made.numpy() + 1) / 2).clip(0, 1).transpose(0, 2, 3, 1))

    def there_and_back(self, X: Any, by: Literal["a", "b"] = "b") -> np.ndarray:
        """Pictures that were translated and translated back."""
        other: Literal["a", "b"] = "a" if by == "b" else "b"
        return self.translate(self.translate(X, to=by), to=other)
