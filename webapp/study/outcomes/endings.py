"""Who won, who was still in the game at its end, and who voted for the right ones, by kind."""

from __future__ import annotations

from webapp.study.outcomes.estimates import Groups, Observation
from webapp.study.outcomes.rows import COMPUTER, PERSON, SeatRow, StudyRows
from webapp.study.outcomes.sections import Section

WON, SURVIVED, ACCURATE = "won", "survived", "accurate"
KINDS = (PERSON, COMPUTER)


def endings(rows: StudyRows, groups: Groups) -> Section:
    """Shares of seats, by kind; of each kind by team and by role too. A game that nobody won is no
    team's: it is in no share of wins."""
    section = Section("endings", rows, groups)
    seats = [(game.code, seat) for game in rows.games for seat in game.seats if seat.kind]
    teams = sorted({seat.team for _game, seat in seats})
    roles = sorted({seat.role for _game, seat in seats})
    parts = [("", ""), *(("team", t) for t in teams), *(("role", r) for r in roles)]
    for measure in (WON, SURVIVED):
        for field, value in parts:
            for kind in KINDS:
                own = [(g, s) for g, s in seats if s.kind == kind and _is(s, field, value)]
                found = [
                    Observation(float(getattr(seat, measure)), game, seat.who)
                    for game, seat in own
                    if getattr(seat, measure) is not None
                ]
                group = f"{kind}/{field}:{value}" if field else kind
                section.add(measure, found, group=group, share=True, whole=bool(field))
    return section


def _is(seat: SeatRow, field: str, value: str) -> bool:
    return not field or getattr(seat, field) == value


def votes(rows: StudyRows, groups: Groups) -> Section:
    """Vote accuracy: of the votes of players who want somebody out (docs/statistics.md), the share
    that named one of those."""
    section = Section("votes", rows, groups)
    for kind in KINDS:
        found = [Observation(float(v.right), v.game, v.who) for v in rows.votes if v.kind == kind]
        section.add(ACCURATE, found, group=kind, share=True, tested=kind == PERSON)
    return section
