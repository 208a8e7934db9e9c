"""Suspicions of what somebody claims.

Every one says plainly that {t} is suspected, so that the others understand it. See
`agents.house.phrasing`.
"""

from __future__ import annotations

DOUBTS: dict[str, tuple[str, ...]] = {
    "own_look": (
        "Of my two, I suspect {t} [more than|rather than|and not so much] {y}.",
        "{t} or {y}, and [my [money|bet] is on|I'd look at|I have my eye on] {t}.",
        "[I'm wary of|I'd look at|I suspect|I don't trust] {t}; {y} [sounds "
        "calmer to me|I could live with|I mind less|sounds less like it].",
        "[My night left me with two names|I have a pair to choose from|It's a coin with two "
        "sides for me], {t} and {y}<so> <suspect>.",
        "~careful I can't separate my two with certainty, but I suspect {t} more.",
    ),
    "own_look_sure": (
        "{y} is out of the question by now, which means one thing: {t} is the Werewolf.",
        "It can't be {y}. So {t} is the Werewolf[, of that I'm sure|, plain and simple|].",
        "{y} I can rule out by now, so there's one left: {t} is the Werewolf.",
        "[Do the sum with me|One name drops out]: not {y}, so {t} is the Werewolf.",
    ),
    "doubt_reported": (
        "I believe {x}, and of those two I suspect {t} [more than|rather than|before] {y}[, "
        "[by a nose|as it stands|having listened to both|for the moment]|].",
        "{x}'s vision [leaves|gives us|points to] {t} and {y}, and [of the two |of that pair ||"
        "]<suspect>[, just by the tone|, going by the talk|, though it's close|, having heard "
        "them both|].",
        "Choosing from {x}'s pair, <suspect>[; {y} [sounds better to me|I could live with|"
        "seems calmer|can wait]|].",
        "<suspect>: what {x} saw fits there better than it fits {y}.",
        "[Going by|Following|Building on|Trusting] {x}, it's one of two, and <suspect>.",
        "{x} gave us two names[, and having [listened to|watched|weighed] both|; I've "
        "[listened to|watched|weighed] both, and] [I suspect|I'm wary of] {t}, not "
        "{y}.",
        "Between {t} and {y}, as {x} has it, <suspect>[, and not the other one|, and it isn't "
        "close|, though it's close|].",
        "~blunt {x} says {t} or {y}[. <sus>|, and <suspect>|; <suspect>].",
    ),
    "doubt_other_cleared": (
        "{x} saw the Wolf in one of two, and {y} it can't be<so> <suspect>.",
        "Of {x}'s two, {y} is [ruled out|out of it|gone from the list]. That leaves {t}.",
        "{x} named a pair, {y} drops out of it, and that leaves {t}.",
        "[Put it together|Do the sum|Just count]: {x}'s two, take away {y}, and that leaves {t}.",
        "{x}'s pair has one name left, because I can't see it in {y}<so> <suspect>.",
        "{y} is settled for me, so {x}'s vision points one way. <sus>.",
    ),
    "doubt_my_rival": (
        "<suspect>: nobody [steals|copies|borrows] a Seer's story for [fun|nothing|a laugh].",
        "<suspect>, who tells my night as if it were somebody else's.",
        "Whoever [fakes|copies|steals] what I saw needs to hide something<so> <suspect>.",
        "There's one person here whose lie I can be sure of. <sus>.",
        "I know {t} made that night up, and I suspect {t} of worse.",
    ),
    "doubt_second_seer": (
        "<suspect>, who [found|discovered|put on] the Seer's role only after {x} had it.",
        "{t} came second with a vision, after {x}, and I don't trust {t}.",
        "A Seer who waits until {x} has spoken? <sus>.",
        "{x} had the vision first; {t} had it when it was needed. <sus>.",
        "<suspect>, whose vision woke up only after {x}'s.",
    ),
    "doubt_first_seer": (
        "Of our Seers <suspect>; {x} had more to lose by speaking.",
        "{t} [rushed|hurried] to be first, {x} had no choice. <sus>.",
        "{x} sounds [more real|truer|more like it] to me<so> <suspect>.",
        "<suspect>; there was no reason for {x} to stand up against the truth.",
    ),
    "doubt_lone_seer": (
        "<suspect>. [A vision anyone could make up|A story with no witness|A night nobody can "
        "check], told at a handy moment.",
        "I'm not sold on that Seer. I [suspect|distrust] {t} for telling it so [smoothly|"
        "neatly|sweetly].",
        "[Nobody can test that vision|A vision is easily told|It came too handy for me]<so> "
        "<suspect>.",
    ),
    "doubt_third_mason": (
        "{x} and {y} are the Masons, so [there's no room for a third|the bench is full|both "
        "places are taken|a third one can't be real]. <sus>.",
        "A Mason [beside|next to|on top of|besides] {x} and {y}? [<sus>|That's one too many, "
        "and <suspect>|That can't be, and <suspect>].",
        "The Masons are {x} and {y}, [full stop|end of story|nobody else]. I [suspect|distrust|"
        "mistrust] {t} for [trying|saying otherwise|squeezing in|the attempt].",
        "<suspect>, a Mason too many next to {x} and {y}.",
        "Whoever [needs|wants|claims] a Mason's name [that badly|so badly], with {x} and {y} "
        "already there, has a reason. <sus>.",
        "{x} and {y} [have each other|make a pair|fit together]; {t} has nobody. <sus>.",
        "[Count the Masons|Two and no more]: {x}, {y}, [done|that's two]<so> <suspect>[ for "
        "making it three|, the third one|].",
    ),
    "doubt_false_mason": (
        "Why would anyone [borrow|steal|want] a Mason's name? <sus>.",
        "<suspect>: nobody [lies about being|pretends to be] a Mason for [a harmless reason|"
        "fun|nothing].",
        "Whoever [needs|uses|borrows] a Mason's name has [a reason|a secret|something] to hide "
        "behind it<so> <suspect>.",
        "[Caught in the one lie I can check|That's a story I can check|I can tell that lie from "
        "here]. <sus>.",
        "[We Masons|Two Masons] know each other[, and that's nobody else|, and there's no "
        "third|]<so> <suspect>.",
    ),
    "doubt_mason_alone": (
        "<suspect>: a Mason with nobody to [speak up for|stand beside|vouch for] them is just "
        "a word.",
        "Where is {t}'s other half? [Until somebody answers to that|As long as nobody nods|"
        "Till one turns up], <suspect>.",
        "A Mason without a partner, [that worries me|that's half a story|I don't buy it]. <sus>.",
        "[One Mason, no partner|Half a pair and no name]<so> <suspect>.",
    ),
    "doubt_villager_room": (
        "There's room for one more Villager [beside|besides|next to] me, and {x} [wants it too|"
        "says the same|sits there already|asks for it as well]<so> <suspect>.",
        "{x} and {t} can't both be the other Villager[, there's one place left|, the deck "
        "won't have it|, one card isn't for two|]; <suspect>.",
        "I know one Villager for sure, myself; [of {x} and {t}|between {x} and {t}|asked to "
        "choose from {x} and {t}], <suspect>.",
        "One Villager's [place|card|chair] is mine, so {x} or {t} is [pretending|making it up|"
        "lying|telling tales], and <suspect>.",
        "The second Villager's [place|chair|name|card] [is claimed|is wanted] by {x} and by "
        "{t}, and the first is mine<so> <suspect>.",
        "{x} and {t} [want|claim|reach for|share] the same [free chair|place|spot|role] "
        "[beside|next to] me[, and one of you [has no right to it|borrowed it]|, and it seats "
        "one|, and the deck has just one]<so> <suspect>.",
        "[Two claims and one card|Two people and one free place|One role, two takers|One place "
        "beside me, two guests]: {x} and {t}, [and|and of you two] <suspect>.",
        "[Next to me there's one Villager|I'm one Villager of two|One of the two Villagers "
        "sits in my chair], so {x} and {t} [can't both be it|get in each other's way|make one "
        "too many]; <suspect>.",
    ),
    "doubt_villager_crowd": (
        "{x}, {y} and {t}, three Villagers where the deck has two[, [that's one lie at least|"
        "somebody is cheating|so one is false]|]: <suspect>.",
        "Somebody among the Villagers has [borrowed|stolen|made up] the name, and [next to|"
        "compared with|beside] {x} and {y} <suspect>.",
        "{x}, {y}, {t}: one Villager too many, and [[the weakest of the three was|the thinnest "
        "word came from|the poorest story came from] {t}, so ||]<suspect>.",
        "Three [claim|say|are down as] Villager: {x} I can [live with|accept|believe], {y} "
        "[perhaps|maybe|at a pinch|as well], but <suspect>.",
        "[Set|Put|Line up] the three Villagers side by side, {x}, {y}, {t}, and <suspect>.",
        "One of the three Villagers is [no such thing|a fake|a liar|something else], and "
        "[I'm wary of {t}, more than of {x} and {y}|I [suspect|distrust] {t}, more than {x} and "
        "{y}].",
        "[Two Villager cards and three hands on them|Three hands, two Villager cards|The "
        "village has two Villagers, not three|Two Villagers, that's the deck], {x}, {y} and "
        "{t}<so> <suspect>.",
        "[It's a full house of Villagers|So many Villagers|The Villagers are multiplying|"
        "Villagers all over the place], {x}, {y}, {t}, [one|at least one] of those [is false|"
        "is a story|won't hold], and <suspect>.",
        "[There are two Villagers in the deck, and {x}, {y} and {t} all want to be one|I can't "
        "have {x}, {y} and {t} all as Villagers]<so> <suspect>.",
    ),
    "doubt_villager": (
        "<suspect>: Villager is the [cheapest|safest|easiest|laziest] thing to [say|claim|be] "
        "here.",
        "{t} says Villager and [leaves it at that|stops there|says no more|sits back]<so> "
        "<suspect>.",
        "<suspect>; [that|such a] [quiet|small|tidy|modest] Villager story [tells us nothing|"
        "costs nothing|could be anyone's|hides a lot].",
        "[Hiding|In hiding|With a tail to hide], I'd say just what {t} said: Villager, and "
        "[next please|no more|off we go]<so> <suspect>.",
        "Villager, says {t}, [and that's the sort of thing one says|which "
        "is what a liar would pick|and nobody can check it]<so> <suspect>.",
        "[Anybody can say|Everyone can call themselves|It takes no courage to say] "
        "Villager<so> <suspect>.",
    ),
    "doubt_pusher": (
        "<suspect>: going after {x}, of all people, helps [only one side|only the Wolf|nobody "
        "here].",
        "Who would want {x} gone? <sus>.",
        "{x} looks decent to me, so I ask what {t} is after. <sus>.",
        "To go for {x} you have to ignore [a lot|nearly everything|half of the talk]. <sus>.",
        "I trust very few people, {x} is one, and {t} wants that one out. <sus>.",
        "In the Werewolf's place I'd push {x} just like that<so> <suspect>.",
    ),
    "turn_mason": (
        "I was wrong about {x}; {y}'s word as a Mason settles that.",
        "With {x} and {y} standing together as Masons, I drop my first idea.",
        "{x} I must let go of, now that {y} speaks for the pair.",
        "I misjudged {x}, whose half {y} confirms.",
    ),
}
