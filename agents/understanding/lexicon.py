"""The lexicon: word lists shared by the readers, by what they say about a player."""

from __future__ import annotations

import re


def words(*alternatives: str) -> re.Pattern[str]:
    """Return a pattern of whole words, alternatives joined by `|`.

    `*` stands for any ending.
    """
    joined = "|".join(a.replace("*", r"\w*") for part in alternatives for a in part.split("|"))
    return re.compile(rf"(?<![\w@'])(?:{joined})(?![\w'])")


# a role of the game
ROLE = r"(?:(?:looker|mate|keeper|plain|helper|loner)\d+|wolf)"

# denials
NOT = words(
    "not|no|never|neither|nor|none|nobody|hardly|without|cannot|no longer|stop|stopped|quit|"
    "anything but|far from|the last (?:one )?to|rule out|ruled out|rather than|instead of|"
    "wasted?|refuse|"
    "stops|last person|least|aint|isnt|dont"
)
# a guess, a feeling, a likelihood: suspicion rather than accusation
HEDGE = words(
    "think|thinking|guess|guessing|bet|betting|feel|feeling|gut|maybe|perhaps|probably|possibly|"
    "likely|might|may|could|seem|seems|seemed|look|looks|looking|looked|sound|sounds|sounded|"
    "smell|smells|smelling|suspect|suspects|suspecting|wonder|wondering|lean|leaning|inclined|"
    "unsure|impression|suppose|reckon|would|money|hunch|instinct|vibe|vibes|feels|kinda|kind of|"
    "a bit|bit|somewhat|strikes?|one of|either|or|suspicion|theory|pick|candidate|appears?|tend|"
    "imagine|if i had to|if i have to|chance|chances|odds|leading|lowkey|slightly|a "
    "little|rather|i believe|i fear|inkling|almost|nearly"
)
# the hedges that also soften "lying"
MODAL = words(
    "maybe|perhaps|probably|possibly|likely|might|may|could|seems?|looks?|sounds?|smells?|suspect|"
    "wonder|lean|leaning|unsure|impression|vibes?|feels?|feeling|kinda|bit|gut|hunch|strikes?|"
    "one of|either|or|almost|like|slightly|lowkey|inkling"
)
_LIES = (
    "lying|lie|lies|lied|liar|liars|lyin|fake|fakes|faked|faker|faking|fraud|phony|fabricat*|"
    "made up|made it up|made it all up|makes? up|making (?:\\w+ ){0,2}up|made (?:\\w+ ){1,3}up|"
    "invent*|bluff*|fibb*|fib|fibs|pretend*|deceiv*|bs|bullshit*|cap|capping|cooked up|full of it|"
    "full of (?:crap|shit)|thin air|fairy tales?|fairytale|fiction|fantasy|porkies|porky|whoppers?|"
    "bogus|dishonest|con|cons|conning|tricked|trick|tricking|pulling our legs?|theatre|charade|"
    "feeding us|cooked (?:that|it|this) up|false results?|fooling|fools? us|"
    "did not (?:\\w+ )?(?:look at|see|check|peek at|peek) (?:any\\w*|two|those|them|squat|shit|me|"
    "us)|never (?:had|were|was|got|drew|held) (?:a |the |any )*(?:looker|mate|keeper|"
    "plain)\\d+(?: card)?|"
    "false (?:(?:looker|mate|keeper)\\d+|one)|playing us|scam|scamming|scammer|hoax|forged|"
    "forgery|sham|"
    "phoney|staged|fraudulent|tall (?:story|stories|tales?)|untruths?|falsehoods?|deceitful|"
    "deception|make-believe|made-up|(?:telling|tells|told) (?:us |you |me )?(?:\\w+ )?(?:stories|"
    "fairy tales|fables|tales)|not (?:telling|speaking|being) (?:\\w+ )?(?:truth|truthful)|"
    "never (?:looked|checked|peeked|saw|seen) (?:at )?(?:any|anyone|anybody|anything|those|them|"
    "that|a single|either)|snake oil|smoke and mirrors|pants on fire|spinning|spun"
)
# lies
LYING = words(_LIES, "perjury|not the truth")
# the wolf, and whoever lies
EVIL = words(
    "wolf|wolfy|wolfish|guilty|evil|culprit|killer|villain|baddie|bad guy|impostor|imposter|"
    "con artist|traitor|murderer|monster|beast|lupine|scum|mafia|furry|predator|creature|hairy|"
    "red-handed|unmasked|did it|claws|fluffy|wolfing|dirty|howl*|fangs|fur|cook* it up|busted|"
    "exposed|caught|outed (?:himself|herself|themselves|yourself|itself|themself)|wolfie|"
    "paws|blood on|sharp teeth|growl*|crook|perp|baddy|wolfman|wolf-like|public enemy",
    _LIES,
)
# odd behaviour, distrust, a target
ODD = words(
    "shifty|unease|rotten|misgivings|reservations|suspicious|suspicion|suspicions|sus|sussy|sussed|"
    "off|odd|strange|weird|fishy|shady|slippery|hiding|hides?|dodg*|quiet|silent|silence|nervous|"
    "nervy|bad|worr*|bother*|troubles|troubling|troubled|uneasy|smooth|careful|loud|sketchy|"
    "evasive|doubtful|convenient|fidget*|jumpy|jump*|rehearsed|overacting|acting|defensive|"
    "aggressive|deflect*|avoid*|vague|contradicts|contradicted|contradicting|contradictions?|"
    "inconsistent|add up|adds up|adding up|hold up|sit right|right with me|uncomfortable|distrust|"
    "mistrust|trust|suspect|suspects|suspecting|shadier|fishier|weirder|odder|sketchier|doubts?|"
    "doubting|watch|watching|eyeing|eye|eyes|wary|skeptical|sceptical|concerned|ping*|scummy|"
    "scumread|wolfread|lean|leaning|leans|mistaken|jumping on|wobbly|hunch|creep*|rat|snake*|"
    "sweat*|stiff|eager|too much|too keen|funny|lurk*|coast*|flip-flop*|changing|changed (?:his|"
    "her|their|the) (?:story|mind|tune|words)|changes|rubs? me|red flag|stink*|smell*|reek*|"
    "unconvincing|alarm*|cagey|sneaky|flimsy|overly|too (?:much|quiet|calm|eager|loud|keen|nice|"
    "helpful|quick|fast|perfect|clean|hard)|candidate|prime|favou?rite|target|number one|top of my|"
    "on my list|bad feeling|gut|money|bet|betting|guess|finger|pick|nose|instinct|intuition|radar|"
    "senses?|scumlean\\w*|(?:awfully|suspiciously|strangely|oddly|weirdly) \\w+|"
    "chang\\w+ the subject|fiver|tenner|bucks|chips|weirdly|oddly|strangely|suspiciously|shifty|"
    "twitchy|twitched|squirm*|hesitat*|stutter*|tense|wolflean\\w*|wolfread\\w*|scumread\\w*|"
    "goosebumps|feeling about|off-putting|fake-sounding"
)
# honest, clean, one of the village
GOOD = words(
    "innocent|honest*|clean|clear|cleared|trustworthy|good|truth|truthful|safe|plain\\d+|fine|"
    "one of us|on our side|our side|village|genuine|reliable|harmless|legit|legitimate|solid|town|"
    "townie|gucci|chill|cool|ok|okay|alright|believable|credible|sincere|decent|trusted|straight|"
    "open|upfront|nothing wrong|human|on our team|friend|ally|plain\\d+(?:y|ish)|towny|green|"
    "straightforward|lockclear|one of the good|natural|above suspicion|saint|gets a pass|"
    "in the clear|not guilty|frank|sincerely|no threat|spotless|squeaky|as straight as|townish|"
    "no wolf|townlean\\w*|townread\\w*|nothing but (?:helpful|honest|open|nice|kind)|guiltless|"
    "blameless|loyal|bona fide|with us|real|a saint|off the hook"
)
# trust in a player
TRUST = words(
    "trust|trusting|believe|believing|faith|vouch|stand by|stand behind|confident in|stick up|"
    "townread|town read|clearing|rely"
)
# to vote, and to put to death
VOTE = words(
    "(?<!something )(?<!smth )(?<!sth )(?<!is )(?<!bit )(?<!things )off with|vote|votes|voting|"
    "voted|lynch*|hang|hanging|eliminate*|eliminating|exile|execut*|"
    "kick|yeet|bus|hammer|get rid of|take out|throw out|throw|string|boot|vote off|ballots?|"
    "string up|send home|send|pile|bye bye|out with|chop|axe|gallows|noose|go for|going for|go with"
)
# in the right
AGREE = words(
    "agree|agrees|agreed|agreeing|right|spot on|correct|nailed|good point|fair point|great point|"
    "valid point|excellent point|a point|(?:has|have|got) point|correctly|rightly|"
    "makes? (?:a lot of |perfect |good |"
    "some )?sense|making sense|well said|well put|seconded|on to something|onto something|"
    "good call|nice call|good read|(?:good|fair|valid|solid|strong|excellent|nice|sound|"
    "better) (?:points?|arguments?|case|thinking|reasoning|logic|question|analysis|summary)|"
    "convinced|convinces|exactly|precisely|same as|same here|same page|persuad*|concur|with you|"
    "sharp|smart|clever|well spotted|good catch|great catch|nice catch|hand it|hats off|kudos|"
    "props|credit|hit the nail|well played|my thoughts|what i think|thinking the same|"
    "think the same|on board|ditto|said it best|took the words|preach|amen|\\+1|got it right|"
    "has it right|have it right|like your thinking|logic|based|reasonable|compelling"
)
# in the wrong
DISAGREE = words(
    "disagree|disagrees|disagreed|wrong|mistaken|nonsense|no sense|off the mark|barking|backwards|"
    "rubbish|differently|beg to differ|differ|incorrect|silly|ridiculous|absurd|unfair|garbage|"
    "trash|a reach|reaching|stretch|far-fetched|jumping to|overreact*|error|misread|mislead*|"
    "missing the point|misguided|crazy|illogical|not so fast|not convinced|unconvinced|"
    "misunderstood|confused|overthink*|hogwash|baloney|bad take|bad logic|terrible"
)
# somebody's words, as a thing to be judged
CLAIMED = words(
    "claim|claims|claimed|claiming|story|report|version|account|word|words|result|results|vision|"
    "look|tale|thing|business|bit|stuff|part|talk|push|check|said|says|saying|say|told|statement|"
    "reveal|theory|argument|reasoning|logic|case|read|point|idea|plan|accusation"
)
# what players do with words
SAYS = (
    "say|says|said|saying|claim|claims|claimed|claiming|think|thinks|thought|told|tells|tell|call|"
    "calls|called|calling|accuse|accuses|accused|accusing|suspects|suspected|want|wants|wanted|"
    "name|names|named|points|pointed|ask|asks|asked|asking|votes|voted|vouches|vouched|report|"
    "reports|reported|defends|defended|defending|push|pushes|pushed|pushing|swears|swore|insists|"
    "insisted|doubts|believes|answered|denies|denied|blames|blamed|mentioned|suggested|suggests|"
    "announced|declared|saw|looked (?:at|into|in)|checked|wonders|hinted|hints|argued|argues|"
    "goes after|went after|came after|jumped on|attacked|attacks|trusts|trusted|agrees?|agreed|"
    "voting|hopes|questioned|mocked|teased|clears|cleared|reckons|swear|insist|believe|suspect|"
    "voted for|has said|have said|has claimed"
)
# somebody else says, thinks or votes what follows
HEARSAY = re.compile(
    rf"(?:@[\d+]+|\b(?:he|she|they|everyone|everybody|some|someone|somebody|people|both|who|nobody|"
    rf"you|most|half|many|whoever|my neighbou?r|one person|anyone|others|neighbou?r|"
    rf"friend)) (?:has |have |is |are |was |were |did |does |do |also |already |just |even |then |"
    rf"now |first |always |keeps? |kept |never |openly |clearly |only |both |all |had |"
    rf"not ){{0,3}}(?:{SAYS})\b(?! the truth)"
)
# "he wants us to believe"
WANTS_BELIEVED = re.compile(
    r"\b(?:want|wants|like|make|makes|have) (?:us|you|me|everyone) (?:to )?(?:think|believe)\b"
)
# other games, other evenings
PAST = re.compile(
    r"\b(?:last (?:game|match|summer|year|month)|last time (?:we|@\d+|he|she|you|it)|"
    r"when @\d+ was (?:the )?(?:wolf|(?:looker|loner|helper)\d+)|previous (?:game|round|match)|"
    r"other group|our last|another game|earlier game|used to|in the old days|once (?:was|played)|"
    r"years ago|last week|yesterday's game|every single time|always get|next game|first game|"
    r"i remember|remember the game|games? straight|walk into a bar|a game where|those games|"
    r"those days|game before|in my group|other games?|two games ago|last night at|"
    r"past games?)\b"
)
# a day before this one, which is another game's where a game has one day
YESTERDAY = re.compile(r"\byesterday(?!'s)\b")
# a vote of another day, or one that is given up
NO_VOTE_NOW = re.compile(
    r"\b(?:yesterday|tomorrow|(?<!be )(?<!get )(?<!being )(?<!gets )voted|last (?:time|round|"
    r"vote|day)|(?:on )?day (?:one|two|three|\d)|"
    r"(?:the )?(?:first|second|other) day|(?:day|time|round|night) before|regret\w*|(?:was|"
    r"were) (?:\w+ )?(?:going to|about to|ready to|"
    r"voting|set on)|wanted to|had (?:\w+ )?planned|planned to|no longer|any ?more|instead of|"
    r"next time)\b"
)
# the office the village gives: support for somebody who stands for it
ELECTION = re.compile(
    r"\b(?:elect(?!ric)\w*|candida\w+|campaign\w*|(?:run(?:s|ning)?|stand(?:s|ing)?) (?:for|as)|"
    r"nominat\w+|ballot for)\b|"
    r"\b(?:for|as|to be|be|become|becomes|being|make \S+|made \S+|choose \S+|want \S+|(?:me|i|"
    r"you|him|"
    r"her|@\d+)) (?:a |an |the |our |your |my |next |good |great |better |best |fair |"
    r"first )*badge\b"
    r"(?!,? (?:i|we|my|here|says?)\b)|"
    r"@\d+ badge\b|^(?:vote|vote for|pick|choose|elect) me\b"
)
# … and who should have it, has it or hands it on
OF_BADGE = re.compile(
    r"\b(?:give|gives|giving|gave|hand|hands|handed|pass|passes|passed|deserves?|wants?|take|takes|"
    r"trust \S+ with|vote|votes|voting|pin\w*|inherit\w*|merits|earned?|@\d+ (?:has|have|got|"
    r"gets|with|"
    r"wears|holds|is)|(?:should|can|could|must|may) have) (?:\S+ ){0,4}?badge\b"
    r"(?!,? (?:recommend\w*|i|we|and|says?|said|vote|on)\b)|"
    r"\bbadge (?:to|for|goes|should go|belongs|is (?:best|safe\w*|better)|in (?:\S+ )?hands|"
    r"(?:with|on) @)"
)
# who is dead
DEAD = re.compile(
    r"@(\d+) (?:is |was |got |has been |also )?(?:now |already )?(?:dead|died|killed|eaten|"
    r"voted out|"
    r"eliminated|hanged|lynched|executed|murdered|gone now|out of the game)\b|"
    r"\b(?:rip|r i p|killed|murdered|ate|lost|(?:they|wolf) (?:\w+ )?(?:kill|eat|"
    r"attack)) @(\d+)(?![\d_+])|"
    r"@(\d+)[^@.]{0,30} (?:we|they|wolf) (?:killed|hanged|hung|lynched|eliminated|voted|"
    r"ate) (?:him|her|them)\b"
)
# plain irony, jokes, dreams
IRONY = re.compile(
    r"\b(?:oh sure|yeah right|ya right|jk(?! about)|just kidding|(?<!was )(?<!only )kidding|"
    r"haha imagine|sure thing|queen of|king of|pope|santa|superman|batman|easter bunny|(?:dreamt|"
    r"dreamed) that|had a dream|in my dreams|plot twist|walks? into a bar|would be funny|"
    r"game of my life)\b|(?<!\w)/s\b"
)
