"""What is made of those who say they saw something. See `agents.house.phrasing`."""

from __future__ import annotations

SEERS: dict[str, tuple[str, ...]] = {
    "two_seers": (
        "{x} and {y} both [claim|want to be|call themselves|say they are] the Seer, and [only "
        "one of those can be true|there is one in the deck|one of them borrowed it|the deck "
        "has one|one of them slept all night|one of those is stolen].",
        "[We have two Seers now|One Seer too many|Two Seers at one table|That's a pair of "
        "Seers|Two Seers, then], {x} and {y}[. [One of those nights|One vision of the two|Half "
        "of that] is [invented|air|a story|fiction|painted]|, and [I'd love to know which "
        "night was real|somebody was asleep|one of them is selling us air|one is a forgery]].",
        "It's {x} against {y}: one [saw something|was awake|tells the truth], the other [is "
        "making it up|dreamed it|wrote a story][, and [I can't tell which|I go back and forth|"
        "I'm still weighing it|I wish I knew]|].",
        "Somebody is [selling us|telling us|serving us] a [false|made-up|borrowed] night, {x} "
        "or {y}[, and [so far I couldn't say who|it's well told|I haven't decided|one more "
        "round may show it]|].",
        "~careful Suppose {x} is honest, then {y} is not, and the other way round[. Before we "
        "follow a vision, let's decide whose|. Both can't stand|. Let's weigh them first|].",
        "~wry Two Seers, {x} and {y}, and between them they see double.",
        "{x} and {y}, look each other in the eye: only one of you [was awake|saw anything|has "
        "that card|was up last night].",
        "One [deck|night|village|table], one Seer, two people [telling us about it|fighting "
        "for it|who want it]: {x} and {y}.",
        "~warm I'd [love|like|want] to believe both of you, {x} and {y}[. It can't be done|, "
        "and it isn't possible|, and it won't work|].",
        "~blunt {x} or {y}. [One lies. That's where I'd [dig|start|push]|One is made up|One of "
        "you stole it|Pick one].",
        "[A vision here, a vision there|Two nights that don't fit|Visions in stereo|Two "
        "stories of one night|A vision and its shadow]: {x} [and|against|versus] {y}[, and one "
        "deck|, and we have to pick|. We must choose between them|, one real, one not|].",
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
        "[night|vision|look] so far[, and [with another Seer about, we'd know [by now|it]|that "
        "counts for [a lot|something]|a rival would have [spoken|shouted]|I find that telling]|"
        "].",
        "[Three rounds, one Seer|One Seer in all this time|Still only one Seer|One vision, no "
        "rival|No second Seer so far]: nobody else claims what {x} claims[, and [I take that "
        "seriously|that tips it for me|that's worth something|it makes me listen|I don't "
        "ignore that]|].",
        "I've [waited for|expected|kept an ear out for|been listening for] somebody to "
        "contradict {x}[, and [nobody has|nobody did|there's not a peep|it never came|I'm "
        "still waiting]|. [Silence|Nothing came|Not a soul did]].",
        "{x}'s [vision|story|night] stands alone, and that's worth more [with every|each] "
        "round[. I won't ignore it|, since a false one would have drawn fire|, as I see it|, "
        "and we're late in the day|].",
        "[The silence around|The quiet around|The lack of protest at] {x}'s [vision|night|"
        "story] [speaks for itself|tells me something|is an argument|is hard to ignore|says "
        "enough|is worth a thought].",
        "[Whoever really saw something|A second Seer|The true owner of that role|A real rival] "
        "would have [objected|shouted|protested|stood up] [by now|long ago], and {x} [goes "
        "unchallenged|meets no rival|stands there alone|sits there undisturbed].",
        "Had {x} [made that up|stolen that role|borrowed that night|painted it], somebody "
        "would have [said so|objected|cried out|jumped up] [by now|long ago|in the meantime].",
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
        "If {x} [saw right|is real|speaks the truth|didn't dream it|is to be believed], {a} "
        "and {b} can [be left in peace|breathe|rest easy|step out of the line|put their feet "
        "up|go and have a drink][, and [that helps|it gets simpler|the rest of us can sweat|we "
        "have fewer doors to try]|].",
        "{x}'s [look|vision|night] [takes|puts|moves|lifts] {a} and {b} [off the list|out of "
        "the firing line|to one side|out of the mud], [as long as|provided|assuming] [we "
        "believe {x}|it's real|that night was real].",
        "If that's [true|right|how it was|what happened], {x}, then it isn't {a} and it isn't "
        "{b}, [which [narrows it nicely|leaves few enough|makes five]|and [that's a help|"
        "that's something|I'd gladly believe it]|so [we look elsewhere|on to the rest]].",
        "~careful [A clean pair is a cheap thing to claim|It's cheap to call two people clean|"
        "Anyone can hand out clean names|Clean names are easy to give|Two clean names are soon "
        "said], {x}, [and it costs nobody anything|and it can't be tested|it makes friends, at "
        "least|so I take it with salt|and nobody will object|which is worth knowing|and I keep "
        "that in mind|and a liar might do just that].",
        "~wry {x} has [washed|scrubbed|rinsed] {a} and {b} [whiter than white|very thoroughly|"
        "behind the ears][, handy for them|, lucky them|, free of charge|, and they look it].",
        "[Two fewer|Two names less|A pair less|Two people less] to [worry about|argue over|"
        "watch|squint at], {a} and {b}, [provided|as long as|if] {x} is [real|awake|what we're "
        "told].",
        "I'd [like|want|love|need] {x} to be honest, since it makes {a} and {b} people to "
        "[work with|lean on|talk to|sit beside|drop from the list].",
        "~warm That's a relief for {a} and {b}, {x}, if it's [true|right|so][, and I'm glad "
        "for them|, bless them both|, and I hope it is|].",
        "[With|Given|After] {x}'s [look|vision|night], {a} and {b} [drop out|move down the "
        "list|are spared for now|can wait|fade from view], if we [buy it|take it as real|"
        "follow it|trust it|swallow it].",
        "[I'll|Let's|We could|We should] [set|leave|put] {a} and {b} aside [for now|for a "
        "while|for the moment], if {x}'s [night|vision|look] [holds|is sound|survives|stands].",
    ),
}
