def simd() -> str:
    """The instruction set that vectorised kernels use in this process."""

class Cancelled(Exception):
    pass

class Monitor:
    """How far a call has come, to be read and cancelled from another thread."""

    def __init__(self) -> None: ...
    @property
    def done(self) -> int:
        """Steps taken."""

    @property
    def total(self) -> int:
        """Steps that make the whole; 0 while that is not known."""

    @property
    def cancelled(self) -> bool: ...
    def cancel(self) -> None:
        """End the call with Cancelled, within 200 ms."""

def threads() -> int:
    """The number of threads that a call uses when it is told 0."""

def set_threads(n: int) -> None:
    """Choose that number; 0 asks environment, affinity and quota again."""

def wait(seconds: float, n_threads: int = 0, monitor: Monitor | None = None) -> None:
    """Do nothing on some threads for a while; for trying out interruption."""
