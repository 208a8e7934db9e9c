"""Requests, depth and tokens of one game of Helmsman's agents for each switch (SPEC 2.6).

.venv/bin/python -m tests.bench helmsman    # BENCH_LATENCY: of the endpoint in seconds (0.2)

The games of the switches differ in length, so figures are also given per action.
"""

from __future__ import annotations

import json
import os
import tempfile

from tests.bench.models import column, endpoint, exchanges, simulate

SWITCHES: dict[str, dict[str, object]] = {
    "together": {},
    "together, unsorted": {"switch": "sorting=off"},
    "together, all kept": {"context": "whole"},
    "apart": {"switch": "reasoning=apart"},
    "player by player": {"switch": "reasoning=each"},
    "no reliability": {"switch": "reasoning=none"},
}
# sequential requests of an action; 1 by default
REQUESTS_PER_ACTION = {"apart": 2, "player by player": 7}


def depth(data: str) -> int:
    """Return the longest chain of awaited windows that opened one after the other."""
    rows = column(data, "select json_array(kind, json(data)) from game_event order by seq")
    chain: dict[str, int] = {}
    closed_depth = 0
    for kind, event in map(json.loads, rows):
        if kind == "window_opened" and event["waits_for"] == "all" and event["seats"]:
            chain[event["key"]] = closed_depth + 1
        elif kind == "window_closed":
            closed_depth = max(closed_depth, chain.get(event["window"], 0))
    return closed_depth


def main() -> None:
    latency = float(os.environ.get("BENCH_LATENCY") or 0.2)
    print(f"one game each of seven seats with a Sheriff, L = {latency} s")
    print(
        f"{'switch':20} actions  requests  an action  depth  path in L  of  tokens in  out  "
        "in a request"
    )
    with endpoint(latency) as url:
        for name, options in SWITCHES.items():
            with tempfile.TemporaryDirectory() as data:
                settings = {"ruleset": "sheriff", "method": "helmsman", "seed": "bench/2"}
                ((game,), _spent) = simulate(url, data, **{**settings, **options})
                steps, requests = depth(data), len(exchanges(data))
            actions = sum(n for kind, n in game["requests"].items() if kind != "scoring")
            limit = steps * REQUESTS_PER_ACTION.get(name, 1)
            print(
                f"{name:20} {actions:7} {requests:9} {requests / actions:10.1f} {steps:6} "
                f"{game['seconds'] / latency:10.1f} {limit:3} {game['tokens_in']:10} "
                f"{game['tokens_out']:6} {game['tokens_in'] / requests:8.0f}"
            )


if __name__ == "__main__":
    main()
