"""Checks that what a remark says about others is true, before it is said.

Every kind of remark with the name of another player in it stands in `CHECKS` or in `OWN_VIEW`; one
that stands in neither is not said, and a test names it.
"""

from __future__ import annotations

from collections.abc import Callable

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
    return check is not None and check(m, seats)


def stands_against(dialogue: Dialogue, seat: int, target: int) -> bool:
    """Whether `seat` still presses `target`, and has accused it or said it will vote for it."""
    hard = any(
        target in act.targets and act.strength >= STRENGTH["accuse"]
        for act in dialogue.acts("accuse", "vote", by=seat)
    )
    return hard and dialogue.suspect_of(seat) == target


def _first(dialogue: Dialogue, seat: int, target: int) -> int:
    """Return the number of the statement in which `seat` first pressed `target`.

    Past all for never.
    """
    for number, statement in enumerate(dialogue.said):
        if statement.seat == seat and target in statement.presses():
            return number
    return len(dialogue.said)


def _joins(m: Mindset, at: dict[str, int]) -> bool:
    """Return whether `x` stands against `t`, and has said so today."""
    today = {turn.round for turn in m.view.turns if turn.moment.day == m.view.state.day}
    statements = (s for s in m.dialogue.said if s.seat == at["x"] and s.round in today)
    return stands_against(m.dialogue, at["x"], at["t"]) and any(
        at["t"] in s.presses() for s in statements
    )


def _agrees(m: Mindset, at: dict[str, int]) -> bool:
    return m.dialogue.suspect_of(at["x"]) == at["t"]


def _both_press(m: Mindset, at: dict[str, int]) -> bool:
    """Return both press me, `y` since before `x` did."""
    dialogue, ends = m.dialogue, len(m.dialogue.said)
    y, x = _first(dialogue, at["y"], m.me), _first(dialogue, at["x"], m.me)
    return y < x < ends


def _turned_to_me(m: Mindset, at: dict[str, int]) -> bool:
    dialogue = m.dialogue
    y, me = _first(dialogue, at["x"], at["y"]), _first(dialogue, at["x"], m.me)
    return y < me < len(dialogue.said)


def _turned(m: Mindset, at: dict[str, int]) -> bool:
    """Return `t` pressed `x`, later `y`, and presses `y` now."""
    dialogue = m.dialogue
    x, y = _first(dialogue, at["t"], at["x"]), _first(dialogue, at["t"], at["y"])
    return x < y < len(dialogue.said) and dialogue.suspect_of(at["t"]) == at["y"]


def _repeats(m: Mindset, at: dict[str, int]) -> bool:
    """Return `t` pressed `y` after `x` had."""
    dialogue = m.dialogue
    x, t = _first(dialogue, at["x"], at["y"]), _first(dialogue, at["t"], at["y"])
    return x < t < len(dialogue.said)


def _after(m: Mindset, at: dict[str, int]) -> bool:
    return m.dialogue.suspect_of(at["t"]) == at["x"]


def _mutual(m: Mindset, at: dict[str, int]) -> bool:
    """Return `y` and I have named each other."""
    companions = m.dialogue.companions
    return companions.get(m.me) == at["y"] and companions.get(at["y"]) == m.me


def _pair(*slots: str) -> Check:
    def check(m: Mindset, at: dict[str, int]) -> bool:
        a, b = (at[slot] for slot in slots)
        return (min(a, b), max(a, b)) in m.dialogue.pairs

    return check


def _claim_alike(*slots: str) -> Check:
    """Return whether those in `slots` claim one and the same role."""

    def check(m: Mindset, at: dict[str, int]) -> bool:
        claims = {m.dialogue.claims.get(at[slot]) for slot in slots if slot in at}
        return len(claims) == 1 and None not in claims

    return check


def _all_claimants(m: Mindset, at: dict[str, int]) -> bool:
    """Whether those that are named, and nobody else but me, claim one and the same role."""
    role = m.dialogue.claims.get(next(iter(at.values())), "")
    return {*at.values()} == {*m.dialogue.claimants(role)} - {m.me}


def _asked_in_vain(m: Mindset, at: dict[str, int]) -> bool:
    return m.dialogue.evaded(at["t"]) == at.get("x", m.me)


def _undisputed(m: Mindset, at: dict[str, int]) -> bool:
    """Check that nobody has denied what `x` claims, or called it a lie."""
    x = at["x"]
    return not any(
        x in act.targets
        for act in m.dialogue.acts("disagree", "accuse")
        if act.kind == "accuse" or act.role
    )


def _let_pass(m: Mindset, at: dict[str, int]) -> bool:
    """Return `y` has spoken since `x` named it, and never of `x`."""
    is_named = False
    spoken = False
    for statement in m.dialogue.said:
        companions = [t for a in statement.acts if a.kind == "companion" for t in a.targets]
        if statement.seat == at["x"] and at["y"] in companions:
            is_named = True
        elif is_named and statement.seat == at["y"]:
            spoken = True
            if at["x"] in statement.names:
                return False
    return spoken


def _did(kind: str, actor: str, object_slot: str = "", *, since: bool = False) -> Check:
    """Return whether `actor` has done `kind` to `object_slot` ("" for me).

    Since: since I last spoke.
    """

    def check(m: Mindset, at: dict[str, int]) -> bool:
        target = at[object_slot] if object_slot else m.me
        statements = m.dialogue.since(m.me) if since else m.dialogue.said
        acts = (a for s in statements if s.seat == at[actor] for a in s.acts)
        return any(a.kind == kind and target in a.targets for a in acts)

    return check


def _presses_me(m: Mindset, at: dict[str, int]) -> bool:
    """Return `x` has pressed me since I last spoke."""
    return any(s.seat == at["x"] and m.me in s.presses() for s in m.dialogue.since(m.me))


def _has_pressed(actor: str, object_slot: str) -> Check:
    return lambda m, at: at[object_slot] in m.dialogue.pressed_by(at[actor])


def _i_pressed(m: Mindset, at: dict[str, int]) -> bool:
    return at["y"] in m.dialogue.pressed_by(m.me)


def _i_defended(m: Mindset, at: dict[str, int]) -> bool:
    return at["y"] in m.vouched


def _claims(actor: str, *parts: Part, only: bool = False) -> Check:
    """Return whether `actor` claims a role of these parts (any, for none).

    only: and nobody else claims the same role.
    """

    def check(m: Mindset, at: dict[str, int]) -> bool:
        role = m.dialogue.claims.get(at[actor])
        if role is None or (parts and m.pack.part(role) not in parts):
            return False
        return not only or m.dialogue.claimants(role) == [at[actor]]

    return check


def _proposes(m: Mindset, at: dict[str, int]) -> bool:
    return any(m.dialogue.acts("propose", by=at["x"]))


def _not(check: Check) -> Check:
    return lambda m, at: not check(m, at)


def _both(*checks: Check) -> Check:
    return lambda m, at: all(check(m, at) for check in checks)


def _reported(actor: str, *slots: str, finds: bool | None = None) -> Check:
    """Whether `actor` stands by a look at those in `slots`, or at me where none is named."""

    def check(m: Mindset, at: dict[str, int]) -> bool:
        seats = {at[slot] for slot in slots if slot in at} or {m.me}
        return any(
            seats <= {*look.targets} and finds in (None, m.pack.accuses(look))
            for look in m.dialogue.looks.get(at[actor], ())
        )

    return check


def _named_partner(m: Mindset, at: dict[str, int]) -> bool:
    return m.dialogue.companions.get(at["x"]) == at["y"]


def _first_to_claim(first: str, later: str) -> Check:
    """Return whether both claim one role, `first` before `later`."""

    def check(m: Mindset, at: dict[str, int]) -> bool:
        order = m.dialogue.claimants(m.dialogue.claims.get(at[first], ""))
        both = at[first] in order and at[later] in order
        return both and order.index(at[first]) < order.index(at[later])

    return check


def _uncontradicted(m: Mindset, at: dict[str, int]) -> bool:
    """No look that is stood by finds `y`, and `y` has told one story."""
    is_accused = any(m.pack.accuses(r) and at["y"] in r.targets for _, r in m.dialogue.told)
    return not is_accused and at["y"] not in m.dialogue.changed


def _pressed_early(m: Mindset, at: dict[str, int]) -> bool:
    """Return `t` pressed `x` in its first statement, before anybody had told of a look."""
    first = m.dialogue.turns(at["t"])[:1]
    return any(s.round == 1 and at["x"] in s.presses() for s in first)


def _nothing_said(m: Mindset, at: dict[str, int]) -> bool:
    """Return `t` has spoken, and named neither a role nor a suspect."""
    dialogue, t = m.dialogue, at["t"]
    return bool(dialogue.turns(t)) and not dialogue.pressed_by(t) and t not in dialogue.claims


def _silent(m: Mindset, at: dict[str, int]) -> bool:
    return bool(m.dialogue.silent[at["t"]]) or not m.dialogue.turns(at["t"])


def _voted(actor: str, object_slot: str, *, me_too: bool) -> Check:
    """Return whether `actor` voted for `object_slot` in the last vote.

    object_slot: "me" for the speaker. me_too: whether the speaker voted so, too.
    """

    def check(m: Mindset, at: dict[str, int]) -> bool:
        votes = m.dialogue.course.last_votes()
        target = m.me if object_slot == "me" else at[object_slot]
        return votes.get(at[actor]) == target and (votes.get(m.me) == target) == me_too

    return check


def _is_out(*slots: str) -> Check:
    return lambda m, at: {at[slot] for slot in slots} <= m.dialogue.course.out


def _badge(m: Mindset, at: dict[str, int]) -> bool:
    """Return `x` has a badge.

    From `d`, where that is named.
    """
    passed = m.dialogue.course.passed[-1:]
    return any(h.seat == at["x"] and at.get("d", h.target) == h.target for h in passed)


def _always(m: Mindset, at: dict[str, int]) -> bool:
    return True


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

CHECKS: dict[str, Check] = {
    "vote_with": _joins,
    "doubt_agree": _agrees,
    "join_in": _agrees,
    "rebut_many": _both_press,
    "rebut_flip": _turned_to_me,
    "rebut_mate": _mutual,
    "doubt_flip": _turned,
    "doubt_echo": _repeats,
    "doubt_pusher": _after,
    "doubt_evaded": _asked_in_vain,
    "doubt_evaded_me": _asked_in_vain,
    "mates_known": _pair("x", "y"),
    "spare_mate": _pair("y", "z"),
    "turn_mate": _pair("x", "y"),
    "doubt_third_mate": _pair("x", "y"),
    "owed_trust_pair": _pair("y", "z"),
    "many_mates": _all_claimants,
    "many_plains": _all_claimants,
    "plains_with_me": _claim_alike("x", "y"),
    "doubt_plain_room": _claim_alike("t", "x"),
    "doubt_plain_crowd": _all_claimants,
    "looker_unopposed": _undisputed,
    "companion_silent": _let_pass,
    "two_lookers": _claim_alike("x", "y"),
    "three_lookers": _all_claimants,
    # answers
    "agreed": _did("agree", "x", since=True),
    "disagreed": _did("disagree", "x", since=True),
    "disbelieved": _did("disagree", "x", since=True),
    "called_names": _did("suspect", "x", since=True),
    "thanks": lambda m, at: (
        _did("defend", "x", since=True)(m, at) or _did("agree", "x", since=True)(m, at)
    ),
    "thanks_clean": _reported("x", finds=False),
    "note_claim": _claims("x"),
    "note_denial": _not(_claims("x", "wolf")),
    "note_retract": lambda m, at: any(m.dialogue.acts("retract", by=at["x"])),
    "hold_back": _has_pressed("x", "y"),
    "rebut": _presses_me,
    "rebut_once": _presses_me,
    "rebut_back": _presses_me,
    "rebut_tease": lambda m, at: m.me in m.dialogue.pressed_by(at["x"]) or m.bait,
    "rebut_claimed": _presses_me,
    "rebut_looker": _presses_me,
    "rebut_unclaimed": _both(_presses_me, _not(_claims("x"))),
    "rebut_echo": _both_press,
    "rebut_report_me": _reported("x", finds=True),
    "rebut_report_lie": _reported("x", "y", finds=True),
    "rebut_report_other": _reported("x", "y", finds=True),
    "rebut_report_open": _reported("x", "y", finds=True),
    "owed_open_unclaimed": _not(_claims("y")),
    "owed_never_pressed": _not(_i_pressed),
    "owed_not_you": lambda m, at: at["x"] not in m.dialogue.pressed_by(m.me),
    "owed_trust": _uncontradicted,
    "owed_trust_despite": _not(_uncontradicted),
    "owed_trust_cleared": _reported("z", "y", finds=False),
    "charge_changed": lambda m, at: m.me in m.dialogue.changed,
    "charge_first": lambda m, at: m.dialogue.first_against(at["y"]) == m.me,
    "charge_pressed": _i_pressed,
    "charge_pressed_not": _not(_i_pressed),
    "charge_defended": _i_defended,
    "charge_defended_not": _not(_i_defended),
    "charge_named": _i_pressed,
    "deny_partner": _did("companion", "x"),
    # what I claim
    "confirm_mate": lambda m, at: at["x"] == m.mate,
    "spare_fellow": lambda m, at: at["x"] == m.mate and m.mate in m.dialogue.pressed_by(at["y"]),
    "vouch_mate": lambda m, at: at["x"] == m.mate and m.mate in m.dialogue.pressed_by(at["y"]),
    "partner_again": lambda m, at: m.dialogue.companions.get(m.me) == at["y"],
    "counter_report_clean": _claims("x", "looker"),
    "counter_report_found": _claims("x", "looker"),
    "counter_exiled_clean": _claims("x", "looker"),
    "counter_exiled_found": _claims("x", "looker"),
    "rival_clean": _claims("x", "looker"),
    "rival_found": _claims("x", "looker"),
    # the talk
    "crowd": lambda m, at: len([s for s in m.dialogue.pressing(at["t"]) if s != m.me]) > 2,
    "spare": _has_pressed("x", "y"),
    "spare_cleared": _both(_has_pressed("x", "y"), _reported("z", "y", finds=False)),
    "turn": lambda m, at: m.before == at["x"],
    "turn_cleared": _reported("y", "x", finds=False),
    "with_looker_speak": _proposes,
    "with_looker_wait": _proposes,
    "against_looker_speak": _proposes,
    "against_looker_wait": _proposes,
    "with_mate_speak": _proposes,
    "with_mate_wait": _proposes,
    "against_mate_speak": _proposes,
    "against_mate_wait": _proposes,
    "lookers_lean_first": _first_to_claim("x", "y"),
    "lookers_lean_second": _first_to_claim("y", "x"),
    "looker_disproved": _claim_alike("x", "y"),
    "looker_impossible": _claims("x", "looker"),
    "lookers_overlap": _both(_reported("x", "t", finds=True), _reported("y", "t", finds=True)),
    "looker_no_report": _both(
        _claims("x", "looker"), lambda m, at: at["x"] not in m.dialogue.looks
    ),
    "looker_doubted": _reported("x", "a", "b"),
    "report_splits": _reported("x", "a", "b", finds=True),
    "report_finds": _reported("x", "a", finds=True),
    "report_clears": _reported("x", "a", "b", finds=False),
    "expose_mate": lambda m, at: m.dialogue.claims.get(at["x"]) == m.role,
    "companion_denied": _both(_named_partner, _claims("y"), _not(_claim_alike("x", "y"))),
    "companion_open": _both(_named_partner, _not(_claim_alike("x", "y"))),
    "ask_reason": _has_pressed("t", "x"),
    "ask_partner": _claims("t", "mate"),
    # suspicions
    "doubt_changed": lambda m, at: at["t"] in m.dialogue.changed,
    "doubt_unclaimed": _not(_claims("t")),
    "doubt_nothing": _nothing_said,
    "doubt_early": _pressed_early,
    "doubt_at_me": lambda m, at: m.dialogue.suspect_of(at["t"]) == m.me,
    "doubt_defender": _did("defend", "t", "x"),
    "doubt_confessed": lambda m, at: any(
        a.role in m.pack.wolves for a in m.dialogue.acts("claim", by=at["t"])
    ),
    "doubt_silent": _silent,
    "doubt_found": _reported("x", "t", finds=True),
    "doubt_reported": _reported("x", "t", "y", finds=True),
    "doubt_other_cleared": _reported("x", "t", "y", finds=True),
    "doubt_my_rival": _claims("t", "looker"),
    "doubt_second_looker": _first_to_claim("x", "t"),
    "doubt_first_looker": _first_to_claim("t", "x"),
    "doubt_lone_looker": _claims("t", "looker", only=True),
    "doubt_false_mate": _claims("t", "mate"),
    "doubt_mate_alone": _claims("t", "mate"),
    "doubt_plain": _claims("t", "plain"),
    # nights, ballots, a badge
    "night_kill": _is_out("d"),
    "night_kill_early": _is_out("d"),
    "night_looker": _both(_is_out("d"), _claims("d", "looker")),
    "exiled_right": _is_out("d"),
    "exiled_wrong": _is_out("d"),
    "ballots_close": _always,
    "own_ballot": lambda m, at: m.dialogue.course.last_votes().get(m.me) == at["e"],
    "ballot_me": _voted("x", "me", me_too=False),
    "ballot_alike": _voted("x", "d", me_too=True),
    "badge_passed": _both(_badge, _is_out("d")),
    "badge_handed": _both(_badge, _is_out("d")),
    "badge_watched": _badge,
    "doubt_dead_pressed": lambda m, at: m.dialogue.suspect_of(at["d"]) == at["t"],
    "doubt_dead_ballot": _both(_is_out("d"), _voted("t", "d", me_too=False)),
    "doubt_ballot_me": _voted("t", "me", me_too=False),
    "doubt_ballot_friend": _voted("t", "y", me_too=False),
    "doubt_ballot_word": _both(_has_pressed("t", "d"), _voted("t", "e", me_too=False)),
    "doubt_lead": _is_out("d"),
    "stand_rival": lambda m, at: bool(m.dialogue.turns(at["x"])),
}
