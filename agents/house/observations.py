"""Remarks on the claims of others, on nights and ballots, and speeches about an office."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from agents.house.mindset import Mindset
from agents.house.remark_rules import build_remarks
from agents.house.remarks import MIN_REMARK_WEIGHT, Remark, RemarkPlace, remark

MAX_PROPOSALS = 3  # by others since I last spoke: one more adds nothing
NEWS_BONUS = 0.8  # weight added if the player has claimed or reported since I last spoke
OLD_PENALTY = 0.6  # weight taken off if not
SAID_PENALTY = 4.0  # weight taken off if I have made the observation before
MENTION_PENALTY = 1.0  # weight taken off for each mention of the same players together
OPEN_COMPANION_PENALTY = 2.5  # the same for a named companion who has not answered yet
AGREE_PERCENT = 50  # of the players agree to a proposal, the others object
HAPPENING_MENTION_PENALTY = 0.8  # weight taken off for each mention of the same players by others
MAX_MENTIONS = 5
CANDIDACY_WEIGHT = 7.4  # of a candidate's reason: above almost all other remarks
OWN_VOTE_KINDS = ("own_ballot", "lead_refused")  # they explain my vote, whatever others said of it


def build_observations(m: Mindset) -> Iterator[Remark]:
    """Yield remarks on the claims, and on what others make of them, with their final weights."""
    new_claimants = {
        s.seat for s in m.dialogue.since(m.me) if any(a.kind in ("claim", "report") for a in s.acts)
    }
    for candidate in (*build_remarks(m, "observations", {}), *_proposals(m)):
        is_news = candidate.about in new_claimants or candidate.about == 0
        was_said = candidate.key in m.stance.said_keys
        weight = candidate.weight + (NEWS_BONUS if is_news else -OLD_PENALTY)
        weight -= SAID_PENALTY if was_said else 0.0
        if len(candidate.names) > 1 and candidate.kind != "expose_mate":
            is_open = candidate.kind == "companion_open"
            penalty = OPEN_COMPANION_PENALTY if is_open else MENTION_PENALTY
            weight -= penalty * m.count_mentions(candidate.seats)
        if weight > MIN_REMARK_WEIGHT:
            yield replace(candidate, weight=weight)


def _proposals(m: Mindset) -> Iterator[Remark]:
    """Yield proposals what lookers and mates should do, and replies to such proposals."""
    dialogue, looker, mate = m.dialogue, m.pack.role("looker"), m.pack.role("mate")
    is_hidden = m.part == "looker" or m.poses_as("looker")
    about_looker = [a for a in dialogue.acts("propose") if a.role == looker]
    if looker and m.has_night_passed and not dialogue.lookers and not is_hidden:
        spelled = m.pack.spelled("looker")
        if m.round > 1:
            again = sum(a in about_looker for s in dialogue.since(m.me) for a in s.acts)
            if again < MAX_PROPOSALS:
                yield remark("no_looker_yet", weight=5.0 - again, role=looker)
        elif not about_looker:
            kind = "looker_speak" if m.draw(f"{spelled} early", 2) else "looker_wait"
            weight = 2.4 + 1.6 * m.draw(f"propose {spelled}", 2)
            yield remark(kind, weight=weight, role=looker)
    new = [a for s in dialogue.since(m.me) for a in s.acts if a.kind == "propose"]
    if new and new[-1] in about_looker and m.round == 1 and not dialogue.lookers:
        x = new[-1].speaker
        side = "with" if m.chance("agree to it", AGREE_PERCENT) else "against"
        replies = [a for a in dialogue.acts("agree", "disagree") if x in a.targets]
        weight = 3.4 - 0.6 * len(replies)
        kind = f"{side}_looker_{new[-1].about}"
        yield Remark(kind, weight, RemarkPlace.TABLE, {"x": x}, role=looker)
    is_early = m.round == 1 and mate and not dialogue.claimants(mate) and not m.mate
    if is_early and m.chance(f"ask {m.pack.spelled('mates')}", 20):
        yield remark("mates_speak", role=mate)


def build_happenings(m: Mindset) -> Iterator[Remark]:
    """Yield remarks on the night, the last exile, the ballots and the badge.

    A lot adds to each weight, and mentions of the same players today take from it.
    """
    if not m.has_attacks:
        return
    today = [statement for statement in m.dialogue.said if statement.round >= m.dialogue.today]
    for candidate in build_remarks(m, "happenings", {}):
        mentions = min(sum(candidate.seats <= s.names for s in today), MAX_MENTIONS)
        penalty = 0.0 if candidate.kind in OWN_VOTE_KINDS else HAPPENING_MENTION_PENALTY * mentions
        lot = m.draw(f"happening/{m.pack.spelled(candidate.kind)}", 14) / 10
        weight = candidate.weight + lot - penalty
        if weight > MIN_REMARK_WEIGHT and candidate.key not in m.stance.said_keys:
            yield replace(candidate, weight=weight)


def build_office_remarks(m: Mindset, claim: Sequence[Remark]) -> Iterator[Remark]:
    """Yield the speech of a candidate or of the badge's holder.

    claim: the remarks in which the player claims a role in the same statement.
    """
    if m.speech_purpose == "stand":
        role = next((c.role for c in claim), m.claimed)
        yield from _candidacy(m, role, bool(m.look) or any(c.look for c in claim))
    elif m.speech_purpose == "lead":
        yield remark("lead_sum", weight=CANDIDACY_WEIGHT)
        if any(h.seat == m.me and h.when == m.view.state.day for h in m.dialogue.course.passed):
            yield remark("lead_thanks")


def _candidacy(m: Mindset, role: str, has_look: bool) -> Iterator[Remark]:
    """Yield a reason to be elected that fits my claim, and a promise.

    role: the claimed role, "" for none; has_look: whether I have a look to tell of.
    """
    is_looker = m.pack.part(role) == "looker" and has_look
    if is_looker or role in ("", m.pack.plain_role):
        kind = "stand_looker" if is_looker else "stand_known" if role else "stand"
        yield remark(kind, weight=CANDIDACY_WEIGHT)
    if role not in ("", m.pack.plain_role) or not m.chance("promise", 30):
        yield remark("stand_promise", weight=CANDIDACY_WEIGHT - 0.2)
    rivals = [s.seat for s in m.dialogue.said if s.round == m.round and s.seat != m.me]
    if rivals and not m.chance("alone", 45):
        yield remark("stand_rival", x=rivals[-1])
