"""What the talk adds up to: pairs, crowds, those to be spared, proposals.

See `agents.house.words`.
"""

from __future__ import annotations

TABLE: dict[str, tuple[str, ...]] = {
    "masons_known": (
        "{x} and {y} vouch for each other, [and that pair I believe|and it holds together|and "
        "I've no reason to pick at it|and nobody broke it]. [Let's look at the rest|That "
        "leaves the others|On to the rest of us].",
        "The Masons are on the table, {x} and {y}. [That's solid ground|So we know two, at "
        "least|Two cards less to guess|Let's build on it].",
        "With {x} and {y} out in the open as Masons, the [circle is smaller|list shrinks|rest "
        "of us are fewer|hunt gets easier].",
        "{x} and {y} back each other up. [I won't look there|I leave them be|That's enough for "
        "me|Nothing to find there].",
        "I [accept|take|count] {x} and {y} as the Masons; [it would be a risky thing for two "
        "liars to try|two liars wouldn't dare|nobody fakes that in pairs|a false pair would be "
        "found out].",
        "~careful For {x} and {y} to be lying, both would have to lie together. I think that's "
        "[unlikely|far-fetched].",
        "~warm {x}, {y}, it's [good|a comfort] to have two people one can lean on.",
        "[A pair that matches|Two halves that fit|One story from two mouths]: {x} and {y}. "
        "[I'd look elsewhere|Let them be|That's two we can skip|I'm content with it].",
    ),
    "many_masons": (
        "Count the Masons: {x}, {y}, {z}. [There are only two in the deck|The sum doesn't work|"
        "That's one apron too many|Two would be plenty].",
        "{x}, {y} and {z} can't all be Masons. [One stole the apron|Somebody helped themselves|"
        "The deck has two|Two cards won't cover three].",
        "[Three Masons|A trio of Masons|So many Masons], {x}, {y} and {z}, [for two cards|in a "
        "deck of two|where two belong]. [Someone is lying about it|One card is forged|I'd like "
        "a recount].",
    ),
    "expose_mason": (
        "{x} [claims|says|pretends] to be a Mason. I know both Masons, and {x} is [no|not a] "
        "Mason.",
        "{x} is [not a|no] Mason. [There are two of us, and I can count|I should know|I know "
        "the pair|My card says so].",
        "I know who the Masons are, {x}, and you are [not a|no] Mason.",
        "{x} is no Mason. That apron is stolen, and I know from whom.",
        "[Nice try|Good effort|Bold|Well played], {x}, but the two Masons know each other. You "
        "are [no|not a] Mason.",
        "[Take it from one who knows|I say it as a Mason|One fact for you all|I can settle "
        "that at once]: {x} is [not a|no] Mason.",
    ),
    "companion_denied": (
        "{x} named {y} as the other Mason, yet {y} tells another story. [One of them is making "
        "it up|They can't both be right|That needs sorting out].",
        "{x} says {y} belongs to the Masons; {y} says something else. That doesn't [add up|fit "
        "together].",
    ),
    "companion_open": (
        "{x} has named {y} as the other Mason. {y}, is that [so|true|correct]?",
        "Everything hangs on {y} now: are you what {x} says you are, {y}?",
        "{y}, {x} says you're the other Mason. Are you?",
        "So {x} brings in {y}. [Would|Can|Do] you back that up, {y}?",
        "A pair is easy to test: {y}, do you stand by {x}?",
    ),
    "companion_silent": (
        "{x} named {y} as a partner, and {y} has let it pass without a word. [Strange for a "
        "Mason|I'd expect a nod|A yes would be nice].",
        "Why doesn't {y} say a word about what {x} said? [A Mason would jump at it|I'm waiting|"
        "It's a simple thing].",
    ),
    "villagers_with_me": (
        "I know I'm telling the truth about being a Villager, so {x} and {y} can't both be.",
        "{x} says Villager, {y} says Villager, and so do I. There are two in the deck, and I "
        "know which one is real.",
        "One Villager besides me, no more. So [either {x} or {y}|one of {x} and {y}] has [put "
        "on a costume|dressed up|borrowed the coat].",
        "Let me do the sum from my side: I'm one Villager, so of {x} and {y} only one is real.",
        "It bothers me that {x} and {y} both took my role. One of you may have it, not both.",
        "Both {x} and {y} say they're what I am. That's one too many.",
        "~wry {x}, {y} and I can't all be the other Villager. I've [checked|counted].",
    ),
    "many_villagers": (
        "{x}, {y}, {z}: all Villagers? There are two. [Somebody is hiding in the crowd|It's "
        "the favourite coat of every liar|So one of you is not|The coat is stretched].",
        "Three Villagers, {x}, {y} and {z}, for two [places|cards|chairs]. [The cheapest lie "
        "there is|Somebody squeezed in|One of you won't fit|Do the sum].",
        "Villager is [popular|in fashion|the word] today, {x}, {y} and {z} all say so. At most "
        "two of you are.",
        "I count {x}, {y} and {z} as Villagers, and the deck has two. [That's arithmetic|You "
        "don't need a Seer for that|One is spare|Three into two won't go].",
        "[Were {x}, {y} and {z} all honest|With {x}, {y} and {z} all telling the truth], we'd "
        "have one Villager too many.",
        "Of {x}, {y} and {z}, [somebody|one] knows perfectly well that the third chair isn't "
        "theirs.",
        "~wry Villagers {x}, {y} and {z}. The hamlet is growing.",
        "~careful {x}, {y}, {z}: two of these claims can stand. Not three.",
    ),
    "crowd": (
        "That makes {n} of you on {t}. [I'd feel better if it weren't so easy|It can't all be "
        "chance|It's becoming a habit].",
        "{n} voices against {t} [by my count|so far|if I count right].",
        "With {n} of you on {t}, [it's nearly decided|the rest can do their sums|the wind has "
        "turned].",
        "{t} has {n} of you to answer to.",
        "I count {n} against {t}. [Let's be sure|Let's not sleepwalk into it|Let's have "
        "reasons, too].",
    ),
    "tanner_warn": (
        "[Careful|Easy|One warning]: {t} [might|could] be the Tanner. [Somebody who wants the "
        "rope shouldn't get it|This is too easy|Don't grant that wish].",
        "What if {t} is enjoying this? {t} could be the Tanner.",
        "{t} [invites|asks for|courts] it so openly that {t} [might|could] be the Tanner.",
    ),
    "spare": (
        "{x}, I don't see it: {y} is not the Werewolf, if you ask me.",
        "{x}, [leave|drop|forget] that. <trust y>.",
        "I can't follow you there, {x}. <trust y> [more than most|so far|as it stands].",
        "{x}, you've picked the wrong door. <trust y>.",
        "No, {x}, not {y}. <trust y>[, more than that argument|, and I stay with it|].",
        "~warm Be [fair|kind|gentle], {x}. <trust y>.",
    ),
    "spare_cleared": (
        "{x}, [don't forget|think back to|remember] what {z} saw. <trust y>.",
        "{z} has looked at {y}, {x}, and found nothing. <trust y>.",
        "Why {y}, {x}? After {z}'s vision, <trust y>.",
    ),
    "spare_mason": (
        "{x}, {y} and {z} vouch for each other as Masons. <trust y>.",
        "[Two Masons stand|A pair stands|There's a pair] against that, {x}. With {z} at the "
        "other end, <trust y>.",
        "{x}, you [overlook|forget] something: {z} [backs|covers|holds] the other half. <trust y>.",
    ),
    "no_seer_yet": (
        "We [still have|have as yet|have] no Seer. [Whoever saw something should speak now|"
        "It's getting late for secrets|Time is short]. <seer-speak>.",
        "<seer-speak>, [the time for modesty is over|or the night was for nothing|before it's "
        "too late|while there's time to test it].",
        "I miss a voice at this table. <seer-speak>[ before we guess our way into a grave|, "
        "and soon|].",
        "One of us [looked at two people|saw something] last night and is still silent. "
        "<seer-speak>.",
        "What are we saving the vision for? <seer-speak>.",
        "~wry Somebody here has good eyes and no tongue. <seer-speak>.",
        "[So many words|Round after round|All this guessing], and [not one|no] vision. "
        "<seer-speak>.",
    ),
    "seer_speak": (
        "[If you ask me|To my mind|The way I see it], <seer-speak>, so that we can test the story.",
        "I'd say <seer-speak>: [a vision nobody hears helps nobody|three rounds are short|late "
        "visions smell|we need something to build on].",
        "[My advice|A suggestion|One proposal]: <seer-speak>[, and let the liars react|, then "
        "we can weigh it|, rather than let us guess|].",
    ),
    "seer_wait": (
        "[I think|I'd say|To my mind] the Seer should wait [a little|a round|a while], and let "
        "the [rest of us|others|liars] talk first.",
        "My [advice|view|vote on that]: the Seer should stay [hidden|quiet|under cover] for [a "
        "while|a round|now], [and listen who lies|so that the liars commit themselves|and let "
        "us make our claims].",
        "[No hurry with visions|Let's not rush the visions|Patience with the night's news]: "
        "the Seer [should|had better] [wait|keep quiet|hold back] [a little|a round|for now].",
    ),
    "with_seer_speak": (
        "I agree with {x}: [better a vision now than a legend later|out with it, whoever it is|"
        "the sooner we hear it, the better|early news can be tested].",
        "{x} has a point, [waiting only gives the liars time|we have three rounds, not ten|"
        "secrets don't keep well|and I'd like to hear it too].",
    ),
    "against_seer_speak": (
        "I disagree with {x}: whoever sees at night shouldn't be rushed [into the open|out of "
        "bed|on stage|like that].",
        "I don't agree with {x}; call for a Seer and [you'll get two|every liar feels invited|"
        "you'll get a crowd|the liars will volunteer].",
    ),
    "with_seer_wait": (
        "I agree with {x}, [let the talkers talk first|patience will show us who is nervous|"
        "there's no hurry yet|first the small claims].",
        "{x} has a point: [a quiet Seer hears more|first the stories, then the proof|haste "
        "helps the liars|let the liars talk themselves tired].",
    ),
    "against_seer_wait": (
        "I disagree with {x}: waiting helps only one of us, and not us.",
        "I disagree with {x}. A vision that comes too late is [worth nothing|just a sad story|"
        "wasted|no use to anyone].",
        "I don't agree with {x}. [Three rounds go by quickly|Secrets spoil|Time is what we "
        "lack|Silence feeds the wrong one|Nights are soon forgotten].",
    ),
    "masons_speak": (
        "The Masons [should|ought to|had better] [speak up|come forward|step forward] [early|"
        "soon|now]; [two certain names would help us all|it shrinks the circle|that takes two "
        "off the list|it leaves six to look at].",
        "We could use two certain names. The Masons [should|ought to] [talk to us|speak up|"
        "come out].",
        "[Two people here know each other's cards|There's a pair among us|Two of you share a "
        "secret]. The Masons [should|ought to] [speak up|step forward|tell us] [early|soon|"
        "now].",
    ),
}
