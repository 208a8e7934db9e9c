"""What house players say that others have said or done, held against the log.

The remarks of every statement are recorded as they are put into words. Whether one is true is
worked out here from the public events before it, not by the house player's own checks.
"""

from __future__ import annotations

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
from tests.agents.conduct.public_events import Heard
from tests.agents.table import play

At = dict[str, int]  # slot -> seat; who speaks under "me"
NIGHTS = ("attack", "bite", "kill")  # causes of a death in the night
Fact = Callable[[Heard, At], bool]


def _ordered(*pairs: str) -> Fact:
    """Each pair of slots "xy" pressed, one after the other."""

    def fact(heard: Heard, at: At) -> bool:
        numbers = [heard.when(at[a], at[b]) for a, b in (pair.split() for pair in pairs)]
        return numbers == sorted(set(numbers)) and numbers[-1] < len(heard.talk)

    return fact


def _now(who: str, whom: str) -> Fact:
    return lambda heard, at: heard.now(at[who]) == at[whom]


def _ever(who: str, whom: str, so: bool = True) -> Fact:
    return lambda heard, at: (heard.when(at[who], at[whom]) < len(heard.talk)) == so


def _did(kind: str, who: str, whom: str, so: bool = True) -> Fact:
    return lambda heard, at: any(at[whom] in act.targets for act in heard.acts(at[who], kind)) == so


def _looked(who: str, finds: bool | None, *whom: str) -> Fact:
    return lambda heard, at: heard.looks(at[who], {at[w] for w in whom if w in at}, finds)


def _part(who: str, *parts: str) -> Fact:
    return lambda heard, at: heard.part(at[who]) in parts


def _unclaimed(who: str) -> Fact:
    return lambda heard, at: not heard.claims_by(at[who])


def _voted(who: str, whom: str) -> Fact:
    return lambda heard, at: heard.last_votes.get(at[who]) == at[whom]


def _out(who: str, *causes: str) -> Fact:
    return lambda heard, at: at[who] in heard.out and (not causes or heard.out[at[who]] in causes)


def _both(*facts: Fact) -> Fact:
    return lambda heard, at: all(fact(heard, at) for fact in facts)


def _hard(heard: Heard, at: At) -> bool:
    """`x` presses `t` now, and has accused it or said it will vote for it."""
    strong = any(t == at["t"] and strength > 1 for _, t, strength in heard.presses(at["x"]))
    return strong and heard.now(at["x"]) == at["t"]


def _first_statement(heard: Heard, at: At) -> bool:
    own = [n for n, (seat, *_) in enumerate(heard.talk) if seat == at["t"]]
    return bool(own) and heard.when(at["t"], at["x"]) == own[0]


def _paired(a: str, b: str) -> Fact:
    """`a` and `b` named each other, or one the other and that one claims the same."""

    def fact(heard: Heard, at: At) -> bool:
        x, y = at[a], at[b]
        named = {
            (s, act.targets[0]) for s in (x, y) for act in heard.acts(s, "companion") if act.targets
        }
        alike = heard.part(x) == heard.part(y) == "mate"
        return ((x, y) in named or (y, x) in named) and alike

    return fact


def _before(who: str, whom: str) -> Fact:
    """Both claim the same role, `who` before `whom`."""

    def fact(heard: Heard, at: At) -> bool:
        role = heard.claims_by(at[who])
        first = {
            seat: n
            for n, (seat, acts, _, _) in reversed(list(enumerate(heard.talk)))
            if any(a.kind in ("claim", "report") and a.role == role for a in acts)
        }
        same = role and role == heard.claims_by(at[whom])
        return bool(same) and first[at[who]] < first[at[whom]]

    return fact


def _first_against(heard: Heard, at: At) -> bool:
    seats = range(1, len(heard.seats) + 1)
    return min((heard.when(seat, at["y"]), seat) for seat in seats)[1] == at["me"]


def _named_nothing(heard: Heard, at: At) -> bool:
    return at["t"] in heard.last and not heard.claims_by(at["t"]) and not heard.presses(at["t"])


def _alone(who: str) -> Fact:
    return lambda heard, at: heard.claimants(heard.claims_by(at[who])) == {at[who]}


def _alike(a: str, b: str) -> Fact:
    return lambda heard, at: heard.claims_by(at[a]) == heard.claims_by(at[b]) != ""


def _never_spoke(heard: Heard, at: At) -> bool:
    return at["d"] not in heard.last


def _broke_word(heard: Heard, at: At) -> bool:
    return (heard.voted, at["d"], at["e"]) in heard.broken(at["x"])


def _led(heard: Heard, at: At) -> bool:
    return heard.leaders[heard.voted] == at["d"] and heard.advice() == at["e"]


def _had_no_name_before(heard: Heard, at: At) -> bool:
    """On the day of the vote `me` did not press `e` before `d`'s last word on it."""
    named = [s for s, acts, day, _ in heard.talk if day == heard.voted
             if any(a.strength and at["e"] in a.targets for a in acts)]  # fmt: skip
    last = max((n for n, s in enumerate(named) if s == at["d"]), default=-1)
    return last >= 0 and at["me"] not in named[:last]


def _spoke_or_passed(heard: Heard, at: At) -> bool:
    return any(
        e.data.get("seat") == at["t"] and e.data.get("manner") == "say" and e.audience == PUBLIC
        for e in heard.events
    )


def _on_record(who: str) -> Fact:
    """The log speaks against one: another role, a look, a confession, a copy, one claim too many, a
    vote that was announced otherwise.
    """

    def fact(heard: Heard, at: At) -> bool:
        seat, role, deck = at[who], heard.claims_by(at[who]), heard.pack.deck
        own = heard.acts(seat, "claim", "report")
        others = [s for s in range(1, len(heard.seats) + 1) if s != seat]
        told = [(a.role, a.targets, a.value) for a in heard.acts(seat, "report")]
        return (
            len({a.role for a in own}) > 1
            or any(heard.looks(s, {seat}, True) for s in others)
            or any(a.role in heard.pack.wolves for a in own)
            or any((a.role, a.targets, a.value) in told for s in others
                   for a in heard.acts(s, "report"))
            or len(heard.claimants(role)) > deck.count(role) > 0
            or bool(heard.broken(seat))
        )  # fmt: skip

    return fact


def _denied(heard: Heard, at: At) -> bool:
    since = heard.last.get(at["me"], -1)
    later = (acts for n, (s, acts, _, _) in enumerate(heard.talk) if n > since and s == at["x"])
    return any(a.kind == "deny" and a.role in heard.pack.wolves for acts in later for a in acts)


_SO: dict[str, Fact] = {
    "vote_with": _hard,
    "doubt_agree": _both(_now("x", "t"), lambda heard, at: not _ordered("me t", "x t")(heard, at)),
    "join_in": _both(_now("x", "t"), lambda heard, at: not _ordered("me t", "x t")(heard, at)),
    "agreed": _both(_did("agree", "x", "me"), _did("agree", "me", "x", so=False)),
    "trust": _both(_did("agree", "x", "me", so=False), _did("defend", "x", "me", so=False)),
    "rebut_many": _ordered("y me", "x me"),
    "rebut_echo": _ordered("y me", "x me"),
    "rebut_flip": _ordered("x y", "x me"),
    "rebut": _ever("x", "me"),
    "rebut_back": _ever("x", "me"),
    "rebut_record": _both(_ever("x", "me"), _ever("me", "y")),
    "rebut_claimed": _both(_ever("x", "me"), lambda heard, at: bool(heard.claims_by(at["me"]))),
    "rebut_unclaimed": _both(_ever("x", "me"), _unclaimed("x")),
    "rebut_report_me": _looked("x", True, "me"),
    "rebut_report_other": _looked("x", True, "me", "y"),
    "rebut_report_open": _looked("x", True, "me", "y"),
    "rebut_report_lie": _looked("x", True, "me", "y"),
    "thanks_clean": _looked("x", False, "me"),
    "doubt_flip": _both(_ordered("t x", "t y"), _now("t", "y")),
    "doubt_echo": _ordered("x y", "t y"),
    "doubt_early": _first_statement,
    "doubt_pusher": _now("t", "x"),
    "doubt_at_me": _now("t", "me"),
    "doubt_silent": _spoke_or_passed,
    "doubt_unheard": lambda heard, at: not _spoke_or_passed(heard, at),
    "doubt_save": lambda heard, at: not heard.quiet,
    "save_fits": lambda heard, at: heard.quiet,
    "save_doubted": lambda heard, at: not heard.quiet,
    "save_rival": _alike("x", "y"),
    "owed_chose_vote": _voted("me", "d"),
    "owed_chose_look": _looked("me", None, "d"),
    "doubt_defender": _did("defend", "t", "x"),
    "doubt_nothing": _named_nothing,
    "doubt_unclaimed": _unclaimed("t"),
    "doubt_evaded": _both(_unclaimed("t"), _did("question", "x", "t")),
    "doubt_evaded_me": _both(_unclaimed("t"), _did("question", "me", "t")),
    "doubt_found": _looked("x", True, "t"),
    "doubt_reported": _looked("x", True, "t", "y"),
    "doubt_other_cleared": _looked("x", True, "t", "y"),
    "doubt_my_rival": _both(
        _part("t", "looker"),
        lambda heard, at: heard.claims_by(at["me"]) in ("", heard.claims_by(at["t"])),
    ),
    "doubt_lone_looker": _both(_part("t", "looker"), _alone("t")),
    "doubt_second_looker": _before("x", "t"),
    "doubt_first_looker": _before("t", "x"),
    "doubt_plain": _part("t", "plain"),
    "doubt_mate_alone": _part("t", "mate"),
    "doubt_false_mate": _part("t", "mate"),
    "doubt_confessed": lambda heard, at: any(
        a.role in heard.pack.wolves for a in heard.acts(at["t"], "claim")
    ),
    "doubt_dead_pressed": _both(_out("d"), _now("d", "t")),
    "doubt_dead_ballot": _both(_out("d"), _voted("t", "d")),
    "doubt_ballot_me": _voted("t", "me"),
    "doubt_ballot_friend": _voted("t", "y"),
    "doubt_ballot_word": _both(_ever("t", "d"), _voted("t", "e")),
    "doubt_lead": _out("d", "vote", "exile"),
    "rebut_mate": _paired("me", "y"),
    "mates_known": _paired("x", "y"),
    "spare_mate": _paired("y", "z"),
    "turn_mate": _paired("x", "y"),
    "doubt_third_mate": _paired("x", "y"),
    "owed_trust_pair": _paired("y", "z"),
    "owed_trust_cleared": _looked("z", False, "y"),
    "owed_open_unclaimed": _unclaimed("y"),
    "charge_pressed": _ever("me", "y"),
    "charge_named": _ever("me", "y"),
    "charge_named_you": _ever("me", "x"),
    "charge_pressed_not": _ever("me", "y", so=False),
    "owed_never_pressed": _ever("me", "y", so=False),
    "owed_not_you": _ever("me", "x", so=False),
    "charge_defended": _did("defend", "me", "y"),
    "charge_defended_not": _did("defend", "me", "y", so=False),
    "charge_first": _first_against,
    "hold_back": _ever("x", "y"),
    "spare": _ever("x", "y"),
    "spare_cleared": _both(_ever("x", "y"), _looked("z", False, "y")),
    "turn": _ever("me", "x"),
    "greet": lambda heard, at: any(
        e.data.get("seat") == at["x"] and is_greeting(e.data.get("text", ""), heard.seats)
        for e in heard.events
    ),
    "turn_stands": _both(_now("me", "x"), _on_record("x")),
    "denial_stands": _both(_now("me", "x"), _on_record("x"), _denied),
    "turn_cleared": _both(_ever("me", "x"), _looked("y", False, "x")),
    "ask_reason": _ever("t", "x"),
    "ask_partner": _part("t", "mate"),
    "note_claim": lambda heard, at: bool(heard.claims_by(at["x"])),
    "two_lookers": _both(_part("x", "looker"), _alike("x", "y")),
    "lookers_lean_first": _before("x", "y"),
    "lookers_lean_second": _before("y", "x"),
    "looker_unopposed": _both(_part("x", "looker"), _alone("x")),
    "looker_no_report": _both(
        _part("x", "looker"), lambda heard, at: not heard.acts(at["x"], "report")
    ),
    "looker_impossible": _part("x", "looker"),
    "looker_disproved": _both(_part("y", "looker"), _alike("x", "y")),
    "lookers_overlap": _both(_looked("x", True, "t"), _looked("y", True, "t")),
    "report_splits": _looked("x", True, "a", "b"),
    "report_finds": _looked("x", True, "a"),
    "report_clears": _looked("x", False, "a", "b"),
    "rival_found": _part("x", "looker"),
    "rival_clean": _part("x", "looker"),
    "counter_report_found": _part("x", "looker"),
    "counter_report_clean": _part("x", "looker"),
    "companion_open": _both(_did("companion", "x", "y"), _part("x", "mate")),
    "companion_denied": _both(_did("companion", "x", "y"), lambda h, at: h.part(at["y"]) != "mate"),
    "companion_silent": _did("companion", "x", "y"),
    "deny_partner": _did("companion", "x", "me"),
    "expose_mate": _part("x", "mate"),
    "plains_with_me": _both(_part("x", "plain"), _alike("x", "y")),
    "night_kill": _both(_out("d", *NIGHTS), lambda heard, at: at["d"] in heard.last),
    "night_kill_early": _both(_out("d", *NIGHTS), _never_spoke),
    "night_looker": _both(_out("d", *NIGHTS), _part("d", "looker")),
    "doubt_left_found": _both(_out("d"), _looked("d", True, "t")),
    "looks_clash": _both(_looked("x", True, "d"), _looked("y", False, "d")),
    "exiled_right": _out("d", "vote"),
    "exiled_wrong": _out("d", "vote"),
    "own_ballot": _both(_voted("me", "e"), _ever("me", "d")),
    "ballot_me": _voted("x", "me"),
    "ballot_alike": _both(_voted("x", "d"), _voted("me", "d")),
    "pledge_broken": _broke_word,
    "lead_followed": _both(_led, _voted("me", "e"), _had_no_name_before),
    "lead_refused": _both(
        lambda heard, at: heard.advice() == at["d"] != at["e"], _voted("me", "e")
    ),
    "badge_passed": lambda heard, at: heard.badges[-2:] == [at["d"], at["x"]],
    "badge_handed": lambda heard, at: heard.badges[-2:] == [at["d"], at["x"]],
    "badge_watched": lambda heard, at: heard.badges[-1:] == [at["x"]],
    "badge_trusted": lambda heard, at: heard.badges[-1:] == [at["x"]],
}
# Kinds that count who of the living claims a role, by the slots of those named.
_COUNTED = ["many_plains", "many_mates", "three_lookers", "doubt_plain_crowd", "doubt_plain_room"]


def _is_counted_rightly(heard: Heard, move: Remark, me: int) -> bool:
    """Whether {n} is the number of the living who claim the role, and all who are named do."""
    role = move.role
    claimants = {s for s in heard.claimants(role) if s not in heard.out}
    named = {s for v in move.names.values() if isinstance(v, (int, tuple))
             for s in (v if isinstance(v, tuple) else (v,))}  # fmt: skip
    sharing = claimants | {me} if move.kind == "doubt_plain_room" else claimants - {me}
    names_all = "all" not in move.names or named == claimants - {me}
    return named <= claimants and names_all and move.names.get("n") == number_word(len(sharing))


def references(
    seed: str, ruleset: str = "one-night", method: str = "full"
) -> Iterator[tuple[str, bool, str]]:
    """(kind of remark, whether what it says of others is true, the words) of a played game."""
    taken: list[tuple[list[Event], int, list[tuple[Remark, str]]]] = []
    compose_statement = speech.compose_statement
    pack = pack_of(rulesets.get(ruleset))

    def noted(mind: Mindset) -> tuple[str, list[tuple[Remark, str]]]:
        text, spoken = compose_statement(mind)
        taken.append((list(mind.view.events), mind.me, spoken))
        return text, spoken

    with patch.object(speech, "compose_statement", noted):
        play(seed, ruleset, method=method)
    for events, me, spoken in taken:
        heard = Heard(events, tuple(pack.ruleset.seat_names), pack)
        for move, words in spoken:
            at = {slot: s for slot, s in move.names.items() if isinstance(s, int)} | {"me": me}
            if move.kind in _COUNTED:
                yield move.kind, _is_counted_rightly(heard, move, me), words
            elif move.kind in _SO:
                yield move.kind, _SO[move.kind](heard, at), words


def checked(seed: str, ruleset: str = "one-night") -> list[tuple[str, bool, str]]:
    """All references of one game, for a pool of processes."""
    return list(references(seed, ruleset))
