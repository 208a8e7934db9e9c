"""Answers to others. See `agents.house.phrasing` for how phrases are written."""

from __future__ import annotations

REPLIES: dict[str, tuple[str, ...]] = {
    "rebut": (
        "{x}, [what exactly did I do|what is that built on|on what grounds|what have I done, "
        "apart from sitting here|where does that come from|and your evidence is what|which "
        "[sentence|word] of mine was it|is that [all|everything] you've got|how do you get "
        "there]?",
        "[I hear you|I heard that|Fine, I hear it|Point taken], {x}, but [you're chasing [a "
        "shadow|smoke|your own tail]|there's nothing behind that door|there's nothing to dig "
        "up|that [road|path] leads [nowhere|to a dead end]|it won't get us [anywhere|one step "
        "on]].",
        "{x}, [pushing me|pointing|pointing at me|naming me|making noise] is easy[. |, and |; "
        "][a reason would be [better|harder|news|nice]|proof would be another thing|being "
        "right is harder].",
        "[No|Sorry|Come on|Oh, please|Not so fast], {x}, [throw me out today, and [the village|"
        "all of us] will be no wiser tomorrow|I'm a dead end, and you'll [regret|mourn] the "
        "vote|this isn't the [chair|player|person] you want|that's [thin|very thin|thin air], "
        "and you know it|there's [no meat on that|nothing to hold on to there]].",
        "You can [press|push|poke|grill] me [all day|till sunset|as long as you like], {x}; "
        "[there's nothing there|I'll say the same thing at [sunset|dusk|the end of it]|my "
        "story stays the same|nothing new will fall out].",
        "~warm I'm not [angry|cross|offended|upset], {x}, [in your place I might wonder too|we "
        "all have to look somewhere|everyone's allowed a guess|it's part of the game], but I'm "
        "not what you're [looking for|after|hunting].",
        "~blunt [Wrong|No|Nonsense|Way off|Missed], {x}[, try again|, next|, and you know it|].",
        "~blunt {x}, [nonsense|rubbish|you missed|try again|that's hot air|you're guessing][, "
        "and loudly|, as usual|].",
        "~careful {x}, take your own argument and try it on [two others|three others|anyone "
        "else][. It |, it "
        "]fits them just as [badly|poorly|loosely].",
        "~wry {x}, I'm [flattered|touched|charmed] by the attention, [but I don't bite|but you "
        "could do better|though you're easily pleased|and I'd blush, had I the time].",
        "{x}, name one [thing I said|word of mine|sentence I spoke] that was [false|untrue|not "
        "so][, just one|, take your time|].",
        "I've nothing to [hide from|fear from|keep from] you, {x}, [so ask me [something|"
        "anything]|try me|ask away|go ahead and dig|look wherever you like].",
        "{x}, you'll feel [silly|foolish|embarrassed|sorry] about this [later|tomorrow|when "
        "the cards are turned|by morning].",
        "[That's a [big|long|bold] leap|You built a lot on very little|That took you [one|a "
        "single] breath|That came out of nowhere], {x}, [and I'd like to see the ground it "
        "stands on|and I can't find the facts in it|for somebody with so few facts|so forgive "
        "me for not trembling].",
    ),
    "rebut_once": (
        "{x}, I've said [barely a few words|next to nothing] so far and you already have me [voted "
        "out|out of the game|packed and gone].",
        "That was [quick|fast|swift], {x}: [one little speech|one turn|a few words], and I'm on "
        "your [list|list already|mind]?",
        "{x}, you heard me once. [Give me a second chance.|Isn't that a bit thin for a verdict?|"
        "Let me finish a thought first.|Once is a short trial.]",
        "I've [hardly sat down|barely opened my mouth|only just begun], {x}, [and the verdict "
        "is in|and I'm finished already].",
    ),
    "rebut_unclaimed": (
        "{x}, you want [my head|me gone|me out] and [haven't even told us|still haven't told "
        "us|never told us] who you are.",
        "[Big|Bold|Strong|Heavy] words, {x}, from someone who [hasn't named a role yet|keeps a "
        "card covered|has told us nothing of their own].",
        "And what are you, {x}? [You point at me and keep your own card covered|You ask for "
        "trust and show nothing|I've heard a lot about me and nothing about you|First show, "
        "then point].",
        "[Funny|Curious|Odd thing], {x}: you know all about me, and we know [nothing|not a "
        "thing|very little] about you.",
        "[Before we talk of me|Before you vote me out|While you're at it|One thing first], {x}, "
        "[tell us what you are|put a role on the table|give us a role of your own|show us your "
        "own card].",
    ),
    "rebut_flip": (
        "First it was {y}, now it's me; {x}, [who is next|do you know it yourself|who's it "
        "going to be after me|where does it end]?",
        "{x}, you were after {y} before. [Did that get too hot|What happened to that|What "
        "became of it|Was that a joke|Did I just come in handy]?",
        "A [moment|round|while] ago you had {y} in your sights, {x}. [Now I'm convenient|Now "
        "it's my turn, I see|Now I'm the flavour of the day].",
    ),
    "rebut_echo": (
        "{x}, that's [only|just|merely] what {y} said before you[, [and you add nothing|and "
        "it's no truer now|so bring me something new|word for word, nearly].|. [Do you have a "
        "thought of your own?|Say something new.|I'd rather hear your own view.]]",
        "[I see|Very well|How nice|Look at that], {y} points at me and {x} [trots|walks|tags|"
        "runs] along[, [of course|as one does|without a reason|no questions asked]|].",
        "{x}, you borrowed that from {y}[, and it [isn't any better second-hand|was thin the "
        "first time|hasn't grown since].|. Give it back.|, didn't you?]",
        "[An echo|I hear an echo|There's an echo in here]: first {y}, [now|then] {x}, "
        "and [not one new fact|nothing new in it|no new reason between you|no thought added].",
    ),
    "rebut_claimed": (
        "{x}, I've [told you|said] what I am, and [that's the whole of it|it won't change "
        "however you poke|there isn't a second layer|I've no better story|asking twice won't "
        "make it grander].",
        "I put my role on the table, {x}[, and [there's nothing underneath|it has been lying "
        "there since|you may look at it as long as you like|it isn't my fault that it's dull]|"
        ". [It isn't my fault that it's a dull one|There's nothing underneath|Look again]].",
        "{x}, I can't prove [a negative|what I'm not|that I slept][. |, so |; ][judge me by "
        "what I [argue|say|do]|you'll have to weigh my words|take my word or leave it].",
        "I gave you my role, {x}, so [which part of it don't you like|did it bore you|what's "
        "wrong with it|is it too plain for you|what more is there|what else do you need]?",
        "[You know my role|You've heard my role|My role is out], {x}, [and it's the only one I "
        "have|which is more than some can say|so do the sums|and I stick to it|and it won't "
        "grow].",
    ),
    "rebut_back": (
        "[Interesting|Funny|How fitting] that it's you, {x}, because you were my [first|main|"
        "chief] worry [anyway|already|before you spoke].",
        "{x}, you point at me just as I was going to point at you. [I don't think that's an "
        "accident|Odd timing|What a coincidence|Two minds, one thought].",
        "[You come at me|You point at me|So it's me you want|You of all people], {x}[, [I "
        "could give that right back|I was just getting to you|funny, I had the same idea the "
        "other way round|and I had my eyes elsewhere]|? [I was about to ask you the same|I "
        "could give that right back]].",
    ),
    "rebut_many": (
        "{x} and {y} both, [at once|side by side]? [I must be doing something right.|That's a "
        "lot of noise for so few facts.|I feel [important|honoured|hunted].|Did you draw lots?|One "
        "at a time, please.|Is there a queue?|Did you rehearse that?]",
        "So now {x} and {y} [are at it|have found me|want me gone|agree][, and [two "
        "pointing fingers don't make one proof|twice nothing is still nothing|a choir isn't "
        "evidence|it's loud, and no richer in facts].|. [I'll live.|Facts, please.|Noted.|And the "
        "proof?]]",
        "{y} first, then {x}: [this is how the wrong one gets thrown out|a pile is quickly "
        "made|that's how mistakes begin|the second stone is always [easier|lighter]|and I "
        "suppose [the next one|somebody else] is warming up|that's a chain, not an argument|it "
        "spreads [like a cold|like gossip|faster than the facts]][, [as usual|old trick|and nobody "
        "minds|I've seen it before]|].",
        "I [notice|see|hear|observe] that {x} and {y} sing the same song[, [and it has one verse|"
        "and it doesn't get "
        "truer in two voices|pretty, and still off key|and I'd like to know who wrote it|and it's "
        "out of tune].|. [Who wrote it?|Second verse, please.|I don't know the tune.]]",
        "{x}, {y}, you can't both have [thought of me|picked me|landed on me|found me] [by "
        "accident|by chance|out of the blue][, [can you?|so who began?|and I wonder "
        "who led.]|.]",
        "Two against one, {x} and {y}. [I'd [ask|like] the others to look at who started it|"
        "I've seen [better|fairer|cleverer] hunts|I can live with those odds|Not [very|"
        "exactly] sporting|The others may judge that].",
        "[I'm popular today|I seem to be in fashion|So much attention|A second one already|The "
        "hunt "
        "is on], {x} and {y}, [but crowds are often "
        "mistaken|but a crowd has no eyes|and I've done nothing to earn it|and all on the wrong "
        "track].",
        "[Between them|Together|All told|Put together|Added up], {x} and {y} [have|bring|offer|"
        "show] [one idea|half a reason|a hunch and no more|plenty of heat and little light|no "
        "reason worth the name|two opinions and no fact|a shared mood].",
        "~wry {x} and {y}, [form a queue|take a number|one after the other|don't push|mind the "
        "furniture], please.",
        "~blunt {x}, {y}: [no|wrong, the pair of you|nonsense|try again|missed][, both times|. "
        "Twice|. Next|].",
        "~warm {x}, {y}, [I forgive you both|no hard feelings|I know you mean well|I'd wonder "
        "too], but you'll [be sorry|see|find out] [later|tomorrow|soon enough].",
    ),
    "rebut_tease": (
        "[Go on|Carry on|Come on], {x}, say it [louder|again|slower][. |, ][I have all day|you "
        "might even be right|I like the sound of it|don't stop there].",
        "[Warm or cold|Hot or cold|Right or wrong|Yes or no], {x}[? |, ][will you risk it?|I "
        "won't help you.|there's one way to find out.|I'd love to tell you.]",
        "{x}, I won't even argue. [Believe what you like|Do what you must|Suit yourself].",
        "[Is that all|Only that much], {x}? [I expected more|I'd have thrown in a bit more|"
        "You're holding back].",
    ),
    "thanks": (
        "[Thank you|Thanks|Bless you|Much obliged], {x}. [That's kind|It's good to hear|I "
        "won't forget it|I needed that|That does me good].",
        "{x}, [I'll remember that you spoke up for me|that was decent of you|that's kind of "
        "you|it's nice not to stand alone|I'm grateful for that].",
        "~blunt [Right|Quite so|Finally, some sense], {x}.",
        "~wry {x} has taste, I see.",
        "~wry [A friend at last|Somebody with sense], {x}. [I was getting lonely|I'd begun to "
        "wonder|Sit closer].",
        "~careful [Kind|Decent|Good] of you, {x}, though I'd be [happier|more at ease] with a "
        "reason.",
    ),
    "answer_role": (
        "{x}, you [asked|wanted to know|were asking|were curious] [who I am|what I am|about my "
        "role|what my card says][, and [I won't dodge it|you shall know|here it comes|I don't "
        "mind saying it|that's quickly told|fair is fair]|, so [listen|here it is|hear this|"
        "let's get it over with]|].",
        "[A fair question|No need to ask twice|Glad you ask|Good, let's have it out|Very well|"
        "Straight question, straight answer|I have no reason to hide it|With pleasure|I was "
        "waiting for that|Somebody had to ask], {x}[, [here it is|you'll get your answer|I'll "
        "tell you|and you're the first to ask|and quickly told|so listen]|].",
        "{x}, [here's your answer|I'll tell you|you'll have your answer|I won't dodge that|"
        "that's easily said|let me answer that|I don't mind saying|you'll know in a second|"
        "there's no secret in it][, [since you ask so nicely|as you asked me|and then it's "
        "your turn|plain and short|and make of it what you like|for what it's worth]|].",
        "[My role|My card|Who I am|What I am], {x}, is [no secret|quickly told|easily said|"
        "nothing to hide|a short story|soon explained][, [so here it comes|so I'll say it|"
        "since you ask|as you'll see]|].",
        "~blunt [Fine|All right|Very well|If you must know|You asked], {x}[, here it is|, "
        "short and plain|, listen|].",
    ),
    "answer_claimed": (
        "{x}, I said it before and it's [the same now|no different now|still the same]: {r}.",
        "You must have [missed it|not heard me|looked away], {x}: {r}, and still {r}.",
        "As I told [everyone|all of you|the table], {x}: {r}.",
        "[Again|Once more], {x}: {r}[, as before|. Write it down|].",
    ),
    "answer_evade": (
        "{x}, [that's between me and the night|nice try|what I am is my own business|you'll "
        "have to wait for that|ask me again at sunset|I'd rather not][, [if it's all the same "
        "to you|no offence|for now|and that's all you get]|].",
        "You'd [like|love] to know, {x}[, wouldn't you?|, but] [not yet|I enjoy the suspense|I "
        "ask for patience|maybe later|you'll have to guess].",
        "I could [give you a role|tell you], {x}, but would you believe it?",
        "[Curious|Always curious|So many questions|Keen to know], {x}[. |, ][not today|I'll "
        "pass|my card stays covered|let's talk of something else].",
    ),
    "answer_suspect": (
        "{x}, you [want|asked for] [a name|my view|an opinion][, [and here it is|so listen|and I "
        "won't hide it|so I'll be frank|here goes]|"
        "].",
        "You [asked|wanted to know|were curious] whom I have [in mind|in view|on my list], "
        "{x}[, [so here it is|and I'll tell you|and it's no secret|so be it]|].",
        "Since you ask, {x}, [I won't hide it|here goes|you'll get it straight|I'll tell you|I "
        "may as well say it|let me be frank|no beating about the bush].",
        "[A name|My view|Where I stand|An opinion], {x}[, [here it comes|you shall have it|"
        "that's fair|with pleasure|such as it is]|].",
    ),
    "answer_reason": (
        "{x}, you want [my reasons[, and [you'll get them|here they are]|]|to know why|a reason|"
        "the why "
        "of it]. [Fair|Gladly|All right|Here goes].",
        "Why, asks {x}[, and I can tell you|, and that's easily answered|, and it's no secret|"
        ". Let me explain|. Well|, and rightly so].",
        "[You asked me why|You wanted a reason|You want it spelled out|You're asking for the why], "
        "{x}[, [so be it|so here goes|and I'll tell you|and that's "
        "fair enough|and I owe you that|so listen]|].",
        "[Reasons|My grounds], {x}, [you shall have|are quickly told].",
        "A reason, {x}, [is what you'll get|you shall have].",
        "[I can give you|I'll give you|You shall have|There are] [reasons|some reasons], {x}[, "
        "and not bad ones|, as good as most|, such as they are|, if you'll listen|].",
    ),
    "answer_no_look": (
        "{x}, I saw nothing in the night, [you must mean someone else|I can't help you there|"
        "my eyes were shut].",
        "No visions from [me|my bed|this chair], {x}. [I only slept|Wrong door|I'm not the one "
        "to ask|Sorry].",
    ),
    "answer_open": (
        "{x}, I can't [answer|settle] that [yet|for you], because [I know no more than what was "
        "said here|I've heard nothing that decides it|I'd only be guessing].",
        "You turn to me, {x}, but [I have no answer to that|I can't tell], because [nothing so far "
        "decides it|I know too little].",
        "[A fair question|I've asked myself that], {x}, [and I don't know|and I can't tell], "
        "because [nobody has given us a fact on it|all I have is what you all have].",
    ),
    "evade": (
        "What I am is [my own business|nobody's business|for me to know] [for the moment|until "
        "I see a reason|for a while yet|at this stage].",
        "I'd rather [keep my role to myself|keep my card covered|not say what I am]. [You'll "
        "see why, or you won't|It has served me well|That's allowed, I believe|Call it a habit|"
        "It does no harm].",
        "I could tell you [something|a thing or two|a nice story] about myself, but would you "
        "believe [it|me|a word of it]?",
        "I won't [play|join] the game of everybody naming a role. [Make of that what you want|"
        "Think of it as you will|Somebody has to stay a riddle|It never helped anyone].",
        "~wry I have a role, [a very fine one|a lovely one|the best of them], and I'm [keeping "
        "it warm|saving it for dessert|not sharing].",
        "~blunt My role stays [with me|covered|where it is].",
    ),
}
