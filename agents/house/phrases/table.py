"""What the talk adds up to. See `agents.house.words` for how phrases are written."""

from __future__ import annotations

TABLE: dict[str, tuple[str, ...]] = {
    "two_seers": (
        "{x} and {y} both claim the Seer, and [only one of those can be true|there is one in the "
        "deck].",
        "[We have two Seers now|One Seer too many], {x} and {y}. [One of those nights is "
        "invented|Half "
        "of that is made of air].",
        "It's {x} against {y}: one saw something, the other is making it up. [I can't tell "
        "which|I go "
        "back and forth].",
        "Somebody is selling us a false night, {x} or {y}. [So far I couldn't say who|Whoever "
        "it is, "
        "it's well told].",
        "~careful Suppose {x} is honest, then {y} is not, and the other way round. Before we "
        "follow a "
        "vision, let's decide whose.",
        "~wry Two Seers, {x} and {y}, and between them they see one thing too many.",
        "{x} and {y}, look each other in the eye: only one of you was awake.",
        "One deck, one Seer, two people telling us about it: {x} and {y}.",
        "~warm I'd love to believe both of you, {x} and {y}. It can't be done.",
        "~blunt {x} or {y}. One lies. That's where I'd dig.",
    ),
    "seers_lean_first": (
        "Between {x} and {y} I believe {x}, who [came out first|didn't need to be pushed]. {y} "
        "only "
        "followed.",
        "{x} spoke up before {y} did. It's easier to copy a Seer than to be one, so I believe {x}.",
        "Two Seers, not equally good: {y} needed somebody to have the idea first. I believe {x}.",
        "Asked to choose between {x} and {y}, I believe {x}.",
        "I've weighed {y} against {x}, and [on the whole|with some doubt left] I believe {x}.",
        "~blunt Two Seers. I believe {x}.",
        "~wry {x} had the idea, {y} the echo. I believe {x}.",
    ),
    "seers_lean_second": (
        "{y} was first with a vision, yet I believe {x}; [it fits better with all the rest|it sits "
        "better with me].",
        "Being first isn't everything: between {y} and {x} I believe {x}.",
        "{y} was quick, {x} had to answer, and [an answer like that is hard to fake|outrage "
        "like that "
        "is hard to fake]. I believe {x}.",
        "Odd as it sounds, I believe {x}, who came second. Real Seers hesitate.",
        "~blunt Two Seers. I believe {x}.",
        "~careful Set {y}'s night beside {x}'s, and, by a small margin, I believe {x}.",
    ),
    "seer_disproved": (
        "{y} can't be the Seer, [I know enough to rule that out|what I know doesn't fit it], which "
        "speaks for {x}.",
        "Of our two Seers one is finished for me: {y} is not the Seer.",
        "I can settle one thing. {y} is not the Seer; what was said there can't be right.",
    ),
    "seer_impossible": (
        "{x} is not the Seer. I know [something|a thing or two] that doesn't fit that story.",
        "I'm sorry, but {x} can't be the Seer; the vision clashes with what I know for certain.",
    ),
    "three_seers": (
        "{x}, {y} and {z}, all of them Seers? Two of the three are telling fairy tales.",
        "Three Seers, {x}, {y} and {z}. [The night must have been crowded|That's two liars, and we "
        "know where to look for them].",
        "Three visions in one night, from {x}, {y} and {z}. [We'd be the best-watched village "
        "in the land|Busy skies].",
        "At this rate everyone is a Seer. {x}, {y}, {z}: pick one, and the other two are lying.",
        "{z} makes it three, after {x} and {y}. I don't mind a second Seer, but a third is greedy.",
        "~careful Three Seers means two false ones, and there are three in this game who'd lie "
        "about it. {x}, {y} and {z} hold most of them.",
        "~wry {x}, {y}, {z}. Does anybody not see in the dark?",
    ),
    "seers_overlap": (
        "{x} and {y} contradict each other, and yet {t} comes up in both visions.",
        "One thing strikes me: those two visions contradict each other, and still {t} is in "
        "both of "
        "them.",
    ),
    "seer_unopposed": (
        "Nobody has disputed {x}'s night so far. [If there were another Seer, we'd know by "
        "now|That "
        "counts for a lot].",
        "Three rounds, one Seer: nobody else claims what {x} claims. [I take that "
        "seriously|That tips "
        "it for me].",
        "I've waited for somebody to contradict {x}. Nobody has.",
        "{x}'s vision stands alone, and that's worth more with every round.",
    ),
    "seer_no_report": (
        "{x} claims to see at night and keeps the result back. [A Seer without a result is just a "
        "word|That doesn't help anybody].",
        "A Seer who doesn't say what the night showed, {x}? [I'd like the two names|Let's hear "
        "it].",
    ),
    "seer_doubted": (
        "{x}'s look at {a} and {b} comes [very|a little too] handy. I'd want more than a word "
        "for it.",
        "I can't bring myself to build on {x}'s vision yet.",
        "[I wouldn't hang anyone|Let's not hang anyone] on {x}'s word alone.",
    ),
    "report_splits": (
        "If {x} saw right, it's {a} or {b}, and [the rest of us are spared|all else is noise].",
        "If we take {x} at their word, [it comes down to {a} or {b}|we only have to choose between "
        "{a} and {b}].",
        "Assume {x} is honest: then it lies between {a} and {b}, [a coin toss with a village at "
        "stake|and I'd like to hear both of them sweat].",
        "{x}'s look at {a} and {b} is the [only|one] hard thing we have[|, if it's real].",
        "~careful Assume {x} speaks the truth, and five of us are free at one stroke. If not, then "
        "{x} is the one to ask. Either way we've learned something.",
        "~warm {x}, that took courage, if it's true. {a} and {b}, now would be the time to talk.",
        "~wry So, {a} or {b}, if {x} isn't dreaming. [I've had worse odds|I'd not want to be "
        "either].",
        "{a} or {b}, says {x}. [I'd like both of you to speak to that|One of you two should be "
        "nervous].",
        "I'd like to hear {a} and {b} on what {x} says.",
        "Suppose {x} has it right. Then the rest of us can stop squinting at each other and "
        "think about {a} and {b}.",
        "~blunt {x} gives us {a} or {b}. Fine. A start.",
    ),
    "report_clears": (
        "If {x} saw right, {a} and {b} can be left in peace.",
        "{x}'s look takes {a} and {b} off the list, as long as we believe {x}.",
        "If that's true, {x}, then it isn't {a} and it isn't {b}, [which narrows it "
        "nicely|which leaves "
        "few enough].",
        "~careful A clean pair is a cheap thing to claim, {x}. It costs nobody anything.",
        "~wry {x} has washed {a} and {b} whiter than white. [Handy for them|Lucky them].",
        "Two fewer to worry about, {a} and {b}, provided {x} is real.",
        "I'd like {x} to be honest, since it makes {a} and {b} people to work with.",
        "~warm That's a relief for {a} and {b}, {x}, if it's true.",
    ),
    "masons_known": (
        "{x} and {y} vouch for each other, [and that pair I believe|and it holds together]. "
        "Let's look "
        "at the rest.",
        "The Masons are on the table, {x} and {y}. [That's solid ground|So we know two, at least].",
        "With {x} and {y} out in the open as Masons, the circle is smaller.",
        "{x} and {y} back each other up. I won't look there.",
        "I accept {x} and {y} as the Masons; it would be a risky thing for two liars to try.",
        "~careful For {x} and {y} to be lying, both would have to lie together. I think that's "
        "unlikely.",
        "~warm {x}, {y}, it's good to have two people one can lean on.",
    ),
    "many_masons": (
        "Count the Masons: {x}, {y}, {z}. [There are only two in the deck|The sum doesn't work].",
        "{x}, {y} and {z} can't all be Masons. [One stole the apron|Somebody helped themselves].",
    ),
    "expose_mason": (
        "{x} claims to be a Mason. I know both Masons, and {x} is no Mason.",
        "{x} is not a Mason. [There are two of us, and I can count|I should know].",
        "I know who the Masons are, {x}, and you are not a Mason.",
        "{x} is no Mason. That apron is stolen, and I know from whom.",
        "Nice try, {x}, but the two Masons know each other. You are no Mason.",
    ),
    "companion_denied": (
        "{x} named {y} as the other Mason, yet {y} tells another story. [One of them is making it "
        "up|They can't both be right].",
        "{x} says {y} belongs to the Masons; {y} says something else. That doesn't add up.",
    ),
    "companion_open": (
        "{x} has named {y} as the other Mason. {y}, is that so?",
        "Everything hangs on {y} now: are you what {x} says you are, {y}?",
        "{y}, {x} says you're the other Mason. Are you?",
        "So {x} brings in {y}. Would you back that up, {y}?",
        "A pair is easy to test: {y}, do you stand by {x}?",
    ),
    "companion_silent": (
        "{x} named {y} as a partner, and {y} has let it pass without a word. [Strange for a "
        "Mason|I'd "
        "expect a nod].",
        "Why doesn't {y} say a word about what {x} said? [A Mason would jump at it|I'm waiting].",
    ),
    "villagers_with_me": (
        "I know I'm telling the truth about being a Villager, so {x} and {y} can't both be.",
        "{x} says Villager, {y} says Villager, and so do I. There are two in the deck, and I "
        "know which "
        "one is real.",
        "One Villager besides me, no more. So [either {x} or {y}|one of {x} and {y}] has put on a "
        "costume.",
        "Let me do the sum from my side: I'm one Villager, so of {x} and {y} only one is real.",
        "It bothers me that {x} and {y} both took my role. One of you may have it, not both.",
        "Both {x} and {y} say they're what I am. That's one too many.",
        "~wry {x}, {y} and I can't all be the other Villager. I've checked.",
    ),
    "many_villagers": (
        "{x}, {y}, {z}: all Villagers? There are two. [Somebody is hiding in the crowd|It's the "
        "favourite coat of every liar].",
        "Three Villagers, {x}, {y} and {z}, for two places. [The cheapest lie there is|Somebody "
        "squeezed "
        "in].",
        "Villager is popular today, {x}, {y} and {z} all say so. At most two of you are.",
        "I count {x}, {y} and {z} as Villagers, and the deck has two. [That's arithmetic|You "
        "don't need a Seer for that].",
        "If {x}, {y} and {z} all told the truth we'd have one Villager too many.",
        "Of {x}, {y} and {z}, somebody knows perfectly well that the third chair isn't theirs.",
        "~wry Villagers {x}, {y} and {z}. The hamlet is growing.",
        "~careful {x}, {y}, {z}: two of these claims can stand. Not three.",
    ),
    "crowd": (
        "That makes {n} of you on {t}. [I'd feel better if it weren't so easy|It can't all be "
        "chance].",
        "{n} voices against {t} by my count.",
        "With {n} of you on {t}, [it's nearly decided|the rest can do their sums].",
        "{t} has {n} of you to answer to.",
        "I count {n} against {t}. [Let's be sure|Let's not sleepwalk into it].",
    ),
    "tanner_warn": (
        "Careful: {t} might be the Tanner. [Somebody who wants the rope shouldn't get it|This "
        "is too "
        "easy].",
        "What if {t} is enjoying this? {t} could be the Tanner.",
        "{t} invites it so openly that {t} might be the Tanner.",
    ),
    "spare": (
        "{x}, I don't see it: {y} is not the Werewolf, if you ask me.",
        "{x}, leave that. I trust {y}.",
        "I can't follow you there, {x}. I trust {y} [more than most|so far].",
        "{x}, you've picked the wrong door. I trust {y}.",
        "No, {x}, not {y}. I trust {y} more than I trust that argument.",
        "~warm Be fair, {x}. I trust {y}.",
    ),
    "spare_cleared": (
        "{x}, [don't forget|think back to] what {z} saw. I trust {y}.",
        "{z} has looked at {y}, {x}, and found nothing. I trust {y}.",
        "Why {y}, {x}? After {z}'s vision I trust {y}.",
    ),
    "spare_mason": (
        "{x}, {y} and {z} vouch for each other as Masons. I trust {y}.",
        "Two Masons stand against that, {x}. With {z} at the other end, I trust {y}.",
    ),
    "no_seer_yet": (
        "We still have no Seer. [Whoever saw something should speak now|It's getting late for "
        "secrets]"
        ". The Seer should talk.",
        "The Seer should come forward now, [the time for modesty is over|or the night was for "
        "nothing].",
        "I miss a voice at this table. The Seer should speak before we guess our way into a grave.",
        "One of us looked at two people last night and is still silent. The Seer should speak.",
        "What are we saving the vision for? The Seer should tell us now.",
        "~wry Somebody here has good eyes and no tongue. The Seer should speak.",
    ),
    "seer_speak": (
        "If you ask me, the Seer should speak [right away|early], so that we can test the story.",
        "I'd say the Seer should come out soon: [a vision nobody hears helps nobody|three "
        "rounds are "
        "short].",
    ),
    "seer_wait": (
        "I think the Seer should wait [a little|a round], and let the rest of us talk first.",
        "My advice: the Seer should stay hidden for a while, [and listen who lies|so that the "
        "liars "
        "commit themselves].",
    ),
    "with_seer_speak": (
        "I agree with {x}: [better a vision now than a legend later|out with it, whoever it is].",
        "{x} has a point, [waiting only gives the liars time|we have three rounds, not ten].",
    ),
    "against_seer_speak": (
        "I disagree with {x}: whoever sees at night shouldn't be rushed [into the open|out of "
        "bed].",
        "I don't agree with {x}; call for a Seer and [you'll get two|every liar feels invited].",
    ),
    "with_seer_wait": (
        "I agree with {x}, [let the talkers talk first|patience will show us who is nervous].",
        "{x} has a point: [a quiet Seer hears more|first the stories, then the proof].",
    ),
    "against_seer_wait": (
        "I disagree with {x}: waiting helps only one of us, and not us.",
        "I disagree with {x}. A vision that comes too late is [worth nothing|just a sad story].",
        "I don't agree with {x}. [Three rounds go by quickly|Secrets spoil].",
    ),
    "masons_speak": (
        "The Masons should speak up early; [two certain names would help us all|it shrinks the "
        "circle].",
        "We could use two certain names. The Masons should talk to us.",
    ),
}
