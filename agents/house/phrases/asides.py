"""What colours a statement without meaning anything: asides by factor and pole of the persona.

`before` opens a statement, `after` closes it, `soft` stands before a sentence that begins with
"I". None of them may be understood as a speech act (tests expand every one).
"""

ASIDES: dict[str, dict[str, list[str]]] = {
    "E+": {
        "before": [
            "[All right|Right then|Okay], [here we go|listen up|my turn at last]!",
            "[Ha|Oh|Wow], [what a round|I love this|this gets better and better]!",
            "[Friends|People|Everybody], [gather round|lend me an ear|a moment, please]!",
            "[Finally|At last], [some noise|some life in here|we are getting somewhere]!",
            "I [could|can] talk about this [all night|all day|for hours]!",
        ],
        "after": [
            "[Come on|Go on|Let's go], [let's hear it|more noise, please|keep it coming]!",
            "[What fun|This is great], [isn't it|really]!",
            "[Louder|Faster|Livelier], [please|folks|people]!",
            "[Onwards|Next, please|Keep talking]!",
        ],
        "soft": [],
    },
    "E-": {
        "before": ["[Briefly|In short|Quickly].", "[Hm|Mm|Well].", "Just [this|one thing|a word]."],
        "after": [
            "[That's all|Enough from me|No more from me|I'm done].",
            "I'll [listen|go back to listening|keep it short].",
            "[Quiet again|Back to silence|The rest is yours].",
        ],
        "soft": [],
    },
    "A+": {
        "before": [
            "[Thank you all|Thanks, everyone|Lovely], [this is good talk|I enjoyed that round|"
            "you make it easy].",
            "[No hard feelings|Nothing personal|With all respect], [to anybody|whatever comes|"
            "please].",
            "I [hate|don't like] [quarrels|harsh words|shouting], so [let's be gentle|let's be "
            "kind|let's stay calm].",
            "[Bless you all|You're a kind table|I'm fond of this table].",
        ],
        "after": [
            "[Sorry|Forgive me|Please forgive me] [in advance|where it hurts|for being so frank].",
            "[No grudge|Peace|Be kind to each other], [whatever happens|please|all of you].",
            "[Let's stay friends|We can be gentle about it|Let's be fair to everyone].",
        ],
        "soft": [
            "[With a heavy heart|It pains me|Forgive me], [but|and yet] ",
            "I'd [love|like] to be mistaken, but ",
        ],
    },
    "A-": {
        "before": [
            "[Spare me|Enough|Please], [what a circus|what drivel|this is tiresome].",
            "[Nonsense everywhere|What a pack of amateurs|Weak, all of it].",
            "[Are you done|Finished chattering]? Good.",
            "I've [heard|seen] [better|cleverer] tables than this one.",
        ],
        "after": [
            "[Deal with it|Live with that|Cry about it|Don't like it? Tough].",
            "[I don't care who minds|Mind it or don't|Sulk if you like].",
            "[Save your tears|Save the drama|Spare me the speeches].",
        ],
        "soft": ["[Frankly|Bluntly|To be rude about it], "],
    },
    "N+": {
        "before": [
            "[Oh dear|Oh no|Goodness], [my hands are shaking|my heart is racing|"
            "I can hardly think].",
            "[I hate this|This frightens me|I don't sleep well in games like these].",
            "[Please|Sorry], [give me a second|let me breathe|I'm all nerves].",
            "[Everything goes too fast|My head spins|I keep losing the thread].",
        ],
        "after": [
            "[Oh, I don't know|I hope I didn't ruin it|Now I feel sick].",
            "[Please don't shout at me|Don't be cross with me|I'm trembling].",
            "[What a nightmare|I can't stand the tension|My nerves]...",
        ],
        "soft": [
            "I [may|might] be imagining it, but ",
            "[I'm not certain of anything|My stomach says so], but ",
        ],
    },
    "N-": {
        "before": [
            "[Easy now|Calm down, everyone|No need to rush|Breathe].",
            "[Plenty of time|All in good time|One thing after the other].",
            "[Nothing to be afraid of|No panic|Steady].",
        ],
        "after": [
            "[We'll manage|We'll be fine|It will sort itself out].",
            "[No worries|I'll sleep well tonight either way|I'm at ease].",
            "[Keep calm|Easy does it|Take your time].",
        ],
        "soft": ["[Quite calmly|Without any fuss], "],
    },
    "O+": {
        "before": [
            "[Picture it as a play|Think of it as a chess game|"
            "It reads like a ballad]: [act two|a knight in the dark|the third verse turns].",
            "[A thought experiment|A riddle|A strange pattern], [friends|for the curious|"
            "before dawn].",
            "[The moon makes poets of liars|Every story has a seam|Shadows talk, too].",
            "[What a curious knot|What a lovely puzzle|How odd and how beautiful], this.",
        ],
        "after": [
            "[Words are masks|Every mask slips|The night keeps its own diary].",
            "[There's a pattern in the silence|I hear a second melody here|"
            "The plot wants a twist].",
            "[Let's be inventive|Turn it upside down once|Look at it from the ceiling].",
        ],
        "soft": [],
    },
    "O-": {
        "before": [
            "[Keep it simple|Facts, please|Plain talk].",
            "[Two and two is four|A spade is a spade|No fancy theories].",
        ],
        "after": [
            "[Simple as that|That's how it's done|Nothing fancy].",
            "[No poetry needed|As my grandfather would have it|Common sense, that's all].",
        ],
        "soft": [],
    },
    "C+": {
        "before": [
            "[Point by point|In order|Let me be orderly].",
            "[I kept a list|I've gone through it twice|I took notes].",
            "[First things first|Let's be precise|Carefully now].",
        ],
        "after": [
            "[I've checked my notes|That is the sum of it|So much for the record].",
            "[Let's stick to the plan|Let's be thorough|We should go through it once more].",
        ],
        "soft": ["[Having gone through it twice|On balance|All in all], "],
    },
    "C-": {
        "before": [
            "[Whatever|Eh|Dunno], [I lost track|wasn't really listening|where were we].",
            "[Forgot half of it|Didn't write any of it down|My mind wandered].",
            "[First thing that comes to mind|No plan, as usual|Winging it].",
        ],
        "after": [
            "[Or whatever|Something like that|Anyway].",
            "[Ask me again and I'll say something else|Don't hold me to the details|"
            "I'll forget it by noon].",
        ],
        "soft": ["[No idea why, but|Off the top of my head], "],
    },
}
