"""Statements of house players about others, checked against the log.

Every remark is recorded when it is put into words. The checks here use only the public events
before it, not the house player's own checks.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from unittest.mock import patch

from agents.house import speech
from agents.house.mindset import Mindset
from agents.house.remarks import Remark
from agents.language import number_word
from agents.packs import pack_of
from agents.understanding.statements import is_greeting
from game.engine import rulesets
from game.engine.events import PUBLIC, Event
from tests.agents.conduct.public_events import PublicLog
from tests.agents.table import play

# Slot -> seat, for the slots that a remark's kind has (`agents/house/remark_kinds.toml`):
#   me     the speaker
#   t      the player whom the remark doubts, questions or votes for
#   x y z  other players in the talk
#   d e    players who may be out, and targets of past votes
#   a b    the players of a reported look
Slots = dict[str, int]
NIGHTS = ("attack", "bite", "kill")  # causes of death in the night
Fact = Callable[[PublicLog, Slots], bool]


def _in_order(*pairs: str) -> Fact:
    """Each pair "x y" of slots made its accusation in this order."""

    def fact(log: PublicLog, slots: Slots) -> bool:
        numbers = [log.press_index(slots[a], slots[b]) for a, b in (pair.split() for pair in pairs)]
        return numbers == sorted(set(numbers)) and numbers[-1] < len(log.talk)

    return fact


def _currently_accuses(actor: str, target: str) -> Fact:
    return lambda log, slots: log.current_target(slots[actor]) == slots[target]


def _has_accused(actor: str, target: str, expected: bool = True) -> Fact:
    return lambda log, slots: (
        (log.press_index(slots[actor], slots[target]) < len(log.talk)) == expected
    )


def _has_act(kind: str, actor: str, target: str, expected: bool = True) -> Fact:
    def fact(log: PublicLog, slots: Slots) -> bool:
        acts = log.acts(slots[actor], kind)
        return any(slots[target] in act.targets for act in acts) == expected

    return fact


def _has_look(actor: str, finds: bool | None, *target: str) -> Fact:
    return lambda log, slots: log.has_look(
        slots[actor], {slots[w] for w in target if w in slots}, finds
    )


def _has_part(actor: str, *parts: str) -> Fact:
    return lambda log, slots: log.part(slots[actor]) in parts


def _no_claim(actor: str) -> Fact:
    return lambda log, slots: not log.claims_by(slots[actor])


def _voted_for(actor: str, target: str) -> Fact:
    return lambda log, slots: log.last_votes.get(slots[actor]) == slots[target]


def _is_out(actor: str, *causes: str) -> Fact:
    return lambda log, slots: (
        slots[actor] in log.out and (not causes or log.out[slots[actor]] in causes)
    )


def _all_of(*facts: Fact) -> Fact:
    return lambda log, slots: all(fact(log, slots) for fact in facts)


def _strongly_accuses(log: PublicLog, slots: Slots) -> bool:
    """`x` presses `t` now and has accused it or announced a vote for it."""
    strong = any(t == slots["t"] and strength > 1 for _, t, strength in log.presses(slots["x"]))
    return strong and log.current_target(slots["x"]) == slots["t"]


def _first_statement(log: PublicLog, slots: Slots) -> bool:
    own_statements = [n for n, (seat, *_) in enumerate(log.talk) if seat == slots["t"]]
    return bool(own_statements) and log.press_index(slots["t"], slots["x"]) == own_statements[0]


def _are_mates(a: str, b: str) -> Fact:
    """`a` or `b` named the other as partner, and both claim to be mates."""

    def fact(log: PublicLog, slots: Slots) -> bool:
        x, y = slots[a], slots[b]
        named_pairs = {
            (s, act.targets[0]) for s in (x, y) for act in log.acts(s, "companion") if act.targets
        }
        are_claimed_mates = log.part(x) == log.part(y) == "mate"
        return ((x, y) in named_pairs or (y, x) in named_pairs) and are_claimed_mates

    return fact


def _claimed_before(actor: str, target: str) -> Fact:
    """Both claim the same role, `actor` before `target`."""

    def fact(log: PublicLog, slots: Slots) -> bool:
        role = log.claims_by(slots[actor])
        first_claims = {
            seat: n
            for n, (seat, acts, _) in reversed(list(enumerate(log.talk)))
            if any(a.kind in ("claim", "report") and a.role == role for a in acts)
        }
        is_shared = role and role == log.claims_by(slots[target])
        return bool(is_shared) and first_claims[slots[actor]] < first_claims[slots[target]]

    return fact


def _first_against(log: PublicLog, slots: Slots) -> bool:
    seats = range(1, len(log.seats) + 1)
    return min((log.press_index(seat, slots["y"]), seat) for seat in seats)[1] == slots["me"]


def _is_passive(log: PublicLog, slots: Slots) -> bool:
    seat = slots["t"]
    return seat in log.last_statements and not log.claims_by(seat) and not log.presses(seat)


def _sole_claim(actor: str) -> Fact:
    return lambda log, slots: log.claimants(log.claims_by(slots[actor])) == {slots[actor]}


def _claim_alike(a: str, b: str) -> Fact:
    return lambda log, slots: log.claims_by(slots[a]) == log.claims_by(slots[b]) != ""


def _never_spoke(log: PublicLog, slots: Slots) -> bool:
    return slots["d"] not in log.last_statements


def _broke_pledge(log: PublicLog, slots: Slots) -> bool:
    return (log.last_ballot_day, slots["d"], slots["e"]) in log.broken_pledges(slots["x"])


def _followed_advice(log: PublicLog, slots: Slots) -> bool:
    return log.leaders[log.last_ballot_day] == slots["d"] and log.advice() == slots["e"]


def _chose_after_advice(log: PublicLog, slots: Slots) -> bool:
    """`me` did not press `e` on the day of the ballot before `d`'s last advice."""
    advisers = [s for s, acts, day in log.talk if day == log.last_ballot_day
             if any(a.strength and slots["e"] in a.targets for a in acts)]  # fmt: skip
    last_advice = max((n for n, s in enumerate(advisers) if s == slots["d"]), default=-1)
    return last_advice >= 0 and slots["me"] not in advisers[:last_advice]


def _has_spoken_publicly(log: PublicLog, slots: Slots) -> bool:
    return any(
        e.data.get("seat") == slots["t"] and e.data.get("manner") == "say" and e.audience == PUBLIC
        for e in log.events
    )


def _is_contradicted(actor: str) -> Fact:
    """The log contradicts `actor`, for example by a changed role, a look or a broken pledge."""

    def fact(log: PublicLog, slots: Slots) -> bool:
        seat, role, deck = slots[actor], log.claims_by(slots[actor]), log.pack.deck
        own = log.acts(seat, "claim", "report")
        other_seats = [s for s in range(1, len(log.seats) + 1) if s != seat]
        reports = [(a.role, a.targets, a.value) for a in log.acts(seat, "report")]
        return (
            len({a.role for a in own}) > 1
            or any(log.has_look(s, {seat}, True) for s in other_seats)
            or any(a.role in log.pack.wolves for a in own)
            or any((a.role, a.targets, a.value) in reports for s in other_seats
                   for a in log.acts(s, "report"))
            or len(log.claimants(role)) > deck.count(role) > 0
            or bool(log.broken_pledges(seat))
        )  # fmt: skip

    return fact


def _has_denied_since(log: PublicLog, slots: Slots) -> bool:
    since = log.last_statements.get(slots["me"], -1)
    later = (acts for n, (s, acts, _) in enumerate(log.talk) if n > since and s == slots["x"])
    return any(a.kind == "deny" and a.role in log.pack.wolves for acts in later for a in acts)


def _has_changed_claim(actor: str) -> Fact:
    """Return the fact that `actor` has claimed two roles, or taken one back."""

    def fact(log: PublicLog, slots: Slots) -> bool:
        roles = {act.role for act in log.acts(slots[actor], "claim", "report")}
        return len(roles) > 1 or bool(log.acts(slots[actor], "retract", "deny"))

    return fact


def _has_one_vote_more(log: PublicLog, slots: Slots) -> bool:
    votes = Counter(log.last_votes.values())
    return votes[slots["d"]] == votes[slots["e"]] + 1


CHECKS: dict[str, Fact] = {
    "vote_with": _strongly_accuses,
    "doubt_agree": _all_of(
        _currently_accuses("x", "t"), lambda log, slots: not _in_order("me t", "x t")(log, slots)
    ),
    "join_in": _all_of(
        _currently_accuses("x", "t"), lambda log, slots: not _in_order("me t", "x t")(log, slots)
    ),
    "agreed": _all_of(_has_act("agree", "x", "me"), _has_act("agree", "me", "x", expected=False)),
    "trust": _all_of(
        _has_act("agree", "x", "me", expected=False), _has_act("defend", "x", "me", expected=False)
    ),
    "rebut_many": _in_order("y me", "x me"),
    "rebut_echo": _in_order("y me", "x me"),
    "rebut_flip": _in_order("x y", "x me"),
    "rebut": _has_accused("x", "me"),
    "rebut_back": _has_accused("x", "me"),
    "rebut_record": _all_of(_has_accused("x", "me"), _has_accused("me", "y")),
    "rebut_claimed": _all_of(
        _has_accused("x", "me"), lambda log, slots: bool(log.claims_by(slots["me"]))
    ),
    "rebut_unclaimed": _all_of(_has_accused("x", "me"), _no_claim("x")),
    "rebut_report_me": _has_look("x", True, "me"),
    "rebut_report_other": _has_look("x", True, "me", "y"),
    "rebut_report_open": _has_look("x", True, "me", "y"),
    "rebut_report_lie": _has_look("x", True, "me", "y"),
    "thanks_clean": _has_look("x", False, "me"),
    "doubt_flip": _all_of(_in_order("t x", "t y"), _currently_accuses("t", "y")),
    "doubt_echo": _in_order("x y", "t y"),
    "doubt_early": _first_statement,
    "doubt_pusher": _currently_accuses("t", "x"),
    "doubt_at_me": _currently_accuses("t", "me"),
    "doubt_silent": _has_spoken_publicly,
    "doubt_unheard": lambda log, slots: not _has_spoken_publicly(log, slots),
    "doubt_save": lambda log, slots: not log.had_quiet_night,
    "save_fits": lambda log, slots: log.had_quiet_night,
    "save_doubted": lambda log, slots: not log.had_quiet_night,
    "save_rival": _claim_alike("x", "y"),
    "owed_chose_vote": _voted_for("me", "d"),
    "owed_chose_look": _has_look("me", None, "d"),
    "doubt_defender": _has_act("defend", "t", "x"),
    "doubt_nothing": _is_passive,
    "doubt_unclaimed": _no_claim("t"),
    "doubt_evaded": _all_of(_no_claim("t"), _has_act("question", "x", "t")),
    "doubt_evaded_me": _all_of(_no_claim("t"), _has_act("question", "me", "t")),
    "doubt_found": _has_look("x", True, "t"),
    "doubt_reported": _has_look("x", True, "t", "y"),
    "doubt_other_cleared": _has_look("x", True, "t", "y"),
    "doubt_my_rival": _all_of(
        _has_part("t", "looker"),
        lambda log, slots: log.claims_by(slots["me"]) in ("", log.claims_by(slots["t"])),
    ),
    "doubt_lone_looker": _all_of(_has_part("t", "looker"), _sole_claim("t")),
    "doubt_second_looker": _claimed_before("x", "t"),
    "doubt_first_looker": _claimed_before("t", "x"),
    "doubt_plain": _has_part("t", "plain"),
    "doubt_mate_alone": _has_part("t", "mate"),
    "doubt_false_mate": _has_part("t", "mate"),
    "doubt_confessed": lambda log, slots: any(
        a.role in log.pack.wolves for a in log.acts(slots["t"], "claim")
    ),
    "doubt_dead_pressed": _all_of(_is_out("d"), _currently_accuses("d", "t")),
    "doubt_dead_ballot": _all_of(_is_out("d"), _voted_for("t", "d")),
    "doubt_ballot_me": _voted_for("t", "me"),
    "doubt_ballot_friend": _voted_for("t", "y"),
    "doubt_ballot_word": _all_of(_has_accused("t", "d"), _voted_for("t", "e")),
    "doubt_lead": _is_out("d", "vote", "exile"),
    "rebut_mate": _are_mates("me", "y"),
    "mates_known": _are_mates("x", "y"),
    "spare_mate": _are_mates("y", "z"),
    "turn_mate": _are_mates("x", "y"),
    "doubt_third_mate": _are_mates("x", "y"),
    "owed_trust_pair": _are_mates("y", "z"),
    "owed_trust_cleared": _has_look("z", False, "y"),
    "owed_open_unclaimed": _no_claim("y"),
    "charge_pressed": _has_accused("me", "y"),
    "charge_named": _has_accused("me", "y"),
    "charge_named_you": _has_accused("me", "x"),
    "charge_pressed_not": _has_accused("me", "y", expected=False),
    "owed_never_pressed": _has_accused("me", "y", expected=False),
    "owed_not_you": _has_accused("me", "x", expected=False),
    "charge_defended": _has_act("defend", "me", "y"),
    "charge_defended_not": _has_act("defend", "me", "y", expected=False),
    "charge_first": _first_against,
    "hold_back": _has_accused("x", "y"),
    "spare": _has_accused("x", "y"),
    "spare_cleared": _all_of(_has_accused("x", "y"), _has_look("z", False, "y")),
    "turn": _has_accused("me", "x"),
    "greet": lambda log, slots: any(
        e.data.get("seat") == slots["x"] and is_greeting(e.data.get("text", ""), log.seats)
        for e in log.events
    ),
    "turn_stands": _all_of(_currently_accuses("me", "x"), _is_contradicted("x")),
    "denial_stands": _all_of(
        _currently_accuses("me", "x"), _is_contradicted("x"), _has_denied_since
    ),
    "turn_cleared": _all_of(_has_accused("me", "x"), _has_look("y", False, "x")),
    "ask_reason": _has_accused("t", "x"),
    "ask_partner": _has_part("t", "mate"),
    "two_lookers": _all_of(_has_part("x", "looker"), _claim_alike("x", "y")),
    "lookers_lean_first": _claimed_before("x", "y"),
    "lookers_lean_second": _claimed_before("y", "x"),
    "looker_unopposed": _all_of(_has_part("x", "looker"), _sole_claim("x")),
    "looker_no_report": _all_of(
        _has_part("x", "looker"), lambda log, slots: not log.acts(slots["x"], "report")
    ),
    "liar_bait": lambda log, slots: bool(log.claims_by(slots["x"])),
    "looker_impossible": _has_part("x", "looker"),
    "looker_disproved": _all_of(_has_part("y", "looker"), _claim_alike("x", "y")),
    "report_splits": _has_look("x", True, "a", "b"),
    "report_finds": _has_look("x", True, "a"),
    "report_clears": _has_look("x", False, "a", "b"),
    "rival_found": _has_part("x", "looker"),
    "rival_clean": _has_part("x", "looker"),
    "counter_report_found": _has_part("x", "looker"),
    "counter_report_clean": _has_part("x", "looker"),
    "companion_open": _all_of(_has_act("companion", "x", "y"), _has_part("x", "mate")),
    "companion_denied": _all_of(
        _has_act("companion", "x", "y"), lambda log, slots: log.part(slots["y"]) != "mate"
    ),
    "companion_silent": _has_act("companion", "x", "y"),
    "deny_partner": _has_act("companion", "x", "me"),
    "expose_mate": _has_part("x", "mate"),
    "plains_with_me": _all_of(_has_part("x", "plain"), _claim_alike("x", "y")),
    "night_kill": _all_of(
        _is_out("d", *NIGHTS), lambda log, slots: slots["d"] in log.last_statements
    ),
    "night_kill_early": _all_of(_is_out("d", *NIGHTS), _never_spoke),
    "night_looker": _all_of(_is_out("d", *NIGHTS), _has_part("d", "looker")),
    "doubt_left_found": _all_of(_is_out("d"), _has_look("d", True, "t")),
    "looks_clash": _all_of(_has_look("x", True, "d"), _has_look("y", False, "d")),
    "exiled_right": _is_out("d", "vote"),
    "exiled_wrong": _is_out("d", "vote"),
    "own_ballot": _all_of(_voted_for("me", "e"), _has_accused("me", "d")),
    "ballot_me": _voted_for("x", "me"),
    "ballot_alike": _all_of(_voted_for("x", "d"), _voted_for("me", "d")),
    "pledge_broken": _broke_pledge,
    "lead_followed": _all_of(_followed_advice, _voted_for("me", "e"), _chose_after_advice),
    "lead_refused": _all_of(
        lambda log, slots: log.advice() == slots["d"] != slots["e"], _voted_for("me", "e")
    ),
    "ask_role": _no_claim("t"),
    "ballots_close": _has_one_vote_more,
    "called_names": _has_act("suspect", "x", "me"),
    "charge_changed": _has_changed_claim("me"),
    "confirm_mate": _has_part("x", "mate"),
    "crowd": lambda log, slots: (
        sum(log.current_target(s) == slots["t"] for s in log.last_statements if s != slots["me"])
        > 2
    ),
    "doubt_changed": _has_changed_claim("t"),
    "looker_doubted": _has_look("x", None, "a", "b"),
    "note_denial": lambda log, slots: bool(log.acts(slots["x"], "deny")),
    "note_retract": lambda log, slots: bool(log.acts(slots["x"], "retract")),
    "partner_again": _has_act("companion", "me", "y"),
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
        [
            f"{side}_{part}_{plan}"
            for side in ("with", "against")
            for part in ("looker", "mate")
            for plan in ("speak", "wait")
        ],
        lambda log, slots: bool(log.acts(slots["x"], "propose")),
    ),
    **dict.fromkeys(("disagreed", "disbelieved"), _has_act("disagree", "x", "me")),
    **dict.fromkeys(("counter_exiled_clean", "counter_exiled_found"), _has_part("x", "looker")),
    **dict.fromkeys(("spare_fellow", "vouch_mate"), _has_accused("y", "x")),
    **dict.fromkeys(("rebut_looker", "rebut_once"), _has_accused("x", "me")),
}
# Kinds that count the living claimants of a role, and name some of them.
COUNTING_KINDS = [
    "many_plains",
    "many_mates",
    "three_lookers",
    "doubt_plain_crowd",
    "doubt_plain_room",
]
# Kinds that name others, but state only opinions, questions, own knowledge or intentions.
OPINIONS = frozenset(
    """
    answer_chat answer_claimed answer_evade answer_no_look answer_nobody answer_open
    answer_reason answer_role answer_style answer_suspect ask_light ask_silent ask_suspect
    bait_warn charge_cheap charge_early charge_early_not charge_echo charge_evaded charge_flip
    charge_late charge_manner charge_noside charge_same charge_silent charge_steady
    charge_together charge_turnless charge_untold charge_untrusted claim_keeper_quiet claim_mate
    claim_plain_to despite_liking doubt_gut doubt_left_three doubt_left_two doubt_only
    exiled_clean exiled_found further_clean further_found hold
    lead_vote news_clean news_found owed_about owed_ballots owed_ballots_last owed_ballots_none
    owed_chose_kept owed_claimed owed_claimed_none owed_deck owed_denial owed_guess owed_holder
    owed_holder_none owed_holder_open owed_join owed_lean owed_lean_you owed_look_later
    owed_mind owed_neither owed_never_claimed owed_no_join owed_no_partner owed_nobody owed_none
    owed_open owed_partner_kept owed_plan_speak owed_plan_wait owed_role_kept owed_spoken
    owed_suppose_speak owed_suppose_wait owed_suppose_wolf owed_trust owed_trust_despite
    owed_trusts_nobody owed_vote owed_which owed_wrong owed_you_doubted owed_you_open
    owed_you_trusted own_find own_look own_look_sure repeat_clean repeat_found report_clean
    report_found tease turn_clean turn_found vote vote_unsure
    """.split()  # noqa: SIM905
)


def _is_counted_rightly(log: PublicLog, move: Remark, me: int) -> bool:
    """Return whether {n} counts the living claimants, and all named seats are claimants."""
    role = move.role
    claimants = {s for s in log.claimants(role) if s not in log.out}
    named_seats = {s for v in move.names.values() if isinstance(v, (int, tuple))
             for s in (v if isinstance(v, tuple) else (v,))}  # fmt: skip
    sharing = claimants | {me} if move.kind == "doubt_plain_room" else claimants - {me}
    names_all = "all" not in move.names or named_seats == claimants - {me}
    return (
        named_seats <= claimants and names_all and move.names.get("n") == number_word(len(sharing))
    )


def references(
    seed: str, ruleset: str = "one-night", method: str = "full"
) -> Iterator[tuple[str, bool, str]]:
    """Yield (kind of remark, whether it is true, text) of all checkable remarks of a game."""
    recorded: list[tuple[list[Event], int, list[tuple[Remark, str]]]] = []
    compose_statement = speech.compose_statement
    pack = pack_of(rulesets.get(ruleset))

    def record_statement(mind: Mindset) -> tuple[str, list[tuple[Remark, str]]]:
        text, spoken = compose_statement(mind)
        recorded.append((list(mind.view.events), mind.me, spoken))
        return text, spoken

    with patch.object(speech, "compose_statement", record_statement):
        play(seed, ruleset, method=method)
    for events, me, spoken in recorded:
        log = PublicLog(events, tuple(pack.ruleset.seat_names), pack)
        for move, text in spoken:
            slots = {slot: s for slot, s in move.names.items() if isinstance(s, int)} | {"me": me}
            if move.kind in COUNTING_KINDS:
                yield move.kind, _is_counted_rightly(log, move, me), text
            elif move.kind in CHECKS:
                yield move.kind, CHECKS[move.kind](log, slots), text


def check_references(seed: str, ruleset: str = "one-night") -> list[tuple[str, bool, str]]:
    """Return all references of one game, as a list for process pools."""
    return list(references(seed, ruleset))
