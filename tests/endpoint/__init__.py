"""A model endpoint for tests: OpenAI's protocol over real HTTP, with simulated faults."""

from tests.endpoint.answers import shaped
from tests.endpoint.calls import Call
from tests.endpoint.faults import FAULTS
from tests.endpoint.server import Endpoint

__all__ = ["FAULTS", "Call", "Endpoint", "shaped"]
