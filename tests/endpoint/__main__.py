"""Runs the endpoint until Ctrl-C: python -m tests.endpoint --port 8199 --faults garbage=0.02"""

from __future__ import annotations

import argparse
import signal
from types import FrameType

from tests.endpoint.faults import FAULTS, checked
from tests.endpoint.reasoning import SHAPES
from tests.endpoint.server import Endpoint

KEEP = 100  # calls: it may run for days


def shares(text: str) -> dict[str, float]:
    """Faults and shares as written on the command line."""
    pairs = (pair.partition("=") for pair in text.split(",") if pair)
    try:
        return checked({name.strip(): float(share) for name, _, share in pairs})
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from error


def names(text: str) -> list[str]:
    """Names with commas between them."""
    return [name.strip() for name in text.split(",") if name.strip()]


def options() -> argparse.Namespace:
    """What the command line says."""
    faults = "\n".join(f"  {name:14} {what}" for name, what in FAULTS.items())
    parser = argparse.ArgumentParser(
        prog="python -m tests.endpoint",
        description="A model endpoint for tests, on 127.0.0.1.",
        epilog=f"faults:\n{faults}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--port", type=int, default=8199, help="0 for any free one (8199)")
    parser.add_argument("--latency", type=float, default=0.0, help="seconds an answer takes (0)")
    parser.add_argument(
        "--faults", type=shares, default={}, help="for example garbage=0.02,reset=1"
    )
    parser.add_argument("--seed", type=int, default=0, help="of the faults (0)")
    parser.add_argument("--retry-after", type=float, default=1, help="seconds, for http429 (1)")
    parser.add_argument("--key", help="the key to ask for; any will do unless given")
    parser.add_argument("--models", type=names, help="all names will do unless given")
    parser.add_argument("--refuses", type=names, default=[], help="parameters answered with 400")
    parser.add_argument("--no-structured", action="store_true", help="400 for json_schema")
    parser.add_argument("--no-json-mode", action="store_true", help="400 for json_object")
    parser.add_argument("--no-heed", action="store_true", help="prose for any response_format")
    parser.add_argument("--refusal", type=int, default=400, help="status of refusals (400)")
    parser.add_argument("--unexplained", action="store_true", help="refusals without a reason")
    parser.add_argument("--no-system", action="store_true", help="no system message is taken")
    parser.add_argument("--alternate", action="store_true", help="user and assistant take turns")
    parser.add_argument("--context", type=int, help="tokens of a prompt; any number unless given")
    parser.add_argument("--reasoning", choices=sorted(SHAPES), help="thoughts round every answer")
    return parser.parse_args()


def stop(number: int, frame: FrameType | None) -> None:
    """Ends the waiting, for SIGTERM as for Ctrl-C."""
    raise KeyboardInterrupt


def main() -> None:
    """Serves until it is interrupted, then tells what was asked."""
    given = vars(options())
    given["structured"] = not given.pop("no_structured")
    given["json_mode"] = not given.pop("no_json_mode")
    given["heeds"] = not given.pop("no_heed")
    given["explains"] = not given.pop("unexplained")
    given["system"] = not given.pop("no_system")
    if shape := given.pop("reasoning"):
        given["message"] = lambda call, text: SHAPES[shape](text, "Whom do I suspect? Everyone.")
    signal.signal(signal.SIGTERM, stop)
    with Endpoint(keep=KEEP, **given) as endpoint:
        print(endpoint.url, flush=True)
        try:
            while True:
                signal.pause()
        except KeyboardInterrupt:
            print(f"\n{endpoint.count} requests, {endpoint.most_in_flight} at once at most")
    for name, times in sorted(endpoint.fault_counts.items()):
        print(f"  {name or 'no fault'}: {times}")


if __name__ == "__main__":
    main()
