"""What is made of those who say they saw something. See `agents.house.words`."""

from __future__ import annotations

SEERS: dict[str, tuple[str, ...]] = {
    "two_seers": (
        "{x} and {y} both [claim|want to be|call themselves] the Seer, and [only one of those "
        "can be true|there is one in the deck|one of them borrowed it|the deck has one].",
        "[We have two Seers now|One Seer too many|Two Seers at one table|That's a pair of "
        "Seers], {x} and {y}. [[One of those nights|One vision of the two] is [invented|air|a "
        "story]|[Half of that|One half] is made of air|I'd love to know which night was real|"
        "Somebody was asleep].",
        "It's {x} against {y}: one saw something, the other is making it up. [I can't tell "
        "which|I go back and forth|Ask me later which|I wish I knew].",
        "Somebody is selling us a false night, {x} or {y}. [So far I couldn't say who|Whoever "
        "it is, it's well told|I haven't decided|One more round and we'll know].",
        "~careful Suppose {x} is honest, then {y} is not, and the other way round. Before we "
        "follow a vision, let's decide whose.",
        "~wry Two Seers, {x} and {y}, and between them they see one thing too many.",
        "{x} and {y}, look each other in the eye: only one of you was awake.",
        "One [deck|night|village], one Seer, two people telling us about it: {x} and {y}.",
        "~warm I'd love to believe both of you, {x} and {y}. It [can't be done|isn't possible|"
        "won't work].",
        "~blunt {x} or {y}. One lies. That's where I'd [dig|start|push].",
        "[A vision here, a vision there|Two nights that don't fit|Visions in stereo]: {x} [and|"
        "against] {y}[, and one deck|, and we have to pick|. We must choose between them].",
    ),
    "seers_lean_first": (
        "Between {x} and {y} I believe {x}, who [came out first|didn't need to be pushed|had "
        "nobody to copy]. {y} only [followed|came after|answered].",
        "{x} spoke up before {y} did. It's easier to [copy|play|imitate] a Seer than to be "
        "one<so> <trust x>.",
        "Two Seers, not equally [good|solid|sound]: {y} needed somebody to have the idea "
        "first. <trust x>.",
        "Asked to choose between {x} and {y}, <trust x>.",
        "I've weighed {y} against {x}, and [on the whole|with some doubt left|by a margin], "
        "<trust x>.",
        "~blunt Two Seers. <trust x>.",
        "~wry {x} had the idea, {y} the echo. <trust x>.",
    ),
    "seers_lean_second": (
        "{y} was first with a vision, yet <trust x>; [it fits better with all the rest|it sits "
        "better with me|the story holds better].",
        "Being first isn't everything: between {y} and {x}, <trust x>.",
        "{y} was quick, {x} had to answer, and [an answer|outrage|a reply] like that is hard "
        "to [fake|play]. <trust x>.",
        "Odd as it sounds, <trust x>, who came second. Real Seers hesitate.",
        "~blunt Two Seers. <trust x>.",
        "~careful Set {y}'s night beside {x}'s, and, by a small margin, <trust x>.",
    ),
    "seer_disproved": (
        "{y} can't be the Seer, [I know enough to rule that out|what I know doesn't fit it], "
        "which speaks for {x}.",
        "Of our two Seers one is finished for me: {y} is not the Seer.",
        "I can settle one thing. {y} is not the Seer; what was said there [can't be right|"
        "doesn't hold|doesn't fit].",
    ),
    "seer_impossible": (
        "{x} is not the Seer. I know [something|a thing or two|enough] that doesn't fit that "
        "story.",
        "I'm sorry, but {x} can't be the Seer; the vision [clashes|quarrels|doesn't fit] with "
        "what I know for certain.",
    ),
    "three_seers": (
        "{x}, {y} and {z}, all of them Seers? Two of the three are telling [fairy tales|"
        "stories|tales].",
        "Three Seers, {x}, {y} and {z}. [The night must have been crowded|That's two liars, "
        "and we know where to look for them|Two of those beds were never left].",
        "Three visions in one night, from {x}, {y} and {z}. [We'd be the best-watched village "
        "in the land|Busy skies|Two of them are painted].",
        "At this rate everyone is a Seer. {x}, {y}, {z}: pick one, and the other two are lying.",
        "{z} makes it three, after {x} and {y}. I don't mind a second Seer, but a third is "
        "[greedy|too much|a joke].",
        "~careful Three Seers means two false ones, and there are three in this game who'd lie "
        "about it. {x}, {y} and {z} hold most of them.",
        "~wry {x}, {y}, {z}. Does anybody not see in the dark?",
    ),
    "seers_overlap": (
        "{x} and {y} contradict each other, and yet {t} comes up in both [visions|nights|stories].",
        "One thing strikes me: those two visions contradict each other, and still {t} is in "
        "both of them.",
    ),
    "seer_unopposed": (
        "[Nobody|No one|Not one of us] has [disputed|contested|challenged|questioned] {x}'s "
        "[night|vision|look] so far. [[If there were another Seer|With another Seer about], "
        "we'd know [by now|it]|That counts for [a lot|something]|A rival would have [spoken|"
        "shouted]|I find that telling].",
        "[Three rounds, one Seer|One Seer in all this time|Still only one Seer]: nobody else "
        "claims what {x} claims. [I take that seriously|That tips it for me|That's worth "
        "something|It makes me listen].",
        "I've [waited for|expected|kept an ear out for] somebody to contradict {x}. [Nobody "
        "has|Nobody did|Not a peep|Silence|It never came].",
        "{x}'s [vision|story|night] stands alone, and that's worth more [with every|each] "
        "round[. I won't ignore it|. A false one would have drawn fire|].",
        "[The silence around|The quiet around|The lack of protest at] {x}'s [vision|night] "
        "[speaks for itself|tells me something|is an argument|is hard to ignore|says enough].",
        "[Whoever really saw something|A second Seer|The true owner of that role] would have "
        "[objected|shouted|protested] [by now|long ago], and {x} [goes unchallenged|meets no "
        "rival|stands there alone].",
        "Had {x} [made that up|stolen that role|borrowed that night], somebody would have "
        "[said so|objected|cried out] [by now|long ago].",
    ),
    "seer_no_report": (
        "{x} claims to see at night and keeps the result back. [A Seer without a result is "
        "just a word|That doesn't help anybody|I'd like the rest of it].",
        "A Seer who doesn't say what the night showed, {x}? [I'd like the two names|Let's hear "
        "it|Names, please].",
    ),
    "seer_doubted": (
        "{x}'s look at {a} and {b} comes [very|a little too|rather] handy. I'd want more than "
        "a word for it.",
        "I can't bring myself to build on {x}'s vision [yet|so far|just like that].",
        "[I wouldn't hang anyone|Let's not hang anyone] on {x}'s word alone[, not on that|].",
    ),
    "report_splits": (
        "If {x} [saw right|tells the truth|is real], it's {a} or {b}, and [the rest of us are "
        "spared|all else is noise|we can stop looking elsewhere].",
        "If we take {x} at their word, [it comes down to {a} or {b}|we only have to choose "
        "between {a} and {b}].",
        "Assume {x} is honest: then it lies between {a} and {b}, [a coin toss with a village "
        "at stake|and I'd like to hear both of them sweat].",
        "{x}'s look at {a} and {b} is the [only|one|first] hard thing we have[|, if it's real].",
        "~careful Assume {x} speaks the truth, and five of us are free at one stroke. If not, "
        "then {x} is the one to ask. Either way we've learned something.",
        "~warm {x}, that took courage, if it's true. {a} and {b}, now would be the time to talk.",
        "~wry So, {a} or {b}, if {x} isn't dreaming. [I've had worse odds|I'd not want to be "
        "either].",
        "{a} or {b}, says {x}. [I'd like both of you to speak to that|One of you two should be "
        "nervous].",
        "I'd [like|want|love] to hear {a} and {b} on what {x} says.",
        "Suppose {x} has it right. Then the rest of us can stop squinting at each other and "
        "think about {a} and {b}.",
        "~blunt {x} gives us {a} or {b}. [Fine. A start|Good. Something|That's a start].",
    ),
    "report_clears": (
        "[If|As long as|Provided] {x} [saw right|is real|speaks the truth|didn't dream it], "
        "{a} and {b} can [be left in peace|breathe|rest easy|step out of the line].",
        "{x}'s [look|vision|night] [takes|puts|moves] {a} and {b} [off the list|out of the "
        "firing line|to one side], as long as we believe {x}.",
        "If that's true, {x}, then it isn't {a} and it isn't {b}, [which narrows it nicely|"
        "which leaves few enough|and that's a help|so we look elsewhere].",
        "~careful [A clean pair is a cheap thing to claim|It's cheap to call two people clean|"
        "Anyone can hand out clean names], {x}. It [costs nobody anything|can't be tested|"
        "makes friends, at least].",
        "~wry {x} has washed {a} and {b} [whiter than white|very thoroughly|behind the ears]. "
        "[Handy for them|Lucky them|Free of charge].",
        "[Two fewer|Two names less] to [worry about|argue over|watch], {a} and {b}, provided "
        "{x} is real.",
        "I'd [like|want] {x} to be honest, since it makes {a} and {b} people to [work with|"
        "lean on|talk to].",
        "~warm That's a relief for {a} and {b}, {x}, if it's true.",
        "[With|Given] {x}'s [look|vision], {a} and {b} [drop out|move down the list|are spared "
        "for now], if we [buy it|take it as real|follow it].",
    ),
}
