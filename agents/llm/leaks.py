"""Patterns for text that shows that a model wrote it, and that no person at a table says.

PROGRAM matches mentions of being a program, INSTRUCTIONS mentions of the prompt, REASONING visible
reasoning, and MARKS the marks of templates and chat formats.
"""

from __future__ import annotations

import re

_ONLY = r"(?:(?:just|only|actually|really|still|but|merely|simply|also) )*"
_KIND = (
    r"(?:(?:large|advanced|helpful|simple|responsible|ethical|friendly) )*"
    r"(?:ai|artificial intelligence|(?:ai )?language model|llm|"
    r"(?:ai|virtual|digital) (?:assistant|model))"
)
_SAY = r"(?:says?|tells?|told|states?|asks?|wants?|instructs?|requires?|forbids?|allows?|is|are)"
PROGRAM = re.compile(
    rf"\bas an? {_KIND}\b|"
    r"\bas an assistant,? i (?:can(?:'t|not)|am|'m|don't|do not)\b|"
    rf"(?<!think )(?<!say )(?<!says )(?<!if )\bi(?:'m| am) {_ONLY}an? {_KIND}\b|"
    rf"\bi(?:'m| am) {_ONLY}an? (?:computer )?(?:bot|chatbot|robot|program)(?=\s*(?:[.!,;]|$))|"
    r"\b(?:as|i(?:'m| am)) (?:chatgpt|openai|gpt|claude|gemini|llama|mistral|copilot)\b|\bopenai\b|"
    r"\bi (?:was|am|have been) (?:trained|fine-?tuned) (?:by|on) |\btrained by (?:openai|research)|"
    r"\bmy (?:training data|knowledge cutoff|programming|programmers|developers)\b|"
    r"\b(?:programmed|designed|trained|built) (?:solely |only )?to (?:be|not|assist|help|never|"
    r"avoid|follow|provide|process|generate)\b|"
    r"\bhow (?:can|may) i (?:help|assist) you(?: today)?\s*\?|"
    r"\b(?:do not|don't) have (?:access to (?:the|earlier|previous)|"
    r"personal (?:opinions?|feelings?))|"
    r"\bgeneral (?:advice|information)\b|"
    r"\b(?:in|for|of|within|continue) (?:this|the|our) role-?play|"
    r"\bi(?:'m| am) role-?playing\b|\bin character\b",
    re.I,
)
INSTRUCTIONS = re.compile(
    rf"\bsystem prompt\b|\b(?:my|the|this) prompt {_SAY}\b|"
    rf"\b(?:my|the|these) instructions (?:{_SAY}|say)\b|"
    r"\baccording to (?:the|my) (?:prompt|instructions)\b|"
    r"\bmention (?:my|the|these) instructions\b|"
    r"\bi(?:'ve| have| was| am|'m)(?: been)? instructed to\b|"
    r"\bmy persona\b|\bjson (?:object|format|schema)\b|\b(?:in|as|valid|the) json\b",
    re.I,
)
_TAGS = (
    r"think\w*|thoughts?|reason\w*|scratchpad|reflection|analysis|inner\w*|monologue|plan\w*|answer|"
    r"output|response|final|assistant|user|system|s"
)
_LABELS = r"thoughts?|reasoning|thinking|analysis|monologue|rationale|scratchpad|strategy|voice"
REASONING = re.compile(
    rf"</?\s*(?:{_TAGS})\b[^>]*>|\bassistantfinal\b|"
    rf"(?:^|[.!?(\[]\s*)(?:{_LABELS}|action|observation|response|final answer|"
    r"chain of thought)\s*:|"
    rf"\b(?:internal|inner|private|hidden|secret) (?:{_LABELS})\s*:|"
    r"\bthe user (?:wants|is|asked|asks|has|said|needs)\b|"
    r"\b(?:i|we) (?:need|have|want)(?: to|ed to) (?:respond|reply|write|produce|generate|craft|"
    r"output|come up with) (?:as\b|an? (?:statement|response|reply)|the (?:statement|response)|"
    r"what )|"
    r"\bstep by step\b|\bstep (?:1|one)\s*:|"
    r"\bi(?:'ll| will| should| need to| must| have to| want to)\b[^.!?]{0,30}\b(?:deflect|blend in|"
    r"stay hidden|(?:look|appear|seem|act) innocent|avoid suspicion|"
    r"claim (?:to be|seer|villager|mason))\b",
    re.I,
)
# Marks of templates ({% if %}, {{ x }}, ${x}, %s) and of chat formats.
MARKS = re.compile(
    r"\{[{%#]|[}%#]\}|<\||\|>|\$\{|\{\s*\w*(?:[ ._]\w+){0,2}\s*\}|%\(\w+\)s|(?<!\w)%s(?!\w)|"
    r"\[/?\s*(?:inst|sys|system|user|assistant|pad|mask|sep|cls|unk|eos|bos)\s*\]|"
    r"<\s*/?(?:s|unk|pad|eos|bos|mask)\s*>|<</?sys>>|<(?:start|end)_of_turn>|"
    r"\b(?:im_(?:start|end)|eot_id|endoftext|(?:start|end)_header_id|(?:start|end)_of_turn)\b|"
    r"(?:^|\s)#{2,}\s*(?:response|instructions?|assistant|system|user|input|output|human)\b",
    re.I,
)
_PLAN = re.compile(r"^\W*plan\s*:", re.I)
_TOGETHER = re.compile(r"\b(?:we|us|let's|everyone|everybody|all|you)\b", re.I)


def has_reasoning(text: str) -> bool:
    """Return whether `text` contains private thoughts.

    "Plan: we vote for Beta" may be said aloud, "Plan: hide behind Beta" may not.
    """
    if _PLAN.match(text) and not _TOGETHER.search(text):
        return True
    return bool(REASONING.search(text))
