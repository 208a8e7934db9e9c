"""Run the endpoint until Ctrl-C: python -m tests.endpoint --port 8199 --faults garbage=0.02"""

from __future__ import annotations

import argparse
import signal
from types import FrameType

from tests.endpoint.faults import FAULTS, validate_shares
from tests.endpoint.reasoning import SHAPES
from tests.endpoint.server import Endpoint

MAX_CALLS = 100  # remembered calls, because it may run for days


def shares(text: str) -> dict[str, float]:
    """Parse the faults and shares of the command line."""
    pairs = (pair.partition("=") for pair in text.split(",") if pair)
    try:
        return validate_shares({name.strip(): float(share) for name, _, share in pairs})
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from error


def names(text: str) -> list[str]:
    """Parse comma-separated names."""
    return [name.strip() for name in text.split(",") if name.strip()]


def options() -> argparse.Namespace:
    """Parse the command line."""
    faults = "\n".join(f"  {name:14} {description}" for name, description in FAULTS.items())
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
    """Handle SIGTERM like Ctrl-C."""
    raise KeyboardInterrupt


def main() -> None:
    """Serve until interrupted, then print the counts of requests and faults."""
    settings = vars(options())
    settings["structured"] = not settings.pop("no_structured")
    settings["json_mode"] = not settings.pop("no_json_mode")
    settings["heeds"] = not settings.pop("no_heed")
    settings["explains"] = not settings.pop("unexplained")
    settings["system"] = not settings.pop("no_system")
    if shape := settings.pop("reasoning"):
        settings["message"] = lambda call, text: SHAPES[shape](text, "Whom do I suspect? Everyone.")
    signal.signal(signal.SIGTERM, stop)
    with Endpoint(keep=MAX_CALLS, **settings) as endpoint:
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
