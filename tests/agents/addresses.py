"""Print replies to direct addresses: `python -m tests.agents.addresses [--file F] [--json]`.

A line of the file is JSON with `to`, `by`, `text`, `wants` (role, which, opinion, why, vote, night
or charge) and features of an answer (`seats`, `roles`, `words`, `before`), as described in
`tests.agents.conduct.addresses`. Names are Alpha, Beta, Gamma, Delta, Epsilon, Theta, Zeta, Eta.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from pathlib import Path

from tests.agents.conduct import addresses
from tests.agents.table import NAMES


def report(path: Path = addresses.ADDRESSES, as_json: bool = False) -> None:
    """Print each address with its reply and verdict, then the number of each verdict."""
    verdicts: Counter[str] = Counter()
    for number, address in enumerate(addresses.load_addresses(path)):
        reply = addresses.reply_to(address, f"pointed/{number}")
        verdict = addresses.judge_reply(address, reply) or "no answer"
        verdicts[verdict] += 1
        to, by = NAMES[address.to - 1], NAMES[address.by - 1]
        if as_json:
            row = {"by": by, "to": to, "text": address.text, "reply": reply, "verdict": verdict}
            print(json.dumps(row))
        else:
            print(f"[{verdict}] {by}: {address.text}\n    {to}: {reply}")
    if as_json:
        print(json.dumps({"total": verdicts.total(), **verdicts}))
    else:
        counts = ", ".join(f"{verdict} {count}" for verdict, count in verdicts.most_common())
        print(f"pointed addresses: {counts}, of {verdicts.total()}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--file", type=Path, default=addresses.ADDRESSES)
    parser.add_argument("--json", action="store_true", help="one JSON object a line")
    options = parser.parse_args()
    report(options.file, options.json)


if __name__ == "__main__":
    main()
