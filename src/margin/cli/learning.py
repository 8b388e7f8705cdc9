"""What commands that train networks share: a line an epoch, Ctrl-C that keeps what is finished, and the file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click

from margin.cli import read_options as reading

__all__ = ["STOPPED", "learn_and_save", "model_of"]

#: What a program leaves with that was stopped by Ctrl-C, whatever it could still write.
STOPPED = 130


def model_of(cls: type, settings: Sequence[str], **given: Any) -> Any:
    """An estimator with parameters from --set, looked at before anything is read."""
    from margin import params

    told = reading.pairs_of(tuple(settings), "--set", "PARAMETER=VALUE, as in epochs=5", at_first=True)
    model = cls(**{**given, **params.from_text(cls, told)})
    params.check(model)
    return model


def learn_and_save(model: Any, X: Any, y: Any, save: str, about: dict[str, Any], quiet: bool) -> int:
    """Train, say how it goes, and write the file; what the command is to leave with."""
    from margin import persistence

    stopped = False
    try:
        for epoch in model.training(X, y):
            if not quiet:
                judged = "" if epoch.validation_score is None else f", held out {epoch.validation_score:.3f}"
                left = (model.epochs - epoch.number) * epoch.seconds
                click.echo(
                    f"epoch {epoch.number} of {model.epochs}: loss {epoch.loss:.4f}{judged}"
                    f" ({epoch.seconds:.1f} s, about {left:.0f} s to go)",
                    err=True,
                )
    except KeyboardInterrupt:
        if not model.__sklearn_is_fitted__():
            raise
        stopped = True
    persistence.save(model, save, about=about)
    if not quiet:
        click.echo(f"{save}: {model.n_iter_} epochs{', stopped by Ctrl-C' if stopped else ''}")
    return STOPPED if stopped else 0
