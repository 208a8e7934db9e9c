"""Talk in passes: when a house player has said all, and what the hunted whisper (SPEC 1.3)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from agents.house.mindset import Mindset
from agents.house.own_claims import planned_look, whispered_claims
from agents.house.phrase_slots import phrases_of
from agents.house.scores import most
from agents.house.speech import circumstances, longest_text, text_length
from agents.house.vote_choice import guard_chance, prey_score
from agents.language.phrasing import SpokenTexts, draw_wording
from agents.talk.whispers import ROLE_TOPICS, Whisper

ANSWERS = 3  # whispers of one player in a night, its answers to questions of LIMITED included
LIMITED = {"prey", "claim"}  # topics that house players ask each other about
AGREED = 0.15  # how much less than one's first choice a partner's may be accused to follow it


def has_said_all(mind: Mindset) -> bool:
    """Return whether a player has nothing to add to the talk of the day.

    It has spoken and nobody waits for its answer. On a day with a vote it has announced its own,
    and since then nobody has claimed or reported anything.
    """
    day, dialogue = mind.view.state.day, mind.dialogue
    if not mind.words_today or mind.demands:
        return False
    if not mind.decision.ruleset.votes_on(day):
        return True
    announced = [a for s in mind.words_today for a in s.acts if a.kind == "vote"]
    news = (a for s in dialogue.since(mind.me) for a in s.acts if a.kind in ("claim", "report"))
    return bool(announced) and not any(news)


def is_awaited(mind: Mindset) -> bool:
    """Return whether a partner may still whisper tonight, so that one should not be done yet.

    Partners who have not finished are awaited until all, oneself included, have had nothing to say
    in their last answers.
    """
    start, kind = mind.view.phase_at(len(mind.view.events)), mind.decision.window.kind
    positions = (p for p in mind.view.places.get(kind, ()) if p > start)
    manners = {mind.me: "", **dict.fromkeys(mind.mates, "")}
    for position in positions:
        manners[mind.view.events[position - 1]["seat"]] = mind.view.events[position - 1]["manner"]
    waiting = {seat: manner for seat, manner in manners.items() if manner != "over"}
    return waiting.keys() != {mind.me} and any(m in ("", "say") for m in waiting.values())


def whispered_prey(mind: Mindset) -> int:
    """Return whom most of one's own side named last in this night's whispers, 0 for nobody.

    Of several named equally often, the one named last: so all of the side agree on it. Whom a
    partner asked to spare is not named for the others.
    """
    latest = _latest_prey(mind)
    counts = Counter(latest.values())
    return max(reversed(latest.values()), key=lambda seat: counts[seat], default=0)


def _latest_prey(mind: Mindset) -> dict[int, int]:
    """Return seat -> whom it named last tonight, of one's own side, the newest word last.

    Of several in one whisper, the one that the village would miss most.
    """
    latest: dict[int, int] = {}
    for whisper in _tonight(mind):
        prey = [t for a in whisper.acts if a.kind == "prey" for t in a.targets if t in mind.others
                and t not in mind.spared | mind.mates]  # fmt: skip
        if prey and whisper.seat in {mind.me, *mind.mates}:
            latest.pop(whisper.seat, None)
            latest[whisper.seat] = most({s: prey_score(mind, s) for s in prey})
    return latest


def _tonight(mind: Mindset) -> list[Whisper]:
    """Return the whispers of the present phase."""
    start = mind.view.phase_at(len(mind.view.events))
    return [whisper for whisper in mind.whispers if whisper.position > start]


def whisper(mind: Mindset) -> str:
    """Return what one says to the others of its side, "" for nothing more.

    Once a phase. Before the first attack: which role one will claim, unless another has said so of
    a role that looks. Later: whom to attack and why, and who is lost. Who poses as one that looks
    says which result it will tell. A partner's question or proposal (`whispers.TOPICS`), later
    plan, or wish for a result is answered.
    """
    spoken = [w for w in mind.whispers if w.seat == mind.me]
    prey = [s for s in mind.others if s not in mind.mates]
    votes = mind.decision.ruleset.votes_on(mind.view.state.day)
    again = sum(w in spoken for w in _tonight(mind))
    requests = _requests(mind)
    asked_topics = {w.topic for w in requests}
    is_owed = bool(asked_topics) or (votes and _is_owed(mind))
    if not prey or (again and not (asked_topics - LIMITED or (again < ANSWERS and is_owed))):
        return ""
    lines = list(_answers(mind, requests))
    if votes and (not again or "prey" in asked_topics or _is_owed(mind)):
        lines.append(_attack_words(mind, prey))
    if "claim" in asked_topics or not (votes or spoken or asked_topics & {*ROLE_TOPICS}):
        lines.append(_claim_words(mind))
    if "spare" in asked_topics:
        lines.append(_spare_words(mind, prey))
    if asked_topics == {"prey"} and not (votes or lines):
        lines.append(phrased(mind, "whisper_wait", {}))
    lines += _look_words(mind) if again else _more_words(mind, bool(spoken))
    words, form = lines[:1], mind.decision.window.speech
    for more in lines[1:]:
        if text_length(" ".join([*words, more]), form) <= longest_text(form):
            words.append(more)
    return " ".join(words)


def _requests(mind: Mindset) -> list[Whisper]:
    """Return the requests of partners in this phase since I last whispered."""
    last = max((w.position for w in mind.whispers if w.seat == mind.me), default=0)
    return [w for w in _tonight(mind) if w.position > last and w.seat in mind.mates and w.topic
            and w.addressee in (0, mind.me)]  # fmt: skip


def _answers(mind: Mindset, requests: Sequence[Whisper]) -> Iterator[str]:
    """Yield yes, no or a better proposal to the newest request of each topic about the day."""
    best = most({s: mind.scores[s] for s in mind.others if s not in mind.mates})
    for topic, request in {w.topic: w for w in requests}.items():
        targets = [t for a in request.acts for t in a.targets if a.kind in ("vote", "report")
                   and t in mind.scores]  # fmt: skip
        names = {"t": mind.view.name(best), "x": mind.view.name(request.seat)}
        if topic in ("support", "distance"):
            is_open_foe = mind.given_up(request.seat)
            yield phrased(mind, f"whisper_{topic}_{'foe' if is_open_foe else 'friend'}", names)
        elif topic == "accuse" and targets:
            agreed = mind.scores[targets[-1]] >= mind.scores[best] - AGREED
            names["y" if not agreed else "t"] = mind.view.name(targets[-1])
            yield phrased(mind, "whisper_accuse" if agreed else "whisper_accuse_other", names)
        elif topic == "whom":
            yield phrased(mind, "whisper_accuse_first", names)
        elif topic == "result" and targets and not planned_look(mind):
            yield phrased(mind, "whisper_believe", {"t": mind.view.name(targets[-1])})
        elif topic == "own" and (own := [a.role for a in request.acts if a.kind == "claim"]):
            yield phrased(mind, "whisper_own", {"one": mind.pack.one(own[-1])})
        elif topic == "advice":
            yield phrased(mind, "whisper_advice", names)
        elif topic in ROLE_TOPICS:
            names["one"] = mind.pack.one(request.role)
            kind, y = _reply_on_role(mind, request)
            yield phrased(mind, kind, {**names, "y": y})


def _reply_on_role(mind: Mindset, request: Whisper) -> tuple[str, str]:
    """Return the kind of the answer to a partner's request about my claim, and its slot {y}.

    What I agree to is what I then pose as (`Situation`).
    """
    part = mind.pack.part(request.role)
    planned = {s: r for s, r in whispered_claims(mind).items() if s in mind.mates}
    rivals = [s for s in mind.dialogue.lookers if s in mind.mates] + list(planned)
    if request.topic == "no_role":
        is_out = mind.claimed == request.role
        return "whisper_stay" if is_out else "whisper_no_role", ""
    if mind.claimed:
        is_same = mind.claimed == request.role
        return "whisper_role_kept" if is_same else "whisper_role_other", mind.pack.one(mind.claimed)
    if part == "looker" and rivals:
        return "whisper_role_taken", mind.view.name(rivals[0])
    if mind.dialogue.is_crowded(request.role):
        return "whisper_role_crowded", ""
    return f"whisper_role_{'looker' if part == 'looker' else 'plain'}", ""


def _spare_words(mind: Mindset, prey: Sequence[int]) -> str:
    """Return whom to leave alive: whom a partner spares, or whom the others would vote out."""
    gains = {seat: prey_score(mind, seat) - len(mind.dialogue.pressing(seat)) for seat in prey}
    spared = next((s for s in sorted(mind.spared) if s in gains), 0) or min(
        gains, key=gains.__getitem__
    )
    kind = "whisper_keep_pressed" if mind.dialogue.pressing(spared) else "whisper_keep"
    return phrased(mind, kind, {"t": mind.view.name(spared)})


def _is_owed(mind: Mindset) -> bool:
    """Whether a partner has since named another prey, or asked for a result."""
    last = max((w.position for w in _tonight(mind) if w.seat == mind.me), default=0)
    since = [w for w in _tonight(mind) if w.position > last and w.seat in mind.mates]
    latest = _latest_prey(mind)
    acts = [act for whisper in since for act in whisper.acts]
    return any(latest.get(w.seat, latest.get(mind.me)) != latest.get(mind.me) for w in since) or (
        any(a.kind == "report" for a in acts) and planned_look(mind) is not None
    )


def _claim_words(mind: Mindset) -> str:
    """Return which role one will claim, or that one will claim none."""
    if mind.claimed:
        return phrased(mind, "whisper_stay", {"one": mind.pack.one(mind.claimed)})
    pose = mind.stance.pose
    is_taken = mind.pack.part(pose) == "looker" and bool(whispered_claims(mind))
    role = mind.pack.one(pose) if pose in mind.pack.parts and not is_taken else ""
    return phrased(mind, "whisper_pose" if role else "whisper_hide", {"one": role})


def _attack_words(mind: Mindset, prey: Sequence[int]) -> str:
    """Return whom to attack, and why. Who agrees with the newest plan, or not, says so."""
    agreed = whispered_prey(mind)
    target = agreed or most({s: prey_score(mind, s) for s in prey})
    plan = next((t for s, t in reversed(_latest_prey(mind).items()) if s != mind.me), 0)
    if plan and plan != target:
        names = {"t": mind.view.name(target), "y": mind.view.name(plan)}
        return phrased(mind, "whisper_other", names)
    claim = mind.dialogue.claims.get(target, "")
    kind = "whisper_agree" if agreed else "whisper_prey"
    if mind.pack.part(claim) == "looker":
        kind += "_looker"
    elif max(guard_chance(mind, s) for s in prey) > guard_chance(mind, target):
        kind += "_open"
    role = mind.pack.name(claim) if claim else ""
    return phrased(mind, kind, {"t": mind.view.name(target), "role": role})


def _more_words(mind: Mindset, has_whispered: bool) -> Iterator[str]:
    """Yield sentences about a spared player, a lost partner, and one's next made-up result."""
    candidates = {t for w in _tonight(mind) for a in w.acts if a.kind == "spare" for t in a.targets}
    if spared := sorted(candidates & mind.spared):
        yield phrased(mind, "whisper_spare", {"t": mind.view.name(spared[0])})
    votes = mind.decision.ruleset.votes_on(mind.view.state.day)
    if votes and (lost := [s for s in mind.mates if mind.given_up(s)]):
        yield phrased(mind, "whisper_lost", {"t": mind.view.name(lost[0])})
    if has_whispered:
        yield from _look_words(mind)


def _look_words(mind: Mindset) -> Iterator[str]:
    """Yield the result that one will tell in the morning, and why not the one a partner wants."""
    look = planned_look(mind)
    if look is None:
        return
    wished_reports = [a for w in _tonight(mind) if w.seat in mind.mates for a in w.acts
              if a.kind == "report" and a.role == look.source]  # fmt: skip
    if wished_reports and wished_reports[-1].result != look:
        yield phrased(mind, "whisper_refuse", {"y": mind.view.name(wished_reports[-1].targets[0])})
    kind = "whisper_find" if mind.pack.accuses(look) else "whisper_clear"
    names = {"t": mind.view.name(look.targets[0]), "role": mind.pack.name(mind.pack.hunted[0])}
    yield phrased(mind, kind, names)


def phrased(mind: Mindset, kind: str, names: dict[str, str]) -> str:
    """Return a phrase of a general kind, as fresh as there is one."""
    earlier = [e.data["text"] for e in mind.view.events if e.kind == mind.decision.window.kind
               and e.data.get("text")]  # fmt: skip
    text, _stale = draw_wording(
        phrases_of(mind.pack, kind),
        names,
        manner=mind.stance.manner,
        circumstances=circumstances(mind),
        spoken=SpokenTexts(mind.view.state.seats, earlier, ()),
        rng=mind.decision.rng,
        purpose=f"words/whisper/{kind}",
    )
    return text
