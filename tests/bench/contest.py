"""Requests, depth and tokens of one game with contest agents and with other methods.

.venv/bin/python -m tests.bench contest    # BENCH_LATENCY: of the endpoint in seconds (0.05)

Games of the methods differ in length, so figures are also given per answer. Depth is the longest
chain of actions that waited for each other, from the opening of a talk to its answer. Tokens of
prompts are characters / 4.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections import Counter
from typing import Any

from tests.bench.helmsman import depth
from tests.bench.models import column, endpoint, simulate

PLAYED: tuple[tuple[str, str, dict[str, object]], ...] = (
    *(("aiwolf-5", method, {"method": method}) for method in ("baseline", "full", "helmsman")),
    ("aiwolf-5", "contest", {"method": "contest"}),
    ("aiwolf-5", "contest, claims by model", {"method": "contest", "switch": "claims=model"}),
    ("aiwolf-5", "contest, apart", {"method": "contest", "switch": "requests=apart"}),
    ("aiwolf-5", "vanilla", {"method": "vanilla"}),
    ("aiwolf-5", "guarded", {"method": "guarded"}),
    ("aiwolf-5", "guarded, model reads", {"method": "guarded", "switch": "analysis=model"}),
    ("aiwolf-13", "baseline", {"method": "baseline"}),
    ("aiwolf-13", "contest", {"method": "contest"}),
)


def requests(data: str) -> list[dict[str, Any]]:
    """Return all requests with window, seat, step, purpose, day and prompt tokens."""
    question = (
        "select json_object('window', window, 'seat', seat, 'step', step, 'purpose', purpose,"
        " 'kind', kind, 'day', day, 'exchange', json(exchange)) from play_llmcall"
    )
    rows = [json.loads(row) for row in column(data, question)]
    for row in rows:
        messages = (row.pop("exchange") or {}).get("messages", ())
        row["tokens"] = sum(len(message["content"]) for message in messages) // 4
    return rows


def main() -> None:
    latency = float(os.environ.get("BENCH_LATENCY") or 0.05)
    print(f"one game each, L = {latency} s")
    print(
        f"{'game':10} {'method':25} answers  requests  of a talk  depth  seconds  tokens in  out  "
        "a prompt  longest  on day 5"
    )
    with endpoint(latency) as url:
        for ruleset, name, options in PLAYED:
            with tempfile.TemporaryDirectory() as data:
                settings = {"ruleset": ruleset, "seed": "bench/1", **options}
                ((game,), _spent) = simulate(url, data, **settings)
                rows, steps = requests(data), depth(data)
            answers = [row for row in rows if row["step"].startswith("answer/first")]
            talks = Counter(
                (row["window"], row["seat"])
                for row in rows
                if row["window"].startswith("statement")
            )
            day_5 = max((row["tokens"] for row in rows if row["day"] == 5), default=0)
            tokens = [row["tokens"] for row in rows]
            print(
                f"{ruleset:10} {name:25} {len(answers):7} {len(rows):9}"
                f" {sum(talks.values()) / len(talks):10.2f} {steps:6} {game['seconds']:8.1f}"
                f" {game['tokens_in']:10} {game['tokens_out']:6} {sum(tokens) // len(tokens):6}"
                f" {max(tokens):8} {day_5:9}"
            )


if __name__ == "__main__":
    main()
