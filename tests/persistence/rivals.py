"""The same damage done to files of other packages: ``python -m tests.persistence.rivals``.

A small tree model of each: margin's own file, skops' zip, XGBoost's binary JSON and LightGBM's text. Each is cut,
flipped, zeroed, moved and so on 240 times, loaded, and asked about 30 rows. Good is to refuse the file or to answer as
before; bad is to answer otherwise without a word, to die, or to take five seconds. Needs the packages of
``benchmarks/peers.txt``; those that are absent are left out.
"""

from __future__ import annotations

import argparse
import collections
import contextlib
import importlib
import importlib.util
import os
import random
import resource
import select
import signal
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from tests.contract.estimators import numbers
from tests.persistence.mutants import damaged

__all__ = ["RIVALS", "outcomes"]

N, SECONDS = 240, 5
COLUMNS = ("refused", "equal", "different", "crash", "hang")


@dataclass(frozen=True)
class Rival:
    """One package: how it writes a small model to a file, and its answers to rows after it has read one."""

    modules: tuple[str, ...]
    ending: str
    write: Callable[[Path, Any, Any], None]
    answers: Callable[[Path, Any], np.ndarray]


def _write_margin(path: Path, X: Any, y: Any) -> None:
    import margin
    from margin.persistence import save

    save(margin.DecisionTreeClassifier().fit(X, y), path)


def _ask_margin(path: Path, X: Any) -> np.ndarray:
    from margin.persistence import load

    return load(path).predict_proba(X)


def _write_skops(path: Path, X: Any, y: Any) -> None:
    import skops.io
    from sklearn.tree import DecisionTreeClassifier

    skops.io.dump(DecisionTreeClassifier(random_state=0).fit(X, y), path)


def _ask_skops(path: Path, X: Any) -> np.ndarray:
    import skops.io

    return skops.io.load(path, trusted=["sklearn.tree._tree.Tree"]).predict_proba(X)


def _write_xgboost(path: Path, X: Any, y: Any) -> None:
    import xgboost

    xgboost.XGBClassifier(n_estimators=5, n_jobs=1).fit(X, y).save_model(path)


def _ask_xgboost(path: Path, X: Any) -> np.ndarray:
    import xgboost

    model = xgboost.XGBClassifier(n_jobs=1)
    model.load_model(path)
    return model.predict_proba(X)


def _write_lightgbm(path: Path, X: Any, y: Any) -> None:
    import lightgbm

    model = lightgbm.LGBMClassifier(n_estimators=5, n_jobs=1, min_child_samples=2, verbose=-1).fit(X, y)
    model.booster_.save_model(path)


def _ask_lightgbm(path: Path, X: Any) -> np.ndarray:
    import lightgbm

    return lightgbm.Booster(model_file=path).predict(X, num_threads=1)


RIVALS = {
    "margin": Rival(("margin.persistence", "margin.tree"), ".margin", _write_margin, _ask_margin),
    "skops": Rival(("skops.io", "sklearn.tree"), ".skops", _write_skops, _ask_skops),
    "XGBoost UBJ": Rival(("xgboost", "xgboost.sklearn"), ".ubj", _write_xgboost, _ask_xgboost),
    "LightGBM text": Rival(("lightgbm", "lightgbm.sklearn"), ".txt", _write_lightgbm, _ask_lightgbm),
}


def _apart(act: Callable[[], bytes], seconds: float) -> tuple[str, bytes]:
    """What an act gives in a process of its own: ``said``, ``raised``, ``crash`` or ``hang``."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, 1)
        os.dup2(nowhere, 2)
        resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS + 1))
        try:
            said = b"+" + act()
        except BaseException as error:
            said = b"-" + type(error).__name__.encode()
        with contextlib.suppress(BaseException):
            os.write(writing, said)
        os._exit(0)
    os.close(writing)
    ready, _, _ = select.select([reading], [], [], seconds)
    said = os.read(reading, 2**16) if ready else b""
    os.close(reading)
    if not ready:
        os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    if not said:
        late = not ready or os.WTERMSIG(status) == signal.SIGXCPU
        return ("hang" if late else "crash"), b""
    return ("said" if said[:1] == b"+" else "raised"), said[1:]


def outcomes(rival: Rival, n: int = N, seed: str = "0") -> tuple[collections.Counter, int]:
    """What came of ``n`` damaged files, and the size of the good one."""
    X, y = numbers(60, 4)
    found: collections.Counter = collections.Counter()
    with tempfile.TemporaryDirectory() as folder:
        good = Path(folder) / f"good{rival.ending}"
        _apart(lambda: rival.write(good, X, y) or b"", 60)
        state, expected = _apart(lambda: rival.answers(good, X[:30]).tobytes(), 60)
        if state != "said":
            raise RuntimeError(f"{rival.modules[0]} cannot read its own file: {state} {expected.decode()}")
        content = good.read_bytes()
        for number in range(n):
            rng = random.Random(f"{seed}/{number}")
            spoilt = content
            while spoilt == content:
                spoilt = damaged(content, rng)[0]
            path = Path(folder) / f"bad{rival.ending}"
            path.write_bytes(spoilt)
            state, said = _apart(lambda path=path: rival.answers(path, X[:30]).tobytes(), 12 * SECONDS)
            same = "equal" if said == expected else "different"
            found[{"said": same, "raised": "refused"}.get(state, state)] += 1
    return found, len(content)


def main(given: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.persistence.rivals")
    parser.add_argument("--n", type=int, default=N)
    parser.add_argument("--seed", default="0")
    asked = parser.parse_args(given)
    os.environ["OMP_NUM_THREADS"] = "1"  # no threads that a fork would leave behind
    print(f"{'file':16}{'bytes':>9}" + "".join(f"{name:>11}" for name in COLUMNS) + f"{'bad':>7}")
    for name, rival in RIVALS.items():
        if importlib.util.find_spec(rival.modules[0].split(".")[0]) is None:
            print(f"{name:16}  not installed")
            continue
        for module in rival.modules:  # once, here, and not in every process that is forked
            importlib.import_module(module)
        found, size = outcomes(rival, asked.n, asked.seed)
        bad = sum(found[each] for each in COLUMNS[2:])
        print(f"{name:16}{size:>9,}" + "".join(f"{found[each]:>11}" for each in COLUMNS) + f"{bad:>7}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
