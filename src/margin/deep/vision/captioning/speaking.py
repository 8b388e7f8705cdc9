"""Captions from a fitted network: the most probable ones by a beam, or drawn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from margin.deep.sequences.vocabulary import UNKNOWN

__all__ = ["Said", "beam_search", "drawn"]


@dataclass(frozen=True)
class Said:
    """Codes of a caption with its end, the logarithm of its probability, and where each word was looked for."""

    codes: tuple[int, ...]
    log_probability: float
    looked: np.ndarray | None


@dataclass
class _Begun:
    """Sentences that are being written, a row of the states for each; the first is the greedy one."""

    state: dict[str, torch.Tensor]
    codes: list[tuple[int, ...]]
    sums: np.ndarray
    looked: list[tuple[np.ndarray, ...]]


def beam_search(net: Any, memory: dict[str, torch.Tensor], beam: int, most: int, penalty: float) -> Said:
    """The best sentence of at most so many words about one picture.

    At each step the ``beam`` most probable beginnings are kept, and the greedy one beside them, so that what is found
    is never less probable than it. Whole sentences are compared by log p / length^penalty, their end counted as a word.
    """
    end = net.plan.n_codes - 1
    state, memory = net.begin(memory)
    begun = _Begun(state, [()], np.zeros(1), [()])
    done: list[Said] = []
    for step in range(most + 1):
        said = torch.tensor([codes[-1] if codes else end for codes in begun.codes])
        logits, state, looked = net.next(said, begun.state, _repeated(memory, len(said)))
        shares = logits.double().log_softmax(dim=1).numpy()
        shares[:, UNKNOWN] = -np.inf  # a word that is not known cannot be said
        if step == most:
            shares[:, :end] = -np.inf
        begun = _further(begun, state, shares, None if looked is None else looked.numpy(), beam, end, done)
        if not begun.codes:
            break
        if penalty == 0 and len(done) >= beam and begun.sums.max() <= max(each.log_probability for each in done):
            break  # sums only fall
    return max(done, key=lambda each: each.log_probability / len(each.codes) ** penalty)


def _further(
    begun: _Begun, state: dict[str, torch.Tensor], shares: np.ndarray, looked: np.ndarray | None, beam: int, end: int,
    done: list[Said],
) -> _Begun:  # fmt: skip
    """A word more; sentences that ended go to ``done``."""
    n_codes = shares.shape[1]
    totals = begun.sums[:, None] + shares
    greedy = int(shares[0].argmax())
    # The greedy beginning may also be one of the best; it is written once.
    ranked = np.argsort(-totals, axis=None, kind="stable")[: beam + 1]
    chosen = [place for place in ranked.tolist() if np.isfinite(totals.flat[place]) and place != greedy][:beam]
    wanted = [greedy, *chosen][: beam if greedy in ranked[:beam].tolist() else beam + 1]
    rows, codes, sums, looks = [], [], [], []
    for place in wanted:
        row, code = divmod(place, n_codes)
        longer = (*begun.codes[row], code)
        look = begun.looked[row] if looked is None else (*begun.looked[row], looked[row])
        if code == end:
            done.append(Said(longer, float(totals.flat[place]), np.array(look) if looked is not None else None))
        else:
            rows.append(row)
            codes.append(longer)
            sums.append(totals.flat[place])
            looks.append(look)
    kept = torch.tensor(rows, dtype=torch.int64)
    return _Begun({name: each[kept] for name, each in state.items()}, codes, np.array(sums), looks)


def _repeated(memory: dict[str, torch.Tensor], n: int) -> dict[str, torch.Tensor]:
    return {name: each.expand(n, *each.shape[1:]) for name, each in memory.items()}


def drawn(
    net: Any, memory: dict[str, torch.Tensor], most: int, temperature: float, random: np.random.Generator
) -> tuple[int, ...]:
    """A sentence about one picture, each word drawn by its probability; at temperature 0 the most probable."""
    end, codes = net.plan.n_codes - 1, list[int]()
    state, memory = net.begin(memory)
    while len(codes) < most:
        logits, state, _ = net.next(torch.tensor([codes[-1] if codes else end]), state, memory)
        found = logits[0].double().numpy()
        found[UNKNOWN] = -np.inf
        if temperature == 0:
            code = int(found.argmax())
        else:
            shares = np.exp((found - found.max()) / temperature)
            code = int(random.choice(len(shares), p=shares / shares.sum()))
        if code == end:
            break
        codes.append(code)
    return tuple(codes)
