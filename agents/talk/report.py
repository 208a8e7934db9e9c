"""What somebody says it looked at in the night, and what it says it found there."""

from __future__ import annotations

import re

from agents.talk.plain import N

_LOOKED = re.compile(
    r"\bi (?:\w+ ){0,3}?(?:looked|look|checked|check|saw|peeked|peek|investigated|picked|chose|"
    rf"divined|read|inspected|viewed|turned to|dreamed of|studied|tested|examined|went for|got)\b"
    rf"(?: \w+){{0,4}}? {N}"
)
_MINE = re.compile(
    rf"\bmy (?:\w+ )?(?:look|vision|check|checks|picks|pick|result|results|two|night|pair|"
    rf"divination)"
    rf"\b(?: \w+){{0,4}}? {N}"
)
_CLEAN = re.compile(
    r"\b(?:neither|none|nobody|no wolf|both (?:of them )?(?:are |came up |came back |were "
    r")?(?:clean|"
    r"clear|good|innocent|safe|fine)|(?:is|are|was|were) not (?:the )?wolf|not (?:the )?wolf|clean|"
    r"clear|cleared|not among|not between|innocent|not there|found nothing|no trace)\b"
)
_FOUND = re.compile(
    r"\b(?:one of|among|between|either|is one|one is|one was|in there|one has|one must be)\b|"
    r"\b(?:found|saw|hit|there is|smelled|with) (?:the |a )?wolf\b|\bwolf (?:is|was) (?:in "
    r")?there\b"
)
_BARE_FOUND = re.compile(
    rf"\b(?:one of|between|either) (?:the )?{N} (?:is|must be|has to be) (?:the |a )?wolf\b|"
    rf"\bwolf (?:is|was|has to be|must be) (?:one of|among|between|either|with)? ?{N}|"
    rf"^{N} (?:is|are) where the wolf"
)
_BARE_CLEAN = re.compile(
    rf"\bneither(?: of)? {N} (?:is|was) (?:the |a )?wolf\b|"
    rf"{N} (?:(?:are|is|were|came up|came back|both) )*(?:not (?:the )?wolf|clean|clear|innocent|"
    rf"safe|good)\b"
)


class Look:
    """Reads clause after clause of one statement; a look and its result may stand apart."""

    def __init__(self) -> None:
        self.pending: tuple[int, ...] = ()

    def read(self, clause: str, *, claims_seer: bool) -> tuple[tuple[int, ...], bool] | None:
        """(targets, found) once both are known."""
        if looked := _LOOKED.search(clause) or _MINE.search(clause):
            seats = _seats(looked[1])
            if len(seats) == 2:
                self.pending = seats
                clause = clause[looked.start() :]
        elif claims_seer and not self.pending:
            return self._bare(clause)
        if not self.pending:
            return None
        if _CLEAN.search(clause):
            return self._done(False)
        if re.search(r"\bwolf|it\b|them|two|those|one\b|guilty|evil", clause) and _FOUND.search(
            clause
        ):
            return self._done(True)
        return None

    def _done(self, found: bool) -> tuple[tuple[int, ...], bool]:
        targets, self.pending = self.pending, ()
        return targets, found

    @staticmethod
    def _bare(clause: str) -> tuple[tuple[int, ...], bool] | None:
        for pattern, found in ((_BARE_CLEAN, False), (_BARE_FOUND, True)):
            if match := pattern.search(clause):
                seats = _seats(next(g for g in match.groups() if g))
                if len(seats) == 2:
                    return seats, found
        return None


def _seats(joined: str) -> tuple[int, ...]:
    return tuple(dict.fromkeys(int(s) for s in joined.split("+") if s.isdigit()))
