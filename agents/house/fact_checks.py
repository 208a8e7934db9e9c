"""Checks that what a remark says about others is true, before it is said.

Every kind of remark with the name of another player in it stands in `CHECKS` or in `OWN_VIEW`; one
that stands in neither is not said, and a test names it. A check is made of one fact about the
players in some slots: `of(_pressed, "x", "y")` is whether `x` has pressed `y`; "me" is the speaker.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

from agents.dialogue import Dialogue
from agents.house.remarks import Remark
from agents.house.suspicion import Mindset
from agents.packs import Part
from agents.understanding.speech_acts import STRENGTH

Check = Callable[[Mindset, dict[str, int]], bool]  # (mind, slot -> seat)


def is_true(m: Mindset, move: Remark) -> bool:
    """Return whether the others have said and done what `move` says they have."""
    if move.kind in OWN_VIEW or not move.seats:
        return True
    check = CHECKS.get(move.kind)
    seats = {slot: seat for slot, seat in move.names.items() if isinstance(seat, int)}
    if isinstance(group := move.names.get("all"), tuple):
        seats |= {f"all{number}": seat for number, seat in enumerate(group)}
    return check is not None and check(m, {"me": m.me, **seats})


def of(fact: Callable[..., bool], *slots: str) -> Check:
    """Return the check of a fact about the players in `slots`, those that are filled."""
    return lambda m, at: fact(m, *(at[slot] for slot in slots if slot in at))


def of_all(fact: Callable[..., bool]) -> Check:
    """Return the check of a fact about all players that are named."""
    return lambda m, at: fact(m, *(seat for slot, seat in at.items() if slot != "me"))


def no(check: Check) -> Check:
    return lambda m, at: not check(m, at)


def both(*checks: Check) -> Check:
    return lambda m, at: all(check(m, at) for check in checks)


def stands_against(dialogue: Dialogue, seat: int, target: int) -> bool:
    """Whether `seat` still presses `target`, and has accused it or said it will vote for it."""
    hard = any(
        target in act.targets and act.strength >= STRENGTH["accuse"]
        for act in dialogue.acts("accuse", "vote", by=seat)
    )
    return hard and dialogue.suspect_of(seat) == target


# -- who pressed whom, and when


def _first(m: Mindset, seat: int, target: int) -> int:
    """Return the number of the statement in which `seat` first pressed `target`, or past all."""
    statements = enumerate(m.dialogue.said)
    pressing = (n for n, s in statements if s.seat == seat and target in s.presses())
    return next(pressing, len(m.dialogue.said))


def _in_order(m: Mindset, *pairs: tuple[int, int]) -> bool:
    """Whether each (seat, target) of `pairs` has pressed, one after the other."""
    numbers = [_first(m, seat, target) for seat, target in pairs]
    rising = all(a < b for a, b in pairwise(numbers))
    return rising and numbers[-1] < len(m.dialogue.said)


def _joins(m: Mindset, x: int, t: int) -> bool:
    """Whether `x` stands against `t`, and has said so today."""
    today = {turn.round for turn in m.view.turns if turn.moment.day == m.view.state.day}
    statements = (s for s in m.dialogue.said if s.seat == x and s.round in today)
    return stands_against(m.dialogue, x, t) and any(t in s.presses() for s in statements)


def _suspects(m: Mindset, x: int, t: int) -> bool:
    return m.dialogue.suspect_of(x) == t


def _pressed(m: Mindset, x: int, y: int) -> bool:
    return y in m.dialogue.pressed_by(x)


def _presses_me(m: Mindset, x: int) -> bool:
    """Whether `x` has pressed me since I last spoke."""
    return any(s.seat == x and m.me in s.presses() for s in m.dialogue.since(m.me))


def _follows(m: Mindset, later: int, first: int, target: int) -> bool:
    """Whether both have pressed `target`, `first` before `later`."""
    return _in_order(m, (first, target), (later, target))


def _turned(m: Mindset, seat: int, old: int, new: int) -> bool:
    """Whether `seat` pressed `old` before `new`."""
    return _in_order(m, (seat, old), (seat, new))


def _pressed_early(m: Mindset, t: int, x: int) -> bool:
    """Whether `t` pressed `x` in its first statement, in the first round."""
    return any(s.round == 1 and x in s.presses() for s in m.dialogue.turns(t)[:1])


def _crowd(m: Mindset, t: int) -> bool:
    return len([s for s in m.dialogue.pressing(t) if s != m.me]) > 2


# -- what they said


def _did(kind: str, *, since: bool = False) -> Callable[[Mindset, int, int], bool]:
    """Return the fact that one has done `kind` to another. since: since I last spoke."""

    def fact(m: Mindset, x: int, y: int) -> bool:
        statements = m.dialogue.since(m.me) if since else m.dialogue.said
        acts = (a for s in statements if s.seat == x for a in s.acts)
        return any(a.kind == kind and y in a.targets for a in acts)

    return fact


def _claims(*parts: Part, only: bool = False) -> Callable[[Mindset, int], bool]:
    """Return the fact that one claims a role of these parts. only: and nobody else does."""

    def fact(m: Mindset, x: int) -> bool:
        role = m.dialogue.claims.get(x)
        if role is None or (parts and m.pack.part(role) not in parts):
            return False
        return not only or m.dialogue.claimants(role) == [x]

    return fact


def _reported(finds: bool | None = None) -> Callable[..., bool]:
    """Whether one stands by a look at others, or at me where none is given."""

    def fact(m: Mindset, x: int, *seats: int) -> bool:
        about = {*(seats or (m.me,))}
        looks = (look for look in m.dialogue.looks.get(x, ()) if about <= {*look.targets})
        return any(finds in (None, m.pack.accuses(look)) for look in looks)

    return fact


def _claim_alike(m: Mindset, *seats: int) -> bool:
    claims = {m.dialogue.claims.get(seat) for seat in seats}
    return len(claims) == 1 and None not in claims


def _all_claimants(m: Mindset, *seats: int) -> bool:
    """Whether those, and nobody else of the living but me, claim one and the same role."""
    claimants = m.dialogue.claimants(m.dialogue.claims.get(seats[0], ""))
    return {*seats} == {*claimants} & {*m.others}


def _first_to_claim(m: Mindset, first: int, later: int) -> bool:
    """Whether both claim one role, `first` before `later`."""
    order = m.dialogue.claimants(m.dialogue.claims.get(first, ""))
    return {first, later} <= {*order} and order.index(first) < order.index(later)


def _undisputed(m: Mindset, x: int) -> bool:
    """Whether nobody has denied what `x` claims, or called it a lie."""
    acts = [a for a in m.dialogue.acts("disagree", "accuse") if x in a.targets]
    return not any(act.kind == "accuse" or act.role for act in acts)


def _uncontradicted(m: Mindset, y: int) -> bool:
    """Whether no look that is stood by finds `y`, and `y` has told one story."""
    is_accused = any(m.pack.accuses(r) and y in r.targets for _, r in m.dialogue.told)
    return not is_accused and not _changed(m, y)


def _changed(m: Mindset, t: int) -> bool:
    return t in m.dialogue.changed


def _confessed(m: Mindset, t: int) -> bool:
    return any(a.role in m.pack.wolves for a in m.dialogue.acts("claim", by=t))


def _proposes(m: Mindset, x: int) -> bool:
    return any(m.dialogue.acts("propose", by=x))


def _retracts(m: Mindset, x: int) -> bool:
    return any(m.dialogue.acts("retract", by=x))


def _evaded(m: Mindset, t: int, x: int) -> bool:
    """Whether `t` left `x` without the role it asked for."""
    return m.dialogue.evaded(t) == x


def _nothing_said(m: Mindset, t: int) -> bool:
    """Whether `t` has spoken, and named neither a role nor a suspect."""
    named = m.dialogue.pressed_by(t) or t in m.dialogue.claims
    return bool(m.dialogue.turns(t)) and not named


def _silent(m: Mindset, t: int) -> bool:
    return bool(m.dialogue.silent[t]) or not m.dialogue.turns(t)


def _spoken(m: Mindset, x: int) -> bool:
    return bool(m.dialogue.turns(x))


# -- partners


def _pair(m: Mindset, a: int, b: int) -> bool:
    return (min(a, b), max(a, b)) in m.dialogue.pairs


def _mutual(m: Mindset, y: int) -> bool:
    """Whether `y` and I have named each other."""
    return _names_partner(m, m.me, y) and _names_partner(m, y, m.me)


def _names_partner(m: Mindset, x: int, y: int) -> bool:
    return m.dialogue.companions.get(x) == y


def _is_mate(m: Mindset, x: int) -> bool:
    return x == m.mate


def _let_pass(m: Mindset, x: int, y: int) -> bool:
    """Whether `y` has spoken since `x` named it, and never of `x`."""
    statements = iter(m.dialogue.said)
    for statement in statements:
        named = (t for a in statement.acts if a.kind == "companion" for t in a.targets)
        if statement.seat == x and y in named:
            break
    later = [s for s in statements if s.seat == y]
    return bool(later) and not any(x in s.names for s in later)


# -- ballots, deaths, a badge


def _voted(*, me_too: bool) -> Callable[[Mindset, int, int], bool]:
    """Whether one voted for another in the last vote, and I did, too, or did not."""

    def fact(m: Mindset, x: int, y: int) -> bool:
        votes = m.dialogue.course.last_votes()
        return votes.get(x) == y and (votes.get(m.me) == y) == me_too

    return fact


def _own_ballot(m: Mindset, e: int) -> bool:
    return m.dialogue.course.last_votes().get(m.me) == e


def _is_out(m: Mindset, *seats: int) -> bool:
    return {*seats} <= m.dialogue.course.out


def _badge(m: Mindset, x: int, d: int = 0) -> bool:
    """Whether `x` has a badge, from `d` where that is named."""
    passed = m.dialogue.course.passed[-1:]
    return any(h.seat == x and d in (0, h.target) for h in passed)


# Kinds that say of others only what I think, ask or mean to do.
_OWN_VIEW = """
answer_claimed answer_evade answer_no_look answer_nobody answer_open answer_reason answer_role
answer_suspect ask_role ask_silent ask_suspect badge_trusted bait_warn charge_cheap charge_early
charge_early_not charge_echo charge_evaded charge_flip charge_late charge_noside charge_same
charge_silent charge_steady charge_turnless charge_untold
charge_untrusted claim_keeper_quiet claim_mate claim_plain_to doubt_gut doubt_left_three
doubt_left_two exiled_clean exiled_found hold
lead_vote news_clean news_found owed_about owed_deck owed_denial owed_guess owed_holder
owed_holder_none owed_holder_open owed_join owed_mind owed_neither owed_no_join
owed_no_partner owed_nobody owed_none owed_open owed_partner_kept owed_plan_speak owed_plan_wait
owed_role_kept owed_trusts_nobody owed_vote owed_which owed_you_doubted owed_you_open
owed_you_trusted own_find own_look own_look_sure repeat_clean repeat_found report_clean
report_found tease trust turn_clean turn_found vote vote_unsure
"""
OWN_VIEW = frozenset(_OWN_VIEW.split())

# What has to be so, and the kinds that say it.
_FACTS: tuple[tuple[Check, str], ...] = (
    (of(_joins, "x", "t"), "vote_with"),
    (of(_suspects, "x", "t"), "doubt_agree join_in"),
    (of(_follows, "x", "y", "me"), "rebut_many rebut_echo"),
    (of(_turned, "x", "y", "me"), "rebut_flip"),
    (of(_mutual, "y"), "rebut_mate"),
    (both(of(_turned, "t", "x", "y"), of(_suspects, "t", "y")), "doubt_flip"),
    (of(_follows, "t", "x", "y"), "doubt_echo"),
    (of(_suspects, "t", "x"), "doubt_pusher"),
    (of(_evaded, "t", "x"), "doubt_evaded"),
    (of(_evaded, "t", "me"), "doubt_evaded_me"),
    (of(_pair, "x", "y"), "mates_known turn_mate doubt_third_mate"),
    (of(_pair, "y", "z"), "spare_mate owed_trust_pair"),
    (of_all(_all_claimants), "many_mates many_plains doubt_plain_crowd three_lookers"),
    (of(_claim_alike, "x", "y"), "plains_with_me two_lookers looker_disproved"),
    (of(_claim_alike, "t", "x"), "doubt_plain_room"),
    (of(_undisputed, "x"), "looker_unopposed"),
    (of(_let_pass, "x", "y"), "companion_silent"),
    (of(_did("agree", since=True), "x", "me"), "agreed"),
    (of(_did("disagree", since=True), "x", "me"), "disagreed disbelieved"),
    (of(_did("suspect", since=True), "x", "me"), "called_names"),
    (
        lambda m, at: any(_did(kind, since=True)(m, at["x"], m.me) for kind in ("defend", "agree")),
        "thanks",
    ),
    (of(_reported(False), "x"), "thanks_clean"),
    (of(_claims(), "x"), "note_claim"),
    (no(of(_claims("wolf"), "x")), "note_denial"),
    (of(_retracts, "x"), "note_retract"),
    (of(_pressed, "x", "y"), "hold_back spare"),
    (of(_presses_me, "x"), "rebut rebut_once rebut_back rebut_claimed rebut_looker"),
    (lambda m, at: _pressed(m, at["x"], m.me) or m.bait, "rebut_tease"),
    (both(of(_presses_me, "x"), no(of(_claims(), "x"))), "rebut_unclaimed"),
    (of(_reported(True), "x"), "rebut_report_me"),
    (of(_reported(True), "x", "y"), "rebut_report_lie rebut_report_other rebut_report_open"),
    (no(of(_claims(), "y")), "owed_open_unclaimed"),
    (no(of(_pressed, "me", "y")), "owed_never_pressed charge_pressed_not"),
    (no(of(_pressed, "me", "x")), "owed_not_you"),
    (of(_uncontradicted, "y"), "owed_trust"),
    (no(of(_uncontradicted, "y")), "owed_trust_despite"),
    (of(_reported(False), "z", "y"), "owed_trust_cleared"),
    (of(_changed, "me"), "charge_changed"),
    (lambda m, at: m.dialogue.first_against(at["y"]) == m.me, "charge_first"),
    (of(_pressed, "me", "y"), "charge_pressed charge_named"),
    (lambda m, at: at["y"] in m.vouched, "charge_defended"),
    (lambda m, at: at["y"] not in m.vouched, "charge_defended_not"),
    (of(_did("companion"), "x", "me"), "deny_partner"),
    (of(_is_mate, "x"), "confirm_mate"),
    (both(of(_is_mate, "x"), of(_pressed, "y", "x")), "spare_fellow vouch_mate"),
    (of(_names_partner, "me", "y"), "partner_again"),
    (
        of(_claims("looker"), "x"),
        "counter_report_clean counter_report_found counter_exiled_clean counter_exiled_found "
        "rival_clean rival_found looker_impossible",
    ),
    (of(_crowd, "t"), "crowd"),
    (both(of(_pressed, "x", "y"), of(_reported(False), "z", "y")), "spare_cleared"),
    (lambda m, at: m.before == at["x"], "turn"),
    (of(_reported(False), "y", "x"), "turn_cleared"),
    (
        of(_proposes, "x"),
        "with_looker_speak with_looker_wait against_looker_speak against_looker_wait "
        "with_mate_speak with_mate_wait against_mate_speak against_mate_wait",
    ),
    (of(_first_to_claim, "x", "y"), "lookers_lean_first"),
    (of(_first_to_claim, "y", "x"), "lookers_lean_second"),
    (both(of(_reported(True), "x", "t"), of(_reported(True), "y", "t")), "lookers_overlap"),
    (
        lambda m, at: _claims("looker")(m, at["x"]) and at["x"] not in m.dialogue.looks,
        "looker_no_report",
    ),
    (of(_reported(), "x", "a", "b"), "looker_doubted"),
    (of(_reported(True), "x", "a", "b"), "report_splits"),
    (of(_reported(True), "x", "a"), "report_finds"),
    (of(_reported(False), "x", "a", "b"), "report_clears"),
    (lambda m, at: m.dialogue.claims.get(at["x"]) == m.role, "expose_mate"),
    (
        both(of(_names_partner, "x", "y"), of(_claims(), "y"), no(of(_claim_alike, "x", "y"))),
        "companion_denied",
    ),
    (both(of(_names_partner, "x", "y"), no(of(_claim_alike, "x", "y"))), "companion_open"),
    (of(_pressed, "t", "x"), "ask_reason"),
    (of(_claims("mate"), "t"), "ask_partner doubt_false_mate doubt_mate_alone"),
    (of(_changed, "t"), "doubt_changed"),
    (no(of(_claims(), "t")), "doubt_unclaimed"),
    (of(_nothing_said, "t"), "doubt_nothing"),
    (of(_pressed_early, "t", "x"), "doubt_early"),
    (of(_suspects, "t", "me"), "doubt_at_me"),
    (of(_did("defend"), "t", "x"), "doubt_defender"),
    (of(_confessed, "t"), "doubt_confessed"),
    (of(_silent, "t"), "doubt_silent"),
    (of(_reported(True), "x", "t"), "doubt_found"),
    (of(_reported(True), "x", "t", "y"), "doubt_reported doubt_other_cleared"),
    (of(_claims("looker"), "t"), "doubt_my_rival"),
    (of(_first_to_claim, "x", "t"), "doubt_second_looker"),
    (of(_first_to_claim, "t", "x"), "doubt_first_looker"),
    (of(_claims("looker", only=True), "t"), "doubt_lone_looker"),
    (of(_claims("plain"), "t"), "doubt_plain"),
    (of(_is_out, "d"), "night_kill night_kill_early exiled_right exiled_wrong doubt_lead"),
    (both(of(_is_out, "d"), of(_claims("looker"), "d")), "night_looker"),
    (lambda m, at: True, "ballots_close"),
    (of(_own_ballot, "e"), "own_ballot"),
    (of(_voted(me_too=False), "x", "me"), "ballot_me"),
    (of(_voted(me_too=True), "x", "d"), "ballot_alike"),
    (both(of(_badge, "x", "d"), of(_is_out, "d")), "badge_passed badge_handed"),
    (of(_badge, "x", "d"), "badge_watched"),
    (of(_suspects, "d", "t"), "doubt_dead_pressed"),
    (both(of(_is_out, "d"), of(_voted(me_too=False), "t", "d")), "doubt_dead_ballot"),
    (of(_voted(me_too=False), "t", "me"), "doubt_ballot_me"),
    (of(_voted(me_too=False), "t", "y"), "doubt_ballot_friend"),
    (both(of(_pressed, "t", "d"), of(_voted(me_too=False), "t", "e")), "doubt_ballot_word"),
    (of(_spoken, "x"), "stand_rival"),
)
CHECKS: dict[str, Check] = {kind: check for check, kinds in _FACTS for kind in kinds.split()}
