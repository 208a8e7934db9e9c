"""Suspicions of what somebody claims.

Every one says plainly that {t} is suspected, so that the others understand it. See
`agents.house.phrasing`.
"""

from __future__ import annotations

DOUBTS: dict[str, tuple[str, ...]] = {
    "doubt_changed": (
        "{t} told us {r} first and {q} later<so> <suspect>[, as anyone would|].",
        "<suspect>: first {r}, now {q}. [Roles don't change by themselves|That's "
        "one role too many|Cards don't turn over on their own].",
        "{r}, then {q}. One mouth, two stories<so> <suspect>.",
        "Which is it, {t}, {r} or {q}? <sus>.",
        "A {r} and a {q} in one day, and [I'm wary of {t} for it|I suspect {t} for that|I "
        "distrust {t} for it].",
    ),
    "doubt_evaded": (
        "{x} asked {t} for a role and got [none|nothing|no answer|only words]. I suspect {t} for "
        "it.",
        "I [noticed|saw|heard] how {t} [slid|slipped|danced] past {x}'s question, and <suspect>.",
        "A straight question from {x}, and no straight answer<so> <suspect>.",
        "{x} wanted a role from {t} and got [nothing|no answer|a shrug]. <sus>.",
    ),
    "doubt_evaded_me": (
        "I asked {t} for a role and got [excuses|small talk|a shrug|nothing]. <sus>.",
        "My question is still lying there, {t}. I suspect you more for it.",
    ),
    "doubt_unclaimed": (
        "We've heard no role from {t} yet, and [I suspect|I distrust|I mistrust] {t} for it.",
        "<suspect>: [so far not one word to check|nothing anyone could test|no role, nothing "
        "to hold on to|a card face down all this time].",
        "I suspect {t} a little, simply because {t} hasn't given us a role to hold on to.",
        "Others put something on the table, {t} doesn't. <sus>.",
        "<suspect>. [Rounds go by, and still no role|Silence about oneself is a choice|A role "
        "would be nice by now|No role is an answer, too].",
        "What is {t}? [Nobody knows|None of us knows|No one could say], and that's why <suspect>.",
    ),
}
