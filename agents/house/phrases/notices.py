"""A word for those who turned to me. See `agents.house.phrasing` for how phrases are written."""

from __future__ import annotations

NOTICES: dict[str, tuple[str, ...]] = {
    "agreed": (
        "[Good to hear|Glad of it|So far, so good|Nice to hear], {x}, [we see it alike|that's "
        "two of us|I'm not alone in it, then|at least somebody listens].",
        "{x}, [we're of one mind there|we see that alike|so we think alike], [for once|for "
        "now|and long may it last|and I'm glad of it].",
        "~wry [Careful|Steady], {x}, [people will say we rehearsed that|two heads with one "
        "thought look odd at this table].",
        "~blunt [Quite|Exactly|Good], {x}.",
    ),
    "disagreed": (
        "{x}, [we needn't see it alike|you may see it otherwise|you're free to see it your "
        "way|so we differ], [but where do I go wrong|but what would you say instead|but which "
        "part of it bothers you]?",
        "[So be it|Very well|All right|As you like], {x}, [we differ there|you see it "
        "otherwise|you weigh it another way|we part ways on that], [and I stay with it|and I "
        "can live with that|but I won't take it back|and time will tell].",
        "{x}, you [object|shake your head|think otherwise], [and I'd like to know why|but I "
        "heard no reason|so bring me something better].",
        "~blunt [Object|Shake your head] [all you like|as much as you want], {x}.",
        "~warm [No harm done|No hard feelings], {x}, [we can differ and still get along|two "
        "views are better than one].",
    ),
    "disbelieved": (
        "{x}, you don't [have to like it|want to hear it], but [I stand by it|it stays as I "
        "said|I won't change it]: {r}.",
        "[I said {r}, {x}, and {r} it stays|{r} I said, {x}, and {r} it is], [whatever you make "
        "of it|with or without your blessing|for good or ill].",
        "[Doubt it all you like|Doubt it if you must|You may doubt it], {x}: {r}[, as I said|, "
        "and it stays that way|. The rest will show].",
    ),
    "called_names": (
        "{x}, [what makes you say {r}|how do you arrive at {r}|why {r}, of all things|what "
        "has {r} to do with me]?",
        "[Is that what you see in me|Is that your idea of me|So that's my part in your tale], "
        "{x}? [I've been called many things|I must have a strange face|That's a new one|I'd "
        "like to hear why].",
        "[You give me a part I never had|That's a role I never asked for|I never had that role], "
        "{x}, [and it doesn't fit|and I hand it back|ask somebody else].",
    ),
    "note_claim": (
        "{x} says {r}[, and I'll [remember|keep] that|. Noted|, so let's see if it holds|, and "
        "we'll see who else does|, and I heard it|, and that's a beginning].",
        "{x} tells me {r}, [and I'll check that later|and that can be "
        "checked against the rest|so I keep it in mind|and I noted it].",
        "~careful {x} says {r}. [I can't test that yet|I'll weigh it against the rest|That "
        "may be so].",
        "~wry {x} says {r}. [They all say something|A nice story|What else would one say].",
    ),
    "note_denial": (
        "{x}, you tell me [what you're not|what's not on your card]. [What are "
        "you|What's your role|So what is your role|And what are you]?",
        "[That's one card less|One down|That leaves a few|That's half an answer], {x}. [What's "
        "your role|What are you, then|So what are you]?",
        "[Anyone can say what they're not|It's easy to say what one isn't], {x}. [What are "
        "you|So what's your role]?",
    ),
    "note_retract": (
        "So you take that back, {x}. [So what are you now|What are you then|So what's your role]?",
        "[Hold on|Wait|One moment|Not so fast], {x}, [first one thing, then another|you change "
        "your tune|you swallow your own words|that was quick]. [What are you now|So what are "
        "you|What's your role, then]?",
        "{x}, [taken back is taken back|what's said is said|that won't be forgotten|I "
        "heard it the first time]. [So what's your role now|What are you, then]?",
    ),
    "join_in": (
        "[You're not alone there|You're not the only one|We look the same way|I had the same "
        "thought], {x}[: |; |. ]<suspect>.",
        "{x}, [that goes for me too|count me in|you took the words out of my mouth|I won't "
        "object][: |; |. ]<suspect>.",
    ),
    "hold_back": (
        "[I don't see it yet|I'm not there yet|That's too quick for me], {x}, [as to {y}|on {y}, "
        "that is].",
        "[I'd want more than that|I'd need a reason first], {x}, before I go after {y}.",
        "{x}, [for {y} I'd need a reason first|on {y} "
        "I'm undecided|what you bring against {y} is thin].",
        "You bring up {y}, {x}, [but I'd need more than that|but I look elsewhere|but so far "
        "I'm not moved|and I'm not convinced yet].",
    ),
    "answer_nobody": (
        "{x}, [so far nobody stands out|I have no name for you yet|it's too early for a name|"
        "I've heard too little for a name], [ask me again later|let me hear the others "
        "first|I'd be guessing].",
        "[Too early for a name|No name yet|I'd only be guessing], {x}[. |; |, ][let me hear a "
        "few more first|I've got nothing to go on yet|ask me when more have spoken].",
        "{x}, [you ask early|that comes early|you're quick to ask]: [I've hardly heard anyone|"
        "most haven't said a word|there's nothing to go on yet].",
    ),
}
