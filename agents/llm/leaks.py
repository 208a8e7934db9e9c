"""Patterns for text that shows that a model wrote it, and that no person at a table says.

`program` matches mentions of being a program, `instructions` mentions of the prompt, `reasoning`
visible reasoning, and `marks` the marks of templates and chat formats.
"""

from agents.language.patterns import load
from agents.llm import PATTERNS_FOLDER

PATTERNS = load("leaks", PATTERNS_FOLDER)


def has_reasoning(text: str) -> bool:
    """Return whether `text` contains private thoughts.

    "Plan: we vote for Beta" may be said aloud, "Plan: hide behind Beta" may not.
    """
    if PATTERNS.plan.search(text) and not PATTERNS.together.search(text):
        return True
    return bool(PATTERNS.reasoning.search(text))
