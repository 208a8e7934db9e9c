"""Talk in passes: when a house player is done, and what the hunted whisper (SPEC 1.3)."""

from collections import Counter
from collections.abc import Iterator, Sequence

from agents.house.circumstances import circumstances
from agents.house.invented_looks import planned_look, whispered_claims
from agents.house.mindset import Mindset, highest_scoring_seat
from agents.house.remarks import get_phrases
from agents.house.seat_choice import guard_chance, prey_score
from agents.house.speech import longest_text, text_length
from agents.language.phrasing import SpokenTexts, draw_wording
from agents.talk.whispers import ROLE_TOPICS, Whisper

# After this many in a night, a player whispers only about topics that are not limited.
MAX_WHISPERS = 3
# House players ask each other about these topics; unlimited answers would never end.
LIMITED_TOPICS = {"prey", "claim"}
MAX_SCORE_GAP = 0.15  # I agree to accuse a partner's choice if its score is at most this much lower


def has_said_all(mind: Mindset) -> bool:
    """Return whether a player has nothing to add to the talk of the day.

    Such a player has spoken and owes no answer. On a day with a vote, the player has announced one,
    and nobody has claimed or reported anything since the player's last statement.
    """
    day, dialogue = mind.view.state.day, mind.dialogue
    if not mind.statements_today or mind.demands:
        return False
    if not mind.decision.ruleset.has_vote_on(day):
        return True
    announced = [a for s in mind.statements_today for a in s.acts if a.kind == "vote"]
    news = (a for s in dialogue.since(mind.me) for a in s.acts if a.kind in ("claim", "report"))
    return bool(announced) and not any(news)


def is_awaited(mind: Mindset) -> bool:
    """Return whether a partner may still whisper tonight, so that the player should not say Over.

    Partners who have not said Over are awaited until all, the player included, had nothing to say
    in their last answers.
    """
    start, kind = mind.view.phase_position(len(mind.view.events)), mind.decision.window.kind
    manners = {mind.me: "", **dict.fromkeys(mind.partners, "")}
    manners |= {e["seat"]: e["manner"] for e in mind.view.events[start:] if e.kind == kind}
    waiting = {seat: manner for seat, manner in manners.items() if manner != "over"}
    return waiting.keys() != {mind.me} and any(m in ("", "say") for m in waiting.values())


def whispered_prey(mind: Mindset) -> int:
    """Return the seat that most of the side named last tonight as prey, 0 for none.

    Of seats named equally often, the one named last counts, so that the whole side agrees.
    Seats that a partner asked to spare do not count.
    """
    latest = _latest_prey(mind)
    counts = Counter(latest.values())
    return max(reversed(latest.values()), key=lambda seat: counts[seat], default=0)


def _latest_prey(mind: Mindset) -> dict[int, int]:
    """Return seat of the side -> the prey it named last tonight, the newest last.

    Of several in one whisper, the one with the highest `prey_score` counts.
    """
    latest: dict[int, int] = {}
    for whisper in _tonight(mind):
        prey = [t for a in whisper.acts if a.kind == "prey" for t in a.targets if t in mind.others
                and t not in mind.seats_to_spare | mind.partners]  # fmt: skip
        if prey and whisper.seat in {mind.me, *mind.partners}:
            latest.pop(whisper.seat, None)
            latest[whisper.seat] = highest_scoring_seat({s: prey_score(mind, s) for s in prey})
    return latest


def _tonight(mind: Mindset) -> list[Whisper]:
    """Return the whispers of the current phase."""
    start = mind.view.phase_position(len(mind.view.events))
    return [whisper for whisper in mind.whispers if whisper.position > start]


def build_whisper(mind: Mindset) -> str:
    """Return a whisper to the player's own side, "" for nothing to say.

    The first whisper of a phase names the role that the player will claim (before the first
    attack), or the prey with a reason and a lost partner (later). A player who poses as a looker
    announces its next result. Further whispers only answer partners: requests (`whispers.TOPICS`),
    other plans, and wishes for a result.
    """
    own_whispers = [w for w in mind.whispers if w.seat == mind.me]
    prey = [s for s in mind.others if s not in mind.partners]
    can_attack = mind.decision.ruleset.has_vote_on(mind.view.state.day)
    count = sum(w in own_whispers for w in _tonight(mind))
    requests = _pending_requests(mind)
    topics = {w.topic for w in requests}
    is_answer_due = can_attack and _is_answer_due(mind)
    is_due = count < MAX_WHISPERS and bool(topics or is_answer_due)
    if not prey or (count and not (topics - LIMITED_TOPICS or is_due)):
        return ""
    sentences = list(_answer_requests(mind, requests))
    if is_answer_due or (can_attack and (not count or "prey" in topics)):
        sentences.append(_attack_sentence(mind, prey))
    if "claim" in topics or not (can_attack or own_whispers or topics & {*ROLE_TOPICS}):
        sentences.append(_claim_sentence(mind))
    if "spare" in topics:
        sentences.append(_spare_sentence(mind, prey))
    if topics == {"prey"} and not (can_attack or sentences):
        sentences.append(build_phrase(mind, "whisper_wait", {}))
    sentences += _look_sentences(mind) if count else _more_sentences(mind, bool(own_whispers))
    kept, form = sentences[:1], mind.decision.window.speech
    for sentence in sentences[1:]:
        if text_length(" ".join([*kept, sentence]), form) <= longest_text(form):
            kept.append(sentence)
    return " ".join(kept)


def _pending_requests(mind: Mindset) -> list[Whisper]:
    """Return the partners' requests of this phase since the player last whispered."""
    last = max((w.position for w in mind.whispers if w.seat == mind.me), default=0)
    return [w for w in _tonight(mind) if w.position > last and w.seat in mind.partners and w.topic
            and w.addressee in (0, mind.me)]  # fmt: skip


def _answer_requests(mind: Mindset, requests: Sequence[Whisper]) -> Iterator[str]:
    """Yield consent, refusal or a better proposal to the newest request of each topic."""
    best = highest_scoring_seat({s: mind.scores[s] for s in mind.others if s not in mind.partners})
    for topic, request in {w.topic: w for w in requests}.items():
        targets = [t for a in request.acts for t in a.targets if a.kind in ("vote", "report")
                   and t in mind.scores]  # fmt: skip
        names = {"t": mind.view.name(best), "x": mind.view.name(request.seat)}
        if topic in ("support", "distance"):
            is_open_foe = mind.is_given_up(request.seat)
            yield build_phrase(mind, f"whisper_{topic}_{'foe' if is_open_foe else 'friend'}", names)
        elif topic == "accuse" and targets:
            agrees = mind.scores[targets[-1]] >= mind.scores[best] - MAX_SCORE_GAP
            names["t" if agrees else "y"] = mind.view.name(targets[-1])
            yield build_phrase(mind, "whisper_accuse" if agrees else "whisper_accuse_other", names)
        elif topic == "whom":
            yield build_phrase(mind, "whisper_accuse_first", names)
        elif topic == "result" and targets and not planned_look(mind):
            yield build_phrase(mind, "whisper_believe", {"t": mind.view.name(targets[-1])})
        elif topic == "own" and (roles := [a.role for a in request.acts if a.kind == "claim"]):
            yield build_phrase(mind, "whisper_own", {"one": mind.pack.one(roles[-1])})
        elif topic == "advice":
            yield build_phrase(mind, "whisper_advice", names)
        elif topic in ROLE_TOPICS:
            names["one"] = mind.pack.one(request.role)
            kind, y = _reply_on_role(mind, request)
            yield build_phrase(mind, kind, {**names, "y": y})


def _reply_on_role(mind: Mindset, request: Whisper) -> tuple[str, str]:
    """Return the kind of the answer to a partner's request about my claim, and its slot y.

    A role that I agree to is my pose from then on (`Situation`).
    """
    part = mind.pack.part(request.role)
    planned = {s: r for s, r in whispered_claims(mind).items() if s in mind.partners}
    rivals = [s for s in mind.dialogue.lookers if s in mind.partners] + list(planned)
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


def _spare_sentence(mind: Mindset, prey: Sequence[int]) -> str:
    """Return whom to leave alive: a player whom a partner spares, or one who may be voted out."""
    gains = {seat: prey_score(mind, seat) - len(mind.dialogue.pressing(seat)) for seat in prey}
    requested = next((s for s in sorted(mind.seats_to_spare) if s in gains), 0)
    spared = requested or min(gains, key=gains.__getitem__)
    kind = "whisper_keep_pressed" if mind.dialogue.pressing(spared) else "whisper_keep"
    return build_phrase(mind, kind, {"t": mind.view.name(spared)})


def _is_answer_due(mind: Mindset) -> bool:
    """Return whether a partner has since named another prey or asked for a result."""
    last = max((w.position for w in _tonight(mind) if w.seat == mind.me), default=0)
    since = [w for w in _tonight(mind) if w.position > last and w.seat in mind.partners]
    latest = _latest_prey(mind)
    acts = [act for whisper in since for act in whisper.acts]
    return any(latest.get(w.seat, latest.get(mind.me)) != latest.get(mind.me) for w in since) or (
        any(a.kind == "report" for a in acts) and planned_look(mind) is not None
    )


def _claim_sentence(mind: Mindset) -> str:
    """Return which role the player will claim, or that the player will claim none."""
    if mind.claimed:
        return build_phrase(mind, "whisper_stay", {"one": mind.pack.one(mind.claimed)})
    pose = mind.stance.pose
    is_taken = mind.pack.part(pose) == "looker" and bool(whispered_claims(mind))
    role = mind.pack.one(pose) if pose in mind.pack.parts and not is_taken else ""
    return build_phrase(mind, "whisper_pose" if role else "whisper_hide", {"one": role})


def _attack_sentence(mind: Mindset, prey: Sequence[int]) -> str:
    """Return whom to attack and why, or that the player disagrees with a partner's prey."""
    agreed = whispered_prey(mind)
    target = agreed or highest_scoring_seat({s: prey_score(mind, s) for s in prey})
    plan = next((t for s, t in reversed(_latest_prey(mind).items()) if s != mind.me), 0)
    if plan and plan != target:
        names = {"t": mind.view.name(target), "y": mind.view.name(plan)}
        return build_phrase(mind, "whisper_other", names)
    claim = mind.dialogue.claims.get(target, "")
    kind = "whisper_agree" if agreed else "whisper_prey"
    if mind.pack.part(claim) == "looker":
        kind += "_looker"
    elif max(guard_chance(mind, s) for s in prey) > guard_chance(mind, target):
        kind += "_open"
    role = mind.pack.name(claim) if claim else ""
    return build_phrase(mind, kind, {"t": mind.view.name(target), "role": role})


def _more_sentences(mind: Mindset, has_whispered: bool) -> Iterator[str]:
    """Yield sentences on a spared player, a lost partner, and the next invented result."""
    candidates = {t for w in _tonight(mind) for a in w.acts if a.kind == "spare" for t in a.targets}
    if spared := sorted(candidates & mind.seats_to_spare):
        yield build_phrase(mind, "whisper_spare", {"t": mind.view.name(spared[0])})
    votes = mind.decision.ruleset.has_vote_on(mind.view.state.day)
    if votes and (lost := [s for s in mind.partners if mind.is_given_up(s)]):
        yield build_phrase(mind, "whisper_lost", {"t": mind.view.name(lost[0])})
    if has_whispered:
        yield from _look_sentences(mind)


def _look_sentences(mind: Mindset) -> Iterator[str]:
    """Yield the result to be reported in the morning, after a refusal of a requested one."""
    look = planned_look(mind)
    if look is None:
        return
    wished_reports = [a for w in _tonight(mind) if w.seat in mind.partners for a in w.acts
              if a.kind == "report" and a.role == look.source]  # fmt: skip
    if wished_reports and wished_reports[-1].result != look:
        yield build_phrase(
            mind, "whisper_refuse", {"y": mind.view.name(wished_reports[-1].targets[0])}
        )
    kind = "whisper_find" if mind.pack.accuses(look) else "whisper_clear"
    names = {"t": mind.view.name(look.targets[0]), "role": mind.pack.name(mind.pack.hunted[0])}
    yield build_phrase(mind, kind, names)


def build_phrase(mind: Mindset, kind: str, slots: dict[str, str]) -> str:
    """Return the freshest phrase of a general kind, with its slots filled."""
    earlier = [e.data["text"] for e in mind.view.events if e.kind == mind.decision.window.kind
               and e.data.get("text")]  # fmt: skip
    text, _stale = draw_wording(
        get_phrases(mind.pack, kind),
        slots,
        manner=mind.stance.manner,
        circumstances=circumstances(mind),
        spoken=SpokenTexts(mind.view.state.seats, earlier, ()),
        rng=mind.decision.rng,
        purpose=f"words/whisper/{kind}",
    )
    return text
