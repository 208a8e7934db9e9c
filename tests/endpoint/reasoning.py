"""Visible reasoning around an answer, in the formats of models and servers.

A shape maps (answer, thought) to the fields of the message.
"""

from __future__ import annotations

import json
from collections.abc import Callable

from tests.endpoint.calls import Body

Shape = Callable[[str, str], Body]


def _before(first: str, last: str) -> Shape:
    return lambda answer, thought: {"content": f"{first}{thought}{last}\n{answer}"}


def _after(first: str, last: str) -> Shape:
    return lambda answer, thought: {"content": f"{answer}\n{first}{thought}{last}"}


def _field(name: str) -> Shape:
    return lambda answer, thought: {"content": answer, name: thought}


def _parts(answer: str, thought: str) -> Body:
    thinking_part = {"type": "thinking", "thinking": [{"type": "text", "text": thought}]}
    return {"content": [thinking_part, {"type": "text", "text": answer}]}


def _inside(answer: str, thought: str) -> Body:
    """Return the reasoning inside the answer's strings, with escaped markers."""
    marked = f"\u003cthink\u003e{thought}\u003c/think\u003e"
    try:
        data = json.loads(answer)
    except ValueError:
        return {"content": f"<think>{thought}</think>{answer}"}
    for key, value in data.items():
        if isinstance(value, str) and key in ("statement", "plan"):
            data[key] = marked + value
    text = json.dumps(data).replace("<", "\\u003c").replace(">", "\\u003e")
    return {"content": text}


def _harmony(answer: str, thought: str) -> Body:
    return {
        "content": f"<|channel|>analysis<|message|>{thought}<|end|><|start|>assistant<|channel|>"
        f"commentary<|message|>{thought}<|end|><|start|>assistant<|channel|>final <|constrain|>"
        f"json<|message|>{answer}<|return|>"
    }


def _draft(answer: str, thought: str) -> str:
    """Return the answer with its strings replaced by the thought."""
    try:
        data = json.loads(answer)
    except ValueError:
        return thought
    return json.dumps({k: thought if isinstance(v, str) else v for k, v in data.items()})


TAGS = ("think", "thinking", "reasoning", "thought", "seed:think", "Reflection", "scratchpad")
PAIRS: dict[str, tuple[str, str]] = {
    **{name: (f"<{name}>", f"</{name}>") for name in TAGS},
    "attributes": ('<details type="reasoning">', "</details>"),
    "bracket": ("[THINK]", "[/THINK]"),
    "moon": ("◁think▷", "◁/think▷"),
    "begin": ("<|begin_of_thought|>", "<|end_of_thought|>"),
    "start": ("<|START_THINKING|>", "<|END_THINKING|>"),
    "wide": ("<｜begin▁of▁thinking｜>", "<｜end▁of▁thinking｜>"),
    "unused": ("<unused94>thought\n", "<unused95>"),
    "channel": ("<|channel>thought\n", "<channel|>"),
    "comment": ("<!-- ", " -->"),
    "fence": ("```thinking\n", "\n```"),
    "console": ("Thinking...\n", "\n...done thinking.\n"),
    "nested": ("<think>first <think>more</think> ", "</think>"),
}
SHAPES: dict[str, Shape] = {
    **{f"{name} before": _before(*pair) for name, pair in PAIRS.items()},
    **{f"{name} after": _after(*pair) for name, pair in PAIRS.items()},
    **{f"{name} unclosed": _after(first, "") for name, (first, _) in PAIRS.items()},
    "never opened": _before("", "</think>"),
    "never opened, twice": _before("one </think> two ", "</think>"),
    "reasoning_content": _field("reasoning_content"),
    "reasoning": _field("reasoning"),
    "thinking": _field("thinking"),
    "parts": _parts,
    "inside": _inside,
    "harmony": _harmony,
    "harmony, bare": _before("analysis", "assistantfinal"),
    "draft, then answer": lambda a, t: {"content": f"A first try: {_draft(a, t)} No. So: {a}"},
    "headings": lambda a, t: {"content": f"Reasoning: {t}\n\nAnswer: {a}"},
    "headings with a draft": lambda a, t: {
        "content": f"**Analysis:** {t} {_draft(a, t)}\n\n**Final answer:** {a}"
    },
    "heading after": lambda a, t: {"content": f"{a}\n\nReasoning: {t} {_draft(a, t)}"},
    "answer tag": lambda a, t: {"content": f"I wonder. {t}\n<answer>{a}</answer>"},
    "prose before": lambda a, t: {"content": f"Let me think: the user wants JSON. {t}\n{a}"},
    "prose after": lambda a, t: {"content": f"{a}\nThat is what I say because {t}"},
    "long": lambda a, t: {"content": f"<think>{(t + ' ') * 2000}</think>{a}"},
    "long prose": lambda a, t: {"content": f"We need to answer. {(t + ' ') * 2000}\n{a}"},
}
# Shapes that contain only reasoning and no answer.
ALONE: dict[str, Shape] = {
    "only reasoning": lambda a, t: {"content": f"<think>{t} {_draft(a, t)}"},
    "only reasoning, harmony": lambda a, t: {"content": f"<|channel|>analysis<|message|>{t}"},
    "only reasoning, bare": lambda a, t: {"content": f"analysis{t}"},
    "only reasoning in a field": lambda a, t: {"content": None, "reasoning_content": _draft(a, t)},
    "only reasoning under a heading": lambda a, t: {"content": f"Thought process: {t}"},
    "a broken object": lambda a, t: {"content": '{"analysis": {"statement": "' + t + '"}, oh'},
}
