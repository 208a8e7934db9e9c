"""Trust, questions, first and last words.

See `agents.house.phrasing` for how phrases are written.
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
    "ask_silent": (
        "{t}, we [haven't heard a word|have heard next to nothing] from you. [What do you say|Whom "
        "do "
        "you suspect|What are you]?",
        "[Say something|Speak up|Talk to us], {t}: [what are you|whom do you suspect|what do you "
        "make "
        "of all this]?",
        "{t}, [silence won't help you|saying nothing is an answer, too]. [What are you|Whom do you "
        "suspect|Why so quiet]?",
        "[And you|What about you|Now you], {t}? [Why so quiet|Why do you say nothing]?",
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
        "less|last I looked|for the time being|if you don't look closely].",
        "~wry I'd defend myself, but it [spoils the fun|takes so long|would ruin the mood|"
        "bores me].",
        "~wry If looks could vote, I'd be gone by [now|noon].",
        "~blunt Think [what you want|what you like|the worst] of me[, I won't argue|, see if I "
        "mind|].",
        "~blunt [Do your worst|I don't mind either way|I've nothing to prove|Point where you "
        "like][. Really|].",
        "~careful There are [things|some things|one or two things] about last night I'm not "
        "going to [explain|discuss|go into][, for reasons of my own|, not yet|].",
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
        "I'd [like|want|need|love] to [hear|see] [more|a bit more|a few more of you|"
        "another round|the other side] before I [decide|settle|commit|make up my mind|point "
        "anywhere|nail myself down].",
        "There is [time|still time|time enough|no clock on us], so let's [use it|not waste it|"
        "not rush|talk it through|look twice|hear each other out].",
        "It's [early|early days|too early to tell], so [hold me to none of this|don't nail me "
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
}
