"""Reasons against the suspect that `Mindset.target` has chosen; each is a fact of the talk."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from agents.house.fact_checks import stands_against
from agents.house.happenings import against
from agents.house.mindset import Mindset
from agents.house.remarks import CROWD, Named, Remark, counted, remark

GROUND = 0.25  # how likely hunted somebody must be to be suspected in the first round
NAMES = ("whom", "vote", "why")  # what is answered with a name


def voices(m: Mindset) -> bool:
    """Return whether enough has been said, and there is anybody, for a suspicion to be voiced.

    In a game's first round a suspicion needs a ground: a guess can only hit who spoke early. Before
    the first night only two stories and a look are one.
    """
    looks = m.dialogue.reported_looks
    accountable = {*m.dialogue.changed, *(s for seat, look in looks for s in (seat, *look.targets))}
    if not m.slept and m.target not in accountable:
        return False
    speakers = len({s.seat for s in m.dialogue.said} - {m.me})
    first = m.round == 1 and m.view.state.day == 1
    return speakers > 1 and m.wolf(m.target) >= (GROUND if first else 0.02)


def doubts(m: Mindset) -> Iterator[Remark]:
    """Yield the change of mind, the suspicion with its reason, the vote."""
    t = m.target
    if m.speech_purpose == "lead":  # whoever has the last word says whom to vote for, whatever else
        yield remark("lead_vote", t=t)
    if m.allies:  # who win by their votes need no reason
        yield from _vote(m, t)
        return
    if not (voices(m) or (m.led and m.before == m.target)):
        return
    changed = m.before and m.before != t and not m.led
    if changed:
        yield _turn(m, m.before)
    options = _weighed(m, reasons(m, t))
    fresh = [mv for mv in options if mv.key not in m.stance.said_keys]
    is_asked = m.led or m.votes or any(d.intent in NAMES for _, d in m.demands)
    if m.adores(t):
        yield remark("despite_liking", t=t)
    is_expected = changed or is_asked or m.last_round  # a vote without a reason convinces nobody
    weak = m.round == 1 and m.wolf(t) < 0.2 and not is_expected
    if fresh and (not weak or m.chance("voice a doubt", 65)):
        more = 3.5 if is_asked else 1.5 if changed else 0.0  # then it must not be left out
        yield from (replace(mv, weight=mv.weight + more) for mv in fresh[:4])
    elif m.led and options:  # asked again: the best reason in other words
        yield replace(options[0], weight=options[0].weight + 3.5)
    elif m.before == t and not weak:
        yield remark("hold", t=t, weight=7.0 if is_asked else 5.0)
    if (m.last_round or m.votes) and m.speech_purpose != "lead":
        yield from _vote(m, t)


def _weighed(m: Mindset, remarks: Iterable[Remark]) -> list[Remark]:
    """`remarks`, the heaviest first: each a little more or less by lot, less for what is worn."""
    spelled = m.pack.spelled
    options = [
        replace(
            mv,
            weight=mv.weight - 0.4 * m.worn(mv.seats) + m.draw(spelled(mv.kind), 9) / 10,
        )
        for mv in remarks
    ]
    return sorted(options, key=lambda mv: (-mv.weight, spelled(mv.kind)))


def _vote(m: Mindset, t: int) -> Iterator[Remark]:
    if m.in_passes and not m.votes and any(a.kind == "vote" and t in a.targets
                                           for s in m.words_today for a in s.acts):  # fmt: skip
        return  # I have said so
    company = [s for s in m.dialogue.pressing(t) if s != m.me and stands_against(m.dialogue, s, t)]
    if company and m.chance("vote with", 40):
        yield remark("vote_with", t=t, x=company[-1])
    elif m.wolf(t) < 0.3:
        yield remark("vote_unsure", t=t)
    else:
        yield remark("vote", t=t)


def _turn(m: Mindset, old: int) -> Remark:
    """Return why I let go of `old`."""
    clearing = [s for s in m.dialogue.reporters(old, accused=False) if s not in (m.me, old)]
    if clearing and m.wolf(old) < 0.1:
        return remark("turn_cleared", x=old, y=clearing[0])
    if (partner := m.dialogue.partner(old)) not in (0, m.me):
        return remark("turn_mate", x=old, y=partner, role=m.dialogue.claims[old])
    if m.is_grounded(old) and not m.cleared(old):
        return remark("turn_stands", x=old)
    return remark("turn", x=old)


def reasons(m: Mindset, t: int) -> Iterator[Remark]:
    """Yield all that can truly be said against `t`, with its weight."""
    yield from _looks(m, t)
    yield from _lookers(m, t)
    yield from _roles(m, t)
    yield from _unclaimed(m, t)
    yield from _manners(m, t)
    yield from _company(m, t)
    yield from against(m, t)
    if m.lasts and t in m.dialogue.saves and not m.dialogue.course.quiet:
        yield remark("doubt_save", t=t, d=m.dialogue.saves[t])
    if m.dialogue.silent[t]:
        yield remark("doubt_silent", t=t)
    elif m.dialogue.turns(t):
        yield remark("doubt_gut", t=t)
    elif m.round > 1:
        yield remark("doubt_unheard", t=t)


def _looks(m: Mindset, t: int) -> Iterator[Remark]:
    """Looks that found somebody hunted where `t` is."""
    for seat, report in m.dialogue.reported_looks:
        if not m.pack.accuses(report) or t not in report.targets or seat == t:
            continue
        role, rivals = report.source, {*m.dialogue.claimants(report.source)} - {seat}
        believed = m.holds(seat) > 0.4 and not rivals & m.vouched
        u = next((s for s in report.targets if s != t), 0)
        if not u:
            if seat == m.me:
                yield remark("own_find", t=t, role=role, look=report)
            elif believed:
                left = seat in m.dialogue.course.out
                kind, names = "doubt_left_found" if left else "doubt_found", {"t": t}
                names |= {"d" if left else "x": seat}
                yield remark(kind, names, role=role, look=report)
        elif seat == m.me:
            kind = "own_look_sure" if m.certain(u) else "own_look"
            yield remark(kind, t=t, y=u, role=role, look=report)
        elif u != m.me and believed:
            names = {"t": t, "x": seat, "y": u}
            if m.certain(u):
                yield remark("doubt_other_cleared", names, role=role, look=report)
            else:
                yield remark("doubt_reported", names, role=role, look=report)


def _lookers(m: Mindset, t: int) -> Iterator[Remark]:
    """Return what speaks against `t`, who claims to be a looker."""
    role = m.dialogue.claims.get(t, "")
    lookers, mine = m.dialogue.claimants(role), (m.claimed or m.stance.pose) == role
    if m.pack.part(role) != "looker":
        return
    if len(lookers) > m.pack.deck.count(role):
        rival = next(s for s in lookers if s != t)
        if mine:
            yield remark("doubt_my_rival", t=t, role=role)
        elif lookers.index(t) > lookers.index(rival):
            yield remark("doubt_second_looker", t=t, x=rival, role=role)
        else:
            yield remark("doubt_first_looker", t=t, x=rival, role=role)
    elif t in m.dialogue.reports and not mine:
        yield remark("doubt_lone_looker", t=t, role=role)


def _roles(m: Mindset, t: int) -> Iterator[Remark]:
    dialogue = m.dialogue
    claim = dialogue.claims.get(t)
    if t in dialogue.changed:
        first, later = (m.pack.name(r) for r in dialogue.changed[t])
        yield remark("doubt_changed", t=t, r=first, q=later)
    if claim is None:
        return
    if m.pack.part(claim) == "mate" and t not in {s for p in dialogue.pairs for s in p}:
        mates = [s for p in dialogue.pairs for s in p]
        if m.mate or m.me in mates:
            yield remark("doubt_false_mate", t=t, role=claim)
        elif mates:
            yield remark("doubt_third_mate", t=t, x=mates[0], y=mates[1], role=claim)
        elif t not in dialogue.companions:
            yield remark("doubt_mate_alone", t=t, role=claim)
    if m.pack.part(claim) == "plain":
        room = max(m.pack.deck.count(claim) - 1, 1)  # for others than `t`
        many = 1.4 * (room > 1)  # of many claims one more that is false says little
        claimants = [s for s in dialogue.claimants(claim) if s in m.others]
        names: dict[str, Named] = {"t": t}
        if len(claimants) > CROWD:
            pass
        elif m.claimed == claim and len(claimants) > room:
            names |= {"x": next(s for s in reversed(claimants) if s != t)}
            names |= counted(m.pack, claim, len(claimants) + 1)
            yield remark("doubt_plain_room", names, weight=5.8 - many, role=claim)
        elif len(claimants) > room + 1:
            names |= {"all": tuple(claimants), **counted(m.pack, claim, len(claimants))}
            yield remark("doubt_plain_crowd", names, weight=5.6 - many, role=claim)
        elif claim not in (m.claimed, m.stance.pose):  # who says just the same can't blame it
            yield remark("doubt_plain", t=t, role=claim)


def _unclaimed(m: Mindset, t: int) -> Iterator[Remark]:
    """Yield `t` has not said what it is, or has said that it is hunted, or of their team."""
    dialogue = m.dialogue
    if any(a.role in m.pack.wolves for a in dialogue.acts("claim", by=t)):
        yield remark("doubt_confessed", t=t)
    if dialogue.claims.get(t) is None and m.round > 1 and dialogue.turns(t):
        if (asker := dialogue.evaded(t)) and asker not in (m.me, t):
            yield remark("doubt_evaded", t=t, x=asker)
        elif asker == m.me:
            yield remark("doubt_evaded_me", t=t)
        else:
            yield remark("doubt_unclaimed", t=t)


def _manners(m: Mindset, t: int) -> Iterator[Remark]:
    """Yield how `t` argued."""
    dialogue, turns = m.dialogue, m.dialogue.turns(t)
    pressed = [s for s in dialogue.pressed_by(t) if s != m.me]
    if not turns:
        return
    only_greets = m.round == 1 and all(turn.greets or turn.only_listens for turn in turns)
    if not dialogue.pressed_by(t) and dialogue.claims.get(t) is None and not only_greets:
        yield remark("doubt_nothing", t=t)
    if len(pressed) > 1:
        yield remark("doubt_flip", t=t, x=pressed[-2], y=pressed[-1])
    if pressed:
        u = pressed[-1]
        before = dialogue.first_against(u)
        if before not in (0, t, m.me):
            yield remark("doubt_echo", t=t, x=before, y=u)
        elif turns[0].round == 1 and u in turns[0].presses() and not _reports_before(m, t):
            yield remark("doubt_early", t=t, x=u)
        if m.good(u) > 0.85:
            yield remark("doubt_pusher", t=t, x=u)
    if dialogue.suspect_of(t) == m.me:
        yield remark("doubt_at_me", t=t)
    for act in dialogue.acts("defend", by=t):
        u = act.targets[0]
        if u != m.me and m.wolf(u) > 0.25 and len(act.targets) == 1:
            yield remark("doubt_defender", t=t, x=u)
            break


def _company(m: Mindset, t: int) -> Iterator[Remark]:
    """Others who say so too. And what is left when the trusted are taken away."""
    new = [s for s in m.dialogue.since(m.me) if t in s.presses() and s.seat != m.me]
    if new and new[-1].seat != m.target:
        yield remark("doubt_agree", t=t, x=new[-1].seat)
    left = [s for s in m.others if m.wolf(s) > 0.06]
    if t in left and m.round > 1 and 2 <= len(left) <= 3 and len(left) < len(m.others):
        rest = [s for s in left if s != t]
        kind = "doubt_left_two" if len(left) == 2 else "doubt_left_three"
        yield remark(kind, t=t, x=rest[0], y=rest[-1])


def _reports_before(m: Mindset, seat: int) -> bool:
    """Return whether somebody had reported a look when `seat` first spoke."""
    for statement in m.dialogue.said:
        if statement.seat == seat:
            return False
        if any(a.kind == "report" for a in statement.acts):
            return True
    return False
