"""Finds statements whose speakers call themselves a model or deny being one."""

from __future__ import annotations

import re

from django.utils.translation import gettext_noop

MODEL = gettext_noop("names itself a model")

_MODEL_NOUN = (
    r"(?:(?:a|an|the|your|this|just|only|merely|really|another|large|trained|helpful|virtual)[ -])*"
    r"(?:a\.?i\.?(?: |\b)(?:language )?(?:model|assistant|system|agent|player|program|bot)?|"
    r"artificial intelligence|language[ -]model|llms?|gpt(?:-?\w+)?|chat ?gpt|chat ?bot|bot|robot|"
    r"machine|computer(?: program| player)?|program|algorithm|neural net(?:work)?|"
    r"(?:virtual|digital|helpful) assistant)\b"
)
_SELF_REFERENCE = (
    r"(?:i am|i'm|im|i was|i being|as|being|speaking as|me,|myself,|like me,|call(?:ed)? me)"
)
_SELF_NAMING = re.compile(rf"\b{_SELF_REFERENCE} (?:not |no )?{_MODEL_NOUN}", re.IGNORECASE)
# Phrases that give a model away, or with which speakers deny being one.
_TELLTALE = re.compile(
    r"\bas an? (?:ai|a\.i\.|large language|language model|artificial)\b|"
    r"\b(?:my|this) (?:system )?prompt\b|\bmy training data\b|\bi was trained (?:on|by)\b|"
    r"\bknowledge cut-?off\b|\b(?:created|made|developed|trained) by "
    r"(?:openai|anthropic|google|meta|mistral|deepseek|alibaba)\b|"
    r"\b(?:chatgpt|gpt-?[345]\w*|claude|gemini|llama|qwen|deepseek|mistral)\b|"
    r"\b(?:i can(?:no|')t|i am unable to|i'm unable to) (?:assist|help) with (?:that|this)\b|"
    r"\bi (?:don't|do not) have (?:personal )?(?:feelings|opinions|consciousness)\b|"
    r"\b(?:role-?play(?:ing)?) (?:as )?(?:an? )?(?:ai|model|assistant)\b|"
    r"\bi(?:'m| am) (?:an? )?(?:human|real person|person too)\b|\bi(?:'m| am) not an? (?:ai|bot)\b|"
    r"\bprompt(?:s|ed)? (?:says|tells|told|asks) me\b|\bi am programmed\b|\bi'm programmed\b",
    re.IGNORECASE,
)


def find_model_flags(text: str) -> list[str]:
    """Return [MODEL] if the text calls its speaker a model or gives one away, else [].

    Statements of people are flagged as well, because they influence raters alike.
    """
    one_line = " ".join(text.replace("’", "'").split())
    return [MODEL] if _SELF_NAMING.search(one_line) or _TELLTALE.search(one_line) else []
