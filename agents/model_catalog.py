"""The available language models, from one TOML file and from the OPENAI_ variables.

See docs/models.md. An API key is never stored: it is read from the environment when it is needed.
"""

import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

FILE_VARIABLE = "FABULA_MODELS"  # environment variable with the path of the file
DEFAULT_NAME = "openai"  # name of the model of OPENAI_API_KEY, OPENAI_BASE_URL and OPENAI_MODEL
DEFAULT_MODEL = "gpt-4o-mini"  # the model that is used if OPENAI_MODEL is not set
FORMATS = ("json_schema", "json_object", "text")
CHAT, EMBEDDINGS = "chat", "embeddings"  # kinds of models
HOUSE = "house"  # name of the built-in house player's backend, which no model may have
_NUMBER_KEYS = ("seconds", "connect", "retries", "parallel", "max_tokens", "context", "price_in",
            "price_out")  # fmt: skip


class InvalidCatalog(ValueError):
    """The file of models is invalid. The message says where and why."""


@dataclass(frozen=True)
class ModelSettings:
    """Settings of one model."""

    name: str  # the name of the backend that uses it
    model: str  # the server's name of the model
    url: str = ""  # the server's base URL, "" for OpenAI's own
    key_env: str = "OPENAI_API_KEY"  # the environment variable with the API key, "" for none
    # Limit of a whole request from the time that it has a slot, retries included.
    seconds: float = 60.0
    connect: float = 5.0  # limit of connecting, in seconds
    retries: int = 2
    parallel: int = 64  # number of slots, that is, of requests at once
    temperature: float | None = 1.0
    format: str = "json_schema"  # the first of FORMATS to try
    max_tokens: int | None = None  # maximum tokens of an answer, thoughts included
    # Tokens of prompt and answer that the model accepts. The oldest talk is left out of a request
    # that exceeds it.
    context: int | None = None
    reasoning_effort: str = ""
    # Fields merged into a request's body.
    extra: Mapping[str, Any] = field(default_factory=dict, hash=False)
    price_in: float | None = None  # price of a million prompt tokens, in `currency`
    price_out: float | None = None  # price of a million answer tokens, in `currency`
    currency: str = "USD"
    kind: str = CHAT  # CHAT answers as a player; EMBEDDINGS only turns texts into vectors

    @property
    def api_key(self) -> str:
        return os.environ.get(self.key_env, "") if self.key_env else ""

    def cost(self, tokens_in: int, tokens_out: int) -> float | None:
        """Return the cost of a request in `currency`, None if a price is missing."""
        if self.price_in is None or self.price_out is None:
            return None
        return (tokens_in * self.price_in + tokens_out * self.price_out) / 1_000_000


def chat_models() -> dict[str, ModelSettings]:
    """Return name -> settings of the models that answer as players."""
    return {name: model for name, model in all_models().items() if model.kind == CHAT}


def valid_chat_models() -> dict[str, ModelSettings]:
    """Return `chat_models`, or {} if the catalog is invalid."""
    try:
        return chat_models()
    except InvalidCatalog:
        return {}


def embedding_model() -> ModelSettings | None:
    """Return the settings of the first model for embeddings, None without one."""
    models = (model for model in all_models().values() if model.kind == EMBEDDINGS)
    return next(models, None)


def valid_embedding_model() -> ModelSettings | None:
    """Return `embedding_model`, or None if the catalog is invalid."""
    try:
        return embedding_model()
    except InvalidCatalog:
        return None


def all_models() -> dict[str, ModelSettings]:
    """Return name -> settings of all models of every kind, or raise InvalidCatalog."""
    models: dict[str, ModelSettings] = {}
    if path := os.environ.get(FILE_VARIABLE):
        try:
            tables = tomllib.loads(Path(path).read_text("utf-8"))
        except (OSError, ValueError) as error:
            raise InvalidCatalog(f"{path}: {error}") from error
        models = {name: _parse_table(path, name, row) for name, row in tables.items()}
    if os.environ.get("OPENAI_API_KEY") or os.environ.get("OPENAI_BASE_URL"):
        model = os.environ.get("OPENAI_MODEL") or DEFAULT_MODEL
        url = os.environ.get("OPENAI_BASE_URL", "")
        models.setdefault(DEFAULT_NAME, ModelSettings(DEFAULT_NAME, model, url))
    return models


def _parse_table(path: str, name: str, row: Any) -> ModelSettings:
    """Return the settings in one table of the file, or raise InvalidCatalog."""
    known_keys = {f.name for f in fields(ModelSettings)} - {"name"}
    where = f"{path}, [{name}]"
    if not isinstance(row, Mapping):
        raise InvalidCatalog(f'{where}: a model is a table, such as [{name}] with model = "…"')
    if name == HOUSE or not name.replace("-", "").replace("_", "").isalnum():
        raise InvalidCatalog(f'{where}: a name has letters, digits, - and _, and is not "house"')
    if unknown_keys := set(row) - known_keys:
        unknown, known = (", ".join(sorted(keys)) for keys in (unknown_keys, known_keys))
        raise InvalidCatalog(f"{where}: unknown: {unknown}; known: {known}")
    if not isinstance(row.get("model"), str) or not row["model"]:
        raise InvalidCatalog(f'{where}: say which model, as in model = "gpt-4o-mini"')
    if row.get("format", "text") not in FORMATS:
        raise InvalidCatalog(f"{where}: format is one of {', '.join(FORMATS)}")
    if row.get("kind", CHAT) not in (CHAT, EMBEDDINGS):
        raise InvalidCatalog(f"{where}: kind is {CHAT} or {EMBEDDINGS}")
    for key in _NUMBER_KEYS:
        value = row.get(key, 1)
        if isinstance(value, bool) or not isinstance(value, int | float) or value < 0:
            raise InvalidCatalog(f"{where}: {key} is a number from 0 up")
    for key, example in (("reasoning_effort", "low"), ("currency", "USD")):
        if not isinstance(row.get(key, ""), str):
            raise InvalidCatalog(f'{where}: {key} is a word such as "{example}"')
    if not isinstance(row.get("extra", {}), Mapping):
        raise InvalidCatalog(f"{where}: extra is a table, such as extra = {{ top_k = 40 }}")
    return ModelSettings(name, **row)
