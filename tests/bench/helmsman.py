"""Helmsman's agents by switch: requests, depth and tokens of one game of each (SPEC 2.6).

.venv/bin/python -m tests.bench helmsman    # BENCH_LATENCY: the endpoint's, in seconds; 0.2

The games of the switches differ in length, since they hold other words: figures are by action too.
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
# requests of an action, one after the other; 1 where nothing is said
ASKED = {"apart": 2, "player by player": 7}


def depth(data: str) -> int:
    """How many actions of the game followed one another.

    Of the questions that it waited for, the longest chain in which each opened when the one before
    was closed.
    """
    rows = column(data, "select json_array(kind, json(data)) from game_event order by seq")
    chain: dict[str, int] = {}
    done = 0
    for kind, event in map(json.loads, rows):
        if kind == "window_opened" and event["waits_for"] == "all" and event["seats"]:
            chain[event["key"]] = done + 1
        elif kind == "window_closed":
            done = max(done, chain.get(event["window"], 0))
    return done


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
                given = {"ruleset": "sheriff", "method": "helmsman", "seed": "bench/2"}
                ((game,), _spent) = simulate(url, data, **{**given, **options})
                steps, asked = depth(data), len(exchanges(data))
            actions = sum(n for kind, n in game["requests"].items() if kind != "scoring")
            limit = steps * ASKED.get(name, 1)
            print(
                f"{name:20} {actions:7} {asked:9} {asked / actions:10.1f} {steps:6} "
                f"{game['seconds'] / latency:10.1f} {limit:3} {game['tokens_in']:10} "
                f"{game['tokens_out']:6} {game['tokens_in'] / asked:8.0f}"
            )


if __name__ == "__main__":
    main()
