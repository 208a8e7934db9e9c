"""Text in a statement that is not spoken: stage directions, narration and preambles."""

from __future__ import annotations

import re

from agents.llm.quoting import name_pattern

# Verbs of gestures, looks and tones.
_ACTS = (
    "lean|sigh|whisper|look|smile|nod|pause|glance|stare|shrug|laugh|chuckle|grin|frown|cough|clear|"
    "scratch|tap|raise|point|cross|fold|shake|roll|wink|blink|breathe|take|stand|sit|rise|turn|gasp|"
    "giggle|smirk|mutter|mumble|stammer|hesitate|think|gesture|wave|clap|slam|bang|gulp|swallow|"
    "fidget|shift|tremble|stutter|remain|stay|eye|narrow|hold|bite|rub|adjust|drum|yawn|snort|sniff|"
    "whistle|hum|bow|wince|pull|push|drop|lower|speak|grumble|growl|snicker|sneer|peer|squint|squirm|"
    "exhale|inhale|wipe|lick|twirl|gaze|avoid|reply|respond|say|continue|add|begin|walk|step|move"
)
_DOES = rf"(?:{_ACTS}|(?:scratch|cross|push|laugh|cough)e|(?:repl)ie|doe)s"
_DOING = (
    r"(?:leaning|sighing|whispering|looking|smiling|nodding|pausing|glancing|staring|shrugging|"
    r"laughing|chuckling|grinning|frowning|coughing|clearing|scratching|tapping|raising|pointing|"
    r"crossing|folding|shaking|rolling|winking|blinking|breathing|taking|standing|sitting|rising|"
    r"turning|gasping|giggling|smirking|muttering|mumbling|stammering|hesitating|thinking|gesturing|"
    r"waving|trembling|stuttering|remaining|staying|speaking|avoiding|yawning|holding|rubbing)"
)
_TONE = (
    r"(?:\w+ly|(?:a )?(?:long |short |brief )?(?:pause|beat|silence|sigh|laughter|gasp|laugh|"
    r"smile)|quiet|calm|nervous|angry|silent|aside|pauses?|"
    r"(?:with|in) an? .*(?:voice|tone|whisper|smile|grin|sigh|laugh|frown|look))"
)
_PRIVATE = re.compile(
    r"\bto (?:him|her|my|it|one)self\b|\bto themselves\b|\bwhisper\w* to\b|\bthink\w*\b|"
    r"\b(?:thoughts?|inner|internal|reasoning|under (?:his|her|their|my) breath)\b",
    re.I,
)
_WRAPPED = re.compile(r"\*([^*]+)\*|(?<!\w)_([^_]+)_(?!\w)|\(([^()]+)\)|\[([^\[\]]+)\]")
_ASTERISKED = re.compile(  # between asterisks nearly every verb describes a gesture
    r"(?!this|his|is|was|as|us|yes|always|nothing|anything|everything|something|perhaps|words)"
    r"\w+(?:s|ing)(?: .+)",
    re.I,
)
_PREAMBLE = re.compile(
    r"(?:(?:sure|certainly|of course|okay|ok|absolutely|alright)\b\W*)?"
    r"(?:(?:here(?:'s| is)|this is) (?:(?:my|a|the|your) (?:\w+ )?(?:statement|response|reply|"
    r"words|answer|speech|line)|what (?:i|he|she) (?:would|will|might|could|'d|'ll)? ?says?|"
    r"what i(?:'d|'ll) say)(?: (?:as|for|from) \w+)?|(?:my )?statement)\s*:\s*",
    re.I,
)
_SCENES = re.compile(
    r"(?:^|[.!?]\s+)(?:the (?:room|table|village|villagers|crowd|group|players|tension|sun|moon|"
    r"silence|discussion|fire|atmosphere|others)(?: \w+)? "
    r"(?:falls?|goes|grows?|rises?|sets?|exchanges?|continues?|ends?|descends?|erupts?|turns?|looks?|"
    r"watch(?:es)?|stares?|murmurs?|becomes?|begins?|thickens?|hangs?|crackles?|leans?)\b|"
    r"(?:night|dawn|day|darkness|silence|morning) (?:falls|breaks|comes|descends|begins)\b|"
    r"a (?:\w+ )?(?:hush|silence|murmur|pause) (?:falls|descends|follows|settles|fills)\b|"
    r"(?:everyone|everybody|all eyes) (?:turns? to|falls? silent|exchanges?|closes?|waits?|gasps?|"
    r"stares?)\b|meanwhile\b|and so the (?:discussion|game|night|day|talk) |"
    r"the (?:werewol(?:f|ves)|village|villagers|tanner) wins?\s*[.!]|\w+ is out\s*[.!]\s*$)",
    re.I,
)
_HEADINGS = re.compile(
    r"\W*(?:(?:day|night) \d+(?:,? round \d+(?: of \w+)?)?\W*$|"
    r"round \d+(?:\s*:|\W+(?:begins?|ends?|starts?)\W*$|\W*$))",
    re.I,
)
_CONVERSATION = re.compile(r"\b(?:i|i'\w+|me|my|we|we'\w+|us|our|you|your|you'\w+)\b", re.I)


def is_direction(words: str, speaker: str = "", is_asterisked: bool = False) -> bool:
    """Return whether `words` from brackets describe a look or gesture of `speaker`.

    `is_asterisked` is true between asterisks, underscores or square brackets.
    """
    subject = (
        rf"(?:(?:{name_pattern(speaker)}|he|she|they)\s+)?" if speaker else "(?:(?:he|she|they) )?"
    )
    direction = rf"\W*{subject}(?:(?:\w+ly )?(?:{_DOES}|{_DOING})\b.*|{_TONE}\W*)"
    if re.fullmatch(direction, words, re.I | re.S):
        return True
    return is_asterisked and bool(_ASTERISKED.fullmatch(words.strip()))


def remove_directions(text: str, speaker: str) -> str:
    """Return `text` without stage directions and preamble, unchanged if no words would remain.

    A text with a direction such as "(to himself)" is unchanged, too, so that a later check refuses
    the whispers or thoughts that follow it.
    """
    if has_private_direction(text, speaker):
        return text
    marked = _WRAPPED.sub(lambda m: "\0" if _is_wrapped_direction(m, speaker) else m[0], text)
    marked = re.sub(r"\s*\0\s*(?=[,;.!?])", "", marked)
    marked = re.sub(r"\s*\0\s*", " ", marked).strip()
    marked = _PREAMBLE.sub("", marked, count=1) if _PREAMBLE.match(marked) else marked
    return marked if re.search(r"\w", marked) else text


def has_private_direction(text: str, speaker: str) -> bool:
    """Return whether `text` has a direction for words that no other player may hear."""
    for match in _WRAPPED.finditer(text):
        words = next(g for g in match.groups() if g is not None)
        if _PRIVATE.search(words) and (_is_wrapped_direction(match, speaker) or ":" in words):
            return True
    return False


def has_direction(text: str, speaker: str) -> bool:
    """Return whether `text` still has a stage direction after `remove_directions`."""
    return any(_is_wrapped_direction(match, speaker) for match in _WRAPPED.finditer(text))


def is_narration(text: str, speaker: str) -> bool:
    """Return whether `text` narrates a scene instead of speaking in it."""
    name = name_pattern(speaker)
    if _HEADINGS.match(text):
        return True
    if re.search(rf"[,.!?]?\"\s*(?:he|she|they|{name}) (?:\w+ly )?(?:{_DOES}|said)\b", text, re.I):
        return True
    if re.search(rf"(?:^|[.!?]\s+){name} (?:\w+ly )?(?:{_DOES})\b", text, re.I):
        return True
    outside = re.sub(r'"[^"]*"', "", text)
    return bool(_SCENES.search(outside)) and not _CONVERSATION.search(outside)


def _is_wrapped_direction(match: re.Match[str], speaker: str) -> bool:
    """Return whether a piece in brackets or asterisks is a direction, or private words."""
    if match.string[match.end() :].lstrip().startswith(":"):  # a name: "*Beta*: I waited."
        return False
    words = next(g for g in match.groups() if g is not None)
    is_asterisked = match[0][0] in "*_["
    return is_direction(words, speaker, is_asterisked) or bool(_PRIVATE.match(words))
