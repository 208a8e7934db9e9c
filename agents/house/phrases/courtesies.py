"""Trust, questions, first and last words.

See `agents.house.words` for how phrases are written.
"""

from __future__ import annotations

COURTESIES: dict[str, tuple[str, ...]] = {
    "trust": (
        "<trust x> [so far|for now|more than most|as far as it goes|until I hear otherwise|a "
        "good deal|today].",
        "[For now|For what it's worth|To say something kind for once|On the bright side|To be "
        "fair|On the other hand|Call me soft, but], <trust x>.",
        "<hm><trust x>[, so leave me that one|, and I don't say that lightly|, which is more "
        "than I say of most|, as far as one can at this table|].",
        "~careful I'd put {x} at the bottom of my list, so <trust x> [today|for now|so far].",
        "~wry Somebody has to be [decent|harmless], so <trust x>.",
    ),
    "ask_role": (
        "{t}, [what are you|who are you|what's your role|what does your card say|what role did "
        "you get], [if I may ask|while we're at it|since we're all sharing|before we go on|"
        "just for the record|so that we all know]?",
        "{t}, [will you|could you|would you|won't you|can you|do you want to] [tell us|share "
        "with us|let us know|give us] your role[| now| at last| before the round is over|, or "
        "is it too soon|, please|, for all our sakes]?",
        "[And|Now|So], {t}, [what's your role|who are you|what are you|what does your card say|"
        "which role is yours][|, then|, after all this|, in one word|, in your own words]?",
        "[I'd like to ask|One question|A quick question|Let me ask you|I'm curious|A small "
        "thing|I keep wondering|A word from you would help], {t}: [what's your role|what are "
        "you|who are you|which role is yours|what does your card say]?",
        "[You haven't said|Not a soul has heard|We haven't heard|Nobody has heard|I missed|I'd "
        "love to know|I still don't know|We could do with a hint], {t}: [what's your role|what "
        "are you|who are you|which role is yours]?",
        "[What's your role|What are you|Who are you|What does your card say|Which role is "
        "yours], {t}[, if I may ask|, or is that too early|, since you're so quiet about it|, "
        "just so we know|, while I think of it|, or shall we guess|, in so many words|]?",
        "~warm {t}, would you [tell us|share] [who you are|your role|what you are][, no hurry|"
        ", I'd feel better|, only when you like|, it would help us all|, dear|]?",
        "~blunt {t}, [what's your role|what are you|which role]?",
        "[So that we|Just so we] [know|have it|can weigh it], {t}, [what's your role|what are "
        "you|who are you|which role is yours]?",
    ),
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
    "tease": (
        "Look at me as long as you like, [I have nothing better to do|I photograph well|I "
        "don't mind an audience|this is my good side|I won't melt].",
        "Maybe I had [a very interesting night|company in the dark|a busy night|a walk under the "
        "moon|a late supper|dirt on my boots][. Maybe not|, maybe not|, and maybe I "
        "was in bed|, or maybe I snore].",
        "I wouldn't be so sure about [anyone|anybody|a soul] here, [me included|least of all "
        "me|and that goes for me too|starting with me].",
        "[Funny|Strange|Curious|Odd] how nobody [asks|wonders|thinks about] where I was last "
        "night[, not that I'd say|, or with whom|, or how late|].",
        "Perhaps I know more than I [should|let on|say], perhaps I'm only [bored|tired|hungry|"
        "teasing].",
        "I find it [restful|pleasant|relaxing|rather nice] not to have to prove [anything|a "
        "thing|my innocence][ to anyone| today| at this hour|].",
        "Some of you are very [polite|kind|gentle] to me[. It won't last|, and it won't last|, "
        "which is a mistake, perhaps|, and I wonder why].",
        "I slept [well|like a baby|beautifully|soundly], thank you[. [Better|Longer|Deeper] "
        "than some|, once I got to bed|, apart from an hour or so|, [better|longer] than some].",
        "You all look [tired|pale|worried|sleepy|nervous], and I feel [wonderful|splendid|just "
        "fine|rather fresh|well fed].",
        "Everyone is so busy [proving things|explaining things|being innocent|defending "
        "themselves], and I just [watch|sit here|enjoy it|smile].",
        "[Strange|Odd|Funny], nobody has asked me the [right|one|important] question yet[, and "
        "I won't help|, and we've been at it a while|].",
        "[Keep talking|Carry on|Go on|Don't mind me], I'm [learning a lot|taking my time|"
        "enjoying myself|not in a hurry|fine right here].",
        "I [might|could] [surprise you|have a secret|say more|know something], [but where's "
        "the fun in that|but not today|and then again, I might not|but nobody asked nicely].",
        "[My hands are clean|My bed was warm|My evening was quiet|My dreams were sweet], [more or "
        "less|today|last I looked|for the time being|if you don't look closely].",
        "~wry I'd defend myself, but it [spoils the fun|takes so long|would ruin the mood|"
        "bores me].",
        "~wry [If|When] looks [could|can] vote, I'd be gone by [now|noon].",
        "~blunt Think [what you want|what you like|the worst] of me[, I won't argue|, see if I "
        "mind|].",
        "~blunt [Do your worst|I don't mind either way|I've nothing to prove|Point where you "
        "like][. Really|, all of you|].",
        "~careful There are [things|some things|one or two things] about last night I'm not "
        "going to [explain|discuss|go into][, for reasons of my own|, not yet|].",
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
    "open": (
        "[So|Right|Well|Good], [where are we|where does that leave us|what have we got|where "
        "do we stand]?",
        "Let me put [a few things|two and two|the pieces] together.",
        "[That was a lot of talk|Plenty of words so far|A lot has been said]; here is what "
        "[stays with me|I take from it|sticks].",
        "Let me [be open about|say|tell you] where I stand.",
        "This is getting [interesting|warmer|lively|tense].",
        "I've been [listening|counting|watching] more than talking.",
        "Some of this doesn't [sit well with me|add up for me|sound right to me].",
        "Good, now we have something to [chew on|work with|go by].",
        "~blunt [Short and simple|To the point|I'll be quick].",
        "~wry What a [cheerful|merry|cosy] gathering.",
        "~wry I've [heard|been to] [calmer|happier] funerals.",
        "~warm Thank you all for talking so [openly|freely], or nearly so.",
        "~careful Let's separate what we know from what we've been told.",
        "~careful One step after the other.",
    ),
    "close_early": (
        "I'd [like|want|need|love] to [hear|see|know] [more|a bit more|a few more of you|"
        "another round|the other side] before I [decide|settle|commit|make up my mind|point "
        "anywhere|nail myself down].",
        "There is [time|still time|time enough|no clock on us], so let's [use it|not waste it|"
        "not rush|talk it through|look twice|hear each other out].",
        "It's [early|early days|the first round], so [hold me to none of this|don't nail me "
        "down on it|this may change|I may be mistaken|I may change my mind|I'm only guessing].",
        "[Convince me otherwise|Talk me out of it|Show me I'm mistaken|Bring me a better idea|"
        "Prove me a fool], and I'll [thank you|gladly turn round|say so|admit it|be grateful].",
        "Let's see who [gets nervous|goes quiet|speaks up next|has an answer to that|changes the "
        "subject|turns red|starts to sweat|has something to add][, and who [doesn't|smiles|"
        "looks away]|].",
        "I'm [curious|keen to hear|waiting to hear|eager to know] what the [next ones|others|"
        "rest of you] [say|make of it|think|have to add|bring].",
        "Somebody here already knows [the end of this story|how this ends|more than all of "
        "us][, and keeps a straight face|, and says little|, I'd bet on it|].",
        "[That's where I am|So far my view|That's my view|That's how it looks from here|Such "
        "is my morning], [and it may change|for now|until I hear better|at this hour|and I'm "
        "open to talk|no more, no less|give or take].",
        "[Let's keep talking|Let's hear the others|More voices, please|Who's next|I'll listen "
        "to the rest], [we've rounds to go|it's still early|nothing is settled|there's no "
        "hurry|the night told us little|I've an open ear].",
        "[I'll leave it there|Enough for a start|That will do for now|No more from me yet|So "
        "much for a start], [the rest comes later|somebody else may go on|I want to hear the "
        "others|let's see what comes back|over to the next chair|I'll think while you talk].",
        "~blunt [Next|Go on|Who's next|Your turn, somebody|That's it|Carry on][, then|, and be "
        "brief|, no speeches|].",
        "~wry [Carry on|Go ahead|Don't stop|Keep it coming], I'm [enjoying this|all ears|"
        "having a lovely time|taking notes|comfortable].",
        "~warm Let's stay [fair|kind|decent|friendly] to each other[, whatever comes| while "
        "we're at it|, it costs nothing|, all of us|].",
        "~careful I'll keep [count|track|a list|note] of who [answers|talks|commits] and who "
        "doesn't[, so be warned|, quietly|, for later|].",
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
        "One more [sleep|night|breath], or none at all[. It's up to us|, and it's up to us|, "
        "depending on our hands].",
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
