"""Talk in passes: when a house player has said all, and what the hunted whisper (SPEC 1.3)."""

from __future__ import annotations

from collections import Counter

from agents.house.own_claims import whispered_claims
from agents.house.scores import most
from agents.house.slots import phrases_of
from agents.house.speech import circumstances
from agents.house.suspicion import Mindset
from agents.house.vote_choice import guard_chance, prey_score
from agents.language.phrasing import Ear, word
from agents.understanding.normalise import seats_named
from game.engine.events import PUBLIC, Event


def has_said_all(mind: Mindset) -> bool:
    """Return whether a player has nothing to add to the talk of the day.

    It has spoken and nobody waits for its answer. On a day with a vote it has announced its own,
    and since then nobody has claimed or reported anything.
    """
    day, dialogue = mind.view.state.day, mind.dialogue
    today = [s for s in dialogue.turns(mind.me) if s.day == day]
    if not today or mind.demands:
        return False
    if not mind.decision.ruleset.votes_on(day):
        return True
    announced = [a for s in today for a in s.acts if a.kind == "vote"]
    news = (a for s in dialogue.since(mind.me) for a in s.acts if a.kind in ("claim", "report"))
    return bool(announced) and not any(news)


def whispered_prey(mind: Mindset) -> int:
    """Return whom most of one's own side named last in this night's whispers, 0 for nobody.

    Of several named equally often, the one that the village would miss most.
    """
    latest: dict[int, int] = {}
    for event in mind.view.events[mind.view.phase_at(len(mind.view.events)) :]:
        if event.data.get("manner") == "say" and event["seat"] in {mind.me, *mind.mates}:
            named = seats_named(event.data.get("text", ""), tuple(mind.view.state.seats))
            if prey := [s for s in named if s in mind.others and s not in mind.mates]:
                latest[event["seat"]] = most({s: prey_score(mind, s) for s in prey})
    counts = Counter(latest.values())
    best = max(counts.values(), default=0)
    return most({s: prey_score(mind, s) for s, n in counts.items() if n == best}) if counts else 0


def whisper(mind: Mindset) -> str:
    """Return what one says to the others of its side, "" for nothing more.

    Once a night: whom to attack and why, and who is lost; on the first day which role one will
    claim, unless another has said so of a role that looks.
    """
    day = mind.view.state.day
    first = not mind.decision.ruleset.votes_on(day)  # one plan is enough for the first day
    events = mind.view.events
    heard = events if first else events[mind.view.phase_at(len(events)) :]
    prey = [s for s in mind.others if s not in mind.mates]
    if not prey or any(e.audience != PUBLIC and _speaker(e) == mind.me for e in heard):
        return ""
    if first:
        pose = mind.stance.pose
        taken = mind.pack.part(pose) == "looker" and whispered_claims(mind)
        role = mind.pack.one(pose) if pose in mind.pack.parts and not taken else ""
        return _phrase(mind, "whisper_pose" if role else "whisper_hide", {"one": role})
    agreed = whispered_prey(mind)
    target = agreed or most({s: prey_score(mind, s) for s in prey})
    claim = mind.dialogue.claims.get(target, "")
    kind = "whisper_agree" if agreed else "whisper_prey"
    if not agreed and mind.pack.part(claim) == "looker":
        kind = "whisper_prey_looker"
    elif not agreed and max(guard_chance(mind, s) for s in prey) > guard_chance(mind, target):
        kind = "whisper_prey_open"
    role = mind.pack.name(claim) if claim else ""
    words = _phrase(mind, kind, {"t": mind.view.name(target), "role": role})
    if lost := [s for s in mind.mates if mind.given_up(s)]:
        words += " " + _phrase(mind, "whisper_lost", {"t": mind.view.name(lost[0])})
    return words


def _speaker(event: Event) -> int:
    """Return who said something, 0 where the event is no statement."""
    return event["seat"] if event.data.get("manner") == "say" else 0


def _phrase(mind: Mindset, kind: str, names: dict[str, str]) -> str:
    earlier = [e.data["text"] for e in mind.view.events if e.kind == mind.decision.window.kind
               and e.data.get("text")]  # fmt: skip
    text, _stale = word(
        phrases_of(mind.pack, kind),
        names,
        manner=mind.stance.manner,
        holds=circumstances(mind),
        ear=Ear(mind.view.state.seats, earlier, ()),
        rng=mind.decision.rng,
        purpose=f"words/whisper/{kind}",
    )
    return text
