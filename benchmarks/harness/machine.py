"""What the figures were measured on."""

from __future__ import annotations

import datetime
import importlib.metadata
import os
import platform
import subprocess
from collections.abc import Iterable
from pathlib import Path
from typing import Any

__all__ = ["facts", "load_average"]


def facts(libraries: Iterable[str]) -> dict[str, Any]:
    """Processor, cores, memory, versions of the libraries that take part, and the state of the sources."""
    return {
        "when": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "commit": _commit(),
        "cpu": _cpu_model(),
        "cores": os.cpu_count(),
        "usable_cores": len(os.sched_getaffinity(0)),
        "memory_bytes": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
        "system": platform.platform(),
        "python": platform.python_version(),
        "versions": _versions({"numpy", "scipy", "sklearn", *(library.split(".")[0] for library in libraries)}),
        "load_average_before": load_average(),
    }


def load_average() -> list[float]:
    """Busy processes over the last 1, 5 and 15 minutes; above 0 before a run means that others were at work."""
    return [round(load, 2) for load in os.getloadavg()]


def _cpu_model() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor()
    return next(
        (line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), platform.processor()
    )


def _versions(modules: set[str]) -> dict[str, str]:
    """Versions by module name; absent modules are left out."""
    homes = importlib.metadata.packages_distributions()
    return {name: importlib.metadata.version(homes[name][0]) for name in sorted(modules) if name in homes}


def _commit() -> str:
    """The commit of the sources, with a + where files differ from it; empty outside a repository."""
    here = Path(__file__).resolve().parent
    try:
        git = ["git", "-C", str(here), "describe", "--always", "--abbrev=12", "--dirty=+"]
        return subprocess.run(git, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return ""
