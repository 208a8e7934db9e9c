"""The voices of the written characters (`agents.characters`), by key."""

from __future__ import annotations

from agents.house.phrases.characters.coast import COOK, FISHERMAN, RANCHER
from agents.house.phrases.characters.parlour import JUDGE, LADY, LIBRARIAN
from agents.house.phrases.characters.square import MAGICIAN, MASCOT
from agents.house.phrases.characters.voice import Voice
from agents.house.phrases.characters.young import CHILD, STUDENT

VOICES: dict[str, Voice] = {
    "lady": LADY,
    "fisherman": FISHERMAN,
    "rancher": RANCHER,
    "child": CHILD,
    "mascot": MASCOT,
    "judge": JUDGE,
    "student": STUDENT,
    "cook": COOK,
    "librarian": LIBRARIAN,
    "magician": MAGICIAN,
}
