"""Trust, questions, first and last words.

See `agents.house.phrasing` for how phrases are written.
"""

from __future__ import annotations

COURTESIES: dict[str, tuple[str, ...]] = {
    "ask_suspect": (
        "{t}, [whom do you suspect|who worries you most|whom would you vote for|whom do you "
        "trust least|where do you stand][ so far|, as of now|, in your own words|, and be "
        "honest|]?",
        "[And you|Now you|What about you|Your turn], {t}, [whom do you suspect|who would you "
        "vote for|where do you stand|whom would you throw out][, if you had to|, right now|, "
        "after all this|]?",
        "{t}, what do you make of [all this|this|what we've heard|the talk so far|those claims|"
        "the last round][, and of whom most|, in short|, with your eyes|]?",
        "[I'd like a name from you|Give us a name|Your turn|Don't be shy|Out with it|I'm "
        "waiting for your view|You've been listening|A name would help], {t}: [whom do you "
        "suspect|whom would you vote for|who is it, do you think|where do you stand|who "
        "worries you]?",
        "[Whom do you suspect|Who worries you|Whom would you vote for|Where do you stand|Whom "
        "do you trust least], {t}[, if you had to say|, right now|, honestly|, all in all|, of "
        "the seven|]?",
    ),
    "ask_reason": (
        "{t}, why {x}[ of all people| and not somebody else| and nobody else|, of everyone "
        "here|, may I ask|, out of seven|, just like that]?",
        "{t}, what's [your|the|the actual|the real] reason for [going after|picking|choosing|"
        "naming|pressing|landing on] {x}[, in a sentence|, in plain words|, exactly|]?",
        "{t}, what makes you [so sure about|doubt|pick|look at|go for|name|settle on] {x}[, "
        "apart from a feeling|, of all people|, in so many words|]?",
        "[Why {x}|Why go after {x}|Why pick {x}|Why press {x}|Why single out {x}], {t}[, if I "
        "may ask|, and why now|, and on what grounds|, and what for|, and since when|]?",
        "[One thing|A question|I don't follow|Help me|I missed a step|Explain it to me], {t}: "
        "[why {x}|what's the reason for {x}|what makes it {x}|why would it be {x}|why that "
        "finger on {x}]?",
        "[I'd like to hear|I'd love to hear|I missed|I'm after|We could use] your [reason|"
        "reasons|grounds], {t}: why {x}[, really|, and not the next one|]?",
    ),
    "ask_partner": (
        "{t}, who is [the other Mason|your partner|the second Mason|your other half]?",
        "A Mason needs a partner, {t}: who is it?",
        "[And|So] who's [the other Mason|your partner|with you in that], {t}?",
    ),
    "open_first": (
        "[Somebody has to begin|Someone must go first|Nobody else seems keen|It falls to me], "
        "so [let it be me|here I go|I'll start|I'll break the ice].",
        "[Good morning|Morning|Good day|Hello], [everyone|all of you|friends|all][. |, ][I "
        "hope you slept better than I did|what a night|let's get to work|shall we begin, then|"
        "I've had better mornings|so it begins].",
        "Nobody has said anything yet, which makes this [an easy|a short|a simple|a brave] "
        "speech[, if a lonely one|, for a change|].",
        "Here we are, eight of us, and one with [blood on the hands|a secret|a bad conscience|"
        "sharp teeth|a very full stomach].",
        "[Morning|Well, morning|So, morning], [I have little to go on, like most of you|"
        "somebody here is smiling too calmly|I know as little as the rest of you|let's see who "
        "blushes first|one of us had a busy night].",
        "First to talk, first to be blamed, [I suppose|but so be it|as always|but someone must|"
        "and here I sit].",
        "~wry I've drawn the short straw: the first word, and [nothing to say|not a clue to my "
        "name|nobody to contradict].",
        "~careful Going first, I can only tell you how I'll judge: by [claims|what is "
        "claimed], and by who [checks|tests] them.",
        "~warm Good morning, all of you, even the one with the [sharp teeth|secret|bad "
        "conscience].",
    ),
    "close_late": (
        "Think before you [point|vote|raise a hand], we have one vote and no second one[ after "
        "it|, so use it well|].",
        "Let's not [scatter|split|waste|throw away] our votes[, or the wrong one wins|, "
        "please|, not this time|, it's all we have].",
        "And mind the Tanner: [whoever wants to be voted out should be disappointed|somebody here "
        "would "
        "love to be thrown out|don't do anybody that favour|the eager one may be glad of it|"
        "a vote can be a gift].",
        "Whatever we do, let's do it [together|with open eyes|for a reason|properly|with a "
        "cool head][, and not out of spite|, and then face it|, for once|].",
        "That's [all I have|everything I've got|my last word|it from me][. [Choose well|Think "
        "it over|Good luck to us|Now it's up to you]|, so [choose well|think it over|it's up "
        "to you now]].",
        "[Time will tell|We'll know soon enough|The cards will show it], and you may [laugh at "
        "me|scold me|praise me|remember this] [afterwards|then|later].",
        "I've said [my piece|what I had to say|enough], [now vote|the rest is up to you|let's "
        "get it over with|may it be right|and I'll live with it].",
        "Now it's [up to us|in our hands][, for better or worse|, all of us|].",
        "[No more rounds after this|This is the last of it|We won't get another try|It's the "
        "last round], so [make it count|think hard|don't vote out of spite|be sure of your "
        "hand|no more riddles].",
        "~blunt [Decide|Vote|Get on with it|Hands up][, all of you|. No more talk|].",
        "~wry May the [worst|guilty|hairy|hungry] one [lose|go home].",
        "~warm Whoever goes, no hard feelings[, please|, I hope|, friends].",
        "~careful Count the claims once more before you vote[, it pays|, then count again|, "
        "slowly|].",
    ),
}
