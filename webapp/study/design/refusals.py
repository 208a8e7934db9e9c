"""The exception for refused actions and values, and its use in pydantic models."""

from collections.abc import Callable, Sequence
from typing import Any

from pydantic import BeforeValidator

from webapp.study.design import validation_errors


class Refused(Exception):
    """An action or a value is refused. `sentences` tell the user why and what to do."""

    def __init__(self, sentences: Sequence[str]) -> None:
        super().__init__(" ".join(sentences))
        self.sentences = list(sentences)


def refusing(check: Callable[[Any], Any]) -> BeforeValidator:
    """Return a validator that applies `check`, which may raise Refused."""

    def validate(value: Any) -> Any:
        try:
            return check(value)
        except Refused as refused:
            errors = [((), sentence) for sentence in refused.sentences]
            validation_errors.raise_errors(errors, are_sentences=True)

    return BeforeValidator(validate)
