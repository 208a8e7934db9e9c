"""Answers to others. See `agents.house.phrasing` for how phrases are written."""

from __future__ import annotations

REPLIES: dict[str, tuple[str, ...]] = {
    "rebut_mason": (
        "{x}, {y} has spoken for me and I for {y}. [What more do you want|What else can a "
        "Mason do|Is that not enough|What's missing]?",
        "{x}, that [breath|speech|effort] is wasted on me; {y} knows it and I know it.",
        "To get rid of me, {x}, you'd have to get past {y} as well. [Do you dare?|Good luck.|"
        "Think it over.|I wish you joy.]",
        "[Ask|Go and ask] {y}, {x}: [we stand or fall together|there are two of us in this|I'm "
        "half of a pair].",
    ),
    "rebut_seer": (
        "{x}, [think|consider|ask yourself] who [profits|gains|sleeps better] when the one "
        "with the vision is [silenced|gone|shouted down].",
        "[Throw me out|Get rid of me|Send me away], {x}, and you throw out the only hard fact "
        "of this night.",
        "{x}, I could have [stayed quiet|kept my mouth shut|sat still]. I spoke, and this is "
        "[the thanks|what I get|my reward].",
        "That's what I'd expect from whoever [fears|dreads|can't stand] my vision, {x}.",
        "[Of course|Naturally], {x}: [shoot the messenger|first the vision, then the vote|speak "
        "up, and you get the blame].",
    ),
    "rebut_report_other": (
        "{x} names me as one of two[. I know my half of that: it isn't me|, and I know my "
        "half: it isn't me|, and it isn't me]. [So it [has to|must] be {y}|That leaves {y}|So "
        "it's {y}].",
        "I'm not the Werewolf, so {x}'s pair has only one name left in it: [it's|it must be|it "
        "has to be] {y}.",
        "I can [solve|crack|answer] half of {x}'s riddle: I'm not the Werewolf, so [it must be|"
        "it's|it has to be] {y}.",
        "~wry Fifty-fifty, says {x}, and I [happen to|do] know the coin: [it's|it has to be|it "
        "must be] {y}.",
        "From where I sit it's [simple|easy|no riddle|plain]: {x} named two, and I'm not the "
        "Werewolf[. It's|. It must be|, so it has to be|, so it must be] {y}.",
        "[Of the two|Of that pair], I know one from the inside, {x}: I'm not the Werewolf[. "
        "It's|. It must be|, so it has to be|, so it's] {y}.",
        "[Half of that vision|One of those names] is me, {x}, and I'm not the Werewolf, so "
        "[that leaves|it has to be|it must be] {y}.",
    ),
    "rebut_report_open": (
        "{x} puts me in a pair with {y}. I can only [swear|promise you|tell you] that I'm not "
        "the Werewolf, [and ask how sure {x} can be|and wonder about that vision|and leave the "
        "rest to you].",
        "So {x} claims to have looked at me. Either that vision is invented or {y} has some "
        "explaining to do, since I'm not the Werewolf.",
        "I don't [like|enjoy|care for] being half of {x}'s riddle. I'm not the Werewolf, [I "
        "can tell you that much|that's all I know|and that's the half I can solve].",
        "Me or {y}, says {x}. I'm not the Werewolf; [the rest you have to work out|weigh it up "
        "yourselves|think twice about the rest].",
        "{x}, you've put my name in your mouth. I'm not the Werewolf; [ask {y} the same|see if "
        "{y} can say that as easily|now let {y} speak].",
        "I won't [panic|faint|tremble] because {x} had a dream. I'm not the Werewolf.",
    ),
    "rebut_report_lie": (
        "{x} names me and {y}. I know what I am and I know about {y}: <not-seer>.",
        "{x}'s vision can't be right, because neither {y} nor I could be the one. <not-seer>.",
        "That [settles|decides] {x} for me. {y} and I are both out of the question, so <not-seer>.",
        "Wrong, and I know it for certain: not {y}, not I. <not-seer>.",
    ),
    "thanks_clean": (
        "[Well|So|Good], {x} leaves me in peace, [and I know that much of it is right|and as "
        "far as I'm concerned the vision holds|and on that point I can't complain|and that "
        "part I can sign].",
        "{x}, what you saw of me is [what I am|the truth|right][. That [speaks for you|counts "
        "for something|helps your case|sits well with me]|, and that [speaks for you|counts "
        "for something|helps your case]].",
        "About me {x} got it right, [so I'm inclined to listen|which makes me listen|and "
        "that's a start|so my ears are open|which nobody else has managed].",
        "I can [vouch for|sign|confirm|speak for] half of {x}'s vision, [my half|the half "
        "that's me|namely mine][, and the rest may follow|, at any rate|].",
        "{x} says I'm clean, and so I am[, thank you|, for the record|, whatever follows|].",
        "Since {x} got me right, I see [no|little] reason to doubt the [rest|other half|"
        "remainder][ of it|].",
        "[My own part of it|The part about me|What concerns me] [is right|fits|checks out], "
        "{x}, [so go on|and I'll remember that|and that makes me listen|for what it's worth].",
    ),
    "partner_again": (
        "{x}, [as I said|once more|you've heard it, but again]: <masons y>.",
        "{x}, that's [no secret any more|been said]: <masons y>.",
    ),
    "deny_partner": (
        "{x} calls me a fellow Mason. I'm not a Mason, so [what is that about?|draw your own "
        "conclusions.|make of that what you will.|think about why.]",
        "Whatever {x} is playing at, leave me out of it: I'm not a Mason.",
        "[Sorry|No|Oh no|Not at all], {x}, I'm not a Mason. [Why would you say such a thing?|"
        "That story falls apart.|I don't know where you got that.|You must mean somebody else.]",
    ),
    "with_mason_speak": (
        "I [agree|can only agree] with {x}: [a known pair helps us all|two certain names are "
        "two fewer to guess|out with the pair|a pair can back each other up].",
        "{x} has a point, [a pair in the open can't be copied|two names we can build on would "
        "help|the pair has little to fear].",
    ),
    "against_mason_speak": (
        "I [disagree|don't agree|can't agree] with {x}: [a hidden pair can catch a liar|let "
        "the liars say Mason first|a trap works only while it's hidden].",
    ),
    "with_mason_wait": (
        "I [agree|can only agree] with {x}: [a hidden pair is a trap for liars|let a liar say "
        "Mason first|let the pair listen a while].",
        "{x} has a point, [a pair that keeps quiet can catch somebody|the pair can spring the "
        "trap later].",
    ),
    "against_mason_wait": (
        "I [disagree|don't agree|can't agree] with {x}: [two certain names now are worth more "
        "than a trap|three rounds are too short for hiding|what helps us is a known pair].",
    ),
}
