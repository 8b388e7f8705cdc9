"""A worker process: it takes tasks from its input, gives results on its output, and says twice a second that it lives.

It goes when its caller goes, whatever it is doing. Whatever tasks print goes to the caller's error output.
"""

from __future__ import annotations

import os
import platform
import queue
import sys
import threading
import traceback
from pathlib import Path
from typing import Any, BinaryIO

__all__ = ["main", "versions"]

BEAT = 0.5


def versions() -> tuple[str, str, str]:
    """What has to be the same everywhere, or last digits would differ: margin, Python, instruction set."""
    import margin
    import margin._core as _core

    return margin.__version__, platform.python_version(), _core.core.simd()


def main(answers_to: int) -> None:
    """Work until the caller has nothing more to say; answers go to the file of this number."""
    answers = os.fdopen(answers_to, "wb")
    from margin.distributed.engines.frames import receive

    orders, lock = os.fdopen(0, "rb"), threading.Lock()
    hello = receive(orders)
    if hello is None:
        return
    sys.path[:], folder = hello[0]
    os.chdir(folder)
    _say(answers, lock, ("ready", versions()))
    waiting: queue.SimpleQueue[Any] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(orders, waiting), daemon=True).start()
    threading.Thread(target=_beat, args=(answers, lock), daemon=True).start()
    shared: tuple[str, Any] = ("", None)
    while True:
        number, task, path, item = waiting.get()
        try:
            if shared[0] != path:
                shared = ("", None)  # before the next one is there
                shared = (path, _loaded(path))
            result: tuple[Any, ...] = ("done", number, task(shared[1], item))
        except BaseException as error:  # also what tries to end the process: the caller is to know
            result = ("failed", number, _tellable(error), "".join(traceback.format_exception(error)))
        _say(answers, lock, result)


def _loaded(path: str) -> Any:
    import pickle

    return pickle.loads(Path(path).read_bytes())


def _listen(orders: BinaryIO, waiting: queue.SimpleQueue[Any]) -> None:
    from margin.distributed.engines.frames import receive

    while (message := receive(orders)) is not None:
        waiting.put(message[0])
    os._exit(0)  # the caller is gone, and nobody wants what is being worked on


def _beat(answers: BinaryIO, lock: threading.Lock) -> None:
    while True:
        threading.Event().wait(BEAT)
        _say(answers, lock, ("beat",))


def _say(answers: BinaryIO, lock: threading.Lock, message: Any) -> None:
    from margin.distributed.engines.frames import send

    with lock:
        try:
            send(answers, message)
        except (BrokenPipeError, ValueError):
            os._exit(0)


def _tellable(error: BaseException) -> BaseException:
    """The error itself where it survives the way, else what it says."""
    import pickle

    try:
        if isinstance(error, Exception):
            pickle.loads(pickle.dumps(error))
            return error
    except Exception:  # an error of whatever make
        pass
    return RuntimeError(f"{type(error).__name__}: {error}")
