"""Packs: what agents know about a ruleset's roles, as data, one TOML file per ruleset.

Facts belong to the ruleset's roles (`game.engine.declarations`): results of looks, which roles know
each other, which are hunted. A pack adds players' words for a role, the likelihood of claims, false
claims and their time, seed strategies and phrases. Defaults for missing data follow from the facts.
An external ruleset has its pack in its own folder, as a module `pack` with a PACK.
"""

import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cache, cached_property
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal, TypeVar

from agents import language
from agents.language.patterns import Rewrite, idioms
from game.engine.declarations import Look
from game.engine.ruleset import Ruleset, role_of
from game.engine.visibility import View

T = TypeVar("T")
FOLDER = Path(__file__).parent  # Holds the packs of the rulesets inside Fabula.
# A role's part in the talk, whatever its name in a ruleset.
Part = Literal[
    "looker",  # is of the village and learns something of others
    "mate",  # is of the village and knows the other holders of its role
    "plain",  # is of the village and knows nothing special
    "wolf",  # is hunted by the village
    "helper",  # is of the hunted team, but not hunted
    "loner",  # is of a team of its own
]


@dataclass(frozen=True)
class Result:
    """Result of a look, true or only claimed."""

    source: str  # the role that looks
    targets: tuple[int, ...]  # the seats looked at, in ascending order
    value: str  # one of the answers of the role's `Look`


# Figures that a pack may override. Those with "compared with" are ratios of likelihoods; the others
# are probabilities or points of suspicion in a vote.
FIGURES: dict[str, float] = {
    # How likely players who know each other press one another, compared with others.
    "pressed_mate": 0.1,
    "voted_mate": 0.2,  # how likely such players vote for one another, compared with others
    "voted_hunted": 1.25,  # how likely the village votes for the hunted, compared with others
    "lead": 0.15,  # points in a vote for the suspect of a trusted player with a badge
    "false_find": 0.5,  # probability that a false looker reports a hunted player in talk in passes
    "reveal": 0.8,  # probability that a helper reveals itself once its side has the majority
    "speaks": 0.87,  # how likely the village is silent in a turn, compared with the hunted
    "bait": 0.4,  # points less for a certain bait: the village spares a player who wants votes
    "distance": 0.0,  # share of the hunted who give up a lost partner and vote with the village
}


@dataclass(frozen=True)
class PackData:
    """The contents of a pack. Every field may be empty."""

    # Rewrites of the game's own words, as `agents.language.patterns.idioms` reads them.
    idioms: tuple[Rewrite, ...] = ()
    # Role -> players' words for it besides its name. For roles listed here, typos of one letter are
    # corrected.
    words: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    # Players' words for the protection of a player at night, if the game has it.
    deeds: tuple[str, ...] = ()
    # The words among these that mean nothing else. A statement with one belongs in a summary.
    sure_deeds: tuple[str, ...] = ()
    # Players' words for the office that the village gives, if the game has one.
    badge: tuple[str, ...] = ()
    # Role claimed -> role held -> probability that its holder claims it.
    claims: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    # Role held -> probability that its holder changes its claim.
    changed: Mapping[str, float] = field(default_factory=dict)
    # Role held -> (role to pose as, or a kind of pose, and its weight).
    poses: Mapping[str, Sequence[tuple[str, int]]] = field(default_factory=dict)
    # Pose -> weights of the rounds in which it is announced.
    when: Mapping[str, Sequence[int]] = field(default_factory=dict)
    baits: tuple[str, ...] = ()  # roles whose holders want votes on themselves
    # Role -> seed strategies (SPEC 2.3).
    strategy_seeds: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    # Role -> further seed strategies, if several players hold the role.
    partner_seeds: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    phrases: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # kind of move -> phrases
    # Choices that phrases share (`agents.language.phrasing`).
    blocks: Mapping[str, str] = field(default_factory=dict)
    # A word in a kind of remark's name -> the pack's own word, which names its phrases and the
    # random draws among them.
    kinds: Mapping[str, str] = field(default_factory=dict)
    # Name -> replacement for one of FIGURES.
    figures: Mapping[str, float] = field(default_factory=dict)
    # Whether the hunted win as soon as they are as many as the others. In a running game they are
    # then fewer.
    even_ends: bool = False
    # Team -> share of the games that it wins if built-in players have all seats
    # (docs/house-player.md, "Figures").
    win_shares: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Pack:
    """A ruleset's roles with the agents' knowledge about them."""

    ruleset: Ruleset
    data: PackData

    @cached_property
    def parts(self) -> dict[str, Part]:
        """Role key -> its part."""
        return {role.key: self._part(role.key) for role in self.ruleset.roles}

    def _part(self, key: str) -> Part:
        role = role_of(self.ruleset, key)
        village = role_of(self.ruleset, self.ruleset.default_role or self.ruleset.deck[0]).team
        if role.is_hunted:
            return "wolf"
        if role.team != village:
            hunted_teams = {r.team for r in self.ruleset.roles if r.is_hunted}
            return "helper" if role.team in hunted_teams else "loner"
        if role.look:
            return "looker"
        return "mate" if role.knows == "role" else "plain"

    def roles(self, *parts: Part) -> tuple[str, ...]:
        """Return the deck's roles with one of these parts, in the ruleset's order."""
        deck = set(self.ruleset.deck)
        return tuple(r for r, part in self.parts.items() if part in parts and r in deck)

    def role(self, part: Part) -> str:
        """Return the first role with that part, "" if the deck has none."""
        return next(iter(self.roles(part)), "")

    @cached_property
    def deck(self) -> tuple[str, ...]:
        return tuple(self.ruleset.deck)

    @cached_property
    def plain_role(self) -> str:
        """The most frequent role without special knowledge."""
        usual = self.ruleset.default_role or self.deck[0]
        return max(self.roles("plain"), key=self.deck.count, default=usual)

    def part(self, role: str) -> Part | None:
        """Return the part of `role`, None if it is no role of this game."""
        return self.parts.get(role)

    @cached_property
    def hunted(self) -> tuple[str, ...]:
        """The roles that the village hunts."""
        return self.roles("wolf")

    @cached_property
    def wolves(self) -> tuple[str, ...]:
        """The roles of the hunted team, hunted or not."""
        return self.roles("wolf", "helper")

    @cached_property
    def liars(self) -> tuple[str, ...]:
        """The roles that are not of the village."""
        return self.roles("wolf", "helper", "loner")

    @cached_property
    def acquainted(self) -> tuple[str, ...]:
        """The roles of the deck whose holders know each other."""
        acquainted_roles = {role.key for role in self.ruleset.roles if role.knows}
        return tuple(dict.fromkeys(role for role in self.deck if role in acquainted_roles))

    @cached_property
    def has_several_nights(self) -> bool:
        """Whether the game has several nights, as games with kills have."""
        return any(words.picks == "harm" for words in self.ruleset.wording.windows.values())

    @cached_property
    def can_protect(self) -> bool:
        """Whether a role of the game can protect a player at night."""
        return any(words.picks == "keep" for words in self.ruleset.wording.windows.values())

    def figure(self, name: str) -> float:
        """Return one of FIGURES with this game's value."""
        return self.data.figures.get(name, FIGURES[name])

    # -- looks

    def look(self, role: str) -> Look | None:
        """Return the look of `role`, None if its holders do not look."""
        return role_of(self.ruleset, role).look if role in self.parts else None

    def looks_in(self, view: View) -> tuple[Result, ...]:
        """Return the viewer's own looks with a known answer, oldest first."""
        if (look := self.look(view.role)) is None:
            return ()
        return tuple(
            Result(view.role, tuple(sorted(event["targets"])), value)
            for event in view.events
            if event.kind == look.event and (value := look.answer_in(event.data))
        )

    def looker_role(self, *, of_exiled: bool) -> str:
        """Return the role that looks at an exiled player, or at one each night, "" for none."""
        looks = ((role, self.look(role)) for role in self.roles("looker"))
        return next((r for r, look in looks if look and look.is_of_exiled == of_exiled), "")

    def revealed_role(self, result: Result) -> tuple[str, bool]:
        """Return the role that an answer reveals, and whether a target holds it.

        An answer that reveals no role gives ("", True).
        """
        look = self.look(result.source)
        answers = dict(look.answers) if look else {}
        keys = answers.get(result.value, ())
        if len(keys) == 1:
            return keys[0], True
        other_answers = [k for value, k in answers.items() if value != result.value]
        if not keys and len(other_answers) == 1 and len(other_answers[0]) == 1:
            return other_answers[0][0], False
        return "", True

    def accuses(self, result: Result) -> bool:
        """Return whether the answer marks a target as hunted."""
        look = self.look(result.source)
        return look is not None and any(
            look.answer_for([role]) == result.value for role in self.hunted
        )

    def can_choose_target(self, role: str) -> bool:
        """Return whether the holders of `role` choose whom they look at."""
        look = self.look(role)
        return look is not None and not look.is_of_exiled

    # -- words of prompts and statements

    def name(self, role: str) -> str:
        """Return the role's name ("Seer"), or the capitalized key if it is no role of this game."""
        return role_of(self.ruleset, role).name if role in self.parts else role.capitalize()

    def names(self, roles: Iterable[str]) -> str:
        """Return the names of roles: "Villager, Possessed"."""
        return ", ".join(map(self.name, roles))

    def counted(self, number: int, role: str) -> str:
        """Format a number of holders of a role: "1 Seer", "2 Werewolves"."""
        return f"{number} {self.name(role) if number == 1 else self.many(role)}"

    def one(self, role: str) -> str:
        """Return "the Seer", "a Mason" or "an Augur", by the number of such cards in the deck."""
        name = self.name(role)
        if self.deck.count(role) == 1:
            return f"the {name}"
        return f"an {name}" if name[:1] in "AEIOU" else f"a {name}"

    def answer_text(self, result: Result) -> str:
        """Return what a result says of its targets: "a Werewolf", "not a Werewolf"."""
        role, is_held = self.revealed_role(result)
        if not role:
            return result.value
        return self.one(role) if is_held else f"not {self.one(role)}"

    def many(self, role: str) -> str:
        """Return the plural: "Masons", "Werewolves"."""
        name = self.name(role)
        return f"{name[:-1]}ves" if name.endswith("lf") else f"{name}s"

    def spelled(self, kind: str) -> str:
        """Return the pack's name of a kind of remark (`PackData.kinds`)."""
        return "_".join(self.data.kinds.get(word, word) for word in kind.split("_"))


@cache  # one object for each ruleset: other caches and comparisons rest on it
def pack_of(ruleset: Ruleset) -> Pack:
    """Return the pack of `ruleset`.

    It is the module `pack` of the ruleset's folder, else the TOML file with the name of the ruleset
    or of its folder, else one without data.
    """
    folder = type(ruleset).__module__.rpartition(".")[0]  # "" for a module in no folder
    if folder and find_spec(f"{folder}.pack"):
        data = import_module(f"{folder}.pack").PACK
        if not isinstance(data, PackData):
            raise TypeError(f"{folder}.pack.PACK must be a PackData")
        return Pack(ruleset, _without_missing_roles(data, ruleset))
    for name in (ruleset.name.replace("-", "_"), folder.rpartition(".")[2]):
        if (path := FOLDER / f"{name}.toml").exists():
            return Pack(ruleset, _without_missing_roles(read_pack(path), ruleset))
    return Pack(ruleset, PackData())


def read_pack(path: Path) -> PackData:
    """Return the pack in a TOML file, with the phrases and idioms of the same name."""
    table = {key: _freeze(value) for key, value in tomllib.loads(path.read_text("utf-8")).items()}
    if unknown := sorted(table.keys() - {f.name for f in fields(PackData)}):
        raise ValueError(f"{path}: a pack has no entry {unknown[0]}")
    talk = language.pack_phrases(path.stem)
    return PackData(idioms=idioms(path.stem), phrases=talk.phrases, blocks=talk.blocks, **table)


def _freeze(value: Any) -> Any:
    """Return a TOML value with tuples in place of lists."""
    if isinstance(value, dict):
        return {key: _freeze(item) for key, item in value.items()}
    return tuple(map(_freeze, value)) if isinstance(value, list) else value


def _without_missing_roles(data: PackData, ruleset: Ruleset) -> PackData:
    """Return `data` without roles that the ruleset lacks. Several rulesets may share a pack."""
    ruleset_roles = {role.key for role in ruleset.roles}

    def filter_roles(mapping: Mapping[str, T]) -> dict[str, T]:
        return {key: value for key, value in mapping.items() if key in ruleset_roles}

    claims = {role: filter_roles(odds) for role, odds in filter_roles(data.claims).items()}
    missing_roles = set(data.words) - ruleset_roles
    poses = {
        role: [(pose, weight) for pose, weight in weights if pose not in missing_roles]
        for role, weights in filter_roles(data.poses).items()
    }
    role_seeds = filter_roles(data.strategy_seeds)
    for role, seeds in data.partner_seeds.items():
        if role in role_seeds and ruleset.deck.count(role) > 1:
            role_seeds[role] = (*role_seeds[role], *seeds)
    return replace(
        data, words=filter_roles(data.words), claims=claims, poses=poses, strategy_seeds=role_seeds
    )
