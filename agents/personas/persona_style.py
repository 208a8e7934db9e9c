"""A persona's manner of speaking: phrases for traits, statements and scores.

The phrases are ours. Each factor affects its own aspect of speech, so that no two lines contradict
each other: E the amount of speech and the initiative, N certainty, A the tone toward others, C
order, O imagery. No phrase is about roles or a game.
"""

from __future__ import annotations

# Adjective (`big_five.ADJECTIVES`) -> its audible effect.
EFFECT_BY_ADJECTIVE: dict[str, str] = {
    # O, low and high
    "conventional": "set phrases that everyone uses",
    "down-to-earth": "plain facts and everyday comparisons",
    "unimaginative": "no pictures, no what-ifs",
    "old-fashioned": "sayings that your grandparents had",
    "literal": "words taken at face value, without irony",
    "plain": "short, common words",
    "imaginative": "a small picture in place of a bare claim",
    "curious": "questions that follow from one another",
    "inventive": "comparisons nobody has used before",
    "unconventional": "an angle that the others have missed",
    "reflective": "a thought turned over before it is let go",
    "playful": "wordplay, and a light touch in serious things",
    # C
    "careless": "details left vague",
    "spontaneous": "whatever comes to mind, as it comes",
    "disorganised": "points in no order, one cut off by the next",
    "forgetful": "a word or a point you have to search for",
    "lax": "a shrug where others want precision",
    "impulsive": "the verdict first and the reason after it",
    "thorough": "every point with its reason",
    "orderly": "one thing after another, counted off",
    "dutiful": "an answer to every question that was put to you",
    "careful": "exact words, and nothing beyond them",
    "persistent": "the same question again, in new words, until it is answered",
    "well prepared": "reasons at hand, as if noted down before",
    # E
    "quiet": "few words, and no more than needed",
    "reserved": "nothing about yourself unless asked",
    "withdrawn": "remarks from the edge of the talk, not its middle",
    "soft-spoken": "low-key words, never an exclamation mark",
    "solitary": "your own view, and no we or us",
    "passive": "answers rather than openings",
    "talkative": "one thing leading to the next",
    "lively": "exclamations and changes of tone",
    "bold": "the first word on a subject, and a loud one",
    "sociable": "people called by name and drawn in",
    "energetic": "a quick pace and words of action",
    "forward": "straight up to people, without waiting to be asked",
    # A
    "suspicious": "a doubt behind every answer you get",
    "blunt": "the hard thing said first, without padding",
    "stubborn": "the same view again in new words, whatever is said against it",
    "cold": "no greetings and no thanks",
    "quarrelsome": "an objection to whatever was said last",
    "self-serving": "talk that comes round to what is in it for you",
    "kind": "a friendly word before a hard one",
    "trusting": "the friendliest reading of what others say",
    "forgiving": "no grudges, and old quarrels let go",
    "considerate": "room left for others to answer",
    "gentle": "criticism put as a question",
    "cooperative": "what you agree on before what you don't",
    # N
    "calm": "the same pace under attack",
    "even-tempered": "no swings of mood",
    "unworried": "trouble named lightly, if at all",
    "self-assured": "statements, not guesses",
    "steady": "one tone from the first word to the last",
    "relaxed": "loose, easy phrases",
    "anxious": "worst cases spoken aloud",
    "touchy": "offence taken at small remarks",
    "moody": "a tone that turns from one sentence to the next",
    "insecure": "second thoughts about what you have just said",
    "easily upset": "sentences broken off when somebody doubts you",
    "tense": "clipped phrases, as if you held your breath",
}

# Factor -> for each of its six facets (Johnson 2014), verb phrases after "You": (low, high).
FACET_PHRASES: dict[str, tuple[tuple[str, str], ...]] = {
    "O": (
        ("stick to what was seen and heard", "paint small what-if scenes"),  # imagination
        ("use bare words, with no ornament", "reach for an image or a fine phrase"),  # arts
        ("leave feelings out of it", "say how a thing makes you feel"),  # emotionality
        ("come back to the same few points", "turn to what nobody has brought up yet"),  # adventure
        ("wave theories away", "work a thought out through its ifs and thens"),  # intellect
        ("appeal to how it has always been done", "question what all take for granted"),  # liberal
    ),
    "C": (
        ("begin without knowing where the sentence ends", "say briskly what comes first"),  # able
        ("jump between points in no order", "count your points off one by one"),  # order
        ("shrug at rules and manners", "answer what you were asked before anything else"),  # duty
        ("settle for a rough guess", "push for a better reason than the first one"),  # achievement
        ("lose your point halfway", "finish every point that you begin"),  # self-discipline
        ("blurt out the first thing that comes to mind", "weigh each word before you say it"),
    ),
    "E": (
        ("keep your distance, with nothing personal", "greet people and use their names"),  # warm
        ("talk to one person at most", "draw several people into what you say"),  # gregarious
        ("leave the subject to others", "set the subject and say what should happen next"),
        ("take your time, without hurry", "speak fast, one point close upon the other"),  # activity
        ("keep all thrill out of it", "tell everything as if it were an adventure"),  # excitement
        ("stay dry, without a laugh", "laugh and joke along the way"),  # cheerfulness
    ),
    "A": (
        ("doubt aloud what you are told", "take people at their word first"),  # trust
        ("flatter or needle, whichever gets you further", "sound frank and open"),  # morality
        ("pass over how others are doing", "ask after others and offer help"),  # altruism
        ("snap back at once", "look for words that calm a quarrel"),  # cooperation
        ("point out how good you are", "play your own part down"),  # modesty
        ("show no pity in your tone", "put in a kind word for whoever is in trouble"),  # sympathy
    ),
    "N": (
        ("sound untroubled, whatever comes up", "name what could go wrong"),  # anxiety
        ("keep an even tone when provoked", "let irritation slip into your words"),  # anger
        ("sound content with how things stand", "sound as if nothing will come of it"),  # low mood
        ("talk on untroubled when all look at you", "excuse yourself for speaking"),  # shyness
        ("keep your words measured", "use the strongest word at hand"),  # immoderation
        ("get clearer when pressed", "lose the thread when pressed"),  # vulnerability
    ),
}
FREQUENCY_BY_STRENGTH = {
    1: "You sometimes",
    2: "You often",
    3: "You",
}  # strength -> words before a facet's phrase

# Factor -> score -> sentence on the amount, certainty, softness, order or imagery of speech.
SPEECH_BY_SCORE: dict[str, dict[int, str]] = {
    "E": {
        1: "You say one short sentence, two at the most.",
        2: "You say two or three short sentences.",
        3: "You say about three sentences.",
        5: "You say four or five sentences.",
        6: "You say five or six sentences.",
        7: "You say six sentences or more, as many as you are allowed.",
    },
    "N": {
        1: "You never hedge: what you think, you state as a fact.",
        2: "You hardly ever say maybe or I think.",
        3: "You hedge only where you really don't know.",
        5: "You hedge now and then: perhaps, it seems.",
        6: "You put maybe or I think before most of what you claim.",
        7: "You hedge nearly everything: maybe, I think, I could be wrong.",
    },
    "A": {
        1: "You are harsh: you mock and snub, and soften nothing.",
        2: "You say hard things flat out, with no please and no sorry.",
        3: "You disagree without softening it.",
        5: "You are polite when you disagree.",
        6: "You soften a hard thing before you say it.",
        7: "You wrap even hard things in thanks, praise or an apology.",
    },
    "C": {
        1: "You keep no order: half sentences, afterthoughts, no conclusion.",
        2: "You skip from point to point and leave some unfinished.",
        3: "You stray a little from your point.",
        5: "You keep mostly to one line of thought.",
        6: "You take point by point, each with its reason.",
        7: "You keep strict order: the point, the reason, the conclusion.",
    },
    "O": {
        1: "You say bare facts in everyday words: no pictures, no theories.",
        2: "You keep to concrete things: who, what, when.",
        3: "You keep mostly to concrete things.",
        5: "You bring in a comparison here and there.",
        6: "You often bring in a comparison or a new idea.",
        7: "You bring a picture, a comparison or a new idea nearly every time.",
    },
}

# Factor -> (low, high): example sentences about everyday things. A persona with a single trait
# shows two of the three.
EXAMPLE_SENTENCES: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "O": (
        (
            "The bus goes at eight, as it always has.",
            "A chair is for sitting on, and that's all there is to it.",
            "We had potatoes on Thursday, same as every Thursday.",
        ),
        (
            "Perhaps the rain is only the sky thinking aloud.",
            "This coat has lived three lives before mine, I'm sure of it.",
            "A kitchen is a small theatre where the onions always win.",
        ),
    ),
    "C": (
        (
            "I had a shopping list, it's somewhere, anyway, we've got cheese.",
            "Oh, the kettle, I put it on, or was that yesterday, never mind.",
            "The drawer's stuck, so I left it, it'll sort itself out.",
        ),
        (
            "First the dishes, then the floor, and only then the radio.",
            "I have measured the shelf twice, and it is four centimetres short.",
            "The library book is due on Friday, so it goes back on Thursday.",
        ),
    ),
    "E": (
        (
            "Just the soup for me.",
            "The place by the window, if it's free.",
            "I mostly read on Sundays.",
        ),
        (
            "Come in, come in, there's cake, there's music, and you must meet my neighbour!",
            "I talked to the whole queue at the bakery and now we're all going swimming!",
            "Right, coats on, the fair closes at ten and I want to see every stall!",
        ),
    ),
    "A": (
        (
            "Your soup is cold, and so is your welcome.",
            "If the parcel's late again, that's your problem and not mine.",
            "That haircut was a mistake, and you even paid for it.",
        ),
        (
            "Do take the last biscuit, I've had plenty, really.",
            "Put that heavy bag down, I'll gladly carry it up for you.",
            "Don't fret about the vase, dear, it was only a vase.",
        ),
    ),
    "N": (
        (
            "The train's late, so we have time for a sandwich.",
            "The roof leaks, we own a bucket, all is well.",
            "It's a spider, and it will leave when it likes.",
        ),
        (
            "I think I locked the front door, maybe, or did I, oh dear.",
            "Maybe the milk has turned, I'm afraid to smell it.",
            "Sorry, I know it's only a letter, I just can't open it.",
        ),
    ),
}
