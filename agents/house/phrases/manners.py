"""Suspicions of how somebody argues, with whom, or of nothing in particular.

Every one says plainly that {t} is suspected. See `agents.house.phrasing`.
"""

from __future__ import annotations

MANNERS: dict[str, tuple[str, ...]] = {
    "doubt_nothing": (
        "<suspect>, who [talked|spoke|went on] and [named nobody|committed to nothing|gave us "
        "nothing|left no trace|took no side].",
        "{t} spoke and [said nothing|told us nothing|gave nothing away]: no role, no name. <sus>.",
        "<suspect>; that was a [speech|turn|performance] with no [content|substance|weight] at "
        "all.",
        "[Who|Whom] has {t} helped so far? [Nobody|No one|None of us]. <sus>.",
        "Take away the [politeness|manners|padding|trimmings] and {t} has said nothing. <sus>.",
        "[Words without a name in them|A lot of air|Not one name, not one claim|Nice "
        "sentences, nothing inside]<so> <suspect>.",
        "[A name can be tested|A claim can be checked|A plain word can be held against you], and "
        "{t} gave us none. <sus>.",
    ),
    "doubt_flip": (
        "First {x}, then {y}: {t} [points wherever the wind blows|turns with the wind|changes "
        "targets like shirts|goes where the crowd goes]. <sus>.",
        "<suspect>, who dropped {x} for {y} without [much of a|any|a good] reason.",
        "How did {t} get from {x} to {y} so [fast|quickly|smoothly]? <sus>.",
        "The old target was {x}, the new one is {y}, and {t} "
        "[never said why|didn't explain|just moved on]. <sus>.",
        "[From {x} to {y} in one hop|{x} first, {y} after|{x}, then {y}, and tomorrow who "
        "knows]: <suspect>[, who can't stay with a thought|, first here, then there|, who "
        "tries every door|].",
    ),
    "doubt_echo": (
        "<suspect>, who [repeated|copied|borrowed|warmed up] what {x} had said about {y} and "
        "added [nothing|not a word|nothing new].",
        "{x} had [a thought|an idea|a theory] about {y}, and {t} just [borrowed|repeated|"
        "copied] it. <sus>.",
        "It's [easy|cheap|comfortable|safe] to [join|follow|echo] {x} against {y}[. Too easy|, "
        "too easy|, and that's the trouble|, and it costs nothing]: <suspect>.",
        "{t} [waited|held back] for {x} to name {y} and then [nodded along|chimed in|fell in "
        "line|joined the chorus]<so> <suspect>.",
        "[On {y}|About {y}], {t} [had|found|brought] [no word|nothing] that {x} hadn't [said|"
        "used] [before|already|first]<so> <suspect>.",
        "{x} [opened|found|kicked in] the door to {y}, and {t} [only|just|merely] [walked|"
        "strolled|slipped] [through|in behind]. <sus>.",
        "[Somebody else's finger|A second-hand opinion|A borrowed suspicion] is a [handy|"
        "comfortable|cosy] thing: {x} names {y}, {t} [follows|tags along|agrees], and "
        "<suspect>.",
    ),
    "doubt_early": (
        "<suspect>, who [went for|jumped at|picked on] {x} before there was anything to go on.",
        "{t} had a finger on {x} in the very first round. [On what|With which evidence|Based "
        "on what|How come]? <sus>.",
        "[Jumping at|Going for|Picking on] {x} that early, [on nothing|with nothing in hand|"
        "out of thin air]? <sus>.",
        "{t} [took no time|needed no facts|needed one breath] to [settle|land] on {x}, [too little "
        "for my taste|and nobody is that quick|and that was fast]. <sus>.",
        "[We'd hardly sat down|The first round had barely begun|Nobody knew a thing yet] when "
        "{t} [went for|turned on|named] {x}. <sus>.",
    ),
    "doubt_at_me": (
        "[Well|So|I see], {t} is after me, and I know how wrong that is. <sus>.",
        "I know I'm the wrong one, so why does {t} insist? <sus>.",
        "Of course I look twice at those who want me gone, and <suspect>.",
        "{t} wants me gone, and I'm no loss to the Wolf. <sus>.",
        "I can follow most of you, but not {t}, who picked me. <sus>.",
        "[Whoever is after me|Whoever picks me] is mistaken or worse, and {t} did pick me. <sus>.",
    ),
    "doubt_defender": (
        "<suspect>, who was very quick to [shield|cover|defend] {x}.",
        "Why does {t} shield {x}? <sus>.",
        "Somebody should ask {t} about that kindness toward {x}. <sus>.",
        "<suspect>; {x} hardly needed a [lawyer|nanny|nurse].",
    ),
    "doubt_agree": (
        "I agree with {x}, and [I [suspect|distrust|mistrust] {t} too|I'm wary of {t} as well|"
        "I don't trust {t} either|<suspect>].",
        "I'm with {x} [on this|there|here|in this][:|;| and] <suspect>.",
        "{x} has a point[, and <suspect>|: <suspect>|, and <suspect>|; I've thought it over, "
        "and <suspect>].",
        "{x} [took the words out of my mouth|said what I was thinking|got there before me|put "
        "into words what I felt|spared me the trouble|beat me to it]: <suspect>.",
        "~blunt {x} is right[, and |: |; ]<suspect>.",
        "[I've come round to|I keep thinking of|I can't get past|There's something in|I've tested] "
        "what {x} said, and <suspect>.",
        "[You've convinced me|You've won me over|You've got me there|You can count me in|I'll "
        "give you that|I follow you there], {x}: <suspect>.",
        "What {x} said [stayed with me|rings true|makes sense to me|hit home|won't leave me "
        "alone|struck a chord|tipped it for me]<so> <suspect>.",
        "~careful I [checked|searched|combed] {x}'s [argument|reasoning|case] for [holes|gaps|"
        "cracks] and found [none|hardly any][. <sus>|: <suspect>|, so <suspect>].",
        "[After hearing|Having heard|Thanks to] {x}[, I see it more clearly|, it falls into place|"
        ", I needn't look far]: <suspect>.",
        "{x} [isn't alone|has company|needn't stand alone] [with that|in that|there][, and "
        "<suspect>|: <suspect>|; <suspect>].",
        "[Listening to|Hearing] {x}, I [nodded|found myself nodding|thought the same|had to "
        "agree][, and <suspect>|: <suspect>|, for <suspect>].",
        "I [wasn't sure until|had my doubts until|was on the fence until] {x} spoke[, and now "
        "<suspect>|; by now <suspect>|, but <suspect>].",
        "~warm Well [said|spoken|put], {x}[, and |: |; ]<suspect>.",
        "~wry {x} and I [agree|see it alike], [mark the day|which worries me a bit|who'd have "
        "thought]: <suspect>.",
    ),
    "doubt_left_two": (
        "Take away everyone I can rule out, and two remain: {x} and {t}. <sus>.",
        "By my sums two people remain, {x} and {t}, and <suspect>.",
        "Everyone else has an answer. {x} and {t} don't, and of the two <suspect>.",
        "I end up with {x} and {t} every time I count, and <suspect>.",
        "Two open questions, {x} and {t}. <sus>.",
    ),
    "doubt_left_three": (
        "I'm down to three, {x}, {y} and {t}[. Of those <suspect>|, and of those "
        "<suspect>|; <suspect>].",
        "[Cross out|Take away|Strike] [what's settled|the ones I believe|the sure ones|whoever "
        "has an answer], and {x}, {y} and {t} [are left|remain|stay on the page]<so> <suspect>.",
        "Three names [remain|are left|still stand] on my list, {x}, {y} and {t}[, and "
        "<suspect>|; <suspect>].",
        "[Three people|Three of you] I can't [rule out|clear|let go of|place], {x}, {y}, {t}[, "
        "and <suspect>|; <suspect>].",
        "It's [among|between] {x}, {y} and {t} by now, [and|and here] <suspect>.",
        "Do the [crossing-out|counting|sums] yourselves, {x}, {y} and {t} [stay|remain|are "
        "left][; |, and ]<suspect>.",
        "[My list has shrunk to|I've narrowed it to|The circle comes down to|I keep ending up "
        "with|What's left is] {x}, {y} and {t}[, and <suspect>|; <suspect>|<so> <suspect>].",
    ),
    "doubt_confessed": (
        "{t} has [said it aloud|owned up to it], and I'd rather [believe it|take it as it stands] "
        "than "
        "be too clever<so> <suspect>.",
        "Whoever confesses [may be bluffing|may only want attention], but I [won't bet the village "
        "on "
        "it|take people at their word]. <sus>.",
        "[A confession is a confession|You all heard what {t} said]<so> <suspect>.",
        "{t} told us what we're looking for[. |, and ]nobody honest says such a thing. <sus>.",
    ),
    "doubt_silent": (
        "Not a word from {t} so far. <sus>.",
        "Somebody who says nothing all day? <sus>.",
        "I've been waiting to hear from {t}. The longer it lasts, the more I suspect {t}.",
        "Where is {t}'s voice in all this? <sus>.",
    ),
    "doubt_gut": (
        "[I can't prove it, but|Call it a feeling:|No proof, but|Nothing solid, but|Only my "
        "nose says so, but|Don't ask me why, but] <suspect>.",
        "Something in the way {t} spoke was too [smooth|round|polished|rehearsed]; <suspect>.",
        "I keep coming back to {t}, and [I don't trust {t}|<suspect>].",
        "If you ask me now, <suspect>. I may be [wrong|mistaken].",
        "<suspect>, <most>.",
        "~blunt <sus>.",
        "~careful It's thin, I know, but I suspect {t} a shade more than the rest.",
        "~wry My nose itches whenever {t} talks. <sus>.",
        "~warm I hope I'm [wrong|mistaken] about it, but <suspect>.",
    ),
}
