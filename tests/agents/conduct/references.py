"""Statements of house players about others, checked against the log.

The checks use only the public events before a statement, not the house player's own checks.
"""

from __future__ import annotations

from collections.abc import Iterator

from agents.house.remarks import Remark
from agents.language import number_word
from agents.packs import pack_of
from agents.understanding.statements import is_greeting
from game.engine import rulesets
from tests.agents.conduct.public_events import PublicLog
from tests.agents.conduct.recorded_statements import record_statements
from tests.agents.conduct.reference_facts import (
    NIGHTS,
    Fact,
    Slots,
    all_of,
    are_mates,
    broke_pledge,
    chose_after_advice,
    claim_alike,
    claimed_before,
    claimed_last_of_too_many,
    currently_accuses,
    finds_all_out,
    finds_too_many,
    first_against,
    followed_advice,
    has_accused,
    has_act,
    has_changed_claim,
    has_denied_since,
    has_fewer_looks_than_nights,
    has_look,
    has_one_vote_more,
    has_part,
    has_spoken_before_today,
    has_spoken_publicly,
    has_told_late,
    has_told_role_of,
    has_votes_announced,
    in_order,
    is_contradicted,
    is_out,
    is_passive,
    is_tied,
    never_has_reason,
    never_spoke,
    no_claim,
    sole_claim,
    voted_for,
)


def _plans(log: PublicLog, slots: Slots) -> list[tuple[str, set[str]]]:
    """Return (role, what the speaker proposed for it) for each role of the deck."""
    acts = log.acts(slots["me"], "propose")
    return [(role, {a.about for a in acts if a.role == role}) for role in log.pack.deck]


CHECKS: dict[str, Fact] = {
    "doubt_agree": all_of(
        currently_accuses("x", "t"), lambda log, slots: not in_order("me t", "x t")(log, slots)
    ),
    "join_in": all_of(
        currently_accuses("x", "t"), lambda log, slots: not in_order("me t", "x t")(log, slots)
    ),
    "agreed": all_of(has_act("agree", "x", "me"), has_act("agree", "me", "x", expected=False)),
    "rebut_echo": in_order("y me", "x me"),
    "rebut_flip": in_order("x y", "x me"),
    "rebut": has_accused("x", "me"),
    "rebut_back": has_accused("x", "me"),
    "rebut_unclaimed": all_of(has_accused("x", "me"), no_claim("x")),
    "rebut_report_me": has_look("x", True, "me"),
    "rebut_report_other": has_look("x", True, "me", "y"),
    "rebut_report_open": has_look("x", True, "me", "y"),
    "rebut_report_lie": has_look("x", True, "me", "y"),
    "rebut_report_pair": all_of(has_look("x", True, "me", "y"), are_mates("y", "z")),
    "own_look_paired": are_mates("y", "z"),
    "rebut_report_late": has_told_late,
    "confirm_keeper": has_told_role_of("x", "me", expected=True),
    "deny_result": has_told_role_of("x", "me", expected=False),
    "report_open": has_look("x", True, "a"),
    "looker_overcount": finds_too_many("x"),
    "looker_not_over": finds_all_out("x"),
    "doubt_overcount": finds_too_many("t"),
    "doubt_not_over": finds_all_out("t"),
    "looker_owes_look": all_of(has_part("x", "looker"), has_fewer_looks_than_nights),
    "doubt_asker": all_of(no_claim("t"), has_act("question", "t", "x")),
    "answer_late": has_spoken_before_today,
    "doubt_bare": never_has_reason("t", "x"),
    "doubt_at_me_bare": never_has_reason("t", "me"),
    "ballots_tied": is_tied,
    "lead_count": has_votes_announced,
    "lead_count_two": has_votes_announced,
    "lead_count_or_me": has_votes_announced,
    "thanks_clean": has_look("x", False, "me"),
    "doubt_flip": all_of(in_order("t x", "t y"), currently_accuses("t", "y")),
    "doubt_turned": all_of(has_act("defend", "t", "x"), currently_accuses("t", "x")),
    "doubt_ignores": all_of(has_look("x", False, "y"), currently_accuses("t", "y")),
    "doubt_pusher": currently_accuses("t", "x"),
    "doubt_at_me": currently_accuses("t", "me"),
    "doubt_silent": has_spoken_publicly,
    "doubt_unheard": lambda log, slots: not has_spoken_publicly(log, slots),
    "doubt_save": lambda log, slots: not log.had_quiet_night,
    "save_fits": lambda log, slots: log.had_quiet_night,
    "save_doubted": lambda log, slots: not log.had_quiet_night,
    "save_rival": claim_alike("x", "y"),
    "owed_chose_vote": voted_for("me", "d"),
    "owed_asked": has_act("question", "me", "y"),
    "owed_asked_you": has_act("question", "me", "x"),
    "charge_crowd": lambda log, slots: len(log.claimants(log.claims_by(slots["me"]))) > 1,
    "charge_plan": lambda log, slots: any(
        "wait" in plans and ("speak" in plans or log.claims_by(slots["me"]) == role)
        for role, plans in _plans(log, slots)
    ),
    "owed_proposed_speak": lambda log, slots: any("speak" in p for _, p in _plans(log, slots)),
    "owed_proposed_wait": lambda log, slots: any("wait" in p for _, p in _plans(log, slots)),
    "owed_chose_look": has_look("me", None, "d"),
    "doubt_defender": has_act("defend", "t", "x"),
    "doubt_nothing": is_passive,
    "doubt_unclaimed": no_claim("t"),
    "doubt_evaded": all_of(no_claim("t"), has_act("question", "x", "t")),
    "doubt_evaded_me": all_of(no_claim("t"), has_act("question", "me", "t")),
    "doubt_found": has_look("x", True, "t"),
    "doubt_reported": has_look("x", True, "t", "y"),
    "doubt_other_cleared": has_look("x", True, "t", "y"),
    "doubt_my_rival": all_of(
        has_part("t", "looker"),
        lambda log, slots: log.claims_by(slots["me"]) in ("", log.claims_by(slots["t"])),
    ),
    "doubt_safe_look": all_of(has_part("t", "looker"), has_look("t", False, "a", "b")),
    "doubt_same_look": all_of(has_look("t", None, "a", "b"), has_look("x", None, "a", "b")),
    "doubt_untouched": lambda log, slots: all(
        slots["t"] not in [target for _, target, _ in log.presses(seat)]
        for seat in log.last_statements
    ),
    "doubt_false_find": has_look("t", True, "me"),
    "doubt_plain_late": claimed_last_of_too_many,
    "doubt_second_looker": claimed_before("x", "t"),
    "doubt_plain": has_part("t", "plain"),
    "doubt_mate_alone": has_part("t", "mate"),
    "doubt_false_mate": has_part("t", "mate"),
    "doubt_confessed": lambda log, slots: any(
        a.role in log.pack.wolves for a in log.acts(slots["t"], "claim")
    ),
    "doubt_dead_pressed": all_of(is_out("d"), currently_accuses("d", "t")),
    "doubt_dead_ballot": all_of(is_out("d"), voted_for("t", "d")),
    "doubt_ballot_me": voted_for("t", "me"),
    "doubt_ballot_friend": voted_for("t", "y"),
    "doubt_ballot_word": all_of(has_accused("t", "d"), voted_for("t", "e")),
    "doubt_lead": is_out("d", "vote", "exile"),
    "rebut_mate": are_mates("me", "y"),
    "mates_known": are_mates("x", "y"),
    "spare_mate": are_mates("y", "z"),
    "turn_mate": are_mates("x", "y"),
    "doubt_third_mate": are_mates("x", "y"),
    "owed_trust_pair": are_mates("y", "z"),
    "owed_feeling": has_accused("me", "y"),
    "owed_feeling_you": has_accused("me", "x"),
    "charge_prompt": lambda log, slots: bool(log.claims_by(slots["me"])),
    "owed_trust_cleared": has_look("z", False, "y"),
    "owed_trust_about_me": has_look("y", False, "me"),
    "owed_open_unclaimed": no_claim("y"),
    "charge_pressed": has_accused("me", "y"),
    "charge_named": has_accused("me", "y"),
    "charge_named_you": has_accused("me", "x"),
    "charge_pressed_not": has_accused("me", "y", expected=False),
    "owed_never_pressed": has_accused("me", "y", expected=False),
    "owed_not_you": has_accused("me", "x", expected=False),
    "charge_defended": has_act("defend", "me", "y"),
    "charge_defended_not": has_act("defend", "me", "y", expected=False),
    "charge_first": first_against,
    "hold_back": has_accused("x", "y"),
    "spare": has_accused("x", "y"),
    "spare_cleared": all_of(has_accused("x", "y"), has_look("z", False, "y")),
    "turn": has_accused("me", "x"),
    "turn_trust": lambda log, slots: any(
        slots["x"] in act.targets for act in log.acts(slots["me"], "defend")
    ),
    "greet": lambda log, slots: any(
        e.data.get("seat") == slots["x"] and is_greeting(e.data.get("text", ""), log.seats)
        for e in log.events
    ),
    "turn_stands": all_of(currently_accuses("me", "x"), is_contradicted("x")),
    "denial_stands": all_of(currently_accuses("me", "x"), is_contradicted("x"), has_denied_since),
    "turn_cleared": all_of(has_accused("me", "x"), has_look("y", False, "x")),
    "ask_reason": has_accused("t", "x"),
    "ask_partner": has_part("t", "mate"),
    "mates_outside": all_of(are_mates("x", "y"), has_part("t", "mate")),
    "looks_opposed": all_of(has_look("x", None, "a", "b"), has_look("y", None, "a", "b")),
    "looks_both_clear": all_of(has_look("x", False, "a"), has_look("y", False, "a")),
    "story_changed": lambda log, slots: (
        len({a.role for a in log.acts(slots["x"], "claim", "report")}) > 1
    ),
    "doubt_overlap": all_of(has_look("x", True, "t"), has_look("y", True, "t")),
    "doubt_combined": all_of(has_look("x", None, "a"), has_look("y", None, "a")),
    "liar_open": lambda log, slots: bool(log.claims_by(slots["x"])),
    "own_look_rival": has_part("t", "looker"),
    "doubt_other_rival": all_of(has_look("x", True, "t", "y"), claim_alike("x", "t")),
    "doubt_other_paired": all_of(has_look("x", True, "t", "y"), are_mates("y", "z")),
    "ask_last_role": no_claim("t"),
    "liar_bait_cleared": has_look("me", False, "x"),
    "two_lookers": all_of(has_part("x", "looker"), claim_alike("x", "y")),
    "lookers_lean": all_of(has_part("x", "looker"), claim_alike("x", "y")),
    "looker_unopposed": all_of(has_part("x", "looker"), sole_claim("x")),
    "looker_no_report": all_of(
        has_part("x", "looker"), lambda log, slots: not log.acts(slots["x"], "report")
    ),
    "hiding_bait": no_claim("x"),
    "liar_bait": lambda log, slots: bool(log.claims_by(slots["x"])),
    "looker_impossible": has_part("x", "looker"),
    "looker_disproved": all_of(has_part("y", "looker"), claim_alike("x", "y")),
    "report_splits": has_look("x", True, "a", "b"),
    "report_finds": has_look("x", True, "a"),
    "report_clears": has_look("x", False, "a", "b"),
    "rival": claimed_before("me", "x"),
    "duel_late": claimed_before("me", "x"),
    "duel_clears": has_look("x", False, "a", "b"),
    "duel_known": all_of(has_look("x", False, "a"), are_mates("a", "y")),
    "duel_payback": all_of(has_look("x", True, "a"), has_accused("a", "x")),
    "duel_aim": all_of(has_look("x", True, "a", "b"), currently_accuses("x", "y")),
    "duel_why": has_look("x", None, "a"),
    "counter_report_found": has_part("x", "looker"),
    "counter_report_clean": has_part("x", "looker"),
    "companion_open": all_of(has_act("companion", "x", "y"), has_part("x", "mate")),
    "companion_denied": all_of(
        has_act("companion", "x", "y"), lambda log, slots: log.part(slots["y"]) != "mate"
    ),
    "deny_partner": has_act("companion", "x", "me"),
    "expose_mate": has_part("x", "mate"),
    "night_kill": all_of(
        is_out("d", *NIGHTS), lambda log, slots: slots["d"] in log.last_statements
    ),
    "night_kill_early": all_of(is_out("d", *NIGHTS), never_spoke),
    "night_looker": all_of(is_out("d", *NIGHTS), has_part("d", "looker")),
    "left_clean": all_of(is_out("d", *NIGHTS), has_look("d", False, "a")),
    "doubt_dead_rival": all_of(is_out("d", *NIGHTS), claim_alike("d", "t")),
    "doubt_left_found": all_of(is_out("d"), has_look("d", True, "t")),
    "looks_clash": all_of(has_look("x", True, "d"), has_look("y", False, "d")),
    "exiled_right": is_out("d", "vote"),
    "exiled_wrong": is_out("d", "vote"),
    "own_ballot": all_of(voted_for("me", "e"), has_accused("me", "d")),
    "ballot_me": voted_for("x", "me"),
    "ballot_alike": all_of(voted_for("x", "d"), voted_for("me", "d")),
    "pledge_broken": broke_pledge,
    "lead_followed": all_of(followed_advice, voted_for("me", "e"), chose_after_advice),
    "lead_refused": all_of(
        lambda log, slots: log.advice() == slots["d"] != slots["e"], voted_for("me", "e")
    ),
    "ask_role": no_claim("t"),
    "ballots_close": has_one_vote_more,
    "called_names": has_act("suspect", "x", "me"),
    "charge_changed": has_changed_claim("me"),
    "confirm_mate": has_part("x", "mate"),
    "crowd": lambda log, slots: (
        sum(log.current_target(s) == slots["t"] for s in log.last_statements if s != slots["me"])
        > 2
    ),
    "doubt_changed": has_changed_claim("t"),
    "looker_doubted": has_look("x", None, "a", "b"),
    "note_denial": lambda log, slots: bool(log.acts(slots["x"], "deny")),
    "note_retract": lambda log, slots: bool(log.acts(slots["x"], "retract")),
    "partner_again": has_act("companion", "me", "y"),
    "rebut_tease": lambda log, slots: any(
        slots["me"] in act.targets for act in log.acts(slots["x"], "suspect", "accuse", "vote")
    ),
    "stand_rival": lambda log, slots: slots["x"] in log.last_statements,
    "thanks": lambda log, slots: any(
        slots["me"] in act.targets for act in log.acts(slots["x"], "defend", "agree")
    ),
    "badge_passed": lambda log, slots: log.badges[-2:] == [slots["d"], slots["x"]],
    "badge_handed": lambda log, slots: log.badges[-2:] == [slots["d"], slots["x"]],
    "badge_watched": lambda log, slots: log.badges[-1:] == [slots["x"]],
    "badge_trusted": lambda log, slots: log.badges[-1:] == [slots["x"]],
    **dict.fromkeys(
        [f"{side}_looker_{plan}" for side in ("with", "against") for plan in ("speak", "wait")],
        lambda log, slots: bool(log.acts(slots["x"], "propose")),
    ),
    **dict.fromkeys(("disagreed", "disbelieved"), has_act("disagree", "x", "me")),
    **dict.fromkeys(("counter_exiled_clean", "counter_exiled_found"), has_part("x", "looker")),
    **dict.fromkeys(("spare_fellow", "vouch_mate"), has_accused("y", "x")),
    **dict.fromkeys(("rebut_once",), has_accused("x", "me")),
}
# Kinds that count the living claimants of a role, and name some of them.
COUNTING_KINDS = [
    "many_mates",
    "three_lookers",
    "doubt_plain_crowd",
    "doubt_plain_crowd_me",
    "doubt_plain_room",
]
INCLUDING_SPEAKER = ("doubt_plain_crowd_me", "doubt_plain_room")
# Kinds that name others, but state only opinions, questions, own knowledge or intentions.
OPINIONS = frozenset(
    """
    answer_chat answer_claimed answer_evade answer_no_look answer_nobody answer_open
    answer_style ask_light ask_silent ask_suspect
    bait_warn charge_cheap charge_early charge_early_not charge_echo charge_evaded charge_flip
    charge_late charge_manner charge_noside charge_same charge_silent charge_steady
    charge_together charge_tone charge_turnless charge_untold charge_untrusted charge_differs
    claim_keeper_quiet
    claim_mate despite_liking doubt_gut doubt_left_three doubt_left_two doubt_only
    exiled_clean exiled_found further_clean further_found hold
    late_clean late_found lead_vote news_clean news_found
    owed_ballots owed_ballots_last owed_ballots_none
    owed_chose_kept owed_claimed owed_claimed_none owed_deck owed_denial owed_guess owed_holder
    owed_holder_none owed_holder_open owed_join owed_lean owed_lean_you owed_look_later
    owed_mind owed_neither owed_never_claimed owed_no_join owed_nobody owed_none
    owed_open owed_partner_kept owed_plan_speak owed_plan_wait owed_role_kept
    owed_suppose_speak owed_suppose_wait owed_suppose_wolf owed_trust owed_trust_despite
    owed_claimed_openly owed_guessed owed_no_deal owed_no_motive owed_own_card owed_stand owed_then
    owed_then_next owed_then_same owed_trusts_nobody
    owed_would_have owed_wrong owed_you_doubted owed_you_open owed_you_trusted own_find own_look
    own_look_sure repeat_clean repeat_found report_clean report_found tease turn_clean turn_found
    vote vote_first vote_unsure
    """.split()  # noqa: SIM905
)


def _is_counted_rightly(log: PublicLog, move: Remark, me: int) -> bool:
    """Return whether {n} counts the living claimants, and all named seats are claimants."""
    role = move.role
    claimants = {s for s in log.claimants(role) if s not in log.out}
    named_seats = {s for v in move.names.values() if isinstance(v, (int, tuple))
             for s in (v if isinstance(v, tuple) else (v,))}  # fmt: skip
    sharing = claimants | {me} if move.kind in INCLUDING_SPEAKER else claimants - {me}
    names_all = "all" not in move.names or named_seats == claimants - {me}
    return (
        named_seats <= claimants and names_all and move.names.get("n") == number_word(len(sharing))
    )


def references(
    seed: str, ruleset: str = "one-night", method: str = "full"
) -> Iterator[tuple[str, bool, str]]:
    """Yield (kind of remark, whether it is true, text) of all checkable remarks of a game."""
    pack = pack_of(rulesets.get(ruleset))
    for statement in record_statements(seed, ruleset, method):
        me = statement.seat
        log = PublicLog(statement.events, tuple(pack.ruleset.seat_names), pack)
        for move, text in statement.wording:
            slots = {slot: s for slot, s in move.names.items() if isinstance(s, int)} | {"me": me}
            if move.kind in COUNTING_KINDS:
                yield move.kind, _is_counted_rightly(log, move, me), text
            elif move.kind in CHECKS:
                yield move.kind, CHECKS[move.kind](log, slots), text


def check_references(seed: str, ruleset: str = "one-night") -> list[tuple[str, bool, str]]:
    """Return all references of one game, as a list for process pools."""
    return list(references(seed, ruleset))
