"""What a Seer, true or false, says of its nights. See `agents.house.phrasing`."""

from __future__ import annotations

_RIVAL = (
    "<not-seer>. <seer-saw>.",
    "[That's not so, and I know it|Now I have to speak|I can't let that stand|Enough of this "
    "theatre|That story is stolen]: <not-seer>, because I'm the Seer. <saw>.",
    "I was going to [wait|stay quiet|keep still], but I won't let {x} [have|take|keep|wear] my "
    "role. <seer-saw>.",
    "~wry How [nice|sweet|charming], {x} has borrowed my [job|role|night]. <seer-saw>.",
    "~blunt <not-seer>. I am. <seer-saw>.",
)
_TURN = (
    "I owe you [the truth|an apology|something]: I'm not a Villager. <seer-saw>.",
    "I take it back, I'm not a Villager. I said so because I was [afraid|careful]. <seer-saw>.",
)
_REPEAT = (
    "[I'll say it [once more|again]|I stand by [every word|all of it]|Nothing has changed|It's "
    "the same as before]: I looked at {a}, and {a} is {held}.",
    "Doubt me [as much as you like|all you want], but I looked at {a}, and {a} is {held}.",
    "[Everything|All] I [have|know|can give you] is on the table. I checked {a}, and {a} is "
    "{held}.",
    "[Of all you've heard, keep this|Keep this one thing in mind]: I looked at {a}, and {a} is "
    "{held}.",
)

VISIONS: dict[str, tuple[str, ...]] = {
    "report_found": (
        "<seer-saw>.",
        "[Listen, this matters|Hear me out|This will change things|I have [news|something for "
        "you]|Stop guessing for a moment|Put down your cups]: <seer-saw>.",
        "<seer>, and I won't [sit on it|keep it back|hold it back]. <saw>.",
        "I have something better than a [feeling|hunch|guess]. <seer-saw>.",
        "[They may come for me tonight|I may not see another morning|This may cost me my life], "
        "so hear it now. <seer-saw>.",
        "~blunt <seer-saw>. [Work with that|Your turn|Use it].",
        "~careful I [thought about|asked myself|weighed] when to say this. <seer-saw>.",
        "~warm [Please believe me on this|I mean it, from the heart]: <seer-saw>.",
        "~wry I'd love to be [harmless|a nobody], but <seer-saw>.",
    ),
    "report_clean": (
        "<seer-saw>.",
        "[Listen, this helps|Hear me out|A small gift|Here is what I know|I have something for "
        "you]: <seer-saw>.",
        "<seer>, [and I'd rather say it now|so here it is|and this is my night]. <saw>.",
        "<seer-saw>. [One name fewer to fear|Look among the rest|It's not much, but it's sure].",
        "[They may come for me tonight|I may not see another morning], so hear it now. <seer-saw>.",
        "~blunt <seer-saw>. [Moving on|Next|Use it].",
        "~careful I [thought about|asked myself|weighed] when to say this. <seer-saw>.",
        "~warm I'm [glad|happy|pleased] I can say something [kind|nice|good][. |: ]<seer-saw>.",
        "~wry <seer>, and I wasted my night on [decent|dull|respectable] people. <saw>.",
    ),
    "news_found": (
        "[Another night, another look|I've been awake again|My lamp burned again]. Last night I "
        "looked at {a}, and {a} is {held}.",
        "[I'm still here, so hear it|They let me live, their mistake|I have last night's result]. "
        "I checked {a}, and {a} is {held}.",
        "[As the Seer, I have more|One more look|A second look and a better one|There's news "
        "from my night]: I looked at {a}, and {a} is {held}.",
        "~blunt Last night I checked {a}: {held}. [Work with that|You know what to do].",
    ),
    "news_clean": (
        "[Another night, another look|I've been awake again|My lamp burned again]. Last night I "
        "looked at {a}, and {a} is {held}.",
        "[I'm still here, so hear it|I have last night's result|No great find, but a sure one]. I "
        "checked {a}, and {a} is {held}.",
        "[As the Seer, I have more|One more look|There's news from my night]: I looked at {a}, "
        "and {a} is {held}.",
        "~blunt Last night I checked {a}: {held}. [One less to fear|Next].",
    ),
    "counter_report_found": _RIVAL,
    "counter_report_clean": _RIVAL,
    "turn_found": _TURN,
    "turn_clean": _TURN,
    "repeat_found": _REPEAT,
    "repeat_clean": _REPEAT,
    "rival_found": (
        "<not-seer>, and I know it [better than anyone|for certain|first-hand]. I looked at {a}, "
        "and {a} is {held}.",
        "There's [one|only one|just the one] Seer, and {x} isn't the Seer. I checked {a}, and {a} "
        "is {held}.",
        "{x} tells it [nicely|well|smoothly], but <not-seer>. I looked at {a}, and {a} is {held}.",
    ),
    "rival_clean": (
        "<not-seer>, and I know it [better than anyone|for certain|first-hand|from my own night].",
        "There's [one|only one|just the one] Seer, and {x} [isn't the Seer|is not the Seer][, and "
        "I should know|, however well it's told|, whatever you hear from that chair].",
        "I can't [prove it to you|make you believe it|show you my dreams], but <not-seer>.",
        "~wry What a [vivid|busy|lively] imagination, {x}, and yet <not-seer>.",
        "~blunt <not-seer>, [period|I'd know|no discussion|and that's all].",
    ),
}
