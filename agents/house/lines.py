"""The building blocks of house players' speech, by what they do. Braces are filled with names.

t: the one it is about. x, y: others. a, b: the two a Seer looked at. Every block is a whole
sentence or two that `agents.talk` understands as it is meant.
"""

from __future__ import annotations

LINES: dict[str, tuple[str, ...]] = {
    # -- claims and reports
    "claim_villager": (
        "I'm a villager, with nothing to show for the night but a bad sleep.",
        "I am just a villager, so all I have is what I hear at this table.",
        "For what it's worth, I'm a plain villager.",
        "I'm only a villager; I saw nothing and nobody.",
        "I am a villager, which helps nobody much, I know.",
        "I'm a simple villager. No visions, no partner, just ears.",
        "I am a villager and I spent the night with my eyes shut.",
        "Put me down as harmless: I'm a villager.",
    ),
    "claim_mason": (
        "I'm a mason, and {x} is the other mason. That is two you needn't worry about.",
        "I am a mason together with {x}. We saw each other in the night.",
        "My fellow mason is {x}. You can take us both off your lists.",
        "{x} and I are the masons, so look at the other six.",
        "I'm a mason. My partner is {x}, and {x} can say so too.",
        "Time to say it: I am a mason, and my companion is {x}.",
    ),
    "claim_mason_alone": (
        "I'm a mason. I'd rather not name my other half just yet.",
        "I am a mason, and I know one more good soul at this table. I keep the name for now.",
        "I'm one of the masons. My partner will speak when it helps.",
    ),
    "confirm_mason": (
        "What {x} said is right: {x} and I are the masons.",
        "I can confirm it: I am a mason, and {x} is the other mason.",
        "{x} told the truth about us. I'm a mason too, and {x} is my partner.",
    ),
    "report_found": (
        "I'm the seer. I looked at {a} and {b}, and one of the two is the Werewolf.",
        "I am the seer, and I looked at {a} and {b} last night: the Werewolf is among them.",
        "Listen, I'm the seer. I looked at {a} and {b}. One of them is the Werewolf.",
        "I have to come out with it: I am the seer. I looked at {a} and at {b}, and the "
        "Werewolf is one of those two.",
        "I'm the seer. Last night I checked {a} and {b}: one of them is the Werewolf.",
        "I am the seer. I picked {a} and {b} in the night, and one of them is the Werewolf.",
    ),
    "report_clean": (
        "I'm the seer. I looked at {a} and {b}, and neither is the Werewolf.",
        "I am the seer, and I looked at {a} and {b} last night: neither of them is the Werewolf.",
        "I'm the seer. Last night I checked {a} and {b}: both are clean.",
        "You should know that I am the seer. I looked at {a} and {b}. Neither is the Werewolf.",
        "I am the seer. I picked {a} and {b} in the night, and neither one is the Werewolf.",
    ),
    "stand_by_report": (
        "I stand by what I saw with {a} and {b}.",
        "My look at {a} and {b} has not changed overnight; use it.",
        "Everything I have is on the table: {a} and {b}, that was my look.",
        "Doubt me if you like, the night showed me {a} and {b} and I told you what I saw.",
    ),
    "retract": (
        "Forget what I told you at first, I am not a villager.",
        "I owe you the truth: I am not a villager, whatever I said before.",
        "I take it back: I'm not a villager at all.",
    ),
    "evade": (
        "What I am is my own business for the moment.",
        "I'd rather keep my role to myself. You'll see why, or you won't.",
        "You want a role from me? Let me think about which one I'd like to give you.",
        "I could tell you something about myself, but would you believe it?",
        "I won't play the game of everybody naming a role. Make of that what you want.",
    ),
    # -- answering
    "rebut": (
        "{x}, you have the wrong one in me; what exactly did I do?",
        "{x} keeps pointing my way without a single fact.",
        "I hear you, {x}, but you are chasing the wrong shadow.",
        "{x}, if I go today the village wakes up no wiser.",
        "To {x} I say: look at who gains when we two quarrel.",
        "You can press me all day, {x}, there is nothing behind it.",
        "{x}, pushing me is easy. Giving a reason would be better.",
        "Fair enough, {x}, ask me anything, but don't make up your mind before I answer.",
    ),
    "rebut_report": (
        "{x} names me as one of two. I know my half of that: it is not me, so look at {y}.",
        "If {x} really saw something, then it has to be {y}, because I know what I am.",
        "{x}'s vision puts me beside {y}. I can only tell you it isn't me.",
        "Either {x} made that vision up or {y} has some explaining to do.",
    ),
    "rebut_counter": (
        "{x} and I can't both be the Seer, and I know which of us invented it.",
        "Only one of us two saw anything last night, and it was not {x}.",
        "{x} has taken my role. Ask yourselves why anyone would do that.",
    ),
    "answer": (
        "{x}, you asked, so here is my answer.",
        "Since {x} wants to hear from me, here it is.",
        "A fair question, {x}.",
        "{x}, I have been thinking about your question.",
    ),
    "thanks": (
        "Thank you for the trust, {x}.",
        "It is good to hear that from you, {x}.",
        "{x}, I won't forget that you spoke up for me.",
    ),
    # -- what was said, put together
    "two_seers": (
        "{x} and {y} both claim to have looked into the night, and only one can be true.",
        "We have two Seers at the table, {x} and {y}. One of those stories is invented.",
        "{x} or {y}: there is one Seer in this village, so somebody made up a vision.",
        "Let's not lose sight of it: {x} against {y}, one Seer too many.",
    ),
    "many_masons": (
        "Count the Masons: more than two have claimed it. The sums don't work.",
        "There are only two Masons, and more than two people say they are one.",
    ),
    "companion_denied": (
        "{x} named {y} as a Mason, but {y} tells another story. One of them is making it up.",
        "{x} says {y} belongs to the Masons; {y} never said so. I'd like that cleared up.",
    ),
    "report_matters": (
        "If we take {x} at their word, it lies between {a} and {b}. That is where I look first.",
        "{x}'s look at {a} and {b} is the only hard thing we have so far.",
        "Assume {x} saw right: then it comes down to {a} or {b}.",
    ),
    "report_clears": (
        "If {x} saw right, {a} and {b} can be left in peace.",
        "{x}'s look takes {a} and {b} off the list, as long as we believe {x}.",
    ),
    "fellow_villagers": (
        "So many villagers here already: {x} and {y} say so too. There are only two of those.",
        "There are only two villagers in this game, and {x} and {y} are by no means the only ones "
        "who claim it.",
    ),
    # -- suspicion, with its reason
    "suspect_reported": (
        "I suspect {t}, because {x} saw something there and I believe {x}.",
        "{x}'s look leaves {t} in a bad light, and I suspect {t} more than the other one.",
        "I don't trust {t}: what {x} saw fits too well.",
    ),
    "suspect_counter": (
        "I don't trust {t}'s vision; it came at a very convenient moment.",
        "Of the two who say they saw something, I suspect {t}.",
        "Two visions, one liar, and I am suspicious of {t}.",
    ),
    "suspect_silent": (
        "We have heard no role from {t} yet, and I suspect {t} for it.",
        "I am wary of {t}, who talks a lot and tells nothing.",
        "I have my eye on {t}: so far not one checkable word.",
        "I suspect {t} a little, simply because {t} hasn't told us anything to hold on to.",
    ),
    "suspect_villager": (
        "I suspect {t}: saying villager is the cheapest thing to say here.",
        "I am wary of {t}. Anyone can call themselves a villager.",
        "I don't trust {t}'s quiet villager story.",
    ),
    "suspect_mason": (
        "I suspect {t}: a Mason with no partner to speak up for them is just a word.",
        "I don't trust {t}. Where is the other Mason?",
    ),
    "suspect_pusher": (
        "I suspect {t}, who was very quick to push {x}.",
        "I don't trust {t}: going after {x} like that helps only one side.",
        "I am suspicious of {t}. The way {x} was attacked looked planned.",
    ),
    "suspect_changed": (
        "I don't trust {t}, who has told us two different roles by now.",
        "I suspect {t}: first one story, then another.",
    ),
    "suspect_gut": (
        "I can't prove it, but I suspect {t}.",
        "Something in the way {t} spoke was too smooth; I am wary of {t}.",
        "I keep coming back to {t}, and I don't trust {t}.",
        "Call it a feeling: I am suspicious of {t}.",
        "If you ask me today, I suspect {t}. I may be wrong.",
        "I have my eye on {t}, more than on anyone else.",
    ),
    "hold": (
        "I still suspect {t}, and nothing said since has changed that.",
        "I am as wary of {t} as before.",
        "Like before, I don't trust {t}.",
    ),
    "turned": (
        "I looked elsewhere before, but now I suspect {t}.",
        "I have changed my mind: what I heard since makes me suspicious of {t}.",
        "Earlier I worried about {x}. Now I suspect {t} more.",
    ),
    "accuse": (
        "I say {t} is the Werewolf.",
        "By now I am convinced: {t} is the Werewolf.",
        "Everything points one way for me: {t} is the Werewolf.",
    ),
    "vote": (
        "My vote goes to {t}.",
        "I will vote for {t}, and I ask you to think about it.",
        "Unless somebody surprises me, I vote for {t}.",
        "When it comes to it I will vote for {t}.",
        "I am going to vote for {t} today.",
    ),
    # -- trust, questions, small talk
    "trust": (
        "I trust {t} so far.",
        "For now I believe {t}.",
        "I trust {t} more than most of you.",
        "If I had to stand beside someone, I trust {t}.",
    ),
    "ask": (
        "{t}, what do you make of all this?",
        "{t}, whom do you suspect, and why?",
        "What about you, {t}, do you have anything to tell us?",
        "{t}, would you tell us who you are?",
        "And {t}, where do you stand?",
    ),
    "ask_report": (
        "{t}, why did you pick those two of all people?",
        "{t}, did anything else make you choose those two?",
    ),
    "open_first": (
        "Somebody has to begin, so let it be me.",
        "Good morning, everyone. I hope you slept better than I did.",
        "Nobody has said anything yet, which makes this an easy speech.",
        "Here we are, eight of us and one with blood under the nails.",
        "Well, morning. I have little to go on, like most of you.",
    ),
    "open": (
        "I have listened to all of you so far.",
        "Let me put a few things together.",
        "So, where are we?",
        "That was a lot of talk; here is what stays with me.",
        "Let me be honest about where I stand.",
        "One thing at a time.",
        "I'll keep this short.",
        "Here is how I see it.",
        "This is getting interesting.",
    ),
    "close_early": (
        "Let's hear the others before we settle on anyone.",
        "I'd like to hear more before I decide.",
        "There is time; let's use it.",
        "It is early, so hold me to none of this.",
        "Two rounds to go; I am still listening.",
    ),
    "close_late": (
        "Think before you point; we have one vote and no second one.",
        "Let's not scatter our votes.",
        "And mind the Tanner: whoever wants to be voted out should not get the favor.",
        "Whatever we do, let's do it together.",
        "That's all I have. Choose well.",
    ),
    "tanner": (
        "Look at me as long as you like, I have nothing better to do.",
        "Maybe I had a very interesting night. Maybe not.",
        "I wouldn't be so sure about anyone here, me included.",
        "Funny how nobody asks where I was last night.",
        "Perhaps I know more than I should; perhaps I am only bored.",
        "I find it restful not to have to prove anything.",
    ),
}
