"""Choice of the remarks that make up a statement."""

from collections.abc import Iterable
from dataclasses import replace
from itertools import islice

from agents.house.circumstances import ADDRESSING
from agents.house.doubts import SHARED, UNREASONED, build_doubts
from agents.house.happenings import (
    CANDIDACY_WEIGHT,
    build_happenings,
    build_office_remarks,
    settle_target,
)
from agents.house.mindset import Mindset
from agents.house.observations import build_observations
from agents.house.own_claims import build_claims
from agents.house.remarks import (
    GONE,
    NEWS_WEIGHT,
    UNSPOKEN,
    Named,
    Remark,
    RemarkPlace,
    get_bare_reasons,
    is_announcement_kept,
)
from agents.house.replies import build_replies
from agents.house.small_talk import build_courtesies
from agents.language import style

SMALL_TALK_WEIGHT = 2.4  # a lighter remark is said only if there is nothing else
# A leader's last word has one of these, because it sums up what all said.
ASIDE_POSITIONS = (*ADDRESSING, RemarkPlace.TRUST)
# After its confession, a player only claims, votes and closes.
POST_CONFESSION_POSITIONS = (RemarkPlace.CLAIM, RemarkPlace.VOTE, RemarkPlace.CLOSE)
# Kinds that withhold what a claim tells.
REFUSALS = ("answer_evade", "owed_role_kept", "owed_partner_kept", "tease")
# Kinds that stand by the claim so far.
STEADFAST = ("answer_claimed", "disbelieved", "owed_stand", "charge_same", "owed_then_same")
# Kinds that state no opinion on anybody; they contradict a reported look.
IGNORANCE = ("answer_open", "owed_nobody", "owed_trusts_nobody")
# Kinds that state no opinion on one player; they contradict a look at that player.
UNDECIDED = ("owed_open", "owed_open_unclaimed")
# Beginnings of kinds that speak well of the player in the slot y or x.
TRUSTING = ("owed_trust_", "owed_you_trusted", "charge_defended", "spare", "hold_back",
            "report_clears", "thanks", "agreed")  # fmt: skip

# Beginnings of kinds that take the player in the slot y, or whom they are about, at its word.
BELIEVING = ("owed_trust", "owed_holder", "owed_neither", "owed_lean", "lookers_lean",
             "looker_unopposed", "report_")  # fmt: skip
# Who wants a role kept secret does not ask for one in the same statement.
PLEAS_TO_WAIT = ("looker_wait", "with_looker_wait", "against_looker_speak")
ROLE_QUESTIONS = ("ask_role", "ask_last_role")

# Own points. A statement has one, or several about the same players.
OWN_POINTS = (RemarkPlace.TABLE, RemarkPlace.TRUST, RemarkPlace.DOUBT, RemarkPlace.VOTE,
              RemarkPlace.ASK)  # fmt: skip
LIGHT_REPLY = 4.95  # lighter replies give way to an own point
URGENT_WEIGHT = 7.9  # own points of at least this weight may stand beside any other

VOTE_FIRST_PERCENT = 30  # how often a vote comes before its reason


def propose_remarks(mind: Mindset) -> list[Remark]:
    """Return all remarks that the player could make now, most pressing first."""
    claims = list(build_claims(mind))  # first: a claim may change the professed belief
    mind.announced_looks = tuple(c.look for c in claims if c.look)
    settle_target(mind)
    if mind.speech_purpose == "stand":  # the reason to be elected builds on the claim
        claims = [replace(c, weight=max(c.weight, CANDIDACY_WEIGHT + 0.1)) for c in claims]
    remarks = [
        *claims,
        *build_replies(mind),
        *build_observations(mind),
        *build_doubts(mind),
        *build_courtesies(mind),
        *build_happenings(mind),
        *build_office_remarks(mind, claims),
    ]
    remarks = [r for r in remarks if _names_only_living_others(mind, r)]
    confesses = any(r.kind == "come_out" for r in claims)
    if confesses or (mind.in_passes and mind.claimed in mind.pack.wolves):  # no case to make
        remarks = [r for r in remarks if r.position in POST_CONFESSION_POSITIONS] or remarks
    habits = mind.stance.habits
    remarks = [replace(r, weight=r.weight + habits.bonus(r.kind)) for r in remarks]
    remarks.sort(key=lambda r: (-r.weight, r.position, mind.pack.spelled(r.kind)))
    if mind.speech_purpose == "lead":
        asides = [r for r in remarks if r.position in ASIDE_POSITIONS]
        remarks = [r for r in remarks if r not in asides[1:]]
    return remarks


def _names_only_living_others(mind: Mindset, candidate: Remark) -> bool:
    """Return whether a remark names neither the speaker nor a player who is out.

    The slots of players who are out (`GONE`) are exempt.
    """
    seats_gone = {seat for slot, seat in candidate.names.items() if slot in GONE}
    out = {*mind.view.state.out}
    return not out & (candidate.seats - seats_gone) and mind.me not in candidate.seats


def choose_remarks(mind: Mindset, candidates: list[Remark]) -> list[Remark]:
    """Return the remarks of this statement in the order they are said.

    candidates: most pressing first.
    """
    convicted = _convicted_seat(candidates)
    candidates = [
        r for r in candidates if r.position != RemarkPlace.DOUBT or r.names.get("t") != convicted
    ]
    max_points = style.max_points(mind.persona, 2 + mind.draw("length", 2))
    is_claim_due = any(r.kind == "answer_role" for r in candidates)
    chosen: list[Remark] = []
    for candidate in candidates:
        if chosen and candidate.weight < SMALL_TALK_WEIGHT:
            break
        points = sum(not (r.leads or r.meets or grounds_vote(r, chosen)) for r in chosen)
        if (points < max_points or is_due(candidate, chosen, is_claim_due)) and _fits(
            candidate, chosen
        ):
            chosen.append(candidate)
            chosen += _missing_reason(mind, candidates, chosen)
    claim = next((r for r in chosen if r.position == RemarkPlace.CLAIM and r.kind != "evade"), None)
    rivals = {*mind.dialogue.claimants(claim.role)} - {mind.me} if claim and claim.look else set()
    fitting = [
        r for r in chosen if not _contradicts(r, claim, rivals) and is_announcement_kept(r, chosen)
    ]
    if chosen and not fitting:  # nothing but announcements
        return choose_remarks(mind, [r for r in candidates if r not in chosen])
    fitting += _distinction(mind, candidates, fitting)
    return _order(mind, _merge_announcements(mind, fitting))


def _order(mind: Mindset, chosen: list[Remark]) -> list[Remark]:
    """Return `chosen` in the order of their positions.

    Now and then an announced vote comes before the reason for it, if that can stand without a
    verdict.
    """
    ordered = sorted(chosen, key=lambda r: r.position)
    vote = next((r for r in ordered if r.kind == "vote"), None)
    doubt = next((r for r in ordered if r.position == RemarkPlace.DOUBT), None)
    is_announced = any(r.position in (RemarkPlace.TURN, RemarkPlace.LEAD) for r in ordered)
    if vote is None or doubt is None or is_announced or not grounds_vote(doubt, [vote]):
        return ordered
    if doubt.kind in (*SHARED, *UNREASONED):
        return ordered
    if get_bare_reasons(mind.pack, doubt.kind) and mind.chance("vote first", VOTE_FIRST_PERCENT):
        ordered.remove(vote)
        ordered.insert(ordered.index(doubt), replace(vote, kind="vote_first"))
    return ordered


def is_due(candidate: Remark, chosen: list[Remark], is_claim_due: bool = True) -> bool:
    """Return whether `candidate` is said however long the statement is.

    These are the day's news, answers, replies to accusations, looks, the claim or the suspicion
    that was asked for, changes of mind, votes, and a leader's recommendation.
    """
    match candidate.position:
        case RemarkPlace.OPEN:
            return candidate.weight >= NEWS_WEIGHT
        case RemarkPlace.CLAIM:
            return is_claim_due or candidate.look is not None
        case RemarkPlace.DOUBT:
            return any(r.position == RemarkPlace.LEAD for r in chosen)
        case RemarkPlace.TURN | RemarkPlace.VOTE:
            return True
    if candidate.kind.startswith("stand") and candidate.weight > 7:  # a candidate's own reason
        return not any(r.kind.startswith("stand") for r in chosen)
    return candidate.meets > 0 or candidate.is_denial or candidate.kind.startswith("rebut")


def grounds_vote(candidate: Remark, chosen: Iterable[Remark]) -> bool:
    """Return whether `candidate` is the reason for a vote that `chosen` announces."""
    targets = {r.names.get("t") for r in chosen if r.position == RemarkPlace.VOTE}
    return candidate.position == RemarkPlace.DOUBT and candidate.names.get("t") in targets


def _missing_reason(
    mind: Mindset, candidates: list[Remark], chosen: list[Remark]
) -> Iterable[Remark]:
    """Return the best doubt for an announced vote without a reason, however long the statement is.

    A look that the statement reports is a reason, too, and so is another player's vote. In passes,
    so is a suspicion voiced today.
    """
    vote = next((r for r in chosen if r.position == RemarkPlace.VOTE), None)
    if vote is None or any(
        r.position == RemarkPlace.DOUBT or r.kind == "join_in" or r.look for r in chosen
    ):
        return ()
    if mind.in_passes and any(vote.names["t"] in s.presses() for s in mind.statements_today):
        return ()
    return islice((r for r in candidates if grounds_vote(r, [vote]) and _fits(r, chosen)), 1)


def _distinction(mind: Mindset, candidates: list[Remark], chosen: list[Remark]) -> Iterable[Remark]:
    """Return what sets the target of an announced vote apart, if its reason fits others too."""
    vote = next((r for r in chosen if r.position == RemarkPlace.VOTE), None)
    if vote is None or not any(r.kind in SHARED and grounds_vote(r, [vote]) for r in chosen):
        return ()
    reasons = (
        replace(r, position=RemarkPlace.SUPPORT)
        for r in candidates
        if grounds_vote(r, [vote])
        and r.kind not in (*SHARED, *UNREASONED)
        and get_bare_reasons(mind.pack, r.kind, is_added=True)
        and not any(r.repeats(earlier) for earlier in chosen)
    )
    return islice(reasons, 1)


def _contradicts(candidate: Remark, claim: Remark | None, rivals: set[int]) -> bool:
    """Return whether `candidate` withholds or doubts what `claim` tells in the same statement.

    rivals: the others who claim the role of a told look. To believe them is a contradiction, too.
    """
    if claim is None:
        return False
    if claim.look is None:
        return candidate.kind in REFUSALS
    if claim.kind.startswith("turn_") and candidate.kind in STEADFAST:
        return True
    is_case = candidate.position in (RemarkPlace.DOUBT, RemarkPlace.VOTE)
    if is_case and claim.kind.endswith("_clean") and candidate.names["t"] in claim.look.targets:
        return True
    if candidate.kind.startswith(("with_looker", "against_looker")):
        return True  # the claim decides what a looker should do
    if candidate.kind == "rebut_report_other" and candidate.names["x"] in rivals:
        return True
    subject = candidate.names.get("y", candidate.about)
    if candidate.kind.startswith(BELIEVING) and subject in rivals:
        return True
    is_undecided = candidate.kind in UNDECIDED and candidate.about in {
        *claim.look.targets,
        *claim.seats,
    }
    return is_undecided or candidate.kind in (*REFUSALS, *IGNORANCE)


def _merge_announcements(mind: Mindset, chosen: list[Remark]) -> list[Remark]:
    """Leave out announcements that a listener does not need. What they announce is the answer.

    Nobody needs one that only says that an answer follows, nor any to the last speaker, to the only
    player who spoke to me, or to a player whom the same statement has addressed or suspects.
    """
    last = [s.seat for s in mind.dialogue.statements[-1:]]
    addressed: set[Named | None] = {mind.sole_addresser, *last}
    addressed |= {r.names.get("x") for r in chosen if r.position < RemarkPlace.TRUST}
    addressed |= {r.names.get("t") for r in chosen if r.position == RemarkPlace.DOUBT}
    for lead in [r for r in chosen if r.leads and r.meets]:
        if lead.kind in UNSPOKEN or lead.names.get("x") in addressed:
            is_role = lead.kind == "answer_role"
            position = RemarkPlace.CLAIM if is_role else RemarkPlace.DOUBT
            chosen = [
                replace(r, meets=lead.meets) if r.position == position else r
                for r in chosen
                if r is not lead
            ]
    return chosen


def is_question_kept(candidate: Remark, chosen: Iterable[Remark]) -> bool:
    """Return whether the other remarks leave room for `candidate`, if it is a question.

    A question to a player of whom the same statement speaks would mix "you" and a name.
    """
    remaining = [r for r in chosen if r is not candidate]
    return candidate.position != RemarkPlace.ASK or not _has_addressed(candidate.about, remaining)


def _fits(candidate: Remark, chosen: list[Remark]) -> bool:
    """Return whether `candidate` has a free position and makes a point that `chosen` allows."""
    if _is_position_full(candidate, chosen) or any(candidate.repeats(r) for r in chosen):
        return False
    return not (_strays(candidate, chosen) or _conflicts_with_chosen(candidate, chosen))


def _strays(candidate: Remark, chosen: list[Remark]) -> bool:
    """Return whether `candidate` would be a second own point, about other players.

    A light reply, such as thanks, strays from an own point, too.
    """
    is_light_reply = candidate.position == RemarkPlace.REPLY and candidate.weight < LIGHT_REPLY
    is_point = candidate.position in OWN_POINTS and candidate.weight < URGENT_WEIGHT
    if not (is_point or is_light_reply):
        return False
    if is_due(candidate, chosen):
        return False
    points = [r for r in chosen if r.position in OWN_POINTS]
    return bool(points) and not any(candidate.seats & r.seats for r in points)


def _is_position_full(candidate: Remark, chosen: list[Remark]) -> bool:
    """Return whether the position of `candidate` is taken.

    A position holds one remark, or two if they are reported looks. A statement replies to one
    player, or to two if both wait for it, and asks nobody if it replies.
    """
    here = [r for r in chosen if r.position == candidate.position]
    replies = [r for r in chosen if r.position in ADDRESSING]
    match candidate.position:
        case RemarkPlace.ANSWER:
            return len(replies) > 1
        case RemarkPlace.REPLY:
            return bool(here) or len(replies) > candidate.is_denial
        case RemarkPlace.ASK:
            return bool(here or replies)
        case RemarkPlace.CLAIM:
            return len(here) >= (2 if all(r.look for r in (*here, candidate)) else 1)
    return bool(here)


def _conflicts_with_chosen(candidate: Remark, chosen: list[Remark]) -> bool:
    """Return whether `candidate` would contradict, double or crowd one of `chosen`."""
    position, asker = candidate.position, candidate.names.get("x", 1)
    same_look = [r.kind for r in chosen if r.look and r.look == candidate.look]
    answered_positions = (RemarkPlace.REPLY, RemarkPlace.TABLE)
    answered_seats = {s for r in chosen if r.position in answered_positions for s in r.seats}
    return (
        # Each player gets one answer.
        (
            position in ADDRESSING
            and any(r.position in ADDRESSING and r.names.get("x", 0) == asker for r in chosen)
        )
        or _suspects_twice(candidate, chosen)
        or any(_trusts_pressed(candidate, r) or _trusts_pressed(r, candidate) for r in chosen)
        or any(_clash(candidate, r) or _clash(r, candidate) for r in chosen)
        # A doubt of the kind `own_find` tells the look, so nothing else does.
        or (bool(same_look) and "own_find" in (*same_look, candidate.kind))
        or (candidate.kind == "answer_open" and len(chosen) > 2)
        or (candidate.kind == "answer_evade" and any(r.kind == "answer_evade" for r in chosen))
        or (position == RemarkPlace.ASK and _has_addressed(candidate.about, chosen))
        or (position == RemarkPlace.TRUST and bool(answered_seats & candidate.seats))
    )


def _has_addressed(seat: int, chosen: list[Remark]) -> bool:
    """Return whether `chosen` speak to or of `seat`, so that a question to it would not fit."""
    return any(seat in r.seats or r.kind == "companion_open" for r in chosen)


def _trusts_pressed(trust: Remark, doubt: Remark) -> bool:
    """Return whether `trust` speaks well of the player whom `doubt` presses."""
    speaks_well = trust.position == RemarkPlace.TRUST or trust.kind.startswith(TRUSTING)
    if doubt.kind == "turn_stands":  # what stands against a player is neither trust nor ignorance
        return trust.about == doubt.names["x"] and (speaks_well or trust.kind in UNDECIDED)
    presses = doubt.position in (RemarkPlace.DOUBT, RemarkPlace.VOTE)
    is_answer = trust.position in ADDRESSING and "y" in trust.names
    asker = trust.names["x"] if is_answer else 0
    pressed = doubt.names.get("t", 0)
    suspects = doubt.seats if doubt.kind.startswith("doubt_left_t") else {pressed}
    return speaks_well and presses and bool(suspects & (trust.seats - {0, asker}))


def _clash(first: Remark, second: Remark) -> bool:
    """Return whether the remarks want opposite things, or believe two rivals."""
    if first.kind in PLEAS_TO_WAIT and second.kind in ROLE_QUESTIONS:
        return True
    if first.kind.startswith("owed_trust") and second.kind == "lookers_lean":
        return first.names.get("y") == second.names["x"]  # one defence is enough
    if first.kind == "turn_stands" and second.position == RemarkPlace.DOUBT:
        return first.names["x"] in second.seats - {second.names.get("t")}
    if first.kind == "expose_mate" and second.position == RemarkPlace.TURN:
        return first.names["x"] == second.names["x"]  # a liar is not let go in the same breath
    prefers_rival = second.kind in ("lookers_lean", "looker_disproved")
    uses_look = first.kind in ("rebut_report_other", "doubt_reported", "doubt_other_paired")
    return prefers_rival and uses_look and first.names.get("x") == second.names.get("y")


def _suspects_twice(candidate: Remark, chosen: list[Remark]) -> bool:
    """Return whether `candidate` and one of `chosen` voice the same suspicion.

    A doubt that a question or a change of mind leads to is kept.
    """
    target = candidate.names.get("t", 0)
    same_target = [r for r in chosen if r.names.get("t", 1) == target]
    if candidate.kind == "join_in":
        return any(r.position == RemarkPlace.DOUBT for r in same_target)
    is_announced = any(r.position in (RemarkPlace.LEAD, RemarkPlace.TURN) for r in chosen)
    is_doubt = candidate.position == RemarkPlace.DOUBT
    return is_doubt and not is_announced and any(r.kind == "join_in" for r in same_target)


def _convicted_seat(candidates: list[Remark]) -> int:
    """Return the seat that the heaviest claim reports as hunted by a look at it alone, or 0.

    A doubt about the same player would sound as if the speaker did not believe its own look.
    """
    claim = next((r for r in candidates if r.position == RemarkPlace.CLAIM), None)
    if claim is None or claim.look is None or not claim.kind.endswith("_found"):
        return 0
    return claim.look.targets[0] if len(claim.look.targets) == 1 else 0
