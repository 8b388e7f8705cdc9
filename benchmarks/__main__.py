"""``python -m benchmarks [FAMILY …]``: measure margin and its peers in one run and print the ratios."""

from __future__ import annotations

import argparse
import datetime
import json
import sys
from pathlib import Path

from benchmarks.harness import machine
from benchmarks.harness.run import Plan, Result, run_workload
from benchmarks.harness.table import EXPLANATION, draw
from benchmarks.harness.workload import UnknownName, Workload, find_families, load_family

__all__ = ["main"]

RESULTS = Path(__file__).resolve().parent / "results"


def main(arguments: list[str] | None = None) -> int:
    """Run, print, save. 0 is fine, 1 means a side of margin failed, 2 a wrong call, 130 an interrupt."""
    asked = _parser().parse_args(arguments)
    try:
        chosen = _choose(asked.family or find_families(), asked.workload)
    except UnknownName as error:
        print(f"benchmarks: {error}", file=sys.stderr)
        return 2
    peers = tuple(asked.peers.split(",")) if asked.peers is not None else None
    plan = Plan(asked.repeats, asked.quick, asked.limit, 0.0 if asked.quick else asked.settle, peers)
    if asked.list:
        print("\n".join(f"{family} · {workload.name}: {_sides(workload)}" for family, workload in chosen))
        return 0
    return _run(chosen, plan, asked.json or _new_file(asked.family))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=main.__doc__)
    parser.add_argument("family", nargs="*", help=f"families to measure (all: {', '.join(find_families())})")
    parser.add_argument("--workload", help="only this workload of the families")
    parser.add_argument("--repeats", type=_count, default=5, help="timed repeats of each side (5)")
    parser.add_argument("--quick", action="store_true", help="small sizes, to try whether everything runs")
    parser.add_argument(
        "--peers", help="only these peers, by library or name, with commas between; '' for margin alone"
    )
    parser.add_argument("--limit", type=float, default=600.0, help="seconds a side may take for a repeat (600)")
    parser.add_argument("--settle", type=float, default=0.3, help="seconds of rest before each repeat (0.3)")
    parser.add_argument("--json", type=Path, help="where the figures are saved (benchmarks/results/…)")
    parser.add_argument("--list", action="store_true", help="say what would be measured")
    return parser


def _count(text: str) -> int:
    if not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} must be a whole number above 0")
    return int(text)


def _choose(families: list[str], workload: str | None) -> list[tuple[str, Workload]]:
    found = [(family, w) for family in families for w in load_family(family).values()]
    names = [w.name for _, w in found]
    if workload is not None and workload not in names:
        raise UnknownName("workload", workload, names)
    return [(family, w) for family, w in found if workload in (None, w.name)]


def _sides(workload: Workload) -> str:
    return ", ".join(side.name for side in workload.sides)


def _new_file(families: list[str]) -> Path:
    now = datetime.datetime.now().strftime("%Y-%m-%d-%H%M%S")
    return RESULTS / f"{now}-{'-'.join(families) or 'all'}.json"


def _run(chosen: list[tuple[str, Workload]], plan: Plan, file: Path) -> int:
    facts = machine.facts({side.library for _, workload in chosen for side in workload.sides})
    load = facts["load_average_before"]
    print(f"{facts['cpu']}, {facts['usable_cores']} cores, load {load[0]:.2f}\n{EXPLANATION}\n")
    results: list[Result] = []
    interrupted = False
    for family, workload in chosen:
        results.append(Result(family, workload, plan))
        try:
            run_workload(results[-1], _teller(f"{family} · {workload.name}"))
        except KeyboardInterrupt:
            interrupted = True
        _tell("")
        print(draw(results[-1]) + "\n", flush=True)
        _save(file, facts, plan, results, interrupted)  # each time, so that nothing measured is lost
        if interrupted:
            break
    print(f"{'interrupted; ' if interrupted else ''}figures are in {file}")
    if interrupted:
        return 130
    return int(any(o.side.is_margin and o.state == "failed" for result in results for o in result.outcomes))


def _save(file: Path, facts: dict, plan: Plan, results: list[Result], interrupted: bool) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    told = {
        "machine": {**facts, "load_average_after": machine.load_average()},
        "plan": {"repeats": plan.repeats, "quick": plan.quick, "limit": plan.limit, "settle": plan.settle},
        "interrupted": interrupted,
        "workloads": [result.to_dict() for result in results],
    }
    file.write_text(json.dumps(told, indent=1) + "\n")


def _teller(title: str):
    return lambda text: _tell(f"{title}: {text}")


def _tell(text: str) -> None:
    """What is going on, on one line that is written over; nothing where nobody watches."""
    if sys.stderr.isatty():
        print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
