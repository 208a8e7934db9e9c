"""What is made of those who say they looked at somebody. See `agents.house.phrasing`."""

from __future__ import annotations

SEERS: dict[str, tuple[str, ...]] = {
    "two_seers": (
        "{x} and {y} both [claim|want to be|call themselves] the Seer, and [only one can be|there "
        "is one in the deck|one of those lamps was never lit|one of them slept].",
        "It's {x} against {y}: one [looked|was awake|tells the truth], the other [is making it "
        "up|dreamed it][, and [I can't tell which yet|I go back and forth|I'm still weighing "
        "it]|].",
        "[Two Seers at one table|One Seer too many|Two Seers, then], {x} and {y}[, and one of "
        "them is no friend of ours|. Somebody lies for a reason|].",
        "~careful Suppose {x} is honest, then {y} is not, and the other way round.",
        "~wry Two Seers, {x} and {y}, and between them they see double.",
        "~blunt {x} or {y}, one of you is [lying|selling us air].",
    ),
    "three_seers": (
        "{x}, {y} and {z} all claim to be the Seer, [which|and that] can't be.",
        "Three Seers, {x}, {y} and {z}, [for one lamp|where one belongs].",
    ),
    "seers_lean_first": (
        "Between {x} and {y}, <trust x>, who came first.",
        "[Of the two|If I must choose], <trust x>; {y} [came after|only answered].",
    ),
    "seers_lean_second": (
        "{y} came first, yet <trust x>.",
        "[I've heard both|Having heard both], and <trust x>, though {y} was quicker.",
    ),
    "seer_disproved": (
        "{y} is not the Seer, [which speaks for {x}|I can rule that out|it doesn't fit what we "
        "know].",
        "{y} can't be the Seer[, as things have turned out|].",
    ),
    "seer_impossible": (
        "{x} is not the Seer. That [can't be|doesn't fit what I know].",
        "{x} can't be the Seer[, not after what has happened|, however well it's told|].",
    ),
    "seers_overlap": ("{x} and {y} contradict each other, and yet {t} comes up in both stories.",),
    "seer_unopposed": (
        "Nobody else claims what {x} claims, [and that counts|which I note].",
        "{x} speaks of nights, and [no one|nobody] here [disputes it|says otherwise].",
    ),
    "seer_no_report": (
        "{x} claims to look at night and keeps the result back.",
        "A Seer without a result, {x}? [Strange|I'd like to hear one|That's half a story].",
    ),
    "seer_doubted": (
        "I wouldn't build on {x}'s look at {a} [yet|so far|just like that].",
        "{x}'s look at {a} is [a story until somebody bears it out|one player's word].",
    ),
    "report_finds": (
        "If {x} tells the truth, there's [no more to say|not much left to ask].",
        "[Everything rests on {x}'s word|{x}'s word is all we have] now[. If it's true, we're half"
        " way there|, true or not|].",
    ),
    "report_clears": (
        "If {x} tells the truth, {a} can [be left in peace|rest easy].",
        "{x} speaks for {a}, [and I take note|which shortens the list|so far so good].",
    ),
}
