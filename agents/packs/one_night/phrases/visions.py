"""What a Seer, true or false, says of its night. See `agents.house.phrasing`."""

from __future__ import annotations

VISIONS: dict[str, tuple[str, ...]] = {
    "report_found": (
        "<seer><then><saw-wolf>.",
        "[Listen, this matters|Hear me out|This will change things|Sit down for this|I have "
        "[news|something for you]|Here is what I know|Stop guessing for a moment]: "
        "<seer><then><saw-wolf>.",
        "<seer>, and I won't [sit on it|keep it back|wait with this|hold it back]. <saw-wolf>.",
        "I have something better than a [feeling|hunch|guess]. <seer><then><saw-wolf>.",
        "<seer>. [I picked {a} and {b} for no clever reason, and was lucky|Call it luck, but I "
        "looked at {a} and {b}|With a dry mouth I looked at {a} and {b}]: <wolf>.",
        "~blunt <seer><then><saw-wolf>. [Work with that|Your turn|Use it|That's all I've got].",
        "~careful I [thought about|asked myself|weighed] when to say this. "
        "<seer><then><saw-wolf>, I just can't [tell you|say] which.",
        "~warm [Please believe me on this|Trust me with this one|I mean it, from the heart]: "
        "<seer><then><saw-wolf>.",
        "~wry I'd love to be [harmless|a nobody], but <seer><then><saw-wolf>.",
    ),
    "report_clean": (
        "<seer><then><saw-clean>.",
        "[Listen, this helps|Hear me out|A small gift|Some [good news|relief] for two of you|"
        "Here is what I know|I have something for you]: <seer><then><saw-clean>.",
        "<seer>, [and I'd rather say it now|so here it is|and this is my night]. <saw-clean>.",
        "<seer><then><saw-clean>. [That leaves five of you|So it must be one of the other five|"
        "Five of you are left|Look among the other five|Two fewer to fear].",
        "~blunt <seer><then><saw-clean>. [Moving on|Next|Use it|That's all].",
        "~careful I [thought about|asked myself|weighed] when to say this. "
        "<seer><then><saw-clean>. They could be [other|lesser] things, mind[, just not that "
        "one|].",
        "~warm I'm [glad|happy|pleased] I can say something [kind|nice|good][. |, |: "
        "]<seer><then><saw-clean>.",
        "~wry <seer>, and I wasted my night on [decent|dull|respectable] people. <saw-clean>.",
    ),
    "counter_report_found": (
        "[That's not so, and I can prove it|Now I have to speak|I can't let that stand|Enough "
        "of this theatre|That story is stolen]: <not-seer>, because I'm the Seer. <saw-wolf>.",
        "<not-seer>. <seer><then><saw-wolf>.",
        "I was going to [wait|stay quiet|keep still], but I won't let {x} [have|take|keep|"
        "wear] my role. <seer><then><saw-wolf>.",
        "~wry How [nice|sweet|charming], {x} has borrowed my [job|role|night]. "
        "<seer><then><saw-wolf>.",
        "~blunt <not-seer>. I am. <seer><then><saw-wolf>.",
    ),
    "counter_report_clean": (
        "[That's not so, and I know it|Now I have to speak|I can't let that stand|Enough of "
        "this theatre|That story is stolen]: <not-seer>, because I'm the Seer. <saw-clean>.",
        "<not-seer>. <seer><then><saw-clean>.",
        "I was going to [wait|stay quiet|keep still], but I won't let {x} [have|take|keep|"
        "wear] my role. <seer><then><saw-clean>.",
        "~wry How [nice|sweet|charming], {x} has borrowed my [job|role|night]. "
        "<seer><then><saw-clean>.",
        "~blunt <not-seer>. I am. <seer><then><saw-clean>.",
    ),
    "turn_found": (
        "I owe you [the truth|an apology|something]: I'm not a Villager. <seer><then><saw-wolf>.",
        "I take it back, I'm not a Villager. I [hid|kept low|said so] because I was [afraid|"
        "scared|careful]. <seer><then><saw-wolf>.",
        "Forget what I said [at first|before|about that]; I'm not a Villager. "
        "<seer><then><saw-wolf>.",
        "I lied [at first|before], and I'm sorry: I'm not a Villager. <seer><then><saw-wolf>.",
        "Time to drop the mask. I'm not a Villager. <seer><then><saw-wolf>.",
    ),
    "turn_clean": (
        "I owe you [the truth|an apology|something]: I'm not a Villager. <seer><then><saw-clean>.",
        "I take it back, I'm not a Villager. I [hid|kept low|said so] because I was [afraid|"
        "scared|careful]. <seer><then><saw-clean>.",
        "Forget what I said [at first|before|about that]; I'm not a Villager. "
        "<seer><then><saw-clean>.",
        "I lied [at first|before], and I'm sorry: I'm not a Villager. <seer><then><saw-clean>.",
        "Time to drop the mask. I'm not a Villager. <seer><then><saw-clean>.",
    ),
    "repeat_found": (
        "[I'll say it [once more|again]|I stand by [every word|all of it]|Nothing has changed|"
        "My night is still what it was|It's the same as before]: <saw-wolf>.",
        "Doubt me [as much as you like|all you want], but <saw-wolf>.",
        "[Everything|All] I [have|know|can give you] is on the table. <saw-wolf>.",
        "[Forget the rest and keep this|Keep this one thing in mind|Of all you've heard, keep "
        "this]. <saw-wolf>.",
    ),
    "repeat_clean": (
        "[I'll say it [once more|again]|I stand by [every word|all of it]|Nothing has changed|"
        "My night is still what it was|It's the same as before]: <saw-clean>.",
        "Doubt me [as much as you like|all you want], but <saw-clean>.",
        "[Please don't|Don't] waste [the|your|a] vote on my [two|pair]. <saw-clean>.",
        "[Forget the rest and keep this|Keep this one thing in mind|Of all you've heard, keep "
        "this]. <saw-clean>.",
    ),
    "rival_found": (
        "<not-seer>, and I know it [better than anyone|for certain|first-hand][. But |, but "
        "]mind the order of things: my [look|night] was {a} and {b}, and the Wolf is between "
        "them.",
        "There's [one|only one|just the one] Seer, and {x} isn't the Seer[. |; ][don't [waste|"
        "spend] the vote there, though|but leave that for tomorrow|that can wait]; I looked at {a} "
        "and {b}, and one of them is the Werewolf.",
        "<not-seer>. Whatever {x} is, [the one we want|the one we are after|the one to catch] is "
        "{a} or {b}.",
        "Only one of us two was awake [last night|that night], {x}, and it was me[. |; ]I looked "
        "at {a} and {b}, and one of the two is the Werewolf.",
        "<not-seer>. [That said|Still|All the same], one liar is not the one we hunt; I saw "
        "where to look, at {a} or at {b}.",
        "{x} tells it [nicely|well|smoothly], but <not-seer>. I looked at {a} and {b}, and "
        "the Werewolf is one of the two.",
    ),
    "rival_clean": (
        "<not-seer>, and I know it [better than anyone|for certain|first-hand|from my own "
        "night][, so [ask yourselves who needs|think about who profits from|wonder who wants] "
        "a second vision|. [Ask yourselves who needs|Just think who profits from|I leave you "
        "to guess who wants] a [second|rival|borrowed] vision].",
        "There's [one|only one|exactly one|just the one] Seer, and {x} [isn't the Seer|is not "
        "the Seer][, and I should know|, however well it's "
        "told|, whatever you hear from that chair|, not by a long way].",
        "[Only one of us two was awake [last night|that night]|One of us two [was up|sat up|"
        "kept watch] [in|through|half] the night|Two of us tell a night, and one of us had "
        "one], {x}, and it was me[, not you|, as you know|, and you know it|, that I promise|].",
        "<not-seer>. I [don't know|can't tell|can't see] what {x} gains by it, but I [can|"
        "could] [guess|take a guess|imagine|form a theory].",
        "I can't [prove it to you|show you any proof|make you believe it|show you my dreams], "
        "but <not-seer>[. I know where I was|. I was there, after all|, and time will show it|"
        "].",
        "One of us [slept soundly|slept well|dreamed it up|made it up over breakfast], {x}, "
        "and I didn't; <not-seer>[, not for a minute|, as far as I'm concerned|, I say it once "
        "more|, whatever the story].",
        "~wry What a [vivid|busy|lively] imagination, {x}[. Still, <not-seer>|, but <not-seer>|"
        ", and yet <not-seer>].",
        "~blunt <not-seer>, [period|believe it or don't|I'd know|no discussion|and that's all|"
        "whatever the crowd thinks].",
    ),
}
