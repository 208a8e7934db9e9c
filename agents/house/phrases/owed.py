"""Answers that somebody is owed: to a question, what it asks for; to a reason given against one, a
word on that reason. No role is named here. See `agents.house.phrasing`.
"""

from __future__ import annotations

ANSWERS: dict[str, tuple[str, ...]] = {
    # whom one suspects of some, votes for, thinks of: the suspicion follows
    "owed_which": (
        "{x}, [you name them, and I choose|if I have to choose among those, I can|that choice I "
        "can "
        "make].",
        "[A choice|A short list|You let me choose], {x}[, and I won't duck it|, so I choose|, "
        "very well|, and here is mine].",
        "[Out of those|Among those], {x}, my choice is quickly made.",
        "~blunt You want one of those, {x}, so you get one.",
    ),
    "owed_none": (
        "None of those, {x}, [because I worry about another one|since I look elsewhere|and "
        "I'll say whom instead|because another one troubles me more].",
        "{x}, [your list misses the one I'd name|the one I mean isn't among your names|I'd choose "
        "none of yours], [so here is mine|and I'll tell you who it is|and here is why].",
        "Not one of [yours|those], {x}[, because somebody else comes first for me|; I'd start "
        "with somebody else].",
    ),
    "owed_vote": (
        "{x}, you [ask|want to know] where I end up[, and you'll have the reason with it|, so here "
        "it "
        "is with its reason|, and I won't keep it back].",
        "Where I end up, {x}, [is no secret|you shall hear, and the why as well].",
        "You asked, {x}, [and here is the answer, and why|so: name and reason|and I answer].",
        "~careful As of now, {x}, [it isn't carved in stone, but there is a name|this is where I'd "
        "end "
        "up].",
    ),
    "owed_about": (
        "As to {y}, {x}, I [do have a view|can tell you|have made up my mind].",
        "{x}, my view of {y} [is soon told|is no secret].",
        "On {y} you shall have my answer, {x}.",
    ),
    "owed_join": (
        "Yes, {x}, on {y} [I'm with you|we see it alike|I can go along with you], [and I'll say "
        "why|because I have a reason of my own|for my own reason].",
        "{x}, yes: [with {y} you have me on your side|that's where I'd go too].",
        "You can count on me there, {x}[, and I have my own reason|, and not as a favour|].",
    ),
    # what one thinks of somebody
    "owed_no_join": (
        "No, {x}, not {y}[, because I've a better name|; I need my vote elsewhere|, since somebody "
        "else worries me more].",
        "{x}, no: for {y} you won't have my vote, since I mean to use it elsewhere.",
        "Not with me, {x}: [for {y} I'd need more than I've heard|I'm after somebody else, not "
        "{y}].",
    ),
    "owed_trust": (
        "{x}, <trust y>, because [what {y} says fits together so far|{y}'s words have held so far|"
        "I've found nothing that speaks against {y}].",
        "As to {y}, {x}, <trust y>[, because so far nothing contradicts it|, since I see "
        "no hole in what {y} says|, for I've listened and found no gap].",
        "{x}, [as to|about] {y} I have no worry: <trust y>, since [it all fits so far|I've caught "
        "no false note].",
    ),
    "owed_trust_pair": (
        "{x}, <trust y>, because {z} and {y} speak for each other.",
        "As to {y}, {x}: {z} stands beside {y}, and nobody has shaken that, so <trust y>.",
        "{x}, with {z} speaking for {y} and {y} for {z}, I see no room for doubt, so <trust y>.",
    ),
    "owed_trust_cleared": (
        "{x}, <trust y>, because {z} looked there and found nothing.",
        "As to {y}, {x}: {z}'s night leaves {y} clean, and I believe {z}, so <trust y>.",
        "{x}, <trust y>: {z}'s look speaks for {y}, and nothing speaks against it.",
    ),
    "owed_open": (
        "{x}, about {y} I'm undecided, because [I've heard too little that could be tested|what I "
        "know of {y} fits both ways|nothing has settled it for me].",
        "{y}, {x}? I can't tell yet, because [there's as much for {y} as against|I have no proof "
        "either way|too much is still open].",
        "{x}, I have no firm opinion of {y} yet[, since it could be either|; I've found nothing "
        "that decides it].",
    ),
    "owed_open_unclaimed": (
        "{x}, about {y} I'm undecided, because {y} hasn't given us a role yet.",
        "{y}, {x}? I can't tell, as long as {y} keeps that card covered.",
        "{x}, I have no firm opinion of {y}, since {y} hasn't told us what to measure it by.",
    ),
    "owed_trusts_nobody": (
        "{x}, I trust nobody fully yet, because [nothing anyone said can be tested|nobody has "
        "given me "
        "something to hold on to].",
        "Nobody yet, {x}[, because all I have is words|. Everyone could still be anything].",
    ),
    "owed_never_pressed": (
        "{x}, I haven't [said a word|spoken] against {y}[, so I can't give you a reason for it|, "
        "so "
        "there's nothing to explain|. You must mean somebody else].",
        "{x}, look again: I haven't spoken against {y}, so there's nothing to explain.",
    ),
    "owed_you_trusted": (
        "Yes, {x}, I [believe|trust] you, because [it all fits together so far|nothing anyone "
        "said contradicts it|I've caught no false note].",
        "{x}, yes: I [believe|trust] you[, since I've found no hole in it|, because it all fits "
        "so far].",
    ),
    "owed_you_doubted": (
        "No, {x}, [I'm not convinced|not yet], [and I'll say why|and you'll have my reason].",
        "{x}, no[, not as things stand|, not on your word alone], [and you shall hear why|and I "
        "have a reason].",
    ),
    "owed_you_open": (
        "{x}, [neither yes nor no|I can't say yes or no yet], because [nothing supports it and "
        "nothing contradicts it|it's your word alone so far|nobody has confirmed it or denied "
        "it].",
        "I'm undecided, {x}, because [I've nothing to test it by|nothing has settled it for me].",
    ),
    "owed_nobody": (
        "{x}, I have no name for you, because [nobody's story breaks yet|I'd only be guessing|"
        "what I heard fits nobody in particular].",
        "No name from me, {x}, because [a guess would do more harm than good|nothing points "
        "clearly at anyone].",
    ),
    "owed_mind": (
        "{x}, one thing would [change my mind|move me]: [a straight answer that holds|somebody who "
        "can show me where I go wrong|a story that fits with all we've heard].",
        "To change my mind, {x}, it takes [a fact I don't have yet|a claim that fits all the "
        "others|a "
        "reason better than mine].",
        "Show me [a fact|a reason] that fits better than mine, {x}, and I'll change my mind.",
    ),
    "owed_no_partner": (
        "{x}, there's no partner to name, because I have none.",
        "I have no partner, {x}[, so there's no name to give|, and I never said I had one|].",
        "{x}, I stand here alone, so there's no partner I could name.",
    ),
    "owed_partner_kept": (
        "{x}, I won't name anybody else, because [two names are easier to hunt than one|then you'd "
        "have two of us to shout down].",
        "No second name from me, {x}, because [I'd only draw you another target|it would help "
        "those "
        "who hunt us].",
    ),
    # a role
    "owed_role_kept": (
        "{x}, I won't say which, because [either answer would be turned against me|a role "
        "told on demand is worth nothing|those who hunt would know where to look].",
        "No yes and no no from me, {x}, because [you'd believe neither|either would be used "
        "against "
        "me|I'd rather be judged by what I say than by a card].",
        "I'd rather keep my role to myself, {x}, because [as long as you don't know it, nobody can "
        "use it|a card proves nothing here].",
    ),
}
# Answers to what is held against one.
CHARGES: dict[str, tuple[str, ...]] = {
    "charge_silent": (
        "{x}, yes, I've been quiet, because I [wanted to hear all of you first|had nothing to say "
        "until now|listen better than I talk].",
        "I said little, {x}, I admit it, because [I had nothing to add yet|whoever "
        "talks first only feeds the rumours|I wanted to hear the others out].",
        "Quiet, {x}? [I was listening|I was counting who says what], and now I'm talking.",
        "You call me silent, {x}. [I'd rather say one true thing late than five wrong ones early|"
        "Silence isn't guilt, it's only listening].",
    ),
    "charge_turnless": (
        "{x}, my turn has only just come, so [of course you heard nothing before|now you hear me].",
        "Quiet, {x}? I hadn't had a turn until now.",
    ),
    "charge_spoken": (
        "{x}, silent is what I'm not: I've [spoken whenever my turn came|used every turn I had].",
        "Quiet, me, {x}? I've [said something every time my turn came|let no turn of mine pass].",
        "{x}, I've said my piece at every turn of mine, so somebody else must be the quiet one.",
    ),
    "charge_changed": (
        "Yes, {x}, my story changed, because [it had to|I saw that the first one helped nobody|I "
        "held something back at first]. [The second one stands|I stand by what I say now].",
        "I changed my story, {x}, I don't deny it, because [I was too careful at "
        "first|I meant to wait and couldn't]. Judge the second one.",
        "{x}, two stories, yes. [The first was caution|I wasn't ready to tell it], [and the second "
        "is the one I stand by|and I stand by the second].",
    ),
    "charge_same": (
        "{x}, my story hasn't changed: I've [claimed one role and no other|told one story since I "
        "first opened my mouth|said one thing and I stand by it].",
        "Two stories, {x}? I've told one, and it's the same [now|still|today].",
        "{x}, you must have misheard, because my story is the one I began with.",
    ),
    "charge_untold": (
        "{x}, I can't have changed a story I haven't told yet.",
        "Which story, {x}? I haven't claimed a role so far, so there's nothing I could have "
        "changed.",
    ),
    "charge_echo": (
        "{x}, I agree where I hear a reason, because [agreeing isn't a crime|two can think the "
        "same "
        "thing|that's how one gets anywhere together].",
        "You say I only repeat others, {x}. [A thing doesn't get false because somebody said it "
        "first|I weighed it and came out at the same place|I follow a good reason, whoever says "
        "it].",
        "An echo, {x}? [I'd call it agreeing, and I do that with my own head|When two look at the "
        "same thing, they say the same thing].",
    ),
    "charge_first": (
        "{x}, I don't repeat anybody: I was the first to [speak against|name] {y}.",
        "An echo, {x}? Nobody had spoken against {y} before I did.",
        "{x}, of my own thoughts you've heard at least one: {y} was my idea before it was "
        "anyone's.",
    ),
    "charge_early": (
        "Early, {x}, yes, because [somebody has to begin|a name on the table makes people talk|"
        "without a first name we'd still be saying good morning].",
        "{x}, I spoke soon, I admit, because [we have little time|silence would have "
        "helped only one side|one learns most from how people answer].",
        "Too soon, {x}? [Nobody knows anything at first, so one has to prod|I'd do it again, "
        "because "
        "waiting teaches us nothing].",
    ),
    "charge_early_not": (
        "{x}, too early can't be it: I [waited with my first name until others had spoken|let "
        "others "
        "speak before I named anybody].",
        "Too soon, {x}? Others had spoken before I named anybody.",
    ),
    "charge_flip": (
        "{x}, yes, I've named more than one, because [I learn as we talk|what I heard since "
        "changed "
        "it|it would be worse to cling to a first guess].",
        "I changed my aim, {x}, because [new words deserve new thoughts|the talk moved on and so "
        "did "
        "I].",
    ),
    "charge_steady": (
        "{x}, I haven't jumped anywhere: [I've named one person so far|it has been one name all "
        "along].",
        "Switching, {x}? One name is all you've had from me.",
    ),
    "charge_pressed": (
        "Yes, {x}, I went after {y}, because [I had a reason and gave it|something about {y} "
        "didn't "
        "fit for me|that's what this talk is for].",
        "{x}, I did name {y}, I own up to it, because [I meant it|it's what I thought "
        "at the time].",
    ),
    "charge_pressed_not": (
        "{x}, I haven't said a word against {y}[, so look again who did|, whatever you think you "
        "heard|].",
        "{x}, whoever went after {y}, it wasn't me.",
    ),
    "charge_defended": (
        "Yes, {x}, I spoke up for {y}, because [what {y} said held together|I saw nothing against "
        "{y}|somebody had to].",
        "{x}, I did take {y}'s side, because [I found nothing wrong with {y}|{y} had given me no "
        "reason for doubt], and that alone makes nobody guilty.",
    ),
    "charge_defended_not": (
        "{x}, I never spoke up for {y}[, so find another reason|, whatever you think you heard|].",
        "My defence of {y}, {x}? There was none[, look it up|, you must have somebody else in mind|"
        "].",
    ),
    "charge_evaded": (
        "{x}, I don't dodge: [ask me straight and you get it straight|here I am, and I answer|put "
        "the question again and I'll answer it].",
        "Evading, {x}? [I answer when I'm asked|I've no reason to run from a question], and you "
        "may "
        "test me on that.",
        "You say I duck questions, {x}. [If I left one open, it was for want of time, not for "
        "want of an answer|Here I stand, so ask].",
    ),
    "charge_late": (
        "{x}, I waited with it, because [a role told too early only paints a target|I wanted to "
        "hear "
        "who'd claim what first|I saw no use in telling it sooner].",
        "Late, {x}, yes, because [I wanted the others to show their cards first|early words are "
        "cheap, and I wanted mine to count].",
        "You ask why so late, {x}. [Because I didn't want to help the wrong ones|Because nobody "
        "needed it before].",
    ),
    "charge_noside": (
        "{x}, I've named nobody so far, because [I won't point without a reason|a wrong name does "
        "more harm than none|I had nothing worth a name yet].",
        "No name from me yet, {x}, I admit it, because I don't like to guess aloud.",
    ),
    "charge_named": (
        "{x}, I did name somebody: {y}, and you can hold me to it.",
        "On the fence, {x}? I've said {y}, and I said it aloud.",
    ),
    "charge_untrusted": (
        "{x}, you needn't take my word, because [nobody here could show you a card|words are all "
        "that any of us have]. Judge me by the reasons I give.",
        "Why me, {x}? [For my reasons, not for my word|Because I give reasons, and you can weigh "
        "them].",
    ),
    "charge_tone": (
        "{x}, how I talk tells you how I talk, because [nerves aren't evidence|a calm voice proves "
        "no "
        "more than a shaky one]. Judge what I say.",
        "My tone, {x}? [Anybody sounds like that when fingers point|I can't help how I sound, only "
        "what I say], so listen to the words.",
    ),
    "charge_cheap": (
        "{x}, true, anybody could claim it, [because plain things are easily said|and that doesn't "
        "make it false]. [It's still what I am|I can't make it any grander].",
        "No proof, {x}, I give you that, because [nobody can prove a card here|there's "
        "nothing I could show you]. Judge how I use my words instead.",
        "You say my claim is an easy one, {x}. [It is, and it's mine|Easy and true aren't "
        "enemies].",
    ),
}
OWED = {**ANSWERS, **CHARGES}
