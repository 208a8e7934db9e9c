"""Labeled lines for training: the corpus's working lines and the house player's phrases."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from agents import language
from agents.house.remarks import get_phrases
from agents.language.phrasing import expansions, fill
from agents.packs import Pack
from agents.understanding.features import seat_numbers, statement_tokens
from agents.understanding.learned_acts import SIDE_SUSPICION
from tests.agents.meanings import meaning
from tests.agents.measure import SPEAKER, game_of, load
from tests.agents.table import NAMES, ONE_NIGHT

SLOTS = {"t": "Beta", "x": "Gamma", "y": "Delta", "z": "Epsilon", "a": "Theta", "b": "Zeta"}
SLOTS |= {"d": "Eta", "e": "Zeta"}  # dead players, or targets of a vote
SLOT_VALUES = {"q": "Seer", "n": "three", "k": "two", "w": "nervous", "all": "Gamma and Delta"}
SLOT_VALUES |= {"role": "Seer", "one": "the Seer", "many": "Seers", "wolf": "a Werewolf"}
PHRASE_TEXTS = 8  # expansions of each phrase
HOUSE_WEIGHT = 1.5
Label = tuple[str, str, str]  # (family, target, kind)


@dataclass(frozen=True)
class Line:
    """A text and its labels. `open` holds unknown labels, which training ignores."""

    text: str
    group: int
    to: int = 0
    speaker: int = SPEAKER
    says: frozenset[Label] = frozenset()
    open: frozenset[Label] = frozenset()
    weight: float = 1.0
    house: bool = False
    bystander: int = 0  # a seat that may have spoken before and is not addressed
    table: tuple[str, ...] = NAMES
    pack: Pack = ONE_NIGHT

    @property
    def words(self) -> tuple[str, ...]:
        """The tokens that the models read."""
        return statement_tokens(self.text, self.table, self.speaker, self.pack)


def role_of(key: str, pack: Pack = ONE_NIGHT) -> str:
    """Return the token of a role."""
    return statement_tokens(key, NAMES, SPEAKER, pack)[0]


def label(act: str, table: Sequence[str], pack: Pack) -> Label | None:
    """Parse a corpus label to (family, target, kind), or None if only rules read it."""
    kind, *rest = act.split()
    if kind in ("claim", "deny"):
        return ("role", role_of(rest[0], pack), kind)
    if kind == "propose":
        return ("role", role_of(rest[0], pack), rest[1])
    if kind == "retract":
        return ("line", "", kind)
    if kind == "report":
        return None
    seat = f"@{table.index(rest[0]) + 1}"
    return ("seat", seat, SIDE_SUSPICION if kind == "suspect" and len(rest) > 1 else kind)


def corpus_lines() -> list[Line]:
    rows = load("work") + load("sheriff_work")
    groups = near_duplicates([row["text"] for row in rows])
    lines = []
    for row, group in zip(rows, groups, strict=True):
        table, pack = game_of(row)
        labels_of_row = {parsed for act in row["acts"] if (parsed := label(act, table, pack))}
        # a player who names its partner claims the role too
        labels_of_row |= {
            ("role", role_of(a.split()[2]), "claim")
            for a in row["acts"]
            if a.startswith("companion")
        }
        to = table.index(row["to"]) + 1 if row.get("to") else 0
        labels = frozenset(labels_of_row)
        lines.append(Line(row["text"], group, to, SPEAKER, labels, table=table, pack=pack))
    return lines


def near_duplicates(texts: Sequence[str]) -> list[int]:
    """Number the group of each text. Texts that differ in little but their names share one."""
    # Imported here: it takes a second, and tests that train nothing import this module.
    from sklearn.feature_extraction.text import TfidfVectorizer

    name = re.compile("|".join([*(rf"\b{n.lower()}\b" for n in NAMES), r"\bplayer_\d"]))
    masked = [name.sub("name", text.lower()) for text in texts]
    grams = TfidfVectorizer(analyzer="char_wb", ngram_range=(3, 4)).fit_transform(masked)
    similarity = (grams @ grams.T).tocoo()
    group = list(range(len(texts)))

    def head(i: int) -> int:
        while group[i] != i:
            i = group[i]
        return i

    for i, j, cosine in zip(similarity.row, similarity.col, similarity.data, strict=True):
        if i < j and cosine > 0.6:
            group[max(head(i), head(j))] = min(head(i), head(j))
    return [head(i) for i in range(len(texts))]


def house_lines(first_group: int) -> Iterator[Line]:
    """Yield the house player's phrases with their meanings as labels."""
    seat = {slot: f"@{NAMES.index(name) + 1}" for slot, name in SLOTS.items()}
    own = ONE_NIGHT.data.phrases
    kinds = {
        *language.remarks(),
        *(k for k in language.general_phrases() if own.get(ONE_NIGHT.spelled(k))),
    }
    for number, kind in enumerate(sorted(kinds)):
        labels, unknown = parse_meaning(meaning(kind), seat)
        for phrase in get_phrases(ONE_NIGHT, kind):
            for text in expansions(phrase, PHRASE_TEXTS):
                for role in ("Villager", "Werewolf") if "{r}" in phrase else ("Villager",):
                    line = fill(text, {**SLOTS, **SLOT_VALUES, "r": role})
                    yield Line(
                        line, first_group + number, 0, 1, labels, unknown, HOUSE_WEIGHT, True
                    )


def parse_meaning(
    meaning_text: str, seat: dict[str, str]
) -> tuple[frozenset[Label], frozenset[Label]]:
    """Parse a line of tests/agents/meanings.py to (certain labels, possible labels)."""
    certain: set[Label] = set()
    possible: set[Label] = set()
    for part in filter(None, (p.strip() for p in meaning_text.split(";"))):
        head, *slots = part.rstrip("?").split("/")[0].split()
        names, _, role = head.rstrip("+-").partition("=")
        kinds = names.split("|")
        is_certain = not part.endswith("?") and len(kinds) == 1 and "*" not in slots
        target_labels = certain if is_certain else possible
        for kind in kinds:
            if kind in ("claim", "deny"):
                target_labels.add(("role", role_of(role), kind))
            elif kind == "propose":
                advice = part.rstrip("?").split("/")[1]
                advices = ("speak", "wait")
                chosen = advices if advice == "*" else (advice,)
                target_labels.update(("role", role_of(role), word) for word in chosen)
            elif kind == "retract":
                target_labels.add(("line", "", kind))
            elif kind != "report":
                targets = seat.values() if "*" in slots else [seat[s] for s in slots]
                if role and kind == "suspect":
                    kind = SIDE_SUSPICION
                target_labels.update(("seat", target, kind) for target in targets)
    return frozenset(certain), frozenset(possible)


YOU = re.compile(r"\b(?:you|u|ur|your|yours|yourself)\b", re.I)


def with_bystander(line: Line) -> Line:
    """Add a bystander to `line` if "you" cannot refer to it."""
    seat_count = len(line.table)
    seats = [seat for seat in seat_numbers(line.words) if seat <= seat_count]
    free = [s for s in range(1, seat_count + 1) if s not in (*seats, line.speaker)]
    is_you_clear = seats or not YOU.search(line.text)
    bystander = free[line.group % len(free)] if is_you_clear and free and not line.to else 0
    return replace(line, bystander=bystander)
