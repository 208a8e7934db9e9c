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
        "you get], if I may ask?",
        "{t}, [will you tell us|could you tell us|would you tell us|won't you tell us|can you "
        "tell us|care to tell us|are you going to tell us|do you want to tell us] [your role|"
        "who you are|what you are|what your card says]?",
        "[And|Now] [your role|what's your role|what about your role|who are you|what are you], "
        "{t}?",
        "[I'd like to ask|One question|A quick question|Let me ask you|I'm curious], {t}: "
        "[what's your role|what are you|who are you|which role is yours]?",
        "{t}, [you haven't said|I haven't heard|we haven't heard|nobody has heard|I missed|I'd "
        "love to know|I still don't know]: what's your role?",
        "[What's your role|What are you|Who are you|What does your card say|Which role is "
        "yours], {t}[, if I may ask|, or is that too early|, since you're so quiet about it|, "
        "just so we know|]?",
        "~warm {t}, would you [tell us|share] [who you are|your role]? [No hurry|I'd feel "
        "better|Only if you like|It would help us all].",
        "~blunt {t}, [what's your role|role|what are you]?",
    ),
    "ask_suspect": (
        "{t}, [whom do you suspect|who worries you most|whom would you vote for|whom do you "
        "trust least|where do you stand]?",
        "And you, {t}, [whom do you suspect|who would you vote for|who would you throw out|"
        "where do you stand]?",
        "{t}, what do you make of [all this|this|what we've heard|the talk so far|those claims]?",
        "[I'd like a name from you|Give us a name|Your turn|Don't be shy|Out with it|I'm "
        "waiting for your view], {t}: [whom do you suspect|whom would you vote for|who is it, "
        "do you think|where do you stand]?",
        "[Whom do you suspect|Who worries you|Whom would you vote for|Where do you stand], "
        "{t}[, if you had to say|, right now|, honestly|]?",
    ),
    "ask_reason": (
        "{t}, why {x}[ of all people| and not somebody else| and nobody else|, of everyone here|]?",
        "{t}, what's [your|the|the actual] reason for [going after|picking|choosing|naming|"
        "pressing] {x}?",
        "{t}, what makes you [so sure about|doubt|pick|look at|go for|name] {x}?",
        "[Why {x}|Why go after {x}|Why pick {x}], {t}[, if I may ask|, and why now|, and on "
        "what grounds|]?",
        "[One thing|A question|I don't follow|Help me], {t}: [why {x}|what's the reason for "
        "{x}|what makes it {x}|why would it be {x}]?",
        "[I'd like to hear|I'd love to hear|I missed] your reason, {t}: why {x}?",
    ),
    "ask_partner": (
        "{t}, who is [the other Mason|your partner|the second Mason|your other half]?",
        "A Mason needs a partner, {t}: who is it?",
        "[And|So] who's [the other Mason|your partner|with you in that], {t}?",
    ),
    "tease": (
        "Look at me as long as you like, [I have nothing better to do|I photograph well|I "
        "don't mind an audience|this is my good side].",
        "Maybe I had [a very interesting night|company in the dark|blood in my soup|a walk "
        "under the moon]. Maybe not.",
        "I wouldn't be so sure about [anyone|anybody] here, me included.",
        "[Funny|Strange|Curious] how nobody [asks|wonders] where I was last night.",
        "Perhaps I know more than I [should|let on|say]; perhaps I'm only [bored|tired|hungry].",
        "I find it [restful|pleasant|relaxing] not to have to prove [anything|a thing].",
        "Some of you are very polite to me. It won't last.",
        "I slept [well|like a baby|beautifully], thank you. [Better|Longer|Deeper] than some.",
        "You all look [tired|pale|worried|peaky]. I feel [wonderful|splendid|just fine|rather "
        "fresh].",
        "Everyone is so busy [proving things|explaining things|being innocent]. I just [watch|"
        "sit here|enjoy it].",
        "[Strange|Odd|Funny], nobody has asked me the right question yet.",
        "[Keep talking|Carry on|Go on], I'm [learning a lot|taking my time|enjoying myself|not "
        "in a hurry].",
        "I [might|could] [surprise you|have a secret|say more], [but where's the fun in that|"
        "but not today|and then again, I might not].",
        "[My hands are clean|My boots are dry|My teeth are small], [more or less|today|last I "
        "looked].",
        "~wry I'd defend myself, but it [spoils the fun|takes so long|would ruin the mood].",
        "~wry If looks could vote, I'd be gone by now.",
        "~blunt Think what you want of me.",
        "~blunt [Do your worst|I don't mind either way|I've nothing to prove].",
        "~careful There are things about last night I'm not going to [explain|discuss|go into].",
    ),
    "open_first": (
        "[Somebody has to begin|Someone must go first|Nobody else seems keen|It falls to me], "
        "so [let it be me|here I go|I'll start].",
        "[Good morning|Morning|Good day], [everyone|all of you|friends|all]. [I hope you slept "
        "better than I did|What a night|Let's get to work|Shall we begin|I've had better "
        "mornings].",
        "Nobody has said anything yet, which makes this [an easy|a short|a simple] speech.",
        "Here we are, eight of us, and one with [blood under the nails|fur on the collar|a bad "
        "conscience|teeth].",
        "[Morning|Well, morning]. [I have little to go on, like most of you|Somebody here is "
        "smiling too calmly|I know as little as the rest of you|Let's see who blushes first].",
        "First to talk, first to be blamed, [I suppose|but so be it|as always|but someone must].",
        "~wry I've drawn the short straw: the first word, and [nothing to say|not a clue to my "
        "name|nobody to contradict].",
        "~careful Going first, I can only tell you how I'll judge: by [claims|what is "
        "claimed], and by who [checks|tests] them.",
        "~warm Good morning, all of you, even the one with the [teeth|fur|tail].",
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
        "~wry I've [heard|been to] [calmer|jollier] funerals.",
        "~warm Thank you all for talking so [openly|freely], or nearly so.",
        "~careful Let's separate what we know from what we've been told.",
        "~careful One step after the other.",
    ),
    "close_early": (
        "I'd [like|want|need] to [hear|see|know] [more|a bit more|a few more of you|another "
        "round] before I [decide|settle|commit|make up my mind].",
        "There is [time|still time|time enough]; let's [use it|not waste it|not rush|talk it "
        "through].",
        "It's early, so [hold me to none of this|don't nail me down on it|this may change|take "
        "it with salt].",
        "[Convince me otherwise|I can be talked out of it|I'm open to better ideas|Show me I'm "
        "mistaken and I'll thank you|I'd gladly hear the other side].",
        "Let's see who [gets nervous|flinches|speaks up next|has an answer to that|changes the "
        "subject].",
        "I'm curious what the [next ones|others|rest of you] [say|make|think] [to|of] that.",
        "Somebody here already knows [the end of this story|how this ends|more than all of us].",
        "[That's where I am|So far my view|That's my view|That's how it looks from here], [and "
        "it may change|for now|until I hear better|at this hour].",
        "[Let's keep talking|Let's hear the others|More voices, please|Who's next|I'll listen "
        "to the rest], [we've rounds to go|it's still early|nothing is settled|there's no "
        "hurry].",
        "[I'll leave it there|Enough for a start|That will do for now|No more from me yet], "
        "[the rest comes later|somebody else may go on|I want to hear the others|let's see "
        "what comes back].",
        "~blunt [Next|Go on|Who's next|Your turn, somebody|That's it].",
        "~wry [Carry on|Go ahead|Don't stop], I'm [enjoying this|all ears|having a lovely time].",
        "~warm Let's stay [fair|kind|decent] to each other[, whatever comes| while we're at it|].",
        "~careful I'll keep [count|track|a list] of who answers and who doesn't.",
    ),
    "close_late": (
        "Think before you [point|vote|raise a hand]; we have one vote and no second one.",
        "Let's not [scatter|split|waste] our votes[, or the wrong one laughs|, please|].",
        "And mind the Tanner: [whoever wants the rope shouldn't get it|somebody here would "
        "love to be thrown out|don't do anybody that favour].",
        "Whatever we do, let's do it [together|with open eyes|for a reason].",
        "That's [all I have|everything I've got|my last word]. [Choose well|Think it over|Good "
        "luck to us|Now it's up to you].",
        "[Time will tell|We'll know soon enough|The cards will show it], and you may laugh at "
        "me afterwards.",
        "I've said [my piece|what I had to say|enough]. [Now vote|The rest is up to you|Let's "
        "get it over with|May it be right].",
        "One more [sleep|night], or none at all. It's up to us.",
        "[No more rounds after this|This is the last of it|We won't get another try], so [make "
        "it count|think hard|don't vote out of spite|be sure of your hand].",
        "~blunt [Decide|Vote|Get on with it].",
        "~wry May the [worst|guiltiest|hairiest] one lose.",
        "~warm Whoever goes, no hard feelings, please.",
        "~careful Count the claims once more before you vote.",
    ),
}
