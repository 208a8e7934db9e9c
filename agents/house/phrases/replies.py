"""Answers to others. See `agents.house.words` for how phrases are written."""

from __future__ import annotations

REPLIES: dict[str, tuple[str, ...]] = {
    "rebut": (
        "{x}, [what exactly did I do|what is that built on|on what grounds]?",
        "I hear you, {x}, but [you're chasing a shadow|there is nothing behind that door].",
        "{x}, [pushing me is easy|pointing is easy]. Giving a reason would be better.",
        "[No|Sorry|Come on], {x}. [If I go today, the village is no wiser tomorrow|I'm a dead "
        "end, and "
        "you'll regret the vote].",
        "You can press me all day, {x}; [there's nothing there|I'll say the same thing at sunset].",
        "~warm I'm not angry, {x}, [in your place I might wonder too|we all have to look "
        "somewhere]. "
        "But I'm not what you're looking for.",
        "~blunt Wrong, {x}.",
        "~careful {x}, take your own argument and try it on two others. It fits them just as "
        "badly.",
        "~wry {x}, I'm flattered by the attention, [but I don't bite|but you could do better].",
        "{x}, name one thing I said that was false.",
        "I've nothing to hide from you, {x}. [Ask me something|Try me].",
        "{x}, you'll feel silly about this later.",
    ),
    "rebut_once": (
        "{x}, I've said [three sentences|barely a few words] so far and you already have me "
        "hanging.",
        "That was quick, {x}: one little speech, and I'm on your list?",
        "{x}, you heard me once. [Give me a second chance.|Isn't that a bit thin?]",
    ),
    "rebut_unclaimed": (
        "{x}, you want my head and haven't even told us who you are.",
        "Big words, {x}, from someone who hasn't named a role yet.",
        "And what are you, {x}? [You point at me and keep your own card covered|You ask for "
        "trust and "
        "show nothing].",
        "Funny, {x}: you know all about me, and we know nothing about you.",
    ),
    "rebut_flip": (
        "First it was {y}, now it's me; {x}, [who is next|do you know it yourself]?",
        "{x}, you were after {y} before. [Did that get too hot|What happened to that]?",
        "A moment ago you had {y} in your sights, {x}. Now I'm convenient.",
    ),
    "rebut_echo": (
        "{x}, that's only what {y} said before you. [Do you have a thought of your own?|Say "
        "something new.]",
        "I see, {y} points at me and {x} trots along.",
        "{x}, you borrowed that from {y}. [It isn't any better second-hand|It was thin the first "
        "time].",
    ),
    "rebut_mason": (
        "{x}, {y} has spoken for me and I for {y}. [What more do you want|What else can a Mason "
        "do]?",
        "{x}, that breath is wasted on me; {y} knows it and I know it.",
        "To get rid of me, {x}, you'd have to get past {y} as well. [Do you dare?|Good luck.]",
    ),
    "rebut_claimed": (
        "{x}, I've told you what I am, and [that's the whole of it|it won't change however you "
        "poke].",
        "I put my role on the table, {x}. [It isn't my fault that it's a dull one|There's nothing "
        "underneath].",
        "{x}, I can't prove a negative. I said what I am; judge me by what I argue.",
        "I gave you my role, {x}. [Which part of it don't you like|Did it bore you]?",
    ),
    "rebut_seer": (
        "{x}, think who profits when the one with the vision is silenced.",
        "If you throw me out, {x}, you throw out the only hard fact of this night.",
        "{x}, I could have stayed quiet. I spoke, and this is the thanks.",
        "That's what I'd expect from whoever fears my vision, {x}.",
    ),
    "rebut_back": (
        "Interesting that it's you, {x}, because you were my first worry anyway.",
        "{x}, you point at me just as I was going to point at you. [I don't think that's an "
        "accident|Odd timing].",
        "You come at me, {x}? [I was about to ask you the same|I could give that right back].",
    ),
    "rebut_many": (
        "{x} and {y} both, at once? [I must be doing something right|That's a lot of noise for "
        "so few "
        "facts].",
        "So now {x} and {y} are at it. [Two pointing fingers don't make one proof|Count the "
        "facts in "
        "it; I found none].",
        "{y} first, then {x}: [this is how the wrong one gets thrown out|a pile is quickly made].",
        "I notice that {x} and {y} sing the same song. [I'd like to know who wrote it|I'm not "
        "in it].",
        "{x}, {y}, you can't both have thought of me by accident.",
        "Two against one, {x} and {y}. [I'd ask the others to look at who started it|I've seen "
        "better hunts].",
        "~wry {x} and {y}, form a queue, please.",
        "~blunt {x}, {y}: no.",
    ),
    "rebut_tease": (
        "Go on, {x}, say it louder. [I have all day|You might even be right].",
        "Warm or cold, {x}? [Will you risk it?|I won't help you.|Only one way to find out.]",
        "{x}, I won't even argue. [Believe what you like|Do what you must].",
    ),
    "rebut_report_other": (
        "{x} names me as one of two. I know my half of that: it isn't me. So it has to be {y}.",
        "I'm not the Werewolf, so {x}'s pair has only one name left in it: it's {y}.",
        "I can solve half of {x}'s riddle. I'm not the Werewolf, so it must be {y}.",
        "~wry Fifty-fifty, says {x}, and I happen to know the coin: it's {y}.",
        "From where I sit it's simple: {x} named two, and I'm not the Werewolf. It's {y}.",
    ),
    "rebut_report_open": (
        "{x} puts me in a pair with {y}. I can only swear that I'm not the Werewolf, [and ask "
        "how sure "
        "{x} can be|and wonder about that vision].",
        "So {x} claims to have looked at me. Either that vision is invented or {y} has some "
        "explaining to do, since I'm not the Werewolf.",
        "I don't like being half of {x}'s riddle. I'm not the Werewolf, I can tell you that much.",
        "Me or {y}, says {x}. I'm not the Werewolf; [the rest you have to work out|weigh it up "
        "yourselves].",
        "{x}, you've put my name in your mouth. I'm not the Werewolf; [ask {y} the same|see if "
        "{y} can say that as easily].",
        "I won't panic because {x} had a dream. I'm not the Werewolf.",
    ),
    "rebut_report_lie": (
        "{x} names me and {y}. I know what I am and I know about {y}: {x} can't be the Seer.",
        "{x}'s vision can't be right, because neither {y} nor I could be the one. {x} is not "
        "the Seer.",
        "That settles {x} for me. {y} and I are both out of the question, so {x} can't be the "
        "Seer.",
        "Wrong, and provably so, at least to me: not {y}, not I. {x} is not the Seer.",
    ),
    "thanks": (
        "Thank you, {x}. [That's kind|It's good to hear|I won't forget it].",
        "{x}, [I'll remember that you spoke up for me|that was decent of you].",
        "~blunt Right, {x}.",
        "~wry {x} has taste, I see.",
        "~careful Kind of you, {x}, though I'd be happier with a reason.",
    ),
    "thanks_clean": (
        "Well, {x} leaves me in peace, [and I know that much of it is right|and as far as I'm "
        "concerned "
        "the vision holds].",
        "{x}, what you saw of me is what I am. That speaks for you.",
        "About me {x} got it right, [so I'm inclined to listen|which makes me listen].",
        "I can vouch for half of {x}'s vision, my half.",
        "{x} says I'm clean, and so I am.",
        "Since {x} got me right, I see no reason to doubt the rest.",
    ),
    "answer_role": (
        "{x}, you asked who I am. ",
        "You want a role, {x}? [Fine|Here it is|Fair enough].",
        "[A fair question|No need to ask twice], {x}.",
    ),
    "answer_claimed": (
        "{x}, I said it before and it's the same now: {r}.",
        "You must have missed it, {x}: {r}, and still {r}.",
        "As I told everyone, {x}: {r}.",
    ),
    "answer_evade": (
        "{x}, [that's between me and the night|nice try|what I am is my own business].",
        "You'd like to know, {x}, wouldn't you? [Not yet|I enjoy the suspense].",
        "I could give you a role, {x}, but would you believe it?",
    ),
    "answer_suspect": (
        "{x}, you want [a name|to know where I stand]. ",
        "You asked whom I have in mind, {x}. ",
        "Since you ask, {x}, [I won't hide it|here goes]. ",
    ),
    "answer_reason": (
        "{x}, you want my reasons. [Fair|You'll get them].",
        "Why, asks {x}. [I can tell you|That's easily answered].",
        "You asked me why, {x}. ",
    ),
    "answer_no_look": (
        "{x}, I saw nothing in the night, [you must mean someone else|I can't help you there].",
        "No visions from me, {x}. ",
    ),
    "answer_open": (
        "{x}, [let me think aloud|I'll try to answer that|since you ask me].",
        "You turn to me, {x}, [so here it is|so I'll be frank].",
        "[Good question|Let me see], {x}. ",
    ),
    "deny_partner": (
        "{x} calls me a fellow Mason. I'm not a Mason, so [what is that about|draw your own "
        "conclusions].",
        "Whatever {x} is playing at, leave me out of it: I'm not a Mason.",
        "Sorry, {x}, I'm not a Mason. [Why would you say such a thing|That story falls apart].",
    ),
}
