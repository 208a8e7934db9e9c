"""Which circumstances of `agents.language.NEEDS` hold, for phrases that require them."""

from collections.abc import Iterable

from agents import language
from agents.house.doubts import SHARED
from agents.house.mindset import Mindset
from agents.house.remarks import Named, Remark, RemarkPlace, get_bare_reasons

ADDRESSING = (RemarkPlace.REPLY, RemarkPlace.ANSWER)  # their slot x holds the player spoken to
ABOUT_SUSPECT = (RemarkPlace.DOUBT, RemarkPlace.ASK)  # their slot t holds the other player


def circumstances(mind: Mindset) -> frozenset[str]:
    """Return the conditions of `agents.language.NEEDS` that are met."""
    dialogue, me = mind.dialogue, mind.me
    has_heard_today = any(s.round >= dialogue.today and s.seat != me for s in dialogue.statements)
    conditions = {
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

    def gave_reason(seat: Named) -> bool | None:
        """Return whether the last accusation by `seat` has a reason, None without one."""
        accusations = [s.text for s in mind.dialogue.statements if s.seat == seat and s.presses()]
        return language.gives_reason(accusations[-1]) if accusations else None

    reasons = [r for r in chosen if r.position in (RemarkPlace.DOUBT, RemarkPlace.SUPPORT)]
    is_bare = bool(reasons) and bool(get_bare_reasons(mind.pack, reasons[0].kind))
    is_shared = is_bare and reasons[-1].kind in SHARED
    is_ground = is_bare and not is_shared
    accuser = remark.names.get("t" if remark.position in ABOUT_SUSPECT else "x", 0)
    conditions = {
        "reasonless": gave_reason(accuser) is False,
        "reasoned": gave_reason(remark.names.get("x", 0)) is True,
        "grounds": is_ground,
        "shared": is_shared,
        "again": is_ground and reasons[-1].key in mind.stance.said_keys,
        "facing": any(
            r.position in ADDRESSING and r.names.get("x") == remark.names.get("t") for r in chosen
        ),
    }
    return frozenset(need for need, is_met in conditions.items() if is_met)
