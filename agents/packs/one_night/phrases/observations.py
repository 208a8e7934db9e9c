"""What the talk adds up to: pairs, crowds, those to be spared, proposals.

See `agents.house.phrasing`.
"""

from __future__ import annotations

TABLE: dict[str, tuple[str, ...]] = {
    "masons_known": (
        "{x} and {y} vouch for each other, [and that pair I believe|and it holds together|and "
        "I've no reason to pick at it|and nobody broke it], [so let's look at the rest|so on "
        "to the others|which leaves the rest of us|and I'm glad of it|as far as I see].",
        "The Masons are on the table, {x} and {y}[. |: |, and ][that's solid ground|so we know "
        "two, at least|it's two cards less to guess|let's build on it|we can skip those "
        "chairs].",
        "With {x} and {y} out in the open as Masons, the [circle is smaller|list shrinks|rest "
        "of us are fewer|hunt gets easier|table looks different|question is the other six].",
        "{x} and {y} back each other up[. |, and |, so |; ][I won't look there|I leave them be|"
        "that's enough for me|there's nothing to find there|I move on].",
        "I [accept|take|count] {x} and {y} as the Masons; [it would be a risky thing for two "
        "liars to try|two liars wouldn't dare|nobody fakes that in pairs|a false pair would be "
        "found out|it takes two to lie like that].",
        "~careful [For {x} and {y} to be lying, both would have to lie together|{x} and {y} "
        "would have to lie as a pair|A false pair, {x} and {y}, would need two liars in step], "
        "and that's [a stretch|a lot to ask|far-fetched|unlikely|hard to arrange].",
        "~warm {x}, {y}, it's [good|a comfort|a relief|nice] to have two people [one can|we "
        "can|to] lean on[ in this|, truly|].",
        "[A pair that matches|Two halves that fit|One story from two mouths|A neat pair]: {x} "
        "and {y}[. |, so |, and ][I'd look elsewhere|let them be|that's two we can skip|I'm "
        "content with it].",
        "[Leave|Keep] {x} and {y} [aside|out of it|to one side], a pair like that [will do "
        "for me|is proof enough|is hard to fake].",
    ),
    "many_masons": (
        "[Count|Look at|Add up] the Masons: {x}, {y}, {z}[. |, and ][there are only two in the "
        "deck|the sum doesn't work|that's one Mason too many|two would be plenty|the deck says "
        "two].",
        "{x}, {y} and {z} can't all be Masons[. |, |; ][one is lying|somebody made it up|the deck "
        "has two|two cards won't cover three].",
        "[Three Masons|A trio of Masons|So many Masons|Masons everywhere], {x}, {y} and {z}, "
        "[for two cards|where the deck has two|where two belong][. |, and ][someone is lying about "
        "it|one card is false|one is made up|one is pretending].",
    ),
    "expose_mason": (
        "{x} [claims to be|wants to be|would like to be] a Mason. I know both "
        "Masons, and {x} is [no|not a] Mason.",
        "{x} is [not a|no] Mason[. [There are two of us, and I can count|I should know|I know "
        "the pair|My card says so]|, and [I should know|I can count to two|I know the pair|"
        "nobody knows better]].",
        "I know who the Masons are, {x}, and you are [not a|no] Mason[, [sorry|not by a mile|"
        "whatever you say|and we both know it]|].",
        "{x} is [no|not a] Mason[. That name is stolen, and I know from whom|, that name is "
        "[stolen|borrowed|false]|, and the story doesn't fit].",
        "[Nice try|Good effort|Bold|Well played|Nearly], {x}, but [the two Masons|Masons|we "
        "Masons] know each other[. You are [no|not a] Mason|, and you are [no|not a] Mason].",
        "[Take it from one who knows|I say it as a Mason|One fact for you all|I can settle "
        "that at once|From a Mason's mouth|This much I know]: {x} is [not a|no] Mason.",
    ),
    "companion_denied": (
        "{x} named {y} as the other Mason, yet {y} tells another story. [One of them is making "
        "it up|They can't both be right|That needs sorting out].",
        "{x} says {y} belongs to the Masons; {y} says something else. That doesn't [add up|fit "
        "together].",
    ),
    "companion_open": (
        "{x} has named {y} as the other Mason[. {y}, is that [so|true|correct]?|, so [tell us|"
        "speak up|now you], {y}: is that [so|true|correct]?]",
        "[Everything|It all|The whole story] [hangs|rests|depends] on {y} now: [are you what "
        "{x} says you are|is {x} telling it straight|do you back {x}|is {x} your partner], {y}?",
        "{y}, {x} [says you're|tells us you're|names you as] the other Mason[. Are you?|, so "
        "are you?|: are you?|, and are you really?]",
        "So {x} brings in {y}[. |: |, and I ask: ][Would|Can|Will] you [back that up|"
        "confirm that|stand by it|say the same], {y}?",
        "A [pair|story like that|couple] is [easy|simple|quick] to [test|check]: {y}, do you "
        "[stand by|back] {x}?",
        "[Yes or no|One word is enough|Now's the time|Over to you], {y}: [is {x} your partner|"
        "are you a pair with {x}|do you back {x}]?",
    ),
    "companion_silent": (
        "{x} named {y} as a partner, and {y} has let it pass without a word. [Strange for a "
        "Mason|I'd expect a nod|A yes would be nice].",
        "Why doesn't {y} say a word about what {x} said? [A Mason would jump at it|I'm waiting|"
        "It's a simple thing].",
    ),
    "villagers_with_me": (
        "I know I'm [telling the truth about being|honest about being] a Villager, so {x} and "
        "{y} can't both be[, one of you has [dressed up|borrowed it]|, says the deck|].",
        "{x} says Villager, {y} says Villager, and so do I[. |, and |; ]there are two in the "
        "deck, and I know [which one is real|one of them well].",
        "One Villager [besides|next to|apart from] me, no more[. So |, so ][either {x} or {y}|"
        "one of {x} and {y}] has [put on a costume|dressed up|borrowed the coat|told a tale].",
        "Let me [do the sum|count] from my side: I'm one Villager, so of {x} and {y} only one "
        "is real[, at best|, and I'd like to know which|].",
        "I see that {x} and {y} both took my role[. |, and |; ]one of you may have it, not both.",
        "Both {x} and {y} say they're what I am[. |, and |; ]that's one [too many|more than "
        "the deck allows|over].",
        "~wry {x}, {y} and I can't all be the other Villager[. I've |, I've ][checked|counted|"
        "looked].",
    ),
    "many_villagers": (
        "{x}, {y}, {z}: all Villagers? [There are two, so somebody is hiding in the crowd|It's "
        "the favourite coat of every liar|One of you is [not|lying|dressing up]|The coat is "
        "stretched|The deck has two|That's one [too many|over|more than we own]].",
        "Three Villagers, {x}, {y} and {z}, for two [places|cards|chairs|beds][, [the cheapest "
        "lie there is|so somebody squeezed in|and one of you won't fit|so do the sum|and "
        "somebody stands]|].",
        "Villager is [popular|in fashion|the word|all the rage|the thing to be] today, {x}, "
        "{y} and {z} [all say so|all want it|agree on that][, [and at most two of you are|but "
        "the deck has two|and one is made up|and that's one over]|].",
        "I count {x}, {y} and {z} as Villagers, and the deck [has|holds|knows] two[. [That's "
        "arithmetic|You don't need a Seer for that|One is too many|Three can't be two|I'm no "
        "genius, but I can count]|, so [one is too many|somebody is lying|one of those is false]].",
        "[Were {x}, {y} and {z} all honest|With {x}, {y} and {z} all telling the truth|Had "
        "{x}, {y} and {z} all spoken truly], we'd have one Villager too many[ in this village|"
        ", and we don't|, says the deck|].",
        "Of {x}, {y} and {z}, [somebody|one|one of the three] knows [perfectly|very|quite] "
        "well that the third [chair|card|coat|bed] isn't theirs[, and smiles|, and hopes we "
        "can't count|].",
        "~wry Villagers {x}, {y} and {z}. The [hamlet|village|town] is [growing|booming|"
        "filling up].",
        "~careful {x}, {y}, {z}: two of these claims can [stand|be true|hold][. Not three|, no "
        "more|, never three].",
        "[So many|Such a lot of|Suddenly so many] Villagers, {x}, {y}, {z}[, and two cards to "
        "go round|, where two would do|, and I wonder who's the guest|, and the count is off].",
    ),
    "tanner_warn": (
        "[Careful|Easy|One warning]: {t} [might|could] be the Tanner. [Somebody who wants to be "
        "voted out shouldn't be|This is too easy|Don't grant that wish].",
        "What if {t} is enjoying this? {t} could be the Tanner.",
        "{t} [invites|asks for|wants] it so openly that {t} [might|could] be the Tanner.",
    ),
    "spare": (
        "{x}, I don't see it: {y} is not the Werewolf, [if you ask me|as far as I can tell|not "
        "to my eyes|as I read it].",
        "{x}, [leave|drop|forget] that[. |, |; |: ]<trust y>[, and I have my reasons|, for one|].",
        "I can't follow you there, {x}[. |, |; ]<trust y> [more than most|so far|as it stands|"
        "for now].",
        "{x}, you've picked the wrong player[. |, |; ]<trust y>.",
        "No, {x}, not {y}[. |, |: ]<trust y>[, more than that argument|, and I stay with it|].",
        "~warm Be [fair|kind|gentle], {x}[. |, |; ]<trust y>.",
        "[That one I'd leave alone|You're on the wrong track there|Look somewhere else], {x}[: |"
        "; |, ]<trust y>.",
    ),
    "spare_mason": (
        "{x}, {y} and {z} vouch for each other as Masons. <trust y>.",
        "There's a pair to think of, {x}. With {z} at the other end, <trust y>.",
        "{x}, you [overlook|forget] something: {z} [backs|covers|holds] the other half. <trust y>.",
    ),
    "no_seer_yet": (
        "We [still have|have as yet|have] no Seer[, and [it's getting late for secrets|time is "
        "short|the clock is running]|]. <seer-speak>[, whoever it is|, please|, risk or no "
        "risk|].",
        "<seer-speak>, [the time for modesty is over|or the night was for nothing|before it's "
        "too late|while there's time to test it|we're guessing in the dark|secrets don't vote].",
        "I miss a voice at this table[: |, and |; ]<seer-speak>[ before we guess wrong|, and soon|"
        "].",
        "One of us [looked at two people|saw something|had open eyes] last night and [is still "
        "silent|keeps it quiet|hasn't told us], so <seer-speak>[, please|, I beg you|, the "
        "sooner the better|].",
        "What are we saving the vision for? <seer-speak>[, I say|, with both names|, no more "
        "waiting|].",
        "~wry Somebody here has good eyes and no tongue[. |: |; ]<seer-speak>.",
        "[So many words|Round after round|All this guessing|Such a lot of talk], and [not one|"
        "no] vision[. |: |, so ]<seer-speak>.",
        "[What we lack is a fact|I'd give a lot for one hard fact|We could do with a fact|"
        "Guessing won't save us], so <seer-speak>.",
    ),
    "seer_speak": (
        "[If you ask me|To my mind|The way I see it], <seer-speak>, so that we can test the story.",
        "I'd say <seer-speak>: [a vision nobody hears helps nobody|three rounds are short|late "
        "visions are hard to trust|we need something to build on].",
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
        "I [agree|am with you, I agree|can only agree] with {x}[: |, |; ][better a vision now "
        "than a story later|out with it, whoever it is|the sooner we hear it, the better|"
        "early news can be tested|an early word is worth two late ones].",
        "{x} has a point, [waiting only gives the liars time|we have three rounds, not ten|"
        "secrets don't keep well|and I'd like to hear it too|and the clock is running][, if "
        "you ask me|, I'd say|].",
    ),
    "against_seer_speak": (
        "I [disagree|don't agree|can't agree] with {x}: whoever sees at night shouldn't be "
        "[rushed|pushed|dragged] [into the open|out of bed|on stage|like that].",
        "I [disagree|don't agree|can't agree] with {x}; call for a Seer and [you'll get two|"
        "every liar feels invited|you'll get a crowd|the liars will volunteer|you'll hear "
        "three].",
    ),
    "with_seer_wait": (
        "I [agree|can only agree] with {x}[, |: |; ][let the talkers talk first|patience will "
        "show us who is nervous|there's no hurry yet|first the small claims|early visions are "
        "cheap].",
        "{x} has a point[: |, |; ][a quiet Seer hears more|first the stories, then the proof|"
        "haste helps the liars|let the liars talk first|a hidden Seer can't be "
        "copied].",
    ),
    "against_seer_wait": (
        "I [disagree with|don't agree with|can't agree with] {x}: waiting [helps|suits|serves] "
        "[only one of us|the wrong one|the liars], [and not us|and nobody else|I think].",
        "I [disagree with|don't agree with|can't agree with] {x}[. |: |; ]a vision that comes "
        "too late is [worth nothing|just a sad story|wasted|no use to anyone|yesterday's news].",
        "I [disagree with|don't agree with|can't agree with] {x}[. |: |, for |; ][three rounds "
        "go by quickly|secrets spoil|time is what we lack|silence feeds the wrong one|nights "
        "are soon forgotten|we've little time as it is].",
    ),
    "masons_speak": (
        "The Masons [should|ought to|had better] [speak up|come forward|step forward] [early|"
        "soon|now]; [two certain names would help us all|it shrinks the circle|that takes two "
        "off the list|it leaves six to look at].",
        "We could use two [certain|safe|sure] names[. |, and |: |; ]the Masons [should|ought "
        "to|had better] [talk to us|speak up|come out][, I'd say|, the sooner the better|, "
        "please|].",
        "[Two people here know each other's cards|There's a pair among us|Two of you share a "
        "secret][. |, and |; ]the Masons [should|ought to] [speak up|step forward|tell us] "
        "[early|soon|now].",
    ),
}
