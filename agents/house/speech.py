"""What a house player says: the most pressing remarks, in order and in its own wording."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from agents import language
from agents.house import courtesies, observations, own_claims
from agents.house.accusation_reasons import build_doubts
from agents.house.fact_checks import is_true
from agents.house.happenings import CANDIDACY_WEIGHT, build_happenings, build_office_remarks
from agents.house.mindset import Mindset
from agents.house.phrase_slots import build_slot_texts, get_phrases
from agents.house.remarks import GONE, Named, Remark, RemarkPlace
from agents.house.replies import build_replies
from agents.house.stance import Stance
from agents.language import style
from agents.language.character_voice import WordingConstraints
from agents.language.phrasing import REPEATED_SENTENCE_STALENESS, SpokenTexts, draw_wording, fill
from agents.packs import Pack
from agents.understanding.normalise import seats_named
from agents.understanding.speech_acts import FACTS, SpeechAct
from agents.understanding.statements import result_of
from agents.understanding.understand import understand
from game.engine.forms import Speech
from game.engine.text_checks import NO_LIMIT, count_characters, count_words

SMALL_TALK_WEIGHT = 2.4  # a lighter remark is said only if there is nothing else
TARGET_WORDS = 62  # usual limit of a statement; the rules allow more
CHARS_PER_WORD = 5  # of the target, where lengths are counted in characters
STALENESS_LIMIT = 0.7  # share of a sentence's word runs that were heard before
MAX_WEIGHT_BESIDE_OPENER = 5.5  # with a heavier remark, a statement has no opener
MAX_WEIGHT_LOSS = 1.2  # of another doubt that may replace a stale one
ALTERNATIVE_PENALTY = 0.15  # staleness added for each place of such a doubt in the order
DUE_BONUS = 1.0  # weight added to answers and claims when a long statement is shortened
MAX_WORDING_ATTEMPTS = 30  # until a text is new and unambiguous; the last one is said anyway

OPTIONAL_POSITIONS = (
    RemarkPlace.OPEN,
    RemarkPlace.TABLE,
    RemarkPlace.TURN,
    RemarkPlace.TRUST,
    RemarkPlace.ASK,
    RemarkPlace.CLOSE,
)
ANSWER_POSITIONS = (RemarkPlace.REPLY, RemarkPlace.ANSWER)
# After its confession, a player only claims, votes and closes.
POST_CONFESSION_POSITIONS = (RemarkPlace.CLAIM, RemarkPlace.VOTE, RemarkPlace.CLOSE)
# Kinds that withhold what a claim tells.
REFUSALS = ("answer_evade", "owed_role_kept", "owed_partner_kept")
# Kinds that state no opinion on anybody; they contradict a reported look.
IGNORANCE = ("answer_open", "owed_nobody", "owed_trusts_nobody")
# Kinds that state no opinion on one player; they contradict a look at that player.
UNDECIDED = ("owed_open", "owed_open_unclaimed")
# Beginnings of kinds that speak well of the player in the slot y or x.
TRUSTING = ("owed_trust_", "owed_you_trusted", "charge_defended", "spare", "hold_back")

Wording = list[tuple[Remark, str]]  # remarks with their texts, in the order of the statement


def build_statement(mind: Mindset) -> tuple[str, Stance]:
    """Return one to four sentences that are new in this game, and the stance after them."""
    text, wording = compose_statement(mind)
    text = _apply_persona_style(mind, text, mind.dialogue.texts())
    keys = [remark.key for remark, _ in wording if remark.about]
    keys += [f"met:{remark.meets}" for remark, _ in wording if remark.meets]
    return text, replace(mind.stance, said_keys=(*mind.stance.said_keys, *keys))


def compose_statement(mind: Mindset) -> tuple[str, Wording]:
    """Return the statement without the persona's style, as a whole and remark by remark."""
    candidates = propose_remarks(mind)
    spoken_texts = mind.dialogue.texts()
    text, wording = "", Wording()
    for attempt in range(MAX_WORDING_ATTEMPTS):
        chosen = choose_remarks(mind, candidates)
        text, wording = _word_statement(mind, chosen, candidates, str(attempt))
        if text not in spoken_texts and _is_unambiguous(mind, text, wording):
            break
    return text, wording


def _is_unambiguous(mind: Mindset, text: str, wording: Wording) -> bool:
    """Return whether listeners would understand exactly the chosen claims and reports, and at
    most one accused player.

    What the speaker has already claimed, named or reported may be understood again.
    """
    seats, dialogue = mind.view.state.seats, mind.dialogue
    claim_text = " ".join(t for remark, t in wording if remark.position == RemarkPlace.CLAIM)
    before = dialogue.said[-1].seat if dialogue.said else 0
    acts = understand(fill(claim_text, {}), mind.me, seats, before, mind.pack) if claim_text else ()
    intended = _self_statements(acts, mind.pack)
    changes_claim = any(kind == "claim" and subject != mind.claimed for kind, subject in intended)
    allowed = intended if changes_claim else intended | {("claim", mind.claimed)}
    if partner := dialogue.companions.get(mind.me):
        allowed.add(("companion", (dialogue.claims[mind.me], partner)))
    allowed |= {("report", report) for report in dialogue.looks.get(mind.me, ())}
    acts = understand(text, mind.me, seats, before, mind.pack)
    accused_seats = {t for act in acts if act.strength for t in act.targets}
    return intended <= _self_statements(acts, mind.pack) <= allowed and len(accused_seats) < 2


def _self_statements(acts: Iterable[SpeechAct], pack: Pack) -> set[tuple[str, object]]:
    """Return (kind, content) of the claims, companions and reports among `acts`."""
    statements: set[tuple[str, object]] = set()
    for act in acts:
        if act.kind == "claim":
            statements.add((act.kind, act.role))
        elif act.kind == "companion":
            statements.add((act.kind, (act.role, *act.targets)))
        elif act.kind == "report":
            statements.add((act.kind, result_of(act, pack) or act))
    return statements


def _apply_persona_style(mind: Mindset, text: str, spoken_texts: set[str]) -> str:
    """Return `text` in the persona's style, with the same meaning.

    Without a persona, or at a table of plain speech, the text stays as it is.
    """
    if mind.persona is None or mind.decision.has_plain_speech:
        return text
    seats, form = mind.view.state.seats, mind.decision.window.speech
    before = mind.dialogue.said[-1].seat if mind.dialogue.said else 0
    addressees = (before, 0)  # "you" is the last speaker or nobody; the meaning must hold for both

    def meaning(words: str) -> tuple[object, ...]:
        """Return the seats that the words name, and their acts for each addressee."""
        acts = [set(understand(words, mind.me, seats, to, mind.pack)) for to in addressees]
        return seats_named(words, seats), acts

    meaning_before = meaning(text)

    def has_same_meaning(words: str) -> bool:
        return (
            words not in spoken_texts
            and text_length(words, form) <= longest_text(form)
            and meaning(words) == meaning_before
        )

    def states_fact(words: str) -> bool:
        """Return whether the words or one sentence of them state a claim, a look or a vote."""
        parts = {words, *re.split(r"(?<=[.!?])\s+", words)}
        acts = (understand(p, mind.me, seats, to, mind.pack) for p in parts for to in addressees)
        return any(act.kind in FACTS for group in acts for act in group)

    own_texts = [s.text for s in mind.dialogue.said if s.seat == mind.me]
    constraints = WordingConstraints(spoken_texts, own_texts, has_same_meaning, states_fact)
    return style.apply_persona(text, mind.persona, mind.decision.rng, constraints)


def text_length(text: str, form: Speech) -> int:
    """Return the length of `text` in the window's unit: words or characters."""
    return count_words(text) if form.base == NO_LIMIT else count_characters(text)


def longest_text(form: Speech) -> int:
    """Return the greatest length of a statement that addresses nobody."""
    return form.likely_words if form.base == NO_LIMIT else form.base


def propose_remarks(mind: Mindset) -> list[Remark]:
    """Return all remarks that the player could make now, most pressing first."""
    claims = list(own_claims.build_claims(mind))  # first: a claim may change the professed belief
    if mind.speech_purpose == "stand":  # the reason to be elected builds on the claim
        claims = [replace(c, weight=max(c.weight, CANDIDACY_WEIGHT + 0.1)) for c in claims]
    remarks = [
        *claims,
        *build_replies(mind),
        *observations.build_observations(mind),
        *build_doubts(mind),
        *courtesies.build_courtesies(mind),
        *build_happenings(mind),
        *build_office_remarks(mind, claims),
    ]
    remarks = [r for r in remarks if _names_only_living_others(mind, r) and is_true(mind, r)]
    confesses = any(r.kind == "come_out" for r in claims)
    if confesses or (mind.in_passes and mind.claimed in mind.pack.wolves):  # no case to make
        remarks = [r for r in remarks if r.position in POST_CONFESSION_POSITIONS] or remarks
    return sorted(remarks, key=lambda r: (-r.weight, r.position, mind.pack.spelled(r.kind)))


def _names_only_living_others(mind: Mindset, remark: Remark) -> bool:
    """Return whether a remark names neither the speaker nor a player who is out.

    The slots of players who are out (`GONE`) are exempt.
    """
    seats_gone = {seat for slot, seat in remark.names.items() if slot in GONE}
    out = {*mind.view.state.out}
    return not out & (remark.seats - seats_gone) and mind.me not in remark.seats


def choose_remarks(mind: Mindset, candidates: list[Remark]) -> list[Remark]:
    """Return the remarks of this statement in the order they are said.

    candidates: most pressing first.
    """
    max_points = style.max_points(mind.persona, 2 + mind.draw("length", 3))
    is_claim_due = any(r.kind == "answer_role" for r in candidates)
    chosen: list[Remark] = []
    for remark in candidates:
        if chosen and remark.weight < SMALL_TALK_WEIGHT:
            break
        points = sum(not r.leads and not r.meets for r in chosen)
        is_due = remark.meets or (is_claim_due and remark.position == RemarkPlace.CLAIM)
        if (is_due or points < max_points) and _fits(remark, chosen):
            chosen.append(remark)
    claim = next((r for r in chosen if r.position == RemarkPlace.CLAIM and r.kind != "evade"), None)
    kept = [r for r in chosen if not _contradicts(r, claim) and is_announcement_kept(r, chosen)]
    if chosen and not kept:  # nothing but announcements
        return choose_remarks(mind, [r for r in candidates if r not in chosen])
    return sorted(_merge_announcements(kept), key=lambda r: r.position)


def _contradicts(remark: Remark, claim: Remark | None) -> bool:
    """Return whether `remark` withholds or doubts what `claim` tells in the same statement."""
    if claim is None:
        return False
    if claim.look is None:
        return remark.kind in REFUSALS
    is_undecided = remark.kind in UNDECIDED and remark.about in {*claim.look.targets, *claim.seats}
    return is_undecided or remark.kind in (*REFUSALS, *IGNORANCE)


def _merge_announcements(chosen: list[Remark]) -> list[Remark]:
    """Merge announcements of answers with the answers they announce, where that reads better.

    The claim of a plain role then names the player who asked. A suspicion needs no announcement to
    a player whom the same statement has already addressed.
    """
    addressed = {r.names.get("x") for r in chosen if r.position < RemarkPlace.TURN}
    for lead in (r for r in chosen if r.position == RemarkPlace.LEAD and r.meets):
        if lead.names.get("x") in addressed:
            chosen = [
                replace(r, meets=lead.meets) if r.position == RemarkPlace.DOUBT else r
                for r in chosen
                if r is not lead
            ]
    announcement = next((r for r in chosen if r.kind == "answer_role"), None)
    claim = next((r for r in chosen if r.kind == "claim_plain"), None)
    if announcement is None or claim is None:
        return chosen
    answer = replace(
        claim, kind="claim_plain_to", names=announcement.names, meets=announcement.meets
    )
    return [answer if r is claim else r for r in chosen if r is not announcement]


def is_announcement_kept(remark: Remark, chosen: Iterable[Remark]) -> bool:
    """Return whether what `remark` announces is among `chosen`: a new suspect, or a claim.

    Remarks that announce nothing are kept.
    """
    positions = {r.position for r in chosen}
    if remark.position in (RemarkPlace.TURN, RemarkPlace.LEAD):
        return RemarkPlace.DOUBT in positions
    return not remark.leads or RemarkPlace.CLAIM in positions


def _fits(remark: Remark, chosen: list[Remark]) -> bool:
    """Return whether `remark` has a free position and makes a point that `chosen` allows."""
    if _is_position_full(remark, chosen) or any(remark.repeats(r) for r in chosen):
        return False
    return not _conflicts_with_chosen(remark, chosen)


def _is_position_full(remark: Remark, chosen: list[Remark]) -> bool:
    """Return whether the position of `remark` is taken.

    It holds one remark, or two if they are answers or reported looks.
    """
    here = [r for r in chosen if r.position == remark.position]
    are_looks = remark.position == RemarkPlace.CLAIM and all(r.look for r in (*here, remark))
    return len(here) >= (2 if are_looks or remark.position == RemarkPlace.ANSWER else 1)


def _conflicts_with_chosen(remark: Remark, chosen: list[Remark]) -> bool:
    """Return whether `remark` would contradict, double or crowd one of `chosen`."""
    position, asker = remark.position, remark.names.get("x", 1)
    heaviest = max((r.weight for r in chosen), default=0.0)
    same_look = [r.kind for r in chosen if r.look and r.look == remark.look]
    answered_positions = (RemarkPlace.REPLY, RemarkPlace.TABLE)
    answered_seats = {s for r in chosen if r.position in answered_positions for s in r.seats}
    return (
        # one answer to each player
        (
            position in ANSWER_POSITIONS
            and any(r.position in ANSWER_POSITIONS and r.names.get("x", 0) == asker for r in chosen)
        )
        or (
            position == RemarkPlace.DOUBT
            and any(_convicts(r, remark.names.get("t", 0)) for r in chosen)
        )
        or _suspects_twice(remark, chosen)
        or any(_trusts_pressed(remark, r) or _trusts_pressed(r, remark) for r in chosen)
        # one look, told twice
        or (bool(same_look) and "own_find" in (*same_look, remark.kind))
        or (position == RemarkPlace.OPEN and heaviest > MAX_WEIGHT_BESIDE_OPENER)
        or (remark.kind == "answer_open" and len(chosen) > 2)
        or (position == RemarkPlace.ASK and _has_addressed(remark.about, chosen))
        or (position == RemarkPlace.TRUST and bool(answered_seats & remark.seats))
    )


def _has_addressed(seat: int, chosen: list[Remark]) -> bool:
    """Return whether a question to `seat` would be one too many after `chosen`."""
    return any(
        r.kind == "companion_open" or (r.names.get("x") == seat and r.position == RemarkPlace.REPLY)
        for r in chosen
    )


def _trusts_pressed(trust: Remark, doubt: Remark) -> bool:
    """Return whether `trust` speaks well of the player whom `doubt` presses."""
    speaks_well = trust.position == RemarkPlace.TRUST or trust.kind.startswith(TRUSTING)
    presses = doubt.position in (RemarkPlace.DOUBT, RemarkPlace.VOTE)
    is_answer = trust.position in ANSWER_POSITIONS and "y" in trust.names
    asker = trust.names["x"] if is_answer else 0
    return speaks_well and presses and doubt.names.get("t", 0) in trust.seats - {0, asker}


def _suspects_twice(remark: Remark, chosen: list[Remark]) -> bool:
    """Return whether `remark` and one of `chosen` voice the same suspicion.

    A doubt that a question or a change of mind leads to is kept.
    """
    target = remark.names.get("t", 0)
    same_target = [r for r in chosen if r.names.get("t", 1) == target]
    if remark.kind == "join_in":
        return any(r.position == RemarkPlace.DOUBT for r in same_target)
    is_announced = any(r.position in (RemarkPlace.LEAD, RemarkPlace.TURN) for r in chosen)
    is_doubt = remark.position == RemarkPlace.DOUBT
    return is_doubt and not is_announced and any(r.kind == "join_in" for r in same_target)


def _convicts(claim: Remark, target: Named) -> bool:
    """Return whether `claim` reports that a look at `target` alone found it hunted.

    A doubt about the same player would sound as if the speaker did not believe its own look.
    """
    is_finding = claim.position == RemarkPlace.CLAIM and claim.kind.endswith("_found")
    return is_finding and claim.look is not None and claim.look.targets == (target,)


def _word_statement(
    mind: Mindset, chosen: list[Remark], candidates: list[Remark], salt: str
) -> tuple[str, Wording]:
    """Return `chosen` in words, as a whole and remark by remark.

    Stale remarks are reworded, or dropped if they are optional.
    """
    spoken, day = mind.dialogue.said, mind.view.state.day
    own_texts = [s.text for s in spoken if s.seat == mind.me]
    texts_today = (s.text for s in spoken if s.day == day)
    spoken_texts = SpokenTexts(
        mind.view.state.seats, [s.text for s in spoken], own_texts, texts_today
    )
    wording = Wording()
    dropped: list[tuple[float, Remark, str]] = []
    for remark in chosen:
        has_reason = any(r.position == RemarkPlace.DOUBT for r, _ in wording)
        options = _alternatives(remark, chosen, candidates)
        text, staleness, option = _freshest_wording(mind, options, spoken_texts, salt, has_reason)
        option = replace(option, meets=remark.meets)
        is_optional = option.position in OPTIONAL_POSITIONS or (
            staleness >= REPEATED_SENTENCE_STALENESS and option.position != RemarkPlace.CLAIM
        )
        if staleness < STALENESS_LIMIT or not is_optional or len(chosen) == 1:
            wording.append((option, text))
        else:
            dropped.append((staleness, option, text))
    if not wording and dropped:  # something must be said, even if it is stale
        wording = [min(dropped, key=lambda candidate: candidate[0])[1:]]
    return _trim_to_length(mind, wording, salt)


def _alternatives(remark: Remark, chosen: list[Remark], candidates: list[Remark]) -> list[Remark]:
    """Return `remark`, and for a doubt also the other doubts that could stand in its place."""
    if remark.position != RemarkPlace.DOUBT:
        return [remark]
    other_themes = {r.theme for r in chosen if r is not remark}
    return [
        remark,
        *(
            r
            for r in candidates
            if r.position == RemarkPlace.DOUBT
            and r.weight > remark.weight - MAX_WEIGHT_LOSS
            and r.kind != remark.kind
            and r.theme not in other_themes
        ),
    ]


def _freshest_wording(
    mind: Mindset, options: list[Remark], spoken_texts: SpokenTexts, salt: str, has_reason: bool
) -> tuple[str, float, Remark]:
    """Return the text with the least staleness, its staleness, and its remark among `options`."""
    candidates = (
        (*_choose_wording(mind, option, spoken_texts, salt, has_reason), option)
        for option in options
    )
    return min(candidates, key=lambda c: c[1] + ALTERNATIVE_PENALTY * options.index(c[2]))


def _trim_to_length(mind: Mindset, wording: Wording, salt: str) -> tuple[str, Wording]:
    """Return the statement without its lightest remarks, as short as the window requires.

    If a single remark is too long, a general short phrase replaces it.
    """
    form = mind.decision.window.speech
    limit, target = longest_text(form), style.aim_words(mind.persona, TARGET_WORDS)
    if form.base != NO_LIMIT:
        target *= CHARS_PER_WORD
        wording = [part for part in wording if text_length(part[1], form) <= limit] or wording
    while (length := sum(text_length(text, form) for _, text in wording)) > min(target, limit):
        if (len(wording) < 3 and length <= limit) or len(wording) == 1:
            break
        wording.remove(min(wording, key=lambda p: p[0].weight + DUE_BONUS * _is_due(p[0])))
        remarks = [remark for remark, _ in wording]
        wording = [part for part in wording if is_announcement_kept(part[0], remarks)] or wording
    if length > limit:  # only where a ruleset asks for very few words
        return mind.decision.rng.choice(f"short/{salt}", language.remarks()["short"]), []
    return fill(" ".join(text for _, text in wording), {}), wording


def _is_due(remark: Remark) -> bool:
    """Return whether a remark answers a player or tells of the speaker."""
    return remark.meets > 0 or remark.position == RemarkPlace.CLAIM


def circumstances(mind: Mindset) -> frozenset[str]:
    """Return the conditions of `agents.language.NEEDS` that are met."""
    dialogue, me = mind.dialogue, mind.me
    has_heard_today = any(s.round >= dialogue.today and s.seat != me for s in dialogue.said)
    is_pressed = bool(dialogue.pressing(me))
    conditions = {
        "heard": has_heard_today,
        "later": bool(dialogue.turns(me)) or mind.view.state.day > 1,
        "claimed": bool(mind.claimed),
        "unclaimed": not mind.claimed,
        "pressed": is_pressed,
        "unpressed": not is_pressed,
        "last": mind.is_last_round,
        "more": not mind.is_last_round and not mind.speech_purpose,
        "many": len(mind.others) > 3,
        "told": bool(dialogue.reports.keys() - {me}),
        "gave": any(a.kind == "report" for s in mind.statements_today for a in s.acts),
        "sole": dialogue.reports.keys() == {me},
    }
    return frozenset(need for need, is_met in conditions.items() if is_met)


def _choose_wording(
    mind: Mindset, remark: Remark, spoken: SpokenTexts, salt: str, has_reason: bool
) -> tuple[str, float]:
    """Return a text of `remark` and its staleness.

    has_reason: whether the statement has given a reason before.
    """
    asker = remark.names.get("x", 0)
    conditions = {
        "grounds": has_reason,
        "recent": remark.look is not None and mind.is_recent(remark.look),
        "asked": isinstance(asker, int) and mind.dialogue.asked_before(asker, mind.me),
    }
    return draw_wording(
        get_phrases(mind.pack, remark.kind),
        build_slot_texts(mind.pack, remark, mind.view.name, conditions["recent"]),
        manner=mind.stance.manner,
        circumstances=circumstances(mind) | {need for need, is_met in conditions.items() if is_met},
        spoken=spoken,
        rng=mind.decision.rng,
        purpose=f"words/{salt}/{mind.pack.spelled(remark.kind)}",
    )
