"""Ten games on a server that refuses 25 % of all requests and leaks fragments in 10 %.

.venv/bin/python -m tests.bench refusals

No spoilt answer may occur in a log, and every answer must be labeled with the result of its
requests (tests/endpoint/spoilt.py). Both counts must be 0.
"""

from __future__ import annotations

import json
import tempfile
from collections import Counter

from tests.bench.models import column, event_labels, simulate
from tests.endpoint import Endpoint
from tests.endpoint.spoilt import FAULTS, leaks, spoilt_texts, unlabelled

GAMES = (
    ("one-night", "full", 3),
    ("one-night", "helmsman", 2),
    ("sheriff", "full", 2),
    ("sheriff", "helmsman", 3),
)
TEXTS = (
    "select text from game_utterance",
    "select data from play_mindnote",
    "select data from game_event",
)
REQUESTS = "select json_array(game_id, seat, window, step, failure) from play_llmcall"
ANSWERS = """
select json_array(game_id, json_extract(data, '$.window'), json_extract(data, '$.seat'), labels)
from game_event where json_extract(data, '$.window') is not null
and json_extract(data, '$.seat') is not null
"""


def decoded_text(stored: str) -> str:
    """Decode the escapes of a stored text or JSON value."""
    try:
        return json.dumps(json.loads(stored), ensure_ascii=False)
    except ValueError:
        return stored


def play(ruleset: str, method: str, games: int) -> None:
    with Endpoint(faults=FAULTS, seed=1) as endpoint, tempfile.TemporaryDirectory() as data:
        options = {"ruleset": ruleset, "method": method, "games": games, "concurrency": 2}
        results, _spent = simulate(endpoint.url, data, **{"seed": "refusing", **options})
        texts = [decoded_text(text) for question in TEXTS for text in column(data, question)]
        requests = [json.loads(row) for row in column(data, REQUESTS)]
        answers = {
            (f"{game}/{window}", seat): json.loads(stored_labels)
            for game, window, seat, stored_labels in map(json.loads, column(data, ANSWERS))
        }
        rows = [(seat, f"{game}/{window}", *rest) for game, seat, window, *rest in requests]
        labels = Counter(event_labels(data))
        faults = sum(endpoint.fault_counts[name] for name in FAULTS)
        leaked = leaks(texts, spoilt_texts(endpoint.calls))
    print(
        f"{ruleset:10} {method:9} {len(results):5} {len(rows):9} {faults:7} {len(leaked):9} "
        f"{len(unlabelled(rows, answers)):11}  "
        + ", ".join(f"{label} {number}" for label, number in labels.most_common())
    )


def main() -> None:
    print("ruleset    method    games  requests  spoilt  in a log  unlabelled  labels")
    for ruleset, method, games in GAMES:
        play(ruleset, method, games)
