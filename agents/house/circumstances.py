"""Which circumstances of `agents.language.NEEDS` hold, for phrases that require them."""

from collections.abc import Iterable

from agents.house.doubts import SHARED
from agents.house.happenings import count_votes_today
from agents.house.mindset import Mindset
from agents.house.remarks import Remark, RemarkPlace, get_bare_reasons

ADDRESSING = (RemarkPlace.REPLY, RemarkPlace.ANSWER)  # their slot x holds the player spoken to
ABOUT_SUSPECT = (RemarkPlace.DOUBT, RemarkPlace.ASK)  # their slot t holds the other player


def circumstances(mind: Mindset) -> frozenset[str]:
    """Return the conditions of `agents.language.NEEDS` that are met."""
    dialogue, me = mind.dialogue, mind.me
    has_heard_today = any(s.round >= dialogue.today and s.seat != me for s in dialogue.statements)
    counts = count_votes_today(mind)
    ranked = sorted(counts.values())[-2:]
    conditions = {
        "split": len(ranked) == 2 and ranked[0] == ranked[1],
        "alone": bool(counts) and not counts[mind.target],
        "joined": counts[mind.target] > 0,
        "heard": has_heard_today,
        "later": bool(dialogue.turns(me)) or mind.view.state.day > 1,
        "claimed": bool(mind.claimed),
        "unclaimed": not mind.claimed,
        "pressed": bool(dialogue.pressing(me)),
        "more": not mind.is_last_round and not mind.speech_purpose,
        "told": any(a.kind == "report" for s in dialogue.since(me) for a in s.acts),
        "plains": bool({*dialogue.claimants(mind.pack.plain_role)} - {me}),
    }
    return frozenset(need for need, is_met in conditions.items() if is_met)


def remark_circumstances(mind: Mindset, remark: Remark, chosen: Iterable[Remark]) -> frozenset[str]:
    """Return the conditions of `agents.language.NEEDS` that `remark` meets among the `chosen`."""
    reasons = [r for r in chosen if r.position in (RemarkPlace.DOUBT, RemarkPlace.SUPPORT)]
    is_bare = bool(reasons) and bool(get_bare_reasons(mind.pack, reasons[0].kind))
    is_shared = is_bare and reasons[-1].kind in SHARED
    is_ground = is_bare and not is_shared
    accuser = remark.names.get("t" if remark.position in ABOUT_SUSPECT else "x", 0)
    conditions = {
        "reasonless": mind.has_reasoned(accuser) is False,
        "reasoned": mind.has_reasoned(remark.names.get("x", 0)) is True,
        "grounds": is_ground,
        "shared": is_shared,
        "again": is_ground and reasons[-1].key in mind.stance.said_keys,
        "facing": any(
            r.position in ADDRESSING and r.names.get("x") == remark.names.get("t") for r in chosen
        ),
    }
    return frozenset(need for need, is_met in conditions.items() if is_met)
