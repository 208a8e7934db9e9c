"""What a house player says of itself. See `agents.house.words` for how phrases are written."""

from __future__ import annotations

CLAIMS: dict[str, tuple[str, ...]] = {
    "claim_villager": (
        "I'm [a|just a|only a] Villager[, so all I have is my ears|, nothing more|]. ",
        "[For what it's worth|So that it's said|Before anybody asks], I'm a Villager.",
        "I'm a Villager. [No visions, no partner, just a bad night's sleep|I slept through all "
        "of it"
        "|I know exactly as much as a doorpost].",
        "My role is Villager, and I [know how little that proves|won't pretend it's more].",
        "[You'll hear nothing grand from me|No big news from my corner]: I'm a Villager.",
        "I [was dealt|drew] a Villager, [so I have to work with what you give me|so I'm all ears].",
        "~blunt Villager here. [That's all|Nothing to add].",
        "~wry I'm a Villager, the sort of person who dies in the first chapter.",
        "~wry Sadly I'm only a Villager; [all the exciting cards went elsewhere|I had hoped for "
        "more].",
        "~careful I'm a Villager. There are two of those, so somebody here can say the same.",
        "~warm I'm a Villager, and I'm on the side of everyone who [wants to find this Wolf|sleeps "
        "badly over this].",
        "~plain I'm a Villager and [saw nothing|heard nothing] in the night.",
    ),
    "claim_mason": (
        "I'm a Mason, and [my partner is {x}|{x} is the other Mason]. [That takes two of us off "
        "your "
        "lists|So that's two fewer to worry about].",
        "{x} and I are the Masons. [We found each other in the night|So look among the other six].",
        "[Time to say it|I'd better come out with it]: I'm a Mason, and my partner is {x}.",
        "I am a Mason together with {x}. [Ask {x} if you doubt it|{x} will tell you the same].",
        "My fellow Mason is {x}. [Put us both aside and the circle gets smaller|You can strike us "
        "both].",
        "~warm I can give you two honest people: I'm a Mason, and {x} is the other one.",
        "~blunt I'm a Mason. My partner is {x}. Look elsewhere.",
        "~careful I held it back, because a Mason is more use alive than loud: I'm a Mason, and my "
        "partner is {x}.",
    ),
    "claim_mason_alone": (
        "I'm a Mason. [I'd rather not name my other half just yet|My partner can speak up when it "
        "helps].",
        "I'm one of the Masons, and [I keep the second name to myself for now|I won't hand the "
        "Werewolf a second name].",
        "I am a Mason, so there's one person here I'm sure of. [Guess who|I'll keep the name "
        "back].",
        "~blunt I'm a Mason. No, I won't say who the other one is.",
        "~careful I'm a Mason. If I named the other one now, the liars would only know whom to "
        "leave "
        "alone.",
    ),
    "confirm_mason": (
        "What you heard about me is true: {x} and I are the Masons.",
        "[I can confirm it|I'll back that up]: I'm a Mason, and my partner is {x}.",
        "{x} [told you the truth|didn't make that up]. I'm a Mason too, and {x} is my partner.",
        "Yes, {x} and I are the Masons. [Two names you can cross out|That much is settled].",
        "~blunt {x} and I are the Masons. Done.",
        "~warm Thank you, {x}, for going first. {x} and I are the Masons.",
        "~wry I had hoped to stay mysterious a little longer, but yes: {x} and I are the Masons.",
        "No need to guess any longer. I'm a Mason, my partner is {x}, and we've known since "
        "last night.",
        "~careful Both halves agree, so you can check it: {x} and I are the Masons.",
    ),
    "vouch_mason": (
        "[Stop right there|Enough|Hold on], {y}: {x} is my fellow Mason, so that's the wrong tree.",
        "I wanted to keep it back, but {y} leaves me no choice: I'm a Mason, and {x} is the other "
        "Mason.",
        "{y}, that road leads nowhere. {x} and I are the Masons.",
        "Before this goes any further: {x} and I are the Masons, so let go of it, {y}.",
        "~wry {y}, of all the people to pick on. {x} is my fellow Mason.",
    ),
    "spare_mate": (
        "And {y}, once more for the back row: my partner is {x}, so you're wasting your breath.",
        "{y}, I told you that {x} and I are the Masons. Whoever keeps at it is no friend of the "
        "village.",
        "Leave it, {y}: {x} is my fellow Mason, and I know that for a fact.",
    ),
    "report_found": (
        "I'm the Seer. [Last night|In the night] I [looked at|checked|picked] {a} and {b}, and "
        "one of "
        "[them|the two] is the Werewolf.",
        "[Listen, this matters|Hear me out|This will change things]: I'm the Seer. I looked at "
        "{a} and "
        "{b}, and the Werewolf is [among them|one of those two].",
        "I am the Seer, and I won't sit on it. I checked {a} and {b}: one of the two is the "
        "Werewolf.",
        "I have something better than a feeling. I'm the Seer, I looked at {a} and {b}, and one of "
        "them is the Werewolf.",
        "I'm the Seer. [I picked {a} and {b} for no clever reason, and was lucky|{a} and {b} "
        "were my "
        "choice in the night. I looked at {a} and {b} with a dry mouth]: one of them is the "
        "Werewolf.",
        "~blunt I'm the Seer. I checked {a} and {b}. One of them is the Werewolf. [Work with "
        "that|Your "
        "turn].",
        "~careful I thought about when to say this. I'm the Seer, and I looked at {a} and {b}; the "
        "Werewolf is one of the two, I just can't tell you which.",
        "~warm Please believe me on this: I'm the Seer. I looked at {a} and {b}, and one of "
        "them is "
        "the Werewolf.",
        "~wry I'd love to be a harmless Villager, but I'm the Seer. I looked at {a} and {b}, "
        "and one "
        "of them is the Werewolf.",
    ),
    "report_clean": (
        "I'm the Seer. [Last night|In the night] I [looked at|checked|picked] {a} and {b}, and "
        "neither "
        "is the Werewolf.",
        "[Listen, this helps|Hear me out|A small gift]: I'm the Seer. I looked at {a} and {b}, and "
        "neither of them is the Werewolf.",
        "I am the Seer. I checked {a} and {b}: both are clean. [That leaves five of you|So it "
        "must be "
        "one of the other five].",
        "I'm the Seer, I looked at {a} and {b}, and the Werewolf is not among them.",
        "~blunt I'm the Seer. I checked {a} and {b}. Neither is the Werewolf. Moving on.",
        "~careful I thought about when to say this. I'm the Seer, and I looked at {a} and {b}: "
        "neither "
        "is the Werewolf. They could be other things, mind.",
        "~warm I'm glad I can say something kind. I'm the Seer. I looked at {a} and {b}, and "
        "neither is "
        "the Werewolf.",
        "~wry I'm the Seer, and I wasted my night on decent people: I looked at {a} and {b}, and "
        "neither is the Werewolf.",
    ),
    "counter_report_found": (
        "[That's a lie, and I can prove it|Now I have to speak]: {x} can't be the Seer, because "
        "I'm "
        "the Seer. I looked at {a} and {b}, and one of them is the Werewolf.",
        "{x} is not the Seer. I'm the Seer, I checked {a} and {b}, and one of the two is the "
        "Werewolf.",
        "I was going to wait, but I won't let {x} have my role. I'm the Seer. I looked at {a} "
        "and {b}: "
        "one of them is the Werewolf.",
        "~wry How nice, {x} has borrowed my job. I'm the Seer. I looked at {a} and {b}, and the "
        "Werewolf is one of those two.",
        "~blunt {x} is not the Seer. I'm the Seer. I checked {a} and {b}. One of them is the "
        "Werewolf.",
    ),
    "counter_report_clean": (
        "[That's a lie, and I know it|Now I have to speak]: {x} can't be the Seer, because I'm the "
        "Seer. I looked at {a} and {b}, and neither is the Werewolf.",
        "{x} is not the Seer. I'm the Seer, I checked {a} and {b}, and neither of the two is the "
        "Werewolf.",
        "I was going to wait, but I won't let {x} have my role. I'm the Seer. I looked at {a} "
        "and {b}: "
        "neither is the Werewolf.",
        "~wry How nice, {x} has borrowed my job. I'm the Seer. I looked at {a} and {b}, and the "
        "Werewolf "
        "is not among them.",
        "~blunt {x} is not the Seer. I'm the Seer. I checked {a} and {b}. Both are clean.",
    ),
    "turn_found": (
        "I owe you the truth: I'm not a Villager. I'm the Seer, I looked at {a} and {b}, and "
        "one of "
        "them is the Werewolf.",
        "I take it back, I'm not a Villager. I hid because I was afraid. I'm the Seer. I "
        "checked {a} "
        "and {b}: one of the two is the Werewolf.",
        "Forget what I said at first; I'm not a Villager. I'm the Seer. I picked {a} and {b}, "
        "and one "
        "of them is the Werewolf.",
        "I lied at first, and I'm sorry: I'm not a Villager. I'm the Seer. I looked at {a} and "
        "{b}, and one of the two is the Werewolf.",
        "Time to drop the mask. I'm not a Villager. I'm the Seer, I checked {a} and {b}, and "
        "one of them is the Werewolf.",
    ),
    "turn_clean": (
        "I owe you the truth: I'm not a Villager. I'm the Seer, I looked at {a} and {b}, and "
        "neither "
        "is the Werewolf.",
        "I take it back, I'm not a Villager. I hid because I was afraid. I'm the Seer. I "
        "checked {a} "
        "and {b}: both are clean.",
        "Forget what I said at first; I'm not a Villager. I'm the Seer. I picked {a} and {b}, and "
        "neither is the Werewolf.",
        "I lied at first, and I'm sorry: I'm not a Villager. I'm the Seer. I looked at {a} and "
        "{b}, and neither of the two is the Werewolf.",
        "Time to drop the mask. I'm not a Villager. I'm the Seer, I checked {a} and {b}, and "
        "both are clean.",
    ),
    "repeat_found": (
        "[I'll say it once more|I stand by every word|Nothing has changed]: I looked at {a} and "
        "{b}, "
        "and one of them is the Werewolf.",
        "Doubt me if you like, but I checked {a} and {b}, and one of the two is the Werewolf.",
        "Everything I have is on the table. I looked at {a} and {b}: one of them is the Werewolf.",
        "If you forget everything else, keep this. I looked at {a} and {b}, and the Werewolf is "
        "one of "
        "those two.",
    ),
    "repeat_clean": (
        "[I'll say it once more|I stand by every word|Nothing has changed]: I looked at {a} and "
        "{b}, "
        "and neither is the Werewolf.",
        "Doubt me if you like, but I checked {a} and {b}, and neither of the two is the Werewolf.",
        "Please don't waste the vote on my two. I looked at {a} and {b}: both are clean.",
        "If you forget everything else, keep this. I looked at {a} and {b}, and neither is the "
        "Werewolf.",
    ),
    "rival_found": (
        "{x} is not the Seer, and I know it better than anyone. But mind the order of things: "
        "my look "
        "was {a} and {b}, and the Wolf is between them.",
        "There's one Seer, and {x} isn't the Seer. Don't waste the vote there, though; the "
        "teeth are "
        "with {a} or {b}.",
        "{x} can't be the Seer. Whatever {x} is, [the one we want|the one who bites] is {a} or "
        "{b}.",
        "Only one of us two was awake last night, {x}, and it was me. {a} or {b}, that's where my "
        "night ended.",
        "{x} is not the Seer. That said, one liar is not the one we hunt; I saw where to look, "
        "at {a} or at {b}.",
        "{x} tells it nicely, but {x} can't be the Seer. It is about {a} and about {b}; leave "
        "the theatre for later.",
    ),
    "rival_clean": (
        "{x} is not the Seer, and I know it better than anyone. Ask yourselves who needs a second "
        "vision.",
        "There's one Seer, and {x} isn't the Seer. Why tell such a tale unless one has "
        "something to "
        "hide?",
        "Only one of us two was awake last night, {x}, and it was me.",
        "{x} can't be the Seer. I don't know what {x} gains by it, but I can guess.",
        "I can't prove it to you, but {x} is not the Seer.",
        "One of us slept soundly, {x}, and I didn't. {x} can't be the Seer.",
    ),
    "evade": (
        "What I am is my own business [for the moment|until I see a reason].",
        "I'd rather keep my role to myself. [You'll see why, or you won't|It has served me well].",
        "I could tell you something about myself, but would you believe it?",
        "I won't play the game of everybody naming a role. Make of that what you want.",
        "~wry I have a role, a very fine one, and I'm keeping it warm.",
    ),
}
