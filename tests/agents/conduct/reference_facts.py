"""Facts about players that the public events of a game show.

A fact takes the public log before a remark and the remark's slots.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from game.engine.events import PUBLIC
from tests.agents.conduct.public_events import PublicLog

# Slot -> seat, for the slots that a remark's kind has (`agents/house/remark_kinds.toml`):
#   me     the speaker
#   t      the player whom the remark doubts, questions or votes for
#   x y z  other players in the talk
#   d e    players who may be out, and targets of past votes
#   a b    the players of a reported look
Slots = dict[str, int]
NIGHTS = ("attack", "bite", "kill")  # causes of death in the night
MAX_BARE_WORDS = 9  # an accusation of more words may have a reason
Fact = Callable[[PublicLog, Slots], bool]


def in_order(*pairs: str) -> Fact:
    """Each pair "x y" of slots made its accusation in this order."""

    def fact(log: PublicLog, slots: Slots) -> bool:
        numbers = [log.press_index(slots[a], slots[b]) for a, b in (pair.split() for pair in pairs)]
        return numbers == sorted(set(numbers)) and numbers[-1] < len(log.talk)

    return fact


def currently_accuses(actor: str, target: str) -> Fact:
    return lambda log, slots: log.current_target(slots[actor]) == slots[target]


def has_accused(actor: str, target: str, expected: bool = True) -> Fact:
    return lambda log, slots: (
        (log.press_index(slots[actor], slots[target]) < len(log.talk)) == expected
    )


def has_act(kind: str, actor: str, target: str, expected: bool = True) -> Fact:
    def fact(log: PublicLog, slots: Slots) -> bool:
        acts = log.acts(slots[actor], kind)
        return any(slots[target] in act.targets for act in acts) == expected

    return fact


def has_look(actor: str, finds: bool | None, *target: str) -> Fact:
    return lambda log, slots: log.has_look(
        slots[actor], {slots[w] for w in target if w in slots}, finds
    )


def has_part(actor: str, *parts: str) -> Fact:
    return lambda log, slots: log.part(slots[actor]) in parts


def no_claim(actor: str) -> Fact:
    return lambda log, slots: not log.claims_by(slots[actor])


def voted_for(actor: str, target: str) -> Fact:
    return lambda log, slots: log.last_votes.get(slots[actor]) == slots[target]


def is_out(actor: str, *causes: str) -> Fact:
    return lambda log, slots: (
        slots[actor] in log.out and (not causes or log.out[slots[actor]] in causes)
    )


def all_of(*facts: Fact) -> Fact:
    return lambda log, slots: all(fact(log, slots) for fact in facts)


def are_mates(a: str, b: str) -> Fact:
    """`a` or `b` named the other as partner, and both claim to be mates."""

    def fact(log: PublicLog, slots: Slots) -> bool:
        x, y = slots[a], slots[b]
        named_pairs = {
            (s, act.targets[0]) for s in (x, y) for act in log.acts(s, "companion") if act.targets
        }
        are_claimed_mates = log.part(x) == log.part(y) == "mate"
        return ((x, y) in named_pairs or (y, x) in named_pairs) and are_claimed_mates

    return fact


def claimed_before(actor: str, target: str) -> Fact:
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


def claimed_last_of_too_many(log: PublicLog, slots: Slots) -> bool:
    """The player t is the last of the claimants of its role, who are more than the deck holds."""
    role = log.claims_by(slots["t"])
    claimants = log.claimants(role)
    others = claimants - {slots["t"]}
    are_earlier = all(claimed_before("x", "t")(log, {**slots, "x": seat}) for seat in others)
    return len(claimants) > log.pack.deck.count(role) and are_earlier


def first_against(log: PublicLog, slots: Slots) -> bool:
    seats = range(1, len(log.seats) + 1)
    return min((log.press_index(seat, slots["y"]), seat) for seat in seats)[1] == slots["me"]


def is_passive(log: PublicLog, slots: Slots) -> bool:
    seat = slots["t"]
    return seat in log.last_statements and not log.claims_by(seat) and not log.presses(seat)


def sole_claim(actor: str) -> Fact:
    return lambda log, slots: log.claimants(log.claims_by(slots[actor])) == {slots[actor]}


def claim_alike(a: str, b: str) -> Fact:
    return lambda log, slots: log.claims_by(slots[a]) == log.claims_by(slots[b]) != ""


def never_spoke(log: PublicLog, slots: Slots) -> bool:
    return slots["d"] not in log.last_statements


def broke_pledge(log: PublicLog, slots: Slots) -> bool:
    return (log.last_ballot_day, slots["d"], slots["e"]) in log.broken_pledges(slots["x"])


def followed_advice(log: PublicLog, slots: Slots) -> bool:
    return log.leaders[log.last_ballot_day] == slots["d"] and log.advice() == slots["e"]


def chose_after_advice(log: PublicLog, slots: Slots) -> bool:
    """`me` did not press `e` on the day of the ballot before `d`'s last advice."""
    advisers = [s for s, acts, day in log.talk if day == log.last_ballot_day
             if any(a.strength and slots["e"] in a.targets for a in acts)]  # fmt: skip
    last_advice = max((n for n, s in enumerate(advisers) if s == slots["d"]), default=-1)
    return last_advice >= 0 and slots["me"] not in advisers[:last_advice]


def has_spoken_publicly(log: PublicLog, slots: Slots) -> bool:
    return any(
        e.data.get("seat") == slots["t"] and e.data.get("manner") == "say" and e.audience == PUBLIC
        for e in log.events
    )


def has_spoken_before_today(log: PublicLog, slots: Slots) -> bool:
    today = max(e.data["day"] for e in log.events if e.kind == "phase_opened")
    return any(seat == slots["x"] and day < today for seat, _, day in log.talk)


def has_fewer_looks_than_nights(log: PublicLog, slots: Slots) -> bool:
    today = max(e.data["day"] for e in log.events if e.kind == "phase_opened")
    return len({a.targets for a in log.acts(slots["x"], "report")}) < today


def is_contradicted(actor: str) -> Fact:
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


def has_denied_since(log: PublicLog, slots: Slots) -> bool:
    since = log.last_statements.get(slots["me"], -1)
    later = (acts for n, (s, acts, _) in enumerate(log.talk) if n > since and s == slots["x"])
    return any(a.kind == "deny" and a.role in log.pack.wolves for acts in later for a in acts)


def has_changed_claim(actor: str) -> Fact:
    """Return the fact that `actor` has claimed two roles, or taken one back."""

    def fact(log: PublicLog, slots: Slots) -> bool:
        roles = {act.role for act in log.acts(slots[actor], "claim", "report")}
        return len(roles) > 1 or bool(log.acts(slots[actor], "retract", "deny"))

    return fact


def has_one_vote_more(log: PublicLog, slots: Slots) -> bool:
    votes = Counter(log.last_votes.values())
    return votes[slots["d"]] == votes[slots["e"]] + 1


def has_told_late(log: PublicLog, slots: Slots) -> bool:
    """`x` spoke before it reported its first look, and that look found `me`."""
    own = [acts for seat, acts, _ in log.talk if seat == slots["x"]]
    told = [n for n, acts in enumerate(own) if any(a.kind == "report" for a in acts)]
    return bool(told) and told[0] > 0 and log.has_look(slots["x"], {slots["me"]}, True)


def finds(log: PublicLog, seat: int) -> tuple[int, int, bool]:
    """Return the number of players that `seat` called hunted, how many can be, and whether all of
    them are out.
    """
    reports = {a.targets: a for a in log.acts(seat, "report")}
    found = {t for targets, a in reports.items() if log.pack.accuses(a.result) for t in targets}
    hunted = sum(log.pack.deck.count(role) for role in {*log.pack.hunted})
    return len(found), hunted, found <= {*log.out}


def finds_too_many(slot: str) -> Fact:
    def fact(log: PublicLog, slots: Slots) -> bool:
        count, hunted, _ = finds(log, slots[slot])
        return count > hunted

    return fact


def finds_all_out(slot: str) -> Fact:
    def fact(log: PublicLog, slots: Slots) -> bool:
        count, hunted, are_out = finds(log, slots[slot])
        return count == hunted and are_out

    return fact


def is_tied(log: PublicLog, slots: Slots) -> bool:
    votes = Counter(log.last_votes.values()).most_common(3)
    tied = {seat for seat, count in votes if count == votes[0][1]}
    return tied == {slots["d"], slots["e"]}


def has_votes_announced(log: PublicLog, slots: Slots) -> bool:
    """No player has more votes announced today than `x`, none but `x` and `me` more than `y`."""
    day = log.talk[-1][2]
    seats = {*range(1, len(log.seats) + 1)} - {slots["me"], *log.out}
    counts = Counter(p for seat in seats if (p := log.pledge(seat, day)))
    ranked = [count for _, count in counts.most_common()]
    first = slots.get("x", slots["me"])
    is_second = "y" not in slots or counts[slots["y"]] == ranked[1]
    return counts[first] == ranked[0] and is_second


def has_told_role_of(actor: str, target: str, expected: bool) -> Fact:
    """`actor` reported that `target` holds its own role, or another one."""

    def fact(log: PublicLog, slots: Slots) -> bool:
        roles = {e.data["seat"]: e.data["role"] for e in log.events if e.kind == "role_dealt"}
        reports = [a for a in log.acts(slots[actor], "report") if slots[target] in a.targets]
        is_right = bool(reports) and reports[-1].value == roles[slots[target]]
        return bool(reports) and is_right == expected

    return fact


def never_has_reason(actor: str, target: str) -> Fact:
    """`actor` presses `target` in no statement of many words."""

    def fact(log: PublicLog, slots: Slots) -> bool:
        said = [e.data["text"] for e in log.events if e.data.get("seat") == slots[actor]
                and e.data.get("manner") == "say" and e.data.get("text")]  # fmt: skip
        numbers = [n for n, (seat, *_) in enumerate(log.talk) if seat == slots[actor]]
        pressing = {n for n, t, _ in log.presses(slots[actor]) if t == slots[target]}
        texts = [text for n, text in zip(numbers, said, strict=True) if n in pressing]
        return bool(texts) and all(len(text.split()) <= MAX_BARE_WORDS for text in texts)

    return fact
