"""The page of the lines that decided a finished game, with links into the replay.

A worker finds the lines when a page first requests them (`tasks.find_decisive_lines`). A web
process cannot, because the exact deduction and the language understanding take megabytes.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import groupby
from operator import itemgetter
from typing import Any

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from agents.packs import pack_of
from webapp.play import readings
from webapp.play.models import Hindsight
from webapp.play.page.ending import role_sentence
from webapp.play.page.narrator import join_names, role_name
from webapp.play.replay.replay_builder import viewer_key
from webapp.play.replay.viewer_transcript import ReplayedGame
from webapp.play.replay_access import check_replayable
from webapp.play.visitors import Guest

TASK = "play.find_decisive_lines"
_TITLES = {  # `agents.hindsight.DecisiveLine.kind` -> title
    "shift": gettext_lazy("The most revealing statement"),
    "ignored": gettext_lazy("The truth that was ignored"),
    "vote": gettext_lazy("The decisive vote"),
    "bait": gettext_lazy("How the {role} could have won"),
}


class HindsightLine:
    """A decisive line, as a page shows it, from all decisive lines at one position."""

    def __init__(self, writer: "_LineWriter", rows: list[Mapping[str, Any]]) -> None:
        """Explain `rows`, of `Hindsight.lines`."""
        transcript = writer.transcript
        # Its line in the replay, and the address of that.
        self.at = transcript.find_line_by_log_position(rows[0]["position"])
        query = f"?at={self.at}&as={viewer_key(transcript.viewer)}"
        self.address = writer.replay_path + query
        # A true claim about two players can raise the chance of the innocent one the most. It
        # is still no misleading statement.
        is_true = any(data["kind"] == "ignored" for data in rows)
        rows = [{**data, "is_true": is_true} for data in rows]
        shown_line = transcript.entries[self.at - 1]
        # One title and one explanation for each way in which it decided the game.
        self.titles = [str(_TITLES[row["kind"]]).format(role=writer.bait_name) for row in rows]
        self.texts = [" ".join(_TEXT_BUILDERS[row["kind"]](writer, row)) for row in rows]
        self.speaker = writer.names[rows[0]["seat"]]
        self.statement = shown_line.text if shown_line.kind == "statement" else ""  # "": a vote
        # Its effect on the viewer's side, "" unless the viewer is a wolf.
        self.side_text = " ".join(filter(None, map(writer.side_text, rows)))


@dataclass(frozen=True)
class HindsightPage:
    """The decisive lines of a game (`#hindsight`)."""

    code: str  # the game's code
    is_ready: bool  # a worker has searched for them
    is_too_large: bool = False  # the deck has too many deals for the search
    lines: list[HindsightLine] = field(default_factory=list)


def find_hindsight(guest: Guest) -> HindsightPage:
    """Return the decisive lines for a guest, or have a worker find them."""
    check_replayable(guest.game)
    return build_hindsight(ReplayedGame(guest), reverse("replay", args=[guest.game.code]))


def build_hindsight(replayed: ReplayedGame, replay_path: str) -> HindsightPage:
    """Return the decisive lines of a replayed game, or have a worker find them.

    The lines link to the replay at the address `replay_path`.
    """
    game = replayed.game
    row, _created = Hindsight.objects.get_or_create(game=game)
    if row.game_version is None or row.reworded != game.reworded:
        readings.request_reading(Hindsight, row, TASK)
        return HindsightPage(game.code, is_ready=False)
    if row.lines is None:
        return HindsightPage(game.code, is_ready=True, is_too_large=True)
    writer = _LineWriter(replayed, replay_path)
    by_line = groupby(row.lines, key=itemgetter("position"))  # they are in the order of the log
    lines = [HindsightLine(writer, [*rows]) for _position, rows in by_line]
    return HindsightPage(game.code, is_ready=True, lines=lines)


class _LineWriter:
    """Explains the decisive lines of one game in sentences."""

    def __init__(self, replayed: ReplayedGame, replay_path: str) -> None:
        self.game = replayed.game
        self.replay_path = replay_path
        self.transcript = replayed.transcript_of(replayed.disclosed.default_viewer)
        self.names = {player.seat: player.name for player in replayed.players}
        self.roles = replayed.dealt_roles
        self.pack = pack_of(replayed.ruleset)
        self.hunted_name = self._role_name(self.pack.hunted[0])
        self.bait_name = "".join(map(self._role_name, self.pack.data.baits[:1]))
        viewer = replayed.guest.player
        self.is_viewer_wolf = viewer is not None and self.roles[viewer.seat] in self.pack.wolves

    def _role_name(self, key: str) -> str:
        return role_name(self.game.ruleset, key)

    def _role_reveal(self, seat: int) -> str:
        return role_sentence(self.game.ruleset, self.names[seat], self.roles[seat])

    def side_text(self, data: Mapping[str, Any]) -> str:
        """Return the effect on the side of a viewer who is a wolf, "" for other viewers."""
        if not self.is_viewer_wolf or data["kind"] == "bait":
            return ""
        if data["kind"] == "ignored":
            return _("Your side benefited because no one followed it.")
        if data["kind"] == "vote":
            is_hit = self.roles[data["target"]] in self.pack.wolves
            hit, missed = _("It hit a player on your side."), _("It hit no one on your side.")
            return hit if is_hit else missed
        is_exposing = self._is_toward_truth(data)
        return _("It gave your side away.") if is_exposing else _("It helped your side.")

    def _is_toward_truth(self, shift: Mapping[str, Any]) -> bool:
        """Return whether a statement brought the probability nearer to the truth."""
        is_hunted = self.roles[shift["target"]] in self.pack.hunted
        return bool(shift["is_true"]) or is_hunted == (shift["after"] > shift["before"])

    def _shift_texts(self, data: Mapping[str, Any]) -> list[str]:
        texts = [self._chance_change(data), self._role_reveal(data["target"])]
        if not data["is_true"]:
            right = _("The statement pointed in the right direction.")
            misleading = _("The statement was misleading.")
            texts.insert(1, right if self._is_toward_truth(data) else misleading)
        return texts

    def _chance_change(self, shift: Mapping[str, Any]) -> str:
        return _(
            "Based on everything said in public, the probability that {name} was a {role} "
            "changed from {before} % to {after} %."
        ).format(
            name=self.names[shift["target"]],
            role=self.hunted_name,
            before=round(100 * shift["before"]),
            after=round(100 * shift["after"]),
        )

    def _bait_texts(self, data: Mapping[str, Any]) -> list[str]:
        bait = self.names[data["target"]]
        goal = _("{name} was the {role}, who wins by being voted out.").format(
            name=bait, role=self.bait_name
        )
        if data["other_seats"]:
            out, (fewer, most) = self.names[data["other_seats"][0]], data["counts"]
            text = _(
                "{name} had {got}, and {out} was voted out with {most}. If {voter} had voted "
                "for {name}, {name} would have been out."
            )
            figures = {"got": _votes_text(fewer), "most": _votes_text(most), "out": out}
            voter = self.names[data["seat"]]
            return [goal, text.format(name=bait, voter=voter, **figures)]
        if data["after"] > data["before"]:
            advice = _("This was the best chance for votes: nothing raised suspicion more.")
        else:
            advice = _("This lowered suspicion, and with it votes, more than anything else.")
        return [goal, self._chance_change(data), advice]

    def _ignored_texts(self, data: Mapping[str, Any]) -> list[str]:
        targets = join_names([self.names[seat] for seat in data["targets"]])
        claim = {
            "found": _("{name} ({role}) spoke the truth about {targets}."),
            "cleared": _("{name} ({role}) cleared {targets}, and that was true."),
            "claimant": _("{name} truly claimed to be {role}."),
        }[data["neglect"]].format(
            name=self.names[data["seat"]], role=self._role_name(data["role"]), targets=targets
        )
        followed, votes = data["counts"]
        text = ngettext(
            "{n} vote of {votes} followed this, and {out} was voted out.",
            "{n} of {votes} votes followed this, and {out} was voted out.",
            followed,
        )
        out = join_names([self.names[seat] for seat in data["other_seats"]])
        return [claim, text.format(n=followed, votes=votes, out=out)]

    def _vote_texts(self, data: Mapping[str, Any]) -> list[str]:
        voter, target = self.names[data["seat"]], self.names[data["target"]]
        second = self.names[data["other_seats"][0]]
        most, fewer = data["counts"]
        counts = _("{target} was voted out with {most}, and {second} had {fewer}.").format(
            target=target, most=_votes_text(most), second=second, fewer=_votes_text(fewer)
        )
        tied = _("Without {voter}’s vote the two would have been tied.")
        swapped = _("Without {voter}’s vote {second} would have been out.")
        text = tied if most > fewer else swapped
        return [counts, text.format(voter=voter, second=second), self._vote_reason(data)]

    def _vote_reason(self, data: Mapping[str, Any]) -> str:
        """Return the chances that the voter could compute, or that the voter was a liar."""
        if self.roles[data["seat"]] in self.pack.liars:
            return self._role_reveal(data["seat"])
        return _(
            "From what {voter} could know, the probability of being a {role} was {chance} "
            "% for {target} and {other} % for {second}."
        ).format(
            voter=self.names[data["seat"]],
            target=self.names[data["target"]],
            second=self.names[data["other_seats"][0]],
            role=self.hunted_name,
            chance=round(100 * data["before"]),
            other=round(100 * data["after"]),
        )


_TEXT_BUILDERS: dict[str, Callable[[_LineWriter, Mapping[str, Any]], list[str]]] = {
    "shift": _LineWriter._shift_texts,
    "ignored": _LineWriter._ignored_texts,
    "vote": _LineWriter._vote_texts,
    "bait": _LineWriter._bait_texts,
}


def _votes_text(count: int) -> str:
    return ngettext("{count} vote", "{count} votes", count).format(count=count)
