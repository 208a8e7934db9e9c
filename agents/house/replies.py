"""Replies to statements since I last spoke, and the answers that I owe.

A player who is addressed answers in its next words: with what was asked for, with a refusal and its
reason, or with a word on the charge. What is left open then is owed once more.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace

from agents.house.answers import ANSWERS, answer_false_claim, answer_open
from agents.house.doubts import can_voice_suspicion
from agents.house.mindset import Mindset
from agents.house.remarks import (
    DENIAL_WEIGHT,
    DUE_REPLY_WEIGHT,
    Named,
    Remark,
    RemarkPlace,
    remark,
)
from agents.language import is_addressed_to
from agents.language.phrasing import sentences
from agents.packs import Result
from agents.understanding.demands import Demand
from agents.understanding.speech_acts import SpeechAct
from agents.understanding.statements import Statement, result_of

REBUTTAL_WEIGHT = 7.5
UNNEEDED_PRAISE_WEIGHT = 3.2  # weight of thanks by a player whom nobody accuses
CLEARED_WEIGHT = 9.0  # weight of the reply to a look that cleared me, if the hunted kill at night
STRONGER_QUESTION_PENALTY = 0.6  # weight that a charge loses beside a likelier question
# Answers that deny what the question supposes, or only repeat a claim. They need a plain question,
# and another question of the statement comes first.
DENIALS = ("owed_never_pressed", "owed_never_claimed", "owed_not_you", "owed_no_motive",
           "owed_denial", "owed_stand", "owed_partner_kept", "answer_claimed")  # fmt: skip
DENIAL_PENALTY = 0.3
# An accuser who is my suspect is accused in turn if its score is higher than this.
MIN_COUNTER_SCORE = 0.12
# I am glad of a look that clears me if its teller's claim is at least this likely.
MIN_CREDIBLE_REPORT = 0.3
# Demands that I answer before a night with how I mean to play.
LIGHT_INTENTS = ("open", "plan", "mind", "why", "opinion")
ANNOUNCING = (RemarkPlace.TURN, RemarkPlace.LEAD)  # remarks that others follow as the answer


def build_replies(m: Mindset) -> Iterator[Remark]:
    """Yield replies to reports, companions, accusers, demands and other acts of today."""
    toward = [act for s in m.new_talk_today for act in s.acts if m.me in act.targets]
    reporters = set[int]()
    for act in toward:
        look = result_of(act, m.pack)
        if look and (reply := _reply_to_report(m, act.speaker, look)):
            reporters.add(act.speaker)
            if look in m.dialogue.looks.get(act.speaker, ()):  # the speaker stands by the look
                yield reply
    companions = [a for a in toward if a.kind == "companion" and a.speaker != m.mate]
    # Players with a mate expose the lie (agents/house/observations.py).
    if companions and not m.mate:
        role = companions[-1].role or m.pack.role("mate")
        yield remark("deny_partner", x=companions[-1].speaker, role=role)
    accusers = list(dict.fromkeys(a.speaker for a in toward if a.strength))
    accusers = [s for s in accusers if s not in reporters and s in m.others]
    if m.has_attacks:  # who has dropped the suspicion by now needs no reply
        accusers = [s for s in accusers if m.dialogue.suspect_of(s) == m.me]
    rebuttal = _rebuttal(m, accusers, toward) if accusers else None
    answers = list(build_owed_answers(m, rebuttal.names["x"] if rebuttal else 0))
    if rebuttal:
        # The accuser gets an answer, too.
        if any(a.names.get("x") == rebuttal.names["x"] for a in answers):
            rebuttal = replace(rebuttal, weight=REBUTTAL_WEIGHT)
        yield rebuttal
    yield from answers
    for statement in m.new_talk_today:
        for act in statement.acts:
            reply = _reply_to_act(m, statement, act)
            if reply and reply.key not in m.stance.said_keys:
                yield reply


# -- answers to questions and charges


def build_owed_answers(m: Mindset, rebutted_seat: Named = 0) -> Iterator[Remark]:
    """Yield the answer to one question, and to one charge a speaker.

    Args:
        rebutted_seat: the accuser whose accusation has a reply already, 0 for none.
    """
    demands = [(n, d) for n, d in m.demands if _is_still_due(m, n, d)]
    for number, demand in reversed([(n, d) for n, d in demands if d.is_charge]):
        is_vague = demand.intent == "evaded" and not demand.direct  # the charge names no question
        is_rebutted = demand.by == rebutted_seat or not demand.direct
        if is_vague or (
            demand.intent == "doubt" and _is_answered_elsewhere(m, number, demand, is_rebutted)
        ):
            continue
        answer = answer_demand(m, demand)
        if answer and answer.key not in m.stance.said_keys and number >= m.first_new_number:
            # A reason is answered, rather than told that it is wrong.
            weight = 7.65 + 0.4 * demand.direct + 0.01 * (number - m.first_new_number)
            same = [d for n, d in m.demands if n == number]  # the likeliest comes last
            if m.dialogue.statements[-1].seat == demand.by:
                weight = max(weight, 8.6 if all(d.is_charge for d in same) else 8.3)
            if not same[-1].is_charge:
                weight -= STRONGER_QUESTION_PENALTY
            yield replace(answer, weight=weight, meets=number)
    # The last question of a statement is mostly the one that its speaker waits for.
    questions = [
        (n, replace(d, intent="role") if d.is_charge else d)
        for n, d in reversed(demands)
        if (d.intent == "doubt" and _role_held_against_me(m, d))
        or not (d.is_charge or _is_announced_vote(m, n, d))
    ]
    questions.sort(key=lambda question: (question[1].is_bare, -question[0]))
    earlier_answers: list[tuple[str, Mapping[str, Named]]] = []
    for rank, (number, demand) in enumerate(questions[:2]):
        weight = 8.0 + 0.01 * (number - m.first_new_number)
        if m.dialogue.statements[-1].seat == demand.by:
            weight = 8.4
        elif number < m.first_new_number:
            weight = 6.8
        answer = answer_demand(m, _add_subject(m, number, demand))
        if answer and answer.kind in DENIALS and not _is_plain_question(m, number):
            continue
        if answer and (answer.kind, answer.names) not in earlier_answers:
            earlier_answers.append((answer.kind, answer.names))
            weight += answer.weight - 0.001 * rank  # remarks of one weight are sorted by kind
            weight -= DENIAL_PENALTY * (answer.kind in DENIALS)
            yield replace(answer, weight=weight, meets=number)
            if not _is_of_today(m, number):
                yield remark("answer_late", x=demand.by)


def _is_plain_question(m: Mindset, number: int) -> bool:
    """Return whether the statement is one sentence, or a sentence asks me something by name."""
    parts, name = sentences(m.dialogue.statements[number - 1].text), m.view.name(m.me)
    is_asking = any(s.endswith("?") and is_addressed_to(s, name) for s in parts)
    return is_asking or len(parts) == 1


def _is_of_today(m: Mindset, number: int) -> bool:
    return m.dialogue.statements[number - 1].day == m.view.state.day


def _is_still_due(m: Mindset, number: int, demand: Demand) -> bool:
    """Return whether I answer a demand: of today, or a question of an earlier day.

    Where days follow, a question has its mark, or names me.
    """
    statement = m.dialogue.statements[number - 1]
    has_mark = "?" in statement.text
    kinds = {"role": ("claim", "report"), "partner": ("companion",)}.get(demand.intent, ())
    later = m.dialogue.statements[number:]
    if any(a.kind in kinds for s in later if s.seat == m.me for a in s.acts):
        return False  # I have answered it since
    if not _is_of_today(m, number):
        return demand.direct and has_mark and not demand.is_charge
    # A candidate's "you" is everybody.
    return demand.is_charge or has_mark or m.me in statement.names or not m.has_attacks


def _add_subject(m: Mindset, number: int, p: Demand) -> Demand:
    """Return `p`, about the only other player that its statement names, where it names nobody.

    "You keep saying Gamma is fine. What makes you so sure?" is about Gamma.
    """
    mentioned = [s for s in m.dialogue.statements[number - 1].names if s in m.scores and s != p.by]
    about_one = p.intent in ("why", "opinion", "open") and not p.of and len(mentioned) == 1
    return replace(p, of=tuple(mentioned)) if about_one else p


def _is_announced_vote(m: Mindset, number: int, demand: Demand) -> bool:
    """Return whether a question for my vote is rather an announcement to vote against me."""
    is_bare = demand.intent == "vote" and not demand.of
    return is_bare and m.me in m.dialogue.statements[number - 1].presses()


def _is_answered_elsewhere(m: Mindset, number: int, demand: Demand, is_rebutted: bool) -> bool:
    """Return whether a doubt is an accusation that is rebutted, or asks to deny a role."""
    statement = m.dialogue.statements[number - 1]
    is_replied_to = m.me in statement.opposes() and (is_rebutted or m.me not in statement.presses())
    return is_replied_to or bool(_role_held_against_me(m, demand))


def _role_held_against_me(m: Mindset, demand: Demand) -> str:
    """Return the one role that is held against me to my face and that I do not claim."""
    is_about_me = demand.direct and not demand.of
    role = demand.roles[0] if len(demand.roles) == 1 and is_about_me else ""
    return role if role not in (m.claimed, m.stance.pose) else ""


def answer_demand(m: Mindset, p: Demand) -> Remark | None:
    """Return the answer to `p`, or a reply to its charge, None if I have nothing to say."""
    if m.has_told_both(p.roles):
        p = replace(p, intent="changed")
    is_light = m.has_no_evidence and p.intent in LIGHT_INTENTS and not (p.roles or p.of)
    answer = answer_false_claim(m, p) if "quoted" in p.topics else _explain_broken_word(m, p)
    answer = answer or ANSWERS[_light_intent(p) if is_light else p.intent](m, p)
    if not (answer or p.is_charge):
        answer = answer_open(m, replace(p, of=()))
    if answer is None or (answer.kind == "turn" and answer.names["x"] != m.previous_target):
        return None
    position = answer.position if answer.position in ANNOUNCING else RemarkPlace.ANSWER
    if answer.kind.startswith("charge_") and not p.direct:
        position = RemarkPlace.REPLY
    return replace(answer, position=position)


def _explain_broken_word(m: Mindset, p: Demand) -> Remark | None:
    """Return the reason for a last vote other than announced, None if it is not asked for."""
    broken = m.dialogue.broken_pledges.get((m.dialogue.course.last_ballot_day, m.me))
    if broken is None or p.intent not in ("changed", "why", "side") or not {*p.of} & {*broken}:
        return None
    return remark("own_ballot", d=broken[0], e=broken[1])


def _light_intent(p: Demand) -> str:
    """Return what a question before the first night is about: the way to play, or small talk."""
    return "chat" if p.intent == "open" else "style"


# -- words on other acts


def _reply_to_act(m: Mindset, statement: Statement, act: SpeechAct) -> Remark | None:
    """Return a word on an act about me or to me, None for nothing to say."""
    if m.me in act.targets:
        return _reply_to_act_about_me(m, act)
    x, is_last = act.speaker, statement is m.dialogue.statements[-1]
    is_to_me = is_addressed_to(statement.text, m.view.name(m.me))
    kinds = {act.kind for act in statement.acts}
    match act.kind:
        case "deny":
            if x == m.target == m.previous_target and m.has_only_denied(x):
                return remark("denial_stands", x=x, weight=7.8 if is_last else None)
            is_bare = is_to_me and not kinds & {"claim", "retract"}
            is_wolf = m.pack.part(m.dialogue.claims.get(x, "")) == "wolf"
            can_note = is_bare and not is_wolf and m.is_unasked("role", x)
            return remark("note_denial", x=x) if can_note else None
        case "retract":  # the next speaker replies to the last statement
            can_note = "report" not in kinds and (is_last or is_to_me)
            return (
                remark("note_retract", x=x, weight=7.7 if is_last else None) if can_note else None
            )
        case "propose" if is_to_me and m.pack.part(act.role) == "looker":
            side = "with" if m.chance("agree to it", 50) else "against"
            is_open = not m.dialogue.claimants(act.role)
            return remark(f"{side}_looker_{act.about}", x=x, role=act.role) if is_open else None
    if is_to_me and act.strength and len(act.targets) == 1:
        return _reply_to_pressing(m, x, act.targets[0])
    return None


def _reply_to_act_about_me(m: Mindset, act: SpeechAct) -> Remark | None:
    x, role, is_last = act.speaker, act.role, m.dialogue.statements[-1].seat == act.speaker
    weight = 7.0 if is_last else None
    if not (is_last or m.dialogue.pressing(m.me)):  # the praise is old, and nobody accuses me
        weight = UNNEEDED_PRAISE_WEIGHT
    is_on_claim = bool(role) and role == m.claimed
    match act.kind:
        case "defend" | "agree" if len(act.targets) == 1 and role in ("", m.claimed):
            # Praise is not returned for its own sake.
            if any(x in a.targets for a in m.dialogue.acts("agree", "defend", by=m.me)):
                return None
            has_same_suspect = m.dialogue.suspect_of(x) == m.previous_target != 0
            is_of_one_mind = act.kind == "agree" and has_same_suspect and not role
            return remark("agreed" if is_of_one_mind else "thanks", x=x, weight=weight)
        case "disagree" if is_on_claim:
            r = m.pack.name(role)
            return remark("disbelieved", x=x, r=r, weight=7.6 if is_last else None)
        case "disagree" if not role:
            return remark("disagreed", x=x, weight=7.0 if is_last else None)
        case "suspect" if not act.strength:
            kind = "rebut_tease" if m.is_bait else "called_names"
            return remark(kind, x=x, r=m.pack.name(role))
    return None


def _reply_to_report(m: Mindset, x: int, look: Result) -> Remark | None:
    """Return a reply to a look at me, unless I claim or will claim looks myself."""
    role, y = look.source, next((s for s in look.targets if s != m.me), 0)
    if m.has_attacks and not y:
        return _reply_to_result(m, x, look)
    if m.poses_as("looker") or m.claims_a("looker"):
        return None
    if not m.pack.accuses(look):
        is_credible = m.professed[x].get(role, 0.0) >= MIN_CREDIBLE_REPORT
        return remark("thanks_clean", x=x, role=role) if is_credible else None
    if not y:
        return remark("rebut_report_me", x=x, role=role)
    if (z := m.dialogue.partner(y)) and z not in (x, m.me):
        return remark("rebut_report_pair", x=x, y=y, z=z, role=role)
    kind = "rebut_report_other" if y == m.target else "rebut_report_open"
    kind = "rebut_report_lie" if m.is_certainly_cleared(y) else kind
    return remark(kind, x=x, y=y, role=role)


def _reply_to_result(m: Mindset, x: int, look: Result) -> Remark | None:
    """Return the first thing that I say on a look at me alone where the hunted kill at night."""
    if m.pack.accuses(look):
        own = [s for s in m.dialogue.turns(x) if s.day > 0]
        reports = [s for s in own if any(a.kind == "report" for a in s.acts)]
        is_late = len(own) > 1 and reports[:1] == own[-1:]
        kind = "rebut_report_late" if is_late else "rebut_report_me"
        return remark(kind, x=x, role=look.source, weight=DUE_REPLY_WEIGHT)
    if look.value == m.role and m.part == "plain" and m.role != m.pack.plain_role:
        has_told = m.claimed == m.role
        return None if has_told else remark("confirm_keeper", x=x, role=m.role)
    if m.part == "plain" and look.value != m.role:
        return remark("deny_result", x=x, role=look.source)
    if m.poses_as("looker") or m.claims_a("looker"):
        return None
    return remark("thanks_clean", x=x, role=look.source, weight=CLEARED_WEIGHT)


def _reply_to_pressing(m: Mindset, x: int, y: int) -> Remark | None:
    """Return a word on the suspicion of `x` against `y`, unless I have looked at `y`.

    I do not join a player who followed me.
    """
    if y == m.mate or any(y in look.targets for look in m.dialogue.looks.get(m.me, ())):
        return None
    if y == m.target and can_voice_suspicion(m):
        return remark("join_in", x=x, t=y) if m.can_agree_with(x, y) else None
    return remark("hold_back", x=x, y=y)


def _rebuttal(m: Mindset, accusers: list[int], toward: list[SpeechAct]) -> Remark:
    """Return a drawn reply to the accuser that presses hardest."""
    pressing = [a for a in toward if a.strength and a.speaker in accusers]
    x = max(reversed(pressing), key=lambda a: a.strength).speaker
    weight = DENIAL_WEIGHT if m.dialogue.statements[-1].seat in accusers else REBUTTAL_WEIGHT
    accusation = next(s for s in reversed(m.dialogue.statements) if s.seat == x).text.lower()
    if m.has_told_both(r for r in m.pack.deck if m.pack.name(r).lower() in accusation):
        return replace(remark("charge_changed", x=x, weight=weight), position=RemarkPlace.REPLY)
    options = list(_rebuttal_options(m, x))
    options = [o for o in options if f"{o[0]}:{x}" not in m.stance.said_keys] or options
    kind, names = options[m.draw("rebuttal", len(options))]
    return remark(kind, names, weight=weight, role=m.claimed)


def _rebuttal_options(m: Mindset, x: int) -> Iterator[tuple[str, dict[str, int]]]:
    """Yield (kind, slots) of the true replies to the accuser `x`. Strong ones come repeatedly."""
    dialogue, names = m.dialogue, {"x": x}
    yield "rebut", names
    earlier_targets = [s for s in dialogue.pressed_by(x) if s != m.me]
    accusations = [s for s in dialogue.statements if s.seat == x and m.me in s.presses()]
    if dialogue.claims.get(x) is None:
        yield "rebut_unclaimed", names
    y = earlier_targets[-1] if earlier_targets else 0
    if y and len(accusations) == 1 and m.is_pressing_order((x, y), (x, m.me)):
        yield "rebut_flip", {"x": x, "y": y}
    if (leader := dialogue.first_accuser_of(m.me)) not in (0, x, m.me):
        yield "rebut_echo", {"x": x, "y": leader}
    companions = dialogue.companions
    have_met = m.mate and companions.get(m.me) == m.mate and companions.get(m.mate) == m.me
    if have_met and m.claimed == m.role == dialogue.claims.get(m.mate):
        yield from [("rebut_mate", {"x": x, "y": m.mate})] * 3
    # Where days follow, what is wrong with the attack is said as a reason.
    is_suspect = x == m.target and m.scores[x] > MIN_COUNTER_SCORE and not m.has_attacks
    if is_suspect and (m.has_night_passed or can_voice_suspicion(m)):
        yield from [("rebut_back", names)] * 2
    if len(dialogue.turns(m.me)) == 1 and m.round == 1:
        yield "rebut_once", names
    if m.is_bait:
        yield from [("rebut_tease", names)] * 3
